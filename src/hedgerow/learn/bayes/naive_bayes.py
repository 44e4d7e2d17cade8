"""Naive Bayes on tables as they are: nominal, numeric and missing values side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.counts import (
    ColumnCounts,
    Counts,
    LevelCounts,
    Moments,
    ValueCounts,
    count,
)
from hedgerow.data.decimals import DIGITS, significant
from hedgerow.data.discretize import METHODS, Discretizer, interval_codes
from hedgerow.data.schema import Column, Kind, Schema
from hedgerow.data.table import Numbers, Table
from hedgerow.errors import UsageError
from hedgerow.learn.classifier import CountingClassifier
from hedgerow.learn.params import choice, integer, mapping, real
from hedgerow.learn.passes import Plan
from hedgerow.models.distributions import Bins, Distributions, Factor, KernelDensity, Levels, Normal
from hedgerow.models.model import ClassModel

DENSITIES = ("normal", "kernel", "bins")


class NaiveBayes(CountingClassifier):
    """Bayes' rule with columns taken as independent given the class.

    P(class given row) is proportional to P(class) times P(value given class) of every column. Missing values are
    left out, in training and in prediction; a level unseen in training counts as missing. The model prints as the
    table of counts and parameters that it computes with.

    Notes
    -----
    Nominal columns: P(level given class) = (count + v_level) / (rows of the class + sum of v), with virtual rows v.
    `smoothing` puts so many on each level (1 is Laplace's estimator, 0 none); `m` shares so many out over the levels of
    a column, equally or by `level_priors` (the m-estimate, or mu-estimate).

    Numeric columns: `normal`, a normal curve a class; `kernel`, a small normal curve on every training value, of width
    range / sqrt(n); `bins`, intervals counted like levels. A standard deviation or width is at least the mean
    step between the column's values / sqrt(2 pi), so that equal values in one class are not more than certain.

    References
    ----------
    G. H. John and P. Langley, Estimating continuous distributions in Bayesian classifiers. UAI (1995).

    Examples
    --------
    >>> from hedgerow.data.table import Table
    >>> table = Table.of({"sky": ["sun", "sun", "rain", "rain"], "play": ["yes", "yes", "no", "yes"]}, "play")
    >>> print(NaiveBayes().train(table))
    play        yes   no
      P(class)  3/4  1/4
    <BLANKLINE>
    sky         yes   no
      sun       3/5  1/3
      rain      2/5  2/3
    """

    density: str = choice("normal", "how numeric columns are modeled", *DENSITIES)
    densities: Mapping[str, str] | None = mapping("the same for single columns, by name: age=kernel,income=bins")
    smoothing: float = real(1.0, "virtual rows on each level: 1 is Laplace's estimator, 0 none", low=0)
    m: float | None = real(
        None, "virtual rows shared over the levels of a column, instead of smoothing", low=0, none=True
    )
    level_priors: Mapping[str, Mapping[str, float]] | None = mapping(
        "for m: the priors of all levels of a column, by column and level; equal in other columns"
    )
    divisor: str = choice("n-1", "what the variance of a normal curve is divided by", "n-1", "n")
    discretizer: str = choice("mdl", "how bins are cut", *METHODS)
    bins: int = integer(10, "number of bins for width and frequency", low=2)

    def plan(self, schema: Schema) -> Plan:
        """Return the pass that counts every column by class."""
        models = {name: self._model_of(schema[name]) for name in self.densities or {} if name in schema}
        for name in (*(self.densities or {}), *(self.level_priors or {})):
            schema.index(name)
        numeric = [name for name in self.level_priors or {} if schema[name].kind is not Kind.NOMINAL]
        if numeric:
            raise UsageError(
                f"level_priors: {numeric[0]} is {schema[numeric[0]].kind}; only nominal columns have levels"
            )
        if self.level_priors is not None and self.m is None:
            raise UsageError("level_priors say how m virtual rows are shared out; give m too")
        return NaiveBayesPlan(schema, self, models)

    def _model_of(self, column: Column) -> str:
        chosen = str((self.densities or {})[column.name])
        if chosen not in DENSITIES:
            raise UsageError(f"densities: {column.name}={chosen} is not allowed; choose {', '.join(DENSITIES)}")
        if column.kind is not Kind.NUMERIC:
            raise UsageError(f"densities: {column.name} is {column.kind}; only numeric columns have a choice")
        return chosen


@dataclass(frozen=True)
class NaiveBayesPlan(Plan):
    """Count every column by class as its factor needs it, then turn counts into factors."""

    schema: Schema
    learner: NaiveBayes
    chosen: Mapping[str, str]

    def model_of(self, column: Column) -> str:
        """Return how a numeric column is modeled."""
        return self.chosen.get(column.name, self.learner.density)

    def counted_as(self, position: int) -> type[ColumnCounts]:
        """Return what to count of a predictor."""
        column = self.schema.columns[position]
        if column.kind is Kind.NOMINAL:
            return LevelCounts
        return Moments if self.model_of(column) == "normal" else ValueCounts

    def count(self, table: Table) -> Counts:
        """Return the counts of all columns."""
        predictors = set(self.schema.predictors)
        return count(table, [self.counted_as(i) if i in predictors else None for i in range(len(self.schema))])

    def advance(self, counts: Any) -> ClassModel:
        """Return the model."""
        curves = iter(normals([one for one in counts.columns if isinstance(one, Moments)], self.learner.divisor))
        factors = tuple(
            next(curves) if isinstance(counted, Moments) else counted and self.factor(column, counted)
            for column, counted in zip(self.schema.columns, counts.columns, strict=True)
        )
        return Distributions(self.schema, counts.classes, factors)

    def factor(self, column: Column, counts: LevelCounts | ValueCounts) -> Factor | None:
        """Return one column's factor; None if the column tells nothing."""
        if isinstance(counts, LevelCounts):
            return Levels(np.ascontiguousarray(counts.present), self.virtual(column))
        if self.model_of(column) == "kernel":
            return kernel_density(counts)
        cuts = Discretizer(self.learner.discretizer, self.learner.bins).cuts(counts)
        return binned(counts, cuts, self.shared_out(np.ones(len(cuts) + 1)))

    def virtual(self, column: Column) -> Numbers:
        """Return the virtual rows on each level of a nominal column."""
        given = (self.learner.level_priors or {}).get(column.name)
        if given is None:
            return self.shared_out(np.ones(len(column.levels)))
        if set(given) != set(column.levels):
            raise UsageError(f"level_priors: {column.name} needs a prior for each of {', '.join(column.levels)}")
        prior = np.array([float(given[level]) for level in column.levels])
        if (prior < 0).any() or abs(prior.sum() - 1) > 1e-9:
            raise UsageError(f"level_priors: those of {column.name} must be positive and sum to 1")
        return self.shared_out(prior)

    def shared_out(self, prior: Numbers) -> Numbers:
        """Return `smoothing` virtual rows on each level, or `m` shared out by the prior."""
        if self.learner.m is None:
            return np.full(len(prior), float(self.learner.smoothing))
        out: Numbers = float(self.learner.m) * prior / max(prior.sum(), 1e-300)
        return out


def normals(columns: Sequence[Moments], divisor: str) -> list[Normal | None]:
    """Return the normal curve of each class in each column, its parameters rounded to what prints.

    Classes without a value take the curve of the whole column. A column with a single value tells nothing.
    """
    if not columns:
        return []
    figures = np.array([counts.figures() for counts in columns])
    weight, mean, squares = figures[:, 0, :-1], figures[:, 1, :-1], figures[:, 2, :-1]
    total, all_mean, all_squares = figures[:, 0, -1:], figures[:, 1, -1:], figures[:, 2, -1:]
    overall = np.sqrt(np.divide(all_squares, total, out=np.zeros_like(total), where=total > 0))
    spreads: list[float] = overall[:, 0].tolist()
    least = [[least_deviation(one.values, spread)] for one, spread in zip(columns, spreads, strict=True)]
    rows = weight if divisor == "n" else weight - 1
    deviation = np.sqrt(np.divide(squares, rows, out=np.zeros_like(squares), where=rows > 0))
    deviation = np.maximum(deviation, least)
    empty = weight <= 0
    mean, deviation = np.where(empty, all_mean, mean), np.where(empty, overall, deviation)
    means = _kernels.near(mean.ravel(), 1e-5 * deviation.ravel()).reshape(mean.shape)
    deviations = _kernels.significant(deviation.ravel(), DIGITS).reshape(mean.shape)
    curves = zip(means, deviations, weight, strict=True)
    return [Normal(*curve) if spread > 0 else None for curve, spread in zip(curves, spreads, strict=True)]


def least_deviation(values: Numbers | None, overall: float) -> float:
    """Return the least standard deviation a class may have: the mean step between the ascending values / sqrt(2 pi).

    P(x plus or minus half a step) is about the step times the density, which at its peak is 1 / (deviation sqrt(2 pi)):
    with this deviation no value is more than certain. Where there are too many values to know the step, a thousandth
    of the deviation over all classes stands in.
    """
    if values is None or len(values) < 2:
        return overall / 1000
    return float(values[-1] - values[0]) / (len(values) - 1) / math.sqrt(2 * math.pi)


def kernel_density(counts: ValueCounts) -> KernelDensity | None:
    """Return a curve on every value, as wide as the range of the class over the square root of its rows."""
    if len(counts.values) < 2:
        return None
    total = counts.weights.sum(axis=0)
    least = least_deviation(counts.values, 0.0)
    width = []
    for klass in range(len(total)):
        held = counts.values[counts.weights[:, klass] > 0]
        spread = float(held[-1] - held[0]) if len(held) else float(counts.values[-1] - counts.values[0])
        width.append(significant(max(spread / np.sqrt(max(total[klass], 1.0)), least)))
    weights = counts.weights.copy()
    weights[:, total <= 0] = weights.sum(axis=1, keepdims=True)  # a class without a value: as the whole column
    return KernelDensity(counts.values, weights, np.array(width))


def binned(counts: ValueCounts, cuts: Numbers, virtual: Numbers) -> Bins | None:
    """Return the column cut into intervals; None if it is not cut at all."""
    if not len(cuts):
        return None
    table = np.zeros((len(cuts) + 1, counts.weights.shape[1]))
    np.add.at(table, interval_codes(counts.values, cuts), counts.weights)
    return Bins(table, virtual, cuts)
