"""Support vector machines on the command line."""

import pytest

import hedgerow
from tests.cli.run import run

THREE = "a,b,side\n0,0,no\n1,0,yes\n0,1,yes\n"


@pytest.fixture
def three(tmp_path):
    path = tmp_path / "three.csv"
    path.write_text(THREE)
    return str(path)


def test_a_hard_margin_with_its_work(three):
    """G93 as a user sees it."""
    done = run("train", three, "-l", "svm", "--kernel", "linear", "--C", "inf", "--scale", "none", "--show-work",
               "--folds", "0")  # fmt: skip
    assert done.status == 0
    assert "margin 2 / |w| = 0.707107" in done.out
    assert "w = the sum of y alpha x: 2 a, 2 b" in done.out
    assert "C=inf" in done.out


def test_kernel_costs_and_cache(three, tmp_path):
    model = str(tmp_path / "m.hedgerow")
    done = run("train", three, "-l", "svm", "--kernel", "rbf", "--C", "10", "--gamma", "0.1", "--class-weight", "yes=2",
               "--cache", "10M", "--folds", "0", "-o", model)  # fmt: skip
    assert done.status == 0, done.err
    assert hedgerow.load(model).figures.cost == 10
    assert run("predict", model, three).status == 0
    assert run("train", three, "-l", "svm", "--class-weight", "balanced", "--folds", "0").status == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--C", "0"], "C=0.0 is not allowed: it must be a number above 0 or inf"),
        (["--kernel", "gaus"], "one of auto, linear, poly, rbf, sigmoid, precomputed"),
        (["--gamma", "1", "--sigma", "1"], "specify the same parameter"),
        (["--class-weight", "maybe=2"], "names 'maybe', which is not a class"),
        (["--kernel", "precomputed"], "must be square"),
        (["--stream"], "OnlineLinear(loss='hinge')"),
    ],
)
def test_what_cannot_be_is_a_sentence(three, options, said):
    done = run("train", three, "-l", "svm", *options, "--folds", "0")
    assert done.status == 2 or done.status == 1
    assert said in " ".join(done.err.split())
    assert "Traceback" not in done.err


def test_no_hard_margin_is_a_note(tmp_path):
    path = tmp_path / "xor.csv"
    path.write_text("a,b,one\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n")
    done = run("train", str(path), "-l", "svm", "--kernel", "linear", "--C", "inf", "--folds", "0")
    assert "no hard margin exists" in " ".join(done.out.split())
