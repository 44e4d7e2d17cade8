"""Sources whose files declare their columns: ARFF and C4.5. Their common part after the header."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.formats.row_blocks import FileSource
from hedgerow.data.frames.infer import LEAST_ROWS, Ids, finished, identifier_reason, settle
from hedgerow.data.frames.match_schema import match_schema
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.schema_notes import notes
from hedgerow.data.table.source import BATCH_ROWS
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError


@dataclass(frozen=True)
class Declared:
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
    def declared(self) -> Declared:
        """Return the declarations of the header."""

    @abstractmethod
    def tables(self, declared: Declared, *, whole: bool) -> Iterator[Table]:
        """Yield the rows under the declared columns, block by block or all at once."""

    @cached_property
    def _wanted(self) -> Declared:
        """The declarations of the header, with the kinds that options or a declared schema request."""
        told, schema = self.declared(), self.options.schema
        if schema is None:
            return with_kinds(told, self.options.kinds)
        shared = {column.name: column.kind for column in schema.columns if column.name in told.schema}
        skipped = frozenset(name for name in told.schema.names if name not in schema)
        return replace(with_kinds(told, shared), skipped=skipped)

    @cached_property
    def _settled(self) -> Declared:
        """The same with all levels known, for reading block by block."""
        wanted = self._wanted
        if not wanted.open_levels:
            return wanted
        levels: dict[str, dict[str, None]] = {name: {} for name in wanted.open_levels}
        for table in self._some_tables(wanted, whole=False):
            for name, found in levels.items():
                found.update(dict.fromkeys(table.schema[name].levels))
        changed = {name: replace(wanted.schema[name], levels=tuple(found)) for name, found in levels.items()}
        return Declared(wanted.schema.with_columns(changed))

    def find_schema(self) -> Schema:
        """Return the declared columns, with the target and the columns that learners leave out."""
        if self.options.schema is not None:
            return self.options.schema
        settled = self._settled
        reasons = identifiers(settled.schema, self.tables(settled, whole=False))
        return self._noted(finished(settled.schema.ignoring(reasons), self.options))

    def batches(self, rows: int = BATCH_ROWS) -> Iterator[Table]:
        """Yield the rows in order."""
        schema = self.schema
        declared = self._settled if self.options.schema is None else self._wanted
        for table in self._some_tables(declared, whole=False):
            yield from self._fitted(table, schema).batches(rows)

    def read(self) -> Table:
        """Return all rows in one table, in one pass."""
        (table,) = self._some_tables(self._wanted, whole=True)
        if self.options.schema is not None:
            return self._fitted(table, self.options.schema)
        table = settle(table.with_target(self._wanted.schema.target), self.options)
        self._noted(table.schema)
        return table

    def _some_tables(self, declared: Declared, *, whole: bool) -> Iterator[Table]:
        empty = True
        for table in self.tables(declared, whole=whole):
            if table.n_rows:
                empty = False
                yield table
        if empty:
            raise DataError(f"{self.name}: there are no rows; the file needs at least one")

    def _fitted(self, table: Table, schema: Schema) -> Table:
        if self.options.schema is None:
            return table.with_schema(schema)
        aligned = match_schema(table, schema)
        for note in aligned.notes:
            self.note(note)
        return aligned.table

    def _noted(self, schema: Schema) -> Schema:
        for note in notes(schema):
            self.note(note)
        return schema


def with_kinds(told: Declared, kinds: Mapping[str, Kind]) -> Declared:
    """Return the declaration with other kinds for some columns; new nominal ones have open levels."""
    changed: dict[str, Column] = {}
    for name, kind in kinds.items():
        column = told.schema[name]
        if column.kind is kind:
            continue
        if Kind.BAG in (column.kind, kind):
            raise DataError(f"column {name!r} is declared {column.kind} and cannot be read as {kind}")
        changed[name] = Column(name, kind, ignored=column.ignored)
    opened = {name for name, column in changed.items() if column.kind is Kind.NOMINAL}
    return Declared(told.schema.with_columns(changed), (told.open_levels | opened) - (changed.keys() - opened))


@dataclass
class _Seen:
    """The levels of a nominal column that have occurred; `alive` while none has occurred twice."""

    levels: NDArray[np.bool_]
    count: int = 0
    alive: bool = True

    def add(self, codes: NDArray[np.int32]) -> None:
        codes = codes[codes >= 0]
        found = np.bincount(codes, minlength=len(self.levels))
        self.alive = self.alive and not (found > 1).any() and not (self.levels & (found > 0)).any()
        self.levels |= found > 0
        self.count += len(codes)


@dataclass
class _Number:
    """A numeric column whose values may be those of an identifier."""

    name: str
    ids: Ids = field(default_factory=Ids)
    count: int = 0


def identifiers(schema: Schema, tables: Iterable[Table]) -> dict[str, str]:
    """Return why columns are identifiers, as `settle` finds it, reading no more tables than needed."""
    seen = {
        position: _Seen(np.zeros(len(column.levels), dtype=np.bool_))
        for position, column in enumerate(schema.columns)
        if column.kind is Kind.NOMINAL and len(column.levels) >= LEAST_ROWS and not column.ignored
    }
    numbers = {
        position: _Number(column.name)
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
    found = {schema.columns[position].name: each.count for position, each in seen.items() if each.count >= LEAST_ROWS}
    found |= {each.name: each.count for each in numbers.values() if each.ids.identify(each.name)}
    return {name: identifier_reason(count, True) for name, count in found.items()}


def _add_numbers(numbers: dict[int, _Number], position: int, table: Table) -> None:
    values = table.data[position]
    number = numbers[position]
    if isinstance(values, np.ndarray):
        number.ids.add(table.numbers(position))
        number.count += int(np.count_nonzero(~np.isnan(values)))
    if not isinstance(values, np.ndarray) or not number.ids.alive:
        del numbers[position]
