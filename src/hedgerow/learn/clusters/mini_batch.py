"""Mini-batch k-means: centers move a little toward the rows of one batch after the other.

A center that has had rows of weight n moves by the share w / n toward the mean of its rows of a batch, where w is their
weight and n counts them too, so that it is the mean of all rows ever assigned to it (D. Sculley, Web-scale k-means
clustering, WWW 2010). After each pass over the rows the sum of squared distances shows whether it still decreases.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.data.table.table import Numbers, Table
from hedgerow.learn.clusters.lloyd import Clustering, lloyd
from hedgerow.learn.clusters.merged_profiles import merge_profiles
from hedgerow.models.clusters.centers import Centers
from hedgerow.models.clusters.nearest_centers import nearest_centers

LEAST_GAIN = 1e-3  # relative decrease of the squared distances in a pass that warrants another pass


def mini_batch(
    points: Any, weights: Numbers, centers: Numbers, batch: int, passes: int, chance: np.random.Generator
) -> Clustering:
    """Return the clusters that result from random batches of rows and some centers."""
    centers, counts = centers.copy(), np.zeros(len(centers))
    n, before, number, settled = points.shape[0], np.inf, 0, False
    while number < passes and not settled:
        number += 1
        order, total = chance.permutation(n), 0.0
        for start in range(0, n, batch):
            rows = np.sort(order[start : start + batch])
            total += step(points[rows], weights[rows], centers, counts)
        settled = total > before * (1 - LEAST_GAIN)
        before = min(before, total)
    clustering = lloyd(points, weights, centers, passes=1)  # all rows once: empty clusters, and the true means
    return Clustering(
        clustering.centers,
        clustering.labels,
        clustering.sizes,
        clustering.squares,
        number,
        settled,
        clustering.n_refilled,
    )


def step(points: Any, weights: Numbers, centers: Numbers, counts: Numbers) -> float:
    """Move centers toward the rows of a batch, in place; return the sum of the squared distances before that."""
    labels, squares = nearest_centers(points, centers)
    k = len(centers)
    added = np.bincount(labels, weights, k)
    sums = batch_sums(points, weights, labels, k)
    some = added > 0
    counts += added
    centers[some] += (sums[some] - added[some, None] * centers[some]) / counts[some, None]
    return float(weights @ squares)


def batch_sums(points: Any, weights: Numbers, labels: Any, k: int) -> Numbers:
    """Return the weighted sum of the points of every cluster."""
    from scipy.sparse import csr_array

    member = csr_array((weights, (labels, np.arange(len(labels)))), shape=(k, len(labels)))
    sums = member @ points
    return np.asarray(sums if isinstance(sums, np.ndarray) else sums.toarray())


def update_centers(model: Centers, table: Table) -> Centers:
    """Return the model after some more rows: centers move as by a batch, and profiles and sums are those of all rows.

    The squared distances of earlier rows are not updated.
    """
    from hedgerow.models.clusters.profile import Profile

    points, weights = model.space.points(table), table.row_weights
    centers, counts = model.points.copy(), model.profile.sizes.copy()
    step(points, weights, centers, counts)
    labels, squares = nearest_centers(points, centers)
    k = len(model)
    own = Profile.of(table, labels, k, dict(model.space.design.term_spaces))
    sums = model.squares + np.bincount(labels, weights * squares, k)
    profile = merge_profiles(model.profile, own.with_schema(model.schema))
    return Centers(model.schema, profile, model.space, centers, sums, model.passes + 1, False, about=model.about)
