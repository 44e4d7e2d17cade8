"""Data frames, files and arrays wherever a Table is taken, with the name of the target."""

import numpy as np
import pytest

import hedgerow
from hedgerow import C45, DataError, UsageError

pandas = pytest.importorskip("pandas")
pytestmark = pytest.mark.filterwarnings("ignore::hedgerow.DataWarning")


def frame():
    number = np.arange(60)
    return pandas.DataFrame({"x": number % 7 * 1.0, "y": ["u", "v", "v"] * 20, "z": ["p", "q"] * 30})


@pytest.mark.parametrize("target", ["y", "z"])
def test_learners_train_on_frames(target):
    model = C45().train(frame(), target=target)
    assert model.schema.target == target
    assert model == C45().train(hedgerow.read(frame(), target=target))


def test_the_last_column_is_the_target_unless_named():
    assert C45().train(frame()).schema.target == "z"
    assert hedgerow.KMeans(n_clusters=2).train(frame()).schema.names == ("x", "y", "z", "cluster")


@pytest.mark.parametrize(
    "run",
    [
        lambda data, *target: hedgerow.cross_validate(C45(), data, *target),
        lambda data, *target: hedgerow.holdout(C45(), data, *target),
        lambda data, *target: hedgerow.leave_one_out(C45(), data, *target),
        lambda data, *target: hedgerow.bootstrap(C45(), data, *target, samples=5).results,
        lambda data, *target: hedgerow.compare(["c45"], data, *target, runs=1, folds=3),
        lambda data, *target: hedgerow.learning_curve(C45(), data, *target, sizes=[1.0], folds=3),
        lambda data, *target: hedgerow.tune(C45(), {"min_leaf": [2, 5]}).train(data, *target),
    ],
)
def test_evaluation_of_frames_is_that_of_their_table(run):
    table = hedgerow.read(frame(), target="y")
    assert repr(run(frame(), "y")) == repr(run(table)) == repr(run(frame()[["x", "z", "y"]]))
    assert "'z'" in repr(run(table, "z")) or "Comparison" in repr(run(table, "z"))


def test_parameter_curves_and_validation_splits_take_frames():
    curve = hedgerow.parameter_curve(C45(), frame(), "min_leaf", [2, 5], folds=3, target="y")
    assert curve.target == "y"
    chosen = hedgerow.validation_split([C45()], frame(), hedgerow.measures.accuracy, target="y")
    assert chosen.results.target == "y"


@pytest.mark.parametrize("numbers", [False, True])
def test_models_are_tested_on_frames(numbers):
    data = frame().assign(y=[0, 1, 1] * 20) if numbers else frame()
    model = C45().train(data, target="y")
    results = hedgerow.test(model, data)
    assert results.target == "y"
    assert hedgerow.measures.accuracy(results) == pytest.approx(2 / 3)
    assert set(hedgerow.permutation_importance(model, data)) == {"x", "z"}
    with pytest.raises(DataError, match="lack the target 'y'"):
        hedgerow.test(model, data[["x", "z"]])


def test_item_sets_of_frames():
    assert len(hedgerow.mine(frame(), 0.4)) == len(hedgerow.mine(hedgerow.read(frame()), 0.4))


def test_a_number_is_no_target():
    with pytest.raises(UsageError, match="the name of a column, not 5; give other settings by name, as in folds=5"):
        hedgerow.cross_validate(C45(), frame(), 5)
    with pytest.raises(DataError, match="no column 'q'"):
        C45().train(frame(), target="q")
