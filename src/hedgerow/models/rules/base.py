"""RuleModel: the base of ordered and unordered rules."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.errors import ModelError
from hedgerow.layout.wrapping import cut_lines
from hedgerow.models.base.condition import LevelCodes, Mask, terms_of_conditions
from hedgerow.models.base.decisions import decisions
from hedgerow.models.base.model import ClassModel
from hedgerow.models.base.reason import ComparedClasses, Reason
from hedgerow.models.base.rule import Rule
from hedgerow.models.base.rule_figures import RuleFigures, figures_table, list_rules
from hedgerow.models.rules.arrays import rules_to_parts
from hedgerow.models.rules.reason import DecidingRules, rules_reason

# A predicted class that is not the most probable is made more probable than that by this factor.
JUST_HEAVIER = 1 + 1e-9


@dataclass(frozen=True, eq=False)
class RuleModel(ClassModel):
    """Rules and a default, which may leave rows without a prediction."""

    rules: tuple[Rule, ...]
    default: Rule
    _codes: LevelCodes = field(init=False, repr=False, compare=False)

    noun: ClassVar[str] = "list"
    rule_order: ClassVar[str] = "list"
    lists_rules: ClassVar[bool] = True

    def outline(self, most_lines: int) -> str:
        """Return the printed form or, if it has more than so many lines, the first rules and what follows the last."""
        text = str(self)
        return cut_lines(text, most_lines, last=text.count("\n") + 1 - len(self.rules))

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "_codes", LevelCodes(self.schema))
        self._check()

    @property
    def size(self) -> int:
        """The number of rules, the default not counted."""
        return len(self.rules)

    def columns_used(self) -> tuple[str, ...]:
        """Return the columns that conditions test."""
        tested = {condition.column for rule in self.rules for condition in rule.conditions}
        return tuple(name for name in self.schema.names if name in tested)

    @property
    def abstains(self) -> bool:
        """Whether rows that no rule decides are left without a prediction."""
        return self.default.decision is None

    @property
    @abstractmethod
    def total(self) -> float:
        """The weight of all training rows, as far as the counts determine it."""

    def __len__(self) -> int:
        """Return the number of rules, the default not counted."""
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        """Iterate over the rules in order, the default last."""
        return iter((*self.rules, self.default))

    @property
    def stated_rules(self) -> tuple[Rule, ...]:
        """The rules as they are printed, the default last."""
        return tuple(self)

    @abstractmethod
    def decided_by_default(self, table: Table) -> Mask:
        """Return which rows of an aligned table the default decides."""

    def own_decisions(self, table: Table, scores: Numbers | None = None) -> Codes:
        """Return the class of every row of an aligned table; -1 where the default does not decide."""
        codes = super().own_decisions(table, scores)
        if self.abstains:
            codes[self.decided_by_default(table)] = -1
        return codes

    def to_arrow(self) -> Any:
        """Return an Arrow table (pyarrow's), one row per rule, the default last.

        Columns: number, conditions, class, n, errors, support, confidence, lift, length, default (whether it is).
        `.to_pandas()` and `polars.from_arrow` make frames of it.
        """
        return figures_table(self.rule_rows())

    def rule_rows(self) -> tuple[RuleFigures, ...]:
        """Return the rules, the default last, with their statistics on the training rows."""
        totals = [math.fsum(weights) for weights in zip(*(rule.weights for rule in self._all_rows), strict=True)]
        return list_rules(self.stated_rules, self.schema.target_column, totals, len(self.rules))

    @property
    def _all_rows(self) -> tuple[Rule, ...]:
        """The rules whose counts together are those of all training rows."""
        return tuple(self)

    def reason(self, table: Table, classes: ComparedClasses, *, contrast: bool = True) -> Reason:
        """Return the rules that decide, and the rule for the other class of which the row fails the fewest tests."""
        return rules_reason(self, table, classes, contrast)

    @abstractmethod
    def deciding(self, covering: list[int]) -> DecidingRules:
        """Return which of the rules that cover a row, of which there are some, decide it, and how."""

    def as_rules(self) -> Self:
        """Return the model itself."""
        return self

    @cached_property
    def _terms(self) -> dict[str, tuple[str, ...]]:
        return terms_of_conditions(condition for rule in self.rules for condition in rule.conditions)

    def to_dict(self) -> dict[str, Any]:
        """Return the rules as flat arrays; the default is the last of `decisions` and `weights`."""
        return rules_to_parts(self.rules, self.default, self.schema, self._codes)

    def _check(self) -> None:
        target = self.schema.target_column
        if target.kind is not Kind.NOMINAL or not target.levels:
            raise ModelError(f"rules predict a class, but the target {target.name!r} has no classes")
        if self.default.conditions:
            raise ModelError(f"the default rule must have no conditions, not {self.default.conditions[0]}")
        for number, rule in enumerate(self, start=1):
            if len(rule.weights) != len(target.levels):
                raise ModelError(f"rule {number} has {len(rule.weights)} weights for {len(target.levels)} classes")
            if number <= len(self.rules):
                self._check_rule(number, rule)

    def _check_rule(self, number: int, rule: Rule) -> None:
        if not rule.conditions:
            raise ModelError(f"rule {number} has no conditions; make it the default and end the {self.noun}")
        if rule.decision is None:
            raise ModelError(f"rule {number} predicts no class; only the default rule may do so")
        for condition in rule.conditions:
            condition.check(self.schema, self._codes)


def smooth_weights(weights: Numbers, stated: Codes, added: float = 2.0) -> Numbers:
    """Return the distributions that counts by class (rows x classes) stand for: (w + 2/k) / (n + 2) for k classes.

    With two classes that is Laplace's estimate. Counts of nothing are sure of their class. The `stated` class is always
    the most probable one: if it is not by its counts, it is taken for just more probable than the most probable. Where
    nothing is stated (-1), counts of nothing make all classes equally probable.
    """
    k = weights.shape[1]
    sums = weights.sum(axis=1)
    shares: Numbers = (weights + added / k) / np.where(sums > 0, sums + added, 1.0)[:, None]
    shares[sums == 0] = 1 / k
    bare = np.flatnonzero((sums == 0) & (stated >= 0))
    shares[bare] = 0.0
    shares[bare, stated[bare]] = 1.0
    other = np.flatnonzero((stated >= 0) & (decisions(shares) != stated))
    shares[other, stated[other]] = shares[other].max(axis=1, initial=0.0) * JUST_HEAVIER
    shares[other] /= shares[other].sum(axis=1, keepdims=True)
    return shares
