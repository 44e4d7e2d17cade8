"""All machines of a table: each two-class problem goes to the solver that suits it, several at a time.

A machine sees the points of its two sides by their positions; nothing is copied for it. Linear machines go to
`solve_linear`, others to SMO.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers, Rows
from hedgerow.data.table.threads import map_in_order, n_threads
from hedgerow.errors import DataError
from hedgerow.learn.svm.linear import LinearSolution, solve_linear
from hedgerow.learn.svm.points import SvmPoints
from hedgerow.learn.svm.problem import Signs, SvmProblem, SvmSolution
from hedgerow.learn.svm.smo import solve
from hedgerow.learn.svm.smo_by_hand import solve_by_hand
from hedgerow.models.many.class_codes import CodeMatrix
from hedgerow.models.svm.given_kernels import CallableKernel, Precomputed
from hedgerow.models.svm.kernel_function import LINEAR, Kernel, KernelFunction
from hedgerow.models.svm.kernel_sums import kernel_values
from hedgerow.models.svm.solution_quality import MachineFigures

MOST_PASSES = 1000  # of linear machines, if no other number is given
NEAR = 1e-9  # a share of C, within which an alpha is at its bound
LARGEST = 1e100  # of a kernel value: squares of sums of them are still numbers


@dataclass(frozen=True, eq=False)
class SvmSettings:
    """How machines are learned: kernel, cost of slack, codes, and when a solver ends."""

    kernel: Kernel
    codes: CodeMatrix
    cost: float  # C; inf: hard margin
    factors: Numbers  # of C, by class
    power: int  # of the slack
    tolerance: float
    cache: float  # bytes
    most: int | None  # steps of a solver
    scale: str  # of numbers
    rough: float  # a violation of the optimum's conditions from which on it is said
    seed: int = 1

    @property
    def is_linear(self) -> bool:
        """Whether machines have a slope a position."""
        return isinstance(self.kernel, KernelFunction) and self.kernel.name == LINEAR

    def bounds(self, points: SvmPoints, weights: Numbers) -> Numbers:
        """Return C of every point, 0 of those that weigh nothing."""
        heavy = self.factors[points.labels] * weights
        if self.cost == inf:
            return np.where(heavy > 0, inf, 0.0)
        return np.asarray(self.cost * heavy)


@dataclass(frozen=True, eq=False)
class SolvedMachines:
    """The functions of all machines on the scale of the points, and how good they are."""

    intercepts: Numbers
    slopes: Numbers | None  # (machines, places); None of kernels
    sides: tuple[tuple[Rows, Numbers], ...]  # of every machine: points, ascending, and their alpha * y
    figures: MachineFigures
    separable: NDArray[np.bool_]  # False: a hard margin that does not exist
    linear: LinearSolution | None = None


def solve_machines(
    points: SvmPoints, settings: SvmSettings, weights: Numbers | None = None, start: SolvedMachines | None = None
) -> SolvedMachines:
    """Return the machines of points; `weights` may be others than their own, `start` machines to begin with."""
    weights = points.weights if weights is None else weights
    if len(points.seen_classes) < 2:
        return _certain(points, settings)
    bounds = settings.bounds(points, weights)
    if settings.is_linear:
        return _linear(points, settings, bounds, start)
    return _kernel(points, settings, bounds, start)


def solve_with_less_weight(
    points: SvmPoints, settings: SvmSettings, weights: Numbers, whole: SolvedMachines
) -> SolvedMachines:
    """Return machines of the points with less weight, given those of all; the figures are those of all.

    A machine stays as it is where only points lose weight that have no alpha: they do not hold the margin.
    """
    if settings.is_linear or len(points.seen_classes) < 2:
        return solve_machines(points, settings, weights, whole)
    lighter = weights != points.weights
    others = [machine for machine, (rows, _) in enumerate(whole.sides) if lighter[rows].any()]
    problems, svm_solutions = _solve_each_by_smo(points, settings, settings.bounds(points, weights), whole, others)
    intercepts, sides = whole.intercepts.copy(), list(whole.sides)
    for machine, problem, one in zip(others, problems, svm_solutions, strict=True):
        intercepts[machine], sides[machine] = one.b, _support_coefficients(problem, one)
    return replace(whole, intercepts=intercepts, sides=tuple(sides))


def _certain(points: SvmPoints, settings: SvmSettings) -> SolvedMachines:
    """Return the machine of a single class, which always predicts it."""
    figures = _figures([], [], settings)
    slopes = np.zeros((1, points.design.width))
    return SolvedMachines(np.ones(1), slopes, ((np.empty(0, np.int64), np.empty(0)),), figures, np.ones(1, np.bool_))


def _linear(points: SvmPoints, settings: SvmSettings, bounds: Numbers, start: SolvedMachines | None) -> SolvedMachines:
    linear_solution = solve_linear(
        points.matrix,
        settings.codes,
        points.labels,
        bounds,
        settings.power,
        tolerance=settings.tolerance,
        start=None if start is None else start.linear,
        random_state=settings.seed,
        most_passes=MOST_PASSES if settings.most is None else settings.most,
    )
    signs = settings.codes.entries[:, points.labels]
    sides = []
    for own, line in zip(linear_solution.alphas, signs, strict=True):
        there = np.flatnonzero(own)
        sides.append((there, own[there] * line[there]))
    solution_qualities = linear_solution.figures
    heavy = [float(points.weights[(line != 0) & (bounds > 0)].sum()) for line in signs]
    figures = _figures(solution_qualities, heavy, settings)
    separable = np.array([one.separable for one in solution_qualities], dtype=np.bool_)
    return SolvedMachines(
        np.asarray(linear_solution.b),
        np.asarray(linear_solution.weights),
        tuple(sides),
        figures,
        separable,
        linear_solution,
    )


def _check_size(points: SvmPoints, kernel: KernelFunction) -> None:
    """Raise an error if kernel values are beyond what can be summed."""
    if len(points) and not np.abs(kernel.diagonal(points.matrix)).max() <= LARGEST:
        raise DataError(
            f"values of the kernel {kernel.describe()} are too large to be summed: use a smaller degree or gamma, or "
            "scale='range', which scales numbers to lie between 0 and 1"
        )


def _kernel(points: SvmPoints, settings: SvmSettings, bounds: Numbers, start: SolvedMachines | None) -> SolvedMachines:
    if isinstance(settings.kernel, KernelFunction):
        _check_size(points, settings.kernel)
    return _together(points, settings, *_solve_each_by_smo(points, settings, bounds, start, range(len(settings.codes))))


def _solve_each_by_smo(
    points: SvmPoints, settings: SvmSettings, bounds: Numbers, start: SolvedMachines | None, machines: Sequence[int]
) -> tuple[list[SvmProblem], list[SvmSolution]]:
    """Return the problems of some machines and their solutions."""
    problems = [_problem(points, settings, bounds, machine) for machine in machines]
    # several machines share the cores; the kernel values of a single one do; a user's function has one thread
    many = len(problems) >= n_threads()
    threads = 1 if not many or isinstance(settings.kernel, CallableKernel) else n_threads()
    grown = 1.0 if start is None or settings.power == 2 else settings.cost / start.figures.cost
    grown = grown if 0 < grown < inf else 1.0  # alphas at their bound stay there when C grows

    def solve_machine(place: int) -> SvmSolution:
        problem = problems[place]
        return solve(
            points.matrix,
            settings.kernel,
            problem,
            tolerance=settings.tolerance,
            cache_bytes=int(settings.cache / threads),
            start=None if start is None else _begin(problem, *start.sides[machines[place]], grown),
            threads=1 if many else None,
            most_steps=settings.most,
        )

    return problems, list(map_in_order(solve_machine, range(len(problems)), threads))


def solve_machines_by_hand(points: SvmPoints, settings: SvmSettings, most: int) -> SolvedMachines:
    """Return the machines of few points by the plain solver, in at most so many steps; linear ones have slopes too."""
    bounds = settings.bounds(points, points.weights)
    problems = [_problem(points, settings, bounds, machine) for machine in range(len(settings.codes))]
    svm_solutions = []
    for problem in problems:
        if isinstance(settings.kernel, Precomputed):
            square = settings.kernel.matrix(points.matrix[problem.rows], problem.rows)
        else:
            own = points.matrix[problem.rows]
            square = settings.kernel.matrix(own, own)
        svm_solutions.append(solve_by_hand(square, problem, tolerance=settings.tolerance, most=most))
    machines = _together(points, settings, problems, svm_solutions)
    if not settings.is_linear:
        return machines
    slopes = np.array([points.matrix[rows].T @ coefs for rows, coefs in machines.sides])
    return replace(machines, slopes=slopes.reshape(len(problems), points.matrix.shape[1]))


def _together(
    points: SvmPoints, settings: SvmSettings, problems: Sequence[SvmProblem], svm_solutions: Sequence[SvmSolution]
) -> SolvedMachines:
    """Return the solutions of all problems as machines."""
    sides = tuple(_support_coefficients(problem, one) for problem, one in zip(problems, svm_solutions, strict=True))
    heavy = [float(points.weights[problem.rows].sum()) for problem in problems]
    figures = _figures(svm_solutions, heavy, settings)
    separable = np.array([one.separable for one in svm_solutions], dtype=np.bool_)
    return SolvedMachines(np.array([one.b for one in svm_solutions]), None, sides, figures, separable)


def _support_coefficients(problem: SvmProblem, svm_solution: SvmSolution) -> tuple[Rows, Numbers]:
    """Return the support vectors of a machine and their alpha * y."""
    there = svm_solution.support
    return problem.rows[there], svm_solution.alpha[there] * problem.signs[there]


def _problem(points: SvmPoints, settings: SvmSettings, bounds: Numbers, machine: int) -> SvmProblem:
    """Return the two-class problem of a machine: positions, signs, and C of each point."""
    signs: Signs = settings.codes.entries[machine][points.labels]
    rows = np.flatnonzero((signs != 0) & (bounds > 0)).astype(np.int64)
    return SvmProblem.of(rows, signs[rows], bounds[rows], settings.power)


def _begin(problem: SvmProblem, rows: Rows, coefs: Numbers, grown: float) -> Numbers:
    """Return alphas to begin with: those of another solution, of which those at a bound grow as C has grown."""
    alpha = np.zeros(len(problem))
    _, here, there = np.intersect1d(problem.rows, rows, assume_unique=True, return_indices=True)
    own, bounds = np.abs(coefs[there]), problem.bounds[here]
    alpha[here] = np.where(grown * own >= (1 - NEAR) * bounds, bounds, own)
    return alpha


def decision_values(points: SvmPoints, settings: SvmSettings, machines: SolvedMachines, rows: Rows) -> Numbers:
    """Return the decision value of every machine (lines) at some of the points."""
    intercepts = machines.intercepts[:, None]
    if machines.slopes is not None:
        return np.asarray((points.matrix[rows] @ machines.slopes.T).T) + intercepts
    used = np.unique(np.concatenate([np.empty(0, np.int64), *(own for own, _ in machines.sides)]))
    coefs = np.zeros((len(used), len(machines.sides)))
    for machine, (own, alphas) in enumerate(machines.sides):
        coefs[np.searchsorted(used, own), machine] = alphas
    vectors: Any = used if isinstance(settings.kernel, Precomputed) else points.matrix[used]
    return kernel_values(settings.kernel, vectors, coefs, machines.intercepts, points.matrix[rows])


def _figures(found: Sequence[Any], heavy: Sequence[float], settings: SvmSettings) -> MachineFigures:
    """Return the figures of machines; rows by weight, so that a row of weight 2 counts as two."""
    rows = [max(round(one), 1) for one in heavy]
    return MachineFigures.of(found, rows, settings.cost, settings.power, settings.scale)
