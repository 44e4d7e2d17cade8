"""The rules of any model that has some, with their figures: the one home of what `to_table` and all reports tell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hedgerow.data.schema import Column
from hedgerow.errors import UsageError
from hedgerow.models.composite import Composite
from hedgerow.models.condition import conjunction
from hedgerow.models.distributions import Distributions
from hedgerow.models.model import Model
from hedgerow.models.rule import Rule
from hedgerow.models.rule_model import RuleModel
from hedgerow.models.rule_set import RuleSet
from hedgerow.models.rule_vote import RuleVote
from hedgerow.models.tree import NumberTree, Tree

LEARNERS = "ripper, covering, prism, cba, c45_rules and one_r learn rules, and the paths of c45, cart and id3 are rules"
# How the rules of a kind of model are read: `order` of a report, and the sentence that says it.
READING = {
    "list": "Rules are tried from the first to the last; the first that fits decides, and counts the row as its own.",
    "set": "Rules have no order, and a row may count for several of them; the default's counts are those of all rows.",
    "vote": "Rules stand by precedence, and a row may count for several of them; where some cover the same row, the "
    "first of them decide. The default's counts are those of all rows.",
    "paths": "Every rule is a path from the root of the tree to a leaf; a row takes one of them.",
}


@dataclass(frozen=True)
class RuleFigures:
    """A rule at its place in a model, and what its training rows say of it; NaN is undefined.

    Parameters
    ----------
    number
        Its place, counted from 1; the default is the last.
    rule, target
        The rule itself, and the column whose class it states.
    totals
        The weight of all training rows by class, zeros if the model does not know.
    is_default
        Whether it decides what no other rule does.
    """

    number: int
    rule: Rule
    target: Column
    totals: tuple[float, ...]
    is_default: bool = False

    @property
    def label(self) -> str | None:
        """The class that the rule states; None for a default that decides nothing."""
        return None if self.rule.decision is None else self.target.levels[self.rule.decision]

    @property
    def conditions(self) -> str:
        """The conditions as they print, joined by `and`; nothing for a rule without any."""
        return conjunction(self.rule.conditions)

    @property
    def text(self) -> str:
        """The rule as it prints, without its counts."""
        return self.rule.bare(self.target)

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
        """Return what a table tells of the rule, by column."""
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


def figures_of(model: Model) -> tuple[RuleFigures, ...]:
    """Return the rules of a model in its order, the default last; a model without rules is an error that says why.

    The paths of a tree need no default: every row ends in one of them.
    """
    if isinstance(model, Tree):
        found = model.rules()
        rules = found.rules or (found.default,)
        totals, n_rules = tuple(model.weights[0].tolist()), len(found.rules)
    elif isinstance(model, RuleModel):
        rules, n_rules = tuple(model), len(model.rules)
        all_rows = (model.default,) if isinstance(model, RuleSet | RuleVote) else rules
        totals = tuple(math.fsum(weights) for weights in zip(*(rule.weights for rule in all_rows), strict=True))
    else:
        raise UsageError(no_rules(model))
    target = model.schema.target_column
    return tuple(RuleFigures(number + 1, rule, target, totals, number >= n_rules) for number, rule in enumerate(rules))


def has_rules(model: Model) -> bool:
    """Tell whether a model consists of rules, or of paths that are rules."""
    return isinstance(model, RuleModel | Tree)


def order_of(model: Model) -> str:
    """Return how the rules of a model hang together: "list", "set", "vote" or "paths"; `READING` has the words."""
    kinds = {"paths": Tree, "set": RuleSet, "vote": RuleVote}
    return next((order for order, kind in kinds.items() if isinstance(model, kind)), "list")


def counts_overlap(order: str) -> bool:
    """Tell whether a row counts for all rules that cover it, and the default's counts are those of all rows."""
    return order in ("set", "vote")


def no_rules(model: Model) -> str:
    """Return the sentence on a model without rules: why, and what to do."""
    if isinstance(model, Composite):
        return (
            f"{model.called} of {len(model.members)} members has no rules of its own, for its members vote; "
            f"`hedgerow show FILE --member 0` prints one of them, and {LEARNERS}"
        )
    if isinstance(model, NumberTree):
        return "this tree predicts numbers, and rules state a class; `hedgerow show FILE` prints the tree"
    if isinstance(model, Distributions):
        return f"naive Bayes has no rules, for it weighs all columns of a row at once; {LEARNERS}"
    if model.kind == "association_rules":
        return "association rules predict no class; `hedgerow show FILE` prints them"
    return f"a model of kind {model.kind!r} has no rules; {LEARNERS}"


def to_table(model: Model) -> Any:
    """Return the rules of a model as an Arrow table, a row a rule: see `RuleModel.to_table`."""
    return arrow(figure.columns() for figure in figures_of(model))


def arrow(rows: Iterable[Mapping[str, Any]]) -> Any:
    """Return rows of plain values as an Arrow table; NaN becomes null."""
    from hedgerow.data.arrow import plain_table

    return plain_table(list(rows))


def _ratio(above: float, below: float) -> float:
    return above / below if below else math.nan
