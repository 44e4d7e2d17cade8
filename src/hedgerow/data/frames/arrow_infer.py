"""The kind and levels of Arrow columns, found in passes over batches."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa

from hedgerow.data.frames.arrow_values import (
    ITEM,
    chunks_of,
    date_pattern,
    flatten_lists,
    has_fraction,
    inner_arrays,
    inner_fields,
    is_word,
    natural_kind,
    numeric_values,
    words_of,
)
from hedgerow.data.frames.infer import ColumnTally, IdentifierTracker, identifier_reason
from hedgerow.data.table.dates import ISO
from hedgerow.data.table.delimited import Mode
from hedgerow.data.table.schema import Column, Kind, Schema, first_repeated
from hedgerow.data.table.source import ReadOptions
from hedgerow.data.table.to_arrow import SCHEMA
from hedgerow.errors import DataError


def check_fields(schema: pa.Schema) -> list[pa.Field]:
    """Return the fields; a name that occurs twice or a type that no kind fits raises here, by name."""
    check_names(schema)
    if (twice := first_repeated(schema.names)) is not None:
        raise DataError(f"the column name {twice!r} occurs twice; give every column its own name")
    for each in schema:
        natural_kind(each.type, each.name)
    return list(schema)


def check_names(fields: pa.Schema | pa.DataType) -> None:
    """Raise an error if a name, also of a column inside another, is not a text: only damaged files have such."""
    number = len(fields) if isinstance(fields, pa.Schema) else fields.num_fields
    for position in range(number):
        each = fields.field(position)
        try:
            _ = each.name
        except UnicodeDecodeError:
            raise DataError(f"the name of column {position + 1} is not UTF-8; the file is damaged") from None
        check_names(each.type)


def schema_from_metadata(arrow: pa.Schema) -> Schema:
    """Return the schema in the metadata if hedgerow made the table, else one without columns."""
    raw = (arrow.metadata or {}).get(SCHEMA)
    try:
        return Schema(()) if raw is None else Schema.from_dict(json.loads(raw))
    except (DataError, ValueError, RecursionError):
        return Schema(())


def find_all(arrow: pa.Schema, options: ReadOptions) -> list[ColumnScan]:
    """Return a find for every column of an Arrow table."""
    schema = schema_from_metadata(arrow)
    return [
        ColumnScan(field, options.kinds, options.missing, _find_column(schema, field.name))
        for field in check_fields(arrow)
    ]


class ColumnScan:
    """The statistics of one Arrow column that determine its kind and levels."""

    def __init__(
        self,
        arrow: pa.Field,
        kinds: Mapping[str, Kind],
        missing: tuple[str, ...] = (),
        column: Column | None = None,
    ) -> None:
        self.name, self.type, self.missing = arrow.name, arrow.type, missing
        self.natural = natural_kind(arrow.type, arrow.name)
        self.wanted = kinds.get(arrow.name)
        if self.wanted is None and is_word(arrow.type) and column is not None and column.kind is Kind.TEXT:
            self.wanted = Kind.TEXT
        self.kind = self.wanted or self.natural
        if self.kind is not self.natural and Kind.BAG in (self.kind, self.natural):
            raise DataError(f"column {self.name!r} has the type {self.type} and cannot be read as {self.wanted}")
        self.date = date_pattern(arrow.type, column)
        self.is_fixed = pa.types.is_boolean(arrow.type) or pa.types.is_dictionary(arrow.type)
        self.levels = dict.fromkeys(_first_levels(arrow.type, column))
        self.tally = ColumnTally(self.name, Mode.NOMINAL, self.wanted)
        self.ids = IdentifierTracker()
        self.stripped = () if column is None else column.stripped
        self.inner = _inner_finds(arrow.type, missing, column) if self.kind is Kind.BAG else []

    @property
    def is_open(self) -> bool:
        """Whether rows must be seen before the column is determined."""
        if self.kind is Kind.NUMERIC:
            return self.date.startswith(ISO) if self.date else self.ids.alive
        return self.kind is Kind.NOMINAL or any(find.is_open for find in self.inner)

    def add(self, values: pa.ChunkedArray | pa.Array) -> None:
        """Take note of some rows."""
        if self.kind is Kind.BAG:
            flat, _ = flatten_lists(values)
            for find, inside in zip(self.inner, inner_arrays(flat), strict=True):
                find.add(inside)
        elif self.kind is Kind.NOMINAL:
            self._add_levels(values)
        elif self.date == ISO and has_fraction(values):
            self.date = ISO + ".SSS"
        elif self.natural is Kind.NUMERIC and self.kind is Kind.NUMERIC and not self.date and self.ids.alive:
            numbers = numeric_values(self.name, values, finite=False)
            self.ids.add(numbers)
            self.tally.present += int(np.count_nonzero(~np.isnan(numbers)))

    def _add_levels(self, values: pa.ChunkedArray | pa.Array) -> None:
        """Keep the levels, and those in use as long as they may all be different, for a mere identifier."""
        tally = self.tally
        for chunk in chunks_of(values):
            if pa.types.is_dictionary(self.type):
                self.levels.update(_distinct(chunk.dictionary, self.date, self.missing))
            if not self.is_fixed or len(tally.levels) == tally.present:
                self._keep(chunk)
            tally.present += len(chunk) - chunk.null_count

    def _keep(self, chunk: pa.Array) -> None:
        if self.wanted is Kind.NOMINAL or not self.tally.is_full:
            self.tally.keep(_distinct(chunk.unique(), self.date, self.missing))

    def column(self) -> Column:
        """Return the column as it has been found."""
        if self.kind is Kind.BAG:
            inside = tuple(replace(find.column(), ignored="") for find in self.inner)
            return Column(self.name, Kind.BAG, inner=Schema(inside))
        if self.kind is Kind.TEXT:
            return Column(self.name, Kind.TEXT, stripped=self.stripped)
        if self.kind is Kind.NUMERIC:
            is_id = self.date is None and self.ids.identify(self.name)
            reason = identifier_reason(self.tally.present, is_id)
            return Column(self.name, Kind.NUMERIC, date=self.date, ignored=reason)
        column = self.tally.column
        if self.is_fixed:
            ordered = pa.types.is_dictionary(self.type) and self.type.ordered
            ignored = column.ignored if column.kind is Kind.NOMINAL else ""
            return Column(self.name, Kind.NOMINAL, levels=tuple(self.levels), ordered=ordered, ignored=ignored)
        if self.natural is Kind.NUMERIC and self.date is None:
            return replace(column, levels=tuple(sorted(column.levels, key=float)))
        return column


def _find_column(schema: Schema, name: str) -> Column | None:
    return schema[name] if name in schema else None  # noqa: SIM401  (a Schema has no get)


def _first_levels(kind: pa.DataType, column: Column | None) -> tuple[str, ...]:
    """Return the levels that are known beforehand."""
    if pa.types.is_boolean(kind):
        return ("false", "true")
    return column.levels if column is not None and pa.types.is_dictionary(kind) else ()


def _inner_finds(kind: pa.DataType, missing: tuple[str, ...], column: Column | None) -> list[ColumnScan]:
    """Return finds for the columns inside bags; the items of a plain list are nominal, not text."""
    fields = check_fields(pa.schema(inner_fields(kind)))
    kinds = {ITEM: Kind.NOMINAL} if not pa.types.is_struct(kind.value_type) and is_word(kind.value_type) else {}
    known = Schema(()) if column is None or column.inner is None else column.inner
    return [ColumnScan(each, kinds, missing, _find_column(known, each.name)) for each in fields]


def _distinct(values: pa.Array, date: str | None, missing: tuple[str, ...]) -> dict[str, None]:
    words = words_of(values, date, missing).to_pylist()
    return dict.fromkeys(word for word in words if word is not None)
