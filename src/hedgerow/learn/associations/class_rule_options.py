"""ClassRuleOptions: the requested class association rules, and their minimum support."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from hedgerow.errors import UsageError
from hedgerow.learn.associations.coded_rows import EncodedRows
from hedgerow.learn.classifier import labels
from hedgerow.models.base.condition import nearest
from hedgerow.models.base.rule import percent_text

NEVER = int(np.iinfo(np.int64).max)  # larger than the weight of any class
SHARE, SHARE_OF_CLASS = 0.01, 0.02  # default minimum supports: of all rows, or of the class if that is less


@dataclass(frozen=True)
class ClassRuleOptions:
    """The requested rules.

    Supports are shares of all rows, with `of_class` of the rows of the rule's class; without a `min_support` a rule
    needs 1 % of all rows, or 2 % of its class if that is less. `general` leaves out rules that a more general rule of
    the same class precedes. `memory` is how many bytes rules may take; None is a part of the available memory.
    """

    min_support: float | None = None
    min_supports: Mapping[str, Any] | None = None
    of_class: bool = False
    min_confidence: float = 0.5
    max_length: int | None = None
    max_candidates: int | None = None
    general: bool = False
    memory: int | None = None

    @classmethod
    def of(cls, learner: Any, *, general: bool = False) -> ClassRuleOptions:
        """Return the options given by a learner's parameters."""
        return cls(
            None if learner.min_support is None else float(learner.min_support),
            learner.min_supports,
            learner.of_class,
            float(learner.min_confidence),
            learner.max_length,
            learner.max_candidates,
            general,
        )


def min_ticks_by_class(rows: EncodedRows, options: ClassRuleOptions) -> list[int]:
    """Return the minimum ticks of a rule by class: 2 for 1 % of 150 rows; a share of 1 or more allows no rules."""
    values = _shares_by_class(rows.target.levels, options)
    everything, rounded = int(rows.total.sum()), rows.ticks.is_rounded
    bounds = []
    for share, of_class in zip(values, rows.total.tolist(), strict=True):
        if share is not None:
            total = of_class if options.of_class else everything
            bounds.append(NEVER if share >= 1 else _share_to_ticks(share, total, rounded))
        else:
            own = _share_to_ticks(SHARE_OF_CLASS, of_class, rounded)
            bounds.append(own if options.of_class else min(own, _share_to_ticks(SHARE, everything, rounded)))
    return bounds


def support_text(options: ClassRuleOptions, times: float = 1.0) -> str:
    """Return the minimum support, multiplied by a number, as text."""
    if options.min_support is not None:
        return percent_text(min(1.0, options.min_support * times))
    of_class = f"{percent_text(min(1.0, SHARE_OF_CLASS * times))} of a class"
    return of_class if options.of_class else f"{percent_text(min(1.0, SHARE * times))} of all rows or {of_class}"


def _shares_by_class(levels: Sequence[str], options: ClassRuleOptions) -> list[float | None]:
    """Return the minimum share of each class."""
    shares = dict.fromkeys(levels, options.min_support)
    for key, share in (options.min_supports or {}).items():
        label = key if isinstance(key, str) else labels(np.array([key]))[0]
        if label not in shares:
            hint = nearest(label, shares, "classes")
            raise UsageError(f"min_supports names {label!r}, which is not one of the classes; {hint}")
        shares[label] = _share(label, share)
    return list(shares.values())


def _share(label: str, value: Any) -> float:
    try:
        share = float(value)
    except (TypeError, ValueError):
        share = math.nan
    if not share > 0:
        raise UsageError(f"min_supports of class {label!r} is {value!r}; it must be a share above 0, such as 0.01")
    return share


def _share_to_ticks(share: float, total: int, rounded: bool) -> int:
    """Return the minimum ticks for a share, taken as the decimal that is written: 0.07 of 100 is 7, 1/15 of 15 is 1."""
    whole = round(share * total)
    if whole and total and whole / total == share:
        return whole
    exact = Fraction(repr(float(share))) * total
    return max(1, math.ceil(exact * (1 - Fraction(1, 10**12)) if rounded else exact))
