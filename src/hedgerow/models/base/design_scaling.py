"""Frame: the centering and scaling of the positions of a design for solvers and kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.data.design.design import Design
from hedgerow.data.table.table import Numbers


@dataclass(frozen=True, eq=False)
class DesignScaling:
    """The scaling of positions: z = (x - center) * factor. A factor of 0 hides a position.

    Of sparse rows, positions that have a center become dense; they should be few, with a number in every row.

    >>> DesignScaling(np.array([10.0, 0.0]), np.array([0.5, 1.0])).apply(np.array([[12.0, 1.0], [10.0, 0.0]])).tolist()
    [[1.0, 1.0], [0.0, 0.0]]
    """

    centers: Numbers
    factors: Numbers

    @classmethod
    def plain(cls, width: int) -> DesignScaling:
        """Return the frame that changes nothing."""
        return cls(np.zeros(width), np.ones(width))

    @classmethod
    def identity(cls, design: Design) -> DesignScaling:
        """Return the frame that changes nothing, except that it hides constant positions."""
        return cls(np.zeros(design.width), np.where(design.scales > 0, 1.0, 0.0))

    @classmethod
    def standardizing(cls, design: Design) -> DesignScaling:
        """Return the frame that standardizes numbers and hides constant positions."""
        scales = design.scales
        return cls(design.centers, np.where(scales > 0, 1 / np.where(scales > 0, scales, 1.0), 0.0))

    def to_user_scale(self, theta: Numbers) -> tuple[Numbers, Numbers]:
        """Return intercepts and slopes of the user's columns; theta is one line per function, its intercept last."""
        slopes = theta[:, :-1] * self.factors
        return theta[:, -1] - slopes @ self.centers, slopes

    def from_user_scale(self, intercepts: Numbers, slopes: Numbers) -> Numbers:
        """Return theta of intercepts and slopes of the user's columns."""
        inner = slopes / np.where(self.factors > 0, self.factors, 1.0)
        return np.column_stack([inner, intercepts + slopes @ self.centers])

    def apply(self, matrix: Any) -> Any:
        """Return the scaled rows of a design matrix: a new array, or scipy's csr_array."""
        if isinstance(matrix, np.ndarray):
            out = matrix - self.centers
            out *= self.factors
            return np.ascontiguousarray(out)
        from scipy.sparse import csr_array

        rows = csr_array(matrix)
        scaled = csr_array((rows.data * self.factors[rows.indices], rows.indices, rows.indptr), shape=rows.shape)
        shifts = self.centers * self.factors
        centered = np.flatnonzero(shifts)
        if len(centered):
            n = rows.shape[0]
            starts = np.arange(n + 1) * len(centered)
            entries = (np.tile(shifts[centered], n), np.tile(centered, n), starts)
            scaled = csr_array(scaled - csr_array(entries, shape=rows.shape))
        scaled.sum_duplicates()  # and sorts the positions
        return scaled
