"""L-BFGS for logistic regression: steps computed from the last few gradients; with l1 as OWL-QN.

Used where there are too many positions for a Hessian. A step must lower the cost in proportion to its length and leave
the slope less steep (weak Wolfe conditions, by bisection). With l1, the gradient is taken on the side of zero where a
coefficient is or would move to, and no step goes past zero (Andrew, Gao 2007).
"""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers
from hedgerow.learn.linear.logistic.likelihood import Answer, LogisticSolution, Penalty, Question, Solver, SolverStep

MEMORY = 8  # gradients that are stored
TRIALS = 40  # of one step
WIDE = 100_000  # coefficients from which the steps are not stored
KEPT = 1000  # steps that are stored


def lbfgs(
    start: Numbers,
    penalty: Penalty,
    moving: NDArray[np.bool_],
    passes: int,
    tolerance: float,
    weight: float,
    watch: float = 0.0,
) -> Solver:
    """Minimize from `start` until a step lowers the cost by a share below `tolerance`; some positions may be fixed.

    It also ends when the cost falls below `watch`, as happens if classes are separated.
    """
    l1 = np.append(penalty.l1, 0.0)
    theta = start
    answer = yield Question(theta)
    cost = answer.cost + penalty.rough(theta)
    slope = _slope(theta, answer.gradient, l1) * moving
    pairs = GradientHistory(theta.size, 4 / weight)
    steps, asked, settled, fine = [_step(0, cost, theta, 0.0)], 1, not slope.any(), 0
    while not settled and asked < passes and not cost < watch:
        direction = pairs.direction(slope)
        if not penalty.is_smooth:
            direction = np.where(direction * slope < 0, direction, 0.0)
        fall = dot(slope, direction)
        if not fall < 0:
            if not pairs.count:
                break
            pairs.clear()  # the stored steps are misleading
            continue
        found = yield from _line_search(
            theta, cost, fall, direction, slope, penalty, l1, 4 * TRIALS if not pairs.count else TRIALS
        )
        if found is None:
            asked += TRIALS
            if not pairs.count:
                settled = True  # as exact as rounding allows
                break
            pairs.clear()
            continue
        trial, new, now, size, tries = found
        asked += tries
        moved, changed = trial - theta, (new.gradient - answer.gradient) * moving
        if dot(moved, changed) > 1e-12 * dot(changed, changed) / max(weight, 1e-300):
            pairs.add(moved, changed)
        gain = max(cost - now, -fall / 2 if pairs.count > 2 else np.inf)
        theta, answer, cost = trial, new, now
        slope = _slope(theta, answer.gradient, l1) * moving
        if len(steps) < KEPT:
            steps.append(_step(len(steps), cost, theta, size))
        fine = fine + 1 if gain <= tolerance * abs(cost) else 0
        settled = fine >= 2 or not slope.any()
    return LogisticSolution(theta, cost, settled, asked, None, tuple(steps), adrift=cost < watch)


def _step(number: int, cost: float, theta: Numbers, size: float) -> SolverStep:
    return SolverStep(number, cost, theta if theta.size <= WIDE else theta[:, :0], size)


def dot(one: Numbers, other: Numbers) -> float:
    """Return the sum of products."""
    return float(np.dot(one.ravel(), other.ravel()))


def _slope(theta: Numbers, gradient: Numbers, l1: Numbers) -> Numbers:
    """Return the gradient with l1, at zero on the side where the cost falls; 0 if it falls on neither."""
    if not l1.any():
        return gradient
    up, down = gradient + l1, gradient - l1
    at_zero = np.where(up < 0, up, np.where(down > 0, down, 0.0))
    return np.where(theta > 0, up, np.where(theta < 0, down, at_zero))


class GradientHistory:
    """The last few moves of theta and changes of the gradient, and the direction that they give.

    The usual two-loop recursion is done in coefficients: all products of the remembered vectors with new ones are taken
    at once, and the direction is one weighted sum.
    """

    def __init__(self, size: int, scale: float) -> None:
        self.scale = scale
        self.count = self.next = 0
        self.size = size
        self.vectors = np.empty((0, size))  # moves, then changes
        self.products = np.zeros((2 * MEMORY, 2 * MEMORY))

    def clear(self) -> None:
        """Drop all stored steps."""
        self.count = self.next = 0

    def add(self, moved: Numbers, changed: Numbers) -> None:
        """Store a move, replacing the oldest if the memory is full."""
        if not len(self.vectors):
            self.vectors = np.zeros((2 * MEMORY, self.size))
        at = self.next
        self.vectors[at], self.vectors[MEMORY + at] = moved.ravel(), changed.ravel()
        for place in (at, MEMORY + at):
            self.products[place] = self.products[:, place] = self.vectors @ self.vectors[place]
        self.next, self.count = (at + 1) % MEMORY, min(self.count + 1, MEMORY)

    def direction(self, slope: Numbers) -> Numbers:
        """Return minus the inverse Hessian, as approximated, times the gradient."""
        flat = slope.ravel()
        if not self.count:
            length = float(np.sqrt(flat @ flat))
            return np.asarray(-slope * min(self.scale, 1 / length if length > 0 else 1.0))
        order = [(self.next - 1 - i) % MEMORY for i in range(self.count)]  # the newest first
        own, shares = two_loops(order, self.vectors @ flat, self.products)
        return np.asarray(own * slope + (shares @ self.vectors).reshape(slope.shape))


def two_loops(order: list[int], with_slope: Numbers, products: Numbers) -> tuple[float, Numbers]:
    """Return the direction as a sum: the coefficient of the gradient, and those of moves and changes.

    `order` has the positions of the moves, the newest first; `with_slope` and `products` are the products of all moves
    and changes, in this order, with the gradient and with each other.
    """
    memory = len(products) // 2
    shares = np.zeros(2 * memory)
    own, left = -1.0, {}

    def product(place: int) -> float:
        return own * float(with_slope[place]) + float(shares @ products[:, place])

    for i in order:
        left[i] = product(i) / products[i, memory + i]
        shares[memory + i] -= left[i]
    newest = order[0]
    factor = products[newest, memory + newest] / products[memory + newest, memory + newest]
    own *= factor
    shares *= factor
    for i in reversed(order):
        shares[i] += left[i] - product(memory + i) / products[i, memory + i]
    return own, shares


def _line_search(
    theta: Numbers,
    cost: float,
    fall: float,
    direction: Numbers,
    slope: Numbers,
    penalty: Penalty,
    l1: Numbers,
    most: int,
) -> Generator[Question, Answer, tuple[Numbers, Answer, float, float, int] | None]:
    """Return a step that satisfies the conditions: theta, answer and cost there, its size, and the number of trials."""
    low, high, size, ahead = 0.0, np.inf, 1.0, 2.0
    side = np.where(theta != 0, np.sign(theta), -np.sign(slope))
    for tries in range(1, most + 1):
        trial = theta + size * direction
        if l1.any():
            trial = np.where((l1 > 0) & (trial * side <= 0), 0.0, trial)
        answer = yield Question(trial)
        now = answer.cost + penalty.rough(trial)
        expected = fall * size if penalty.is_smooth else dot(slope, trial - theta)
        if not now <= cost + 1e-4 * expected + 1e-15 * abs(cost):
            high = size
        elif penalty.is_smooth and (steep := dot(answer.gradient, direction)) < 0.9 * fall:
            low = size
            flat = size * fall / (fall - steep) if steep > fall else np.inf  # where the slope would be 0, on a parabola
            ahead = float(np.clip(flat, 2 * size, 1000 * size))
        else:
            return trial, answer, now, size, tries
        size = (low + high) / 2 if high < np.inf else ahead
        if size < 1e-20:
            return None
    return None
