"""Logistic regression of rows in memory: large tables start with some of their rows."""

from __future__ import annotations

import numpy as np

from hedgerow.data.table.table import Numbers, Table
from hedgerow.learn.linear.logistic.fit import ASCENT, LBFGS, SGD, LogisticFit
from hedgerow.learn.linear.logistic.lbfgs import WIDE
from hedgerow.learn.linear.logistic.lbfgs_in_row_span import minimize_in_span
from hedgerow.learn.linear.logistic.likelihood import LogisticProblem, LogisticSolution, run_generator
from hedgerow.learn.linear.logistic.newton import HessianRows, independent, newton
from hedgerow.models.linear.linear_classes import LinearClasses

SAMPLE = 2000  # rows with which large tables start, and
MANY_ROWS = 50_000  # rows from which tables are large


def fit_table(fit: LogisticFit, table: Table) -> LinearClasses:
    """Return the model of rows in memory."""
    problems: dict[int, LogisticProblem] = {}

    def problem(of: int) -> LogisticProblem:
        if of not in problems or problems[of].based != fit.has_base_class:
            logistic_problem = fit.problem(table, of)
            if problems:
                logistic_problem.cache = next(iter(problems.values())).cache  # the rows are the same
            problems[of] = logistic_problem
        return problems[of]

    how = fit.settings
    if how.solver in (ASCENT, SGD):
        fit.climb = lambda of: ascend(fit, problem(of))
    elif is_solved_in_row_span(fit, table):
        fit.climb = lambda of: fit.finish_solver(
            minimize_in_span(problem(of), fit.begin(of), how.passes, fit.tolerance_for(LBFGS)), LBFGS
        )
    elif table.n_rows >= MANY_ROWS and not fit.design.is_sparse(table):
        fit.sample = lambda of: start_from_sample(fit, table, of)
    model: LinearClasses = run_generator(fit.solving(), lambda ask: problem(ask[0]).answer_question(ask[1]))
    return model


def is_solved_in_row_span(fit: LogisticFit, table: Table) -> bool:
    """Return whether there are so many more coefficients than rows that they are better found as sums of rows."""
    if len(fit.seen_classes) < 2 or not fit.penalty.is_smooth or not (fit.penalty.l2 > 0)[fit.moving[:-1]].all():
        return False
    size = fit.begin(int(fit.seen_classes[0]) if fit.is_per_class else -1).size
    wide = size > WIDE and fit.design.width > 2 * table.n_rows and fit.design.is_sparse(table)
    return wide and fit.solver_for(size) == LBFGS


def ascend(fit: LogisticFit, problem: LogisticProblem) -> LogisticSolution:
    """Return the result of the textbook's gradient ascent."""
    from hedgerow.learn.linear.logistic.gradient_ascent import run_ascent

    how = fit.settings
    logistic_solution: LogisticSolution = run_ascent(
        problem,
        by_row=how.solver == SGD,
        rate=how.rate,
        start=how.start,
        passes=how.passes,
        tolerance=fit.tolerance_for(how.solver),
    )
    fit.notes += logistic_solution.notes
    fit.unsolved_rows = np.zeros(fit.design.width, dtype=np.bool_)
    return logistic_solution


def start_from_sample(fit: LogisticFit, table: Table, of: int) -> tuple[Numbers, Numbers] | None:
    """Return a theta near that of all rows, and an approximate Hessian; None if a few rows do not determine them.

    Newton's steps are made on few rows, then one step each on more and more of them.
    """
    start = fit.begin(of)
    rows, bends = SAMPLE + 10 * start.size, HessianRows(fit.moving, not fit.has_base_class)
    some, share = draw_rows(table, rows, 1)
    problem = fit.problem(some, of, fit.penalty.times(share))
    if len(np.unique(problem.labels)) < problem.n_classes:
        return None
    first = problem.answer(start, True)
    assert first.hessian is not None
    if fit.penalty.is_none and not independent(first.hessian, len(start)).all():
        return None
    watch = fit.tiny if fit.penalty.is_none else 0.0
    logistic_solution = problem.run_solver(newton(start, problem.penalty, bends, 30, 0.1, first=first, watch=watch))
    if not logistic_solution.converged or logistic_solution.adrift or logistic_solution.hessian is None:
        return None
    theta, hessian = logistic_solution.theta, logistic_solution.hessian / share
    most = min(table.n_rows // 4, max(table.n_rows // 16, 50 * start.size))
    while rows < most:
        rows = min(5 * rows, most)
        some, share = draw_rows(table, rows, 32)
        answer = fit.problem(some, of, fit.penalty.times(share)).answer(theta, True)
        assert answer.hessian is not None
        theta, hessian = theta + bends.direction(answer)[0], answer.hessian / share
    return theta, hessian


def draw_rows(table: Table, rows: int, run: int) -> tuple[Table, float]:
    """Return some rows, in runs of `run` consecutive rows, and their share of the weight."""
    chance = np.random.default_rng(1)
    starts = np.sort(chance.choice(table.n_rows // run, rows // run, replace=False)) * run
    some = table.take((starts[:, None] + np.arange(run)).ravel())
    return some, some.total_weight / table.total_weight
