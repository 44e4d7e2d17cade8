"""Files that pyarrow reads: Parquet, Feather (Arrow IPC) and JSON lines, as sources of bounded memory."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow.data.formats.row_blocks import FileSource
from hedgerow.data.frames.arrow import convert_to_schema, encode, table_from_arrow
from hedgerow.data.frames.arrow_infer import check_fields, check_names, find_all, schema_from_metadata
from hedgerow.data.frames.arrow_values import flatten_structs
from hedgerow.data.frames.infer import finish_schema
from hedgerow.data.table.schema import Column, Schema
from hedgerow.data.table.schema_notes import ignored_column_notes
from hedgerow.data.table.source import BATCH_ROWS
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError

DAMAGED = (pa.ArrowException, OSError, UnicodeDecodeError)  # errors that Arrow raises for invalid files


class ArrowSource(FileSource):
    """A file of Arrow batches. Levels are determined by one streaming pass over the columns of words."""

    @abstractmethod
    def arrow_schema(self) -> pa.Schema:
        """Return names and types of all columns."""

    @abstractmethod
    def arrow_batches(self, rows: int, names: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield the rows in order as small Arrow tables, all columns or some."""

    def find_schema(self) -> Schema:
        """Return the declared schema, or determine kinds and levels by a pass over the file."""
        if self.options.schema is not None:
            return self.options.schema
        with self._prefix_errors():
            return self._collect_notes(finish_schema(self._infer_schema(), self.options))

    def _infer_schema(self) -> Schema:
        arrow = self.arrow_schema()
        guesses = find_all(arrow, self.options)
        for part in islice(self.arrow_batches(BATCH_ROWS), 2):  # enough to rule most identifiers out
            for find, values in zip(guesses, part.columns, strict=True):
                find.add(values)
        finds = {find.name: find for find in find_all(arrow, self.options)}
        opened = [find.name for find in guesses if find.is_open]
        for part in self.arrow_batches(BATCH_ROWS, opened) if opened else ():
            for name, values in zip(opened, part.columns, strict=True):
                finds[name].add(values)
        self._columns = [find.column() for find in finds.values()]
        empty = encode(arrow.empty_table(), self._columns, schema_from_metadata(arrow).target)
        return empty.schema

    @contextmanager
    def _prefix_errors(self) -> Iterator[None]:
        """Let every error begin with the name of the file."""
        try:
            yield
        except DataError as problem:
            if str(problem).startswith(self.name):
                raise
            raise DataError(f"{self.name}: {problem}") from None

    def _collect_notes(self, schema: Schema) -> Schema:
        for note in ignored_column_notes(schema):
            self.note(note)
        return schema

    def batches(self, rows: int = BATCH_ROWS) -> Iterator[Table]:
        """Yield the rows in order, with the levels of the one schema."""
        schema = self.schema
        n_rows = 0
        for part in self.arrow_batches(rows):
            if part.num_rows:
                yield self._convert_batch(part, schema, n_rows + 1)
            n_rows += part.num_rows
        if not n_rows and self.options.faults is None:
            raise DataError(f"{self.name}: there are no rows; the file needs at least one")

    def _convert_batch(self, part: pa.Table, schema: Schema, first_row: int) -> Table:
        with self._prefix_errors():
            if self.options.schema is None:
                return encode(part, self._columns, None, first_row, self.options.missing).with_schema(schema)
            table, notes = convert_to_schema(part, schema, first_row, self.options.missing, self.options.faults)
        for note in notes:
            self.note(note)
        return table

    def read(self) -> Table:
        """Return all rows in one table, in one pass."""
        if self.options.schema is not None:
            return super().read()
        whole = self.all_rows()
        if not whole.num_rows:
            raise DataError(f"{self.name}: there are no rows; the file needs at least one")
        with self._prefix_errors():
            table = table_from_arrow(whole, self.options)
        del whole
        pa.default_memory_pool().release_unused()  # Arrow keeps what it read from for the next file
        self._collect_notes(table.schema)
        return table

    def all_rows(self) -> pa.Table:
        """Return the whole file as one Arrow table."""
        return pa.concat_tables([self.arrow_schema().empty_table(), *self.arrow_batches(BATCH_ROWS)])

    _columns: list[Column]


def _validate_batch(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return rows whose offsets and texts have been checked: Arrow trusts a file, and could read beyond its memory."""
    batch.validate(full=True)
    return batch


class ParquetSource(ArrowSource):
    """A Parquet file, read one row group at a time."""

    def arrow_schema(self) -> pa.Schema:
        """Return names and types of all columns."""
        with self._open_file() as file:
            return _flat(file.schema_arrow)

    def arrow_batches(self, rows: int, names: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield the rows in order as small Arrow tables, all columns or some."""
        with self._open_file() as file:
            check_fields(_flat(file.schema_arrow))
            try:
                for batch in file.iter_batches(batch_size=rows, columns=None if names is None else list(names)):
                    self.witness.check(self.path)
                    table = flatten_structs(pa.Table.from_batches([_validate_batch(batch)]))
                    yield table if names is None else table.select(list(names))
            except DAMAGED as problem:
                self.witness.check(self.path)
                raise _damaged_file_error(self.name, "Parquet", problem) from None
            self.witness.check(self.path)

    def _open_file(self) -> pq.ParquetFile:
        self.witness.check(self.path)
        try:
            return pq.ParquetFile(self.path)  # not mapped: a mapped file that is cut kills the process
        except FileNotFoundError:
            raise DataError(f"{self.name}: there is no such file") from None
        except DAMAGED as problem:
            raise _damaged_file_error(self.name, "Parquet", problem) from None


class IpcSource(ArrowSource):
    """A Feather file or any other Arrow IPC file or stream."""

    def arrow_schema(self) -> pa.Schema:
        """Return names and types of all columns."""
        schema = _flat(next(self._parts())[0])
        with self._prefix_errors():
            check_names(schema)
        return schema

    def arrow_batches(self, rows: int, names: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield the rows in order as small Arrow tables, all columns or some."""
        for schema, batch in self._parts():
            if batch is None:
                schema = _flat(schema)
                check_fields(schema)
                yield schema.empty_table() if names is None else schema.empty_table().select(list(names))
                continue
            table = flatten_structs(pa.Table.from_batches([batch]))
            table = table if names is None else table.select(list(names))
            for start in range(0, table.num_rows, rows):
                yield table.slice(start, rows)

    def _parts(self) -> Iterator[tuple[pa.Schema, pa.RecordBatch | None]]:
        """Yield the schema, then every batch with it."""
        self.witness.check(self.path)
        try:
            with pa.OSFile(self.path) as file:  # not mapped: a mapped file that is cut kills the process
                is_file = file.size() >= 6 and file.read(6) == b"ARROW1"
                file.seek(0)
                if is_file:
                    reader = pa.ipc.open_file(file)
                    yield reader.schema, None
                    for number in range(reader.num_record_batches):
                        yield reader.schema, self._check_unchanged(_validate_batch(reader.get_batch(number)))
                else:
                    stream = pa.ipc.open_stream(file)
                    yield stream.schema, None
                    for batch in stream:
                        yield stream.schema, self._check_unchanged(_validate_batch(batch))
        except FileNotFoundError:
            raise DataError(f"{self.name}: there is no such file") from None
        except DAMAGED as problem:
            self.witness.check(self.path)
            raise _damaged_file_error(self.name, "Feather or Arrow", problem) from None

    def _check_unchanged(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        self.witness.check(self.path)
        return batch


def _flat(schema: pa.Schema) -> pa.Schema:
    """Return a schema whose records are columns of their own."""
    if not any(pa.types.is_struct(kind) for kind in schema.types):
        return schema
    return flatten_structs(schema.empty_table()).schema


def _damaged_file_error(name: str, what: str, problem: Exception) -> DataError:
    reason = " ".join(str(problem).split())[:200]
    return DataError(f"{name} cannot be read as a {what} file ({reason}); write it again, or name its format")
