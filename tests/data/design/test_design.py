"""Designs: places, their values, and counts that add up."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import DataError, Table
from hedgerow.data.design.design import Design
from hedgerow.data.design.design_counts import EVERY, DesignCounts, DesignOptions, NumberCounts
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import SparseNumbers, Text

TABLE = Table.of(
    {
        "age": [20.0, None, 40.0, 30.0],
        "sky": ["rain", "sun", None, "rain"],
        "calm": ["yes", "yes", "yes", "yes"],
        "y": [1.0, 2.0, 3.0, 4.0],
    },
    "y",
    {"sky": ["never", "sun", "rain"]},
)


def test_places_and_their_names():
    design = Design.learn(TABLE)
    assert design.names == ["age", "age missing", "sky=rain", "sky missing"]
    assert design.matrix(TABLE).tolist() == [[20, 0, 1, 0], [30, 1, 0, 0], [40, 0, 0, 1], [30, 0, 1, 0]]
    assert design.centers.tolist() == [30, 0, 0, 0]
    assert design.scales[0] == pytest.approx(np.std([20, 40, 30]))
    every = Design.learn(TABLE, DesignOptions(levels=EVERY))
    assert every.names == ["age", "age missing", "sky=sun", "sky=rain", "sky missing", "calm=yes"]


def test_levels_that_were_never_seen_count_as_missing():
    design = Design.learn(TABLE)
    new = Table.of(
        {"age": [1.0], "sky": ["never"], "calm": ["yes"], "y": [0.0]}, "y", {"sky": TABLE.schema["sky"].levels}
    )
    assert design.matrix(new).tolist() == [[1, 0, 0, 1]]
    no_gaps = Design.learn(TABLE.take(np.array([0, 1])).select(["sky", "y"]))
    assert no_gaps.matrix(new.select(["sky", "y"])).tolist() == [[0]]


def test_values_are_slopes_times_matrix():
    design, slopes = Design.learn(TABLE), np.array([0.5, 2.0, -1.0, 7.0])
    assert np.allclose(design.values(TABLE, 3.0, slopes), 3 + design.matrix(TABLE) @ slopes)


def test_texts_and_sparse_numbers_give_a_sparse_matrix():
    table = TABLE.with_column(Column("note", Kind.TEXT), Text.of(["a good day", None, "", "bad day"]))
    table = table.with_column(Column("few", Kind.NUMERIC), SparseNumbers(np.array([1, 3]), np.array([5.0, np.nan]), 4))
    design = Design.learn(table)
    matrix = design.matrix(table)
    assert sp.issparse(matrix)
    assert design.names[4:] == ["note__bad", "note__day", "note__good", "few", "few missing"]
    assert matrix.toarray()[:, -2:].tolist() == [[0, 0], [5, 0], [0, 0], [pytest.approx(5 / 3), 1]]
    assert not matrix.toarray()[1:3, 4:7].any()
    slopes = np.arange(9.0)
    assert np.allclose(design.values(table, 1.0, slopes), 1 + matrix @ slopes)


def test_very_many_levels_give_a_sparse_matrix():
    table = Table.of({"id": [f"r{i}" for i in range(500)], "y": np.arange(500.0)}, "y")
    design = Design.learn(table)
    assert sp.issparse(design.matrix(table))
    assert design.matrix(table).nnz == 499


@given(st.integers(0, 9999), st.integers(0, 30))
def test_counts_of_parts_add_up(seed, cut):
    random = np.random.default_rng(seed)
    values = random.normal(100, 3, 30)
    values[random.random(30) < 0.3] = np.nan
    weights = random.integers(1, 4, 30).astype(float)
    words = random.choice(["a", "b", "c"], 30)
    table = Table.of({"x": values, "s": words, "y": values}, "y", {"s": ["a", "b", "c"]}, weights)
    options = DesignOptions()
    whole = DesignCounts.of(table, options)
    both = DesignCounts.of(table.slice(0, cut), options) + DesignCounts.of(table.slice(cut, 30), options)
    one, other = whole.columns[0], both.columns[0]
    assert (one.weight, one.missing, one.low, one.high) == (other.weight, other.missing, other.low, other.high)
    assert np.allclose([one.mean, one.squares], [other.mean, other.squares], rtol=1e-9)
    first, second = Design.from_counts(table.schema, whole), Design.from_counts(table.schema, both)
    assert first.names == second.names
    assert np.allclose(first.matrix(table), second.matrix(table))


def test_sparse_counts_are_those_of_the_dense_column():
    sparse = SparseNumbers(np.array([1, 4]), np.array([2.0, -3.0]), 6)
    weights = np.array([1.0, 2, 1, 1, 3, 1])
    one, other = NumberCounts.of(sparse, weights, "x"), NumberCounts.of(sparse.dense(), weights, "x")
    assert np.allclose([one.weight, one.mean, one.squares], [other.weight, other.mean, other.squares])
    assert (one.low, one.high) == (other.low, other.high)


def test_numbers_that_cannot_be_squared_are_named():
    with pytest.raises(DataError, match="column 'x' holds -inf, which is infinite"):
        NumberCounts.of(np.array([1.0, -np.inf]), None, "x")


def test_no_columns_no_rows():
    table = Table.of({"y": [1.0, 2.0]}, "y")
    assert Design.learn(table).matrix(table).shape == (2, 0)
    assert Design.learn(TABLE).matrix(TABLE.slice(0, 0)).shape == (0, 4)


def test_a_matrix_is_filled_block_by_block(monkeypatch):
    """Blocks of rows only keep columns in the cache: the matrix is the same for any size."""
    random = np.random.default_rng(3)
    ages = [None if age < 5 else age for age in random.integers(0, 80, 700).tolist()]
    skies = random.choice(["rain", "sun", "snow"], 700).tolist()
    table = Table.of({"age": ages, "sky": skies, "y": random.normal(size=700).tolist()}, "y")
    design = Design.learn(table)
    whole = design.matrix(table)
    monkeypatch.setattr("hedgerow.data.design.design.BLOCK_CELLS", 1)  # 256 rows
    assert np.array_equal(design.matrix(table), whole)
    assert design.matrix(table.slice(0, 0)).shape == (0, design.width)
