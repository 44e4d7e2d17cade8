"""Rows of standard input, passed on as soon as they arrive; the schema is inferred from the first of them."""

from __future__ import annotations

import codecs
import select
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import IO, Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.formats.csv import CsvSource, FileHead
from hedgerow.data.formats.svmlight import FEW
from hedgerow.data.formats.vw import FeaturesSource, Lines, VwSource
from hedgerow.data.table import file_signatures
from hedgerow.data.table.delimited import complete
from hedgerow.data.table.delimited_errors import FileSection
from hedgerow.data.table.files import MARKS, Bytes, blocks, decompress
from hedgerow.data.table.schema import Schema
from hedgerow.data.table.source import ReadOptions, Source
from hedgerow.data.table.table import Table
from hedgerow.data.text.hashed_text import Hashing
from hedgerow.errors import DataError, UsageError
from hedgerow.layout.numbers import format_number

Few = Callable[[str], tuple[str, ...]]
LiveSource = Callable[[Schema, Few], Schema]
PIECE = 1 << 22  # bytes that are taken at a time, if so many are there
MAX_WAIT = 0.002  # seconds that more bytes are waited for
MOST_LEVELS = 10_000  # of a column, as they come; more count as missing
NEWLINE = ord("\n")


class StreamedTables(ABC):
    """Rows that come through a pipe, or are typed: tables of as many whole rows as there are at the moment.

    Parameters
    ----------
    options
        How to read; a declared schema is taken as it is.
    head
        From how many rows the schema is found, if none is declared. They are held back until there are so many, or no
        more come.
    stream
        Where the bytes come from; standard input if none.
    """

    def __init__(self, options: ReadOptions, head: int, stream: IO[bytes] | None = None) -> None:
        self.options, self.head, self.stream = options, head, stream
        self.source = self.make_source(options)
        self.line = 1  # of the row that comes next
        self.typed: LiveSource | None = None  # settles the target of a schema that was found
        self._schema = options.schema

    @property
    def schema(self) -> Schema:
        """The schema, once the first table has been had or one was declared."""
        assert self._schema is not None
        return self._schema

    @property
    def notes(self) -> dict[str, None]:
        """Notes of the rows."""
        result: dict[str, None] = self.source.notes
        return result

    @abstractmethod
    def make_source(self, options: ReadOptions) -> Any:
        """Return a source of the format, which knows how to read rows."""

    def start(self, first: Bytes) -> Bytes:
        """Examine the first lines; return those that contain rows."""
        return first

    def cut(self, data: Bytes) -> int:
        """Return how many bytes are whole rows."""
        ends = np.flatnonzero(data == NEWLINE)
        return int(ends[-1]) + 1 if len(ends) else 0

    @abstractmethod
    def table(self, data: Bytes, line: int) -> Table:
        """Return whole rows as a table; `line` is the number of the first."""

    def tables(self) -> Iterator[Table]:
        """Yield the rows in order: as many as are there, and never none."""
        left, started = np.empty(0, dtype=np.uint8), False
        for piece in _append_end(pieces(self.stream, self.options.encoding)):
            is_last = piece is None
            if piece is not None:
                left = np.concatenate([left, piece]) if len(left) else piece
            if not started:
                needed = 1 if self._schema is not None else self.head + 1  # the header is a line too
                if not is_last and _kernels.count_lines(left) - (left[-1] != NEWLINE) < needed:
                    continue
                if not len(left) or left.tobytes().isspace():
                    raise DataError("standard input is empty; it needs at least one row")
                self._settle_schema(left, is_last)
                left, started = self.start(left), True
            cut = len(left) if is_last else self.cut(left)
            if not cut:
                continue
            rows, left = left[:cut], left[cut:]
            if not rows.tobytes().isspace():
                table = self.table(rows, self.line)
                if table.n_rows:
                    yield table
            self.line += int(np.count_nonzero(rows == NEWLINE))

    def _settle_schema(self, left: Bytes, is_last: bool) -> None:
        """Find the schema from the first rows, if none is declared."""
        if self._schema is not None:
            return
        whole = left if is_last else left[: self.cut(left)]
        ends = np.flatnonzero(whole == NEWLINE)
        if len(ends) > self.head:  # always as many rows, however they came
            whole = whole[: int(ends[self.head]) + 1]
        self.source.__dict__["_held"] = whole
        self._schema = self.source.schema
        if self.typed is not None:
            self._schema = self.typed(self._schema, lambda name: few_numbers(self.source, name))
        del self.source.__dict__["_held"]


class StreamedCsv(StreamedTables):
    """Delimited text; its first line names the columns."""

    source: CsvSource
    opening: FileHead

    def make_source(self, options: ReadOptions) -> CsvSource:
        """Return the source of delimited text."""
        return CsvSource("-", options)

    def start(self, first: Bytes) -> Bytes:
        """Find the layout and the names of the columns."""
        self.opening = self.source.parse_opening(first)
        self.line = self.opening.first_line
        return first[self.opening.start :]

    def cut(self, data: Bytes) -> int:
        """Return how many bytes are whole rows, none of which ends inside quotes."""
        if not hasattr(self, "opening"):
            return super().cut(data)
        return complete(data, self.opening.layout.dialect)

    def table(self, data: Bytes, line: int) -> Table:
        """Return rows as a table; levels that come for the first time are taken into the schema."""
        table = self._rows(data, line)
        grown = add_new_levels(self.source, self.schema)
        if grown is None:
            return table
        self._schema = grown
        return self._rows(data, line)

    def _rows(self, data: Bytes, line: int) -> Table:
        self.source.new_levels.clear()
        place = FileSection("standard input", data, self.opening.layout.dialect, line)
        return self.source.parse_rows(self.opening, place, self.schema)


def add_new_levels(source: CsvSource, schema: Schema) -> Schema | None:
    """Return a schema with the new levels of a block, as far as there is room for them; None if there are none."""
    changed = {}
    for name, new in source.new_levels.items():
        column = schema[name]
        more = tuple(new[: max(0, MOST_LEVELS - len(column.levels))])
        if name != schema.target and not column.ignored and more:
            changed[name] = replace(column, levels=column.levels + more)
            source.forget_unseen(name)
    return schema.with_columns(changed) if changed else None


class StreamedVw(StreamedTables):
    """Lines of VW."""

    source: VwSource
    kind: type[VwSource] = VwSource
    hashing: Hashing | None = None  # of features that are hashed as they are read

    def set_hashing(self, hashing: Hashing) -> None:
        """Hash the features of rows that come from now on as they are read."""
        self.hashing, self._reader = hashing, hashing.reader()

    def make_source(self, options: ReadOptions) -> VwSource:
        """Return the source of VW's lines."""
        return self.kind("-", options)

    def table(self, data: Bytes, line: int) -> Table:
        """Return rows as a table."""
        how = {} if self.hashing is None else {"reader": self._reader.read_lines, "hashing": self.hashing}
        lines = Lines.of("standard input", data, line, plain=self.kind.plain, **how)
        return self.source.table(lines, self.schema)


class StreamedFeatures(StreamedVw):
    """Lines of svmlight, their pairs as the features of one text."""

    kind = FeaturesSource


def open_stream(options: ReadOptions, format: str | None, head: int, stream: IO[bytes] | None = None) -> StreamedTables:  # noqa: A002
    """Return the rows of standard input as they come, in one of the formats that can be read line by line."""
    kinds: dict[str, type[StreamedTables]] = {
        "csv": StreamedCsv,
        "tsv": StreamedCsv,
        "vw": StreamedVw,
        "svmlight": StreamedFeatures,
    }
    name = format or "csv"
    if name not in kinds:
        raise UsageError(f"rows of the format {name!r} cannot be read one at a time; use {', '.join(kinds)}")
    return kinds[name](options, head, stream)


def pieces(stream: IO[bytes] | None, encoding: str) -> Iterator[Bytes]:
    """Yield bytes as they come, decompressed and as UTF-8, without waiting for more."""
    raw: Any = sys.stdin.buffer if stream is None else stream
    _enlarge_pipe_buffer(raw)
    head = raw.peek(file_signatures.HEAD)[: file_signatures.HEAD]
    file: Any = decompress(raw, head, "standard input")
    first = True
    decoder: Any = None
    while piece := _read_available(file, raw):
        if first:
            mark, text = next(((m, e) for m, e in MARKS if piece.startswith(m)), (b"", ""))
            encoding = text if text and codecs.lookup(encoding).name == "utf-8" else codecs.lookup(encoding).name
            piece = piece[len(mark) :] if encoding not in ("utf-16", "utf-32") else piece
            decoder = None if encoding == "utf-8" else codecs.getincrementaldecoder(encoding)()
            first = False
        if decoder is not None:
            piece = decoder.decode(piece).encode()
        if piece:
            yield np.frombuffer(piece, dtype=np.uint8)


def _read_available(file: Any, raw: Any) -> bytes:
    """Return the bytes that are there, of a pipe that is filled quickly many at a time; none at the end.

    How many come at a time does not matter for what is learned, but few rows at a time are slow.
    """
    take = getattr(file, "read1", file.read)
    pieces = [take(PIECE)]
    size = len(pieces[0])
    while pieces[-1] and size < PIECE and _has_more(raw):
        pieces.append(take(PIECE))
        size += len(pieces[-1])
    return b"".join(pieces)


def _has_more(raw: Any) -> bool:
    """Return whether more bytes come within a moment."""
    try:
        return bool(select.select([raw.fileno()], [], [], MAX_WAIT)[0])
    except (OSError, ValueError):  # no pipe
        return False


def _enlarge_pipe_buffer(raw: Any) -> None:
    """Enlarge the buffer of a pipe, if the system supports it."""
    with suppress(ImportError, OSError, ValueError, AttributeError):
        import fcntl

        fcntl.fcntl(raw.fileno(), fcntl.F_SETPIPE_SZ, 1 << 20)


def _append_end(items: Iterator[Bytes]) -> Iterator[Bytes | None]:
    """Yield the available items, and None at the end."""
    yield from items
    yield None


def few_numbers(source: Source, name: str) -> tuple[str, ...]:
    """Return the distinct numbers of a column in order, if they are few and whole; else empty."""
    distinct: set[float] = set()
    for table in source.batches():
        values = table.numbers(table.schema.index(name))
        distinct.update(np.unique(values[~np.isnan(values)]).tolist())
        if len(distinct) > FEW or not all(value.is_integer() for value in distinct):
            return ()
    return tuple(map(format_number, sorted(distinct)))


def first_rows(source: Source, n: int) -> Schema:
    """Return the schema of a file's first rows, found without reading on to its end."""
    path = getattr(source, "path", None)
    if path is None or not hasattr(type(source), "_held"):
        raise UsageError("the columns of this format are not inferred from its first rows; leave out --first")
    data = np.empty(0, dtype=np.uint8)
    for piece in blocks(path, source.options.encoding):
        data = np.concatenate([data, piece]) if len(data) else piece
        ends = np.flatnonzero(data == NEWLINE)
        if len(ends) > n:
            data = data[: int(ends[n]) + 1]
            break
    head = type(source)("-", source.options)
    head.__dict__["_held"] = data
    head.name = source.name
    return head.schema
