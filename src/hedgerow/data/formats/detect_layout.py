"""Telling the layout of a delimited text from its first lines: delimiter, quotes, blanks, header."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from hedgerow import _kernels
from hedgerow.data.formats.detect_header import HeaderDecision, find_header
from hedgerow.data.table.delimited import Bytes, Dialect, unpack_words
from hedgerow.data.table.source import ReadOptions
from hedgerow.errors import DataError, UsageError

NEARLY_ALL = 0.9  # of the rows of a table must have the same number of fields
ROWS = 1000  # number of first rows that are examined
_COMMA = re.compile(rb"(?:^|.),(?:.|$)", re.DOTALL)
_WORDS = {"tab": "\t", "\\t": "\t", "space": " ", "blank": " ", "comma": ",", "semicolon": ";", "pipe": "|"}


@dataclass(frozen=True)
class TextLayout:
    """How a text is laid out: its dialect, whether a header comes first, and the cells of its first rows.

    `header_note` is a sentence for people if it is not clear whether there is a header.
    """

    dialect: Dialect
    has_header: bool
    rows: tuple[tuple[str, ...], ...]
    header_note: str = ""

    def names(self, file: str) -> tuple[str, ...]:
        """Return the column names: the header's, or column1, column2 and so on."""
        cells = [cell.strip() if self.has_header else "" for cell in self.rows[0]]
        name, count = Counter(cell for cell in cells if cell).most_common(1)[0] if any(cells) else ("", 0)
        if count > 1:
            raise DataError(f"{file}, line 1: the column name {name!r} occurs twice; give every column its own name")
        taken = set(cells)
        return tuple(cell or _make_name(number, taken) for number, cell in enumerate(cells, start=1))


def _make_name(number: int, taken: set[str]) -> str:
    """Return a name for a column without one."""
    name = f"column{number}"
    while name in taken:
        name += "_"
    return name


def sniff(head: Bytes, options: ReadOptions, suffix: str = "") -> TextLayout:
    """Detect the layout from the first lines of a text, which must contain at least one row.

    `suffix` is the file's extension: ``.tsv`` and ``.tab`` prefer tabs, ``.csv`` never means blanks.
    """
    first = _first_rows(head)
    dialect = _dialect(first, options, suffix)
    rows = _rows(first, dialect) or _rows(head, dialect)[:1]  # a quote may hold all of the first lines
    header_decision = HeaderDecision(bool(options.header))
    if options.header is None:
        header_decision = find_header(rows, options.missing, dialect.decimal, _find_quoted_rows(first, dialect, rows))
    return TextLayout(dialect, header_decision.has_header, tuple(tuple(row) for row in rows), header_decision.note)


def reads_back(text: bytes, delimiter: str, suffix: str) -> bool:
    """Return whether the first lines of a text that has a header are read unambiguously."""
    layout = sniff(np.frombuffer(text, dtype=np.uint8), ReadOptions(), suffix)
    width = len(layout.rows[0]) if layout.rows else 0
    same = layout.dialect.delimiter == delimiter or width == 1
    is_clear = layout.has_header and not layout.header_note
    return same and is_clear and all(len(row) == width for row in layout.rows)


def parse_delimiter(word: str) -> str | None:
    """Return the delimiter that people name; None for runs of blanks."""
    mark = _WORDS.get(word, word)
    if len(mark) != 1 or not mark.isascii() or mark in '\n\r"':
        raise UsageError(f"the delimiter must be one character, not {word!r}")
    return None if mark == " " else mark


def parse_quote(word: str) -> str:
    """Return the quote that people name; none for quotes that are plain characters."""
    mark = "" if word == "none" else word
    if len(mark) > 1 or not mark.isascii() or mark.isspace() or mark.isalnum():
        raise UsageError(f"the quote must be one character such as \" or ', or none, not {word!r}")
    return mark


def _first_rows(head: Bytes) -> Bytes:
    """Cut after the first lines, so that sniffing costs little however long the head is."""
    ends = np.flatnonzero(head[: 1 << 16] == ord("\n"))
    if len(ends) >= 50:
        return head[: ends[min(len(ends), ROWS) - 1] + 1]
    ends = np.flatnonzero(head == ord("\n"))[:50]
    return head[: ends[-1] + 1] if len(ends) else head


def fits_table(head: Bytes, options: ReadOptions) -> bool:
    """Return whether some delimiter cuts nearly all of the first rows into the same number of fields."""
    share, width = _best_dialect(_first_rows(head), options, "")[0]
    return width > 1 and share >= NEARLY_ALL


def _dialect(head: Bytes, options: ReadOptions, suffix: str) -> Dialect:
    return _best_dialect(head, options, suffix)[1]


def _best_dialect(head: Bytes, options: ReadOptions, suffix: str) -> tuple[tuple[float, int], Dialect]:
    """Return how well the best dialect fits, and the dialect."""
    decimal = "." if options.decimal is None else options.decimal
    if len(decimal) != 1 or not decimal.isascii():
        raise UsageError(f"the decimal point must be one character, not {decimal!r}")
    if options.delimiter is not None:
        marks: list[str | None] = [parse_delimiter(options.delimiter)]
    else:
        marks = [mark for mark in (",", "\t", ";", "|") if mark != options.decimal]
        marks += [None] * (suffix not in (".csv", ".tsv", ".tab"))
        if suffix in (".tsv", ".tab") and (head == ord("\t")).any():
            marks = ["\t"]
    quotes = Dialect.CSV.quotes if options.quote is None else parse_quote(options.quote)
    dialects = [Dialect(mark, quotes, decimal=decimal) for mark in marks]
    scored = [_fitting(head, dialect, options.quote is None) for dialect in dialects]
    if options.delimiter is None and all(map(_is_decimal_comma, _COMMA.finditer(head.tobytes()))):
        others = [one for one in scored if one[1].delimiter != "," and one[0][0] >= NEARLY_ALL and one[0][1] > 1]
        scored = others or scored
    return max(scored, key=lambda scored: scored[0])  # the first of equals


def _is_decimal_comma(around: re.Match[bytes]) -> bool:
    """Whether a comma is between digits."""
    return len(around[0]) == 3 and around[0][:1].isdigit() and around[0][2:].isdigit()


def _fitting(head: Bytes, dialect: Dialect, open_quotes: bool = True) -> tuple[tuple[float, int], Dialect]:
    """Return how well a delimiter fits (share of rows with the usual width, that width) and its dialect."""
    if dialect.delimiter is not None:
        dialect = replace(dialect, trim=True)  # significant blanks are in quotes
    share, width, is_sound = _widths(head, dialect)
    if not is_sound and open_quotes and dialect.delimiter == "\t":  # quotes are plain characters in many such files
        plain = replace(dialect, quotes="")
        plain_share, plain_width, _ = _widths(head, plain)
        if plain_width > 1 and plain_share == 1:
            share, width, dialect = plain_share, plain_width, plain
    if width < 2 or (dialect.delimiter is None and share < 1):
        share, width = 0.0, 1
    return (share, width), dialect


def _widths(head: Bytes, dialect: Dialect) -> tuple[float, int, bool]:
    """Return the usual number of fields, the share of rows that have it, and whether the quotes pair up."""
    offsets, _, _, (problem, _, _) = _kernels.split_delimited(head, dialect.settings)
    widths = Counter(np.diff(offsets).tolist())
    if not widths:
        return 0.0, 1, not problem
    width, count = max(widths.items(), key=lambda item: (item[1] if item[0] > 1 else 0, item[0]))
    count += len(offsets) > 2 and int(offsets[1] - offsets[0]) == width - 1  # R does not name the column of row names
    return count / sum(widths.values()), width, not problem


def _rows(head: Bytes, dialect: Dialect) -> list[list[str]]:
    """Return the cells of the rows, up to the first that cannot be read."""
    offsets, codes, words, _ = _kernels.split_delimited(head, dialect.settings)
    tokens = unpack_words(*words)
    return [[tokens[code] for code in codes[start:stop].tolist()] for start, stop in pairwise(offsets.tolist())]


def _find_quoted_rows(head: Bytes, dialect: Dialect, rows: list[list[str]]) -> list[bool]:
    """Tell which rows have all their cells in quotes, though one of them at least does not need any."""
    if not dialect.quotes or dialect.delimiter is None:
        return []
    mark, delimiter = re.escape(dialect.quotes[0]), re.escape(dialect.delimiter)
    cell = f"[ \\t]*{mark}(?:[^{mark}]|{mark}{mark})*{mark}[ \\t]*"
    line = re.compile(f"{cell}(?:{delimiter}{cell})*\r?\n?".encode())
    needed = re.compile(f"[{mark}{delimiter}\\s]|^[#%]|^$")
    text = head.tobytes()
    starts = [*_kernels.find_row_starts(head, dialect.settings)[: len(rows) + 1].tolist(), len(text)]
    return [
        line.fullmatch(text[start:stop].rstrip()) is not None and any(not needed.search(word) for word in row)
        for row, (start, stop) in zip(rows, pairwise(starts), strict=False)
    ]
