"""Choosing among the rules of a class: those that describe its rows with the fewest bits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Numbers
from hedgerow.learn.trees.options import EQUAL
from hedgerow.learn.trees.rules_from_tree.generalize import RuleCandidate
from hedgerow.learn.trees.rules_from_tree.row_bits import RowBits, RowCells
from hedgerow.models.base.condition import COMPARISONS, Condition, Mask, Operator

MOST_EXACT = 10  # rules of which all subsets are tried


class Coding:
    """The bits that conditions and rules take.

    A condition takes log2(columns) bits to name its column, where only columns that have two values or more among the
    rows count, and then
    - a level: log2(levels);
    - s of the column's l levels (`in`, or `!=`): log2(l - 1) + log2(C(l, s));
    - a comparison: 1 bit for its direction and log2(different values - 1) for the threshold.
    Only values that occur count. A rule of x conditions takes the sum of theirs less log2(x!), since their order does
    not matter.
    """

    def __init__(self, rows: RowBits) -> None:
        self._level_codes = rows.codes
        self._values: dict[str, int] = {}  # how many different ones each column has
        self._seen: dict[str, Mask] = {}  # which levels of a nominal column occur
        live = rows.weights > 0
        for position in rows.schema.predictors:
            column = rows.schema.columns[position]
            if column.kind is Kind.NOMINAL:
                codes = rows.table.codes(position)[live]
                seen = np.bincount(codes[codes >= 0], minlength=len(column.levels)) > 0
                self._seen[column.name], self._values[column.name] = seen, int(seen.sum())
            else:
                numbers = rows.table.numbers(position)[live]
                self._values[column.name] = len(np.unique(numbers[~np.isnan(numbers)]))
        self.columns = sum(n > 1 for n in self._values.values())

    def condition(self, condition: Condition) -> float:
        """Return the bits of one condition."""
        values = max(self._values[condition.column], 2)
        bits = math.log2(max(self.columns, 1))
        if condition.operator in COMPARISONS:
            return bits + 1 + math.log2(values - 1)
        if condition.operator is Operator.IS:
            return bits + math.log2(values)
        passed = condition.hits(self._level_codes[condition.column])[:-1] & self._seen[condition.column]
        named = min(max(int(passed.sum()), 1), values - 1)
        return bits + math.log2(values - 1) + math.log2(math.comb(values, named))

    def rule(self, conditions: Sequence[Condition]) -> float:
        """Return the bits of a rule."""
        return sum(map(self.condition, conditions)) - math.lgamma(len(conditions) + 1) / math.log(2)


@dataclass(frozen=True, slots=True)
class DescriptionLength:
    """The code length of a set of rules for a class.

    The rules take the sum of theirs less log2(m!) for their order; the exceptions log2(C(covered, false positives))
    + log2(C(not covered, false negatives)). The whole is `share` times the rules, plus the exceptions.
    """

    rules: float
    exceptions: float
    total: float


@dataclass(frozen=True, eq=False)
class RuleSubset:
    """The rules of a class to choose from, and what was chosen.

    Parameters
    ----------
    candidates
        Positions of the rules of the class among all.
    costs
        The bits of each of them.
    chosen
        The positions of those that were taken, in the same order.
    exact
        Whether all subsets were tried.
    """

    decision: int
    candidates: tuple[int, ...]
    costs: tuple[float, ...]
    chosen_rules: tuple[int, ...]
    none: DescriptionLength
    all_rules_length: DescriptionLength
    best: DescriptionLength
    exact: bool


def choose(rules: Sequence[RuleCandidate], decision: int, rows: RowBits, coding: Coding, share: float) -> RuleSubset:
    """Return the rules of a class that take the fewest bits, with exceptions; of equals those of the fewest rules."""
    own = tuple(at for at, rule in enumerate(rules) if rule.decision == decision)
    costs = tuple(coding.rule(rules[at].conditions) for at in own)
    search = _Search(rows.cells([rules[at].bits for at in own]), decision, np.array(costs), share)
    exact = len(own) <= MOST_EXACT
    taken = search.exact() if exact else search.climb_from_starts()
    everything = np.ones(len(own), dtype=np.bool_)
    return RuleSubset(
        decision,
        own,
        costs,
        tuple(at for at, is_taken in zip(own, taken.tolist(), strict=True) if is_taken),
        search.bits(~everything),
        search.bits(everything),
        search.bits(taken),
        exact,
    )


class _Search:
    """The subsets of a class's rules and their bits."""

    def __init__(self, cells: RowCells, decision: int, costs: Numbers, share: float) -> None:
        self.covers = cells.covers
        self.own = cells.weights[:, decision]
        self.other = cells.weights.sum(axis=1) - self.own
        self.costs, self.share = costs, share

    def bits(self, taken: NDArray[np.bool_]) -> DescriptionLength:
        """Return what one subset takes."""
        covered = self.covers[taken].any(axis=0)
        rules = float(self._theory(float(self.costs[taken].sum()), float(taken.sum())))
        exceptions = float(self._exceptions(float(self.own[covered].sum()), float(self.other[covered].sum())))
        return DescriptionLength(rules, exceptions, self.share * rules + exceptions)

    def _theory(self, costs: Numbers | float, count: Numbers | float) -> Numbers:
        return np.asarray(costs - log2_factorial(count))

    def _exceptions(self, right: Numbers | float, wrong: Numbers | float) -> Numbers:
        """Return the bits of the exceptions when the rules cover so much of their class and of others."""
        all_own, all_other = float(self.own.sum()), float(self.other.sum())
        right, wrong = np.clip(right, 0, all_own), np.clip(wrong, 0, all_other)
        return log2_binomial(right + wrong, wrong) + log2_binomial(all_own + all_other - right - wrong, all_own - right)

    def exact(self) -> NDArray[np.bool_]:
        """Return the best of all subsets."""
        m = len(self.costs)
        subsets = (np.arange(1 << m)[:, None] >> np.arange(m) & 1).astype(np.bool_)
        size = subsets.sum(axis=1)
        subsets = subsets[np.argsort(size, kind="stable")]  # fewest rules first, then the rules most to be trusted
        covered = subsets.astype(np.float64) @ self.covers.astype(np.float64) > 0
        exceptions = self._exceptions(covered @ self.own, covered @ self.other)
        total = self.share * self._theory(subsets @ self.costs, subsets.sum(axis=1)) + exceptions
        best: NDArray[np.bool_] = subsets[int(np.argmax(total <= total.min() + EQUAL))]
        return best

    def climb_from_starts(self) -> NDArray[np.bool_]:
        """Return the best subset that hill climbing reaches from none, all, and the better half of the rules."""
        m = len(self.costs)
        starts = [np.zeros(m, dtype=np.bool_), np.ones(m, dtype=np.bool_), np.arange(m) < m // 2]
        best, least = starts[0], np.inf
        for start in starts:
            reached = self._climb(start)
            total = self.bits(reached).total
            if total < least - EQUAL:
                best, least = reached, total
        return best

    def _climb(self, taken: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Add or take away the rule that saves most bits, the first of equals, until none saves any.

        A step must save more than rounding could: with weights of 1e14 the bits themselves are known to a few only, and
        steps that seem to save would go round for ever. Each subset's bits are counted again, so none comes twice.
        `free` holds for each rule the weight, of its class and of others, that it covers and no chosen rule does,
        `lone` that which it and one chosen rule cover: its own, if it is chosen. Both change only by cells that come to
        be covered by none, one or two.
        """
        depth = self.covers[taken].sum(axis=0)
        weights = np.stack([self.own, self.other], axis=1)
        now = self.bits(taken).total
        rounding = 1e-6 + 1e-13 * float(log2_factorial(self.own.sum() + self.other.sum()))
        free, lone = self._weight_where(depth == 0, weights), self._weight_where(depth == 1, weights)
        while True:
            sign = np.where(taken, -1.0, 1.0)
            change = np.where(taken[:, None], -lone, free)
            inside = depth > 0
            right, wrong = (float(column[inside].sum()) for column in (self.own, self.other))
            theory = self._theory(float(self.costs[taken].sum()) + sign * self.costs, float(taken.sum()) + sign)
            totals = self.share * theory + self._exceptions(right + change[:, 0], wrong + change[:, 1])
            at = int(np.argmax(totals <= totals.min() + EQUAL))
            step = taken.copy()
            step[at] = not taken[at]
            after = self.bits(step).total
            if after >= now - rounding:
                return taken
            now, taken = after, step
            cells = np.flatnonzero(self.covers[at])
            before = depth[cells]
            depth[cells] += 1 if taken[at] else -1
            for table, level in ((free, 0), (lone, 1)):
                left, came = cells[before == level], cells[depth[cells] == level]
                table += self.covers[:, came] @ weights[came] - self.covers[:, left] @ weights[left]

    def _weight_where(self, cells: NDArray[np.bool_], weights: Numbers) -> Numbers:
        summed: Numbers = self.covers[:, cells].astype(np.float64) @ weights[cells]
        return summed


def log2_binomial(n: Numbers, k: Numbers) -> Numbers:
    """Return log2 of the ways to choose k of n, also for weights that are not whole."""
    n = np.maximum(n, k)
    return log2_factorial(n) - log2_factorial(k) - log2_factorial(n - k)


def log2_factorial(n: Numbers | float) -> Numbers:
    """Return log2(n!), for weights by the gamma function."""
    return np.asarray(_log_gamma(np.maximum(n, 0.0) + 1), dtype=np.float64) / math.log(2)


_log_gamma = np.frompyfunc(math.lgamma, 1, 1)
