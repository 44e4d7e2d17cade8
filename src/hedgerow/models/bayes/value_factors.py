"""Factors of columns with one value per row: levels, intervals, normal curves and kernel densities."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.design.discretize import interval_codes, interval_names
from hedgerow.data.table.dates import format_dates
from hedgerow.data.table.printed_value import format_value
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Numbers, Table
from hedgerow.errors import ModelError
from hedgerow.layout.numbers import format_number
from hedgerow.models.base.checked_parts import expect_parts, least, numbers_part, weights_part
from hedgerow.models.base.contributions import Contribution
from hedgerow.models.base.factor import Factor, Lines, escape_name, round_counts, short


class ValueFactor(Factor):
    """The factor of a column with one value per row: a level or a number."""

    @abstractmethod
    def lines(self, column: Column) -> Lines:
        """Return the printed lines: a caption and one text per class."""

    @property
    @abstractmethod
    def n_classes(self) -> int:
        """How many classes there are."""

    @property
    @abstractmethod
    def information(self) -> float:
        """About how much the column tells of the class, in nats: to rank columns by."""

    def add_known(self, table: Table, position: int, scores: Numbers) -> NDArray[np.bool_]:
        """Add to the scores, and return which rows have a known value."""
        self.add(table, position, scores)
        if not self.is_informative:
            return np.zeros(table.n_rows, dtype=np.bool_)
        if self.fits is Kind.NOMINAL:
            return np.asarray(table.codes(position) >= 0)
        return ~np.isnan(table.numbers(position))

    def contributions(self, table: Table, position: int) -> list[Contribution]:
        """Return the contribution of the single row's value to the scores."""
        column, scores = table.schema.columns[position], np.zeros((1, self.n_classes))
        if not self.add_known(table, position, scores)[0]:
            return []
        return [Contribution(f"{escape_name(column.name)} = {format_value(table, position)}", scores[0], column.name)]


@dataclass(frozen=True, eq=False)
class LevelFactor(ValueFactor):
    """A nominal column: counts by level and class, and virtual rows a level."""

    counts: Numbers  # (levels, classes)
    virtual: Numbers  # (levels,)

    kind = "levels"
    fits = Kind.NOMINAL

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", round_counts(self.counts))
        object.__setattr__(self, "virtual", round_counts(self.virtual))

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.counts.shape[1])

    @property
    def information(self) -> float:
        """The mutual information of level and class."""
        joint = self.counts + self.virtual[:, None]
        total = joint.sum()
        if not total:
            return 0.0
        joint = joint / total
        expected = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.nansum(joint * np.log(joint / expected)))

    @property
    def is_informative(self) -> bool:
        """Whether there is more than one level."""
        return len(self.counts) > 1

    @cached_property
    def evidence(self) -> Numbers:
        """Log probability by level and class."""
        return np.ascontiguousarray(log_shares(self.counts, self.virtual))

    def add(self, table: Table, position: int, scores: Numbers) -> None:
        """Add the evidence of each row's level."""
        _kernels.add_level_scores(table.codes(position), self.evidence, scores)

    def lines(self, column: Column) -> Lines:
        """Return one line per level."""
        return list(zip(map(escape_name, column.levels), fractions(self.counts, self.virtual), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return the factor's parts."""
        return {"counts": self.counts, "virtual": self.virtual}

    @classmethod
    def from_dict(cls, parts: dict[str, Any], column: Column, classes: int) -> Factor:
        """Build the factor from its parts."""
        expect_parts(parts, "kind", "counts", "virtual")
        shape = (len(column.levels), classes)
        return cls(weights_part(parts, "counts", *shape), weights_part(parts, "virtual", shape[0]))


@dataclass(frozen=True, eq=False)
class Bins(LevelFactor):
    """A numeric column cut into intervals, then treated like a nominal one: interval i has the i-th line of counts."""

    cuts: Numbers  # (intervals - 1,), ascending

    kind = "bins"
    fits = Kind.NUMERIC

    def add(self, table: Table, position: int, scores: Numbers) -> None:
        """Add the evidence of each row's interval."""
        _kernels.add_level_scores(interval_codes(table.numbers(position), self.cuts), self.evidence, scores)

    def lines(self, column: Column) -> Lines:  # noqa: ARG002
        """Return one line per interval."""
        return list(zip(interval_names(self.cuts), fractions(self.counts, self.virtual), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return the factor's parts."""
        return {"cuts": self.cuts, **super().to_dict()}

    @classmethod
    def from_dict(cls, parts: dict[str, Any], column: Column, classes: int) -> Factor:  # noqa: ARG003
        """Build the factor from its parts."""
        expect_parts(parts, "kind", "cuts", "counts", "virtual")
        cuts = numbers_part(parts, "cuts", None)
        if (cuts[1:] <= cuts[:-1]).any():
            raise ModelError("the cut points of a column must ascend")
        shape = (len(cuts) + 1, classes)
        return cls(weights_part(parts, "counts", *shape), weights_part(parts, "virtual", shape[0]), cuts)


@dataclass(frozen=True, eq=False)
class Normal(ValueFactor):
    """A numeric column: a normal distribution a class."""

    mean: Numbers
    deviation: Numbers  # above 0
    weight: Numbers  # rows they were estimated from

    kind = "normal"
    fits = Kind.NUMERIC

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.mean)

    @property
    def information(self) -> float:
        """What the means tell: half the logarithm of all variance over that within the classes."""
        return _information_of_means(self.mean, self.deviation, self.weight)

    def add(self, table: Table, position: int, scores: Numbers) -> None:
        """Add log N(x; mean, deviation) = - log(deviation sqrt(2 pi)) - (x - mean)^2 / (2 deviation^2)."""
        _kernels.add_normal_scores(table.numbers(position), self.mean, self.deviation, scores)

    def lines(self, column: Column) -> Lines:
        """Return mean, deviation and weight; of dates also the day, and the deviation in days."""
        lines = [
            ("mean", [format_number(v) for v in self.mean.tolist()]),
            ("std dev", [format_number(v) for v in self.deviation.tolist()]),
            ("weight", [format_number(short(v)) for v in self.weight.tolist()]),
        ]
        if column.date is not None:
            lines.insert(1, ("= day", format_dates(self.mean, "yyyy-MM-dd")))
            lines.insert(3, ("= days", [f"{v / 86400:.1f}" for v in self.deviation.tolist()]))
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return the factor's parts."""
        return {"mean": self.mean, "deviation": self.deviation, "weight": self.weight}

    @classmethod
    def from_dict(cls, parts: dict[str, Any], column: Column, classes: int) -> Factor:  # noqa: ARG003
        """Build the factor from its parts."""
        expect_parts(parts, "kind", "mean", "deviation", "weight")
        deviation = weights_part(parts, "deviation", classes)
        if least(deviation) <= 0:
            raise ModelError("a standard deviation must be above zero")
        mean, weight = numbers_part(parts, "mean", classes), weights_part(parts, "weight", classes)
        return cls(mean, deviation, weight)


@dataclass(frozen=True, eq=False)
class KernelDensity(ValueFactor):
    """A numeric column: a small normal curve on every training value (John and Langley 1995)."""

    points: Numbers  # (n,), ascending
    weights: Numbers  # (n, classes)
    width: Numbers  # (classes,), above 0

    kind = "kernel"
    fits = Kind.NUMERIC

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.width)

    @property
    def information(self) -> float:
        """What the means tell, as of normal distributions."""
        mean = self.points @ self.shares
        deviation = np.sqrt(np.maximum(self.points**2 @ self.shares - mean**2, 0.0) + self.width**2)
        return _information_of_means(mean, deviation, self.weights.sum(axis=0))

    @cached_property
    def shares(self) -> Numbers:
        """Each point's share of its class."""
        totals = self.weights.sum(axis=0)
        return np.ascontiguousarray(self.weights / np.where(totals > 0, totals, 1))

    def add(self, table: Table, position: int, scores: Numbers) -> None:
        """Add the log density of each row's value."""
        _kernels.add_kernel_scores(table.numbers(position), self.points, self.shares, self.width, scores)

    def lines(self, column: Column) -> Lines:  # noqa: ARG002
        """Return how many curves there are and how wide they are."""
        return [
            ("kernels", [str(n) for n in (self.weights > 0).sum(axis=0).tolist()]),
            ("width", [format_number(v) for v in self.width.tolist()]),
            ("weight", [format_number(short(v)) for v in self.weights.sum(axis=0).tolist()]),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the factor's parts."""
        return {"points": self.points, "weights": self.weights, "width": self.width}

    @classmethod
    def from_dict(cls, parts: dict[str, Any], column: Column, classes: int) -> Factor:  # noqa: ARG003
        """Build the factor from its parts."""
        expect_parts(parts, "kind", "points", "weights", "width")
        points = numbers_part(parts, "points", None)
        width = weights_part(parts, "width", classes)
        if not (width > 0).all() or (points[1:] <= points[:-1]).any():
            raise ModelError("kernel widths must be above zero and kernel points must ascend")
        return cls(points, weights_part(parts, "weights", len(points), classes), width)


def _information_of_means(mean: Numbers, deviation: Numbers, weight: Numbers) -> float:
    """Return half the logarithm of the total variance over the variance within classes."""
    if not weight.any():
        return 0.0
    with np.errstate(all="ignore"):
        share = weight / weight.sum()
        within = share @ deviation**2
        between = share @ (mean - share @ mean) ** 2
        return float(np.nan_to_num(0.5 * np.log1p(between / within)))


def log_shares(counts: Numbers, virtual: Numbers) -> Numbers:
    """Return log P(level given class) = log (count + virtual) / (total + sum of virtual).

    One virtual row a level is Laplace's estimator; lambda of them Lidstone's; m p_i of them the m-estimate, or
    equally the mu-estimate, with prior p_i. A class without rows and virtual rows has equal shares.
    """
    amounts = counts + virtual[:, None]
    totals = amounts.sum(axis=0)
    shares = np.where(totals > 0, amounts / np.where(totals > 0, totals, 1), 1 / max(len(amounts), 1))
    with np.errstate(divide="ignore"):
        return np.log(shares)


def fractions(counts: Numbers, virtual: Numbers) -> list[list[str]]:
    """Return the same shares as people write them, `3/12`."""
    amounts = counts + virtual[:, None]
    totals = amounts.sum(axis=0)
    return [
        [f"{format_number(short(a))}/{format_number(short(t))}" for a, t in zip(line, totals, strict=True)]
        for line in amounts
    ]
