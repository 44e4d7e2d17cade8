"""The reference implementation of the delimited-text kernel: one character at a time, nothing clever."""

from __future__ import annotations

from hedgerow.data.table.delimited import Dialect


class BrokenError(Exception):
    """The text has an unclosed quote, or text behind a closing one."""


def rows_of(text: str, dialect: Dialect) -> list[list[tuple[str, bool]]]:
    """Return the cells of every row, each with whether it was quoted."""
    rows, at = [], 0
    while at < len(text):
        at, row = _row(text, at, dialect)
        if row is not None:
            rows.append(row)
    return rows


def _blanks(dialect: Dialect) -> str:
    return "".join(c for c in " \t" if c != dialect.delimiter)


def _skip(text: str, at: int, characters: str) -> int:
    while at < len(text) and text[at] in characters:
        at += 1
    return at


def _ends_row(text: str, at: int) -> bool:
    return text[at : at + 1] in ("", "\n") or text[at:] == "\r" or text.startswith("\r\n", at)


def _behind_row(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def _is_comment(text: str, at: int, dialect: Dialect) -> bool:
    return bool(dialect.comment) and text.startswith(dialect.comment, at)


def _row(text: str, at: int, dialect: Dialect) -> tuple[int, list[tuple[str, bool]] | None]:
    blanks, trims = _blanks(dialect), dialect.trim or dialect.delimiter is None
    first = _skip(text, at, blanks)
    if _ends_row(text, first) or _is_comment(text, first, dialect):
        return _behind_row(text, first), None
    row: list[tuple[str, bool]] = []
    while True:
        at = _skip(text, at, blanks) if trims else at
        if at < len(text) and text[at] in dialect.quotes:
            at, cell = _quoted(text, at, dialect)
            if dialect.dot and text.startswith(".", at):
                at += 1
            row.append((cell, True))
            stop = at if dialect.delimiter is None else _skip(text, at, blanks)
        else:
            stop = at
            while not _stops(text, stop, dialect):
                stop += 1
            row.append((text[at:stop].rstrip(blanks) if trims else text[at:stop], False))
        if dialect.delimiter is None:
            at = _skip(text, stop, blanks)
            gap = at > stop
        else:
            at, gap = stop, False
        if _is_comment(text, at, dialect) or _ends_row(text, at):
            cell, quoted = row[-1]
            if dialect.dot and not quoted:
                row[-1] = (cell.removesuffix(".").rstrip(blanks), False) if cell.endswith(".") else row[-1]
            return _behind_row(text, at), row
        if dialect.delimiter is None and not gap:
            raise BrokenError
        if dialect.delimiter is not None:
            if text[at] != dialect.delimiter:
                raise BrokenError
            at += 1


def _stops(text: str, at: int, dialect: Dialect) -> bool:
    if _ends_row(text, at) or _is_comment(text, at, dialect):
        return True
    return text[at] in (" \t" if dialect.delimiter is None else dialect.delimiter)


def _quoted(text: str, at: int, dialect: Dialect) -> tuple[int, str]:
    quote, out = text[at], []
    at += 1
    while at < len(text):
        character = text[at]
        if dialect.escapes and character == "\\" and at + 1 < len(text):
            if text[at + 1] == "u" and _is_hex(text[at + 2 : at + 6]):
                out.append(chr(int(text[at + 2 : at + 6], 16)))
                at += 6
                continue
            out.append({"n": "\n", "t": "\t", "r": "\r"}.get(text[at + 1], text[at + 1]))
            at += 2
        elif character == quote and dialect.doubled and text.startswith(quote, at + 1):
            out.append(quote)
            at += 2
        elif character == quote:
            return at + 1, "".join(out)
        else:
            out.append(character)
            at += 1
    raise BrokenError


def _is_hex(digits: str) -> bool:
    return len(digits) == 4 and all(digit in "0123456789abcdefABCDEF" for digit in digits)
