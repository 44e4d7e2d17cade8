"""Trials share one table, and their predictions are put into place as they come."""

import tracemalloc

import numpy as np
import pytest

from hedgerow import C45, NaiveBayes, Table
from hedgerow.data.table.threads import map_in_order
from hedgerow.evaluate import run_split, splits, validate
from hedgerow.evaluate.results import join_results
from tests.evaluate.toys import Line, Majority, NearestMean, blobs, straight


@pytest.mark.parametrize(
    ("learner", "table"), [(NearestMean(), blobs()), (Line(), straight())], ids=["class", "number"]
)
def test_results_put_into_place_are_those_that_are_joined(learner, table):
    parts = [run_split.evaluate_split(learner, table, split) for split in splits.repeated_folds(table.target, 4, 2)]
    one, other = join_results(parts), run_split.join_in_place(iter(parts), 2 * len(table))
    for name in ("rows", "actual", "predicted", "weight", "run", "fold"):
        assert np.array_equal(getattr(one, name), getattr(other, name))
    assert one.folds == other.folds
    assert one.said is other.said is None


def test_classes_that_costs_have_changed_stay_changed():
    table = blobs(classes=2, spread=2.5)
    learner = C45(costs={"setosa:versicolor": 9})
    parts = [run_split.evaluate_split(learner, table, split) for split in splits.folds(table.target, 5)]
    assert any(part.said is not None for part in parts)
    one, other = join_results(parts), run_split.join_in_place(iter(parts), len(table))
    assert np.array_equal(one.said, other.said)
    mixed = [
        *[run_split.evaluate_split(NearestMean(), table, split) for split in splits.folds(table.target, 5)],
        *parts,
    ]
    assert np.array_equal(join_results(mixed).decided, run_split.join_in_place(iter(mixed), 2 * len(table)).decided)


def test_a_cross_validation_copies_no_columns():
    """Ten folds of copies would hold the table nine times; a view gathers a column at a time."""
    rng = np.random.default_rng(1)
    rows = 50_000
    columns = {f"x{i}": rng.normal(0, 1, rows) for i in range(20)}
    table = Table.of({**columns, "c": np.where(rng.random(rows) < 0.5, "a", "b").tolist()}, target="c")
    size = sum(values.nbytes for values in table.data)
    for learner in (NaiveBayes(), Majority()):
        validate.cross_validate(learner, table, folds=2, threads=1)  # imports
        tracemalloc.start()
        results = validate.cross_validate(learner, table, threads=1)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        kept = sum(getattr(results, name).nbytes for name in ("rows", "actual", "predicted", "weight", "run", "fold"))
        assert peak - kept < size / 2


def test_work_inside_shared_work_is_done_in_turn():
    import threading

    def inner(_):
        return threading.get_ident()

    def outer(_):
        return threading.get_ident(), set(map_in_order(inner, range(4), 4))

    for own, used in map_in_order(outer, range(4), 2):
        assert used == {own}


def test_folds_that_teach_one_class_only_are_said():
    table = Table.of({"x": [1.0, 2, 3, 4], "c": ["a", "b", "b", "b"]}, target="c")
    results = validate.cross_validate(NaiveBayes(), table, folds=4)
    assert "in 1 of 4 folds all training rows have the same class" in results.notes
    assert "2 of 2 classes have fewer rows than the 4 folds (the smallest 1)" in " ".join(results.notes)
    alone = Table.of({"x": [1.0, 2, 3, 4], "c": ["a"] * 4}, target="c")
    assert validate.cross_validate(NaiveBayes(), alone, folds=2).notes == ()
