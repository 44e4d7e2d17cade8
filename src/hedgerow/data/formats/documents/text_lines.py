"""Files with one document per line, and how to distinguish them from tables whose name also ends in .txt."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from hedgerow.data.formats.csv import CsvSource
from hedgerow.data.formats.detect_layout import fits_table
from hedgerow.data.formats.documents.documents import Document, DocumentsFile
from hedgerow.data.formats.documents.encodings import convert_to_utf8
from hedgerow.data.table import files
from hedgerow.data.table.schema_notes import PROSE
from hedgerow.data.table.source import ReadOptions, Source
from hedgerow.errors import DataError


class LinesSource(DocumentsFile):
    """A text file each line of which is a document; a blank line is an empty one, so that rows are lines."""

    document_noun = "line"

    def documents(self) -> Iterator[Document]:
        """Yield the lines in order."""
        number = 0
        for number, line in enumerate(self._lines(), start=1):
            yield Document(f"number {number}", *convert_to_utf8(line, self.document_encoding, marked=False))
        if not number:
            raise DataError(f"{self.name} is empty; it needs one line per document")

    def _lines(self) -> Iterator[bytes]:
        rest: list[bytes] = []  # of a line that continues in the next piece
        for piece in self.pieces():
            first, *others = piece.split(b"\n")
            rest.append(first)
            if others:
                yield b"".join(rest).removesuffix(b"\r")
                yield from (line.removesuffix(b"\r") for line in others[:-1])
                rest = others[-1:]
        if last := b"".join(rest):
            yield last.removesuffix(b"\r")


def txt_source(path: str | os.PathLike[str], options: ReadOptions) -> Source:
    """Return the source for a file whose name ends in .txt: a table if a delimiter fits, else one document per line."""
    options_given = (options.delimiter, options.header, options.quote)
    if os.fspath(path) == "-" or any(one is not None for one in options_given) or not _is_prose(path, options):
        return CsvSource(path, options)
    source = LinesSource(path, options)
    source.note("no delimiter fits, so each line is read as a document; use --format csv to read the file as a table")
    return source


def _is_prose(path: str | os.PathLike[str], options: ReadOptions) -> bool:
    """Return whether the first lines look like documents: no delimiter fits, and they average four words or more."""
    try:
        head = next(files.blocks(path, options.encoding, files.HEAD), np.empty(0, dtype=np.uint8))
    except DataError:  # the reader raises the error
        return False
    lines = [line.split() for line in head.tobytes().split(b"\n") if line.strip()]
    words = sum(len(line) for line in lines)
    return words >= PROSE * max(len(lines), 1) and (len(lines) == 1 or not fits_table(head, options))
