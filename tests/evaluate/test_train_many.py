"""Learners that train many models at once: results and choice are the same as for one model after the other."""

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest

from hedgerow import C45, CARTRegressor, NaiveBayes, Table
from hedgerow.data.table.schema import Kind
from hedgerow.errors import ModelError, UsageError
from hedgerow.evaluate import train_many, validate
from hedgerow.evaluate.tune import tune
from hedgerow.learn.train_many import TrainsMany
from tests.evaluate.toys import blobs, loan, straight


class Trees(C45, TrainsMany):
    """C4.5 trees, the last first; how often a table was gone through is counted."""

    calls = 0

    def learn_each(self, table, learners):
        Trees.calls += 1
        for place in reversed(range(len(learners))):
            yield place, learners[place].learn(table)


class NumberTrees(CARTRegressor, TrainsMany):
    def learn_each(self, table, learners):
        yield from ((place, one.learn(table)) for place, one in enumerate(learners))


class Forgets(Trees):
    def learn_each(self, table, learners):
        yield 0, learners[0].learn(table)


GRID = {"min_leaf": [1, 2, 5], "confidence": [0.1, 0.4]}


def plain(fold):
    return replace(fold, train_seconds=0.0, test_seconds=0.0)


def same(one, other):
    for name in ("rows", "actual", "predicted", "weight", "run", "fold"):
        assert np.array_equal(getattr(one, name), getattr(other, name))
    assert not one.has_classes or np.array_equal(one.decided, other.decided)
    assert [plain(fold) for fold in one.folds] == [plain(fold) for fold in other.folds]
    assert (one.method, one.seed, one.notes, one.parameters) == (
        other.method,
        other.seed,
        other.notes,
        other.parameters,
    )


def holed(seed=0):
    """A table with missing values, weights, rows without a target, groups and three classes."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=90)
    codes = np.clip((x + rng.normal(size=90) * 0.5).round() + 1, 0, 2).astype(int)
    label = np.array(["ä", "b", "c"], dtype=object)[codes]
    label[::17] = None
    shade = [None if i % 9 == 0 else f"s{i % 4}" for i in range(90)]
    columns = {"x": np.where(rng.random(90) < 0.1, np.nan, x), "shade": shade}
    who = [f"p{i // 3}" for i in range(90)]
    return Table.of({**columns, "who": who, "class": list(label)}, target="class").with_weights(rng.random(90) + 0.5)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("group", [None, "who"])
def test_results_are_those_of_each_alone(threads, group):
    learners = [Trees(min_leaf=n) for n in (1, 4, 9)]
    alone = [validate.cross_validate(C45(min_leaf=n), holed(), 4, 2, group=group) for n in (1, 4, 9)]
    found = list(validate.cross_validate_each(learners, holed(), 4, 2, threads=threads, group=group))
    for one, other in zip(found, alone, strict=True):
        same(replace(one, learner=other.learner), other)


@pytest.mark.parametrize("table", [blobs(), loan(), holed()], ids=["blobs", "loan", "holed"])
@pytest.mark.parametrize("rule", ["best", "1se"])
def test_the_choice_and_its_figures_are_the_same(table, rule):
    quick, slow = (tune(learner, GRID, rule, folds=4) for learner in (Trees(), C45()))
    Trees.calls = 0
    one, other = quick.choose(table), slow.choose(table)
    assert Trees.calls == 4  # once a fold
    assert [c.result for c in one.candidates] == [c.result for c in other.candidates]
    assert [c.estimate for c in one.candidates] == [c.estimate for c in other.candidates]
    assert (one.text, one.reason) == (other.text, other.reason)
    assert str(one.train(table)) == str(other.train(table))


def test_numbers_are_tried_together_too():
    learners = [NumberTrees(min_samples_leaf=n) for n in (2, 3)]
    for one, learner in zip(validate.cross_validate_each(learners, straight(), 3), learners, strict=True):
        same(one, validate.cross_validate(learner, straight(), 3))


def test_few_predictions_are_held_at_a_time(monkeypatch):
    table = holed()
    learners = [Trees(min_leaf=n) for n in range(1, 8)]
    whole = list(validate.cross_validate_each(learners, table, 3))
    monkeypatch.setattr(train_many, "MOST_CELLS", 90 * 3 * 2)  # two learners at a time
    Trees.calls = 0
    told = []
    parts = list(validate.cross_validate_each(learners, table, 3, progress=lambda *at: told.append(at), threads=1))
    assert Trees.calls == 4 * 3
    assert told == [(i, 21) for i in range(1, 22)]
    for one, other in zip(parts, whole, strict=True):
        same(one, other)


def test_models_are_not_kept():
    alive = []

    class Counts(Trees):
        def learn_each(self, table, learners):
            for place, learner in enumerate(learners):
                gc.collect()
                assert sum(ref() is not None for ref in alive) <= 2  # the last, and its name in the loop
                model = learner.learn(table)
                alive.append(weakref.ref(model.root) if hasattr(model, "root") else weakref.ref(model))
                yield place, model

    list(validate.cross_validate_each([Counts(min_leaf=n) for n in range(1, 7)], blobs(), 2, threads=1))
    assert len(alive) == 12


@pytest.mark.parametrize("learners", [[C45(), C45(min_leaf=5)], [Trees()], [Trees(), C45()], [NaiveBayes(), C45()]])
def test_others_are_tried_one_after_the_other_and_progress_counts_all_folds(learners):
    Trees.calls = 0
    told = []
    found = list(validate.cross_validate_each(learners, blobs(), 3, progress=lambda *at: told.append(at)))
    assert Trees.calls == 0
    assert told == [(i, 3 * len(learners)) for i in range(1, 3 * len(learners) + 1)]
    for one, learner in zip(found, learners, strict=True):
        same(one, validate.cross_validate(learner, blobs(), 3))


def test_tuning_tells_its_progress_by_folds():
    told = []
    tune(Trees(), GRID, folds=3).choose(blobs(), lambda *at: told.append(at))
    assert told == [(i, 18) for i in range(1, 19)]


def test_learners_that_see_other_columns_learn_for_themselves():
    class Picky(Trees):
        def accepted_kinds(self):
            return self.takes if self.min_leaf < 3 else frozenset({Kind.NOMINAL})

    learners = [Picky(min_leaf=1), Picky(min_leaf=5)]
    Trees.calls = 0
    found = dict(learners[0].train_each(holed(), learners))
    assert Trees.calls == 0
    assert [str(found[i]) for i in (0, 1)] == [str(one.train(holed())) for one in learners]


def test_a_model_that_is_missing_is_an_error():
    with pytest.raises(ModelError, match=r"should have trained 2 models, but trained 1"):
        list(validate.cross_validate_each([Forgets(), Forgets(min_leaf=3)], blobs(), 2))


def test_parameters_out_of_range_are_refused():
    with pytest.raises(UsageError, match="min_leaf"):
        list(validate.cross_validate_each([Trees(), Trees(min_leaf=-1)], blobs(), 2))


def test_models_say_how_they_came_about():
    learners = [Trees(min_leaf=2), Trees(min_leaf=5)]
    for place, model in learners[0].train_each(holed(), learners):
        about = replace(learners[place].train(holed()).about, sketch=None)
        assert model.about == about
