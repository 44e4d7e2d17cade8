"""The split that one column offers at a node; here those with one branch per level or group of levels."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from hedgerow.learn.trees.by_hand.cuts import best_subset, best_threshold
from hedgerow.learn.trees.by_hand.growing import (
    GrowthContext,
    SplitCandidate,
    first_best,
    group_levels,
    levels_present,
    ratio,
)
from hedgerow.learn.trees.by_hand.plain import PlainSplit, Test, is_nominal
from hedgerow.learn.trees.by_hand.target import NodeRows, split_info
from hedgerow.learn.trees.options import EQUAL


def candidate(growing: GrowthContext, part: NodeRows, column: int) -> SplitCandidate:
    """Return what a column offers for the rows of a node."""
    table, options = growing.table, growing.options
    if is_nominal(table.schema, column):
        known = table.codes(column)[part.rows] >= 0
        offer = {"multiway": _multiway, "groups": _groups, "binary": best_subset}[options.branching]
    else:
        known = ~np.isnan(table.numbers(column)[part.rows])
        offer = best_threshold
    if not known.any():
        return SplitCandidate(column, refusal="all values are missing")
    return offer(growing, part.pick(known), part.pick(~known), column)


def _multiway(growing: GrowthContext, known: NodeRows, lost: NodeRows, column: int) -> SplitCandidate:
    """Return the split with a branch for every level."""
    n_levels = len(growing.table.schema.columns[column].levels)
    test = Test(column, children=tuple(range(n_levels)))
    return _score_split(growing, known, lost, PlainSplit(test, n_levels))


def _groups(growing: GrowthContext, known: NodeRows, lost: NodeRows, column: int) -> SplitCandidate:
    """Return C4.5's split by groups of levels: pairs are merged while the gain ratio does not fall."""
    groups: list[tuple[int, ...]] = [(level,) for level in levels_present(growing, known, column)]

    def make_candidate(groups: Sequence[tuple[int, ...]]) -> SplitCandidate:
        return _score_split(growing, known, lost, group_levels(growing, known, column, groups))

    best = make_candidate(groups)
    while len(groups) > 2:
        merged = [_merge(groups, *pair) for pair in combinations(range(len(groups)), 2)]
        offers = [make_candidate(groups) for groups in merged]
        first = first_best([offer.ratio for offer in offers])
        if offers[first].ratio < best.ratio - EQUAL:
            break
        groups, best = merged[first], offers[first]
    return best


def _merge(groups: Sequence[tuple[int, ...]], one: int, other: int) -> list[tuple[int, ...]]:
    both = tuple(sorted(groups[one] + groups[other]))
    return [both if at == one else group for at, group in enumerate(groups) if at != other]


def _score_split(growing: GrowthContext, known: NodeRows, lost: NodeRows, split: PlainSplit) -> SplitCandidate:
    """Return the figures of a multiway split; it needs two branches of some weight.

    Without a gain it is not refused: it cannot win, but C4.5 counts it in the average gain.
    """
    table, target, options = growing.table, growing.target, growing.options
    child = split.test.child(table, known.rows)
    branches = [known.pick(child == number) for number in range(split.n_children)]
    weights = np.array([branch.weight for branch in branches])
    total = known.weight + lost.weight
    before = target.impurity(known)
    after = float(sum(b.weight * target.impurity(b) for b in branches)) / known.weight
    gain = max(known.weight / total * (before - after), 0.0)
    info = split_info(weights, lost.weight)
    refusal = ""
    if np.count_nonzero((weights > 0) & (weights >= options.min_leaf - EQUAL)) < 2:
        refusal = f"fewer than two branches have a weight of {max(options.min_leaf, 1):g}"
    return SplitCandidate(
        split.test.column,
        split,
        tuple(target.summary(branch) for branch in branches),
        before=before,
        after=after,
        gain=gain,
        split_info=info,
        ratio=ratio(gain, info),
        refusal=refusal,
    )
