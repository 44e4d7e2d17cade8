"""The search for item sets against its reference implementation, and the laws that it keeps."""

from __future__ import annotations

import signal
from fractions import Fraction
from itertools import pairwise
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import _kernels
from tests.kernels.test_interrupts import Alarms, StopError
from tests.reference import items as plain

NO_LIMIT = 2**63 - 1
ALL, CLOSED, MAXIMAL = range(3)


def flat(lists):
    offsets = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    return offsets, np.array([code for one in lists for code in one], np.int32)


def search(
    rows,
    n_items,
    bounds,
    *,
    weights=(),
    which=ALL,
    max_length=None,
    spread=inf,
    required=(),
    group=(),
    most_of_group=(),
    most_sets=NO_LIMIT,
    memory=NO_LIMIT,
    seconds=inf,
    threads=1,
):
    offsets, codes = flat([sorted(row) for row in rows])
    set_offsets, set_codes, counts, bound, status = _kernels.mine_item_sets(
        offsets,
        codes,
        n_items,
        np.array(weights, np.float64),
        np.array(bounds, np.float64) if np.ndim(bounds) else np.full(n_items, float(bounds)),
        which,
        NO_LIMIT if max_length is None else max_length,
        spread,
        np.array(required, np.uint8),
        np.array(group, np.int32),
        np.array(most_of_group, np.int64),
        most_sets,
        memory,
        seconds,
        threads,
    )
    lists = [tuple(set_codes[a:b].tolist()) for a, b in pairwise(set_offsets)]
    return list(zip(lists, counts.tolist(), strict=True)), bound, status


@st.composite
def problems(draw):
    """Rows, items, bounds; sometimes weights and every condition."""
    n_items = draw(st.integers(1, 7))
    row = st.sets(st.integers(0, n_items - 1))
    rows = draw(st.lists(row, max_size=12))
    if draw(st.booleans()):
        rows = [*rows, *rows[: draw(st.integers(0, 6))]]
    weights = [1.0] * len(rows)
    if weighted := bool(rows) and draw(st.booleans()):
        weights = draw(
            st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0, 3.0]), min_size=len(rows), max_size=len(rows))
        )
    bound = st.sampled_from([0.5, 1.0, 2.0, 3.0, 5.0, inf])
    bounds = draw(st.one_of(st.lists(bound, min_size=n_items, max_size=n_items), bound.map(lambda b: [b] * n_items)))
    n_groups = draw(st.integers(0, 2))
    conditions = {
        "max_length": draw(st.none() | st.integers(0, 4)),
        "spread": draw(st.sampled_from([inf, inf, 0.0, 1.0, 2.0])),
        "required": draw(st.just([]) | st.lists(st.integers(0, 1), min_size=n_items, max_size=n_items)),
        "group": draw(st.lists(st.integers(-1, n_groups - 1), min_size=n_items, max_size=n_items)) if n_groups else [],
        "most_of_group": draw(st.lists(st.integers(0, 2), min_size=n_groups, max_size=n_groups)),
    }
    return rows, n_items, bounds, weights, weighted, conditions


def expected(rows, n_items, bounds, weights, conditions, which=ALL):
    sets = plain.frequent(rows, weights, bounds)
    if which == CLOSED:
        sets = plain.closed(sets, rows, weights, [i for i in range(n_items) if bounds[i] < inf])
    if which == MAXIMAL:
        sets = plain.maximal(sets)
    item_counts = [plain.count(rows, weights, [item]) for item in range(n_items)]
    return plain.told(sets, item_counts, **conditions)


@settings(max_examples=400, deadline=None)
@given(problems(), st.sampled_from([ALL, CLOSED, MAXIMAL]), st.sampled_from([1, 2]))
def test_search_equals_looking_at_every_set(problem, which, threads):
    rows, n_items, bounds, weights, weighted, conditions = problem
    found, _, status = search(
        rows, n_items, bounds, weights=weights if weighted else (), which=which, threads=threads, **conditions
    )
    assert status == 0
    assert found == list(expected(rows, n_items, bounds, weights, conditions, which).items())


@settings(max_examples=200, deadline=None)
@given(problems(), st.integers(0, 20), st.sampled_from([ALL, CLOSED]), st.sampled_from([1, 2]))
def test_at_most_so_many_sets_are_the_heaviest(problem, most, which, threads):
    rows, n_items, bounds, weights, weighted, conditions = problem
    found, bound, status = search(
        rows,
        n_items,
        bounds,
        weights=weights if weighted else (),
        which=which,
        most_sets=most,
        threads=threads,
        **conditions,
    )
    kept, left_out = plain.heaviest(expected(rows, n_items, bounds, weights, conditions, which), most)
    assert found == list(kept.items())
    assert status == (left_out is not None)
    if left_out is not None:
        assert left_out < Fraction(bound) <= min(kept.values(), default=inf)


@settings(max_examples=200, deadline=None)
@given(problems(), st.lists(st.lists(st.integers(0, 6), max_size=4), max_size=8), st.sampled_from([1, 2]))
def test_counts_of_given_sets(problem, sets, threads):
    rows, n_items, _, weights, weighted, _ = problem
    sets = [[item % n_items for item in items] for items in sets]
    offsets, codes = flat([sorted(row) for row in rows])
    counts = _kernels.count_sets(
        offsets, codes, n_items, np.array(weights if weighted else (), np.float64), *flat(sets), threads
    )
    assert counts.tolist() == [plain.count(rows, weights, items) for items in sets]


def sparse_rows(n=2500, n_items=300, seed=1):
    """Short rows of many items, some of them frequent, so that lists are searched, and columns of bits below them."""
    random = np.random.default_rng(seed)
    share = 1 / (np.arange(n_items) + 3.0)
    share /= share.sum()
    rows = [set(random.choice(n_items, random.integers(0, 7), p=share).tolist()) for _ in range(n)]
    return [row | {0} if random.random() < 0.5 else row for row in rows]


def in_order(sets):
    return sorted(sets.items(), key=lambda one: (len(one[0]), one[0]))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("lowest", [2, 1])
def test_sparse_rows(threads, lowest):
    rows = sparse_rows()
    bounds = [lowest] + [2] * 299  # the lowest bound makes the most frequent item the first
    sets = plain.from_rows(rows, bounds)
    every = plain.from_rows(rows, [1] * 300)
    assert search(rows, 300, bounds, threads=threads)[0] == in_order(sets)
    assert search(rows, 300, bounds, which=CLOSED, threads=threads)[0] == in_order(plain.closed_of(sets, every))
    weights = [0.5] * len(rows)
    halves = search(rows, 300, [b / 2 for b in bounds], weights=weights, threads=threads)[0]
    assert halves == [(s, c / 2) for s, c in in_order(sets)]
    if lowest == 2:
        assert search(rows, 300, bounds, which=MAXIMAL, threads=threads)[0] == in_order(plain.maximal_of(sets))


@pytest.mark.parametrize("n_items", [40, 100, 200])
def test_many_sets_stand_in_order(n_items):
    """Keys of one word, of two, and codes side by side."""
    random = np.random.default_rng(n_items)
    rows = [set(random.choice(n_items, 12, replace=False).tolist()) for _ in range(12)]
    rows += [set(list(row)[:10]) for row in rows]
    sets = plain.from_rows(rows, [2] * n_items)
    assert search(rows, n_items, 2)[0] == in_order(sets)


def test_a_repeated_row_equals_weight_2():
    rows = sparse_rows(300, 40)
    twice = search([*rows, *rows[:100]], 40, 2)[0]
    weighted = search(rows, 40, 2, weights=[2.0] * 100 + [1.0] * 200)[0]
    assert twice == weighted


def test_rounding_does_not_keep_weights_from_a_bound():
    found, _, _ = search([{0}] * 10, 1, 1.0, weights=[0.1] * 10)
    assert found == [((0,), pytest.approx(1.0))]


@pytest.mark.parametrize("which", [ALL, CLOSED, MAXIMAL])
@pytest.mark.parametrize("threads", [1, 2])
def test_little_memory_lifts_the_bound(which, threads):
    rows = sparse_rows(2500, 60)
    found, bound, status = search(rows, 60, 2, which=which, memory=1 << 18, threads=threads)
    assert status == 1
    assert bound > 2
    again, same_bound, done = search(rows, 60, bound, which=which)
    assert (found, bound, done) == (again, same_bound, 0)


def test_most_maximal_sets():
    rows = sparse_rows(500, 60)
    found, bound, status = search(rows, 60, 2, which=MAXIMAL, most_sets=50)
    assert status == 1
    assert 0 < len(found) <= 50
    assert found == search(rows, 60, bound, which=MAXIMAL)[0]


def test_a_row_of_thousands_of_items():
    rows = [set(range(5000))]
    assert search(rows, 5000, 1, memory=200 << 20) == ([], 2.0, 1)
    assert search(rows, 5000, 1, which=CLOSED, memory=200 << 20)[0] == [(tuple(range(5000)), 1)]
    assert search(rows, 5000, 1, which=MAXIMAL, memory=200 << 20)[0] == [(tuple(range(5000)), 1)]
    assert search(rows, 5000, 1, max_length=1)[0] == [((item,), 1) for item in range(5000)]
    assert search(rows, 5000, 1, max_length=3, memory=200 << 20) == ([], 2.0, 1)


def test_thirty_equal_rows_of_sixty_items():
    rows = [set(range(60))] * 30 + [{60, 61}] * 40 + [{62}] * 2
    found, bound, status = search(rows, 63, 2, most_sets=1_000_000)
    assert (found, bound, status) == ([((60,), 40), ((61,), 40), ((60, 61), 40)], 31.0, 1)
    closed, _, status = search(rows, 63, 2, which=CLOSED)
    assert (closed, status) == ([((62,), 2), ((60, 61), 40), (tuple(range(60)), 30)], 0)


def test_a_deep_chain_of_closed_sets():
    n = 400
    rows = [set(range(n)) - {i} for i in range(n)]
    found, bound, status = search(rows, n, 1, which=CLOSED, most_sets=n)
    assert (len(found), bound, status) == (n, n - 1, 1)


def test_time_can_be_over():
    assert search([{0, 1}] * 3, 2, 1, seconds=0.0)[::2] == ([], 2)


def test_no_rows_and_no_items():
    assert search([], 0, 1.0) == ([], 1.0, 0)
    assert search([], 3, 1.0) == ([], 1.0, 0)
    assert search([set(), set()], 3, 1.0) == ([], 1.0, 0)
    assert search([{0}], 1, inf)[0] == []


def test_bad_input():
    rows = [{0, 1}]
    for changed, why in (
        ({"weights": [1.0, 1.0]}, "weights and rows differ"),
        ({"weights": [-1.0]}, "a weight is negative"),
        ({"weights": [np.nan]}, "a weight is negative or not a number"),
        ({"required": [1]}, "required and items differ"),
        ({"group": [0, 1], "most_of_group": [1]}, "a group is not below"),
        ({"group": [0]}, "group and items differ"),
        ({"which": 3}, "which must be"),
        ({"max_length": -1}, "a limit is negative"),
        ({"spread": -1.0}, "a limit is negative"),
    ):
        with pytest.raises(ValueError, match=why):
            search(rows, 2, 1, **changed)
    with pytest.raises(ValueError, match="bounds and items differ"):
        search(rows, 2, [1.0])
    for bounds in ([0.0, 1.0], [np.nan, 1.0]):
        with pytest.raises(ValueError, match="a bound is not above 0"):
            search(rows, 2, bounds)
    with pytest.raises(ValueError, match="a code is not below"):
        search(rows, 1, 1)
    with pytest.raises(ValueError, match="a code is not below"):
        _kernels.count_sets(*flat([[0]]), 1, np.empty(0), *flat([[1]]), 1)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")
@pytest.mark.parametrize("which", [ALL, CLOSED])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_can_be_ended(which, threads):
    random = np.random.default_rng(1)
    rows = [set(np.flatnonzero(random.random(70) < 0.8).tolist()) for _ in range(200)]
    with Alarms(), pytest.raises(StopError):
        search(rows, 70, 1, which=which, most_sets=2_000_000, threads=threads)
