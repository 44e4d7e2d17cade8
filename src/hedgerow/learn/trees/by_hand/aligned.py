"""Aligned text for the shown work: columns measured as terminals show them, figures of six decimals."""

from __future__ import annotations

import unicodedata
from collections.abc import Container, Sequence

from hedgerow.data.decimals import number_text


def aligned(rows: Sequence[Sequence[str]], left: Container[int]) -> list[str]:
    """Return the lines of a table; the columns at the positions `left` are flush left, the others right."""
    widths = [max(_width(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = []
    for row in rows:
        spaces = [" " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = zip(row, spaces, strict=True)
        lines.append("  ".join(c + s if at in left else s + c for at, (c, s) in enumerate(cells)).rstrip())
    return lines


def figure(value: float) -> str:
    """Return a measure with six decimals; a zero has no sign.

    >>> figure(0.24674982), figure(-1e-12)
    ('0.246750', '0.000000')
    """
    return f"{round(value, 6) + 0.0:.6f}"


def quantity(value: float) -> str:
    """Return a weight or a number of the target: whole numbers as such, others with six decimals at most."""
    return number_text(round(float(value), 6) + 0.0)


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)
