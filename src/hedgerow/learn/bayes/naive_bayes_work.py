"""NaiveBayesWork: the product of the prior and the factors of all columns for one row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.data.table.table import Numbers, Table
from hedgerow.layout.numbers import format_digits, format_measure
from hedgerow.layout.text_table import align_numbers
from hedgerow.models.bayes.distributions import Distributions

DIGITS = 6
PRODUCT = "P(class) times P(value given class), or the density of a number, of every column"


@dataclass(frozen=True)
class NaiveBayesWork:
    """How a model decides on the first row of the training data: its factors, their product, and the probabilities."""

    model: Distributions
    row: Table

    def __str__(self) -> str:
        contributions = self.model.contributions(self.row)
        as_product = contributions.unit == "log probability"
        head = PRODUCT if as_product else f"the sum of {contributions.unit}s"
        rows = [["", *self.model.classes]]
        for part in contributions.parts:
            name = part.name if part.name == "P(class)" or not as_product else f"P({part.name} | class)"
            rows.append([name, *self._numbers(np.exp(part.scores) if as_product else part.scores)])
        total = contributions.scores
        rows.append(["product" if as_product else "sum", *self._numbers(np.exp(total) if as_product else total)])
        shares = self.model.scores(self.row)[0]
        rows.append(["probability", *(format_measure(float(share)) for share in shares)])
        decided = self.model.classes[int(np.argmax(shares))]
        return "\n".join(
            [
                f"Row 1: {head}",
                *align_numbers(rows),
                f"The probability is the {'product' if as_product else 'score'}, scaled to a sum of 1: {decided}",
            ]
        )

    def _numbers(self, values: Numbers) -> list[str]:
        return [format_digits(float(value), DIGITS) for value in values]
