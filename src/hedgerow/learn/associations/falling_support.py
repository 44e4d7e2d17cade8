"""Rules found with one minimum support, or with supports lowered level by level until there are enough rules."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from hedgerow.layout.numbers import format_number
from hedgerow.learn.associations.rows import ItemRows
from hedgerow.learn.associations.rules import BY, MOST, RuleLimits, make_rules
from hedgerow.learn.associations.search_limits import SetLimits, least_count
from hedgerow.learn.associations.to_item_sets import find_sets
from hedgerow.models.associations.association_rules import AssociationRules
from hedgerow.models.associations.item_sets import ItemSets
from hedgerow.models.base.rule import percent_text

SEARCH = 0.7  # share of the time that the search for sets may take; the rest is for the rules


@dataclass(frozen=True, eq=False)
class FallingSupport:
    """How the support is lowered until there are enough rules: from a share, by steps or by given shares."""

    enough: int
    start: float = 1.0
    step: float = 0.05
    shares: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class SupportStep:
    """One level: the smallest count of a set, the sets, and their rules."""

    bound: float
    sets: ItemSets
    rules: AssociationRules

    @property
    def n_sets(self) -> int:
        """How many sets there are."""
        return len(self.sets)


def levels(
    rows: ItemRows, wanted: SetLimits, wish: RuleLimits, falling: FallingSupport | None
) -> Iterator[SupportStep]:
    """Yield the rules of each level; the last one is the result."""
    end = time.monotonic() + wish.seconds
    bounds, enough = _bounds(rows, wanted, wish, falling)
    for bound in bounds:
        left = max(end - time.monotonic(), 0.001)
        sets = find_sets(rows, replace(wanted.with_bound(bound), seconds=left * SEARCH))
        left = max(end - time.monotonic(), 0.001)
        rules = make_rules(sets, replace(wish, seconds=left), rows.count)
        yield SupportStep(bound, sets, rules)
        if len(rules) >= enough or time.monotonic() >= end:
            return


def falling_support_note(rows: ItemRows, falling: FallingSupport, last: SupportStep) -> str:
    """Return the lowest support that was used, and whether it gave enough rules."""
    many = "enough" if len(last.rules) >= falling.enough else f"fewer than {falling.enough:,}, but the lowest support"
    at = f"{percent_text(last.bound / rows.total)} (count {format_number(float(last.bound))})"
    return f"the support was lowered to {at}: {len(last.rules):,} rules, {many}"


def _bounds(
    rows: ItemRows, wanted: SetLimits, wish: RuleLimits, falling: FallingSupport | None
) -> tuple[Iterator[float], float]:
    """Return the bounds to try, and how many rules are enough."""
    lowest = wanted.min_bound
    if not math.isfinite(lowest):
        return iter([rows.total]), 0
    top = wish.limits["most"]
    if falling is not None:
        return _steps(rows, falling, lowest), min(falling.enough, top)
    if top < MOST and BY[wish.limits["by"]] == "support":  # rules of high support are found without the others
        return _halves(rows.total, lowest), top
    return iter([lowest]), 0


def _steps(rows: ItemRows, falling: FallingSupport, lowest: float) -> Iterator[float]:
    if falling.shares:
        yield from falling_bounds(rows, falling.shares, lowest)
        return
    share, step = Fraction(repr(float(falling.start))), Fraction(repr(float(falling.step)))
    while share > 0:
        bound = max(least_count(float(share), rows.total, rows.whole), lowest)
        yield bound
        if bound == lowest:
            return
        share -= step
    yield lowest


def falling_bounds(rows: ItemRows, shares: Sequence[float], lowest: float) -> Iterator[float]:
    """Yield the counts that shares correspond to, without repeats, down to the lowest count, which comes last."""
    last = math.inf
    for share in shares:
        bound = max(least_count(share, rows.total, rows.whole), lowest)
        if bound < last:
            yield bound
        last = bound
    if last > lowest:
        yield lowest


def _halves(bound: float, lowest: float) -> Iterator[float]:
    while True:
        bound = max(bound / 2, lowest)
        yield bound
        if bound == lowest:
            return
