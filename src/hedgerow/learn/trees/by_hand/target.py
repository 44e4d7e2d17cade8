"""The target of a tree: classes or numbers, and the impurity of some rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.learn.trees.options import EQUAL


@dataclass(frozen=True, eq=False)
class NodeRows:
    """The rows of a table that reach a node, ascending, and the weight that each brings there."""

    rows: Rows
    weights: Numbers

    @classmethod
    def of_table(cls, table: Table) -> NodeRows:
        """Return all rows of a table."""
        return cls(np.arange(table.n_rows), table.row_weights.astype(np.float64))

    @property
    def weight(self) -> float:
        """The weight of all rows together."""
        return float(self.weights.sum())

    def pick(self, which: np.ndarray) -> NodeRows:
        """Return some of the rows, by mask or position."""
        return NodeRows(self.rows[which], self.weights[which])


NOTHING = NodeRows(np.zeros(0, dtype=np.int64), np.zeros(0))


def join_rows(*parts: NodeRows) -> NodeRows:
    """Return the rows of several parts, one after another."""
    return NodeRows(np.concatenate([part.rows for part in parts]), np.concatenate([part.weights for part in parts]))


class Target(Protocol):
    """The interface of a target for growing, for classes or numbers."""

    @property
    def scale(self) -> float:
        """The size of impurities, which tolerances are relative to."""

    def summary(self, part: NodeRows) -> Numbers:
        """Return the statistics that a node stores."""

    def impurity(self, part: NodeRows) -> float:
        """Return how mixed the rows are; 0 when they agree."""

    def agreement(self, part: NodeRows, stop_share: float) -> str:
        """Return why the rows agree well enough for a leaf; empty if they do not."""

    def running(self, part: NodeRows) -> Numbers:
        """Return the impurity of the first 1, 2, ... rows in the order given."""

    def orders(self, levels: Sequence[NodeRows]) -> list[Numbers]:
        """Return keys by which to sort the levels of a nominal column before it is cut in two."""


def entropy(weights: Numbers) -> Numbers:
    """Return the entropy in bits over the last axis; 0 log 0 is 0.

    >>> float(entropy(np.array([9.0, 5.0])).round(6)), float(entropy(np.array([4.0, 0.0])))
    (0.940286, 0.0)
    """
    shares = _shares(weights)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    bits: Numbers = np.maximum(-(shares * logs).sum(axis=-1), 0.0) + 0.0
    return bits


def gini(weights: Numbers) -> Numbers:
    """Return Gini's index over the last axis: how often two rows drawn with replacement differ in class.

    >>> float(gini(np.array([9.0, 5.0])).round(6))
    0.459184
    """
    shares = _shares(weights)
    index: Numbers = np.where(shares.any(axis=-1), 1 - (shares**2).sum(axis=-1), 0.0)
    return np.maximum(index, 0.0)


def split_info(branches: Numbers, missing: float) -> float:
    """Return the entropy of the branch sizes, the rows without the value being one more branch."""
    return float(entropy(np.append(branches, max(missing, 0.0))))


@dataclass(frozen=True, eq=False)
class ClassTarget:
    """A nominal target."""

    codes: Codes
    n_classes: int
    use_gini: bool
    scale: float = 1.0

    @classmethod
    def of(cls, table: Table, use_gini: bool) -> ClassTarget:
        """Return the target of a table."""
        column = table.schema.target_column
        return cls(table.codes(table.schema.index(column.name)), len(column.levels), use_gini)

    def impurity_of(self, weights: Numbers) -> Numbers:
        """Return the impurity of class weights over the last axis."""
        return gini(weights) if self.use_gini else entropy(weights)

    def summary(self, part: NodeRows) -> Numbers:
        """Return the weight by class."""
        return np.bincount(self.codes[part.rows], part.weights, self.n_classes).astype(np.float64)

    def impurity(self, part: NodeRows) -> float:
        """Return the entropy or Gini's index of the classes."""
        return float(self.impurity_of(self.summary(part)))

    def agreement(self, part: NodeRows, stop_share: float) -> str:
        """Return whether one class has all rows, or the share that is enough."""
        heaviest = float(self.summary(part).max())
        if heaviest >= part.weight - EQUAL:
            return "one class"
        enough = heaviest >= stop_share * part.weight - EQUAL
        return f"one class has a share of {stop_share:g} or more" if enough else ""

    def running(self, part: NodeRows) -> Numbers:
        """Return the impurity of the first 1, 2, ... rows."""
        single = np.zeros((len(part.rows), self.n_classes))
        single[np.arange(len(part.rows)), self.codes[part.rows]] = part.weights
        return self.impurity_of(single.cumsum(axis=0))

    def orders(self, levels: Sequence[NodeRows]) -> list[Numbers]:
        """Return the share of every class present; of two classes the first one's says all."""
        weights = np.array([self.summary(part) for part in levels])
        shares = _shares(weights)
        present = np.flatnonzero(weights.sum(axis=0) > 0)
        return [shares[:, code] for code in (present[:1] if len(present) == 2 else present)]


@dataclass(frozen=True, eq=False)
class NumberTarget:
    """A numeric target: squared error from the mean, or absolute error from the median."""

    values: Numbers
    absolute: bool
    scale: float = 1.0
    middle: float = 0.0  # the mean or median of all rows

    @classmethod
    def of(cls, table: Table, absolute: bool) -> NumberTarget:
        """Return the target of a table."""
        values = table.target_numbers
        plain, whole = cls(values, absolute), NodeRows.of_table(table)
        return cls(values, absolute, plain.impurity(whole), plain.center(whole))

    def center(self, part: NodeRows) -> float:
        """Return the number that errs least: the mean or the median."""
        if not len(part.rows):
            return 0.0
        values = self.values[part.rows]
        if np.ptp(values) == 0:
            return float(values[0])  # a mean would have a rounding error
        if self.absolute:
            return weighted_median(values, part.weights)
        first = float(values[0])  # equal values have exactly their value as mean
        return first + float(np.average(values - first, weights=part.weights))

    def summary(self, part: NodeRows) -> Numbers:
        """Return the weight, the value and the deviation that a node keeps."""
        impurity = self.impurity(part)
        return np.array([part.weight, self.center(part), impurity if self.absolute else np.sqrt(impurity)])

    def impurity(self, part: NodeRows) -> float:
        """Return the mean squared error of the mean, or the mean absolute error of the median."""
        if not len(part.rows):
            return 0.0
        errors = np.abs(self.values[part.rows] - self.center(part))
        return float(np.average(errors if self.absolute else errors**2, weights=part.weights))

    def agreement(self, part: NodeRows, stop_share: float) -> str:  # noqa: ARG002  # a share is a matter of classes
        """Return whether all rows have one value."""
        return "one value" if np.ptp(self.values[part.rows]) == 0 else ""

    def running(self, part: NodeRows) -> Numbers:
        """Return the impurity of the first 1, 2, ... rows."""
        if self.absolute:
            return np.array([self.impurity(part.pick(np.arange(n + 1))) for n in range(len(part.rows))])
        values, weights = self.values[part.rows], part.weights
        values = values - np.average(values, weights=weights)  # near zero, so that squares cancel little
        total = weights.cumsum()
        squares: Numbers = (weights * values**2).cumsum() / total - ((weights * values).cumsum() / total) ** 2
        return np.maximum(squares, 0.0)

    def orders(self, levels: Sequence[NodeRows]) -> list[Numbers]:
        """Return the mean of every level: exact for squared error, a rule of thumb for absolute error.

        Means are in units so coarse that those which differ by rounding only are equal.
        """
        away = np.array([np.average(self.values[part.rows] - self.middle, weights=part.weights) for part in levels])
        unit = EQUAL * (self.scale if self.absolute else np.sqrt(self.scale))
        return [np.rint(away / unit)]


def weighted_median(values: Numbers, weights: Numbers) -> float:
    """Return the value with half the weight below; the middle of two values when the halves are equal.

    >>> weighted_median(np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0, 2.0]))
    3.0
    """
    order = np.argsort(values, kind="stable")
    values, upto = values[order], weights[order].cumsum()
    half = upto[-1] / 2
    place = int(np.searchsorted(upto, half * (1 - 1e-12)))
    if abs(upto[place] - half) <= 1e-12 * half and place + 1 < len(values):
        return float(values[place] + (values[place + 1] - values[place]) / 2)
    return float(values[place])


def _shares(weights: Numbers) -> Numbers:
    total = weights.sum(axis=-1, keepdims=True)
    shares: Numbers = np.divide(weights, total, out=np.zeros(weights.shape), where=total > 0)
    return shares
