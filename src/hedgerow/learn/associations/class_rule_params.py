"""The parameters shared by learners of class association rules, and the notes on their models."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.layout.names import format_level
from hedgerow.learn.associations.class_rule_options import (
    NEVER,
    SHARE,
    SHARE_OF_CLASS,
    ClassRuleOptions,
    min_ticks_by_class,
    support_text,
)
from hedgerow.learn.associations.class_rules import ClassRules
from hedgerow.learn.params import by_class_param, flag, integer, real
from hedgerow.models.base.rule import percent_text
from hedgerow.models.rules.arrays import MOST_CONDITIONS, MOST_WEIGHTS

MOST_CANDIDATES = 5_000_000
MOST_RULES = 100_000
MOST_NAMED = 10  # classes in a note


def min_support() -> Any:
    """Declare the minimum support."""
    words = (
        f"minimum share of all rows that a rule covers and predicts correctly; none means {percent_text(SHARE)}, or "
        f"{percent_text(SHARE_OF_CLASS)} of the rule's class if that is less"
    )
    return real(None, words, above=0, high=1, none=True)


def min_supports() -> Any:
    """Declare minimum supports by class."""
    words = "the same for the rules of some classes; 1 or more: no rules for that class"
    return by_class_param(words, "good=0.02,bad=0.005")


def support_base_param() -> Any:
    """Declare the total that supports are shares of."""
    return flag(False, "supports are shares of the rows of the rule's class, not of all rows")


def min_confidence() -> Any:
    """Declare the minimum confidence."""
    return real(0.5, "minimum share of the covered rows that a rule predicts correctly", low=0, high=1)


def prune() -> Any:
    """Declare pruning by pessimistic errors."""
    return flag(False, "drop rules whose pessimistic error is above that of the rule with one condition fewer")


def max_candidates() -> Any:
    """Declare the maximum number of candidates."""
    words = (
        "maximum number of condition sets to consider; if there are more, rules are shorter or min_support is higher"
    )
    return integer(MOST_CANDIDATES, words, low=1, none=True)


def class_rule_notes(cars: ClassRules, options: ClassRuleOptions) -> tuple[str, ...]:
    """Return the notes on rules: fewer or shorter ones than requested, and classes without any."""
    return (*_limit_notes(cars, options), *_classes_without_rules(cars, options))


def most_rules(cars: ClassRules, requested: int | None) -> int:
    """Return the maximum number of rules of a model: as requested, limited by what a file can hold."""
    longest = int(cars.lengths.max(initial=1))
    room = min(MOST_RULES, MOST_CONDITIONS // (2 * longest), MOST_WEIGHTS // cars.rows.n_classes - 1)
    return max(1, room) if requested is None else int(requested)


def dropped_rules_note(cars: ClassRules, found: int, requested: int | None) -> tuple[str, ...]:
    """Return the note on rules that are left out because there are too many, unless requested."""
    if requested is not None or found <= (most := most_rules(cars, None)):
        return ()
    return (f"of {found:,} rules the first {most:,} by precedence are kept; min_support and max_rules change that",)


def _limit_notes(cars: ClassRules, options: ClassRuleOptions) -> list[str]:
    """Return the note on rules that are shorter, or a minimum support that is higher, than requested."""
    if not cars.max_tests:
        return []
    raised = (
        ""
        if cars.raised_support == 1
        else f", and the minimum support was raised to {support_text(options, cars.raised_support)}"
    )
    word = "condition" if cars.max_tests == 1 else "conditions"
    instead = f"so that rules have at most {cars.max_tests} {word}{raised}"
    if cars.full:
        why = f"the rules with the minimum support of {support_text(options)} would take too much memory"
        return [f"{why}, {instead}; min_support, min_confidence and max_length change that"]
    why = f"more than {options.max_candidates:,} sets of conditions have the minimum support of {support_text(options)}"
    return [f"{why}, {instead}; max_candidates, min_support and max_length change that"]


def _classes_without_rules(cars: ClassRules, options: ClassRuleOptions) -> list[str]:
    """Return the note on classes in the data that no rule predicts, although rules were requested for them."""
    rules = np.bincount(cars.decisions, minlength=cars.rows.n_classes)
    requested = np.array(min_ticks_by_class(cars.rows, options)) < NEVER
    without = np.flatnonzero((rules == 0) & (cars.rows.ticks_by_class() > 0) & requested)
    if not len(cars) or not len(without):
        return []
    names = [cars.rows.target.levels[code] for code in without]
    shown = ", ".join(format_level(name) for name in names[:MOST_NAMED])
    shown += f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    word = "class" if len(names) == 1 else "classes"
    why = f"no rule of the {word} {shown} has the minimum support and confidence"
    return [f"{why}; lower min_supports, of_class=True or a lower min_confidence may find some"]
