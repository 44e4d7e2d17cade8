"""Linear models on hostile input: infinite numbers, names that look like places, weights next to nothing, files."""

import random

import numpy as np
import pytest

from hedgerow import (
    HashedLogistic,
    LeastAbsolute,
    LinearRegression,
    LocallyWeighted,
    LocallyWeightedClassifier,
    Logistic,
    MembershipRegression,
    OnlineLinearRegressor,
    Perceptron,
    Table,
)
from hedgerow.checks import example
from hedgerow.errors import HedgerowError
from hedgerow.models.files.model_file import dumps, loads
from tests.models.files.test_fuzz import survivors
from tests.work import count_calls

NUMBERS = [LinearRegression(), LeastAbsolute(), LocallyWeighted(bandwidth=0.5), OnlineLinearRegressor()]
CLASSES = [Logistic(), MembershipRegression(), LocallyWeightedClassifier(bandwidth=0.5), HashedLogistic(features=20)]


def with_odd_numbers(table):
    """The same rows, every third number infinite or beyond squares."""
    column = table.schema["size"]
    values = table["size"].copy()
    for start, odd in enumerate((np.inf, -np.inf, 1e308)):
        values[start::9] = odd
    return table.with_column(column, values)


@pytest.mark.parametrize("learner", [*NUMBERS, *CLASSES, Perceptron()], ids=lambda one: type(one).__name__)
def test_infinite_numbers_are_answered_with_finite_ones(learner):
    table = example(learner)
    model = learner.train(table)
    odd = with_odd_numbers(table)
    if learner.target_is_classes:
        shares = model.distribution(odd)
        assert np.isfinite(shares).all()
        assert shares.sum(axis=1) == pytest.approx(1)
    else:
        assert np.isfinite(model.predict(odd)).all()
        usual = np.isfinite(odd["size"]) & (np.abs(odd["size"]) < 1e300) | np.isnan(odd["size"])
        assert (model.predict(odd)[usual] == model.predict(table)[usual]).all()  # rows beside them are as before
    for row in range(3):
        model.contributions(model.align(odd).slice(row, row + 1))


def test_an_infinite_number_without_a_slope_changes_nothing():
    table = Table.of({"x": [1.0, 2.0, 3.0, None], "y": [5.0, 5.0, 5.0, 9.0]}, "y")
    model = LinearRegression().train(table)
    assert model.coefficients == {"x": 0, "x missing": 4}
    assert model.predict(Table.of({"x": [np.inf, None, -np.inf]})).tolist() == [5, 9, 5]


def test_names_that_look_like_places_of_others():
    """Places may share a name, columns never do: the table tells them apart, and predictions are by column."""
    chance = np.random.default_rng(3)
    words = np.array(["b", " missing", "c\nd", "="])
    columns = {
        "a": np.where(chance.random(80) < 0.2, np.nan, chance.normal(size=80)),
        "a missing": chance.normal(size=80),
        "a=b": chance.normal(size=80),
        "a=b missing": words[chance.integers(0, 4, 80)].tolist(),
        "": words[chance.integers(0, 4, 80)].tolist(),
    }
    table = Table.of(columns | {"y": chance.normal(size=80)}, "y")
    plain = Table.of(dict(zip("pqrst", columns.values(), strict=True)) | {"y": table["y"]}, "y")
    for learner in (LinearRegression(), LeastAbsolute()):
        model, other = learner.train(table), learner.train(plain)
        assert model.slopes.tolist() == other.slopes.tolist()
        assert model.predict(table).tolist() == other.predict(plain).tolist()
        rows = model.to_arrow().to_pylist()
        named = [(row["name"], row["column"]) for row in rows]
        assert ("a missing", "a") in named
        assert ("a missing", "a missing") in named
        assert len(set(named)) == len(named)
        loaded = loads(dumps(model))
        assert loaded == model
        assert str(loaded) == str(model)


@pytest.mark.parametrize("weight", [1e-300, 1e-9, 1e9])
def test_weights_next_to_nothing_and_huge(weight):
    chance = np.random.default_rng(0)
    x = chance.normal(size=40)
    weights = np.where(np.arange(40) < 3, weight, 1.0)
    table = Table.of({"x": x, "y": 2 * x + chance.normal(size=40)}, "y", weights=weights)
    for learner in NUMBERS:
        assert np.isfinite(learner.train(table).predict(table)).all()
    without = LeastAbsolute().train(table.slice(3, 40)).predict(table)
    if weight < 1e-8:
        assert LeastAbsolute().train(table).predict(table) == pytest.approx(without, abs=1e-5)


def test_every_row_left_out_of_a_class_of_its_own_is_wrong():
    """Shares of rows add up to 1 but for rounding, which must not make a file that cannot be read."""
    for rows in range(3, 40):
        table = Table.of({"x": np.arange(float(rows)), "y": [f"c{i}" for i in range(rows)]}, "y")
        model = LocallyWeightedClassifier(bandwidth=1).train(table.with_weights(np.full(rows, 0.1)))
        assert loads(dumps(model)) == model


def test_the_names_of_very_many_places_are_made_at_once():
    """The work of naming them grows in proportion to their number."""

    def calls(levels):
        table = Table.of({"x": [f"l{i % levels}" for i in range(2 * levels)], "y": np.arange(2.0 * levels)}, "y")
        model = LinearRegression().train(table)
        assert model.to_arrow().num_rows == model.design.width + 1 == levels
        return count_calls(model.to_arrow)

    assert calls(2000) < 2.2 * calls(1000)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("learner", [*NUMBERS, *CLASSES], ids=lambda one: type(one).__name__)
def test_changed_files_are_refused_or_predict_finite_numbers(learner):
    table, loaded = example(learner), 0
    for model in survivors(learner.train(table), random.Random(5), 80, texts=0.7, arrays=0.5):
        loaded += 1
        str(model)
        if model.schema.names != table.schema.names:
            continue
        try:
            said = model.distribution(table) if learner.target_is_classes else model.predict(table)
        except HedgerowError:  # a column is of another kind now
            continue
        assert np.isfinite(said).all()
    assert loaded > 5
