"""Cells of a terminal: how wide a text is shown, and texts filled up to one width."""

from __future__ import annotations

import unicodedata


def width(text: str) -> int:
    """Return how many cells of a terminal the text takes: two for wide East Asian signs, none for marks.

    >>> width("Tee"), width("茶"), width("e" + chr(0x301))
    (3, 2, 1)
    """
    if text.isascii():
        return len(text)
    return sum(map(cells, text))


def cells(sign: str) -> int:
    """Return how many cells one sign takes."""
    if unicodedata.combining(sign) or unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def pad(text: str, to: int, side: str = "l") -> str:
    """Return the text filled with spaces to `to` cells, flush left or right.

    >>> pad("茶", 4) + "|" + pad("茶", 4, "r")
    '茶  |  茶'
    """
    space = " " * max(to - width(text), 0)
    return space + text if side == "r" else text + space


def clean(text: str) -> str:
    """Return the text with control signs replaced, so that no name or value can steer the terminal.

    >>> clean("red" + chr(27) + "[31m")
    'red�[31m'
    """
    if text.isprintable():
        return text
    return "".join(_visible(sign) for sign in text)


def clean_lines(text: str) -> str:
    """Return the text with control signs replaced in all of its lines."""
    return "\n".join(map(clean, text.split("\n")))


def _visible(sign: str) -> str:
    kind = unicodedata.category(sign)
    if kind == "Cf":
        return ""
    return "�" if kind in ("Cc", "Cs", "Cn", "Zl", "Zp") else sign
