"""Factor: the evidence of one column for the classes in naive Bayes, and the base of all kinds of factors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Numbers, Table
from hedgerow.models.base.contributions import Contribution

Lines = list[tuple[str, list[str]]]


class Factor(ABC):
    """P(value of one column given the class)."""

    kind: ClassVar[str]
    fits: ClassVar[Kind]

    @property
    def is_informative(self) -> bool:
        """Whether there are several values: a constant column is not informative."""
        return True

    @abstractmethod
    def add(self, table: Table, position: int, scores: Numbers) -> None:
        """Add the log probability of the column's values to the scores; a missing value adds nothing."""

    @abstractmethod
    def add_known(self, table: Table, position: int, scores: Numbers) -> NDArray[np.bool_]:
        """Do the same, and return which rows have a known value."""

    @abstractmethod
    def contributions(self, table: Table, position: int) -> list[Contribution]:
        """Return the contributions of the column of a single row to the scores."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the factor's parts."""

    @classmethod
    @abstractmethod
    def from_dict(cls, parts: dict[str, Any], column: Column, classes: int) -> Factor:
        """Build the factor from its parts, checking them."""


def escape_name(word: str) -> str:
    """Return a name or level for print: characters that would break the table, such as a newline, are escaped."""
    return word if word.isprintable() else repr(word)[1:-1]


def short(value: float) -> float:
    """Return a count as stored and printed: sums of fractional weights without rounding errors."""
    return value if value.is_integer() else float(f"{value:.10g}")


def round_counts(counts: Numbers) -> Numbers:
    """Return counts as they print."""
    if (counts == np.floor(counts)).all():
        return counts
    return np.array([short(value) for value in counts.ravel().tolist()]).reshape(counts.shape)
