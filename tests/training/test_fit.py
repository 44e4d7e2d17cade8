"""hedgerow.fit: a model, its test and the choice of its learner in one call, as `hedgerow train` does."""

import json

import numpy as np
import pytest

import hedgerow
from hedgerow import examples
from tests.cli.run import run
from tests.evaluate.toys import straight


def blobs():
    """Return two classes that one column tells apart mostly."""
    random = np.random.default_rng(3)
    x = random.normal(size=90)
    noise = random.normal(size=90)
    words = ["yes" if one > 0 else "no" for one in x + 0.3 * noise]
    return hedgerow.Table.of({"x": x, "noise": noise, "y": words}, "y")


def test_it_finds_what_hedgerow_train_finds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hedgerow.write(blobs(), "blobs.csv")
    found = hedgerow.fit("blobs.csv", "y")
    told = json.loads(run("train", "blobs.csv", "--target", "y", "--json").out)
    assert str(found.model) == told["model"]["text"]
    assert found.league.chosen.name == told["selection"]["chosen"]
    own = {one["name"]: one["value"] for one in hedgerow.evaluation_report(found.results, found.baseline)["measures"]}
    assert own == {one["name"]: one["value"] for one in told["evaluation"]["measures"]}


def test_it_prints_the_screen_of_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hedgerow.write(blobs(), "blobs.csv")
    screen = run("train", "blobs.csv", "--learner", "c45", "-q").out
    printed = str(hedgerow.fit("blobs.csv", learner="c45"))
    assert screen.startswith(printed)
    assert "--full" not in printed


def test_frames_and_learners_of_scikit_learn():
    pandas = pytest.importorskip("pandas")
    from sklearn.tree import DecisionTreeClassifier

    frame = pandas.DataFrame({"x": np.arange(40) // 2 * 1.0, "y": ["a", "b"] * 20, "z": np.repeat(["p", "q"], 20)})
    assert hedgerow.fit(frame, "z", "c45").predict(frame[["x", "y"]]).tolist() == frame["z"].tolist()
    found = hedgerow.fit(frame, "z", DecisionTreeClassifier(max_depth=1))
    assert hedgerow.measures.accuracy(found.results) > 0.9
    assert found.league is None


def test_numbers_are_predicted_by_a_regressor():
    found = hedgerow.fit(straight(), learner="linear_regression", folds=3)
    assert found.baseline.learner == "mean"
    assert "mae" in repr(found)
    assert found.predict(straight()).shape == (len(straight()),)
    assert hedgerow.fit(straight(), folds=0).model.about.learner == "simplest_regressor"


def test_what_is_found_is_shown_saved_and_reported(tmp_path):
    found = hedgerow.fit(examples.weather(), learner=hedgerow.C45(min_leaf=1), folds=3)
    assert len(repr(found)) < 200
    markup = found._repr_html_()
    assert "<svg" in markup
    assert "All figures of the test" in markup
    assert len(markup) < 60_000
    found.save(tmp_path / "weather.hedge")
    assert hedgerow.load(tmp_path / "weather.hedge") == found.model
    report = found.report()
    assert report["report"] == "full"
    assert "accuracy" in str(report)
    assert "<svg" in report._repr_html_()
    for ending in ("html", "md", "json", "txt"):
        report.save(tmp_path / f"report.{ending}")
    assert (tmp_path / "report.html").read_text("utf-8").startswith("<!DOCTYPE html>")


def test_the_league_lists_all_candidates():
    found = hedgerow.fit(blobs())
    candidates = found.league.to_arrow()
    assert candidates.num_rows == len(found.league.candidates)
    assert sum(candidates["chosen"].to_pylist()) == 1
    assert found.league.chosen.name in repr(found.league)
    assert found.league.chosen.name in found.league._repr_html_()
    assert "selection" in found.report()
    assert "The candidates" in found._repr_html_()


def test_without_folds_nothing_is_tested():
    found = hedgerow.fit(examples.weather(), learner="one_r", folds=0)
    assert found.results is None
    assert "not tested" in repr(found)
    assert "accuracy" not in str(found)
    assert found._repr_html_()


def test_notes_on_the_data_are_kept(tmp_path):
    path = tmp_path / "loan.csv"
    path.write_text(examples.loan_csv())
    found = hedgerow.fit(path, learner="one_r", folds=3)
    assert any("ID" in note for note in found.notes)
    assert "ID" in str(found)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: hedgerow.fit(examples.weather(), "Wind"), "no column 'Wind'"),
        (lambda: hedgerow.fit(examples.weather(), learner="kmeans"), "is not a learner that predicts"),
        (lambda: hedgerow.fit(examples.weather(), learner="c46"), "c46"),
    ],
)
def test_mistakes_are_told_in_a_sentence(call, sentence):
    with pytest.raises(hedgerow.HedgerowError, match=sentence):
        call()
