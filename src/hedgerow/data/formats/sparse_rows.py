"""Sparse rows, `{0 v, 3 w}` in ARFF: only the values that are not zero, nor the first level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.formats.arff_header import unescape
from hedgerow.data.formats.declared_rows import DeclaredLayout, RowLocation, encode_declared
from hedgerow.data.formats.row_blocks import check_utf8
from hedgerow.data.table.dates import parser
from hedgerow.data.table.delimited import Bytes, LevelColumn, parse_numbers, unpack_words
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Numbers, Rows, SparseNumbers, Table, Text, Values

MANY = 50  # from so many columns on, numeric ones stay sparse in memory


class PairState(IntEnum):
    """How the value of a pair is written."""

    NUMBER = 0
    MISSING = 1
    WORD = 2
    QUOTED = 3
    ESCAPED = 4
    INFINITE = 5


FAULTS = {
    1: "a sparse row begins with {; sparse and dense rows cannot be mixed in a file",
    2: "the brace of a sparse row is not closed; end the row with }",
    3: "a quote opens here and is not closed; close it, or write \\' for a quote",
    4: "a sparse row needs a column number and a space before every value, as in {0 1.5, 3 yes}",
    5: "a column number has no value after it; write {0 1.5, 3 yes}",
    6: "the weight of the row must be a number of 0 or more in braces, as in {2.5}",
    7: "unexpected text follows; remove it",
}


@dataclass(frozen=True, eq=False)
class Pairs:
    """Index-value pairs of many rows, as the kernel found them (see kernels/read/sparse_pairs.hpp)."""

    rows: Rows
    index: Rows
    number: Numbers
    state: NDArray[np.uint8]
    begin: Rows
    end: Rows
    label: Rows
    label_end: Rows
    weight: Numbers
    fault: int
    fault_at: int

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.label)

    @property
    def row(self) -> Rows:
        """The row of every pair."""
        return np.repeat(np.arange(self.n_rows, dtype=np.int64), np.diff(self.rows))

    def words(self, data: Bytes, which: Rows) -> list[str]:
        """Return the texts of some pairs, escapes undone."""
        out = slices(data, self.begin[which], self.end[which])
        for position in np.flatnonzero(self.state[which] == PairState.ESCAPED).tolist():
            out[position] = unescape(out[position])
        return out

    def with_missing(self, data: Bytes, words: tuple[str, ...]) -> Pairs:
        """Return the pairs with further words that mean a missing value, unless quoted."""
        plain = np.isin(self.state, (PairState.QUOTED, PairState.ESCAPED), invert=True)
        missing = plain & np.isin(np.array(slices(data, self.begin, self.end), dtype=object), words)
        state = np.where(missing, np.uint8(PairState.MISSING), self.state)
        return replace(self, state=state, number=np.where(missing, np.nan, self.number))


def slices(data: Bytes, begin: Rows, end: Rows) -> list[str]:
    """Return the words between `begin` and `end` (ascending) in the data."""
    borders = np.empty(2 * len(begin), dtype=np.int64)
    borders[0::2], borders[1::2] = begin, end
    rows = np.arange(len(begin), dtype=np.int64) * 2
    return unpack_words(*_kernels.gather_bytes(data, borders, rows)) if len(begin) else []


def decode_sparse(data: Bytes, columns: Sequence[Column], layout: DeclaredLayout, where: RowLocation) -> Table:
    """Return the rows of sparse text; absent values are zero, the first level, or no text."""
    check_utf8(data, where.file, where.line_of_byte(0))
    pairs = Pairs(**_kernels.read_arff_pairs(data))
    if pairs.fault:
        where.fail_at(pairs.fault_at, FAULTS[pairs.fault])
    line_of_byte, starts_of_rows = where.line_of_byte, pairs.label
    where = RowLocation(where.file, lambda row: line_of_byte(int(starts_of_rows[row])), line_of_byte)
    if len(layout.missing) > 1:  # in addition to the question mark, which the kernel knows
        pairs = pairs.with_missing(data, layout.missing)
    _check_indices(pairs, len(columns), where)
    order = np.argsort(pairs.index, kind="stable")
    starts = np.searchsorted(pairs.index[order], np.arange(len(columns) + 1)).tolist()
    row = pairs.row
    kept: list[Column] = []
    values: list[Values] = []
    for position, column in enumerate(columns):
        if column.name not in layout.skipped:
            which = order[starts[position] : starts[position + 1]]
            if column.name in layout.open_levels:  # absent values are 0, the first level
                texts = pairs.words(data, which[pairs.state[which] != PairState.MISSING])
                column = replace(column, levels=tuple(dict.fromkeys(["0", *texts])))
            kept.append(column)
            values.append(_values(column, data, pairs, which, row[which], where, sparse=len(columns) >= MANY))
    weights = pairs.weight if (pairs.weight != 1).any() else None
    return Table(Schema(tuple(kept)), tuple(values), pairs.n_rows, weights)


def _check_indices(pairs: Pairs, n_columns: int, where: RowLocation) -> None:
    beyond = np.flatnonzero(pairs.index >= n_columns)
    if len(beyond):
        where.fail(
            int(pairs.row[beyond[0]]),
            f"the column number {pairs.index[beyond[0]]} is too large: "
            f"the file declares {n_columns} columns, numbered from 0",
        )
    falls = np.flatnonzero(np.diff(pairs.index) <= 0) + 1
    falls = falls[~np.isin(falls, pairs.rows)]
    if len(falls):
        where.fail(
            int(pairs.row[falls[0]]),
            f"the column number {pairs.index[falls[0]]} follows {pairs.index[falls[0] - 1]}; "
            f"a sparse row lists its columns in ascending order, each once",
        )


def _values(
    column: Column, data: Bytes, pairs: Pairs, which: Rows, rows: Rows, where: RowLocation, *, sparse: bool
) -> Values:
    if column.kind is Kind.BAG:
        where.fail(0, f"column {column.name!r} is relational, which sparse rows cannot hold; write dense rows")
    if column.kind is Kind.NUMERIC:
        numbers = _numbers(column, data, pairs, which, rows, where)
        sparse_numbers = SparseNumbers(rows, numbers, pairs.n_rows)
        return sparse_numbers if sparse and column.date is None else sparse_numbers.dense()
    missing = pairs.state[which] == PairState.MISSING
    words = pairs.words(data, which)
    if column.kind is Kind.TEXT:
        texts: list[str | None] = [None] * pairs.n_rows
        for row, word, absent in zip(rows.tolist(), words, missing.tolist(), strict=True):
            texts[row] = None if absent else word
        return Text.of(texts)
    levels = list(dict.fromkeys([*column.levels, *(w for w, absent in zip(words, missing, strict=True) if not absent)]))
    code = {level: number for number, level in enumerate(levels)}
    indices = np.array([code.get(word, -1) for word in words], dtype=np.int32)
    inside = RowLocation(where.file, lambda i: where.line_of_row(int(rows[i])), where.line_of_byte)
    codes = np.full(pairs.n_rows, 0 if column.levels else -1, dtype=np.int32)
    codes[rows] = encode_declared(column, LevelColumn(np.where(missing, np.int32(-1), indices), levels), inside)
    return codes


def _numbers(column: Column, data: Bytes, pairs: Pairs, which: Rows, rows: Rows, where: RowLocation) -> Numbers:
    numbers = pairs.number[which]
    states = pairs.state[which]
    if column.date is not None:
        odd = np.flatnonzero(states != PairState.MISSING)
    else:
        odd = np.flatnonzero((states != PairState.NUMBER) & (states != PairState.MISSING))
    if not len(odd):
        return numbers
    numbers = numbers.copy()
    convert = _number if column.date is None else parser(column.date)
    for position, word in zip(odd.tolist(), pairs.words(data, which[odd]), strict=True):
        try:
            numbers[position] = convert(word)
        except ValueError:
            what = "number" if column.date is None else f"date of the form {column.date}"
            where.fail(
                int(rows[position]), f"{word!r} in column {column.name!r} is not a {what}; correct it or write ?"
            )
        if not np.isfinite(numbers[position]):
            where.fail(
                int(rows[position]),
                f"{word!r} in column {column.name!r} is infinite; write a finite number or ?",
            )
    return numbers


def _number(word: str) -> float:
    value = float(parse_numbers([word])[0])
    if np.isnan(value):
        raise ValueError(word)
    return value
