"""A view of some rows is the same as a copy of them, without the copy."""

import numpy as np
import pytest

from hedgerow import C45, NaiveBayes, OneR, read
from hedgerow.checks import example
from hedgerow.data.bags.align import align
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Bags, RowSelection, SparseNumbers, Table, Text, concatenate
from hedgerow.data.write import write


def every_kind() -> Table:
    """Six rows of each kind of column, weighted."""
    inner = Table.of({"part": ["a", "b", "a", "c", "b", "a", "a"], "size": [1, 2, 3, 4, 5, 6, 7]})
    columns = (
        Column("number", Kind.NUMERIC),
        Column("level", Kind.NOMINAL, levels=("x", "y")),
        Column("words", Kind.TEXT),
        Column("bag", Kind.BAG, inner=inner.schema),
        Column("thin", Kind.NUMERIC),
        Column("class", Kind.NOMINAL, levels=("no", "yes")),
    )
    data = (
        np.array([1.5, np.nan, 3, 4, 5, 6]),
        np.array([0, 1, -1, 1, 0, 0], dtype=np.int32),
        Text.of(["one", None, "", "größer", "five", "six"]),
        Bags(inner, np.array([0, 1, 1, 3, 4, 6, 7])),
        SparseNumbers(np.array([1, 4]), np.array([7.0, 8.0]), 6),
        np.array([0, 1, 1, 0, 1, 0], dtype=np.int32),
    )
    return Table(Schema(columns, "class"), data, 6, np.arange(1.0, 7.0))


def rows_of(table: Table) -> list[object]:
    """Return all values as plain ones that can be compared."""
    return [_plain(table.values(position)) for position in range(len(table.schema))]


def _plain(values):
    if isinstance(values, Bags):
        return [rows_of(bag) for bag in values]
    return list(values) if isinstance(values, Text) else [None if v != v else v for v in values.tolist()]


ROWS = np.array([5, 0, 2, 2])


@pytest.mark.parametrize(
    "rows", [ROWS, np.array([], dtype=np.int64), np.arange(6) % 2 == 0], ids=["some", "none", "mask"]
)
def test_a_view_holds_what_a_copy_holds(rows):
    table = every_kind()
    view, copy = table.view(rows), table.take(rows)
    assert all(isinstance(values, RowSelection) for values in view.data)
    assert rows_of(view) == rows_of(copy)
    assert np.array_equal(view.row_weights, copy.row_weights)
    assert len(view) == len(copy)


def test_views_of_views_slices_and_copies_follow_the_rows():
    table = every_kind()
    again = np.array([3, 1])
    expected = rows_of(table.take(ROWS[again]))
    assert rows_of(table.view(ROWS).view(again)) == expected
    assert rows_of(table.view(ROWS).take(again)) == expected
    assert rows_of(table.view(ROWS).slice(1, 3)) == rows_of(table.take(ROWS[1:3]))
    assert [rows_of(part) for part in table.view(ROWS).batches(2)] == [
        rows_of(part) for part in table.take(ROWS).batches(2)
    ]
    assert rows_of(concatenate([table.view(ROWS), table])) == rows_of(concatenate([table.take(ROWS), table]))


def test_a_view_of_a_view_keeps_one_list_of_rows():
    inner = every_kind().view(ROWS).view(np.array([1, 0]))
    assert len({id(values.rows) for values in inner.data}) == 1


def test_a_view_copies_nothing_and_keeps_nothing():
    table = every_kind()
    view = table.view(ROWS)
    assert all(mine.values is its for mine, its in zip(view.data, table.data, strict=True))
    assert view.numbers(0) is not view.numbers(0)


def test_other_schemas_targets_and_columns_leave_a_view_a_view():
    view = every_kind().view(ROWS)
    made = view.select(["number", "level", "class"]).with_target("level").with_weights(None)
    made = made.with_column(Column("new", Kind.NUMERIC), np.arange(4.0))
    assert [isinstance(values, RowSelection) for values in made.data] == [True, True, True, False]
    assert isinstance(align(made, made.schema.with_target(None)).table.data[0], RowSelection)


def test_a_view_is_matched_by_levels_like_a_copy():
    wanted = Schema((Column("level", Kind.NOMINAL, levels=("y", "z")), Column("number", Kind.NUMERIC)))
    view, copy = (align(part, wanted) for part in (every_kind().view(ROWS), every_kind().take(ROWS)))
    assert rows_of(view.table) == rows_of(copy.table)
    assert view.unseen == copy.unseen == {"level": ("x",)}


@pytest.mark.parametrize("name", ["out.arff", "out.csv", "out.parquet"])
def test_a_view_is_written_like_a_copy(tmp_path, name):
    table = every_kind().select(["number", "level", "thin", "class"]).with_weights(None)
    write(table.view(ROWS), tmp_path / name)
    (tmp_path / "copy").mkdir()
    write(table.take(ROWS), tmp_path / "copy" / name)
    assert rows_of(read(tmp_path / name)) == rows_of(read(tmp_path / "copy" / name))


@pytest.mark.parametrize("learner", [NaiveBayes(), OneR(), C45()], ids=lambda learner: learner.name)
def test_learners_learn_the_same_from_a_view(learner):
    table = example(learner)
    rows = np.random.default_rng(3).integers(0, table.n_rows, 50)
    from_view, from_copy = learner.train(table.view(rows)), learner.train(table.take(rows))
    assert from_view == from_copy
    assert np.array_equal(from_view.distribution(table.view(rows)), from_copy.distribution(table.take(rows)))
