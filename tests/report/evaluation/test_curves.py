"""Curves as points: worked examples, scikit-learn's values, and no more points than needed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import DataError
from hedgerow.evaluate import validate
from hedgerow.evaluate.metrics.regression import bias
from hedgerow.report.draw.error_histogram import errors_chart
from hedgerow.report.evaluation.curves import curves, shown_classes, thin_points
from tests.evaluate.toys import Majority, blobs, loan, results_of

RANKED = "++--+--+--"
POSITIVES = [210, 120, 60, 40, 22, 18, 12, 7, 6, 5]


def scored(scores, positive, weight=None):
    """Results of two classes, "no" and "yes", by the score of yes."""
    scores = np.asarray(scores, dtype=np.float64)
    return results_of(np.asarray(positive, int), np.stack([1 - scores, scores], axis=1), ("no", "yes"), weight)


def only(results, label=None):
    return curves(results, label)["classes"][0]


def test_the_roc_curve_of_g98_and_its_area_g99():
    """G98, G99."""
    found = only(scored(np.linspace(0.95, 0.05, 10), [sign == "+" for sign in RANKED]), "yes")
    assert found["area"] == 0.75
    assert list(zip(found["roc"]["x"], found["roc"]["y"], strict=True)) == [
        *((0.0, 0.0), (0.0, 0.5), (0.33333, 0.5), (0.33333, 0.75), (0.66667, 0.75), (0.66667, 1.0), (1.0, 1.0))
    ]


def test_the_lift_table_of_g100():
    """G100."""
    positive = np.concatenate([np.arange(1000) < n for n in POSITIVES])
    found = only(scored(np.repeat(np.linspace(0.9, 0.1, 10), 1000), positive))["lift"]
    assert [part["positives"] for part in found] == pytest.approx(POSITIVES)
    assert [part["found"] for part in found][:3] == pytest.approx([0.42, 0.66, 0.78])
    assert [part["cumulative_lift"] for part in found][:6] == pytest.approx(
        [4.2, 3.3, 2.6, 2.15, 1.808, 1.566667], abs=1e-6
    )


def test_equal_scores_across_parts_are_shared_out():
    found = only(scored(np.full(20, 0.5), [True] * 5 + [False] * 15))
    assert [part["positives"] for part in found["lift"]] == pytest.approx([0.5] * 10)
    assert found["gains"] == {"x": [0.0, 1.0], "y": [0.0, 1.0]}
    assert found["area"] == 0.5


def test_areas_are_those_of_scikit_learn():
    from sklearn.metrics import average_precision_score, roc_auc_score

    rng = np.random.default_rng(4)
    scores, weight = rng.integers(0, 30, 400) / 30, rng.integers(1, 4, 400).astype(float)
    positive = rng.random(400) < scores
    found = only(scored(scores, positive, weight), "yes")
    assert found["area"] == pytest.approx(roc_auc_score(positive, scores, sample_weight=weight))
    assert found["average_precision"] == pytest.approx(average_precision_score(positive, scores, sample_weight=weight))
    drawn = np.trapezoid(found["precision_recall"]["y"], found["precision_recall"]["x"])
    assert drawn == pytest.approx(found["average_precision"], abs=2e-3)


def test_calibration_is_that_of_scikit_learn():
    from sklearn.calibration import calibration_curve

    rng = np.random.default_rng(5)
    scores = np.append(rng.random(480), np.tile(np.linspace(0, 1, 11)[:10], 2))  # edges of bins too
    positive = rng.random(500) < scores
    found = only(scored(scores, positive), "yes")["calibration"]
    true, given_ = calibration_curve(positive, scores, n_bins=10)
    assert [part["rate"] for part in found] == pytest.approx(true.tolist())
    assert [part["probability"] for part in found] == pytest.approx(given_.tolist())
    assert all(part["rate_low"] <= part["rate"] <= part["rate_high"] for part in found)


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.integers(1, 3)), min_size=1, max_size=30))
def test_a_row_of_weight_two_is_two_rows_and_order_does_not_matter(rows):
    scores, positive, weight = (np.array(part) for part in zip(*rows, strict=True))
    weighted = scored(scores / 4, positive, weight)
    repeated = scored(np.repeat(scores, weight)[::-1] / 4, np.repeat(positive, weight)[::-1])
    one, other = curves(weighted, "yes"), curves(repeated, "yes")
    assert np.array_equal(one["coverage"]["y"], other["coverage"]["y"])
    for key in ("roc", "precision_recall", "gains"):
        assert one["classes"][0][key]["y"] == pytest.approx(other["classes"][0][key]["y"], nan_ok=True)
    for key in ("positives", "lift"):
        both = ([part[key] for part in each["classes"][0]["lift"]] for each in (one, other))
        assert next(both) == pytest.approx(next(both), nan_ok=True)


def test_of_two_classes_the_rarer_one_is_shown_of_many_the_heaviest():
    assert shown_classes(scored([0.1] * 4, [1, 0, 0, 0])) == [1]
    assert shown_classes(scored([0.1] * 4, [1, 1, 1, 0])) == [0]
    actual = [code for code in range(10) for _ in range(code + 1)]
    results = results_of(actual, np.eye(10)[actual], tuple("abcdefghij"))
    assert shown_classes(results) == [3, 4, 5, 6, 7, 8, 9]
    assert curves(results, "a")["classes"][0]["label"] == "a"
    with pytest.raises(DataError, match="no class 'z'"):
        curves(results, "z")


def test_a_learner_that_ranks_nothing_draws_chance():
    results = validate.cross_validate(Majority(), loan(), folds=5)
    found = curves(results)
    assert found["classes"][0]["roc"] == {"x": [0.0, 1.0], "y": [0.0, 1.0]}
    assert found["coverage"] is None


def test_one_class_and_one_row_do_not_fail():
    found = curves(scored([0.7], [1]))
    assert found["classes"][0]["label"] == "yes"
    assert np.isnan(found["classes"][0]["area"])
    assert found["coverage"] == {"x": [1.0], "y": [1.0]}


def test_coverage_tells_the_accuracy_of_the_surest():
    results = results_of([0, 0, 1, 1], [[0.9, 0.1], [0.6, 0.4], [0.55, 0.45], [0.2, 0.8]], ("a", "b"))
    assert curves(results)["coverage"] == {"x": [0.25, 0.75, 1.0], "y": [1.0, 1.0, 0.75]}


def test_numbers_have_dots_and_errors():
    found = curves(results_of(np.arange(5000.0), np.arange(5000.0) + 1))
    assert len(found["numbers"]["actual"]) == 1000
    assert sum(found["errors"]["counts"]) == 5000
    assert found["errors"]["low"] == -found["errors"]["high"] == -1
    assert sum(curves(results_of([1.0], [1.0]))["errors"]["counts"]) == 1


def test_errors_have_the_sign_of_the_bias():
    high = results_of([1.0, 2.0, 3.0], [2.0, 3.0, 3.5])
    assert bias(high) > 0
    counts = curves(high)["errors"]["counts"]
    assert sum(counts[11:]) == 3
    assert "predicted minus actual" in errors_chart(curves(high)["errors"])


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=60))
def test_thinning_keeps_the_ends_and_strays_no_further_than_allowed(points):
    points = sorted(points)
    x, y = np.array(points).T
    kept = thin_points(x, y, close=0.01)
    assert {0, len(x) - 1} <= set(kept.tolist())
    for place in range(len(x)):
        after = min(np.searchsorted(kept, place), len(kept) - 1)
        one, other = (np.array([x[kept[end]], y[kept[end]]]) for end in (max(after - 1, 0), after))
        way, point = other - one, np.array([x[place], y[place]])
        along = np.clip((point - one) @ way / max(way @ way, 1e-300), 0, 1)
        assert np.hypot(*(one + along * way - point)) <= 0.02


def test_a_hundred_thousand_points_become_few():
    rng = np.random.default_rng(1)
    scores = rng.random(100_000)
    found = only(scored(scores, rng.random(100_000) < scores))
    for key in ("roc", "precision_recall", "gains"):
        assert len(found[key]["x"]) <= 250
    assert np.trapezoid(found["roc"]["y"], found["roc"]["x"]) == pytest.approx(found["area"], abs=1e-3)


def test_every_class_has_its_curves():
    table = blobs(3)
    found = curves(validate.cross_validate(Majority(), table))
    assert [one["label"] for one in found["classes"]] == ["setosa", "versicolor", "virginica"]
