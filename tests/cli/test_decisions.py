"""Thresholds and costs on the command line: predict, test, train, crossval and report."""

import csv
import io
import json
from pathlib import Path

import pytest

import hedgerow
from tests.cli.run import run

ROWS = [("no", "no", 300, 5), ("no", "yes", 75, 10), ("yes", "no", 50, 15), ("yes", "yes", 25, 20)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("cards")
    lines = [
        f"{night},{abroad},{label}"
        for night, abroad, *counts in ROWS
        for label, times in zip(["ok", "fraud"], counts, strict=True)
        for _ in range(times)
    ]
    (path / "cards.csv").write_text("\n".join(["night,abroad,label", *lines, ""]))
    (path / "numbers.csv").write_text("a,b\n" + "".join(f"{i % 20},{i % 20 * 1.5}\n" for i in range(60)))
    hedgerow.NaiveBayes().train(hedgerow.read(path / "cards.csv")).save(path / "cards.hedge")
    hedgerow.LinearRegression().train(hedgerow.read(path / "numbers.csv")).save(path / "numbers.hedge")
    return path


@pytest.fixture(autouse=True)
def inside(folder, monkeypatch):
    monkeypatch.chdir(folder)


def predicted(*words):
    done = run("predict", "cards.hedge", "cards.csv", "-q", *words)
    assert done.status == 0, done.err
    return list(csv.DictReader(io.StringIO(done.out)))


def test_predictions_by_threshold_keep_their_probabilities():
    plain, decided = predicted(), predicted("--threshold", "fraud=0.15")
    assert [row["P(fraud)"] for row in plain] == [row["P(fraud)"] for row in decided]
    assert all((row["predicted label"] == "fraud") == (float(row["P(fraud)"]) >= 0.15) for row in decided)
    assert sum(row["predicted label"] == "fraud" for row in decided) > sum(
        row["predicted label"] == "fraud" for row in plain
    )


def test_predictions_by_costs():
    decided = predicted("--costs", "fraud:ok=4,ok:fraud=1")
    assert all((row["predicted label"] == "fraud") == (float(row["P(fraud)"]) > 0.2) for row in decided)


def test_measures_are_of_the_decisions():
    plain = json.loads(run("test", "cards.hedge", "cards.csv", "--json").out)
    done = json.loads(run("test", "cards.hedge", "cards.csv", "--threshold", "fraud=0.15", "--json").out)
    assert (plain["decided_by"], done["decided_by"]) == ("", "threshold fraud=0.15")
    found, before = (next(one for one in each["by_class"] if one["label"] == "fraud") for each in (done, plain))
    assert found["recall"]["value"] > before["recall"]["value"]
    assert found["auc"] == before["auc"]
    assert done["thresholds"]["classes"][0]["points"][0]["recall"] == found["recall"]["value"]
    assert "Classes are decided by threshold fraud=0.15." in run(
        "test", "cards.hedge", "cards.csv", "--threshold", "fraud=0.15"
    ).out.replace("\n", " ")


def test_a_shown_threshold_gives_the_shown_figures():
    done = json.loads(run("test", "cards.hedge", "cards.csv", "--recall", "fraud=0.7", "--json").out)
    points = done["thresholds"]["classes"][0]["points"]
    (wanted,) = [point for point in points if point["wanted"]]
    assert wanted["recall"] >= 0.7
    option = f"fraud={wanted['threshold']}"
    again = json.loads(run("test", "cards.hedge", "cards.csv", "--threshold", option, "--json").out)
    found = next(one for one in again["by_class"] if one["label"] == "fraud")
    assert found["recall"]["value"] == pytest.approx(wanted["recall"])
    assert found["precision"]["value"] == pytest.approx(wanted["precision"])


def test_the_report_names_the_threshold_to_use():
    done = run("crossval", "cards.csv", "-l", "naive_bayes", "--recall", "fraud=0.8", "--precision", "fraud=0.999")
    assert done.status == 0, done.err
    text = " ".join(done.out.split())
    assert "Class fraud, 10.0% of the rows Of 50 rows of class fraud, the model finds" in text
    assert "No threshold reaches a precision of 99.9% for fraud." in text
    assert "recall of 80%" in text
    assert "hedgerow predict MODEL DATA --threshold fraud=0." in text


def test_a_class_that_is_never_predicted_is_said():
    text = " ".join(run("crossval", "cards.csv", "-l", "majority").out.split())
    assert "The model never predicts fraud: it finds none of 50 rows of this class." in text
    assert "no threshold would tell them apart" in text


def test_a_class_that_is_not_rare_is_shown_when_asked():
    Path("loan.csv").write_text(hedgerow.examples.loan_csv())
    assert '"thresholds": null' in run("crossval", "loan.csv", "-l", "naive_bayes", "--json").out
    assert "Class No, 40.0% of the rows" in run("crossval", "loan.csv", "-l", "naive_bayes", "--recall", "No=0.9").out


@pytest.mark.parametrize("learner", ["naive_bayes", "c45", "simplest"])
def test_a_model_trained_with_costs_decides_by_them(learner):
    done = run(
        "train", "cards.csv", "-l", learner, "--costs", "fraud:ok=10", "-o", "costly.hedge", "--folds", 3, "--full"
    )
    assert done.status == 0, done.err
    assert "costs ok:fraud=1, fraud:ok=10" in done.out
    assert learner == "c45" or "mean cost" in done.out  # that tree predicts fraud for all rows
    model = hedgerow.load("costly.hedge")
    assert str(model.decision_rule) == "costs ok:fraud=1, fraud:ok=10"
    shown = run("show", "costly.hedge").out
    assert "Decided by costs" in shown or "Costs: ok predicted as fraud 1, fraud predicted as ok 10" in shown
    tested = json.loads(run("test", "costly.hedge", "cards.csv", "--json").out)
    assert tested["decided_by"] == "costs ok:fraud=1, fraud:ok=10"


def test_explanations_say_what_decides():
    hedgerow.load("cards.hedge").with_thresholds({"fraud": 0.15}).save("early.hedge")
    text = " ".join(run("explain", "early.hedge", "cards.csv", "--rows", "400").out.split())
    assert "ok is more probable, but the thresholds decide for fraud" in text


def test_the_rule_of_a_row_has_the_decided_class():
    words = ["cards.hedge", "cards.csv", "-q", "--rule", "--threshold", "fraud=0.05"]
    hedgerow.OneR().train(hedgerow.read("cards.csv")).save("rule.hedge")
    for row in csv.DictReader(io.StringIO(run("predict", "rule.hedge", *words[1:]).out)):
        assert f"label = {row['predicted label']}" in row["rule"]


def test_a_page_has_the_thresholds():
    done = run("report", "cards.hedge", "cards.csv", "--folds", 3, "--recall", "fraud=0.9", "-o", "page.html")
    assert done.status == 0, done.err
    page = Path("page.html").read_text()
    assert "recall of 90%" in page
    assert "--threshold fraud=" in page


def test_a_saved_report_keeps_what_is_not_reached():
    words = ["cards.hedge", "cards.csv", "--folds", 3, "--precision", "fraud=0.999", "--costs", "fraud:ok=5"]
    assert run("report", *words, "-o", "page.json").status == 0
    done = run("report", "page.json", "--as", "md")
    assert done.status == 0, done.err
    assert "No threshold reaches a precision of 99.9% for fraud." in done.out
    assert "Classes are decided by costs ok:fraud=1, fraud:ok=5." in done.out.replace("\\", "")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--threshold", "frau=0.2"], "there is no class 'frau' for a threshold; did you mean 'fraud'?"),
        (["--threshold", "fraud"], "--threshold fraud: give a class and a number, as in --threshold yes=0.2"),
        (["--threshold", "=0.2"], "--threshold =0.2: give a class and a number"),
        (["--threshold", "fraud=2"], "--threshold fraud=2: '2' is not a number above 0 and at most 1"),
        (["--threshold", "fraud=0"], "'0' is not a number above 0 and at most 1"),
        (["--threshold", "fraud=nan"], "'nan' is not a number above 0 and at most 1"),
        (["--threshold", "fraud=0.1", "--threshold", "fraud=0.2"], "the class 'fraud' is given twice"),
        (["--threshold", "fraud=0.1", "--costs", "ok:fraud=2"], "by --threshold or by --costs, not by both"),
        (["--costs", "fraud=2"], "the costs must name the actual and the predicted class"),
        (["--costs", "fraud:o=2"], "the costs name 'o', which is not a class"),
        (["--costs", "x"], "--costs cannot be 'x'"),
        (["--costs", f"[[0, 1{'0' * 400}], [1, 0]]"], "the costs must be a matrix of numbers"),
    ],
)
@pytest.mark.parametrize("verb", ["predict", "test"])
def test_bad_decisions_are_one_sentence(verb, words, sentence):
    done = run(verb, "cards.hedge", "cards.csv", *words)
    assert done.status != 0
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert sentence in done.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["predict", "numbers.hedge", "numbers.csv", "--threshold", "a=0.5"], "the model does not predict classes"),
        (["test", "numbers.hedge", "numbers.csv", "--costs", "a:b=5"], "the model does not predict classes"),
        (["test", "numbers.hedge", "numbers.csv", "--recall", "a=0.5"], "'b' is a number, so there are no classes"),
        (["crossval", "numbers.csv", "--costs", "a:b=5"], "--costs decides among classes"),
        (["crossval", "numbers.csv", "-l", "cart_regressor", "--costs", "a:b=5"], "does not predict classes"),
        (["crossval", "cards.csv", "--recall", "frau=0.5"], "there is no class 'frau' to choose a threshold for"),
        (["train", "cards.csv", "--recall", "fraud=5"], "--recall fraud=5: '5' is not a number above 0"),
        (["train", "cards.csv", "--folds", 0, "--recall", "fraud=0.5"], "--recall and --precision need a test"),
        (["report", "cards.hedge", "--recall", "fraud=0.5"], "--recall needs data to test on"),
    ],
)
def test_bad_wishes_are_one_sentence(words, sentence):
    done = run(*words)
    assert done.status != 0
    assert done.err.count("\n") == 1, done.err
    assert sentence in done.err
