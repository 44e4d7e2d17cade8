"""Search trees and products give exactly the neighbors of a comparison with every row (M241 to M246)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import _kernels
from hedgerow.models.neighbors.row_search import depth, least_depth
from tests.reference.neighbors import distances, votes

WAYS = {"side": (0, False), "variance": (1, False), "mean": (0, True), "variance mean": (1, True), "balls": (2, False)}
NO_TEXTS = np.empty(0, np.int32), np.empty(0)


def columns(random, rows, numbers, codes, ties, missing):
    made = random.normal(size=(numbers, rows))
    made = np.round(made) if ties else made
    made[random.random(made.shape) < missing] = np.nan
    levels = random.integers(0, 4, size=(codes, rows)).astype(np.int32)
    levels[random.random(levels.shape) < missing] = -1
    return made, levels


def given_rows(rows, distance, tree=None, by_row=None):
    """Rows without texts as the kernels take them."""
    n = rows[0].shape[1]
    by_text = np.zeros(n + 1, np.int64), *NO_TEXTS
    *by_term, norms = _kernels.build_postings(*by_text, 0)
    return (*by_text, *by_term, norms.reshape(-1, n), 0.0, rows, distance, tree, by_row)


def asked_rows(asked):
    return np.zeros(asked[0].shape[1] + 1, np.int64), *NO_TEXTS, asked


def found(given_, asked, k, threads=1):
    n = asked[0].shape[1]
    rows, scores = np.empty((n, k), np.int32), np.empty((n, k))
    _kernels.find_nearest_rows(given_, asked_rows(asked), rows, scores, threads)
    return rows, -scores


def by_row(rows):
    return tuple(np.ascontiguousarray(part.T) for part in rows)


def check_neighbors(given_, rows, distance, asked, k, threads=1):
    """The same rows in the same order at the same distances, to the last bit."""
    got, far = found(given_, asked, k, threads)
    for query in range(asked[0].shape[1]):
        exact = distances(*rows, distance, asked[0][:, query], asked[1][:, query])
        want = np.lexsort((np.arange(len(exact)), exact))[:k]
        assert got[query].tolist() == want.tolist()
        assert far[query].tolist() == exact[want].tolist()


PROBLEMS = st.tuples(
    st.integers(0, 10**6),
    st.integers(1, 500),
    st.integers(0, 5),
    st.integers(0, 3),
    st.booleans(),
    st.sampled_from([0.0, 0.2]),
    st.booleans(),
)


def problem(seed, rows, numbers, codes, ties, missing, squares):
    random = np.random.default_rng(seed)
    own = columns(random, rows, numbers, codes, ties, missing)
    asked = columns(random, 9, numbers, codes, ties, missing)
    asked[0][:, :2] *= 20  # far outside
    distance = squares, random.uniform(0.1, 3, numbers), random.uniform(0.1, 2, codes)
    return random, own, asked, distance


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(list(WAYS)), st.sampled_from([1, 5, 8, 32]), PROBLEMS)
def test_neighbors_are_those_of_brute_force(way, leaf, drawn):
    random, own, asked, distance = problem(*drawn)
    tree = _kernels.build_search_tree(own, distance, *WAYS[way], leaf, 1)
    k = int(random.integers(1, min(own[0].shape[1], 40) + 1))
    check_neighbors(given_rows(own, distance, tree), own, distance, asked, k)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(list(WAYS)), st.sampled_from([1, 4, 32]), st.integers(1, 200), PROBLEMS)
def test_trees_that_grow_have_the_neighbors_of_brute_force(way, leaf, more, drawn):
    """M242: rows that were added later are found as if they had been there from the start."""
    random, own, asked, distance = problem(*drawn)
    first = tuple(np.ascontiguousarray(part[:, : max(1, part.shape[1] - more)]) for part in own)
    tree = _kernels.build_search_tree(first, distance, *WAYS[way], leaf, 1)
    grown = _kernels.insert_rows(tree, own)
    k = int(random.integers(1, min(own[0].shape[1], 40) + 1))
    check_neighbors(given_rows(own, distance, grown), own, distance, asked, k)
    check_neighbors(given_rows(first, distance, tree), first, distance, asked, min(k, first[0].shape[1]))


@settings(max_examples=100, deadline=None)
@given(PROBLEMS)
def test_products_find_the_neighbors_of_brute_force(drawn):
    random, own, asked, distance = problem(*drawn)
    k = int(random.integers(1, min(own[0].shape[1], 40) + 1))
    check_neighbors(given_rows(own, distance, None, by_row(own)), own, distance, asked, k)


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e12])
def test_products_of_numbers_far_from_zero_lose_no_neighbor(offset):
    """Products of floats lose most digits there; what they let pass is compared exactly."""
    random = np.random.default_rng(2)
    own = random.normal(size=(30, 400)) + offset, np.empty((0, 400), np.int32)
    asked = random.normal(size=(30, 20)) + offset, np.empty((0, 20), np.int32)
    asked[0][:, 0] = 1e150
    distance = True, np.ones(30), np.empty(0)
    check_neighbors(given_rows(own, distance, None, by_row(own)), own, distance, asked, 7)


@pytest.mark.parametrize("threads", [1, 2])
def test_neighbors_are_those_of_scipy_at_any_number_of_threads(threads):
    from scipy.spatial import cKDTree

    random = np.random.default_rng(3)
    points, new = random.normal(size=(5000, 4)), random.normal(size=(2000, 4))
    own = np.ascontiguousarray(points.T), np.empty((0, 5000), np.int32)
    asked = np.ascontiguousarray(new.T), np.empty((0, 2000), np.int32)
    distance = True, np.ones(4), np.empty(0)
    peer, peer_rows = cKDTree(points).query(new, 7)
    for way in WAYS.values():
        tree = _kernels.build_search_tree(own, distance, *way, 32, threads)
        for one, other in zip(tree[4:], _kernels.build_search_tree(own, distance, *way, 32, 1)[4:], strict=True):
            assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
        rows, squares = found(given_rows(own, distance, tree), asked, 7, threads)
        assert np.array_equal(rows, peer_rows)
        assert np.allclose(np.sqrt(squares), peer, rtol=1e-12)
    assert np.array_equal(found(given_rows(own, distance, None, by_row(own)), asked, 7, threads)[0], peer_rows)


@pytest.mark.parametrize("way", list(WAYS))
def test_of_identical_rows_the_first_are_found(way):
    own = np.ones((2, 3000)), np.zeros((1, 3000), np.int32)
    distance = True, np.ones(2), np.ones(1)
    tree = _kernels.build_search_tree(own, distance, *WAYS[way], 32, 1)
    asked = np.array([[1.0, 4.0], [1.0, 5.0]]), np.array([[0, 1]], np.int32)
    rows, far = found(given_rows(own, distance, tree), asked, 100)
    assert rows.tolist() == [list(range(100))] * 2
    assert far[:, 0].tolist() == [0.0, 26.0]
    assert depth(tree) <= 2 * least_depth(3000, 32) + 7


@pytest.mark.parametrize("way", ["side", "balls"])
def test_a_query_of_nothing_is_as_far_from_all_rows(way):
    random = np.random.default_rng(1)
    own = random.normal(size=(2, 200)), np.empty((0, 200), np.int32)
    distance = True, np.array([4.0, 1.0]), np.empty(0)
    tree = _kernels.build_search_tree(own, distance, *WAYS[way], 32, 1)
    rows, far = found(given_rows(own, distance, tree), (np.full((2, 1), np.nan), np.empty((0, 1), np.int32)), 3)
    assert rows.tolist() == [[0, 1, 2]]
    assert far.tolist() == [[5.0, 5.0, 5.0]]


def leaves(tree):
    """The rows of every leaf."""
    leaf, order, counts = tree[2], tree[4], tree[5]
    room = -(-leaf // 8) * 8
    return [sorted(order[at * room : at * room + n].tolist()) for at, n in enumerate(counts.tolist())]


def test_a_kd_tree_divides_by_its_rules():
    """M241: the direction of greatest variance or the longest side, at the median or behind the value at the mean."""
    numbers = np.array([[0.0, 1, 2, 3, 4, 5, 6, 30], [0.0, 20, 0, 20, 0, 20, 0, 20]])
    own, distance = (numbers, np.empty((0, 8), np.int32)), (True, np.ones(2), np.empty(0))
    assert leaves(_kernels.build_search_tree(own, distance, 0, False, 4, 1)) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert leaves(_kernels.build_search_tree(own, distance, 1, False, 4, 1)) == [[0, 2, 4, 6], [1, 3, 5, 7]]
    skewed = np.array([[0.0, 1, 2, 3, 4, 5, 6, 30], [0.0] * 8])  # mean 6.375: behind 6
    at_mean = _kernels.build_search_tree((skewed, own[1]), distance, 0, True, 7, 1)
    assert leaves(at_mean) == [[0, 1, 2, 3, 4, 5, 6], [7]]


def test_a_ball_tree_divides_by_the_rows_farthest_apart():
    """M244: farthest from the center (13), farthest from that (0); each row goes to the nearer of the two."""
    numbers = np.array([[0.0, 1, 2, 6, 12, 13]])
    own, distance = (numbers, np.empty((0, 6), np.int32)), (True, np.ones(1), np.empty(0))
    tree = _kernels.build_search_tree(own, distance, 2, False, 4, 1)
    assert leaves(tree) == [[4, 5], [0, 1, 2, 3]]
    radii = tree[16][:2].tolist()
    assert radii == [0.5, 3.75]  # around 12.5 and 2.25


def test_a_full_leaf_is_divided_by_its_longest_side():
    """M242: rows go to the leaf that is nearest, which is divided when it is full; the rest of the tree stays."""
    own = np.array([[0.0, 1, 10, 11, 0.5, 0.4], [0.0, 0, 0, 0, 9, 8]]), np.empty((0, 6), np.int32)
    first = np.ascontiguousarray(own[0][:, :4]), np.empty((0, 4), np.int32)
    distance = True, np.ones(2), np.empty(0)
    tree = _kernels.build_search_tree(first, distance, 0, False, 2, 1)
    assert leaves(tree) == [[0, 1], [2, 3]]
    grown = leaves(_kernels.insert_rows(tree, own))
    assert [2, 3] in grown
    assert [4, 5] in grown
    assert sorted(row for leaf in grown for row in leaf) == list(range(6))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([*WAYS, "products", "one by one"]), st.integers(1, 12), st.data(), PROBLEMS)
def test_votes_are_those_of_the_twin_for_several_k_and_without_a_row(way, k, data, drawn):
    random, own, asked, distance = problem(*drawn[:1], min(drawn[1], 60), *drawn[2:])
    n, n_queries = own[0].shape[1], asked[0].shape[1]
    tree = _kernels.build_search_tree(own, distance, *WAYS[way], 4, 1) if way in WAYS else None
    given_ = given_rows(own, distance, tree, by_row(own) if way == "products" else None)
    weights = random.choice([1.0, 2.0, 0.5], n)
    classes = random.integers(0, 3, n).astype(np.int32)
    left = random.integers(-1, n, n_queries).astype(np.int32)
    how = data.draw(st.sampled_from(["plain", "distance", "similarity"]))
    ks = np.array([float(k), float(k + 3)])
    who = (weights, ks, left, ["plain", "distance", "similarity"].index(how), True, 1.0, 2.0)
    got, far = np.zeros((2, n_queries * 2 * 3))
    _kernels.sum_votes(given_, asked_rows(asked), who, classes, 3, got, far, 1)
    targets, means = random.normal(size=n), np.zeros(n_queries * 2)
    _kernels.average_targets(given_, asked_rows(asked), who, targets, means, 1)
    for query in range(n_queries):
        scores = -distances(*own, distance, asked[0][:, query], asked[1][:, query])
        own_weights = weights - (np.arange(n) == left[query])
        there = np.flatnonzero(own_weights > 0)
        for at, number in enumerate(ks.tolist()):
            place = slice((query * 2 + at) * 3, (query * 2 + at) * 3 + 3)
            if not len(there):
                assert not got[place].any()
                continue
            some = (scores[there].tolist(), own_weights[there].tolist())
            want = votes(*some, classes[there].tolist(), 3, number, how, 0, 4)
            np.testing.assert_allclose((got[place], far[place]), want, rtol=1e-9, atol=1e-12)
            each, _ = votes(*some, list(range(len(there))), len(there), number, how, 0, 4)
            if sum(each) > 0:
                mean = np.average(targets[there], weights=each)
                np.testing.assert_allclose(means[query * 2 + at], mean, rtol=1e-9, atol=1e-12)


def test_no_rows_and_no_queries():
    none = np.empty((2, 0)), np.empty((0, 0), np.int32)
    distance = True, np.ones(2), np.empty(0)
    tree = _kernels.build_search_tree(none, distance, 0, False, 32, 1)
    assert leaves(tree) == []
    own = np.zeros((2, 3)), np.empty((0, 3), np.int32)
    full = _kernels.build_search_tree(own, distance, 0, False, 32, 1)
    assert found(given_rows(own, distance, full), none, 2)[0].shape == (0, 2)
    with pytest.raises(ValueError, match="behind its own"):
        _kernels.insert_rows(tree, own)


def test_arrays_that_do_not_fit_are_refused():
    own, distance = (np.zeros((1, 100)), np.empty((0, 100), np.int32)), (True, np.ones(1), np.empty(0))
    query = np.zeros((1, 1)), np.empty((0, 1), np.int32)
    with pytest.raises(ValueError, match="infinite"):
        _kernels.build_search_tree((np.full((1, 3), np.inf), np.empty((0, 3), np.int32)), distance, 0, False, 32, 1)
    with pytest.raises(ValueError, match="division"):
        _kernels.build_search_tree(own, distance, 3, False, 32, 1)
    for leaf in (0, 257):
        with pytest.raises(ValueError, match="leaf"):
            _kernels.build_search_tree(own, distance, 0, False, leaf, 1)
    for balls in (0, 2):
        tree = _kernels.build_search_tree(own, distance, balls, False, 32, 1)
        with pytest.raises(ValueError, match="infinite"):
            found(given_rows(own, distance, tree), (np.array([[np.inf]]), query[1]), 1)
        with pytest.raises(ValueError, match="differ in numeric columns"):
            found(given_rows(own, distance, tree), (np.zeros((2, 1)), query[1]), 1)
        for part in range(4, len(tree)):
            if not tree[part].size:
                continue
            shorter = (*tree[:part], tree[part][:-1].copy(), *tree[part + 1 :])
            with pytest.raises(ValueError, match=r"size|length|differ"):
                found(given_rows(own, distance, shorter), query, 1)
    wild = {4: (100, "not below"), 5: (33, "too full"), 9: (0, "not there")}
    for part, (value, sentence) in wild.items():
        other = (*tree[:part], np.full_like(tree[part], value), *tree[part + 1 :])
        with pytest.raises(ValueError, match=sentence):
            found(given_rows(own, distance, other), query, 1)
