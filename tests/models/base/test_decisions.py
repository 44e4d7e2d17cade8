"""Decisions from probabilities: the most probable class, thresholds and costs; models that carry them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow
from hedgerow.errors import ModelError, UsageError
from hedgerow.learn.registry import find_learner
from hedgerow.models.base.decisions import Costs, Thresholds, decision_rule, decisions, parse_decision_rule

CLASSES = ("a", "b", "c")
LEARNERS = ["majority", "one_r", "c45", "naive_bayes", "ripper", "prism", "knn", "logistic", "random_forest", "svm"]


@st.composite
def distributions(draw, k=3):
    """Return a few distributions over k classes."""
    rows = draw(st.lists(st.lists(st.integers(0, 20), min_size=k, max_size=k).filter(any), min_size=1, max_size=8))
    weights = np.array(rows, dtype=np.float64)
    return weights / weights.sum(axis=1, keepdims=True)


def learned(name):
    return find_learner(name)().train(hedgerow.examples.loan())


def test_a_class_is_predicted_from_its_threshold_on():
    rule = Thresholds.of({"b": 0.25}, ("a", "b"))
    shares = np.array([[0.76, 0.24], [0.75, 0.25], [0.1, 0.9]])
    assert rule.decide(shares).tolist() == [0, 1, 1]


def test_otherwise_the_most_probable_of_the_others():
    rule = Thresholds.of({"b": 0.9}, CLASSES)
    assert rule.decide(np.array([[0.1, 0.7, 0.2], [0.02, 0.95, 0.03]])).tolist() == [2, 1]


def test_of_several_the_largest_ratio():
    rule = Thresholds.of({"b": 0.2, "c": 0.1}, CLASSES)
    shares = np.array([[0.5, 0.3, 0.2], [0.5, 0.41, 0.09], [0.85, 0.1, 0.05], [0.2, 0.5, 0.3]])
    assert rule.decide(shares).tolist() == [2, 1, 0, 2]  # ratios 1.5 and 2; only b; none; 2.5 and 3


def test_all_classes_with_thresholds_that_none_reaches():
    rule = Thresholds.of({"a": 0.9, "b": 0.8}, ("a", "b"))
    assert rule.decide(np.array([[0.5, 0.5], [0.6, 0.4]])).tolist() == [1, 0]


def test_others_without_any_probability():
    rule = Thresholds.of({"a": 0.9, "b": 0.9}, CLASSES)
    assert rule.decide(np.array([[0.5, 0.5, 0.0]])).tolist() == [2]


@given(distributions(k=2), st.integers(1, 100))
def test_a_threshold_of_two_classes_is_a_ratio_of_costs(shares, percent):
    threshold = percent / 100
    by_threshold = Thresholds.of({"b": threshold}, ("a", "b")).decide(shares)
    costs = Costs.of([[0, threshold], [1 - threshold, 0]], ("a", "b")).decide(shares)
    apart = np.abs(shares[:, 1] - threshold) > 1e-9  # on a tie, the threshold says b and the costs say a
    assert np.array_equal(by_threshold[apart], costs[apart])


@given(distributions())
def test_equal_costs_decide_for_the_most_probable_class(shares):
    assert np.array_equal(Costs.of(1 - np.eye(3), CLASSES).decide(shares), decisions(shares))


@given(distributions(), st.sampled_from(CLASSES), st.floats(0.01, 1), st.floats(0.01, 1))
def test_a_lower_threshold_never_loses_rows(shares, label, one, other):
    low, high = sorted((one, other))
    code = CLASSES.index(label)
    few = Thresholds.of({label: high}, CLASSES).decide(shares) == code
    many = Thresholds.of({label: low}, CLASSES).decide(shares) == code
    assert not (few & ~many).any()


@given(st.dictionaries(st.sampled_from(CLASSES), st.floats(1e-6, 1), min_size=1))
def test_stored_thresholds_are_the_same(values):
    rule = Thresholds.of(values, CLASSES)
    assert parse_decision_rule(rule.to_dict(), CLASSES) == rule


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"yess": 0.2}, "there is no class 'yess' for a threshold; did you mean 'yes'?"),
        ({"yes": 0}, "the threshold of 'yes' must be a probability, a number above 0 and at most 1, not 0"),
        ({"yes": 1.2}, "at most 1, not 1.2"),
        ({"yes": float("nan")}, "not nan"),
        ({"yes": "x"}, "not 'x'"),
        ({"yes": True}, "not True"),
        ({}, "thresholds are given by class, as in {'yes': 0.2}, not {}"),
        (0.2, "thresholds are given by class"),
    ],
)
def test_bad_thresholds(values, message):
    with pytest.raises(UsageError) as error:
        Thresholds.of(values, ("no", "yes"))
    assert message in str(error.value)


def test_not_both():
    with pytest.raises(UsageError, match="by thresholds or by costs, not by both"):
        decision_rule(CLASSES, {"a": 0.5}, {"a:b": 2})


@pytest.mark.parametrize(
    "data", [{}, [], {"thresholds": {"a": 2}}, {"thresholds": None}, {"costs": [[0, 1]]}, {"x": 1}]
)
def test_bad_stored_decisions(data):
    with pytest.raises(ModelError):
        parse_decision_rule(data, CLASSES)


def test_texts():
    assert str(Thresholds.of({"b": 0.2, "a": 0.5}, CLASSES)) == "thresholds a=0.5, b=0.2"
    assert str(Costs.of({"a:b": 5}, CLASSES)) == "costs a:b=5, others 1"
    assert Thresholds.of({"b": 0.2}, CLASSES).sentence == (
        "Decided by thresholds: b if P(b) >= 0.2, otherwise the most probable of the other classes"
    )


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("given", [{"thresholds": {"No": 0.1}}, {"costs": {"No:Yes": 7}}], ids=["thresholds", "costs"])
def test_every_model_decides_so(name, given, tmp_path):
    """The probabilities stay, the decision follows, the print says so, and the file keeps it."""
    model, table = learned(name), hedgerow.examples.loan()
    rule = decision_rule(model.classes, **given)
    other = model.decided_by(rule)
    shares = other.distribution(table)
    np.testing.assert_array_equal(shares, model.distribution(table))
    answered = model.decide(table) >= 0
    np.testing.assert_array_equal(other.decide(table), np.where(answered, rule.decide(shares), -1))
    assert "Decided by" in str(other) or "Costs: No predicted as Yes 7" in str(other)
    assert other != model
    assert other.decided_by(None) == model
    other.save(tmp_path / "m.hedge")
    again = hedgerow.load(tmp_path / "m.hedge")
    assert again == other
    assert str(again) == str(other)
    np.testing.assert_array_equal(again.decide(table), other.decide(table))


def test_the_printed_class_of_leaves_and_rules_is_the_decided_one():
    tree, rules = hedgerow.C45(leaves="laplace").train(hedgerow.examples.loan()), learned("one_r")
    assert ": Yes" not in str(tree.with_thresholds({"No": 0.1}))
    lines = str(rules.with_thresholds({"Yes": 0.1})).splitlines()
    assert [line.split("then Class = ")[-1][:3] for line in lines[:2]] == ["Yes", "Yes"]


def test_members_keep_their_decisions(tmp_path):
    table = hedgerow.examples.loan()
    votes = hedgerow.Bagging(base="one_r", n_estimators=3).train(table)

    changed = replace(votes, members=tuple(one.with_thresholds({"No": 0.05}) for one in votes.members))
    changed.save(tmp_path / "m.hedge")
    assert hedgerow.load(tmp_path / "m.hedge") == changed


def test_clusters_have_no_thresholds():
    model = hedgerow.KMeans().train(hedgerow.examples.weather())
    with pytest.raises(UsageError, match="clusters are not decided by thresholds"):
        model.with_thresholds({model.classes[0]: 0.5})


@pytest.mark.parametrize("name", ["one_r", "c45", "prism", "cba"])
def test_thresholds_are_not_read_from_a_text(name):
    """Without the line, the text has the classes that are predicted."""
    model, table = learned(name), hedgerow.examples.loan()
    decided = model.with_thresholds({"Yes": 0.7})
    with pytest.raises(ModelError, match=r"line \d+: thresholds and costs cannot be read from a text; save the model"):
        type(model).parse(str(decided), model.schema)
    if name == "one_r":
        again = type(model).parse(str(decided).rpartition("\n")[0], model.schema)
        assert np.array_equal(again.decide(table), decided.decide(table))
