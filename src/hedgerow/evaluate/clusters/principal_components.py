"""Principal components: the directions in which points are spread most, to see them on paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.data.table.table import Numbers

MOST_PLACES = 1000  # up to which all products of places are taken
ROUNDS = 60  # of the iteration for more places
TINY = 1e-12


@dataclass(frozen=True, eq=False)
class PrincipalComponents:
    """The mean of points, directions of length 1 (lines), the variance along each, and that of all directions."""

    mean: Numbers
    directions: Numbers  # (components, places)
    variances: Numbers
    total: float

    @property
    def shares(self) -> Numbers:
        """The share of all variance that each has."""
        return self.variances / self.total if self.total > 0 else np.zeros(len(self.variances))

    def project(self, matrix: Any) -> Numbers:
        """Return the coordinates of points along the directions (points, components)."""
        return np.asarray(matrix @ self.directions.T - self.mean @ self.directions.T)


def components(matrix: Any, weights: Numbers, n: int = 2) -> PrincipalComponents:
    """Return the first principal components of points, dense or sparse, which are never converted to dense form.

    The sign of a direction is such that its largest entry is positive. There may be fewer than `n`.
    """
    width, total = matrix.shape[1], weights.sum()
    mean = np.asarray(weights @ matrix) / total
    squares = matrix**2 if isinstance(matrix, np.ndarray) else matrix.multiply(matrix)
    spread = float((np.asarray(weights @ squares).ravel() / total - mean**2).clip(0).sum())
    if width <= MOST_PLACES:
        dense = matrix if isinstance(matrix, np.ndarray) else None
        if dense is not None:
            around = (dense - mean) * np.sqrt(weights / total)[:, None]
            products = around.T @ around
        else:
            scaled = matrix.multiply(weights[:, None] / total).tocsr()
            products = np.asarray((matrix.T @ scaled).toarray()) - np.outer(mean, mean)
        values, vectors = np.linalg.eigh(products) if width else (np.zeros(0), np.zeros((0, 0)))
        values, found = values[::-1][:n], vectors.T[::-1][:n]
    else:
        values, found = _iterate_subspace(matrix, weights / total, mean, n)
    kept = values > TINY * max(spread, 1e-300)
    found = np.ascontiguousarray(found[kept])
    for direction in found:
        if direction[np.abs(direction).round(9).argmax()] < 0:
            direction *= -1
    return PrincipalComponents(mean, found, values[kept].astype(np.float64), spread)


def _iterate_subspace(matrix: Any, shares: Numbers, mean: Numbers, n: int) -> tuple[Numbers, Numbers]:
    """Return the largest eigenvalues and vectors of the covariance by subspace iteration, without its matrix."""
    basis = np.linalg.qr(np.random.default_rng(1).normal(size=(matrix.shape[1], n + 4)))[0]
    for _ in range(ROUNDS):
        image = _covariance(matrix, shares, mean, basis)
        basis = np.linalg.qr(image)[0]
    small = basis.T @ _covariance(matrix, shares, mean, basis)
    values, vectors = np.linalg.eigh((small + small.T) / 2)
    return values[::-1][:n], (basis @ vectors).T[::-1][:n]


def _covariance(matrix: Any, shares: Numbers, mean: Numbers, basis: Numbers) -> Numbers:
    along = np.asarray(matrix @ basis) - mean @ basis
    along *= shares[:, None]
    return np.asarray(matrix.T @ along) - np.outer(mean, along.sum(axis=0))
