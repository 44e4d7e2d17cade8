"""The binary problem of a kernel SVM, its results, and the reference solver."""

from math import inf, sqrt

import numpy as np
import pytest

from hedgerow.errors import DataError
from hedgerow.learn.svm.problem import SvmProblem, quality
from hedgerow.learn.svm.smo_by_hand import solve_by_hand
from hedgerow.learn.svm.solution_quality import is_endless

CORNERS = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
SIGNS = np.array([1, 1, -1])


def problem(signs: object, bounds: object = 1.0, power: int = 1) -> SvmProblem:
    signs = np.asarray(signs)
    return SvmProblem.of(np.arange(len(signs)), signs, bounds, power)  # type: ignore[arg-type]


def test_hard_margin_by_hand() -> None:
    """G93."""
    found = solve_by_hand(CORNERS @ CORNERS.T, problem(SIGNS, inf), tolerance=1e-9)
    assert found.alpha == pytest.approx([2, 2, 4])
    assert (SIGNS * found.alpha) @ CORNERS == pytest.approx([2, 2])
    assert (found.b, found.dual, found.primal) == pytest.approx((-1, 4, 4))
    assert found.margin == pytest.approx(0.707107, abs=1e-6)
    assert found.settled
    assert found.separable
    assert (found.free, found.bounded) == (3, 0)


def test_row_beyond_the_margin_changes_nothing() -> None:
    """G93, with (1, 1)+."""
    points = np.vstack([CORNERS, [[1.0, 1.0]]])
    found = solve_by_hand(points @ points.T, problem([1, 1, -1, 1], inf), tolerance=1e-9)
    assert found.alpha == pytest.approx([2, 2, 4, 0])
    assert found.b == pytest.approx(-1)
    assert found.support.tolist() == [0, 1, 2]


def test_two_points() -> None:
    """G93."""
    points = np.array([[1.0, 1.0], [0.0, 0.0]])
    found = solve_by_hand(points @ points.T, problem([1, -1], inf), tolerance=1e-9)
    assert found.alpha == pytest.approx([1, 1])
    assert found.b == pytest.approx(-1)
    assert found.margin == pytest.approx(1.414214, abs=1e-6)


def test_soft_margin_by_hand() -> None:
    """G94."""
    found = solve_by_hand(CORNERS @ CORNERS.T, problem(SIGNS, 1.0), tolerance=1e-9)
    assert found.alpha == pytest.approx([0.5, 0.5, 1])
    assert (found.b, found.primal, found.dual) == pytest.approx((0.5, 1.75, 1.75))
    assert found.values is not None
    assert 1 + found.values[2] == pytest.approx(1.5)
    assert (found.free, found.bounded) == (2, 1)


def test_xor_by_a_polynomial() -> None:
    """G94."""
    points = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
    signs = -np.sign(points[:, 0] * points[:, 1]).astype(int)
    for bound in (0.125, 1.0, inf):
        found = solve_by_hand((points @ points.T + 1) ** 2, problem(signs, bound), tolerance=1e-9)
        assert found.alpha == pytest.approx([0.125] * 4)
        assert (found.b, found.dual) == pytest.approx((0, 0.25), abs=1e-9)
        assert found.values == pytest.approx(-points[:, 0] * points[:, 1])


def test_squared_slacks_meet_their_primal() -> None:
    points = np.array([[0.0], [1.0], [2.0], [3.0]])
    found = solve_by_hand(points @ points.T, problem([1, -1, 1, -1], 3.0, power=2), tolerance=1e-10)
    w = (found.alpha * [1, -1, 1, -1]) @ points[:, 0]
    slacks = np.maximum(1 - np.array([1, -1, 1, -1]) * (points[:, 0] * w + found.b), 0)
    assert found.primal == pytest.approx(w * w / 2 + 3 * (slacks**2).sum())
    assert found.gap == pytest.approx(0, abs=1e-8)


def test_no_margin_tells_them_apart() -> None:
    found = solve_by_hand(np.ones((2, 2)), problem([1, -1], inf))
    assert not found.separable
    assert not found.settled
    assert found.primal == inf
    assert not is_endless(np.array([2.0, 2.0, 4.0]), 8.0, 1.0)


def test_start_at_the_solution_takes_no_step() -> None:
    asked = problem(SIGNS, 1.0)
    found = solve_by_hand(CORNERS @ CORNERS.T, asked, start=np.array([0.5, 0.5, 1.0]))
    assert found.iterations == 0
    assert found.dual == pytest.approx(1.75)


def test_intercept_is_the_middle_where_nothing_is_free() -> None:
    found = quality(problem([1, -1], 0.1), np.array([0.1, 0.1]), np.array([0.1, -0.1]))
    assert (found.free, found.bounded) == (0, 2)
    assert found.b == 0
    alone = quality(problem([1, 1], 1.0), np.zeros(2), np.zeros(2))
    assert alone.b == 1
    assert alone.primal == 0
    assert alone.violation == 0
    assert alone.margin == inf


def test_one_class_counts_its_offset() -> None:
    """All signs 1, p = 0, alphas that add up to 1: the primal is w.w/2 + sum C xi - rho."""
    asked = SvmProblem(np.arange(2), np.ones(2, dtype=np.int8), np.full(2, 2.0), np.zeros(2), np.zeros(2))
    points = np.array([[1.0], [3.0]])
    found = solve_by_hand(points @ points.T, asked, start=np.array([0.5, 0.5]), tolerance=1e-9)
    assert found.alpha == pytest.approx([1, 0])
    assert found.b == pytest.approx(-1)
    assert found.gap == pytest.approx(0, abs=1e-9)
    assert found.margin == pytest.approx(2 / sqrt(1))


@pytest.mark.parametrize(
    ("signs", "bounds", "ridge", "linear", "told"),
    [
        ([1, 0], [1.0, 1.0], [0.0, 0.0], None, "signs"),
        ([1, -1], [1.0, 0.0], [0.0, 0.0], None, "larger than 0"),
        ([1, -1], [1.0, np.nan], [0.0, 0.0], None, "larger than 0"),
        ([1, -1], [1.0, 1.0], [0.0, -1.0], None, "ridges"),
        ([1, -1], [1.0, 1.0], [0.0, inf], None, "ridges"),
        ([1, -1], [1.0, 1.0], [0.0, 0.0], [np.nan, 1.0], "linear"),
        ([1], [1.0, 1.0], [0.0, 0.0], None, "length"),
        ([1, -1], [1.0, 1.0], [0.0, 0.0], [1.0], "length"),
    ],
)
def test_problems_that_cannot_be(
    signs: list[int], bounds: list[float], ridge: list[float], linear: list[float] | None, told: str
) -> None:
    with pytest.raises(DataError, match=told):
        SvmProblem(
            np.arange(2),
            np.array(signs, dtype=np.int8),
            np.array(bounds),
            np.array(ridge),
            None if linear is None else np.array(linear),
        )
