"""Item sets written to a file piece by piece, so that there may be more of them than fit in memory."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any

import numpy as np

from hedgerow.data.formats.association_files import check_ending, set_writer
from hedgerow.data.items.baskets import Baskets, starts_from_sizes
from hedgerow.data.table.table import Codes, Numbers, Rows
from hedgerow.learn.associations.levels import SearchEnd
from hedgerow.learn.associations.rows import ItemRows, TableRows
from hedgerow.learn.associations.search_limits import NO_LIMIT, SetLimits
from hedgerow.learn.associations.to_item_sets import find_sets, to_counts
from hedgerow.models.associations.item_sets import ItemSets

PIECE = 1 << 20  # items of the sets that are written at a time
Piece = tuple[Rows, Codes, Numbers]  # sizes, codes and counts of sets


@dataclass(frozen=True)
class WrittenSets:
    """The result of writing: the file, the numbers of sets and of rows (or their weight), and notes."""

    path: str
    sets: int
    total: float
    bound: float
    end_note: str = ""
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([f"{self.sets:,} item sets written to {self.path}", *filter(None, [self.end_note])])


def write_sets(
    rows: ItemRows, wanted: SetLimits, path: str | PathLike[str], notes: tuple[str, ...] = ()
) -> WrittenSets:
    """Write the requested sets to an .arrow, .parquet or .csv file.

    All frequent sets are written by their first item, and those of a first item by size, if they fit into memory, else
    by their second item, and so on. Closed and maximal sets, a limit of their number, of time or of spread, and rows
    that are streamed take one search, whose result is written in the order of the search.
    """
    check_ending(path)
    plain = wanted.which == "all" and math.isinf(wanted.spread) and math.isinf(wanted.seconds)
    if plain and wanted.most_sets >= NO_LIMIT and isinstance(rows, TableRows):
        n = _write(path, rows, _pieces(rows, wanted))
        return WrittenSets(fspath(path), n, rows.total, wanted.min_bound, "", notes)
    item_sets = find_sets(rows, wanted)
    n = _write(path, rows, iter([(item_sets.sizes, item_sets.codes, item_sets.counts)]))
    return WrittenSets(fspath(path), n, rows.total, item_sets.bound, item_sets.ended, notes)


# -- pieces ------------------------------------------------------------------------------------------------------------


def _pieces(rows: TableRows, wanted: SetLimits) -> Iterator[Piece]:
    """Yield all sets by their first items."""
    yield from _extend_sets(rows, wanted, np.empty(0, dtype=np.int32))


def _extend_sets(rows: TableRows, wanted: SetLimits, prefix: Codes) -> Iterator[Piece]:
    """Yield the sets that extend a prefix, by the next item; `rows` are those that contain the prefix."""
    baskets = rows.baskets
    counts = baskets.counts
    owner = np.repeat(np.arange(len(baskets)), baskets.sizes)
    order = np.argsort(baskets.codes, kind="stable")
    starts = starts_from_sizes(np.bincount(baskets.codes, minlength=baskets.n_items))
    for item in np.flatnonzero(counts >= wanted.min_bound).tolist():
        if not math.isfinite(wanted.bounds[item]):
            continue
        longer = np.append(prefix, np.int32(item))
        if counts[item] >= wanted.bounds[item]:
            yield np.array([len(longer)]), longer, np.array([float(counts[item])])
        if wanted.max_length > 1:
            inside = rows_after(baskets, owner[order[starts[item] : starts[item + 1]]], item)
            yield from _extend_within_memory(TableRows(rows.items, inside, rows.threads), wanted, longer)


def _extend_within_memory(rows: TableRows, wanted: SetLimits, prefix: Codes) -> Iterator[Piece]:
    """Yield the sets that extend a prefix, in one piece if memory allows it."""
    bounds = np.minimum(wanted.bounds, wanted.bounds[prefix[-1]])
    bounds[~np.isfinite(wanted.bounds)] = math.inf
    bounds[: prefix[-1] + 1] = math.inf
    narrowed = replace(wanted, bounds=bounds, max_length=wanted.max_length - 1)
    search_result = rows.find(narrowed)
    if search_result.status == SearchEnd.BOUND_ROSE:
        yield from _extend_sets(rows, narrowed, prefix)
    elif len(search_result.counts):
        n, sizes = len(search_result.counts), np.diff(search_result.offsets)
        codes = np.insert(search_result.codes, np.repeat(search_result.offsets[:-1], len(prefix)), np.tile(prefix, n))
        yield sizes + len(prefix), codes.astype(np.int32), search_result.counts


def rows_after(baskets: Baskets, rows: Rows, item: int) -> Baskets:
    """Return some rows without the items up to one."""
    selected_baskets = baskets.take(rows)
    kept = selected_baskets.codes > item
    return Baskets(
        starts_from_sizes(kept)[selected_baskets.offsets],
        selected_baskets.codes[kept],
        selected_baskets.n_items,
        selected_baskets.weights,
    )


# -- files -------------------------------------------------------------------------------------------------------------


def _write(path: str | PathLike[str], rows: ItemRows, pieces: Iterator[Piece]) -> int:
    n = 0
    with set_writer(path, _table(rows, []).schema, rows.items.names) as writer:
        for entries in _batch_pieces(pieces):
            table = _table(rows, entries)
            writer.write_table(table)
            n += len(table)
    return n


def _batch_pieces(pieces: Iterator[Piece]) -> Iterator[list[Piece]]:
    """Yield small pieces combined into larger ones for writing."""
    entries: list[Piece] = []
    for piece in pieces:
        entries.append(piece)
        if sum(len(codes) for _, codes, _ in entries) >= PIECE:
            yield entries
            entries = []
    if entries:
        yield entries


def _table(rows: ItemRows, entries: list[Piece]) -> Any:
    sizes = np.concatenate([np.empty(0, dtype=np.int64), *(sizes for sizes, _, _ in entries)])
    codes = np.concatenate([np.empty(0, dtype=np.int32), *(codes for _, codes, _ in entries)])
    counts = np.concatenate([np.empty(0), *(counts for _, _, counts in entries)])
    return ItemSets.of(rows.items, starts_from_sizes(sizes), codes, to_counts(rows, counts), rows.total).to_arrow()
