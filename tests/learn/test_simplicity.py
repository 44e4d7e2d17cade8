"""Simplicity first: one rule for pruning and tuning."""

import math

import pytest

from hedgerow.learn.simplicity import simplest_near_best


def test_the_simplest_within_one_standard_error_is_kept():
    pick = simplest_near_best([0.4, 0.31, 0.28, 0.30], [0.05, 0.04, 0.03, 0.05])
    assert (pick.kept_index, pick.best, pick.n_near) == (1, 2, 3)
    assert pick.limit == pytest.approx(0.31)


def test_within_zero_keeps_the_simplest_of_the_best():
    assert simplest_near_best([0.3, 0.2, 0.2], [0.5, 0.5, 0.5], 0.0)[:3] == (1, 1, 2)


def test_errors_that_differ_by_rounding_are_equal():
    assert simplest_near_best([0.1 + 0.2, 0.3], [0.0, 0.0]).best == 0
    assert simplest_near_best([1.0000001e-13, 1e-13], [0.0, 0.0]).best == 1


def test_undefined_errors_are_never_near_and_undefined_standard_errors_count_as_none():
    assert simplest_near_best([math.nan, 0.3, 0.2], [math.nan, 0.1, math.nan])[:3] == (2, 2, 1)
    assert simplest_near_best([math.nan, math.nan], [0.0, 0.0])[:3] == (0, 0, 0)
    assert simplest_near_best([math.inf, math.inf], [0.0, 0.0])[:2] == (0, 0)
