"""Linear machines of few columns: Newton's method on the function itself, with multipliers where slack is not squared.

The proximal method of multipliers: of the dual, less delta (alpha - last alpha)^2 / 2, the optimum is found by a
function of w and b alone that is smooth and piecewise quadratic, as every row's alpha is a number cut to its bounds:

    alpha = (1 - y (w.x + b) + delta * last) / (delta + ridge), cut to 0..U

Newton's steps need the Gram matrix of the rows that are not cut, which are few soon; a step that cuts the same rows as
the one before is the last. Then these alphas are the last ones, delta shrinks, and after a few rounds all alphas are
at 0, at C or free for good (R. T. Rockafellar, Augmented Lagrangians and applications of the proximal point algorithm
in convex programming. Mathematics of Operations Research 1, 1976; with Newton's method: X. Li, D. Sun, K. C. Toh,
A highly efficient semismooth Newton augmented Lagrangian method for lasso problems. SIAM J. Optimization 28, 2018).
Squared slack has a ridge of its own: one round with delta = 0, Newton's method on the primal (O. Chapelle, Training a
support vector machine in the primal. Neural Computation 19, 2007).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers
from hedgerow.data.table.threads import scipy_linalg
from hedgerow.learn.svm.linear_quality import LinearMachineTask, Machine, machine_from_alphas
from hedgerow.learn.svm.solution_quality import TOUCHING_LINEAR, is_endless

ROUNDS = 60
STEPS = 100  # of Newton's method in a round
SHRINK = 8.0  # of delta between rounds
CLOSE = 1e-8  # violation at which alphas are at their place
FINE = 1e-5  # delta times C at which alphas are told apart well enough
COARSE = 1e-2  # tolerance from which on it is the violation to end at
FEW_PULL = 4  # of so many rows one has an alpha: only those are gone through
FLOOR = 1e-11  # delta beside the mean square of a row: below it, sums lose too many digits


@dataclass(frozen=True, eq=False)
class StartFunction:
    """A function to begin with, and how far off its values may be."""

    weights: Numbers
    b: float
    reach: float
    alpha: Numbers | None = None  # of every row, where they are known


@dataclass(eq=False)
class _WeightedGram:
    """The weighted Gram matrix of rows that are not cut, with a 1 behind the columns; changed rows are exchanged."""

    matrix: Numbers
    inside: NDArray[np.bool_] | None = None
    weights: Numbers = field(default_factory=lambda: np.empty(0))
    sums: Numbers = field(default_factory=lambda: np.empty((0, 0)))

    def of(self, inside: NDArray[np.bool_], weights: Numbers) -> Numbers:
        """Return the products of the rows `inside`, in which every row has a weight that is above 0."""
        if self.inside is None or self.weights is not weights:
            self.sums = self._products(np.flatnonzero(inside), weights)
        else:
            comes, goes = np.flatnonzero(inside & ~self.inside), np.flatnonzero(self.inside & ~inside)
            if 2 * (len(comes) + len(goes)) < np.count_nonzero(inside):
                self.sums = self.sums + self._products(comes, weights) - self._products(goes, weights)
            else:
                self.sums = self._products(np.flatnonzero(inside), weights)
        self.inside, self.weights = inside, weights
        return self.sums

    def _products(self, rows: NDArray[np.int64], weights: Numbers) -> Numbers:
        width = self.matrix.shape[1]
        out = np.zeros((width + 1, width + 1))
        if len(rows):
            root = np.sqrt(weights[rows])
            part = self.matrix[rows] * root[:, None]
            out[:-1, :-1] = part.T @ part
            out[-1, :-1] = out[:-1, -1] = part.T @ root
            out[-1, -1] = root @ root
        return out


def newton(
    task: LinearMachineTask,
    tolerance: float,
    start: StartFunction | None = None,
    far: Numbers | None = None,
    close: float | None = None,
) -> Machine:
    """Return the machine of a task whose matrix is dense and has at least a row of either sign.

    far: the sums of y alpha x, and of y alpha, of rows that are not in the task as their alphas are known.
    close: the violation at which to end; at CLOSE alphas are at their position for good. None: the tolerance if it
    is coarse, or else CLOSE.
    """
    if close is None:
        close = tolerance if tolerance >= COARSE else CLOSE
    return _NewtonSolver(task, tolerance, far, close).run(start)


class _NewtonSolver:
    """One machine on its way."""

    def __init__(self, task: LinearMachineTask, tolerance: float, far: Numbers | None, close: float) -> None:
        self.task, self.tolerance, self.close = task, tolerance, close
        self.far = np.zeros(task.matrix.shape[1] + 1) if far is None else far
        self.upper, self.ridge = task.upper, task.ridge
        self.w, self.b = np.zeros(task.matrix.shape[1]), 0.0
        self.margins = np.zeros(len(task.signs))  # y (w.x + b)
        self.last = np.zeros(len(task.signs))
        self.delta, self.steps = 0.0, 0
        self.softness = self.ridge
        self.weights = np.empty(0)
        self.gram = _WeightedGram(task.matrix)
        mean = task.matrix.mean(axis=0)  # sizes must not depend on where the rows lie
        squares = np.einsum("ij,ij->i", task.matrix, task.matrix) - 2 * (task.matrix @ mean) + mean @ mean
        self.size = max(float(squares.mean()), 0.0) or 1.0
        self.longest = float(squares.max(initial=0.0))

    def run(self, start: StartFunction | None) -> Machine:
        """Return the machine; rounds go on while they help."""
        task = self.task
        if start is not None:
            self.w, self.b = start.weights.copy(), start.b
            self.margins = task.signs * (task.matrix @ self.w + self.b)
        if task.power == 2 and np.isfinite(task.bounds).all():
            self._soften(0.0)
            return self._machine(self._round())
        finite = self.upper[np.isfinite(self.upper)]
        hard = not len(finite)
        unit = 1e-2 * self.size if hard else 1 / float(np.median(finite))
        delta = unit if hard else max(2 * unit, 1e-4 * self.size)  # of a huge C, alphas may be small beside it
        if start is not None and np.isfinite(self.upper).all():
            delta *= min(start.reach, 1.0)
            self.last = self.upper / 2 if start.alpha is None else np.minimum(start.alpha, self.upper)
        floor = max(FINE * unit, FLOOR * self.size)
        best: Machine | None = None
        worse = 0
        for _ in range(ROUNDS):
            self._soften(max(delta, floor))
            alpha = self._round()
            moved = float(np.abs(alpha - self.last).max()) * self.delta
            self.last = alpha
            delta /= SHRINK
            if moved > max(1e-3, self.tolerance, self.close):
                if hard and is_endless(alpha, float(self.w @ self.w), self.longest, TOUCHING_LINEAR):
                    return self._machine(alpha, separable=False)
                continue
            machine = self._machine(alpha)
            better = best is None or machine.figures.violation < best.figures.violation
            worse = 0 if best is None or machine.figures.violation < 0.5 * best.figures.violation else worse + 1
            best = machine if better else best
            assert best is not None
            if self._is_close(best) or (worse >= 3 and best.figures.violation <= self.tolerance):
                break
            if worse >= 8:
                break
        return best or self._machine(self.last)

    def _is_close(self, machine: Machine) -> bool:
        solution_quality = machine.figures
        if self.close > CLOSE or self.far.any():  # without the far rows, values tell nothing
            return solution_quality.violation <= self.close
        return solution_quality.violation <= self.close and abs(solution_quality.gap) <= CLOSE * solution_quality.primal

    def _machine(self, alpha: Numbers, *, separable: bool = True) -> Machine:
        return machine_from_alphas(self.task, alpha, self.steps, self.tolerance, separable=separable, far=self.far)

    def _soften(self, delta: float) -> None:
        if delta != self.delta or not len(self.weights):
            self.delta, self.softness = delta, delta + self.ridge
            self.weights = 1 / self.softness

    def _support_mask(self, margins: Numbers) -> Numbers:
        return np.asarray((1 - margins + self.delta * self.last) * self.weights)

    def _round(self) -> Numbers:
        """Take Newton's steps to the lowest point of the smooth function; return the alphas there."""
        task, before = self.task, None
        whole = False
        for _ in range(STEPS):
            raw = self._support_mask(self.margins)
            alpha = np.minimum(np.maximum(raw, 0.0), self.upper)
            inside = (raw > 0) & (raw < self.upper)
            if whole and before is not None and bool((inside == before).all()) and inside.any():
                break
            before = inside
            pulls = task.signs * alpha
            slope = np.append(self.w - self._sum_pulled_rows(pulls), -float(pulls.sum())) - self.far
            step = self._solve_step(inside, slope)
            down = float(slope @ step)
            if not down < 0:
                break
            ahead = task.signs * (task.matrix @ step[:-1] + step[-1])
            t = self._length(step, ahead, down)
            if t == 0:
                break
            whole = t == 1.0
            self.steps += 1
            self.w = self.w + t * step[:-1]
            self.b += t * float(step[-1])
            self.margins = self.margins + t * ahead
        return np.asarray(np.minimum(np.maximum(self._support_mask(self.margins), 0.0), self.upper))

    def _sum_pulled_rows(self, pulls: Numbers) -> Numbers:
        """Return the sum of the rows times their pulls, of which most may be 0."""
        rows = np.flatnonzero(pulls)
        if FEW_PULL * len(rows) < len(pulls):
            return np.asarray(pulls[rows] @ self.task.matrix[rows])
        return np.asarray(self.task.matrix.T @ pulls)

    def _solve_step(self, inside: NDArray[np.bool_], slope: Numbers) -> Numbers:
        """Return Newton's step; where no row holds b, a little does."""
        linalg = scipy_linalg()
        curved = self.gram.of(inside, self.weights).copy()
        diagonal = np.einsum("ii->i", curved)
        diagonal[:-1] += 1.0
        diagonal[-1] += float(self.weights.mean()) * (1e-9 if inside.any() else len(inside))
        size = 1 / np.sqrt(diagonal)
        scaled = curved * size[:, None] * size
        extra = 0.0
        while extra < 1:
            try:
                factor = linalg.cho_factor(scaled + extra * np.eye(len(scaled)))
                return np.asarray(-linalg.cho_solve(factor, slope * size) * size)
            except linalg.LinAlgError:
                extra = max(100 * extra, 1e-14)
        return np.asarray(-slope * size * size)

    def _length(self, step: Numbers, ahead: Numbers, down: float) -> float:
        """Return how far to go: to where the function no longer falls, nearly."""
        along, square = float(self.w @ step[:-1] - self.far @ step), float(step[:-1] @ step[:-1])

        def falls(t: float) -> float:
            raw = self._support_mask(self.margins + t * ahead)
            return along + t * square - float(np.minimum(np.maximum(raw, 0.0), self.upper) @ ahead)

        low, at_low, high, at_high = 0.0, down, np.inf, np.inf
        t, side = 1.0, 0  # side: how often in turn the end was moved that is now
        for _ in range(100):
            now = falls(t)
            if abs(now) <= 0.1 * -down:
                return t
            if now < 0:
                low, at_low, side = t, now, min(side, 0) - 1
            else:
                high, at_high, side = t, now, max(side, 0) + 1
            if np.isinf(high):
                t *= 4.0
                if t > 1e12:
                    return low
            else:
                part = 0.5 if abs(side) > 1 else at_low / (at_low - at_high)
                t = low + (high - low) * min(max(part, 0.01), 0.99)
            if high - low <= 1e-14 * high:
                return low
        return low
