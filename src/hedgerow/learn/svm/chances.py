"""Probabilities of support vector machines, from decision values of rows that were held out.

Decision values of the rows learned from are too good: support vectors stand where the machine put them. So machines
are learned again without some rows, beginning with the solution of all: five folds of small tables, of larger ones a
tenth that is held out once.
"""

from __future__ import annotations

import numpy as np

from hedgerow.data.table import Numbers, Rows
from hedgerow.learn.calibrate import fit_sigmoid, fit_steps, fit_temperature
from hedgerow.learn.svm.points import Points
from hedgerow.learn.svm.solving import Settings, Solved, solved, values_at
from hedgerow.models.calibrator import Calibrator
from hedgerow.models.machine_parts import Chances
from hedgerow.models.machines import class_scores

AUTO, NONE, PLATT, ISOTONIC = "auto", "none", "platt", "isotonic"
FOLDS = 5
MANY = 5000  # points beyond which one part is held out, of
MOST_HELD = 5000  # points at most
SAME = 1e-5  # share of their range within which values are equal to isotonic steps


def chances_of(points: Points, settings: Settings, machines: Solved, how: str) -> Chances:
    """Return what makes probabilities of decision values: a temperature of scores, or a calibrator a machine."""
    if how == NONE or len(points.seen) < 2:
        return None
    folds = refits(points, how)
    rows, values, weights = held_out(points, settings, machines, 0 if folds == 1 else folds)
    if how == AUTO:
        scores = class_scores(settings.codes, values)[:, settings.codes.used]
        labels = np.searchsorted(settings.codes.used, points.labels[rows]).astype(np.int32)
        return fit_temperature(scores, labels, weights)
    found: list[Calibrator] = []
    for machine, entries in enumerate(settings.codes.entries):
        side = entries[points.labels[rows]]
        there = np.flatnonzero(side)
        own, positive, heavy = values[machine, there], side[there] > 0, weights[there]
        fitted = fit_sigmoid(own, positive, heavy) if how == PLATT else fit_steps(_apart(own), positive, heavy)
        found.append(fitted)
    return tuple(found)


def _apart(values: Numbers) -> Numbers:
    """Return values that are equal or clearly apart: no step is so steep that the rounding of a value would show."""
    unit = SAME * float(np.ptp(values)) if len(values) else 0.0
    return np.asarray(np.rint(values / unit) * unit) if unit > 0 else values


def refits(points: Points, how: str) -> int:
    """Return how often machines are learned again for probabilities."""
    if how == NONE:
        return 0
    return FOLDS if len(points) <= MANY or how != AUTO else 1


def held_out(points: Points, settings: Settings, machines: Solved, folds: int) -> tuple[Rows, Numbers, Numbers]:
    """Return points, the decision values (machines, points) of machines that did not learn them, and their weights.

    With 0 folds one part is held out. A class that would be without rows keeps them.
    """
    n_parts = folds or max(10, -(-len(points) // MOST_HELD))
    if folds:
        n_parts = int(min(max(points.weights.sum(), len(points)), n_parts))
    rows, values, weights = [], [], []
    for part in points.parts(n_parts)[: folds or 1]:
        left = np.maximum(points.weights - part, 0.0)
        heavy = np.bincount(points.labels, left, len(settings.factors))
        left = np.where(heavy[points.labels] > 0, left, points.weights)
        there = np.flatnonzero(part > 0).astype(np.int64)
        if not len(there):
            continue
        own = solved(points, settings, left, machines)
        rows.append(there)
        values.append(values_at(points, settings, own, there))
        weights.append(part[there])
    return np.concatenate(rows), np.concatenate(values, axis=1), np.concatenate(weights)
