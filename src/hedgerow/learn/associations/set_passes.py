"""Passes over rows that count items, candidates, any sets, or the values of numeric columns.

They are not plans: the search decides what comes next, and requests the passes from an engine one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow import _kernels
from hedgerow.data.design.class_counts import ValueCounts, value_counts
from hedgerow.data.design.discretize import Discretizer
from hedgerow.data.items.baskets import Baskets
from hedgerow.data.items.items import Items
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.learn.associations.levels import Sets
from hedgerow.learn.passes import Engine, Pass


@dataclass(frozen=True, eq=False)
class SetCounts:
    """Counts of some rows; those of disjoint rows add."""

    total: float
    whole: bool
    weighted: bool
    counts: tuple[Numbers, ...]

    @classmethod
    def of(cls, baskets: Baskets, counts: Sequence[Numbers]) -> SetCounts:
        """Return what was counted in some rows."""
        return cls(baskets.total, baskets.is_whole, baskets.weights is not None, tuple(counts))

    def __add__(self, other: SetCounts) -> SetCounts:
        counts = tuple(mine + its for mine, its in zip(self.counts, other.counts, strict=True))
        return SetCounts(self.total + other.total, self.whole and other.whole, self.weighted or other.weighted, counts)


class ItemPass(Pass):
    """A pass that counts the items."""

    in_pairs = False

    def __init__(self, items: Items) -> None:
        self.items = items

    def count_baskets(self, baskets: Baskets) -> Sequence[Numbers]:
        """Return the counts of some rows."""
        return [baskets.counts.astype(np.float64)]

    def count(self, table: Table) -> SetCounts:
        """Return the counts of some rows, and their weight."""
        baskets = self.items.baskets(table)
        return SetCounts.of(baskets, self.count_baskets(baskets))


class CandidatePass(ItemPass):
    """A pass that counts candidates, in lexical order, of one size or several."""

    def __init__(self, items: Items, candidates: Sequence[Sets]) -> None:
        super().__init__(items)
        self.candidates = candidates

    def count_baskets(self, baskets: Baskets) -> Sequence[Numbers]:
        """Return the counts of some rows."""
        return [candidate_counts(baskets, sets) for sets in self.candidates]


class SetPass(ItemPass):
    """A pass that counts any sets."""

    def __init__(self, items: Items, offsets: Rows, codes: Codes) -> None:
        super().__init__(items)
        self.offsets, self.codes = offsets, codes

    def count_baskets(self, baskets: Baskets) -> Sequence[Numbers]:
        """Return the counts of some rows."""
        return [set_counts(baskets, self.offsets, self.codes, 1)]


class NumberPass(Pass):
    """A pass that counts the values of numeric columns, which are to be discretized."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.numeric = [i for i, column in enumerate(schema.columns) if column.kind is Kind.NUMERIC]

    def count(self, table: Table) -> ColumnValues:
        """Return the values of some rows."""
        zeros = np.zeros(table.n_rows, dtype=np.int32)
        return ColumnValues(tuple(value_counts(table.numbers(i), zeros, table.weights, 1) for i in self.numeric))


@dataclass(frozen=True, eq=False)
class ColumnValues:
    """The distinct values of several columns."""

    columns: tuple[ValueCounts, ...]

    def __add__(self, other: ColumnValues) -> ColumnValues:
        return ColumnValues(tuple(mine + its for mine, its in zip(self.columns, other.columns, strict=True)))


def items_of_stream(schema: Schema, engine: Engine, absent: Sequence[str], how: Discretizer) -> Items:
    """Return the items of streamed rows: numeric columns are discretized unless they hold 0 and 1 only."""
    task = NumberPass(schema)
    cuts: dict[str, Numbers] = {}
    if task.numeric:
        column_values: ColumnValues = engine.total(task)
        for position, counts in zip(task.numeric, column_values.columns, strict=True):
            if not np.isin(counts.values, (0, 1)).all():
                cuts[schema.columns[position].name] = how.cuts(counts)
    return Items.of(schema, cuts, absent)


def candidate_counts(baskets: Baskets, sets: Sets) -> Numbers:
    """Return the counts of candidates of one size, in lexical order."""
    if not len(sets):
        return np.empty(0)
    flat, weights = np.ascontiguousarray(sets).reshape(-1), baskets.kernel_weights
    return _kernels.count_candidates(baskets.offsets, baskets.codes, weights, baskets.n_items, flat, sets.shape[1])


def set_counts(baskets: Baskets, offsets: Rows, codes: Codes, threads: int) -> Numbers:
    """Return the counts of any sets, each of ascending codes."""
    own = (baskets.offsets, baskets.codes, baskets.n_items, baskets.kernel_weights)
    values = _kernels.count_sets(*own, offsets, codes, threads)
    return np.asarray(values, dtype=np.float64)
