"""Calibrators compared with scikit-learn's, and on input with little information."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression

from hedgerow.learn.calibrate import RunningTemperature, fit_sigmoid, fit_steps, fit_temperature


def drawn(n, seed=0, slope=1.5):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=n) * 2
    return values, rng.random(n) < 1 / (1 + np.exp(-slope * values + 0.7)), rng.random(n) * 3


def platt_loss(sigmoid, values, positive, weights):
    """Return the loss that Platt (1999) states, written as it is there."""
    many, few = weights[positive].sum(), weights[~positive].sum()
    target = np.where(positive, (many + 1) / (many + 2), 1 / (few + 2))
    p = 1 / (1 + np.exp(sigmoid.a * values + sigmoid.b))
    return -(weights * (target * np.log(p) + (1 - target) * np.log(1 - p))).sum()


@pytest.mark.parametrize("n", [5, 30, 1000])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_sigmoid_is_scikit_learns(n, weighted):
    values, positive, weights = drawn(n, n)
    weights = weights if weighted else np.ones(n)
    ours = fit_sigmoid(values, positive, weights if weighted else None)
    theirs = _SigmoidCalibration().fit(values, positive.astype(int), weights)
    assert np.abs(ours(values) - theirs.predict(values)).max() < 1e-3
    theirs.a, theirs.b = theirs.a_, theirs.b_
    assert platt_loss(ours, values, positive, weights) <= platt_loss(theirs, values, positive, weights) + 1e-8 * n


def test_the_sigmoid_finds_what_the_data_were_drawn_from():
    values, positive, _ = drawn(200_000)
    found = fit_sigmoid(values, positive)
    assert found.a == pytest.approx(-1.5, abs=0.03)
    assert found.b == pytest.approx(0.7, abs=0.03)


@pytest.mark.parametrize("fit", [fit_sigmoid, fit_steps])
def test_a_weight_of_two_is_a_row_shown_twice_and_none_is_no_row(fit):
    values, positive, _ = drawn(60)
    weights = np.arange(60) % 3.0
    twice = np.repeat(np.arange(60), weights.astype(int))
    one, other = fit(values, positive, weights), fit(values[twice], positive[twice])
    assert np.allclose(one(values), other(values), atol=1e-6)


@pytest.mark.parametrize("fit", [fit_sigmoid, fit_steps])
def test_the_order_of_rows_does_not_matter(fit):
    values, positive, weights = drawn(60)
    order = np.random.default_rng(1).permutation(60)
    one, other = fit(values, positive, weights), fit(values[order], positive[order], weights[order])
    assert np.allclose(one(values), other(values), atol=1e-6)


@pytest.mark.parametrize(("shift", "scale"), [(0, 1e-12), (0, 1e12), (1e6, 1), (-1e3, 1e-3)])
def test_units_of_the_values_do_not_matter(shift, scale):
    values, positive, weights = drawn(500)
    plain = fit_sigmoid(values, positive, weights)(values)
    moved = values * scale + shift
    assert np.allclose(fit_sigmoid(moved, positive, weights)(moved), plain, atol=1e-5)


@pytest.mark.parametrize("separation", [1.0, 1e-3, 1e6])
def test_classes_that_are_told_apart_have_finite_parameters(separation):
    values = np.concatenate([-np.ones(500), np.ones(500)]) * separation
    found = fit_sigmoid(values, values > 0)
    assert np.isfinite([found.a, found.b]).all()
    assert found(values)[-1] == pytest.approx(501 / 502, abs=1e-5)
    steps = fit_steps(values, values > 0)
    assert steps.shares.tolist() == [0, 1]


@pytest.mark.parametrize("n", [0, 1, 9])
@pytest.mark.parametrize("positive", [False, True])
def test_one_class_has_the_smoothed_share(n, positive):
    """Platt's targets: (N + 1) / (N + 2)."""
    rows, values = np.full(n, positive), np.linspace(-1, 3, n)
    found = fit_sigmoid(values, rows)
    share = (n + 1) / (n + 2)
    assert np.allclose(found(np.array([-5.0, 0, 5])), share if positive else 1 - share, atol=1e-6)
    steps = fit_steps(values, rows)
    assert steps.shares.tolist() == ([0.5] if n == 0 else [float(positive)])


def test_equal_values_have_the_share_of_the_class():
    values, positive = np.full(40, 3.0), np.arange(40) < 10
    target = (10 * 11 / 12 + 30 * 1 / 32) / 40
    assert fit_sigmoid(values, positive)(np.array([3.0, -8])) == pytest.approx(target, abs=1e-6)
    assert fit_sigmoid(values, positive).a == 0
    assert fit_steps(values, positive)(np.array([3.0, -8])) == pytest.approx(0.25)


def test_infinite_and_missing_values_count_as_the_largest_and_as_none():
    values, positive, _ = drawn(200)
    top = np.abs(values).max()
    odd, plain = values.copy(), values.copy()
    odd[:4], plain[:4] = [np.inf, -np.inf, np.nan, np.inf], [top, -top, 0, top]
    for fit in (fit_sigmoid, fit_steps):
        assert np.array_equal(fit(odd, positive)(odd[4:]), fit(plain, positive)(plain[4:]))
        assert np.isfinite(fit(odd, positive)(odd)).all()
        assert np.isfinite(fit(np.full(3, np.inf), positive[:3])(odd)).all()
    huge = np.array([-1e308, 1e308, 1e308, -1e308])
    for fit in (fit_sigmoid, fit_steps):
        assert fit(huge, huge > 0)(huge).round().tolist() == [0, 1, 1, 0]


def test_values_that_tell_the_contrary_have_a_sigmoid_that_falls_and_level_steps():
    values, positive, _ = drawn(300)
    assert fit_sigmoid(-values, positive).a > 0
    steps = fit_steps(-np.arange(20.0), np.arange(20) >= 10)
    assert (steps.at.tolist(), steps.shares.tolist()) == ([-19], [0.5])


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 60), st.integers(0, 10_000), st.booleans())
def test_steps_are_scikit_learns_isotonic_regression(n, seed, weighted):
    rng = np.random.default_rng(seed)
    values = rng.integers(-8, 9, n) / rng.choice([1, 3, 7])  # many ties
    positive, weights = rng.random(n) < 0.5, rng.integers(1, 4, n).astype(float)
    ours = fit_steps(values, positive, weights if weighted else None)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(values, positive, weights if weighted else None)
    asked = np.concatenate([values, rng.normal(size=20) * 8])
    assert np.allclose(ours(asked), theirs.predict(asked), atol=1e-7)


@settings(max_examples=60, deadline=None)
@given(
    hnp.arrays(np.float64, st.integers(0, 12), elements=st.floats(allow_nan=True, allow_infinity=True)),
    st.integers(0, 4095),
)
@example(np.array([2.2e-311, 0.0]), 1)
def test_any_values_have_calibrators_that_are_finite(values, bits):
    positive = np.array([bool(bits >> i & 1) for i in range(len(values))], dtype=bool)
    for fit in (fit_sigmoid, fit_steps):
        shares = fit(values, positive)(np.append(values, [np.inf, -np.inf, np.nan, 0]))
        assert ((shares >= 0) & (shares <= 1)).all()
    scores = np.column_stack([values, np.zeros(len(values)), -values])
    heat = fit_temperature(scores, positive.astype(np.int32))
    assert np.isfinite(heat.value)
    assert heat.value > 0
    assert np.allclose(heat(scores).sum(axis=1), 1)


def test_a_temperature_keeps_decisions_and_is_the_best_there_is():
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 4, 500).astype(np.int32)
    scores = rng.normal(size=(500, 4)) * 3 + 4 * np.eye(4)[labels]
    found = fit_temperature(scores, labels)
    assert np.array_equal(found(scores).argmax(axis=1), scores.argmax(axis=1))

    def loss(heat):
        return -np.log(type(found)(heat)(scores)[np.arange(500), labels]).sum()

    assert loss(found.value) < min(loss(found.value * 1.2), loss(found.value / 1.2))


def test_a_running_temperature_forgets():
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 1000).astype(np.int32)
    sure = 3 * (2 * np.eye(2)[labels] - 1)
    unsure = 3 * (2 * np.eye(2)[rng.integers(0, 2, 1000)] - 1)
    running = RunningTemperature()
    assert running.value == 1
    running.count(sure, labels, np.ones(1000))
    assert running.value < 1
    for _ in range(8):
        running.count(unsure, labels, np.ones(1000))
    assert running.value > 4
