"""No command calls training rows separate test data; `train --no-sketch` leaves out what tells them."""

import json

import numpy as np
import pytest

import hedgerow
from tests.cli.run import run

ALL = "About 100 % of these rows were trained on: these figures are not evidence."
HALF = "About 50 % of these rows were trained on: these figures are not evidence."
FORMS = ("csv", "arff", "parquet", "tsv")


def people(n=200, seed=1):
    """Return a table of numbers and words, with missing values, and texts."""
    random = np.random.default_rng(seed)
    ages = [None if random.random() < 0.1 else round(20 + 50 * random.random(), 1) for _ in range(n)]
    towns = [None if random.random() < 0.1 else ("Köln", "Bonn", "a, b")[code] for code in random.integers(3, size=n)]
    buys = [("no", "yes")[int((age or 40) > 45)] for age in ages]
    return hedgerow.Table.of(
        {"age": ages, "income": random.integers(9, 99, n).tolist(), "town": towns, "buys": buys}, "buys"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder, table = tmp_path_factory.mktemp("rows"), people()
    part = table.slice(0, 120)
    hedgerow.write(part, folder / "train.csv")
    other = part.take(np.random.default_rng(2).permutation(120)).select(["town", "buys", "income", "age"])
    for form in FORMS:
        hedgerow.write(other.with_target("buys"), folder / f"same.{form}")
    hedgerow.write(table.slice(60, 180), folder / "half.csv")
    hedgerow.write(table.slice(120, 200), folder / "rest.csv")
    (folder / "none.csv").write_text("age,income,town,buys\n")
    return folder


@pytest.fixture
def trained(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert run("train", "train.csv", "-l", "c45", "--folds", 0, "-o", "m.hedge").status == 0
    return folder


@pytest.mark.parametrize("form", FORMS)
def test_training_rows_are_recognized_in_any_file(trained, form):
    out = run("test", "m.hedge", f"same.{form}").out
    assert out.split("\n")[:2] == ["c45 for buys: training rows", ALL]


def test_parts_of_them_and_other_rows(trained):
    assert run("test", "m.hedge", "half.csv").out.split("\n")[:2] == ["c45 for buys: training rows and others", HALF]
    out = run("test", "m.hedge", "rest.csv").out
    assert out.startswith("c45 for buys: separate test data\n80 rows tested")
    assert "trained on" not in out
    assert run("test", "m.hedge", "none.csv").status == 1


def test_every_form_of_report_says_it_first(trained):
    for name in ("page.html", "page.md", "page.txt"):
        assert run("report", "m.hedge", "same.csv", "-o", name, "-q").status == 0
        assert ALL in (trained / name).read_text("utf-8")
        assert run("report", "m.hedge", "rest.csv", "-o", name, "-q").status == 0
        assert "were trained on" not in (trained / name).read_text("utf-8")
    report = json.loads(run("report", "m.hedge", "same.csv", "--json").out)
    assert report["evaluation"]["trained_on"] == {
        "share": 1.0, "equal": 1.0, "repeated": 0.0, "rows": 120, "same": True, "headline": ALL,
    }  # fmt: skip
    assert not any("exactly as many rows" in note for note in report["warnings"])
    assert json.loads(run("test", "m.hedge", "rest.csv", "--json").out)["trained_on"]["share"] == 0
    crossed = json.loads(run("report", "m.hedge", "same.csv", "--folds", 3, "--json", "-q").out)
    assert crossed["evaluation"]["trained_on"] is None


def test_rule_cards_do_not_call_them_unseen(trained):
    out = run("rules", "m.hedge", "same.csv").out
    assert ALL in out.split("\n\n")[0]
    assert "   unseen" not in out
    other = run("rules", "m.hedge", "rest.csv").out
    assert "   unseen" in other
    assert "were trained on" not in other.split("\n\n")[0]


def test_a_model_without_a_sketch_compares_numbers_of_rows(trained):
    words = ("train", "train.csv", "-l", "c45", "--folds", 0)
    assert run(*words, "--no-sketch", "-o", "none.hedge").status == 0
    assert b"sketch" not in (trained / "none.hedge").read_bytes()
    assert hedgerow.load("none.hedge").about.sketch is None
    out = run("test", "none.hedge", "same.csv").out
    assert out.startswith("c45 for buys: separate test data")
    report = json.loads(run("report", "none.hedge", "same.csv", "--json").out)
    assert report["evaluation"]["trained_on"] is None
    assert "exactly as many rows as the model was trained on (120)" in report["warnings"][0]
    assert hedgerow.load("none.hedge") == hedgerow.load("m.hedge")


def test_streamed_and_default_models_have_one(trained):
    assert run("train", "train.csv", "--stream", "-l", "naive_bayes", "-o", "s.hedge").status == 0
    assert run("test", "s.hedge", "same.parquet").out.split("\n")[1] == ALL
    assert run("train", "train.csv", "--folds", 0, "-o", "d.hedge", "-q").status == 0
    assert run("test", "d.hedge", "same.arff").out.split("\n")[1] == ALL
    assert (
        run("train", "train.csv", "-l", "c45", "--tune", "min_leaf=2,5", "--folds", 0, "-o", "t.hedge", "-q").status
        == 0
    )
    assert run("test", "t.hedge", "same.arff").out.split("\n")[1] == ALL
