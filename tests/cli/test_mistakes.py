"""Mistakes of new users: verbs, learners, options and files that are meant otherwise; one sentence with the remedy."""

import pytest

from hedgerow import UsageError
from hedgerow.learn.other_names import suggest_learner
from hedgerow.learn.registry import HOMES, find_learner, is_learner
from tests.cli.run import run

MISTAKES = {
    "trian loan.csv": "there is no verb 'trian'; did you mean hedgerow train?",
    "fit loan.csv": "did you mean hedgerow train?",
    "frobnicate": "the verbs are describe, train",
    "loan.csv": "loan.csv is a file, and the verb comes first, as in hedgerow train loan.csv",
    ".": ". is a folder, and the verb comes first",
    "train loan.csv -l xgboost": "gradient boosting is not available; the nearest is adaboost",
    "train loan.csv -l gradient_boosting": "the nearest is adaboost",
    "train loan.csv -l decision_tree": "it is called c45 here",
    "train loan.csv -l cnn": "a neural network is not available; the nearest is logistic",
    "train loan.csv -l KNeighborsClassifier": "it is called knn here",
    "train loan.csv -l svc": "it is called svm here",
    "train loan.csv -l c46": "did you mean 'c45'?",
    "train loan.csv -l zzz": "`hedgerow learners`",
    "train loan.csv --lerner c45": "has no option '--lerner'; did you mean --learner?",
    "train loan.csv --max_depth 3 -l c45": "did you mean --max-depth?",
    "train loan.csv -l random_forest --n_estimators 9": "did you mean --n-estimators?",
    "train loan.csv -l one_r --smoothing 0": "for this learner; it is an option of ripper",
    "train loan.csv -t Class": "did you mean --target?",
    "train loan.csv --target class": "did you mean 'Class'?",
    "train loan.csv -o model.json": "name a file such as model.hedge",
    "predict loan.csv model.hedge": "the model comes before the data, as in hedgerow predict model.hedge loan.csv",
}


@pytest.mark.parametrize("command", MISTAKES)
def test_a_mistake_is_one_sentence_with_the_remedy(folder, command):
    ran = run(*command.split())
    assert ran.status in (1, 2)
    assert ran.out == ""
    assert ran.err.startswith("hedgerow: ")
    assert ran.err.count("\n") == 1
    assert MISTAKES[command] in ran.err


def test_other_names_lead_to_learners_and_hide_none():
    from hedgerow.learn import other_names

    for learner in {*other_names._SAME, *other_names._NEAREST}:
        assert is_learner(learner)
    for home in HOMES:
        assert find_learner(home) is not None
    assert suggest_learner("nothing like it") is None
    with pytest.raises(UsageError, match="it is called random_forest here"):
        find_learner("RandomForestClassifier")


def test_a_random_forest_may_be_written_with_a_hyphen():
    assert find_learner("random-forest").name == "random_forest"


def test_a_text_as_the_target_suggests_a_column(folder):
    rows = "".join(f"{i % 3},this is the comment number {i} of many\n" for i in range(40))
    (folder / "comments.csv").write_text("score,comment\n" + rows)
    ran = run("train", "comments.csv")
    assert ran.status == 1
    assert "the target 'comment' is text; name the column to predict with --target, as in --target score" in ran.err


def test_a_target_that_differs_within_bags_leads_to_the_option(folder):
    (folder / "bags.csv").write_text("bag,kind,note\n1,a,x\n1,a,y\n2,b,x\n2,b,y\n")
    ran = run("train", "bags.csv", "--bag", "bag")
    assert ran.status == 1
    assert "name another column to predict with target= (--target)" in ran.err
