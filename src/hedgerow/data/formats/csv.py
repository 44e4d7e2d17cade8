"""CSV and other delimited text: read whole and in parallel, or streamed with bounded memory."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hedgerow import _kernels
from hedgerow.data.formats.detect_layout import TextLayout, sniff
from hedgerow.data.formats.preamble import OrangeHeader, find_declared, find_preamble
from hedgerow.data.frames.infer import KindResult, KindSurvey, as_column, known_dates
from hedgerow.data.frames.number_columns import COMPACT, read_numbers
from hedgerow.data.table import files
from hedgerow.data.table.data_faults import SHOWN, match_names
from hedgerow.data.table.delimited import (
    MISSING,
    Bytes,
    Dialect,
    InvalidNumbers,
    LevelColumn,
    Mode,
    ParsedColumns,
    complete,
    parse,
    parse_numbers,
)
from hedgerow.data.table.delimited_errors import FileSection, check, encoding_error, word_in_numbers_error
from hedgerow.data.table.file_signatures import check_no_page
from hedgerow.data.table.level_codes import match_levels
from hedgerow.data.table.schema import Column, Kind, Schema, listing
from hedgerow.data.table.schema_notes import bags_hint, ignored_column_notes, sentence_column_notes, unseen_note
from hedgerow.data.table.source import BATCH_ROWS, ReadOptions, Source
from hedgerow.data.table.table import Table, Text, Values
from hedgerow.data.text.strip_mail import strip_text
from hedgerow.errors import DataError

_CODE = re.compile(r"\s*(0\d|\+\d{7})")
SAMPLE = 1 << 20  # bytes from which the layout is detected
GUESS = 1 << 18  # bytes from which the kinds are guessed first


@dataclass(frozen=True)
class FileHead:
    """The head of a file: the layout, the column names, and where the first data row begins."""

    layout: TextLayout
    names: tuple[str, ...]
    start: int
    first_line: int
    unnamed: frozenset[str] = frozenset()  # names of columns that have none in the file
    declared: OrangeHeader | None = None


class CsvSource(Source):
    """Delimited text in a file or on standard input.

    Without a declared schema, standard input is held in memory, since finding the schema takes a pass of its
    own. `block` is how many bytes are read at a time when streaming.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        options: ReadOptions,
        threads: int | None = None,
        block: int = files.BLOCK,
    ) -> None:
        super().__init__(files.format_path(path), options)
        self.path = path
        self.threads = threads
        self.block = block
        self._zeros: list[str] = []
        self.missing = tuple(dict.fromkeys((*MISSING, *options.missing)))

    @cached_property
    def _unseen(self) -> dict[str, dict[str, None]]:
        """Levels that a declared schema does not know, by column."""
        return {}

    @cached_property
    def new_levels(self) -> dict[str, list[str]]:
        """The same of the last rows that were read, all of them."""
        return {}

    kept_properties = frozenset({"_held"})

    def read(self) -> Table:
        """Return all rows in one table, parsed by all processors."""
        data = self._load()
        opening = self._opening(data)
        place = FileSection(self.name, data[opening.start :], opening.layout.dialect, opening.first_line)
        if self.options.schema is not None:
            table = self._table(opening, place, self.options.schema)
        else:
            table = self._infer_table(opening, place)
        self._require_rows(table.n_rows)
        return table

    def find_schema(self) -> Schema:
        """Determine kinds and levels in a pass over the file, or from the declared schema."""
        if self.options.schema is not None:
            return self.options.schema
        survey = None
        while survey is None or survey.pending:
            n_rows = 0
            for opening, place in self._sections():
                survey = survey or self._survey(opening, place)
                parsed = self._parse_section(place, survey.modes, survey.known)
                survey.add(parsed, place)
                n_rows += parsed.n_rows
            self._require_rows(n_rows)
            assert survey is not None
            survey.end_pass()
        schema = survey.schema()
        self._add_notes(schema, survey.notes)
        return schema

    def batches(self, rows: int = BATCH_ROWS) -> Iterator[Table]:
        """Yield the rows in order; memory holds a block of the file and its columns."""
        schema = self.schema
        n_rows = 0
        for opening, place in self._sections():
            table = self._table(opening, place, schema)
            n_rows += table.n_rows
            yield from table.batches(rows)
        self._require_rows(n_rows)

    def growing(self, grown: Callable[[CsvSource, Schema], Schema | None]) -> Iterator[Table]:
        """Yield the rows in order, under a schema that `grown` may add to where a block has `new_levels` levels."""
        schema = self.schema
        for opening, place in self._sections():
            self.new_levels.clear()
            table = self._table(opening, place, schema)
            more = grown(self, schema)
            if more is not None:
                schema = more
                table = self._table(opening, place, schema)
            yield from table.batches(BATCH_ROWS)

    def parse_opening(self, head: Bytes) -> FileHead:
        """Return the head of a text from its first lines, for rows that are read one by one."""
        return self._opening(head)

    def parse_rows(self, opening: FileHead, place: FileSection, schema: Schema) -> Table:
        """Return rows that follow such lines."""
        return self._table(opening, place, schema)

    def forget_unseen(self, name: str) -> None:
        """Remove the note on unknown levels of a column."""
        self._unseen.pop(name, None)
        for told in [note for note in self.notes if note.startswith(f"column {name!r}:")]:
            del self.notes[told]

    def _load(self) -> Bytes:
        """Return the whole content."""
        return self._held if self._is_stdin else files.load(self.path, self.options.encoding, self.witness)

    @property
    def _is_stdin(self) -> bool:
        return files.format_path(self.path) == "standard input"  # whatever it is called

    @cached_property
    def _held(self) -> Bytes:
        """Standard input, which can be read only once."""
        return files.load(self.path, self.options.encoding)

    def _pieces(self) -> Iterator[Bytes]:
        """Yield the content in blocks; standard input can be read only once, so it may have to be kept."""
        if self._is_stdin and (self.options.schema is None or "_held" in self.__dict__):
            for start in range(0, len(self._held), self.block):
                yield self._held[start : start + self.block]
        else:
            yield from files.blocks(self.path, self.options.encoding, self.block, self.witness)

    def _sections(self) -> Iterator[tuple[FileHead, FileSection]]:
        """Yield the data rows in stretches that end where a row ends."""
        opening: FileHead | None = None
        rest, line, least = np.empty(0, dtype=np.uint8), 1, 0
        for piece in self._pieces():
            rest = np.concatenate([rest, piece]) if len(rest) else piece
            if len(rest) < least or (opening is None and len(rest) < SAMPLE):
                continue
            if opening is None and not _has_newline(rest):
                least = 2 * len(rest)
                continue
            opening = opening or self._opening(rest)
            cut = complete(rest, opening.layout.dialect)
            least = 0 if cut else 2 * len(rest)  # a long row: double the stretch until it ends
            if cut:
                yield from self._section(opening, rest[:cut], line)
                line += _kernels.count_lines(rest[:cut])
                rest = rest[cut:]
        opening = opening or self._opening(rest)
        yield from self._section(opening, rest, line)

    def _section(self, opening: FileHead, data: Bytes, line: int) -> Iterator[tuple[FileHead, FileSection]]:
        dialect = opening.layout.dialect
        if line == 1:  # the header is in the first stretch
            data, line = data[opening.start :], opening.first_line
        if len(data):
            yield opening, FileSection(self.name, data, dialect, line)

    def _opening(self, data: Bytes) -> FileHead:
        head = data[:SAMPLE]
        if not len(head) or head.tobytes().isspace():
            raise DataError(f"{self.name} is empty; give a file with a header line and data rows")
        if not _has_newline(head):  # one very long line
            head = data[: _first_newline(data) + 1]
        check_no_page(head.tobytes(), self.name)
        suffix = files.suffix(self.path)
        preamble = find_preamble(head, self.options, suffix)
        if preamble.note:
            self.note(preamble.note)
        skipped, table = preamble.size, data[preamble.size :]
        layout = sniff(head[skipped:], replace(self.options, delimiter=preamble.delimiter), suffix)
        line = 1 + int(np.count_nonzero(data[:skipped] == ord("\n")))
        self._check_head(head[skipped:], layout, line)
        layout = self._complete_header(layout)
        declared = self.options.schema
        if declared is not None and self.options.header is None:
            layout = _use_declared_header(layout, declared)
        if layout.header_note:
            self.note(layout.header_note)
        orange = find_declared(layout) if self.options.header is not False else None
        if orange is not None:
            layout = replace(layout, has_header=True, rows=(orange.names, *layout.rows[orange.rows :]))
        names = layout.names(self.name)
        self._zeros = _columns_with_leading_zeros(names, layout)
        if declared is not None and not layout.has_header:
            names = _declared_names(names, declared)
            self.note("there is no header line: the columns are assumed to be in the model's order")
        if declared is not None and self.options.faults is not None:
            names = self.options.faults.rename(names, declared, self.name)
        if not layout.has_header:
            return FileHead(layout, names, skipped, line)
        n_rows = 1 if orange is None else orange.rows
        start = skipped + _rows_end(table, layout.dialect, n_rows)
        line = 1 + int(np.count_nonzero(data[:start] == ord("\n")))
        unnamed = frozenset(name for name, cell in zip(names, layout.rows[0], strict=True) if not cell.strip())
        return FileHead(layout, names, start, line, unnamed, orange)

    def _complete_header(self, layout: TextLayout) -> TextLayout:
        """Return the layout with a name for the first or the last field of rows that have one more than the header."""
        first, *rows = layout.rows or ((),)
        if self.options.header is False or not rows or any(len(row) != len(first) + 1 for row in rows):
            return layout
        if not any(row[-1].strip() for row in rows):
            return replace(layout, has_header=True, header_note="", rows=((*first, ""), *rows))
        name = "row" if "row" not in first else "row_"
        self.note(f"the rows have one field more than the header, so their first field is called {name!r}")
        return replace(layout, has_header=True, header_note="", rows=((name, *first), *rows))

    def _check_head(self, head: Bytes, layout: TextLayout, line: int) -> None:
        """Raise an error if the first row cannot be read, for then no names can be had."""
        place = FileSection(self.name, head, layout.dialect, line)
        bad = _kernels.find_bad_utf8(head[: _first_newline(head)])
        if bad >= 0:
            raise encoding_error(place, bad)
        if not layout.rows:
            check(parse(head, layout.dialect, [Mode.SKIP], self.missing, threads=1), place, 1)

    def _parse_section(
        self, place: FileSection, modes: Sequence[Mode], known: dict[int, list[str]] | None = None
    ) -> ParsedColumns:
        parsed = parse(place.data, place.dialect, modes, self.missing, known, self.threads)
        check(parsed, place, len(modes))
        return parsed

    def _survey(self, opening: FileHead, place: FileSection) -> KindSurvey:
        options = self.options if opening.declared is None else opening.declared.complete(self.options)
        survey = KindSurvey(
            self.name, opening.names, options, place.dialect.delimiter, codes=self._zeros, unnamed=opening.unnamed
        )
        cut = complete(place.data[:GUESS], place.dialect)
        sample = FileSection(self.name, place.data[: cut or len(place.data)], place.dialect, place.first_line)
        words = survey.guess_numbers(self._parse_section(sample, [Mode.NUMERIC] * len(opening.names)))
        survey.guess_words(self._parse_section(sample, words))
        return survey

    def _infer_table(self, opening: FileHead, place: FileSection) -> Table:
        survey = self._survey(opening, place)
        result: dict[int, KindResult] = {}
        n_rows = 0
        while survey.pending:
            parsed = self._parse_section(place, survey.modes, survey.known)
            n_rows = parsed.n_rows
            self._require_rows(n_rows)
            survey.add(parsed, place)
            result |= {i: values for i, values in enumerate(parsed.columns) if values is not None}
            survey.end_pass()
        schema = survey.schema()
        self._add_notes(schema, survey.notes)
        places = [opening.names.index(column.name) for column in schema.columns]
        data = tuple(as_column(result[i], column) for i, column in zip(places, schema.columns, strict=True))
        return Table(schema, data, n_rows)

    def _table(self, opening: FileHead, place: FileSection, schema: Schema) -> Table:
        """Parse a stretch of rows under a schema that is known beforehand."""
        self._match([name for name in opening.names if name in schema or name not in opening.unnamed], schema)
        faults = self.options.faults
        read = {name for name in opening.names if name in schema and (faults is None or faults.reads(name))}
        modes = [_mode(schema[name]) if name in read else Mode.SKIP for name in opening.names]
        where = {name: position for position, name in enumerate(opening.names)}
        known = {where[c.name]: list(c.levels) for c in schema.columns if c.levels and c.name in where}
        parsed = self._parse_section(place, modes, known)
        data = []
        for column in schema.columns:
            position = where.get(column.name)
            if position is None or column.name not in read:
                data.append(_all_missing(column, parsed.n_rows))
                continue
            data.append(self._section_values(column, parsed, position, place))
        return Table(schema, tuple(data), parsed.n_rows)

    def _section_values(self, column: Column, parsed: ParsedColumns, position: int, place: FileSection) -> Values:
        """Return the values of a column of a stretch; words in a numeric column are read as its numbers are written."""
        values, strays = parsed.columns[position], parsed.strays[position]
        if strays.n_words and not strays.infinite:
            values = self._as_words(place, position, len(parsed.columns))
        if column.date is not None:
            strays = InvalidNumbers()
        elif column.kind is Kind.NUMERIC and isinstance(values, Text | LevelColumn):
            values, strays = read_numbers(values, column, self.options.decimal)
        if (strays.n_words or strays.infinite) and not column.ignored:
            return self._without_words(column, values, strays, place)
        return self._values(column, values, place)

    def _as_words(self, place: FileSection, position: int, n_columns: int) -> KindResult | None:
        """Parse a single column of a stretch again, as words."""
        modes = [Mode.SKIP] * n_columns
        modes[position] = Mode.TEXT
        return self._parse_section(place, modes).columns[position]

    def _without_words(
        self, column: Column, values: KindResult | None, strays: InvalidNumbers, place: FileSection
    ) -> Values:
        """Return a numeric column with its words as missing values; raise an error if they must not be there."""
        lines = [place.line_of(row) for row, _ in strays.first]
        faults = self.options.faults
        if faults is None or faults.strict:
            is_settled = self.options.schema is not None
            raise word_in_numbers_error(column.name, strays, lines, self.name, is_settled, can_have_header=True)
        assert isinstance(values, np.ndarray)
        faults.add_words(column.name, strays.n_words + strays.infinite, lines)
        return np.where(np.isfinite(values), values, np.nan)

    def _values(self, column: Column, values: KindResult | None, place: FileSection) -> Values:
        if column.kind is Kind.NOMINAL and isinstance(values, LevelColumn) and len(values.levels) > len(column.levels):
            places = np.array([*match_levels(values.levels, column.levels), -1], dtype=np.int32)
            new = [level for level, place in zip(values.levels, places.tolist(), strict=False) if place < 0]
            if new:
                self.new_levels[column.name] = new
                self._unseen.setdefault(column.name, {}).update(dict.fromkeys(new[:100]))
                known = self._unseen[column.name]
                self.forget_unseen(column.name)
                self._unseen[column.name] = known
                self.note(unseen_note(column.name, known))
            return places[values.codes]
        assert values is not None
        faults = self.options.faults
        if column.date is not None and isinstance(values, LevelColumn) and faults is not None and not faults.strict:
            seconds = known_dates(values, column)
            strange = np.flatnonzero(np.isnan(seconds) & (values.codes >= 0))
            lines = [place.line_of(row) for row in strange[:SHOWN].tolist()]
            faults.add_words(column.name, len(strange), lines, what="date")
            return seconds
        try:
            found = as_column(values, column)
            return strip_text(found, column.stripped) if isinstance(found, Text) else found
        except DataError as problem:
            raise DataError(f"{self.name}: {problem}") from None

    def _match(self, names: Sequence[str], schema: Schema) -> None:
        """Compare the columns of the file with a declared schema: all but the target must be there."""
        present = set(names)
        absent = [c.name for c in schema.columns if c.name not in present and not _may_lack(c, schema)]
        if absent and self.options.faults is None:
            raise DataError(
                f"{self.name} lacks {len(absent)} column{'s' * (len(absent) > 1)} that the model needs: "
                f"{listing(absent)}; it has {listing(names)}{bags_hint(absent, schema)}"
            )
        extra = [name for name in names if name not in schema]
        if extra:
            self.note(f"ignored columns that the model does not use: {listing(extra)}")

    def _require_rows(self, n_rows: int) -> None:
        if not n_rows and self.options.faults is None:
            raise DataError(f"{self.name} has no data rows, only a header; add rows, or use --no-header")

    def _add_notes(self, schema: Schema, conversions: Sequence[str]) -> None:
        known = (*ignored_column_notes(schema), *sentence_column_notes(schema, self.options.kinds))
        for sentence in (*conversions, *known):
            self.note(sentence)


def _has_newline(data: Bytes) -> bool:
    return bool((data == ord("\n")).any())


def _first_newline(data: Bytes) -> int:
    """Return the position of the first newline, or the end; looks no further than it must."""
    size = SAMPLE
    while size < len(data) and not _has_newline(data[:size]):
        size *= 2
    ends = np.flatnonzero(data[:size] == ord("\n"))
    return int(ends[0]) if len(ends) else len(data)


def _rows_end(data: Bytes, dialect: Dialect, n_rows: int) -> int:
    """Return where the first rows end."""
    if n_rows == 1:
        return _first_row_end(data, dialect)
    starts = _kernels.find_row_starts(data[:SAMPLE], dialect.settings)
    return int(starts[n_rows]) if len(starts) > n_rows else len(data)


def _first_row_end(data: Bytes, dialect: Dialect) -> int:
    head = data[: max(SAMPLE, _first_newline(data) + 1)]
    begin = _kernels.find_row_starts(head, dialect.settings)[:1]
    cut = int(_kernels.find_row_cuts(head, dialect.settings, begin)[0])
    return cut if cut < len(head) else int(_kernels.find_row_cuts(data, dialect.settings, begin)[0])


def _may_lack(column: Column, schema: Schema) -> bool:
    return column.name == schema.target or bool(column.ignored)


def _mode(column: Column) -> Mode:
    if column.kind is Kind.BAG:
        raise DataError(f"column {column.name!r} holds bags, which delimited text cannot represent; use an ARFF file")
    if column.form is not None:
        return Mode.TEXT
    return Mode.NOMINAL if column.date not in (None, COMPACT) else Mode[column.kind.name]


def _all_missing(column: Column, n_rows: int) -> Values:
    if column.kind is Kind.NUMERIC:
        return np.full(n_rows, np.nan)
    empty = LevelColumn(np.full(n_rows, -1, dtype=np.int32), [])
    return as_column(empty, column)


def _use_declared_header(layout: TextLayout, schema: Schema) -> TextLayout:
    """Take the first row as the header if it names columns of the schema: one by a word, or most of them by numbers."""
    cells = [cell.strip() for cell in layout.rows[0]]
    matched = match_names(cells, schema.names)
    named = [cell for cell in cells if cell in matched]
    is_header = 2 * len(named) > len(layout.rows[0]) or bool(np.isnan(parse_numbers(named)).any())
    return replace(layout, has_header=True, header_note="") if is_header else layout


def _columns_with_leading_zeros(names: Sequence[str], layout: TextLayout) -> list[str]:
    """Return the columns that look like codes, such as 01234, in the first rows."""
    rows = layout.rows[1:] if layout.has_header else layout.rows
    return [name for name, cells in zip(names, zip(*rows, strict=False), strict=False) if any(map(_CODE.match, cells))]


def _declared_names(names: tuple[str, ...], schema: Schema) -> tuple[str, ...]:
    """Name the columns of a file without a header by the schema's order, with or without the target."""
    wanted = schema.names
    if len(names) == len(wanted) - 1 and schema.target is not None:
        wanted = tuple(name for name in wanted if name != schema.target)
    return wanted if len(wanted) == len(names) else names
