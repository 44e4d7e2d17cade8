"""Least squares with a nominal column of many levels: the levels are eliminated before the other columns.

Every row belongs to one level, so that the products of the levels' positions are a diagonal matrix. Within its level,
the mean is subtracted from each other column and the target; these deviations give the slopes of the other columns, and
the means of the levels then give those of the levels (R. Frisch, F. V. Waugh, Partial time regressions as compared with
individual trends. Econometrica 1, 1933). With n rows, m levels and k other positions that takes O(n k² + m k² + k³)
time in place of O((m + k)³).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hedgerow.data.design.blocks import LevelBlock
from hedgerow.data.design.design import Design
from hedgerow.data.design.design_counts import NumberCounts
from hedgerow.data.table.table import Numbers, Rows, Table
from hedgerow.learn.linear.least_squares.products import EQUAL, Means
from hedgerow.learn.linear.least_squares.solve import NEARLY_DEPENDS, LeastSquaresSolution, NormalEquations

FEWEST_LEVELS = 100  # levels from which they are eliminated
BLOCK_ROWS = 8192  # numbers of a block


@dataclass(frozen=True, eq=False)
class LevelGroups:
    """Rows by the levels of one column, and the design of all others; the first group has no position."""

    design: Design
    other_design: Design
    position: int  # of the column
    start: int  # of its positions

    @classmethod
    def of(cls, design: Design) -> LevelGroups | None:
        """Return the groups of the column with the most levels, if it has many and the first is the reference level."""
        spans = zip(design.used_blocks, design.starts, strict=False)
        entries = [(part.width, position, start) for (position, part), start in spans if isinstance(part, LevelBlock)]
        width, position, start = max(entries, default=(0, 0, 0), key=lambda one: one[0])
        part = design.parts[position]
        if width < FEWEST_LEVELS or not isinstance(part, LevelBlock) or part.base < 0:
            return None
        parts = tuple(None if at == position else own for at, own in enumerate(design.parts))
        return cls(design, Design(design.schema, parts), position, start)

    @property
    def n_groups(self) -> int:
        """The number of levels, including the first one."""
        return self.design.width - self.other_design.width + 1

    @property
    def other_places(self) -> Rows:
        """The positions of the other columns among all positions."""
        places = np.arange(self.design.width)
        return np.delete(places, slice(self.start, self.start + self.n_groups - 1))

    def blocks(self, table: Table, target: NumberCounts) -> Iterator[tuple[Rows, Numbers, Numbers]]:
        """Yield some rows at a time: groups, weights, and the other positions and target, centered and scaled."""
        part = self.design.parts[self.position]
        assert isinstance(part, LevelBlock)
        units = np.where(self.other_design.scales > 0, self.other_design.scales, 1.0)
        for first in range(0, table.n_rows, BLOCK_ROWS):
            block = table.slice(first, min(first + BLOCK_ROWS, table.n_rows))
            groups = part.table[block.codes(self.position)].astype(np.int64) + 1
            result = self.other_design.matrix(block)
            matrix = np.asarray(result.toarray() if hasattr(result, "toarray") else result)
            y = (block.target_numbers - target.mean) / (target.deviation or 1.0)
            yield groups, block.row_weights, np.column_stack([(matrix - self.other_design.centers) / units, y])


def solve_groups(groups: LevelGroups, target: NumberCounts, table: Table) -> tuple[LeastSquaresSolution, Means] | None:
    """Return the coefficients, and means for rounding; None if columns depend on each other, or nearly do."""
    k, n = groups.other_design.width, groups.n_groups
    weights, sums, squares = np.zeros(n), np.zeros((n, k + 1)), np.zeros(k + 1)
    for own, weight, values in groups.blocks(table, target):
        weights += np.bincount(own, weight, n)
        for place in range(k + 1):
            sums[:, place] += np.bincount(own, weight * values[:, place], n)
        squares += weight @ np.square(values)
    means = sums / weights[:, None]
    within = np.zeros((k + 1, k + 1))
    for own, weight, values in groups.blocks(table, target):
        apart = values - means[own]
        within += apart.T @ (apart * weight[:, None])
    size = np.sqrt(np.diagonal(within))
    if (np.square(size[:k]) <= EQUAL * squares[:k]).any():
        return None  # a column has one value in every level
    factor = NormalEquations.from_correlations(within[:k, :k] / np.outer(size[:k], size[:k]))
    if not factor.kept_positions.all() or factor.least < NEARLY_DEPENDS:
        return None
    inverse = factor.inverse / np.outer(size[:k], size[:k])
    slopes = inverse @ within[:k, k]
    slopes += inverse @ (within[:k, k] - within[:k, :k] @ slopes)  # residue of rounding
    left = float(within[k, k] - 2 * slopes @ within[:k, k] + slopes @ within[:k, :k] @ slopes)
    group_scaling = _GroupScaling(groups, target, weights, means, slopes, inverse)
    total = float(weights.sum())
    spread = float(squares[k]) - total * (float(sums[:, k].sum()) / total) ** 2
    share = max(left, 0.0) / spread if spread > 0 else 0.0
    return LeastSquaresSolution(
        *group_scaling.coefficients(), share, group_scaling.errors(), np.ones(groups.design.width, np.bool_)
    ), group_scaling.means_of(squares, sums)


@dataclass(frozen=True, eq=False)
class _GroupScaling:
    """The solution on the scale of `LevelGroups.blocks`, and its conversion to the user's scale."""

    groups: LevelGroups
    target: NumberCounts
    weights: Numbers  # of the groups
    means: Numbers  # of the other positions and the target, by group
    slopes: Numbers  # of the other positions
    inverse: Numbers  # of their products within groups

    @property
    def unit(self) -> float:
        return self.target.deviation or 1.0

    @property
    def units(self) -> Numbers:
        scales = self.groups.other_design.scales
        return np.where(scales > 0, scales, 1.0)

    def coefficients(self) -> tuple[float, Numbers]:
        """Return the intercept and all slopes."""
        effects = self.means[:, -1] - self.means[:, :-1] @ self.slopes
        own = self.slopes * self.unit / self.units
        out = np.empty(self.groups.design.width)
        out[self.groups.other_places] = own
        out[self.groups.start : self.groups.start + len(effects) - 1] = (effects[1:] - effects[0]) * self.unit
        intercept = self.target.mean + float(effects[0]) * self.unit - float(own @ self.groups.other_design.centers)
        return intercept, out

    def errors(self) -> Numbers:
        """Return the standard errors divided by the residual deviation, of the intercept and all slopes."""
        units, start = self.units, self.groups.start
        out = np.empty(self.groups.design.width)
        out[self.groups.other_places] = np.sqrt(np.diagonal(self.inverse)) / units
        apart = self.means[1:, :-1] - self.means[0, :-1]
        spread = np.einsum("ij,jk,ik->i", apart, self.inverse, apart, optimize=True)
        out[start : start + len(apart)] = np.sqrt(1 / self.weights[1:] + 1 / self.weights[0] + spread)
        at_first = self.means[0, :-1] + self.groups.other_design.centers / units
        intercept = np.sqrt(1 / self.weights[0] + float(at_first @ self.inverse @ at_first))
        return np.concatenate([[intercept], out])

    def means_of(self, squares: Numbers, sums: Numbers) -> Means:
        """Return the means and deviations of all positions and the target."""
        total, k = float(self.weights.sum()), len(self.slopes)
        middle = sums.sum(axis=0) / total
        spread = np.sqrt(np.maximum(squares / total - np.square(middle), 0.0))
        shares = self.weights[1:] / total
        places, deviations = np.empty(self.groups.design.width), np.empty(self.groups.design.width)
        own, levels = self.groups.other_places, slice(self.groups.start, self.groups.start + len(shares))
        places[own], deviations[own] = (
            self.groups.other_design.centers + middle[:k] * self.units,
            spread[:k] * self.units,
        )
        places[levels], deviations[levels] = shares, np.sqrt(shares * (1 - shares))
        return Means(total, places, deviations, self.target.mean + float(middle[k]) * self.unit, self.target.deviation)
