"""How many bits it takes to tell the rows of a class: rules, and the rows on which they err.

After J. R. Quinlan, MDL and categorical theories (continued), 1995, as W. W. Cohen uses it for RIPPER.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

REDUNDANT = 0.5  # conditions repeat what others tell, so that a code for them wastes about half of its bits


def subset_bits(n: float, k: float, share: float) -> float:
    """Return the bits that tell which k of n things are chosen, when a share of them is expected to be.

    >>> round(subset_bits(8, 2, 0.25), 6)
    6.490225
    """
    chosen = -k * math.log2(share) if k > 0 else 0.0
    return chosen - ((n - k) * math.log2(1 - share) if n > k else 0.0)


def number_bits(k: int) -> float:
    """Return the bits that tell a whole number of at least 1: log2 k, and 2 log2 log2 k to tell how long that is."""
    if k < 2:
        return 0.0
    return math.log2(k) + (2 * math.log2(math.log2(k)) if k > 2 else 0.0)


def rule_bits(length: int, n_conditions: int) -> float:
    """Return the bits of a rule of so many conditions out of all possible ones.

    >>> round(rule_bits(2, 32), 6)
    5.896642
    """
    possible = max(n_conditions, length)
    return REDUNDANT * (number_bits(length) + subset_bits(possible, length, length / possible)) if length else 0.0


@dataclass(frozen=True, slots=True)
class Exceptions:
    """The weight that rules of a class cover and leave, of the class (p) and of others (n)."""

    p: float
    n: float
    left_p: float
    left_n: float

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return self.p + self.n + self.left_p + self.left_n

    def bits(self, false_positives: float) -> float:
        """Return the bits that tell the exceptions: how many errors there are, then which rows they are.

        Errors are told apart where more rows are: of the covered rows, if they are more than the others, a share is
        expected to be wrong that follows from the number of errors and the share of `false_positives` among them; the
        wrong ones of the others are then known by number.
        """
        covered, left = self.p + self.n, self.left_p + self.left_n
        wrong = self.n + self.left_p
        bits = math.log2(self.total + 1)
        if covered > left:
            bits += subset_bits(covered, self.n, _within(false_positives * wrong / covered, covered))
            return bits + (subset_bits(left, self.left_p, self.left_p / left) if left > 0 else 0.0)
        if left <= 0:
            return bits
        bits += subset_bits(left, self.left_p, _within((1 - false_positives) * wrong / left, left))
        return bits + (subset_bits(covered, self.n, self.n / covered) if covered > 0 else 0.0)


def _within(share: float, n: float) -> float:
    """Return an expected share that excludes nothing: what is not expected at all would take endless bits to tell."""
    least = 0.5 / (n + 1)
    return min(max(share, least), 1 - least)
