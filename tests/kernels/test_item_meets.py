"""Closed and maximal sets of few rows with many items, against what rows have in common."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from hedgerow import mine


def closed_by_rows(rows: list[frozenset[str]], bound: int) -> dict[frozenset[str], int]:
    found: dict[frozenset[str], int] = {}
    for size in range(bound, len(rows) + 1):
        for some in combinations(rows, size):
            common = frozenset.intersection(*some)
            if common:
                found[common] = sum(common <= row for row in rows)
    return found


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_few_wide_rows(seed: int, share: float) -> None:
    chance = np.random.default_rng(seed)
    n, wide = int(chance.integers(1, 10)), 400
    shown = chance.random((n, wide)) < share
    rows = [frozenset(f"i{j:03}" for j in np.flatnonzero(row)) for row in shown]
    baskets = [sorted(row) for row in rows]
    if not any(baskets):
        return
    for bound in range(1, n + 1):
        closed = closed_by_rows(rows, bound)
        maximal = {one: count for one, count in closed.items() if not any(one < other for other in closed)}
        for which, expected in (("closed", closed), ("maximal", maximal)):
            found = {frozenset(items): count for items, count in mine(baskets, min_count=bound, sets=which)}
            assert found == expected, (which, bound)


@pytest.mark.parametrize("bound", [1, 2, 3])
def test_weights_and_bounds_of_items_give_the_same_as_without_the_short_way(bound: int) -> None:
    chance = np.random.default_rng(bound)
    rows = [[f"i{j:03}" for j in np.flatnonzero(chance.random(300) < 0.8)] for _ in range(8)]
    twice = [*rows, *rows]
    once, both = (mine(data, min_count=least, sets="maximal") for data, least in ((rows, bound), (twice, 2 * bound)))
    assert {items for items, _ in once} == {items for items, _ in both}
    own = {"i000": bound / 8, "i001": bound / 8}
    closed = mine(rows, min_count=4, sets="closed", min_supports=own)
    maximal = {frozenset(items) for items, _ in mine(rows, min_count=4, sets="maximal", min_supports=own)}
    every = [frozenset(items) for items, _ in closed]
    assert maximal == {one for one in every if not any(one < other for other in every)}
