"""Decisions: from the probabilities of the classes to one class, the most probable, by thresholds or by costs.

Probabilities and costs that differ only by rounding are a tie, and the first class wins a tie.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import listing
from hedgerow.data.table.table import Codes, Numbers
from hedgerow.errors import ModelError, UsageError
from hedgerow.layout.names import format_level
from hedgerow.layout.numbers import format_number
from hedgerow.models.base.condition import nearest
from hedgerow.models.base.costs import cost_matrix

TIE = 1e-12  # probabilities that differ by a smaller share are equal
MOST_COSTS = 6  # costs that a text lists
DECIDED = "Decided by "  # how the line begins that a model prints last

# -- the most probable class ----------------------------------------------------------------------------------


def decisions(distribution: Numbers) -> Codes:
    """Return the most probable class of every row; the first class wins a tie.

    Probabilities that differ only by rounding are a tie, so that the same counts give the same class
    whatever order they were added in.
    """
    best = reduce_rows(np.maximum, distribution) * (1 - TIE)
    if distribution.shape[1] == 2:
        second: Codes = (distribution[:, 0] < best).astype(np.int32)  # the same as below, but quicker
        return second
    codes: Codes = (distribution >= best[:, None]).argmax(axis=1).astype(np.int32)
    return codes


def ties(distribution: Numbers) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return which classes of every row are the most probable, and the rows that have several of them."""
    best = distribution >= reduce_rows(np.maximum, distribution)[:, None] * (1 - TIE)
    return best, np.flatnonzero(np.count_nonzero(best, axis=1) > 1)


def reduce_rows(work: np.ufunc, matrix: Numbers) -> Numbers:
    """Reduce every row, for example to its sum; two to four columns are reduced column by column, which is faster."""
    result: Numbers = reduce(work, matrix.T) if 2 <= matrix.shape[1] <= 4 else work.reduce(matrix, axis=1)
    return result


# -- thresholds and costs -------------------------------------------------------------------------------------


def cheapest(distribution: Numbers, costs: Numbers) -> Codes:
    """Return the class of least expected cost of every row.

    The expected cost of predicting j is the sum over the classes i of P(i) * cost(i, j).
    """
    expected = distribution @ costs
    least = reduce_rows(np.minimum, expected)[:, None] + TIE * costs.max()
    codes: Codes = (expected <= least).argmax(axis=1).astype(np.int32)
    return codes


@dataclass(frozen=True)
class Thresholds:
    """Decisions by thresholds: a class is predicted if its probability is at least its threshold.

    Of several classes that reach their thresholds, it is the one with the largest ratio of probability to threshold; if
    none does, the most probable of the classes without a threshold, or, if all have one, that with the largest ratio.

    Examples
    --------
    >>> rule = Thresholds.of({"yes": 0.2}, ("no", "yes"))
    >>> rule.decide(np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])).tolist()
    [0, 1, 1]
    >>> print(rule)
    threshold yes=0.2
    """

    classes: tuple[str, ...]
    values: tuple[float | None, ...]  # by class, None for a class without a threshold

    overruling: ClassVar[str] = "thresholds"

    @classmethod
    def of(cls, thresholds: Any, classes: Sequence[str]) -> Self:
        """Return thresholds from a dict such as `{"yes": 0.2}`."""
        if not isinstance(thresholds, Mapping) or not thresholds:
            raise UsageError(f"thresholds are given by class, as in {{'yes': 0.2}}, not {thresholds!r}")
        values: list[float | None] = [None] * len(classes)
        for name, value in thresholds.items():
            if (label := str(name)) not in classes:
                raise UsageError(f"there is no class {label!r} for a threshold; {nearest(label, classes, 'classes')}")
            values[classes.index(label)] = _check_threshold(label, value)
        return cls(tuple(classes), tuple(values))

    def decide(self, distribution: Numbers) -> Codes:
        """Return the class of every row, given the probability of every class."""
        limits = np.array([np.inf if value is None else value for value in self.values])
        ratios = distribution / limits
        others = np.where(np.isinf(limits), distribution, -1.0) if np.isinf(limits).any() else ratios
        reached = reduce_rows(np.maximum, ratios) >= 1 - TIE
        codes: Codes = np.where(reached, decisions(ratios), decisions(others)).astype(np.int32)
        return codes

    def __str__(self) -> str:
        pairs = [f"{format_level(c)}={format_number(value)}" for c, value in self._given]
        return f"threshold{'s' * (len(pairs) > 1)} {', '.join(pairs)}"

    @property
    def sentence(self) -> str:
        """The decision in words, as it is printed with a model."""
        tests = [f"{format_level(c)} if P({format_level(c)}) >= {format_number(value)}" for c, value in self._given]
        if len(tests) < len(self.classes):
            others = "the other class" if len(self.classes) == 2 else "the most probable of the other classes"
            last = f"otherwise {others}"
        else:
            last = "otherwise the class with the largest ratio of probability to threshold"
        some = 1 < len(tests) < len(self.classes)
        tie = "; of several, the one with the largest ratio of probability to threshold" if some else ""
        return f"{DECIDED}thresholds: {', '.join(tests)}, {last}{tie}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"thresholds": dict(self._given)}

    @property
    def _given(self) -> list[tuple[str, float]]:
        return [(c, value) for c, value in zip(self.classes, self.values, strict=True) if value is not None]


@dataclass(frozen=True)
class Costs:
    """Decisions by misclassification costs: the class of least expected cost is predicted.

    Examples
    --------
    >>> rule = Costs.of({"yes:no": 4}, ("no", "yes"))
    >>> rule.decide(np.array([[0.9, 0.1], [0.7, 0.3]])).tolist()
    [0, 1]
    >>> print(rule)
    costs no:yes=1, yes:no=4
    """

    classes: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]  # a row per actual class, a column per predicted one

    overruling: ClassVar[str] = "misclassification costs"

    @classmethod
    def of(cls, costs: Any, classes: Sequence[str]) -> Self:
        """Return costs from whatever `cost_matrix` takes."""
        matrix = cost_matrix(costs, classes)
        if matrix is None:
            raise UsageError("costs are given by class, as in {'yes:no': 5}, not None")
        return cls(tuple(classes), tuple(map(tuple, matrix.tolist())))

    @property
    def matrix(self) -> Numbers:
        """The costs, a row per actual class and a column per predicted one."""
        return np.array(self.values)

    def decide(self, distribution: Numbers) -> Codes:
        """Return the class of every row, given the probability of every class."""
        return cheapest(distribution, self.matrix)

    def __str__(self) -> str:
        every = [
            (actual, stated, cost)
            for actual, row in zip(self.classes, self.values, strict=True)
            for stated, cost in zip(self.classes, row, strict=True)
            if actual != stated
        ]
        listed = [one for one in every if len(self.classes) == 2 or one[2] != 1]
        pairs = [f"{format_level(a)}:{format_level(s)}={format_number(cost)}" for a, s, cost in listed[:MOST_COSTS]]
        if len(listed) > MOST_COSTS:
            pairs.append(f"{len(listed) - MOST_COSTS} more")
        if len(listed) < len(every):
            pairs.append("others 1")
        return f"costs {', '.join(pairs)}"

    @property
    def sentence(self) -> str:
        """The decision in words, as it is printed with a model."""
        return f"{DECIDED}{self}: the class of least expected cost"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"costs": [list(row) for row in self.values]}


DecisionRule = Thresholds | Costs


def decision_rule(
    classes: Sequence[str], thresholds: Mapping[str, float] | None = None, costs: Any = None
) -> DecisionRule | None:
    """Return the rule that decides by thresholds or by costs; None if neither is given."""
    if thresholds is not None and costs is not None:
        raise UsageError("classes are decided by thresholds or by costs, not by both: give one of them")
    if thresholds is not None:
        return Thresholds.of(thresholds, classes)
    return None if costs is None else Costs.of(costs, classes)


def parse_decision_rule(data: Any, classes: Sequence[str]) -> DecisionRule:
    """Return the rule of `to_dict`, checking every part of it."""
    if not isinstance(data, dict) or len(data) != 1 or not data.keys() <= {"thresholds", "costs"}:
        raise ModelError("the decisions of a model are by thresholds or by costs")
    try:
        rule = decision_rule(classes, **data)
    except UsageError as error:
        raise ModelError(str(error)) from None
    if rule is None or rule.to_dict() != data:
        raise ModelError(f"the decisions of a model for the classes {listing(classes)} cannot be understood")
    return rule


def _check_threshold(label: str, value: Any) -> float:
    known = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not known or not 0 < value <= 1:
        raise UsageError(
            f"the threshold of {label!r} must be a probability, a number above 0 and at most 1, not {value!r}"
        )
    return float(value)
