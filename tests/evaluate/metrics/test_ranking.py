"""Precision-recall curves, pairwise areas and DeLong's errors equal scikit-learn and reference implementations."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn import metrics

from hedgerow.errors import DataError, UsageError
from hedgerow.evaluate import validate
from hedgerow.evaluate.metrics import abstaining, lift, measures, ranking
from tests.evaluate.metrics.test_measures import class_results, ranked
from tests.evaluate.toys import Majority, decided, first_row_doubled, loan, results_of


@given(class_results())
def test_precision_recall_curves_equal_scikit_learn(results):
    for code, label in enumerate(results.labels):
        positive, scores = results.actual == code, results.predicted[:, code]
        curve = ranking.precision_recall(results, label)
        if not positive.any():
            assert math.isnan(curve.area)
            continue
        precision, recall, cuts = metrics.precision_recall_curve(positive, scores, sample_weight=results.weight)
        assert curve.precision[1:] == pytest.approx(precision[-2::-1])
        assert curve.recall == pytest.approx(recall[::-1])
        assert curve.threshold[1:] == pytest.approx(cuts[::-1])
        assert math.isnan(curve.precision[0])
        expected = metrics.average_precision_score(positive, scores, sample_weight=results.weight)
        assert curve.area == pytest.approx(expected)
        assert ranking.average_precision(results)[code] == pytest.approx(expected)


@given(class_results(classes=4))
def test_pairwise_areas_equal_scikit_learn(results):
    plain = results_of(results.actual, results.predicted, results.labels)
    pairs = ranking.pairwise_auc(plain)
    for i in range(4):
        for j in range(4):
            rows = np.isin(plain.actual, [i, j])
            if i == j or len(set(plain.actual[rows].tolist())) < 2:
                assert math.isnan(pairs[i, j])
            else:
                expected = metrics.roc_auc_score(plain.actual[rows] == i, plain.predicted[rows, i])
                assert pairs[i, j] == pytest.approx(expected)
    if len(set(plain.actual.tolist())) == 4:
        expected = metrics.roc_auc_score(plain.actual, plain.predicted, multi_class="ovo")
        assert ranking.mean_pairwise_auc(plain) == pytest.approx(expected)


@given(class_results())
def test_the_mean_over_pairs_takes_each_pair_of_classes_that_has_rows(results):
    pairs = ranking.pairwise_auc(results)
    found = pairs[~np.isnan(pairs)]
    expected = found.mean() if len(found) else math.nan
    assert ranking.mean_pairwise_auc(results) == pytest.approx(expected, nan_ok=True)


def test_two_classes_have_one_area_whatever_it_is_called_g99():
    """G99."""
    assert ranking.mean_pairwise_auc(ranked()) == ranking.mean_auc(ranked()) == 0.75
    assert ranking.pairwise_auc(ranked())[0, 1] == 0.75


def test_the_average_precision_of_the_roc_table_g98():
    """G98: positives at ranks 1, 2, 5, 8, where precision is 1, 1, 3/5, 4/8."""
    assert ranking.average_precision(ranked())[0] == pytest.approx((1 + 1 + 3 / 5 + 4 / 8) / 4)


def slow_error(results, code):
    """DeLong's standard error by its definition: a score for every pair of a positive and a negative row."""
    scores = results.predicted[:, code]
    own, others = scores[results.actual == code], scores[results.actual != code]
    pair = (own[:, None] > others[None, :]) + 0.5 * (own[:, None] == others[None, :])
    return math.sqrt(
        pair.mean(axis=1).var(ddof=1) / len(own) + pair.mean(axis=0).var(ddof=1) / len(others),
    )


@given(class_results())
def test_errors_of_areas_are_those_of_delong(results):
    plain = results_of(results.actual, results.predicted, results.labels)
    for code in range(len(plain.labels)):
        n = np.count_nonzero(plain.actual == code)
        found = ranking.areas(plain).errors[code]
        if 1 < n < len(plain) - 1:
            assert found == pytest.approx(slow_error(plain, code), abs=1e-9)
        else:
            assert math.isnan(found)


def test_the_error_of_a_mean_of_areas_is_that_of_repeated_sampling():
    """Three classes of 60 rows each, drawn again and again."""
    rng = np.random.default_rng(0)

    def draw():
        actual = np.repeat(np.arange(3), 60)
        raw = np.exp(1.2 * np.eye(3)[actual] + rng.normal(0, 1, (180, 3)))
        return results_of(actual, raw / raw.sum(axis=1, keepdims=True), ("a", "b", "c"))

    draws = [draw() for _ in range(400)]
    for measure, error in ((ranking.mean_auc, "mean_error"), (ranking.mean_pairwise_auc, "pairwise_error")):
        truth = np.std([measure(one) for one in draws])
        found = np.mean([getattr(ranking.areas(one), error) for one in draws])
        assert found == pytest.approx(truth, rel=0.1)


@given(class_results(classes=2))
def test_the_quick_way_for_two_classes_agrees_with_the_way_for_many(results):
    """An empty third class makes no difference."""
    wide = np.column_stack([results.predicted, np.zeros(len(results))])
    three = results_of(results.actual, wide, ("a", "b", "c"), results.weight)
    one, other = ranking.areas(results), ranking.areas(three)
    assert one.by_class == pytest.approx(other.by_class[:2], nan_ok=True)
    assert one.errors == pytest.approx(other.errors[:2], nan_ok=True, abs=1e-9)
    assert one.mean_error == pytest.approx(other.mean_error, nan_ok=True, abs=1e-9)
    assert one.pairwise_error == pytest.approx(other.pairwise_error, nan_ok=True, abs=1e-9)


@given(class_results())
def test_the_order_of_the_rows_and_rows_without_weight_do_not_matter(results):
    shuffled = results.take(np.random.default_rng(0).permutation(len(results)))
    weight = np.append(results.weight, [0.0, 0.0])
    again = [*range(len(results)), 0, 0]
    odd = results.predicted[again]
    odd[-1] = np.eye(len(results.labels))[0]
    more = results_of(results.actual[again], odd, results.labels, weight)
    for other in (shuffled, more):
        for draw in (ranking.roc, ranking.precision_recall):
            one, two = draw(results, "a"), draw(other, "a")
            assert one.threshold == pytest.approx(two.threshold)
            assert one.tp == pytest.approx(two.tp)
            assert one.fp == pytest.approx(two.fp)
            assert one.area == pytest.approx(two.area, nan_ok=True)


@settings(max_examples=50)
@given(class_results())
def test_a_row_of_weight_two_is_two_rows(results):
    heavy, twice = first_row_doubled(results)
    assert ranking.pairwise_auc(heavy) == pytest.approx(ranking.pairwise_auc(twice), nan_ok=True)
    assert ranking.average_precision(heavy) == pytest.approx(ranking.average_precision(twice), nan_ok=True)
    one, other = ranking.areas(heavy), ranking.areas(twice)
    assert one.errors == pytest.approx(other.errors, nan_ok=True, abs=1e-9)
    assert one.mean_error == pytest.approx(other.mean_error, nan_ok=True, abs=1e-9)


def test_a_learner_that_only_knows_class_shares_ranks_nothing():
    results = validate.cross_validate(Majority(), loan())
    assert ranking.mean_pairwise_auc(results) == 0.5
    assert ranking.average_precision(results).tolist() == [6 / 15, 9 / 15]


def test_many_classes_are_sorted_once_each_and_few_sorts_are_kept():
    rng = np.random.default_rng(3)
    raw = rng.random((200, 9))
    results = results_of(rng.integers(0, 9, 200), raw / raw.sum(axis=1, keepdims=True), tuple("abcdefghi"))
    first = ranking.auc(results)
    assert ranking.auc(results) is first
    for label in results.labels:
        ranking.roc(results, label)
    assert len(results.cache("curves", dict)) <= ranking.KEPT
    assert ranking.roc(results, "a").area == pytest.approx(first[0])


def test_what_was_worked_out_does_not_travel():
    results = ranked()
    ranking.auc(results)
    again = pickle.loads(pickle.dumps(results))
    assert "_kept" in results.__dict__
    assert "_kept" not in again.__dict__
    assert ranking.auc(again).tolist() == [0.75, 0.75]


def test_thin_curves_keep_their_ends_and_shape():
    rng = np.random.default_rng(0)
    score = rng.random(20_000)
    results = results_of(rng.random(20_000) < score, np.column_stack([1 - score, score]), ("no", "yes"))
    curve = ranking.roc(results, "yes")
    thin = curve.downsample(200)
    assert isinstance(thin, ranking.Roc)
    assert len(thin.tp) <= 200
    assert (thin.tpr[0], thin.fpr[0], thin.tpr[-1], thin.fpr[-1]) == (0, 0, 1, 1)
    assert thin.area == pytest.approx(curve.area, abs=1e-3)
    assert len(curve.downsample(30_000).tp) == len(curve.tp)
    assert ranking.precision_recall(results, "yes").downsample().area == pytest.approx(
        ranking.precision_recall(results, "yes").area, abs=5e-3
    )
    shares = abstaining.coverage(results).downsample(100)
    assert len(shares.answered) <= 100
    assert (shares.share[0], shares.share[-1]) == (0, 1)
    money = lift.profit(results, "yes", 1, 2).downsample(100)
    assert len(money.taken) <= 100
    assert (money.share[0], money.share[-1]) == (0, 1)


def test_one_class_or_no_rows_leave_areas_undefined():
    single = decided([0, 0], [0, 1], ("a", "b"))
    assert np.isnan(ranking.auc(single)).all()
    assert math.isnan(ranking.mean_pairwise_auc(single))
    empty = single.take(np.zeros(2, dtype=bool))
    assert np.isnan(ranking.auc(empty)).all()
    assert np.isnan(ranking.average_precision(empty)).all()
    assert ranking.roc(empty, "a").tp.tolist() == [0]


def test_sureness_is_the_probability_of_what_was_said():
    results = results_of([0, 1], [[0.7, 0.3], [0.4, 0.6]], ("a", "b"))
    assert ranking.confidence_of_rows(results).tolist() == [0.7, 0.6]
    curve = ranking.rank_rows(results, None)
    assert (curve.tp.tolist(), curve.fp.tolist()) == ([0, 1, 2], [0, 0, 0])


def test_mistakes_are_said():
    with pytest.raises(DataError, match="no class 'maybe'"):
        ranking.precision_recall(ranked(), "maybe")
    for measure in (ranking.auc, ranking.average_precision, ranking.pairwise_auc):
        with pytest.raises(UsageError, match="'value' is a number"):
            measure(results_of([1.0], [2.0]))
    assert measures.confusion(ranked()).flags.writeable is False
