"""Counts of a table by class: the sufficient statistics of the counting learners.

Counts of disjoint rows add with `+`, exactly: the sums are whole numbers or exact fixed-point sums, so the same
rows give the same counts whatever the batches, their order or the threads. (Fractional row weights are added
as doubles where levels are counted; there the last bits may depend on the batches.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.level_positions import LevelPositions, match_positions
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.data.text.hashed_counts import HashedCounts
from hedgerow.data.text.term_counts import TermCounts
from hedgerow.errors import DataError

MOST_VALUES = 1000  # number of distinct values of a numeric column that are counted in addition to its moments


@dataclass(frozen=True, eq=False)
class LevelCounts:
    """A nominal column: weight by level (lines) and class; the last line counts the missing values."""

    weights: Numbers  # (levels + 1, classes)

    def __add__(self, other: LevelCounts) -> LevelCounts:
        return LevelCounts(self.weights + other.weights)

    def subtract(self, part: LevelCounts) -> LevelCounts:
        """Return the counts of the other rows."""
        return LevelCounts(self.weights - part.weights)

    @property
    def present(self) -> Numbers:
        """The counts of the levels alone."""
        return self.weights[:-1]

    @property
    def missing(self) -> Numbers:
        """The weight of the missing values, by class."""
        missing: Numbers = self.weights[-1]
        return missing

    def recode(self, levels: LevelPositions, classes: LevelPositions) -> LevelCounts:
        """Return the same counts under more levels and classes, given the new positions of the known ones."""
        out = np.zeros((levels.total + 1, classes.total))
        out[np.ix_([*levels.known, levels.total], classes.known)] = self.weights
        return LevelCounts(out)


@dataclass(frozen=True, eq=False)
class DistinctCounts:
    """The distinct values of a column in ascending order, and the number of rows with each."""

    values: Numbers
    rows: NDArray[np.int64]

    @property
    def many(self) -> bool:
        """Whether there are too many to remember."""
        return len(self.values) > MOST_VALUES

    def __add__(self, other: DistinctCounts) -> DistinctCounts:
        values, place = np.unique(np.concatenate([self.values, other.values]), return_inverse=True)
        rows = np.bincount(place, np.concatenate([self.rows, other.rows]), len(values))
        return DistinctCounts(values, rows.astype(np.int64))

    def without(self, part: DistinctCounts) -> DistinctCounts:
        """Return the counts of the other rows."""
        rows = self.rows.copy()
        rows[np.searchsorted(self.values, part.values)] -= part.rows
        left = rows > 0
        return DistinctCounts(self.values, rows) if left.all() else DistinctCounts(self.values[left], rows[left])


@dataclass(frozen=True, eq=False)
class Moments:
    """A numeric column: the exact sums of its weights, values and squares, by class (see kernels/read/moments.hpp).

    Also its different values in ascending order and how many rows hold each, or None if there are more values than
    `MOST_VALUES`.
    """

    sums: np.ndarray[tuple[int, int, int], np.dtype[np.int64]]  # (classes, 3, limbs)
    distinct: DistinctCounts | None

    @property
    def values(self) -> Numbers | None:
        """The different values in ascending order; None if they are many."""
        return None if self.distinct is None else self.distinct.values

    def __add__(self, other: Moments) -> Moments:
        both = None if self.distinct is None or other.distinct is None else self.distinct + other.distinct
        return Moments(normalize_moments(self.sums + other.sums), None if both is None or both.many else both)

    def subtract(self, part: Moments, rest: DistinctCounts | None) -> Moments:
        """Return the moments of the other rows, whose different values `rest` tells where these are many."""
        if self.distinct is not None and part.distinct is not None:
            rest = self.distinct.without(part.distinct)
        return Moments(normalize_moments(self.sums - part.sums), rest)

    def figures(self) -> tuple[Numbers, Numbers, Numbers]:
        """Return weight, mean and sum of squared deviations of each class and, at the end, of all rows.

        Mean and squares are NaN where there is no weight.
        """
        weight, mean, squares = _kernels.compute_mean_and_squares(self.sums.reshape(-1))
        return weight, mean, squares

    def recode(self, levels: LevelPositions, classes: LevelPositions) -> Moments:  # noqa: ARG002
        """Return the same moments under more classes."""
        sums = np.zeros((classes.total, *self.sums.shape[1:]), dtype=np.int64)
        sums[classes.known] = self.sums
        return Moments(sums, self.distinct)


def normalize_moments(sums: Any) -> Any:
    """Return sums of moments in the form in which equal sums are equal; they are changed in place."""
    _kernels.propagate_carries(sums.reshape(-1))
    return sums


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """A numeric column: its different values in ascending order, the weight of each by class, and of the missing."""

    values: Numbers  # (n,)
    weights: Numbers  # (n, classes)
    missing: Numbers  # (classes,)

    def __add__(self, other: ValueCounts) -> ValueCounts:
        values, place = np.unique(np.concatenate([self.values, other.values]), return_inverse=True)
        weights = np.zeros((len(values), self.weights.shape[1]))
        weights[place[: len(self.values)]] += self.weights
        weights[place[len(self.values) :]] += other.weights
        return ValueCounts(values, weights, self.missing + other.missing)

    def subtract(self, part: ValueCounts) -> ValueCounts:
        """Return the counts of the other rows."""
        weights = self.weights.copy()
        weights[np.searchsorted(self.values, part.values)] -= part.weights
        kept = weights.any(axis=1)
        return ValueCounts(self.values[kept], weights[kept], self.missing - part.missing)

    def recode(self, levels: LevelPositions, classes: LevelPositions) -> ValueCounts:  # noqa: ARG002
        """Return the same counts under more classes."""
        weights, missing = np.zeros((len(self.values), classes.total)), np.zeros(classes.total)
        weights[:, classes.known], missing[classes.known] = self.weights, self.missing
        return ValueCounts(self.values, weights, missing)


ColumnCounts = LevelCounts | Moments | ValueCounts | TermCounts | HashedCounts


@dataclass(frozen=True, eq=False)
class Counts:
    """The weight of each class, and the counts of every column that was requested."""

    rows: int
    classes: Numbers
    columns: Sequence[ColumnCounts | None]

    def __add__(self, other: Counts) -> Counts:
        columns = tuple(
            None if mine is None or its is None else mine + its  # type: ignore[operator]
            for mine, its in zip(self.columns, other.columns, strict=True)
        )
        return Counts(self.rows + other.rows, self.classes + other.classes, columns)

    def subtract(self, part: Counts, rest: Table) -> Counts:
        """Return the counts of the rows `rest` that are left without a part: exact, if no row has a weight."""

        def held(position: int) -> DistinctCounts | None:
            label = rest.target_codes
            return distinct_values_or_none(rest.numbers(position), label)

        def less(position: int, mine: ColumnCounts | None, its: ColumnCounts | None) -> ColumnCounts | None:
            if isinstance(mine, Moments) and isinstance(its, Moments):
                return mine.subtract(
                    its, held(position) if mine.distinct is None else None
                )  # the rest may hold few values
            return None if mine is None or its is None else mine.subtract(its)  # type: ignore[call-arg, arg-type, union-attr]

        columns = (less(i, *pair) for i, pair in enumerate(zip(self.columns, part.columns, strict=True)))
        return Counts(self.rows - part.rows, self.classes - part.classes, tuple(columns))

    def recode(self, old: Schema, new: Schema) -> Counts:
        """Return the same counts under a schema whose columns have more levels, or more classes, in any order."""
        classes = match_positions(old.target_column.levels, new.target_column.levels)
        columns = tuple(
            None if counts is None else counts.recode(match_positions(before.levels, after.levels), classes)
            for counts, before, after in zip(self.columns, old.columns, new.columns, strict=True)
        )
        weights = np.zeros(classes.total)
        weights[classes.known] = self.classes
        return Counts(self.rows, weights, columns)


@dataclass(frozen=True, eq=False)
class ColumnsOnDemand(Sequence[ColumnCounts | None]):
    """The counts of the columns of a table, each made anew when it is looked at: those of all may not fit in memory."""

    table: Table
    what: Sequence[type[ColumnCounts] | None]

    def __len__(self) -> int:
        return len(self.what)

    def __getitem__(self, position: Any) -> Any:
        if not 0 <= position < len(self.what):
            raise IndexError(position)
        kind, target = self.what[position], self.table.schema.target_column
        return (
            None
            if kind is None
            else _count_column(self.table, position, kind, self.table.target_codes, len(target.levels))
        )


def count(table: Table, what: Sequence[type[ColumnCounts] | None], *, on_demand: bool = False) -> Counts:
    """Count a table by class, where `what[i]` defines how column i is counted. Rows without a class do not count.

    With `on_demand`, a column is counted each time it is looked at.
    """
    label = table.target_codes
    classes = len(table.schema.target_column.levels)
    columns: Sequence[ColumnCounts | None] = ColumnsOnDemand(table, what)
    if not on_demand:
        columns = tuple(columns)
    totals = _kernels.count_levels(np.zeros(len(label), dtype=np.int32), label, table.weights, 1, classes)
    return Counts(int((label >= 0).sum()), totals[:classes], columns)


def _count_column(table: Table, position: int, kind: type[ColumnCounts], label: Codes, classes: int) -> ColumnCounts:
    column = table.schema.columns[position]
    if kind is LevelCounts:
        levels = len(column.levels)
        flat = _kernels.count_levels(table.codes(position), label, table.weights, levels, classes)
        return LevelCounts(flat.reshape(levels + 1, classes))
    if kind is Moments:
        return moments(table.numbers(position), label, table.weights, classes, column.name)
    return value_counts(table.numbers(position), label, table.weights, classes)


def moments(values: Numbers, label: Codes, weights: Numbers | None, classes: int, name: str) -> Moments:
    """Return the exact moments of a numeric column by class."""
    sums = np.zeros((classes, _kernels.SUMS, _kernels.LIMBS), dtype=np.int64)
    if not _kernels.add_moments(values, label, weights, sums.reshape(-1)):
        largest = values[np.nanargmax(np.abs(values))]
        raise DataError(
            f"column {name!r} holds {largest:g}; numbers beyond 1e150, or with weights squares beyond 1e305, cannot be "
            "summed, so scale the column"
        )
    return Moments(sums, distinct_values_or_none(values, label))


def distinct_values_or_none(values: Numbers, label: Codes) -> DistinctCounts | None:
    """Return the different values of the rows that have a class; None if they are many."""
    numbers, rows, many = _kernels.count_distinct_values(values, label, MOST_VALUES)
    return None if many else DistinctCounts(numbers, rows)


def value_counts(values: Numbers, label: Codes, weights: Numbers | None, classes: int) -> ValueCounts:
    """Return the different values of a numeric column, with their weights by class."""
    known = label >= 0
    present = known & ~np.isnan(values)
    distinct, place = np.unique(values[present], return_inverse=True)
    weights_held = None if weights is None else weights[present]
    cells = np.bincount(place * classes + label[present], weights_held, minlength=len(distinct) * classes)
    absent = known & np.isnan(values)
    missing = np.bincount(label[absent], None if weights is None else weights[absent], minlength=classes)
    return ValueCounts(distinct, cells.astype(np.float64).reshape(-1, classes), missing.astype(np.float64))


def count_types(schema: Schema, numeric: type[ColumnCounts]) -> list[type[ColumnCounts] | None]:
    """Return how to count every column: nominal predictors by level, numeric ones as `numeric`, others not."""
    used = set(schema.predictors)
    by_kind: dict[Kind, type[ColumnCounts]] = {Kind.NOMINAL: LevelCounts, Kind.NUMERIC: numeric}
    return [by_kind.get(column.kind) if position in used else None for position, column in enumerate(schema.columns)]
