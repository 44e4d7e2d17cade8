"""Cells of a terminal: how many a text takes, and texts filled up or shortened to a number of them."""

from __future__ import annotations

import unicodedata

from hedgerow.layout.terminal import clean_text


def count_cells(text: str) -> int:
    """Return how many cells of a terminal the text takes: two for wide East Asian signs, none for marks.

    >>> count_cells("Tee"), count_cells("茶"), count_cells("e" + chr(0x301))
    (3, 2, 1)
    """
    if text.isascii():
        return len(text)
    return sum(map(_cells, text))


def pad_cells(text: str, to: int, side: str = "l") -> str:
    """Return the text filled with spaces to `to` cells, flush left or right.

    >>> pad_cells("茶", 4) + "|" + pad_cells("茶", 4, "r")
    '茶  |  茶'
    """
    space = " " * max(to - count_cells(text), 0)
    return space + text if side == "r" else text + space


def shorten(text: str, most: int) -> str:
    """Return the text, shortened with an ellipsis to take at most `most` cells."""
    text = clean_text(text)
    if count_cells(text) <= most:
        return text
    kept, used = [], 0
    for sign in text:
        used += _cells(sign)
        if used > most - 1:
            break
        kept.append(sign)
    return "".join(kept) + "…"


def shorten_middle(word: str, room: int) -> str:
    """Return a word, its middle replaced by an ellipsis if it is wider than the room."""
    if count_cells(word) <= room:
        return word
    kept = [*word]
    while count_cells("".join(kept)) > room - 1 and len(kept) > 1:
        del kept[len(kept) // 2]
    half = (len(kept) + 1) // 2
    return "".join([*kept[:half], "…", *kept[half:]])


def _cells(sign: str) -> int:
    """Return how many cells one sign takes."""
    if unicodedata.combining(sign) or unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1
