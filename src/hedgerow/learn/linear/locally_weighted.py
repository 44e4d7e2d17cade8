"""Locally weighted least squares: a separate fit for every row to the training rows around it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hedgerow.data.design.blocks import ColumnBlock, NumberBlock
from hedgerow.data.design.design import Design
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.errors import DataError
from hedgerow.layout.numbers import format_number
from hedgerow.layout.rounding import round_digits
from hedgerow.learn.classifier import Classifier
from hedgerow.learn.params import choice, integer, real, seed
from hedgerow.learn.regressor import Regressor
from hedgerow.learn.sampling import sample_by_value_hash
from hedgerow.learn.supervised import Supervised
from hedgerow.models.base.decisions import decisions
from hedgerow.models.base.model import About
from hedgerow.models.neighbors.distance import MINMAX, SCALES
from hedgerow.models.neighbors.leave_one_out import LeaveOneOut, root_mean_square
from hedgerow.models.neighbors.local_fits import (
    GAUSSIAN,
    MOST_NEIGHBORS,
    MOST_PLACES,
    RECIPROCAL,
    TRICUBE,
    WEIGHTS,
    LocalRows,
    LocalWeighting,
)
from hedgerow.models.neighbors.local_regression import LocalClasses, LocalNumbers, memberships, normalize_memberships
from hedgerow.models.neighbors.stored_columns import StoredLevels, StoredNeighborColumn, StoredNumbers

TRIED = 10  # bandwidths
LOWER = (4.0, 2.8, 2.0, 1.4)  # smaller shares of the lowest one, tried if it is the best
MOST_TRIED = 30
RELATIVE = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0)  # times the distance of the last neighbor
WORK = 1e10  # approximate number of products for choosing a bandwidth
FEWEST = 100  # maximum number of rows that are left out one by one
MANY = 20_000  # rows, all of which have weight: there is a note if more
EQUAL = 1e-9  # errors that differ by a smaller share are equal


class LocalLearner(Supervised):
    """The common base of both learners."""

    weight: str = choice(
        GAUSSIAN,
        "weight of a row at distance d: 1/(d/h + 1), exp(-d²/(2h²)) or (1 - (d/h)³)³, where h is the bandwidth",
        *WEIGHTS,
    )
    bandwidth: float | None = real(
        None,
        "the distance h; with neighbors, a multiple of the distance of the farthest one; if none, chosen by "
        "leave-one-out",
        above=0,
        none=True,
    )
    n_neighbors: int | None = integer(None, "number of nearest rows to use; all if none", low=1, none=True)
    scale: str = choice(
        MINMAX,
        "how differences of numbers are scaled: by the range or the standard deviation of the column, or not",
        *SCALES,
    )
    degree: int = integer(1, "degree of the local fit: 0 is a mean, 1 a linear function", low=0, high=1)
    ridge: float = real(
        1e-6, "L2 penalty on slopes, relative to the variance: stabilizes the slopes of correlated columns", low=0
    )
    random_state: Any = seed()

    def _choose_bandwidth(
        self, table: Table, targets: Numbers
    ) -> tuple[LocalRows, LeaveOneOut | None, tuple[str, ...]]:
        """Return the rows with their bandwidth, the errors of all bandwidths tried, and notes."""
        design = _drop_constants(Design.learn(table))
        if self.degree and design.width > MOST_PLACES:
            raise DataError(
                f"a linear fit would have {design.width:,} coefficients, but at most {MOST_PLACES:,} can be fitted "
                "around each row; leave out columns of many levels, or use degree=0"
            )
        columns = tuple(_store_column(table, at, part) for at, part in enumerate(design.parts))
        weights = None if table.weights is None or (table.weights == 1).all() else table.weights
        neighbors = None if self.n_neighbors is None else min(int(self.n_neighbors), MOST_NEIGHBORS)
        how = LocalWeighting(self.weight, 1.0, neighbors, self.scale, int(self.degree), float(self.ridge))
        rows = LocalRows(design, columns, targets, weights, how)
        tries = grid(rows) if self.bandwidth is None else np.array([float(self.bandwidth)])
        left = self._weights_left_out(table, rows, len(tries))
        tried = _evaluate_bandwidths(rows, left, tries, self.target_is_classes is True)
        best = _best(tried, tries)
        while self.bandwidth is None and tried is not None and best == tried.values[0] and len(tries) > 1:
            tries = np.array([round_digits(best / step, 2) for step in LOWER])
            if len(tried.values) > MOST_TRIED or not _distinct(tries, best):
                break
            tried = _join_errors(_evaluate_bandwidths(rows, left, tries, self.target_is_classes is True), tried)
            best = _best(tried, tries)
        settled = _with_bandwidth(rows, replace(how, bandwidth=best))
        return settled, tried, self._notes(settled, tried)

    def _weights_left_out(self, table: Table, rows: LocalRows, tries: int) -> Numbers:
        """Return the weights of the rows that are left out one by one: all, or a sample of them."""
        width = rows.fitted_design.width
        counted = min(rows.n_rows, rows.how.neighbors or rows.n_rows)
        most = max(FEWEST, int(WORK / (counted * tries * (width + 2) * (width + 2 + rows.targets.shape[1]))))
        return sample_by_value_hash(table, most, self.random_state)

    def _notes(self, rows: LocalRows, tried: LeaveOneOut | None) -> tuple[str, ...]:
        notes = []
        if rows.how.neighbors is not None and rows.total < rows.how.neighbors:
            total = format_number(rows.total)
            notes.append(
                f"n_neighbors={rows.how.neighbors} is more than the total weight of all rows, "
                f"{total}: all rows are used"
            )
        if tried is None and self.bandwidth is None:
            notes.append("the bandwidth could not be chosen by leave-one-out, since no row has a neighbor; it is 1")
        if rows.n_rows > MANY and rows.how.neighbors is None and _uses_most_rows(rows):
            notes.append(
                f"with this weight and bandwidth most of the {rows.n_rows:,} rows contribute to every prediction, "
                "which is slow; n_neighbors=100 uses only the nearest"
            )
        return tuple(notes)


class LocallyWeighted(Regressor, LocalLearner):
    """Locally weighted least squares: a separate fit for every row, in which near training rows have most weight.

    Nothing is fitted in training: the rows are stored, and only the bandwidth is chosen, by leave-one-out. A prediction
    is the value of the weighted linear fit at its row. Distant rows have little weight, so an outlier has only local
    influence, and nonlinear functions can be fitted.

    Notes
    -----
    Distances are those of KNN: Euclidean over numbers divided by their range, levels 0 or 1, missing numbers as far
    as the range. With `neighbors` and weight="tricube" this is Cleveland's loess of degree 1. Neighbors are found by
    a kD-tree.

    References
    ----------
    W. S. Cleveland, S. J. Devlin, Locally weighted regression. Journal of the American Statistical Association 83
    (1988). C. G. Atkeson, A. W. Moore, S. Schaal, Locally weighted learning. Artificial Intelligence Review 11 (1997).

    Examples
    --------
    >>> table = Table.of({"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 3.0, 2.0, 5.0]}, "y")
    >>> model = LocallyWeighted(weight="reciprocal", bandwidth=1, scale="none").train(table)
    >>> model.predict(Table.of({"x": [2.0]})).round(6).tolist()
    [2.366667]
    """

    def learn(self, table: Table) -> LocalNumbers:
        """Return the rows of a prepared table, with a bandwidth."""
        targets = np.ascontiguousarray(table.target_numbers)
        rows, tried, notes = self._choose_bandwidth(table, targets[:, None])
        return LocalNumbers(table.schema, rows, tried, about=About(notes=notes))


class LocallyWeightedClassifier(Classifier, LocalLearner):
    """Locally weighted least squares for classes: around every row one fit per class to its membership.

    The targets are 1 for the members of a class and 0 for others; the values of the fits at a row are clipped to the
    range 0 to 1 and divided by the sum, which gives the probabilities. All fits of a row share one solution, and unlike
    a local logistic fit they never diverge where the near rows are all of one class. Everything else is as in
    LocallyWeighted.

    References
    ----------
    C. G. Atkeson, A. W. Moore, S. Schaal, Locally weighted learning. Artificial Intelligence Review 11 (1997).

    Examples
    --------
    >>> table = Table.of({"x": [1.0, 2.0, 3.0, 4.0], "y": ["a", "a", "b", "b"]}, "y")
    >>> model = LocallyWeightedClassifier(bandwidth=0.5).train(table)
    >>> model.predict(Table.of({"x": [1.5, 3.5]})).tolist()
    ['a', 'b']
    """

    def learn(self, table: Table) -> LocalClasses:
        """Return the rows of a prepared table, with a bandwidth."""
        target = table.schema.target_column
        labels: Codes = np.ascontiguousarray(table.codes(table.schema.index(target.name)))
        rows, tried, notes = self._choose_bandwidth(table, memberships(labels, len(target.levels)))
        return LocalClasses(table.schema, rows, labels, tried, about=About(notes=notes))


# -- columns --------------------------------------------------------------------------------------------------


def _drop_constants(design: Design) -> Design:
    """Return the design without constant columns."""
    return Design(design.schema, tuple(None if part is None or part.is_constant else part for part in design.parts))


def _store_column(table: Table, at: int, part: ColumnBlock | None) -> StoredNeighborColumn | None:
    if part is None:
        return None
    if isinstance(part, NumberBlock):
        return StoredNumbers(np.ascontiguousarray(table.numbers(at)))
    return StoredLevels(np.ascontiguousarray(table.codes(at)))


# -- the bandwidth --------------------------------------------------------------------------------------------


def grid(rows: LocalRows) -> Numbers:
    """Return bandwidths to try: from about the distance of the nearest rows to that of rows taken at random."""
    if rows.how.neighbors is not None:
        return np.array(RELATIVE)
    far = typical(rows)
    if not far > 0:
        return np.array([1.0])
    near = far * max(rows.total ** (-1 / max(len(rows.numbers), 1)), 1e-3) / 2
    times = 3.0 if rows.how.weight == TRICUBE else 1.0
    tries = np.geomspace(min(near, far / 4) * times, 2 * far * times, TRIED)
    return np.unique([round_digits(value, 2) for value in tries.tolist()])


def typical(rows: LocalRows) -> float:
    """Return the root of the mean squared distance of two rows taken at random."""
    share, total = rows.row_weights / rows.total, 0.0
    for at, one in rows.numbers.items():
        there = ~np.isnan(one.values)
        known = float(share[there].sum())
        values = (one.values[there] - one.range[0]) / rows.unit(at)
        own = share[there] / known
        spread = 2 * float(own @ np.square(values - own @ values))
        total += known**2 * spread + (1 - known**2) * rows.width(at) ** 2
    for levels in rows.levels.values():
        seen = levels.codes >= 0
        counts = np.bincount(levels.codes[seen], share[seen])
        total += 1 - float(np.square(counts).sum())
    return float(np.sqrt(total))


def _evaluate_bandwidths(rows: LocalRows, left: Numbers, tries: Numbers, classes: bool) -> LeaveOneOut | None:
    """Return the leave-one-out errors of bandwidths; None if no row has another."""
    chosen = np.flatnonzero(left)
    values = rows.leave_one_out_predictions(chosen, tries)
    fitted = ~np.isnan(values[:, 0, 0])
    chosen, values = chosen[fitted], values[fitted]
    if not len(chosen):
        return None
    counts, actual = left[chosen] / left[chosen].sum(), rows.targets[chosen]
    errors, wrong = [], []
    for at in range(len(tries)):
        own = values[:, at]
        if classes:
            own = normalize_memberships(own)
            wrong.append(min(float(counts @ (decisions(own) != actual.argmax(axis=1))), 1.0))
        errors.append(root_mean_square(counts, own - actual))
    return LeaveOneOut(tries, np.array(errors), np.array(wrong), float(left[chosen].sum()))


def _best(tried: LeaveOneOut | None, tries: Numbers) -> float:
    """Return the bandwidth of the smallest error; the widest in case of ties."""
    if tried is None:
        return float(tries[0]) if len(tries) == 1 else 1.0
    least = float(tried.errors.min())
    return float(tried.values[np.flatnonzero(tried.errors <= least * (1 + EQUAL))[-1]])


def _join_errors(lower: LeaveOneOut | None, tried: LeaveOneOut) -> LeaveOneOut:
    """Return the errors of more bandwidths, which are lower, and of the previous ones."""
    assert lower is not None  # the same rows were left out before
    values, errors, wrong = (
        np.concatenate([getattr(lower, name), getattr(tried, name)]) for name in ("values", "errors", "wrong")
    )
    return LeaveOneOut(values, errors, wrong, tried.rows)


def _distinct(tries: Numbers, above: float) -> bool:
    """Return whether bandwidths ascend and are below another."""
    return bool((np.diff(tries) > 0).all()) and float(tries[0]) > 0 and float(tries[-1]) < above


def _with_bandwidth(rows: LocalRows, how: LocalWeighting) -> LocalRows:
    """Return the same rows with another bandwidth, and with their cached data structures."""
    other = LocalRows(rows.design, rows.columns, rows.targets, rows.weights, how)
    vars(other).update({name: value for name, value in vars(rows).items() if name != "how"})
    return other


def _uses_most_rows(rows: LocalRows) -> bool:
    """Return whether most rows have weight in every fit."""
    reach = {RECIPROCAL: np.inf, GAUSSIAN: 8.6, TRICUBE: 1.0}[rows.how.weight]
    return reach * rows.how.bandwidth > typical(rows)
