"""RulesReason: which rules decide on a row, of a list, of a set or of rules that vote."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from hedgerow.data.rows.row_values import value_text
from hedgerow.data.table.table import Table
from hedgerow.data.text.marked_terms import MarkedText, mark_text, text_of
from hedgerow.models.base.reason import ComparedClasses, Counterfactual, Reason, failed_tests
from hedgerow.models.base.rule import Rule, counts_text
from hedgerow.models.base.term_hits import ANY_WORD

if TYPE_CHECKING:
    from hedgerow.models.rules.base import RuleModel


class DecidingRules(NamedTuple):
    """The rules of a model that decide on a row: their numbers from 0, the default last."""

    numbers: tuple[int, ...]
    weights: tuple[float, ...] | None  # votes; None if none are cast
    covering: int  # rules that cover the row, or -1: only the first was searched
    description: str  # the sentence on how they decide


@dataclass(frozen=True, eq=False)
class RulesReason(Reason):
    """The rules that decide: their numbers from 0, the default last, and the weight of each."""

    model: RuleModel
    table: Table
    numbers: tuple[int, ...]
    weights: tuple[float, ...] | None  # votes; None if none are cast
    covering: int  # rules that cover the row, or -1: only the first was searched
    description: str
    nearest: Counterfactual | None = None  # rule for the contrasting class

    @property
    def columns(self) -> set[str]:
        """The columns that the deciding rules test."""
        return {condition.column for rule in self.rules for condition in rule.conditions}

    @property
    def rules(self) -> list[Rule]:
        """The deciding rules."""
        every = self.model.stated_rules
        return [every[number] for number in self.numbers]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "way": "rules",
            "told": self.description,
            "n_rules": len(self.model),
            "covering": None if self.covering < 0 else self.covering,
            "rules": [self._rule(place) for place in range(len(self.numbers))],
            "nearest": None if self.nearest is None else self.nearest.to_dict(),
        }

    def _rule(self, place: int) -> dict[str, Any]:
        rule, target = self.rules[place], self.model.schema.target_column
        entries: dict[str, Any] = {
            "number": self.numbers[place] + 1,
            "default": self.numbers[place] == len(self.model.rules),
            "rule": rule.text(target),
            "says": None if rule.decision is None else target.levels[rule.decision],
            "tests": [
                {"test": str(c), "column": c.column, "value": value_text(self.table, c.column)} for c in rule.conditions
            ],
        }
        return entries if self.weights is None else {**entries, "vote": self.weights[place]}


def nearest_rule(model: RuleModel, table: Table, code: int) -> Counterfactual | None:
    """Return the rule for a class whose fewest tests the row fails, ties go to the first; None if one covers it."""
    best: Counterfactual | None = None
    target = model.schema.target_column
    for number, rule in enumerate(model.stated_rules[:-1], start=1):
        if rule.code != code or (best is not None and len(best.fails) == 1):
            continue
        fails = failed_tests(rule.conditions, table)
        if not fails:
            return None
        if best is None or len(fails) < len(best.fails):
            counts = counts_text(rule.weights, rule.decision, target.levels) if rule.n else ""
            best = Counterfactual(counts, fails, number)
    return best


def rules_reason(model: RuleModel, table: Table, classes: ComparedClasses, contrast: bool) -> RulesReason:
    """Return the rules that decide on the only row of an aligned table, and the nearest rule for the other class."""
    near = nearest_rule(model, table, classes.against) if contrast else None
    covering = [number for number, rule in enumerate(model.rules) if rule.covers(table)[0]]
    deciding = model.deciding(covering) if covering else _default_reason(model)
    reason = RulesReason(model, table, *deciding, nearest=near)
    return replace(reason, texts=mark_rule_words(reason, table, classes.winner))


def _default_reason(model: RuleModel) -> DecidingRules:
    last = len(model.rules)
    sentence = f"None of the {last:,} rules covers the row: the default decides."
    if last < 2:
        sentence = "The only rule does not cover the row: the default decides."
    if not last:
        sentence = "The model has no rules: it predicts the same for every row."
    return DecidingRules((last,), None, 0, sentence)


def count_rules(n: int) -> str:
    """Return a number of rules in words."""
    return "1 rule" if n == 1 else f"{n:,} rules"


def mark_rule_words(ruled: RulesReason, table: Table, decided: int) -> tuple[MarkedText, ...]:
    """Return the texts in which deciding rules look for words: 1 a rule for the class, -1 a rule for another."""
    adds: dict[str, dict[str, float]] = {}
    for place, rule in enumerate(ruled.rules):
        weight = 1.0 if ruled.weights is None else abs(ruled.weights[place])
        weight = weight if rule.code == decided else -weight
        for condition in rule.conditions:
            if condition.term:
                words = adds.setdefault(condition.column, {})
                words[condition.term] = words.get(condition.term, 0.0) + weight
    marked_texts = []
    for column, words in adds.items():
        raw = text_of(table, column)
        if raw is not None:
            text = mark_text(column, raw, ANY_WORD, list(words), list(words.values()))
            marked_texts.append(text)
    return tuple(marked_texts)
