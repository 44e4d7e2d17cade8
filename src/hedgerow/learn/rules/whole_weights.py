"""Weights as whole numbers of ticks, so that sums of them are exact and depend on no order."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers

BITS = 60  # of the sum of all ticks
EXACT = 2.0**53  # up to here whole numbers are exact without scaling


@dataclass(frozen=True, eq=False)
class WholeWeights:
    """The weights of rows in ticks.

    Parameters
    ----------
    weight
        How many ticks each row weighs, at least one; empty if every row weighs one.
    tick
        The weight of a tick.
    rounded
        Whether the weights are no whole numbers, and the ticks only close to them (to 2^-60 of their sum).
    """

    weight: NDArray[np.int64]
    tick: float = 1.0
    is_rounded: bool = False

    @classmethod
    def of(cls, weights: Numbers) -> WholeWeights:
        """Return weights, all positive, in ticks; whole numbers are their own ticks."""
        total = total_weight(weights)
        if (weights == 1).all():
            return cls(np.empty(0, dtype=np.int64))
        if total < EXACT and (weights == np.floor(weights)).all():
            return cls(weights.astype(np.int64))
        shift = BITS - math.frexp(total)[1]
        return cls(np.maximum(np.rint(np.ldexp(weights, shift)), 1).astype(np.int64), math.ldexp(1.0, -shift), True)

    def weights(self, ticks: NDArray[np.int64]) -> Numbers:
        """Return ticks as weights."""
        return np.asarray(ticks * self.tick, dtype=np.float64)

    def of_weight(self, weight: float) -> int:
        """Return the fewest ticks that weigh at least so much, at least one."""
        return max(1, math.ceil(min(weight / self.tick * (1 - 1e-12), 2.0**62)))


def total_weight(weights: Numbers) -> float:
    """Return the sum of weights, independent of their order: that of fractions is rounded only once."""
    total = float(weights.sum())
    return total if total < EXACT and (weights == np.floor(weights)).all() else math.fsum(weights)
