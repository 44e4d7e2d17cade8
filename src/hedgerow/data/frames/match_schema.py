"""Fitting new data to a learned schema: columns are matched by name, levels by value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from hedgerow.data.frames.infer import known_dates
from hedgerow.data.frames.number_columns import drop_codes, read_numbers
from hedgerow.data.table.data_faults import SHOWN, DataFaults
from hedgerow.data.table.delimited import LevelColumn, encode_text
from hedgerow.data.table.level_codes import date_numbers, match_levels, number_levels
from hedgerow.data.table.schema import Column, Kind, Schema, listing
from hedgerow.data.table.schema_notes import bags_hint, difference, unseen_note
from hedgerow.data.table.table import (
    Bags,
    Codes,
    Numbers,
    SparseNumbers,
    StoredValues,
    Table,
    Text,
    Values,
    gather_values,
)
from hedgerow.data.text.strip_mail import strip_text
from hedgerow.errors import DataError


@dataclass(frozen=True)
class AlignedTable:
    """A table converted to a given schema, and notes on what was skipped."""

    table: Table
    extra: tuple[str, ...] = ()
    unseen: dict[str, tuple[str, ...]] = field(default_factory=dict)
    without_values: tuple[str, ...] = ()  # notes on texts without parts that the training texts had

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes, a sentence each."""
        notes = []
        if self.extra:
            notes.append(f"ignored columns that the model does not use: {listing(self.extra)}")
        for name, levels in self.unseen.items():
            notes.append(unseen_note(name, levels))
        return (*notes, *self.without_values)


def match_schema(table: Table, schema: Schema, faults: DataFaults | None = None, first_row: int = 1) -> AlignedTable:
    """Return the table under `schema`: its columns by name, its levels by value.

    A column that is not there is an error, save the target, which becomes all missing. A level that
    `schema` does not know becomes missing and is reported. With `faults`, columns that a model can do without may be
    absent, and words in a numeric column are missing values; `first_row` is the number of the first row in messages.
    """
    if table.schema is schema:
        return AlignedTable(table)
    if faults is not None:
        table = _rename(table, faults.rename(table.schema.names, schema))
    absent = [name for name in schema.names if name not in table.schema and name != schema.target]
    if absent and faults is None:
        raise DataError(
            f"the data lack {len(absent)} column{'s' * (len(absent) > 1)} that the model needs: "
            f"{listing(absent)}; they have {listing(table.schema.names)}{bags_hint(absent, schema)}"
        )
    unseen: dict[str, tuple[str, ...]] = {}
    bare: list[str] = []
    data: list[StoredValues] = []
    for wanted in schema.columns:
        if wanted.name not in table.schema:
            data.append(_make_missing(wanted, table.n_rows))
            continue
        position = table.schema.index(wanted.name)
        has = table.schema.columns[position]
        if _matches(has, wanted):
            data.append(table.data[position])  # a column of a view stays one
            continue
        if faults is not None and not faults.reads(wanted.name):
            data.append(_make_missing(wanted, table.n_rows))
            continue
        if wanted.inner is not None and has.kind is Kind.BAG:
            bags, strangers = _match_bags(gather_values(table.data[position]), wanted.inner)
            data.append(bags)
            unseen |= strangers
            continue
        if faults is not None and wanted.kind is Kind.NUMERIC and has.kind is Kind.NOMINAL and not faults.strict:
            data.append(_known_numbers(table.codes(position), has, wanted, faults, first_row))
            continue
        values, strange = _match_values(gather_values(table.data[position]), has, wanted)
        if isinstance(values, Text):
            values = strip_text(values, [part for part in wanted.stripped if part not in has.stripped])
        if set(has.stripped) - set(wanted.stripped):
            bare.append(difference(wanted.name, has.stripped, wanted.stripped))
        data.append(values)
        if strange:
            unseen[wanted.name] = strange
    extra = tuple(c.name for c in table.schema.columns if c.name not in schema and not c.ignored)
    return AlignedTable(replace(table, schema=schema, data=tuple(data)), extra, unseen, tuple(bare))


def _rename(table: Table, names: Sequence[str]) -> Table:
    """Return the table with its columns called by these names."""
    if tuple(names) == table.schema.names:
        return table
    columns = tuple(replace(c, name=name) for c, name in zip(table.schema.columns, names, strict=True))
    new = dict(zip(table.schema.names, names, strict=True))
    target = None if table.schema.target is None else new[table.schema.target]
    return replace(table, schema=Schema(columns, target))


def _matches(has: Column, wanted: Column) -> bool:
    """Return whether the values of a column have the required form already."""
    same_texts = has.stripped == wanted.stripped and has.missing == wanted.missing
    return has.kind is wanted.kind and has.levels == wanted.levels and wanted.inner is None and same_texts


def _match_bags(values: Values, wanted: Schema) -> tuple[Values, dict[str, tuple[str, ...]]]:
    """Return bags whose rows have a given schema, and the levels in them that it does not know."""
    assert isinstance(values, Bags)
    inner = match_schema(values.table, wanted)
    return Bags(inner.table, values.offsets), inner.unseen


def _match_values(values: Values, has: Column, wanted: Column) -> tuple[Values, tuple[str, ...]]:
    if has.kind is wanted.kind:
        if wanted.kind is Kind.NOMINAL:
            assert isinstance(values, np.ndarray)
            return _recode_levels(values.astype(np.int32, copy=False), has.levels, wanted.levels)
        if wanted.missing and isinstance(values, np.ndarray):
            return drop_codes(values.astype(np.float64, copy=False), wanted), ()
        return values, ()
    if wanted.kind is Kind.NOMINAL and has.kind is Kind.NUMERIC:
        assert isinstance(values, np.ndarray | SparseNumbers)
        codes, levels = number_levels(values.dense() if isinstance(values, SparseNumbers) else values)
        return _recode_levels(codes, levels, wanted.levels)
    if wanted.kind is Kind.NUMERIC and isinstance(values, Text):
        coded = encode_text(values)
        return _numbers(coded.codes, replace(has, levels=tuple(coded.levels)), wanted)
    if wanted.kind is Kind.NUMERIC and has.kind is Kind.NOMINAL:
        return _numbers(values, has, wanted)
    if wanted.kind is Kind.TEXT and has.kind is Kind.NOMINAL:
        assert isinstance(values, np.ndarray)
        return Text.of(None if code < 0 else has.levels[code] for code in values), ()
    if wanted.kind is Kind.TEXT and has.kind is Kind.NUMERIC:
        assert isinstance(values, np.ndarray | SparseNumbers)
        if np.isnan(values.dense() if isinstance(values, SparseNumbers) else values).all():  # its kind is unknown
            return Text.of([None] * len(values)), ()
    if wanted.kind is Kind.NOMINAL and isinstance(values, Text):
        code = {level: number for number, level in enumerate(wanted.levels)}
        words = list(values)
        strange = dict.fromkeys(word for word in words if word is not None and word not in code)
        return np.array([-1 if word is None else code.get(word, -1) for word in words], dtype=np.int32), tuple(strange)
    raise DataError(f"column {has.name!r} is {has.kind}, but the model needs it {wanted.kind}")


def _recode_levels(codes: Codes, has: Sequence[str], wanted: Sequence[str]) -> tuple[Codes, tuple[str, ...]]:
    new = np.array([*match_levels(has, wanted), -1], dtype=np.int32)  # last: missing
    unknown = np.flatnonzero(new[:-1] < 0)
    if len(unknown):
        present = np.bincount(codes[codes >= 0], minlength=len(has))
        unknown = unknown[present[unknown] > 0]
    return new[codes], tuple(has[level] for level in unknown.tolist())


def _numbers(values: Values, has: Column, wanted: Column) -> tuple[Values, tuple[str, ...]]:
    """Turn levels that are all numbers, dates, or true and false (1 and 0) into a numeric column."""
    assert isinstance(values, np.ndarray)
    if wanted.date is not None:
        return np.append(date_numbers(has.levels, wanted), np.nan)[values], ()
    if set(has.levels) <= {"false", "true"}:
        return np.array([*(float(level == "true") for level in has.levels), np.nan])[values], ()
    numbers, strays = read_numbers(LevelColumn(values.astype(np.int32, copy=False), list(has.levels)), wanted)
    if strays.n_words:
        raise DataError(
            f"column {has.name!r} is numeric in the model, but holds the word {strays.first[0][1]!r}; correct it or "
            "mark it as missing"
        )
    return numbers, ()


def _known_numbers(codes: Codes, has: Column, wanted: Column, faults: DataFaults, first_row: int) -> Numbers:
    """Return levels as numbers or dates, those that are none as missing values, which are counted."""
    if wanted.date is not None:
        numbers, what = known_dates(LevelColumn(codes, list(has.levels)), wanted), "date"
    elif set(has.levels) <= {"false", "true"}:
        return np.array([*(float(level == "true") for level in has.levels), np.nan])[codes]
    else:
        levels = LevelColumn(codes.astype(np.int32, copy=False), list(has.levels))
        numbers, strays = read_numbers(levels, wanted)
        places = [row + first_row for row, _ in strays.first]
        faults.add_words(wanted.name, strays.n_words, places, unit="row", what="number")
        return numbers
    strange = np.flatnonzero(np.isnan(numbers) & (codes >= 0))
    places = (strange[:SHOWN] + first_row).tolist()
    faults.add_words(wanted.name, len(strange), places, unit="row", what=what)
    return numbers


def missing_row(schema: Schema) -> Table:
    """Return a table of one row in which all values are missing."""
    return Table(schema, tuple(_make_missing(column, 1) for column in schema.columns), 1)


def _make_missing(column: Column, n_rows: int) -> Values:
    if column.kind is Kind.NUMERIC:
        return np.full(n_rows, np.nan)
    if column.kind is Kind.NOMINAL:
        return np.full(n_rows, -1, dtype=np.int32)
    if column.kind is Kind.TEXT:  # classes that are read as words, so that unknown ones are seen
        return Text.of([None] * n_rows)
    if column.inner is not None and n_rows == 1:
        inner = missing_row(column.inner)
        return Bags(inner, np.array([0, 1], dtype=np.int64))
    raise DataError(f"the data lack the column {column.name!r} that the model needs")
