"""Fingerprints: equal tables have the same, and whatever differs shows."""

import numpy as np
import pytest

from hedgerow.data.rows.fingerprint import fingerprint
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Bags, SparseNumbers, Table, Text


def table(**changed):
    columns = {"x": [1.0, None, 0.0], "y": ["a", "b", None], **changed}
    return Table.of(columns, target="y", levels={"y": ("a", "b")})


def test_equal_tables_have_equal_fingerprints():
    assert fingerprint(table()) == fingerprint(table())
    assert fingerprint(table(x=[1.0, None, -0.0])) == fingerprint(table())
    assert len(fingerprint(table())) == 32
    assert fingerprint(table().take(np.arange(3))) == fingerprint(table())


@pytest.mark.parametrize(
    "other",
    [
        table(x=[1.0, None, 2.0]),
        table(y=["a", "a", None]),
        table().with_target(None),
        table().with_weights(np.array([1.0, 2.0, 1.0])),
        table().take(np.array([2, 1, 0])),
        table().slice(0, 2),
        table(z=[1.0, 2.0, 3.0]),
    ],
)
def test_other_values_names_targets_weights_or_order_change_it(other):
    assert fingerprint(other) != fingerprint(table())


def test_text_bags_and_sparse_columns_count():
    def of(column, values):
        return fingerprint(Table(Schema((column,)), (values,), len(values)))

    note = Column("note", Kind.TEXT)
    assert of(note, Text.of(["ab", "c"])) == of(note, Text.of(["ab", "c"]))
    assert of(note, Text.of(["ab", "c"])) != of(note, Text.of(["a", "bc"]))
    assert of(note, Text.of(["", "c"])) != of(note, Text.of([None, "c"]))
    inner = Table.of({"v": [1.0, 2.0, 3.0]})
    bag = Column("bag", Kind.BAG, inner=inner.schema)
    assert of(bag, Bags(inner, np.array([0, 1, 3]))) != of(bag, Bags(inner, np.array([0, 2, 3])))


def test_a_sparse_column_is_as_the_same_dense_one():
    schema = Schema((Column("n", Kind.NUMERIC),))
    sparse, dense = SparseNumbers(np.array([1]), np.array([2.0]), 3), np.array([0.0, 2.0, 0.0])
    assert fingerprint(Table(schema, (sparse,), 3)) == fingerprint(Table(schema, (dense,), 3))
