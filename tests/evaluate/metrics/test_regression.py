"""Measures of numbers equal scikit-learn's; relative errors look to the training mean as Weka's do."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from hedgerow.errors import UsageError
from hedgerow.evaluate import validate
from hedgerow.evaluate.metrics import regression
from hedgerow.evaluate.metrics.intervals import estimate
from tests.evaluate.toys import Majority, decided, results_of, straight


@st.composite
def number_results(draw, weighted=True):
    n = draw(st.integers(2, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    actual = rng.integers(0, 5, n) + rng.choice([0.0, 0.25])
    weight = rng.integers(1, 4, n) + 0.0 if weighted else None
    return results_of(actual, actual + rng.normal(0, 1, n), weight=weight)


@given(number_results(weighted=False))
def test_the_median_error_equals_scikit_learn(results):
    expected = metrics.median_absolute_error(results.actual, results.predicted)
    assert regression.median_absolute(results) == pytest.approx(expected)
    found = estimate(results, "median_absolute")
    assert found.low <= found.value <= found.high


def test_the_median_error_lies_between_two_ranks_of_the_sign_test():
    """100 errors 1, 2, ..., 100: the ends lie at ranks 50 -+ 0.98 * 10, so between the 41st and the 60th."""
    found = estimate(results_of(np.zeros(100), np.arange(1, 101.0)), "median_absolute")
    assert (found.low, found.value, found.high) == (41, 50.5, 60)


def test_wild_errors_do_not_move_the_median_but_the_mean():
    results = results_of([0.0, 0, 0, 0], [1.0, 1, 1, 1000])
    assert regression.median_absolute(results) == 1
    assert regression.mae(results) > 250
    assert regression.largest_error(results) == 1000
    assert regression.bias(results) == regression.mae(results)
    silent = results_of([0.0], [1.0], weight=[0.0])
    assert math.isnan(regression.median_absolute(silent))
    assert math.isnan(regression.largest_error(silent))


@given(number_results())
def test_measures_equal_scikit_learn(results):
    pair, weight = (results.actual, results.predicted), {"sample_weight": results.weight}
    assert regression.mae(results) == pytest.approx(metrics.mean_absolute_error(*pair, **weight))
    assert regression.rmse(results) == pytest.approx(metrics.root_mean_squared_error(*pair, **weight))
    assert regression.largest_error(results) == pytest.approx(metrics.max_error(*pair))
    assert regression.bias(results) == pytest.approx(
        np.average(results.predicted - results.actual, weights=results.weight)
    )
    expanded = np.repeat(np.abs(results.predicted - results.actual), results.weight.astype(int))
    assert regression.median_absolute(results) == pytest.approx(np.median(expanded))
    if np.ptp(results.actual) > 0:
        assert regression.r2(results) == pytest.approx(metrics.r2_score(*pair, **weight))
        expected = np.cov(*pair, aweights=results.weight)
        assert regression.correlation(results) == pytest.approx(
            expected[0, 1] / math.sqrt(expected[0, 0] * expected[1, 1])
        )


@given(number_results(weighted=False))
def test_a_row_of_weight_two_is_two_rows(results):
    weight = np.ones(len(results))
    weight[0] = 2
    again = [0, *range(len(results))]
    heavy = results_of(results.actual, results.predicted, weight=weight)
    twice = results_of(results.actual[again], results.predicted[again])
    for measure in (regression.mae, regression.rmse, regression.r2, regression.relative_absolute):
        assert measure(heavy) == pytest.approx(measure(twice), nan_ok=True)


def test_relative_errors_compare_with_the_training_mean():
    results = results_of([1.0, 3.0], [2.0, 2.0], prior=(0.0,))
    assert regression.relative_absolute(results) == pytest.approx(2 / 4)
    assert regression.relative_squared(results) == pytest.approx(math.sqrt(2 / 10))


def test_the_training_mean_itself_has_relative_error_one():
    results = validate.cross_validate(Majority(), straight(), folds=5)
    assert regression.relative_absolute(results) == pytest.approx(1)
    assert regression.relative_squared(results) == pytest.approx(1)
    assert math.isnan(regression.correlation(results))


def test_constant_targets_leave_relative_measures_undefined():
    results = results_of([0.1, 0.1, 0.1], [2.5, 1.5, 0.5], weight=[0.3, 0.7, 0.1])
    for measure in (
        regression.relative_absolute,
        regression.relative_squared,
        regression.r2,
        regression.correlation,
    ):
        assert math.isnan(measure(results))


def test_classes_have_no_numeric_error():
    with pytest.raises(UsageError, match="'class' is a class"):
        regression.mae(decided([0], [0], ("a", "b")))
