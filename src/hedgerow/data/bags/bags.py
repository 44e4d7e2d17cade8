"""Bags of rows: converts a flat table with a column of bag ids to a table with one row per bag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hedgerow.data.frames.objects import table_from
from hedgerow.data.table.group_by_id import RowGroups, encode_column
from hedgerow.data.table.schema import Column, Kind, Schema, listing
from hedgerow.data.table.table import Bags, Numbers, Rows, StoredValues, Table
from hedgerow.errors import DataError, UsageError

INSTANCES = "instances"  # default name of the column of bags
TELLS_BAGS = "it identifies the bags"


def bags(
    data: Any, by: str, *, target: str | None = None, positive: str | None = None, beside: Sequence[str] = ()
) -> Table:
    """Return a table with one row per bag, in the order in which the bags first appear.

    Parameters
    ----------
    data
        A table or a frame with one row per instance; the rows of a bag need not be adjacent.
    by
        The column that identifies the bag of each row: words, texts or numbers.
    target
        The class of the bags; a Table has its own target. All rows of a bag must agree on it (it may be missing in a
        row).
    positive
        A bag has this class if any of its rows has it, whatever the class of the others.
    beside
        Columns that describe the bag, not its instances; all rows of a bag must agree on them.

    Returns
    -------
    A table of the column `by`, which learners do not use, the columns `beside`, the column `instances` that holds all
    others, and the target. Row weights become the weights of the bags and must be equal within a bag.

    Examples
    --------
    >>> rows = Table.of({"key": ["a", "b", "a"], "length": [1, 3, 2], "opens": ["yes", "no", "yes"]}, target="opens")
    >>> table = bags(rows, by="key")
    >>> table
    <Table: 2 rows, 3 columns, target 'opens'>
    >>> table["instances"][0]["length"]
    array([1., 2.])
    """
    table = table_from(data)
    table = table if target is None else table.with_target(target)
    return _BagBuilder(table, by, tuple(beside), positive).table(INSTANCES)


@dataclass(frozen=True, eq=False)
class _BagBuilder:
    """A flat table, and how it shall become bags."""

    flat: Table
    bag_column: str
    beside: tuple[str, ...] = ()
    positive: str | None = None

    def __post_init__(self) -> None:
        schema = self.flat.schema
        if self.bag_column not in schema:
            raise DataError(
                f"there is no column {self.bag_column!r} to identify the bags; the columns are "
                f"{_format_columns(schema)}"
            )
        for name in self.beside:
            schema.index(name)
        if schema.target in (self.bag_column, *self.beside):
            raise UsageError(
                f"{schema.target!r} is the target, so it cannot also identify the bags or be kept beside them"
            )
        if self.bag_column in self.beside:
            raise UsageError(f"{self.bag_column!r} identifies the bags, so it is always kept beside them")

    def table(self, called: str) -> Table:
        """Return the table of bags, with their column under this name, or with underscores appended if it is taken."""
        flat, schema = self.flat, self.flat.schema
        ids, labels = encode_column(flat, self.bag_column, "not an identifier of bags")
        lacking = np.flatnonzero(ids < 0)
        if len(lacking):
            raise DataError(
                f"column {self.bag_column!r}, row {lacking[0] + 1}: the value is missing; every row must name its bag"
            )
        row_groups = RowGroups.of(ids)
        names = [labels[code] for code in ids[row_groups.first].tolist()]
        outer = [name for name in schema.names if name in (self.bag_column, *self.beside)]
        kept = [name for name in schema.names if name not in (*outer, schema.target)]
        while called in (*outer, schema.target):
            called += "_"
        columns: list[Column] = [schema[name] for name in outer]
        data: list[StoredValues] = [self._shared(name, row_groups, names) for name in outer]
        inner = flat.select(kept).with_weights(None).take(row_groups.order)
        columns.append(Column(called, Kind.BAG, inner=inner.schema, by=self.bag_column))
        data.append(Bags(inner, row_groups.offsets))
        if schema.target is not None:
            columns.append(schema.target_column)
            data.append(self._shared(schema.target, row_groups, names))
        table = Table(
            Schema(tuple(columns), schema.target), tuple(data), len(row_groups), self._weights(row_groups, names)
        )
        return table.with_schema(table.schema.ignoring({self.bag_column: TELLS_BAGS}))

    def _shared(self, name: str, row_groups: RowGroups, names: Sequence[str]) -> StoredValues:
        """Return the value of every bag in a column on which its rows must agree."""
        values = self.flat.select([name])
        if name == self.bag_column:
            return values.take(row_groups.first).data[0]
        codes, labels = encode_column(self.flat, name, "not a value per bag")
        chosen = self._bag_values(name, codes, labels, row_groups, names)
        return values.take(chosen).data[0]

    def _bag_values(
        self, name: str, codes: Any, labels: Sequence[str], row_groups: RowGroups, names: Sequence[str]
    ) -> Rows:
        """Return a row of each bag that has the bag's value, missing only if it is missing in all of them."""
        rows = np.flatnonzero(codes >= 0)
        chosen = row_groups.first.copy()
        chosen[row_groups.group[rows[::-1]]] = rows[::-1]  # the last one set is the first row that has a value
        decided = np.zeros(len(row_groups), dtype=np.bool_)
        if name == self.flat.schema.target and self.positive is not None:
            positive = self._positive(labels)
            hits = np.flatnonzero(codes == positive)
            chosen[row_groups.group[hits]] = hits
            decided[row_groups.group[hits]] = True
        odd = rows[(codes[rows] != codes[chosen[row_groups.group[rows]]]) & ~decided[row_groups.group[rows]]]
        if len(odd):
            bag = int(row_groups.group[odd[0]])
            values = f"{labels[codes[chosen[bag]]]!r} and {labels[codes[odd[0]]]!r}"
            raise DataError(self._conflict(name, names[bag], values, int(odd[0]) + 1))
        return chosen

    def _positive(self, labels: Sequence[str]) -> int:
        if self.positive not in labels:
            raise UsageError(f"there is no class {self.positive!r} for positive= (--positive); {_name_labels(labels)}")
        return labels.index(self.positive)

    def _conflict(self, name: str, bag: str, values: str, row: int) -> str:
        text = f"the rows of bag {bag!r} disagree on {name!r}: {values} (row {row})"
        if name != self.flat.schema.target:
            return f"{text}; correct them, or keep the column among the instances"
        enough = (
            "correct them, name another column to predict with target= (--target), or name the class that a bag has if "
            "one of its rows has it, with positive= (--positive)"
        )
        return f"{text}, but a bag has one class; {enough}"

    def _weights(self, row_groups: RowGroups, names: Sequence[str]) -> Numbers | None:
        weights = self.flat.weights
        if weights is None:
            return None
        own: Numbers = weights[row_groups.first]
        odd = np.flatnonzero(own[row_groups.group] != weights)
        if len(odd):
            bag = names[int(row_groups.group[odd[0]])]
            raise DataError(
                f"row {odd[0] + 1} and bag {bag!r} have different weights; give all rows of a bag the same weight"
            )
        return own


def group_into_bags(table: Table, schema: Schema, by: str = "", positive: str | None = None) -> Table:
    """Return flat rows as the bags that a schema requires; other tables are returned unchanged.

    Bags are told by the column `by`, or by the one that told them when the schema came about. Bags of another name are
    taken if they are the only ones.
    """
    wanted = [column for column in schema.columns if column.kind is Kind.BAG and column.name not in table.schema]
    if len(wanted) != 1:
        return table
    column = wanted[0]
    names = [other.name for other in table.schema.columns if other.kind is Kind.BAG and other.name not in schema]
    if len(names) == 1:
        named = replace(table.schema[names[0]], name=column.name)
        return table.with_schema(table.schema.with_columns({names[0]: named}))
    by = by or column.by
    if not by or names:
        return table
    if by not in table.schema:
        raise DataError(
            f"the data lack the column {by!r}, which names the bag of each row; they have "
            f"{_format_columns(table.schema)}"
        )
    beside = [name for name in schema.names if name not in (column.name, by, schema.target) and name in table.schema]
    flat = table.with_target(schema.target if schema.target in table.schema else None)
    return _BagBuilder(flat, by, tuple(beside), positive).table(column.name)


def flat_schema(schema: Schema, by: str) -> Schema:
    """Return how rows are to be read that shall become the bags of a schema: all columns of instances, and `by`."""
    columns: dict[str, Column] = {by: Column(by, Kind.TEXT)}
    for column in schema.columns:
        for one in column.inner.columns if column.inner is not None else (column,):
            columns.setdefault(one.name, one)
    return Schema(tuple(columns.values()), schema.target)


def bag_notes(table: Table, by: str) -> tuple[str, ...]:
    """Return notes on the bags formed from rows."""
    for values in table.data:
        if isinstance(values, Bags) and len(values):
            sizes = np.diff(values.offsets)
            rows = f"{len(values.table):,} row{'' if len(values.table) == 1 else 's'}"
            text = f"{len(values):,} bag{'' if len(values) == 1 else 's'} of {sizes.min():,} to {sizes.max():,}"
            return (f"{rows} are grouped into {text} by {by!r}",)
    return ()


def _format_columns(schema: Schema) -> str:
    return listing(schema.names)


def _name_labels(labels: Sequence[str]) -> str:
    return f"the classes are {listing(labels)}"
