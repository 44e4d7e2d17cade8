"""Coupling: probabilities of classes from those of pairs."""

import numpy as np
import pytest

from hedgerow.errors import ModelError
from hedgerow.models.many.coupling import couple_probabilities


def iterated(r):
    """Wu, Lin and Weng's algorithm 2 for one row; r[i, j] is the probability of i in the pair (i, j)."""
    k = len(r)
    q = np.array(
        [[(r[:, t] ** 2).sum() - r[t, t] ** 2 if s == t else -r[s, t] * r[t, s] for s in range(k)] for t in range(k)]
    )
    p = np.full(k, 1 / k)
    for _ in range(20_000):
        for t in range(k):
            p[t] = (-(q[t] @ p - q[t, t] * p[t]) + p @ q @ p) / q[t, t]
            p /= p.sum()
    return p


@pytest.mark.parametrize("k", [3, 4, 6])
def test_coupling_is_the_fixed_point_of_the_published_iteration(k):
    random = np.random.default_rng(k)
    given = random.uniform(0.05, 0.95, size=(k * (k - 1) // 2, 3))
    found = couple_probabilities(given, k)
    first, second = np.triu_indices(k, 1)
    for row in range(3):
        r = np.zeros((k, k))
        r[second, first], r[first, second] = given[:, row], 1 - given[:, row]
        np.testing.assert_allclose(found[row], iterated(r), atol=1e-9)


def test_coupling_gives_back_probabilities_that_the_pairs_came_from():
    p = np.array([[0.5, 0.3, 0.15, 0.05], [0.97, 0.01, 0.01, 0.01]])
    first, second = np.triu_indices(4, 1)
    pairs = (p[:, second] / (p[:, first] + p[:, second])).T
    np.testing.assert_allclose(couple_probabilities(pairs, 4), p, atol=1e-9)
    np.testing.assert_allclose(couple_probabilities(np.array([[0.3]]), 2), [[0.7, 0.3]])
    assert couple_probabilities(np.empty((0, 2)), 1).tolist() == [[1.0], [1.0]]


def test_coupling_of_sure_and_of_silent_pairs():
    sure = couple_probabilities(np.array([[0.0], [0.0], [1.0]]), 3)[0]
    np.testing.assert_allclose(sure, [1, 0, 0], atol=1e-6)
    cycle = couple_probabilities(np.array([[0.0], [1.0], [0.0]]), 3)[0]
    np.testing.assert_allclose(cycle, [1 / 3] * 3, atol=1e-6)
    np.testing.assert_allclose(couple_probabilities(np.full((3, 1), np.nan), 3)[0], [1 / 3] * 3)
    some = couple_probabilities(np.array([[np.nan], [0.1], [0.1]]), 3)[0]  # a and b both beat c
    np.testing.assert_allclose(some, [9 / 19, 9 / 19, 1 / 19], atol=1e-9)
    with pytest.raises(ModelError, match="3 pairs"):
        couple_probabilities(np.zeros((2, 1)), 3)


def test_swapping_classes_swaps_coupled_probabilities():
    random = np.random.default_rng(5)
    r = random.uniform(size=(3, 20))
    one = couple_probabilities(r, 3)
    # order c, b, a: pairs (c, b), (c, a), (b, a)
    other = couple_probabilities(1 - r[[2, 1, 0]], 3)
    np.testing.assert_allclose(one, other[:, ::-1], atol=1e-9)
