"""hedgerow compare, and the model selection of hedgerow train."""

import json

import pytest

from tests.cli.run import run


@pytest.fixture
def folder(folder):
    rows = "\n".join(f"{i % 7},{'ab'[i % 2]},{'yes' if i % 2 else 'no'}" for i in range(40))
    (folder / "even.csv").write_text(f"x,letter,odd\n{rows}\n")
    return folder


def test_learners_are_compared_on_several_files(folder):
    ran = run("compare", "loan.csv", "even.csv", "--learners", "majority,one_r", "--runs", "2", "--folds", "4")
    assert ran.status == 0, ran.err
    assert "error rate: 2 runs of stratified 4-fold cross-validation, seed 1; base majority" in ran.out
    assert "Mean ranks over 2 data sets" in ran.out
    line = next(line for line in ran.out.split("\n") if line.startswith("even"))
    assert line.split() == ["even", "0.5000", "0.0000", "v"]
    assert "\x1b" not in ran.out + ran.err
    assert not ran.err


def test_learners_may_come_one_an_option(folder):
    ran = run("compare", "even.csv", "-l", "majority", "-l", "one_r,c45(min_leaf=5)", "--runs", "1", "--json")
    assert [one["name"] for one in json.loads(ran.out)["learners"]] == ["majority", "one_r", "c45"]


def test_ten_runs_by_default_and_four_learners(folder):
    ran = run("compare", "loan.csv", "--json")
    report = json.loads(ran.out)
    assert (report["runs"], report["folds"]) == (10, 10)
    assert [one["name"] for one in report["learners"]] == ["majority", "one_r", "c45", "naive_bayes"]
    assert len(report["sets"][0]["cells"][0]["values"]) == 100


def test_base_measure_settings_and_foreign_learners(folder):
    names = "c45,c45(min_leaf=5),sklearn.tree.DecisionTreeClassifier(max_depth=2)"
    arguments = [
        "--learners",
        names,
        "--base",
        "DecisionTreeClassifier",
        "--measure",
        "auc",
        "--runs",
        "1",
        "--folds",
        "3",
    ]
    ran = run("compare", "even.csv", *arguments)
    assert ran.status == 0, ran.err
    assert "AUC (class mean): stratified 3-fold" in ran.out
    assert "base DecisionTreeClassifier" in ran.out
    assert "c45(min_leaf=5.0)" in ran.out


def test_a_stored_comparison_is_not_done_again(folder):
    arguments = ["compare", "even.csv", "--learners", "one_r,c45", "--runs", "1", "--store", "r.sqlite", "--json"]
    first, second = (json.loads(run(*arguments).out) for _ in range(2))
    assert first == second  # times too
    assert (folder / "r.sqlite").exists()


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["loan.csv", "--learners", "c46"], 2, "did you mean 'c45'"),
        (["loan.csv", "--learners", ","], 2, "nothing to compare"),
        (["loan.csv", "--base", "cart"], 2, "base 'cart' is not one of the learners"),
        (["loan.csv", "--measure", "auk"], 2, "there is no measure 'auk'"),
        (["loan.csv", "--folds", "1"], 2, "at least 2"),
        (["none.csv"], 1, "none.csv"),
        ([], 2, "Missing argument"),
        (["-", "-"], 2, "only once"),
        (["loan.csv", "--store", "loan.csv"], 1, "no results file"),
        (["loan.csv", "--target", "nope"], 1, "nope"),
    ],
)
def test_mistakes_are_sentences(folder, arguments, status, sentence):
    ran = run("compare", *arguments)
    assert ran.status == status
    assert sentence in ran.err
    assert "Traceback" not in ran.err


def test_train_prints_the_candidates_and_trains_the_simplest(folder):
    ran = run("train", "even.csv", "--full", "-o", "m.hedge")
    assert ran.status == 0, ran.err
    head = ran.out.split("\n")
    assert head[0].startswith("Candidates, simplest first (5-fold cross-validation")
    assert any(line.startswith(">  one_r") for line in head)
    assert "Chosen: one_r, the simplest candidate that makes no error" in ran.out
    assert "eadability costs: a random forest of 100 trees has" in " ".join(ran.out.split())
    assert "the whole procedure has a log loss of" in " ".join(ran.out.split())
    assert "simplest for odd: trained on 40 rows" in ran.out
    assert "one_r for odd: stratified 10-fold cross-validation" in ran.out
    shown = run("show", "m.hedge")
    assert "simplest chose one_r from" in shown.out
    assert run("predict", "m.hedge", "even.csv").status == 0


def test_the_selection_is_in_the_json_and_obeys_options(folder):
    rows = "\n".join(f"{i % 7},{'ab'[i % 2]},{'yes' if i % 2 or i % 9 == 0 else 'no'}" for i in range(60))
    (folder / "messy.csv").write_text(f"x,letter,odd\n{rows}\n")
    given = ["--within", "0", "--selection-folds", "3", "--by", "error", "--budget", "10s"]
    report = json.loads(run("train", "messy.csv", "--json", *given).out)
    assert report["selection"]["folds"] == 3
    assert report["selection"]["criterion"] == "error"
    assert report["selection"]["chosen"] == report["selection"]["best"]
    assert report["selection"]["procedure"]["folds"] == 5
    assert sum(report["selection"]["procedure"]["chosen"].values()) == 5
    assert "selection" not in json.loads(run("train", "even.csv", "--json", "-l", "one_r").out)


def test_costs_of_classes_that_are_numbers(folder):
    rows = "\n".join(f"{i},{int(i % 5 > 2)}" for i in range(40))
    (folder / "codes.csv").write_text(f"x,y\n{rows}\n")
    ran = run("train", "codes.csv", "--by", "cost", "--costs", "0:1=5", "--json")
    assert ran.status == 0, ran.err
    assert json.loads(ran.out)["selection"]["measure"] == "mean cost"
    assert "Decided by costs 0:1=5, 1:0=1" in run("train", "codes.csv", "--costs", "0:1=5", "-o", "m.hedge").out
    tested = json.loads(run("test", "m.hedge", "codes.csv", "--json").out)
    assert tested["decided_by"] == "costs 0:1=5, 1:0=1"


def test_the_most_accurate_candidate_may_be_a_forest(folder):
    rows = "\n".join(f"{(i * 37) % 101},{(i * 53) % 97},{(i // 7 + (i * 37) % 101 // 9) % 2}" for i in range(300))
    (folder / "hard.csv").write_text(f"a,b,odd\n{rows}\n")
    report = json.loads(run("train", "hard.csv", "--json", "--best", "--folds", "0", "--nominal", "odd").out)
    selection = report["selection"]
    losses = [one["loss"] for one in selection["candidates"] if one["loss"] is not None]
    assert next(one for one in selection["candidates"] if one["name"] == selection["chosen"])["loss"] == min(losses)


def test_a_stream_learns_naive_bayes_unless_told_otherwise(folder):
    ran = run("train", "even.csv", "--stream")
    assert ran.status == 0, ran.err
    assert "naive_bayes for odd" in ran.out


def test_crossval_judges_inside_every_fold(folder):
    ran = run("crossval", "even.csv", "--folds", "4")
    assert ran.status == 0, ran.err
    assert "simplest for odd" in ran.out


def test_rows_without_an_answer_are_said(folder):
    ran = run("compare", "loan.csv", "-l", "majority,ripper(default=none)", "--runs", 1, "--folds", 5)
    assert "ripper on loan: " in ran.out
    assert "of the rows were predicted; its metrics refer to these" in ran.out
    again = json.loads(run("compare", "loan.csv", "-l", "majority,ripper(default=none)", "--runs", 1, "--json").out)
    sure, silent = again["sets"][0]["cells"]
    assert sure["answered"] == 1
    assert 0 < silent["answered"] < 1
