"""Is it the same rule? Rules that were learned from other rows, matched to those of a model.

Two rules are the *same* if they state the same class under the same conditions, in whatever order. They are *alike* if
only numbers and sets of levels differ, and not by much: no threshold has moved past more than a tenth of the rows,
and two sets have at least half of their levels in common. Else they may still look at the same *columns* for the same
class. What counts is the class and the conditions, not the place in a list.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from hedgerow.data.table import Numbers, Table
from hedgerow.models.condition import COMPARISONS, Condition, Operator
from hedgerow.models.rule_table import RuleFigures

MOST_MOVED = 0.1  # of the rows may lie between two thresholds that are alike
MOST_OTHER = 0.5  # of the levels of two sets may be in one of them alone


class Likeness(StrEnum):
    """How much of a rule was found again."""

    SAME = "same"
    ALIKE = "alike"
    COLUMNS = "columns"
    NONE = "none"


@dataclass
class Spread:
    """How the rows of a table are spread over the numbers of its columns, by which thresholds are compared."""

    table: Table
    _columns: dict[str, tuple[Numbers, Numbers]] = field(default_factory=dict)

    def between(self, name: str, one: float, other: float) -> float:
        """Return the share of the rows with a value of the column that lie between two thresholds."""
        if one == other:
            return 0.0
        if name not in self._columns:
            self._columns[name] = self._counted(name)
        values, below = self._columns[name]
        first, second = below[np.searchsorted(values, [one, other])]
        return float(abs(first - second) / below[-1]) if below[-1] else 0.0

    def _counted(self, name: str) -> tuple[Numbers, Numbers]:
        values, weights = self.table.numbers(self.table.schema.index(name)), self.table.row_weights
        known = ~np.isnan(values)
        order = np.argsort(values[known], kind="stable")
        return values[known][order], np.concatenate([[0.0], np.cumsum(weights[known][order])])


def matched(rules: Sequence[RuleFigures], others: Sequence[RuleFigures], spread: Spread) -> list[tuple[Likeness, int]]:
    """Return for each of the rules how much of it is found among others, and the place of the one that it is.

    A rule is the same as, or alike, one other at most, and the other way round; of several that are alike the
    nearest pair comes first. The place is -1 unless they are the same or alike.
    """
    found = [(Likeness.NONE, -1)] * len(rules)
    free = set(range(len(others)))
    for place, other in _pairs(rules, others, _identity):
        if other in free and found[place][1] < 0:
            found[place] = (Likeness.SAME, other)
            free.discard(other)
    pairs = _pairs(rules, others, _shape)
    for moved, place, other in sorted((_moved(rules[one], others[two], spread), one, two) for one, two in pairs):
        if moved <= 1 and other in free and found[place][1] < 0:
            found[place] = (Likeness.ALIKE, other)
            free.discard(other)
    known = {_columns(other) for other in others}
    return [
        (Likeness.COLUMNS, -1) if kind is Likeness.NONE and rule.length and _columns(rule) in known else (kind, other)
        for rule, (kind, other) in zip(rules, found, strict=True)
    ]


def _pairs(
    rules: Iterable[RuleFigures], others: Iterable[RuleFigures], key: Callable[[RuleFigures], object]
) -> list[tuple[int, int]]:
    """Return the places of rules and others that have the same key."""
    places: dict[object, list[int]] = defaultdict(list)
    for other, figure in enumerate(others):
        places[key(figure)].append(other)
    return [(place, other) for place, figure in enumerate(rules) for other in places.get(key(figure), ())]


def _identity(figure: RuleFigures) -> object:
    tests = {(c.column, c.operator, c.threshold, c.term, frozenset(c.levels)) for c in figure.rule.conditions}
    return figure.label, frozenset(tests)


def _columns(figure: RuleFigures) -> object:
    return figure.label, frozenset(condition.column for condition in figure.rule.conditions)


def _shape(figure: RuleFigures) -> object:
    """Return what rules that are alike have in common: all but thresholds and sets of levels."""
    return figure.label, tuple(_fixed(condition) for condition in _sorted(figure))


def _fixed(condition: Condition) -> tuple[str, ...]:
    slack = condition.operator in COMPARISONS or condition.operator is Operator.IN
    return (condition.column, str(condition.operator), condition.term, *(() if slack else condition.levels))


def _sorted(figure: RuleFigures) -> list[Condition]:
    return sorted(figure.rule.conditions, key=lambda one: (*_fixed(one), str(one)))


def _moved(rule: RuleFigures, other: RuleFigures, spread: Spread) -> float:
    """Return how far apart two rules of one shape are; up to 1 they are alike."""
    pairs = zip(_sorted(rule), _sorted(other), strict=True)
    return max((_apart(one, two, spread) for one, two in pairs), default=0.0)


def _apart(one: Condition, other: Condition, spread: Spread) -> float:
    if one.operator in COMPARISONS:
        return spread.between(one.column, one.threshold, other.threshold) / MOST_MOVED
    first, second = set(one.levels), set(other.levels)
    return len(first ^ second) / len(first | second) / MOST_OTHER if first | second else 0.0
