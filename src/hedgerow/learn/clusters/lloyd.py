"""Lloyd's passes by kernels: the same clusters as `lloyd_by_hand` from the same start, without all distances.

The fastest method was determined by measurements with 5,000 to a million points, 2 to 10 dimensions and 5 to 100
centers: bounds; but all distances for few points per center, which are computed sooner than the near centers are
sorted. Boxes of a kD-tree take longer to build than they save, even in two dimensions; they are used only on
request. All methods give the same result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table.table import Codes, Numbers
from hedgerow.data.table.threads import n_threads
from hedgerow.learn.clusters.lloyd_by_hand import refill
from hedgerow.models.clusters.nearest_centers import nearest_centers

SCAN, BOUNDS, TREE = WAYS = ("scan", "bounds", "tree")
FEW_POINTS = 200  # points per center up to which all distances are computed,
MANY_CENTERS = 24  # if there are at least so many
NO_WEIGHTS = np.empty(0)


@dataclass(frozen=True, eq=False)
class Clustering:
    """Centers, the cluster of every point, and each cluster's weight and sum of weighted squared distances."""

    centers: Numbers
    labels: Codes
    sizes: Numbers
    squares: Numbers
    passes: int
    converged: bool
    n_refilled: int = 0  # how often an empty cluster was given the farthest point

    @property
    def total(self) -> float:
        """The sum of the squared distances of all points."""
        return float(self.squares.sum())

    def drop_empty(self) -> Clustering:
        """Return the clusters that have points."""
        used = np.flatnonzero(self.sizes > 0)
        if len(used) == len(self.sizes):
            return self
        return self.reorder(used)

    def reorder(self, order: Any) -> Clustering:
        """Return the clusters in another order; those that are left out have no points."""
        place = np.zeros(len(self.sizes), dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        own = self.centers[order], place[self.labels], self.sizes[order], self.squares[order]
        return Clustering(*own, self.passes, self.converged, self.n_refilled)


def quickest_method(points: int, k: int) -> str:
    """Return the method that is fastest according to measurements."""
    return SCAN if k == 1 or (k >= MANY_CENTERS and points < FEW_POINTS * k) else BOUNDS


def lloyd(
    points: Any,
    weights: Numbers | None,
    centers: Numbers,
    passes: int = 1000,
    tolerance: float = 0.0,
    way: str | None = None,
) -> Clustering:
    """Return the clusters that result from Lloyd's passes from some centers; see `lloyd_by_hand`."""
    if weights is not None and (weights == 1).all():
        weights = None
    if not isinstance(points, np.ndarray):
        return _sparse_lloyd(
            points, np.ones(points.shape[0]) if weights is None else weights, centers, passes, tolerance
        )
    n, places = points.shape
    if not places:  # all points are the same
        weight = float(n) if weights is None else float(weights.sum())
        only = np.zeros(n, dtype=np.int32)
        return Clustering(centers[:1], only, np.array([weight]), np.zeros(1), 1, True)
    centers = np.array(centers, dtype=np.float64, order="C")
    labels = np.empty(n, dtype=np.int32)
    way = way or quickest_method(n, len(centers))
    taken, settled, refilled, sizes, squares = _kernels.run_kmeans(
        np.ascontiguousarray(points),
        NO_WEIGHTS if weights is None else np.ascontiguousarray(weights),
        centers,
        labels,
        WAYS.index(way),
        passes,
        float(tolerance),
        n_threads(),
    )
    return Clustering(centers, labels, sizes, squares, taken, settled, refilled)


def _sparse_lloyd(points: Any, weights: Numbers, centers: Numbers, passes: int, tolerance: float) -> Clustering:
    """Return the same for sparse points: all distances by matrix products."""
    from scipy.sparse import csr_array

    n, k, refilled, settled, last = points.shape[0], len(centers), 0, False, False
    before: Codes | None = None
    number = 0
    while True:
        labels, own = nearest_centers(points, centers)
        number += 1
        if before is not None and (labels == before).all():
            settled = True
        if settled or last:
            break
        refilled += len(refill(labels, own, k))
        member = csr_array((weights, (labels, np.arange(n))), shape=(k, n))
        sizes = np.bincount(labels, weights, k)
        moved = centers.copy()
        moved[sizes > 0] = ((member @ points).toarray() / np.where(sizes > 0, sizes, 1)[:, None])[sizes > 0]
        way = float(((moved - centers) ** 2).sum())
        last = number >= passes or (tolerance > 0 and way <= tolerance)
        settled = settled or (tolerance > 0 and way <= tolerance)
        centers, before = moved, labels
        if settled:
            labels, own = nearest_centers(points, centers)
            break
    added = np.bincount(labels, weights, k)
    squares = np.bincount(labels, weights * own, k).astype(np.float64)
    return Clustering(centers, labels, added.astype(np.float64), squares, number, settled, refilled)
