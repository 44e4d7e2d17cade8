"""Explanations of bag models: the contribution of each instance, and the statistics of the bag."""

import json

import numpy as np
import pytest

import hedgerow
from hedgerow.layout.json_values import to_json
from hedgerow.models.bags.reason import BagReason
from hedgerow.models.base.reason import SumReason
from hedgerow.models.trees.reason import PathReason
from hedgerow.report.explanations.explanation import explanations_report
from hedgerow.report.whole.html import to_html
from hedgerow.report.whole.text import render
from tests.learn.bags.bag_tables import bag_table, mixed_bags

TABLE = mixed_bags()


@pytest.mark.parametrize("combine", ["average", "vote", "geometric"])
@pytest.mark.parametrize("base", ["naive_bayes", "c45", "knn"])
def test_what_instances_add_sums_to_the_difference_of_the_bag(base, combine):
    model = hedgerow.BagVote(base=base, combine=combine).train(TABLE)
    for found in hedgerow.explanations(model, TABLE):
        assert isinstance(found.reason, BagReason)
        one, other = (found.probabilities[side] for side in (found.sides.winner, found.sides.against))
        told = found.reason.to_dict()
        if told["size"] == 0:
            assert "has no instances" in str(found)
        elif combine == "geometric":
            assert found.reason.adds.sum() == pytest.approx(np.log(one / other), rel=1e-6, abs=1e-6)
        else:
            assert found.reason.adds.sum() == pytest.approx(one - other, abs=1e-9)
        assert told["total"] == pytest.approx(found.reason.adds.sum())
        assert [one["adds"] for one in told["instances"]] == sorted(one["adds"] for one in told["instances"])[::-1]


def test_the_instance_that_carried_the_decision_comes_first():
    table = bag_table([[1, 2], [1, 1, 9], [9, 9]], ["a", "a", "b"])
    model = (
        hedgerow.BagVote(base="cart", total="instances")
        .set_params(base__min_samples_leaf=1, base__prune="none")
        .train(table)
    )
    text = str(hedgerow.explanations(model, table, [1])[0])
    assert "3 instances; the probabilities of the bag are the means of theirs:" in text
    assert "Contribution of each instance to a (+) or to b (-):" in text
    assert "Instance 1 supports the prediction most; its own prediction is a, because:" in text
    assert "x <= 5.5" in text
    told = json.loads(to_json(hedgerow.explanations(model, table, [1])[0].to_dict()))
    assert told["why"]["way"] == "instances"
    assert [one["instance"] for one in told["why"]["instances"]] == [1, 2, 3]
    assert told["why"]["instances"][0]["values"] == ["1"]


def test_many_instances_are_cut_in_the_middle():
    table = bag_table([[float(i) for i in range(30)], [50.0]], ["a", "b"])
    model = hedgerow.BagVote(base="naive_bayes").train(table)
    text = str(hedgerow.explanations(model, table, [0])[0])
    assert "20 instances between these are not shown; see the JSON report" in text


def test_figures_explain_summaries():
    model = hedgerow.BagSummary(base="c45").train(TABLE)
    for found in hedgerow.explanations(model, TABLE, [0, 3]):
        assert isinstance(found.reason, PathReason)
    text = str(hedgerow.explanations(model, TABLE, [0])[0])
    assert '"mode(tint)"' in text or '"max(size)"' in text
    linear = hedgerow.BagSummary(base="logistic").train(TABLE)
    assert isinstance(hedgerow.explanations(linear, TABLE, [0])[0].reason, SumReason)


@pytest.mark.parametrize("learner", [hedgerow.BagVote(), hedgerow.BagSummary(), hedgerow.BagVote(base="svm"),
                                     hedgerow.BagVote(base="ripper"), hedgerow.BagVote(base="random_forest"),
                                     hedgerow.Bagging(base=hedgerow.BagVote(), n_estimators=2)], ids=str)  # fmt: skip
def test_text_and_page_of_any_base(learner):
    model = learner.train(TABLE)
    report = explanations_report(model, hedgerow.explanations(model, TABLE, range(6)))
    assert "predictions of c by" in render(report)
    page = to_html(report)
    assert "Decisions" in page
    assert page.count("<article") == 6
