"""Item sets written to a file piece by piece, so that there may be more of them than fit in memory."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any

import numpy as np

from hedgerow.data.formats.association_files import check_ending, set_writer
from hedgerow.data.items.baskets import Baskets, starts_of
from hedgerow.data.table.table import Codes, Numbers, Rows
from hedgerow.learn.associations.levels import Ended
from hedgerow.learn.associations.rows import InMemory, ItemRows
from hedgerow.learn.associations.search_limits import NO_LIMIT, Wanted
from hedgerow.learn.associations.to_item_sets import as_counts, find_sets
from hedgerow.models.associations.item_sets import ItemSets

PIECE = 1 << 20  # items of the sets that are written at a time
Piece = tuple[Rows, Codes, Numbers]  # sizes, codes and counts of sets


@dataclass(frozen=True)
class Written:
    """The result of writing: the file, the numbers of sets and of rows (or their weight), and notes."""

    path: str
    sets: int
    total: float
    bound: float
    ended: str = ""
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([f"{self.sets:,} item sets written to {self.path}", *filter(None, [self.ended])])


def write_sets(rows: ItemRows, wanted: Wanted, path: str | PathLike[str], notes: tuple[str, ...] = ()) -> Written:
    """Write the requested sets to an .arrow, .parquet or .csv file.

    All frequent sets are written by their first item, and those of a first item by size, if they fit into memory, else
    by their second item, and so on. Closed and maximal sets, a limit of their number, of time or of spread, and rows
    that are streamed take one search, whose result is written in the order of the search.
    """
    check_ending(path)
    plain = wanted.which == "all" and math.isinf(wanted.spread) and math.isinf(wanted.seconds)
    if plain and wanted.most_sets >= NO_LIMIT and isinstance(rows, InMemory):
        n = _write(path, rows, _pieces(rows, wanted))
        return Written(fspath(path), n, rows.total, wanted.bound, "", notes)
    found = find_sets(rows, wanted)
    n = _write(path, rows, iter([(found.sizes, found.codes, found.counts)]))
    return Written(fspath(path), n, rows.total, found.bound, found.ended, notes)


# -- pieces ------------------------------------------------------------------------------------------------------------


def _pieces(rows: InMemory, wanted: Wanted) -> Iterator[Piece]:
    """Yield all sets by their first items."""
    yield from _below(rows, wanted, np.empty(0, dtype=np.int32))


def _below(rows: InMemory, wanted: Wanted, prefix: Codes) -> Iterator[Piece]:
    """Yield the sets that extend a prefix, by the next item; `rows` are those that contain the prefix."""
    baskets = rows.baskets
    counts = baskets.counts
    owner = np.repeat(np.arange(len(baskets)), baskets.sizes)
    order = np.argsort(baskets.codes, kind="stable")
    starts = starts_of(np.bincount(baskets.codes, minlength=baskets.n_items))
    for item in np.flatnonzero(counts >= wanted.bound).tolist():
        if not math.isfinite(wanted.bounds[item]):
            continue
        longer = np.append(prefix, np.int32(item))
        if counts[item] >= wanted.bounds[item]:
            yield np.array([len(longer)]), longer, np.array([float(counts[item])])
        if wanted.max_length > 1:
            inside = rows_after(baskets, owner[order[starts[item] : starts[item + 1]]], item)
            yield from _after(InMemory(rows.items, inside, rows.threads), wanted, longer)


def _after(rows: InMemory, wanted: Wanted, prefix: Codes) -> Iterator[Piece]:
    """Yield the sets that extend a prefix, in one piece if memory allows it."""
    bounds = np.minimum(wanted.bounds, wanted.bounds[prefix[-1]])
    bounds[~np.isfinite(wanted.bounds)] = math.inf
    bounds[: prefix[-1] + 1] = math.inf
    narrowed = replace(wanted, bounds=bounds, max_length=wanted.max_length - 1)
    found = rows.find(narrowed)
    if found.status == Ended.BOUND_ROSE:
        yield from _below(rows, narrowed, prefix)
    elif len(found.counts):
        n, sizes = len(found.counts), np.diff(found.offsets)
        codes = np.insert(found.codes, np.repeat(found.offsets[:-1], len(prefix)), np.tile(prefix, n))
        yield sizes + len(prefix), codes.astype(np.int32), found.counts


def rows_after(baskets: Baskets, rows: Rows, item: int) -> Baskets:
    """Return some rows without the items up to one."""
    taken = baskets.take(rows)
    kept = taken.codes > item
    return Baskets(starts_of(kept)[taken.offsets], taken.codes[kept], taken.n_items, taken.weights)


# -- files -------------------------------------------------------------------------------------------------------------


def _write(path: str | PathLike[str], rows: ItemRows, pieces: Iterator[Piece]) -> int:
    n = 0
    with set_writer(path, _table(rows, []).schema, rows.items.names) as writer:
        for held in _gathered(pieces):
            table = _table(rows, held)
            writer.write_table(table)
            n += len(table)
    return n


def _gathered(pieces: Iterator[Piece]) -> Iterator[list[Piece]]:
    """Yield small pieces combined into larger ones for writing."""
    held: list[Piece] = []
    for piece in pieces:
        held.append(piece)
        if sum(len(codes) for _, codes, _ in held) >= PIECE:
            yield held
            held = []
    if held:
        yield held


def _table(rows: ItemRows, held: list[Piece]) -> Any:
    sizes = np.concatenate([np.empty(0, dtype=np.int64), *(sizes for sizes, _, _ in held)])
    codes = np.concatenate([np.empty(0, dtype=np.int32), *(codes for _, codes, _ in held)])
    counts = np.concatenate([np.empty(0), *(counts for _, _, counts in held)])
    return ItemSets.of(rows.items, starts_of(sizes), codes, as_counts(rows, counts), rows.total).to_arrow()
