"""Intervals hold their promise, and stay honest at the edges."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

from hedgerow.errors import UsageError
from hedgerow.evaluate import intervals, measures, ranking, validate
from hedgerow.evaluate.intervals import estimate
from tests.evaluate.test_measures import class_results, ranked
from tests.evaluate.toys import Line, Majority, NearestMean, blobs, decided, results_of, straight


def test_wilson_gives_the_published_interval():
    """Newcombe (1998), table I: 81 of 263 gives .2553 to .3662; 0 of 20 gives 0 to .1611."""
    found = intervals.wilson(81 / 263, 263)
    assert (found.low, found.high) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    found = intervals.wilson(0, 20)
    assert (found.low, found.high) == pytest.approx((0, 0.1611), abs=5e-5)


@settings(max_examples=50)
@given(class_results())
def test_every_interval_holds_its_estimate(results):
    found = [estimate(results, name) for name in intervals.CLASS]
    found += [one for many in intervals.class_estimates(results).values() for one in many]
    for one in found:
        if not math.isnan(one.value) and not math.isnan(one.low):
            assert one.low - 1e-9 <= one.value <= one.high + 1e-9


@settings(max_examples=50)
@given(class_results())
def test_estimates_are_the_measures(results):
    expected = {
        "accuracy": measures.accuracy,
        "error": measures.error,
        "kappa": measures.kappa,
        "auc": ranking.mean_auc,
        "log_loss": measures.log_loss,
        "brier": measures.brier,
    }
    for name, measure in expected.items():
        assert estimate(results, name).value == pytest.approx(measure(results), nan_ok=True)
    single = intervals.class_estimates(results)
    assert [one.value for one in single["f1"]] == pytest.approx(measures.f1(results).tolist(), nan_ok=True)
    expected_rates = measures.false_positive_rate(results).tolist()
    found = [one.value for one in single["false_positive_rate"]]
    assert found == pytest.approx(expected_rates, nan_ok=True)


def test_a_perfect_ranking_of_few_rows_is_not_certain():
    found = intervals.area(1.0, 2, 2)
    assert found.value == found.high == 1
    assert 0.2 < found.low < 0.8


def test_the_area_has_the_standard_error_of_hanley_and_mcneil():
    """By hand for A = 0.75, 4 positives, 6 negatives: Q1 = A / (2 - A), Q2 = 2 A^2 / (1 + A)."""
    a = 0.75
    variance = (a * (1 - a) + 3 * (a / (2 - a) - a * a) + 5 * (2 * a * a / (1 + a) - a * a)) / 24
    found = intervals.area(0.75, 4, 6)
    assert found.standard_error == pytest.approx(math.sqrt(variance))


def test_the_standard_error_of_kappa_is_that_of_repeated_sampling():
    table = np.array([[40, 9], [6, 45]])
    cells = np.repeat(np.arange(4), table.ravel())
    found = estimate(decided(cells // 2, cells % 2, ("a", "b")), "kappa")
    rng = np.random.default_rng(0)
    draws = rng.multinomial(100, table.ravel() / 100, 4000).reshape(-1, 2, 2) / 100
    chance = (draws.sum(axis=1) * draws.sum(axis=2)).sum(axis=1)
    kappas = (draws.trace(axis1=1, axis2=2) - chance) / (1 - chance)
    assert found.standard_error == pytest.approx(kappas.std(), rel=0.05)


def test_accuracy_intervals_cover_the_truth_about_95_times_in_100():
    rng = np.random.default_rng(1)
    hits = rng.binomial(50, 0.9, 2000)
    found = [intervals.wilson(hit / 50, 50) for hit in hits]
    assert 0.93 < np.mean([one.low <= 0.9 <= one.high for one in found]) < 0.98


def test_runs_do_not_make_the_data_larger():
    table = blobs(each=20)
    once = estimate(validate.cross_validate(Majority(), table, folds=4), "accuracy")
    often = estimate(validate.cross_validate(Majority(), table, folds=4, runs=5), "accuracy")
    assert often.standard_error == pytest.approx(once.standard_error, rel=0.2)


def test_the_spread_over_folds_counts_shared_training_rows():
    results = validate.cross_validate(NearestMean(), blobs(), folds=5)
    found = intervals.spread(results, measures.accuracy)
    assert len(found.values) == 5
    assert found.mean == pytest.approx(measures.accuracy(results))
    assert found.standard_deviation == pytest.approx(np.std(found.values, ddof=1))
    assert found.standard_error == pytest.approx(found.standard_deviation * math.sqrt(1 / 5 + 1 / 4))


def test_differences_are_paired_by_row():
    table = blobs()
    mine = validate.cross_validate(NearestMean(), table, folds=5)
    base = validate.cross_validate(Majority(), table, folds=5)
    found = intervals.difference(mine, base, "accuracy")
    assert found.value == pytest.approx(measures.accuracy(mine) - measures.accuracy(base))
    row = measures.right(mine) - measures.right(base)
    assert found.standard_error == pytest.approx(row.std(ddof=1) / math.sqrt(len(row)))
    assert intervals.difference(mine, base, "kappa").low != intervals.difference(mine, base, "kappa").low


def test_mean_errors_have_the_normal_standard_error():
    results = validate.cross_validate(Majority(), straight(), folds=5)
    errors = np.abs(results.predicted - results.actual)
    found = estimate(results, "mae")
    assert found.standard_error == pytest.approx(errors.std(ddof=1) / math.sqrt(len(errors)))
    for name in intervals.NUMBER:
        one = estimate(validate.cross_validate(Line(), straight(), folds=5), name)
        assert one.low <= one.value <= one.high


def test_exact_predictions_and_single_rows_do_not_fail():
    exact = results_of([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0])
    assert [estimate(exact, name).value for name in intervals.NUMBER] == pytest.approx([0, 0, 0, 0, 1, 1])
    single = results_of([1.0], [2.0])
    assert estimate(single, "mae").value == 1


def test_unknown_measures_are_refused_with_the_known_ones():
    with pytest.raises(UsageError, match="no measure 'mae' of 'class'; there are accuracy, error"):
        estimate(ranked(), "mae")


@pytest.mark.parametrize("factor", [1e200, 1e-200, 1.0])
def test_numbers_of_any_size_are_measured_without_a_warning(factor):
    results = results_of(np.arange(5) * factor, np.arange(5) * 1.5 * factor)
    assert estimate(results, "mae").value == pytest.approx(factor)
    for name in intervals.NUMBER:
        estimate(results, name)


def test_rows_without_any_weight_leave_everything_undefined():
    results = results_of([0, 1], [[0.5, 0.5], [0.1, 0.9]], ("a", "b"), weight=[0, 0])
    for name in intervals.CLASS:
        assert math.isnan(estimate(results, name).value)
    for name in intervals.NUMBER:
        estimate(results_of([0.0, 1.0], [1.0, 1.0], weight=[0, 0]), name)


@settings(max_examples=30)
@given(class_results())
def test_a_row_of_weight_two_is_as_sure_as_two_rows(results):
    weight = np.ones(len(results))
    weight[0] = 2
    heavy = results_of(results.actual, results.predicted, results.labels, weight)
    again = [0, *range(len(results))]
    twice = results_of(results.actual[again], results.predicted[again], results.labels)
    for name in intervals.CLASS:
        one, other = estimate(heavy, name), estimate(twice, name)
        assert (one.low, one.high) == pytest.approx((other.low, other.high), nan_ok=True, abs=1e-9)
