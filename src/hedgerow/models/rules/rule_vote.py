"""RuleVote: rules in order of precedence, of which the first few that cover a row vote, and a default."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.errors import ModelError
from hedgerow.models.base.checked_parts import expect_parts
from hedgerow.models.base.condition import Mask
from hedgerow.models.base.model import About
from hedgerow.models.rules.arrays import MAY_HAVE, PARTS, rules_from_parts
from hedgerow.models.rules.covered_rows import RuleTests
from hedgerow.models.rules.overlapping_rules import OverlappingRules
from hedgerow.models.rules.parse import MOST_VOTERS, read_vote, vote_text
from hedgerow.models.rules.reason import DecidingRules, count_rules

NEAR = 1e-9  # votes that differ by less are equal
PATIENCE = 64  # rules between two looks at whether any row still needs one


@dataclass(frozen=True, eq=False)
class RuleVote(OverlappingRules):
    """Rules in order of precedence and a default: the first few rules that cover a row vote by their odds.

    A vote weighs what the rule adds to what is known of its class: the logarithm of the odds of the class among the
    rows that the rule covers, less that among all rows, half a row added to either side. Of the classes that are voted
    for, that with the largest sum is predicted, of equals that of the first rule, of others the first; a rule without
    counts stands for one row that it is right about. The probabilities are the counts of the voting rules added and
    smoothed (see `smoothed`). A rule's counts are those of all training rows that it covers, so that rows count for
    several rules; the default's are those of all training rows, of which support is a share.

    Parameters
    ----------
    voters
        How many rules vote; of one, the first rule that covers a row decides.

    Examples
    --------
    >>> from hedgerow.models.base.condition import Condition, Operator
    >>> from hedgerow.models.base.rule import Rule
    >>> schema = Table.of({"Wind": ["weak"], "Play": ["yes"]}, "Play", {"Play": ["no", "yes"]}).schema
    >>> windless = Rule((Condition("Wind", Operator.IS, "weak"),), (2, 6))
    >>> print(RuleVote(schema, (windless,), Rule((), (5, 9)), 3))
    If Wind = weak then Play = yes (8/2)  # support 42.9 %, confidence 75 %
    Where rules overlap, the first 3 vote by odds
    Where no rule covers, Play = yes (14/5)
    """

    voters: int = 1
    _votes: Numbers = field(init=False, repr=False, compare=False)

    kind: ClassVar[str] = "rule_vote"
    noun: ClassVar[str] = "rules"
    rule_order: ClassVar[str] = "vote"

    def __post_init__(self) -> None:
        if isinstance(self.voters, bool) or not isinstance(self.voters, int) or not 1 <= self.voters <= MOST_VOTERS:
            raise ModelError(f"from 1 to {MOST_VOTERS:,} rules may vote, not {self.voters!r}")
        super().__post_init__()
        weights = self._weights
        codes = np.array([rule.code for rule in self.rules], dtype=np.int64)
        own, sums = weights[np.arange(len(weights)), codes], weights.sum(axis=1)
        before = np.array(self.default.weights, dtype=np.float64)
        votes = _log_odds(np.where(sums > 0, own, 1.0), np.where(sums > 0, sums, 1.0))
        object.__setattr__(self, "_votes", votes - _log_odds(before, before.sum())[codes])

    def __str__(self) -> str:
        target = self.schema.target_column
        return "\n".join(
            [
                *self.rule_lines(),
                vote_text(self.voters),
                f"Where no rule covers, {self.default.format_decision(target)}",
            ]
        )

    @classmethod
    def parse(cls, text: str, schema: Schema, about: About | None = None) -> Self:
        """Read printed or hand-written rules; an unreadable line raises an error with its number.

        The text is as forgiving as that of a RuleList.
        """
        rules, default, voters = read_vote(text, schema)
        return cls(schema, rules, default, voters, about=about or About())

    @property
    def votes(self) -> Numbers:
        """The weight of each rule's vote."""
        return self._votes

    def deciding(self, covering: list[int]) -> DecidingRules:
        """Return the first of the rules that cover a row, with their votes."""
        voters = tuple(covering[: self.voters])
        sentence = f"{count_rules(len(covering))} of {len(self.rules):,} cover the row; " + (
            f"the first {len(voters)} vote by their odds." if len(voters) > 1 else "the first decides."
        )
        return DecidingRules(voters, tuple(float(self.votes[n]) for n in voters), len(covering), sentence)

    def decided_by_default(self, table: Table) -> Mask:
        """Return which rows of an aligned table the default decides."""
        left: Mask = self.deciding_rules(table) == len(self.rules)
        return left

    def deciding_rules(self, table: Table) -> Codes:
        """Return the position of the first rule that covers each row of an aligned table; the default is last."""
        first, tests = np.full(table.n_rows, len(self.rules), dtype=np.int32), self.tests()
        for start, block in tests.blocks(table):
            some = first[start : start + len(block)]
            for number, rows in enumerate(tests.iterate_covered_rows(block)):
                some[rows] = np.minimum(some[rows], number)
                if number % PATIENCE == 0 and (some < len(self.rules)).all():
                    break
        return first

    def _combine_rules(self, block: Table, tests: RuleTests) -> tuple[Numbers, Codes]:
        """Return the counts for the prediction of each row, and its class."""
        counts, votes = np.zeros((2, len(self.classes), block.n_rows))
        named = np.zeros(votes.shape, dtype=np.bool_)
        heard, first = np.zeros(block.n_rows, dtype=np.int32), np.full(block.n_rows, -1, dtype=np.int32)
        each = zip(
            self.rules, self._weights.tolist(), self._votes.tolist(), tests.iterate_covered_rows(block), strict=False
        )
        for number, (rule, weights, vote, covered) in enumerate(each):
            rows = covered[heard[covered] < self.voters]
            first[rows[heard[rows] == 0]] = rule.code
            heard[rows] += 1
            votes[rule.code][rows] += vote
            named[rule.code][rows] = True
            for code, weight in enumerate(weights):
                if weight:
                    counts[code][rows] += weight
            if number % PATIENCE == 0 and (heard >= self.voters).all():
                break
        votes[~named] = -np.inf
        near = votes >= votes.max(axis=0) - NEAR
        every = np.arange(block.n_rows)
        codes = np.where(near[first, every], first, near.argmax(axis=0)).astype(np.int32)
        counts = np.ascontiguousarray(counts.T)
        left = first < 0
        counts[left], codes[left] = self.default.weights, self.default.code
        return counts, codes

    def to_dict(self) -> dict[str, Any]:
        """Return the rules as flat arrays, and how many vote."""
        return {**super().to_dict(), "voters": self.voters}

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the rules from `to_dict`'s parts, checking every one of them."""
        expect_parts(parts, *PARTS, "voters", may_have=MAY_HAVE)
        return cls(schema, *rules_from_parts(parts, schema), parts["voters"], about=about)


def _log_odds(hits: Numbers, covered: Any) -> Numbers:
    """Return the logarithm of hits against misses, half a row added to either."""
    misses = np.maximum(covered - hits, 0)  # sums of weights may be a little less than one of them
    odds: Numbers = np.log(hits + 0.5) - np.log(misses + 0.5)
    return odds
