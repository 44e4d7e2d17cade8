"""Models that abstain: measures are computed on the rows with a prediction, and their proportion is reported."""

import json

import numpy as np
import pytest

import hedgerow
from hedgerow.data.table.table import Table
from hedgerow.errors import ModelError
from hedgerow.evaluate.learner_comparison.fold_outcome import outcome
from hedgerow.evaluate.metrics import intervals, measures
from hedgerow.evaluate.metrics.abstaining import coverage
from hedgerow.evaluate.metrics.costs import mean_cost
from hedgerow.evaluate.results import join_results
from hedgerow.learn.classifier import Classifier
from hedgerow.models.rules.rule_list import Rule, RuleList
from hedgerow.report.evaluation.build import evaluation_report
from hedgerow.report.evaluation.curves import curves
from hedgerow.report.whole.forms import write_form
from hedgerow.report.whole.full_report import full_report
from tests.textbook import loan_a

RULES = """\
if Own_House = true then Class = Yes (6/0)
if Age = young then Class = No (4/1)
otherwise no decision (5: No 3, Yes 2)"""


def model(text=RULES):
    return RuleList.parse(text, loan_a().schema)


def results_of(text=RULES):
    return hedgerow.test(model(text), loan_a())


class Cautious(Classifier):
    """Decides only for house owners."""

    name = "cautious"

    def learn(self, table: Table) -> RuleList:
        (rule,) = model("if Own_House = true then Class = Yes\notherwise no decision").rules
        return RuleList(table.schema, (rule,), Rule((), (0.0, 0.0), None))


def test_results_keep_which_rows_have_no_answer():
    results = results_of()
    assert results.decided.tolist().count(-1) == 5
    assert len(results.answered) == 10
    assert results.answered.answered is results.answered
    assert measures.unanswered_weights(results).tolist() == [3, 2]
    assert measures.confusion(results).tolist() == [[3, 0], [1, 6]]


def test_measures_are_of_the_rows_answered():
    results = results_of()
    assert measures.accuracy(results) == 0.9
    assert measures.accuracy(results) == intervals.estimate(results, "accuracy").value
    for name in intervals.CLASS:
        assert intervals.estimate(results, name) == intervals.estimate(results.answered, name)
    assert measures.log_loss(results) == measures.log_loss(results.answered)
    assert outcome(results).measures["accuracy"] == 0.9
    assert coverage(results).accuracy[-1] == 0.9
    assert curves(results)["classes"][0]["label"] == "No"


def test_a_difference_is_of_the_rows_that_both_answered():
    both = results_of("if Own_House = true then Class = Yes (6/0)\notherwise Class = No (9/3)")
    found = intervals.difference(results_of(), both, "accuracy")
    assert found.value == pytest.approx(0.0)
    assert intervals.difference(both, results_of(), "kappa").value == pytest.approx(0.0)


def test_rows_without_an_answer_cost_nothing_by_themselves():
    assert mean_cost(results_of(), {"Yes": {"No": 15}}) == pytest.approx(1.0)


def test_the_report_says_first_how_many_rows_were_answered():
    report = evaluation_report(results_of())
    assert report["rows"] == 15
    assert report["answered"]["weight"] == 10
    assert report["answered"]["share"]["value"] == pytest.approx(2 / 3)
    assert report["confusion"]["unanswered"] == [3, 2]
    text = write_form(report, "text")
    first, second = text.splitlines()[1:3]
    assert first.startswith(
        "15 rows tested: 10 of 15 predicted, 66.7% (95 % interval 41.7% to 84.8%); all metrics refer to"
    )
    assert "9 of 10 correct (90.0 %), 1 incorrect (10.0 %)" in f"{first} {second}"
    assert "a b ? <- predicted, ? = no prediction" in text
    assert "3 . 3 | a = No" in text
    assert evaluation_report(hedgerow.test(model("otherwise Class = No"), loan_a()))["answered"] is None


@pytest.mark.parametrize("form", ["text", "json", "html", "md"])
@pytest.mark.parametrize("text", [RULES, "if Own_House = true then Class = Yes\notherwise no decision"])
def test_every_form_of_the_full_report_tells_it(form, text):
    said = write_form(full_report(model(text), loan_a(), results_of(text)), form)
    assert ("answered" if form == "json" else "of 15 predicted," if form == "text" else "with a prediction") in said
    assert "no decision" in said
    if form == "json":
        assert json.loads(said)["evaluation"]["confusion"]["unanswered"][0] > 0
    if form == "md":
        assert "no prediction |" in said


@pytest.mark.parametrize("form", ["text", "json", "html", "md"])
def test_not_a_single_answer_is_a_report_too(form):
    table = loan_a()
    own = table.take(np.flatnonzero(table["Own_House"] == table.schema.level_codes("Own_House")["false"]))
    text = "if Own_House = true then Class = Yes\notherwise no decision"
    results = hedgerow.test(model(text), own)
    assert not len(results.answered)
    assert write_form(full_report(model(text), own, results), form)


def test_cross_validation_beside_the_majority():
    results = hedgerow.cross_validate(Cautious(), loan_a(), folds=5, runs=2)
    base = hedgerow.cross_validate(hedgerow.Majority(), loan_a(), folds=5, runs=2)
    assert measures.accuracy(results) == 1
    report = evaluation_report(results, base)
    assert report["answered"]["weight"] == 6
    assert report["measures"][0]["baseline"]["value"] == 1  # of the same rows
    assert "12 12" not in write_form(report, "text")
    assert len(join_results(list(results.by_fold()))) == 30


def test_scikit_learns_side_gives_none():
    table = loan_a().select(["Age", "Own_House", "Class"])
    learner = Cautious().fit(table)
    said = learner.predict(table)
    assert said.dtype == object
    assert sorted(map(str, set(said.tolist()))) == ["None", "Yes"]
    assert learner.score(table) == 6 / 15
    assert learner.predict_proba(table).sum() == pytest.approx(15)


def test_a_member_without_an_answer_divides_its_vote():
    table = loan_a()
    bagged = hedgerow.Bagging(base=Cautious(), n_estimators=3).train(table)
    assert set(bagged.predict(table).tolist()) <= {"No", "Yes"}
    assert np.allclose(bagged.distribution(table).sum(axis=1), 1)


def test_a_class_that_is_none_is_refused():
    results = results_of()
    with pytest.raises(ModelError, match="predicted a class that is not one of"):
        hedgerow.evaluate.results.replace(results, said=np.full(15, 2, dtype=np.int32))
