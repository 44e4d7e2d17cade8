"""The rules of a model with their statistics, as used by `rule_rows`, `to_arrow` and all reports."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from hedgerow.data.table.schema import Column
from hedgerow.data.table.table import Codes, Numbers, Rows
from hedgerow.models.base.condition import conjunction
from hedgerow.models.base.rule import Rule

LEARNERS = (
    "ripper, covering, prism, cba, c45_rules and one_r learn rules, and the paths of c45, cart and id3 trees are rules"
)
# How the rules of a kind of model are read: `order` of a report, and the sentence that describes it.
READING = {
    "list": "Rules are tried in order; the first rule that covers a row decides, and only it counts the row.",
    "set": "Rules are unordered, and several of them may count the same row; the counts of the default are those of "
    "all rows.",
    "vote": "Rules are sorted by precedence, and several of them may count the same row; where several cover a row, "
    "the first of them decide. The counts of the default are those of all rows.",
    "paths": "Each rule is a path from the root of the tree to a leaf; every row follows exactly one of them.",
}


@dataclass(frozen=True)
class RuleFigures:
    """A rule at its position in a model, and its statistics on the training rows; NaN is undefined.

    Parameters
    ----------
    number
        Its position, counted from 1; the default is the last.
    rule, target
        The rule itself, and the target column.
    totals
        The weight of all training rows by class, zeros if the model does not know.
    is_default
        Whether it decides the rows that no other rule covers.
    """

    number: int
    rule: Rule
    target: Column
    totals: tuple[float, ...]
    is_default: bool = False

    @property
    def label(self) -> str | None:
        """The class of the rule; None for a default without a decision."""
        return None if self.rule.decision is None else self.target.levels[self.rule.decision]

    @property
    def conditions(self) -> str:
        """The conditions as printed, joined by `and`; empty for a rule without conditions."""
        return conjunction(self.rule.conditions)

    @property
    def text(self) -> str:
        """The rule as it prints, without its counts."""
        return self.rule.format_without_counts(self.target)

    @cached_property
    def n(self) -> float:
        """The weight of the training rows that it covered."""
        return self.rule.n

    @cached_property
    def errors(self) -> float:
        """The weight of those of another class."""
        return math.nan if self.rule.decision is None else self.rule.errors

    @cached_property
    def total(self) -> float:
        """The weight of all training rows."""
        return math.fsum(self.totals)

    @property
    def support(self) -> float:
        """The share of all training rows that it covers and that are of its class."""
        return _ratio(self.n - self.errors, self.total)

    @property
    def confidence(self) -> float:
        """The share of the covered training rows that are of its class."""
        return _ratio(self.n - self.errors, self.n)

    @property
    def lift(self) -> float:
        """How many times as frequent its class is among the covered training rows as among all."""
        if self.rule.decision is None:
            return math.nan
        return _ratio(self.confidence, _ratio(self.totals[self.rule.decision], self.total))

    @property
    def length(self) -> int:
        """The number of its conditions; an interval has two."""
        return len(self.rule.conditions)

    def columns(self) -> dict[str, Any]:
        """Return the table row of the rule, by column."""
        return {
            "number": self.number,
            "conditions": self.conditions,
            "class": self.label,
            "n": self.n,
            "errors": self.errors,
            "support": self.support,
            "confidence": self.confidence,
            "lift": self.lift,
            "length": self.length,
            "default": self.is_default,
        }


def counts_overlap(order: str) -> bool:
    """Return whether a row counts for all rules that cover it, and the default's counts are those of all rows."""
    return order in ("set", "vote")


class RuleCoverage(NamedTuple):
    """Pairs of a rule and a row that it covers, and the share of the row that it gets; the default is the last rule.

    In an ordered list a rule covers the rows that it decides, and so does the default of a set or a vote. A path of a
    tree gets a share of a row that a missing value divides among several.
    """

    rules: Codes
    rows: Rows
    shares: Numbers


def list_rules(rules: Sequence[Rule], target: Column, totals: Sequence[float], n_rules: int) -> tuple[RuleFigures, ...]:
    """Return the statistics of rules at their positions; those after the first `n_rules` are defaults."""
    return tuple(
        RuleFigures(number + 1, rule, target, tuple(totals), number >= n_rules) for number, rule in enumerate(rules)
    )


def figures_table(figures: Iterable[RuleFigures]) -> Any:
    """Return rules as an Arrow table, one row per rule: see `RuleModel.to_arrow`."""
    return arrow(figure.columns() for figure in figures)


def arrow(rows: Iterable[Mapping[str, Any]]) -> Any:
    """Return rows of plain values as an Arrow table; NaN becomes null."""
    from hedgerow.data.frames.arrow import plain_table

    return plain_table(list(rows))


def _ratio(above: float, below: float) -> float:
    return above / below if below else math.nan
