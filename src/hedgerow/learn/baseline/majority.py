"""Majority: always the most frequent class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hedgerow.data.design.class_counts import ColumnCounts, Counts, count
from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Table
from hedgerow.learn.classifier import CountingClassifier
from hedgerow.learn.passes import Plan
from hedgerow.models.base.model import ClassModel
from hedgerow.models.rules.rule_list import Rule, RuleList


class Majority(CountingClassifier):
    """The most frequent class for every row: the baseline accuracy of a classifier.

    Its probabilities are the class frequencies of the training data.

    Examples
    --------
    >>> from hedgerow.data.table.table import Table
    >>> print(Majority().train(Table.of({"loan": ["yes", "no", "yes"]}, target="loan")))
    otherwise loan = yes (3/1)  # support 66.7 %, confidence 66.7 %
    """

    poor_score = True
    needs_columns = False

    def plan(self, schema: Schema) -> Plan:
        """Return the pass that counts the classes."""
        return MajorityPlan(schema)


@dataclass(frozen=True)
class MajorityPlan(Plan):
    """Count the classes."""

    schema: Schema

    def count(self, table: Table) -> Counts:
        """Return the weight of each class."""
        nothing: Sequence[type[ColumnCounts] | None] = [None] * len(table.schema)
        return count(table, nothing)

    def advance(self, counts: Any) -> ClassModel:
        """Return the rule without conditions."""
        return RuleList(self.schema, (), Rule((), tuple(counts.classes.tolist())))
