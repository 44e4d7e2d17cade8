"""CBA: class association rules, and a classifier selected from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.design.discretize import METHODS, Discretizer
from hedgerow.data.table.table import Rows, Table
from hedgerow.learn.associations.cba_work import CbaCut, CbaWork
from hedgerow.learn.associations.class_rule_options import ClassRuleOptions
from hedgerow.learn.associations.class_rule_params import (
    class_rule_notes,
    dropped_rules_note,
    max_candidates,
    min_confidence,
    min_support,
    min_supports,
    most_rules,
    prune,
    support_base_param,
)
from hedgerow.learn.associations.class_rules import ClassRules, mine_class_rules
from hedgerow.learn.associations.coded_rows import EncodedRows
from hedgerow.learn.params import choice, flag, integer
from hedgerow.learn.rules.user_constraints import RuleConstraints, RuleLearner, class_weights
from hedgerow.models.base.model import About
from hedgerow.models.base.rule import Rule
from hedgerow.models.rules.base import RuleModel
from hedgerow.models.rules.rule_list import RuleList
from hedgerow.models.rules.rule_vote import RuleVote

CONFIDENCE = 0.25  # confidence level of the upper limit of errors, as in C4.5


class CBA(RuleLearner):
    """CBA: a classifier selected from all class association rules of minimum support and confidence.

    All rules `column = value and ... => class` are mined whose correctly covered rows are at least
    `min_support` of all rows and `min_confidence` of the covered ones; without a `min_support`, 1 % of all rows, or 2 %
    of the class if that is less. They are sorted by confidence, then support, then the order of generation: fewer
    conditions first, then by columns and levels. In this order, a rule is chosen if it correctly classifies a row that
    no chosen rule covers. After each, the default is the most frequent class of the remaining rows; the list ends with
    the first rule at which rules and default together make the fewest errors. If no rows remain, the default is the
    most frequent class of all rows. Numeric columns are discretized first. A missing value fails every test.

    References
    ----------
    B. Liu, W. Hsu and Y. Ma, Integrating classification and association rule mining. KDD (1998).

    Examples
    --------
    >>> from hedgerow import examples
    >>> print(CBA().train(examples.loan()))
    if Own_House = true then Class = Yes (6/0)  # support 40 %, confidence 100 %
    if Has_Job = false and Own_House = false then Class = No (6/0)  # support 40 %, confidence 100 %
    otherwise Class = Yes (3/0)  # support 20 %, confidence 100 %
    """

    min_support: float | None = min_support()
    min_supports: Mapping[str, Any] | None = min_supports()
    of_class: bool = support_base_param()
    min_confidence: float = min_confidence()
    max_length: int | None = integer(3, "maximum number of conditions of a learned rule", low=1, none=True)
    prune: bool = prune()
    algorithm: str = choice(
        "m1", "how the classifier is built: rule by rule, or in two scans; the result is the same", "m1", "m2"
    )
    strategy: str = choice(
        "cba",
        "the rule list chosen by CBA, the strongest covering rule of all rules, or a vote of several rules",
        "cba",
        "strongest",
        "combined",
    )
    voters: int = integer(5, "for the combined strategy: number of covering rules that vote", low=1, high=1_000_000)
    cut: bool = flag(
        True, "cut the list of chosen rules where its training error is smallest; otherwise keep all of them"
    )
    discretize: str = choice("mdl", "how numeric columns are discretized", *METHODS)
    bins: int = integer(5, "number of intervals of a numeric column, for equal frequency or width", low=2)
    max_candidates: int | None = max_candidates()
    trace: bool = flag(
        False, "print the work: the rules by precedence, the rows that each covers, and the errors", in_python=True
    )

    shows_work: ClassVar[bool] = True

    def learn(self, table: Table) -> RuleModel:
        """Return the rules of a prepared table."""
        if self.trace:
            print(self._work(table))  # set if `trace` is on
        limits = RuleConstraints.of(self, table.schema)
        return self._list(table, limits) if self.strategy == "cba" else self._vote(table, limits)

    def _work(self, table: Table) -> CbaWork:
        """Return the work of learning a prepared table: rules by precedence, what each covers first, errors."""
        limits = RuleConstraints.of(self, table.schema)
        rows = limits.first(table)[1] if limits.kept_rules and self.strategy == "cba" else None
        cars = self._cars(table, limits, rows, general=False)
        if self.strategy == "strongest":
            return CbaWork(table.schema, cars, None, cars.order_by_generality(same_class=False))
        return CbaWork(table.schema, cars, self._cut(cars, class_weights(table)))

    def _cars(self, table: Table, limits: RuleConstraints, rows: Rows | None, general: bool) -> ClassRules:
        """Return the rules of some or all rows, only `general` ones if that does not change the selection."""
        schema = table.schema
        positions = [p for p, free in zip(schema.predictors, limits.allowed, strict=True) if free]
        coded = EncodedRows.of(table, positions, Discretizer(self.discretize, int(self.bins)), rows)
        cars = mine_class_rules(coded, ClassRuleOptions.of(self, general=general and not self.prune))
        return cars.prune(CONFIDENCE) if self.prune else cars

    def _list(self, table: Table, limits: RuleConstraints) -> RuleList:
        kept, rows = limits.first(table) if limits.kept_rules else ((), None)
        cars = self._cars(table, limits, rows, general=True)
        cut = self._cut(cars, class_weights(table))
        ticks = cars.rows.ticks
        rules = cars.take(cut.rules).as_rules(ticks.weights(cut.covered_counts))
        default = Rule((), tuple(ticks.weights(cut.ticks_left).tolist()), None if self.default is None else cut.default)
        return RuleList(table.schema, (*kept, *rules), default, about=self._about(cars))

    def _cut(self, cars: ClassRules, weights: NDArray[np.float64]) -> CbaCut:
        """Return the chosen rules up to the first with the fewest errors."""
        most = most_rules(cars, self.max_rules)
        cut = self.cut and self.strategy == "cba"
        return CbaCut.of(cars, *cars.choose(self.algorithm == "m2", most), int(np.argmax(weights)), cut)

    def _vote(self, table: Table, limits: RuleConstraints) -> RuleVote:
        kept = [rule for rule, _ in limits.unordered_kept_rules(table)]
        cars = self._cars(table, limits, None, general=True)
        weights, voters, decided = class_weights(table), 1, -1
        notes: tuple[str, ...] = ()
        if self.strategy == "combined":
            cut = self._cut(cars, weights)
            order, voters, decided = cut.rules, int(self.voters), cut.default
        else:
            order = cars.order_by_generality(same_class=False)
            notes = dropped_rules_note(cars, len(order), self.max_rules)
            order = order[: most_rules(cars, self.max_rules)]
        rules = cars.take(order).as_rules()
        default = Rule((), tuple(weights.tolist()), None if self.default is None else decided)
        about = About(notes=(*self._about(cars).notes, *notes))
        return RuleVote(table.schema, (*kept, *rules), default, voters, about=about)

    def _about(self, cars: ClassRules) -> About:
        return About(notes=class_rule_notes(cars, ClassRuleOptions.of(self)))
