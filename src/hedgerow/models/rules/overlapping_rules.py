"""OverlappingRules: the base of models in which several rules may cover a row."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.models.base.rule import Rule
from hedgerow.models.base.rule_figures import RuleCoverage
from hedgerow.models.rules.base import RuleModel, smooth_weights
from hedgerow.models.rules.covered_rows import RuleTests


@dataclass(frozen=True, eq=False)
class OverlappingRules(RuleModel):
    """Rules of which several may apply to a row, and a default.

    A rule's counts are those of all training rows that it covers, so that rows count for several rules; the default's
    are those of all training rows, of which support is a share.
    """

    @property
    def total(self) -> float:
        """The weight of all training rows, which is the default's."""
        return self.default.n

    @property
    def _all_rows(self) -> tuple[Rule, ...]:
        return (self.default,)

    def rule_coverage(self, table: Table) -> RuleCoverage:
        """Return all rows of an aligned table that each rule covers, and those that are left to the default."""
        tests = self.tests()
        parts = [(len(self.rules), np.flatnonzero(self.decided_by_default(table)))]
        for start, block in tests.blocks(table):
            parts += [(rule, start + rows) for rule, rows in enumerate(tests.iterate_covered_rows(block)) if len(rows)]
        numbers, rows = zip(*parts, strict=True)
        rules = np.repeat(np.array(numbers, dtype=np.int32), [len(some) for some in rows])
        return RuleCoverage(rules, np.concatenate(rows), np.ones(len(rules)))

    def rule_lines(self) -> list[str]:
        """Return the rules as printed, one line each; the capital letter distinguishes them from those of a list."""
        target = self.schema.target_column
        return [f"I{rule.text(target, self.total)[1:]}" for rule in self.rules]

    def tests(self) -> RuleTests:
        """Return the tests of all rules, to find the rows that each covers; they are rebuilt, as models are data."""
        return RuleTests(self.rules, self.schema, self._codes)

    def scores(self, table: Table) -> Numbers:
        """Return the distribution for a table that is aligned already."""
        values, tests = np.empty((table.n_rows, len(self.classes))), self.tests()
        for start, block in tests.blocks(table):
            counts, codes = self._combine_rules(block, tests)
            values[start : start + len(block)] = smooth_weights(counts, codes, 2.0 if self.rules else 0.0)
        return values

    @abstractmethod
    def _combine_rules(self, block: Table, tests: RuleTests) -> tuple[Numbers, Codes]:
        """Return the counts for the prediction of each row, and its class."""

    @cached_property
    def _weights(self) -> Numbers:
        """The counts of each rule by class."""
        shape = (len(self.rules), len(self.classes))
        return np.array([rule.weights for rule in self.rules], dtype=np.float64).reshape(shape)
