"""Least absolute errors: the median of the target, or any quantile of it, as a weighted sum of the columns."""

from __future__ import annotations

import numpy as np

from hedgerow.data.design.design import Design
from hedgerow.data.design.design_counts import EVERY, FIRST, DesignCounts, DesignOptions, NumberCounts
from hedgerow.data.table.table import Numbers, Table
from hedgerow.data.text.term_space import IDFS
from hedgerow.data.text.term_vectors import NORMS
from hedgerow.errors import UsageError
from hedgerow.layout.rounding import round_digits
from hedgerow.learn.attributes.fitted_attributes import LinearAttributes
from hedgerow.learn.linear.absolute.active_rows import ScaledProblem, least_absolute
from hedgerow.learn.linear.least_squares.products import Means, Products
from hedgerow.learn.linear.least_squares.solve import round_coefficients, solve
from hedgerow.learn.params import choice, integer, real
from hedgerow.learn.regressor import Regressor
from hedgerow.learn.text.text_learner import TextLearner
from hedgerow.models.base.model import About
from hedgerow.models.linear.absolute_fit import AbsoluteFigures
from hedgerow.models.linear.linear import Linear

ON = 1e-9  # share of the target's deviation below which errors are 0


class LeastAbsolute(LinearAttributes, Regressor, TextLearner):
    """Least absolute errors: the median, or any quantile, of a number as a weighted sum of the columns.

    Columns are encoded as in LinearRegression. Outliers have no more influence than other rows: only the side of the
    line on which a row lies matters, not its distance. The solution is exact: as many rows as there are coefficients
    lie on the line.

    Notes
    -----
    An interior point method finds the rows near the line, and the simplex method ends at a vertex that is proved to
    be optimal. If the optimum is not unique, a note says so.

    References
    ----------
    R. Koenker, G. Bassett, Regression quantiles. Econometrica 46 (1978).
    S. Portnoy, R. Koenker, The Gaussian hare and the Laplacian tortoise. Statistical Science 12 (1997).

    Examples
    --------
    >>> table = Table.of({"x": [1.0, 2.0, 3.0, 4.0, 5.0], "y": [2.0, 4.0, 6.0, 8.0, 99.0]}, "y")
    >>> print(LeastAbsolute().train(table))
    y = the sum of coefficient times value
    <BLANKLINE>
                 coefficient  if missing
    (intercept)            0
    x                      2           3
    <BLANKLINE>
    sum of absolute errors 89, R¹ 0.118812, 4 rows lie on the fitted line
    """

    quantile: float = real(0.5, "quantile of the target to predict; 0.5 is the median", above=0, high=1)
    levels: str = choice(
        FIRST,
        "compare levels with the first one, or give each level a coefficient",
        FIRST,
        EVERY,
    )
    digits: int = integer(6, "minimum number of significant digits of coefficients, printed and used", low=1, high=15)
    idf: str = choice("smooth", "inverse document frequency weighting", *IDFS)
    norm: str = choice("l2", "normalization of texts", *NORMS)

    def learn(self, table: Table) -> Linear:
        """Return the model of a prepared table."""
        quantile = float(self.quantile)
        if not quantile < 1:
            raise UsageError("quantile=1 has no unique line: every line above all rows fits; choose a quantile below 1")
        if table.weights is not None and not table.weights.all():
            table = table.take(table.weights > 0)
        options = DesignOptions(self.levels, self.tokens(), self.limits(), self.weighting())
        counts = DesignCounts.of(table, options)
        design = Design.from_counts(table.schema, counts, options)
        target = counts.columns[table.schema.index(table.schema.target_column.name)]
        assert isinstance(target, NumberCounts)
        products = Products.of(design, target, table)
        squares = solve(products)
        view = ScaledProblem(design, table, squares.kept_positions, products.target_mean, products.target_unit or 1.0)
        absolute_solution = least_absolute(view, quantile)
        intercept, slopes = round_coefficients(
            absolute_solution.intercept, absolute_solution.slopes, Means.of(products), int(self.digits)
        )
        errors = np.where(np.abs(absolute_solution.errors) <= ON * view.unit, 0.0, absolute_solution.errors)
        notes = list(squares.notes)
        if not absolute_solution.vertex.proven:
            notes.append(
                "the simplex method ended before it proved that the coefficients are optimal; others may be slightly "
                "better"
            )
        elif not absolute_solution.vertex.unique:
            notes.append("other coefficients have the same sum of errors: the best line is not unique, because of ties")
        absolute_figures = figures(errors, view.target, table.row_weights, quantile)
        left_out = np.flatnonzero(~squares.kept_positions).astype(np.int32)
        return Linear(
            table.schema, design, intercept, slopes, left_out, absolute_figures, about=About(notes=tuple(notes))
        )


def figures(errors: Numbers, target: Numbers, weights: Numbers, quantile: float) -> AbsoluteFigures:
    """Return the fit of a line, compared with the quantile of the target alone."""
    cost = _cost(errors, weights, quantile)
    least = _cost(target - _quantile(target, weights, quantile), weights, quantile)
    total = float(weights.sum())
    return AbsoluteFigures(
        weight=round_digits(total, 15),
        quantile=quantile,
        cost=round_digits(cost, 9),
        share=round_digits(min(max(1 - cost / least, 0.0), 1.0), 9) if least > 0 else None,
        below=round_digits(float(weights[errors < 0].sum()) / total, 9),
        on=round_digits(float(weights[errors == 0].sum()), 15),
    )


def _cost(errors: Numbers, weights: Numbers, quantile: float) -> float:
    """Return the sum of absolute errors, weighted by the quantile if it is not the median's."""
    if quantile == 0.5:
        return float(weights @ np.abs(errors))
    return float(weights @ np.where(errors > 0, quantile * errors, (quantile - 1) * errors))


def _quantile(target: Numbers, weights: Numbers, quantile: float) -> float:
    """Return the weighted quantile of the target: the line without columns."""
    order = np.argsort(target, kind="stable")
    passed = np.cumsum(weights[order])
    place = int(np.searchsorted(passed, quantile * passed[-1]))
    return float(target[order[min(place, len(order) - 1)]])
