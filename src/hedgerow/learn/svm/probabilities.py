"""Probabilities of support vector machines, from decision values of rows that were held out.

Decision values of the training rows are too good: support vectors stand where the machine put them. So machines
are learned again without some rows, beginning with the solution of all: without each of five parts of small tables, of
larger ones without as many parts as make about a thousand rows, or a tenth.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers, Rows
from hedgerow.learn.calibrate import fit_sigmoid, fit_steps, fit_temperature
from hedgerow.learn.svm.points import SvmPoints
from hedgerow.learn.svm.solving import SolvedMachines, SvmSettings, decision_values, solve_with_less_weight
from hedgerow.models.linear.calibrator import Calibrator, Sigmoid
from hedgerow.models.svm.function_arrays import Chances
from hedgerow.models.svm.multiclass import chance_scores

AUTO, NONE, PLATT, ISOTONIC = "auto", "none", "platt", "isotonic"
FOLDS = 5
ENOUGH = 1000  # points whose values tell a temperature
MANY = 5000  # points beyond which one part is held out, of
MOST_HELD = 5000  # points at most
COARSE = 2e-2  # tolerance of machines learned again for a temperature: f of a row is off by a few hundredths, and
CLOSER = 1e-3  # of those whose values are calibrated one by one
SAME = 1e-5  # share of their range within which values are equal to calibrators
DEAF = 10.0  # times the solver's tolerance: values within it say nothing


def fit_probabilities(points: SvmPoints, settings: SvmSettings, machines: SolvedMachines, how: str) -> Chances:
    """Return the calibration of decision values: a temperature of scores, or a calibrator a machine."""
    if how == NONE or len(points.seen_classes) < 2:
        return None
    rough = replace(settings, tolerance=max(settings.tolerance, COARSE if how == AUTO else CLOSER))
    rows, values, weights = held_out_values(points, rough, machines, *_parts(len(points), how))
    if how == AUTO:
        scores = chance_scores(settings.codes, values)[:, settings.codes.used]
        labels = np.searchsorted(settings.codes.used, points.labels[rows]).astype(np.int32)
        return fit_temperature(scores, labels, weights)
    calibrators: list[Calibrator] = []
    for machine, entries in enumerate(settings.codes.entries):
        side = entries[points.labels[rows]]
        there = np.flatnonzero(side)
        own, positive, heavy = (
            _snap_equal_values(values[machine, there], rough.tolerance),
            side[there] > 0,
            weights[there],
        )
        calibrators.append(_rising(own, positive, heavy) if how == PLATT else fit_steps(own, positive, heavy))
    return tuple(calibrators)


def _snap_equal_values(values: Numbers, tolerance: float) -> Numbers:
    """Return values that are equal or clearly apart: no step is so steep that the rounding of a value would show.

    A machine that no boundary helps says -1 or 1 of every row (M205's f with w = 0), but for what its solver leaves
    open. Such values are equal: a calibrator would take the last digits of each fold for a message.
    """
    if not len(values):
        return values
    spread = float(np.ptp(values))
    if spread <= DEAF * tolerance:
        return np.full(len(values), float(np.rint(values.mean())))
    return np.asarray(np.rint(values / (SAME * spread)) * (SAME * spread))


def _rising(values: Numbers, positive: NDArray[np.bool_], weights: Numbers) -> Sigmoid:
    """Return Platt's sigmoid, or a level one where it would fall: what f says for a class must not speak against it.

    The likelihood is concave, so that of sigmoids that never fall the level one is then the best.
    """
    fitted = fit_sigmoid(values, positive, weights)
    return fitted if fitted.a <= 0 else fit_sigmoid(np.zeros(len(values)), positive, weights)


def refits(points: SvmPoints, how: str) -> int:
    """Return how often machines are learned again for probabilities."""
    return 0 if how == NONE else _parts(len(points), how)[1]


def _parts(n: int, how: str) -> tuple[int, int]:
    """Return the number of parts into which points are divided, and the number of those that are held out."""
    if how != AUTO or n <= ENOUGH:
        return FOLDS, FOLDS
    if n <= MANY:
        return FOLDS, max(1, int(ENOUGH * FOLDS / n + 0.5))  # a temperature is one number
    return max(10, -(-n // MOST_HELD)), 1


def held_out_values(
    points: SvmPoints, settings: SvmSettings, machines: SolvedMachines, n_parts: int, some: int
) -> tuple[Rows, Numbers, Numbers]:
    """Return points, the decision values (machines, points) of machines that did not learn them, and their weights.

    Some of so many parts are held out, one at a time. A class that would be without rows keeps them.
    """
    n_parts = int(min(max(points.weights.sum(), len(points)), n_parts))
    rows, values, weights = [], [], []
    for part in points.parts(n_parts)[:some]:
        left = np.maximum(points.weights - part, 0.0)
        heavy = np.bincount(points.labels, left, len(settings.factors))
        left = np.where(heavy[points.labels] > 0, left, points.weights)
        there = np.flatnonzero(part > 0).astype(np.int64)
        if not len(there):
            continue
        own = solve_with_less_weight(points, settings, left, machines)
        rows.append(there)
        values.append(decision_values(points, settings, own, there))
        weights.append(part[there])
    return np.concatenate(rows), np.concatenate(values, axis=1), np.concatenate(weights)
