"""Newton's steps for logistic regression, known as iteratively re-weighted least squares; with l1 as proximal steps.

A step goes to the minimum of the quadratic with the cost's gradient and Hessian, and is halved until the cost falls.
With l1 penalties the minimum of the quadratic plus absolute values is found by coordinate descent, with exact zeros.
It ends when a step would lower the cost by less than the tolerance; that step is still taken, at no extra cost.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.table import Numbers
from hedgerow.data.table.threads import blas_threads_for, scipy_linalg
from hedgerow.learn.linear.least_squares.solve import DEPENDS
from hedgerow.learn.linear.logistic.likelihood import Answer, LogisticSolution, Penalty, Question, Solver, SolverStep

SURE = 30.0  # factor below the tolerance at which the expected decrease saves a pass
FINER = 1e-4  # factor by which one more Newton step improves the tolerance
ROUNDING = 1e-13  # relative increase of the cost that may be due to rounding
LEAST = 2.0**-30  # of a step
KEPT = 1000  # steps that are stored
SWEEPS = 100  # of coordinate descent over the coordinates, before an active set goes on
STEPS_A_PLACE = 4  # of the active set, at most
SMALL = 64  # size of matrices inverted without SciPy, which takes time to load
ADRIFT = 1e6  # factor of a coefficient's initial variance above which it diverges


@dataclass(frozen=True, eq=False)
class HessianRows:
    """Which positions may change, and whether a common shift of all intercepts has no effect."""

    moving: NDArray[np.bool_]  # one per position, the intercept last
    shifts: bool

    def ready(self, hessian: Numbers, n_functions: int) -> Numbers:
        """Return a Hessian that can be solved: the shift is given some curvature, which moves nothing."""
        if not self.shifts:
            return hessian
        out = hessian.copy()
        ends = np.arange(1, n_functions + 1) * (len(out) // n_functions) - 1
        out[np.ix_(ends, ends)] += np.mean(hessian[ends, ends]) + 1e-300
        return out

    def direction(self, answer: Answer) -> tuple[Numbers, Numbers]:
        """Return the step to the minimum of the quadratic, and the variance of every coefficient."""
        n_functions = len(answer.gradient)
        assert answer.hessian is not None
        moving = np.tile(self.moving, n_functions)
        full = self.ready(answer.hessian, n_functions)
        part = full[np.ix_(moving, moving)]
        inverse = invert(part)
        step = np.zeros(moving.shape)
        right = -answer.gradient.ravel()[moving]
        with np.errstate(over="ignore", invalid="ignore"):  # a step that overflows is not taken
            values = inverse @ right
            values += inverse @ (right - part @ values)  # residue of rounding
        step[moving] = values
        variance = np.zeros(moving.shape)
        variance[moving] = np.diagonal(inverse)
        return step.reshape(answer.gradient.shape), variance.reshape(answer.gradient.shape)


def invert(matrix: Numbers) -> Numbers:
    """Return the inverse of a positive definite matrix; one that is nearly so is regularized slightly."""
    with blas_threads_for(len(matrix)):
        return _invert_definite(matrix)


def _invert_definite(matrix: Numbers) -> Numbers:
    size = np.sqrt(np.maximum(np.diagonal(matrix), 1e-300))
    with np.errstate(over="ignore"):
        scaled = np.clip(matrix / np.outer(size, size), -1.0, 1.0)  # as a positive matrix has it, but for rounding
    more = 0.0
    for _ in range(20):
        try:
            lower = np.linalg.cholesky(scaled + more * np.eye(len(scaled)) if more else scaled)
        except np.linalg.LinAlgError:
            more = max(10 * more, 1e-14)
            continue
        with np.errstate(over="ignore"):
            return np.asarray(_inverse_of_product(lower) / np.outer(size, size))
    return np.diag(1 / np.square(size))


def _inverse_of_product(lower: Numbers) -> Numbers:
    """Return the inverse of LL'."""
    if len(lower) <= SMALL:
        root = np.linalg.solve(lower, np.eye(len(lower)))
        return np.asarray(root.T @ root)
    half, _ = scipy_linalg().lapack.dpotri(np.asfortranarray(lower), lower=1, overwrite_c=1)
    return np.asarray(np.tril(half) + np.tril(half, -1).T)


def newton(
    start: Numbers,
    penalty: Penalty,
    bends: HessianRows,
    passes: int,
    tolerance: float,
    known: Numbers | None = None,
    first: Answer | None = None,
    watch: float = 0.0,
) -> Solver:
    """Minimize from `start` until a step would lower the cost by less than a share of `tolerance`.

    With `known`, an approximate Hessian of the cost, the first steps use it, which saves requests for
    others; `first` is the answer at `start`, if already known. With `watch` it ends when coefficients diverge,
    as they do if classes are separated, or the cost falls below that number.
    """
    theta, enough = start, FINER
    if known is not None and penalty.is_smooth:
        enough = 1.0  # the last step, with the Hessian of all rows, is taken from within the tolerance
        theta = yield from _refine(theta, bends, known, tolerance)
    answer = (yield Question(theta, True)) if first is None or known is not None else first
    at_first = np.ones(1)
    direction = np.zeros(theta.shape)
    steps: list[SolverStep] = [SolverStep(0, answer.cost + penalty.rough(theta), theta, 0.0)]
    size, settled, adrift = 1.0, False, False
    for number in range(1, passes + 1):
        direction, gain, variance = _aim(theta, answer, penalty, bends)
        if number == 1:
            at_first = variance
        cost = answer.cost + penalty.rough(theta)
        adrift = watch > 0 and (cost < watch or not runs_straight(variance, at_first, direction, gain))
        if adrift:
            break
        settled = gain <= enough * tolerance * max(abs(cost), 1e-300) or gain <= 1e-30
        if settled:
            theta = theta + direction
            steps.append(SolverStep(number, cost - max(gain, 0.0), theta, 1.0))
            break
        size, trial, new = 1.0, theta + direction, None
        while size > LEAST and np.isfinite(direction).all():
            trial = theta + size * direction
            new = yield Question(trial, True)
            now = new.cost + penalty.rough(trial)
            if np.isfinite(now) and now <= cost - 1e-4 * size * gain + ROUNDING * abs(cost):
                break
            size, new = size / 2, None
        if new is None:  # no step is small enough: this is as exact as rounding allows
            settled = True
            break
        theta, answer = trial, new
        if len(steps) < KEPT:
            steps.append(SolverStep(number, answer.cost + penalty.rough(theta), theta, size))
    cost = steps[-1].cost if settled and steps else answer.cost + penalty.rough(theta)
    return LogisticSolution(theta, cost, settled, steps[-1].number, answer.hessian, tuple(steps), adrift=adrift)


def runs_straight(variance: Numbers, at_first: Numbers, direction: Numbers, gain: float) -> bool:
    """Return whether a step is finite, and no coefficient's variance is far larger than at the start."""
    sure = bool((variance <= ADRIFT * np.maximum(at_first, 1e-300)).all())
    return sure and bool(np.isfinite(gain)) and bool(np.isfinite(direction).all())


def _aim(theta: Numbers, answer: Answer, penalty: Penalty, bends: HessianRows) -> tuple[Numbers, float, Numbers]:
    """Return the step, the expected decrease of the cost, and the variance of the coefficients.

    Where sums overflow the decrease is not finite, which ends the iteration.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return _step(theta, answer, penalty, bends)


def _step(theta: Numbers, answer: Answer, penalty: Penalty, bends: HessianRows) -> tuple[Numbers, float, Numbers]:
    if penalty.is_smooth:
        direction, variance = bends.direction(answer)
        return direction, -float((answer.gradient * direction).sum()) / 2, variance
    n_functions = len(theta)
    assert answer.hessian is not None
    moving = np.tile(bends.moving, n_functions)
    hessian = bends.ready(answer.hessian, n_functions)
    aim = np.ascontiguousarray(theta.ravel()[moving])
    part = np.ascontiguousarray(hessian[np.ix_(moving, moving)])
    l1 = np.tile(np.append(penalty.l1, 0.0), n_functions)[moving]
    aim = lasso_aim(part, np.ascontiguousarray(answer.gradient.ravel()[moving]), l1, aim, answer.cost)
    direction = np.zeros(moving.shape)
    direction[moving] = aim
    direction = direction.reshape(theta.shape)
    direction[:, ~bends.moving] = theta[:, ~bends.moving]
    direction -= theta
    change = float((answer.gradient * direction).sum()) + penalty.rough(theta + direction) - penalty.rough(theta)
    return direction, -change / 2, np.zeros(theta.shape)


def lasso_aim(hessian: Numbers, gradient: Numbers, l1: Numbers, theta: Numbers, cost: float) -> Numbers:
    """Return the minimum of a quadratic plus absolute values.

    Coordinate descent finds most of the coefficients that are zero and the signs of the others. Where columns are
    nearly collinear it converges slowly, and an active set method continues, which ends after finitely many steps: the
    coefficients that are not zero are solved for, up to where the quadratic is least on the way, at which some may
    become zero; then the zero with the largest gradient is released. H. Lee, A. Battle, R. Raina, A. Y. Ng, Efficient
    sparse coding algorithms. NIPS (2006).
    """
    aim, fine = theta.copy(), 1e-9 * max(cost, 1e-6) ** 0.5
    if _kernels.solve_lasso_step(hessian, gradient, l1, aim, fine, SWEEPS) < SWEEPS:
        return aim
    free, signs = (aim != 0) | (l1 == 0), np.sign(aim)
    for _ in range(STEPS_A_PLACE * len(aim)):
        slope = gradient + hessian @ (aim - theta)
        step = np.zeros(len(aim))
        step[free] = -(invert(hessian[np.ix_(free, free)]) @ (slope + l1 * signs)[free])
        length, crossed = _lowest(aim, step, slope, hessian @ step, l1)
        aim = aim + length * step
        aim[crossed] = 0.0
        free, signs = (aim != 0) | (l1 == 0), np.sign(aim)
        if length < 1:  # signs have changed
            continue
        pull = np.abs(gradient + hessian @ (aim - theta)) - l1 * (1 + 1e-9)
        pull[free] = 0.0
        most = int(pull.argmax())
        if pull[most] <= 1e-3 * fine * hessian[most, most] ** 0.5:
            break
        free[most], signs[most] = True, -np.sign((gradient + hessian @ (aim - theta))[most])
    return aim


def _lowest(aim: Numbers, step: Numbers, slope: Numbers, bend: Numbers, l1: Numbers) -> tuple[float, NDArray[np.bool_]]:
    """Return the share of a step that minimizes a quadratic plus absolute values, and what is zero there."""
    there = (l1 > 0) & (step != 0)
    crossing = np.full(len(aim), np.inf)
    crossing[there] = -aim[there] / step[there]
    crossing[crossing <= 0] = np.inf
    steep, bent = float(slope @ step), float(step @ bend)
    for at in np.unique(crossing[crossing < 1]).tolist():
        before = steep + at * bent + float((l1 * step * np.sign(aim + at * (1 - 1e-12) * step))[there].sum())
        if before >= 0:  # the minimum lies before it
            inside = before - at * bent  # the slope of this stretch, at 0
            return float(np.clip(-inside / bent, 0.0, at)) if bent > 0 else at, np.zeros(len(aim), dtype=np.bool_)
        crossed = crossing == at
        signs = np.where(crossed, np.sign(step), np.sign(aim + at * step))
        after = steep + at * bent + float((l1 * step * signs)[there].sum())
        if after >= 0:
            return at, crossed
    return 1.0, np.zeros(len(aim), dtype=np.bool_)


def _refine(
    theta: Numbers, bends: HessianRows, known: Numbers, tolerance: float
) -> Generator[Question, Answer, Numbers]:
    """Take steps with a known Hessian, corrected by the gradients on the way, as long as they make progress."""
    moving = np.tile(bends.moving, len(theta))
    inverse = invert(bends.ready(known, len(theta))[np.ix_(moving, moving)])
    pairs: list[tuple[Numbers, Numbers, float]] = []
    last, before, gained = theta, None, 0.0
    for _ in range(12):
        answer = yield Question(theta, False)
        if before is not None:
            if answer.cost > before.cost:
                return last
            moved = (theta - last).ravel()[moving]
            changed = (answer.gradient - before.gradient).ravel()[moving]
            curve = float(moved @ changed)
            if curve > 0:
                pairs.append((moved, changed, curve))
        slope = answer.gradient.ravel()[moving]
        step = np.zeros(moving.shape)
        step[moving] = apply_bfgs(-slope, pairs, inverse)
        gain = -float(slope @ step[moving]) / 2
        last, before = theta, answer
        theta = theta + step.reshape(theta.shape)
        next_gain = gain * min(gain / gained, 1.0) if gained > 0 else gain  # if the steps keep making such progress
        gained = gain
        if min(gain, SURE * next_gain) <= tolerance * abs(answer.cost):
            break
    return theta


def apply_bfgs(out: Numbers, pairs: list[tuple[Numbers, Numbers, float]], inverse: Numbers) -> Numbers:
    """Return an inverse Hessian, corrected by how gradients changed (BFGS), times a vector."""
    shares = []
    for moved, changed, curve in reversed(pairs):
        share = float(moved @ out) / curve
        out = out - share * changed
        shares.append(share)
    out = inverse @ out
    for (moved, changed, curve), share in zip(pairs, reversed(shares), strict=True):
        out = out + moved * (share - float(changed @ out) / curve)
    return np.asarray(out)


def independent(hessian: Numbers, n_functions: int) -> NDArray[np.bool_]:
    """Return which positions are neither constant nor dependent on earlier ones; the intercept comes last and is kept.

    The block of a single class is a sum of weighted products, from which dependence can be found as in least squares.
    """
    from hedgerow.learn.linear.least_squares.solve import _factor_in_order

    width = len(hessian) // n_functions
    block = hessian[:width, :width]
    likeness = correlation_matrix(block)
    try:
        lower = np.linalg.cholesky(likeness)
        kept = np.square(np.diagonal(lower)) > DEPENDS * np.diagonal(likeness)
        sound = bool(kept.all())
    except np.linalg.LinAlgError:
        sound = False
    if not sound:
        _, kept = _factor_in_order(likeness)
    return np.append(kept, True)


def correlation_matrix(block: Numbers) -> Numbers:
    """Return the correlations of positions from weighted products of them and 1, zeros of those with one value."""
    total = block[-1, -1]
    sums = block[-1, :-1]
    out = block[:-1, :-1] - np.outer(sums, sums) / total if total > 0 else block[:-1, :-1] * 0.0
    squares = np.diagonal(out)
    flat = squares <= 1e-12 * np.diagonal(block)[:-1]
    size = np.sqrt(np.where(flat, 1.0, squares))
    out = out / np.outer(size, size)
    out[flat] = 0.0
    out[:, flat] = 0.0
    return np.asarray(out)
