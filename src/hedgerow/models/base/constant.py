"""Constant: always the same number; the baseline of regression."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Numbers, Table
from hedgerow.errors import ModelError
from hedgerow.layout.numbers import format_number
from hedgerow.models.base.checked_parts import expect_parts
from hedgerow.models.base.model import About, NumberModel


@dataclass(frozen=True, eq=False)
class Constant(NumberModel):
    """A model that predicts one number for every row."""

    value: float

    kind = "constant"

    def __str__(self) -> str:
        return f"{self.schema.target} = {format_number(self.value)}"

    def values(self, table: Table) -> Numbers:
        """Return the number once a row."""
        return np.full(table.n_rows, self.value)

    def to_dict(self) -> dict[str, Any]:
        """Return the model's own parts."""
        return {"value": self.value}

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the model from its parts."""
        expect_parts(parts, "value")
        value = parts["value"]
        if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
            raise ModelError("the value of a constant model must be a finite number")
        return cls(schema, float(value), about=about)
