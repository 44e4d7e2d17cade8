"""CBA on the command line: train, show, rules, test, predict and the shown work, for lists and votes."""

import json

import pytest

import hedgerow
from tests.cli.run import run


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loan.csv").write_text(hedgerow.examples.loan_csv())
    return tmp_path


def done(*arguments):
    ran = run(*arguments)
    assert ran.status == 0, ran.err
    return ran.out


def trained(strategy):
    return done("train", "loan.csv", "-l", "cba", "--strategy", strategy, "--folds", 0, "-o", f"{strategy}.hedge")


def test_a_list_is_trained_and_shown():
    assert "if Own_House = true then Class = Yes (6/0)" in trained("cba")
    assert "otherwise Class = Yes (3/0)" in done("show", "cba.hedge")


@pytest.mark.parametrize("strategy", ["strongest", "combined"])
def test_a_vote_is_shown_tested_edited_and_predicts(strategy):
    printed = trained(strategy)
    last = "the first decides" if strategy == "strongest" else "the first 5 vote by odds"
    assert f"Where rules overlap, {last}" in printed
    assert f"Where rules overlap, {last}" in done("show", f"{strategy}.hedge")
    assert "15 of 15 correct" in done("test", f"{strategy}.hedge", "loan.csv")
    done("show", f"{strategy}.hedge", "--rules-out", "mine.txt")
    assert "15 of 15 correct" in done("test", "mine.txt", "loan.csv")
    assert done("predict", "mine.txt", "loan.csv").count("\n") >= 15


def test_training_prints_the_first_of_very_many_rules_and_show_all(monkeypatch):
    monkeypatch.setattr("hedgerow.training.train.MODEL_LINES", 6)
    monkeypatch.setattr("hedgerow.training.train.MOST_LINES", 6)
    printed = trained("strongest")
    assert printed.count("\nIf ") == 3
    assert "more lines\nWhere rules overlap, the first decides\nWhere no rule covers, " in printed
    assert "`hedgerow show strongest.hedge` prints the model" in " ".join(printed.split())
    assert done("show", "strongest.hedge").count("\nIf ") > 3
    assert "more lines" not in trained("cba")


def test_rules_of_a_vote_and_their_cards():
    trained("combined")
    out = " ".join(done("rules", "combined.hedge").split())
    assert "Rules are sorted by precedence" in out
    assert "no longer a model" not in out
    out = " ".join(done("rules", "combined.hedge", "--class", "No", "--sort", "n").split())
    assert "a rule vote that is filtered and sorted is no longer a model" in out
    told = json.loads(done("rules", "combined.hedge", "loan.csv", "--folds", 3, "--json"))
    assert told["order"] == "vote"
    assert told["cards"]["way"] == "folds"


def test_options_of_every_kind():
    out = done("train", "loan.csv", "-l", "cba", "--min-supports", "Yes=1", "--folds", 0, "--quiet")
    assert "then Class = Yes" not in out
    for options in (["--max-length", "none"], ["--algorithm", "m2"], ["--prune"], ["--min-support", "0.2"]):
        assert done("train", "loan.csv", "-l", "cba", "--folds", 0, *options)
    ran = run("train", "loan.csv", "-l", "cba", "--min-supports", "Maybe=0.1", "--folds", 0)
    assert ran.status != 0
    assert "'Maybe', which is not one of the classes" in " ".join(ran.err.split())


def test_the_work_is_shown():
    out = done("train", "loan.csv", "-l", "cba", "--show-work", "--folds", 0)
    assert "Chosen in this order" in out
    assert "covers 4, 8, 9, 10, 11, 12" in out


def test_predict_tells_the_rule_that_decides():
    for strategy in ("cba", "combined"):
        trained(strategy)
        lines = done("predict", f"{strategy}.hedge", "loan.csv", "--rule").splitlines()
        assert lines[0] == "predicted Class,P(No),P(Yes),rule"
        assert lines[1].endswith("if Has_Job = false and Own_House = false then Class = No (6/0)")
    done("train", "loan.csv", "-l", "c45", "--folds", 0, "-o", "tree.hedge")
    refused = run("predict", "tree.hedge", "loan.csv", "--rule")
    assert refused.status == 1
    assert "has no ordered rules" in refused.err
