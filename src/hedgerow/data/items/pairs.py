"""Tables of pairs, one item a row, as baskets: the rows of one id together are a basket."""

from __future__ import annotations

import numpy as np

from hedgerow.data.formats.basket import basket_table
from hedgerow.data.items.baskets import starts_from_sizes
from hedgerow.data.table.group_by_id import RowGroups, encode_column
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError, UsageError

NEITHER = "neither an id nor an item"


def pairs_to_baskets(table: Table, id: str, item: str) -> Table:  # noqa: A002
    """Return a table with one basket per id, in the order in which ids first appear.

    Parameters
    ----------
    table
        One item per row. A row without an item only creates its basket, which may be empty; a row without an id is an
        error, as are different weights within a basket.
    id, item
        The columns of the basket and the item; words, texts or numbers.

    Examples
    --------
    >>> sold = Table.of({"bill": [1, 2, 1], "article": ["tea", "rum", "milk"]})
    >>> pairs_to_baskets(sold, "bill", "article")
    <Table: 2 rows, 1 columns>
    """
    if id == item:
        raise UsageError(f"column {id!r} cannot be both the id of the basket and the item")
    ids, _ = encode_column(table, id, NEITHER)
    items, levels = encode_column(table, item, NEITHER)
    lacking = np.flatnonzero(ids < 0)
    if len(lacking):
        raise DataError(f"column {id!r}, row {lacking[0] + 1}: the id is missing; every item must name its basket")
    found = RowGroups.of(ids)
    row = found.group
    kept = items >= 0
    sizes = np.bincount(row[kept], minlength=len(found))
    inside = np.argsort(row[kept], kind="stable")
    made = basket_table(levels, starts_from_sizes(sizes), items[kept][inside])
    if table.weights is None:
        return made
    weights = table.weights[found.first]
    if (weights[row] != table.weights).any():
        odd = int(np.flatnonzero(weights[row] != table.weights)[0])
        raise DataError(
            f"row {odd + 1} has a different weight from its basket; give all rows of a basket the same weight"
        )
    return made.with_weights(weights)
