"""Rule: conditions, the class they decide for, and the training rows they covered."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from hedgerow.data.table.schema import Column
from hedgerow.data.table.table import Rows, Table
from hedgerow.errors import ModelError
from hedgerow.layout.names import format_level, format_name
from hedgerow.layout.numbers import format_number
from hedgerow.models.base.condition import Condition, LevelCodes, Mask, conjunction, terms_of_conditions
from hedgerow.models.base.term_hits import TermHits


@dataclass(frozen=True, slots=True)
class Rule:
    """Conditions that must all be true, and the classes of the training rows they covered.

    Parameters
    ----------
    conditions
        The tests; none for a rule that covers every row.
    weights
        The weight of the covered training rows by class, kept as it prints (see `round_weights`). All zero for
        a rule that was written by hand or covered no rows.
    decision
        The code of the class; -1 takes the heaviest, ties go to the first. None for a default that leaves rows
        without a prediction.
    """

    conditions: tuple[Condition, ...]
    weights: tuple[float, ...]
    decision: int | None = -1

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", tuple(self.conditions))
        object.__setattr__(self, "weights", round_weights(self.weights))
        if self.decision == -1:
            object.__setattr__(self, "decision", self.weights.index(max(self.weights)))
        if self.decision is not None and not 0 <= self.decision < len(self.weights):
            raise ModelError(
                f"a rule predicts class number {self.decision}, but there are only {len(self.weights)} classes"
            )

    @property
    def code(self) -> int:
        """The code of the class; -1 if the rule does not decide."""
        return -1 if self.decision is None else self.decision

    @property
    def n(self) -> float:
        """The weight of the training rows that the rule covered."""
        return float(_total(self.weights))

    @property
    def errors(self) -> float:
        """The weight of the covered training rows that are of another class; 0 if the rule does not decide."""
        if self.decision is None:
            return 0.0
        return float(_total(w for code, w in enumerate(self.weights) if code != self.decision))

    @property
    def confidence(self) -> float:
        """The share of the covered training rows that are of the rule's class; 0 if it covered or decides none."""
        return (self.n - self.errors) / self.n if self.n and self.decision is not None else 0.0

    def support(self, total: float) -> float:
        """Return the share of all training rows, of weight `total`, that are covered and of the rule's class."""
        if not total >= self.n > -1 or not total:
            raise ModelError(
                f"a rule that covers {format_number(self.n)} rows cannot have its support computed from {total}"
            )
        return (self.n - self.errors) / total

    def rows(self, table: Table, rows: Rows, codes: LevelCodes | None = None, hits: TermHits | None = None) -> Rows:
        """Return those of `rows` that the rule covers; `codes` and `hits` as in `Condition.covers`."""
        hits = hits or TermHits(table, terms_of_conditions(self.conditions))
        for condition in self.conditions:
            rows = rows[condition.covers(table, rows, codes, hits)]
        return rows

    def covers(self, table: Table) -> Mask:
        """Return for every row whether the rule covers it."""
        mask = np.zeros(table.n_rows, dtype=np.bool_)
        mask[self.rows(table, np.arange(table.n_rows))] = True
        return mask

    def text(self, target: Column, total: float = 0.0) -> str:
        """Return the rule as it prints, the class written as the target's level.

        If the weight of all training rows is given, support and confidence follow as a comment.
        """
        return f"{self._start} {self.format_decision(target)}{self.figures(total)}"

    def format_without_counts(self, target: Column) -> str:
        """Return the rule as it prints, without counts and measures."""
        return f"{self._start} {self._format_class(target)}"

    def format_decision(self, target: Column) -> str:
        """Return the decision of the rule with its counts: `Class = No (6/0)`, `no decision (3: No 2, Yes 1)`."""
        counts = f" {counts_text(self.weights, self.decision, target.levels)}" if self.n else ""
        return f"{self._format_class(target)}{counts}"

    def figures(self, total: float) -> str:
        """Return support, as a share of the weight of all training rows, and confidence, as a comment."""
        if not total >= self.n > 0 or self.decision is None:
            return ""
        return f"  # support {percent_text(self.support(total))}, confidence {percent_text(self.confidence)}"

    @property
    def _start(self) -> str:
        return f"if {conjunction(self.conditions)} then" if self.conditions else "otherwise"

    def _format_class(self, target: Column) -> str:
        return "no decision" if self.decision is None else format_target_class(target, self.decision)


def round_weights(weights: Iterable[float]) -> tuple[float, ...]:
    """Return weights as a rule stores and prints them: whole numbers exactly, fractions to six digits.

    The digits are those of the total, so that all weights of a rule end at the same decimal and their sums
    print exactly. Where rounding lifts the total to the next power of ten, the given weights are rounded once more, to
    a digit less; so storing a stored value again does not change it.
    """
    plain_weights = tuple(float(weight) for weight in weights)
    if not plain_weights or not all(weight >= 0 for weight in plain_weights) or sum(plain_weights) > 1e300:
        raise ModelError(f"the weights of a rule must be finite numbers of at least 0, not {plain_weights}")
    kept, digits = plain_weights, math.inf
    while any(kept) and not _are_printed_whole(kept) and (fewer := _digits(kept)) < digits:
        kept, digits = tuple(round(weight, fewer) for weight in plain_weights), fewer
    return kept


def format_target_class(target: Column, decision: int) -> str:
    """Return the class that is decided for, as it prints: `Class = No`."""
    return f"{format_name(target.name)} = {format_level(target.levels[decision])}"


def counts_text(weights: Sequence[float], decision: int | None, classes: Sequence[str], always: bool = True) -> str:
    """Return `(n/errors)`, and the weight by class where that does not follow from the two.

    Zero errors are printed only with `always`. Without a decision there are no errors, and the classes are listed.
    """
    n = _total(weights)
    right = n if decision is None else Decimal(repr(weights[decision]))
    counts = format_number(float(n))
    if decision is not None and (always or n != right):
        counts += f"/{format_number(float(n - right))}"
    if decision is None or (len(classes) > 2 and n != right):
        pairs = [(format_level(c), w) for c, w in zip(classes, weights, strict=True) if w]
        counts += ": " + ", ".join(f"{label} {format_number(weight)}" for label, weight in pairs)
    return f"({counts})"


def percent_text(share: float) -> str:
    """Return a share in percent to a decimal; only none at all is 0, only everything 100."""
    text = f"{100 * share:.1f}"
    if share < 1 and text == "100.0":
        return "> 99.9 %"
    if share > 0 and text == "0.0":
        return "< 0.1 %"
    return f"{text.removesuffix('.0')} %"


def _digits(weights: Sequence[float]) -> int:
    """Return how many decimals weights have so that their total has six digits; below 1e15 no fewer than none."""
    total = math.fsum(weights)
    digits = 5 - Decimal(total).adjusted()
    return max(digits, 0) if total < 1e15 else digits


def _are_printed_whole(weights: Sequence[float]) -> bool:
    return math.fsum(weights) < 1e15 and all(weight.is_integer() for weight in weights)


def _total(weights: Iterable[float]) -> Decimal:
    """Add weights as they print: 0.1 and 0.2 make 0.3."""
    return sum((Decimal(repr(weight)) for weight in weights), Decimal(0))
