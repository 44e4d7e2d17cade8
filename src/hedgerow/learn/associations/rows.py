"""The rows in which item sets are searched: held in memory, or read once per level."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hedgerow import _kernels
from hedgerow.data.items.baskets import Baskets
from hedgerow.data.items.items import Items
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.data.table.threads import n_threads
from hedgerow.learn.associations.closed_sets import choose_sets
from hedgerow.learn.associations.levels import LevelWiseSearch, SearchResult, Sets
from hedgerow.learn.associations.search_limits import ANY_LENGTH, NO_LIMIT, SetLimits
from hedgerow.learn.associations.set_passes import (
    CandidatePass,
    ItemPass,
    SetCounts,
    SetPass,
    candidate_counts,
    set_counts,
)
from hedgerow.learn.passes import Engine
from hedgerow.models.associations.item_sets import WHICH


class ItemRows(ABC):
    """Rows as sets of items, in which item sets are searched and counted."""

    items: Items
    total: float
    whole: bool  # whether all weights are whole numbers, so that all counts are too
    weighted: bool  # whether rows have weights at all

    @abstractmethod
    def find(self, wanted: SetLimits) -> SearchResult:
        """Return the requested sets."""

    @abstractmethod
    def count(self, offsets: Rows, codes: Codes) -> Numbers:
        """Return the counts of any sets."""


class TableRows(ItemRows):
    """Rows in memory: the fast search."""

    def __init__(self, items: Items, baskets: Baskets, threads: int | None = None) -> None:
        self.items = items
        self.baskets = baskets
        self.threads = threads or n_threads()
        self.total = baskets.total
        self.weighted = baskets.weights is not None
        self.whole = baskets.is_whole

    @classmethod
    def of(cls, table: Table, items: Items, threads: int | None = None) -> TableRows:
        """Return the rows of a prepared table."""
        return cls(items, items.baskets(table), threads)

    def find(self, wanted: SetLimits) -> SearchResult:
        """Return the requested sets."""
        baskets = self.baskets
        offsets, codes, counts, bound, status = _kernels.mine_item_sets(
            baskets.offsets,
            baskets.codes,
            baskets.n_items,
            baskets.kernel_weights,
            wanted.bounds,
            WHICH.index(wanted.which),
            wanted.max_length,
            wanted.spread,
            wanted.required,
            wanted.group,
            wanted.most_of_group,
            wanted.most_sets,
            wanted.memory,
            wanted.seconds,
            self.threads,
        )
        return SearchResult(offsets, codes, counts.astype(np.float64), bound, status)

    def search_by_levels(self, wanted: SetLimits) -> SearchResult:
        """Return the same sets, found level by level."""
        return LevelWiseSearch(wanted, self.baskets.counts.astype(np.float64), self._candidates).run()

    def count(self, offsets: Rows, codes: Codes) -> Numbers:
        """Return the counts of any sets."""
        return set_counts(self.baskets, offsets, codes, self.threads)

    def _candidates(self, asked: Sequence[Sets]) -> list[Numbers]:
        return [candidate_counts(self.baskets, sets) for sets in asked]


class Passes(ItemRows):
    """Rows of an engine, such as a stream from disk: one pass over them for each level of the search."""

    def __init__(self, items: Items, engine: Engine, look_ahead: bool = False) -> None:
        self.items = items
        self.engine = engine
        self.look_ahead = look_ahead
        self.passes = 1
        first: SetCounts = engine.total(ItemPass(items))
        self.item_counts, self.total = first.counts[0], first.total
        self.whole, self.weighted = first.whole, first.weighted

    def find(self, wanted: SetLimits) -> SearchResult:
        """Return the requested sets."""
        if wanted.which == "all":
            return LevelWiseSearch(wanted, self.item_counts, self._candidates, self.look_ahead).run()
        every = replace(wanted, which="all", max_length=ANY_LENGTH, spread=math.inf, most_sets=NO_LIMIT)
        return choose_sets(self.find(every), wanted, self.item_counts)

    def count(self, offsets: Rows, codes: Codes) -> Numbers:
        """Return the counts of any sets, in one pass."""
        self.passes += 1
        tally: SetCounts = self.engine.total(SetPass(self.items, offsets, codes))
        return tally.counts[0]

    def _candidates(self, asked: Sequence[Sets]) -> list[Numbers]:
        self.passes += 1
        tally: SetCounts = self.engine.total(CandidatePass(self.items, asked))
        return list(tally.counts)
