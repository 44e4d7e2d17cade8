"""How well a linear model of least absolute errors fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hedgerow.errors import ModelError
from hedgerow.layout.numbers import format_number
from hedgerow.models.base.checked_parts import expect_parts
from hedgerow.models.base.design_parts import number_part

PARTS = ("weight", "quantile", "cost", "share", "below", "on")


@dataclass(frozen=True)
class AbsoluteFigures:
    """The cost of the errors, and the share of it that the columns explain (R¹ of Koenker and Machado)."""

    weight: float  # of the rows
    quantile: float
    cost: float  # sum of the absolute errors; for other quantiles than 1/2, weighted by the quantile
    share: float | None  # of the cost without columns that is saved; None: that is 0
    below: float  # share of the rows below the line
    on: float  # weight of the rows that lie on it

    errors = None  # digits of coefficients: unknown

    def lines(self) -> list[str]:
        """Return the statistics as text."""
        first, name = [], f"sum of absolute errors {self.cost:.6g}"
        if self.quantile != 0.5:
            above, below = format_number(self.quantile), f"{1 - self.quantile:.6g}"
            first = [f"quantile {above}: {self.below:.6g} of the rows lie below the fitted line"]
            name = f"sum of errors {self.cost:.6g} (those above the line times {above}, those below times {below})"
        explained = "" if self.share is None else f", R¹ {self.share:.6g}"
        many = f"{self.on:.6g} rows lie" if self.on != 1 else "1 row lies"
        return [*first, f"{name}{explained}, {many} on the fitted line"]

    def to_dict(self) -> dict[str, Any]:
        """Return the statistics as JSON values."""
        return {name: getattr(self, name) for name in PARTS}

    @classmethod
    def from_dict(cls, parts: Any) -> AbsoluteFigures:
        """Build the statistics from their parts, checking them."""
        expect_parts(parts, *PARTS)
        weight, quantile, cost, below, on = (number_part(parts, name) for name in PARTS if name != "share")
        share = None if parts["share"] is None else number_part(parts, "share")
        if (
            weight < 0
            or not 0 < quantile < 1
            or cost < 0
            or on < 0
            or not 0 <= below <= 1
            or not 0 <= (share or 0) <= 1
        ):
            raise ModelError("the statistics of a linear model are out of range")
        return cls(weight, quantile, cost, share, below, on)
