"""How many bits a rule takes; kernels/rules/description_length.hpp adds those of the rows on which rules err.

After J. R. Quinlan, MDL and categorical theories (continued), 1995, as W. W. Cohen uses it for RIPPER.
"""

from __future__ import annotations

import math

REDUNDANT = 0.5  # conditions are redundant, so that a code for them wastes about half of its bits


def subset_bits(n: float, k: float, share: float) -> float:
    """Return the bits that encode which k of n things are chosen, given the expected share.

    >>> round(subset_bits(8, 2, 0.25), 6)
    6.490225
    """
    chosen = -k * math.log2(share) if k > 0 else 0.0
    return chosen - ((n - k) * math.log2(1 - share) if n > k else 0.0)


def number_bits(k: int) -> float:
    """Return the bits that encode a whole number of at least 1: log2 k, and 2 log2 log2 k for its length."""
    if k < 2:
        return 0.0
    return math.log2(k) + (2 * math.log2(math.log2(k)) if k > 2 else 0.0)


def rule_bits(length: int, n_conditions: int) -> float:
    """Return the bits of a rule of so many conditions out of all possible ones.

    >>> round(rule_bits(2, 32), 6)
    5.896641
    """
    possible = max(n_conditions, length)
    return REDUNDANT * (number_bits(length) + subset_bits(possible, length, length / possible)) if length else 0.0
