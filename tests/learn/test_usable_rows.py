"""Rows without a target or without a weight: if none is left, an error gives the reason."""

import numpy as np
import pytest

import hedgerow
from hedgerow.checks import example
from hedgerow.learn.registry import learners

SUPERVISED = [info.learner() for info in learners().values() if info.learner.target_is_classes is not None]


def half_without_target(learner):
    """A table in which every other row has no target."""
    table = example(learner)
    column = table.schema.target_column
    values = table.target.copy()
    values[::2] = -1 if values.dtype == np.int32 else np.nan
    return table.with_column(column, values)


@pytest.mark.parametrize("learner", SUPERVISED, ids=lambda learner: learner.name)
def test_all_weight_on_rows_without_a_target(learner):
    table = half_without_target(learner)
    weights = np.where(np.arange(table.n_rows) % 2, 0.0, 1.0)
    with pytest.raises(hedgerow.DataError, match="every row with a value of the target 'group' has weight 0"):
        learner.train(table.with_weights(weights))


def test_the_other_reasons_for_having_no_rows():
    table = half_without_target(hedgerow.NaiveBayes())
    every = np.arange(0, table.n_rows, 2)
    for left, reason in (
        (table.slice(0, 0), "the table has no rows"),
        (table.take(every), "'group' is missing in every row"),
        (table.take(every).with_weights(np.zeros(len(every))), "'group' is missing in every row"),
        (table.with_weights(np.zeros(table.n_rows)), "all row weights are zero"),
    ):
        with pytest.raises(hedgerow.DataError, match=reason):
            hedgerow.NaiveBayes().train(left)


def test_a_stream_says_the_same(tmp_path):
    file = tmp_path / "weighted.arff"
    head = "@relation r\n@attribute x numeric\n@attribute y {a,b}\n@data\n"
    for rows, reason in (
        ("1,a,{0}\n2,?,{1}\n", "every row with a value of the target 'y' has weight 0"),
        ("1,a,{0}\n2,b,{0}\n", "all row weights are zero"),
        ("1,?,{1}\n2,?,{0}\n", "'y' is missing in every row"),
    ):
        file.write_text(head + rows)
        with pytest.raises(hedgerow.DataError, match=reason) as caught:
            hedgerow.NaiveBayes().train(hedgerow.open_source(file))
        assert "weighted.arff" in str(caught.value)


GROWING = [learner for learner in SUPERVISED if hasattr(learner, "partial_fit")]


@pytest.mark.parametrize("learner", GROWING, ids=lambda learner: learner.name)
def test_the_first_batch_must_hold_something_to_learn_from_and_later_ones_need_not(learner):
    learner = type(learner)()
    table = half_without_target(learner)
    has_target = np.where(np.arange(table.n_rows) % 2, 1.0, 0.0)
    for weights, reason in (
        (np.zeros(table.n_rows), "all row weights are zero"),
        (1 - has_target, "every row with a value of the target 'group' has weight 0"),
    ):
        with pytest.raises(hedgerow.DataError, match=reason):
            learner.partial_fit(table, sample_weight=weights)
    learner.partial_fit(table)
    before = learner.predict(table)
    learner.partial_fit(table, sample_weight=1 - has_target)
    assert (learner.predict(table) == before).all()


STEPWISE = [learner for learner in SUPERVISED if learner.target_is_classes and hasattr(learner, "partial_fit")]


@pytest.mark.parametrize("learner", STEPWISE, ids=lambda learner: learner.name)
def test_classes_named_in_advance(learner):
    rows = [[1.0], [2.0], [3.0], [4.0]]
    for missing in (["p", None, "q", "p"], ["p", np.nan, "q", "p"], [None] * 4):
        with pytest.raises(hedgerow.DataError, match="Input y contains NaN; every row needs a class"):
            type(learner)().partial_fit(rows, np.array(missing, dtype=object), classes=["p", "q"])
    for classes in ([None, "p"], 3, [["p"], ["q", "r"]]):
        with pytest.raises(hedgerow.UsageError, match="classes must be a list of strings or of numbers"):
            type(learner)().partial_fit(rows, ["p", "q", "q", "p"], classes=classes)
