"""Differences of two learners on the same rows: values, standard errors of repeated sampling, and what cancels out."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

from hedgerow.evaluate import validate
from hedgerow.evaluate.metrics import intervals, measures
from hedgerow.evaluate.metrics.intervals import paired_difference
from hedgerow.evaluate.metrics.paired_differences import INFLUENCES, ROWS
from tests.evaluate.metrics.test_measures import class_results
from tests.evaluate.toys import Line, Majority, NearestMean, blobs, loan, results_of, straight

OF_CLASSES = [name for name in (*ROWS, *INFLUENCES) if name in intervals.CLASS]
OF_NUMBERS = [name for name in (*ROWS, *INFLUENCES) if name in intervals.NUMBER]


def both(rng, n=150):
    """Two learners that see much the same: their probabilities share half of the noise."""
    actual = rng.integers(0, 3, n)
    shared = rng.normal(0, 1, (n, 3))
    out = []
    for pull in (1.6, 1.2):
        raw = np.exp(pull * np.eye(3)[actual] + shared + rng.normal(0, 0.6, (n, 3)))
        out.append(results_of(actual, raw / raw.sum(axis=1, keepdims=True), ("a", "b", "c")))
    return out


@pytest.mark.parametrize("measure", OF_CLASSES)
def test_errors_are_those_of_repeated_sampling(measure):
    rng = np.random.default_rng(3)
    found = [paired_difference(*both(rng), measure) for _ in range(250)]
    truth = np.std([one.value for one in found])
    assert np.mean([one.standard_error for one in found]) == pytest.approx(truth, rel=0.15)
    held = [one.low <= np.mean([every.value for every in found]) <= one.high for one in found]
    assert 0.9 < np.mean(held) <= 0.995


@settings(max_examples=40)
@given(class_results())
def test_the_difference_is_that_of_the_measures(results):
    other = results_of(results.actual, results.predicted[::-1], results.labels, results.weight)
    for name in OF_CLASSES:
        value = intervals.estimate(results, name).value - intervals.estimate(other, name).value
        assert intervals.difference(results, other, name).value == pytest.approx(value, nan_ok=True)


@settings(max_examples=40)
@given(class_results())
def test_a_row_of_weight_two_is_two_rows(results):
    weight = np.ones(len(results))
    weight[0] = 2
    again = np.array([0, *range(len(results))])
    back = results.predicted[::-1]
    heavy = [results_of(results.actual, one, results.labels, weight) for one in (results.predicted, back)]
    twice = [results_of(results.actual[again], one[again], results.labels) for one in (results.predicted, back)]
    for name in OF_CLASSES:
        one, other = paired_difference(*heavy, name), paired_difference(*twice, name)
        assert (one.low, one.high) == pytest.approx((other.low, other.high), nan_ok=True, abs=1e-9)


def test_a_learner_does_not_differ_from_itself():
    results = validate.cross_validate(NearestMean(), blobs(spread=1.5), folds=5)
    for name in OF_CLASSES:
        found = paired_difference(results, results, name)
        assert (found.value, found.low, found.high) == (0, 0, 0)


def test_beside_a_learner_that_ranks_nothing_the_error_is_one_s_own():
    results = validate.cross_validate(NearestMean(), loan(), folds=5)
    base = validate.cross_validate(Majority(), loan(), folds=5)
    found, own = paired_difference(results, base, "auc"), intervals.estimate(results, "auc")
    assert found.value == pytest.approx(own.value - 0.5)
    n = len(results)
    assert found.standard_error == pytest.approx(own.standard_error, rel=2 / n + 0.1)


@pytest.mark.parametrize("measure", [name for name in OF_NUMBERS if name != "correlation"])
def test_numbers_are_compared_row_by_row(measure):
    one = validate.cross_validate(Line(), straight(), folds=5)
    other = validate.cross_validate(Majority(), straight(), folds=5)
    found = paired_difference(one, other, measure)
    expected = intervals.estimate(one, measure).value - intervals.estimate(other, measure).value
    assert found.value == pytest.approx(expected)
    assert found.low <= found.value <= found.high
    assert 0 < found.standard_error < math.inf
    same = paired_difference(one, one, measure)
    assert same.value == 0
    assert (same.low, same.high) == (0, 0)


def test_errors_of_correlations_are_those_of_repeated_sampling():
    rng, found = np.random.default_rng(5), []
    for _ in range(300):
        actual, shared = rng.normal(0, 1, 200), rng.normal(0, 0.5, 200)
        pair = [results_of(actual, actual + shared + rng.normal(0, noise, 200)) for noise in (0.3, 0.5)]
        found.append(paired_difference(*pair, "correlation"))
    assert np.mean([one.standard_error for one in found]) == pytest.approx(
        np.std([one.value for one in found]), rel=0.1
    )
    truth = np.mean([one.value for one in found])
    assert 0.91 < np.mean([one.low <= truth <= one.high for one in found]) < 0.99


def test_other_rows_and_other_measures_are_not_paired():
    one = validate.cross_validate(NearestMean(), blobs(), folds=5)
    other = validate.cross_validate(NearestMean(), blobs(each=20), folds=5)
    assert paired_difference(one, other, "accuracy") is None
    assert paired_difference(one, one, "weighted_f1") is None
    gap = intervals.difference(one, other, "accuracy")
    assert gap.value == pytest.approx(measures.accuracy(one) - measures.accuracy(other))
    assert math.isnan(gap.low)


def test_exact_numbers_and_undefined_measures_do_not_fail():
    exact = results_of([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    for name in OF_NUMBERS:
        paired_difference(exact, results_of([1.0, 2.0, 3.0], [1.0, 2.0, 4.0]), name)
    one = results_of([0, 0], [[1.0, 0.0], [1.0, 0.0]], ("a", "b"))
    for name in OF_CLASSES:
        paired_difference(one, one, name)
