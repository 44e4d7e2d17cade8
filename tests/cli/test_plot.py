"""hedgerow plot: decision regions from the command line."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import hedgerow
from hedgerow.cli.pictures import converter
from tests.cli.run import run


@pytest.fixture
def data(folder):
    rng = np.random.default_rng(2)
    x, y, z = rng.normal(size=(3, 60)).round(3)
    kinds = np.where(np.arange(60) % 2, "p", "q")
    rows = zip(x, y, z, kinds, np.where(x + y > 0, "yes", "no"), strict=True)
    lines = ['"x, left",y,z,kind,class', *(",".join(map(str, row)) for row in rows)]
    (folder / "points.csv").write_text("\n".join(lines) + "\n")
    return "points.csv"


def test_data_and_a_learner_are_drawn(data, folder):
    ran = run("plot", data, "-l", "c45", "--min-leaf", 4, "-o", "regions.svg")
    assert (ran.status, ran.out) == (0, "")
    assert "note: the picture is in regions.svg" in ran.err
    picture = (folder / "regions.svg").read_text("utf-8")
    ET.fromstring(picture)
    assert "Decision regions of c45 for class" in picture
    assert run("plot", data, "-o", "regions.svg", "--quiet").err == ""  # the default learner


def test_a_saved_model_is_drawn_with_data_or_without(data, folder):
    assert run("train", data, "-l", "logistic", "--folds", 0, "-o", "m.hedge").status == 0
    assert run("plot", "m.hedge", "-o", "alone.svg").status == 0
    ran = run("plot", "m.hedge", data, "--columns", "y,x, left", "-o", "with.svg")
    assert ran.status == 0
    model = hedgerow.load("m.hedge")
    table = hedgerow.read(data)
    assert (folder / "with.svg").read_text("utf-8") == hedgerow.regions_svg(model, table, ["y", "x, left"])


def test_rules_as_text_are_drawn(data, folder):
    (folder / "r.txt").write_text("if y > 0 and z < 1 then class = yes\notherwise class = no\n")
    assert run("plot", "r.txt", data, "-o", "rules.svg").status == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["points.csv"], "name the file to draw to"),
        (["points.csv", "-o", "r.dot"], "must end in .svg, .png or .pdf"),
        (["points.csv", "-o", "none/r.svg"], "cannot be written"),
        (["none.csv", "-o", "r.svg"], "none.csv"),
        (["points.csv", "-l", "c45", "--columns", "y,zz", "-o", "r.svg"], "has no column 'zz'"),
        (["points.csv", "-l", "c45", "--columns", "y,kind", "-o", "r.svg"], "is nominal"),
        (["m.hedge", "-l", "c45", "-o", "r.svg"], "is already trained"),
        (["m.hedge", "-o", "r.svg"], "does not store the range"),
        (["points.csv", "--target", "y", "-l", "linear_regression", "-o", "r.svg"], "does not predict classes"),
    ],
)
def test_bad_calls_end_in_a_sentence_and_leave_nothing(data, folder, words, said):
    assert run("train", data, "-l", "c45", "--folds", 0, "-o", "m.hedge").status == 0
    ran = run("plot", *words)
    assert ran.status in (1, 2)
    assert said in ran.err
    assert not (folder / "r.svg").exists()


@pytest.mark.skipif(converter() is None, reason="nothing here turns SVG into PNG")
def test_png(data, folder):
    assert run("plot", data, "-l", "one_r", "--columns", "x, left,y", "-o", "r.png").status == 0
    assert (folder / "r.png").read_bytes()[:4] == b"\x89PNG"
