"""Calibrators as values: what they say, and their parts in files."""

import numpy as np
import pytest

from hedgerow.errors import ModelError
from hedgerow.models.linear.calibrator import IsotonicSteps, Sigmoid, Temperature, read_calibrator

STEPS = IsotonicSteps(np.array([-1.0, 0.5, 2.0]), np.array([0.0, 0.25, 1.0]))
ALL = [Sigmoid(-1.5, 0.25), STEPS, Temperature(0.5)]


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.kind)
def test_parts_come_back(one):
    assert read_calibrator(one.to_dict()) == one


def test_the_told_function_is_the_one_that_is_used():
    f, exp = 0.3, np.exp
    sigmoid = Sigmoid(-1.5, -0.25)
    assert sigmoid.description == "1 / (1 + exp(-1.5 f - 0.25))"
    assert sigmoid(np.array([f]))[0] == pytest.approx(1 / (1 + exp(-1.5 * f - 0.25)))
    assert Temperature(0.5).description == "exp(score / 0.5), normalized to sum to 1"
    assert Temperature().description == "exp(score), normalized to sum to 1"
    assert STEPS.description == "increases with f from -1 to 2 over 3 points: probabilities from 0 to 1"
    assert IsotonicSteps(np.zeros(1), np.full(1, 0.25)).description == "always 0.25"


def test_values_beyond_all_bounds_have_probabilities():
    odd = np.array([np.inf, -np.inf, np.nan, 1e308, -1e308])
    assert Sigmoid(-2.0, 0.0)(odd).round(6).tolist() == [1, 0, 0.5, 1, 0]
    assert Sigmoid(0.0, 0.0)(odd).tolist() == [0.5] * 5
    assert STEPS(odd).tolist() == [1, 0, STEPS(np.zeros(1))[0], 1, 0]
    shares = Temperature(1e-9)(np.array([[np.inf, 0, -np.inf], [np.nan, 0, 0], [1e308, 1e308, -1e308]]))
    assert shares.round(6).tolist() == [[1, 0, 0], [pytest.approx(1 / 3, abs=1e-5)] * 3, [0.5, 0.5, 0]]


def test_what_is_given_is_not_changed():
    scores = np.array([[1.0, 2.0]])
    Temperature(2.0)(scores)
    assert scores.tolist() == [[1, 2]]


@pytest.mark.parametrize(
    "parts",
    [
        None,
        [],
        {},
        {"kind": "line"},
        {"kind": ["sigmoid"]},
        {"kind": "sigmoid", "a": 1.0},
        {"kind": "sigmoid", "a": np.inf, "b": 0.0},
        {"kind": "sigmoid", "a": "1", "b": 0.0},
        {"kind": "sigmoid", "a": 1.0, "b": 0.0, "c": 0.0},
        {"kind": "temperature", "value": 0.0},
        {"kind": "temperature", "value": -1.0},
        {"kind": "temperature", "value": float("nan")},
        {"kind": "steps", "at": np.zeros(0), "shares": np.zeros(0)},
        {"kind": "steps", "at": np.array([0.0, 0.0]), "shares": np.array([0.0, 1.0])},
        {"kind": "steps", "at": np.array([0.0, 1.0]), "shares": np.array([1.0, 0.0])},
        {"kind": "steps", "at": np.array([0.0, 1.0]), "shares": np.array([0.0, 1.5])},
        {"kind": "steps", "at": np.array([0.0, 1.0]), "shares": np.array([-0.5, 1.0])},
        {"kind": "steps", "at": np.array([0.0, 1.0]), "shares": np.array([0.5])},
        {"kind": "steps", "at": np.array([0.0, np.nan]), "shares": np.array([0.0, 1.0])},
        {"kind": "steps", "at": np.array([0.0, 1e308]), "shares": np.array([0.0, 1.0])},
        {"kind": "steps", "at": [0.0, 1.0], "shares": np.array([0.0, 1.0])},
    ],
)
def test_parts_that_do_not_fit_are_refused_with_a_sentence(parts):
    with pytest.raises(ModelError, match=r"its|it"):
        read_calibrator(parts)
