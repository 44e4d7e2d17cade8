"""Sources whose files declare their columns: ARFF and C4.5. Their common part after the header."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.formats.row_blocks import FileSource
from hedgerow.data.frames.infer import LEAST_ROWS, IdentifierTracker, finish_schema, identifier_reason, settle_table
from hedgerow.data.frames.match_schema import match_schema
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.schema_notes import ignored_column_notes
from hedgerow.data.table.source import BATCH_ROWS
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError


@dataclass(frozen=True)
class DeclaredColumns:
    """The columns of a file, its target, and the columns whose levels come from the data."""

    schema: Schema
    open_levels: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()


class DeclaredSource(FileSource):
    """A source whose kinds are declared in a header.

    The rows are needed only for information that is not in a header: the levels of columns that people want nominal,
    and whether a column is a mere identifier. That pass stops as soon as nothing is open, mostly at once.
    """

    has_header = True

    @abstractmethod
    def read_header(self) -> DeclaredColumns:
        """Return the declarations of the header."""

    @abstractmethod
    def tables(self, declared: DeclaredColumns, *, whole: bool) -> Iterator[Table]:
        """Yield the rows under the declared columns, block by block or all at once."""

    @cached_property
    def _requested_columns(self) -> DeclaredColumns:
        """The declarations of the header, with the kinds that options or a declared schema request."""
        declared_columns, schema = self.read_header(), self.options.schema
        if schema is None:
            return override_kinds(declared_columns, self.options.kinds)
        faults = self.options.faults
        if faults is not None:
            names = faults.rename(declared_columns.schema.names, schema, self.name)
            known = dict(zip(declared_columns.schema.names, names, strict=True))
            skipped = frozenset(name for name, wanted in known.items() if wanted not in schema)
            kinds = {name: schema[wanted].kind for name, wanted in known.items() if wanted in schema}
            words = {name: kind for name, kind in kinds.items() if kind is not Kind.NUMERIC}  # the others are counted
            return replace(override_kinds(declared_columns, words), skipped=skipped)
        shared = {column.name: column.kind for column in schema.columns if column.name in declared_columns.schema}
        skipped = frozenset(name for name in declared_columns.schema.names if name not in schema)
        return replace(override_kinds(declared_columns, shared), skipped=skipped)

    @cached_property
    def _complete_columns(self) -> DeclaredColumns:
        """The same with all levels known, for reading block by block."""
        wanted = self._requested_columns
        if not wanted.open_levels:
            return wanted
        levels: dict[str, dict[str, None]] = {name: {} for name in wanted.open_levels}
        for table in self._tables(wanted, whole=False):
            for name, new_levels in levels.items():
                new_levels.update(dict.fromkeys(table.schema[name].levels))
        changed = {name: replace(wanted.schema[name], levels=tuple(new_levels)) for name, new_levels in levels.items()}
        return DeclaredColumns(wanted.schema.with_columns(changed))

    def find_schema(self) -> Schema:
        """Return the declared columns, with the target and the columns that learners leave out."""
        if self.options.schema is not None:
            return self.options.schema
        settled = self._complete_columns
        reasons = identifiers(settled.schema, self.tables(settled, whole=False))
        return self._collect_notes(finish_schema(settled.schema.ignoring(reasons), self.options))

    def batches(self, rows: int = BATCH_ROWS) -> Iterator[Table]:
        """Yield the rows in order."""
        schema = self.schema
        declared = self._complete_columns if self.options.schema is None else self._requested_columns
        for table in self._tables(declared, whole=False):
            yield from self._convert_table(table, schema).batches(rows)

    def read(self) -> Table:
        """Return all rows in one table, in one pass."""
        (table,) = self._tables(self._requested_columns, whole=True)
        if self.options.schema is not None:
            return self._convert_table(table, self.options.schema)
        table = settle_table(table.with_target(self._requested_columns.schema.target), self.options)
        self._collect_notes(table.schema)
        return table

    def _tables(self, declared: DeclaredColumns, *, whole: bool) -> Iterator[Table]:
        empty = True
        for table in self.tables(declared, whole=whole):
            if table.n_rows:
                empty = False
                yield table
        if empty and self.options.faults is None:
            raise DataError(f"{self.name}: there are no rows; the file needs at least one")

    def _convert_table(self, table: Table, schema: Schema) -> Table:
        if self.options.schema is None:
            return table.with_schema(schema)
        aligned = match_schema(table, schema, self.options.faults)
        for note in aligned.notes:
            self.note(note)
        return aligned.table

    def _collect_notes(self, schema: Schema) -> Schema:
        for note in ignored_column_notes(schema):
            self.note(note)
        return schema


def override_kinds(declared_columns: DeclaredColumns, kinds: Mapping[str, Kind]) -> DeclaredColumns:
    """Return the declaration with other kinds for some columns; new nominal ones have open levels."""
    changed: dict[str, Column] = {}
    for name, kind in kinds.items():
        column = declared_columns.schema[name]
        if column.kind is kind:
            continue
        if Kind.BAG in (column.kind, kind):
            raise DataError(f"column {name!r} is declared {column.kind} and cannot be read as {kind}")
        changed[name] = Column(name, kind, ignored=column.ignored)
    opened = {name for name, column in changed.items() if column.kind is Kind.NOMINAL}
    return DeclaredColumns(
        declared_columns.schema.with_columns(changed),
        (declared_columns.open_levels | opened) - (changed.keys() - opened),
    )


@dataclass
class _LevelTracker:
    """The levels of a nominal column that have occurred; `alive` while none has occurred twice."""

    levels: NDArray[np.bool_]
    count: int = 0
    alive: bool = True

    def add(self, codes: NDArray[np.int32]) -> None:
        codes = codes[codes >= 0]
        counts = np.bincount(codes, minlength=len(self.levels))
        self.alive = self.alive and not (counts > 1).any() and not (self.levels & (counts > 0)).any()
        self.levels |= counts > 0
        self.count += len(codes)


@dataclass
class _IdentifierTracker:
    """A numeric column whose values may be those of an identifier."""

    name: str
    ids: IdentifierTracker = field(default_factory=IdentifierTracker)
    count: int = 0


def identifiers(schema: Schema, tables: Iterable[Table]) -> dict[str, str]:
    """Return why columns are identifiers, as `settle_table` finds it, reading no more tables than needed."""
    seen = {
        position: _LevelTracker(np.zeros(len(column.levels), dtype=np.bool_))
        for position, column in enumerate(schema.columns)
        if column.kind is Kind.NOMINAL and len(column.levels) >= LEAST_ROWS and not column.ignored
    }
    numbers = {
        position: _IdentifierTracker(column.name)
        for position, column in enumerate(schema.columns)
        if column.kind is Kind.NUMERIC and column.date is None and not column.ignored
    }
    for table in tables:
        for position in list(seen):
            seen[position].add(table.codes(position))
            if not seen[position].alive:
                del seen[position]
        for position in list(numbers):
            _add_numbers(numbers, position, table)
        if not seen and not numbers:
            break
    result = {schema.columns[position].name: each.count for position, each in seen.items() if each.count >= LEAST_ROWS}
    result |= {each.name: each.count for each in numbers.values() if each.ids.identify(each.name)}
    return {name: identifier_reason(count, True) for name, count in result.items()}


def _add_numbers(numbers: dict[int, _IdentifierTracker], position: int, table: Table) -> None:
    values = table.data[position]
    number = numbers[position]
    if isinstance(values, np.ndarray):
        number.ids.add(table.numbers(position))
        number.count += int(np.count_nonzero(~np.isnan(values)))
    if not isinstance(values, np.ndarray) or not number.ids.alive:
        del numbers[position]
