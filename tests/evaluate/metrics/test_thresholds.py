"""Thresholds of a class: the highest that finds enough, the one that is pure enough, and what each does."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow
from hedgerow.errors import UsageError
from hedgerow.evaluate.metrics import costs, measures, thresholds
from tests.evaluate.metrics.test_measures import class_results
from tests.evaluate.toys import results_of

DEAR = {"sick": {"well": 4}}


def patients():
    """Ten rows, three of them sick, with probabilities of being sick from 0.91 down to 0.01."""
    sick = [0.91, 0.8, 0.62, 0.4, 0.333, 0.3, 0.2, 0.1, 0.05, 0.01]
    actual = [0, 1, 0, 1, 0, 1, 1, 1, 1, 1]
    return results_of(actual, [[p, 1 - p] for p in sick], ("sick", "well"))


def test_the_decisions_themselves():
    point = thresholds.point_as_decided(patients(), "sick")
    assert (point.threshold, point.recall, point.precision, point.predicted) == (None, 2 / 3, 2 / 3, 0.3)
    assert math.isnan(point.cost)


@pytest.mark.parametrize(
    ("recall", "threshold", "precision"), [(0.3, 0.9, 1.0), (0.6, 0.6, 2 / 3), (0.8, 0.33, 0.6), (1.0, 0.33, 0.6)]
)
def test_the_highest_threshold_with_a_recall(recall, threshold, precision):
    """The threshold is the shortest decimal above the next lower score."""
    assert thresholds.threshold_for_recall(patients(), "sick", recall) == threshold
    point = thresholds.point_at(patients(), "sick", threshold)
    assert point.recall >= recall
    assert point.precision == precision


@pytest.mark.parametrize(("precision", "threshold"), [(0.9, 0.9), (0.65, 0.6), (0.6, 0.33), (0.3, 0.33), (1.0, 0.9)])
def test_the_threshold_of_the_highest_recall_with_a_precision(precision, threshold):
    assert thresholds.threshold_for_precision(patients(), "sick", precision) == threshold


def test_the_best_f1():
    """F1 is 3/4 with five rows predicted; 2/3 with three."""
    assert thresholds.threshold_of_best_f1(patients(), "sick") == 0.33
    assert thresholds.point_at(patients(), "sick", 0.33).f1 == 0.75


def test_the_least_cost():
    """A missed row costs 4, a false alarm 1: five rows predicted cost 2, three cost 5."""
    results = patients()
    assert thresholds.threshold_of_least_cost(results, "sick", DEAR) == 0.33
    assert thresholds.point_at(results, "sick", 0.33, DEAR).cost == 0.2
    assert thresholds.point_as_decided(results, "sick", DEAR).cost == 0.5


def test_the_least_cost_of_three_classes_is_none():
    results = results_of([0, 1, 2], np.eye(3), ("a", "b", "c"))
    with pytest.raises(UsageError, match="for two classes"):
        thresholds.threshold_of_least_cost(results, "a", {"a:b": 2})


def test_what_cannot_be_reached():
    impure = results_of([1, 0, 1], [[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]], ("sick", "well"))
    assert thresholds.threshold_for_precision(impure, "sick", 0.9) is None
    hidden = results_of([0, 0, 1], [[0.9, 0.1], [0.0, 1.0], [0.0, 1.0]], ("sick", "well"))
    assert thresholds.threshold_for_recall(hidden, "sick", 0.9) is None  # that row has no probability at all
    assert thresholds.threshold_for_recall(hidden, "sick", 0.5) == 0.9


@pytest.mark.parametrize("wanted", [0, 1.1, -1, float("nan"), "x", True])
def test_bad_wishes(wanted):
    with pytest.raises(UsageError, match="a wanted recall must be a number above 0 and at most 1"):
        thresholds.threshold_for_recall(patients(), "sick", wanted)


def brute(results, label):
    """Return all decisions for a class by threshold: for every score, the weights found, predicted and actual."""
    code, weight = results.code(label), results.weight
    actual = results.actual == code
    points = []
    for score in np.unique(results.predicted[:, code])[::-1]:
        taken = results.predicted[:, code] >= score * (1 - 1e-12)
        points.append((score, weight[taken & actual].sum(), weight[taken].sum(), weight[actual].sum()))
    return points


@given(class_results(), st.integers(1, 20))
def test_laws_of_recall(results, twentieth):
    label, recall = results.labels[0], twentieth / 20
    wanted = thresholds.threshold_for_recall(results, label, recall)
    reached = [s for s, found, _, actual in brute(results, label) if actual and found >= recall * actual * (1 - 1e-12)]
    assert (wanted is None) == (not reached or max(reached) == 0)
    if wanted is not None:
        assert wanted <= max(reached)
        assert thresholds.point_at(results, label, wanted).recall >= recall * (1 - 1e-12)


@given(class_results(), st.integers(1, 20))
def test_laws_of_precision(results, twentieth):
    label, precision = results.labels[0], twentieth / 20
    wanted = thresholds.threshold_for_precision(results, label, precision)
    recalls = [f / a for s, f, p, a in brute(results, label) if s > 0 and f and f >= precision * p * (1 - 1e-12)]
    if wanted is not None:
        assert thresholds.point_at(results, label, wanted).recall >= max(recalls, default=0.0) * (1 - 1e-9)


@given(class_results(), st.floats(0.01, 1))
def test_a_point_has_the_measures_of_its_decisions(results, threshold):
    label = results.labels[-1]
    point = thresholds.point_at(
        results, label, threshold, np.ones((len(results.labels),) * 2) - np.eye(len(results.labels))
    )
    decided = thresholds.by_thresholds(results, {label: threshold})
    code = results.code(label)
    np.testing.assert_allclose(point.recall, measures.recall(decided)[code])
    np.testing.assert_allclose(point.precision, measures.precision(decided)[code])
    np.testing.assert_allclose(point.cost, costs.mean_cost(decided, None), atol=1e-12)
    assert decided.decided_by.startswith("threshold ")


@given(class_results())
def test_a_row_of_weight_two_is_two_rows(results):
    label = results.labels[0]
    double = replace(results, weight=2 * results.weight)
    for find in (thresholds.threshold_of_best_f1, lambda r, one: thresholds.threshold_for_recall(r, one, 0.7)):
        assert find(double, label) == find(results, label)


def test_rows_without_a_prediction_stay_so():
    results = replace(patients(), said=np.array([-1, 1, 0, 1, 1, 1, 1, 1, 1, 1], dtype=np.int32))
    assert thresholds.by_thresholds(results, {"sick": 0.05}).decided.tolist() == [-1, *[0] * 8, 1]
    assert thresholds.point_at(results, "sick", 0.5).predicted == 2 / 9


def test_rare_classes():
    results = results_of([0] * 45 + [1] * 15 + [2] * 340, np.tile([0.1, 0.1, 0.8], (400, 1)), ("a", "b", "c"))
    assert thresholds.rare_classes(results) == ["b", "a"]  # below 0.4 / 3 of the rows: 53
    assert thresholds.rare_classes(results, least=20) == ["a"]
    assert thresholds.rare_classes(results_of([0, 1] * 20, [[0.5, 0.5]] * 40, ("a", "b"))) == []


def test_a_fixed_threshold_can_be_cross_validated():
    table = hedgerow.examples.loan()
    results = hedgerow.cross_validate(hedgerow.NaiveBayes().with_thresholds({"No": 0.1}), table)
    assert results.decided_by == "threshold No=0.1"
    assert results.decided.tolist() == np.where(results.predicted[:, 0] >= 0.1, 0, 1).tolist()
