"""`hedgerow show`, `explain` and `predict` with support vector machines."""

import pytest

from tests.cli.run import run
from tests.models.svm.machine_models import ALL


@pytest.fixture
def machines(folder):
    for name, model in ALL.items():
        model.save(folder / f"{name.replace(' ', '_')}.hedge")
    return folder


def test_show_prints_all_machines_or_one(machines):
    ran = run("show", "pairs_rbf.hedge")
    assert ran.status == 0
    assert str(ALL["pairs rbf"]) in ran.out
    one = run("show", "pairs_rbf.hedge", "--member", 1)
    assert ALL["pairs rbf"].member(1) in one.out
    ran = run("show", "pairs_rbf.hedge", "--member", 3)
    assert ran.status == 1
    assert "there is no machine 3; the machines are numbered 0 to 2" in ran.err


def test_coefficients_are_drawn_and_kernels_are_told_why_not(machines):
    ran = run("show", "rest.hedge", "--plot", "t.svg")
    assert ran.status == 0
    assert "the picture of the coefficients is in t.svg" in ran.err
    ran = run("show", "rest_rbf.hedge", "--plot", "t.svg")
    assert ran.status == 2
    assert "hedgerow plot" in ran.err


def test_terms_are_listed(machines):
    ran = run("show", "texts.hedge", "--terms", 2)
    assert ran.status == 0
    assert "yes" in ran.out
    assert run("show", "texts_rbf.hedge", "--terms", 2).status == 1


def test_rows_are_explained(machines):
    (machines / "new.csv").write_text("age,sky,größe 茶\n31,sun,0.5\n,hail,\n", "utf-8")
    ran = run("explain", "pairs_rbf.hedge", "new.csv", "--rows", "1-2")
    assert ran.status == 0
    assert "The nearest support vectors, by distance" in ran.out
    assert run("predict", "rest.hedge", "new.csv").status == 0
