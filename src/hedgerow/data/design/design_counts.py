"""The counts of a table's columns from which a design is determined; they add with `+`."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hedgerow import _kernels
from hedgerow.data.design.class_counts import LevelCounts
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Numbers, SparseNumbers, Table, gather_values
from hedgerow.data.table.threads import map_in_order
from hedgerow.data.text.hashed_counts import HashedCounts
from hedgerow.data.text.term_counts import TermCounts
from hedgerow.data.text.term_space import TF_IDF, Weighting
from hedgerow.data.text.terms import ALL, TermLimits
from hedgerow.data.text.tokens import WORDS, Tokens
from hedgerow.errors import DataError

LARGEST = 1e150  # largest number whose squares can be summed
FIRST, EVERY = "first", "all"


@dataclass(frozen=True)
class DesignOptions:
    """How columns are encoded: levels against the first or all of them; which terms, and how they are weighted."""

    levels: str = FIRST
    tokens: Tokens = WORDS
    limits: TermLimits = ALL
    weighting: Weighting = field(default=TF_IDF)


@dataclass(frozen=True)
class NumberCounts:
    """A numeric column: weight of its numbers and of the missing ones, mean, squared deviations, least and largest."""

    weight: float = 0.0
    missing: float = 0.0
    mean: float = 0.0
    squares: float = 0.0
    low: float = np.inf
    high: float = -np.inf

    @classmethod
    def of(
        cls, values: Numbers | SparseNumbers, weights: Numbers | None, name: str, most: float = LARGEST
    ) -> NumberCounts:
        """Return the counts of a column called `name`; a number beyond `most` raises an error."""
        if isinstance(values, SparseNumbers):
            own = None if weights is None else np.ascontiguousarray(weights[values.rows])
            stored = cls.of(np.ascontiguousarray(values.values), own, name, most)
            total = float(len(values)) if weights is None else float(weights.sum())
            rest = total - (float(len(values.rows)) if own is None else float(own.sum()))
            return stored if len(values.rows) == len(values) else stored + cls(rest, 0.0, 0.0, 0.0, 0.0, 0.0)
        counts = cls(*_kernels.compute_number_statistics(np.ascontiguousarray(values), weights))
        check_size(counts.low, counts.high, name, most)
        return counts

    def __add__(self, other: NumberCounts) -> NumberCounts:
        weight = self.weight + other.weight
        mean, squares = self.mean, self.squares
        if not self.weight > 0:
            mean, squares = other.mean, other.squares
        elif other.weight > 0:
            share, apart = other.weight / weight, other.mean - self.mean
            mean += apart * share
            squares += other.squares + apart * apart * (self.weight * share)
        low, high = min(self.low, other.low), max(self.high, other.high)
        return NumberCounts(weight, self.missing + other.missing, mean, squares, low, high)

    @property
    def deviation(self) -> float:
        """The standard deviation; 0 where all numbers are equal."""
        return float((self.squares / self.weight) ** 0.5) if self.low < self.high and self.weight > 0 else 0.0


def check_size(low: float, high: float, name: str, most: float = LARGEST) -> None:
    """Raise an error if a column has numbers too large to be squared."""
    if low <= high and not (low >= -most and high <= most):
        worst = low if -low > high else high
        how = "is infinite" if np.isinf(worst) else f"is beyond {most:g}, so its square cannot be summed"
        raise DataError(f"column {name!r} holds {worst:g}, which {how}; correct the value or divide the column")


Counted = NumberCounts | LevelCounts | TermCounts | HashedCounts


@dataclass(frozen=True, eq=False)
class DesignCounts:
    """The counts from which a design is determined: those of every column, including the target."""

    columns: tuple[Counted | None, ...]

    def __add__(self, other: DesignCounts) -> DesignCounts:
        pairs = zip(self.columns, other.columns, strict=True)
        return DesignCounts(tuple(None if a is None or b is None else a + b for a, b in pairs))  # type: ignore[operator]

    @classmethod
    def of(cls, table: Table, options: DesignOptions) -> DesignCounts:
        """Return the counts of a table, columns shared among threads."""
        return cls(tuple(map_in_order(lambda place: count_column(table, place, options), range(len(table.schema)))))


def number_counts(table: Table, position: int, most: float = LARGEST) -> NumberCounts:
    """Return the counts of a numeric column; infinite numbers and those beyond `most` are errors."""
    values = gather_values(table.data[position])
    numbers: Numbers | SparseNumbers = values if isinstance(values, SparseNumbers) else table.numbers(position)
    return NumberCounts.of(numbers, table.weights, table.schema.columns[position].name, most)


def count_column(table: Table, position: int, options: DesignOptions) -> Counted | None:
    """Return the counts of one column; None of a kind that has no part."""
    column = table.schema.columns[position]
    if column.kind is Kind.NUMERIC:
        return number_counts(table, position)
    if column.kind is Kind.NOMINAL:
        levels, label = len(column.levels), np.zeros(table.n_rows, dtype=np.int32)
        flat = _kernels.count_levels(table.codes(position), label, table.weights, levels, 1)
        return LevelCounts(flat.reshape(levels + 1, 1))
    if column.kind is Kind.TEXT:
        how = TermCounts if options.tokens.bits is None else HashedCounts
        return how.of(table.texts(position), options.tokens, weights=table.weights)
    return None
