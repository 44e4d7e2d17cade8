"""Is it the same rule? Rules that were learned from other rows, matched to those of a model.

Two rules are the *same* if they state the same class under the same conditions, in whatever order. They are *alike* if
only numbers and sets of levels differ, and not by much: no threshold has moved past more than a tenth of the rows,
and two sets have at least half of their levels in common. Else they may still look at the same *columns* for the same
class. What counts is the class and the conditions, not the position in a list.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from hedgerow.data.table.table import Numbers, Table
from hedgerow.models.base.condition import COMPARISONS, Condition, Operator
from hedgerow.models.base.rule_figures import RuleFigures

MOST_MOVED = 0.1  # of the rows may lie between two thresholds that are alike
MOST_PAIRS = 1 << 20  # of rules that are compared at once
MOST_OTHER = 0.5  # of the levels of two sets may be in one of them alone


class RuleSimilarity(StrEnum):
    """How well a rule matches another."""

    SAME = "same"
    ALIKE = "alike"
    COLUMNS = "columns"
    NONE = "none"


@dataclass
class ThresholdScale:
    """How the rows of a table are spread over the numbers of its columns, by which thresholds are compared."""

    table: Table
    _columns: dict[str, tuple[Numbers, Numbers]] = field(default_factory=dict)

    def between(self, name: str, ones: Sequence[float], others: Sequence[float]) -> Numbers:
        """Return the share of the rows with a value that lie between each one and each other threshold."""
        if name not in self._columns:
            self._columns[name] = self._cumulative_weights(name)
        values, below = self._columns[name]
        first, second = (below[np.searchsorted(values, thresholds)] for thresholds in (ones, others))
        return np.abs(first[:, None] - second) / (below[-1] or 1.0)

    def _cumulative_weights(self, name: str) -> tuple[Numbers, Numbers]:
        values, weights = self.table.numbers(self.table.schema.index(name)), self.table.row_weights
        known = ~np.isnan(values)
        order = np.argsort(values[known], kind="stable")
        return values[known][order], np.concatenate([[0.0], np.cumsum(weights[known][order])])


def match_rules(
    rules: Sequence[RuleFigures], others: Sequence[RuleFigures], spread: ThresholdScale
) -> list[tuple[RuleSimilarity, int]]:
    """Return for each rule how well it is matched among others, and the position of its match.

    A rule is the same as, or alike, one other at most, and the other way round; of several that are alike the
    nearest pair comes first. The position is -1 unless they are the same or alike.
    """
    pairs = [(RuleSimilarity.NONE, -1)] * len(rules)
    free = set(range(len(others)))
    for places, theirs in _shared(rules, others, _identity):
        for place, other in zip(places, theirs, strict=False):
            pairs[place] = (RuleSimilarity.SAME, other)
            free.discard(other)
    for place, other in _similar_pairs(rules, others, spread):
        if other in free and pairs[place][1] < 0:
            pairs[place] = (RuleSimilarity.ALIKE, other)
            free.discard(other)
    known = {_columns(other) for other in others}
    return [
        (RuleSimilarity.COLUMNS, -1)
        if kind is RuleSimilarity.NONE and rule.length and _columns(rule) in known
        else (kind, other)
        for rule, (kind, other) in zip(rules, pairs, strict=True)
    ]


def _shared(
    rules: Iterable[RuleFigures], others: Iterable[RuleFigures], key: Callable[[RuleFigures], object]
) -> list[tuple[list[int], list[int]]]:
    """Return for each key that rules and others share the positions of both."""
    mine, theirs = _group_by_key(rules, key), _group_by_key(others, key)
    return [(places, theirs[one]) for one, places in mine.items() if one in theirs]


def _group_by_key(rules: Iterable[RuleFigures], key: Callable[[RuleFigures], object]) -> dict[object, list[int]]:
    places: dict[object, list[int]] = defaultdict(list)
    for place, figure in enumerate(rules):
        places[key(figure)].append(place)
    return dict(places)


def _similar_pairs(
    rules: Sequence[RuleFigures], others: Sequence[RuleFigures], spread: ThresholdScale
) -> Iterator[tuple[int, int]]:
    """Yield the positions of similar rules and others, the nearest first, ties go to the first."""
    entries = []
    for mine, theirs in _shared(rules, others, _shape):
        step = max(MOST_PAIRS // len(theirs), 1)
        for start in range(0, len(mine), step):
            some = mine[start : start + step]
            apart = _rule_distances([rules[place] for place in some], [others[place] for place in theirs], spread)
            one, other = np.nonzero(apart <= 1)
            entries.append((apart[one, other], np.array(some)[one], np.array(theirs)[other]))
    if entries:
        moved, places, their_places = (np.concatenate(arrays) for arrays in zip(*entries, strict=True))
        order = np.lexsort((their_places, places, moved))
        yield from zip(places[order].tolist(), their_places[order].tolist(), strict=True)


def _identity(figure: RuleFigures) -> object:
    tests = {(c.column, c.operator, c.threshold, c.term, frozenset(c.levels)) for c in figure.rule.conditions}
    return figure.label, frozenset(tests)


def _columns(figure: RuleFigures) -> object:
    return figure.label, frozenset(condition.column for condition in figure.rule.conditions)


def _shape(figure: RuleFigures) -> object:
    """Return the common part of similar rules: all but thresholds and sets of levels."""
    return figure.label, tuple(_fixed_part(condition) for condition in _sorted(figure))


def _fixed_part(condition: Condition) -> tuple[str, ...]:
    slack = condition.operator in COMPARISONS or condition.operator is Operator.IN
    return (condition.column, str(condition.operator), condition.term, *(() if slack else condition.levels))


def _sorted(figure: RuleFigures) -> list[Condition]:
    return sorted(figure.rule.conditions, key=lambda one: (*_fixed_part(one), str(one)))


def _rule_distances(rules: Sequence[RuleFigures], others: Sequence[RuleFigures], spread: ThresholdScale) -> Numbers:
    """Return the distances between rules and others (rules x others) of one shape; up to 1 they are similar."""
    apart = np.zeros((len(rules), len(others)))
    tests, their_tests = (zip(*map(_sorted, each), strict=True) for each in (rules, others))
    for mine, theirs in zip(tests, their_tests, strict=True):  # condition by condition
        if mine[0].operator in COMPARISONS:
            thresholds = ([test.threshold for test in each] for each in (mine, theirs))
            np.maximum(apart, spread.between(mine[0].column, *thresholds) / MOST_MOVED, out=apart)
        elif mine[0].operator is Operator.IN:
            np.maximum(apart, _level_distances(mine, theirs) / MOST_OTHER, out=apart)
    return apart


def _level_distances(tests: Sequence[Condition], others: Sequence[Condition]) -> Numbers:
    """Return the share of the levels of two sets that are in one of them alone, for each test and each other."""
    mine, theirs = ([set(test.levels) for test in each] for each in (tests, others))
    return np.array([[len(one ^ other) / len(one | other) for other in theirs] for one in mine])
