"""TermGroups: the indicative terms of the classes, in one form for all models with terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class TermValue:
    """A term and its value for a class: its log-odds, or its weight in a prototype."""

    name: str
    value: float
    amount: float | None = None  # for log-odds: the amount of the term in the class


@dataclass(frozen=True)
class TermGroup:
    """A class, or one of its prototypes, with its terms, the most indicative first."""

    label: str
    rows: float  # their weight in training
    terms: tuple[TermValue, ...]
    column: str = ""  # of the texts; empty if the terms are of all columns
    prototype: str | None = None  # "1 of 2", empty for the only one of a class; None if there are no prototypes


@dataclass(frozen=True)
class TermGroups:
    """All groups of a model; `measure` is the meaning of the values, `log-odds` or `weight`."""

    measure: str
    groups: tuple[TermGroup, ...]
    events: Mapping[str, str] = field(default_factory=dict)  # by text column, how naive Bayes models its terms
