"""Factor: what one column says of the class in naive Bayes, and what all kinds of factors share."""

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
        """Whether there are several values: one that every row has says nothing of the class."""
        return True

    @abstractmethod
    def add(self, table: Table, position: int, scores: Numbers) -> None:
        """Add the log probability of the column's values to the scores; a missing value adds nothing."""

    @abstractmethod
    def add_known(self, table: Table, position: int, scores: Numbers) -> NDArray[np.bool_]:
        """Do the same, and return which rows have a value that the factor knows."""

    @abstractmethod
    def contributions(self, table: Table, position: int) -> list[Contribution]:
        """Return what the column of the only row adds to the scores, in parts."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the factor's parts."""

    @classmethod
    @abstractmethod
    def from_dict(cls, parts: dict[str, Any], column: Column, classes: int) -> Factor:
        """Build the factor from its parts, checking them."""


def escape_name(word: str) -> str:
    """Return a name or level for print: what would break the table, such as a newline, is escaped."""
    return word if word.isprintable() else repr(word)[1:-1]


def short(value: float) -> float:
    """Return a count as it is kept and printed: sums of fractional weights lose their rounding noise."""
    return value if value.is_integer() else float(f"{value:.10g}")


def round_counts(counts: Numbers) -> Numbers:
    """Return counts as they print."""
    if (counts == np.floor(counts)).all():
        return counts
    return np.array([short(value) for value in counts.ravel().tolist()]).reshape(counts.shape)
