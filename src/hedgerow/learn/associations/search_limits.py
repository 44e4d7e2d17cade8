"""Which item sets are searched: bounds of counts, lengths, roles of items, and limits of time and memory."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.items.items import Items
from hedgerow.data.table.schema import listing
from hedgerow.data.table.table import Codes, Numbers
from hedgerow.errors import DataError, UsageError
from hedgerow.learn.params import parse_names

DEFAULT_SUPPORT = 0.1
ANTECEDENT, CONSEQUENT = 1, 2  # roles of items, as in the kernel of rules
ANY_LENGTH = 1 << 30  # of a set
NO_LIMIT = 1 << 62  # of sets, or of bytes

Flags = NDArray[np.uint8]


def _no_codes() -> Codes:
    return np.empty(0, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class SetLimits:
    """The sets that a search is to find.

    Parameters
    ----------
    bounds
        For each item the smallest count of a set in which no item has a lower bound; infinity leaves the item out.
    which
        `all`, `closed` or `maximal`.
    max_length
        Maximum number of items of a set.
    spread
        Maximum difference between the counts of two items of a set.
    required
        Marks items of which a set must contain at least one; empty if there is no such constraint.
    group, most_of_group
        Group of each item, or -1, and the maximum number of items of each group in a set; empty without groups.
    most_sets, memory, seconds
        Limits of the search.
    """

    bounds: Numbers
    which: str = "all"
    max_length: int = ANY_LENGTH
    spread: float = math.inf
    required: Flags = field(default_factory=lambda: np.empty(0, dtype=np.uint8))
    group: Codes = field(default_factory=_no_codes)
    most_of_group: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    most_sets: int = NO_LIMIT
    memory: int = NO_LIMIT
    seconds: float = math.inf

    @property
    def min_bound(self) -> float:
        """The lowest bound of any item; infinity if there is none."""
        return float(self.bounds.min(initial=math.inf))

    def with_bound(self, bound: float) -> SetLimits:
        """Return a copy with no bound below this one."""
        return replace(self, bounds=np.maximum(self.bounds, bound))


def least_count(share: float, total: float, whole: bool) -> float:
    """Return the smallest count that is at least a share of all: 7 for 0.07 of 100, 813 for 10 % of 8124.

    The share is taken as the decimal that was written, or as the quotient of a count and the total.

    >>> least_count(0.07, 100, True), least_count(0.1, 8124, True), least_count(5 / 14, 14, True)
    (7.0, 813.0, 5.0)
    """
    near = round(share * total)
    if near / total == share:
        return float(max(near, 1)) if whole else float(near)
    exact = Fraction(repr(float(share))) * Fraction(total)
    return float(math.ceil(exact)) if whole else float(exact) * (1 - 1e-12)


def largest_count(share: float, total: float, whole: bool) -> float:
    """Return the largest count that is at most a share of all, with the share taken in the same way."""
    near = round(share * total)
    if near / total == share:
        return float(near)
    exact = Fraction(repr(float(share))) * Fraction(total)
    return float(math.floor(exact)) if whole else float(exact) * (1 + 1e-12)


def min_count_of(min_support: float | None, min_count: float | None, total: float, whole: bool) -> float:
    """Return the smallest count of a frequent set."""
    if min_support is not None and min_count is not None:
        raise UsageError(
            f"min_support={min_support} and min_count={min_count} specify the same limit twice; give only one"
        )
    if min_count is not None:
        return float(min_count)
    return least_count(DEFAULT_SUPPORT if min_support is None else float(min_support), total, whole)


def item_bounds(items: Items, bound: float, shares: Mapping[str, Any] | None, total: float, whole: bool) -> Numbers:
    """Return the bound of each item: its own if `shares` has one, else its column's."""
    bounds = np.full(len(items), bound)
    named = list((shares or {}).items())
    for name, share in sorted(named, key=lambda pair: pair[0] in items):  # columns first
        try:
            value = float(share)
        except (TypeError, ValueError):
            value = math.nan
        if not 0 < value <= 1:
            raise UsageError(f"min_supports: {share!r} of {name!r} is not allowed: it must be above 0 and at most 1")
        bounds[codes_from_names(items, [name], "min_supports")] = least_count(value, total, whole)
    return bounds


def codes_from_names(items: Items, names: list[str], what: str) -> Codes:
    """Return the codes of items by their names, or by the names of columns, which mean all of their items."""
    codes: list[Codes] = []
    for name in names:
        if name in items:
            codes.append(np.array([items.code(name)], dtype=np.int32))
        elif name in items.schema:
            codes.append(items.of_column(name))
        else:
            known = dict.fromkeys([*items.schema.names, *items.names[:20_000]])
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {listing(known)}"
            raise DataError(f"{what}: there is no item or column {name!r}; {hint}")
    return np.unique(np.concatenate(codes)) if codes else _no_codes()


def item_roles(items: Items, antecedent: Any, consequent: Any) -> Flags:
    """Return the sides on which each item may occur: a sum of ANTECEDENT and CONSEQUENT."""
    roles = np.zeros(len(items), dtype=np.uint8)
    for role, what, names in ((ANTECEDENT, "antecedent", antecedent), (CONSEQUENT, "consequent", consequent)):
        if names is None:
            roles |= role
        else:
            roles[codes_from_names(items, parse_names(names), what)] |= role
    return roles


def narrow_to_rules(
    wanted: SetLimits, roles: Flags, max_antecedent: int | None, max_consequent: int | None
) -> SetLimits:
    """Return the search limited to sets that can give rules.

    Items without a role are left out, an item that may be a consequent is required, and the number of items that may
    occur on one side only is limited by the length of this side.
    """
    bounds = np.where(roles > 0, wanted.bounds, math.inf)
    caps = np.array([_cap(max_antecedent), _cap(max_consequent)])
    group = np.where(roles == ANTECEDENT, 0, np.where(roles == CONSEQUENT, 1, -1)).astype(np.int32)
    capped = any((group == side).any() and cap < ANY_LENGTH for side, cap in enumerate(caps.tolist()))
    concluded = roles & CONSEQUENT > 0
    return replace(
        wanted,
        bounds=bounds,
        max_length=int(min(wanted.max_length, caps.sum())),
        required=_flags(concluded) if not concluded[roles > 0].all() else wanted.required,
        group=group if capped else wanted.group,
        most_of_group=caps if capped else wanted.most_of_group,
    )


def _flags(marks: NDArray[np.bool_]) -> Flags:
    return np.ascontiguousarray(marks, dtype=np.uint8)


def _cap(most: int | None) -> int:
    return ANY_LENGTH if most is None else int(most)


def half_of_memory() -> int:
    """Return half of the available memory if known, else a gigabyte."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        try:
            free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, ValueError, OSError):
            return 1 << 30
    return max(free // 2, 1 << 26)
