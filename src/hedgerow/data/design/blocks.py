"""Blocks of a design: the positions of one column, by its kind. Conditions on numbers are in cut_block.py."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from hedgerow.data.design.score_buffer import KnownMask
from hedgerow.data.table.schema import Column
from hedgerow.data.table.table import Codes, Numbers, SparseNumbers, Table, gather_values
from hedgerow.data.text.term_space import TermSpace

FEW_ROWS = 64  # whose terms are looked up one by one


class ColumnBlock(ABC):
    """The positions of one column."""

    width: int

    @property
    def is_constant(self) -> bool:
        """Whether it has the same value in all training rows, and so is not informative."""
        return False

    @abstractmethod
    def names(self, column: Column, places: Sequence[int]) -> list[str]:
        """Return the names of some positions."""

    def add_each(self, table: Table, position: int, slopes: Numbers, out: Numbers) -> KnownMask | None:
        """Add slope times value for several functions, a line of `slopes` and `out` each; of texts and sparse columns.

        Return which rows have a known value in this column; None if all do.
        """
        raise NotImplementedError

    def scoring(self, slopes: Numbers) -> tuple[Numbers, Any]:
        """Return the arguments of `compute_linear_scores` for a dense column: a table, and cuts, levels or None."""
        raise NotImplementedError

    @abstractmethod
    def fill(self, table: Table, position: int, out: Numbers) -> None:
        """Put the values of every row into its columns of a matrix of zeros."""

    @abstractmethod
    def sparse(self, table: Table, position: int) -> Any:
        """Return the values as scipy's csr_array."""


def has_number(values: SparseNumbers) -> KnownMask | None:
    """Return which rows of a sparse column have a number; None if all do."""
    missing = np.isnan(values.values)
    if not missing.any():
        return None
    known: KnownMask = np.ones(values.n_rows, dtype=np.bool_)
    known[values.rows[missing]] = False
    return known


@dataclass(frozen=True)
class NumberBlock(ColumnBlock):
    """A numeric column: its mean replaces missing numbers; `gaps` adds a position for these."""

    mean: float
    scale: float  # standard deviation; 0 where all numbers are equal
    gaps: bool = False

    @property
    def width(self) -> int:  # type: ignore[override]
        """One position, and one for missing numbers."""
        return 2 if self.gaps else 1

    @property
    def is_constant(self) -> bool:
        """Whether all rows have the same number."""
        return self.scale == 0 and not self.gaps

    def names(self, column: Column, places: Sequence[int]) -> list[str]:
        """Return the column's name, or `age missing`."""
        return [f"{column.name} missing" if place else column.name for place in places]

    def scoring(self, slopes: Numbers) -> tuple[Numbers, Any]:
        """Return slopes, and those of missing numbers."""
        return np.ascontiguousarray(slopes.T), None

    def add_each(self, table: Table, position: int, slopes: Numbers, out: Numbers) -> KnownMask | None:
        """Add slopes times number where one is stored."""
        values = gather_values(table.data[position])
        assert isinstance(values, SparseNumbers)
        missing = np.isnan(values.values)
        numbers = np.where(missing, self.mean, values.values)
        for own, line in zip(slopes, out, strict=True):
            added = numbers * own[0] if own[0] else np.zeros(len(numbers))
            if self.gaps:
                added += own[1] * missing
            line[values.rows] += added
        return has_number(values)

    def fill(self, table: Table, position: int, out: Numbers) -> None:
        """Put the numbers, and where they are missing."""
        values = table.numbers(position)
        missing = np.isnan(values)
        out[:, 0] = values
        if missing.any():
            out[missing, 0] = self.mean
        if self.gaps:
            out[:, 1] = missing

    def sparse(self, table: Table, position: int) -> Any:
        """Return the numbers that are not 0."""
        from scipy.sparse import csr_array

        values = gather_values(table.data[position])
        if not isinstance(values, SparseNumbers):
            dense = table.numbers(position)
            rows = np.flatnonzero(dense)  # NaN is not 0
            values = SparseNumbers(rows, dense[rows], table.n_rows)
        missing = np.isnan(values.values)
        numbers = np.where(missing, self.mean, values.values)
        rows, place = values.rows, np.zeros(len(numbers), dtype=np.int64)
        if self.gaps:
            absent = values.rows[missing]
            rows, place = np.concatenate([rows, absent]), np.concatenate([place, np.ones(len(absent), np.int64)])
            numbers = np.concatenate([numbers, np.ones(len(absent))])
        return csr_array((numbers, (rows, place)), shape=(table.n_rows, self.width))


@dataclass(frozen=True, eq=False)
class LevelBlock(ColumnBlock):
    """A nominal column: a position for each of the levels `coded`; `base` is the level all others are measured against.

    Levels that are neither were never seen and count as missing, which has a place of its own if there are `gaps`.
    """

    coded: Codes  # levels that have positions, ascending
    base: int  # -1: none
    n_levels: int
    gaps: bool = False

    @property
    def width(self) -> int:  # type: ignore[override]
        """One position per level, and one for missing ones."""
        return len(self.coded) + self.gaps

    @property
    def is_constant(self) -> bool:
        """Whether all rows have the same level, or none."""
        return len(self.coded) + (self.base >= 0) + self.gaps < 2

    @cached_property
    def table(self) -> Codes:
        """The position of every level and, at the end, of a missing one; -1 is none."""
        table = np.full(self.n_levels + 1, len(self.coded) if self.gaps else -1, dtype=np.int32)
        table[self.coded] = np.arange(len(self.coded), dtype=np.int32)
        if self.base >= 0:
            table[self.base] = -1
        return table

    def names(self, column: Column, places: Sequence[int]) -> list[str]:
        """Return `sky=rain`, or `sky missing`."""
        last = len(self.coded)
        return [
            f"{column.name} missing" if place == last else f"{column.name}={column.levels[self.coded[place]]}"
            for place in places
        ]

    def scoring(self, slopes: Numbers) -> tuple[Numbers, Any]:
        """Return what every level adds and, at the end, a missing one; and which levels are known."""
        known = np.zeros(self.n_levels, dtype=np.bool_)
        known[self.coded] = True
        if self.base >= 0:
            known[self.base] = True
        full = np.column_stack([slopes, np.zeros(len(slopes))])
        return np.ascontiguousarray(full[:, self.table]), known

    def fill(self, table: Table, position: int, out: Numbers) -> None:
        """Put a 1 at the position of the level."""
        place = self.table[table.codes(position)]
        rows = np.flatnonzero(place >= 0)
        out[rows, place[rows]] = 1.0

    def sparse(self, table: Table, position: int) -> Any:
        """Return a 1 a row."""
        from scipy.sparse import csr_array

        place = self.table[table.codes(position)]
        rows = np.flatnonzero(place >= 0)
        return csr_array((np.ones(len(rows)), (rows, place[rows])), shape=(table.n_rows, self.width))


@dataclass(frozen=True, eq=False)
class TermBlock(ColumnBlock):
    """A text column: its weighted terms."""

    space: TermSpace

    @property
    def width(self) -> int:  # type: ignore[override]
        """One position per term."""
        return len(self.space)

    def names(self, column: Column, places: Sequence[int]) -> list[str]:
        """Return `message__free`."""
        return [f"{column.name}__{term}" for term in self.space.names_of(list(places))]

    def add_each(self, table: Table, position: int, slopes: Numbers, out: Numbers) -> KnownMask | None:
        """Add the slopes of the terms times their weights; no more than a few rows of terms are held at a time."""
        text = table.texts(position)
        if table.n_rows <= FEW_ROWS or self.space.tokens.bits is not None:
            vectors = self.space.vectors(text)
            if table.n_rows > FEW_ROWS:
                out += (vectors.matrix() @ np.ascontiguousarray(slopes.T)).T
            else:
                for row, (start, end) in enumerate(pairwise(vectors.row_starts.tolist())):
                    out[:, row] += slopes[:, vectors.ids[start:end]] @ vectors.values[start:end]
            known: KnownMask = np.diff(vectors.row_starts) > 0
            return known
        term, function = np.nonzero(slopes.T)
        starts = np.searchsorted(term, np.arange(self.width + 1)).astype(np.int64)
        n, nothing = len(slopes), np.zeros(len(slopes))
        evidence = (starts, function.astype(np.int32), np.ascontiguousarray(slopes.T[term, function]))
        scores = np.zeros((table.n_rows, n))
        known = self.space.add_scores(
            text, (*evidence, np.empty(0), nothing, nothing, np.zeros(n, dtype=np.bool_)), scores
        )
        out += scores.T
        return known

    def fill(self, table: Table, position: int, out: Numbers) -> None:
        """Put the weights of the terms."""
        out[:] = self.sparse(table, position).toarray()

    def sparse(self, table: Table, position: int) -> Any:
        """Return the weights of the terms."""
        return self.space.vectors(table.texts(position)).matrix()
