"""Reference implementations of the kernels of association mining: sets as tuples of codes, everything by definition."""

from collections import Counter
from itertools import combinations
from math import inf


def held(rows, weights, candidate):
    """Return the weight of the rows that hold all items of a set."""
    return sum(w for row, w in zip(rows, weights, strict=True) if set(candidate) <= set(row))


def frequent(rows, least, weights=None, longest=None):
    """Return all frequent sets with their counts, by size and then lexically: every combination is counted."""
    weights = weights or [1] * len(rows)
    counts = Counter()
    for row, weight in zip(rows, weights, strict=True):
        for size in range(1, min(len(row), longest or len(row)) + 1):
            for one in combinations(sorted(set(row)), size):
                counts[one] += weight
    found = [(one, count) for one, count in counts.items() if count >= least]
    return sorted(found, key=lambda pair: (len(pair[0]), pair[0]))


def joined(sets):
    """Return the candidates of the next level, and how many were joined before some were dropped (M141)."""
    pairs = [(*a, b[-1]) for a, b in combinations(sorted(sets), 2) if a[:-1] == b[:-1]]
    known = set(sets)
    return [c for c in pairs if all(part in known for part in combinations(c, len(c) - 1))], len(pairs)


def measures(c, a, b, n):
    """Return support, confidence, lift, leverage and conviction."""
    conviction = inf if a <= c else a * (n - b) / (n * (a - c))
    return {
        "support": c,
        "confidence": c / a,
        "lift": c * n / (a * b),
        "leverage": (c * n - a * b) / (n * n),
        "conviction": conviction,
    }


def brute_force_rules(
    sets,
    count,
    total,
    *,
    min_confidence=0.0,
    least=None,
    left=None,
    right=None,
    min_left=1,
    max_left=63,
    max_right=63,
    fold=False,
    by="confidence",
    top=None,
):
    """Return the rules of sets, all 2^N - 1 splits of each tried (M144), as (antecedent, consequent) in order.

    `count` tells the count of any set; `least` are least values of measures by name.
    """
    rules = {}
    for number, whole in enumerate(sets):
        splits = [(size, one) for size in range(1, len(whole) + 1) for one in combinations(whole, size)]
        for place, (size, consequent) in enumerate(splits):
            antecedent = tuple(item for item in whole if item not in consequent)
            if not min_left <= len(antecedent) <= max_left or size > max_right:
                continue
            if left is not None and not set(antecedent) <= set(left):
                continue
            if right is not None and not set(consequent) <= set(right):
                continue
            a = count(antecedent) if antecedent else total
            told = measures(count(whole), a, count(consequent), total)
            if told["confidence"] < min_confidence or any(told[key] < low for key, low in (least or {}).items()):
                continue
            rules[antecedent, consequent] = (told, number, place)
    if fold:
        rules = {
            (a, c): value
            for (a, c), value in rules.items()
            if not any(
                c2 == c and set(a2) < set(a) and value2[0]["confidence"] >= value[0]["confidence"]
                for (a2, c2), value2 in rules.items()
            )
        }
    ranked = sorted(rules.items(), key=lambda r: (-r[1][0][by], -r[1][0]["support"], r[1][1], r[1][2]))
    return [rule for rule, _ in ranked][:top]
