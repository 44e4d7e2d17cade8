"""1R: the best rule set that uses one column only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hedgerow.data.design.class_counts import Counts, LevelCounts, ValueCounts, count, count_types
from hedgerow.data.design.discretize import one_r_buckets, one_r_intervals
from hedgerow.data.table.schema import Column, Schema
from hedgerow.data.table.table import Numbers, Table
from hedgerow.data.table.threads import map_in_order
from hedgerow.learn.classifier import CountingClassifier
from hedgerow.learn.params import real
from hedgerow.learn.passes import InMemoryEngine, Plan
from hedgerow.learn.rules.one_r_work import ColumnRules, OneRWork
from hedgerow.models.base.condition import Condition, Operator
from hedgerow.models.base.model import ClassModel
from hedgerow.models.rules.rule_list import Rule, RuleList

MANY_ROWS = 100_000  # from here on columns are shared among threads


class OneR(CountingClassifier):
    """One rule: the single column whose values, each predicting its most frequent class, make the fewest errors.

    A nominal column gives one rule per level. A numeric column is split where its majority class changes, each interval
    containing at least `min_bucket` rows of its majority class. Missing values are treated as one more level. Ties
    between columns go to the first, ties between classes to the first class. Columns that hardly repeat, with a level
    for every other row or more, and dates are skipped: they would win without being informative.

    References
    ----------
    R. C. Holte, Very simple classification rules perform well on most commonly used datasets. Machine Learning 11
    (1993).

    Examples
    --------
    >>> from hedgerow.data.table.table import Table
    >>> table = Table.of({"sky": ["sun", "sun", "rain", "rain"], "play": ["yes", "yes", "no", "yes"]}, "play")
    >>> print(OneR().train(table))
    if sky = sun then play = yes (2/0)  # support 50 %, confidence 100 %
    if sky = rain then play = yes (2/1)  # support 25 %, confidence 50 %
    otherwise play = yes
    """

    min_bucket: float = real(6, "minimum weight of the majority class in an interval of a numeric column", above=0)

    poor_score = True
    shows_work: ClassVar[bool] = True

    def plan(self, schema: Schema) -> Plan:
        """Return the pass that counts every column by class."""
        return OneRPlan(schema, float(self.min_bucket))

    def _work(self, table: Table) -> OneRWork:
        plan = OneRPlan(table.schema, float(self.min_bucket))
        counts = InMemoryEngine(table).total(plan)
        columns = tuple(plan.considered(position, counts) for position in table.schema.predictors)
        informative = [column for column in columns if column.rules]
        chosen = min(informative, key=lambda column: round(column.errors, 9)).name if informative else ""
        return OneRWork(table.schema, columns, chosen)


@dataclass(frozen=True)
class OneRPlan(Plan):
    """Count levels and different values by class, then take the best column."""

    schema: Schema
    min_bucket: float

    def count(self, table: Table) -> Counts:
        """Return the counts of all columns."""
        return count(table, count_types(table.schema, ValueCounts))

    def count_in_memory(self, table: Table) -> Counts:
        """Return the same, but one column at a time: a column of numbers may have as many values as rows."""
        return count(table, count_types(table.schema, ValueCounts), on_demand=True)

    def advance(self, counts: Any) -> ClassModel:
        """Return the rules of the column with the least errors."""
        everything = Rule((), tuple(counts.classes.tolist()))

        def errors_of(position: int) -> float:
            column, counted = self.schema.columns[position], counts.columns[position]
            informative = counted is not None and not _is_nearly_unique(column, counted)
            return column_errors(counted, self.min_bucket) if informative else np.inf

        best, least = -1, np.inf
        threads = None if counts.rows > MANY_ROWS else 1
        for position, errors in enumerate(map_in_order(errors_of, range(len(self.schema)), threads)):
            if errors < least - 1e-9:
                best, least = position, errors
        if best < 0:
            return RuleList(self.schema, (), everything)
        rules = column_rules(self.schema.columns[best], counts.columns[best], self.min_bucket)
        default = Rule((), (0.0,) * len(everything.weights), everything.decision)  # no training row reaches it
        return RuleList(self.schema, rules, default)

    def considered(self, position: int, counts: Any) -> ColumnRules:
        """Return the rules of a column, or why it has none."""
        column, counted = self.schema.columns[position], counts.columns[position]
        if counted is None or _is_nearly_unique(column, counted):
            return ColumnRules(column.name, (), "skipped: its values hardly repeat")
        rules = column_rules(column, counted, self.min_bucket)
        return ColumnRules(column.name, rules, "" if rules else "a single interval")


def column_errors(counts: LevelCounts | ValueCounts, min_bucket: float) -> float:
    """Return the weight of the rows that 1R's rules for a column predict wrongly; infinite if it has no rules."""
    if isinstance(counts, LevelCounts):
        weights = counts.weights
        if not weights.any():
            return np.inf
    else:
        weights = one_r_intervals(counts, min_bucket)[1]
        if len(weights) < 2:
            return np.inf
        weights = np.vstack([weights, counts.missing])
    return float((weights.sum(axis=1) - weights.max(axis=1)).sum())


def column_rules(column: Column, counts: LevelCounts | ValueCounts, min_bucket: float) -> tuple[Rule, ...]:
    """Return 1R's rules for one column: one rule per level or interval, and one for missing values.

    A numeric column with a single interval is not informative and has no rules.
    """
    rules = []
    if isinstance(counts, LevelCounts):
        for level, weights in zip(column.levels, counts.present, strict=True):
            if weights.any():
                rules.append(_rule([Condition(column.name, Operator.IS, level)], weights))
    else:
        buckets = one_r_buckets(counts, min_bucket)
        if len(buckets) < 2:
            return ()
        below: list[Condition] = []
        for bucket in buckets:
            last = bucket.upper == np.inf
            upto = [] if last else [Condition(column.name, Operator.AT_MOST, bucket.upper)]
            rules.append(_rule([*below, *upto], bucket.weights))
            below = [] if last else [Condition(column.name, Operator.ABOVE, bucket.upper)]
    if counts.missing.any():
        rules.append(_rule([Condition(column.name, Operator.MISSING)], counts.missing))
    return tuple(rules)


def _rule(conditions: list[Condition], weights: Numbers) -> Rule:
    return Rule(tuple(conditions), tuple(weights.tolist()))


def _is_nearly_unique(column: Column, counts: LevelCounts | ValueCounts) -> bool:
    if isinstance(counts, LevelCounts):
        levels = int((counts.present.sum(axis=1) > 0).sum())
        return levels >= 10 and levels > counts.present.sum() / 2
    return column.date is not None
