"""Reasons: explanations of a model's decision on one row. Plain values; `report` renders them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hedgerow.data.rows.row_values import value_text
from hedgerow.data.table.table import Numbers, Table
from hedgerow.data.text.marked_terms import MarkedText, mark_terms, terms_by_hash, text_of
from hedgerow.data.text.term_space import TermSpace
from hedgerow.models.base.condition import Condition
from hedgerow.models.base.contributions import Contribution, Contributions

MOST_STUDIED = 1000  # members of a committee whose own reasons are computed


@dataclass(frozen=True)
class ComparedClasses:
    """The codes of the class that is decided for and of the one that it is set against; -1 is none."""

    winner: int
    against: int


NUMBER = ComparedClasses(0, -1)  # of a number, which has no classes


@dataclass(frozen=True, eq=False)
class Reason(ABC):
    """The explanation of a decision, and the texts of the row, marked by the contributions of their words."""

    texts: tuple[MarkedText, ...] = field(default=(), kw_only=True)

    @property
    def columns(self) -> set[str]:
        """The columns on which the decision is based, as far as known."""
        return set()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values; `way` names the kind of the reason."""


@dataclass(frozen=True, eq=False)
class SumReason(Reason):
    """Contributions that add up: to the score of the class, less that of the class it is set against."""

    contributions: Contributions
    compared: ComparedClasses

    @property
    def columns(self) -> set[str]:
        """The columns of the parts of the sum."""
        return {part.column for part in self.contributions.parts if part.column}

    @property
    def adds(self) -> Numbers:
        """What each contribution adds; 0 where it makes both classes impossible."""
        return np.array([self.total_contribution(part) for part in self.contributions.parts])

    @property
    def total(self) -> float:
        """The difference of the classes' scores."""
        return float(self.adds.sum())

    def total_contribution(self, part: Contribution) -> float:
        """Return the value of a contribution."""
        one = float(part.scores[self.compared.winner])
        if self.compared.against < 0:
            return one
        other = float(part.scores[self.compared.against])
        return 0.0 if one == other else one - other

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values, the strongest contributions first; the prior is separate."""
        parts = [self._part(part) for part in self.contributions.parts]
        parts.sort(key=lambda part: -abs(part["adds"]))
        return {
            "way": "sum",
            "unit": self.contributions.unit,
            "grounds": [part for part in parts if not part["prior"]],
            "prior": [part for part in parts if part["prior"]],
            "total": self.total,
        }

    def _part(self, part: Contribution) -> dict[str, Any]:
        entries: dict[str, Any] = {"name": part.name, "column": part.column, "is_term": part.term >= 0}
        entries["score"] = float(part.scores[self.compared.winner])
        entries["other_score"] = None if self.compared.against < 0 else float(part.scores[self.compared.against])
        prior = part.starts or (not part.column and part.name == "P(class)")
        return {**entries, "adds": self.total_contribution(part), "prior": prior}


@dataclass(frozen=True, eq=False)
class NoReason(Reason):
    """The reason why a model cannot explain its decision."""

    explanation: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"way": "untold", "told": self.explanation}


@dataclass(frozen=True)
class Counterfactual:
    """The rule or leaf of the other class for which the row fails the fewest tests, and these tests."""

    counts: str
    fails: tuple[tuple[Condition, str], ...]  # tests, and the values that failed them
    number: int | None = None  # of a rule, from 1

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        fails = [{"test": str(test), "column": test.column, "value": value} for test, value in self.fails]
        entries = {"counts": self.counts, "fails": fails}
        return entries if self.number is None else {"number": self.number, **entries}


def failed_tests(tests: Sequence[Condition], table: Table) -> tuple[tuple[Condition, str], ...]:
    """Return the tests that the only row of a table fails, each with the value that failed it."""
    return tuple((test, value_text(table, test.column)) for test in tests if not test.covers(table)[0])


def sum_reason(
    contributions: Contributions, classes: ComparedClasses, spaces: Mapping[str, TermSpace], table: Table
) -> SumReason:
    """Return contributions as a reason; `spaces` are the model's `term_spaces`, by which texts are marked."""
    reason = SumReason(_use_words_of_text(contributions, spaces, table), classes)
    return replace(reason, texts=_mark_contributing_terms(reason, spaces, table))


def _use_words_of_text(contributions: Contributions, spaces: Mapping[str, TermSpace], table: Table) -> Contributions:
    """Return contributions of which hashed terms are called by the words of this very text, not by the usual ones."""
    own: dict[str, dict[int, list[str]]] = {}
    for column, space in spaces.items():
        if space.tokens.bits is not None and (raw := text_of(table, column)) is not None:
            own[column] = terms_by_hash(raw, space.tokens)
    if not own:
        return contributions
    parts = [
        replace(part, name=f"#{part.term} {' '.join(words)}")
        if part.term >= 0 and (words := own.get(part.column, {}).get(part.term))
        else part
        for part in contributions.parts
    ]
    return replace(contributions, parts=tuple(parts))


def _mark_contributing_terms(
    sum_reason: SumReason, spaces: Mapping[str, TermSpace], table: Table
) -> tuple[MarkedText, ...]:
    """Return the texts of a row, marked by the contributions of their terms."""
    texts = []
    for column, space in spaces.items():
        raw = text_of(table, column)
        if raw is None:
            continue
        adds: dict[int, float] = {}
        for part in sum_reason.contributions.parts:
            if part.column == column and part.term >= 0:
                adds[part.term] = adds.get(part.term, 0.0) + sum_reason.total_contribution(part)
        texts.append(mark_terms(column, raw, space, _finite(adds)))
    return tuple(texts)


def _finite(adds: dict[int, float]) -> dict[int, float]:
    """Return the contributions of terms; one that makes a class impossible gets twice the largest other value."""
    most = max((abs(one) for one in adds.values() if np.isfinite(one)), default=0.0)
    return {term: one if np.isfinite(one) else float(np.sign(one)) * (2 * most or 1.0) for term, one in adds.items()}
