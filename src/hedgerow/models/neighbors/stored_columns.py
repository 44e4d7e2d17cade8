"""Columns of the rows that a nearest-neighbor model keeps, as their distances need them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.data.text.term_space import TermSpace
from hedgerow.data.text.term_vectors import TermVectors
from hedgerow.errors import ModelError
from hedgerow.layout.numbers import format_number
from hedgerow.models.base.checked_parts import array_part, expect_parts, numbers_part
from hedgerow.models.base.stored_column import StoredColumn
from hedgerow.models.base.term_parts import space_of, space_parts, terms_text

LONGEST = 1 + 1e-9  # of a text whose weights were divided by their length


class StoredNeighborColumn(StoredColumn):
    """One column of the kept rows."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of rows."""


@dataclass(frozen=True, eq=False)
class StoredNumbers(StoredNeighborColumn):
    """A numeric column: numbers are subtracted."""

    values: Numbers  # NaN is missing

    kind = "numbers"
    fits = Kind.NUMERIC

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest number; 0 and 0 if there is none."""
        known = self.values[np.isfinite(self.values)]
        return (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)

    def describe(self) -> str:
        """Return the range of the numbers."""
        low, high = self.range
        return f"from {format_number(low)} to {format_number(high)}"

    @cached_property
    def known_numbers(self) -> Numbers:
        """The different numbers, ascending."""
        return np.unique(self.values[~np.isnan(self.values)])

    def encode_numbers(self, values: Numbers) -> Codes:
        """Return which of the known numbers each is: one more where it is none of them, -1 where it is missing."""
        at = np.searchsorted(self.known_numbers, values)
        there = at < len(self.known_numbers)
        there[there] = self.known_numbers[at[there]] == values[there]
        return np.where(np.isnan(values), -1, np.where(there, at, len(self.known_numbers))).astype(np.int32)

    def to_dict(self) -> dict[str, Any]:
        """Return the column's parts."""
        return {"kind": self.kind, "values": self.values}

    @classmethod
    def from_dict(cls, parts: Mapping[str, Any], column: Column) -> Self:  # noqa: ARG003
        """Build the column from its parts."""
        expect_parts(parts, "kind", "values")
        return cls(array_part(parts, "values", np.float64, None))


@dataclass(frozen=True, eq=False)
class StoredLevels(StoredNeighborColumn):
    """A nominal column: levels are equal or not."""

    codes: Codes  # -1 is missing

    kind = "levels"
    fits = Kind.NOMINAL

    def __len__(self) -> int:
        return len(self.codes)

    def describe(self) -> str:
        """Return how levels are compared."""
        return "0 if equal, 1 if not"

    @cached_property
    def width(self) -> int:
        """How many levels there are, up to the last that a row has."""
        return int(self.codes.max(initial=-1)) + 1

    def to_dict(self) -> dict[str, Any]:
        """Return the column's parts."""
        return {"kind": self.kind, "codes": self.codes}

    @classmethod
    def from_dict(cls, parts: Mapping[str, Any], column: Column) -> Self:
        """Build the column from its parts."""
        expect_parts(parts, "kind", "codes")
        codes = array_part(parts, "codes", np.int32, None)
        if codes.size and (codes.min() < -1 or codes.max() >= len(column.levels)):
            raise ModelError(f"column {column.name!r} holds an unknown level")
        return cls(codes)


@dataclass(frozen=True, eq=False)
class StoredTexts(StoredNeighborColumn):
    """A text column: texts are compared by the cosine of their weighted terms."""

    space: TermSpace
    vectors: TermVectors  # of length 1, or empty

    kind = "texts"
    fits = Kind.TEXT

    def __len__(self) -> int:
        return len(self.vectors)

    def vectors_of(self, table: Table, position: int) -> TermVectors:
        """Return the vectors of a column of new rows."""
        return self.space.vectors(table.texts(position))

    def describe(self) -> str:
        """Return how texts are compared."""
        how = self.space.weighting
        return f"1 - cosine; {terms_text(self.space)}, tf {how.tf}, idf {how.idf}"

    def to_dict(self) -> dict[str, Any]:
        """Return the column's parts."""
        own = self.vectors
        return {
            "kind": self.kind,
            "space": space_parts(self.space),
            "starts": own.row_starts,
            "ids": own.ids,
            "values": own.values,
        }

    @classmethod
    def from_dict(cls, parts: Mapping[str, Any], column: Column) -> Self:
        """Build the column from its parts."""
        expect_parts(parts, "kind", "space", "starts", "ids", "values")
        space = space_of(parts["space"])
        if space.weighting.norm != "l2":
            raise ModelError(f"the texts of column {column.name!r} must be normalized to length 1 (l2)")
        values = numbers_part(parts, "values", None)
        ids = array_part(parts, "ids", np.int32, len(values))
        starts = array_part(parts, "starts", np.int64, None)
        if not len(starts) or starts[0] != 0 or starts[-1] != len(ids) or (np.diff(starts) < 0).any():
            raise ModelError(f"the rows of column {column.name!r} do not cover its terms from the first to the last")
        vectors = TermVectors(starts, ids, values, len(space))
        _check_rows(vectors, column.name)
        return cls(space, vectors)


def _check_rows(vectors: TermVectors, name: str) -> None:
    """Raise an error unless the terms of every row are known and ascend, and it is no longer than 1."""
    ids = vectors.ids
    if ids.size and (ids.min() < 0 or ids.max() >= vectors.n_terms):
        raise ModelError(f"a text of column {name!r} has an unknown term")
    falls = np.flatnonzero(np.diff(ids) <= 0) + 1
    if not np.isin(falls, vectors.row_starts).all():
        raise ModelError(f"the terms of a text of column {name!r} are not in ascending order")
    with np.errstate(over="ignore", invalid="ignore"):
        ends = np.concatenate([[0.0], np.cumsum(np.minimum(vectors.values * vectors.values, 4.0))])
    if (np.diff(ends[vectors.row_starts]) > LONGEST).any():
        raise ModelError(f"a text of column {name!r} is longer than 1")


KEPT_COLUMNS: dict[str, type[StoredNeighborColumn]] = {
    one.kind: one for one in (StoredNumbers, StoredLevels, StoredTexts)
}


def read_stored_column(parts: Any, column: Column) -> StoredNeighborColumn:
    """Build a column from its parts."""
    kind = parts.get("kind") if isinstance(parts, Mapping) else None
    if not isinstance(kind, str) or kind not in KEPT_COLUMNS:
        raise ModelError(f"column {column.name!r} has an unknown kind")
    if KEPT_COLUMNS[kind].fits is not column.kind:
        raise ModelError(f"column {column.name!r} is {column.kind} and has no {kind}")
    return KEPT_COLUMNS[kind].from_dict(parts, column)


def join_term_vectors(parts: list[TermVectors], n_rows: int) -> TermVectors:
    """Return the vectors of several text columns as one, the terms of each after those of the previous one."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return TermVectors(np.zeros(n_rows + 1, np.int64), np.empty(0, np.int32), np.empty(0), 0)
    from scipy.sparse import hstack

    matrix = hstack([part.matrix() for part in parts], format="csr")
    return TermVectors(
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int32),
        np.ascontiguousarray(matrix.data),
        matrix.shape[1],
    )


def stack_columns(columns: list[NDArray[Any]], n_rows: int, dtype: type[Any]) -> NDArray[Any]:
    """Return columns one after another, as kernels take them."""
    return np.array(columns, dtype=dtype).reshape(len(columns), n_rows)
