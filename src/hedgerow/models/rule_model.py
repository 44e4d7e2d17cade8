"""RuleModel: what ordered and unordered rules have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hedgerow.data.schema import Kind
from hedgerow.data.table import Codes, Numbers, Table
from hedgerow.errors import ModelError
from hedgerow.models.condition import LevelCodes, Mask, terms_tested
from hedgerow.models.model import ClassModel, decisions
from hedgerow.models.rule import Rule
from hedgerow.models.rule_parts import rules_to_parts
from hedgerow.models.term_hits import TermHits

# A stated class that is not the most probable is made more probable than that by this factor.
JUST_HEAVIER = 1 + 1e-9


@dataclass(frozen=True, eq=False)
class RuleModel(ClassModel):
    """Rules and a default, which may leave rows without an answer."""

    rules: tuple[Rule, ...]
    default: Rule
    _codes: LevelCodes = field(init=False, repr=False, compare=False)

    what: ClassVar[str] = "list"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "_codes", LevelCodes(self.schema))
        self._check()

    @property
    def size(self) -> int:
        """The number of rules, the default not counted."""
        return len(self.rules)

    @property
    def columns_used(self) -> tuple[str, ...]:
        """The columns that conditions test."""
        tested = {condition.column for rule in self.rules for condition in rule.conditions}
        return tuple(name for name in self.schema.names if name in tested)

    @property
    def abstains(self) -> bool:
        """Whether rows that no rule decides are left without an answer."""
        return self.default.decision is None

    @property
    @abstractmethod
    def total(self) -> float:
        """The weight of all training rows, as far as the counts tell it."""

    def __len__(self) -> int:
        """Return the number of rules, the default not counted."""
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        """Iterate over the rules in order, the default last."""
        return iter((*self.rules, self.default))

    @abstractmethod
    def by_default(self, table: Table) -> Mask:
        """Return which rows of an aligned table the default decides."""

    def decided(self, table: Table, scores: Numbers | None = None) -> Codes:
        """Return the class of every row of an aligned table; -1 where the default decides nothing."""
        codes = super().decided(table, scores)
        if self.abstains:
            codes[self.by_default(table)] = -1
        return codes

    def _hits(self, table: Table) -> TermHits:
        """Return what finds the terms of all rules in a table, each text split into words once."""
        return TermHits(table, self._terms)

    @cached_property
    def _terms(self) -> dict[str, tuple[str, ...]]:
        return terms_tested(condition for rule in self.rules for condition in rule.conditions)

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
            raise ModelError(f"rule {number} has no conditions; make it the default and end the {self.what}")
        if rule.decision is None:
            raise ModelError(f"rule {number} decides nothing; only the default may do so")
        for condition in rule.conditions:
            condition.check(self.schema, self._codes)


def smoothed(weights: Numbers, stated: Codes) -> Numbers:
    """Return the distributions that counts by class (rows x classes) stand for: (w + 2/k) / (n + 2) for k classes.

    With two classes that is Laplace's estimate. Counts of nothing are sure of their class. The `stated` class is always
    the most probable one: if it is not by its counts, it is taken for just more probable than the most probable. Where
    nothing is stated (-1), counts of nothing make all classes equally probable.
    """
    n, k = weights.shape
    sums = weights.sum(axis=1)
    shares: Numbers = (weights + 2 / k) / (sums + 2)[:, None]
    bare = np.flatnonzero((sums == 0) & (stated >= 0))
    shares[bare] = 0.0
    shares[bare, stated[bare]] = 1.0
    other = np.flatnonzero((stated >= 0) & (decisions(shares) != stated)) if n else bare
    shares[other, stated[other]] = shares[other].max(axis=1) * JUST_HEAVIER
    shares[other] /= shares[other].sum(axis=1, keepdims=True)
    return shares
