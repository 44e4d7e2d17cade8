"""The screen of `hedgerow train`: one screen for any table, notes on odd ones, and --full for everything."""

import json

import numpy as np
import pytest

from tests.cli.run import run

MOST_LINES = 80


def write(path, columns):
    names = list(columns)
    rows = zip(*(map(str, columns[name]) for name in names), strict=True)
    path.write_text("\n".join([",".join(names), *(",".join(row) for row in rows)]) + "\n")
    return path


def noisy(rows=400, seed=1, share=0.5):
    """Return columns of which two tell something of the class."""
    random = np.random.default_rng(seed)
    x, z = random.normal(size=rows).round(3), random.normal(size=rows).round(3)
    score = x + 0.5 * z + random.normal(size=rows)
    y = np.where(score > np.quantile(score, 1 - share), "yes", "no")
    return {"x": x, "z": z, "color": random.choice(["red", "green", "blue"], rows), "y": y}


@pytest.mark.parametrize("learner", ["simplest", "c45", "naive_bayes", "logistic", "ripper", "random_forest", "knn"])
def test_a_screen_holds_the_model_and_the_figures(tmp_path, learner):
    path = write(tmp_path / "t.csv", noisy())
    ran = (
        run("train", path, "-l", learner, "--prune", "none") if learner == "c45" else run("train", path, "-l", learner)
    )
    assert ran.status == 0, ran.err
    lines = ran.out.split("\n")
    assert len(lines) < MOST_LINES
    assert lines[0] == "t.csv: 400 rows, 3 columns to predict y: 50.0% no, 50.0% yes."
    assert "on rows that the model had not seen" in ran.out
    assert any(line.startswith("accuracy ") for line in lines)
    assert "--full also prints" in ran.out
    whole = run("train", path, "-l", learner, "--full", *(["--prune", "none"] if learner == "c45" else []))
    assert "Confusion matrix" in whole.out
    assert "Confusion matrix" not in ran.out
    assert len(whole.out) > len(ran.out)


def test_the_top_of_a_large_tree_says_what_is_below(tmp_path):
    path = write(tmp_path / "t.csv", noisy(2000))
    ran = run("train", path, "-l", "c45", "--prune", "none", "--folds", 0, "--json")
    model = json.loads(ran.out)["model"]
    assert model["outline"].count("\n") < 32 < 40 < model["text"].count("\n")
    assert "leaves and" in model["outline"].split("\n")[-1]
    assert any(line.endswith(" leaves") and " ... " in line for line in model["outline"].split("\n"))


def test_the_screen_of_a_number(tmp_path):
    random = np.random.default_rng(2)
    x = random.normal(size=200).round(3)
    path = write(tmp_path / "t.csv", {"x": x, "y": (3 * x + random.normal(size=200)).round(2)})
    out = run("train", path).out
    assert out.startswith("t.csv: 200 rows, 1 column to predict y, from ")
    assert "Chosen: linear_regression" in out
    assert "\nR² " in out


def test_many_classes_are_counted(tmp_path):
    random = np.random.default_rng(3)
    y = [f"c{code}" for code in random.integers(0, 60, 3000)]
    path = write(tmp_path / "t.csv", {"x": random.normal(size=3000).round(3), "y": y})
    out = " ".join(run("train", path, "-l", "naive_bayes", "--folds", 0).out.split())
    assert "to predict y: 60 classes, from" in out
    assert "the target 'y' has 60 classes, 50 rows of each on average" in out


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"same": ["a"] * 400}, "column 'same' has the same value in every row"),
        ({"empty": [""] * 400}, "column 'empty' has only missing values"),
        ({"leak": noisy()["y"]}, "column 'leak' alone determines the class of 100.0% of the rows"),
    ],
)
def test_odd_columns_are_pointed_out(tmp_path, columns, sentence):
    data = noisy()
    path = write(tmp_path / "t.csv", {**columns, **data})
    out = " ".join(run("train", path, "-l", "one_r", "--folds", 0).out.split())
    assert sentence in out


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ([f"n{i}" for i in range(400)], "has 400 classes in 400 rows and looks like an identifier"),
        (list(range(1000, 1400)), "numbers the rows and looks like an identifier"),
    ],
)
def test_a_target_that_is_an_identifier_is_pointed_out(tmp_path, target, sentence):
    data = noisy()
    path = write(tmp_path / "t.csv", {"x": data["x"], "z": data["z"], "id": target})
    learner = "majority" if isinstance(target[0], str) else "mean"
    ran = run("train", path, "--keep", "id", "-l", learner, "--folds", 0)
    assert ran.status == 0, ran.err
    assert sentence in " ".join(ran.out.split())


def test_a_long_job_says_how_long_it_takes(tmp_path, monkeypatch):
    path = write(tmp_path / "t.csv", noisy(100))
    assert "this takes about" not in run("train", path, "-l", "one_r").err
    monkeypatch.setattr("hedgerow.cli.train.LONG", 0.0)
    assert "note: this takes about 1 s; --budget 10s takes less time" in run("train", path).err
    assert "note: this takes about 1 s; --folds 0 skips the test" in run("train", path, "-l", "one_r").err
    assert "this takes" not in run("train", path, "-q").err
