"""RuleList: rules in order, of which the first that covers a row decides. Most rule learners return it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, ClassVar, Self

import numpy as np

from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.models.base.checked_parts import expect_parts
from hedgerow.models.base.condition import Mask
from hedgerow.models.base.model import About
from hedgerow.models.base.rule import Rule
from hedgerow.models.base.rule_figures import RuleCoverage
from hedgerow.models.base.term_hits import TermHits
from hedgerow.models.rules.arrays import MAY_HAVE, PARTS, rules_from_parts
from hedgerow.models.rules.base import RuleModel, smooth_weights
from hedgerow.models.rules.one_column_lookup import lookup, single_tested_column
from hedgerow.models.rules.parse import read_rules
from hedgerow.models.rules.reason import DecidingRules

__all__ = ["Rule", "RuleList"]


@dataclass(frozen=True, eq=False)
class RuleList(RuleModel):
    """An ordered list of rules and a default: the first rule that covers a row decides its class.

    The prediction is the rule's distribution of training weight, smoothed (see `smooth_weights`); a rule without any is
    sure of its class. A default without any, behind rules that have some, predicts as all rules together would; one
    without rules before it predicts the plain class frequencies. The class that a rule states is always the most
    probable one, so that nothing is predicted but what the print says.

    Each training row counts for the rule that decides it, so that the counts add up to all rows; support is a share of
    these.

    Examples
    --------
    >>> from hedgerow.models.base.condition import Condition, Operator
    >>> schema = Table.of({"Wind": ["weak"], "Play": ["yes"]}, "Play", {"Play": ["no", "yes"]}).schema
    >>> windless = Rule((Condition("Wind", Operator.IS, "weak"),), (2, 6))
    >>> print(RuleList(schema, (windless,), Rule((), (3, 3), 0)))
    if Wind = weak then Play = yes (8/2)  # support 42.9 %, confidence 75 %
    otherwise Play = no (6/3)  # support 21.4 %, confidence 50 %
    """

    _shares: Numbers = field(init=False, repr=False, compare=False)

    kind: ClassVar[str] = "rules"

    def __post_init__(self) -> None:
        super().__post_init__()
        weights = np.array([rule.weights for rule in self], dtype=np.float64)
        if not self.default.n:
            weights[-1] = weights.sum(axis=0)
        codes = np.array([rule.code for rule in self], dtype=np.int32)
        object.__setattr__(self, "_shares", smooth_weights(weights, codes, 2.0 if self.rules else 0.0))

    @property
    def total(self) -> float:
        """The weight of all training rows: what the rules and the default covered."""
        return sum(rule.n for rule in self)

    def __str__(self) -> str:
        target, total = self.schema.target_column, self.total
        return "\n".join(rule.text(target, total) for rule in self.stated_rules)

    @property
    def stated_rules(self) -> tuple[Rule, ...]:
        """The rules as they are printed, each with the class that thresholds or costs decide for, if there are any."""
        if self.decides_by is None:
            return tuple(self)
        codes = self.decides_by.decide(self._shares).tolist()
        return tuple(
            rule if rule.decision is None else replace(rule, decision=code)
            for rule, code in zip(self, codes, strict=True)
        )

    @classmethod
    def parse(cls, text: str, schema: Schema, about: About | None = None) -> Self:
        """Parse a printed or hand-written list; an error names the line.

        One rule per line; blank lines and comments after # are ignored, keywords may be in any case, and the counts
        in parentheses may be left out.
        """
        rules, default = read_rules(text, schema)
        return cls(schema, rules, default, about=about or About())

    def deciding_rules(self, table: Table) -> Codes:
        """Return the position of the rule that decides each row of an aligned table; the default is last."""
        decider = np.full(table.n_rows, len(self.rules), dtype=np.int32)
        hits = TermHits(table, self._terms)
        open_rows = np.arange(table.n_rows)
        for column, run in groupby(
            enumerate(self.rules), key=lambda one: single_tested_column(one[1].conditions, self.schema)
        ):
            rules = [(number, rule.conditions) for number, rule in run]
            if column is None or len(rules) == 1:
                for number, _ in rules:
                    decider[self.rules[number].rows(table, open_rows, self._codes, hits)] = number
                    open_rows = open_rows[decider[open_rows] == len(self.rules)]
            else:
                find = lookup(column, rules, self.schema, self._codes, len(self.rules))
                decider[open_rows] = find(table, open_rows)
                open_rows = open_rows[decider[open_rows] == len(self.rules)]
        return decider

    def rule_coverage(self, table: Table) -> RuleCoverage:
        """Return the rule that decides each row of an aligned table."""
        return RuleCoverage(self.deciding_rules(table), np.arange(table.n_rows), np.ones(table.n_rows))

    def deciding(self, covering: list[int]) -> DecidingRules:
        """Return the first of the rules that cover a row."""
        first = covering[0]
        sentence = f"Rule {first + 1} of {len(self.rules):,} is the first that covers the row."
        return DecidingRules((first,), None, -1, sentence)

    def decided_by_default(self, table: Table) -> Mask:
        """Return which rows of an aligned table the default decides."""
        left: Mask = self.deciding_rules(table) == len(self.rules)
        return left

    def scores(self, table: Table) -> Numbers:
        """Return the distribution for a table that is aligned already."""
        return self._shares[self.deciding_rules(table)]

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the list from `to_dict`'s arrays, checking every one of them."""
        expect_parts(parts, *PARTS, may_have=MAY_HAVE)
        return cls(schema, *rules_from_parts(parts, schema), about=about)
