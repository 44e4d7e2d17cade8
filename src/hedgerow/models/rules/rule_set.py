"""RuleSet: rules without order, as PRISM and unordered CN2 learn them, and a default."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np

from hedgerow.data.table.schema import Schema, listing
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.errors import ModelError
from hedgerow.models.base.checked_parts import expect_parts
from hedgerow.models.base.condition import Mask
from hedgerow.models.base.decisions import decisions
from hedgerow.models.base.model import About
from hedgerow.models.rules.arrays import MAY_HAVE, PARTS, rules_from_parts
from hedgerow.models.rules.base import JUST_HEAVIER
from hedgerow.models.rules.covered_rows import RuleTests
from hedgerow.models.rules.overlapping_rules import OverlappingRules
from hedgerow.models.rules.parse import CONFLICTS, read_set
from hedgerow.models.rules.reason import DecidingRules, count_rules


@dataclass(frozen=True, eq=False)
class RuleSet(OverlappingRules):
    """Rules without order and a default; the rules are sorted by class, otherwise in the given order.

    The prediction is the counts of all covering rules added and smoothed (see `smoothed`); rules without counts are
    sure of their class. A rule's counts are those of all training rows that it covers, so that rows count for several
    rules; the default's are those of all training rows, of which support is a share.

    Parameters
    ----------
    conflict
        What decides where several rules cover a row: "default", the class that all of them state, and the default if
        they disagree, as in PRISM; or "sum", the most frequent class when their counts are added, ties go to the first,
        as in CN2 (a rule without counts then counts as one row). The default always decides where no rule covers.

    Examples
    --------
    >>> from hedgerow.models.base.condition import Condition, Operator
    >>> from hedgerow.models.base.rule import Rule
    >>> schema = Table.of({"Wind": ["weak"], "Play": ["yes"]}, "Play", {"Play": ["no", "yes"]}).schema
    >>> windless = Rule((Condition("Wind", Operator.IS, "weak"),), (2, 6))
    >>> print(RuleSet(schema, (windless,), Rule((), (5, 9)), "default"))
    If Wind = weak then Play = yes (8/2)  # support 42.9 %, confidence 75 %
    Where no rule covers or rules disagree, Play = yes (14/5)
    """

    conflict: str = "default"
    _votes: Numbers = field(init=False, repr=False, compare=False)

    kind: ClassVar[str] = "rule_set"
    noun: ClassVar[str] = "set"
    rule_order: ClassVar[str] = "set"

    def __post_init__(self) -> None:
        if self.conflict not in CONFLICTS:
            raise ModelError(f"the resolution of rule conflicts must be {listing(CONFLICTS)}, not {self.conflict!r}")
        super().__post_init__()
        object.__setattr__(self, "rules", tuple(sorted(self.rules, key=lambda rule: rule.code)))
        object.__setattr__(self, "_votes", self._compute_votes())

    def __str__(self) -> str:
        target, conflict = self.schema.target_column, CONFLICTS[self.conflict]
        before = [conflict.tie_break] if conflict.tie_break else []
        return "\n".join([*self.rule_lines(), *before, f"{conflict.when} {self.default.format_decision(target)}"])

    @classmethod
    def parse(cls, text: str, schema: Schema, about: About | None = None) -> Self:
        """Read a printed or hand-written set; an unreadable line raises an error with its number.

        The text is as forgiving as that of a RuleList.
        """
        rules, default, conflict = read_set(text, schema)
        return cls(schema, rules, default, conflict, about=about or About())

    def deciding(self, covering: list[int]) -> DecidingRules:
        """Return all rules that cover a row; if they disagree, the default may decide with them."""
        n, last = len(covering), len(self.rules)
        cover = f"{count_rules(n)} of {last:,} cover{'s' if n == 1 else ''} the row"
        if self.conflict != "default":
            added = "; their counts are added, and the class with the largest count is predicted" if n > 1 else ""
            return DecidingRules(tuple(covering), None, n, f"{cover}{added}.")
        if len({self.rules[number].code for number in covering}) > 1:
            return DecidingRules((*covering, last), None, n, f"{cover} and disagree: the default decides.")
        return DecidingRules(tuple(covering), None, n, f"{cover}{' and agree' if n > 1 else ''}.")

    def decided_by_default(self, table: Table) -> Mask:
        """Return which rows of an aligned table the default decides."""
        left, tests = np.empty(table.n_rows, dtype=np.bool_), self.tests()
        for start, block in tests.blocks(table):
            _, votes = self._sum_covering_rules(block, tests)
            left[start : start + len(block)] = ~self._decided_by_rules(votes)
        return left

    def to_dict(self) -> dict[str, Any]:
        """Return the rules as flat arrays, and the conflict rule."""
        return {**super().to_dict(), "conflict": self.conflict}

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the set from `to_dict`'s parts, checking every one of them."""
        expect_parts(parts, *PARTS, "conflict", may_have=MAY_HAVE)
        conflict = parts["conflict"]
        if not isinstance(conflict, str):
            raise ModelError(f"its part 'conflict' must be {listing(CONFLICTS)}")
        rules, default = rules_from_parts(parts, schema)
        if any(one.code > other.code for one, other in pairwise(rules)):
            raise ModelError("its rules are not sorted by class")
        return cls(schema, rules, default, conflict, about=about)

    def _compute_votes(self) -> Numbers:
        """Return the values of each rule for each class: its own, or its counts, its own class the heaviest."""
        codes = np.array([rule.code for rule in self.rules], dtype=np.int64)
        every = np.arange(len(codes))
        votes = np.zeros_like(self._weights) if self.conflict == "default" else self._weights.copy()
        heaviest = votes.max(axis=1, initial=0.0)
        other = every[votes.argmax(axis=1) != codes] if len(codes) else every
        votes[other, codes[other]] = heaviest[other] * JUST_HEAVIER
        none = every[heaviest == 0]
        votes[none, codes[none]] = 1.0
        return votes

    def _combine_rules(self, block: Table, tests: RuleTests) -> tuple[Numbers, Codes]:
        """Return the counts for the prediction of each row, and its class."""
        counts, votes = self._sum_covering_rules(block, tests)
        codes = decisions(votes)
        left = ~self._decided_by_rules(votes)
        counts[left], codes[left] = self.default.weights, self.default.code
        return counts, codes

    def _sum_covering_rules(self, block: Table, tests: RuleTests) -> tuple[Numbers, Numbers]:
        """Return the counts and the votes of the covering rules, added for each row in the order of the rules."""
        counts, votes = np.zeros((2, len(self.classes), block.n_rows))  # class by class, which NumPy does quicker
        by_counts = self.conflict == "sum"  # then votes are counts, but for a few rules
        more = (self._votes - self._weights if by_counts else self._votes).tolist()
        for rows, weight, vote in zip(tests.iterate_covered_rows(block), self._weights.tolist(), more, strict=True):
            for sums, each in ((counts, weight), (votes, vote)):
                for code, number in enumerate(each):
                    if number:
                        sums[code][rows] += number
        votes += counts if by_counts else 0.0
        return np.ascontiguousarray(counts.T), np.ascontiguousarray(votes.T)

    def _decided_by_rules(self, votes: Numbers) -> Mask:
        """Return for which rows the rules, not the default, decide."""
        classes = np.count_nonzero(votes, axis=1)
        agreed: Mask = classes == 1 if self.conflict == "default" else classes > 0
        return agreed
