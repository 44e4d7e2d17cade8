"""Cut points of numeric columns, and the entropy behind them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import DataError, Discretize, Table, _kernels, examples
from hedgerow.data.design.class_counts import value_counts
from hedgerow.data.design.discretize import (
    Discretizer,
    equal_frequency,
    equal_width,
    interval_codes,
    interval_names,
)
from hedgerow.layout.rounding import choose_threshold, round_within
from hedgerow.learn.clusters.code_length import entropy
from tests.reference.discretize import mdl_ends

METHODS = ["mdl", "one_r", "frequency", "width"]


def bits(*weights):
    return entropy(np.array(weights) / sum(weights))


def test_g02_entropy_of_two_class_mixes():
    """G02."""
    assert bits(0.5, 0.5) == 1
    assert bits(0.2, 0.8) == pytest.approx(0.721928, abs=5e-7)
    assert str(bits(1, 0)) == "0.0"


def test_g03_entropy_by_counts():
    """G03."""
    expected = {(2, 3): 0.970951, (4, 0): 0, (9, 5): 0.940286, (3, 4): 0.985228}
    expected |= {(6, 1): 0.591673, (6, 2): 0.811278, (3, 3): 1, (2, 4): 0.918296}
    for counts, value in expected.items():
        assert bits(*counts) == pytest.approx(value, abs=5e-7)


def test_g04_entropy_by_stages():
    """G04."""
    assert bits(2, 3, 4) == pytest.approx(1.530493, abs=5e-7)
    assert bits(2, 3, 4) == pytest.approx(bits(2, 7) + 7 / 9 * bits(3, 4))
    assert bits(*[1] * 6) == pytest.approx(2.584963, abs=5e-7)
    assert bits(0.99, 0.01) == pytest.approx(0.080793, abs=5e-7)


@st.composite
def columns(draw):
    values = draw(st.lists(st.one_of(st.integers(-5, 5), st.floats(-1e6, 1e6)), min_size=1, max_size=40))
    label = draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values)))
    return value_counts(np.array(values, dtype=float), np.array(label, dtype=np.int32), None, 3)


@given(columns(), st.sampled_from(METHODS), st.integers(2, 6))
def test_cuts_ascend_and_lie_between_different_values(counts, method, bins):
    cuts = Discretizer(method, bins, 2).cuts(counts)
    assert (np.diff(cuts) > 0).all()
    codes = interval_codes(counts.values, cuts)
    assert (np.diff(codes) >= 0).all()
    if method in ("mdl", "one_r", "frequency"):  # equal widths may leave an interval empty
        assert set(codes.tolist()) == set(range(len(cuts) + 1))
    assert len(interval_names(cuts)) == len(cuts) + 1


@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300))
def test_a_threshold_parts_its_neighbors_and_reads_back(a, b):
    low, high = min(a, b), max(a, b)
    if low < high:
        threshold = choose_threshold(low, high)
        assert low <= threshold < high
        assert float(repr(threshold)) == threshold


@given(st.floats(-1e12, 1e12), st.floats(1e-9, 1e9))
def test_near_stays_within_its_tolerance(value, tolerance):
    assert abs(round_within(value, tolerance) - value) <= tolerance


def test_equal_frequency_shares_the_weight_out():
    counts = value_counts(np.arange(100.0), np.zeros(100, dtype=np.int32), None, 1)
    codes = interval_codes(counts.values, equal_frequency(counts, 4))
    assert np.bincount(codes).tolist() == [25, 25, 25, 25]


def test_equal_width_cuts_the_range():
    counts = value_counts(np.array([0.0, 1.0, 10.0]), np.zeros(3, dtype=np.int32), None, 1)
    assert equal_width(counts, 5).tolist() == [2, 4, 6, 8]


@st.composite
def class_weights(draw):
    """Weights of ascending values by class: mixed at random, in stretches, whole or not."""
    classes, n = draw(st.integers(1, 5)), draw(st.integers(0, 60))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    stretch = np.minimum(np.arange(n) * classes // max(n, 1), classes - 1)
    code = np.where(
        random.random(n) < draw(st.sampled_from([0.0, 0.1, 0.5, 1.0])), random.integers(0, classes, n), stretch
    )
    weights = np.zeros((n, classes))
    weights[np.arange(n), code] = random.integers(1, 20, n)
    if draw(st.booleans()):
        weights = weights + random.integers(0, 3, weights.shape)
    return weights * draw(st.sampled_from([1.0, 0.25, 1.7]))


@given(class_weights())
def test_mdl_cuts_like_its_plain_twin(weights):
    assert _kernels.find_mdl_cuts(np.ascontiguousarray(weights)).tolist() == mdl_ends(weights)


def test_mdl_cuts_iris_as_published_programs_do():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    cuts = [cut.tolist() for cut in Discretize().fit(X, y).model_.cuts[:4]]
    assert cuts == [[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.8, 1.75]]


def test_a_table_keeps_its_other_columns_and_gets_named_intervals():
    table = examples.weather()
    cut = Discretize(method="frequency", bins=2).fit(table).transform(table)
    assert cut.schema.names == table.schema.names
    assert cut.schema["Temperature"].levels == ("<=73.5", ">73.5")
    assert cut.schema["Temperature"].ordered
    assert cut.schema["Outlook"] == table.schema["Outlook"]


def test_missing_values_stay_missing():
    table = Table.of({"x": [1.0, None, 3.0]})
    assert Discretize(method="width", bins=2).fit(table).transform(table)["x"].tolist() == [0, -1, 1]


def test_methods_that_need_classes_say_so():
    with pytest.raises(DataError, match="requires y"):
        Discretize().fit(np.array([[1.0], [2.0]]))
    assert Discretize(method="width").fit(np.array([[1.0], [2.0]]), [0.5, 1.5]) is not None


def test_equal_width_of_a_range_that_is_no_number():
    most = float(np.finfo(float).max)
    counts = value_counts(np.array([-most, 0.0, most]), np.zeros(3, dtype=np.int32), None, 1)
    cuts = equal_width(counts, 4)
    assert np.isfinite(cuts).all()
    assert interval_codes(counts.values, cuts).tolist() == [0, 1, 3]


def test_equal_width_leaves_infinite_numbers_out_of_the_range():
    counts = value_counts(np.array([-np.inf, 0.0, 10.0, np.inf]), np.zeros(4, dtype=np.int32), None, 1)
    assert equal_width(counts, 5).tolist() == [2, 4, 6, 8]
    alone = value_counts(np.array([-np.inf, 0.0, np.inf]), np.zeros(3, dtype=np.int32), None, 1)
    assert equal_width(alone, 5).tolist() == []
