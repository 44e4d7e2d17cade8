"""Coverage against accuracy when the least certain rows get no prediction."""

import math

import numpy as np
import pytest
from hypothesis import given

from hedgerow.errors import UsageError
from hedgerow.evaluate import validate
from hedgerow.evaluate.metrics import costs, measures
from hedgerow.evaluate.metrics.abstaining import coverage, select_answered
from tests.evaluate.metrics.test_measures import class_results
from tests.evaluate.toys import NearestMean, blobs, decided, results_of


def four():
    """Right, right, wrong, right by falling sureness 0.9, 0.8, 0.7, 0.6."""
    shares = [[0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.4, 0.6]]
    return results_of([0, 1, 1, 1], shares, ("a", "b"))


def test_a_curve_by_hand():
    found = coverage(four())
    assert found.threshold.tolist() == [math.inf, 0.9, 0.8, 0.7, 0.6]
    assert found.share.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert found.accuracy == pytest.approx([math.nan, 1, 1, 2 / 3, 3 / 4], nan_ok=True)
    # From 2 to 3 rows the accuracy is 2/x, from 3 to 4 it is (x - 1)/x.
    expected = (2 + 2 * math.log(3 / 2) + 1 - math.log(4 / 3)) / 4
    assert found.area == pytest.approx(expected)


def test_points_of_the_curve():
    found = coverage(four())
    best = found.reaching(0.9)
    assert (best.threshold, best.share, best.accuracy.value) == (0.8, 0.5, 1)
    assert 0 < best.accuracy.low < best.accuracy.high == 1
    assert found.reaching(0.75).share == 1
    assert found.reaching(0.7).share == 1
    assert found.at_share(0.8).share == 0.75
    assert found.at_share(0).share == 0
    assert found.at_threshold(0.75).share == 0.5
    assert found.at_threshold(1).share == 0
    wrong = coverage(decided([0], [1], ("a", "b"))).reaching(0.5)
    assert wrong.share == 0
    assert math.isnan(wrong.accuracy.value)


@given(class_results())
def test_everyone_answered_is_the_plain_accuracy(results):
    found = coverage(results)
    assert found.accuracy[-1] == pytest.approx(measures.accuracy(results))
    assert found.answered[-1] == pytest.approx(results.weight.sum())
    assert 0 <= found.area <= 1 + 1e-12
    back = coverage(results.take(np.arange(len(results))[::-1]))
    assert found.area == pytest.approx(back.area)


@given(class_results())
def test_a_row_of_weight_two_is_two_rows(results):
    weight = np.ones(len(results))
    weight[0] = 2
    again = [0, *range(len(results))]
    heavy = coverage(results_of(results.actual, results.predicted, results.labels, weight))
    twice = coverage(results_of(results.actual[again], results.predicted[again], results.labels))
    assert heavy.area == pytest.approx(twice.area)
    assert heavy.accuracy == pytest.approx(twice.accuracy, nan_ok=True)


def test_the_area_is_the_mean_over_all_shares():
    rng = np.random.default_rng(0)
    sure = rng.choice([0.6, 0.7, 0.8, 0.9], 500)
    results = results_of(rng.random(500) > sure, np.column_stack([sure, 1 - sure]), ("a", "b"))
    found = coverage(results)
    grid = np.linspace(0, found.answered[-1], 200_001)[1:]
    assert found.area == pytest.approx(np.mean(np.interp(grid, found.answered, found.right) / grid), abs=1e-5)


def test_equally_sure_rows_have_the_plain_accuracy():
    results = decided([0, 1, 1, 0], [0, 0, 1, 1], ("a", "b"))
    assert coverage(results).area == pytest.approx(0.5)


def test_sureness_of_a_real_learner_helps():
    results = validate.cross_validate(NearestMean(), blobs(spread=1.5), folds=5, runs=2)
    found = coverage(results)
    assert found.answered[-1] == 150
    assert found.area > measures.accuracy(results) + 0.05


def test_the_answered_rows_are_results_like_any_other():
    some = select_answered(four(), 0.75)
    assert measures.accuracy(some) == 1
    assert measures.confusion(some).tolist() == [[1, 0], [0, 1]]
    assert some.notes[-1] == "50.0% of the rows have no prediction, since their confidence is below 0.75"
    everyone = select_answered(four(), 0.1)
    assert len(everyone) == 4
    assert everyone.notes == ()
    nobody = select_answered(four(), 1.0)
    assert len(nobody) == 0
    assert math.isnan(measures.accuracy(nobody))


def test_with_costs_a_row_is_as_sure_as_what_was_said_of_it():
    careful = costs.by_expected_cost(four(), {"b": {"a": 100}})
    assert careful.decided.tolist() == [1, 1, 1, 1]
    assert coverage(careful).threshold == pytest.approx([math.inf, 0.8, 0.6, 0.3, 0.1])


def test_no_rows_leave_everything_undefined():
    found = coverage(four().take(np.array([], dtype=np.int64)))
    assert math.isnan(found.area)
    assert math.isnan(found.at_share(0.5).accuracy.value)
    assert math.isnan(found.reaching(0.5).accuracy.value)


def test_mistakes_are_said():
    found = coverage(four())
    with pytest.raises(UsageError, match=r"the share of rows to predict must be a number from 0 to 1, not 1\.5"):
        found.at_share(1.5)
    with pytest.raises(UsageError, match="the required accuracy must be a number from 0 to 1, not nan"):
        found.reaching(math.nan)
    with pytest.raises(UsageError, match=r"the minimum confidence must be a number from 0 to 1, not '0\.5'"):
        select_answered(four(), "0.5")
    with pytest.raises(UsageError, match="'value' is a number"):
        coverage(results_of([1.0], [2.0]))
