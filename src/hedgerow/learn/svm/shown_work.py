"""The steps of support vector machines, as done by hand: the dual problem, alphas, w, b and the conditions.

Numbers are those of the documents' formulas: w = sum of y alpha x (M209), b = 1/y_j - sum of y_i alpha_i K(x_i, x_j)
from every row with 0 < alpha < C (M215), margin 2 / |w| (M207), and what alpha says of a row (M216).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from hedgerow.data.table.table import Numbers, Rows
from hedgerow.layout.numbers import format_number
from hedgerow.layout.text_table import align_number_columns
from hedgerow.learn.svm.points import SvmPoints
from hedgerow.learn.svm.solving import (
    SolvedMachines,
    SvmSettings,
    decision_values,
    solve_machines,
    solve_machines_by_hand,
)
from hedgerow.models.linear.text import quote_name
from hedgerow.models.svm.given_kernels import Precomputed
from hedgerow.models.svm.solution_quality import DEVIATION, RANGE, MachineFigures

BY_HAND = 60  # points up to which machines are solved as exactly as doubles allow, in at most
MOST_STEPS = 100_000
EXACT = 1e-9
MOST_MACHINES = 6  # that are shown
MOST_ROWS = 20  # of a machine
MOST_PLACES = 6  # of a row
MOST_VALUES = 8  # rows whose kernel values are shown
SCALES = {
    DEVIATION: "Numbers are standardized to mean 0 and standard deviation 1",
    RANGE: "Numbers are scaled to the range from 0 to 1",
}


@dataclass(frozen=True, eq=False)
class SVMWork:
    """Points, the machines that were found, and f of every machine at every point."""

    points: SvmPoints
    settings: SvmSettings
    solved: SolvedMachines
    values: Numbers

    def __str__(self) -> str:
        if len(self.points.seen_classes) < 2:
            return "There is only one class: there is nothing to separate"
        lines = self._problem()
        for machine in range(min(len(self.settings.codes), MOST_MACHINES)):
            lines += ["", *self._machine(machine)]
        if len(self.settings.codes) > MOST_MACHINES:
            lines += ["", f"... and {len(self.settings.codes) - MOST_MACHINES} more machines"]
        return "\n".join(lines)

    def _problem(self) -> list[str]:
        """Return the problem that is solved."""
        own = self.settings
        product = "<x.z>" if own.is_linear else "K(x, z)"
        cost = "" if own.cost == inf else f" + C * the sum of slack{'^2' if own.power == 2 else ''}"
        lack = "" if own.cost == inf else " - slack"
        most = " and 0 <= alpha <= C" if own.cost < inf and own.power == 1 else " and 0 <= alpha"
        ridge = " - 1/4 * the sum of alpha^2 / C" if own.cost < inf and own.power == 2 else ""
        lines = [f"Smallest <w.w>/2{cost}, where y f(x) >= 1{lack} for every row"]
        if own.cost < inf:
            lines[0] += f", C = {format_number(own.cost)}"
        lines += [
            f"Dual: largest sum of alpha - 1/2 * the sum of y y' alpha alpha' {product}{ridge},",
            f"where the sum of y alpha = 0{most} for every row",
        ]
        if not own.is_linear:
            lines.append(f"K(x, z) = {own.kernel.describe()}")
        if own.scale in SCALES:
            lines.append(SCALES[own.scale])
        if (own.factors != 1).any() or (self.points.weights != 1).any():
            lines.append("C of a row is multiplied by its weight and by the cost of its class")
        return lines

    def _machine(self, machine: int) -> list[str]:
        """Return the alphas of a machine and the values derived from them."""
        own, levels = self.settings, self.points.design.schema.target_column.levels
        minus, plus = own.codes.sides(machine)
        other = quote_name(levels[minus[0]]) if len(minus) == 1 else "the rest"
        signs = own.codes.entries[machine][self.points.labels].astype(np.float64)
        rows = np.flatnonzero(signs)
        rows = rows[np.argsort(self.points.rows[rows], kind="stable")]
        alpha = np.zeros(len(self.points))
        there, coefs = self.solved.sides[machine]
        alpha[there] = np.abs(coefs)
        bounds = own.bounds(self.points, self.points.weights)
        bounds = np.full(len(bounds), inf) if own.power == 2 else bounds
        lines = [f"{quote_name(levels[plus[0]])} (y = +1) against {other} (y = -1)", "", *self._values(rows)]
        lines += self._rows(machine, rows, signs, alpha, bounds)
        lines += ["", *self._function(machine, rows, signs, alpha, bounds)]
        return [*lines, *self._quality(machine, rows, signs)]

    def _values(self, rows: Rows) -> list[str]:
        """Return the products of all rows, if they are few."""
        if len(rows) > MOST_VALUES:
            return []
        square = self._kernel(rows, rows)
        names = [str(self.points.rows[row] + 1) for row in rows]
        head = ["<x.z>" if self.settings.is_linear else "K(x, z)", *names]
        return [*align_number_columns(head, [names, *[[_text(v) for v in column] for column in square.T]]), ""]

    def _rows(self, machine: int, rows: Rows, signs: Numbers, alpha: Numbers, bounds: Numbers) -> list[str]:
        """Return one line per row: alpha, f, slack, and what alpha says of it."""
        shown = rows
        if len(rows) > MOST_ROWS:  # those that count most
            shown = rows[np.sort(np.argsort(-alpha[rows], kind="stable")[:MOST_ROWS])]
        f = self.values[machine]
        places = [] if isinstance(self.settings.kernel, Precomputed) else list(range(self.points.design.width))
        places = places[:MOST_PLACES]
        seen = self.points.matrix[shown][:, places]
        seen = seen if isinstance(seen, np.ndarray) else seen.toarray()
        names = [quote_name(name) for name in self.points.design.names_of(places)]
        weighs = (self.points.weights[rows] != 1).any()
        kept = signs * f
        slack = np.maximum(1 - kept, 0.0)
        body = [[str(self.points.rows[row] + 1) for row in shown], ["+1" if signs[row] > 0 else "-1" for row in shown]]
        body += [[_text(value) for value in column] for column in seen.T]
        body += [[_text(value) for value in self.points.weights[shown]]] if weighs else []
        body += [[_text(value) for value in own[shown]] for own in (alpha, f, kept, slack)]
        body.append([_condition(float(alpha[row]), float(bounds[row]), float(kept[row])) for row in shown])
        head = ["row", "y", *names, *(["weight"] if weighs else []), "alpha", "f", "y f", "slack", "condition"]
        lines = align_number_columns(head, body)
        if len(shown) < len(rows):
            lines.append(f"... and {len(rows) - len(shown)} more rows of smaller alpha")
        if len(places) < self.points.design.width and places:
            lines.append(f"(the first {len(places)} of {self.points.design.width} dimensions)")
        return lines

    def _function(self, machine: int, rows: Rows, signs: Numbers, alpha: Numbers, bounds: Numbers) -> list[str]:
        """Return w and b as they follow from alphas."""
        lines = [f"The sum of y alpha is {_text(float(signs[rows] @ alpha[rows]))}"]
        slopes, b = self.solved.slopes, float(self.solved.intercepts[machine])
        if slopes is not None:
            own = [f"{_text(value)} {quote_name(name)}" for value, name in self._slopes(slopes[machine])]
            more = f" and {self.points.design.width - len(own)} more" if self.points.design.width > len(own) else ""
            lines.append(f"w = the sum of y alpha x: {', '.join(own)}{more}")
        inside = [row for row in rows if 0 < alpha[row] < bounds[row]]
        if not inside:
            return [*lines, f"b = {_text(b)}: no row has 0 < alpha < C, so it is the middle of the allowed interval"]
        each = [float(signs[row] * self._intercept_from_row(row, alpha, signs)) for row in inside[:MOST_PLACES]]
        text = ", ".join(
            f"{_text(value)} (row {self.points.rows[row] + 1})" for value, row in zip(each, inside, strict=False)
        )
        more = ", ..." if len(inside) > len(each) else ""
        product = "<x'.x>" if self.settings.is_linear else "K(x', x)"
        which = "alpha > 0" if not np.isfinite(bounds[rows]).any() else "0 < alpha < C"
        lines.append(f"b = 1/y - the sum of y' alpha' {product}, of rows with {which}: {text}{more}; mean {_text(b)}")
        return lines

    def _slopes(self, slopes: Numbers) -> Sequence[tuple[float, str]]:
        some = range(min(len(slopes), 2 * MOST_PLACES))
        return list(zip(slopes[: len(some)].tolist(), self.points.design.names_of(list(some)), strict=True))

    def _intercept_from_row(self, row: int, alpha: Numbers, signs: Numbers) -> float:
        """Return y b as row j tells it: 1 - y_j * the sum of y alpha K, less what squared slack adds."""
        there = np.flatnonzero(alpha)
        sums = float(self._kernel(np.array([row]), there)[0] @ (signs[there] * alpha[there]))
        cost = self.settings.bounds(self.points, self.points.weights)[row]
        lost = alpha[row] / (2 * cost) if self.settings.power == 2 and cost < inf else 0.0
        return 1 - float(signs[row]) * sums - lost

    def _kernel(self, one: Rows, other: Rows) -> Numbers:
        kernel, matrix = self.settings.kernel, self.points.matrix
        if isinstance(kernel, Precomputed):
            return kernel.matrix(matrix[one], other)
        return kernel.matrix(matrix[one], matrix[other])

    def _quality(self, machine: int, rows: Rows, signs: Numbers) -> list[str]:
        """Return margin, primal and dual value, and how well the conditions are met."""
        own, figures = self.settings, self.solved.figures
        squares = (2 / float(figures.margin[machine])) ** 2 if figures.margin[machine] > 0 else inf
        lines = [f"<w.w> = {_text(squares)}, margin 2 / |w| = {_text(float(figures.margin[machine]))}"]
        slack = np.maximum(1 - signs[rows] * self.values[machine][rows], 0.0)
        if own.cost < inf:
            paid = float(own.bounds(self.points, self.points.weights)[rows] @ slack**own.power)
            parts = f"{_text(squares / 2)} + {_text(paid)} = "
        else:
            parts = ""
        lines.append(
            f"Primal value {parts}{_text(float(figures.primal[machine]))}, "
            f"dual value {_text(float(figures.dual[machine]))}, gap {_text(float(figures.gap[machine]))}"
        )
        lines.append(_end(figures, machine, own.tolerance, bool(self.solved.separable[machine])))
        return lines


def _end(figures: MachineFigures, machine: int, tolerance: float, separable: bool) -> str:
    """Return how the solver ended."""
    vectors = f"{int(figures.vectors[machine])} support vectors ({int(figures.bounded[machine])} at their bound)"
    if not separable:
        return f"{vectors}; no hard margin exists: the alphas would grow without bound"
    if figures.settled[machine]:
        return f"{vectors}; no condition is violated by more than {tolerance:g}"
    return f"{vectors}; ended with conditions violated by up to {float(figures.violation[machine]):.2g}"


def _condition(alpha: float, bound: float, kept: float) -> str:
    """Return the condition implied by the alpha of a row (M216), and whether it is satisfied."""
    near = 1e-3
    if alpha == 0:
        return "alpha = 0: y f >= 1" + ("" if kept >= 1 - near else ", violated")
    if alpha >= bound * (1 - 1e-9):
        return "alpha = C: y f <= 1" + ("" if kept <= 1 + near else ", violated")
    if bound == inf:
        return "alpha > 0: on the margin" if abs(kept - 1) <= near else "alpha > 0: y f = 1 - slack"
    return "0 < alpha < C: y f = 1" + ("" if abs(kept - 1) <= near else ", violated")


def _text(number: float) -> str:
    if not np.isfinite(number):
        return f"{number:g}"
    return f"{round(number, 9) + 0.0:.6g}" if abs(number) >= 1e-8 else "0"


def make_work(points: SvmPoints, settings: SvmSettings, solved_machines: SolvedMachines | None) -> SVMWork:
    """Return the work on points; small tables are solved by the plain solver, as exactly as doubles allow."""
    if 2 <= len(points) <= BY_HAND and len(points.seen_classes) > 1:
        settings = replace(settings, tolerance=min(EXACT, settings.tolerance))
        solved_machines = solve_machines_by_hand(points, settings, MOST_STEPS)
    solved_machines = solve_machines(points, settings) if solved_machines is None else solved_machines
    return SVMWork(
        points, settings, solved_machines, decision_values(points, settings, solved_machines, np.arange(len(points)))
    )
