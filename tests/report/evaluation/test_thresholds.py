"""The part of a report on rare classes."""

import numpy as np
import pytest

from hedgerow.errors import UsageError
from hedgerow.evaluate.metrics import thresholds
from hedgerow.report.evaluation.build import evaluation_report
from hedgerow.report.evaluation.thresholds import WantedThresholds, thresholds_part
from hedgerow.report.whole.text import render
from tests.evaluate.toys import results_of


def uneven(weight=None, prior=()):
    """A hundred rows, ten of them sick; the ten most probable ones are 4 sick and 6 well."""
    shares = np.r_[np.full(4, 0.6), np.full(6, 0.3), np.full(6, 0.6), np.full(84, 0.05)]
    actual = np.r_[np.zeros(10), np.ones(90)]
    return results_of(actual, np.c_[shares, 1 - shares], ("sick", "well"), weight, prior)


def names(part):
    return [(point["name"], point["target"]) for point in part["classes"][0]["points"]]


def shown(results, **more):
    return " ".join(render(evaluation_report(results, None, WantedThresholds(**more))).split())


def test_what_the_decisions_do_by_hand():
    (one,) = thresholds_part(uneven())["classes"]
    assert (one["label"], one["weight"], one["found"], one["predicted"], one["share"]) == ("sick", 10, 4, 10, 0.1)
    assert "Of 10 rows of class sick, the model finds 4 (40.0%); of 10 rows predicted as sick, 40.0%" in shown(uneven())


def test_thresholds_that_are_reached_and_differ_are_offered():
    """Both levels of probability: 0.6 takes ten rows, 0.3 sixteen, of which ten are sick."""
    part = thresholds_part(uneven())
    assert names(part) == [("as_decided", None), ("best_f1", None)]  # which also has the recall and precision of others
    best = part["classes"][0]["points"][1]
    assert (best["threshold"], best["recall"], best["precision"], best["predicted"]) == (0.3, 1.0, 10 / 16, 0.16)
    assert "--threshold sick=0.3" in shown(uneven())


def test_what_is_wanted_is_shown_even_if_it_is_not_reached():
    part = thresholds_part(uneven(), WantedThresholds({"sick": 0.9}, {"sick": 0.7}))
    wanted = {point["name"]: point for point in part["classes"][0]["points"] if point["wanted"]}
    assert wanted["recall"]["threshold"] == 0.3
    assert wanted["precision"]["threshold"] is None
    assert np.isnan(wanted["precision"]["recall"])
    assert "No threshold reaches a precision of 70% for sick." in shown(uneven(), precision={"sick": 0.7})


def test_costs_by_hand():
    """A missed row costs 9, so that sick costs less from a probability of 0.1 on; as decided, 6 * 9 + 6 are paid."""
    part = thresholds_part(uneven(), WantedThresholds(costs={"sick": {"well": 9}}))
    points = {point["name"]: point for point in part["classes"][0]["points"]}
    assert points["as_decided"]["mean_cost"] == 0.6
    assert points["expected_cost"]["mean_cost"] == pytest.approx(0.06)
    assert "mean cost" in shown(uneven(), costs={"sick": {"well": 9}})


def test_rows_count_by_weight():
    (one,) = thresholds_part(uneven(np.full(100, 2.5)))["classes"]
    assert (one["weight"], one["found"], one["share"]) == (25, 10, 0.1)
    assert "Of a weight of 25 of class sick, the model finds 10 (40.0%); of a weight of 25 predicted as sick" in shown(
        uneven(np.full(100, 2.5))
    )


def test_probabilities_that_are_equal_for_all_rows():
    shares = np.tile([0.1, 0.9], (100, 1))
    results = results_of(np.r_[np.zeros(10), np.ones(90)], shares, ("sick", "well"), prior=(0.1, 0.9))
    (one,) = thresholds_part(results)["classes"]
    assert not one["ranked"]
    text = shown(results)
    assert "The model never predicts sick: it finds none of 10 rows of this class. All rows have the same" in text
    assert "--threshold" not in text


def test_even_classes_have_no_such_part():
    even = results_of([0, 1] * 20, np.tile([0.4, 0.6], (40, 1)), ("a", "b"))
    assert thresholds_part(even) is None
    assert evaluation_report(even)["thresholds"] is None
    assert thresholds_part(even, WantedThresholds(labels=("b",)))["classes"][0]["label"] == "b"
    assert thresholds_part(even, WantedThresholds(costs={"a:b": 2}))["classes"][0]["label"] == "a"


def test_several_rare_classes_share_a_table():
    rng = np.random.default_rng(1)
    actual = np.repeat([0, 1, 2, 3, 4], [12, 15, 20, 25, 900])
    shares = rng.dirichlet([1] * 5, len(actual)) + 2 * np.eye(5)[actual]
    results = results_of(actual, shares / shares.sum(axis=1, keepdims=True), tuple("abcde"))
    part = thresholds_part(results)
    assert [one["label"] for one in part["classes"]] == ["a", "b", "c"]
    text = shown(results)
    assert "Rare classes" in text
    assert "Of 12 rows of class a" in text


def test_results_by_a_threshold_are_named_so():
    text = shown(thresholds.by_thresholds(uneven(), {"sick": 0.3}), recall={"sick": 0.4})
    assert "Classes are decided by threshold sick=0.3." in text
    assert "threshold sick=0.3 (as tested)" in text


def test_a_class_that_there_is_not():
    with pytest.raises(UsageError, match="there is no class 'sik' to choose a threshold for; did you mean"):
        thresholds_part(uneven(), WantedThresholds({"sik": 0.5}))
