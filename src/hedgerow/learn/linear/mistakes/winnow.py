"""Winnow and Balanced Winnow: weights of 0/1 columns that are multiplied and divided on mistakes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.design.blocks import ColumnBlock, LevelBlock, NumberBlock, TermBlock
from hedgerow.data.design.class_counts import value_counts
from hedgerow.data.design.cut_block import CutBlock
from hedgerow.data.design.design import Design
from hedgerow.data.design.design_counts import EVERY, DesignOptions
from hedgerow.data.design.discretize import METHODS, Discretizer, equal_frequency
from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.errors import UsageError
from hedgerow.layout.numbers import format_number
from hedgerow.layout.rounding import round_digits, round_within
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
from hedgerow.learn.params import choice, flag, integer, real
from hedgerow.models.linear.text import quote_name

MOST_CUTS = 100  # of a column


class Winnow(MistakeLearner):
    """Winnow: weights of conditions, multiplied or divided on mistakes; finds the few relevant ones among many.

    Columns become conditions that are true or false: levels, `age <= 30` and `age > 30` at cut points of numbers
    (numbers that are 0 or 1 are used as they are), terms of texts. All weights start at `start`; a row is of the first
    class if the weights of its conditions sum to more than `theta`. On a misclassified row of the first class these
    weights are multiplied by `alpha`, on one of the second they are divided. With more classes each has its own
    weights, learned against all others, and the largest sum decides.

    Notes
    -----
    Weights are positive. With `balanced` there are two, plus and minus: what multiplies plus divides minus, and their
    difference counts, so that conditions may be evidence against a class. `theta` is half the number of conditions
    unless it is given; 0 if balanced.
    The textbook's rule is `variant="plain", shuffle=False`: by default weights are averaged over all rows shown, and
    every pass takes the rows in another random order.

    References
    ----------
    N. Littlestone, Learning quickly when irrelevant attributes abound. Machine Learning 2 (1988).

    Examples
    --------
    >>> table = Table.of({"a1": [1.0, 0, 0, 0, 1, 0], "a2": [0.0, 0, 1, 0, 1, 0], "a3": [0.0, 1, 0, 0, 0, 1],
    ...                   "a4": [0.0, 1, 1, 1, 0, 0], "is": ["yes", "no", "yes", "no", "yes", "no"]}, "is")
    >>> print(Winnow(variant="plain", shuffle=False, theta=2).train(table))
    yes if the sum of coefficient times value is above 0, else no
    log-odds of yes = sum / 1.528
    <BLANKLINE>
                 coefficient  if missing
    (intercept)           -2
    a1                     4           0
    a2                     2           0
    a3                   0.5           0
    a4                     1           0
    """

    balanced: bool = flag(
        False, "two weights per condition, whose difference is used, so a condition can also count against a class"
    )
    alpha: float = real(2.0, "factor by which weights are multiplied or divided on a mistake", above=1, high=1e6)
    theta: float | None = real(
        None,
        "threshold of the sum; if none, half the number of conditions, or 0 if balanced",
        low=-1e12,
        high=1e12,
        none=True,
    )
    start: float = real(1.0, "initial value of all weights", above=0, high=1e12)
    method: str = choice("frequency", "how cut points of numbers are chosen; the median if none is found", *METHODS)
    bins: int = integer(10, "number of intervals for width and frequency", low=2, high=MOST_CUTS)
    tf: str = choice("binary", "only the presence of a term in a text is used", "binary")
    idf: str = choice("none", "no inverse document frequency weighting", "none")
    norm: str = choice("none", "texts are not normalized", "none")
    signed: bool = flag(False, "give half of the hashed terms a negative sign; not supported by Winnow")

    def check_values(self, schema: Schema) -> None:  # noqa: ARG002
        """Raise an error if parameters are incompatible."""
        if self.theta is not None and not self.balanced and self.theta <= 0:
            raise UsageError(
                f"theta={self.theta!r} is not allowed: weights are positive, so theta must be above 0 for the second "
                "class ever to be predicted; balanced=True allows any theta"
            )
        if self.bits is not None:
            raise UsageError("Winnow identifies conditions by their names: leave out bits")

    def design_options(self) -> DesignOptions:
        """Return how columns are encoded: every level and term has one."""
        return DesignOptions(EVERY, self.tokens(), self.limits(), self.weighting())

    def make_block(self, table: Table, position: int, part: ColumnBlock) -> ColumnBlock | None:
        """Return conditions for numbers, unless they are 0 or 1; None if there is no cut."""
        if not isinstance(part, NumberBlock):
            return part
        values = table.numbers(position)
        there = values[~np.isnan(values)]
        if ((there == 0) | (there == 1)).all():
            return NumberBlock(0.0, part.scale, part.gaps)
        classes = len(table.schema.target_column.levels)
        counts = value_counts(values, class_codes(table), table.weights, classes)
        cuts = Discretizer(self.method, int(self.bins)).cuts(counts)
        cuts = np.unique(cuts[np.isfinite(cuts)])
        if not len(cuts):  # too few rows to decide where: in halves
            cuts = equal_frequency(counts, 2)
        if len(cuts) > MOST_CUTS:
            cuts = cuts[np.linspace(0, len(cuts) - 1, MOST_CUTS).astype(np.int64)]
        return CutBlock(cuts, part.gaps) if len(cuts) else None

    def vary_block(self, part: NumberBlock, other: float) -> ColumnBlock:
        """Return a single cut between the two numbers, unless they are 0 and 1."""
        if {part.mean, other} == {0.0, 1.0}:
            return NumberBlock(0.0, part.scale, part.gaps)
        return CutBlock(np.array([round_within((part.mean + other) / 2, part.scale / 100)]), part.gaps)

    def initial_state(self, design: Design, classes: int) -> LearningState:
        """Return exponents of 0: all weights are `start`."""
        blank = LearningState.blank(design, design.width, classes, self.variant, lazy=True)
        return replace(blank, theta=self._threshold(design))

    def _threshold(self, design: Design) -> float:
        if self.theta is not None:
            return float(self.theta)
        return 0.0 if self.balanced else max(design.width / 2 * float(self.start), 0.5 * float(self.start))

    def make_rows(self, design: Design, table: Table) -> PositionRows:
        """Return the positions of every row that are 1."""
        starts, ids = active_positions(design, table)
        classes = len(table.schema.target_column.levels)
        rule = (float(self.alpha), float(self.start), bool(self.balanced))
        return PositionRows(starts, ids, design.width, class_codes(table), table.weights, classes, rule)

    def _weights(self, exponents: Numbers) -> Numbers:
        """Return the weights of exponents; of a balanced rule plus less minus."""
        plus = float(self.start) * np.power(float(self.alpha), exponents)
        return plus - float(self.start) * np.power(float(self.alpha), -exponents) if self.balanced else plus

    def to_user_scale(self, state: LearningState, rows: PositionRows) -> tuple[Numbers, Numbers]:  # noqa: ARG002
        """Return -theta and the weights of each function."""
        if self.variant == POCKET and state.progress[3] >= 0:
            weights = self._weights(state.pocket)
        else:
            weights = self._weights(state.coefficients)
        shown = float(state.progress[0])
        if self.variant == AVERAGED and shown > 0:
            weights = (state.sums + weights * (shown - state.since)) / shown
        slopes = np.ascontiguousarray(weights.reshape(-1, state.functions).T)
        return np.full(state.functions, -state.theta), slopes

    def mirror(self, values: Numbers) -> Numbers:
        """Return the exponents of the second class: what multiplies one weight divides the other."""
        return -values

    def _copy_learned(self, before: LearningState, state: LearningState, where: Rows) -> None:
        super()._copy_learned(before, state, where)
        if before.functions == 1 < state.functions:  # averages of the second class are unknown: all start again
            state.sums[:], state.since[:], state.progress[0] = 0.0, 0.0, 0.0

    # -- work -----------------------------------------------------------------------------------------------

    def make_work(self, state: LearningState, table: Table) -> MistakeWork:  # noqa: ARG002
        """Return the rule as text, and how weights are shown."""
        schema = state.design.schema
        classes, alpha = [quote_name(name) for name in schema.target_column.levels], format_number(float(self.alpha))
        theta = format_number(round_digits(state.theta))
        own = classes[0] if len(classes) == 2 else "its class"
        what = "plus - minus" if self.balanced else "the weights"
        rule = [
            f"A row is predicted as {own} if {what} of its conditions sum to more than {theta}"
            + (f", else as {classes[1]}" if len(classes) == 2 else "; the largest sum decides"),
            (
                f"On a mistake, {'each plus' if self.balanced else 'each weight'} of the row's conditions is "
                f"multiplied by {alpha} if the row is of {own}, else divided"
            )
            + ("; each minus is changed the opposite way" if self.balanced else ""),
        ]
        names = state.design.names_of(range(min(state.design.width, MOST_WEIGHTS)))
        more = [""] * (state.design.width - len(names))
        of = [""] if len(classes) == 2 else classes
        vectors = [f"{kind} {name}".strip() for name in of for kind in (("plus", "minus") if self.balanced else ("",))]
        return MistakeWork(
            rule,
            schema.target_column.levels,
            [*names, *more],
            self._shown_weights,
            vectors if len(vectors) > 1 else [],
            state.theta,
        )

    def _shown_weights(self, state: LearningState) -> Numbers:
        lines = state.coefficients.reshape(-1, state.functions).T
        alpha, start = float(self.alpha), float(self.start)
        if not self.balanced:
            return start * np.power(alpha, lines)
        return np.vstack([start * np.power(alpha, sign * line) for line in lines for sign in (1, -1)])

    def sums_of(self, state: LearningState, only: PositionRows) -> Numbers:
        """Return the sums of a single row."""
        weights = self._weights(state.coefficients).reshape(-1, state.functions)
        return np.asarray(weights[only.ids].sum(axis=0))

    def predicted_classes(self, sums: Numbers, threshold: float) -> list[int]:
        """Return the classes whose sum is above the threshold; of two classes the first or the second."""
        if len(sums) == 1:
            return [int(decide_rows(sums[None, :] - threshold)[0])]
        return np.flatnonzero(sums > threshold).tolist()


@dataclass(eq=False)
class PositionRows(MistakeRows):
    """Rows as sets of positions."""

    starts: Rows
    ids: Codes
    width: int
    labels: Codes
    weights: Numbers | None
    classes: int
    rule: tuple[float, float, bool]  # alpha, start, balanced

    def learn(self, state: LearningState, order: Rows | None = None) -> int:
        """Show all rows once."""
        alpha, start, balanced = self.rule
        return int(
            _kernels.run_winnow_pass(
                self.starts, self.ids, self.labels, self.classes, self.weights, order, alpha, state.theta, start,
                balanced, state.coefficients, state.sums, state.since, state.pocket, state.progress,
            )
        )  # fmt: skip

    def sums(self, intercepts: Numbers, slopes: Numbers) -> Numbers:
        """Return the value of every function."""
        from scipy.sparse import csr_array

        shape = (len(self.labels), self.width)
        ones = csr_array((np.ones(len(self.ids)), self.ids, self.starts), shape=shape)
        return np.asarray(ones @ slopes.T) + intercepts

    def select_row(self, row: int) -> PositionRows:
        """Return a single row."""
        first, last = self.starts[row], self.starts[row + 1]
        weights = None if self.weights is None else self.weights[row : row + 1]
        starts, ids = np.array([0, last - first], dtype=np.int64), self.ids[first:last]
        return PositionRows(starts, ids, self.width, self.labels[row : row + 1], weights, self.classes, self.rule)


def active_positions(design: Design, table: Table) -> tuple[Rows, Codes]:
    """Return the positions that are 1 in every row: where each row starts, and its positions."""
    items = (_block(part, table, position, start) for (position, part), start in _starts(design))
    blocks = [block for block in items if block is not None]
    texts = [(part, position, start) for (position, part), start in _starts(design) if isinstance(part, TermBlock)]
    if not texts:
        wide = np.hstack(blocks) if blocks else np.empty((table.n_rows, 0), dtype=np.int32)
        there = wide >= 0
        starts = np.concatenate([[0], np.cumsum(np.count_nonzero(there, axis=1))]).astype(np.int64)
        return starts, np.ascontiguousarray(wide[there])
    from scipy.sparse import csr_array

    matrix = csr_array(design.matrix(table))
    matrix.eliminate_zeros()
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)


def _starts(design: Design) -> Any:
    return zip(design.used_blocks, design.starts, strict=False)


def _block(part: ColumnBlock, table: Table, position: int, start: int) -> Codes | None:
    """Return the positions of a column that are 1, in one or more columns; -1 is none."""
    if isinstance(part, LevelBlock):
        indices = part.table[table.codes(position)][:, None]
    elif isinstance(part, CutBlock):
        indices = part.active_positions()[part.codes(table, position)]  # code -1 is the last
    elif isinstance(part, NumberBlock):
        values = table.numbers(position)
        indices = np.where(values == 1, 0, -1).astype(np.int32)[:, None]
        if part.gaps:
            indices = np.where(np.isnan(values)[:, None], 1, indices).astype(np.int32)
    else:
        return None
    return np.where(indices >= 0, indices + start, -1).astype(np.int32)
