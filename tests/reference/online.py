"""Twins of online learning, row by row in plain Python: everything is done at once, nothing lazily."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

Row = Sequence[tuple[int, float]]  # slot, x; the constant is slot 0


@dataclass
class Twin:
    """One function; `rule` is an OnlineRule."""

    rule: object
    w: dict[int, float] = field(default_factory=dict)
    g: dict[int, float] = field(default_factory=dict)
    s: dict[int, float] = field(default_factory=dict)
    t: float = 0.0
    n: float = 0.0

    def predict(self, row: Row) -> float:
        return sum(self.w.get(slot, 0.0) * x for slot, x in row)

    def see(self, row: Row) -> tuple[float, float]:
        """Take the sizes of a row into account, and return its prediction and the sum of squared shares of sizes."""
        a = self.rule.power if self.rule.adaptive else 0.0
        spread = 0.0
        if self.rule.normalised:
            for slot, x in row:
                before = self.s.get(slot, 0.0)
                if abs(x) > before:
                    if before > 0:
                        self.w[slot] = self.w.get(slot, 0.0) * (before / abs(x)) ** (2 - 2 * a)
                    self.s[slot] = abs(x)
                spread += (x / self.s[slot]) ** 2
        return self.predict(row), spread

    def slope(self, p: float, y: float) -> float:
        match self.rule.loss:
            case "squared":
                return 2 * (p - y)
            case "logistic":
                return -y / (1 + math.exp(y * p))
            case "hinge":
                return -y if y * p < 1 else 0.0
        return 0.0 if p == y else -self.rule.tau if p < y else 1 - self.rule.tau

    def step(self, p: float, y: float, h: float, q: float) -> float:
        if not self.rule.invariant or q <= 0:
            return -h * self.slope(p, y)
        if self.rule.loss == "squared":
            return (y - p) * (1 - math.exp(-2 * h * q)) / q
        if self.rule.loss == "hinge":
            return y * min(h, (1 - y * p) / q) if y * p < 1 else 0.0
        if self.rule.loss == "quantile":
            if p == y:
                return 0.0
            tau = self.rule.tau
            return min(h * tau, (y - p) / q) if p < y else -min(h * (1 - tau), (p - y) / q)
        low, high, end = y * p, y * p + h * q, y * p + math.exp(y * p) + h * q
        for _ in range(200):  # by halving
            middle = (low + high) / 2
            low, high = (middle, high) if middle + math.exp(middle) < end else (low, middle)
        return y * (low - y * p) / q

    def rate_of(self, slot: int, x: float, more: float) -> float:
        """Return r of a slot, with the size of x and so much more G."""
        rule = self.rule
        a = rule.power if rule.adaptive else 0.0
        rate = max(self.s.get(slot, 0.0), abs(x)) ** (2 * a - 2) if rule.normalised else 1.0
        return rate * (self.g.get(slot, 0.0) + more) ** -a if rule.adaptive else rate

    def look(self, row: Row, y: float, h: float, t: float) -> tuple[float, float, float, float, float]:
        """Return p, spread, slope, step and eta of a row by the state as it is, which is left so."""
        rule = self.rule
        a = rule.power if rule.adaptive else 0.0
        p = spread = 0.0
        for slot, x in row:
            size, w = self.s.get(slot, 0.0), self.w.get(slot, 0.0)
            if rule.normalised:
                w *= (size / abs(x)) ** (2 - 2 * a) if 0 < size < abs(x) else 1.0
                spread += (x / max(size, abs(x))) ** 2
            p += w * x
        n = self.n + h * spread
        base = rule.rate if rule.adaptive else rule.rate * t**-rule.power
        eta = base * ((self.t + h) / n) ** (1 - a) if rule.normalised and n > 0 else base
        slope = self.slope(p, y)
        q = sum(x * x * self.rate_of(slot, x, h * slope * slope * x * x) for slot, x in row) if slope else 0.0
        return p, spread, slope, self.step(p, y, eta * h, q) if slope else 0.0, eta

    def move(self, row: Row, h: float, slope: float, step: float, eta: float) -> None:
        """Learn a row that was looked at."""
        self.see(row)
        for slot, x in row if slope else ():
            more = h * slope * slope * x * x
            rate = self.rate_of(slot, x, more)
            self.g[slot] = self.g.get(slot, 0.0) + more
            self.w[slot] = self.w.get(slot, 0.0) + step * rate * x
        for slot, w in self.w.items():
            if slot and w:
                self.w[slot] = math.copysign(self.shrunk(slot, abs(w), eta * h), w)

    def shrunk(self, slot: int, size: float, more: float) -> float:
        """Return what regularisation leaves of a coefficient, in many small parts."""
        rule = self.rule
        a = rule.power if rule.adaptive else 0.0
        if rule.adaptive and not self.g.get(slot):
            return size
        rate = (self.s[slot] ** (2 * a - 2) if rule.normalised else 1.0) * (
            self.g[slot] ** -a if rule.adaptive else 1.0
        )
        if rule.l2:
            left = math.exp(-rule.l2 * rate * more)
            size = size * left - (1 - left) * rule.l1 / rule.l2
        else:
            size -= rule.l1 * rate * more
        return max(0.0, size)


def learned(
    rule: object, rows: Sequence[Row], targets: Sequence[float], weights: Sequence[float]
) -> tuple[Twin, list[float]]:
    """Return the twin that learned some rows in blocks of `delay` + 1, and what it said of them before.

    All rows of a block are looked at before the first of them is learned.
    """
    twin, said = Twin(rule), []
    block = rule.delay + 1
    for start in range(0, len(rows), block):
        some = range(start, min(len(rows), start + block))
        seen = [twin.look(rows[i], targets[i], weights[i], twin.t + sum(weights[start : i + 1])) for i in some]
        said += [p for p, *_ in seen]
        for i, (_, spread, slope, step, eta) in zip(some, seen, strict=True):
            twin.move(rows[i], weights[i], slope, step, eta)
            twin.t += weights[i]
            twin.n += weights[i] * spread
    return twin, said
