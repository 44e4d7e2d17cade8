"""SimplestRegressor: of several readable learners of numbers, the simplest that is about as good as the best."""

from __future__ import annotations

from hedgerow.learn.choosing.judge import Candidate, Judge
from hedgerow.learn.regressor import Regressor

# As in `simplest`. A tree that may grow without bounds would take minutes to prune in every fold.
CANDIDATES: tuple[Candidate, ...] = (
    ("mean", {}),
    ("cart_regressor", {"max_depth": 3}),
    ("cart_regressor", {"max_depth": 6, "min_leaf": 5}),
)


class SimplestRegressor(Judge, Regressor):
    """Simplicity first, for numbers: of several learners, the simplest that is about as good as the best.

    As `Simplest`, by the mean absolute error. In the order of simplicity the candidates are: the mean, a small CART
    tree (three conditions at most), and a larger one (six at most).

    Examples
    --------
    >>> from hedgerow.data.table import Table
    >>> table = Table.of({"age": [1, 2, 3, 4, 7, 8, 9, 10], "height": [70, 71, 70, 71, 130, 131, 130, 131]}, "height")
    >>> print(SimplestRegressor(league_folds=4).train(table))
    age <= 5.5 or missing: 70.5 (4 rows, deviation 0.5)
    age > 5.5: 130.5 (4 rows, deviation 0.5)
    <BLANKLINE>
    Leaves: 2, size of the tree: 3
    """

    declared = CANDIDATES
