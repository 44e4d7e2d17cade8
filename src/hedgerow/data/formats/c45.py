"""C4.5 files: the columns in stem.names, the rows in stem.data (and stem.test)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from hedgerow.data.formats.c45_names import Names, parse_names
from hedgerow.data.formats.csv import CsvSource
from hedgerow.data.formats.declared import DeclaredColumns, DeclaredSource
from hedgerow.data.formats.declared_rows import DeclaredLayout, RowLocation, decode_dense
from hedgerow.data.formats.row_blocks import Blocks
from hedgerow.data.table.delimited import Dialect, split
from hedgerow.data.table.files import blocks
from hedgerow.data.table.schema import Schema
from hedgerow.data.table.source import ReadOptions, Source
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError

PACKED = ("", ".gz", ".zst")
PARTS = (".names", ".data", ".test")


class C45Source(DeclaredSource):
    """A pair of C4.5 files, opened by either name or by their common stem."""

    def __init__(self, path: str | os.PathLike[str], options: ReadOptions) -> None:
        self.names_path, rows = _pair(os.fspath(path))
        super().__init__(rows, options)

    @cached_property
    def names(self) -> Names:
        """What the names file declares."""
        lines = Blocks(self.names_path, blocks(self.names_path, self.options.encoding)).lines()
        return parse_names("\n".join(lines), self.names_path)

    def read_header(self) -> DeclaredColumns:
        """Return the columns of the names file, with the class as target."""
        return DeclaredColumns(Schema(self.names.columns, self.names.target), self.names.open_levels)

    def tables(self, declared: DeclaredColumns, *, whole: bool) -> Iterator[Table]:
        """Yield the rows under the declared columns, block by block or all at once."""
        layout = DeclaredLayout(Dialect.C45, ("?", *self.options.missing), declared.open_levels, declared.skipped)
        for data, line in self.open_blocks(whole=whole).rows():
            yield decode_dense(
                data, declared.schema.columns, layout, RowLocation.of(self.name, data, Dialect.C45, line)
            )

    def fits(self) -> bool:
        """Whether the names file is one of C4.5 and declares as many columns as the first row has."""
        try:
            columns = self.names.columns
            data, _ = next(self.open_blocks().rows())
            offsets, _, _ = split(data[: 1 << 16], Dialect.C45)
        except (DataError, StopIteration):
            return False
        return len(offsets) > 1 and int(offsets[1]) == len(columns)


def c45_source(path: str | os.PathLike[str], options: ReadOptions) -> Source:
    """Return the source for C4.5 files; rows without a names file, or with one of prose, are plain CSV."""
    is_rows = _is_part(os.fspath(path), ".data") or _is_part(os.fspath(path), ".test")
    if not is_rows:
        return C45Source(path, options)
    if not has_names(path):
        return CsvSource(path, options)
    source = C45Source(path, options)
    if source.fits():
        return source
    plain = CsvSource(path, options)
    plain.note(f"{source.names_path} does not declare these columns as C4.5 does, so their kinds are inferred")
    return plain


def has_names(path: str | os.PathLike[str]) -> bool:
    """Whether there is a names file for these rows."""
    return any(Path(_stem(os.fspath(path)) + ".names" + end).is_file() for end in PACKED)


def _stem(path: str) -> str:
    """Return the path without .gz or .zst, and without .names, .data or .test."""
    for endings in (PACKED[1:], PARTS):
        for end in endings:
            if path.lower().endswith(end):
                path = path[: -len(end)]
                break
    return path


def _pair(path: str) -> tuple[str, str]:
    """Return the paths of the names and of the rows."""
    stem = _stem(path)
    named = path if _is_part(path, ".names") else _existing(stem, ".names")
    rows = path if _is_part(path, ".data") or _is_part(path, ".test") else _existing(stem, ".data")
    return named, rows


def _is_part(path: str, part: str) -> bool:
    return any(path.lower().endswith(part + end) for end in PACKED)


def _existing(stem: str, part: str) -> str:
    for end in PACKED:
        if Path(stem + part + end).is_file():
            return stem + part + end
    raise DataError(f"there is no file {stem}{part}; C4.5 data consist of two files, {stem}.names and {stem}.data")
