"""Ruled: which rules decide on a row, of a list, of a set or of rules that vote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hedgerow.data.table import Table
from hedgerow.explain.marks import MarkedText, marked, text_of
from hedgerow.explain.nearest import Nearest
from hedgerow.explain.values import value_text
from hedgerow.models.rule import Rule
from hedgerow.models.rule_model import RuleModel
from hedgerow.models.rule_set import RuleSet
from hedgerow.models.rule_vote import RuleVote
from hedgerow.models.term_hits import ANY_WORD


@dataclass(frozen=True, eq=False)
class Ruled:
    """The rules that decide: their numbers from 0, the default last, and what each of them weighs."""

    model: RuleModel
    table: Table
    numbers: tuple[int, ...]
    weights: tuple[float, ...] | None  # votes; None if none are cast
    covering: int  # rules that cover the row, or -1: only the first was looked for
    told: str
    nearest: Nearest | None = None  # rule that says the class set against

    @property
    def rules(self) -> list[Rule]:
        """The deciding rules."""
        every = list(self.model)
        return [every[number] for number in self.numbers]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "way": "rules",
            "told": self.told,
            "n_rules": len(self.model),
            "covering": None if self.covering < 0 else self.covering,
            "rules": [self._rule(place) for place in range(len(self.numbers))],
            "nearest": None if self.nearest is None else self.nearest.to_dict(),
        }

    def _rule(self, place: int) -> dict[str, Any]:
        rule, target = self.rules[place], self.model.schema.target_column
        told: dict[str, Any] = {
            "number": self.numbers[place] + 1,
            "default": self.numbers[place] == len(self.model.rules),
            "rule": rule.text(target),
            "says": None if rule.decision is None else target.levels[rule.decision],
            "tests": [
                {"test": str(c), "column": c.column, "value": value_text(self.table, c.column)} for c in rule.conditions
            ],
        }
        return told if self.weights is None else {**told, "vote": self.weights[place]}


def ruled_by(model: RuleModel, table: Table) -> Ruled:
    """Return the deciding rules of a list, of a set or of rules that vote."""
    last = len(model.rules)
    if not model.rules:
        return Ruled(model, table, (last,), None, 0, "The model has no rules: it says the same of every row.")
    every = [number for number, rule in enumerate(model.rules) if rule.covers(table)[0]]
    none = f"None of the {last:,} rules covers the row: the default decides."
    if last == 1:
        none = "The only rule does not cover the row: the default decides."
    if isinstance(model, RuleVote):
        if not every:
            return Ruled(model, table, (last,), None, 0, none)
        voters = tuple(every[: model.voters])
        told = f"{_rules(len(every))} of {last:,} cover the row; " + (
            f"the first {len(voters)} vote by their odds." if len(voters) > 1 else "the first decides."
        )
        return Ruled(model, table, voters, tuple(float(model.votes[n]) for n in voters), len(every), told)
    if isinstance(model, RuleSet):
        return _of_set(model, table, every, none)
    if not every:
        return Ruled(model, table, (last,), None, 0, none)
    first = every[0]
    return Ruled(model, table, (first,), None, -1, f"Rule {first + 1} of {last:,} is the first that covers the row.")


def _of_set(model: RuleSet, table: Table, every: list[int], none: str) -> Ruled:
    last = len(model.rules)
    if not every:
        return Ruled(model, table, (last,), None, 0, none)
    covering = f"{_rules(len(every))} of {last:,} cover{'s' if len(every) == 1 else ''} the row"
    classes = {model.rules[number].code for number in every}
    if model.conflict == "default":
        if len(classes) > 1:
            told = f"{covering} and disagree: the default decides."
            return Ruled(model, table, (*every, last), None, len(every), told)
        agree = " and agree" if len(every) > 1 else ""
        return Ruled(model, table, tuple(every), None, len(every), f"{covering}{agree}.")
    told = f"{covering}; their counts are added, and the heaviest class is said."
    if len(every) == 1:
        told = f"{covering}."
    return Ruled(model, table, tuple(every), None, len(every), told)


def _rules(n: int) -> str:
    return "1 rule" if n == 1 else f"{n:,} rules"


def rule_marks(ruled: Ruled, table: Table, decided: int) -> tuple[MarkedText, ...]:
    """Return the texts in which deciding rules look for words: 1 a rule for the class, -1 a rule for another."""
    adds: dict[str, dict[str, float]] = {}
    for place, rule in enumerate(ruled.rules):
        weight = 1.0 if ruled.weights is None else abs(ruled.weights[place])
        weight = weight if rule.code == decided else -weight
        for condition in rule.conditions:
            if condition.term:
                words = adds.setdefault(condition.column, {})
                words[condition.term] = words.get(condition.term, 0.0) + weight
    found = []
    for column, words in adds.items():
        raw = text_of(table, column)
        if raw is not None:
            text = marked(column, raw, ANY_WORD, list(words), list(words.values()))
            found.append(text)
    return tuple(found)
