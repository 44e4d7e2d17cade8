"""OnlineRule: the update rule of an online learner; kernels/linear/online_updates.hpp has the formulas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.errors import UsageError

SQUARED, LOGISTIC, HINGE, QUANTILE = "squared", "logistic", "hinge", "quantile"
LOSSES = (SQUARED, LOGISTIC, HINGE, QUANTILE)  # in the order of the kernel


@dataclass(frozen=True)
class OnlineRule:
    """The update rule of coefficients; see kernels/linear/online_updates.hpp.

    Parameters
    ----------
    loss
        `squared`, `logistic`, `hinge` or `quantile`.
    tau
        Which quantile: the share of targets below the prediction.
    rate
        Learning rate.
    power
        Adaptive: the power of a coefficient's sum of squared slopes that its rate is divided by; otherwise that of the
        weight of the rows so far.
    adaptive, normalized, invariant
        A separate rate for every coefficient; independent of the scale of the numbers; and weights that count as if
        the row came in infinitely many parts.
    l1, l2
        The penalty, relative to the loss of a row, of the absolute values of all coefficients, and of half their
        squares.
    delay
        Rows are predicted in blocks of `delay` + 1 before any of them is learned.
    """

    loss: str = LOGISTIC
    tau: float = 0.5
    rate: float = 0.5
    power: float = 0.5
    adaptive: bool = True
    normalised: bool = True
    invariant: bool = True
    l1: float = 0.0
    l2: float = 0.0
    delay: int = 0

    def __post_init__(self) -> None:
        if self.loss not in LOSSES:
            raise UsageError(f"loss={self.loss!r} is not allowed: it must be one of {', '.join(LOSSES)}")
        sound = {
            "tau": 0 < self.tau < 1,
            "rate": 0 < self.rate < np.inf,
            "power": 0 <= self.power <= 1,
            "l1": 0 <= self.l1 < np.inf,
            "l2": 0 <= self.l2 < np.inf,
            "delay": 0 <= self.delay <= 1 << 20,
        }
        for name, good in sound.items():
            if not good:
                raise UsageError(f"{name}={getattr(self, name)!r} is out of range")

    @property
    def regular(self) -> bool:
        """Whether coefficients shrink."""
        return self.l1 > 0 or self.l2 > 0

    @property
    def kernel(self) -> tuple[Any, ...]:
        """The rule in the kernels' form."""
        how = (bool(self.adaptive), bool(self.normalised), bool(self.invariant))
        numbers = (float(self.tau), float(self.rate), float(self.power))
        return LOSSES.index(self.loss), *numbers, *how, float(self.l1), float(self.l2), int(self.delay)

    def losses(self, predictions: Numbers, target: Numbers) -> Numbers:
        """Return the loss of every prediction."""
        if self.loss == SQUARED:
            return np.square(predictions - target)
        if self.loss == LOGISTIC:
            return np.logaddexp(0.0, -target * predictions)
        if self.loss == HINGE:
            return np.maximum(0.0, 1 - target * predictions)
        apart = target - predictions
        return np.maximum(self.tau * apart, (self.tau - 1) * apart)
