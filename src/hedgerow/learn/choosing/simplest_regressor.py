"""SimplestRegressor: of several readable learners of numbers, the simplest one whose error is close to the lowest."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.data.table.schema import Kind, Schema
from hedgerow.learn.choosing.losses import NUMBER_CRITERIA
from hedgerow.learn.choosing.selector import Declared, ModelSelector
from hedgerow.learn.params import choice
from hedgerow.learn.regressor import Regressor

# As in `simplest`: no column, three conditions, one number per column, then larger trees.
# A tree that may grow without bounds would take minutes to prune in every fold.
CANDIDATES: tuple[Declared, ...] = (
    ("mean", {}),
    ("cart_regressor", {"max_depth": 3}),
    ("linear_regression", {}),
    ("cart_regressor", {"max_depth": 6, "min_samples_leaf": 5}),
)
# On texts, in place of least squares: one number per term, of the most frequent ones; many terms need ridge.
ON_TEXTS: tuple[Declared, ...] = (
    ("linear_regression", {"most": 1000}),
    ("linear_regression", {"most": 1000, "alpha": 1.0}),
)
MOST_LEVELS = 1000  # maximum total number of levels for least squares, whose time grows with their cube


class SimplestRegressor(ModelSelector, Regressor):
    """Simplicity first, for numbers: of several learners, the simplest that is about as good as the best.

    As `Simplest`, by the mean absolute error. In the order of simplicity the candidates are: the mean, a small CART
    tree (three conditions at most), least squares (one number a column), and a larger tree (six conditions at most).
    On tables with texts least squares takes the thousand most frequent terms, and is tried with ridge 1 too; where
    columns have more than a thousand levels together, it is not tried.

    Examples
    --------
    >>> from hedgerow.data.table.table import Table
    >>> table = Table.of({"age": [1, 2, 3, 4, 7, 8, 9, 10], "height": [70, 71, 70, 71, 130, 131, 130, 131]}, "height")
    >>> print(SimplestRegressor(selection_folds=4).train(table))
    age <= 5.5 or missing: 70.5 (4 rows, deviation 0.5)
    age > 5.5: 130.5 (4 rows, deviation 0.5)
    <BLANKLINE>
    Leaves: 2, size of the tree: 3
    """

    by: str = choice("squared", "criterion by which the candidates are compared", *NUMBER_CRITERIA)

    declared = CANDIDATES

    @property
    def criterion(self) -> str:
        """What candidates are compared by."""
        return self.by

    def candidates_for(self, schema: Schema | None) -> Sequence[Declared]:
        """Return the candidates; least squares with its settings for texts, or without it if there are many levels."""
        if schema is None:
            return CANDIDATES
        used = [schema.columns[position] for position in schema.predictors]
        if sum(len(column.levels) for column in used) > MOST_LEVELS:
            return [one for one in CANDIDATES if one[0] != "linear_regression"]
        if any(column.kind is Kind.TEXT for column in used):
            place = CANDIDATES.index(("linear_regression", {}))
            return [*CANDIDATES[:place], *ON_TEXTS, *CANDIDATES[place + 1 :]]
        return CANDIDATES
