"""Category utility: how much better the values of rows can be guessed once their cluster is known.

Of clusters C_1 .. C_k of rows whose weight is W it is

    (1 / k) * sum over l of P(C_l) * sum over columns of (s(C_l) - s(all rows)),

where s is the probability of guessing a value correctly if values are guessed in proportion to their frequencies: the
sum of the squared shares of the levels of a nominal column, and 1 / (2 sqrt(pi) deviation) of a numeric one, which is
the integral of the squared normal density. A deviation below the acuity is taken to be the acuity, as that of a single
row is 0.

A missing value is left out of the counts of its column, and the column then counts by the share of rows where it is
known: with Q(C) = sum over columns of (weight known in C) * s(C) it is (Q(C_1) + .. + Q(C_k) - Q(all)) / (k W).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.errors import DataError, ModelError
from hedgerow.models.base.checked_parts import expect_parts, numbers_part

DENSITY = 1 / (2 * math.sqrt(math.pi))  # times 1 / deviation: the integral of the squared normal density
SCALES = ("deviation", "none")
DIVISORS = ("n", "n-1")
FARTHEST = 1e150  # in units of a column, so that squares stay numbers
ROUNDING = 1e-13  # of the largest score: utilities that differ by less are equal
SMALLEST = math.ulp(0.0)  # of the numbers above 0: a unit that would be less is taken as this
MOST_CELLS = 1 << 22  # counted in a table of clusters by levels


@dataclass(frozen=True, eq=False)
class UtilityScale:
    """How the columns of a table are measured: numbers are taken from a center, in a unit of their column."""

    numbers: tuple[int, ...]  # positions of the numeric columns
    nominal: tuple[int, ...]
    centers: Numbers
    units: Numbers
    acuity: float  # the least deviation, in units
    lacking: float  # the weight of the rows minus the divisor of a variance: 0 or 1

    @classmethod
    def of(cls, table: Table, acuity: float | None = None, scale: str = "deviation", divisor: str = "n") -> Self:
        """Return the measure of a table's predictors.

        By default the unit of a numeric column is its deviation, and the acuity 1 / (2 sqrt(pi)) = 0.282 of it: a
        cluster with but one value then scores 1, as one with but one level does. On the scale "none" numbers are taken
        as they are, and the acuity is 1, as in Weka.
        """
        schema, lacking = table.schema, float(divisor == "n-1")
        numbers = tuple(at for at in schema.predictors if schema.columns[at].kind is Kind.NUMERIC)
        nominal = tuple(at for at in schema.predictors if schema.columns[at].kind is Kind.NOMINAL)
        spread = [_spread(table.numbers(at), table.row_weights, lacking) for at in numbers]
        centers = np.array([center for center, _ in spread], dtype=np.float64)
        units = np.array([unit if scale == "deviation" else 1.0 for _, unit in spread], dtype=np.float64)
        if acuity is None:
            acuity = DENSITY if scale == "deviation" else 1.0
        return cls(numbers, nominal, centers, units, float(acuity), lacking)

    @property
    def tie(self) -> float:
        """The difference up to which utilities are equal."""
        return ROUNDING * max(1.0, len(self.numbers) * DENSITY / self.acuity + len(self.nominal))

    def scale_numbers(self, table: Table) -> Numbers:
        """Return the numbers of a table, as columns; NaN and infinite values are missing."""
        out = np.empty((table.n_rows, len(self.numbers)))
        for place, at in enumerate(self.numbers):
            values = table.numbers(at)
            with np.errstate(over="ignore", invalid="ignore"):
                # halves, so that nothing overflows
                own = (values / 2 - self.centers[place] / 2) / self.units[place] * 2
            out[:, place] = np.where(np.isfinite(values), np.clip(own, -FARTHEST, FARTHEST), np.nan)
        return out

    def codes(self, table: Table) -> Codes:
        """Return the codes of a table's nominal columns side by side; -1 is missing."""
        out = np.empty((table.n_rows, len(self.nominal)), dtype=np.int32)
        for place, at in enumerate(self.nominal):
            out[:, place] = table.codes(at)
        return out

    def number_scores(self, known: Numbers, squares: Numbers) -> Numbers:
        """Return the scores of numeric columns from their known weights and squared differences from the mean."""
        deviation = np.sqrt(squares / np.where(known > self.lacking, known - self.lacking, np.inf))
        scores: Numbers = known * DENSITY / np.maximum(deviation, self.acuity)
        return scores

    def to_dict(self) -> dict[str, Any]:
        """Return the parts for a file; the columns follow from the schema."""
        return {"centers": self.centers, "units": self.units, "acuity": self.acuity, "lacking": self.lacking}

    @classmethod
    def from_dict(cls, parts: Any, schema: Schema) -> Self:
        """Build the measure of a schema's predictors from its parts."""
        expect_parts(parts, "centers", "units", "acuity", "lacking")
        numbers = tuple(at for at in schema.predictors if schema.columns[at].kind is Kind.NUMERIC)
        nominal = tuple(at for at in schema.predictors if schema.columns[at].kind is Kind.NOMINAL)
        centers, units = (numbers_part(parts, name, len(numbers)) for name in ("centers", "units"))
        acuity, lacking = parts["acuity"], parts["lacking"]
        if (units <= 0).any():
            raise ModelError("its units must be above 0")
        if not isinstance(acuity, float) or not 0 < acuity < math.inf:
            raise ModelError("its acuity must be a number above 0")
        if not isinstance(lacking, float) or lacking not in (0.0, 1.0):
            raise ModelError("the divisor of its variances must be reduced by 0.0 or 1.0")
        return cls(numbers, nominal, centers, units, acuity, lacking)


def category_utility(
    table: Table, clusters: Any, *, acuity: float | None = None, scale: str = "deviation", divisor: str = "n"
) -> float:
    """Return the category utility of the clusters of a table's rows, given by number; -1 is a row without one.

    Numeric columns are scaled as in `UtilityScale.of`, by all rows that have a cluster.

    Examples
    --------
    >>> table = Table.of({"x": [1, 2, 3, 11, 12, 13]})
    >>> round(category_utility(table, [0, 0, 0, 1, 1, 1], acuity=0.1, scale="none"), 6)
    0.144906
    """
    numbers = np.asarray(clusters)
    if numbers.shape != (table.n_rows,) or (numbers.size and numbers.dtype.kind not in "iu"):
        raise DataError(f"clusters must be given as {table.n_rows} whole numbers, one per row")
    taken = np.flatnonzero((numbers >= 0) & (table.row_weights > 0))
    if not len(taken):
        return 0.0
    rows = table.take(taken)
    which, labels = np.unique(numbers[taken], return_inverse=True)
    measure = UtilityScale.of(rows, acuity, scale, divisor)
    weights, k = rows.row_weights, len(which)
    gain = _number_gain(measure, rows, labels, k)
    for at in measure.nominal:
        gain += _level_gain(rows.codes(at), labels, weights, k, len(rows.schema.columns[at].levels))
    return gain / (k * float(weights.sum()))


def _number_gain(measure: UtilityScale, rows: Table, labels: NDArray[np.intp], k: int) -> float:
    """Return the sum of the scores of numeric columns in the clusters, minus those of all rows."""
    gain, values = 0.0, measure.scale_numbers(rows)
    for place in range(values.shape[1]):
        known = ~np.isnan(values[:, place])
        own, where, weights = values[known, place], labels[known], rows.row_weights[known]
        scores = [
            measure.number_scores(*_squares(own, groups, weights, n)).sum()
            for groups, n in ((where, k), (np.zeros_like(where), 1))
        ]
        gain += float(scores[0] - scores[1])
    return gain


def _squares(values: Numbers, groups: NDArray[np.intp], weights: Numbers, n: int) -> tuple[Numbers, Numbers]:
    """Return the weight of each group, and its squared differences from its mean added up."""
    known = np.bincount(groups, weights, n).astype(np.float64)
    means = np.bincount(groups, weights * values, n) / np.where(known > 0, known, 1.0)
    return known, np.bincount(groups, weights * (values - means[groups]) ** 2, n).astype(np.float64)


def _level_gain(codes: Codes, labels: NDArray[np.intp], weights: Numbers, k: int, levels: int) -> float:
    """Return the sum of the scores of a nominal column in the clusters, minus that of all rows."""
    known = codes >= 0
    own, where, weights = codes[known].astype(np.int64), labels[known].astype(np.int64), weights[known]
    if not len(own):
        return 0.0
    cells = where * levels + own
    if k * levels > MOST_CELLS:
        cells, places = np.unique(cells, return_inverse=True)
        groups, counts = cells // levels, np.bincount(places, weights)
    else:
        groups, counts = np.repeat(np.arange(k), levels), np.bincount(cells, weights, k * levels)
    squares, total = np.bincount(groups, counts**2, k), np.bincount(groups, counts, k)
    inside = float((squares[total > 0] / total[total > 0]).sum())
    return inside - float((np.bincount(own, weights, levels) ** 2).sum() / weights.sum())


def _spread(values: Numbers, weights: Numbers, lacking: float) -> tuple[float, float]:
    """Return the mean and the deviation of a column; 1 for a deviation of 0. Shares of the largest cannot overflow."""
    known = np.isfinite(values)
    own, weights = values[known], weights[known]
    largest = float(np.abs(own).max(initial=0.0))
    if not largest:
        return 0.0, 1.0
    total = float(weights.sum())
    mean = float((weights * (own / largest)).sum() / total)
    squares = float((weights * (own / largest - mean) ** 2).sum())
    deviation = math.sqrt(squares / (total - lacking)) if total > lacking else 0.0
    unit = min(deviation, float(np.finfo(np.float64).max) / largest) * largest  # not infinite, as n - 1 may make it
    return mean * largest, max(unit, SMALLEST) if deviation > 1e-14 else 1.0
