"""A first look at the item sets and rules of data, with notes on the search.

If no minimum support is given, one is chosen: the support is lowered until there are enough results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hedgerow.learn.associations.apriori import Apriori
from hedgerow.learn.associations.falling_support import FallingSupport, SupportStep, falling_bounds, levels
from hedgerow.learn.associations.mining import MiningInput, load_rows, set_limits, sets_for_rules
from hedgerow.learn.associations.rows import ItemRows
from hedgerow.learn.associations.rules import RuleLimits
from hedgerow.learn.associations.to_item_sets import find_sets
from hedgerow.learn.base import Learner
from hedgerow.models.associations.association_rules import AssociationRules
from hedgerow.models.associations.item_sets import ItemSets

ENOUGH_RULES, ENOUGH_SETS = 10, 20
# The supports that are tried: dense tables give rules at the first, sparse baskets only at the last of them.
SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 5e-4, 2e-4, 1e-4)
FEWEST = 5  # rows: fewer are no evidence, unless the table is small
# Rules of a first look are short and better than chance, and none repeats a more general one.
FIRST = {"max_consequent": 1, "min_lift": 1.1, "fold": True, "by": "lift"}
SURE, SURE_IN_BASKETS = 0.8, 0.5  # confidence; rules of baskets rarely have more
SUPPORTS = frozenset({"min_support", "min_count", "min_supports", "start", "step"})  # these mean a known support
BOUNDS = SUPPORTS | {"enough", "top", "time"}

ReportStep = Callable[[int, int], None] | None


@dataclass(frozen=True, eq=False)
class FirstLook:
    """The result of the search: the rules, or None if only sets were requested, and each support."""

    sets: ItemSets
    rules: AssociationRules | None
    support_steps: tuple[tuple[float, int], ...]  # support, and how many rules (or sets of two items and more) it gave
    enough: int | None
    first: bool = False  # whether no bound was given


def explore_rules(data: Any, settings: Mapping[str, Any], tell: ReportStep = None) -> FirstLook:
    """Return the rules for parameters of `Apriori`, with the sets from which they are derived.

    Without a given support, it is lowered until there are `enough` rules (`top`, or ten). With no bound at all
    it is a first look: by default rules are then short, better than chance, and sorted by lift.
    """
    learner = _check_settings(settings)
    entered = load_rows(data, learner.get_params(deep=False))
    rows = entered.rows
    first = not BOUNDS & settings.keys()
    if first:
        sure = SURE if any(rows.items.columns) else SURE_IN_BASKETS
        learner.set_params(**{**FIRST, "min_confidence": sure, **settings})
    falls = not SUPPORTS & settings.keys()
    enough = learner.enough or (learner.top or ENOUGH_RULES if falls else None)
    if falls:
        learner.set_params(enough=None, min_count=_fewest(rows))
    falling = None if enough is None else FallingSupport(enough, learner.start, learner.step, SHARES if falls else ())
    parameters = learner.get_params(deep=False)
    wish = RuleLimits.with_half_memory(rows.items, parameters)
    support_steps = list(
        _report_progress(levels(rows, sets_for_rules(rows, parameters, wish.roles), wish, falling), tell)
    )
    last = support_steps[-1]
    if falls:
        learner.set_params(min_count=int(np.ceil(last.bound)))
    notes = (*entered.notes, *rows.items.notes)
    rules = learner.add_about(last.rules, *entered.row_totals(), notes)
    assert isinstance(rules, AssociationRules)
    tried = tuple((one.bound / rows.total if rows.total else 1.0, len(one.rules)) for one in support_steps)
    return FirstLook(last.sets, rules, tried, enough, first)


def explore_sets(data: Any, settings: Mapping[str, Any], which: str = "all", tell: ReportStep = None) -> FirstLook:
    """Return the item sets for some parameters; without a support it is lowered until enough have two items."""
    learner = _check_settings(settings)
    parameters = learner.get_params(deep=False)
    entered = load_rows(data, parameters)
    rows = entered.rows
    if SUPPORTS & settings.keys():
        sets = find_sets(rows, set_limits(rows, parameters, which, learner.top))
        return FirstLook(_with_about(sets, entered, settings), None, (), None)
    enough, tried = learner.top or ENOUGH_SETS, []
    for bound in falling_bounds(rows, SHARES, _fewest(rows)):
        wanted = set_limits(rows, {**parameters, "min_support": None, "min_count": bound}, which, learner.top)
        sets = find_sets(rows, wanted)
        larger = int((sets.sizes > 1).sum())
        tried.append((bound / rows.total if rows.total else 1.0, larger))
        if tell is not None:
            tell(len(tried), len(SHARES))
        if larger >= enough or sets.ended:
            break
    item_sets = _with_about(sets, entered, {**settings, "min_count": int(np.ceil(bound))})
    return FirstLook(item_sets, None, tuple(tried), enough, first="top" not in settings)


def _check_settings(settings: Mapping[str, Any]) -> Apriori:
    kind: type[Learner] = Apriori
    learner = kind().set_params(**settings)
    learner.check_params()
    assert isinstance(learner, Apriori)
    return learner


def _with_about(sets: ItemSets, entered: MiningInput, settings: Mapping[str, Any]) -> ItemSets:
    rows, weight = entered.row_totals()
    notes = (*entered.notes, *entered.rows.items.notes, *([sets.ended] if sets.ended else []))
    about = replace(sets.about, learner="mine", parameters=dict(settings), rows=rows, weight=weight, notes=notes)
    return sets.replace_about(about)


def _fewest(rows: ItemRows) -> int:
    """Return the minimum count of a set: two in a small table, up to five in larger ones."""
    return min(max(int(rows.total) // 20, 2), FEWEST)


def _report_progress(items: Iterator[SupportStep], tell: ReportStep) -> Iterator[SupportStep]:
    for number, one in enumerate(items, start=1):
        if tell is not None:
            tell(number, max(len(SHARES), number))
        yield one
