"""Sets of items as two arrays: set i holds `codes[offsets[i]:offsets[i + 1]]`, ascending, each item once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.items.baskets import starts_from_sizes
from hedgerow.data.items.column_to_items import ColumnToItems
from hedgerow.data.items.items import Items
from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Codes, Rows
from hedgerow.errors import DataError, ModelError
from hedgerow.models.base.checked_parts import array_part, numbers_part

ITEM_PARTS = ("ways", "cuts", "absent")


def items_to_parts(items: Items) -> dict[str, Any]:
    """Return items as parts of a model; without their schema."""
    return {"ways": [str(way) for way in items.ways], "cuts": list(items.cuts), "absent": list(items.absent)}


def items_from_parts(parts: dict[str, Any], schema: Schema) -> Items:
    """Return items from a model's parts, checking every one of them."""
    ways, cuts, absent = (parts[name] for name in ITEM_PARTS)
    if not all(isinstance(part, list) for part in (ways, cuts, absent)) or not len(ways) == len(cuts) == len(schema):
        raise ModelError("its items need an encoding, and cut points or none, for each column")
    if not all(isinstance(way, str) and way in set(ColumnToItems) for way in ways):
        raise ModelError("its items have an unknown encoding")
    if not all(isinstance(word, str) for word in absent):
        raise ModelError("the value that marks absence must be a word")
    points = [None if each is None else numbers_part({"cuts": each}, "cuts", None) for each in cuts]
    return Items(schema, tuple(ColumnToItems(way) for way in ways), tuple(points), tuple(absent))


def sets_from_parts(parts: dict[str, Any], n_items: int) -> tuple[Rows, Codes]:
    """Return the offsets and codes of sets, checking that they are valid."""
    offsets, codes = array_part(parts, "offsets", np.int64, None), array_part(parts, "codes", np.int32, None)
    check_sets(offsets, codes, n_items)
    return offsets, codes


def check_sets(offsets: Rows, codes: Codes, n_items: int) -> None:
    """Raise an error unless the sets are contiguous and contain known items in ascending order."""
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(codes) or (offsets[1:] < offsets[:-1]).any():
        raise ModelError(f"its part 'offsets' does not ascend from 0 to {len(codes)}")
    if len(codes) and (codes.min() < 0 or codes.max() >= n_items):
        raise ModelError(f"its part 'codes' holds a number outside 0 to {n_items - 1}")
    fits = np.ones(len(codes), dtype=np.bool_)
    fits[1:] = codes[1:] > codes[:-1]
    fits[offsets[:-1][offsets[:-1] < len(codes)]] = True
    if not fits.all():
        raise ModelError("the items of a set are not in ascending order")


def counts_part(parts: dict[str, Any], name: str, length: int) -> NDArray[Any]:
    """Return counts: whole numbers, or fractions where rows had weights; none is negative."""
    value = parts.get(name)
    dtype = np.float64 if isinstance(value, np.ndarray) and value.dtype == np.float64 else np.int64
    counts = array_part(parts, name, dtype, length)
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise ModelError(f"its part {name!r} holds a count that is negative or not finite")
    return counts


def number_part(parts: dict[str, Any], name: str) -> float:
    """Return a finite number that is not negative."""
    value = parts[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise ModelError(f"its part {name!r} must be a number of 0 or more")
    return float(value)


def text_part(parts: dict[str, Any], name: str) -> str:
    """Return a word or sentence."""
    value = parts[name]
    if not isinstance(value, str):
        raise ModelError(f"its part {name!r} must be a text")
    return value


def pack_sets(items: Items, sets: Iterable[Iterable[str | int]]) -> tuple[Rows, Codes]:
    """Return sets given by names or codes of items as arrays."""
    rows = [sorted({_code(items, item) for item in one}) for one in sets]
    sizes = np.array([len(row) for row in rows], dtype=np.int64)
    return starts_from_sizes(sizes), np.array([code for row in rows for code in row], dtype=np.int32)


def iterate_sets(offsets: Rows, codes: Codes, most: int | None = None) -> Iterator[Sequence[int]]:
    """Yield the codes of every set, or of the first few."""
    ends = offsets[: None if most is None else most + 1].tolist()
    flat = codes[: ends[-1]].tolist()
    for begin, end in pairwise(ends):
        yield flat[begin:end]


def _code(items: Items, item: str | int) -> int:
    if isinstance(item, str):
        return items.code(item)
    if not 0 <= item < len(items):
        raise DataError(f"there is no item {item}; there are {len(items)}, numbered from 0")
    return int(item)
