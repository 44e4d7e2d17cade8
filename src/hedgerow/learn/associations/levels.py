"""Item sets level by level: join, prune, count, as Apriori does; for rows that are read once per level."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.table import Codes, Numbers, Rows
from hedgerow.learn.associations.search_limits import SetLimits

Sets = NDArray[np.int32]  # (sets, size): sets of one size, in lexical order
Count = Callable[[Sequence[Sets]], list[Numbers]]  # the counts of candidates of several sizes, in one pass

AHEAD = 100_000  # candidates of the next level from which those of the level after it may be joined before counting
MOST_AHEAD = 2_000_000  # maximum number of those


class SearchEnd(IntEnum):
    """Why a search ended; the numbers are the kernel's."""

    DONE = 0
    BOUND_ROSE = 1  # there were more sets than could be kept
    OUT_OF_TIME = 2


@dataclass(frozen=True, eq=False)
class SearchLevel:
    """Sets of one size: how many candidates were joined, counted and found frequent, and the frequent ones."""

    size: int
    n_joined: int
    n_counted: int
    sets: Sets
    counts: Numbers


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The sets found, in order, with the bound down to which they are complete, and the reason why no further."""

    offsets: Rows
    codes: Codes
    counts: Numbers
    bound: float
    status: int = SearchEnd.DONE
    levels: tuple[SearchLevel, ...] = field(default=())


class LevelWiseSearch:
    """The search of Apriori.

    Items are ordered by their bounds, lowest first, then by their codes. So the first item of a set determines
    the set's bound, and all subsets of a frequent set that contain its first item are frequent too.
    """

    def __init__(self, wanted: SetLimits, item_counts: Numbers, count: Count, look_ahead: bool = False) -> None:
        self.wanted = wanted
        self.item_counts = item_counts
        self.count = count
        self.look_ahead = look_ahead
        self.levels: list[SearchLevel] = []
        self.status = SearchEnd.DONE
        self.order = np.argsort(wanted.bounds, kind="stable").astype(np.int32)
        self.bounds = wanted.bounds[self.order]  # by position in the order, like all sets in this class
        groups = len(wanted.group) > 0
        self.group = wanted.group[self.order] if groups else wanted.group
        self.end = time.monotonic() + wanted.seconds

    def run(self) -> SearchResult:
        """Process all levels; return the sets found in the documented order."""
        counts = self.item_counts[self.order]
        finite = np.isfinite(self.bounds)
        places = np.flatnonzero(finite & (counts >= self.bounds.min(initial=math.inf))).astype(np.int32)
        self.levels.append(SearchLevel(1, int(finite.sum()), int(finite.sum()), places[:, None], counts[places]))
        self._fit_budget()
        joined = self._pairs() if self.wanted.max_length > 1 else None
        while joined is not None and len(joined[0]):
            if time.monotonic() > self.end:
                self.status = SearchEnd.OUT_OF_TIME
                break
            joined = self._pass(*joined)
        if joined is not None and not len(joined[0]) and joined[1]:  # all joined candidates were dropped
            self.levels.append(SearchLevel(joined[0].shape[1], joined[1], 0, joined[0], np.empty(0)))
        return self._result()

    def _pass(self, candidates: Sets, joined: int) -> tuple[Sets, int] | None:
        """Count the candidates of a level, with look-ahead also of the next; return those of the level after."""
        size = candidates.shape[1]
        asked, tried = [candidates], [joined]
        if self.look_ahead and size < self.wanted.max_length and len(candidates) <= AHEAD:
            more = self._join_sets(candidates, MOST_AHEAD)
            if more is not None and len(more[0]):
                asked.append(more[0])
                tried.append(more[1])
        for sets, number, counts in zip(asked, tried, self._count_candidates(asked), strict=True):
            kept = counts >= self.bounds[sets[:, 0]]
            self.levels.append(SearchLevel(sets.shape[1], number, len(sets), sets[kept], counts[kept]))
            self._fit_budget()
        return self._next()

    def _next(self) -> tuple[Sets, int] | None:
        while True:
            last = self.levels[-1]
            if last.size >= self.wanted.max_length or len(last.sets) < 2:
                return None
            found = self._join_sets(last.sets)
            if found is not None or not self._raise_half():
                return found

    def _pairs(self) -> tuple[Sets, int]:
        while True:
            items, counts = self.levels[0].sets[:, 0], self.levels[0].counts
            pairs = len(items) * (len(items) - 1) // 2
            if pairs <= self._candidate_capacity(2) or not self._raise_half():
                break
        bounds = np.ascontiguousarray(self.bounds[items])
        sets, joined, _ = _kernels.join_items(
            np.ascontiguousarray(items), counts, bounds, self.wanted.spread, self.group, self.wanted.most_of_group
        )
        return sets.reshape(-1, 2), joined

    def _join_sets(self, sets: Sets, most: int = 1 << 60) -> tuple[Sets, int] | None:
        """Return the candidates of the next level, and how many were joined; None if they are too many."""
        size = sets.shape[1]
        known = self.bounds[np.isfinite(self.bounds)]
        bounds = self.bounds if len(known) and known.min() < known.max() else np.empty(0)
        flat = np.ascontiguousarray(sets).reshape(-1)
        most = min(most, self._candidate_capacity(size + 1))
        indices, joined, whole = _kernels.join_sets(flat, size, bounds, self.group, self.wanted.most_of_group, most)
        if not whole:
            return None
        indices = indices.reshape(-1, size + 1)
        if len(bounds) and math.isfinite(self.wanted.spread):  # not all pairs were examined
            counts = self.item_counts[self.order[indices]]
            indices = indices[
                counts.max(axis=1, initial=0) - counts.min(axis=1, initial=math.inf) <= self.wanted.spread
            ]
        return indices, joined

    def _count_candidates(self, asked: list[Sets]) -> list[Numbers]:
        """Return the counts of candidates, which are passed on in the order of the items' codes."""
        if (np.diff(self.order) > 0).all():
            return self.count(asked)
        by_code = [np.sort(self.order[sets], axis=1) for sets in asked]
        places = [np.lexsort(sets.T[::-1]) for sets in by_code]
        counts = self.count([sets[place] for sets, place in zip(by_code, places, strict=True)])
        out = []
        for place, values in zip(places, counts, strict=True):
            own = np.empty_like(values)
            own[place] = values
            out.append(own)
        return out

    # -- budgets --------------------------------------------------------------------------------------------

    def _candidate_capacity(self, size: int) -> int:
        """Return how many candidates of a size memory holds, with the tree in which they are counted."""
        return max(self.wanted.memory // (20 * size + 24), 1)

    def _fit_budget(self) -> None:
        """Raise the bound until the sets found fit in memory."""
        while True:
            n = sum(int(self._is_result(level).sum()) for level in self.levels)
            held = sum(level.sets.nbytes + level.counts.nbytes for level in self.levels)
            if n > self.wanted.most_sets:
                counts = np.concatenate([level.counts[self._is_result(level)] for level in self.levels])
                self._raise_above(float(np.partition(counts, -1 - self.wanted.most_sets)[-1 - self.wanted.most_sets]))
            elif held <= self.wanted.memory or not self._raise_half():
                return

    def _raise_half(self) -> bool:
        """Raise the bound so that about half of the sets remain; False if there is nothing to drop."""
        counts = np.concatenate([level.counts for level in self.levels])
        if not len(counts):
            return False
        self._raise_above(float(np.partition(counts, len(counts) // 2)[len(counts) // 2]))
        return True

    def _raise_above(self, count: float) -> None:
        """Drop sets of this count and less."""
        self.status = SearchEnd.BOUND_ROSE
        self.bounds = np.maximum(self.bounds, np.nextafter(count, math.inf))
        for place, level in enumerate(self.levels):
            kept = level.counts > count
            self.levels[place] = SearchLevel(
                level.size, level.n_joined, level.n_counted, level.sets[kept], level.counts[kept]
            )

    def _is_result(self, level: SearchLevel) -> NDArray[np.bool_]:
        """Return which sets of a level are frequent themselves and contain a required item."""
        frequent: NDArray[np.bool_] = level.counts >= self.bounds[level.sets[:, 0]]
        if len(self.wanted.required):
            frequent &= self.wanted.required[self.order[level.sets]].any(axis=1)
        return frequent

    # -- the result -----------------------------------------------------------------------------------------

    def _result(self) -> SearchResult:
        codes: list[Codes] = [np.empty(0, dtype=np.int32)]
        counts: list[Numbers] = [np.empty(0)]
        sizes: list[Rows] = [np.zeros(1, dtype=np.int64)]
        for level in self.levels:
            kept = self._is_result(level)
            sets = np.sort(self.order[level.sets[kept]], axis=1)
            place = np.lexsort(sets.T[::-1])
            codes.append(sets[place].reshape(-1).astype(np.int32))
            counts.append(level.counts[kept][place])
            sizes.append(np.full(len(place), level.size, dtype=np.int64))
        offsets = np.cumsum(np.concatenate(sizes))
        bound = float(self.bounds.min(initial=math.inf))
        return SearchResult(
            offsets, np.concatenate(codes), np.concatenate(counts), bound, self.status, tuple(self.levels)
        )
