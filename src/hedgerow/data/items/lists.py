"""Lists of the words of each row as baskets."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.data.formats.basket import basket_table
from hedgerow.data.items.baskets import starts_from_sizes
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError

KINDS = (list, tuple, set, frozenset)
SCALARS = (str, int, float, np.generic)


def parse_word_baskets(data: Any) -> Table | None:
    """Return lists or sets of words, one a row, as baskets; None if the data are anything else.

    A series or an array of such lists is taken too. Missing words are no items. Rows that hold anything but words, such
    as numbers, are baskets if they differ in length, as those of a matrix do not, or are sets; texts are made of them.
    The words of a set are taken in alphabetical order, as it has none of its own.

    >>> parse_word_baskets([["milk", "bread"], {"beer"}, []])
    <Table: 3 rows, 1 columns>
    """
    data = _to_list(data)
    if not isinstance(data, list | tuple):
        return None
    if not data:
        raise DataError("there are no rows; a list of baskets needs at least one")
    if all(isinstance(row, str) for row in data):
        raise DataError("a list of words is not a list of baskets; give a list of lists, one per basket")
    if not all(isinstance(row, KINDS) for row in data):
        return None
    rows = [[word for word in row if word is not None and word == word] for row in data]  # NaN differs from itself
    if not all(isinstance(word, str) for row in rows for word in row):
        if len({len(row) for row in data}) == 1 and not any(isinstance(row, set | frozenset) for row in data):
            return None
        if not all(isinstance(word, SCALARS) for row in rows for word in row):
            return None
        rows = [[str(word) for word in row] for row in rows]
    rows = [sorted(row) if isinstance(value, set | frozenset) else row for value, row in zip(data, rows, strict=True)]
    place: dict[str, int] = {}
    codes = [place.setdefault(word, len(place)) for row in rows for word in row]
    sizes = np.array([len(row) for row in rows], dtype=np.int64)
    return basket_table(list(place), starts_from_sizes(sizes), np.array(codes, dtype=np.int32))


def _to_list(data: Any) -> Any:
    """Return a series, or an array of one dimension, as a list, if lists or sets are in it."""
    if type(data).__name__ != "Series" and not (isinstance(data, np.ndarray) and data.ndim == 1):
        return data
    rows = data.to_list() if hasattr(data, "to_list") else data.tolist()
    return rows if rows and all(isinstance(row, KINDS) for row in rows) else data
