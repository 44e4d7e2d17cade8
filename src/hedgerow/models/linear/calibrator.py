"""Calibrators: small functions that turn decision values into probabilities.

`Sigmoid` and `IsotonicSteps` take the value f of one two-class machine to the probability of its positive class;
`Temperature` converts the scores of all classes to a distribution and changes no decision.
`learn/calibrate.py` fits them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.errors import ModelError
from hedgerow.layout.numbers import format_number
from hedgerow.models.base.checked_parts import expect_parts, numbers_part
from hedgerow.models.base.design_parts import number_part
from hedgerow.models.linear.linear_classes import SOFTMAX, to_shares

LARGEST = 1e300  # differences of such numbers are still numbers
FAR = 700.0  # exp of it is still a number


def tame(values: Numbers, largest: float = LARGEST) -> Numbers:
    """Return values without infinities; NaN, which is no decision, becomes 0."""
    return np.clip(np.nan_to_num(np.asarray(values, dtype=np.float64), nan=0.0), -largest, largest)


@dataclass(frozen=True)
class Sigmoid:
    """Platt's (1999) sigmoid: the probability is 1 / (1 + exp(a f + b)). Where values are of any use, a is negative.

    >>> Sigmoid(-2.0, 0.0)(np.array([-np.inf, -1.0, 0.0, 1.0])).round(3).tolist()
    [0.0, 0.119, 0.5, 0.881]
    """

    kind: ClassVar[str] = "sigmoid"
    a: float
    b: float

    def __call__(self, values: Numbers) -> Numbers:
        """Return the probability of the positive class of every value."""
        with np.errstate(over="ignore"):  # -inf is as good as -700
            odds = np.clip(self.a * tame(values) + self.b, -FAR, FAR)
        return 1 / (1 + np.exp(odds))

    @property
    def description(self) -> str:
        """The function in a line."""
        sign = "-" if self.b < 0 else "+"
        return f"1 / (1 + exp({format_number(self.a)} f {sign} {format_number(abs(self.b))}))"

    def to_dict(self) -> dict[str, Any]:
        """Return the parts for a file."""
        return {"kind": self.kind, "a": self.a, "b": self.b}

    @classmethod
    def from_dict(cls, parts: Any) -> Self:
        """Build from the parts of a file, checking them."""
        expect_parts(parts, "kind", "a", "b")
        return cls(number_part(parts, "a"), number_part(parts, "b"))


@dataclass(frozen=True, eq=False)
class IsotonicSteps:
    """A probability that never decreases with f: given at some values, linear between them, constant beyond them.

    >>> IsotonicSteps(np.array([-1.0, 1.0]), np.array([0.2, 0.8]))(np.array([-np.inf, -1.0, 0.0, 5.0])).tolist()
    [0.2, 0.2, 0.5, 0.8]
    """

    kind: ClassVar[str] = "steps"
    at: Numbers  # ascending
    shares: Numbers  # never falling, from 0 to 1

    def __call__(self, values: Numbers) -> Numbers:
        """Return the probability of the positive class of every value."""
        return np.interp(tame(values), self.at, self.shares)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, IsotonicSteps)
            and np.array_equal(self.at, other.at)
            and np.array_equal(self.shares, other.shares)
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def description(self) -> str:
        """The function in a line."""
        low, high = (
            f"{format_number(float(one[0]))} to {format_number(float(one[-1]))}" for one in (self.at, self.shares)
        )
        if len(self.at) == 1:
            return f"always {format_number(float(self.shares[0]))}"
        return f"increases with f from {low} over {len(self.at)} points: probabilities from {high}"

    def to_dict(self) -> dict[str, Any]:
        """Return the parts for a file."""
        return {"kind": self.kind, "at": self.at, "shares": self.shares}

    @classmethod
    def from_dict(cls, parts: Any) -> Self:
        """Build from the parts of a file, checking them."""
        expect_parts(parts, "kind", "at", "shares")
        at = numbers_part(parts, "at", None)
        shares = numbers_part(parts, "shares", len(at))
        if not len(at) or (at[1:] <= at[:-1]).any() or np.abs(at).max() > LARGEST:
            raise ModelError("the positions of its steps must ascend, and there must be at least one")
        if shares[0] < 0 or shares[-1] > 1 or (shares[1:] < shares[:-1]).any():
            raise ModelError("the probabilities of its steps must not decrease, and must lie between 0 and 1")
        return cls(at, shares)


@dataclass(frozen=True)
class Temperature:
    """Probabilities of all classes: exp(score / temperature), divided by their sum. Decisions do not change.

    >>> Temperature(2.0)(np.array([[2.0, 0.0], [np.inf, 0.0], [3.0, 3.0]])).round(3).tolist()
    [[0.731, 0.269], [1.0, 0.0], [0.5, 0.5]]
    """

    kind: ClassVar[str] = "temperature"
    value: float = 1.0

    def __call__(self, scores: Numbers) -> Numbers:
        """Return the distribution of every row of scores (rows, classes)."""
        shares = tame(scores)
        with np.errstate(over="ignore"):
            to_shares(shares, SOFTMAX, self.value)
        return shares

    @property
    def description(self) -> str:
        """The function in a line."""
        heat = "" if self.value == 1 else f" / {format_number(self.value)}"
        return f"exp(score{heat}), normalized to sum to 1"

    def to_dict(self) -> dict[str, Any]:
        """Return the parts for a file."""
        return {"kind": self.kind, "value": self.value}

    @classmethod
    def from_dict(cls, parts: Any) -> Self:
        """Build from the parts of a file, checking them."""
        expect_parts(parts, "kind", "value")
        value = number_part(parts, "value")
        if not value > 0:
            raise ModelError("its temperature must be above 0")
        return cls(value)


Calibrator = Sigmoid | IsotonicSteps
_KINDS: dict[str, type[Sigmoid | IsotonicSteps | Temperature]] = {
    one.kind: one for one in (Sigmoid, IsotonicSteps, Temperature)
}


def read_calibrator(parts: Any) -> Sigmoid | IsotonicSteps | Temperature:
    """Build the calibrator from the parts in a file, checking them."""
    kind = parts.get("kind") if isinstance(parts, Mapping) else None
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ModelError(f"its calibrator must be one of {', '.join(_KINDS)}")
    return _KINDS[kind].from_dict(parts)
