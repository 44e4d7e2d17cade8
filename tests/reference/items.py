"""Reference implementations of the kernels of item sets: every set of items is looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from math import inf

Sets = dict[tuple[int, ...], Fraction]


def count(rows: Sequence[Iterable[int]], weights: Sequence[float], items: Iterable[int]) -> Fraction:
    """The weight of the rows that hold all items."""
    wanted = set(items)
    return sum((Fraction(w) for row, w in zip(rows, weights, strict=True) if wanted <= set(row)), Fraction(0))


def frequent(rows: Sequence[Iterable[int]], weights: Sequence[float], bounds: Sequence[float]) -> Sets:
    """All sets whose count reaches the lowest bound of their items."""
    items = [item for item, bound in enumerate(bounds) if bound < inf]
    sets = (s for size in range(1, len(items) + 1) for s in combinations(items, size))
    counted = ((s, count(rows, weights, s)) for s in sets)
    return {s: c for s, c in counted if c >= min(Fraction(bounds[item]) for item in s)}


def closed(sets: Sets, rows: Sequence[Iterable[int]], weights: Sequence[float], items: Iterable[int]) -> Sets:
    """Those that no further item leaves at the same count."""
    every = set(items)
    return {s: c for s, c in sets.items() if all(count(rows, weights, (*s, i)) < c for i in every - set(s))}


def maximal(sets: Sets) -> Sets:
    """Those that are part of no larger one."""
    return {s: c for s, c in sets.items() if not any(set(s) < set(other) for other in sets)}


def told(
    sets: Sets,
    item_counts: Sequence[Fraction],
    *,
    max_length: int | None = None,
    spread: float = inf,
    required: Sequence[int] = (),
    group: Sequence[int] = (),
    most_of_group: Sequence[int] = (),
) -> Sets:
    """Those that meet the conditions, shorter ones first, then in lexical order."""

    def meets(items: tuple[int, ...]) -> bool:
        counts = [item_counts[item] for item in items]
        return (
            (max_length is None or len(items) <= max_length)
            and max(counts) - min(counts) <= spread
            and (not required or any(required[item] for item in items))
            and all(sum(group[i] == g for i in items) <= most for g, most in enumerate(most_of_group))
        )

    return {s: sets[s] for s in sorted(sets, key=lambda s: (len(s), s)) if meets(s)}


def heaviest(sets: Sets, most: int) -> tuple[Sets, Fraction | None]:
    """At most so many of the heaviest: all that tie at a count, or none. Also the largest count that was left out."""
    if len(sets) <= most:
        return sets, None
    out = max(c for c in sets.values() if sum(other >= c for other in sets.values()) > most)
    return {s: c for s, c in sets.items() if c > out}, out


def from_rows(rows: Sequence[Iterable[int]], bounds: Sequence[float]) -> Counter[tuple[int, ...]]:
    """All frequent sets, by counting every subset of every row: for many short rows."""
    counts: Counter[tuple[int, ...]] = Counter()
    for row in rows:
        items = sorted(item for item in set(row) if bounds[item] < inf)
        counts.update(s for size in range(1, len(items) + 1) for s in combinations(items, size))
    return Counter({s: c for s, c in counts.items() if c >= min(bounds[item] for item in s)})


def closed_of(sets: Counter[tuple[int, ...]], larger: Counter[tuple[int, ...]]) -> Counter[tuple[int, ...]]:
    """Those of `sets` that no larger set has the same count as."""
    same = {part for s, c in larger.items() for part in combinations(s, len(s) - 1) if larger[part] == c}
    return Counter({s: c for s, c in sets.items() if s not in same})


def maximal_of(sets: Counter[tuple[int, ...]]) -> Counter[tuple[int, ...]]:
    """Those that are part of no set that is one item larger; for one bound."""
    smaller = {part for s in sets for part in combinations(s, len(s) - 1)}
    return Counter({s: c for s, c in sets.items() if s not in smaller})
