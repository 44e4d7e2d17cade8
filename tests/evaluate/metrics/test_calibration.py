"""Calibration tables equal scikit-learn's; the parts of the Brier score add up to it."""

import math

import numpy as np
import pytest
from hypothesis import given
from sklearn.calibration import calibration_curve

from hedgerow.errors import DataError, UsageError
from hedgerow.evaluate.metrics import measures
from hedgerow.evaluate.metrics.calibration import calibration, expected_error
from tests.evaluate.metrics.test_measures import class_results
from tests.evaluate.toys import decided, results_of


def scored(score, actual, weight=None):
    score = np.asarray(score, dtype=float)
    return results_of(actual, np.column_stack([1 - score, score]), ("no", "yes"), weight)


def sample(n=1000, seed=0):
    rng = np.random.default_rng(seed)
    score = rng.random(n)
    return scored(score, rng.random(n) < score)


@given(class_results())
def test_bins_of_equal_width_equal_scikit_learn(results):
    for code, label in enumerate(results.labels):
        plain = results_of(results.actual, results.predicted, results.labels)
        found = calibration(plain, label, bins=5)
        held = found.weight > 0
        rate, mean = calibration_curve(plain.actual == code, plain.predicted[:, code], n_bins=5)
        assert found.rate[held] == pytest.approx(rate)
        assert found.mean_probability[held] == pytest.approx(mean)


def test_bins_of_equal_count_equal_scikit_learn_where_the_rows_can_be_shared_out():
    results = sample()
    found = calibration(results, "yes", bins=10, by="count")
    rate, mean = calibration_curve(results.actual, results.predicted[:, 1], n_bins=10, strategy="quantile")
    assert found.weight.tolist() == [100] * 10
    assert found.rate == pytest.approx(rate)
    assert found.mean_probability == pytest.approx(mean)
    assert (found.edges[0], found.edges[-1]) == (0, 1)
    inside = np.histogram(results.predicted[:, 1], found.edges)[0]
    assert inside.tolist() == [100] * 10


def test_a_table_by_hand():
    """Edges belong to the bin below; bins without rows are undefined."""
    found = calibration(scored([0, 0.2, 0.5, 0.9, 1], [0, 0, 1, 1, 1]), "yes", bins=4)
    assert found.edges.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert found.weight.tolist() == [2, 1, 0, 2]
    assert found.positives.tolist() == [0, 1, 0, 2]
    assert found.mean_probability == pytest.approx([0.1, 0.5, math.nan, 0.95], nan_ok=True)
    assert found.rate == pytest.approx([0, 1, math.nan, 1], nan_ok=True)
    assert found.gap == pytest.approx([0.1, -0.5, math.nan, -0.05], nan_ok=True)
    assert found.expected_error == pytest.approx((0.2 + 0.5 + 0.1) / 5)
    assert found.largest_error == pytest.approx(0.5)
    first, empty = found.observed[0], found.observed[2]
    assert first.value == first.low == 0 < first.high
    assert math.isnan(empty.value)
    assert math.isnan(empty.low)


@pytest.mark.parametrize("by", ["width", "count"])
@given(results=class_results())
def test_the_parts_of_the_brier_score_add_up(results, by):
    for code, label in enumerate(results.labels):
        found = calibration(results, label, bins=4, by=by)
        truth = results.actual == code
        score = np.average((results.predicted[:, code] - truth) ** 2, weights=results.weight)
        assert found.brier.score == pytest.approx(score)
        assert found.brier.uncertainty == pytest.approx(np.cov(truth, aweights=results.weight, ddof=0), abs=1e-12)
        assert found.weight.sum() == pytest.approx(results.weight.sum())
        assert found.positives.sum() == pytest.approx(results.weight[truth].sum())
        if len(results.labels) == 2:
            assert found.brier.score == pytest.approx(measures.brier(results))


def test_equal_probabilities_in_each_bin_need_no_fourth_part():
    """Murphy (1973): two forecasts, 0.2 for ten rows of which 1 is positive, 0.7 for ten of which 8 are."""
    found = calibration(scored([0.2] * 10 + [0.7] * 10, [1] + [0] * 9 + [1] * 8 + [0] * 2), "yes").brier
    assert found.within == pytest.approx(0, abs=1e-12)
    assert found.reliability == pytest.approx((0.1**2 + 0.1**2) / 2)
    assert found.resolution == pytest.approx(0.35**2)
    assert found.uncertainty == pytest.approx(0.45 * 0.55)


def test_right_probabilities_have_a_small_error_and_wrong_ones_a_large_one():
    results = sample(20_000)
    assert calibration(results, "yes").expected_error < 0.02
    bold = scored(results.predicted[:, 1] > 0.5, results.actual)
    assert calibration(bold, "yes").expected_error == pytest.approx(0.25, abs=0.02)


def test_without_a_label_it_is_about_the_class_said():
    results = results_of([0, 1, 2, 0], np.array([[8, 1, 1], [3, 6, 1], [5, 4, 1], [9, 0, 1]]) / 10, ("a", "b", "c"))
    found = calibration(results, bins=2)
    assert found.label is None
    assert found.weight.tolist() == [1, 3]
    assert found.positives.tolist() == [0, 3]
    assert found.mean_probability == pytest.approx([0.5, (0.8 + 0.6 + 0.9) / 3])
    expected = (0.5 + 3 * (1 - (0.8 + 0.6 + 0.9) / 3)) / 4
    assert expected_error(results, bins=2) == pytest.approx(expected)


@pytest.mark.parametrize("by", ["width", "count"])
@given(results=class_results())
def test_weight_two_is_two_rows_and_order_does_not_matter(results, by):
    weight = np.ones(len(results))
    weight[0] = 2
    heavy = calibration(results_of(results.actual, results.predicted, results.labels, weight), "a", by=by)
    again = np.array([0, *range(len(results))])[::-1]
    twice = calibration(results_of(results.actual[again], results.predicted[again], results.labels), "a", by=by)
    assert heavy.weight == pytest.approx(twice.weight)
    assert heavy.mean_probability == pytest.approx(twice.mean_probability, nan_ok=True)
    assert heavy.brier.score == pytest.approx(twice.brier.score)


def test_equal_probabilities_are_never_parted():
    found = calibration(scored([0.3] * 50 + [0.6] * 2, [0, 1] * 26), "yes", bins=10, by="count")
    assert found.weight.tolist() == [50, 2]
    assert found.edges == pytest.approx([0, 0.45, 1])


def test_no_rows_leave_everything_undefined():
    empty = decided([0], [0], ("a", "b")).take(np.array([], dtype=np.int64))
    for by in ("width", "count"):
        found = calibration(empty, "a", by=by)
        assert found.weight.sum() == 0
        assert math.isnan(found.expected_error)
        assert math.isnan(found.largest_error)
        assert math.isnan(found.brier.score)


def test_mistakes_are_said():
    results = sample(10)
    with pytest.raises(UsageError, match=r'bins can be of equal "width" or "count", not \'size\''):
        calibration(results, "yes", by="size")
    for bins in (0, 1.5, True):
        with pytest.raises(UsageError, match="calibration needs at least 1 bin"):
            calibration(results, "yes", bins=bins)
    with pytest.raises(DataError, match="no class 'maybe'"):
        calibration(results, "maybe")
    with pytest.raises(UsageError, match="'value' is a number"):
        calibration(results_of([1.0], [2.0]))
