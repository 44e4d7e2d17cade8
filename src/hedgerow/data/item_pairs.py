"""Tables of pairs, one item a row, as baskets: the rows of one id together are a basket."""

from __future__ import annotations

import numpy as np

from hedgerow.data.align import number_levels
from hedgerow.data.baskets import starts_of
from hedgerow.data.formats.basket import basket_table
from hedgerow.data.formats.delimited import encoded
from hedgerow.data.schema import Kind
from hedgerow.data.table import Codes, Table, Text
from hedgerow.errors import DataError, UsageError


def pairs_to_baskets(table: Table, id: str, item: str) -> Table:  # noqa: A002
    """Return a table with one basket an id, in the order in which ids first appear.

    Parameters
    ----------
    table
        One item a row. A row without an item only makes sure that there is a basket, which may be empty; a row without
        an id is an error, as is one whose weight is not that of the other rows of its basket.
    id, item
        The columns that tell the basket and the item; words, texts or numbers.

    Examples
    --------
    >>> sold = Table.of({"bill": [1, 2, 1], "article": ["tea", "rum", "milk"]})
    >>> pairs_to_baskets(sold, "bill", "article")
    <Table: 2 rows, 1 columns>
    """
    if id == item:
        raise UsageError(f"column {id!r} cannot tell both the basket and the item")
    ids, _ = _coded(table, id)
    items, levels = _coded(table, item)
    lacking = np.flatnonzero(ids < 0)
    if len(lacking):
        raise DataError(f"column {id!r}, row {lacking[0] + 1}: the id is missing; every item needs its basket")
    first = np.full(int(ids.max(initial=-1)) + 1, len(ids), dtype=np.int64)
    first[ids[::-1]] = np.arange(len(ids) - 1, -1, -1)  # the last value set is that of the first row
    order = np.argsort(first)[: np.count_nonzero(first < len(ids))]  # ids as they first appear
    rank = np.empty(len(first), dtype=np.int64)
    rank[order] = np.arange(len(order))
    row = rank[ids]
    kept = items >= 0
    sizes = np.bincount(row[kept], minlength=len(order))
    inside = np.argsort(row[kept], kind="stable")
    made = basket_table(levels, starts_of(sizes), items[kept][inside])
    if table.weights is None:
        return made
    weights = table.weights[first[order]]
    if (weights[row] != table.weights).any():
        odd = int(np.flatnonzero(weights[row] != table.weights)[0])
        raise DataError(f"row {odd + 1} has another weight than its basket; give all rows of a basket the same weight")
    return made.with_weights(weights)


def _coded(table: Table, name: str) -> tuple[Codes, tuple[str, ...]]:
    """Return a column as codes into its different values, -1 where it is missing."""
    position = table.schema.index(name)
    column, values = table.schema.columns[position], table.values(position)
    if isinstance(values, Text):
        found = encoded(values)
        return found.codes, tuple(found.levels)
    if column.kind is Kind.NOMINAL:
        return table.codes(position), column.levels
    if column.kind is Kind.NUMERIC:
        return number_levels(table.numbers(position))
    raise DataError(f"column {name!r} is a {column.kind}, which is neither an id nor an item")
