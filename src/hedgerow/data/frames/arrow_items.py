"""Sets of items as Arrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from numpy.typing import NDArray

from hedgerow.data.table.table import Codes, Rows


def item_lists(names: Sequence[str], offsets: Rows, codes: Codes) -> pa.Array:
    """Return sets as lists of words of one dictionary, sharing the arrays."""
    words = pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(names, pa.string()))
    return pa.LargeListArray.from_arrays(pa.array(offsets), words)


def item_table(
    names: Sequence[str],
    sets: tuple[Rows, Codes],
    columns: Mapping[str, NDArray[Any] | Sequence[str]],
    picked: Mapping[str, Codes | None],
) -> pa.Table:
    """Return a table whose first columns are sets, all of them or some by position, and then others."""
    pool = item_lists(names, *sets)
    lists = {name: pool if rows is None else pool.take(pa.array(rows)) for name, rows in picked.items()}
    return pa.table({**lists, **{name: pa.array(values) for name, values in columns.items()}})


def recommendations_to_arrow(
    names: Sequence[str],
    rows: Rows,
    items: Codes,
    rules: Codes,
    sides: tuple[tuple[Rows, Codes], Codes, Codes],
    measures: Mapping[str, NDArray[Any]],
) -> pa.Table:
    """Return recommended items, each with its row and the number, sides and measures of its rule."""
    sets, left, right = sides
    pool = item_lists(names, *sets)
    words = pa.DictionaryArray.from_arrays(pa.array(items), pa.array(names, pa.string()))
    entries = {"antecedent": pool.take(pa.array(left)), "consequent": pool.take(pa.array(right))}
    numbers = {name: pa.array(values) for name, values in measures.items()}
    return pa.table({"row": pa.array(rows), "item": words, "rule": pa.array(rules), **entries, **numbers})
