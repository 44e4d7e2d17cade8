"""Curves over training sizes and over a parameter."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import C45, CARTRegressor, NaiveBayes
from hedgerow.errors import UsageError
from hedgerow.evaluate import splits, validate
from hedgerow.evaluate.learning_curve import SIZES, learning_curve, parameter_curve
from hedgerow.evaluate.metrics import intervals
from hedgerow.evaluate.tune import tune
from hedgerow.layout.json_values import to_json
from hedgerow.report.comparison.curve import curve_report
from hedgerow.report.whole.text import render
from tests.evaluate.toys import Line, Majority, NearestMean, blobs, loan, straight


@given(st.lists(st.integers(0, 3), min_size=2, max_size=80), st.integers(0, 5))
def test_every_beginning_of_spread_rows_holds_each_class_by_its_share(codes, seed):
    codes = np.array(codes, dtype=np.int32)
    order = splits.spread(np.arange(len(codes)), codes, seed)
    assert sorted(order.tolist()) == list(range(len(codes)))
    shares = np.bincount(codes, minlength=4) / len(codes)
    for n in range(1, len(codes) + 1):
        assert np.abs(np.bincount(codes[order[:n]], minlength=4) - n * shares).max() <= 2


def test_training_sets_grow_one_inside_the_next_and_the_test_rows_stay():
    seen = []

    class Watching(NearestMean):
        def train(self, table):
            seen.append(set(np.round(table.numbers(0), 9).tolist()))
            return super().train(table)

    table = blobs()
    curve = learning_curve(Watching(), table, [0.2, 0.5, 1.0], folds=3, threads=1)
    assert [point.rows for point in curve.points] == [20, 50, 100]
    for fold in range(3):
        small, middle, large = seen[3 * fold : 3 * fold + 3]
        assert small < middle < large
        assert len(large) == 100


def test_the_last_point_is_the_cross_validation():
    table = blobs()
    curve = learning_curve(NaiveBayes(), table, folds=5, runs=2, seed=3)
    results = validate.cross_validate(NaiveBayes(), table, folds=5, runs=2, seed=3)
    last = curve.points[-1]
    assert last.test == intervals.estimate(results, "error")
    assert last.rows == 120
    assert [point.at for point in curve.points] == list(SIZES)
    assert curve.method == "5-fold cross-validation, 2 runs"


def test_the_training_error_is_that_of_the_rows_learned_from():
    table = blobs()
    curve = learning_curve(NearestMean(), table, [1.0], folds=2)
    errors = []
    for split in splits.folds(table.target, 2):
        part = table.take(split.train)
        model = NearestMean().train(part)
        errors.append((model.decide(part) != part.target).mean())
    assert curve.points[0].training == pytest.approx(np.mean(errors))


def test_more_rows_teach_more_until_nothing_is_left_to_learn():
    curve = learning_curve(C45(), blobs(each=150), [5, 20, 80, 1.0], folds=5)
    errors = [point.test.value for point in curve.points]
    assert errors[0] > errors[-1] + 0.1
    assert all(math.isfinite(point.size) for point in curve.points)
    assert curve.points[0].size <= curve.points[-1].size


def test_sizes_are_put_in_order_and_large_ones_are_all_rows():
    curve = learning_curve(Majority(), loan(), [1.0, 5, 0.2, 500], folds=3)
    assert [point.at for point in curve.points] == [0.2, 5, 1.0, 500]
    assert [point.rows for point in curve.points] == [2, 5, 10, 10]
    assert curve.notes[-1] == "a training part has only 10 rows, which replaces the sizes 500"
    assert curve.x.tolist() == [2, 5, 10, 10]
    assert curve.labels == ("2", "5", "10", "10")


def test_a_curve_over_a_parameter_is_a_cross_validation_a_value():
    table = blobs()
    curve = parameter_curve(C45(), table, "min_leaf", [1, 10, 60], folds=4)
    for point in curve.points:
        results = validate.cross_validate(C45(min_leaf=point.at), table, folds=4)
        assert point.test == intervals.estimate(results, "error")
    assert curve.over == "min_leaf"
    assert curve.x.tolist() == [1, 10, 60]
    assert curve.points[0].training < curve.points[-1].training
    assert curve.best in curve.points[:2]


def test_parameters_that_are_no_numbers_stand_in_order():
    curve = parameter_curve(NaiveBayes(), blobs(), "density", ["normal", "kernel", "bins"], folds=3)
    assert curve.x.tolist() == [0, 1, 2]
    assert curve.labels == ("normal", "kernel", "bins")
    assert parameter_curve(NaiveBayes(), blobs(), "m", [None, 2], folds=2).labels == ("none", "2")


def test_other_measures_and_numbers():
    assert learning_curve(NearestMean(), blobs(), [1.0], folds=3, measure="auc").points[0].test.value > 0.8
    curve = learning_curve(Line(), straight(), [0.5, 1.0], folds=3)
    assert curve.measure == "mae"
    assert parameter_curve(CARTRegressor(), straight(), "min_samples_leaf", [2, 30], measure="r2").best.at == 2


def test_a_tuned_learner_has_a_learning_curve_too():
    curve = learning_curve(tune(C45(), {"min_leaf": [2, 20]}, folds=2), blobs(), [0.5, 1.0], folds=2)
    assert len(curve.points) == 2


@pytest.mark.parametrize("threads", [1, 3])
def test_curves_do_not_depend_on_the_number_of_threads(threads):
    def values(n):
        return [point.test for point in learning_curve(NaiveBayes(), blobs(), folds=4, threads=n).points]

    assert values(threads) == values(1)


def test_progress_is_told_after_every_fold():
    seen = []
    learning_curve(Majority(), loan(), [0.5, 1.0], folds=3, progress=lambda *at: seen.append(at))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_the_report_holds_plain_values_and_prints_as_a_table():
    report = curve_report(parameter_curve(C45(), blobs(), "min_leaf", [1, 60], folds=3))
    assert '"over": "min_leaf"' in to_json(report)
    text = render(report)
    assert "c45 for species: curve over min_leaf, 3-fold cross-validation, seed 1" in text
    assert text.splitlines()[2].split() == [
        "min_leaf",
        "error",
        "rate",
        "95",
        "%",
        "on",
        "training",
        "rows",
        "model",
        "size",
        "training",
        "time",
    ]
    assert (
        "* best on the test rows, so its estimate is optimistic; `tune` chooses a value without the test rows" in text
    )
    rows = render(curve_report(learning_curve(NaiveBayes(), blobs(), [0.5, 1.0], folds=3)))
    assert "model size" not in rows


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: learning_curve(Majority(), loan(), []), "at least one size"),
        (lambda: learning_curve(Majority(), loan(), [0.0]), "share of at most 1 or a whole number of rows, not 0"),
        (lambda: learning_curve(Majority(), loan(), [2.5]), "not 2.5"),
        (lambda: learning_curve(Majority(), loan(), [math.nan]), "not nan"),
        (lambda: learning_curve(C45(), blobs(), measure="eror"), "did you mean 'error'"),
        (lambda: parameter_curve(C45(), blobs(), "leaf", [1]), "c45 has no parameter 'leaf'"),
        (lambda: parameter_curve(C45(), blobs(), "min_leaf", []), "needs at least one value"),
        (lambda: parameter_curve(C45(), blobs(), "min_leaf", [0]), "min_leaf=0 is not allowed"),
    ],
)
def test_impossible_curves_are_refused_in_words(call, words):
    with pytest.raises(UsageError, match=words):
        call()
