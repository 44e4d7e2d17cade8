"""Initial centers: random points, or k-means++.

k-means++ draws each further center with probability proportional to the weighted squared distance to the nearest one so
far. As scikit-learn's, it draws 2 + log(k) candidates each time and takes the one that leaves the smallest sum of
squared distances (greedy k-means++). Points must be distinct and in an order that does not depend on how rows came
(`Points.distinct`); the draws are those of NumPy's default generator.

D. Arthur, S. Vassilvitskii, k-means++: the advantages of careful seeding. SODA (2007).
"""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table.table import Numbers
from hedgerow.data.table.threads import n_threads
from hedgerow.models.clusters.nearest_centers import nearest_centers

RANDOM, PLUS = SEEDS = ("random", "k-means++")


def dense_rows(points: Any, rows: Any) -> Numbers:
    """Return some points as a dense array."""
    some = points[rows]
    return np.ascontiguousarray(some if isinstance(some, np.ndarray) else some.toarray(), dtype=np.float64)


def choose_seeds(points: Any, weights: Numbers, k: int, how: str, chance: np.random.Generator) -> Numbers:
    """Return k of the points, which are distinct, as initial centers; k is at most the number of points."""
    if how == RANDOM:
        drawn = chance.choice(len(weights), k, replace=False, p=weights / weights.sum())
        return dense_rows(points, drawn)
    rows = [int(chance.choice(len(weights), p=weights / weights.sum()))]
    nearest = nearest_centers(points, dense_rows(points, rows))[1]
    trials = 2 + int(log(k))
    for _ in range(1, k):
        heaps = np.cumsum(weights * nearest)
        drawn = np.searchsorted(heaps, chance.random(trials) * heaps[-1], side="right")
        tried = np.unique(np.minimum(drawn, len(weights) - 1))
        best = int(tried[int(np.argmin(_potentials(points, weights, dense_rows(points, tried), nearest)))])
        rows.append(best)
        nearest = np.minimum(nearest, nearest_centers(points, dense_rows(points, [best]))[1])
        nearest[best] = 0.0
    return dense_rows(points, rows)


def _potentials(points: Any, weights: Numbers, tried: Numbers, nearest: Numbers) -> Numbers:
    """Return the sum of the squared distances that each candidate leaves."""
    if isinstance(points, np.ndarray) and points.shape[1]:
        return np.asarray(_kernels.compute_seed_potentials(points, weights, tried, nearest, n_threads()))
    each = [np.minimum(nearest, nearest_centers(points, one[None, :])[1]) @ weights for one in tried]
    return np.array(each)
