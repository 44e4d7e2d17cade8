"""Trees on the command line: options, the work, rules, and sentences for what is wrong."""

import json

import numpy as np
import pytest

import hedgerow
from tests.cli.run import run

LOAN = hedgerow.examples.loan_csv()


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loan.csv").write_text(LOAN)
    return tmp_path


def train(*options):
    return run("train", "loan.csv", "--folds", 0, *options)


def test_show_work_prints_the_work_before_the_model_and_once_only():
    ran = run("train", "loan.csv", "-l", "c45", "--show-work", "--full")
    assert ran.status == 0
    assert ran.out.startswith("Work\n\ngain = ")
    assert ran.out.count("Node 1: all rows") == 1  # not in every fold
    assert ran.out.index("Node 1") < ran.out.index("c45 for Class: trained") < ran.out.index("cross-validation, seed")


def test_much_work_is_announced(folder):
    (folder / "long.csv").write_text("a,b\n" + "x,p\ny,q\n" * 1500)
    ran = run("train", "long.csv", "-l", "id3", "--show-work", "--folds", 0)
    assert "note: showing the work on 3000 rows is slow and long" in ran.err
    assert "takes time" not in train("-l", "id3", "--show-work").err


@pytest.mark.parametrize("learner", ["id3", "c45", "cart"])
def test_show_work_does_not_change_the_model(learner):
    plain, shown = (json.loads(train("-l", learner, "--json", *more).out) for more in ([], ["--show-work"]))
    assert "Node 1" in shown.pop("work")
    assert shown == plain


def test_show_work_of_numbers(folder):
    (folder / "n.csv").write_text("x,y\n" + "\n".join(f"{i},{(i // 20) * 3 + (i % 3) / 7}" for i in range(60)) + "\n")
    ran = run("train", "n.csv", "-l", "cart_regressor", "--folds", 0, "--show-work")
    assert ran.status == 0
    assert "variance before - after" in ran.out
    assert "cross-validated" in ran.out


def test_learners_without_work_say_so():
    for learner in ("one_r", "naive_bayes", "bagging"):
        ran = train("-l", learner, "--show-work")
        assert ran.status == 2
        assert ran.err.startswith(f"hedgerow: {learner} has no intermediate steps to show")
        assert "c45, c45_rules, cart" in ran.err
        assert ran.out == ""
    assert "leave out --stream" in train("-l", "c45", "--stream", "--show-work").err


def test_trace_is_no_option_since_it_would_print_in_every_fold():
    assert "--trace" not in run("train", "-l", "c45", "--help").out
    assert "--base-trace" not in run("train", "-l", "bagging", "--base", "c45", "--help").out
    assert train("-l", "c45", "--trace").status == 2
    assert "--show-work" in run("train", "--help").out


def test_a_tree_as_rules():
    assert train("-l", "c45", "-o", "tree.hedge").status == 0
    ran = run("show", "tree.hedge", "--rules")
    assert (
        "if Own_House = false and Has_Job = false then Class = No (6/0)  # support 40 %, confidence 100 %\n" in ran.out
    )
    assert train("-l", "naive_bayes", "-o", "bayes.hedge").status == 0
    refused = run("show", "bayes.hedge", "--rules")
    assert refused.status == 2
    assert "only a tree of classes prints as rules" in refused.err


def test_priors_costs_and_smoothing_as_options():
    ran = train("-l", "c45", "--costs", "Yes:No=5", "--leaves", "laplace", "--max-depth", 1, "--prune", "none")
    assert "  max_depth=1, leaves=laplace, costs={'Yes:No': '5'}, prune=none\n" in ran.out
    assert "Costs: No predicted as Yes 1, Yes predicted as No 5" in ran.out
    assert "Added to every leaf: No 1, Yes 1" in ran.out
    assert train("-l", "cart", "--costs", "[[0, 1], [5, 0]]").status == 0
    assert train("-l", "cart", "--costs", '{"Yes": {"No": 5}}').status == 0
    assert "(10/2.5)" in train("-l", "id3", "--priors", "No=0.5,Yes=0.5", "--max-depth", 1).out
    assert "(10/2.5)" in train("-l", "id3", "--balanced", "--max-depth", 1).out


BAD = [
    (["--max-depth", "-1"], "max_depth=-1 is not allowed: it must be a whole number of at least 0 or none"),
    (["--max-depth", "deep"], "max_depth cannot be 'deep'"),
    (["--min-leaf", "0"], "min_leaf=0.0 is not allowed: it must be a number above 0"),
    (["--min-gain", "-1"], "min_gain=-1.0"),
    (["--confidence", "0.7"], "at most 0.5"),
    (["--prune-folds", "1"], "prune_folds=1"),
    (["--prune-folds", "9" * 20], "at least 2 and at most 1000"),
    (["--min-leaf", "inf"], "min_leaf=inf is not allowed"),
    (["--leaves", "m", "--m", "1e308"], "m=1e+308 is not allowed"),
    (["--prune", "cost"], "must be one of errors, reduced, none"),
    (["--priors", "No=1"], "leave out the class 'Yes'"),
    (["--priors", "No=1,Yes=2,Maybe=1"], "'Maybe', which is not a class"),
    (["--priors", "No=a,Yes=b"], "must be numbers"),
    (["--priors", "half"], "priors cannot be 'half'"),
    (["--priors", "No=1,Yes=1", "--balanced"], "exclude each other"),
    (["--costs", "[[0,1,1],[1,0,1],[1,1,0]]"], "must be 2 x 2, for the classes 'No', 'Yes', not 3 x 3"),
    (["--costs", "[[0,1],[1"], "costs cannot be"),
    (["--costs", "[[1,1],[1,0]]"], "the diagonal must be 0"),
    (["--costs", "Yes:Maybe=5"], "'Maybe', which is not a class; the classes are 'No', 'Yes'"),
    (["--costs", "Yes:No=much"], "must be a number, not 'much'"),
    (["--costs", "Yes=5"], "as in Yes:No=5"),
    (["--costs", "Yes:No=1e308"], "the costs must be numbers from 0 to 1e+100"),
]


@pytest.mark.parametrize(
    ("options", "words"), BAD, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_bad_options_are_one_sentence(options, words, folder):
    ran = train("-l", "c45", "-o", "tree.hedge", *options)
    assert ran.status == 2
    assert words in ran.err
    assert ran.err.startswith("hedgerow: ")
    assert ran.err.count("\n") == 1
    assert ran.out == ""
    assert not (folder / "tree.hedge").exists()


@pytest.mark.parametrize("learner", ["id3", "c45", "cart", "random_forest"])
def test_a_depth_beyond_all_counting_is_no_limit(learner):
    for depth in ("9" * 20, "9" * 400):
        ran = train("-l", learner, "--max-depth", depth, "--folds", 0)
        assert ran.status == 0
        assert ran.out.split("\n\n", 2)[2] == train("-l", learner, "--folds", 0).out.split("\n\n", 2)[2]


def test_priors_of_any_size_are_shares():
    large = train("-l", "c45", "--priors", "No=1e308,Yes=1e308", "--folds", 0).out
    assert large.split("\n\n", 2)[2] == train("-l", "c45", "--balanced", "--folds", 0).out.split("\n\n", 2)[2]


def test_the_heading_names_only_parameters_that_were_changed():
    assert "\n\nc45 for Class: trained on 15 rows, size 3\n\nOwn_House" in train("-l", "c45").out
    assert "size 3\n  min_leaf=1.0\n\n" in train("-l", "c45", "--min-leaf", "1").out
    assert "\n  random_state=none\n" in train("-l", "cart", "--random-state", "none").out
    report = json.loads(train("-l", "c45", "--min-leaf", "1", "--json").out)["model"]
    assert report["changed"] == {"min_leaf": 1.0}
    assert report["parameters"]["confidence"] == 0.25


@pytest.mark.parametrize("base", ["c45", "cart"])
def test_boosted_stumps_of_many_rows(base, folder):
    rows = "".join(f"{i % 83},{i * 7 % 101},{'ab'[(i % 83 > 40) ^ (i * 7 % 101 > 60)]}\n" for i in range(1500))
    (folder / "many.csv").write_text("x,z,y\n" + rows)
    options = ("--base", base, "--base-max-depth", 1, "--base-prune", "none", "--n-estimators", 3)
    ran = run("train", "many.csv", "-l", "adaboost", *options, "--folds", 0)
    assert ran.status == 0, ran.err
    assert "A committee of 3 trees" in ran.out


def timeless(text):
    return [line for line in text.replace("shares.arff", "plain.arff").split("\n") if "to train" not in line]


def test_weights_of_a_file_that_are_shares(folder):
    """An ARFF file whose weights sum to 1 is learned and tested like one without weights."""
    table = hedgerow.examples.loan()
    hedgerow.write(table, folder / "plain.arff")
    hedgerow.write(table.with_weights(np.full(15, 1 / 15)), folder / "shares.arff")
    for verb, *options in (["train", "--folds", 3], ["train", "--folds", 0], ["crossval", "--folds", 3]):
        plain, shares = (run(verb, file, "-l", "c45", *options) for file in ("plain.arff", "shares.arff"))
        assert shares.status == plain.status == 0
        assert timeless(shares.out) == timeless(plain.out)
