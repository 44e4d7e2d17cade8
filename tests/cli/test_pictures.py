"""`--plot FILE`: pictures from the command line."""

import xml.etree.ElementTree as ET

import pytest

import hedgerow
from hedgerow.cli import pictures
from hedgerow.evaluate.metrics.intervals import estimate
from hedgerow.report.draw.svg import size_of
from tests.cli.run import run


@pytest.fixture
def tree(folder):
    assert run("train", "loan.csv", "-l", "c45", "--folds", 0, "-o", "tree.hedge").status == 0
    return hedgerow.load("tree.hedge")


def test_show_writes_the_picture_and_still_prints_the_tree(tree, folder):
    ran = run("show", "tree.hedge", "--plot", "tree.svg")
    assert ran.status == 0
    assert "Own_House = true: Yes (6)" in ran.out
    assert ran.err == "note: the picture of the tree is in tree.svg\n"
    assert (folder / "tree.svg").read_text("utf-8") == hedgerow.tree_svg(tree)
    for name in ("tree.dot", "TREE.GV"):
        assert run("show", "tree.hedge", "--plot", name).status == 0
        assert (folder / name).read_text("utf-8") == hedgerow.dot(tree)


def test_train_draws_what_it_learns(tree, folder):
    ran = run("train", "loan.csv", "-l", "c45", "--plot", "t.svg")
    assert ran.status == 0
    assert "t.svg" in ran.err
    assert "t.svg" not in run("train", "loan.csv", "-l", "c45", "--plot", "t.svg", "--quiet").err
    ET.parse(folder / "t.svg")
    assert (folder / "t.svg").read_text("utf-8") == hedgerow.tree_svg(tree)


@pytest.mark.parametrize("name", ["tree.jpg", "tree", "-", "tree.svg.gz"])
def test_other_endings_are_refused_before_any_work(folder, name):
    for words in (["show", "none.hedge"], ["train", "none.csv"]):
        ran = run(*words, "--plot", name)
        assert ran.status == 2
        assert "must end in .svg, .dot" in ran.err


def test_other_models_are_refused_and_leave_nothing(folder):
    ran = run("train", "loan.csv", "-l", "one_r", "--plot", "t.svg", "-o", "m.hedge")
    assert ran.status == 2
    assert "only trees can be drawn, not a model of kind 'rules'" in ran.err
    assert [path.name for path in folder.iterdir()] == ["loan.csv"]


def test_a_member_of_a_committee_can_be_drawn(folder):
    words = ["-l", "bagging", "--base", "c45", "--n-estimators", 3, "--folds", 0, "-o", "bag.hedge"]
    assert run("train", "loan.csv", *words).status == 0
    ran = run("show", "bag.hedge", "--plot", "t.svg")
    assert ran.status == 2
    assert "--member NUMBER" in ran.err
    assert run("show", "bag.hedge", "--member", 1, "--plot", "t.svg").status == 0
    assert (folder / "t.svg").read_text("utf-8") == hedgerow.tree_svg(hedgerow.load("bag.hedge").members[1])


def test_a_file_that_cannot_be_written_is_a_sentence(tree, folder):
    ran = run("show", "tree.hedge", "--plot", "nowhere/tree.svg")
    assert ran.status == 1
    assert ran.err == "hedgerow: nowhere/tree.svg cannot be written: No such file or directory\n"
    (folder / "there.svg").mkdir()
    assert run("show", "tree.hedge", "--plot", "there.svg").status == 1


def test_png_without_a_converter_says_what_to_install(tree, monkeypatch):
    monkeypatch.setattr(pictures, "converter", lambda: None)
    ran = run("show", "tree.hedge", "--plot", "tree.png")
    assert ran.status == 2
    assert "install rsvg-convert (librsvg) or the Python package cairosvg; .svg needs neither" in ran.err


@pytest.mark.skipif(pictures.converter() is None, reason="nothing converts SVG here")
def test_png_and_pdf_by_a_converter(tree, folder):
    for name, start in (("tree.png", b"\x89PNG"), ("tree.pdf", b"%PDF")):
        assert run("show", "tree.hedge", "--plot", name).status == 0
        assert (folder / name).read_bytes().startswith(start)


def test_what_is_too_large_for_pixels_is_a_sentence():
    with pytest.raises(hedgerow.UsageError, match=r"too large for a \.png"):
        pictures.svg_to_format('<svg viewBox="0 0 100 200000"/>', ".png")


def words_of(path):
    return [node.text for node in ET.parse(path).iter("{http://www.w3.org/2000/svg}text")]


WEATHER = "windy,play\n" + "yes,no\nno,yes\nno,no\n" * 5


@pytest.mark.parametrize("how", [(), ("--leave-one-out",), ("--holdout", 0.6), ("--bootstrap", 5), ("--runs", 2)])
def test_crossval_draws_a_curve_of_its_test(folder, how):
    ran = run("crossval", "loan.csv", "-l", "naive_bayes", "--folds", 3, *how, "--plot", "c.svg", "--label", "Yes")
    assert ran.status == 0
    assert "error rate" in ran.out
    assert ran.err == "note: the picture of the curve is in c.svg\n"
    assert any(word.startswith("Yes: area") for word in words_of(folder / "c.svg"))


def test_the_curve_of_a_cross_validation_is_that_of_its_rows(folder):
    assert run("crossval", "loan.csv", "-l", "naive_bayes", "--folds", 3, "--plot", "c.svg", "-q").err == ""
    results = hedgerow.cross_validate(hedgerow.NaiveBayes(), hedgerow.examples.loan(), folds=3)
    area = estimate(results, "auc", label="No").value
    assert f"No: area {area:.3f}" in words_of(folder / "c.svg")
    run("crossval", "loan.csv", "-l", "naive_bayes", "--folds", 3, "--plot", "h.svg", "--curve", "confusion")
    assert "predicted" in " ".join(words_of(folder / "h.svg"))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--plot", "c.svg", "--label", "Perhaps"], "--label Perhaps: 'Class' has no such class; its classes are"),
        (["--plot", "c.svg", "--curve", "numbers"], "there is no curve 'numbers' for predicted classes; 'roc' is one"),
        (["--label", "Yes"], "--label specifies what to draw; also name the file, as in --plot roc.svg"),
        (["--curve", "lift"], "--curve specifies what to draw; also name the file"),
    ],
)
def test_a_curve_that_cannot_be_drawn_is_told_before_the_work(folder, words, sentence, monkeypatch):
    monkeypatch.setattr("hedgerow.evaluate.validate.cross_validate", None)  # would fail if it were called
    ran = run("crossval", "loan.csv", "-l", "c45", "--folds", 3, *words)
    assert (ran.status, ran.out) == (2, "")
    assert sentence in ran.err
    assert not (folder / "c.svg").exists()


@pytest.mark.parametrize(
    "words",
    [["crossval", "--plot", "no/c.svg"], ["train", "--plot", "no/t.svg"], ["train", "-o", "no/m.hedge"]],
)
def test_a_folder_that_is_not_there_is_told_before_the_work(folder, words, monkeypatch):
    monkeypatch.setattr("hedgerow.evaluate.validate.cross_validate", None)  # would fail if it were called
    ran = run(words[0], "loan.csv", "-l", "c45", *words[1:])
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == f"hedgerow: {words[2]} cannot be written: No such file or directory\n"


def test_curve_draws_itself(folder):
    for words, title in ((["--sizes", "0.5,1"], "Learning curve"), (["--over", "min_leaf=1,4"], "Curve over min_leaf")):
        ran = run("curve", "loan.csv", "-l", "c45", "--folds", 3, *words, "--plot", "l.svg")
        assert ran.status == 0
        assert ran.err == "note: the picture of the curve is in l.svg\n"
        assert {title, "test rows", "training rows"} <= set(words_of(folder / "l.svg"))


def test_compare_draws_all_data_sets_below_each_other(folder):
    (folder / "weather.csv").write_text(WEATHER)
    how = ("--learners", "majority,one_r", "--runs", 2, "--folds", 3, "--plot")
    ran = run("compare", "loan.csv", "weather.csv", *how, "both.svg")
    assert ran.status == 0
    assert ran.err == "note: the picture of the comparison is in both.svg\n"
    assert run("compare", "loan.csv", *how, "one.svg").status == 0
    both, one = words_of(folder / "both.svg"), words_of(folder / "one.svg")
    assert {"loan", "weather", "majority", "one_r"} <= set(both)
    assert both[: len(one)] == one
    heights = [size_of((folder / name).read_text("utf-8"))[1] for name in ("one.svg", "both.svg")]
    assert heights[1] == 2 * heights[0]


@pytest.mark.skipif(pictures.converter() is None, reason="nothing converts SVG here")
def test_a_comparison_as_png(folder):
    (folder / "weather.csv").write_text(WEATHER)
    words = ("--learners", "majority", "--runs", 1, "--folds", 3, "--plot", "c.png")
    assert run("compare", "loan.csv", "weather.csv", *words).status == 0
    assert (folder / "c.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("verb", ["crossval", "curve", "compare"])
def test_a_picture_that_cannot_be_made_is_refused_before_the_work(folder, verb):
    for name in ("c.dot", "c.gif", "c"):
        ran = run(verb, "nowhere.csv", "--plot", name)
        assert ran.status == 2
        assert "must end in .svg, .png or .pdf" in ran.err
