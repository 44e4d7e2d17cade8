"""Lines before the table of a delimited text: Excel's `sep=;`, comments and titles; and Orange's three-line header."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from hedgerow import _kernels
from hedgerow.data.formats.detect_layout import TextLayout, sniff
from hedgerow.data.table.delimited import Bytes
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.source import ReadOptions

MOST_TITLES = 20  # lines before a table at most
_SEPARATOR = re.compile(rb'"?sep=(\\t|[^"\r\n])"?[ \t]*\r?\n', re.IGNORECASE)
_COMMENT = re.compile(rb"(?:[ \t]*\r?\n)*(?:[#%][^\n]*\n(?:[ \t]*\r?\n)*)+")
_TYPES = {
    **dict.fromkeys(("c", "continuous", "numeric", "n"), Kind.NUMERIC),
    **dict.fromkeys(("d", "discrete", "categorical"), Kind.NOMINAL),
    **dict.fromkeys(("s", "string", "text"), Kind.TEXT),
    **dict.fromkeys(("t", "time", "basket", ""), None),
}
_FLAGS = {"class", "c", "meta", "m", "ignore", "i", "weight", "w", "feature", ""}
_MARKED = re.compile(r"([mciw]?)([CDSTN]?)#(.+)")


@dataclass(frozen=True)
class Preamble:
    """How many bytes stand before the table, the delimiter that they name, and a sentence about what is skipped."""

    size: int = 0
    delimiter: str | None = None
    note: str = ""


@dataclass(frozen=True)
class OrangeHeader:
    """What Orange's header says about columns: their names, kinds, the target, and columns to leave out."""

    names: tuple[str, ...]
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    target: str | None = None
    ignore: tuple[str, ...] = ()
    rows: int = 1  # that the header consists of

    def complete(self, options: ReadOptions) -> ReadOptions:
        """Return options with what the header declares, as far as they do not say otherwise."""
        ignore = tuple(name for name in self.ignore if name not in (*options.keep, *options.ignore, options.target))
        target = self.target if options.target is None else options.target
        return replace(options, kinds={**self.kinds, **options.kinds}, target=target, ignore=(*options.ignore, *ignore))


def find_preamble(head: Bytes, options: ReadOptions, suffix: str) -> Preamble:
    """Return what stands before the table in the first lines of a text."""
    text = head.tobytes()
    size, delimiter = 0, options.delimiter
    separator = _SEPARATOR.match(text)
    if separator is not None and separator.end() < len(text):
        mark = separator[1].decode("latin-1")
        size, delimiter = separator.end(), delimiter or ("\t" if mark == "\\t" else mark)
    told = replace(options, delimiter=delimiter)
    comment = _COMMENT.match(text, size)
    if comment is not None and not text[comment.end() :].strip():
        comment = None
    if comment is not None:
        start = comment.end()
        size = _named_by_comment(head, text, size, start, told, suffix) or start
    titles, note = _titles(head[size:], told, suffix)
    return Preamble(size + titles, delimiter, note)


def _named_by_comment(head: Bytes, text: bytes, begin: int, end: int, options: ReadOptions, suffix: str) -> int | None:
    """Return where the column names begin if the last comment holds them: as many words as the rows have fields."""
    at = begin + text[begin:end].rstrip().rfind(b"\n") + 1
    line = text[at:end].strip().lstrip(b"#%").strip()
    rest = sniff(head[end:], options, suffix)
    if options.header is False or rest.has_header or not line:
        return None
    own = sniff(_bytes(line + b"\n"), replace(options, delimiter=_mark(rest), header=True), suffix)
    width = Counter(map(len, rest.rows)).most_common(1)[0][0] if rest.rows else 0
    is_header = width > 1 and len(own.rows[0]) == width
    return text.index(line, at) if is_header else None


def _mark(layout: TextLayout) -> str:
    return layout.dialect.delimiter or " "


def _bytes(text: bytes) -> Bytes:
    return np.frombuffer(text, dtype=np.uint8)


def _titles(head: Bytes, options: ReadOptions, suffix: str) -> tuple[int, str]:
    """Return the size of the lines before a table that are no rows of it, and a sentence that names the first."""
    layout = sniff(head, options, suffix)
    widths = [len(row) for row in layout.rows]
    usual = max((width for width in widths[1:] if width > 1), key=Counter(widths).__getitem__, default=1)
    first = next((place for place, row in enumerate(layout.rows) if _is_table_row(row, usual)), 0)
    if usual < 2 or not 0 < first <= MOST_TITLES or not _are_titles(layout.rows[:first], usual):
        return 0, ""
    size = int(_kernels.find_row_starts(head, layout.dialect.settings)[first])
    lines = "line is" if first == 1 else f"{first} lines are"
    note = f"the first {lines} no part of the table and skipped: {layout.rows[0][0].strip()!r}"
    return size, note + (" and so on" if first > 1 else "")


def _is_table_row(row: Sequence[str], width: int) -> bool:
    return len(row) >= width - 1 and sum(bool(cell.strip()) for cell in row) > 1


def _are_titles(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether rows are titles: a single cell, or, above a wide table, one cell with empty ones behind it."""
    if all(len(row) == 1 for row in rows):
        return True
    return width > 2 and all(bool(row[0].strip()) and not any(map(str.strip, row[1:])) for row in rows)


def find_declared(layout: TextLayout) -> OrangeHeader | None:
    """Return what a header of the program Orange declares: in three lines, or by marks before the names."""
    rows = [[cell.strip() for cell in row] for row in layout.rows[:4]]
    if len(rows) > 3 and len({len(row) for row in rows[:3]}) == 1 and _declares(rows[1], rows[2]):
        marks = zip(*rows[:3], strict=True)
        return _declared([(name, _TYPES.get(kind.lower(), Kind.NOMINAL), flag) for name, kind, flag in marks], 3)
    marked = [_MARKED.fullmatch(cell) for cell in rows[0]] if rows else []
    if marked and sum(match is not None for match in marked) * 2 > len(marked):
        pairs = zip(rows[0], marked, strict=True)
        return _declared([(n, None, "") if m is None else (m[3], _TYPES[m[2].lower()], m[1]) for n, m in pairs], 1)
    return None


def _declares(kinds: Sequence[str], flags: Sequence[str]) -> bool:
    known = [kind.lower() in _TYPES or len(re.split(r"[ |,]", kind)) > 1 for kind in kinds]
    named = any(kind.lower() in _TYPES and kind for kind in kinds)
    return named and all(known) and all(_is_flag(flag) for flag in flags) and len(set(flags) | {""}) > 1


def _is_flag(flag: str) -> bool:
    return all(word.lower() in _FLAGS or "=" in word for word in flag.split())


def _declared(columns: Sequence[tuple[str, Kind | None, str]], rows: int) -> OrangeHeader:
    target = next((name for name, _, flag in columns if flag.lower().split()[:1] in (["class"], ["c"])), None)
    ignore = tuple(
        name for name, _, flag in columns if flag.lower().split()[:1] in (["meta"], ["m"], ["i"], ["ignore"])
    )
    kinds = {name: kind for name, kind, _ in columns if kind is not None}
    return OrangeHeader(tuple(name for name, _, _ in columns), kinds, target, ignore, rows)
