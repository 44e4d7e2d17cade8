"""Prototypes: one or several vectors per class; a row belongs to the class of the vector with the largest cosine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Rows, Table, Text
from hedgerow.data.text.term_space import TermSpace
from hedgerow.data.text.term_vectors import TermVectors
from hedgerow.errors import ModelError
from hedgerow.layout.numbers import format_number
from hedgerow.layout.quotes import quote_text
from hedgerow.layout.wrapping import hang_list
from hedgerow.models.base.checked_parts import codes_part, expect_parts, numbers_part, starts_part, weights_part
from hedgerow.models.base.contributions import Contribution, Contributions
from hedgerow.models.base.model import About, ClassModel, RowScores
from hedgerow.models.base.term_groups import TermGroup, TermGroups, TermValue
from hedgerow.models.vectors.columns import VectorColumn, WordColumn, terms_of_positions, vector_column
from hedgerow.models.vectors.rows import ColumnWeights, per_length, split_by_column

SHOWN = 10  # terms of a prototype that are printed
MOST_PLACES = 1 << 31


@dataclass(frozen=True, eq=False)
class Prototypes(ClassModel):
    """Vectors of length 1, each of a class, over the terms of texts, the levels and the numbers of all used columns.

    The score of a class is the largest cosine of the row's vector with one of the class's prototypes.
    """

    prior: Numbers  # weight of each class
    columns: tuple[VectorColumn | None, ...]  # one a column of the schema; None for the target and unused columns
    owners: Codes  # the class of each prototype, ascending
    sizes: Numbers  # the weight of the rows of each
    vectors: TermVectors  # a row a prototype, of length 1; ids count through the columns side by side

    kind = "prototypes"

    @property
    def size(self) -> int:
        """How many prototypes there are."""
        return len(self.owners)

    def columns_used(self) -> tuple[str, ...]:
        """Return the columns that are part of the vectors."""
        return tuple(self.schema.names[position] for position, _ in self.used_columns)

    @cached_property
    def used_columns(self) -> tuple[tuple[int, VectorColumn], ...]:
        """The columns that are part of the vectors, each with its position."""
        return tuple((position, column) for position, column in enumerate(self.columns) if column is not None)

    @cached_property
    def blocks(self) -> tuple[ColumnWeights, ...]:
        """The weights of all prototypes, one block per used column."""
        return split_by_column(self.vectors, tuple(column.width for _, column in self.used_columns))

    @cached_property
    def shares(self) -> Numbers:
        """P(class), which decides on rows without known values."""
        return np.asarray(self.prior / self.prior.sum())

    # -- deciding -------------------------------------------------------------------------------------------

    def scores(self, table: Table) -> Numbers:
        """Return the shares of the positive cosines, which are no calibrated probabilities.

        Where no cosine is positive, those of 1 + cosine; where all are 0, the class frequencies in training.
        """
        return self.score_rows(table).distribution

    def score_rows(self, table: Table) -> RowScores:
        """Return the same, and which rows point in the direction of no prototype, neither forward nor backward."""
        values = self._cosines(table)
        silent = np.logical_not(values.any(axis=1), dtype=np.bool_)
        by_class = self._best(values)
        out = np.maximum(by_class, 0.0)
        totals = out.sum(axis=1)
        if (backward := (totals <= 0) & ~silent).any():
            out[backward] = np.maximum(1 + by_class[backward], 0.0)  # a class without prototypes has none
            totals[backward] = out[backward].sum(axis=1)
            silent |= totals <= 0
        out[silent], totals[silent] = self.shares, 1.0
        out /= totals[:, None]
        return RowScores(out, silent)

    def cosines(self, table: Any) -> Numbers:
        """Return the cosine of every row with each class: the largest of its prototypes; NaN if it has none."""
        by_class = self._best(self._cosines(self.align(table)))
        return np.where(np.isneginf(by_class), np.nan, by_class)

    @property
    def term_spaces(self) -> dict[str, TermSpace]:
        """The terms of each text column."""
        used = ((self.schema.columns[position].name, column) for position, column in self.used_columns)
        return {name: column.space for name, column in used if isinstance(column, WordColumn)}

    def contributions(self, table: Table) -> Contributions:
        """Return the contribution of each term, level and number of the single row to the cosine of each class.

        A class is represented by the prototype nearest to the row. For a row without known values the prior
        decides, and is the only contribution.
        """
        numbers = self._cosines(table)
        if not numbers.any():
            return Contributions("probability", (Contribution("P(class)", self.shares),))
        nearest = self._nearest(numbers[0])
        rows = [(position, column, column.rows(table, position)) for position, column in self.used_columns]
        length = np.sqrt(sum(float(own.squares()[0]) for _, _, own in rows))
        parts = []
        for (position, column, own), block in zip(rows, self.blocks, strict=True):
            shown = self.schema.columns[position]
            ids, values = own.entries(0)
            added = np.where(nearest >= 0, block.weights_at(ids)[:, nearest] * (values / length)[:, None], 0.0)
            for place, scores in zip(ids.tolist(), added, strict=True):
                name = column.describe_position(shown, table, position, place)
                parts.append(Contribution(name, scores, shown.name, place if isinstance(column, WordColumn) else -1))
        return Contributions("cosine", tuple(parts))

    def _cosines(self, table: Table) -> Numbers:
        """Return the cosine of every row with every prototype; 0 where a row is zero."""
        out, squares = np.zeros((table.n_rows, len(self.owners))), np.zeros(table.n_rows)
        if not len(self.owners):  # no class has a prototype
            return out
        for (position, column), block in zip(self.used_columns, self.blocks, strict=True):
            squares += column.add_dots(table, position, block, out)
        return per_length(out, squares)

    def _best(self, values: Numbers) -> Numbers:
        """Return the largest cosine by class; minus infinity for a class without prototypes."""
        if np.array_equal(self.owners, np.arange(len(self.classes))):
            return values
        out = np.full((len(values), len(self.classes)), -np.inf)
        for prototype, owner in enumerate(self.owners.tolist()):
            np.maximum(out[:, owner], values[:, prototype], out=out[:, owner])
        return out

    def _nearest(self, values: Numbers) -> Rows:
        """Return the prototype of each class with the largest cosine; -1 for a class without prototypes."""
        nearest = np.full(len(self.classes), -1, dtype=np.int64)
        for prototype, owner in enumerate(self.owners.tolist()):
            if nearest[owner] < 0 or values[prototype] > values[nearest[owner]]:
                nearest[owner] = prototype
        return nearest

    # -- reading --------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        lines = [
            f"{_quote_word(self.schema.names[position])}: {column.describe()}" for position, column in self.used_columns
        ]
        for prototype, (owner, number) in enumerate(zip(self.owners.tolist(), self._numbers, strict=True)):
            which = f", prototype {number}" if number else ""
            rows = format_number(float(f"{self.sizes[prototype]:.6g}"))
            lines.append(f"{_quote_word(self.classes[owner])}{which} ({rows} {'row' if rows == '1' else 'rows'})")
            lines += hang_list("  ", [f"{name} {weight:.3g}" for name, weight in self.top(prototype, SHOWN)])
        lines += [f"{_quote_word(name)} (no prototype)" for n, name in enumerate(self.classes) if n not in self.owners]
        return "\n".join(lines)

    @property
    def _number_within_class(self) -> Rows:
        """The number of each prototype among those of its class, from 0."""
        return np.arange(len(self.owners)) - np.searchsorted(self.owners, self.owners)

    @property
    def _numbers(self) -> list[str]:
        """The number of each prototype in its class, such as `1 of 2`; empty if it is the only one."""
        total = np.bincount(self.owners, minlength=len(self.classes))[self.owners].tolist()
        numbers = zip((self._number_within_class + 1).tolist(), total, strict=True)
        return [f"{number} of {n}" if n > 1 else "" for number, n in numbers]

    def term_groups(self, most: int | None = None) -> TermGroups | None:
        """Return the weightiest terms, levels and numbers of every prototype; None if there are no texts."""
        if not self.term_spaces:
            return None
        sizes, owners = self.sizes.tolist(), self.owners.tolist()
        groups = [
            TermGroup(self.classes[owner], size, tuple(TermValue(*pair) for pair in self.top(place, most)), "", number)
            for place, (owner, size, number) in enumerate(zip(owners, sizes, self._numbers, strict=True))
        ]
        return TermGroups("weight", tuple(groups))

    def top(self, prototype: int, most: int | None = None) -> list[tuple[str, float]]:
        """Return the weightiest terms, levels and numbers of a prototype, each with its weight."""
        inside = slice(int(self.vectors.row_starts[prototype]), int(self.vectors.row_starts[prototype + 1]))
        ids, weights = self.vectors.ids[inside], self.vectors.values[inside]
        best = np.argsort(-np.abs(weights), kind="stable")[:most]
        column, place = self._column_positions(ids[best])
        alone = len(self.used_columns) == 1
        out = []
        for number, own, weight in zip(column.tolist(), place.tolist(), weights[best].tolist(), strict=True):
            position, result = self.used_columns[number]
            (name,) = result.names(self.schema.columns[position], [own])
            if isinstance(result, WordColumn):
                name = (
                    _quote_word(name) if alone else f"{_quote_word(self.schema.names[position])}: {_quote_word(name)}"
                )
            out.append((name if name.isprintable() else quote_text(name), weight))
        return out

    def to_arrow(self) -> Any:
        """Return an Arrow table (pyarrow's), one row per weight, the weightiest first in every prototype.

        Columns: class, prototype (1 for the first of a class), rows (their weight), column, term (or level; null for a
        number) and weight.
        """
        from hedgerow.data.frames.arrow import to_arrow

        starts = self.vectors.row_starts
        owner = np.repeat(np.arange(len(self.owners)), np.diff(starts))
        order = np.lexsort((-np.abs(self.vectors.values), owner))
        column, place = self._column_positions(self.vectors.ids[order])
        names = tuple(self.schema.names[position] for position, _ in self.used_columns)
        schema = Schema(
            (
                Column("class", Kind.NOMINAL, self.classes),
                Column("prototype", Kind.NUMERIC),
                Column("rows", Kind.NUMERIC),
                Column("column", Kind.NOMINAL, names),
                Column("term", Kind.TEXT),
                Column("weight", Kind.NUMERIC),
            )
        )
        data = (
            self.owners[owner],
            (self._number_within_class[owner] + 1).astype(np.float64),
            self.sizes[owner],
            column.astype(np.int32),
            self._terms(column, place),
            self.vectors.values[order],
        )
        return to_arrow(Table(schema, data, len(order)))

    def _terms(self, column: Rows, place: Rows) -> Text:
        """Return the terms of many positions, of which the columns are known."""
        if len(self.used_columns) == 1:
            return self._position_terms(0, place)
        words: NDArray[Any] = np.empty(len(place), dtype=object)
        for number in range(len(self.used_columns)):
            own = np.flatnonzero(column == number)
            words[own] = list(self._position_terms(number, place[own]))
        return Text.of(words.tolist())

    def _position_terms(self, number: int, place: Rows) -> Text:
        position, vector_column = self.used_columns[number]
        return terms_of_positions(vector_column, self.schema.columns[position], place)

    def _column_positions(self, ids: Codes) -> tuple[Rows, Rows]:
        """Return the number of the used column that each id belongs to, and its position in that column."""
        ends = np.cumsum([0, *(column.width for _, column in self.used_columns)])
        column = np.searchsorted(ends, ids, side="right") - 1
        return column, ids - ends[column]

    # -- files ----------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the model's own parts."""
        return {
            "prior": self.prior,
            "columns": [
                None if vector_column is None else {"kind": vector_column.kind, **vector_column.to_dict()}
                for vector_column in self.columns
            ],
            "owners": self.owners,
            "sizes": self.sizes,
            "starts": self.vectors.row_starts.astype(np.int32),
            "ids": self.vectors.ids,
            "weights": self.vectors.values,
        }

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the model from its parts."""
        expect_parts(parts, "prior", "columns", "owners", "sizes", "starts", "ids", "weights")
        classes = len(schema.target_column.levels)
        prior = weights_part(parts, "prior", classes)
        with np.errstate(over="ignore"):
            total = prior.sum()
        if not 0 < total < np.inf:
            raise ModelError("the prior of prototypes must have a weight above 0")
        listed = parts["columns"]
        if not isinstance(listed, list) or len(listed) != len(schema):
            raise ModelError("prototypes need one entry per column")
        columns = tuple(
            vector_column(one, column, column.name == schema.target)
            for one, column in zip(listed, schema.columns, strict=True)
        )
        owners = codes_part(parts, "owners", np.int32, None, classes)
        if (np.diff(owners) < 0).any():
            raise ModelError("its prototypes must be in the order of the classes")
        sizes = weights_part(parts, "sizes", len(owners))
        vectors = _vectors(parts, len(owners), sum(column.width for column in columns if column is not None))
        return cls(schema, prior, columns, owners, sizes, vectors, about=about)


def _vectors(parts: dict[str, Any], n: int, width: int) -> TermVectors:
    """Return the prototypes themselves, checking that ids ascend and lengths are 1."""
    if width >= MOST_PLACES:
        raise ModelError("its prototypes have too many entries")
    values = numbers_part(parts, "weights", None)
    starts = starts_part(parts, "starts", len(values))
    if len(starts) != n + 1 or (np.diff(starts) < 1).any():
        raise ModelError("its part 'starts' does not match the prototypes, none of which is empty")
    ids = codes_part(parts, "ids", np.int32, len(values), width)
    falls = np.diff(ids) <= 0
    falls[starts[1:-1] - 1] = False  # from one prototype to the next
    if falls.any():
        raise ModelError("the positions of a prototype must ascend")
    with np.errstate(over="ignore"):
        lengths = np.add.reduceat(np.square(values), starts[:-1]) if n else np.ones(0)
    if (np.abs(lengths - 1) > 1e-9).any():
        raise ModelError("a prototype must be of length 1")
    return TermVectors(starts.astype(np.int64), ids, values, width)


def _quote_word(word: str) -> str:
    """Return a name for print; ambiguous names are quoted."""
    plain = word.isprintable() and word == word.strip() and word and not any(letter in word for letter in ',:"')
    return word if plain else quote_text(word)
