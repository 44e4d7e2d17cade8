"""The values of a parameter that were tried, and their leave-one-out errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.data.design.design_counts import LARGEST
from hedgerow.data.table.table import Numbers
from hedgerow.errors import ModelError
from hedgerow.layout.numbers import format_number
from hedgerow.layout.rounding import round_digits
from hedgerow.layout.text_table import align_numbers
from hedgerow.models.base.checked_parts import expect_parts, weights_part
from hedgerow.models.base.factor import short

MOST_TRIED = 1000
DIGITS = 5  # of figures that are only told


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """Leave-one-out errors by value: the root of the mean squared error, of classes of their probabilities."""

    values: Numbers
    errors: Numbers
    wrong: Numbers  # error rates; empty for numbers
    rows: float  # left out, by weight

    def lines(self, name: str, chosen: float, total: float) -> list[str]:
        """Return one line per value of the parameter called so; the one that counts is marked."""
        body: list[list[str]] = [[name, "error", *(["incorrect"] if len(self.wrong) else [])]]
        for at, value in enumerate(self.values.tolist()):
            share = [f"{100 * self.wrong[at]:.2f} %"] if len(self.wrong) else []
            mark = " *" if value == chosen else ""
            body.append([format_number(value) + mark, figure(float(self.errors[at])), *share])
        most = format_number(short(total))
        of = most if self.rows >= total else f"{format_number(short(self.rows))} of {most}"
        what = "root mean squared error" + (" of the probabilities" if len(self.wrong) else "")
        return [f"leave-one-out on {of} rows: {what}", *("  " + line for line in align_numbers(body))]

    def to_dict(self) -> dict[str, Any]:
        """Return the parts."""
        return dict(vars(self))

    @classmethod
    def from_dict(cls, parts: Any, classes: bool) -> LeaveOneOut:
        """Build it from its parts."""
        expect_parts(parts, "values", "errors", "wrong", "rows")
        values = weights_part(parts, "values", None)
        errors = weights_part(parts, "errors", len(values))
        wrong = weights_part(parts, "wrong", len(values) if classes else 0)
        rows = parts["rows"]
        if len(values) > MOST_TRIED or (wrong > 1).any() or type(rows) is not float or not 0 <= rows <= LARGEST:
            raise ModelError("the leave-one-out errors are out of range")
        return cls(values, errors, wrong, rows)


def root_mean_square(shares: Numbers, apart: Numbers) -> float:
    """Return the root of the mean sum of squares, also of numbers whose squares would overflow."""
    largest = float(np.abs(apart).max())
    if not 0 < largest < np.inf:
        return min(largest, float(np.finfo(np.float64).max))
    return largest * float(np.sqrt(shares @ np.square(apart / largest).sum(axis=1)))


def figure(value: float) -> str:
    """Return a number rounded for print."""
    return format_number(round_digits(value, DIGITS))
