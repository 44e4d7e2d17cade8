"""Levels and numbers of one column in terms of another: codes by level, numbers as levels, words as dates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgerow.data.table.dates import parse_dates
from hedgerow.data.table.number_forms import is_absent
from hedgerow.data.table.schema import Column
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.errors import DataError
from hedgerow.layout.numbers import format_number

TRUTH = {"true", "false"}


def find_column_of_kind(table: Table, wanted: Column) -> int:
    """Return the position of a column that a model knows; an error if it has another kind in the table."""
    position = table.schema.index(wanted.name)
    kind = table.schema.columns[position].kind
    if kind is not wanted.kind:
        raise DataError(
            f"column {wanted.name!r} is {kind}, but was {wanted.kind} in training; convert it, or rename it"
        )
    return position


def match_levels(levels: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Return the code of each level among the given ones, -1 if none; yes/no columns match in any spelling."""
    code = {level: number for number, level in enumerate(wanted)}
    if set(map(str.lower, wanted)) <= TRUTH:  # pandas writes True where others write true
        code |= {level.lower(): number for level, number in list(code.items())}
        return [code.get(level, code.get(level.lower(), -1)) for level in levels]
    return [code.get(level, -1) for level in levels]


def number_levels(values: Numbers | Codes) -> tuple[Codes, tuple[str, ...]]:
    """Return a numeric column as nominal codes; each different number is a level, written as shortly as can be."""
    present = ~np.isnan(values)
    distinct, inverse = np.unique(values[present], return_inverse=True)
    codes = np.full(len(values), -1, dtype=np.int32)
    codes[present] = inverse
    return codes, tuple(format_number(value) for value in distinct.tolist())


def date_numbers(texts: Sequence[str], column: Column) -> Numbers:
    """Return the seconds of a date column's words."""
    absent = np.array([is_absent(text, column.missing) for text in texts], dtype=np.bool_)
    seconds = np.full(len(texts), np.nan)
    try:
        seconds[~absent] = parse_dates(
            [text for text, no in zip(texts, absent, strict=True) if not no], str(column.date)
        )
        return seconds
    except ValueError as problem:
        raise DataError(
            f"column {column.name!r} holds dates, but {problem}; correct it or mark it as missing"
        ) from None
    return seconds
