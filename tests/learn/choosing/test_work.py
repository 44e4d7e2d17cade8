"""The estimated work of training: it grows with the table, and tells on how many rows a learner can be trained."""

import math

import pytest

from hedgerow import Simplest, SimplestRegressor
from hedgerow.learn.choosing.work import TableShape, rows_within, training_work

MIXED = TableShape(rows=10_000, numeric=10, nominal=5, levels=40, text_bytes=0.0, classes=3)
TEXTS = TableShape(rows=2_000, numeric=0, nominal=0, levels=0, text_bytes=200.0, classes=2)
CANDIDATES = [*Simplest().candidates(), *SimplestRegressor().candidates()]


@pytest.mark.parametrize("learner", [learner for _, learner in CANDIDATES], ids=[name for name, _ in CANDIDATES])
@pytest.mark.parametrize("shape", [MIXED, TEXTS], ids=["mixed", "texts"])
def test_work_is_known_and_grows_with_the_rows(learner, shape):
    work = [training_work(learner, shape.with_rows(rows)) for rows in (0, 1, 100, 10_000, 1_000_000)]
    assert all(math.isfinite(one) and one > 0 for one in work)
    assert work == sorted(work)


@pytest.mark.parametrize("learner", [learner for _, learner in CANDIDATES], ids=[name for name, _ in CANDIDATES])
def test_as_many_rows_as_the_seconds_allow(learner):
    assert rows_within(learner, MIXED, 1e6) == MIXED.rows
    seconds = training_work(learner, MIXED.with_rows(5_000))
    assert training_work(learner, MIXED.with_rows(rows_within(learner, MIXED, seconds))) <= seconds
    assert rows_within(learner, MIXED, 0.0) == 0


def test_a_strong_penalty_and_no_pruning_take_less():
    found = {name: training_work(learner, MIXED) for name, learner in CANDIDATES}
    assert found["logistic(penalty=l2, strength=10.0)"] < 2 * found["logistic"]
    assert found["cart_regressor(max_depth=6, min_samples_leaf=5, prune=none)"] < found["cart_regressor(max_depth=3)"]
