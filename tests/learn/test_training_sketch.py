"""Which models keep a sketch of their training rows, and what it depends on."""

import numpy as np
import pytest

import hedgerow
from hedgerow import C45, Bagging, KMeans, Majority, NaiveBayes, OneR, Pairwise, Simplest, Table
from hedgerow.evaluate import run_split, splits
from hedgerow.evaluate.tune import tune
from hedgerow.learn.training_sketch import sketch_rows, without_sketches
from hedgerow.models.files.model_file import dumps, load, loads
from tests.evaluate.toys import blobs

LOAN = hedgerow.examples.loan().select(["Age", "Has_Job", "Own_House", "Credit_Rating", "Class"])


@pytest.mark.parametrize("learner", [OneR(), C45(), NaiveBayes(), Bagging(), Pairwise(), Simplest()], ids=repr)
def test_a_trained_model_keeps_a_sketch(learner):
    model = learner.train(LOAN)
    assert model.about.sketch == sketch_rows(LOAN)
    assert model.about.sketch.sampled == 15
    assert learner.fit(LOAN).model_.about.sketch == model.about.sketch


def test_members_clusters_and_partly_fitted_models_have_none():
    bagged = Bagging(base=C45(), n_estimators=3).train(LOAN)
    assert all(bagged.member_model(number).about.sketch is None for number in range(3))
    assert KMeans(n_clusters=2).train(LOAN).about.sketch is None
    assert NaiveBayes().partial_fit(LOAN).model_.about.sketch is None


def test_models_that_are_only_tested_have_none(monkeypatch):
    def fail(table):
        raise AssertionError("a sketch was made")

    monkeypatch.setattr("hedgerow.learn.base.sketch_rows", fail)
    hedgerow.cross_validate(C45(), LOAN, folds=3)
    hedgerow.cross_validate(C45(), LOAN, folds=3, threads=1)
    hedgerow.cross_validate(Bagging(n_estimators=2), LOAN, folds=3, threads=2)
    split = next(splits.holdout(run_split.target_values(LOAN), 0.7, 1, 1, None))
    run_split.evaluate_split(C45(), LOAN, split)
    hedgerow.rule_cards(C45(), LOAN, holdout=0.3)
    with pytest.raises(AssertionError, match="a sketch was made"):
        C45().train(LOAN)
    with without_sketches():
        C45().train(LOAN)


def test_a_tuned_model_keeps_it():
    learner = tune(C45(), {"min_leaf": [2, 5]}, folds=3)
    assert learner.train(LOAN).about.sketch == C45().train(LOAN).about.sketch


def test_rows_that_are_not_trained_on_do_not_count():
    table = Table.of({"x": [1, 2, 3, 4], "y": ["a", "b", None, "a"]}, "y", weights=[1, 1, 1, 0])
    assert Majority().train(table).about.sketch.sampled == 2


def test_whole_weights_are_numbers_of_rows():
    table = blobs(2, 10)
    weights = np.arange(20) % 3 + 1.0
    repeated = table.take(np.repeat(np.arange(20), weights.astype(int)))
    assert OneR().train(table.with_weights(weights)).about.sketch == OneR().train(repeated).about.sketch
    halves = OneR().train(table.with_weights(weights + 0.5)).about.sketch
    assert halves == OneR().train(table).about.sketch


@pytest.mark.parametrize("weighted", [False, True, None])
@pytest.mark.parametrize("learner", [OneR(), NaiveBayes(), C45()], ids=repr)
def test_a_streamed_model_has_the_same_file(tmp_path, monkeypatch, learner, weighted):
    table = blobs(3, 40)
    if weighted is not False:
        table = table.with_weights(np.arange(120) % 4 + (1.0 if weighted else 0.5))
    hedgerow.write(table, tmp_path / "rows.arff")
    source = hedgerow.open_source(tmp_path / "rows.arff")
    whole, batches = learner.train(source.read()), source.batches
    monkeypatch.setattr(source, "batches", lambda: batches(7))
    streamed = learner.train(source)
    assert streamed.about.sketch == whole.about.sketch
    assert streamed.about.sketch is not None


def test_a_file_keeps_it_unless_it_is_left_out(tmp_path):
    model = OneR().train(LOAN)
    model.save(tmp_path / "with.hedge")
    model.save(tmp_path / "without.hedge", sketch=False)
    assert load(tmp_path / "with.hedge").about == model.about
    assert load(tmp_path / "without.hedge").about.sketch is None
    assert model.about.sketch is not None
    assert b"sketch" not in dumps(load(tmp_path / "without.hedge"))
    assert loads(dumps(model)).about.sketch == model.about.sketch


def test_equal_rows_give_equal_files():
    order = np.random.default_rng(1).permutation(15)
    assert OneR().train(LOAN.take(order)).about.sketch == OneR().train(LOAN).about.sketch
