"""Names that people know from elsewhere, or from earlier versions, lead to the parameters that mean the same."""

from dataclasses import replace

import pytest

import hedgerow
from hedgerow.errors import UsageError
from hedgerow.learn.adapt import adapt
from hedgerow.learn.parameter_names import EQUIVALENT, FORMER
from hedgerow.learn.registry import find_learner, learners
from hedgerow.learn.relearn import recreate_learner
from tests.cli.run import run


def test_every_name_leads_to_a_parameter():
    everything = {name for info in learners().values() for name in info.params}
    for names in EQUIVALENT.values():
        assert set(names) <= everything
    for learner, renames in FORMER.items():
        params = find_learner(learner).params
        assert set(renames.values()) <= set(params)
        assert not set(renames) & set(params)


@pytest.mark.parametrize(
    ("learner", "name", "meant"),
    [
        ("c45", "min_samples_leaf", "min_leaf"),
        ("cart", "min_leaf", "min_samples_leaf"),
        ("cart", "ccp_alpha", "alpha"),
        ("cart", "min_samples_split", "stop_rows"),
        ("random_forest", "max_features", "tried"),
        ("random_forest", "n_members", "n_estimators"),
        ("bagging", "estimator", "base"),
        ("knn", "k", "n_neighbors"),
        ("kmeans", "k", "n_clusters"),
        ("svm", "coef0", "theta"),
        ("naive_bayes", "smoothing", "alpha"),
        ("text_terms", "lowercase", "lower"),
        ("c45", "minNumObj", "min_leaf"),
    ],
)
def test_the_right_name_is_a_hint(learner, name, meant):
    kind = find_learner(learner)
    with pytest.raises(TypeError, match=f"no parameter '{name}'; did you mean '{meant}'"):
        kind(**{name: 1})
    with pytest.raises(UsageError, match=f"Invalid parameter '{name}' .* Did you mean '{meant}'"):
        kind().set_params(**{name: 1})


def test_the_number_of_threads_is_no_parameter():
    with pytest.raises(TypeError, match="HEDGEROW_THREADS"):
        hedgerow.RandomForest(n_jobs=-1)


@pytest.mark.parametrize(
    ("options", "meant"),
    [
        (["-l", "c45", "--min-samples-leaf", "3"], "did you mean --min-leaf?"),
        (["-l", "bagging", "--base", "c45", "--base-min-samples-leaf", "3"], "did you mean --base-min-leaf?"),
        (["-l", "random_forest", "--max-features", "3"], "did you mean --tried?"),
        (["-l", "c45", "--targt", "y"], "--target"),
    ],
)
def test_the_command_line_gives_the_hint(options, meant):
    assert meant in run("train", "loan.csv", *options).err


@pytest.fixture
def loan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hedgerow.write(hedgerow.examples.loan(), "loan.csv")


@pytest.mark.usefixtures("loan")
def test_the_command_line_understands_former_names():
    now = run("train", "loan.csv", "-l", "bagging", "--n-estimators", 2, "--no-replace", "--base", "knn",
              "--base-n-neighbors", 3, "--folds", 0)  # fmt: skip
    former = run("train", "loan.csv", "-l", "bagging", "--n-members=2", "--no-replace", "--base", "knn",
                 "--base-k", "3", "--folds", 0)  # fmt: skip
    assert now.status == former.status == 0
    assert now.out == former.out
    assert "n_neighbors=1" in run("crossval", "loan.csv", "-l", "knn", "--tune", "k=1,3").out


def test_learners_of_old_files_are_recreated():
    model = hedgerow.KNN(n_neighbors=3).train(hedgerow.examples.loan())
    old = model.replace_about(replace(model.about, parameters={"k": 3, "weights": "distance"}))
    assert recreate_learner(old).get_params()["n_neighbors"] == 3
    inner = replace(model.about, learner="bagging", parameters={"base": "KNN(k=3)", "n_members": 7})
    again = recreate_learner(model.replace_about(inner))
    assert repr(again) == "Bagging(base=KNN(n_neighbors=3), n_estimators=7)"
    assert repr(adapt("knn(k=3)")) == "KNN(n_neighbors=3)"
