"""Gathering: rows that belong together, by the identifier that they share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.data.table.delimited import encode_text
from hedgerow.data.table.level_codes import number_levels
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Codes, Rows, Table, Text
from hedgerow.errors import DataError


@dataclass(frozen=True, eq=False)
class RowGroups:
    """Groups of rows, in the order in which they first appear.

    >>> found = RowGroups.of(np.array([7, 2, 7], dtype=np.int32))
    >>> found.group.tolist(), found.first.tolist(), found.order.tolist(), found.offsets.tolist()
    ([0, 1, 0], [0, 1], [0, 2, 1], [0, 2, 3])
    """

    group: Rows  # of each row
    first: Rows  # row of each group
    order: Rows  # of the rows, those of a group side by side
    offsets: Rows  # where each group starts in this order

    @classmethod
    def of(cls, ids: Codes) -> RowGroups:
        """Return the groups of rows with these identifiers, none of which is missing."""
        _, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
        by_appearance = np.argsort(first)
        rank = np.empty(len(first), dtype=np.int64)
        rank[by_appearance] = np.arange(len(first))
        group: Rows = rank[inverse]
        sizes = np.bincount(group, minlength=len(first))
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return cls(group, first[by_appearance], np.argsort(group, kind="stable"), offsets)

    def __len__(self) -> int:
        return len(self.first)


def encode_column(table: Table, name: str, is_what: str) -> tuple[Codes, tuple[str, ...]]:
    """Return a column as codes into its different values, -1 where it is missing; `is_what` describes it in errors."""
    position = table.schema.index(name)
    column, values = table.schema.columns[position], table.values(position)
    if isinstance(values, Text):
        level_column = encode_text(values)
        return level_column.codes, tuple(level_column.levels)
    if column.kind is Kind.NOMINAL:
        return table.codes(position), column.levels
    if column.kind is Kind.NUMERIC:
        return number_levels(table.numbers(position))
    raise DataError(f"column {name!r} is a {column.kind}, which is {is_what}")
