"""Choosing the number of neighbors by leave-one-out, for all numbers in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.learn.sampling import sample_by_value_hash
from hedgerow.models.neighbors.leave_one_out import LeaveOneOut, root_mean_square
from hedgerow.models.neighbors.neighbor_numbers import NeighborNumbers
from hedgerow.models.neighbors.neighbors import Neighbors

TRIED = (1, 3, 5, 7, 9, 11, 13, 15, 19, 25, 33, 45, 61, 81, 101)  # odd, so that two classes seldom tie
WORK = 4e9  # approximate number of pairs of rows to compare
FEWEST = 1000  # maximum number of rows that are left out one by one
EQUAL = 1e-9  # errors that differ by a smaller share are equal


def candidates(total: float) -> Numbers:
    """Return the numbers of neighbors to try: no more than there are others."""
    return np.array([float(k) for k in TRIED if k <= total - 1])


def class_errors_by_k(model: Neighbors, table: Table, random_state: Any) -> LeaveOneOut | None:
    """Return the errors of each number of neighbors; None if there is only one row."""
    ks = candidates(model.total)
    if not len(ks):
        return None
    left, rows, some = _sample_left_out(table, random_state)
    shares, codes = model.leave_one_out_predictions(some, rows, ks)
    counts, actual = left / left.sum(), model.labels[rows]
    members = np.zeros((len(rows), len(model.classes)))
    members[np.arange(len(rows)), actual] = 1.0
    errors = [root_mean_square(counts, shares[:, at] - members) for at in range(len(ks))]
    wrong = [min(float(counts @ (codes[:, at] != actual)), 1.0) for at in range(len(ks))]
    return LeaveOneOut(ks, np.array(errors), np.array(wrong), float(left.sum()))


def number_errors_by_k(model: NeighborNumbers, table: Table, random_state: Any) -> LeaveOneOut | None:
    """Return the same for numbers."""
    ks = candidates(model.total)
    if not len(ks):
        return None
    left, rows, some = _sample_left_out(table, random_state)
    apart = model.leave_one_out_predictions(some, rows, ks) - model.targets[rows][:, None]
    counts = left / left.sum()
    errors = [root_mean_square(counts, apart[:, at : at + 1]) for at in range(len(ks))]
    return LeaveOneOut(ks, np.array(errors), np.empty(0), float(left.sum()))


def best(tried: LeaveOneOut | None) -> int:
    """Return the number of neighbors with the fewest errors, then the smallest loss, then the smallest number."""
    if tried is None:
        return 1
    near = np.ones(len(tried.values), dtype=np.bool_)
    for figures in (tried.wrong, tried.errors):
        if len(figures):
            near &= figures <= figures[near].min() * (1 + EQUAL)
    return int(tried.values[near.argmax()])


def _sample_left_out(table: Table, random_state: Any) -> tuple[Numbers, Codes, Table]:
    """Return rows that are left out one by one, all or a sample: their weights, their positions, and the rows."""
    most = max(FEWEST, int(WORK / max(table.n_rows, 1)))
    left = sample_by_value_hash(table, most, random_state)
    rows = np.flatnonzero(left)
    return left[rows], rows.astype(np.int32), table.take(rows)
