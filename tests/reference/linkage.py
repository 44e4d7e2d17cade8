"""The reference implementation of the linkage kernels: the definition, pair by pair."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def distances(points: Numbers, cityblock: bool = False) -> Numbers:
    """Return the distances of all pairs of rows."""
    apart = points[:, None, :] - points[None, :, :]
    return np.abs(apart).sum(axis=2) if cityblock else np.sqrt(np.square(apart).sum(axis=2))


def height(
    linkage: str, apart: Numbers, weights: Numbers, one: list[int], other: list[int], points: Any = None
) -> float:
    """Return the height that two clusters, lists of rows, would be merged at."""
    between, pairs = apart[np.ix_(one, other)], np.outer(weights[one], weights[other])
    if linkage == "single":
        return float(between.min())
    if linkage == "complete":
        return float(between.max())
    if linkage == "average":
        return float((between * pairs).sum() / pairs.sum())
    if linkage == "group":
        rows = [*one, *other]
        within = np.triu(np.outer(weights[rows], weights[rows]), 1)
        own = sum(max(0.0, w * (w - 1) / 2) for w in weights[rows])  # a row of weight 2 is a pair at distance 0
        return float((within * apart[np.ix_(rows, rows)]).sum() / (within.sum() + own))
    a, b = weights[one].sum(), weights[other].sum()
    if points is not None:
        gap = np.average(points[one], axis=0, weights=weights[one]) - np.average(
            points[other], axis=0, weights=weights[other]
        )
        square = float(gap @ gap)
    else:  # squared distance of centers by distances alone

        def spread(rows: list[int]) -> float:
            w = weights[rows] / weights[rows].sum()
            return float(w @ np.square(apart[np.ix_(rows, rows)]) @ w)

        wa, wb = weights[one] / a, weights[other] / b
        square = max(0.0, float(wa @ np.square(between) @ wb) - (spread(one) + spread(other)) / 2)
    return square * a * b / (a + b) if linkage == "ward" else float(np.sqrt(square))


def merges(linkage: str, apart: Numbers, weights: Numbers, points: Any = None) -> list[tuple[int, int, float]]:
    """Merge the two closest clusters until one is left; return the lowest rows of both, and the height.

    Of equally close pairs the one with the lowest first row comes first, then the lowest second row.
    """
    clusters = {row: [row] for row in range(len(weights))}
    out = []
    while len(clusters) > 1:
        names = sorted(clusters)
        pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
        heights = [height(linkage, apart, weights, clusters[a], clusters[b], points) for a, b in pairs]
        best = int(np.argmin(heights))  # the first of equal ones
        a, b = pairs[best]
        out.append((a, b, heights[best]))
        clusters[a] += clusters.pop(b)
    return out
