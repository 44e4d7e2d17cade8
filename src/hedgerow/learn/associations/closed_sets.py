"""The closed or the maximal sets among all frequent ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.items.baskets import starts_from_sizes
from hedgerow.data.table.table import Numbers
from hedgerow.learn.associations.levels import SearchEnd, SearchResult
from hedgerow.learn.associations.search_limits import SetLimits


def choose_sets(every: SearchResult, wanted: SetLimits, item_counts: Numbers) -> SearchResult:
    """Return the closed or maximal ones of all frequent sets that satisfy the other constraints, as many as requested.

    If there are more, the bound rises: the closed sets of lowest count are dropped; maximal sets depend on the bound.
    """
    while True:
        kept = outer(every, closed=wanted.which == "closed") & _wanted_mask(every, wanted, item_counts)
        n = int(kept.sum())
        if n <= wanted.most_sets:
            return replace(_select_sets(every, kept), levels=every.levels)
        counts = every.counts[kept] if wanted.which == "closed" else every.counts
        place = wanted.most_sets if wanted.which == "closed" else len(counts) // 2
        count = float(np.sort(counts)[::-1][place])
        every = replace(
            _select_sets(every, every.counts > count),
            bound=float(np.nextafter(count, np.inf)),
            status=SearchEnd.BOUND_ROSE,
        )


def outer(sets: SearchResult, closed: bool) -> NDArray[np.bool_]:
    """Return which sets are in no larger set, or, if `closed`, in none of the same count."""
    kept = np.ones(len(sets.counts), dtype=np.bool_)
    sizes = np.diff(sets.offsets)
    for size in range(1, int(sizes.max(initial=0))):
        start, middle, stop = np.searchsorted(sizes, [size, size + 1, size + 2]).tolist()
        larger = sets.codes[sets.offsets[middle] : sets.offsets[stop]].reshape(-1, size + 1)
        known = _keys(sets.codes[sets.offsets[start] : sets.offsets[middle]].reshape(-1, size))
        for out in range(size + 1):
            keys = _keys(np.delete(larger, out, axis=1))
            place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
            hit = known[place] == keys
            if closed:
                hit &= sets.counts[start + place] == sets.counts[middle:stop]
            kept[start + place[hit]] = False
    return kept


def _wanted_mask(sets: SearchResult, wanted: SetLimits, item_counts: Numbers) -> NDArray[np.bool_]:
    sizes = np.diff(sets.offsets)
    mask: NDArray[np.bool_] = sizes <= wanted.max_length
    if len(sizes) and np.isfinite(wanted.spread):
        counts = item_counts[sets.codes]
        starts = sets.offsets[:-1]
        mask &= np.maximum.reduceat(counts, starts) - np.minimum.reduceat(counts, starts) <= wanted.spread
    return mask


def _select_sets(sets: SearchResult, kept: NDArray[np.bool_]) -> SearchResult:
    sizes = np.diff(sets.offsets)
    return replace(
        sets, offsets=starts_from_sizes(sizes[kept]), codes=sets.codes[np.repeat(kept, sizes)], counts=sets.counts[kept]
    )


def _keys(sets: NDArray[np.int32]) -> NDArray[np.bytes_]:
    """Return sets of one size as bytes, whose order is that of the items."""
    return np.frombuffer(sets.astype(">u4").tobytes(), dtype=f"S{4 * sets.shape[1]}")
