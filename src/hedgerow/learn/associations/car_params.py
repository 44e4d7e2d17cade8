"""The parameters that learners of class association rules share, and what is noted of them."""

from __future__ import annotations

from typing import Any

from hedgerow.learn.associations.car import Cars
from hedgerow.learn.params import flag, integer, mapping, real
from hedgerow.models.rule import percent_text

MOST_CANDIDATES = 5_000_000


def min_support() -> Any:
    """Declare the least support."""
    return real(0.01, "least share of all rows that a rule covers and is right about", above=0, high=1)


def min_supports() -> Any:
    """Declare least supports by class."""
    words = "the same for rules of some classes; 1 or more: no rules of that class"
    return mapping(words, "good=0.02,bad=0.005")


def of_class() -> Any:
    """Declare what supports are shares of."""
    return flag(False, "supports are shares of the rows of the rule's class, not of all rows")


def min_confidence() -> Any:
    """Declare the least confidence."""
    return real(0.5, "least share of the covered rows that a rule is right about", low=0, high=1)


def prune() -> Any:
    """Declare pruning by pessimistic errors."""
    return flag(False, "drop rules whose pessimistic error is above that of the rule with one condition less")


def max_candidates() -> Any:
    """Declare how much to look at."""
    words = "most sets of conditions to look at; if there are more, rules are shorter or min_support is higher"
    return integer(MOST_CANDIDATES, words, low=1, none=True)


def limited_note(cars: Cars, min_support: float, most: int | None) -> list[str]:
    """Return the note on rules that are shorter, or a least support that is higher, than was asked for."""
    if not cars.limited:
        return []
    higher = percent_text(min(1.0, min_support * cars.raised))
    raised = "" if cars.raised == 1 else f", and the least support was raised to {higher}"
    word = "condition" if cars.limited == 1 else "conditions"
    most_text = f"more than {most:,} sets of conditions have the least support of {percent_text(min_support)}"
    instead = f"so that rules have at most {cars.limited} {word}{raised}"
    return [f"{most_text}, {instead}; max_candidates, min_support and max_length change that"]
