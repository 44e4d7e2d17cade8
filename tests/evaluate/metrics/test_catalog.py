"""The catalog of measures: one name, one title, one best value, the same as those with intervals."""

import math

import pytest

from hedgerow.evaluate import validate
from hedgerow.evaluate.metrics import catalog, intervals
from hedgerow.evaluate.metrics.intervals import estimate
from tests.evaluate.toys import Line, decided, results_of, straight


def test_names_are_those_of_the_intervals_and_titles_are_told_apart():
    assert list(catalog.CLASS_MEASURES) == list(intervals.CLASS)
    assert list(catalog.NUMBER_MEASURES) == list(intervals.NUMBER)
    assert len(catalog.ALL) == len(catalog.CLASS_MEASURES) + len(catalog.NUMBER_MEASURES)
    assert len({one.title for one in catalog.ALL.values()}) == len(catalog.ALL)


def test_perfect_predictions_have_the_best_value():
    classes = decided([0, 1, 1, 2], [0, 1, 1, 2], ("a", "b", "c"))
    for name, measure in catalog.CLASS_MEASURES.items():
        assert measure.compute(classes) == pytest.approx(measure.best, abs=1e-12), name
    numbers = results_of([1.0, 2.0, 4.0], [1.0, 2.0, 4.0], prior=(2.0,))
    for name, measure in catalog.NUMBER_MEASURES.items():
        assert measure.compute(numbers) == pytest.approx(measure.best, abs=1e-12), name


def test_measures_of_numbers_are_those_with_intervals():
    results = validate.cross_validate(Line(), straight(), folds=5)
    for name, measure in catalog.NUMBER_MEASURES.items():
        assert estimate(results, name).value == pytest.approx(measure.compute(results)), name


def test_badness_is_the_way_to_the_best():
    known = catalog.ALL
    assert known["accuracy"].distance_from_best(0.75) == known["error"].distance_from_best(0.25) == 0.25
    assert known["bias"].distance_from_best(-2.0) == known["bias"].distance_from_best(2.0) == 2
    assert known["r2"].distance_from_best(math.nan) == math.inf
    better = {name: known[name].larger_is_better for name in ("accuracy", "r2", "brier", "median_absolute", "bias")}
    assert better == {"accuracy": True, "r2": True, "brier": False, "median_absolute": False, "bias": None}
