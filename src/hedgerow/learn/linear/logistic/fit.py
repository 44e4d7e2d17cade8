"""From the statistics of the columns to a model of classes: the problems to solve, the solver, and the notes."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.design.design import Design
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.errors import UsageError
from hedgerow.layout.rounding import round_digits
from hedgerow.learn.linear.least_squares.products import Means
from hedgerow.learn.linear.least_squares.solve import dependence, round_coefficients
from hedgerow.learn.linear.logistic.lbfgs import lbfgs
from hedgerow.learn.linear.logistic.likelihood import (
    Answer,
    ColumnSpread,
    LogisticProblem,
    LogisticSolution,
    Penalty,
    Question,
    Solver,
    SolverStep,
)
from hedgerow.learn.linear.logistic.newton import (
    ADRIFT,
    HessianRows,
    correlation_matrix,
    independent,
    invert,
    newton,
    runs_straight,
)
from hedgerow.learn.linear.logistic.separation import RIDGES, Margins, separating_positions, separation_note
from hedgerow.models.base.design_scaling import DesignScaling
from hedgerow.models.base.model import About
from hedgerow.models.linear.linear_classes import EACH, SOFTMAX, ClassFigures, LinearClasses

AUTO, NEWTON, LBFGS, ASCENT, SGD = "auto", "newton", "lbfgs", "ascent", "sgd"
MOST_CURVED = 2000  # coefficients up to which the Hessian is stored: 32 MB
FEW_CURVED = 600  # coefficients up to which the Hessian is worth its time
TIGHT, LOOSE = 1e-9, 1e-5  # tolerances, the second of L-BFGS with a penalty
ABSENT = -25.0  # the log-odds of a class without rows
POLISH = 30  # maximum number of Newton steps from the smallest ridge to the maximum
NEARBY = 0.1  # relative to the length of the slopes with the smallest ridge: maximum distance of the maximum from there
SAME = 1e-5  # share by which the log-likelihood of rounded coefficients may differ
MANY_PLACES = 2000  # coefficients from which they are rounded all at once

Asking = Generator[
    tuple[int, Question], Answer, Any
]  # which class against all others, -1: all classes; and the request
Finding = Generator[tuple[int, Question], Answer, LogisticSolution]


@dataclass(frozen=True)
class LogisticSettings:
    """The parameters of the solvers."""

    solver: str = AUTO
    strength: float = 0.0  # of the penalty; 0: none
    l1_ratio: float = 0.0
    standardize: bool = True
    coupled: bool = True
    passes: int = 1000
    tolerance: float | None = None
    digits: int = 6
    rate: float | None = None
    start: float = 0.0
    otherwise: float = 0.0  # strength of l2 used if classes are separated; 0: none


@dataclass(eq=False)
class LogisticFit:
    """A design, the weight of every class, and settings: the problem without the rows."""

    design: Design
    classes: Numbers  # weight by class
    spread: ColumnSpread
    settings: LogisticSettings
    sample: Callable[[int], tuple[Numbers, Numbers] | None] | None = None  # initial theta, if known
    climb: Callable[[int], LogisticSolution] | None = None  # solvers that read the rows themselves
    solutions: list[tuple[int, LogisticSolution]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unsolved_rows: NDArray[np.bool_] | None = None  # positions without a coefficient

    @cached_property
    def seen_classes(self) -> Codes:
        """The classes that have rows."""
        return np.flatnonzero(self.classes > 0).astype(np.int32)

    @cached_property
    def is_per_class(self) -> bool:
        """Whether every class has a separate model."""
        return not self.settings.coupled and len(self.seen_classes) > 2

    @cached_property
    def has_base_class(self) -> bool:
        """Whether the first class has no function: two classes, or no penalty, which would make the classes unequal."""
        return self.is_per_class or len(self.seen_classes) <= 2 or self.settings.strength == 0

    @cached_property
    def frame(self) -> DesignScaling:
        """The scaling of the positions."""
        stepwise = self.settings.solver in (ASCENT, SGD) and not self.settings.standardize
        return DesignScaling.identity(self.design) if stepwise else DesignScaling.standardizing(self.design)

    @cached_property
    def penalty(self) -> Penalty:
        """The penalty on the frame's scale."""
        return self.penalty_of(self.settings.strength, self.settings.l1_ratio, self.settings.standardize)

    def penalty_of(self, strength: float, l1_ratio: float, standardize: bool) -> Penalty:
        """Return a penalty; on coefficients of columns with deviation 1, or of unscaled columns."""
        factors = self.frame.factors
        unit = factors * self.spread.deviations if standardize else factors
        with np.errstate(over="ignore"):
            l2 = np.minimum(strength * (1 - l1_ratio) * np.square(unit), 1e300)
        return Penalty(l2, np.minimum(strength * l1_ratio * unit, 1e300))

    @cached_property
    def moving(self) -> NDArray[np.bool_]:
        """The positions that are not constant, and the intercept."""
        return np.append((self.frame.factors > 0) & (self.spread.deviations > 0), True)

    def problem(self, table: Table, of: int = -1, penalty: Penalty | None = None) -> LogisticProblem:
        """Return the problem of some rows: all classes, or one against all others."""
        codes = table.codes(table.schema.index(table.schema.target_column.name))
        if of >= 0:
            labels, n = (codes == of).astype(np.int32), 2
        else:
            order = np.zeros(len(self.classes), dtype=np.int32)
            order[self.seen_classes] = np.arange(len(self.seen_classes))
            labels, n = order[codes], len(self.seen_classes)
        return LogisticProblem(self.design, table, labels, n, self.has_base_class, penalty or self.penalty, self.frame)

    def begin(self, of: int) -> Numbers:
        """Return the theta of the model of class frequencies only."""
        weights = self.classes[self.seen_classes]
        if of >= 0:
            weights = np.array([self.classes.sum() - self.classes[of], self.classes[of]])
        logs = np.log(weights)
        logs = logs[1:] - logs[0] if self.has_base_class else logs - logs.mean()
        theta = np.zeros((len(logs), self.design.width + 1))
        theta[:, -1] = logs
        return theta

    @property
    def constant(self) -> float:
        """The log-likelihood of that model."""
        weights = self.classes[self.seen_classes]
        return float((weights * np.log(weights / weights.sum())).sum())

    # -- solving --------------------------------------------------------------------------------------------

    def solver_for(self, size: int) -> str:
        """Return the solver for this number of coefficients."""
        wish = self.settings.solver
        if wish == NEWTON and size > MOST_CURVED:
            raise UsageError(
                f"solver='newton' stores the second derivatives of all {size:,} coefficients (one per level, term and "
                f"class), which is limited to {MOST_CURVED:,} coefficients; use solver='lbfgs' or 'auto', or keep "
                "fewer terms (most=1000, min_rows=5)"
            )
        if wish != AUTO:
            return wish
        most = MOST_CURVED if self.settings.l1_ratio > 0 and self.settings.strength > 0 else FEW_CURVED
        return NEWTON if size <= most else LBFGS

    def tolerance_for(self, solver: str) -> float:
        """Return the tolerance of a solver."""
        if self.settings.tolerance is not None:
            return self.settings.tolerance
        return LOOSE if solver == LBFGS and not self.penalty.is_none else TIGHT

    @property
    def tiny(self) -> float:
        """A cost below which classes are probably separated: less than the initial cost of one row of two classes."""
        return min(0.69, 0.01 * self.spread.weight)

    def solving(self) -> Asking:
        """Run the solvers with requests for passes over the rows; return the model."""
        if len(self.seen_classes) > 1:
            while not (yield from self._solve_all()):
                self._turn_to_l2()
        return (yield from self._model())

    def _solve_all(self) -> Generator[tuple[int, Question], Answer, bool]:
        """Solve for all classes; False if there is no maximum, so that l2 is used instead."""
        self.solutions.clear()
        for of in self.seen_classes.tolist() if self.is_per_class else [-1]:
            logistic_solution = yield from self._solve(of)
            if logistic_solution is None:
                return False
            self.solutions.append((of, logistic_solution))
        return True

    def _turn_to_l2(self) -> None:
        """Continue with l2; notes on coefficients without a penalty no longer apply."""
        self.settings = replace(self.settings, strength=self.settings.otherwise, otherwise=0.0)
        self.notes = [note for note in self.notes if "l2" in note]
        self.sample = None
        for name in ("has_base_class", "penalty"):
            self.__dict__.pop(name, None)

    def _solve(self, of: int) -> Generator[tuple[int, Question], Answer, LogisticSolution | None]:
        """Return the solution; None if there is no maximum, so that l2 is used instead."""
        start, penalty, how = self.begin(of), self.penalty, self.settings
        solver = self.solver_for(start.size)
        if self.climb is not None:
            return self.climb(of)
        free, moving, first, known = penalty.is_none, self.moving, None, None
        tolerance, watch = self.tolerance_for(solver), self.tiny if free else 0.0
        warm = self.sample(of) if self.sample is not None and solver == NEWTON and penalty.is_smooth else None
        if warm is not None:
            start, known = warm
        elif free and start.size <= MOST_CURVED:
            first = yield of, Question(start, True)
            moving = self._independent(first, moving, len(start))
        bends = HessianRows(moving, not self.has_base_class)
        if solver == NEWTON:
            descent = newton(start, penalty, bends, how.passes, tolerance, known, first, watch=watch)
            logistic_solution = yield from penalize_answers(descent, of, penalty)
        else:
            descent = lbfgs(start, penalty, moving, how.passes, tolerance, self.spread.weight, watch)
            logistic_solution = yield from penalize_answers(descent, of, penalty)
            if free and start.size <= MOST_CURVED and not logistic_solution.adrift:
                logistic_solution = yield from self._add_hessian(of, logistic_solution, first, bends)
        if free and (logistic_solution.adrift or start.size > MOST_CURVED):
            solution = yield from self._solve_with_ridge(of, logistic_solution, bends)
            if solution is None:
                return None
            logistic_solution = solution
        self._note_not_converged(logistic_solution, solver)
        self.unsolved_rows = ~moving[:-1]
        return self._even(logistic_solution)

    def finish_solver(self, logistic_solution: LogisticSolution, solver: str) -> LogisticSolution:
        """Return the solution of a solver that reads the rows itself, with a note if it did not converge."""
        self._note_not_converged(logistic_solution, solver)
        self.unsolved_rows = ~self.moving[:-1]
        return self._even(logistic_solution)

    def _note_not_converged(self, logistic_solution: LogisticSolution, solver: str) -> None:
        if not logistic_solution.converged:
            self.notes.append(
                f"solver={solver!r} ended after {logistic_solution.passes} "
                f"{'pass' if logistic_solution.passes == 1 else 'passes'} before the "
                "log-likelihood converged; use more passes, or a stronger penalty"
            )

    def _even(self, logistic_solution: LogisticSolution) -> LogisticSolution:
        """Return a solution whose intercepts sum to 0, where all classes have one.

        If l1 alone leaves a choice, as it does with an even number of classes, the lower one of the two in the
        middle is 0.
        """
        if self.has_base_class:
            return logistic_solution
        theta = logistic_solution.theta.copy()
        loose = np.append((self.penalty.l1 > 0) & (self.penalty.l2 == 0), False)
        theta[:, loose] -= np.sort(theta[:, loose], axis=0)[(len(theta) - 1) // 2]
        theta[:, -1] -= self.frame.to_user_scale(theta)[0].mean()
        return replace(logistic_solution, theta=theta)

    def _independent(self, first: Answer, moving: NDArray[np.bool_], n_functions: int) -> NDArray[np.bool_]:
        assert first.hessian is not None
        kept = independent(first.hessian, n_functions)
        if not kept.all() and not any(note.startswith("no coefficient") for note in self.notes):
            width = self.design.width + 1
            likeness = correlation_matrix(first.hessian[:width, :width])
            inverse = invert(likeness[np.ix_(kept[:-1], kept[:-1])])
            self.notes.append(dependence(SimpleNamespace(design=self.design), likeness, kept[:-1], inverse))  # type: ignore[arg-type]
        return kept & moving if kept.any() else moving

    def _add_hessian(
        self, of: int, logistic_solution: LogisticSolution, first: Answer | None, bends: HessianRows
    ) -> Generator[tuple[int, Question], Answer, LogisticSolution]:
        """Return the solution with its Hessian, and whether coefficients diverge."""
        answer = yield of, Question(logistic_solution.theta, True)
        adrift = False
        if first is not None:
            _, at_first = bends.direction(first)
            step, now = bends.direction(answer)
            adrift = not runs_straight(now, at_first, step, 0.0)
        return replace(logistic_solution, hessian=answer.hessian, adrift=adrift)

    def _solve_with_ridge(
        self, of: int, logistic_solution: LogisticSolution, bends: HessianRows
    ) -> Generator[tuple[int, Question], Answer, LogisticSolution | None]:
        """Return the limit of an ever smaller ridge; None if classes are separated and l2 is to be used.

        If they are not, the limit is the maximum. If they are, and no penalty is allowed, the last ridge limits
        coefficients that would otherwise grow without bound.
        """
        how, passes = self.settings, logistic_solution.passes
        if how.otherwise > 0 and np.isfinite(logistic_solution.theta).all():
            margins = (yield of, Question(logistic_solution.theta, margins=True)).margins
            if margins is not None and margins.certain:  # no need to continue
                self.notes.append(self._separation_note(of, margins, logistic_solution.theta))
                return None
        theta, before, more = self.begin(of), self.begin(of), logistic_solution
        curved = theta.size <= MOST_CURVED
        for ridge in RIDGES:
            penalty = self.penalty_of(ridge, 0.0, standardize=True)
            start = theta if ridge == RIDGES[0] else theta + (theta - before) / 2
            last = ridge == RIDGES[-1] and how.otherwise == 0  # this solution is the model's
            descent = (
                newton(start, penalty, bends, 100, self.tolerance_for(NEWTON) if last else 1e-2)
                if curved
                else lbfgs(theta, penalty, bends.moving, 500, 1e-6, self.spread.weight)
            )
            more = yield from penalize_answers(descent, of, penalty)
            passes += more.passes
            theta, before = more.theta, theta
            cost = more.cost - float((penalty.l2 * np.square(theta[:, :-1])).sum()) / 2
        away = theta - before
        margins = (yield of, Question(theta, margins=True)).margins
        if margins is not None and margins.certain:
            away = theta
        else:
            margins = (yield of, Question(away, margins=True)).margins
        if margins is None or not (margins.certain or margins.separate):
            if not curved:
                return logistic_solution
            descent = newton(theta, self.penalty, bends, min(how.passes, POLISH), self.tolerance_for(NEWTON))
            best = yield from penalize_answers(descent, of, self.penalty)
            gone = np.append(self.frame.factors * self.spread.deviations, 0.0) * (best.theta - theta)
            if best.converged and np.linalg.norm(gone) <= NEARBY * max(self._length(theta), 1.0):
                return replace(best, passes=passes + best.passes)
        self.notes.append(self._separation_note(of, margins, away))
        if how.otherwise > 0:
            return None
        ran = None
        if more.hessian is not None:
            _, variance = bends.direction(Answer(0.0, np.zeros(theta.shape), more.hessian))
            _, usual = bends.direction((yield of, Question(self.begin(of), True)))
            ran = (variance > ADRIFT / 1000 * np.maximum(usual, 1e-300)).astype(np.float64)
        steps = (*logistic_solution.steps, SolverStep(passes, cost, theta))
        return LogisticSolution(theta, cost, True, passes, more.hessian, steps, away=ran)

    def _length(self, theta: Numbers) -> float:
        """Return the length of slopes of columns with deviation 1."""
        return float(np.linalg.norm(theta[:, :-1] * self.frame.factors * self.spread.deviations))

    def _separation_note(self, of: int, margins: Margins | None, away: Numbers) -> str:
        """Return the note on separation."""
        names = self.design.schema.target_column.levels
        class_names = [names[code] for code in self.seen_classes.tolist()] if of < 0 else ["any other class", names[of]]
        _, slopes = self.frame.to_user_scale(away)
        alone = margins.alone if margins is not None and not margins.complete else []
        places = separating_positions(self.design, self.spread.deviations, slopes, self.has_base_class, alone)
        how = "the classes are nearly separated, or columns are nearly linearly dependent, so the slopes are unbounded"
        if margins is not None and (margins.separate or margins.certain):
            how = separation_note(margins, class_names, self.design, places)
        if self.settings.otherwise > 0:
            return (
                f"{how}. The likelihood has no maximum then, and increases as the coefficients grow without bound: l2 "
                f"with strength={self.settings.otherwise:g} was used, and standard errors are left out; "
                "penalty='none' keeps those of the other coefficients"
            )
        return (
            f"{how}. The likelihood increases as the coefficients grow without bound; a tiny ridge keeps them finite, "
            "and they have no standard errors; penalty='l2' gives coefficients of a useful size"
        )

    # -- the model ------------------------------------------------------------------------------------------

    def _model(self) -> Asking:
        k, width = len(self.classes), self.design.width
        base = int(self.seen_classes[0]) if self.has_base_class and not self.is_per_class else -1
        class_codes = np.array([code for code in range(k) if code != base], dtype=np.int32)
        intercepts, slopes = np.full(k, ABSENT), np.zeros((k, width))
        errors: Numbers | None = np.zeros((k, width + 1)) if self.settings.strength == 0 else None
        for of, logistic_solution in self.solutions:
            codes = [of] if of >= 0 else self.seen_classes[int(self.has_base_class) :].tolist()
            intercepts[codes], slopes[codes] = yield from self._round_coefficients(of, logistic_solution)
            sure = None if errors is None else self._errors(logistic_solution)
            if errors is not None and sure is not None:
                errors[codes] = np.minimum(sure, np.finfo(np.float64).max)
        if not self.solutions or (errors is not None and not errors.any()):
            errors = None
        passes = sum(logistic_solution.passes for _, logistic_solution in self.solutions)
        settled = all(logistic_solution.converged for _, logistic_solution in self.solutions)
        figures = ClassFigures(
            round_digits(float(self.classes.sum()), 15),
            self._log_likelihood(),
            min(round_digits(self.constant, 15), 0.0),
            None if errors is None else errors[class_codes],
            settled if self.solutions else None,
            passes if self.solutions else None,
        )
        left = (
            np.flatnonzero(self.unsolved_rows).astype(np.int32)
            if self.unsolved_rows is not None
            else np.empty(0, dtype=np.int32)
        )
        return LinearClasses(
            self.design.schema, self.design, class_codes, intercepts[class_codes], slopes[class_codes],
            EACH if self.is_per_class else SOFTMAX, 1.0,
            left, figures, about=About(notes=tuple(self.notes)),
        )  # fmt: skip

    def _round_coefficients(
        self, of: int, logistic_solution: LogisticSolution
    ) -> Generator[tuple[int, Question], Answer, tuple[Numbers, Numbers]]:
        """Return coefficients as printed, with enough digits to keep the solver's likelihood."""
        means = Means(self.spread.weight, self.spread.means, self.spread.deviations, 0.0, 1.0)
        intercepts, slopes = self.frame.to_user_scale(logistic_solution.theta)
        own = logistic_solution.cost - self.penalty.rough(logistic_solution.theta)
        own -= float((self.penalty.l2 * np.square(logistic_solution.theta[:, :-1])).sum()) / 2
        for digits in range(self.settings.digits, 16, 3):
            pairs = [round_for_print(float(a), b, means, digits) for a, b in zip(intercepts, slopes, strict=True)]
            short = np.array([a for a, _ in pairs]), np.array([b for _, b in pairs])
            theta = self.frame.from_user_scale(*short)
            moved = (theta - logistic_solution.theta).ravel()
            if logistic_solution.hessian is not None:
                gap = float(moved @ (logistic_solution.hessian @ moved)) / 2
            else:
                gap = (yield of, Question(theta)).cost - own
            if abs(gap) <= SAME * max(own, 1e-2):
                return short
        return intercepts, slopes

    def _log_likelihood(self) -> float | None:
        """Return the log-likelihood of the coupled model."""
        if not self.solutions:
            return 0.0
        if self.is_per_class:
            return None
        ((_, logistic_solution),) = self.solutions
        slopes = logistic_solution.theta[:, :-1]
        penalty = float((self.penalty.l2 * np.square(slopes)).sum()) / 2 + self.penalty.rough(logistic_solution.theta)
        return min(round_digits(-(logistic_solution.cost - penalty), 15), 0.0)

    def _errors(self, logistic_solution: LogisticSolution) -> Numbers | None:
        """Return the standard errors of intercepts and slopes on the user's scale, 0 where there is none."""
        if logistic_solution.hessian is None or self.unsolved_rows is None:
            return None
        n_functions, n = logistic_solution.theta.shape
        moving = np.append(~self.unsolved_rows, True)
        places = np.tile(moving, n_functions)
        inverse = invert(logistic_solution.hessian[np.ix_(places, places)])
        size = int(np.count_nonzero(moving))
        out = np.zeros((n_functions, n))
        factors = self.frame.factors[moving[:-1]]
        row = np.append(-factors * self.frame.centers[moving[:-1]], 1.0)
        digits = max(6, self.settings.digits)
        for number in range(n_functions):
            block = inverse[number * size : (number + 1) * size, number * size : (number + 1) * size]
            variance = np.diagonal(block)[:-1]
            own = np.zeros(n)
            own[0] = float(row @ block @ row)
            own[1:][moving[:-1]] = variance * np.square(factors)
            if logistic_solution.away is not None:
                ran = logistic_solution.away[number] > 0
                own[1:][ran[:-1]] = 0.0
                shares = ran[:-1][moving[:-1]] & (row[:-1] != 0)  # in the intercept on the user's scale
                own[0] = 0.0 if ran[-1] or shares.any() else own[0]
            out[number] = [round_digits(max(one, 0.0) ** 0.5, digits) for one in own.tolist()]
        return out


def penalize_answers(solver: Solver, of: int, penalty: Penalty) -> Finding:
    """Pass on a solver's requests, and add its penalty to the answers."""
    try:
        ask = next(solver)
        while True:
            answer = yield of, ask
            ask = solver.send(penalty.smooth(answer, ask.theta))
    except StopIteration as end:
        logistic_solution: LogisticSolution = end.value
        return logistic_solution


def round_for_print(intercept: float, slopes: Numbers, means: Means, digits: int) -> tuple[float, Numbers]:
    """Return coefficients as printed, rounded all at once; those that change no log-odds are 0."""
    idle = np.abs(slopes) * np.maximum(means.deviations, 1e-300) < 0.1 * 10.0**-digits
    slopes = np.where(idle, 0.0, slopes)
    if len(slopes) <= MANY_PLACES:
        return round_coefficients(intercept, slopes, means, digits)
    spread = np.where(means.deviations > 0, means.deviations, 1.0)
    tolerance = np.maximum(10.0**-digits * np.minimum(np.abs(slopes), 1 / spread), 1e-15 * np.abs(slopes))
    places = np.clip(np.ceil(-np.log10(2 * np.maximum(tolerance, 1e-300))), -300, 300)
    with np.errstate(over="ignore", invalid="ignore"):
        up = 10.0 ** np.clip(places, 0, 22)
        down = 10.0 ** np.clip(-places, 0, 22)
        out = np.rint(slopes / down * up) / up * down
    out = np.where((np.abs(places) > 22) | ~np.isfinite(out), slopes, out)
    out[slopes == 0] = 0.0
    moved = intercept + float((slopes - out) @ means.places)
    return round_digits(moved, max(digits, 6)), out
