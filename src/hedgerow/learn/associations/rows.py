"""The rows that item sets are looked for in: held in memory, or passed over again and again."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hedgerow import _kernels
from hedgerow.data.counts import ValueCounts, value_counts
from hedgerow.data.discretize import Discretizer
from hedgerow.data.items import Baskets, Items
from hedgerow.data.schema import Kind, Schema
from hedgerow.data.table import Codes, Numbers, Rows, Table
from hedgerow.data.threads import n_threads
from hedgerow.learn.associations.choose import chosen
from hedgerow.learn.associations.levels import LevelWise, Sets, Sought
from hedgerow.learn.associations.wanted import Wanted
from hedgerow.learn.passes import Engine, Plan
from hedgerow.models.model import Model

WHICH = {"all": 0, "closed": 1, "maximal": 2}
NO_WEIGHTS = np.empty(0)


class ItemRows(ABC):
    """Rows as sets of items, in which sets are found and counted."""

    items: Items
    total: float
    whole: bool  # whether all weights are whole numbers, so that all counts are
    weighted: bool  # whether rows have weights at all

    @abstractmethod
    def find(self, wanted: Wanted) -> Sought:
        """Return the wanted sets."""

    @abstractmethod
    def count(self, offsets: Rows, codes: Codes) -> Numbers:
        """Return the counts of any sets."""


class InMemory(ItemRows):
    """Rows in memory: the fast search."""

    def __init__(self, items: Items, baskets: Baskets, threads: int | None = None) -> None:
        self.items = items
        self.baskets = baskets
        self.threads = threads or n_threads()
        self.total = baskets.total
        self.weighted = baskets.weights is not None
        self.whole = baskets.weights is None or bool((baskets.weights == np.floor(baskets.weights)).all())
        self.weights = NO_WEIGHTS if baskets.weights is None else np.ascontiguousarray(baskets.weights)

    @classmethod
    def of(cls, table: Table, items: Items, threads: int | None = None) -> InMemory:
        """Return the rows of a table that is ready."""
        return cls(items, items.baskets(table), threads)

    def find(self, wanted: Wanted) -> Sought:
        """Return the wanted sets."""
        baskets = self.baskets
        offsets, codes, counts, bound, status = _kernels.item_sets(
            baskets.offsets,
            baskets.codes,
            baskets.n_items,
            self.weights,
            wanted.bounds,
            WHICH[wanted.which],
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
        return Sought(offsets, codes, counts.astype(np.float64), bound, status)

    def by_levels(self, wanted: Wanted) -> Sought:
        """Return the same, found level by level."""
        return LevelWise(wanted, self.baskets.counts.astype(np.float64), self._candidates).run()

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
        first: Tally = engine.total(ItemPass(items))
        self.item_counts, self.total = first.counts[0], first.total
        self.whole, self.weighted = first.whole, first.weighted

    def find(self, wanted: Wanted) -> Sought:
        """Return the wanted sets."""
        if wanted.which == "all":
            return LevelWise(wanted, self.item_counts, self._candidates, self.look_ahead).run()
        every = replace(wanted, which="all", max_length=1 << 30, spread=math.inf, most_sets=1 << 62)
        return chosen(self.find(every), wanted, self.item_counts)

    def count(self, offsets: Rows, codes: Codes) -> Numbers:
        """Return the counts of any sets, in one pass."""
        self.passes += 1
        tally: Tally = self.engine.total(SetPass(self.items, offsets, codes))
        return tally.counts[0]

    def _candidates(self, asked: Sequence[Sets]) -> list[Numbers]:
        self.passes += 1
        tally: Tally = self.engine.total(CandidatePass(self.items, asked))
        return list(tally.counts)


# -- passes ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of some rows; those of disjoint rows add."""

    total: float
    whole: bool
    weighted: bool
    counts: tuple[Numbers, ...]

    @classmethod
    def of(cls, baskets: Baskets, counts: Sequence[Numbers]) -> Tally:
        """Return what was counted in some rows."""
        weights = baskets.weights
        whole = weights is None or bool((weights == np.floor(weights)).all())
        return cls(baskets.total, whole, weights is not None, tuple(counts))

    def __add__(self, other: Tally) -> Tally:
        counts = tuple(mine + its for mine, its in zip(self.counts, other.counts, strict=True))
        return Tally(self.total + other.total, self.whole and other.whole, self.weighted or other.weighted, counts)


class ItemPass(Plan):
    """A pass that counts the items."""

    in_pairs = False

    def __init__(self, items: Items) -> None:
        self.items = items

    def counted(self, baskets: Baskets) -> Sequence[Numbers]:
        """Return the counts of some rows."""
        return [baskets.counts.astype(np.float64)]

    def count(self, table: Table) -> Tally:
        """Return the counts of some rows, and their weight."""
        baskets = self.items.baskets(table)
        return Tally.of(baskets, self.counted(baskets))

    def advance(self, counts: Tally) -> Plan | Model:
        """Not called: what comes next is for the search to say, which asks an engine for one pass after the other."""
        raise NotImplementedError


class CandidatePass(ItemPass):
    """A pass that counts candidates, which stand in lexical order, of one size or several."""

    def __init__(self, items: Items, candidates: Sequence[Sets]) -> None:
        super().__init__(items)
        self.candidates = candidates

    def counted(self, baskets: Baskets) -> Sequence[Numbers]:
        """Return the counts of some rows."""
        return [candidate_counts(baskets, sets) for sets in self.candidates]


class SetPass(ItemPass):
    """A pass that counts any sets."""

    def __init__(self, items: Items, offsets: Rows, codes: Codes) -> None:
        super().__init__(items)
        self.offsets, self.codes = offsets, codes

    def counted(self, baskets: Baskets) -> Sequence[Numbers]:
        """Return the counts of some rows."""
        return [set_counts(baskets, self.offsets, self.codes, 1)]


class NumberPass(Plan):
    """A pass that counts the values of numeric columns, which are to be cut."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.numeric = [i for i, column in enumerate(schema.columns) if column.kind is Kind.NUMERIC]

    def count(self, table: Table) -> ColumnValues:
        """Return the values of some rows."""
        zeros = np.zeros(table.n_rows, dtype=np.int32)
        return ColumnValues(tuple(value_counts(table.numbers(i), zeros, table.weights, 1) for i in self.numeric))

    def advance(self, counts: ColumnValues) -> Plan | Model:
        """Not called, as above."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class ColumnValues:
    """The different values of several columns."""

    columns: tuple[ValueCounts, ...]

    def __add__(self, other: ColumnValues) -> ColumnValues:
        return ColumnValues(tuple(mine + its for mine, its in zip(self.columns, other.columns, strict=True)))


def items_of_stream(schema: Schema, engine: Engine, absent: Sequence[str], how: Discretizer) -> Items:
    """Return the items of rows that stream by: numeric columns are cut unless they hold 0 and 1 only."""
    task = NumberPass(schema)
    cuts: dict[str, Numbers] = {}
    if task.numeric:
        found: ColumnValues = engine.total(task)
        for position, counts in zip(task.numeric, found.columns, strict=True):
            if not np.isin(counts.values, (0, 1)).all():
                cuts[schema.columns[position].name] = how.cuts(counts)
    return Items.of(schema, cuts, absent)


def candidate_counts(baskets: Baskets, sets: Sets) -> Numbers:
    """Return the counts of candidates of one size, in lexical order."""
    if not len(sets):
        return np.empty(0)
    weights = NO_WEIGHTS if baskets.weights is None else np.ascontiguousarray(baskets.weights)
    flat = np.ascontiguousarray(sets).reshape(-1)
    return _kernels.count_candidates(baskets.offsets, baskets.codes, weights, baskets.n_items, flat, sets.shape[1])


def set_counts(baskets: Baskets, offsets: Rows, codes: Codes, threads: int) -> Numbers:
    """Return the counts of any sets, each of ascending codes."""
    weights = NO_WEIGHTS if baskets.weights is None else np.ascontiguousarray(baskets.weights)
    found = _kernels.count_sets(baskets.offsets, baskets.codes, baskets.n_items, weights, offsets, codes, threads)
    return np.asarray(found, dtype=np.float64)
