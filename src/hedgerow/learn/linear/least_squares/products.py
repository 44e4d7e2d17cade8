"""Products of positions: the sufficient statistics of least squares, computed in one pass over the rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.design.design import Design
from hedgerow.data.design.design_counts import NumberCounts
from hedgerow.data.table.table import Numbers, Table
from hedgerow.data.table.threads import n_threads
from hedgerow.errors import DataError

MOST_PLACES = 5000  # positions whose products are stored: 200 MB
EQUAL = 1e-12  # a position whose variance is a smaller share of its squares is constant


@dataclass(frozen=True, eq=False)
class Products:
    """Weighted sums of products of the positions z, the target and 1; sums of disjoint rows add with `+`.

    Numbers and the target are centered and divided by their deviations first, which preserves precision and avoids
    overflow; the properties are on that scale, unless they say that they are on the user's. Without an intercept
    deviations are from 0, not from the means.
    """

    design: Design
    target: NumberCounts
    sums: Numbers  # (places + 2, places + 2): the positions, the target, 1
    intercept: bool = True

    @classmethod
    def of(cls, design: Design, target: NumberCounts, table: Table, *, intercept: bool = True) -> Products:
        """Return the sums of a table."""
        check_width(design.width)
        if design.is_sparse(table):
            return cls(design, target, _sparse_sums(design, target, table), intercept)
        arrays, tables, widths, centers, factors = design.kernel_columns(table)
        arrays.append(np.ascontiguousarray(table.target_numbers))
        tables.append(None)
        widths.append(1)
        centers.append(target.mean)
        factors.append(1 / target.deviation if target.deviation > 0 else 0.0)
        flat = _kernels.compute_gram(
            arrays, tables, widths, np.array(centers), np.array(factors), table.weights, table.n_rows, n_threads()
        )
        return cls(design, target, flat.reshape(design.width + 2, design.width + 2), intercept)

    def __add__(self, other: Products) -> Products:
        return Products(self.design, self.target, self.sums + other.sums, self.intercept)

    @property
    def weight(self) -> float:
        """The weight of all rows."""
        return float(self.sums[-1, -1])

    @cached_property
    def means(self) -> Numbers:
        """The mean of every position."""
        return np.asarray(self.sums[-1, :-2] / self.weight)

    @cached_property
    def centered_products(self) -> Numbers:
        """Sums of products of the positions and the target as deviations from the means; without intercept from 0."""
        totals = self.sums[-1, :-1]
        if not self.intercept:
            origin = np.append(self.design.centers / self.units, self.target.mean / self.target_unit)
            crossed = np.outer(origin, totals)
            return np.asarray(self.sums[:-1, :-1] + crossed + crossed.T + self.weight * np.outer(origin, origin))
        out = self.sums[:-1, :-1] - np.outer(totals, totals) / self.weight
        flat = np.diagonal(out) <= EQUAL * np.diagonal(self.sums)[:-1]
        out[flat] = 0.0
        out[:, flat] = 0.0
        return np.asarray(out)

    @cached_property
    def units(self) -> Numbers:
        """The size of one unit of z on the user's scale; 0 if all numbers are equal, unless there is no intercept."""
        if self.intercept:
            return self.design.scales
        size = np.abs(self.design.centers)
        return np.where(self.design.scales > 0, self.design.scales, np.where(size > 0, size, 1.0))

    @property
    def target_unit(self) -> float:
        """The size of one unit of the target on the user's scale; 0 if all are equal, unless there is no intercept."""
        return self.target.deviation if self.intercept else self.target.deviation or abs(self.target.mean) or 1.0

    @cached_property
    def user_means(self) -> Numbers:
        """The means of the positions on the user's scale; 0 without intercept."""
        if not self.intercept:
            return np.zeros(self.design.width)
        return np.asarray(self.design.centers + self.means * self.units)

    @property
    def target_mean(self) -> float:
        """The mean of the target on the user's scale; 0 without intercept."""
        if not self.intercept:
            return 0.0
        return self.target.mean + float(self.sums[-1, -2]) / self.weight * self.target_unit

    @property
    def target_deviation(self) -> float:
        """The standard deviation of the target on the user's scale; without intercept its root mean square."""
        if self.intercept:
            return self.target_unit
        return float(np.sqrt(max(float(self.centered_products[-1, -1]), 0.0) / self.weight)) * self.target_unit

    @cached_property
    def deviations(self) -> Numbers:
        """The standard deviations of the positions on the user's scale; without intercept their root mean squares."""
        spread = np.sqrt(np.maximum(np.diagonal(self.centered_products)[:-1], 0.0) / self.weight)
        return np.asarray(spread * self.units)


@dataclass(frozen=True, eq=False)
class Means:
    """Means and standard deviations of positions and target on the user's scale, as needed for rounding.

    Without an intercept the means are 0, and deviations are root mean squares.
    """

    weight: float
    places: Numbers
    deviations: Numbers
    target: float
    target_deviation: float
    intercept: bool = True

    @classmethod
    def of(cls, products: Products) -> Means:
        """Return the moments from products."""
        return cls(
            products.weight,
            products.user_means,
            products.deviations,
            products.target_mean,
            products.target_deviation,
            products.intercept,
        )

    @classmethod
    def of_rows(cls, design: Design, target: NumberCounts, table: Table, *, intercept: bool = True) -> Means:
        """Return the moments of a sparse matrix with more columns than products can be stored for."""
        matrix, weights = design.matrix(table), table.row_weights
        total = float(weights.sum())
        squares = np.asarray((matrix * matrix).T @ weights).ravel() / total
        if not intercept:
            size = float(np.hypot(target.mean, target.deviation))
            return cls(total, np.zeros(design.width), np.sqrt(squares), 0.0, size, intercept)
        means = np.asarray(matrix.T @ weights).ravel() / total
        spread = np.sqrt(np.maximum(squares - np.square(means), 0.0))
        return cls(total, means, spread, target.mean, target.deviation)


def check_width(width: int, advice: str = "keep fewer terms (most=1000, min_rows=5)") -> None:
    """Raise an error if there are more positions than products can be stored for."""
    if width > MOST_PLACES:
        raise DataError(
            f"the design has {width:,} columns (one per level and term), and the products of more than "
            f"{MOST_PLACES:,} are not kept in memory; {advice}"
        )


def _sparse_sums(design: Design, target: NumberCounts, table: Table) -> Numbers:
    """Return the same sums of a sparse matrix."""
    y = table.target_numbers - target.mean
    y = y / target.deviation if target.deviation > 0 else np.zeros(len(y))
    return sparse_sums(design, table, y[:, None])


def sparse_sums(design: Design, table: Table, targets: Any) -> Numbers:
    """Return the sums of positions, targets (columns of a NumPy or SciPy array) and 1.

    They are products of the stored entries, centered algebraically.
    """
    from scipy.sparse import csr_array, diags_array

    matrix, weights = design.matrix(table), table.row_weights
    factors = np.where(design.scales > 0, 1 / np.where(design.scales > 0, design.scales, 1.0), 0.0)
    scaled = csr_array(matrix @ diags_array(factors))
    shift = design.centers * factors  # z = scaled - shift
    weighed, weighed_y = csr_array(diags_array(weights) @ scaled), diags_array(weights) @ targets
    sums, total = np.asarray(weighed.sum(axis=0)).ravel(), float(weights.sum())
    sums_y = np.asarray(weighed_y.sum(axis=0)).ravel()
    n = design.width
    out = np.empty((n + targets.shape[1] + 1, n + targets.shape[1] + 1))
    crossed = np.outer(shift, sums)
    out[:n, :n] = (scaled.T @ weighed).toarray() - crossed - crossed.T + total * np.outer(shift, shift)
    out[:n, n:-1] = _dense(scaled.T @ weighed_y) - np.outer(shift, sums_y)
    out[n:-1, :n] = out[:n, n:-1].T
    out[n:-1, n:-1] = _dense(targets.T @ weighed_y)
    out[-1, :-1] = out[:-1, -1] = np.concatenate([sums - total * shift, sums_y])
    out[-1, -1] = total
    return out


def _dense(products: Any) -> Numbers:
    return np.asarray(products.toarray() if hasattr(products, "toarray") else products)
