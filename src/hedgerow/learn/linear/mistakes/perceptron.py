"""The perceptron: weights that change only on mistakes; plain, averaged, or with a pocket."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.design.blocks import ColumnBlock
from hedgerow.data.design.design import Design
from hedgerow.data.design.design_counts import EVERY, DesignOptions
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.data.text.term_space import IDFS
from hedgerow.data.text.term_vectors import NORMS
from hedgerow.learn.linear.mistakes.base import (
    AVERAGED,
    POCKET,
    LearningState,
    MistakeLearner,
    MistakeRows,
    class_codes,
    decide_rows,
)
from hedgerow.learn.linear.mistakes.shown_work import MOST_WEIGHTS, MistakeWork
from hedgerow.learn.params import choice, flag
from hedgerow.models.linear.text import quote_name


class Perceptron(MistakeLearner):
    """Perceptron: misclassified rows are added to the weights of their class, until all are correct.

    All weights, including that of the constant input 1, start at 0. With two classes, a row is predicted as the first
    one if the weighted sum of its values is above 0; a misclassified row of the first class is added to the weights,
    one of the second is subtracted. With more classes each has its own weights: the largest sum decides, and a
    misclassified row is added to the weights of its own class and subtracted from those of the predicted one. Training
    ends only if linear functions separate the classes, so passes are limited.

    Notes
    -----
    That is the textbook's rule: `variant="plain", standardize=False, shuffle=False`. By default weights are averaged
    over all updates, numbers are standardized, and the rows are shuffled before every pass, which gives about half as
    many errors on real data.

    References
    ----------
    F. Rosenblatt, The perceptron. Psychological Review 65 (1958).
    R. O. Duda, P. E. Hart, Pattern Classification and Scene Analysis (1973), for more than two classes.
    Y. Freund, R. E. Schapire, Large margin classification using the perceptron algorithm. Machine Learning 37 (1999).
    S. I. Gallant, Perceptron-based learning algorithms. IEEE Transactions on Neural Networks 1 (1990).

    Examples
    --------
    >>> table = Table.of({"a": [0.0, 0, 1, 1], "b": [0.0, 1, 0, 1], "and": ["no", "no", "no", "yes"]}, "and",
    ...                  levels={"and": ("yes", "no")})
    >>> print(Perceptron(variant="plain", standardize=False, shuffle=False).train(table))
    yes if the sum of coefficient times value is above 0, else no
    log-odds of yes = sum / 1.215
    <BLANKLINE>
                 coefficient  if missing
    (intercept)           -2
    a                      2         0.5
    b                      1         0.5
    """

    standardize: bool = flag(
        True, "standardize numbers to mean 0 and standard deviation 1; printed weights are on the original scale"
    )
    idf: str = choice("smooth", "inverse document frequency weighting", *IDFS)
    norm: str = choice("l2", "normalization of texts", *NORMS)

    def design_options(self) -> DesignOptions:
        """Return how columns are encoded: every level has one."""
        return DesignOptions(EVERY, self.tokens(), self.limits(), self.weighting())

    def make_block(self, table: Table, position: int, part: ColumnBlock) -> ColumnBlock:  # noqa: ARG002
        """Return the usual positions."""
        return part

    def initial_state(self, design: Design, classes: int) -> LearningState:
        """Return weights of 0."""
        return LearningState.blank(design, design.width + 1, classes, self.variant)

    def make_rows(self, design: Design, table: Table) -> MatrixRows:
        """Return the rows of a table as a matrix."""
        matrix, sparse = design.matrix(table), design.is_sparse(table)
        centers, factors = self._frame(design, sparse)
        if sparse:
            from scipy.sparse import csr_array, diags_array

            matrix = csr_array(matrix @ diags_array(factors)) if (factors != 1).any() else matrix
            matrix.sum_duplicates()
        elif self.standardize:
            matrix = (matrix - centers) * factors
        classes = len(table.schema.target_column.levels)
        return MatrixRows(matrix, class_codes(table), table.weights, classes, centers, factors)

    def _frame(self, design: Design, sparse: bool) -> tuple[Numbers, Numbers]:
        """Return the shift and factor of every position; sparse columns are not shifted."""
        if not self.standardize:
            return np.zeros(design.width), np.ones(design.width)
        factors = np.where(design.scales > 0, 1 / np.where(design.scales > 0, design.scales, 1.0), 0.0)
        return np.zeros(design.width) if sparse else design.centers, factors

    def to_user_scale(self, state: LearningState, rows: MatrixRows) -> tuple[Numbers, Numbers]:
        """Return intercepts and slopes."""
        lines = self._vectors(state)
        slopes = lines[:, 1:] * rows.factors
        return lines[:, 0] - slopes @ rows.centers, slopes

    def _vectors(self, state: LearningState) -> Numbers:
        """Return the weights of each function according to the variant, the constant's first."""
        weights = state.coefficients
        if self.variant == AVERAGED and state.progress[0] > 0:
            weights = weights - state.sums / state.progress[0]
        elif self.variant == POCKET and state.progress[3] >= 0:
            weights = state.pocket
        return np.ascontiguousarray(weights.reshape(-1, state.functions).T)

    def mirror(self, values: Numbers) -> Numbers:
        """Return the weights of the second class: what one gains, the other loses."""
        return -values

    # -- work -----------------------------------------------------------------------------------------------

    def make_work(self, state: LearningState, table: Table) -> MistakeWork:  # noqa: ARG002
        """Return the rule as text, and how weights are shown."""
        classes = [quote_name(name) for name in state.design.schema.target_column.levels]
        if len(classes) == 2:
            rule = [
                (
                    f"A row is predicted as {classes[0]} if the weighted sum of its values and of 1 is above 0, "
                    f"else as {classes[1]}"
                ),
                (
                    f"A misclassified row is added to the weights if its class is {classes[0]}, and subtracted "
                    f"if it is {classes[1]}"
                ),
            ]
        else:
            rule = [
                "The prediction is the class with the largest weighted sum of the row's values and of 1",
                (
                    "A misclassified row is added to the weights of its class, and subtracted from those of the "
                    "predicted class"
                ),
            ]
        if self.standardize:
            rule.append("Numbers are standardized to mean 0 and standard deviation 1")
        names = ["constant", *state.design.names_of(range(min(state.design.width, MOST_WEIGHTS)))]
        more = [""] * (state.design.width + 1 - len(names))
        return MistakeWork(
            rule,
            state.design.schema.target_column.levels,
            [*names, *more],
            lambda now: now.coefficients.reshape(-1, now.functions).T,
            [] if len(classes) == 2 else classes,
        )

    def sums_of(self, state: LearningState, only: MatrixRows) -> Numbers:
        """Return the sums of a single row."""
        weights = state.coefficients.reshape(-1, state.functions)
        return np.asarray(weights[0] + (only.matrix @ weights[1:])[0])

    def predicted_classes(self, sums: Numbers, threshold: float) -> list[int]:  # noqa: ARG002
        """Return the class that sums predict."""
        return [int(decide_rows(sums[None, :])[0])]


@dataclass(eq=False)
class MatrixRows(MistakeRows):
    """Rows of a matrix, dense or sparse."""

    matrix: Any
    labels: Codes
    weights: Numbers | None
    classes: int
    centers: Numbers  # subtracted from every position, which was then
    factors: Numbers  # multiplied

    def learn(self, state: LearningState, order: Rows | None = None) -> int:
        """Show all rows once."""
        how = (self.labels, self.classes, self.weights, order)
        arrays = (state.coefficients, state.sums, state.pocket, state.progress)
        if isinstance(self.matrix, np.ndarray):
            return int(_kernels.run_perceptron_pass(self.matrix, *how, *arrays))
        starts, ids = self._row_positions
        return int(_kernels.run_sparse_perceptron_pass(starts, ids, self.matrix.data, *how, *arrays))

    @cached_property
    def _row_positions(self) -> tuple[Rows, Codes]:
        """Where each row of a sparse matrix starts, and its positions."""
        return self.matrix.indptr.astype(np.int64, copy=False), self.matrix.indices.astype(np.int32, copy=False)

    def sums(self, intercepts: Numbers, slopes: Numbers) -> Numbers:
        """Return the value of every function."""
        own = np.divide(slopes, self.factors, out=np.zeros(slopes.shape), where=self.factors != 0)
        return np.asarray(self.matrix @ own.T) + (intercepts + slopes @ self.centers)

    def select_row(self, row: int) -> MatrixRows:
        """Return a single row."""
        weights = None if self.weights is None else self.weights[row : row + 1]
        matrix = self.matrix[row : row + 1] if isinstance(self.matrix, np.ndarray) else self.matrix[[row], :]
        return MatrixRows(matrix, self.labels[row : row + 1], weights, self.classes, self.centers, self.factors)
