"""ARFF files, complete: dense and sparse rows, weights, dates, strings, bags, quoting, comments anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from hedgerow.data.formats.arff_header import parse_header
from hedgerow.data.formats.declared import DeclaredColumns, DeclaredSource
from hedgerow.data.formats.declared_rows import DeclaredLayout, RowLocation, decode_dense
from hedgerow.data.formats.sparse_rows import decode_sparse
from hedgerow.data.table.delimited import Bytes, Dialect
from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Table

_ROW = re.compile(rb"^[ \t\r]*([^%\s][^\n]*)", re.MULTILINE)
_QUOTED = re.compile(rb"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")


class ArffSource(DeclaredSource):
    """An ARFF file, plain or compressed."""

    def read_header(self) -> DeclaredColumns:
        """Return the columns of the header."""
        return DeclaredColumns(Schema(parse_header(self.header_lines(), self.name)))

    def tables(self, declared: DeclaredColumns, *, whole: bool) -> Iterator[Table]:
        """Yield the rows under the declared columns, block by block or all at once."""
        text = self.open_blocks(whole=whole)
        parse_header(text.lines(), self.name)
        layout: DeclaredLayout | None = None
        for data, line in text.rows(Dialect.ARFF):
            first = first_row(data)
            if first and layout is None:
                layout = detect_row_layout(first, declared, self.options.missing)
            if first and layout is not None:
                yield decode(data, declared.schema, layout, RowLocation.of(self.name, data, layout.dialect, line))


def decode(data: Bytes, schema: Schema, layout: DeclaredLayout, where: RowLocation) -> Table:
    """Return the rows of a data section, or of the bags inside one."""
    read = decode_sparse if first_row(data).startswith(b"{") else decode_dense
    return read(data, schema.columns, layout, where)


def detect_row_layout(first: bytes, declared: DeclaredColumns, missing: tuple[str, ...]) -> DeclaredLayout:
    """Return how rows are written, by the first: with commas or only with blanks between the values."""
    dialect = Dialect.ARFF
    if len(declared.schema) > 1 and b"," not in _QUOTED.sub(b"", first) and not first.startswith(b"{"):
        dialect = replace(dialect, delimiter=None)

    def inner(data: Bytes, schema: Schema, where: RowLocation) -> Table:
        return decode(data, schema, detect_row_layout(first_row(data), DeclaredColumns(schema), missing), where)

    return DeclaredLayout(dialect, ("?", *missing), declared.open_levels, declared.skipped, inner)


def first_row(data: Bytes) -> bytes:
    """Return the first line that is neither blank nor a comment; empty if there is none."""
    result = _ROW.search(data)  # type: ignore[call-overload]
    return bytes(result[1]) if result else b""
