"""Validation of learners: the same results for any number of threads, also with missing and unknown classes."""

import numpy as np
import pytest

from hedgerow.data.table.table import Table
from hedgerow.errors import DataError, DataWarning, UsageError
from hedgerow.evaluate import validate
from hedgerow.evaluate.metrics import measures, regression
from tests.evaluate.toys import Line, Majority, NearestMean, blobs, loan, straight


def same(one, other):
    arrays = ("rows", "actual", "predicted", "weight", "run", "fold")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)


def test_the_majority_class_is_right_for_9_of_15_loans_g01():
    """G01: always Yes, accuracy 0.6."""
    table = loan()
    results = validate.test(Majority().train(table), table)
    assert measures.accuracy(results) == pytest.approx(0.6)
    assert measures.confusion(results).sum(axis=0).tolist() == [0, 15]
    assert measures.accuracy(validate.leave_one_out(Majority(), table)) == pytest.approx(0.6)


@pytest.mark.parametrize("threads", [2, 5])
def test_results_do_not_depend_on_the_number_of_threads(threads):
    table = blobs()
    one = validate.cross_validate(NearestMean(), table, runs=2, threads=1)
    many = validate.cross_validate(NearestMean(), table, runs=2, threads=threads)
    assert same(one, many)
    assert [(f.run, f.fold, f.prior) for f in one.folds] == [(f.run, f.fold, f.prior) for f in many.folds]


def test_every_learner_gets_the_same_folds():
    mine = validate.cross_validate(NearestMean(), blobs())
    base = validate.cross_validate(Majority(), blobs())
    assert np.array_equal(mine.rows, base.rows)
    assert np.array_equal(mine.fold, base.fold)


def test_results_tell_how_they_came_about():
    results = validate.cross_validate(NearestMean(), blobs(), folds=5, runs=2, seed=7)
    assert results.learner == "nearest_mean"
    assert results.parameters == {"metric": "euclidean"}
    assert results.method == "stratified 5-fold cross-validation, 2 runs"
    assert (results.seed, results.n_runs, len(results.folds), len(results)) == (7, 2, 10, 300)
    assert all(fold.train_weight == 120 and fold.test_weight == 30 for fold in results.folds)
    assert all(fold.model_size == 3 for fold in results.folds)
    assert all(fold.train_seconds > 0 and fold.test_seconds > 0 for fold in results.folds)
    assert results.folds[0].prior == pytest.approx((1 / 3, 1 / 3, 1 / 3))


def test_parts_by_fold_make_up_the_whole():
    results = validate.cross_validate(NearestMean(), blobs(), folds=4, runs=2)
    parts = list(results.by_fold())
    assert [len(part.folds) for part in parts] == [1] * 8
    assert sum(len(part) for part in parts) == len(results)
    assert {(part.folds[0].run, part.folds[0].fold) for part in parts} == {(r, f) for r in range(2) for f in range(4)}


def test_progress_is_told_after_every_fold():
    seen = []
    validate.cross_validate(Majority(), loan(), folds=3, runs=2, progress=lambda *at: seen.append(at))
    assert seen == [(done, 6) for done in range(1, 7)]


def test_rows_without_a_class_are_left_out_and_counted():
    table = Table.of({"x": [1, 2, 3, 4, 5], "c": ["a", None, "b", "a", "b"]}, target="c")
    results = validate.cross_validate(Majority(), table, folds=2)
    assert sorted(results.rows.tolist()) == [0, 2, 3, 4]
    assert results.notes == ("1 of 5 rows is left out, for its 'c' is missing",)


def test_too_many_folds_are_made_fewer_and_said():
    results = validate.cross_validate(Majority(), loan(), folds=20)
    assert results.method == "stratified 15-fold cross-validation"
    assert results.notes[0].startswith("20 folds were requested, but only 15 rows")
    assert "fewer rows than the 10 folds" in validate.cross_validate(Majority(), loan()).notes[0]


def test_a_training_part_of_one_class_works():
    table = Table.of({"x": [1, 2, 3], "c": ["a", "a", "b"]}, target="c")
    results = validate.leave_one_out(NearestMean(), table)
    assert results.decided.tolist() == [0, 0, 0]


def test_a_holdout_tests_a_third():
    results = validate.holdout(NearestMean(), blobs(), runs=3)
    assert results.method == "holdout, 33% to test on, 3 runs"
    assert [fold.test_weight for fold in results.folds] == [50, 50, 50]
    assert measures.accuracy(results) > 0.7


def test_numbers_are_cross_validated_too():
    results = validate.cross_validate(Line(), straight(), folds=5)
    assert not results.has_classes
    assert regression.r2(results) > 0.9
    assert sorted(results.rows.tolist()) == list(range(60))


def test_weights_travel_to_the_results():
    table = loan().with_weights(np.arange(1, 16, dtype=np.float64))
    results = validate.cross_validate(Majority(), table, folds=3)
    assert np.array_equal(results.weight, results.rows + 1.0)


def test_the_best_learner_on_the_validation_part_is_tested_on_a_third_part():
    chosen = validate.validation_split([Majority(), NearestMean()], blobs(), measures.accuracy)
    assert chosen.learner.name == "nearest_mean"
    tried = {row for results in chosen.candidate_results for row in results.rows.tolist()}
    assert not tried & set(chosen.results.rows.tolist())
    assert chosen.results.folds[0].train_weight == 120
    with pytest.raises(UsageError, match="nothing to choose from"):
        validate.validation_split([], blobs(), measures.accuracy)


def test_classes_that_the_model_does_not_know_count_as_errors():
    table = Table.of({"x": [0.1, 2.5, 9.0], "Class": ["Yes", "No", "Perhaps"]}, target="Class")
    results = validate.test(NearestMean().train(loan()), table)
    assert results.labels == ("No", "Yes", "Perhaps")
    assert results.actual.tolist() == [1, 0, 2]
    assert measures.accuracy(results) == pytest.approx(2 / 3)
    assert results.notes == ("the model does not know the class 'Perhaps': such rows count as errors",)
    table = Table.of({"x": [0.1, 2.5, 9.0], "Class": ["Yes", "Never", "Perhaps"]}, target="Class")
    notes = validate.test(NearestMean().train(loan()), table).notes
    assert notes == ("the model does not know the classes 'Never', 'Perhaps': such rows count as errors",)


def test_testing_needs_a_target():
    model = Majority().train(loan())
    with pytest.raises(DataError, match="lack the target 'Class'"):
        validate.test(model, Table.of({"x": [1.0]}))
    empty = Table.of({"x": [1.0], "Class": [None]}, target="Class", levels={"Class": ["No", "Yes"]})
    with pytest.raises(DataError, match="missing in every row"):
        validate.test(model, empty)


def test_impossible_trials_are_refused_in_words():
    with pytest.raises(UsageError, match="at least 2"):
        validate.cross_validate(Majority(), loan(), folds=1)
    with pytest.raises(DataError, match="no target column"):
        validate.cross_validate(Majority(), Table.of({"x": [1.0, 2.0]}))


def test_an_error_in_a_fold_comes_through():
    class Broken(Majority):
        def train(self, table):  # noqa: ARG002
            raise DataError("nothing to learn")

    with pytest.raises(DataError, match="nothing to learn"):
        validate.cross_validate(Broken(), loan(), threads=2)


def test_files_and_frames_can_be_tried_as_they_are(tmp_path):
    import pandas as pd

    from hedgerow import NaiveBayes, examples

    (tmp_path / "loan.csv").write_text(examples.loan_csv())
    frame = pd.read_csv(tmp_path / "loan.csv", dtype={"Has_Job": str, "Own_House": str})
    learner = NaiveBayes()
    expected = validate.cross_validate(learner, examples.loan(), folds=3)
    with pytest.warns(DataWarning, match="'ID'"):
        by_path = validate.cross_validate(learner, tmp_path / "loan.csv", folds=3)
    with pytest.warns(DataWarning, match="'ID'"):
        by_frame = validate.cross_validate(learner, frame, folds=3)
    assert measures.accuracy(by_path) == measures.accuracy(expected)
    assert len(by_frame) == 15
