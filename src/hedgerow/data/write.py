"""Writers: a table, or a stream of tables, to CSV, TSV, JSON lines, ARFF, VW's lines, Parquet or Feather.

A file is written aside and renamed when it is whole, so nothing half-written is ever left behind. Text is
made by Arrow's string functions, a whole column at a time.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import os
import sys
import warnings
from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from hedgerow.data.table import files
from hedgerow.data.table.atomic_write import open_atomic, open_to_append
from hedgerow.data.table.schema import Schema, listing
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError, DataWarning, UsageError

BLOCK_ROWS = 65_536
CHECKED = 1000  # first rows of CSV that must be read back as rows, below a header


class OutputFormat(ABC):
    """How tables become bytes in one format."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream
        self.notes: dict[str, None] = {}  # what the format cannot hold

    @abstractmethod
    def start(self, table: Table) -> None:
        """Write the text before the first row."""

    @abstractmethod
    def rows(self, table: Table) -> None:
        """Write the rows of a table."""

    def finish(self) -> None:  # noqa: B027
        """Write the text after the last row."""


class _Csv(OutputFormat):
    delimiter = ","
    suffix = ".csv"
    safe_cells = False

    def start(self, table: Table) -> None:
        self.stream.write(self._header(table))

    def _header(self, table: Table) -> bytes:
        """Return a first line that is read back as the column names: in quotes if it must be."""
        from hedgerow.data.formats.detect_layout import reads_back
        from hedgerow.data.formats.text_out import csv_header, csv_rows

        plain, quoted = (
            csv_header(table.schema, self.delimiter, quote_all, self.safe_cells) for quote_all in (False, True)
        )
        rows = csv_rows(table.slice(0, CHECKED), self.delimiter, self.safe_cells)
        if reads_back(plain + rows, self.delimiter, self.suffix):
            return plain
        if not reads_back(quoted + rows, self.delimiter, self.suffix):
            delimiter = "tab" if self.delimiter == "\t" else f"'{self.delimiter}'"
            self.notes[f"read it back with --header --delimiter {delimiter}: its first lines are ambiguous"] = None
        return quoted

    def rows(self, table: Table) -> None:
        from hedgerow.data.formats.text_out import csv_losses, csv_rows

        self.notes.update(dict.fromkeys(csv_losses(table)))
        if table.weights is not None:
            self.notes["the row weights are lost: this format cannot represent them"] = None
        self.stream.write(csv_rows(table, self.delimiter, self.safe_cells))


class _Tsv(_Csv):
    delimiter = "\t"
    suffix = ".tsv"


class _JsonLines(OutputFormat):
    """One object per line."""

    def start(self, table: Table) -> None:
        pass

    def rows(self, table: Table) -> None:
        from hedgerow.data.formats.json_out import json_rows

        if table.weights is not None:
            self.notes["the row weights are lost: this format cannot represent them"] = None
        self.stream.write("".join(f"{row}\n" for row in json_rows(table)).encode())


class _Json(OutputFormat):
    """One array of objects, each on a line of its own."""

    separator = ""  # before the next row

    def start(self, table: Table) -> None:  # noqa: ARG002
        self.stream.write(b"[")

    def rows(self, table: Table) -> None:
        from hedgerow.data.formats.json_out import json_rows

        for row in json_rows(table):
            self.stream.write(f"{self.separator}\n  {row}".encode())
            self.separator = ","

    def finish(self) -> None:
        self.stream.write(b"\n]\n" if self.separator else b"]\n")


class _Arff(OutputFormat):
    def start(self, table: Table) -> None:
        from hedgerow.data.formats.text_out import arff_header

        self.stream.write(arff_header(table.schema))

    def rows(self, table: Table) -> None:
        from hedgerow.data.formats.text_out import arff_rows, date_losses

        self.notes.update(dict.fromkeys(date_losses(table)))
        self.stream.write(arff_rows(table))


class _Vw(OutputFormat):
    def start(self, table: Table) -> None:
        from hedgerow.data.formats.vw_writer import check_vw, vw_losses

        check_vw(table.schema)
        self.notes.update(dict.fromkeys(vw_losses(table.schema)))

    def rows(self, table: Table) -> None:
        from hedgerow.data.formats.vw_writer import vw_lines

        self.stream.write(vw_lines(table))


class _Arrow(OutputFormat):
    """Both Arrow formats: `sink` opens a writer of pyarrow over the stream."""

    sink: Any = None

    def start(self, table: Table) -> None:
        self.sink = self.open(_arrow(table).schema)

    @abstractmethod
    def open(self, schema: Any) -> Any:
        """Return a pyarrow writer for tables of this schema."""

    def rows(self, table: Table) -> None:
        self.sink.write_table(_arrow(table))

    def finish(self) -> None:
        if self.sink is not None:
            self.sink.close()


class _Parquet(_Arrow):
    def open(self, schema: Any) -> Any:
        import pyarrow.parquet as pq

        return pq.ParquetWriter(self.stream, schema, compression="zstd")


class _Feather(_Arrow):
    def open(self, schema: Any) -> Any:
        import pyarrow as pa

        return pa.ipc.new_file(self.stream, schema, options=pa.ipc.IpcWriteOptions(compression="lz4"))


def _arrow(table: Table) -> Any:
    from hedgerow.data.table.to_arrow import to_arrow

    name = "weight"
    while name in table.schema:
        name += "_"
    return to_arrow(table, weights=name)


LAYOUTS: dict[str, type[OutputFormat]] = {
    "csv": _Csv,
    "tsv": _Tsv,
    "tab": _Tsv,
    "jsonl": _JsonLines,
    "ndjson": _JsonLines,
    "arff": _Arff,
    "vw": _Vw,
    "parquet": _Parquet,
    "pq": _Parquet,
    "feather": _Feather,
    "arrow": _Feather,
    "ipc": _Feather,
}


ONLY_ON_REQUEST: dict[str, type[OutputFormat]] = {"json": _Json}  # read by others


class Writer:
    """Writes tables of one schema, one after another, to a file or to standard output.

    Parameters
    ----------
    path
        The output file; "-" is standard output. The ending gives the format, and a final .gz compresses.
    format
        The format if the ending does not determine it, by its usual ending: "csv", "arff", ...
    safe_cells
        Whether words that begin with =, +, -, @, a tab or a line end, which spreadsheets would read as formulas,
        are preceded by an apostrophe; only for CSV and TSV.
    append
        Whether rows are added to the end of a file that exists and has the same columns; for CSV, TSV and JSON lines.

    Notes
    -----
    ARFF, VW, Parquet and Feather store row weights; CSV does not.

    Examples
    --------
    >>> with Writer("predictions.csv") as writer:
    ...     for table in source.batches():
    ...         writer.add(predicted(table))
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        format: str | None = None,  # noqa: A002
        *,
        safe_cells: bool = False,
        append: bool = False,
    ) -> None:
        self.path = os.fspath(path)
        self.format, self.packed = detect_output_format(self.path, format)
        self.safe_cells = safe_cells
        self._class = {**LAYOUTS, **ONLY_ON_REQUEST}[self.format]
        self._appends = append and _has_rows(self.path)
        if append and (self.path == "-" or not issubclass(self._class, _Csv | _JsonLines)):
            raise UsageError(
                "rows can be appended to a file of CSV, TSV or JSON lines; name one with -o FILE, or leave out --append"
            )
        if safe_cells and not issubclass(self._class, _Csv):
            raise UsageError(
                f"{self.path}: safe cells are for spreadsheets that open CSV or TSV; leave out --safe-cells"
            )
        self.schema: Schema | None = None
        self._stack = contextlib.ExitStack()
        self._layout: OutputFormat | None = None

    def __enter__(self) -> Self:
        self._layout = self._class(self._open_output())
        if isinstance(self._layout, _Csv):
            self._layout.safe_cells = self.safe_cells
        return self

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on content of the tables that the format cannot represent."""
        return () if self._layout is None else tuple(self._layout.notes)

    def add(self, table: Table) -> None:
        """Write the rows of a table; its columns must be those of the first one."""
        assert self._layout is not None, "use the writer in a with statement"
        if self.schema is None:
            self.schema = table.schema
            if self._appends:
                self._check_columns(table.schema)
            else:
                self._layout.start(table)
        elif table.schema is not self.schema:
            _check_same(self.schema, table.schema)
        for part in table.batches(BLOCK_ROWS):
            self._layout.rows(part)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the file; after a failure too, since pyarrow's writers must be closed before their stream."""
        try:
            with contextlib.nullcontext() if kind is None else contextlib.suppress(Exception):
                assert self._layout is not None
                if kind is None or isinstance(self._layout, _Arrow):
                    self._layout.finish()
        except BaseException as problem:
            kind, error, trace = type(problem), problem, problem.__traceback__
            raise
        finally:
            self._stack.__exit__(kind, error, trace)

    def _check_columns(self, schema: Schema) -> None:
        """Raise an error unless the file that is appended to has these columns."""
        head = next(files.blocks(self.path, size=files.HEAD)).tobytes()
        first = head.split(b"\n", 1)[0].decode("utf-8", "replace")
        if issubclass(self._class, _Csv):
            from hedgerow.data.formats.text_out import csv_header

            wanted = _header_cells(
                csv_header(schema, self._class.delimiter, safe=self.safe_cells).decode(), self._class
            )
            found = _header_cells(first, self._class)
        else:
            wanted, found = list(schema.names), _keys(first)
        if found != wanted:
            raise DataError(
                f"{self.path} has the columns {listing(found)}, but the rows to append have {listing(wanted)}; name "
                "another file, or leave out --append to replace it"
            )

    def _open_output(self) -> IO[bytes]:
        if self.path == "-":
            stream: IO[bytes] = sys.stdout.buffer
            self._stack.callback(stream.flush)
        elif self._appends:
            stream = self._stack.enter_context(open_to_append(self.path))
        else:
            stream = self._stack.enter_context(open_atomic(self.path))
        if self.packed:
            packed = gzip.GzipFile(filename="", fileobj=stream, mode="wb", compresslevel=6, mtime=0)
            return self._stack.enter_context(io.BufferedWriter(packed, 1 << 20))
        return stream


def _has_rows(path: str) -> bool:
    """Return whether a file exists and is not empty."""
    return os.path.isfile(path) and os.path.getsize(path) > 0


def write(
    table: Table,
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    *,
    safe_cells: bool = False,
) -> None:
    """Write a table to a file; its ending gives the format: .csv, .tsv, .jsonl, .arff, .vw, .parquet, .feather.

    Content that the format cannot represent is reported as a `DataWarning`. With `safe_cells`, words that
    spreadsheets would read as formulas are preceded by an apostrophe.
    """
    with Writer(path, format, safe_cells=safe_cells) as writer:
        writer.add(table)
    for note in writer.notes:
        warnings.warn(f"{os.fspath(path)}: {note}", DataWarning, stacklevel=2)


def _header_cells(line: str, layout: type[_Csv]) -> list[str]:
    return next(csv.reader([line.rstrip("\n")], delimiter=layout.delimiter), [])


def _keys(line: str) -> list[str]:
    try:
        row = json.loads(line)
    except ValueError:
        return []
    return list(row) if isinstance(row, dict) else []


def detect_output_format(path: str, format: str | None) -> tuple[str, bool]:  # noqa: A002
    """Return the format to write and whether to compress, from the name of the file unless it is given."""
    endings = [ending.lower() for ending in Path(path).suffixes]
    packed = bool(endings) and endings[-1] == ".gz"
    if packed:
        endings.pop()
    chosen = format or ("csv" if path == "-" else endings[-1][1:] if endings else "")
    if chosen not in LAYOUTS and format not in ONLY_ON_REQUEST:
        raise UsageError(
            f"hedgerow cannot write {chosen or 'a file without ending'!r} ({path}); "
            f"use one of {listing(LAYOUTS, most=20)}"
        )
    if packed and LAYOUTS.get(chosen) in (_Parquet, _Feather):
        raise UsageError(f"{path}: {chosen} is already compressed; leave out .gz")
    return chosen, packed


def _check_same(first: Schema, other: Schema) -> None:
    if [(c.name, c.kind) for c in first.columns] != [(c.name, c.kind) for c in other.columns]:
        raise DataError(
            f"a table with the columns {listing(other.names)} cannot be appended to one with {listing(first.names)} "
            "in the same file"
        )
