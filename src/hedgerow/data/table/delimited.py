"""Delimited text to columns: the Python face of the parser that CSV, ARFF, C4.5 and basket files share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.table import Codes, Numbers, Rows, Text
from hedgerow.data.table.threads import n_threads
from hedgerow.errors import DataError

Bytes = NDArray[np.uint8]

BLOCK = 1 << 22  # small enough for the caches, large enough for a thread
MISSING = ("", "?", "NA", "N/A", "n/a", "nan", "NaN", "NAN", "null", "NULL", "Null")


@dataclass(frozen=True)
class Dialect:
    r"""How a delimited text is laid out.

    Parameters
    ----------
    delimiter
        The character between fields; None for runs of blanks and tabs.
    quotes
        Up to two characters that may enclose a field; they are special only as its first character.
    doubled, escapes
        How a quote is written inside quotes: twice, or behind a backslash (as are \n, \t and \uXXXX).
    comment
        The character that, outside quotes, makes the rest of the line a comment; "" for none.
    trim
        Whether blanks around an unquoted field are not part of it.
    quoted_missing
        Whether a missing token in quotes is missing too.
    braces
        Whether a row may end in a further field ``{w}``, its weight.
    dot
        Whether the last field of a row may end in a full stop.
    """

    delimiter: str | None = ","
    quotes: str = '"'
    doubled: bool = True
    escapes: bool = False
    comment: str = ""
    decimal: str = "."
    trim: bool = False
    quoted_missing: bool = True
    braces: bool = False
    dot: bool = False

    CSV: ClassVar[Dialect]
    ARFF: ClassVar[Dialect]
    C45: ClassVar[Dialect]

    @property
    def settings(self) -> Bytes:
        """The dialect as the kernel takes it: one byte a setting."""
        quotes = (self.quotes * 2)[:2] or "\0\0"
        values = (
            ord(self.delimiter or " "),
            self.delimiter is None,
            ord(quotes[0]),
            ord(quotes[1]),
            self.doubled,
            self.escapes,
            ord(self.comment or "\0"),
            ord(self.decimal),
            self.trim,
            self.quoted_missing,
            self.braces,
            self.dot,
        )
        return np.array(values, dtype=np.uint8)


Dialect.CSV = Dialect()
Dialect.ARFF = Dialect(
    quotes="'\"", doubled=False, escapes=True, comment="%", trim=True, quoted_missing=False, braces=True
)
Dialect.C45 = Dialect(quotes="", comment="|", trim=True, dot=True)


class Mode(IntEnum):
    """What to make of a column."""

    SKIP = 0
    NUMERIC = 1
    NOMINAL = 2
    TEXT = 3


@dataclass(frozen=True, eq=False)
class LevelColumn:
    """A nominal column: codes into its levels, which are in the order of their first appearance."""

    codes: Codes
    levels: list[str]


@dataclass(frozen=True)
class InvalidNumbers:
    """The values of a numeric column other than finite numbers; `first` gives row and word of up to three."""

    n_words: int = 0
    infinite: int = 0
    first: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, eq=False)
class ParsedColumns:
    """The columns of a delimited text, or its first problem.

    At most one of `ragged_row` (row and its number of fields), `unclosed_quote` (the byte at which a quote opens),
    `garbled_quote` (the byte of a closing quote with text behind it) and `bad_weight` (a row) is set; the columns
    are then of no use. `bad_byte` is the position of the first byte that is not UTF-8.
    """

    n_rows: int
    columns: list[Numbers | LevelColumn | Text | None]
    strays: list[InvalidNumbers]
    weights: Numbers | None = None
    ragged_row: tuple[int, int] | None = None
    unclosed_quote: int | None = None
    garbled_quote: int | None = None
    bad_weight: int | None = None
    bad_byte: int | None = None

    @property
    def is_sound(self) -> bool:
        """Whether the text has no problem."""
        wrong = (self.ragged_row, self.unclosed_quote, self.garbled_quote, self.bad_weight, self.bad_byte)
        return all(value is None for value in wrong)


def parse(
    data: Bytes,
    dialect: Dialect,
    modes: Sequence[Mode],
    missing: Sequence[str] = MISSING,
    known: Mapping[int, Sequence[str]] | None = None,
    threads: int | None = None,
    block: int = BLOCK,
) -> ParsedColumns:
    """Parse all rows of a text, each of which must have as many fields as there are modes.

    `known` gives levels that nominal columns, by position, begin with. The answer depends neither on the
    number of threads nor on the size of the blocks that the text is cut into.
    """
    threads = threads or n_threads()
    cuts = _cuts(data, dialect, block) if threads > 1 else [0, len(data)]
    blocks = [data[start:stop] for start, stop in pairwise(cuts)]
    levels = [list((known or {}).get(i, ())) for i, mode in enumerate(modes) if mode is Mode.NOMINAL]
    parsed = _parse_blocks(blocks, dialect, modes, missing, levels, min(threads, len(blocks)))
    if len(blocks) > 1 and not parsed.is_sound:  # tell the first problem, counted from the first row
        return _parse_blocks([data], dialect, modes, missing, levels, 1)
    return parsed


def _cuts(data: Bytes, dialect: Dialect, block: int) -> list[int]:
    """Return where to cut the text, always between rows."""
    targets = np.arange(block, len(data), block, dtype=np.int64)
    cuts = _kernels.find_row_cuts(data, dialect.settings, targets).tolist() if len(targets) else []
    return [0, *dict.fromkeys(cut for cut in cuts if cut < len(data)), len(data)]


def _parse_blocks(
    blocks: list[Bytes],
    dialect: Dialect,
    modes: Sequence[Mode],
    missing: Sequence[str],
    known: list[list[str]],
    threads: int,
) -> ParsedColumns:
    settings, kinds = dialect.settings, np.array(modes, dtype=np.uint8)
    words, offsets = _pack_words(missing)
    known_words, known_offsets = _pack_words([word for levels in known for word in levels])
    counts = np.array([len(levels) for levels in known], dtype=np.int64)
    with ThreadPoolExecutor(threads) as pool:
        each = map if threads == 1 else pool.map
        lines = list(each(_kernels.count_lines, blocks))
        starts = np.cumsum([0, *lines]).tolist()
        numbers = np.empty((np.count_nonzero(kinds == Mode.NUMERIC), starts[-1]), dtype=np.float64)
        codes = np.empty((np.count_nonzero(kinds == Mode.NOMINAL), starts[-1]), dtype=np.int32)

        def run(block: Bytes, start: int, rows: int) -> _Piece:
            shared = (words, offsets, known_words, known_offsets, counts, numbers, codes)
            return _Piece(start, *_kernels.parse_delimited(block, settings, kinds, *shared, start, rows))

        pieces = list(each(run, blocks, starts, lines))
    bad = next((p.bad_byte + _start(blocks, i) for i, p in enumerate(pieces) if p.bad_byte >= 0), None)
    return replace(_join_pieces(pieces, modes, known, numbers, codes), bad_byte=bad)


def _start(blocks: list[Bytes], number: int) -> int:
    return sum(len(block) for block in blocks[:number])


@dataclass(frozen=True)
class _Piece:
    """The result of the kernel for one block, whose rows begin at `start` of the shared arrays."""

    start: int
    n_rows: int
    levels: tuple[Bytes, Rows]
    level_counts: Rows
    texts: list[tuple[Bytes, Rows, NDArray[np.uint8]]]
    strays: tuple[Rows, Rows, tuple[Bytes, Rows]]
    weights: Numbers
    problem: tuple[int, int, int]
    bad_byte: int


def _join_pieces(
    pieces: list[_Piece],
    modes: Sequence[Mode],
    known: list[list[str]],
    numbers: NDArray[np.float64],
    codes: NDArray[np.int32],
) -> ParsedColumns:
    firsts = np.cumsum([0, *(piece.n_rows for piece in pieces)]).tolist()
    n_rows = firsts[-1]
    for piece, first in zip(pieces, firsts, strict=False):
        if piece.start != first:  # blank lines before: close the gap
            for block in (numbers, codes):
                block[:, first : first + piece.n_rows] = block[:, piece.start : piece.start + piece.n_rows]
    levels = _join_levels(pieces, firsts, known, codes)
    strays = iter(_join_strays(pieces, firsts))
    number, code, text = iter(numbers), zip(codes, levels, strict=True), 0
    columns: list[Numbers | LevelColumn | Text | None] = []
    invalid_numbers: list[InvalidNumbers] = []
    for mode in modes:
        invalid_numbers.append(next(strays) if mode is Mode.NUMERIC else InvalidNumbers())
        if mode is Mode.NUMERIC:
            columns.append(next(number)[:n_rows])
        elif mode is Mode.NOMINAL:
            values, words = next(code)
            columns.append(LevelColumn(values[:n_rows], words))
        elif mode is Mode.TEXT:
            columns.append(_join_texts([piece.texts[text] for piece in pieces]))
            text += 1
        else:
            columns.append(None)
    problem = next((piece.problem for piece in pieces if piece.problem[0]), (0, 0, 0))
    return _add_problem(ParsedColumns(n_rows, columns, invalid_numbers, _join_weights(pieces)), problem)


def _join_levels(
    pieces: list[_Piece], firsts: list[int], known: list[list[str]], codes: NDArray[np.int32]
) -> list[list[str]]:
    """Give the new levels of all pieces one numbering, in the order of their first appearance."""
    tables = [{level: code for code, level in enumerate(levels)} for levels in known]
    for piece, first in zip(pieces, firsts, strict=False):
        if not piece.level_counts.any():
            continue
        words = iter(unpack_words(*piece.levels))
        for position in np.flatnonzero(piece.level_counts):
            table, old = tables[position], len(known[position])
            new = [table.setdefault(next(words), len(table)) for _ in range(piece.level_counts[position])]
            if new != list(range(old, old + len(new))):
                values = codes[position, first : first + piece.n_rows]
                values[:] = np.array([*range(old), *new, -1], dtype=np.int32)[values]
    return [list(table) for table in tables]


def _join_strays(pieces: list[_Piece], firsts: list[int]) -> list[InvalidNumbers]:
    out = [InvalidNumbers() for _ in range(len(pieces[0].strays[0]) // 3)]
    for piece, first in zip(pieces, firsts, strict=False):
        counts, rows, packed = piece.strays
        if not counts.any():
            continue
        told = iter(zip((rows + first).tolist(), unpack_words(*packed), strict=True))
        for place, (words, infinite, listed) in enumerate(counts.reshape(-1, 3).tolist()):
            if words or infinite:
                old = out[place]
                new = (*old.first, *(next(told) for _ in range(listed)))[:3]
                out[place] = InvalidNumbers(old.n_words + words, old.infinite + infinite, new)
    return out


def _join_texts(parts: list[tuple[Bytes, Rows, NDArray[np.uint8]]]) -> Text:
    starts = np.cumsum([0, *(len(data) for data, _, _ in parts)])
    offsets = [offsets[1:] + start for (_, offsets, _), start in zip(parts, starts, strict=False)]
    return Text(
        np.concatenate([data for data, _, _ in parts]),
        np.concatenate([starts[:1], *offsets]),
        np.concatenate([missing for _, _, missing in parts]).view(np.bool_),
    )


def _join_weights(pieces: list[_Piece]) -> Numbers | None:
    if not any(len(piece.weights) for piece in pieces):
        return None
    return np.concatenate([p.weights if len(p.weights) else np.ones(p.n_rows) for p in pieces])


def _add_problem(parsed: ParsedColumns, problem: tuple[int, int, int]) -> ParsedColumns:
    number, row, size = problem
    match number:
        case 1:
            return replace(parsed, unclosed_quote=size)
        case 2:
            return replace(parsed, garbled_quote=size)
        case 3:
            return replace(parsed, ragged_row=(row, size))
        case 4:
            return replace(parsed, bad_weight=row)
    return parsed


def split(data: Bytes, dialect: Dialect) -> tuple[Rows, Codes, list[str]]:
    """Return rows of any number of fields: row i holds `codes[offsets[i]:offsets[i + 1]]` into the tokens.

    A quote that is not closed, or with text behind its end, raises a DataError.
    """
    offsets, codes, words, (problem, _, position) = _kernels.split_delimited(data, dialect.settings)
    if problem:
        line = line_at(data, position)
        end = "that is not closed" if problem == 1 else "with text after its end"
        raise DataError(f"line {line} has a quote {end}")
    return offsets, codes, unpack_words(*words)


def complete(data: Bytes, dialect: Dialect) -> int:
    """Return the position after the last complete row, 0 if there is none: where a stream can be cut."""
    position: int = _kernels.find_complete_rows_end(data, dialect.settings)
    return position


def line_of(data: Bytes, dialect: Dialect, row: int) -> int:
    """Return the number of the line, from 1, on which a row begins."""
    return line_at(data, int(_kernels.find_row_starts(data, dialect.settings)[row]))


def line_at(data: Bytes, position: int) -> int:
    """Return the number of the line, from 1, that holds the byte at `position`."""
    return 1 + int(np.count_nonzero(data[:position] == ord("\n")))


def bad_byte(data: Bytes) -> int | None:
    """Return the position of the first byte that is not UTF-8."""
    position: int = _kernels.find_bad_utf8(data)
    return None if position < 0 else position


def encode_text(text: Text, most: int | None = None) -> LevelColumn:
    """Return a text column as a nominal one: each different text is a level; at most `most` are named."""
    codes, (data, offsets) = _kernels.encode_words(text.data, text.offsets, text.missing)
    return LevelColumn(codes, unpack_words(data, offsets if most is None else offsets[: most + 1]))


def decode_levels(column: LevelColumn) -> Text:
    """Return a nominal column as text."""
    data, offsets = _pack_words([*column.levels, ""])
    rows = np.where(column.codes < 0, len(column.levels), column.codes).astype(np.int64)
    joined, ends = _kernels.gather_bytes(data, offsets, rows)
    return Text(joined, ends, column.codes < 0)


def parse_numbers(words: Sequence[str], decimal: str = ".") -> Numbers:
    """Return words as numbers by the parser's own rules; NaN where a word is none."""
    values: Numbers = _kernels.read_numbers(*_pack_words(words), ord(decimal))
    return values


def _pack_words(words: Sequence[str]) -> tuple[Bytes, Rows]:
    raw = [word.encode() for word in words]
    offsets = np.cumsum([0, *map(len, raw)], dtype=np.int64)
    return np.frombuffer(b"".join(raw), dtype=np.uint8), offsets


def unpack_words(data: Bytes, offsets: Rows) -> list[str]:
    """Return the words of one buffer as strings."""
    raw, ends = data.tobytes(), offsets.tolist()
    return [raw[start:stop].decode("utf-8", "replace") for start, stop in pairwise(ends)]
