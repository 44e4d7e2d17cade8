"""Spreadsheets and SQLite databases: their cells are written as delimited text, and read as such.

So numbers stored as text, headers and dates are recognized by the rules for CSV.
"""

from __future__ import annotations

import csv
import io
import os
import re
import sqlite3
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from functools import cached_property
from typing import Any

import numpy as np

from hedgerow.data.formats.csv import CsvSource
from hedgerow.data.table.delimited import Bytes
from hedgerow.data.table.files import format_path
from hedgerow.data.table.schema import listing
from hedgerow.data.table.source import ReadOptions
from hedgerow.errors import DataError
from hedgerow.layout.quotes import quote_for_shell

MOST_CELLS = 50_000_000  # of a sheet; one with a stray cell far away would fill the memory
_GROUPED = re.compile(r"-?\d{1,3}\.\d{3}")
_SIZE = re.compile(rb'<dimension ref="[A-Z]+\d+:([A-Z]+)(\d+)"')


class CellsSource(CsvSource):
    """A table of cells, held in memory as delimited text."""

    kept_properties = frozenset({"_held", "_cells"})

    def __init__(self, path: str | os.PathLike[str], options: ReadOptions) -> None:
        super().__init__(path, replace(options, delimiter=",", quote='"'))

    @cached_property
    def _cells(self) -> Bytes:
        raise NotImplementedError

    def _load(self) -> Bytes:
        self.witness.check(self.path)
        return self._cells

    def _pieces(self) -> Iterator[Bytes]:
        whole = self._load()
        for start in range(0, len(whole), self.block):
            yield whole[start : start + self.block]


class SheetSource(CellsSource):
    """A sheet of a workbook of Excel or OpenDocument: the one that is named, or the visible one with most cells."""

    @cached_property
    def _cells(self) -> Bytes:
        try:
            from python_calamine import CalamineError, CalamineWorkbook
        except ImportError:
            raise DataError(
                f"{self.name} is a workbook; to read it, install python-calamine (pip install 'hedgerow[excel]'), or "
                "save the sheet as CSV"
            ) from None
        try:
            _check_size(self.path)
            book = CalamineWorkbook.from_path(os.fspath(self.path))
            rows = self._choose(book)
        except FileNotFoundError:
            raise DataError(f"there is no file {self.name}; check the path") from None
        except (CalamineError, OSError, ValueError) as problem:
            if isinstance(problem, DataError):
                raise
            reason = " ".join(str(problem).split())[:200]
            raise DataError(f"{self.name} cannot be read as a workbook ({reason}); save the sheet as CSV") from None
        return _write_rows(_same_dates(rows))

    def _choose(self, book: Any) -> list[list[Any]]:
        names = list(book.sheet_names)
        if self.options.sheet is not None:
            return self._rows(book, _find_sheet(names, self.options.sheet, self.name))
        visible = [about.name for about in book.sheets_metadata if str(about.visible).endswith("Visible")]
        tables = {name: self._rows(book, name) for name in visible or names}
        chosen = max(tables, key=lambda name: sum(cell != "" for row in tables[name] for cell in row), default=None)
        if chosen is None or not tables[chosen]:
            raise DataError(f"{self.name} holds no sheet with cells; name a workbook with a table")
        others = [name for name in names if name != chosen]
        if others:
            self.note(f"the sheet {chosen!r} is read; --sheet (in Python, sheet=) names another: {listing(others)}")
        return tables[chosen]

    def _rows(self, book: Any, name: str) -> list[list[Any]]:
        rows: list[list[Any]] = book.get_sheet_by_name(name).to_python()
        return rows


def _find_sheet(names: Sequence[str], wanted: str, file: str) -> str:
    """Return the name of a sheet that is given by its name or its number, from 1."""
    if wanted in names:
        return wanted
    if wanted.isdecimal() and 1 <= int(wanted) <= len(names):
        return names[int(wanted) - 1]
    raise DataError(f"{file} has no sheet {wanted!r}; the sheets are {listing(names)}")


def _check_size(path: str | os.PathLike[str]) -> None:
    """Raise an error if a sheet would be too large for the memory; only .xlsx tells before it is read."""
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                with archive.open(name) as sheet:
                    size = _SIZE.search(sheet.read(4096))
                if size is not None and _column_number(size[1].decode()) * int(size[2]) > MOST_CELLS:
                    raise DataError(
                        f"{format_path(path)}: a sheet has cells up to {size[1].decode()}{size[2].decode()}, which are "
                        "too many; delete the empty rows and columns behind the table, or save it as CSV"
                    )


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def _same_dates(rows: list[list[Any]]) -> list[list[Any]]:
    """Write the dates of a column as moments if some of its values are: workbooks do not tell midnight from a day."""
    moments = {place for row in rows for place, cell in enumerate(row) if isinstance(cell, datetime)}
    for row in rows if moments else ():
        for place in moments:
            if type(row[place]) is date:
                row[place] = datetime.combine(row[place], time())
    return rows


def _write_rows(rows: Iterable[Iterable[Any]]) -> Bytes:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([_format_cell(cell) for cell in row] for row in rows)
    return np.frombuffer(stream.getvalue().encode("utf-8", "replace"), dtype=np.uint8)


def _format_cell(cell: Any) -> str:
    """Return a cell as text that is read back as the same value."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        text = str(int(cell)) if cell.is_integer() and abs(cell) < 1e16 else repr(cell)
        return text + "0" if _GROUPED.fullmatch(text) else text  # cannot be taken for thousands
    if isinstance(cell, datetime):
        return cell.isoformat(timespec="milliseconds" if cell.microsecond else "seconds")
    if isinstance(cell, date | time):
        return cell.isoformat()
    return str(cell.total_seconds()) if isinstance(cell, timedelta) else str(cell)


class SqliteSource(CellsSource):
    """A table or view of an SQLite database: the one that is named, or the only one."""

    def __init__(self, path: str | os.PathLike[str], options: ReadOptions) -> None:
        super().__init__(path, replace(options, header=True))

    @cached_property
    def _cells(self) -> Bytes:
        if not os.path.exists(self.path):
            raise DataError(f"there is no file {self.name}; check the path")
        where = f"file:{os.path.abspath(self.path)}?mode=ro".replace("#", "%23")
        try:
            with closing(sqlite3.connect(where, uri=True)) as database:
                quoted = '"' + self._table_name(database).replace('"', '""') + '"'
                rows = database.execute(f"SELECT * FROM {quoted}")  # noqa: S608  (a name of the database itself)
                names = [about[0] for about in rows.description]
                return _write_rows([names, *(map(self._plain, row) for row in rows)])
        except sqlite3.Error as problem:
            raise DataError(f"{self.name} cannot be read as an SQLite database ({problem}); export it as CSV") from None

    def _table_name(self, database: sqlite3.Connection) -> str:
        found = database.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite!_%' ESCAPE '!' "
            "ORDER BY rowid"
        )
        names = [name for (name,) in found]
        wanted = self.options.table
        if wanted is not None and wanted not in names:
            raise DataError(f"{self.name} has no table {wanted!r}; the tables are {listing(names)}")
        if wanted is None and len(names) != 1:
            hint = f"name one with --table, as in --table {quote_for_shell(names[0])}" if names else "name another file"
            raise DataError(f"{self.name} holds {len(names)} tables ({listing(names)}); {hint} (in Python, table=)")
        return wanted or str(names[0])

    def _plain(self, value: Any) -> Any:
        if isinstance(value, bytes):
            raise DataError(f"{self.name}: the table holds binary values; select its other columns in a view")
        return value
