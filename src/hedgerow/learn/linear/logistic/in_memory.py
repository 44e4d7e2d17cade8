"""Logistic regression of rows in memory: large tables start with some of their rows."""

from __future__ import annotations

import numpy as np

from hedgerow.data.table.table import Numbers, Table
from hedgerow.learn.linear.logistic.fit import ASCENT, LBFGS, SGD, Fit
from hedgerow.learn.linear.logistic.lbfgs import WIDE
from hedgerow.learn.linear.logistic.lbfgs_in_row_span import spanned
from hedgerow.learn.linear.logistic.likelihood import LogisticProblem, LogisticSolution, driven
from hedgerow.learn.linear.logistic.newton import Bends, independent, newton
from hedgerow.models.linear.linear_classes import LinearClasses

SAMPLE = 2000  # rows with which large tables start, and
MANY_ROWS = 50_000  # rows from which tables are large


def fit_table(fit: Fit, table: Table) -> LinearClasses:
    """Return the model of rows in memory."""
    problems: dict[int, LogisticProblem] = {}

    def problem(of: int) -> LogisticProblem:
        if of not in problems or problems[of].based != fit.based:
            made = fit.problem(table, of)
            if problems:
                made.kept = next(iter(problems.values())).kept  # the rows are the same
            problems[of] = made
        return problems[of]

    how = fit.settings
    if how.solver in (ASCENT, SGD):
        fit.climb = lambda of: climbed_by(fit, problem(of))
    elif in_span(fit, table):
        fit.climb = lambda of: fit.ended(
            spanned(problem(of), fit.begin(of), how.passes, fit.tolerance_for(LBFGS)), LBFGS
        )
    elif table.n_rows >= MANY_ROWS and not fit.design.is_sparse(table):
        fit.sample = lambda of: from_sample(fit, table, of)
    model: LinearClasses = driven(fit.solving(), lambda ask: problem(ask[0]).told(ask[1]))
    return model


def in_span(fit: Fit, table: Table) -> bool:
    """Return whether there are so many more coefficients than rows that they are better found as sums of rows."""
    if len(fit.seen) < 2 or not fit.penalty.is_smooth or not (fit.penalty.l2 > 0)[fit.moving[:-1]].all():
        return False
    size = fit.begin(int(fit.seen[0]) if fit.each else -1).size
    wide = size > WIDE and fit.design.width > 2 * table.n_rows and fit.design.is_sparse(table)
    return wide and fit.solver_for(size) == LBFGS


def climbed_by(fit: Fit, problem: LogisticProblem) -> LogisticSolution:
    """Return the result of the textbook's gradient ascent."""
    from hedgerow.learn.linear.logistic.gradient_ascent import climbed

    how = fit.settings
    found: LogisticSolution = climbed(
        problem,
        by_row=how.solver == SGD,
        rate=how.rate,
        start=how.start,
        passes=how.passes,
        tolerance=fit.tolerance_for(how.solver),
    )
    fit.notes += found.notes
    fit.left = np.zeros(fit.design.width, dtype=np.bool_)
    return found


def from_sample(fit: Fit, table: Table, of: int) -> tuple[Numbers, Numbers] | None:
    """Return a theta near that of all rows, and an approximate Hessian; None if a few rows do not determine them.

    Newton's steps are made on few rows, then one step each on more and more of them.
    """
    start = fit.begin(of)
    rows, bends = SAMPLE + 10 * start.size, Bends(fit.moving, not fit.based)
    some, share = drawn(table, rows, 1)
    problem = fit.problem(some, of, fit.penalty.times(share))
    if len(np.unique(problem.labels)) < problem.n_classes:
        return None
    first = problem.answer(start, True)
    assert first.hessian is not None
    if fit.penalty.is_none and not independent(first.hessian, len(start)).all():
        return None
    watch = fit.tiny if fit.penalty.is_none else 0.0
    found = problem.solved(newton(start, problem.penalty, bends, 30, 0.1, first=first, watch=watch))
    if not found.settled or found.adrift or found.hessian is None:
        return None
    theta, hessian = found.theta, found.hessian / share
    most = min(table.n_rows // 4, max(table.n_rows // 16, 50 * start.size))
    while rows < most:
        rows = min(5 * rows, most)
        some, share = drawn(table, rows, 32)
        answer = fit.problem(some, of, fit.penalty.times(share)).answer(theta, True)
        assert answer.hessian is not None
        theta, hessian = theta + bends.direction(answer)[0], answer.hessian / share
    return theta, hessian


def drawn(table: Table, rows: int, run: int) -> tuple[Table, float]:
    """Return some rows, in runs of `run` consecutive rows, and their share of the weight."""
    chance = np.random.default_rng(1)
    starts = np.sort(chance.choice(table.n_rows // run, rows // run, replace=False)) * run
    some = table.take((starts[:, None] + np.arange(run)).ravel())
    return some, some.total_weight / table.total_weight
