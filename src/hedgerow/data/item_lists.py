"""Lists of the words of each row as baskets."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.data.baskets import starts_of
from hedgerow.data.formats.basket import basket_table
from hedgerow.data.table import Table


def word_baskets(data: Any) -> Table | None:
    """Return lists or sets of words, one a row, as baskets; None if the data are anything else.

    The words of a set are taken in alphabetical order, as it has none of its own.

    >>> word_baskets([["milk", "bread"], {"beer"}, []])
    <Table: 3 rows, 1 columns>
    """
    kinds = (list, tuple, set, frozenset)
    if not isinstance(data, list | tuple) or not all(isinstance(row, kinds) for row in data):
        return None
    if not any(data) or not all(isinstance(word, str) for row in data for word in row):
        return None
    rows = [sorted(row) if isinstance(row, set | frozenset) else row for row in data]
    place: dict[str, int] = {}
    codes = [place.setdefault(word, len(place)) for row in rows for word in row]
    sizes = np.array([len(row) for row in rows], dtype=np.int64)
    return basket_table(list(place), starts_of(sizes), np.array(codes, dtype=np.int32))
