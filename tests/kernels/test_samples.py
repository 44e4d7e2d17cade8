"""Kernels for samples and the trees grown on them: counts of draws, and class counts of nodes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import _kernels
from hedgerow.models.base.decisions import decisions


@given(st.integers(1, 40), st.integers(0, 99))
def test_picks_are_counted(n, seed):
    random = np.random.default_rng(seed)
    order, picks = random.permutation(n), random.integers(n, size=2 * n)
    found = _kernels.count_picks(order, picks)
    assert found.dtype == np.int64
    assert found.tolist() == np.bincount(order[picks], minlength=n).tolist()


@pytest.mark.parametrize(("order", "picks"), [([0, 1], [2]), ([0, 1], [-1]), ([0, 2], [1]), ([-1, 0], [0]), ([], [0])])
def test_picks_outside_are_refused(order, picks):
    with pytest.raises(IndexError, match="out of range"):
        _kernels.count_picks(np.array(order, dtype=np.int64), np.array(picks, dtype=np.int64))


@given(st.integers(1, 7), st.integers(1, 30), st.integers(0, 99))
def test_shares_of_classes(k, n, seed):
    tallies = np.random.default_rng(seed).integers(0, 4, (n, k)).astype(float)
    tallies[:, 0] += tallies.sum(axis=1) == 0
    totals, shares, best = _kernels.compute_class_shares(tallies)
    plain = tallies / tallies.sum(axis=1, keepdims=True)
    assert totals.tolist() == tallies.sum(axis=1).tolist()
    assert shares.reshape(n, k).tolist() == plain.tolist()
    assert best.tolist() == decisions(plain).tolist()


@pytest.mark.parametrize("wrong", [0.0, 0.5, -1.0, 1e15, np.inf, np.nan])
def test_shares_are_told_of_whole_weights_only(wrong):
    assert _kernels.compute_class_shares(np.array([[1.0, 2.0], [wrong, 0.0]])) is None
