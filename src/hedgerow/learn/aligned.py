"""Aligned and wrapped text for the shown work: measured as terminals show it, figures of six decimals."""

from __future__ import annotations

from collections.abc import Container, Sequence

from hedgerow.data.cells import width
from hedgerow.data.decimals import number_text, significant

COLUMNS = 100  # of a line
GAP = "  "  # between the columns of a table


def aligned(rows: Sequence[Sequence[str]], left: Container[int]) -> list[str]:
    """Return the lines of a table; the columns at the positions `left` are flush left, the others right."""
    widths = [max(width(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = []
    for row in rows:
        spaces = [" " * (room - width(cell)) for cell, room in zip(row, widths, strict=True)]
        cells = zip(row, spaces, strict=True)
        lines.append(GAP.join(c + s if at in left else s + c for at, (c, s) in enumerate(cells)).rstrip())
    return lines


def wrapped(pieces: Sequence[str], room: int) -> list[str]:
    """Return pieces joined by blanks in lines of at most `room` cells; a wider piece is broken, and a wide word cut.

    >>> wrapped(["a: 1, 2;", "bc: 3, 4"], 9)
    ['a: 1, 2;', 'bc: 3, 4']
    """
    lines = [""]
    for piece in pieces:
        for word in piece.split(" ") if width(piece) > room else [piece]:
            fitting = shortened(word, room)
            if lines[-1] and width(lines[-1]) + 1 + width(fitting) > room:
                lines.append("")
            lines[-1] += f" {fitting}" if lines[-1] else fitting
    return lines


def paragraph(text: str, indent: str = "  ") -> list[str]:
    """Return a sentence as lines that fit; all but the first are indented."""
    first, *rest = wrapped(text.split(" "), COLUMNS - len(indent))
    return [first, *(indent + line for line in rest)]


def shortened(word: str, room: int) -> str:
    """Return a word, its middle replaced by an ellipsis if it is wider than the room."""
    if width(word) <= room:
        return word
    kept = [*word]
    while width("".join(kept)) > room - 1 and len(kept) > 1:
        del kept[len(kept) // 2]
    half = (len(kept) + 1) // 2
    return "".join([*kept[:half], "…", *kept[half:]])


def figure(value: float) -> str:
    """Return a measure with six decimals, or six digits where that would not be readable; a zero has no sign.

    >>> figure(0.24674982), figure(-1e-12), figure(2.5e-8), figure(1 / 3 * 1e30)
    ('0.246750', '0.000000', '2.50000e-08', '3.33333e+29')
    """
    if abs(value) >= 1e12 or 1e-12 < abs(value) < 5e-7:
        return f"{value:.5e}"
    return f"{round(value, 6) + 0.0:.6f}"


def quantity(value: float) -> str:
    """Return a weight: whole numbers as such, others with six decimals at most."""
    return number_text(round(float(value), 6) + 0.0)


def amount(value: float) -> str:
    """Return a number of the target: as a quantity, or with six digits where it is large or small.

    >>> amount(5 / 3), amount(1e97 / 3), amount(-2e-9 / 3)
    ('1.666667', '3.33333e+96', '-6.66667e-10')
    """
    plain = value == 0 or 1e-4 <= abs(value) < 1e12
    return quantity(value) if plain else number_text(significant(float(value)))
