import datetime as dt
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from hedgerow.data.frames.arrow import arrow_stream, table_from_arrow, table_from_sparse, to_arrow
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.source import ReadOptions
from hedgerow.data.table.table import Bags, SparseNumbers, Table, Text
from hedgerow.errors import DataError
from tests.data.tables import assert_same, words

COLUMNS = {
    "whole": [1, 2, 3, 3],
    "broken": [0.5, None, -1.0, 2.0],
    "word": ["b", "a", None, "b"],
    "flag": [True, False, True, None],
    "day": [dt.date(1970, 1, 2), None, dt.date(1969, 12, 31), dt.date(2001, 9, 9)],
    "moment": [dt.datetime(2001, 9, 9, 1, 46, 40), None, dt.datetime(1970, 1, 1), dt.datetime(1970, 1, 1, 1)],
}


def expected():
    table = Table.of({"whole": [1, 2, 3, 3], "broken": [0.5, None, -1, 2], "word": ["b", "a", None, "b"]})
    flag = Column("flag", Kind.NOMINAL, levels=("false", "true"))
    table = table.with_column(flag, np.array([1, 0, 1, -1], dtype=np.int32))
    day = np.array([86400, np.nan, -86400, 999993600])
    moment = np.array([1e9, np.nan, 0, 3600])
    table = table.with_column(Column("day", Kind.NUMERIC, date="yyyy-MM-dd"), day)
    return table.with_column(Column("moment", Kind.NUMERIC, date="yyyy-MM-dd'T'HH:mm:ss"), moment)


def pandas_frame():
    frame = pd.DataFrame(COLUMNS)
    frame["flag"] = frame["flag"].astype("boolean")
    frame["day"] = pd.Series(COLUMNS["day"], dtype=pd.ArrowDtype(pa.date32()))
    return frame


FRAMES = {
    "pyarrow table": lambda: pa.table(COLUMNS),
    "pyarrow batch": lambda: pa.record_batch(COLUMNS),
    "pyarrow reader": lambda: pa.table(COLUMNS).to_reader(max_chunksize=2),
    "pandas": pandas_frame,
    "polars": lambda: pl.DataFrame(COLUMNS),
    "duckdb": lambda: duckdb.from_arrow(pa.table(COLUMNS)),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_of_all_libraries_give_equal_tables(kind):
    assert_same(table_from_arrow(FRAMES[kind]()), expected())


def test_the_target_is_the_last_column_unless_named():
    frame = pa.table({"a": [1], "b": ["x"]})
    assert table_from_arrow(frame).schema.target == "b"
    assert table_from_arrow(frame, ReadOptions(target="a")).schema.target == "a"
    assert table_from_arrow(frame, ReadOptions(target="")).schema.target is None


@pytest.mark.parametrize(
    "kind", [pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.decimal128(9, 2), pa.decimal256(50, 2)]
)
def test_all_sorts_of_numbers_become_numeric(kind):
    values = [Decimal("1.00"), None, Decimal("3.00")] if pa.types.is_decimal(kind) else [1, None, 3]
    values = [None if v is None else np.float16(v) for v in values] if kind == pa.float16() else values
    table = table_from_arrow(pa.table({"a": pa.array(values, kind)}))
    np.testing.assert_array_equal(table["a"], [1, np.nan, 3])


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_all_sorts_of_strings_become_nominal(kind):
    table = table_from_arrow(pa.table({"a": pa.array(["b", None, "a", "b"], kind)}))
    assert table.schema["a"].levels == ("b", "a")
    assert words(table, "a") == ["b", None, "a", "b"]


@pytest.mark.parametrize("index", [pa.int8(), pa.uint8(), pa.int32(), pa.uint32(), pa.int64()])
def test_categories_keep_their_order(index):
    codes = pa.array([2, None, 0], index)
    values = pa.DictionaryArray.from_arrays(codes, ["low", "mid", "high"], ordered=True)
    column = table_from_arrow(pa.table({"a": values})).schema["a"]
    assert column.levels == ("low", "mid", "high")
    assert column.ordered


def test_pandas_categories_of_numbers_are_nominal():
    frame = pd.DataFrame({"a": pd.Categorical([3, 1, 3], categories=[1, 2, 3])})
    table = table_from_arrow(frame)
    assert table.schema["a"].levels == ("1", "2", "3")
    assert words(table, "a") == ["3", "1", "3"]


def test_chunks_with_different_dictionaries_are_unified():
    chunks = [pa.array(["x", "y"]).dictionary_encode(), pa.array(["y", "z", None]).dictionary_encode()]
    table = table_from_arrow(pa.table({"a": pa.chunked_array(chunks)}))
    assert table.schema["a"].levels == ("x", "y", "z")
    assert words(table, "a") == ["x", "y", "y", "z", None]


def test_a_null_inside_a_dictionary_is_missing():
    values = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1]), pa.array(["x", None]))
    assert words(table_from_arrow(pa.table({"a": values})), "a") == ["x", None, None]


def test_a_column_of_nulls_is_numeric_and_missing():
    table = table_from_arrow(pa.table({"a": pa.nulls(2), "b": [1, 2]}))
    assert table.schema["a"].kind is Kind.NUMERIC
    assert np.isnan(table["a"]).all()


def test_prose_becomes_text():
    prose = [f"this is a longer text number {i}" for i in range(20)]
    table = table_from_arrow(pa.table({"a": prose, "b": ["x"] * 20}))
    assert isinstance(table["a"], Text)
    assert list(table["a"]) == prose


def test_sliced_text_is_read_from_its_own_start():
    whole = pa.table({"a": ["one", None, "three", "four"], "b": [1, 2, 3, 4]})
    table = table_from_arrow(whole.slice(1, 2), ReadOptions(kinds={"a": Kind.TEXT}))
    assert list(table["a"]) == [None, "three"]


def test_identifiers_are_left_out():
    frame = pa.table({"id": [f"n{i}" for i in range(12)], "y": ["a", "b"] * 6})
    assert table_from_arrow(frame).schema["id"].ignored == "identifier: all 12 values differ"


def test_dates_with_zone_fraction_and_time_of_day():
    utc = pa.array([1_500_000_000_500], pa.timestamp("ms", "Europe/Berlin"))
    time = pa.array([dt.time(1, 0, 1)], pa.time64("us"))
    table = table_from_arrow(pa.table({"a": utc, "b": time, "c": pa.array([1500], pa.duration("ms"))}))
    assert table["a"].tolist() == [1_500_000_000.5]
    assert table.schema["a"].date == "yyyy-MM-dd'T'HH:mm:ss.SSS"
    assert (table["b"].tolist(), table.schema["b"].date) == ([3601.0], "HH:mm:ss.SSS")
    assert (table["c"].tolist(), table.schema["c"].date) == ([1.5], None)


def test_lists_become_bags():
    rows = [[{"f": 1, "g": "u"}, {"f": None, "g": "v"}], None, []]
    table = table_from_arrow(pa.table({"bag": rows, "items": [["x", "y"], ["x"], []], "n": [[1], [2], []]}))
    bags = table["bag"]
    assert isinstance(bags, Bags)
    assert bags.offsets.tolist() == [0, 2, 2, 2]
    np.testing.assert_array_equal(bags.table["f"], [1, np.nan])
    assert words(bags.table, "g") == ["u", "v"]
    assert words(table["items"].table, "item") == ["x", "y", "x"]
    assert table["n"].table["item"].tolist() == [1, 2]


def test_kinds_may_be_overridden():
    frame = pa.table({"a": [10, 9, None], "b": ["1", "2.5", None], "c": ["x y", None, "z"], "d": [True, None, False]})
    kinds = {"a": Kind.NOMINAL, "b": Kind.NUMERIC, "c": Kind.TEXT, "d": Kind.NUMERIC}
    table = table_from_arrow(frame, ReadOptions(kinds=kinds))
    assert table.schema["a"].levels == ("9", "10")
    np.testing.assert_array_equal(table["b"], [1, 2.5, np.nan])
    assert list(table["c"]) == ["x y", None, "z"]
    np.testing.assert_array_equal(table["d"], [1, np.nan, 0])


def test_words_of_the_user_stand_for_missing():
    table = table_from_arrow(pa.table({"a": ["x", "-", "y"]}), ReadOptions(missing=("-",)))
    assert words(table, "a") == ["x", None, "y"]


def test_a_declared_schema_matches_by_name_and_value():
    schema = Schema((Column("b", Kind.NOMINAL, levels=("y", "x")), Column("a", Kind.NOMINAL, levels=("1", "2"))), "a")
    frame = pa.table({"a": [1, 2, 3], "b": ["x", "y", "z"], "extra": [0, 0, 0]})
    table = table_from_arrow(frame, ReadOptions(schema=schema))
    assert table.schema is schema
    assert words(table, "b") == ["x", "y", None]
    assert words(table, "a") == ["1", "2", None]


BAD = {
    "infinite": (lambda: pa.table({"a": [1.0, float("-inf")]}), r"'a', row 2: the value is infinite"),
    "twice": (lambda: pa.table([[1], [2]], names=["a", "a"]), "'a' occurs twice"),
    "binary": (lambda: pa.table({"a": [b"x"]}), "'a' has the type binary"),
    "struct": (lambda: pa.table({"a": [{"b": b"x"}]}), "'a.b' has the type binary"),
    "map": (
        lambda: pa.table({"a": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64()))}),
        "'a' has the type map",
    ),
    "no frame": (lambda: {"a": 1}, "a dict cannot be read"),
    "series": (lambda: pl.Series([1, 2]), "not a table of columns"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_read_is_told_by_column(case):
    make, sentence = BAD[case]
    with pytest.raises(DataError, match=sentence):
        table_from_arrow(make())


def test_words_that_are_no_numbers_are_listed():
    frame = pa.table({"a": ["1", "x", "y", "z", "w"]})
    with pytest.raises(DataError, match="'x' in row 2, 'y' in row 3, 'z' in row 4"):
        table_from_arrow(frame, ReadOptions(kinds={"a": Kind.NUMERIC}))


def rich_table():
    inner = Table.of({"f": [1, None, 3], "g": ["u", "v", None]})
    table = expected().with_column(Column("text", Kind.TEXT), Text.of(["é", None, "", "a b"]))
    bags = Bags(inner, np.array([0, 2, 2, 2, 3]))
    table = table.with_column(Column("bag", Kind.BAG, inner=inner.schema), bags)
    return table.with_weights(np.array([1, 2, 3, 4.0])).with_target("word")


def test_arrow_out_and_in_again_is_the_same():
    table = rich_table()
    back = table_from_arrow(to_arrow(table, weights="w"))
    assert_same(back, table)
    assert back.schema.target == "word"


def test_the_stream_is_understood_by_others():
    class Frame:
        def __init__(self, table):
            self.table = table

        def __arrow_c_stream__(self, requested_schema=None):
            return arrow_stream(self.table, requested_schema)

    table = Table.of({"a": [1, None], "b": ["x", "y"]})
    frame = pl.from_arrow(pa.table(Frame(table)))
    assert frame.rows() == [(1.0, "x"), (None, "y")]
    assert_same(table_from_arrow(Frame(table)), table)


def test_sparse_matrices_become_sparse_columns():
    matrix = sparse.csr_matrix(np.array([[0, 1.5, 0], [2, 0, 0]]))
    table = table_from_sparse(matrix, ["a", "b", "c"])
    assert all(isinstance(values, SparseNumbers) for values in table.data)
    assert [table[name].tolist() for name in "abc"] == [[0, 2], [1.5, 0], [0, 0]]


def test_sparse_matrices_with_wrong_names_or_infinite_values_are_told():
    with pytest.raises(DataError, match="1 names are given for 2 columns"):
        table_from_sparse(sparse.eye(2), ["a"])
    with pytest.raises(DataError, match="'x1', row 2"):
        table_from_sparse(sparse.csr_matrix(np.array([[0, 0], [0, np.inf]])))
