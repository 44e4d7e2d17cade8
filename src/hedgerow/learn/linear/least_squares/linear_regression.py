"""Linear regression: least squares by the normal equations or by gradient descent, with ridge."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from hedgerow.data.design.design import Design
from hedgerow.data.design.design_counts import EVERY, FIRST, DesignCounts, DesignOptions, NumberCounts
from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Numbers, Table
from hedgerow.data.text.term_space import IDFS
from hedgerow.data.text.term_vectors import NORMS
from hedgerow.errors import UsageError
from hedgerow.learn.attributes.fitted_attributes import LinearAttributes
from hedgerow.learn.linear.least_squares.conjugate_gradients import conjugate_gradients
from hedgerow.learn.linear.least_squares.descent_passes import CountRows
from hedgerow.learn.linear.least_squares.gradient_descent import (
    BatchObjective,
    DescentPath,
    Objective,
    ObjectiveInMemory,
    RowFrame,
    best_path,
    check_end,
    make_starts,
)
from hedgerow.learn.linear.least_squares.level_groups import LevelGroups, solve_groups
from hedgerow.learn.linear.least_squares.products import MOST_PLACES, Means, Products, check_width
from hedgerow.learn.linear.least_squares.shown_work import DescentWork, NormalWork
from hedgerow.learn.linear.least_squares.solve import (
    LeastSquaresSolution,
    can_solve_rows,
    figures,
    round_coefficients,
    solve,
    solve_rows,
)
from hedgerow.learn.params import choice, flag, integer, real, seed
from hedgerow.learn.passes import Plan
from hedgerow.learn.regressor import Regressor
from hedgerow.learn.sampling import seed_number
from hedgerow.learn.text.text_learner import TextLearner
from hedgerow.models.base.model import About
from hedgerow.models.linear.linear import Linear

NORMAL, BATCH, STOCHASTIC = "normal", "batch", "sgd"
LOST_DIGITS = (
    "columns are nearly linearly dependent, so the normal equations may have lost digits of the coefficients; leave "
    "some out, use ridge, or read fewer rows into a table, which is then solved by QR"
)
NEARLY_EXACT = 1e-8  # share of squares below which it is summed again, row by row


class LinearRegression(LinearAttributes, Regressor, TextLearner):
    """Least squares: a number as a weighted sum of the columns; with ridge, or by gradient descent.

    Numbers are used unscaled, levels are compared with the first one (or have a coefficient each), texts are tf-idf
    vectors; missing numbers are replaced by the mean and have a coefficient of their own. Linearly dependent columns
    are named and get no coefficient.

    Notes
    -----
    `solver="normal"` solves the normal equations by Cholesky decomposition, by QR of the rows if columns are nearly
    dependent, and by conjugate gradients for more than 5,000 columns (one per level and term). `"batch"` and `"sgd"`
    are the textbook's gradient descents: every coefficient starts at `start` and moves by `rate` times error times
    value, summed over all rows or row by row.

    References
    ----------
    A. M. Legendre, Nouvelles méthodes pour la détermination des orbites des comètes (1805).
    A. E. Hoerl, R. W. Kennard, Ridge regression. Technometrics 12 (1970).

    Examples
    --------
    >>> table = Table.of({"area": [2104.0, 1600.0, 2400.0], "price": [400.0, 330.0, 369.0]}, "price")
    >>> print(LinearRegression().train(table))
    price = the sum of coefficient times value
    <BLANKLINE>
                 coefficient  std. error      t      p  if missing
    (intercept)     247.5571     132.186  1.873  0.312
    area          0.05837626   0.0641275  0.910   0.53   2034.6667
    <BLANKLINE>
    R² 0.453155 (adjusted -0.0936893), standard deviation of the residuals 36.6825, 1 degree of freedom
    """

    solver: str = choice(
        NORMAL, "normal equations, or gradient descent over all rows at once or row by row", NORMAL, BATCH, STOCHASTIC
    )
    fit_intercept: bool = flag(True, "whether to fit an intercept; without one the fit goes through the origin")
    alpha: float = real(
        0.0, "L2 penalty: factor of the sum of squared coefficients, which is added to the squared errors", low=0
    )
    standardize: bool = flag(
        False,
        "standardize columns to mean 0 and standard deviation 1 for the penalty and descent; printed coefficients "
        "are on the original scale",
    )
    levels: str = choice(
        FIRST,
        "compare levels with the first one, or give each level a coefficient",
        FIRST,
        EVERY,
    )
    rate: float | None = real(
        None,
        "learning rate of descent; if none, half the largest rate that converges, which sgd decreases over time",
        above=0,
        none=True,
    )
    start: float = real(0.0, "initial value of all coefficients in a descent")
    n_init: int = integer(
        1, "number of descents, all but the first from random coefficients; the one with the lowest cost is used", low=1
    )
    passes: int = integer(
        1000, "maximum number of passes of a descent over the rows, or of steps of conjugate gradients", low=1
    )
    tol: float = real(1e-9, "descent stops when a pass lowers the cost by a smaller share", low=0)
    digits: int = integer(6, "minimum number of significant digits of coefficients, printed and used", low=1, high=15)
    idf: str = choice("smooth", "inverse document frequency weighting", *IDFS)
    norm: str = choice("l2", "normalization of texts", *NORMS)
    random_state: Any = seed()
    trace: bool = flag(False, "print the work: the normal equations, or the steps of descent", in_python=True)

    shows_work: ClassVar[bool] = True

    def learn(self, table: Table) -> Linear:
        """Return the model of a prepared table."""
        self._check()
        design, target = self.make_design(table.schema, DesignCounts.of(table, self.design_options()))
        if self.trace and not (self.solver == NORMAL and design.width > MOST_PLACES):
            print(self._work(table), end="\n\n")  # set if `trace` is on
        if self.solver == NORMAL and design.width > MOST_PLACES:
            return self._conjugate(design, target, table)
        if self.solver == STOCHASTIC or design.width > MOST_PLACES:
            return self._descend(*self._rows(design, target, table))
        groups = LevelGroups.of(design) if self.solver == NORMAL and self.fit_intercept and self.alpha == 0 else None
        group_solution = None if groups is None else solve_groups(groups, target, table)
        if group_solution is not None:
            return self._make_linear_model(*group_solution, design, table)
        products = self.products(design, target, table)
        if self.solver == BATCH:
            return self._descend_in_batches(products)
        return self._solve_products(products, table)

    def plan(self, schema: Schema) -> Plan:
        """Return the first of two passes over a stream: means, levels and terms; then products; then those of `sgd`."""
        self._check()
        if self.trace:
            raise UsageError("the work on a stream is not shown; leave out trace, or read the rows into a table")
        return CountDesign(self, schema)

    def _check(self) -> None:
        if self.alpha > 0 and self.solver == STOCHASTIC:
            raise UsageError("ridge is for solver='normal' and solver='batch'; leave it out, or choose one of these")
        if not self.fit_intercept and self.solver != NORMAL:
            raise UsageError(f"fit_intercept=False is for solver='normal', not {self.solver!r}; choose solver='normal'")

    def design_options(self) -> DesignOptions:
        """Return how columns are encoded."""
        return DesignOptions(self.levels, self.tokens(), self.limits(), self.weighting())

    def make_design(self, schema: Schema, counts: DesignCounts) -> tuple[Design, NumberCounts]:
        """Return the design and statistics of the target."""
        target = counts.columns[schema.index(schema.target_column.name)]
        assert isinstance(target, NumberCounts)
        return Design.from_counts(schema, counts, self.design_options()), target

    def products(self, design: Design, target: NumberCounts, table: Table) -> Products:
        """Return the sums of products of a table."""
        return Products.of(design, target, table, intercept=bool(self.fit_intercept))

    def make_model(self, products: Products) -> Linear:
        """Return the model of products that were counted in a stream."""
        if self.solver == BATCH:
            return self._descend_in_batches(products)
        return self._solve_products(products)

    # -- the normal equations -------------------------------------------------------------------------------

    def _solution(self, products: Products, table: Table | None = None) -> LeastSquaresSolution:
        """Return the coefficients, by QR of the rows where products have lost too many digits."""
        solution = solve(products, float(self.alpha), bool(self.standardize))
        if not solution.doubtful:
            return solution
        if table is not None and can_solve_rows(products, table):
            return solve_rows(products, table)
        return replace(solution, notes=(*solution.notes, LOST_DIGITS)) if solution.kept_positions.all() else solution

    def _solve_products(self, products: Products, table: Table | None = None) -> Linear:
        return self._make_linear_model(self._solution(products, table), Means.of(products), products.design, table)

    def _make_linear_model(
        self, solution: LeastSquaresSolution, means: Means, design: Design, table: Table | None
    ) -> Linear:
        """Return the model of coefficients, which are rounded."""
        share = solution.squares
        if table is not None and share < NEARLY_EXACT and means.target_deviation > 0:
            share = _residual_share(solution, means, design, table)
        intercept, slopes = round_coefficients(solution.intercept, solution.slopes, means, int(self.digits))
        rank = int(np.count_nonzero(solution.kept_positions))
        left_out = np.flatnonzero(~solution.kept_positions).astype(np.int32)
        linear_fit = figures(share, means, rank, solution.errors)
        about = About(notes=solution.notes)
        return Linear(
            design.schema, design, intercept, slopes, left_out, linear_fit, bool(self.fit_intercept), about=about
        )

    def _conjugate(self, design: Design, target: NumberCounts, table: Table) -> Linear:
        """Return the model for more positions than products can be stored for."""
        means = Means.of_rows(design, target, table, intercept=bool(self.fit_intercept))
        conjugate_solution = conjugate_gradients(
            design, means, table, float(self.alpha), bool(self.standardize), int(self.passes), float(self.tol)
        )
        notes = []
        if self.alpha == 0 and means.weight <= design.width:
            notes.append(
                f"{design.width:,} coefficients for {means.weight:,.6g} rows: of all exact fits, the one with the "
                "smallest coefficients is used; alpha=1 may predict better"
            )
        if not conjugate_solution.converged:
            steps = "step" if conjugate_solution.steps == 1 else "steps"
            notes.append(
                f"conjugate gradients ended after {conjugate_solution.steps} {steps} before they converged; use "
                "more passes"
            )
        intercept, slopes = round_coefficients(
            conjugate_solution.intercept, conjugate_solution.slopes, means, int(self.digits)
        )
        linear_fit, nothing = figures(conjugate_solution.share, means, design.width), np.empty(0, dtype=np.int32)
        about = About(notes=tuple(notes))
        return Linear(
            design.schema, design, intercept, slopes, nothing, linear_fit, bool(self.fit_intercept), about=about
        )

    # -- descent --------------------------------------------------------------------------------------------

    def frame(self, design: Design, means: Means, *, sparse: bool = False) -> RowFrame:
        """Return how positions become the values used in descent."""
        return RowFrame.of(design, means, standardize=bool(self.standardize), sparse=sparse)

    def _batch(self, products: Products) -> tuple[BatchObjective, RowFrame]:
        """Return the objective of batch descent, from products alone."""
        frame = self.frame(products.design, Means.of(products))
        return frame.batch(products, float(self.alpha)), frame

    def _descend_in_batches(self, products: Products) -> Linear:
        return self._descend(*self._batch(products))

    def _rows(self, design: Design, target: NumberCounts, table: Table) -> tuple[ObjectiveInMemory, RowFrame]:
        """Return the objective of descent through the rows."""
        many = design.width > MOST_PLACES
        if many and self.alpha > 0:
            check_width(design.width)
        products = None if many else Products.of(design, target, table)
        means = Means.of_rows(design, target, table) if products is None else Means.of(products)
        frame = self.frame(design, means, sparse=design.is_sparse(table))
        known = None if products is None else frame.batch(products)
        return frame.rows(table, known, batch=self.solver == BATCH), frame

    def starting_points(self, width: int) -> list[Numbers]:
        """Return where descents start."""

        def chance() -> np.random.Generator:
            return np.random.default_rng(seed_number(self.random_state))

        return make_starts(width, float(self.start), int(self.n_init), chance)

    def _path(self, slope: ObjectiveInMemory, width: int) -> tuple[DescentPath, list[DescentPath]]:
        rate = None if self.rate is None else float(self.rate)
        return best_path(slope, self.starting_points(width), rate, int(self.passes), float(self.tol))

    def _descend(self, slope: ObjectiveInMemory, frame: RowFrame) -> Linear:
        path, _ = self._path(slope, frame.design.width)
        return self.model_of_path(path, slope, frame)

    def model_of_path(self, path: DescentPath, slope: Objective, frame: RowFrame) -> Linear:
        """Return the model at the end of a descent."""
        notes = check_end(path, slope, int(self.passes))
        assert path.last is not None
        design, means = frame.design, frame.means
        intercept, slopes = frame.user(path.last.theta)
        penalty = float(self.alpha) * float(np.square(path.last.theta[1:]).sum()) / 2
        total = means.weight * means.target_deviation**2
        share = 2 * (path.last.cost - penalty) / total if total > 0 else 0.0
        intercept, slopes = round_coefficients(intercept, slopes, means, int(self.digits))
        linear_fit = figures(max(share, 0.0), means, design.width)
        nothing = np.empty(0, dtype=np.int32)
        return Linear(design.schema, design, intercept, slopes, nothing, linear_fit, about=About(notes=notes))

    # -- work -----------------------------------------------------------------------------------------------

    def _work(self, table: Table) -> object:
        """Return the normal equations and their solution, or the steps of descent."""
        self._check()
        design, target = self.make_design(table.schema, DesignCounts.of(table, self.design_options()))
        if self.solver == NORMAL:
            check_width(design.width, "the equations are not shown")
            products = self.products(design, target, table)
            return NormalWork(products, self._solution(products, table), float(self.alpha))
        if self.solver == BATCH and design.width <= MOST_PLACES:
            products = Products.of(design, target, table)
            slope: ObjectiveInMemory = self._batch(products)[0]
        else:
            slope = self._rows(design, target, table)[0]
        best, paths = self._path(slope, design.width)
        rate = None if self.rate is None else float(self.rate)
        return DescentWork(design, slope, best, paths, standardized=bool(self.standardize), rate=rate)


def _residual_share(solution: LeastSquaresSolution, means: Means, design: Design, table: Table) -> float:
    """Return the remaining share of the target's sum of squares, summed over the rows."""
    errors = table.target_numbers - design.values(table, solution.intercept, solution.slopes)
    squares = np.square(errors / means.target_deviation)
    return float(squares.sum() if table.weights is None else squares @ table.weights) / means.weight


@dataclass(frozen=True)
class CountDesign(Plan):
    """First pass: means, levels and terms."""

    learner: LinearRegression
    schema: Schema

    def count(self, table: Table) -> DesignCounts:
        """Return the counts of some rows."""
        return DesignCounts.of(table, self.learner.design_options())

    def advance(self, counts: DesignCounts) -> Plan:
        """Return the pass that sums products."""
        design, target = self.learner.make_design(self.schema, counts)
        if self.learner.solver == STOCHASTIC:
            return CountRows(self.learner, design, target)
        return SumDesignProducts(self.learner, design, target)


@dataclass(frozen=True)
class SumDesignProducts(Plan):
    """Second pass: products of the positions."""

    learner: LinearRegression
    design: Design
    target: NumberCounts

    def count(self, table: Table) -> Products:
        """Return the products of some rows."""
        return self.learner.products(self.design, self.target, table)

    def advance(self, counts: Products) -> Linear:
        """Return the model."""
        return self.learner.make_model(counts)
