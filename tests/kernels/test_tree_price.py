"""Prices of leaves: the kernel finds the weakest links that the definition finds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import _kernels
from tests.reference import trees as reference_trees


@st.composite
def risky_trees(draw):
    """Trees, breadth first, in which a split never adds risk."""
    counts, risk, node = [], [float(draw(st.integers(0, 1000)))], 0
    while node < len(risk):
        n = draw(st.sampled_from([0, 2, 2, 3])) if len(risk) < 25 else 0
        counts.append(n)
        if n:
            shares = np.array(draw(st.lists(st.integers(1, 9), min_size=n, max_size=n)), dtype=float)
            kept = draw(st.sampled_from([0.0, 0.5, 0.9, 1.0]))
            risk += (risk[node] * kept * shares / shares.sum()).tolist()
        node += 1
    before = np.cumsum([1, *counts[:-1]])
    first = np.where(np.array(counts) > 0, before, 0).astype(np.int32)
    return first, np.array(counts, dtype=np.int32), np.array(risk) / 1000


@given(risky_trees(), st.lists(st.floats(0, 1), min_size=3, max_size=3))
@settings(max_examples=200)
def test_prices_give_the_trees_of_the_weakest_links(tree, asked):
    """Nodes that go at one price with their ancestor may be told either way: the trees at every price are the same."""
    first, counts, risk = tree
    found = _kernels.compute_effective_alphas(first, counts, risk, 1e-12)
    expected = np.array(reference_trees.leaf_prices(first.tolist(), counts.tolist(), risk.tolist()))
    assert found[0] == pytest.approx(expected[0], rel=1e-9, abs=1e-12)
    finite = expected[np.isfinite(expected)]
    for price in asked:
        if np.isclose(finite, price, rtol=1e-9, atol=1e-9).any():
            continue  # a price itself: rounding decides
        assert leaves(first, counts, found, price) == leaves(first, counts, expected, price)


def leaves(first, counts, prices, price):
    """The leaves of the tree pruned with a cost-complexity parameter."""
    out, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        if prices[node] <= price:
            out.append(node)
        else:
            waiting += range(first[node], first[node] + counts[node])
    return sorted(out)


@given(st.lists(st.integers(0, 10), max_size=30), st.integers(0, 99))
def test_the_least_value_above_each_node(steps, seed):
    parent = np.array([-1] + [node - min(step + 1, node) for node, step in enumerate(steps, start=1)], dtype=np.int32)
    value = np.random.default_rng(seed).normal(size=len(parent))
    found = _kernels.min_over_ancestors(parent, value)
    for node in range(len(parent)):
        above, at = [np.inf], node
        while (at := parent[at]) >= 0:
            above.append(value[at])
        assert found[node] == min(above)


def test_what_is_no_tree_is_refused():
    risk, none = np.ones(3), np.zeros(3, dtype=np.int32)
    for first, n in ((1, 1), (0, 2), (2, 2), (-1, 2)):
        bad = np.array([first, 0, 0], dtype=np.int32), np.array([n, 0, 0], dtype=np.int32)
        with pytest.raises(ValueError, match="children of a node"):
            _kernels.compute_effective_alphas(*bad, risk, 0.0)
    with pytest.raises(ValueError, match="parent"):
        _kernels.min_over_ancestors(np.array([-1, 2, 0], dtype=np.int32), risk)
    with pytest.raises(ValueError, match="differ"):
        _kernels.compute_effective_alphas(none, none[:2], risk, 0.0)
