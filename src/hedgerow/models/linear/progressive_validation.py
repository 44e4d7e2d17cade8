"""How well a model predicted its training rows, each before it was learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hedgerow.errors import ModelError
from hedgerow.layout.numbers import format_number
from hedgerow.layout.rounding import round_digits
from hedgerow.models.base.checked_parts import expect_parts
from hedgerow.models.base.design_parts import number_part

PARTS = ("rows", "weight", "wrong", "loss", "losses", "learned")
LOSSES = ("squared", "logistic", "hinge", "quantile")


@dataclass(frozen=True)
class ProgressiveFigures:
    """Progressive validation: each row was predicted before training on it, so the results are unbiased.

    They are of the first time that each row came; how often rows were learned, all passes counted, is `learned`.
    """

    rows: int
    weight: float  # of these rows
    wrong: float | None  # weighted error rate; None for numbers
    loss: float  # mean loss, of classes summed over their functions
    losses: str  # which loss
    learned: int  # rows learned, every pass counted

    errors = None  # digits of coefficients: unknown

    @property
    def passes(self) -> float:
        """How often the rows were learned."""
        return self.learned / self.rows if self.rows else 0.0

    def lines(self) -> list[str]:
        """Return the statistics as text.

        >>> ProgressiveFigures(11314, 11314.0, 0.25, 1.5, "logistic", 22628).lines()
        ['progressive validation: 0.25 of 11,314 rows incorrect, each predicted before training on it (passes: 2)']
        """
        if not self.rows:
            return ["progressive validation: no rows were processed"]
        many = f"{self.rows:,} {'row' if self.rows == 1 else 'rows'}"
        if self.weight != self.rows:
            many += f" of weight {format_number(round_digits(self.weight, 9))}"
        first = f"mean {self.losses} loss {self.loss:.6g} over {many}"
        if self.wrong is not None:
            first = f"{round_digits(self.wrong, 4):g} of {many} incorrect"
        again = f" (passes: {round_digits(self.passes, 4):g})" if self.learned != self.rows else ""
        return [f"progressive validation: {first}, each predicted before training on it{again}"]

    def to_dict(self) -> dict[str, Any]:
        """Return the statistics as JSON values."""
        return {name: getattr(self, name) for name in PARTS}

    @classmethod
    def from_dict(cls, parts: Any) -> ProgressiveFigures:
        """Build the statistics from their parts, checking them."""
        expect_parts(parts, *PARTS)
        weight, loss = (number_part(parts, name) for name in ("weight", "loss"))
        wrong = None if parts["wrong"] is None else number_part(parts, "wrong")
        rows, learned, losses = parts["rows"], parts["learned"], parts["losses"]
        whole = all(type(n) is int and 0 <= n < 1 << 63 for n in (rows, learned))
        if not whole or learned < rows or weight < 0 or loss < 0 or not 0 <= (wrong or 0) <= 1:
            raise ModelError("the results of progressive validation are out of range")
        if not isinstance(losses, str) or losses not in LOSSES:
            raise ModelError(f"its loss {losses!r} is not one of {', '.join(LOSSES)}")
        return cls(rows, weight, wrong, loss, losses, learned)
