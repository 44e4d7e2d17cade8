"""The kernel of Cobweb: what it refuses, and that it can be stopped."""

import signal

import numpy as np
import pytest

from hedgerow import _kernels
from tests.kernels.test_interrupts import Alarms, StopError

NONE = np.empty(0)
MEASURE = (1, np.array([2], dtype=np.int32), 0.5, 0.0)


def rows(number=1.0, code=0, weight=None):
    codes = np.array([[code]], dtype=np.int32)
    return np.array([[number]]), codes, NONE if weight is None else np.array([weight])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (rows(code=2), "a code is not below"),
        (rows(code=-2), "a code is not below"),
        (rows(number=np.inf), "infinite"),
        (rows(weight=0.0), "a weight is not positive"),
        (rows(weight=np.nan), "a weight is not positive"),
    ],
)
def test_bad_rows_are_refused(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        _kernels.grow_concepts(MEASURE, (0.0, 0.0), None, given)


def test_bad_trees_are_refused():
    tree = list(_kernels.grow_concepts(MEASURE, (0.0, 0.0), None, rows()))
    tree[2:5] = [one.reshape(-1, 1) for one in tree[2:5]]
    for at, wrong in [(0, np.array([0], dtype=np.int32)), (5, np.array([0, 9])), (6, np.array([5], dtype=np.int32))]:
        bad = [*tree[:at], wrong, *tree[at + 1 :]]
        with pytest.raises(ValueError, match=r"."):
            _kernels.sort_concepts(MEASURE, (0.0, 0.0), tuple(bad), rows(), np.zeros(1, dtype=np.uint8))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")
def test_growing_can_be_stopped():
    n = 400_000
    given = np.random.default_rng(0).normal(size=(n, 20)), np.empty((n, 0), dtype=np.int32), NONE
    measure = (20, np.empty(0, dtype=np.int32), 0.01, 0.0)
    with pytest.raises(StopError), Alarms():
        _kernels.grow_concepts(measure, (0.0, 0.0), None, given)
