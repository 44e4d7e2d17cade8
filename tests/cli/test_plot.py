"""`--plot FILE`: pictures from the command line."""

import xml.etree.ElementTree as ET

import pytest

import hedgerow
from hedgerow.cli import plot
from tests.cli.run import run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loan.csv").write_text(hedgerow.examples.loan_csv())
    return tmp_path


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
    words = ["-l", "bagging", "--base", "c45", "--n-members", 3, "--folds", 0, "-o", "bag.hedge"]
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
    monkeypatch.setattr(plot, "converter", lambda: None)
    ran = run("show", "tree.hedge", "--plot", "tree.png")
    assert ran.status == 2
    assert "install rsvg-convert (librsvg) or the Python package cairosvg; .svg needs neither" in ran.err


@pytest.mark.skipif(plot.converter() is None, reason="nothing converts SVG here")
def test_png_and_pdf_by_a_converter(tree, folder):
    for name, start in (("tree.png", b"\x89PNG"), ("tree.pdf", b"%PDF")):
        assert run("show", "tree.hedge", "--plot", name).status == 0
        assert (folder / name).read_bytes().startswith(start)


def test_what_is_too_large_for_pixels_is_a_sentence():
    with pytest.raises(hedgerow.UsageError, match=r"too large for a \.png"):
        plot.converted('<svg viewBox="0 0 100 200000"/>', ".png")
