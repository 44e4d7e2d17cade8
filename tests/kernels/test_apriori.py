"""The kernels of Apriori's levels against their reference implementations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import _kernels
from tests.reference import associations as plain

NO_GROUP, NO_MOST, NO_BOUNDS = np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0)
ROWS = st.lists(st.sets(st.integers(0, 7), max_size=6).map(sorted), min_size=1, max_size=14)


def packed(rows):
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return offsets, np.array([item for row in rows for item in row], dtype=np.int32)


def joined(sets, most=1 << 40):
    size = len(sets[0])
    flat = np.array(sets, dtype=np.int32).reshape(-1)
    found, number, whole = _kernels.join_sets(flat, size, NO_BOUNDS, NO_GROUP, NO_MOST, most)
    return [tuple(one) for one in found.reshape(-1, size + 1).tolist()], number, whole


def test_candidates_of_the_textbook():
    """G51: ABCD is kept, ACDE removed."""
    triples = [tuple("ABCDE".index(letter) for letter in word) for word in ("ABC", "ABD", "ACD", "ACE", "BCD")]
    assert joined(triples) == ([(0, 1, 2, 3)], 2, True)


@given(st.integers(1, 3), st.data())
def test_joining_equals_its_twin(size, data):
    sets = sorted(
        data.draw(st.sets(st.sets(st.integers(0, 6), min_size=size, max_size=size).map(frozenset))), key=sorted
    )
    sets = [tuple(sorted(one)) for one in sets]
    if sets:
        found, number, whole = joined(sets)
        assert (found, number) == plain.joined(sets)
        assert whole


def test_joining_ends_at_a_limit():
    pairs = [(a, b) for a in range(20) for b in range(a + 1, 20)]
    assert joined(pairs, most=10)[2] is False


@given(ROWS, st.integers(1, 3), st.booleans())
@settings(max_examples=150)
def test_counting_equals_its_twin(rows, size, weighted):
    candidates = [one for one, _ in plain.frequent([list(range(8))], 1, longest=size) if len(one) == size]
    weights = [0.5 + (i % 3) for i in range(len(rows))] if weighted else []
    offsets, codes = packed(rows)
    flat = np.array(candidates, dtype=np.int32).reshape(-1)
    found = _kernels.count_candidates(offsets, codes, np.array(weights), 8, flat, size)
    assert found.tolist() == [plain.held(rows, weights or [1] * len(rows), one) for one in candidates]


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), max_size=7), st.integers(0, 9))
def test_pairs_need_the_bound_of_their_first_item(items, spread):
    items = sorted(items, key=lambda pair: pair[1])  # by bound
    counts, bounds = (np.array([pair[i] for pair in items], dtype=np.float64) for i in (0, 1))
    codes = np.arange(len(items), dtype=np.int32)
    found, _, _ = _kernels.join_items(codes, counts, bounds, float(spread), NO_GROUP, NO_MOST)
    assert [tuple(pair) for pair in found.reshape(-1, 2).tolist()] == [
        (i, j)
        for i in range(len(items))
        for j in range(i + 1, len(items))
        if counts[i] >= bounds[i] and counts[j] >= bounds[i] and abs(counts[i] - counts[j]) <= spread
    ]


def test_groups_leave_out_candidates():
    group, most = np.array([0, 0, 1], dtype=np.int32), np.array([1, 2], dtype=np.int64)
    found, number, _ = _kernels.join_items(np.arange(3, dtype=np.int32), np.ones(3), np.ones(3), 9.0, group, most)
    assert found.reshape(-1, 2).tolist() == [[0, 2], [1, 2]]
    assert number == 3


def test_arrays_that_do_not_fit_raise():
    one = np.array([0, 1], dtype=np.int32)
    offsets = np.array([0, 2], dtype=np.int64)
    with pytest.raises(ValueError, match="size"):
        _kernels.join_sets(one, 3, NO_BOUNDS, NO_GROUP, NO_MOST, 9)
    with pytest.raises(ValueError, match="out of range"):
        _kernels.count_candidates(offsets, one, NO_BOUNDS, 1, one[:1], 1)
    with pytest.raises(ValueError, match="weights"):
        _kernels.count_candidates(offsets, one, np.ones(3), 2, one, 1)
