"""Hashes of rows: they depend on the values and the names of the columns only."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.data.bags.bags import bags
from hedgerow.data.rows.hashing import BLOCK, hash_rows
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import SparseNumbers, Table, Text

numbers = st.one_of(st.none(), st.floats(allow_nan=False))
words = st.one_of(st.none(), st.text(st.characters(codec="utf-8"), max_size=3))


def mixed(rows):
    """Return a table with a column of each kind but bags."""
    schema = Schema((Column("text", Kind.TEXT),))
    table = Table.of({"x": [row[0] for row in rows], "level": [row[1] for row in rows]}, levels={"level": levels(rows)})
    texts = Table(schema, (Text.of(row[2] for row in rows),), len(rows))
    return table.with_column(schema["text"], texts.data[0])


def levels(rows):
    return tuple(dict.fromkeys(row[1] for row in rows if row[1] is not None))


@given(st.lists(st.tuples(numbers, words, words), min_size=1), st.randoms(use_true_random=False))
def test_the_order_of_rows_columns_and_levels_does_not_matter(rows, random):
    table = mixed(rows)
    order = list(range(len(rows)))
    random.shuffle(order)
    names = list(table.schema.names)
    random.shuffle(names)
    other = mixed([rows[place] for place in order]).select(names)
    assert hash_rows(other).tolist() == hash_rows(table)[order].tolist()


@given(st.lists(st.tuples(numbers, words, words), min_size=1))
def test_rows_have_equal_hashes_if_their_values_are_equal(rows):
    hashes = hash_rows(mixed(rows)).tolist()
    keys = [(None if x is None else x + 0.0, level, text) for x, level, text in rows]
    assert len(set(zip(hashes, keys, strict=True))) == len(set(hashes)) == len(set(keys))


@given(st.lists(st.sampled_from([0.0, -0.0, 1.5, -2.0]), min_size=1))
def test_a_sparse_column_has_the_hashes_of_a_dense_one(values):
    array = np.array(values)
    rows = np.flatnonzero(array)
    column = Column("x", Kind.NUMERIC)
    dense = Table(Schema((column,)), (array,), len(array))
    sparse = Table(Schema((column,)), (SparseNumbers(rows, array[rows], len(array)),), len(array))
    assert hash_rows(dense).tolist() == hash_rows(sparse).tolist()


def test_levels_that_do_not_occur_and_the_kind_of_word_do_not_matter():
    one = Table.of({"sky": ["sun", None, "rain"]})
    other = Table.of({"sky": ["sun", None, "rain"]}, levels={"sky": ("snow", "rain", "sun")})
    text = Table(Schema((Column("sky", Kind.TEXT),)), (Text.of(["sun", None, "rain"]),), 3)
    assert hash_rows(one).tolist() == hash_rows(other).tolist() == hash_rows(text).tolist()


@pytest.mark.parametrize(
    "other",
    [
        Table.of({"x": [1.0, 2.0], "z": [2.0, 1.0]}),  # a column of another name
        Table.of({"x": [1.0, 2.0], "y": [1.0, 2.0]}),
        Table.of({"x": [1.0, 2.0]}),
        Table.of({"x": [1.0, 2.0], "y": [None, None]}),
    ],
)
def test_other_values_and_names_change_it(other):
    assert not set(hash_rows(Table.of({"x": [1.0, 2.0], "y": [2.0, 1.0]})).tolist()) & set(hash_rows(other).tolist())


def test_a_missing_value_is_not_an_empty_or_zero_one():
    for values in ([None, 0.0], [None, ""]):
        assert len(set(hash_rows(Table.of({"x": values}, levels={} if values[1] == 0 else {"x": ("",)})).tolist())) == 2
    nans = np.array([np.nan, -np.nan, np.float64(np.uint64(0x7FF8000000000001).view(np.float64))])
    assert len(set(hash_rows(Table(Schema((Column("x", Kind.NUMERIC),)), (nans,), 3)).tolist())) == 1


def test_the_rows_of_a_bag_come_in_any_order():
    rows = {"id": ["a", "a", "b", "b", "c"], "x": [1.0, 2.0, 2.0, 1.0, 1.0], "y": ["u"] * 5}
    hashes = hash_rows(bags(Table.of(rows, "y"), "id").select(["instances", "y"])).tolist()
    assert hashes[0] == hashes[1] != hashes[2]


def test_blocks_and_views_give_the_same():
    random = np.random.default_rng(1)
    table = Table.of({f"x{place}": random.random(BLOCK // 8) for place in range(9)})
    rows = random.permutation(table.n_rows)
    whole = hash_rows(table)
    assert len(set(whole.tolist())) == table.n_rows
    assert (hash_rows(table.view(rows)) == whole[rows]).all()
    assert (hash_rows(table.slice(5, 9)) == whole[5:9]).all()
    assert len(hash_rows(table.slice(0, 0))) == 0
    assert hash_rows(Table(Schema(()), (), 2)).tolist()[0] == hash_rows(Table(Schema(()), (), 2)).tolist()[1]


def test_hashes_never_change():
    """Model files hold them: another hash needs another version of the file format."""
    table = Table.of({"x": [1.5, None], "sky": ["Köln", None]})
    assert [f"{one:016x}" for one in hash_rows(table).tolist()] == ["94d5bc786dcf92be", "e9f989d2539c5010"]
