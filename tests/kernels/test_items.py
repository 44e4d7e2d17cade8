"""The search for item sets against its plain twin, and the laws that it keeps."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import _kernels
from tests import reference_items as plain

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
    set_offsets, set_codes, counts, bound, status = _kernels.item_sets(
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
    lists = [tuple(set_codes[a:b].tolist()) for a, b in zip(set_offsets[:-1], set_offsets[1:], strict=True)]
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
