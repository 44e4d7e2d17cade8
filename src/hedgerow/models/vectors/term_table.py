"""TermTable: text columns turned into a numeric column a term."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from hedgerow.data.table.level_codes import find_column_of_kind
from hedgerow.data.table.schema import Column, Kind, Schema, listing
from hedgerow.data.table.source import Source
from hedgerow.data.table.table import Numbers, StoredValues, Table, Text, gather_values
from hedgerow.data.text.term_space import TermSpace
from hedgerow.data.text.term_vectors import TermVectors
from hedgerow.errors import DataError, ModelError
from hedgerow.models.base.checked_parts import expect_parts
from hedgerow.models.base.model import About, TableModel
from hedgerow.models.base.term_parts import space_of, space_parts

SHOWN = 10  # terms of a column that are printed


@dataclass(frozen=True, eq=False)
class TermTable(TableModel):
    """The term space of every text column; the other columns are unchanged."""

    spaces: tuple[TermSpace | None, ...]  # one per column of the schema; None where a column is unchanged

    kind = "terms"

    def __str__(self) -> str:
        lines = [
            line
            for column, space in zip(self.schema.columns, self.spaces, strict=True)
            if space is not None
            for line in _describe_space(column.name, space)
        ]
        return "\n".join(lines) or "no text columns"

    @property
    def size(self) -> int:
        """How many terms there are."""
        return sum(len(space) for space in self.spaces if space is not None)

    @property
    def names(self) -> list[str]:
        """The names of the columns of a transformed table: `message__free` is the term `free` of `message`."""
        return [
            name
            for column, space in zip(self.schema.columns, self.spaces, strict=True)
            if column.name != self.schema.target
            for name in ([column.name] if space is None else (f"{column.name}__{term}" for term in space.names))
        ]

    def vectors(self, table: Table) -> dict[str, TermVectors]:
        """Return the vectors of every text column of a table."""
        return {
            column.name: space.vectors(to_text(table, column.name))
            for column, space in zip(self.schema.columns, self.spaces, strict=True)
            if space is not None and column.name in table.schema
        }

    def transform(self, table: Table, vectors: dict[str, TermVectors] | None = None) -> Table:
        """Return the table with one sparse numeric column per term in place of a text column.

        The vectors may be given if they are known already.
        """
        vectors = self.vectors(table) if vectors is None else vectors
        spaces = dict(zip(self.schema.names, self.spaces, strict=True))
        columns: list[Column] = []
        data: list[StoredValues] = []
        for position, column in enumerate(table.schema.columns):
            space = spaces.get(column.name)
            if space is None:
                columns.append(column)
                data.append(table.data[position])
                continue
            columns += [Column(f"{column.name}__{term}", Kind.NUMERIC) for term in space.names]
            data += vectors[column.name].columns()
        return replace(table, schema=Schema(tuple(columns), table.schema.target), data=tuple(data))

    def matrix(self, table: Table, vectors: dict[str, TermVectors] | None = None) -> Any:
        """Return the same as a matrix of numbers, sparse if there is a text column; levels are their numbers."""
        from scipy.sparse import csr_array, hstack

        vectors = self.vectors(table) if vectors is None else vectors
        names = [name for name in self.schema.names if name != self.schema.target]
        if not names:
            raise DataError("no column can be turned into numbers; give a table with texts, words or numbers")
        if not vectors:
            return np.column_stack([to_numbers(table, name) for name in names])
        parts = [
            vectors[name].matrix() if name in vectors else csr_array(to_numbers(table, name)[:, None]) for name in names
        ]
        return parts[0] if len(parts) == 1 else hstack(parts, format="csr")

    def tables(self, source: Source) -> Iterator[Table]:
        """Yield the transformed batches of a source: the second pass over data that are larger than memory."""
        return map(self.transform, source.batches())

    def to_dict(self) -> dict[str, Any]:
        """Return the model's own parts."""
        return {"spaces": [None if space is None else space_parts(space) for space in self.spaces]}

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the model from its parts."""
        expect_parts(parts, "spaces")
        listed = parts["spaces"]
        if not isinstance(listed, list) or len(listed) != len(schema):
            raise ModelError("the terms need one entry per column")
        spaces = tuple(None if one is None else space_of(one) for one in listed)
        for column, space in zip(schema.columns, spaces, strict=True):
            if space is not None and column.kind not in (Kind.TEXT, Kind.NOMINAL):
                raise ModelError(f"column {column.name!r} is {column.kind} and has no terms")
        return cls(schema, spaces, about=about)


def to_text(table: Table, name: str) -> Text:
    """Return the texts of a column; levels of a nominal one are texts too."""
    position = table.schema.index(name)
    values = gather_values(table.data[position])
    if isinstance(values, Text):
        return values
    if table.schema.columns[position].kind is not Kind.NOMINAL:
        find_column_of_kind(table, Column(name, Kind.TEXT))
    codes = table.codes(position)
    levels = Text.of([*table.schema.columns[position].levels, ""])
    text = levels.take(codes.astype(np.int64) % len(levels))
    return Text(text.data, text.offsets, codes < 0)


def to_numbers(table: Table, name: str) -> Numbers:
    """Return a column that is not a text as numbers: its own, or those of its levels; NaN is missing."""
    position = table.schema.index(name)
    if table.schema.columns[position].kind is Kind.NUMERIC:
        return table.numbers(position)
    codes = table.codes(position)
    return np.where(codes < 0, np.nan, codes)


def _describe_space(name: str, space: TermSpace) -> Iterator[str]:
    """Yield the description of a column's terms."""
    how, tokens = space.weighting, space.tokens
    weights = f"tf {how.tf}, idf {how.idf}, norm {how.norm}"
    if tokens.bits is not None:
        yield f"{name}: terms hashed to {len(space)} columns; {weights}"
    else:
        yield f"{name}: {len(space)} terms of {space.corpus_size_text}; {weights}"
    most = np.argsort(-space.totals, kind="stable")[:SHOWN]
    if len(most):
        yield "  most frequent: " + listing([str(space.vocabulary[place]) for place in most.tolist()], SHOWN)
