"""Machines of many parameters in one go: the same models, the same choice, fewer steps."""

import numpy as np
import pytest

from hedgerow import SVM, Column, Kind, Table
from hedgerow.data.table.table import Text
from hedgerow.evaluate import train_many, validate
from hedgerow.evaluate.metrics import intervals, measures
from hedgerow.evaluate.tune import tune
from hedgerow.learn.svm import svm as home
from hedgerow.learn.svm.warm_starts import OF_MACHINES, group_learners

GRID = {"C": [10.0, 0.1, 1.0], "gamma": [0.1, 1.0]}


def blobs(n=90, seed=0, classes=3):
    """A table of overlapping classes with a nominal column, missing values, weights and a repeated row."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, classes, n)
    x = rng.normal(size=(n, 2)) + 1.5 * np.column_stack([np.cos(codes * 2.1), np.sin(codes * 2.1)])
    x[-1], codes[-1] = x[0], codes[0]
    columns = {
        "x": np.where(np.arange(n) % 17 == 3, np.nan, x[:, 0]),
        "y": x[:, 1],
        "shade": [None if i % 13 == 0 else f"s{i % 3}" for i in range(n)],
        "class": [f"c{code}" for code in codes],
    }
    return Table.of(columns, target="class").with_weights(rng.integers(1, 3, n).astype(float))


def alone(monkeypatch):
    monkeypatch.setattr(train_many, "can_learn_together", lambda _: False)
    monkeypatch.setattr(validate, "can_learn_together", lambda _: False)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("classes", [2, 3])
def test_models_are_those_of_each_alone(kernel, classes):
    table = blobs(classes=classes)
    learners = [SVM(kernel=kernel, C=c, tol=1e-8, random_state=1) for c in (100.0, 0.01, 1.0, 1.0)]
    found = dict(learners[0].train_each(table, learners))
    assert sorted(found) == [0, 1, 2, 3]
    for place, learner in enumerate(learners):
        own = learner.train(table)
        assert np.allclose(found[place].values(table), own.values(table), atol=1e-4)
        assert np.allclose(found[place].distribution(table), own.distribution(table), atol=2e-3)
        assert found[place].about == own.about


@pytest.mark.parametrize("rule", ["best", "1se"])
@pytest.mark.parametrize("grid", [GRID, {"C": [1.0, 10.0], "scale": ["deviation", "range"], "kernel": ["rbf", "poly"]}])
def test_the_choice_and_its_figures_are_the_same_as_without(monkeypatch, rule, grid):
    table = blobs()
    tuned = tune(SVM(random_state=1), grid, rule, folds=3)
    quick = tuned.choose(table)
    alone(monkeypatch)
    slow = tuned.choose(table)
    assert [one.text for one in quick.candidates] == [one.text for one in slow.candidates]
    assert [one.estimate.value for one in quick.candidates] == [one.estimate.value for one in slow.candidates]
    assert [one.size for one in quick.candidates] == pytest.approx([one.size for one in slow.candidates], rel=0.02)
    assert (quick.text, quick.reason) == (slow.text, slow.reason)


def test_points_are_made_once_and_machines_begin_with_those_of_the_c_before(monkeypatch):
    made, begun = [], []
    prepared, machines = SVM.prepare_points, SVM.machines
    monkeypatch.setattr(home.SVM, "prepare_points", lambda self, table: made.append(0) or prepared(self, table))

    def watched(self, ready, start=None):
        begun.append((self.gamma, self.C, None if start is None else start.figures.cost))
        return machines(self, ready, start)

    monkeypatch.setattr(home.SVM, "machines", watched)
    learners = [SVM(C=c, gamma=g, random_state=1) for c in (10.0, 0.1, 1.0) for g in (0.5, 2.0)]
    assert sorted(place for place, _ in learners[0].train_each(blobs(), learners)) == list(range(6))
    assert len(made) == 1
    steps = [(0.1, None), (1.0, 0.1), (10.0, 1.0)]
    assert begun == [(gamma, *step) for gamma in (0.5, 2.0) for step in steps]


@pytest.mark.parametrize(("measure", "how"), [(None, "none"), ("mcc", "none"), ("log_loss", "platt"), ("auc", "platt")])
def test_machines_that_are_compared_by_decisions_are_spared_probabilities(monkeypatch, measure, how):
    seen = set()
    machines = SVM.machines
    monkeypatch.setattr(home.SVM, "machines", lambda self, *a: seen.add(self.probabilities) or machines(self, *a))
    tuned = tune(SVM(probabilities="platt", random_state=1), {"C": [0.1, 1.0]}, folds=2, measure=measure)
    found = tuned.choose(blobs())
    assert seen == {how}
    assert found.chosen.learner.probabilities == "platt"
    for one in found.candidates:
        results = validate.cross_validate(one.learner, blobs(), folds=2)
        own = intervals.estimate(results, measure or "error").value
        assert one.estimate.value == (own if how == "none" else pytest.approx(own, rel=1e-3))


def test_a_hard_margin_comes_last():
    rng = np.random.default_rng(0)
    x = rng.normal(size=40)
    table = Table.of({"x": x + 3 * (x > 0), "class": np.where(x > 0, "p", "n").tolist()}, target="class")
    learners = [SVM(C=c, kernel="linear", random_state=1) for c in (np.inf, 1.0)]
    places = [place for place, _ in learners[0].train_each(table, learners)]
    assert places == [1, 0]


def test_texts_and_tables_of_one_class():
    texts = Text.of(["a good film", "a bad film", "good good", "bad bad", "good", "bad"])
    labels = Table.of({"class": ["p", "n", "p", "n", "p", "n"]}, target="class")
    table = labels.with_column(Column("text", Kind.TEXT), texts)
    found = tune(SVM(random_state=1), {"C": [0.1, 1.0]}, folds=2).choose(table)
    for one in found.candidates:
        own = validate.cross_validate(one.learner, table, folds=2)
        assert one.estimate.value == measures.error(own)
    single = Table.of({"x": [1.0, 2.0, 3.0], "class": ["a", "a", "a"]}, target="class")
    assert tune(SVM(random_state=1), {"C": [0.1, 1.0]}, folds=2).choose(single).text == "C=0.1"


def test_every_parameter_of_machines_is_one_of_the_learner():
    assert set(OF_MACHINES) <= set(SVM.params)
    groups = group_learners(enumerate([SVM(C=1), SVM(C=2), SVM(C=1, gamma=2)]), ("C",))
    assert [[place for place, _ in group] for group in groups] == [[0, 1], [2]]
