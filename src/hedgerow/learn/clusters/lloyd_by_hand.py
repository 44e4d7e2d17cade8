"""Lloyd's k-means in plain NumPy: all distances, all passes. `lloyd` gives the same clusters faster.

S. P. Lloyd, Least squares quantization in PCM. IEEE Transactions on Information Theory 28 (1982).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum

import numpy as np

from hedgerow.data.table.table import Codes, Numbers


@dataclass(frozen=True, eq=False)
class LloydStep:
    """A pass: the old centers, the cluster of each point, the weighted squared distances, and the new centers."""

    centers: Numbers
    labels: Codes
    squares: float
    moved: Numbers
    refilled: tuple[int, ...] = ()  # empty clusters that were given a point


def lloyd_by_hand(
    points: Numbers, weights: Numbers, centers: Numbers, passes: int = 1000, tolerance: float = 0.0
) -> list[LloydStep]:
    """Return the passes, up to the one in which no point changes its cluster.

    With a tolerance, the pass after the centers have moved by no more (the sum of the squared moves) is the last, as is
    the last of `most_passes`.

    >>> steps = lloyd_by_hand(np.array([[1.0], [2], [10], [11]]), np.ones(4), np.array([[1.0], [2]]))
    >>> [step.labels.tolist() for step in steps], steps[-1].squares
    ([[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]], 1.0)
    """
    steps: list[LloydStep] = []
    before, last = None, False
    while True:
        squares = squared_distances(points, centers)
        labels = squares.argmin(axis=1).astype(np.int32)
        own = squares[np.arange(len(points)), labels]
        total = fsum((weights * own).tolist())
        same = before is not None and bool((labels == before).all())
        if same or last:
            return [*steps, LloydStep(centers, labels, total, centers)]
        refilled = refill(labels, own, len(centers))
        moved = means(points, weights, labels, centers)
        steps.append(LloydStep(centers, labels, total, moved, refilled))
        way = float(((moved - centers) ** 2).sum())
        last = len(steps) >= passes or (tolerance > 0 and way <= tolerance)
        centers, before = moved, labels


def squared_distances(points: Numbers, centers: Numbers) -> Numbers:
    """Return the squared distance of every point to every center, summed in the order of the positions."""
    out = np.zeros((len(points), len(centers)))
    for place in range(points.shape[1]):
        by = points[:, place, None] - centers[None, :, place]
        out += by * by
    return out


def refill(labels: Codes, own: Numbers, k: int) -> tuple[int, ...]:
    """Give the farthest point to each empty cluster, if it is not on its center or alone; return the clusters."""
    counts = np.bincount(labels, minlength=k)
    far, done = own.copy(), []
    for cluster in np.flatnonzero(counts == 0).tolist():
        far[counts[labels] < 2] = 0
        row = int(far.argmax())
        if not far[row] > 0:
            break
        counts[labels[row]] -= 1
        counts[cluster] += 1
        labels[row] = cluster
        far[row] = 0
        done.append(cluster)
    return tuple(done)


def means(points: Numbers, weights: Numbers, labels: Codes, centers: Numbers) -> Numbers:
    """Return the mean of every cluster's points; the old center of a cluster that has none."""
    out = centers.copy()
    for cluster in range(len(centers)):
        mine = labels == cluster
        if mine.any():
            own, weight = points[mine] * weights[mine, None], fsum(weights[mine].tolist())
            out[cluster] = [fsum(own[:, place].tolist()) / weight for place in range(points.shape[1])]
    return out
