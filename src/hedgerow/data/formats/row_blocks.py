"""The bytes of a file in blocks of whole rows, so that a file of any length is read in bounded memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table.delimited import Bytes, Dialect, bad_byte, complete, line_at
from hedgerow.data.table.files import BLOCK, HEAD, blocks, format_path, load
from hedgerow.data.table.source import ReadOptions, Source
from hedgerow.errors import DataError

NEWLINE = ord("\n")


class FileSource(Source):
    """A source that reads the text of one file, perhaps more than once."""

    kept_properties = frozenset({"_held"})
    has_header = False  # whether a header is read on its own, before the rows

    def __init__(self, path: str | os.PathLike[str], options: ReadOptions) -> None:
        super().__init__(format_path(path), options)
        self.path = os.fspath(path)

    def open_blocks(self, *, whole: bool = False) -> Blocks:
        """Return the text from its beginning, to be read block by block, or in one block if `whole`."""
        if self.path == "-" and (whole or self.has_header or self.options.schema is None or "_held" in self.__dict__):
            return Blocks(self.name, iter([self._held]), whole=whole)
        if whole:
            return Blocks(self.name, iter([load(self.path, self.options.encoding, self.witness)]), whole=True)
        return self.open_blocks_of_size(BLOCK)

    def open_blocks_of_size(self, size: int) -> Blocks:
        """Return the text of a file from its beginning, read in chunks of this many bytes."""
        return Blocks(self.name, blocks(self.path, self.options.encoding, size, self.witness))

    def header_lines(self) -> Iterator[str]:
        """Yield the first lines, reading little more than them."""
        if self.path == "-":
            return self.open_blocks().lines()
        return self.open_blocks_of_size(HEAD).lines()

    @cached_property
    def _held(self) -> Bytes:
        """Standard input, which can be read only once."""
        return load(self.path, self.options.encoding)


class Blocks:
    """The text of a file that is read once, from its first line on: in one block if `whole`."""

    def __init__(self, name: str, pieces: Iterator[Bytes], *, whole: bool = False) -> None:
        self.name = name
        self.whole = whole
        self.line = 1  # the number of the line that comes next
        self._pieces = pieces
        self._left = np.empty(0, dtype=np.uint8)

    def lines(self) -> Iterator[str]:
        """Yield lines one by one, for a header; the reader may stop at any of them."""
        while True:
            end = self._line_end()
            if end < 0 and self._more():
                continue
            if not len(self._left):
                return
            end = len(self._left) if end < 0 else end
            line, self._left = self._left[:end], self._left[end + 1 :]
            check_utf8(line, self.name, self.line)
            self.line += 1
            yield line.tobytes().decode()

    def rows(self, dialect: Dialect | None = None) -> Iterator[tuple[Bytes, int]]:
        """Yield the rest in blocks of whole lines, each with the number of its first line.

        A block does not end inside quotes if a dialect is given. Whether it is UTF-8 has still to be checked.
        """
        while True:
            is_last = not self._more()
            if self.whole and not is_last:
                continue
            cut = len(self._left) if is_last else self._cut(dialect)
            if cut:
                block, self._left = self._left[:cut], self._left[cut:]
                yield block, self.line
            if is_last:
                return
            self.line += _kernels.count_lines(block) if cut else 0  # the block ends where a line does

    def _line_end(self) -> int:
        """Return where the next line ends, looking no further than needed; -1 if it is not here yet."""
        start, size = 0, 1 << 10
        while start < len(self._left):
            positions = np.flatnonzero(self._left[start : start + size] == NEWLINE)
            if len(positions):
                return start + int(positions[0])
            start, size = start + size, size * 2
        return -1

    def _more(self) -> bool:
        piece = next(self._pieces, None)
        if piece is None:
            return False
        self._left = np.concatenate([self._left, piece]) if len(self._left) else piece
        return True

    def _cut(self, dialect: Dialect | None) -> int:
        if dialect is not None:
            return complete(self._left, dialect)
        stop, size = len(self._left), 1 << 12
        while stop:  # the last line end is near the end of the text
            start = max(stop - size, 0)
            ends = np.flatnonzero(self._left[start:stop] == NEWLINE)
            if len(ends):
                return start + int(ends[-1]) + 1
            stop, size = start, size * 2
        return 0


def check_utf8(data: Bytes, name: str, line: int) -> None:
    """Raise on the first byte that is not UTF-8, with its line; `line` is that of the first byte."""
    at = bad_byte(data)
    if at is not None:
        raise DataError(
            f"{name}, line {line - 1 + line_at(data, at)}: the byte 0x{data[at]:02x} is not valid UTF-8; name the "
            "file's encoding, as in --encoding latin-1"
        )
