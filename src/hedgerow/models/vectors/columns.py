"""How columns become parts of a row's vector: terms of a text, levels of a nominal column, numbers on one scale."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from hedgerow.data.table.printed_value import format_value
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Codes, Numbers, Rows, Table, Text
from hedgerow.data.text.term_space import TermSpace
from hedgerow.data.text.term_vectors import TermVectors
from hedgerow.errors import ModelError
from hedgerow.layout.numbers import format_number
from hedgerow.models.base.checked_parts import expect_parts, weights_part
from hedgerow.models.base.stored_column import StoredColumn
from hedgerow.models.base.term_parts import PARTS, space_of, space_parts, terms_text
from hedgerow.models.vectors.rows import ColumnWeights, LevelRows, NumberRows, TermRows, VectorRows
from hedgerow.models.vectors.term_table import to_text

FARTHEST = 1e100  # deviations from the mean: squares stay numbers


class VectorColumn(StoredColumn):
    """How one column becomes part of a row's vector."""

    signed: bool  # whether its values may be negative

    @property
    @abstractmethod
    def width(self) -> int:
        """How many positions it has in the vector."""

    @abstractmethod
    def rows(self, table: Table, position: int) -> VectorRows:
        """Return the column's part of the vectors of a table."""

    def add_dots(self, table: Table, position: int, block: ColumnWeights, out: Numbers) -> Numbers:
        """Add the product of every row with every prototype to `out`; return the sum of the squares of every row."""
        rows = self.rows(table, position)
        rows.add_dots(block, out)
        return rows.squares()

    @abstractmethod
    def names(self, column: Column, ids: Sequence[int]) -> list[str]:
        """Return the names of some of its positions."""

    @abstractmethod
    def describe_position(self, column: Column, table: Table, position: int, place: int) -> str:
        """Return the value at a position of the single row of a table, in readable form."""


@dataclass(frozen=True, eq=False)
class WordColumn(VectorColumn):
    """A text column: its weighted terms."""

    space: TermSpace

    kind = "words"
    fits = Kind.TEXT

    @property
    def signed(self) -> bool:  # type: ignore[override]
        """Whether terms are hashed with signs."""
        return self.space.tokens.bits is not None and self.space.tokens.signed

    @property
    def width(self) -> int:
        """How many terms there are."""
        return len(self.space)

    def rows(self, table: Table, position: int) -> VectorRows:
        """Return the weighted terms of every row."""
        return self.term_rows(self.space.vectors(to_text(table, table.schema.names[position])))

    def add_dots(self, table: Table, position: int, block: ColumnWeights, out: Numbers) -> Numbers:
        """Add the products; if all nonzero rows have length 1, no rows are stored."""
        if self.space.weighting.norm != "l2":
            return super().add_dots(table, position, block, out)
        text = to_text(table, table.schema.names[position])
        return self.space.add_scores(text, block.parts, out).astype(np.float64)

    def term_rows(self, vectors: TermVectors) -> TermRows:
        """Return the same for rows with known vectors."""
        return TermRows(vectors, unit=self.space.weighting.norm == "l2")

    def names(self, column: Column, ids: Sequence[int]) -> list[str]:  # noqa: ARG002
        """Return terms; of hashed ones their columns."""
        return self.space.names_of(ids)

    def describe_position(self, column: Column, table: Table, position: int, place: int) -> str:  # noqa: ARG002
        """Return the term."""
        return self.names(column, [place])[0]

    def describe(self) -> str:
        """Return how many terms there are and how they are weighted."""
        space, how = self.space, self.space.weighting
        return f"{terms_text(space)} of {space.corpus_size_text}; tf {how.tf}, idf {how.idf}, norm {how.norm}"

    def to_dict(self) -> dict[str, Any]:
        """Return the parts of the term space."""
        return space_parts(self.space)

    @classmethod
    def from_dict(cls, parts: Mapping[str, Any], column: Column) -> Self:  # noqa: ARG003
        """Build the column from its parts."""
        expect_parts(parts, "kind", *PARTS)
        return cls(space_of({name: parts[name] for name in PARTS}))


@dataclass(frozen=True, eq=False)
class LevelTerms(VectorColumn):
    """A nominal column: every level is a term, all of one weight; one that no row had counts as missing."""

    counts: Numbers  # weight of the rows that had each level
    weight: float = 1.0  # the weight of a level in a row's vector

    kind = "levels"
    fits = Kind.NOMINAL
    signed = False

    @property
    def width(self) -> int:
        """How many levels there are."""
        return len(self.counts)

    @cached_property
    def _seen_level_codes(self) -> Codes:
        """The code of every level that was seen; -1 for others and missing values."""
        codes = np.arange(len(self.counts), dtype=np.int32)
        return np.append(np.where(self.counts > 0, codes, np.int32(-1)), np.int32(-1))

    def rows(self, table: Table, position: int) -> VectorRows:
        """Return the level of every row."""
        return LevelRows(self._seen_level_codes[table.codes(position)], self.width, self.weight)

    def names(self, column: Column, ids: Sequence[int]) -> list[str]:
        """Return the column with each level."""
        return [f"{column.name} = {column.levels[place]}" for place in ids]

    def describe_position(self, column: Column, table: Table, position: int, place: int) -> str:  # noqa: ARG002
        """Return the column with its level."""
        return self.names(column, [place])[0]

    def describe(self) -> str:
        """Return the weight of a level."""
        return f"levels have weight {format_number(self.weight)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and the weight."""
        return {"counts": self.counts, "weight": self.weight}

    @classmethod
    def from_dict(cls, parts: Mapping[str, Any], column: Column) -> Self:
        """Build the column from its parts."""
        expect_parts(parts, "kind", "counts", "weight")
        return cls(weights_part(parts, "counts", len(column.levels)), _weight(parts))


@dataclass(frozen=True, eq=False)
class NumberColumn(VectorColumn):
    """A numeric column: how many standard deviations a number is above the mean; a missing one is at the mean."""

    mean: float
    deviation: float  # above 0
    weight: float = 1.0  # the weight of a deviation in a row's vector

    kind = "number"
    fits = Kind.NUMERIC
    signed = True
    width = 1

    def rows(self, table: Table, position: int) -> VectorRows:
        """Return the standardized numbers."""
        with np.errstate(over="ignore"):
            values = (table.numbers(position) - self.mean) / self.deviation
        return NumberRows(self.weight * np.clip(np.nan_to_num(values, nan=0.0), -FARTHEST, FARTHEST))

    def names(self, column: Column, ids: Sequence[int]) -> list[str]:
        """Return the column's name."""
        return [column.name for _ in ids]

    def describe_position(self, column: Column, table: Table, position: int, place: int) -> str:  # noqa: ARG002
        """Return the column with its number."""
        return f"{column.name} = {format_value(table, position)}"

    def describe(self) -> str:
        """Return mean, deviation, and the weight of a deviation."""
        mean, deviation, weight = map(format_number, (self.mean, self.deviation, self.weight))
        return f"mean {mean}, standard deviation {deviation}, weight {weight}"

    def to_dict(self) -> dict[str, Any]:
        """Return mean, deviation and weight."""
        return {"mean": self.mean, "deviation": self.deviation, "weight": self.weight}

    @classmethod
    def from_dict(cls, parts: Mapping[str, Any], column: Column) -> Self:  # noqa: ARG003
        """Build the column from its parts."""
        expect_parts(parts, "kind", "mean", "deviation", "weight")
        mean, deviation = parts["mean"], parts["deviation"]
        if type(mean) not in (int, float) or type(deviation) not in (int, float):
            raise ModelError("mean and deviation of a column must be numbers")
        if not (abs(mean) < 1e200 and 0 < deviation < 1e200):
            raise ModelError("a column needs a finite mean and a deviation above zero")
        return cls(float(mean), float(deviation), _weight(parts))


def _weight(parts: Mapping[str, Any]) -> float:
    weight = parts["weight"]
    if type(weight) not in (int, float) or not 0 < weight <= 1:
        raise ModelError("the weight of a column must be a number above 0 and at most 1")
    return float(weight)


COLUMNS: dict[str, type[VectorColumn]] = {made.kind: made for made in (WordColumn, LevelTerms, NumberColumn)}


def vector_column(parts: Any, column: Column, is_target: bool) -> VectorColumn | None:
    """Return the column with these parts; None if it is not used."""
    if parts is None:
        return None
    kind = parts.get("kind") if isinstance(parts, dict) else None
    if not isinstance(kind, str) or kind not in COLUMNS:
        raise ModelError(f"column {column.name!r} has an unknown kind of vector")
    column_class = COLUMNS[kind]
    if column_class.fits is not column.kind or is_target:
        raise ModelError(f"column {column.name!r} cannot be {kind!r}")
    return column_class.from_dict(parts, column)


def terms_of_positions(column: VectorColumn, shown: Column, ids: Rows) -> Text:
    """Return the term or the level at many positions of a column; missing for a number, which has neither."""
    if isinstance(column, LevelTerms):
        return Text.of(shown.levels[place] for place in ids.tolist())
    if isinstance(column, WordColumn):
        hashed = column.space.tokens.bits is not None
        return Text.of(column.space.names_of(ids.tolist())) if hashed else column.space.vocabulary.take(ids)
    return Text.of([None] * len(ids))
