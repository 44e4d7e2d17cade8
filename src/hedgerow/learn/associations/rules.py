"""Association rules from item sets, by growing consequents."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.items.items import Items
from hedgerow.data.table.table import Codes, Numbers, Rows
from hedgerow.data.table.threads import n_threads
from hedgerow.errors import UsageError
from hedgerow.layout.numbers import format_number
from hedgerow.learn.associations.search_limits import half_of_memory, item_roles
from hedgerow.learn.params import to_amount
from hedgerow.models.associations.association_rules import AssociationRules
from hedgerow.models.associations.item_sets import ItemSets
from hedgerow.models.base.model import About

BY = ("support", "confidence", "lift", "leverage", "conviction")  # in the kernel's order
LONGEST = 63  # maximum number of items of a set from which rules are derived
MOST = 1 << 60
MOST_LOOKS = 20_000_000  # rules that are examined: this takes seconds, and nobody reads more

Count = Callable[[Rows, Codes], Numbers]


@dataclass(frozen=True, eq=False)
class RuleLimits:
    """Which rules are searched."""

    roles: NDArray[np.uint8]
    limits: dict[str, Any]
    memory: int
    seconds: float

    @classmethod
    def of(cls, items: Items, parameters: dict[str, Any]) -> RuleLimits:
        """Return the limits that the parameters define; `None` is no limit."""

        def least(name: str) -> float:
            return -math.inf if parameters[name] is None else float(parameters[name])

        def most(name: str) -> int:
            return MOST if parameters[name] is None else int(parameters[name])

        limits = {
            "confidence": float(parameters["min_confidence"]),
            "lift": least("min_lift"),
            "leverage": least("min_leverage"),
            "conviction": least("min_conviction"),
            "min_antecedent": int(parameters["min_antecedent"]),
            "max_antecedent": most("max_antecedent"),
            "max_consequent": most("max_consequent"),
            "fold": bool(parameters["fold"]),
            "by": BY.index(parameters["by"]),
            "most": most("top"),
            "looks": most("max_rules"),
        }
        memory = to_amount("size", parameters["memory"]) or half_of_memory()
        seconds = to_amount("duration", parameters["time"]) or math.inf
        return cls(item_roles(items, parameters["antecedent"], parameters["consequent"]), limits, int(memory), seconds)

    @classmethod
    def with_half_memory(cls, items: Items, parameters: dict[str, Any]) -> RuleLimits:
        """Return the same request with the half of the memory that the search for the sets leaves."""
        wish = cls.of(items, parameters)
        return replace(wish, memory=wish.memory // 2)


def make_rules(sets: ItemSets, wish: RuleLimits, count: Count | None = None) -> AssociationRules:
    """Return the requested rules; `count` returns the counts of subsets that are not among the sets."""
    if sets.which != "all":
        raise UsageError(f"rules need all frequent sets, not the {sets.which} ones: mine them with sets='all'")
    if len(sets) and sets.sizes[-1] > LONGEST:
        raise UsageError(
            f"a set has {sets.sizes[-1]} items, too many for rules: mine with max_length={LONGEST} or less"
        )
    threads = n_threads()
    room = max(wish.memory // (48 * threads + 24), 1)
    limits = {**wish.limits, "most": min(wish.limits["most"], room), "seconds": wish.seconds}
    offsets, codes, counts = sets.offsets, sets.codes, sets.counts.astype(np.float64)
    while True:
        result = _kernels.derive_rules(offsets, codes, counts, len(sets), sets.total, wish.roles, limits, threads)
        more = result["missing_offsets"], result["missing_codes"]
        if len(more[0]) == 1:
            break
        if count is None:
            raise UsageError(
                f"the count of {sets.items.text(more[1][: more[0][1]].tolist())}, a subset of a set, is not known: "
                "mine without min_supports and max_spread, or use Apriori, which counts all sets that it needs"
            )
        counts = np.concatenate([counts, count(*more)])
        offsets, codes = np.concatenate([offsets, more[0][1:] + len(codes)]), np.concatenate([codes, more[1]])
    rules = _pool_sets(sets, offsets, codes, counts, result)
    return rules.replace_about(About(notes=_notes(sets, wish, result, limits["most"])))


def _pool_sets(
    sets: ItemSets, offsets: Rows, codes: Codes, counts: Numbers, result: dict[str, Any]
) -> AssociationRules:
    """Return the rules with the sets that they need, the empty one last."""
    n = len(counts)
    left = np.where(result["left"] < 0, np.int32(n), result["left"])
    used = np.zeros(n + 1, dtype=np.bool_)
    used[left] = used[result["right"]] = True
    place = (np.cumsum(used) - 1).astype(np.int32)
    sizes = np.append(np.diff(offsets), 0)
    own = np.append(counts, sets.total)[used].astype(sets.counts.dtype)
    return AssociationRules.of(
        sets.items,
        np.concatenate([[0], np.cumsum(sizes[used])]).astype(np.int64),
        codes[np.repeat(used, sizes)],
        place[left],
        place[result["right"]],
        sets.counts[result["whole"]],
        own,
        sets.total,
    )


def _notes(sets: ItemSets, wish: RuleLimits, result: dict[str, Any], most: int) -> tuple[str, ...]:
    """Return what was left out for lack of time or memory."""
    notes = [sets.ended] if sets.ended else []
    if result["bound"] > 0:
        bound = result["bound"]
        known = (
            f"those with a count of at least {format_number(bound)} are complete"
            if bound < math.inf
            else "none was found"
        )
        looks = f"there are more than {wish.limits['looks']:,} rules to consider (max_rules)"
        why = "the time limit was reached before all rules were generated" if result["late"] else looks
        notes.append(f"{why}: {known}" if result["late"] or bound < math.inf else f"{why}: the rules are incomplete")
    if len(result["whole"]) == most < wish.limits["most"]:
        measure = BY[wish.limits["by"]]
        notes.append(
            f"the memory limit was reached: these are the best {most:,} rules by {measure}, of {result['found']:,} or "
            "more"
        )
    return tuple(notes)
