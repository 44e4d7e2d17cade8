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


def min_confidence() -> Any:
    """Declare the least confidence."""
    return real(0.5, "least share of the covered rows that a rule is right about", low=0, high=1)


def prune() -> Any:
    """Declare pruning by pessimistic errors."""
    return flag(False, "drop rules whose pessimistic error is above that of the rule with one condition less")


def max_candidates() -> Any:
    """Declare how much to look at."""
    words = "most sets of conditions to look at; if there are more, min_support rises until there are not"
    return integer(MOST_CANDIDATES, words, low=1, none=True)


def raised_note(cars: Cars, min_support: float, most: int | None) -> list[str]:
    """Return the note on a least support that had to rise."""
    if cars.raised == 1:
        return []
    return [
        f"more than {most:,} sets of conditions had the least support of {percent_text(min_support)}, so it was raised "
        f"to {percent_text(min(1.0, min_support * cars.raised))}; max_candidates and max_length change that"
    ]
