"""The code length of a cluster's rows in bits, which decides whether to split it (minimum description length).

The rows of a cluster are encoded by its center, and then each row relative to it.

- A column of numbers is encoded in steps of `precision` times the range R of its points among all rows. The center
  takes its mean and its standard deviation s, log2(R / step + 1) bits each. Each row takes the bits of a normal
  distribution with these, log2(sqrt(2 pi e (s² + step² / 12)) / step) on average: the difference from the center,
  where step² / 12 is what rounding to steps adds to the variance, so that no row takes a negative number of bits.
- A column of levels: the center takes the weight of each level, log2(n + 1) bits each, n being the weight of the
  cluster; each row takes the entropy of the shares of the levels.
- A text: every term is a column of numbers, its weight.

A missing value is placed at the mean of all rows and encoded like any other. Two clusters in place of one take the bits
of both, and for each row which of the two it is in: n times the entropy of their shares. (M263 and M264 leave the code
open.)
"""

from __future__ import annotations

from dataclasses import dataclass
from math import e, log2, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.design.blocks import LevelBlock
from hedgerow.data.table.table import Numbers
from hedgerow.learn.clusters.points import HALF, ClusterPoints


@dataclass(frozen=True, eq=False)
class CodeLength:
    """The columns of points and the steps in which their numbers are encoded; see above."""

    numbers: NDArray[np.int64]  # positions
    steps: Numbers  # of these positions
    number_bits: float  # bits of the mean and deviation of all of them
    levels: tuple[slice, ...]

    @classmethod
    def of(cls, points: ClusterPoints, precision: float) -> CodeLength:
        """Return the code of some points."""
        design = points.space.design
        numbers: list[int] = []
        levels: list[slice] = []
        for (_, part), start in zip(design.used_blocks, design.starts, strict=False):
            if isinstance(part, LevelBlock):
                levels.append(slice(start, start + part.width))
            else:
                numbers += range(start, start + part.width)
        places = np.array(numbers, dtype=np.int64)
        own = points.matrix[:, places]
        ranges = np.ptp(own, axis=0) if isinstance(own, np.ndarray) else _sparse_ranges(own)
        return cls(places, precision * ranges, 2 * len(places) * log2(1 / precision + 1), tuple(levels))

    def bits(self, matrix: Any, weights: Numbers) -> float:
        """Return the bits of the rows of one cluster.

        >>> code = CodeLength(np.array([0]), np.array([1.0]), 10.0, ())
        >>> round(code.bits(np.array([[1.0], [3.0]]), np.ones(2)), 6)  # 10 + 2 log2(sqrt(2 pi e (1 + 1/12)))
        14.209668
        """
        n = float(weights.sum())
        own = matrix[:, self.numbers]
        if isinstance(own, np.ndarray):
            variances = weights @ (own - weights @ own / n) ** 2 / n
        else:
            variances = np.maximum(weights @ own.multiply(own).tocsr() / n - (weights @ own / n) ** 2, 0.0)
        used = self.steps > 0
        ratios = variances[used] / self.steps[used] ** 2 + 1 / 12
        total = self.number_bits + n * 0.5 * float(np.log2(2 * pi * e * ratios).sum())
        for part in self.levels:
            shares = weights @ matrix[:, part] / n / HALF
            total += (part.stop - part.start) * log2(n + 1) + n * entropy(shares)
        return total


def _sparse_ranges(matrix: Any) -> Numbers:
    if not matrix.shape[1]:
        return np.zeros(0)
    return np.asarray(matrix.max(axis=0).toarray() - matrix.min(axis=0).toarray(), dtype=np.float64).ravel()


def entropy(shares: Numbers) -> float:
    """Return the entropy of shares in bits.

    >>> entropy(np.array([0.5, 0.25, 0.25, 0.0]))
    1.5
    """
    some = shares[shares > 0]
    return float(-(some * np.log2(some)).sum()) + 0.0
