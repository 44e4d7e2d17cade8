"""Rows of text under declared columns: the common part of ARFF and C4.5 after their headers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import pairwise
from typing import NoReturn

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table.dates import parser
from hedgerow.data.table.delimited import (
    Bytes,
    Dialect,
    InvalidNumbers,
    LevelColumn,
    Mode,
    ParsedColumns,
    line_at,
    line_of,
    parse,
)
from hedgerow.data.table.delimited_errors import word_in_numbers_error
from hedgerow.data.table.schema import Column, Kind, Schema, listing
from hedgerow.data.table.table import Bags, Codes, Numbers, Table, Text, Values
from hedgerow.errors import DataError


@dataclass(frozen=True)
class RowLocation:
    """The origin of some rows, for messages: the file, and the line of a row or of a byte."""

    file: str
    line_of_row: Callable[[int], int]
    line_of_byte: Callable[[int], int]

    @classmethod
    def of(cls, file: str, data: Bytes, dialect: Dialect, first_line: int = 1) -> RowLocation:
        """Return the origin of a block whose first line has the number `first_line`."""
        return cls(
            file,
            lambda row: first_line - 1 + line_of(data, dialect, row),
            lambda byte: first_line - 1 + line_at(data, byte),
        )

    def fail(self, row: int, problem: str) -> NoReturn:
        """Raise an error about a row."""
        raise DataError(f"{self.file}, line {self.line_of_row(row)}: {problem}")

    def fail_at(self, byte: int, problem: str) -> NoReturn:
        """Raise an error about a byte of the block."""
        raise DataError(f"{self.file}, line {self.line_of_byte(byte)}: {problem}")


@dataclass(frozen=True)
class DeclaredLayout:
    """How declared rows are written, which columns are skipped, and whose levels come from the data."""

    dialect: Dialect
    missing: tuple[str, ...] = ("?",)
    open_levels: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()
    inner: Callable[[Bytes, Schema, RowLocation], Table] | None = None  # reads the rows inside bags


def decode_dense(data: Bytes, columns: Sequence[Column], layout: DeclaredLayout, where: RowLocation) -> Table:
    """Return the rows of a text, one value a column in the order of the declaration."""
    modes = [Mode.SKIP if column.name in layout.skipped else _mode(column) for column in columns]
    known = {i: column.levels for i, column in enumerate(columns) if column.levels}
    parsed = parse(data, layout.dialect, modes, layout.missing, known)
    _check_layout(parsed, len(columns), where)
    kept: list[Column] = []
    values: list[Values] = []
    for column, found, strays in zip(columns, parsed.columns, parsed.strays, strict=True):
        if found is None:
            continue
        if column.name in layout.open_levels and isinstance(found, LevelColumn):
            column = replace(column, levels=tuple(found.levels))
        kept.append(column)
        values.append(_convert_column(column, found, strays, layout, where))
    if parsed.weights is not None and (parsed.weights < 0).any():
        where.fail(
            int(np.flatnonzero(parsed.weights < 0)[0]),
            "the weight of the row is negative; use a weight of 0 or more",
        )
    return Table(Schema(tuple(kept)), tuple(values), parsed.n_rows, parsed.weights)


def _mode(column: Column) -> Mode:
    if column.kind is Kind.NOMINAL or column.date is not None:
        return Mode.NOMINAL
    return Mode.NUMERIC if column.kind is Kind.NUMERIC else Mode.TEXT


def _check_layout(parsed: ParsedColumns, n_columns: int, where: RowLocation) -> None:
    if parsed.bad_byte is not None:
        where.fail_at(parsed.bad_byte, "a byte is not valid UTF-8; name the file's encoding, as in --encoding latin-1")
    if parsed.ragged_row is not None:
        row, size = parsed.ragged_row
        values = "1 value" if size == 1 else f"{size} values"
        where.fail(
            row,
            f"the row has {values} instead of {n_columns}; add or remove values, or quote those that contain commas",
        )
    if parsed.unclosed_quote is not None:
        where.fail_at(
            parsed.unclosed_quote, "a quote opens here and is never closed; close it, or write \\' for a quote"
        )
    if parsed.garbled_quote is not None:
        where.fail_at(
            parsed.garbled_quote, "text follows a closing quote; put a comma between, or write \\' for a quote"
        )
    if parsed.bad_weight is not None:
        where.fail(parsed.bad_weight, "the weight in braces is not a number; write it as {2.5}")


def _convert_column(
    column: Column,
    found: Numbers | LevelColumn | Text,
    strays: InvalidNumbers,
    layout: DeclaredLayout,
    where: RowLocation,
) -> Values:
    if isinstance(found, Text):
        return found if column.inner is None else _bags(column, found, layout, where)
    if isinstance(found, LevelColumn):
        if column.date is not None:
            return _dates(column, found, where)
        return found.codes if column.name in layout.open_levels else encode_declared(column, found, where)
    if strays.n_words or strays.infinite:
        lines = [where.line_of_row(row) for row, _ in strays.first]
        raise word_in_numbers_error(column.name, strays, lines, where.file)
    return found


def encode_declared(column: Column, level_column: LevelColumn, where: RowLocation) -> Codes:
    """Return codes into the declared levels, with which those found begin; another level raises."""
    if len(level_column.levels) > len(column.levels):
        row = int(np.flatnonzero(level_column.codes >= len(column.levels))[0])
        word = level_column.levels[level_column.codes[row]]
        near = get_close_matches(word, column.levels, n=1)
        hint = (
            f"did you mean {near[0]!r}?"
            if near
            else f"the declared values are {listing(column.levels)}; add it or write ?"
        )
        where.fail(row, f"the value {word!r} is not declared for column {column.name!r}; {hint}")
    return level_column.codes


def _dates(column: Column, level_column: LevelColumn, where: RowLocation) -> Numbers:
    assert column.date is not None
    seconds = parser(column.date)
    numbers = np.full(len(level_column.levels) + 1, np.nan)
    for position, word in enumerate(level_column.levels):
        try:
            numbers[position] = seconds(word)
        except ValueError:
            row = int(np.flatnonzero(level_column.codes == position)[0])
            where.fail(
                row,
                f"{word!r} in column {column.name!r} is not a date of the form {column.date}; correct it",
            )
    out: Numbers = numbers[level_column.codes]
    return out


def _bags(column: Column, text: Text, layout: DeclaredLayout, where: RowLocation) -> Bags:
    """Read the rows inside quoted bags, those of all bags in one go."""
    assert column.inner is not None
    assert layout.inner is not None
    raw = text.data.tobytes()
    ends = text.offsets.tolist()
    data = np.frombuffer(b"".join(raw[a:b] + b"\n" for a, b in pairwise(ends)), dtype=np.uint8)
    borders = text.offsets + np.arange(len(ends))  # of the bags in `data`, each with its newline
    starts = _kernels.find_row_starts(data, layout.dialect.settings)

    def bag_at(byte: int) -> int:
        return int(np.searchsorted(borders, byte, side="right")) - 1

    inside = RowLocation(
        where.file,
        lambda row: where.line_of_row(bag_at(int(starts[row]))),
        lambda byte: where.line_of_row(bag_at(byte)),
    )
    table = layout.inner(data, column.inner, inside)
    return Bags(table, np.searchsorted(starts, borders).astype(np.int64))
