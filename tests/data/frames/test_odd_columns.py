import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_diabetes, load_iris, make_multilabel_classification
from sklearn.utils import Bunch

from hedgerow import C45, read
from hedgerow.data.table.schema import Kind
from hedgerow.errors import DataError

CLASSES = ["a", "b", "a", "b"]


def column_of(values):
    table = read(pd.DataFrame({"x": values, "y": CLASSES}))
    column = table.schema["x"]
    found = table["x"].tolist()
    return [None if code < 0 else column.levels[code] for code in found] if column.kind is Kind.NOMINAL else found


@pytest.mark.parametrize("cut", [pd.cut([1, 2, 3, 4], [0, 2, 4]), pd.arrays.IntervalArray.from_breaks([0, 1, 2, 3, 4])])
def test_intervals_are_ordered_levels(cut):
    table = read(pd.DataFrame({"x": cut, "y": CLASSES}))
    assert table.schema["x"].ordered
    assert table.schema["x"].levels == tuple(map(str, sorted(set(cut))))


def test_periods_are_dates():
    assert column_of(pd.period_range("1970-01", periods=4, freq="M")) == [0, 31 * 86400, 59 * 86400, 90 * 86400]


def test_sparse_values_are_numbers():
    assert column_of(pd.arrays.SparseArray([0, 0, 1.5, 2])) == [0, 0, 1.5, 2]


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1, "2", 3.5, "-4e1"], [1, 2, 3.5, -40]),
        ([1, "a", np.float64(3.5), None], ["1", "a", "3.5", None]),
        ([True, 2, "x", 1.5], ["True", "2", "x", "1.5"]),
        ([np.int64(3), 10**30, 2.5, 1], [3, 1e30, 2.5, 1]),
    ],
)
def test_mixed_objects_are_numbers_or_words(values, found):
    assert column_of(values) == found
    assert read(pl.DataFrame({"x": pl.Series(values, dtype=pl.Object), "y": CLASSES})).n_rows == 4


def test_unknown_words_beside_numbers_are_missing():
    values = column_of([1, "unknown", 2.5, "?"])
    assert values[::2] == [1, 2.5]
    assert np.isnan(values[1::2]).all()


def test_records_are_columns_of_their_own():
    names = read(pl.DataFrame({"x": [{"a": 1, "b": {"c": "u"}}] * 4, "y": CLASSES})).schema.names
    assert names == ("x.a", "x.b.c", "y")


def test_a_relation_of_duckdb_is_a_frame():
    relation = duckdb.sql("SELECT 1.5 AS a, 'x' AS b UNION ALL SELECT 2, 'y'")
    assert read(relation).schema.names == ("a", "b")
    assert C45().fit(relation, "b").classes_.tolist() == ["x", "y"]
    with pytest.raises(DataError, match="pass the relation"):
        read(duckdb.connect())


def test_data_sets_of_scikit_learn_have_their_target():
    for iris in (load_iris(), load_iris(as_frame=True)):
        table = read(iris)
        assert table.schema.target == "target"
        assert table.schema["target"].levels == ("setosa", "versicolor", "virginica")
        assert table.schema.names[0] == "sepal length (cm)"
    assert read(load_diabetes()).schema["target"].kind is Kind.NUMERIC
    X, y = make_multilabel_classification(5)
    with pytest.raises(DataError, match="5 targets"):
        read(Bunch(data=X, target=y))
