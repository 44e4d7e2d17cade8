"""The card of a rule: its statistics on training rows and on unseen rows, and whether it recurs in other rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hedgerow.evaluate.metrics.estimates import Estimate, wilson
from hedgerow.evaluate.training_overlap import TrainingOverlap
from hedgerow.explain.matching import RuleSimilarity
from hedgerow.layout.shown import ArrowTable, PrintedReport
from hedgerow.models.base.model import Model
from hedgerow.models.base.rule_figures import RuleFigures, arrow


@dataclass(frozen=True)
class RuleTally:
    """The weight of the rows that a rule covers, of those it predicts correctly, and of all rows."""

    covered: float = 0.0
    right: float = 0.0
    total: float = 0.0

    def __add__(self, other: RuleTally) -> RuleTally:
        return RuleTally(self.covered + other.covered, self.right + other.right, self.total + other.total)

    @property
    def errors(self) -> float:
        """The weight of the covered rows that are of another class."""
        return self.covered - self.right

    @property
    def coverage(self) -> Estimate:
        """The share of the rows that the rule covers, with Wilson's interval."""
        return wilson(self.covered / self.total if self.total else math.nan, self.total)

    @property
    def precision(self) -> Estimate:
        """The share of the covered rows that are of the rule's class, with Wilson's interval."""
        return wilson(self.right / self.covered if self.covered else math.nan, self.covered)

    def columns(self, prefix: str) -> dict[str, Any]:
        """Return its table row, by column."""
        coverage, precision = self.coverage, self.precision
        return {
            f"{prefix}_n": self.covered,
            f"{prefix}_errors": self.errors,
            f"{prefix}_coverage": coverage.value,
            f"{prefix}_coverage_low": coverage.low,
            f"{prefix}_coverage_high": coverage.high,
            f"{prefix}_precision": precision.value,
            f"{prefix}_precision_low": precision.low,
            f"{prefix}_precision_high": precision.high,
        }


@dataclass(frozen=True)
class RuleMatches:
    """The number of folds that found a rule: the same, a similar one, or only one on the same columns."""

    same: int = 0
    alike: int = 0
    columns: int = 0
    of: int = 0

    def to_columns(self) -> dict[str, Any]:
        """Return its table row, by column."""
        return {
            "folds_same": self.same,
            "folds_alike": self.alike,
            "folds_columns": self.columns,
            "folds": self.of,
        }


@dataclass(frozen=True)
class Card:
    """A rule, its statistics on training rows and on unseen ones, and the folds in which it recurs.

    `in_model` tells of a rule of a holdout how much of it the model has: "same", "alike", "columns" or "none".
    """

    figures: RuleFigures
    training: RuleTally
    unseen: RuleTally
    matches: RuleMatches | None = None
    in_model: RuleSimilarity | None = None

    def columns(self) -> dict[str, Any]:
        """Return the table row of the card, by column."""
        entries = self.figures.columns() | self.training.columns("training") | self.unseen.columns("unseen")
        entries |= {} if self.matches is None else self.matches.to_columns()
        return entries | ({} if self.in_model is None else {"in_model": str(self.in_model)})


@dataclass(frozen=True)
class Cards(ArrowTable, PrintedReport):
    """The cards of all rules of a model, in its order.

    Parameters
    ----------
    model
        The model whose rules they are; of a holdout the one that its training part taught.
    cards
        One card per rule, the default last.
    way
        How unseen rows were had: "data", "holdout" or "folds".
    method
        The same in a few words.
    seed
        Of the random parts; None if there are none.
    others
        Of folds: what the rules that are none of the model's come to.
    n_others
        The number of these, on average over the folds.
    notes
        Notes, a sentence each.
    overlap
        How many of the given rows the model was trained on; None if that is unknown, or other rows were tested.
    """

    model: Model
    cards: tuple[Card, ...]
    evaluation: str
    method: str
    seed: int | None = None
    others: RuleTally | None = None
    n_others: float = 0.0
    notes: tuple[str, ...] = ()
    overlap: TrainingOverlap | None = None

    def __repr__(self) -> str:
        return f"<Cards: {len(self)} rules; {self.method}>"

    def __len__(self) -> int:
        return len(self.cards)

    def __iter__(self) -> Iterator[Card]:
        return iter(self.cards)

    def to_arrow(self) -> Any:
        """Return the cards as an Arrow table, one row per rule: the columns of the model's `to_arrow` and more."""
        return arrow(card.columns() for card in self.cards)
