"""Logistic regression: the probability of classes by linear functions of the columns."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from hedgerow.data.design.blocks import TermBlock
from hedgerow.data.design.class_counts import LevelCounts
from hedgerow.data.design.design import Design
from hedgerow.data.design.design_counts import EVERY, FIRST, DesignCounts, DesignOptions
from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Numbers, Table
from hedgerow.data.text.term_space import IDFS
from hedgerow.data.text.term_vectors import NORMS, TFS
from hedgerow.errors import UsageError
from hedgerow.learn.attributes.fitted_attributes import LinearClassAttributes
from hedgerow.learn.classifier import Classifier
from hedgerow.learn.linear.logistic.fit import ASCENT, AUTO, LBFGS, NEWTON, SGD, LogisticFit, LogisticSettings
from hedgerow.learn.linear.logistic.in_memory import fit_table
from hedgerow.learn.linear.logistic.likelihood import Answer, ColumnSpread, Question
from hedgerow.learn.linear.logistic.shown_work import LogisticWork
from hedgerow.learn.params import choice, flag, integer, real
from hedgerow.learn.passes import Plan
from hedgerow.learn.text.text_learner import TextLearner
from hedgerow.models.linear.linear_classes import LinearClasses

NONE, L2, L1, ELASTIC = "none", "l2", "l1", "elastic"
COUPLED, EACH = "coupled", "each"
TEXT_STRENGTH = 0.1  # default strength of the penalty with texts


class Logistic(LinearClassAttributes, Classifier, TextLearner):
    """Logistic regression: log-odds of the classes as weighted sums of the columns, with odds ratios.

    The coefficients maximize the likelihood. Numbers are used unscaled, levels are compared with the first one (or have
    a coefficient each), texts are tf-idf vectors; missing numbers are replaced by the mean and have a coefficient of
    their own. Linearly dependent columns, and columns that separate the classes, are named.

    Notes
    -----
    Without a penalty, k classes have k-1 coupled functions, relative to the first class, with standard errors; with
    one, more than two classes have one function each. `penalty="auto"` uses no penalty if the likelihood has a maximum;
    if columns separate the classes it has none, and l2 is used, as for texts and for more coefficients than rows.
    `strength` is 1/C of scikit-learn's LogisticRegression.

    References
    ----------
    D. R. Cox, The regression analysis of binary sequences. J. Royal Statistical Society B 20 (1958).
    S. le Cessie, J. C. van Houwelingen, Ridge estimators in logistic regression. Applied Statistics 41 (1992).
    G. Andrew, J. Gao, Scalable training of L1-regularized log-linear models. ICML (2007).

    Examples
    --------
    >>> table = Table.of({"hours": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "passed": list("nnynyy")}, "passed")
    >>> print(Logistic().train(table))
    log-odds of y against n = the sum of coefficient times value
    <BLANKLINE>
                 coefficient  std. error       z      p  odds ratio    95 % interval  if missing
    (intercept)    -4.249098     3.38785  -1.254   0.21
    hours           1.214028    0.912586   1.330  0.183       3.367  0.5629 to 20.14         3.5
    <BLANKLINE>
    log-likelihood -2.47799 (constant model -4.15888), McFadden's R² 0.4042, 6 rows, converged in 6 passes
    """

    solver: str = choice(
        AUTO,
        "Newton's method, L-BFGS, or gradient ascent over all rows at once or row by row; auto: by size",
        AUTO,
        NEWTON,
        LBFGS,
        ASCENT,
        SGD,
    )
    penalty: str = choice(
        AUTO,
        "penalty on the coefficients; auto: l2 if classes are separated, for texts, or for too few rows; otherwise "
        "none",
        AUTO,
        NONE,
        L2,
        L1,
        ELASTIC,
    )
    strength: float | None = real(
        None,
        "strength of the penalty, 1/C of scikit-learn; if none, 1, or 0.1 with texts",
        low=0,
        none=True,
    )
    l1_ratio: float = real(0.5, "share of l1 in the elastic penalty, the rest is l2", low=0, high=1)
    standardize: bool = flag(
        True,
        "penalize the coefficients of standardized columns (terms are not scaled); printed coefficients are on "
        "the original scale",
    )
    classes: str = choice(COUPLED, "one model of all classes, or one model per class against all others", COUPLED, EACH)
    levels: str = choice(
        FIRST,
        "compare levels with the first one, or give each level a coefficient",
        FIRST,
        EVERY,
    )
    rate: float | None = real(
        None, "learning rate of ascent and sgd; if none, a rate that is known to converge", above=0, none=True
    )
    start: float = real(0.0, "initial value of all coefficients in ascent and sgd")
    max_iter: int = integer(1000, "maximum number of passes over the rows", low=1)
    tol: float | None = real(
        None,
        "training stops when a step raises the log-likelihood by a smaller share; if none, 1e-9, or 1e-5 for lbfgs "
        "with l2",
        low=0,
        none=True,
    )
    digits: int = integer(6, "minimum number of significant digits of coefficients, printed and used", low=1, high=15)
    tf: str = choice("log", "term frequency weighting in a text", *TFS)
    idf: str = choice("smooth", "inverse document frequency weighting", *IDFS)
    norm: str = choice("l2", "normalization of texts", *NORMS)
    trace: bool = flag(False, "print the work: the steps of the solver", in_python=True)

    shows_work: ClassVar[bool] = True

    def learn(self, table: Table) -> LinearClasses:
        """Return the model of a prepared table."""
        fit = self.make_fit(table.schema, DesignCounts.of(table, self.design_options()))
        model = fit_table(fit, table)
        if self.trace:
            print(self._make_work(fit), end="\n\n")  # set if `trace` is on
        return model

    def plan(self, schema: Schema) -> Plan:
        """Return the first pass over a stream, means, levels and terms; then each pass is a step."""
        if self.solver in (ASCENT, SGD):
            raise UsageError(
                f"solver={self.solver!r} needs the rows in memory; read them into a table, or use solver='auto'"
            )
        if self.trace:
            raise UsageError("the work on a stream is not shown; leave out trace, or read the rows into a table")
        return CountClassDesign(self, schema)

    def design_options(self) -> DesignOptions:
        """Return how columns are encoded."""
        return DesignOptions(self.levels, self.tokens(), self.limits(), self.weighting())

    def make_fit(self, schema: Schema, counts: DesignCounts) -> LogisticFit:
        """Return the problem to solve, given the counts of the columns."""
        design = Design.from_counts(schema, counts, self.design_options())
        target = counts.columns[schema.index(schema.target_column.name)]
        assert isinstance(target, LevelCounts)
        weights = target.present[:, 0]
        weight = float(weights.sum())
        return LogisticFit(design, weights, ColumnSpread.of(design, counts, weight), self._settings(design, weights))

    def _settings(self, design: Design, counts: Numbers) -> LogisticSettings:
        penalty, texts = self.penalty, any(isinstance(part, TermBlock) for _, part in design.used_blocks)
        strength = (TEXT_STRENGTH if texts else 1.0) if self.strength is None else float(self.strength)
        auto = penalty == AUTO
        if auto:
            functions = max(int(np.count_nonzero(counts)) - 1, 1)
            few = (functions if self.classes == COUPLED else 1) * (design.width + 1) > counts.sum()
            penalty = L2 if (texts or few) and self.solver not in (ASCENT, SGD) else NONE
        shares = {NONE: 0.0, L2: 0.0, L1: 1.0, ELASTIC: float(self.l1_ratio)}
        return LogisticSettings(
            self.solver,
            0.0 if penalty == NONE else strength,
            shares[penalty],
            bool(self.standardize),
            self.classes == COUPLED,
            int(self.max_iter),
            None if self.tol is None else float(self.tol),
            int(self.digits),
            None if self.rate is None else float(self.rate),
            float(self.start),
            strength if auto and penalty == NONE else 0.0,
        )

    def _work(self, table: Table) -> object:
        fit = self.make_fit(table.schema, DesignCounts.of(table, self.design_options()))
        fit_table(fit, table)
        return self._make_work(fit)

    def _make_work(self, fit: LogisticFit) -> object:
        names = fit.design.schema.target_column.levels
        class_names = [names[code] for code in fit.seen_classes[int(fit.has_base_class) :].tolist()]
        parts = [
            ([names[of]] if of >= 0 else class_names, logistic_solution) for of, logistic_solution in fit.solutions
        ]
        solver = (
            fit.solver_for(fit.begin(int(fit.seen_classes[0]) if fit.is_per_class else -1).size)
            if fit.solutions
            else NEWTON
        )
        return LogisticWork(fit.design, fit.frame, solver, parts, fit.settings.strength > 0)


@dataclass(frozen=True)
class CountClassDesign(Plan):
    """First pass: means, levels, terms and classes."""

    learner: Logistic
    schema: Schema

    def count(self, table: Table) -> DesignCounts:
        """Return the counts of some rows."""
        return DesignCounts.of(table, self.learner.design_options())

    def advance(self, counts: DesignCounts) -> Plan | LinearClasses:
        """Return the pass for the first request of the solver."""
        fit = self.learner.make_fit(self.schema, counts)
        return following(fit, fit.solving())


@dataclass(frozen=True, eq=False)
class AnswerPass(Plan):
    """A pass that answers a solver's request."""

    fit: LogisticFit
    class_index: int
    ask: Question
    solving: Generator[tuple[int, Question], Answer, LinearClasses] = field(repr=False)

    in_pairs: ClassVar[bool] = False

    def count(self, table: Table) -> Answer:
        """Return the answer of some rows."""
        if not table.n_rows:
            size = self.ask.theta.size
            return Answer(
                0.0, np.zeros(self.ask.theta.shape), np.zeros((size, size)) if self.ask.needs_hessian else None
            )
        return self.fit.problem(table, self.class_index).answer_question(self.ask)

    def advance(self, counts: Answer) -> Plan | LinearClasses:
        """Return the pass for the next request, or the model."""
        return following(self.fit, self.solving, counts)


def following(fit: LogisticFit, solving: Any, answer: Answer | None = None) -> Plan | LinearClasses:
    """Return the pass that answers the next request; the model if there is none."""
    try:
        of, ask = solving.send(answer)
    except StopIteration as end:
        model: LinearClasses = end.value
        return model
    return AnswerPass(fit, of, ask, solving)
