"""The reference implementations of growing rules: every test of every column, row by row."""

import math
from itertools import pairwise

from hedgerow.layout.rounding import choose_threshold
from hedgerow.models.base.condition import Condition, Operator

EQUAL = 1e-10
MASK = 2**64 - 1


def foil_gain(p0, n0, p1, n1):
    return p1 * (math.log2(p1 / (p1 + n1)) - math.log2(p0 / (p0 + n0)))


def passes(row, condition):
    """Tell whether a row, a dictionary, passes; texts hold the set of their terms."""
    value = row[condition.column]
    if value is None:
        return False
    match condition.operator:
        case Operator.AT_MOST:
            return value <= condition.value
        case Operator.ABOVE:
            return value > condition.value
        case Operator.IS:
            return value == condition.value
    return condition.value in value


def covered(rows, conditions):
    return [row for row in rows if all(passes(row, condition) for condition in conditions)]


def tests_of(name, kind, rows, directions):
    """Yield every test of a column: thresholds between neighbors among these rows, levels, or terms."""
    known = [row[name] for row in rows if row[name] is not None]
    if kind == "numeric":
        values = sorted(set(known))
        for low, high in pairwise(values):
            for bit, operator in ((1, Operator.AT_MOST), (2, Operator.ABOVE)):
                if directions & bit:
                    yield Condition(name, operator, choose_threshold(low, high))
    elif directions:
        for level in kind:
            yield Condition(name, Operator.IS, level)


def weigh(rows, weights):
    """Return the weight of the class and of others; a row holds its place under `#` and its side under `+`."""
    p = sum(weights[row["#"]] for row in rows if row["+"])
    n = sum(weights[row["#"]] for row in rows if not row["+"])
    return p, n


def grow(rows, kinds, weights, min_weight=2.0, max_length=None, directions=None):
    """Return the conditions of the best gain one by one; `kinds` names for each column "numeric" or its levels."""
    rule = []
    while max_length is None or len(rule) < max_length:
        p0, n0 = weigh(rows, weights)
        if not p0 or not n0:
            break
        best, best_gain = None, EQUAL * p0
        for name, kind in kinds.items():
            for test in tests_of(name, kind, rows, (directions or {}).get(name, 3)):
                p1, n1 = weigh(covered(rows, [test]), weights)
                if p1 < min_weight or p1 <= 0:
                    continue
                gain = foil_gain(p0, n0, p1, n1)
                if gain > best_gain * (1 + EQUAL):
                    best, best_gain = test, gain
        if best is None:
            break
        rule.append(best)
        rows = covered(rows, [best])
    return rule


def mixed(bits):
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & MASK
    return bits ^ (bits >> 31)


def dealt(keys, strata, folds, seed):
    """Return which cards are among the lowest 1/folds of their stratum."""
    lowest = [False] * len(keys)
    for stratum in set(strata):
        cards = [card for card in range(len(keys)) if strata[card] == stratum]
        cards.sort(key=lambda card: (mixed(keys[card] ^ seed), card))
        for card in cards[: math.floor(len(cards) / folds + 0.5)]:
            lowest[card] = True
    return lowest


def subset_bits(n, k, share):
    """Return the bits of k of n, term by term."""
    return sum(-math.log2(share) for _ in range(int(k))) + sum(-math.log2(1 - share) for _ in range(int(n - k)))


def exception_bits(p, n, left_p, left_n, false_positives):
    """Return the bits of exceptions, after Quinlan (1995)."""

    def bits(total, chosen, share):
        share = min(max(share, 0.5 / (total + 1)), 1 - 0.5 / (total + 1)) if share is not None else chosen / total
        told = -chosen * math.log2(share) if chosen else 0
        return told - (total - chosen) * math.log2(1 - share) if total > chosen else told

    inside, outside, wrong = p + n, left_p + left_n, n + left_p
    total = math.log2(inside + outside + 1)
    if inside > outside:
        total += bits(inside, n, false_positives * wrong / inside)
        return total + (bits(outside, left_p, None) if outside else 0)
    if outside:
        total += bits(outside, left_p, (1 - false_positives) * wrong / outside)
        total += bits(inside, n, None) if inside else 0
    return total


def described(rules, own, weights, false_positives, shorten):
    """Return the bits of rules, each a set of rows and its bits, and which stay when the last may go first."""

    def bits(stays):
        inside = set().union(*(rows for (rows, _), one in zip(rules, stays, strict=True) if one))
        sums = {(is_in, side): 0.0 for is_in in (True, False) for side in (True, False)}
        for row, weight in enumerate(weights):
            sums[row in inside, own[row]] += weight
        parts = [sums[True, True], sums[True, False], sums[False, True], sums[False, False]]
        return sum(b for (_, b), one in zip(rules, stays, strict=True) if one) + exception_bits(*parts, false_positives)

    stays = [1] * len(rules)
    least = bits(stays)
    for place in reversed(range(len(rules) if shorten else 0)):
        fewer = [*stays[:place], 0, *stays[place + 1 :]]
        if bits(fewer) < least - 1e-9:
            stays, least = fewer, bits(fewer)
    return least, stays


def best_deletion(rows, conditions, weights):
    """Return the conditions that stay when every subset may be deleted: highest (p - n) / (p + n), then the fewest."""
    best, best_key = None, None
    for bits in range(1 << len(conditions)):
        stays = [one for at, one in enumerate(conditions) if not bits >> at & 1]
        p, n = weigh(covered(rows, stays), weights)
        value = (p - n) / (p + n) if p + n else -math.inf
        key = (round(value, 9), -len(stays), bits)
        if best_key is None or key > best_key:
            best, best_key = stays, key
    return best
