"""Factor: what one column says of the class in naive Bayes, and what all kinds of factors share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.dates import format_dates
from hedgerow.data.decimals import number_text
from hedgerow.data.schema import Column, Kind
from hedgerow.data.table import Numbers, Table
from hedgerow.models.grounds import Ground

Lines = list[tuple[str, list[str]]]


class Factor(ABC):
    """P(value of one column given the class)."""

    kind: ClassVar[str]
    fits: ClassVar[Kind]

    @abstractmethod
    def add(self, table: Table, position: int, scores: Numbers) -> None:
        """Add the log probability of the column's values to the scores; a missing value adds nothing."""

    @abstractmethod
    def add_known(self, table: Table, position: int, scores: Numbers) -> NDArray[np.bool_]:
        """Do the same, and return which rows have a value that the factor knows."""

    @abstractmethod
    def grounds(self, table: Table, position: int) -> list[Ground]:
        """Return what the column of the only row adds to the scores, in parts."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the factor's parts."""

    @classmethod
    @abstractmethod
    def from_dict(cls, parts: dict[str, Any], column: Column, classes: int) -> Factor:
        """Build the factor from its parts, checking them."""


class ValueFactor(Factor):
    """The factor of a column with a value a row: a level or a number."""

    @abstractmethod
    def lines(self, column: Column) -> Lines:
        """Return the printed lines: a caption and a text a class."""

    @property
    @abstractmethod
    def n_classes(self) -> int:
        """How many classes there are."""

    def add_known(self, table: Table, position: int, scores: Numbers) -> NDArray[np.bool_]:
        """Add to the scores, and return which rows have a value."""
        self.add(table, position, scores)
        if self.fits is Kind.NOMINAL:
            return np.asarray(table.codes(position) >= 0)
        return ~np.isnan(table.numbers(position))

    def grounds(self, table: Table, position: int) -> list[Ground]:
        """Return what the only row's value adds to the scores."""
        column, scores = table.schema.columns[position], np.zeros((1, self.n_classes))
        if not self.add_known(table, position, scores)[0]:
            return []
        return [Ground(f"{shown(column.name)} = {value_text(table, position)}", scores[0], column.name)]


def value_text(table: Table, position: int) -> str:
    """Return the value of the only row in a column, which is not missing."""
    column = table.schema.columns[position]
    if column.kind is Kind.NOMINAL:
        return shown(column.levels[int(table.codes(position)[0])])
    number = table.numbers(position)
    return number_text(float(number[0])) if column.date is None else format_dates(number, column.date)[0]


def log_shares(counts: Numbers, virtual: Numbers) -> Numbers:
    """Return log P(level given class) = log (count + virtual) / (total + sum of virtual).

    One virtual row a level is Laplace's estimator; lambda of them Lidstone's; m p_i of them the m-estimate, or
    equally the mu-estimate, with prior p_i. A class without rows and virtual rows has equal shares.
    """
    amounts = counts + virtual[:, None]
    totals = amounts.sum(axis=0)
    shares = np.where(totals > 0, amounts / np.where(totals > 0, totals, 1), 1 / max(len(amounts), 1))
    with np.errstate(divide="ignore"):
        return np.log(shares)


def fractions(counts: Numbers, virtual: Numbers) -> list[list[str]]:
    """Return the same shares as people write them, `3/12`."""
    amounts = counts + virtual[:, None]
    totals = amounts.sum(axis=0)
    return [
        [f"{number_text(short(a))}/{number_text(short(t))}" for a, t in zip(line, totals, strict=True)]
        for line in amounts
    ]


def shown(word: str) -> str:
    """Return a name or level for print: what would break the table, such as a newline, is escaped."""
    return word if word.isprintable() else repr(word)[1:-1]


def short(value: float) -> float:
    """Return a count as it is kept and printed: sums of fractional weights lose their rounding noise."""
    return value if value.is_integer() else float(f"{value:.10g}")


def stored(counts: Numbers) -> Numbers:
    """Return counts as they print."""
    if (counts == np.floor(counts)).all():
        return counts
    return np.array([short(value) for value in counts.ravel().tolist()]).reshape(counts.shape)
