"""Confidence intervals have the stated coverage, and are valid at the limits."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import stats

from hedgerow.errors import DataError, UsageError
from hedgerow.evaluate import validate
from hedgerow.evaluate.metrics import catalog, confusion_measures, estimates, intervals, measures, ranking
from hedgerow.evaluate.metrics.intervals import estimate
from hedgerow.evaluate.results import Fold
from tests.evaluate.metrics.test_measures import class_results, ranked
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
    assert list(catalog.CLASS_MEASURES) == list(intervals.CLASS)
    for name, measure in catalog.CLASS_MEASURES.items():
        assert estimate(results, name).value == pytest.approx(measure.compute(results), nan_ok=True)
    single = intervals.class_estimates(results)
    assert [one.value for one in single["f1"]] == pytest.approx(measures.f1(results).tolist(), nan_ok=True)
    expected_rates = {
        "false_positive_rate": measures.false_positive_rate,
        "specificity": measures.specificity,
        "recall": measures.recall,
        "precision": measures.precision,
        "auc": ranking.auc,
        "mcc": measures.class_mcc,
        "average_precision": ranking.average_precision,
    }
    for name, measure in expected_rates.items():
        assert [one.value for one in single[name]] == pytest.approx(measure(results).tolist(), nan_ok=True)
        assert estimate(results, name, label="a") == single[name][0] or math.isnan(single[name][0].value)


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


def test_folds_that_agree_do_not_make_a_figure_certain():
    perfect = results_of([0, 1] * 10, np.eye(2)[[0, 1] * 10], ("a", "b"))
    fold = np.repeat(np.arange(5, dtype=np.int32), 4)
    folds = tuple(Fold(0, at, 16.0, 4.0) for at in range(5))
    perfect = replace(perfect, fold=fold, folds=folds)
    found = estimate(perfect, "accuracy", by="folds")
    assert (found.value, found.low, found.high) == (1.0, estimate(perfect, "accuracy").low, 1.0)
    assert estimate(perfect, "recall", "a", by="folds").low == estimate(perfect, "recall", "a").low < 0.8
    assert math.isnan(intervals.spread(perfect, measures.accuracy).estimate().low)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 10, 99, 1000])
def test_the_quantile_of_students_t_is_scipys(freedom):
    assert estimates.students_t(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-9)


def test_differences_are_paired_by_row():
    table = blobs()
    mine = validate.cross_validate(NearestMean(), table, folds=5)
    base = validate.cross_validate(Majority(), table, folds=5)
    found = intervals.difference(mine, base, "accuracy")
    assert found.value == pytest.approx(measures.accuracy(mine) - measures.accuracy(base))
    row = measures.right(mine) - measures.right(base)
    assert found.standard_error == pytest.approx(row.std(ddof=1) / math.sqrt(len(row)))
    assert math.isnan(intervals.difference(mine, base, "weighted_f1").low)


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
    assert [estimate(exact, name).value for name in intervals.NUMBER] == pytest.approx([0, 0, 0, 0, 1, 1, 0, 0])
    single = results_of([1.0], [2.0])
    assert estimate(single, "mae").value == 1


def test_unknown_measures_are_refused_with_the_known_ones():
    with pytest.raises(UsageError, match="no measure 'mae' for 'class'; the measures are accuracy, error"):
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


TRUTHS = {
    "even": np.array([[0.42, 0.08], [0.06, 0.44]]),
    "rare": np.array([[0.06, 0.02], [0.03, 0.89]]),
    "three": np.array([[0.3, 0.03, 0.02], [0.05, 0.25, 0.05], [0.01, 0.04, 0.25]]),
}


@pytest.mark.parametrize("truth", TRUTHS.values(), ids=TRUTHS)
@pytest.mark.parametrize(
    "measure",
    [
        confusion_measures.kappa,
        confusion_measures.mcc,
        confusion_measures.balanced_accuracy,
        confusion_measures.macro_f,
        confusion_measures.macro_precision,
    ],
)
def test_intervals_of_a_table_hold_the_truth_about_95_times_in_100(truth, measure):
    rng = np.random.default_rng(2)
    draws = rng.multinomial(120, truth.ravel(), 300).reshape(-1, *truth.shape) / 120
    least = -1.0 if measure in (confusion_measures.kappa, confusion_measures.mcc) else 0.0
    found = [estimates.estimate_from_table(draw, 120, measure, least) for draw in draws]
    held = [one.low <= measure(truth).value <= one.high for one in found if not math.isnan(one.value)]
    assert 0.9 < np.mean(held) <= 0.99


def test_areas_by_delong_hold_the_truth_about_95_times_in_100():
    """Normal scores of unequal spread, where Hanley and McNeil's error is too small."""
    rng = np.random.default_rng(4)
    held = []
    for _ in range(300):
        score = np.concatenate([rng.normal(1.35, 0.33, 60), rng.normal(0, 1, 30)])
        share = 1 / (1 + np.exp(-score))
        results = results_of([0] * 60 + [1] * 30, np.column_stack([share, 1 - share]), ("a", "b"))
        found = estimate(results, "auc", label="a")
        held.append(found.low <= 0.90 <= found.high)
    assert 0.9 < np.mean(held) <= 0.99


def test_a_table_without_a_mistake_among_few_rows_is_not_certain():
    results = decided([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], ("a", "b"))
    for name in ("kappa", "mcc", "balanced_accuracy", "macro_f1", "auc", "pairwise_auc", "average_precision"):
        found = estimate(results, name)
        assert found.value == pytest.approx(1)
        assert found.low < 0.9


def test_always_saying_the_same_class_is_certain_to_be_chance():
    found = estimate(decided([0, 1, 1], [1, 1, 1], ("a", "b")), "kappa")
    assert (found.value, found.low, found.high) == (0, 0, 0)


def test_f_beta_lies_in_its_interval_and_beta_one_is_near_that_of_f1():
    results = decided([0] * 30 + [1] * 70, [0] * 24 + [1] * 71 + [0] * 5, ("a", "b"))
    one, f1 = intervals.f_beta(results, "a", 1), estimate(results, "f1", label="a")
    assert one.value == pytest.approx(f1.value)
    assert one.standard_error == pytest.approx(f1.standard_error, rel=0.01)
    assert (one.low, one.high) == pytest.approx((f1.low, f1.high), abs=0.02)
    for beta in (0, 0.5, 2):
        found = intervals.f_beta(results, "a", beta)
        assert found.value == pytest.approx(measures.f_beta(results, beta)[0])
        assert found.low < found.value < found.high
    with pytest.raises(UsageError, match="beta is the weight"):
        intervals.f_beta(results, "a", -1)


def test_micro_averages_have_intervals():
    results = decided([0] * 30 + [1] * 70, [0] * 24 + [1] * 71 + [0] * 5, ("a", "b"))
    whole = intervals.micro(results)
    accuracy = estimate(results, "accuracy")
    assert whole["precision"] == whole["recall"]
    assert whole["recall"].low == pytest.approx(accuracy.low)
    only = intervals.micro(results, ["a"])
    for name in ("precision", "recall", "f1"):
        single = estimate(results, name, label="a")
        assert (only[name].value, only[name].low) == pytest.approx((single.value, single.low))


def test_estimates_by_folds_are_the_corrected_resampled_t():
    """Nadeau and Bengio (2003): 5 folds have 4 degrees of freedom, whose 97.5 % point is 2.776445."""
    results = validate.cross_validate(NearestMean(), blobs(spread=1.5), folds=5)
    for name in ("accuracy", "kappa", "mcc", "auc", "macro_f1", "log_loss"):
        found = estimate(results, name, by="folds")
        each = np.array([estimate(part, name).value for part in results.by_fold()])
        error = each.std(ddof=1) * math.sqrt(1 / 5 + 1 / 4)
        assert found.value == pytest.approx(each.mean())
        assert found.standard_error == pytest.approx(error)
        least, most = catalog.ALL[name].low, catalog.ALL[name].high
        assert found.low == pytest.approx(max(each.mean() - 2.776445 * error, least))
        assert found.high == pytest.approx(min(each.mean() + 2.776445 * error, most))
    single = estimate(results, "recall", label="setosa", by="folds")
    assert single.value == pytest.approx(np.mean([measures.recall(part)[0] for part in results.by_fold()]))
    numbers = validate.cross_validate(Line(), straight(), folds=5)
    assert estimate(numbers, "rmse", by="folds").low < estimate(numbers, "rmse").value


def test_intervals_by_folds_stay_where_the_measure_can_lie():
    results = validate.cross_validate(NearestMean(), blobs(spread=0.7), folds=10)
    for name in intervals.CLASS:
        least, most = catalog.ALL[name].low, catalog.ALL[name].high
        found = estimate(results, name, by="folds")
        assert math.isnan(found.low) or least <= found.low <= found.value <= found.high <= most + 1e-12


def test_one_fold_has_no_spread():
    found = estimate(ranked(), "accuracy", by="folds")
    assert found.value == measures.accuracy(ranked())
    assert math.isnan(found.low)


def test_what_cannot_be_asked_is_said():
    with pytest.raises(UsageError, match=r'an interval can be computed by "rows" or by "folds", not by \'runs\''):
        estimate(ranked(), "accuracy", by="runs")
    with pytest.raises(UsageError, match="no measure 'kappa' for a class; the measures are recall"):
        estimate(ranked(), "kappa", label="+")
    with pytest.raises(DataError, match="no class 'c'"):
        estimate(ranked(), "recall", label="c")
    with pytest.raises(UsageError, match="'value' is a number"):
        estimate(results_of([1.0], [2.0]), "recall", label="c")
