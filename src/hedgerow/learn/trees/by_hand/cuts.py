"""Cuts in two: numeric columns by a threshold, nominal ones by sets of levels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hedgerow.data.table.table import Rows
from hedgerow.layout.rounding import choose_threshold
from hedgerow.learn.trees.by_hand.growing import (
    GrowthContext,
    SplitCandidate,
    first_best,
    group_levels,
    heaviest,
    levels_present,
    ratio,
)
from hedgerow.learn.trees.by_hand.plain import PlainSplit, Test
from hedgerow.learn.trees.by_hand.target import NOTHING, ClassTarget, NodeRows, Target, join_rows, split_info
from hedgerow.learn.trees.options import EQUAL

MOST_SUBSET_LEVELS = 10  # more levels than this are not cut in every possible way


@dataclass(frozen=True, eq=False, slots=True)
class OrderedRows:
    """Rows in an order in which they may be cut in two, after any of the positions `ends`."""

    rows: NodeRows
    ends: Rows


@dataclass(frozen=True, eq=False, slots=True)
class BinaryCut:
    """A line cut in two after the position `end`; `lost_low` tells on which side the rows without a value are."""

    line: OrderedRows
    end: int
    lost_low: bool
    weights: tuple[float, float]
    after: float

    @property
    def first(self) -> Rows:
        """The rows of the first side."""
        return self.line.rows.rows[: self.end + 1]


def best_threshold(growing: GrowthContext, known: NodeRows, lost: NodeRows, column: int) -> SplitCandidate:
    """Return the best cut of a numeric column."""
    options = growing.options
    values = growing.table.numbers(column)[known.rows]
    order = np.argsort(values, kind="stable")
    values = values[order]
    line = OrderedRows(known.pick(order), np.flatnonzero(values[:-1] < values[1:]))
    binary = options.branching == "binary"
    least = options.min_leaf if binary else min_branch_weight(known.weight, growing)
    cuts = _cuts(growing, [line], lost, least)

    def split(cut: BinaryCut) -> PlainSplit:
        low, high = float(values[cut.end]), float(values[cut.end + 1])
        return PlainSplit(Test(column, choose_threshold(low, high) if binary else middle(low, high)), 2)

    if not cuts:
        return SplitCandidate(column, refusal=_no_cut_note(least))
    return _best_cut(growing, known, lost, cuts, split)


def min_branch_weight(known: float, growing: GrowthContext) -> float:
    """Return what C4.5 wants on either side of a numeric cut: a tenth of the average class, at most 25."""
    assert isinstance(growing.target, ClassTarget)
    min_leaf = growing.options.min_leaf
    return min(max(0.1 * known / growing.target.n_classes, min_leaf), max(25.0, min_leaf))


def middle(low: float, high: float) -> float:
    """Return the middle of two numbers; the lower one if there is none between them."""
    between = low + (high - low) / 2
    return between if between < high else low


def best_subset(growing: GrowthContext, known: NodeRows, lost: NodeRows, column: int) -> SplitCandidate:
    """Return CART's best cut of the levels present into two sets.

    Sorted by the share of a class, or by the mean of the target, the best cut of two classes or of squared error
    is a prefix. With more classes every subset is tried, or when the levels are many the prefixes of each class.
    """
    present = levels_present(growing, known, column)
    codes = growing.table.codes(column)[known.rows]
    of_level = {level: known.pick(codes == level) for level in present}
    orders = growing.target.orders(list(of_level.values()))
    if len(orders) > 1 and len(present) <= MOST_SUBSET_LEVELS:
        prefixes = [(subset, len(subset)) for subset in _sets(present)]
        lines = [_line(of_level, [*subset, *sorted(set(present) - set(subset))], [n]) for subset, n in prefixes]
    else:
        sorts = [[present[place] for place in np.argsort(order, kind="stable")] for order in orders]
        lines = [_line(of_level, levels, range(1, len(levels))) for levels in sorts]
    cuts = _cuts(growing, lines, lost, growing.options.min_leaf)
    if not cuts:
        return SplitCandidate(column, refusal=_no_cut_note(growing.options.min_leaf))

    def split(cut: BinaryCut) -> PlainSplit:
        one = np.unique(growing.table.codes(column)[cut.first]).tolist()
        other = sorted(set(present) - set(one))
        sides = sorted([one, other], key=lambda side: (len(side), side[0]))
        return group_levels(growing, known, column, sides)

    return _best_cut(growing, known, lost, cuts, split)


def _line(of_level: dict[int, NodeRows], levels: Sequence[int], sizes: Iterable[int]) -> OrderedRows:
    """Return the rows level after level; each of `sizes` is a number of levels before a cut."""
    parts = [of_level[level] for level in levels]
    last = np.cumsum([len(part.rows) for part in parts]) - 1
    return OrderedRows(join_rows(*parts), last[[size - 1 for size in sizes]])


def _sets(levels: Sequence[int]) -> Iterable[list[int]]:
    """Yield the sets without the last level, in the order of binary numbers: the first level is the lowest bit."""
    for number in range(1, 2 ** (len(levels) - 1)):
        yield [level for bit, level in enumerate(levels) if number >> bit & 1]


def _cuts(growing: GrowthContext, lines: Sequence[OrderedRows], lost: NodeRows, least: float) -> list[BinaryCut]:
    """Return all cuts that leave the smallest weight on both sides, in the order in which the first of equals wins.

    With `missing="direction"` the rows without a value are tried on the first side of all cuts, then on the other.
    """
    tried = [(NOTHING, NOTHING)]
    if growing.options.missing == "direction" and len(lost.rows):
        tried = [(lost, NOTHING), (NOTHING, lost)]
    return [
        cut
        for low, high in tried
        for line in lines
        for cut in _cuts_of_line(growing.target, line, low, high)
        if min(cut.weights) >= least - EQUAL
    ]


def _cuts_of_line(target: Target, line: OrderedRows, low: NodeRows, high: NodeRows) -> list[BinaryCut]:
    rows, ends = line.rows, line.ends
    upto = rows.weights.cumsum()[ends]
    weight_low, weight_high = low.weight + upto, high.weight + rows.weight - upto
    backward = rows.pick(np.arange(len(rows.rows))[::-1])
    impurity_low = target.running(join_rows(low, rows))[len(low.rows) + ends]
    impurity_high = target.running(join_rows(high, backward))[len(high.rows) + len(rows.rows) - 2 - ends]
    after = (weight_low * impurity_low + weight_high * impurity_high) / (weight_low + weight_high)
    each = zip(ends.tolist(), weight_low.tolist(), weight_high.tolist(), after.tolist(), strict=True)
    return [BinaryCut(line, end, len(low.rows) > 0, (one, other), mixed) for end, one, other, mixed in each]


def _best_cut(
    growing: GrowthContext,
    known: NodeRows,
    lost: NodeRows,
    cuts: Sequence[BinaryCut],
    split_at: Callable[[BinaryCut], PlainSplit],
) -> SplitCandidate:
    """Return the figures of the first of the best cuts."""
    table, target, options = growing.table, growing.target, growing.options
    total = known.weight + lost.weight
    placed = options.missing == "direction"  # the rows without a value take a side and count
    share = 1.0 if placed else known.weight / total
    before = target.impurity(join_rows(known, lost) if placed else known)
    gains = [share * (before - cut.after) for cut in cuts]
    best = first_best(gains, EQUAL * known.weight / total * target.scale)
    cut, split = cuts[best], split_at(cuts[best])
    numeric = split.test.threshold is not None
    penalty = math.log2(len(cuts)) / total if options.mdl and numeric else 0.0
    gain = gains[best] - penalty
    child = split.test.child(table, known.rows)
    branches = [known.pick(child == number) for number in range(2)]
    if placed:
        first = int(split.test.child(table, cut.first)[0])  # the child that the first side of the cut became
        missing = first if cut.lost_low else 1 - first
        if not len(lost.rows):
            missing = heaviest(branches)
        split = replace(split, missing=missing)
        branches[missing] = join_rows(branches[missing], lost)
    info = split_info(np.array([branch.weight for branch in branches]), 0.0 if placed else lost.weight)
    return SplitCandidate(
        split.test.column,
        split,
        tuple(target.summary(branch) for branch in branches),
        before=before,
        after=cut.after,
        penalty=penalty,
        gain=gain,
        split_info=info,
        ratio=ratio(gain, info),
        cuts=len(cuts),
        refusal=_refusal(gain, penalty, options.least_gain * target.scale),
    )


def _refusal(gain: float, penalty: float, least: float) -> str:
    if gain > least:
        return ""
    return "no gain after the penalty" if gain + penalty > least else "no gain"


def _no_cut_note(least: float) -> str:
    return f"no threshold leaves {least:g} on both sides"
