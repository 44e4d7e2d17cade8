"""The steps of linear regression as a textbook prints them: the normal equations, or the steps of descent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.data.design.design import Design
from hedgerow.data.table.table import Numbers
from hedgerow.layout.text_table import align_number_columns
from hedgerow.learn.linear.least_squares.gradient_descent import (
    BatchObjective,
    DescentPath,
    DescentStep,
    Objective,
    RowObjective,
    diverges,
    step_block,
)
from hedgerow.learn.linear.least_squares.products import Products
from hedgerow.learn.linear.least_squares.solve import LeastSquaresSolution
from hedgerow.models.linear.text import INTERCEPT, quote_name

MOST_EQUATIONS = 10  # positions whose equations are printed
MOST_STEPS = 20  # first steps that are printed
MOST_THETAS = 10  # thetas that are printed


@dataclass(frozen=True, eq=False)
class NormalWork:
    """The normal equations X'X theta = X'y and their solution."""

    products: Products
    solution: LeastSquaresSolution
    ridge: float = 0.0

    def __str__(self) -> str:
        products, first = self.products, 0 if self.products.intercept else 1
        names = _names(products.design)[first:]
        lines = ["Normal equations: X'X theta = X'y" + (" (ridge is added to the slopes)" if self.ridge else "")]
        if self.products.design.width <= MOST_EQUATIONS:
            rows = [[*map(_text, line), "|", _text(right)] for line, right in zip(*self._equations(), strict=True)]
            lines += _table(["", *names, "|", "X'y"], [[name, *row] for name, row in zip(names, rows, strict=True)])
        else:
            lines.append(f"{products.design.width + 1 - first} equations, too many to print")
        thetas = [self.solution.intercept, *self.solution.slopes.tolist()][first : first + len(names)]
        lines += ["", "Solution"]
        lines += _table(["", "theta"], [[name, _text(theta)] for name, theta in zip(names, thetas, strict=True)])
        if self.products.design.width > MOST_THETAS:
            lines.append(f"... and {self.products.design.width - MOST_THETAS} more")
        total = float(self.products.centered_products[-1, -1]) * self.products.target_unit**2
        lines.append(f"squared error {_text(self.solution.squares * total)}")
        return "\n".join([*lines, *self.solution.notes])

    def _equations(self) -> tuple[Numbers, Numbers]:
        """Return X'X and X'y."""
        products = self.products
        if products.intercept:
            slope = BatchObjective.of(products, *_identity_scaling(products.design.width))
            return slope.inner, slope.right
        units = np.append(products.units, products.target_unit)
        both = products.centered_products * np.outer(units, units)
        return both[:-1, :-1], both[:-1, -1]


@dataclass(frozen=True, eq=False)
class DescentWork:
    """The steps of descents: thetas and cost after every pass; for stochastic descent also the first rows."""

    design: Design
    slope: Objective
    best: DescentPath
    paths: Sequence[DescentPath]
    standardized: bool = False
    rate: float | None = None  # as given

    def __str__(self) -> str:
        batch = isinstance(self.slope, BatchObjective) or (isinstance(self.slope, RowObjective) and self.slope.batch)
        rule = "the sum of error * value over all rows" if batch else "error * value of one row after the other"
        lines = [
            f"{'Batch' if batch else 'Stochastic'} gradient descent, rate {self.best.rate:g}",
            f"theta = theta + rate * {rule}; cost J = half the sum of squared errors",
        ]
        if self.slope.by_row and self.rate is None:
            lines.append(
                "The rate is halved whenever a pass lowers the cost by less than the square root of the tolerance"
            )
        if self.standardized:
            lines.append("Columns are standardized to mean 0 and standard deviation 1")
        for number, path in enumerate(self.paths, start=1):
            if len(self.paths) > 1:
                lines += ["", f"Start {number}" + (", the best" if path is self.best else "")]
            else:
                lines.append("")
            lines += self._path(path)
        return "\n".join(lines)

    def _path(self, path: DescentPath) -> list[str]:
        assert path.last is not None
        shown = path.steps[: MOST_STEPS + 1]
        lines = self._steps(shown)
        if isinstance(self.slope, RowObjective) and not self.slope.batch:
            lines = [*self._steps(self.row_steps(path.steps[0].theta, path.rate)), "", "After every pass", *lines]
        if path.last.number > shown[-1].number:
            lines += ["...", *self._steps([path.last])[1:]]
        after = f"after {path.last.number} {'pass' if path.last.number == 1 else 'passes'}"
        ends = {"settled": f"The cost has converged {after}", "passes": f"Ended {after}"}
        lines.append(ends[path.end_reason] if path.end_reason in ends else diverges(path, self.slope))
        return lines

    def row_steps(self, theta: Numbers, rate: float) -> list[DescentStep]:
        """Return the first steps of a stochastic descent, row by row."""
        assert isinstance(self.slope, RowObjective)
        steps, theta = [], theta.copy()
        matrix, target, weights = next(self.slope.blocks())
        for row in range(min(len(target), MOST_STEPS)):
            values = matrix[[row]] if isinstance(matrix, np.ndarray) else matrix[[row], :]
            error = float(target[row] - (theta[0] + (values @ theta[1:])[0]))
            own = None if weights is None else weights[row : row + 1]
            if not step_block(values, target[row : row + 1], own, rate, theta):
                break
            steps.append(DescentStep(row + 1, theta.copy(), self.slope.cost(theta), row, error))
        return steps

    def _steps(self, steps: Sequence[DescentStep]) -> list[str]:
        names = _names(self.design)
        by_row = any(step.error is not None for step in steps)
        head = ["row" if by_row else "pass", *(["error"] if by_row else []), *names, "J"]
        body = [
            [
                str(step.number),
                *([_text(step.error or 0.0)] if by_row else []),
                *map(_text, step.theta[: len(names)].tolist()),
                _text(step.cost),
            ]
            for step in steps
        ]
        return _table(head, body)


def _names(design: Design) -> list[str]:
    """Return the names of the first thetas."""
    return [INTERCEPT, *(quote_name(name) for name in design.names_of(range(min(design.width, MOST_THETAS))))]


def _identity_scaling(width: int) -> tuple[Numbers, Numbers]:
    return np.zeros(width), np.ones(width)


def _text(number: float) -> str:
    return f"{number:.9g}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table of text given by rows."""
    return align_number_columns(head, [[row[i] for row in rows] for i in range(len(head))])
