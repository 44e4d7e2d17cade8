import gzip
import re
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hedgerow.data.formats.csv import CsvSource
from hedgerow.data.frames import infer
from hedgerow.data.read import make_source, open_source, read
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.source import ReadOptions
from hedgerow.data.table.table import Text, concatenate
from hedgerow.errors import DataError, DataWarning, UsageError

WEATHER = "outlook,humidity,windy,play\nsunny,85,no,no\nrainy,96.5,no,yes\n,?,yes,yes\n"


@pytest.fixture
def file(tmp_path):
    def write(content, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def rows_of(table):
    columns = []
    for column, values in zip(table.schema.columns, table.data, strict=True):
        if column.kind is Kind.NOMINAL:
            columns.append([None if code < 0 else column.levels[code] for code in values])
        elif isinstance(values, Text):
            columns.append(list(values))
        else:
            columns.append([None if np.isnan(value) else value for value in values])
    return list(zip(*columns, strict=True))


def kinds_of(table):
    return {column.name: str(column.kind) for column in table.schema.columns}


def test_a_small_table_is_read(file):
    table = read(file(WEATHER))
    assert rows_of(table) == [
        ("sunny", 85, "no", "no"),
        ("rainy", 96.5, "no", "yes"),
        (None, None, "yes", "yes"),
    ]
    assert table.schema.target == "play"
    assert table.schema["outlook"].levels == ("sunny", "rainy")
    assert kinds_of(table)["humidity"] == "numeric"


@pytest.mark.parametrize("mark", [",", ";", "\t", "|", "  "])
def test_the_delimiter_is_sniffed(file, mark):
    table = read(file("a,b,c\nx,1,y\nz,2,y\n".replace(",", mark), "t.txt"))
    assert rows_of(table) == [("x", 1, "y"), ("z", 2, "y")]


def test_quotes_newlines_and_line_ends(file):
    text = 'name,"n"\r\n"Smith, ""Jo""",1\r\n"two\r\nlines",2\r\n\r\n'
    assert rows_of(read(file(text))) == [('Smith, "Jo"', 1), ("two\r\nlines", 2)]


def test_lone_carriage_returns_end_lines(file):
    assert rows_of(read(file("a,b\rx,1\ry,2\r"))) == [("x", 1), ("y", 2)]


def test_quotes_may_be_plain_characters_in_tab_files(file):
    text = 'ham\t"Hello there\nspam\tYou "won" it\nham\tok "\n'
    assert rows_of(read(file(text, "t.tsv"), header=False))[0] == ("ham", '"Hello there')


def test_blanks_behind_every_delimiter_are_not_data(file):
    assert rows_of(read(file('a, b\nx, "1, 2"\ny, ?\n'))) == [("x", "1, 2"), ("y", None)]


def test_blanks_around_values_are_kept_only_in_quotes(file):
    assert read(file('a,b\n x,1\ny z ,2\n"w ",3\nx,4\n')).schema["a"].levels == ("x", "y z", "w ")


def test_leading_zeros_are_noted_since_numbers_lose_them(file):
    path = file("zip,b\n01234,x\n02345,y\n")
    with pytest.warns(DataWarning, match="'zip' has leading zeros"):
        read(path)
    assert read(path, kinds={"zip": "nominal"}).schema["zip"].levels == ("01234", "02345")


def test_a_blank_name_gives_way_to_a_given_one(file):
    assert read(file("a,,column2\n1,2,3\n")).schema.names == ("a", "column2_", "column2")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b\n1,2\n", ("a", "b")),
        ("1,2\n3,4\n", ("column1", "column2")),
        ("outlook,play\nsunny,no\nrainy,yes\n", ("outlook", "play")),
        ("sunny,no\nrainy,yes\nsunny,yes\n", ("column1", "column2")),
        (",x\n0,5\n1,6\n", ("column1", "x")),
        ("x,?\n1,2\n", ("column1", "column2")),
        ("größe,名前\n1,2\n", ("größe", "名前")),
    ],
)
def test_the_header_is_sniffed(file, text, names):
    assert read(file(text), kinds={}).schema.names == names


def test_header_and_delimiter_can_be_told(file):
    assert read(file("a;b\nc;d\n"), header=False, delimiter=";").n_rows == 2
    assert read(file("1;2\n3;4\n"), header=True, delimiter=";").schema.names == ("1", "2")


@pytest.mark.parametrize("packed", ["gz", "zst"])
def test_packed_files_are_read(file, packed):
    raw = WEATHER.encode()
    if packed == "zst":
        import pyarrow as pa

        raw = pa.compress(raw, codec="zstd", asbytes=True)
    else:
        raw = gzip.compress(raw)
    assert rows_of(read(file(raw, f"t.csv.{packed}"))) == rows_of(read(file(WEATHER)))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1", "cp1252"])
def test_encodings(file, encoding):
    text = "größe,wort\n1,äh\n2,öh\n"
    told = {"latin-1": "latin-1", "cp1252": "cp1252"}.get(encoding, "utf-8")
    table = read(file(text.encode(encoding)), encoding=told)
    assert table.schema.names == ("größe", "wort")
    assert rows_of(table) == [(1, "äh"), (2, "öh")]


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_byte_order_marks_are_honored_whether_the_encoding_is_told_or_not(file, order):
    raw = "\ufeffgröße,wort\n1,äh\n".encode(order)
    for told in ("utf-8", order[:6], order):
        assert read(file(raw), encoding=told).schema.names == ("größe", "wort")


def test_usual_and_own_missing_tokens(file):
    cells = ["", "?", "NA", "N/A", "n/a", "nan", "NaN", "null", "NULL", "Null", '"NA"', " NA ", "none"]
    table = read(file("x,y\n1,a\n" + "".join(f"{cell},b\n" for cell in cells)), missing=["none"])
    assert kinds_of(table)["x"] == "numeric"
    assert np.count_nonzero(np.isnan(table["x"])) == len(cells)


def test_a_column_without_values_is_numeric(file):
    assert kinds_of(read(file("x,y\n,a\n?,b\n")))["x"] == "numeric"


def test_kinds_can_be_told(file):
    table = read(file("a,b,c\n1,x,5\n2,y,6\n"), kinds={"a": "nominal", "b": "text", "c": "numeric"})
    assert kinds_of(table) == {"a": "nominal", "b": "text", "c": "numeric"}
    assert table.schema["a"].levels == ("1", "2")


def test_texts_are_told_from_names(file):
    lines = [f"this is message number {i} of many,{'ab'[i % 2]}" for i in range(20)]
    assert kinds_of(read(file("text,y\n" + "\n".join(lines))))["text"] == "text"


def test_many_words_make_a_column_nominal_and_few_are_an_error(file):
    numbers = "\n".join(f"{i / 7},a" for i in range(20))
    assert kinds_of(read(file(f"x,y\n{numbers}\n" + "low,a\n" * 5)))["x"] == "nominal"
    message = r"t.csv: column 'x' is numeric but 1 value is not: 'low' \(line 22\); .*--missing low.*--nominal x"
    with pytest.raises(DataError, match=message):
        read(file(f"x,y\n{numbers}\nlow,a\n"))


def test_the_sample_does_not_decide(file, monkeypatch):
    monkeypatch.setattr("hedgerow.data.formats.csv.GUESS", 40)
    numbers, words = "1.5,a\n2.5,b\n" * 50, "low,a\nhigh,b\n" * 50
    for text in (f"x,y\n{numbers}{words}", f"x,y\n{words}{numbers}"):
        path = file(text)
        assert kinds_of(read(path))["x"] == "nominal"
        assert CsvSource(path, ReadOptions(), block=64).schema == read(path).schema
    with pytest.raises(DataError, match=r"line 2.*line 3"):
        read(file(f"x,y\nlow,a\nhigh,b\n{numbers}"))


def test_identifiers_are_left_out_and_reported(file):
    text = "id,nr,code,value,y\n" + "".join(f"{i + 5},{i * 7 + 3},k{i},{i * i},{'ab'[i % 2]}\n" for i in range(12))
    with pytest.warns(DataWarning, match="not used in training") as caught:
        table = read(file(text))
    assert len(caught) == 3
    assert [c.name for c in table.schema.columns if c.ignored] == ["id", "nr", "code"]
    assert table.schema["id"].ignored == "identifier: all 12 values differ"
    kept = read(file(text), keep=["id", "nr", "code"])
    assert len(kept.schema.predictors) == 4


def test_the_target_is_never_an_identifier(file):
    text = "a,id\n" + "".join(f"{'xy'[i % 2]},{i}\n" for i in range(12))
    table = read(file(text))
    assert not table.schema["id"].ignored
    assert read(file(text), target="a", keep=["id"]).schema.target == "a"
    assert read(file(text), target="", keep=["id"]).schema.target is None


def test_columns_can_be_ignored(file):
    assert read(file(WEATHER), ignore=["windy"]).schema["windy"].ignored == "by request"


def test_too_many_levels_make_ignored_text(file, monkeypatch):
    monkeypatch.setattr(infer, "MOST_LEVELS", 30)
    text = "code,y\n" + "".join(f"k{i % 40},{'ab'[i % 2]}\n" for i in range(90))
    path = file(text)
    with pytest.warns(DataWarning, match="more than 30 different values"):
        table = read(path)
    assert table.schema["code"].kind is Kind.TEXT
    assert CsvSource(path, ReadOptions(), block=64).schema == table.schema


def test_too_many_letters_make_text(file, monkeypatch):
    """Long texts are not all held until there are too many of them."""
    monkeypatch.setattr(infer, "MOST_LETTERS", 500)
    text = "said,y\n" + "".join(f"{'one word and more ' * 3}{i % 20},{'ab'[i % 2]}\n" for i in range(90))
    path = file(text)
    table = read(path)
    assert table.schema["said"].kind is Kind.TEXT
    assert not table.schema["said"].ignored
    assert CsvSource(path, ReadOptions(), block=64).schema == table.schema
    long_codes = "code,y\n" + "".join(f"{'x' * 60}{i % 20},{'ab'[i % 2]}\n" for i in range(90))
    with pytest.warns(DataWarning, match="at least 9 different values"):
        assert read(file(long_codes)).schema["code"].ignored


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t.csv is empty"),
        (" \n\n", "t.csv is empty"),
        ("a,b\n", "t.csv has no data rows"),
        ("a,b\n1,2\n3\n", "line 3: 1 field instead of 2"),
        ("a,b\n1,2\n\n3,4,5\n", "line 4: 3 fields instead of 2"),
        ("a,a\n1,2\n", "line 1: the column name 'a' occurs twice"),
        ('a,b\n1,"x\n2,3\n', "line 2: a quote opens here that is not closed"),
        ('a,b\n1,"x"y\n2,3\n', "line 2: text follows a closing quote"),
        (b"a,b\n1,x\n2,\xff\n", "line 3: the byte 0xff is not valid UTF-8.*--encoding"),
        (b"a,\xe9\n1,x\n", "line 1: the byte 0xe9 is not valid UTF-8"),
        ("x,y\n1,a\ninf,b\n2,a\n", "'x' is numeric but holds infinite values: 'inf' \\(line 3\\)"),
        ("x,y\n1,a\n1e999,b\n", "infinite values: '1e999' \\(line 3\\)"),
    ],
)
def test_bad_input_is_told_in_a_sentence(file, text, message):
    path = file(text)
    with pytest.raises(DataError, match=message):
        read(path)
    with pytest.raises(DataError, match=message):
        list(CsvSource(path, ReadOptions(), block=8).batches())


def test_what_cannot_be_opened_is_told(file, tmp_path):
    for path, message in [
        (tmp_path / "none.csv", "there is no file"),
        (tmp_path, "is a folder"),
        (file(gzip.compress(b"a,b\n1,2\n" * 100)[:30], "t.csv.gz"), "damaged gzip"),
    ]:
        with pytest.raises(DataError, match=message):
            read(path)
        with pytest.raises(DataError, match=message):
            list(CsvSource(path, ReadOptions()).batches())


def test_wrong_calls_are_told(file):
    path = file(WEATHER)
    with pytest.raises(DataError, match="there is no column 'plya'; did you mean 'play'"):
        read(path, target="plya")
    for name in ("ignore", "keep"):
        with pytest.raises(DataError, match="there is no column"):
            read(path, **{name: ["x"]})
    with pytest.raises(UsageError, match="one character"):
        read(path, delimiter="ab")
    with pytest.raises(UsageError, match="no encoding"):
        read(path, encoding="klingon")
    with pytest.raises(UsageError, match="no format"):
        make_source(path, ReadOptions(), "xls")
    with pytest.raises(UsageError, match="the kinds are"):
        read(path, kinds={"play": "word"})


CELLS = st.sampled_from(["", "1", "2.5", "-3", "word", "two words here now", '"q,""x"', '"a\nb"', "NA"])


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=40), st.integers(1, 60))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_streaming_gives_what_reading_gives(tmp_path, rows, block):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n" + "".join(",".join(row) + "\n" for row in rows))
    options = ReadOptions(header=True, delimiter=",")
    try:
        whole = CsvSource(path, options).read()
    except DataError as error:
        with pytest.raises(DataError, match=re.escape(str(error))):
            CsvSource(path, options, block=block).find_schema()
        return
    source = CsvSource(path, options, block=block)
    assert source.schema == whole.schema
    assert rows_of(concatenate(list(source.batches(7)))) == rows_of(whole)


def test_a_declared_schema_is_taken_as_it_is(file):
    schema = Schema(
        (
            Column("n", Kind.NUMERIC),
            Column("w", Kind.NOMINAL, ("b", "a")),
            Column("y", Kind.NOMINAL, ("no", "yes")),
        ),
        "y",
    )
    source = CsvSource(file("extra,w,n\n1,a,5\n2,zz,6\n"), ReadOptions(schema=schema))
    table = source.read()
    assert table.schema is schema
    assert rows_of(table) == [(5, "a", None), (6, None, None)]
    assert list(source.notes) == [
        "ignored columns that the model does not use: 'extra'",
        "column 'w': 'zz' not seen in training, treated as missing",
    ]
    assert rows_of(CsvSource(file("7,b,yes\n"), ReadOptions(schema=schema)).read()) == [(7, "b", "yes")]
    with pytest.raises(DataError, match="lacks 1 column that the model needs: 'n'"):
        CsvSource(file("w,y\na,no\n"), ReadOptions(schema=schema)).read()
    with pytest.raises(DataError, match="'n' is numeric but 1 value is not: 'x'"):
        list(CsvSource(file("n,w,y\nx,a,no\n"), ReadOptions(schema=schema)).batches())


def test_standard_input_is_read_in_one_pass_under_a_declared_schema(file, monkeypatch):
    schema = read(file(WEATHER)).schema
    with file(WEATHER).open("rb") as stream:
        monkeypatch.setattr("sys.stdin", type("In", (), {"buffer": stream}))
        source = make_source("-", ReadOptions(schema=schema))
        assert sum(table.n_rows for table in source.batches()) == 3


def test_standard_input_can_be_inferred(file, monkeypatch):
    with file(WEATHER).open("rb") as stream:
        monkeypatch.setattr("sys.stdin", type("In", (), {"buffer": stream}))
        source = make_source("-", ReadOptions())
        assert concatenate(list(source.batches(1))).n_rows == 3
        assert source.read().schema == source.schema


def test_ten_thousand_columns_simply_work(file):
    names = ",".join(f"c{i}" for i in range(10_000))
    rows = "\n".join(",".join(str((i * j) % 7) for i in range(10_000)) for j in range(3))
    table = read(file(f"{names}\n{rows}\n"))
    assert (table.n_rows, len(table.schema)) == (3, 10_000)
    assert table["c9"].tolist() == [0, 2, 4]


def test_pyarrow_is_not_loaded_for_plain_files(file):
    import subprocess
    import sys

    code = f"import sys\nfrom hedgerow.data.read import read\nread({str(file(WEATHER))!r})\n"
    code += "print({'pyarrow', 'pandas', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@given(st.data())
@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_mutated_files_give_a_table_or_a_sentence(tmp_path, data):
    seeds = [WEATHER.encode(), b'a;b\n"x;""y"\n";2\n', b"1 2 3\n4 5 6\n", b"t\tx\nham\thello there\n"]
    raw = bytearray(data.draw(st.sampled_from(seeds)))
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(raw)))
        raw[at : at + data.draw(st.integers(0, 3))] = data.draw(
            st.sampled_from([b'"', b",", b"\n", b"\r", b"\0", b"\xff", b"\xfe", b";", b"\t", b"1e999", b"", b"nan"])
        )
    path = tmp_path / data.draw(st.sampled_from(["t.csv", "t.tsv", "t.txt"]))
    path.write_bytes(raw)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            table = CsvSource(path, ReadOptions()).read()
            streamed = list(CsvSource(path, ReadOptions(), block=16).batches(2))
        except DataError:
            return
    assert sum(part.n_rows for part in streamed) == table.n_rows > 0


DATES = "when,x,class\n2024-01-31,1,a\n2024-02-01,2,b\n?,3,a\n"


def test_iso_dates_are_numbers_that_know_their_format(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(DATES)
    table = read(path)
    assert table.schema["when"] == Column("when", Kind.NUMERIC, date="yyyy-MM-dd")
    assert np.diff(table["when"])[0] == 86400
    assert np.isnan(table["when"][2])
    assert open_source(path).schema == table.schema
    assert read(path, kinds={"when": "nominal"}).schema["when"].kind is Kind.NOMINAL


def test_dates_are_read_under_a_declared_schema(tmp_path):
    path, new = tmp_path / "t.csv", tmp_path / "new.csv"
    path.write_text(DATES)
    new.write_text("when,x\n2024-01-31,1\n")
    schema = read(path).schema
    assert read(new, schema=schema)["when"].tolist() == read(path)["when"].tolist()[:1]
    new.write_text("when,x\nsoon,1\n")
    with pytest.raises(DataError, match=r"new\.csv: column 'when' holds dates, but 'soon'"):
        read(new, schema=schema)


def test_words_that_only_begin_like_dates_stay_words(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("when,class\n2024-01-31,a\n2024-13-31,b\n")
    assert read(path).schema["when"].kind is Kind.NOMINAL
