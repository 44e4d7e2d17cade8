import gzip

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from hedgerow import open_source
from hedgerow.data.formats.arrow_files import IpcSource, ParquetSource
from hedgerow.data.formats.json_lines import JsonLinesSource
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.source import ReadOptions
from hedgerow.data.table.table import concatenate
from hedgerow.errors import DataError
from tests.data.tables import assert_same, words

N = 500


def frame():
    """Return a table whose later rows hold new words, and dates with a fraction at the very end."""
    moments = pa.array([i * 1_000_000 for i in range(N - 1)] + [500_000], pa.timestamp("us"))
    return pa.table(
        {
            "id": list(range(N)),
            "x": [i % 7 / 2 for i in range(N)],
            "word": [f"w{i // 100}" for i in range(N)],
            "moment": moments,
            "items": [["a"] * (i % 3) + [f"i{i // 250}"] for i in range(N)],
            "name": [f"n{i}" for i in range(N)],
            "class": ["yes" if i % 2 else None for i in range(N)],
        }
    )


def write_ipc_stream(table, path):
    with pa.ipc.new_stream(path, table.schema) as sink:
        sink.write_table(table, max_chunksize=100)


WRITERS = {
    "t.parquet": (ParquetSource, lambda table, path: pq.write_table(table, path, row_group_size=100)),
    "t.feather": (IpcSource, lambda table, path: pa.feather.write_feather(table, path, chunksize=100)),
    "t.arrow": (IpcSource, write_ipc_stream),
}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.usefixtures("small_blocks")
def test_streaming_gives_the_same_rows_and_schema(tmp_path, name):
    source_type, put = WRITERS[name]
    put(frame(), str(tmp_path / name))
    source = source_type(tmp_path / name, ReadOptions())
    whole = source_type(tmp_path / name, ReadOptions()).read()
    batches = list(source.batches(64))
    assert max(batch.n_rows for batch in batches) <= 64
    assert all(batch.schema is source.schema for batch in batches)
    assert_same(concatenate(batches), whole)
    assert source.schema == whole.schema
    assert whole.schema["word"].levels == ("w0", "w1", "w2", "w3", "w4")
    assert whole.schema["moment"].date == "yyyy-MM-dd'T'HH:mm:ss.SSS"
    assert whole.schema["name"].ignored
    assert whole.schema["id"].ignored


@pytest.mark.parametrize("name", WRITERS)
def test_a_declared_schema_needs_no_pass(tmp_path, name, monkeypatch):
    source_type, put = WRITERS[name]
    put(frame(), str(tmp_path / name))
    schema = Schema((Column("word", Kind.NOMINAL, levels=("w4", "w0")), Column("x", Kind.NUMERIC)), "word")
    monkeypatch.setattr(source_type, "arrow_schema", None)
    source = source_type(tmp_path / name, ReadOptions(schema=schema))
    table = concatenate(list(source.batches(64)))
    assert set(words(table, "word")) == {"w4", "w0", None}
    assert any("'w1' not seen" in note for note in source.notes)


@pytest.mark.parametrize("name", WRITERS)
def test_damaged_files_are_told(tmp_path, name):
    source_type, put = WRITERS[name]
    put(frame(), str(tmp_path / name))
    data = (tmp_path / name).read_bytes()
    for bad in (b"", b"nonsense", data[: len(data) // 2], data[:100]):
        (tmp_path / name).write_bytes(bad)
        with pytest.raises(DataError, match=name):
            source_type(tmp_path / name, ReadOptions()).read()


@pytest.mark.parametrize("name", WRITERS)
def test_empty_and_absent_files_are_told(tmp_path, name):
    source_type, put = WRITERS[name]
    put(frame().slice(0, 0), str(tmp_path / name))
    with pytest.raises(DataError, match="no rows"):
        source_type(tmp_path / name, ReadOptions()).read()
    with pytest.raises(DataError, match="no rows"):
        list(source_type(tmp_path / name, ReadOptions()).batches())
    with pytest.raises(DataError, match="no such file"):
        source_type(tmp_path / ("no" + name), ReadOptions()).read()


def test_an_infinite_value_is_told_by_row(tmp_path):
    pq.write_table(pa.table({"a": [1.0] * 99 + [float("inf")]}), tmp_path / "t.parquet")
    with pytest.raises(DataError, match=r"t\.parquet: column 'a', row 100"):
        list(ParquetSource(tmp_path / "t.parquet", ReadOptions()).batches(10))


@pytest.fixture
def jsonl(tmp_path):
    def make(text, name="t.jsonl", **options):
        data = text.encode() if isinstance(text, str) else text
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
        return JsonLinesSource(tmp_path / name, ReadOptions(**options))

    return make


ROWS = """{"a": 1, "b": "x", "items": ["p", "q"]}
{"a": 2.5, "b": null}

{"b": "y", "late": true, "day": "2001-09-09", "a": null}
{"a": 4, "b": "x", "day": "soon", "items": []}
"""


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz"])
@pytest.mark.usefixtures("small_blocks")
def test_json_lines_with_late_keys_and_types(jsonl, name):
    source = jsonl(ROWS, name)
    table = concatenate(list(source.batches(1)))
    np.testing.assert_array_equal(table["a"], [1, 2.5, np.nan, 4])
    assert words(table, "b") == ["x", None, "y", "x"]
    assert words(table, "late") == [None, None, "true", None]
    assert words(table, "day") == [None, None, "2001-09-09", "soon"]
    assert table["items"].offsets.tolist() == [0, 2, 2, 2, 2]
    assert_same(jsonl(ROWS, name).read(), table)


@pytest.mark.usefixtures("small_blocks")
def test_json_lines_with_nested_types_that_grow(jsonl):
    rows = [
        '{"a": 1, "b": [], "d": "2001-09-09"}',
        '{"a": 0.5, "b": [{"c": 1}]}',
        '{"b": [{"c": 2.5, "e": "x"}]}',
    ]
    for text in ("\n".join(rows), "\n".join(reversed(rows))):
        table = jsonl(text).read()
        assert_same(concatenate(list(jsonl(text).batches())), table)
        assert sorted(table["b"].table["c"].tolist()) == [1, 2.5]
        assert table.schema["d"].date


@pytest.mark.usefixtures("small_blocks")
def test_json_lines_under_a_declared_schema(jsonl):
    schema = Schema((Column("b", Kind.NOMINAL, levels=("y",)), Column("a", Kind.NUMERIC)), "b")
    table = concatenate(list(jsonl(ROWS, schema=schema).batches()))
    assert words(table, "b") == [None, None, "y", None]
    np.testing.assert_array_equal(table["a"], [1, 2.5, np.nan, 4])


BAD = {
    "changed type": ('{"a": 1}\n\n{"a": "x"}\n', ["line 3", "'a'", "string", "number"]),
    "changed in a later block": ('{"a": 1, "pad": "' + "p" * 40 + '"}\n{"a": "x"}\n', ["'a'", "one type"]),
    "key twice": ('{"a": 1, "a": 2}\n', ["line 1", "'a'", "twice"]),
    "null": ('{"a": 1}\nnull\n', ["line 2", "'null'", "not an object"]),
    "too deep": ('{"a": 1}\n{"a": ' + "[" * 9999 + "]" * 9999 + "}\n", ["line 2", "nested"]),
    "not an object": ("[1, 2]\n", ["line 1", "'[1, 2]'", "object"]),
    "broken": ('{"a": 1}\n{"a": \n', ["line 2", "not a JSON object"]),
    "nested": ('{"a": {"b": 1}, "a.b": 2}\n', ["'a.b'", "twice"]),
    "empty": ("\n\n", ["no rows"]),
    "not UTF-8": (b'{"a": 1}\n{"a": "\xff"}\n', ["line 2", "UTF-8"]),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.usefixtures("small_blocks")
def test_bad_json_lines_are_told_in_one_sentence(jsonl, case):
    text, parts = BAD[case]
    for read in (lambda source: source.read(), lambda source: list(source.batches())):
        with pytest.raises(DataError) as error:
            read(jsonl(text))
        assert "t.jsonl" in str(error.value)
        assert all(part in str(error.value) for part in parts), str(error.value)


@pytest.mark.parametrize("ending", ["feather", "parquet"])
@pytest.mark.parametrize("inner", [False, True])
def test_names_that_are_no_text(tmp_path, ending, inner):
    rows = pa.array([[{"qqqq": 1}], [{"qqqq": 2}]]) if inner else pa.array([1, 2])
    table = pa.table({"items" if inner else "qqqq": rows, "y": ["a", "b"]})
    path = tmp_path / f"t.{ending}"
    if ending == "feather":
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    else:
        pq.write_table(table, path, store_schema=False)
    path.write_bytes(path.read_bytes().replace(b"qqqq", b"\x80qqq"))
    with pytest.raises(DataError, match=r"name of column 1 is not UTF-8|cannot be read as a Parquet file"):
        open_source(path).read()
