"""`hedgerow report`, and curves by `hedgerow test --plot`."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import hedgerow
from hedgerow.cli import pictures
from hedgerow.learn.relearn import inner_learner
from tests.cli.run import run
from tests.report.comparison.test_curve_sections import comparison, curve


@pytest.fixture
def folder(folder):
    assert run("train", "loan.csv", "-l", "c45", "--folds", 0, "-o", "tree.hedge").status == 0
    return folder


@pytest.fixture
def numbers(folder):
    rng = np.random.default_rng(1)
    rows = [f"{x:.3f},{2 * x + e:.3f}" for x, e in zip(rng.random(80), rng.random(80), strict=True)]
    (folder / "line.csv").write_text("\n".join(["x,y", *rows]))
    assert run("train", "line.csv", "-l", "cart_regressor", "--folds", 0, "-o", "line.hedge").status == 0
    return folder


def test_a_page_is_written_and_said(folder):
    ran = run("report", "tree.hedge", "loan.csv", "-o", "report.html")
    assert (ran.status, ran.out, ran.err) == (0, "", "note: the report is in report.html\n")
    page = (folder / "report.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    for words in (
        "Class, predicted by c45",
        "Decision tree for Class",
        "Confusion matrix",
        "About 100 % of these rows were trained on: these figures are not evidence.",
    ):
        assert words in page
    assert run("report", "tree.hedge", "loan.csv", "-o", "again.html", "--quiet").err == ""
    assert (folder / "again.html").read_text("utf-8") == page


@pytest.mark.parametrize(
    ("name", "start"), [("r.md", "# Class, predicted by c45"), ("r.json", "{"), ("r.txt", "loan.csv")]
)
def test_the_name_tells_the_form(folder, name, start):
    assert run("report", "tree.hedge", "loan.csv", "-o", name).status == 0
    assert (folder / name).read_text("utf-8").startswith(start)


def test_without_a_file_it_is_printed(folder):
    text = run("report", "tree.hedge", "loan.csv").out
    assert "Own_House = true: Yes (6)" in text
    assert "Confusion matrix" in text
    report = json.loads(run("report", "tree.hedge", "loan.csv", "--json").out)
    assert (report["report"], report["source"], report["file"]) == ("full", "loan.csv", "tree.hedge")
    assert "picture" not in report["model"]
    assert report["curves"]["classes"][0]["label"] == "No"
    assert run("report", "tree.hedge", "loan.csv", "--as", "md", "-o", "-").out.startswith("# Class")
    assert run("report", "tree.hedge", "loan.csv", "--as", "html").out.startswith("<!DOCTYPE html>")


def test_a_model_alone_has_a_report(folder):
    ran = run("report", "tree.hedge", "-o", "model.html", "-q")
    assert ran.status == 0
    assert 'id="test"' not in (folder / "model.html").read_text("utf-8")


def test_folds_test_the_learner_honestly_beside_the_baseline(folder):
    report = json.loads(run("report", "tree.hedge", "loan.csv", "--folds", 5, "--json").out)
    assert report["evaluation"]["method"] == "stratified 5-fold cross-validation"
    assert report["evaluation"]["baseline"] == "majority"
    assert not any("flatter" in note for note in report["warnings"])
    crossed = hedgerow.cross_validate(hedgerow.C45(), hedgerow.examples.loan(), folds=5)
    assert report["evaluation"]["measures"][0]["value"]["value"] == pytest.approx(
        float((crossed.decided == crossed.actual).mean())
    )


@pytest.mark.parametrize("learner", ["bagging", "random_forest", "adaboost", "naive_bayes", "c45_rules", "majority"])
def test_every_kind_of_model_has_a_page_by_folds(folder, learner):
    assert run("train", "loan.csv", "-l", learner, "--folds", 0, "-o", "m.hedge").status == 0
    ran = run("report", "m.hedge", "loan.csv", "--folds", 3, "-o", "m.html")
    assert ran.status == 0, ran.err


def test_classes_that_the_model_does_not_know_take_part(folder):
    changed = hedgerow.examples.loan_csv().replace("Yes", "Maybe", 1)
    (folder / "other.csv").write_text(changed)
    report = json.loads(run("report", "tree.hedge", "other.csv", "--json").out)
    assert [one["label"] for one in report["data"]["classes"]] == ["No", "Yes", "Maybe"]
    assert run("report", "tree.hedge", "other.csv", "--folds", 3, "--json").status == 0


def test_numbers_have_a_report(numbers):
    assert run("report", "line.hedge", "line.csv", "--folds", 4, "-o", "line.html").status == 0
    assert "Predicted and actual" in (numbers / "line.html").read_text("utf-8")
    assert run("test", "line.hedge", "line.csv", "--plot", "line.svg").status == 0
    assert "predicted" in (numbers / "line.svg").read_text("utf-8")
    ran = run("test", "line.hedge", "line.csv", "--plot", "line.svg", "--curve", "roc")
    assert (ran.status, ran.err) == (
        2,
        "hedgerow: there is no curve 'roc' for predicted numbers; 'numbers' is one\n",
    )
    for words in (["--curve", "confusion"], ["--label", "a"]):
        ran = run("test", "line.hedge", "line.csv", "--plot", "x.svg", *words)
        assert (ran.status, "number" in ran.err) == (2, True)


@pytest.mark.parametrize("curve", [one for one in pictures.CURVES if one != "numbers"])
def test_single_curves_are_drawn(folder, curve):
    ran = run("test", "tree.hedge", "loan.csv", "--plot", "c.svg", "--curve", curve)
    assert ran.status == 0
    assert ran.err.endswith("note: the picture of the curve is in c.svg\n")
    ET.parse(folder / "c.svg")


def test_the_curve_of_a_chosen_class(folder):
    for words in (["test"], ["report"]):
        ran = run(*words, "tree.hedge", "loan.csv", "--plot", "c.svg", "--label", "Yes", "-q")
        assert ran.status == 0
        assert "Yes: area" in (folder / "c.svg").read_text("utf-8")
    ran = run("test", "tree.hedge", "loan.csv", "--plot", "c.svg", "--label", "Perhaps")
    assert ran.status == 2
    assert "'Class' has no such class; its classes are" in ran.err


@pytest.mark.skipif(pictures.converter() is None, reason="nothing converts SVG here")
def test_curves_as_png_and_pdf(folder):
    for name, start in (("c.png", b"\x89PNG"), ("c.pdf", b"%PDF")):
        assert run("test", "tree.hedge", "loan.csv", "--plot", name).status == 0
        assert (folder / name).read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (["tree.hedge", "loan.csv", "-o", "r.pdf"], 2, "r.pdf: the name of a report must end in .html, .md, .json"),
        (["tree.hedge", "loan.csv", "-o", "no/r.html"], 1, "no/r.html cannot be written: No such file or directory"),
        (["tree.hedge", "--folds", "3"], 2, "--folds needs data to test on; name them after the model"),
        (["tree.hedge", "--plot", "c.svg"], 2, "--plot needs data to test on"),
        (["tree.hedge", "--label", "Yes"], 2, "--label needs data to test on"),
        (["tree.hedge", "loan.csv", "--curve", "roc"], 2, "--curve specifies what to draw; also name the file"),
        (["tree.hedge", "loan.csv", "--folds", "3", "--label", "Perhaps"], 2, "'Class' has no such class"),
        (["tree.hedge", "loan.csv", "--plot", "c.dot"], 2, "must end in .svg, .png or .pdf"),
        (["tree.hedge", "loan.csv", "--curve", "what"], 2, "'what' is not one of 'roc'"),
        (["tree.hedge", "loan.csv", "--folds", "1"], 2, "fold"),
        (["none.hedge", "loan.csv"], 1, "none.hedge"),
        (["tree.hedge", "none.csv"], 1, "none.csv"),
    ],
)
def test_bad_calls_are_sentences_and_leave_nothing(folder, words, status, sentence):
    before = sorted(path.name for path in folder.iterdir())
    ran = run("report", *words)
    assert ran.status == status
    assert sentence in ran.err
    assert ran.out == ""
    assert sorted(path.name for path in folder.iterdir()) == before


def test_describe_writes_a_page_too(folder):
    ran = run("describe", "loan.csv", "-o", "data.html")
    assert (ran.status, ran.out, ran.err) == (0, "", "note: the description is in data.html\n")
    page = (folder / "data.html").read_text("utf-8")
    assert 'id="data"' in page
    assert page.count('class="card"') == 6
    assert run("describe", "loan.csv", "-o", "data.json", "-q").err == ""
    assert json.loads((folder / "data.json").read_text())["groups"] == ["No", "Yes"]
    assert run("describe", "loan.csv", "-o", "data.xls").status == 2


def test_leaks_are_told_by_describe(folder):
    rows = [f"{row % 7},{'ab'[row % 2]},{['no', 'yes'][row % 2]}" for row in range(60)]
    (folder / "leak.csv").write_text("\n".join(["x,answer,y", *rows]))
    assert "column 'answer' alone determines the class of 100.0% of the rows" in run(
        "describe", "leak.csv"
    ).out.replace("\n    ", " ")


def test_a_saved_report_takes_any_form(folder):
    for words in (
        ["report", "tree.hedge", "loan.csv", "--json"],
        ["describe", "loan.csv", "--json"],
        ["crossval", "loan.csv", "--json"],
        ["train", "loan.csv", "-l", "one_r", "--json"],
        ["show", "tree.hedge", "--json"],
        ["test", "tree.hedge", "loan.csv", "--json"],
        ["learners", "--json"],
    ):
        (folder / "saved.json").write_text(run(*words).out)
        for form in ("html", "md", "text", "json"):
            ran = run("report", "saved.json", "--as", form)
            assert ran.status == 0, ran.err
        assert json.loads(ran.out) == json.loads((folder / "saved.json").read_text())


def test_curves_and_comparisons_can_be_added(folder):
    (folder / "curve.json").write_text(json.dumps(curve()))
    (folder / "compare.json").write_text(json.dumps(comparison()).replace("NaN", "null"))
    ran = run("report", "tree.hedge", "loan.csv", "--add", "curve.json", "--add", "compare.json", "-o", "r.html")
    assert ran.status == 0, ran.err
    page = (folder / "r.html").read_text("utf-8")
    assert 'id="learning"' in page
    assert 'id="comparison"' in page
    assert run("report", "compare.json", "--as", "md").out.startswith("# ")


@pytest.mark.parametrize(
    ("text", "words", "sentence"),
    [
        ("{", ["r.json"], "r.json is not a report: it cannot be read as JSON"),
        ("[" * 100_000, ["r.json"], "r.json is not a report"),
        ("[1]", ["r.json"], "r.json is not a report of hedgerow"),
        ('{"report": "tale", "version": 1}', ["r.json"], "r.json is not a report of hedgerow"),
        ('{"report": "data", "version": 1}', ["r.json"], "a saved report is incomplete ("),
        (
            '{"report": "data", "version": 2}',
            ["r.json"],
            "r.json is a report of version 2, but this version of hedgerow reads",
        ),
        ('{"report": "data", "version": 1}', ["tree.hedge", "--add", "r.json"], "kind 'data' cannot be added"),
        ('{"report": "data", "version": 1}', ["r.json", "loan.csv"], "r.json is already a report"),
    ],
)
def test_files_that_are_no_reports_are_sentences(folder, text, words, sentence):
    (folder / "r.json").write_text(text)
    ran = run("report", *words, "-o", "out.html")
    assert ran.status in (1, 2)
    assert sentence in ran.err
    assert not (folder / "out.html").exists()


def test_a_share_beyond_all_measure_draws_no_endless_bar(folder):
    made = run("describe", "loan.csv", "--json")
    report = json.loads(made.out)
    assert made.status == 0
    changed = 0
    for where in _dicts(report):
        if isinstance(where.get("share"), float):
            where["share"], changed = 4e9, changed + 1
    assert changed
    (folder / "saved.json").write_text(json.dumps(report))
    for form in ("text", "md", "html", "json"):
        ran = run("report", "saved.json", "--as", form)
        assert ran.status in (0, 2)
        assert len(ran.out) < 1_000_000


def _dicts(value):
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _dicts(inner)


def test_a_saved_report_brings_no_markup_into_a_page(folder):
    evil = "<script>alert(1)</script>"
    report = json.loads(run("report", "tree.hedge", "loan.csv", "--json").out)

    def spoiled(value):
        if isinstance(value, dict):
            return {key: spoiled(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [spoiled(inner) for inner in value]
        return value + evil if isinstance(value, str) else value

    spoilt = {**spoiled(report), "report": "full"}
    for part in ("data", "evaluation", "model"):
        spoilt[part]["report"] = part
    for column, honest in zip(spoilt["data"]["columns"], report["data"]["columns"], strict=True):
        column |= {"kind": honest["kind"], "role": honest["role"]}
    for one, honest in zip(spoilt["evaluation"]["measures"], report["evaluation"]["measures"], strict=True):
        one["name"] = honest["name"]
    spoilt["model"]["picture"] = evil
    (folder / "evil.json").write_text(json.dumps(spoilt))
    ran = run("report", "evil.json", "-o", "evil.html")
    assert ran.status == 0, ran.err
    assert "<script" not in (folder / "evil.html").read_text("utf-8")


@pytest.mark.parametrize(
    "made",
    [
        ("compare", "loan.csv", "-l", "majority,naive_bayes", "--runs", 1, "--folds", 3),
        ("compare", "loan.csv", "loan.csv", "-l", "majority,c45", "--runs", 1, "--folds", 3),
        (
            "compare",
            "loan.csv",
            "loan.csv",
            "-l",
            "c45,naive_bayes",
            "--runs",
            1,
            "--folds",
            3,
            "--measure",
            "model_size",
        ),
        ("curve", "loan.csv", "-l", "naive_bayes", "--folds", 3),
    ],
)
@pytest.mark.parametrize("form", ["text", "md", "html"])
def test_a_saved_comparison_or_curve_with_undefined_figures_renders(folder, made, form):
    saved = run(*made, "--json", "-q")
    (folder / "saved.json").write_text(saved.out)
    ran = run("report", "saved.json", "--as", form)
    assert ran.status == 0, ran.err
    assert "nan" not in ran.out.lower().split()
    assert "F inf" not in ran.out


def test_folds_of_a_committee_use_the_settings_of_its_base(folder):
    made = run(
        "train", "loan.csv", "-l", "bagging", "--base", "c45", "--base-min-leaf", 5, "--folds", 0, "-o", "b.hedge"
    )
    assert made.status == 0, made.err
    ran = run("report", "b.hedge", "loan.csv", "--folds", 3)
    assert ran.status == 0, ran.err
    assert "min_leaf=5" in ran.out


def test_a_model_file_cannot_name_strange_code_as_its_base():
    assert inner_learner("os.system(command=true)") == "os.system(command=true)"
    assert inner_learner("sklearn.svm.SVC(C=1)") == "sklearn.svm.SVC(C=1)"
    assert inner_learner("C45(min_leaf=5.0)").min_leaf == 5


def test_rows_without_a_target_are_said_once_and_the_rest_may_still_flatter(folder):
    rows = "\n".join(f"{i % 9},K{i:03d},{'' if i in (3, 8) else 2 * (i % 9)}" for i in range(30))
    (folder / "prices.csv").write_text(f'x,"Name, Vorname",price\n{rows}\n')
    trained = run("train", "prices.csv", "-l", "linear_regression", "-o", "p.hedge", "--folds", "3")
    said = " ".join(trained.out.split())
    assert said.count("2 of 30 rows are left out, for their 'price' is missing") == 1
    assert "without a value" not in said
    assert "--keep 'Name, Vorname'" in said
    report = json.loads(run("report", "p.hedge", "prices.csv", "--json").out)
    assert sum("missing" in note for note in report["warnings"]) == 1
    assert report["evaluation"]["trained_on"]["same"]
