"""The kD-tree gives exactly the neighbors of a comparison with every row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import _kernels
from tests.reference_local import nearest, squares

NO_CODES = np.empty((0, 0), dtype=np.int32)


def columns(random, rows, numbers, codes, ties, missing):
    made = random.normal(size=(numbers, rows))
    made = np.round(made) if ties else made
    made[random.random(made.shape) < missing] = np.nan
    levels = random.integers(0, 4, size=(codes, rows)).astype(np.int32)
    levels[random.random(levels.shape) < missing] = -1
    return made, levels


def found(tree, numbers, codes, k, threads=1):
    rows, distances = np.empty((numbers.shape[1], k), np.int32), np.empty((numbers.shape[1], k))
    _kernels.kd_nearest(tree, numbers, codes, rows, distances, threads)
    return rows, distances


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(1, 700),
    st.integers(0, 5),
    st.integers(0, 3),
    st.booleans(),
    st.sampled_from([0.0, 0.2]),
)
def test_neighbors_are_those_of_brute_force(seed, rows, numbers, codes, ties, missing):
    random = np.random.default_rng(seed)
    own = columns(random, rows, numbers, codes, ties, missing)
    asked = columns(random, 5, numbers, codes, ties, missing)
    gaps = random.uniform(0.1, 3, numbers)
    tree = _kernels.kd_build(*own, gaps, 1)
    k = int(random.integers(1, min(rows, 40) + 1))
    got, distances = found(tree, *asked, k)
    limits = distances[:, -1].copy()
    starts, within, within_squares = _kernels.kd_within(tree, *asked, limits, 1)
    for query in range(5):
        exact = squares(*own, gaps, asked[0][:, query], asked[1][:, query])
        want = nearest(exact, k)
        assert got[query].tolist() == want.tolist()
        assert distances[query].tolist() == exact[want].tolist()  # to the last bit
        inside = nearest(exact, np.count_nonzero(exact <= limits[query]))
        assert within[starts[query] : starts[query + 1]].tolist() == inside.tolist()
        assert within_squares[starts[query] : starts[query + 1]].tolist() == exact[inside].tolist()


def test_neighbors_are_those_of_scipy_at_any_number_of_threads():
    from scipy.spatial import cKDTree

    random = np.random.default_rng(3)
    points, asked = random.normal(size=(5000, 4)), random.normal(size=(2000, 4))
    codes = np.empty((0, 5000), np.int32), np.empty((0, 2000), np.int32)
    trees = [_kernels.kd_build(np.ascontiguousarray(points.T), codes[0], np.ones(4), threads) for threads in (1, 2)]
    for one, other in zip(*trees, strict=True):
        assert np.array_equal(one, other)
    queries = np.ascontiguousarray(asked.T)
    rows, distances = found(trees[0], queries, codes[1], 7)
    assert np.array_equal(rows, found(trees[0], queries, codes[1], 7, threads=2)[0])
    peer, peer_rows = cKDTree(points).query(asked, 7)
    assert np.array_equal(rows, peer_rows)
    assert np.allclose(np.sqrt(distances), peer, rtol=1e-12)


def test_of_identical_rows_the_first_are_found():
    numbers, codes = np.ones((2, 3000)), np.zeros((1, 3000), np.int32)
    tree = _kernels.kd_build(numbers, codes, np.ones(2), 1)
    rows, distances = found(tree, np.array([[1.0, 4.0], [1.0, 5.0]]), np.array([[0, 1]], np.int32), 100)
    assert rows.tolist() == [list(range(100))] * 2
    assert distances[:, 0].tolist() == [0.0, 26.0]


def test_a_query_of_nothing_is_as_far_from_all_rows():
    random = np.random.default_rng(1)
    tree = _kernels.kd_build(random.normal(size=(2, 200)), np.empty((0, 200), np.int32), np.array([4.0, 1.0]), 1)
    rows, distances = found(tree, np.full((2, 1), np.nan), np.empty((0, 1), np.int32), 3)
    assert rows.tolist() == [[0, 1, 2]]
    assert distances.tolist() == [[5.0, 5.0, 5.0]]


def test_no_rows_and_no_queries():
    tree = _kernels.kd_build(np.empty((2, 0)), np.empty((0, 0), np.int32), np.ones(2), 1)
    starts, rows, _ = _kernels.kd_within(tree, np.zeros((2, 1)), np.empty((0, 1), np.int32), np.array([1e9]), 1)
    assert starts.tolist() == [0, 0]
    assert len(rows) == 0
    assert found(tree, np.empty((2, 0)), np.empty((0, 0), np.int32), 0)[0].shape == (0, 0)


def test_arrays_that_do_not_fit_are_refused():
    numbers, codes = np.zeros((1, 100)), np.empty((0, 100), np.int32)
    tree = _kernels.kd_build(numbers, codes, np.ones(1), 1)
    with pytest.raises(ValueError, match="infinite"):
        _kernels.kd_build(np.full((1, 3), np.inf), np.empty((0, 3), np.int32), np.ones(1), 1)
    with pytest.raises(ValueError, match="infinite"):
        found(tree, np.array([[np.inf]]), np.empty((0, 1), np.int32), 1)
    with pytest.raises(ValueError, match="not so many rows"):
        found(tree, np.zeros((1, 1)), np.empty((0, 1), np.int32), 101)
    with pytest.raises(ValueError, match="differ in numeric columns"):
        found(tree, np.zeros((2, 1)), np.empty((0, 1), np.int32), 1)
    for part in range(2, len(tree)):
        if not tree[part].size:
            continue
        shorter = (*tree[:part], tree[part][:-1].copy(), *tree[part + 1 :])
        with pytest.raises(ValueError, match=r"size|length|differ"):
            found(shorter, np.zeros((1, 1)), np.empty((0, 1), np.int32), 1)
    wild = (*tree[:3], np.full(100, 100, np.int32), *tree[4:])
    with pytest.raises(ValueError, match="not below"):
        found(wild, np.zeros((1, 1)), np.empty((0, 1), np.int32), 1)
