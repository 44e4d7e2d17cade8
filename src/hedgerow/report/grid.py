"""Aligned text: columns measured as terminals show them, small bars, numbers at sensible digits."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from hedgerow.data.cells import cells, pad, width
from hedgerow.data.cells import clean as clean  # noqa: PLC0414 (a name of this module too)

MOST_ROWS = 60  # lines of a table; a reader who needs more takes the JSON report
BLOCKS = "▁▂▃▄▅▆▇█"
# What stands for signs that a terminal cannot show; each takes one cell too.
ASCII = str.maketrans("▁▂▃▄▅▆▇█▏▎▍▌▋▊▉…²µ–−�≤≥≠·", ".:-=+*%#...####~2u--?<>!.")
Number = float | int | None
Columns = Sequence[Sequence[str]]


def cut(text: str, most: int) -> str:
    """Return the text, shortened with an ellipsis to take at most `most` cells."""
    text = clean(text)
    if width(text) <= most:
        return text
    kept, used = [], 0
    for sign in text:
        used += cells(sign)
        if used > most - 1:
            break
        kept.append(sign)
    return "".join(kept) + "…"


def grid(rows: Sequence[Sequence[str]], sides: str, gap: str = "  ", indent: str = "") -> list[str]:
    """Return the lines of a table whose columns are as wide as their widest cell; `sides` is l or r each."""
    if not rows:
        return []
    widths = [max(width(row[i]) for row in rows) for i in range(len(sides))]
    cells = ([pad(*cell) for cell in zip(row, widths, sides, strict=True)] for row in rows)
    return [(indent + gap.join(row)).rstrip() for row in cells]


def named_grid(rows: list[list[str]], sides: str, columns: int, spare: Sequence[int] = ()) -> list[str]:
    """Return a table whose lines fit into `columns` cells.

    The names in its second column are cut if need be, to 16 cells at least; if that is not enough, the
    columns at the positions `spare` are left out one after the other, then names are cut to 8.
    """
    rows = [[row[0], clean(row[1]), *row[2:]] for row in rows]
    kept = list(range(len(sides)))
    for position in (None, *spare):
        kept = [column for column in kept if column != position]
        shown = [[row[column] for column in kept] for row in rows]
        shape = "".join(sides[column] for column in kept)
        over = max(max(map(width, grid(shown, shape))) - columns, 0)
        room = max(width(row[1]) for row in rows) - over
        if not over or room >= 16:
            break
    return grid([[row[0], cut(row[1], max(room, 8)), *row[2:]] for row in shown], shape)


def in_blocks(lead: Columns, parts: Sequence[Columns], sides: str, columns: int, gap: str = "  ") -> list[str]:
    """Return a table in as many blocks as it takes for its lines to fit into `columns` cells.

    Every block begins with the columns `lead`; the columns of a part stay together. `sides` are those of all columns.
    """
    room, blocks = columns + len(gap) - _wide(lead, gap), [list(lead)]
    shapes, at, left = [sides[: len(lead)]], len(lead), room
    for part in parts:
        needed = _wide(part, gap)
        if needed > left and len(blocks[-1]) > len(lead):
            blocks.append(list(lead))
            shapes.append(sides[: len(lead)])
            left = room
        blocks[-1] += part
        shapes[-1] += sides[at : at + len(part)]
        at, left = at + len(part), left - needed
    made = [grid(list(zip(*block, strict=True)), shape, gap) for block, shape in zip(blocks, shapes, strict=True)]
    return [line for number, lines in enumerate(made) for line in ([""] if number else []) + lines]


def wrapped(text: str, columns: int, indent: str = "") -> list[str]:
    """Return a sentence as lines of at most `columns` cells; a word that is wider is cut."""
    room, lines = columns - len(indent), [""]
    for word in re.split(r"\s+(?!%)", text.strip()):  # a number stays with its sign
        word = cut(word, room)
        if lines[-1] and width(lines[-1]) + 1 + width(word) > room:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return [indent + line for line in lines]


def listed(pieces: Sequence[str], columns: int, indent: str = "") -> list[str]:
    """Return pieces with commas in lines of at most `columns` cells, broken in a piece only if it is wider.

    >>> listed(["P(ham) = 0.9", "P(spam) = 0.1"], 20)
    ['P(ham) = 0.9,', 'P(spam) = 0.1']
    """
    lines = [""]
    for number, piece in enumerate(pieces):
        piece += "," * (number + 1 < len(pieces))
        first, *others = wrapped(piece, columns - len(indent))
        if not lines[-1]:
            lines[-1] = first
        elif width(lines[-1]) + 1 + width(piece) > columns - len(indent):
            lines.append(first)
        else:
            lines[-1] += f" {first}"
        lines += others
    return [indent + line for line in lines]


def items(texts: Sequence[str], columns: int) -> list[str]:
    """Return sentences as a list with dashes."""
    parts = (wrapped(clean(text), columns - 4) for text in texts)
    return [f"  {' ' if number else '-'} {line}" for part in parts for number, line in enumerate(part)]


def told_once(notes: Iterable[str]) -> list[str]:
    """Return each note once; one that also comes with a remedy behind a semicolon only with it."""
    notes = list(dict.fromkeys(notes))
    with_remedy = {note.rsplit("; ", 1)[0] for note in notes if "; " in note}
    return [note for note in notes if note not in with_remedy]


def left_out(n: int, what: str) -> list[str]:
    """Return the line that says how many entries of a table are not shown, if any."""
    return [f"{n - MOST_ROWS} more {what} left out; the JSON report has them all"] if n > MOST_ROWS else []


def bars(counts: Sequence[float]) -> str:
    """Return a small histogram; a space is nothing, the lowest block a little."""
    top = max(counts, default=0)
    if not top:
        return ""
    return "".join(" " if not count else BLOCKS[min(int(8 * count / top), 7)] for count in counts)


def bar(share: float, cells: int = 30) -> str:
    """Return a horizontal bar of up to `cells` cells; anything above nothing shows."""
    if math.isnan(share):
        return ""
    eighths = round(min(share, 1.0) * cells * 8)
    whole, rest = divmod(max(eighths, 1) if share > 0 else 0, 8)
    return "█" * whole + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[rest]


def in_signs_of(text: str, encoding: str) -> str:
    """Return the text as far as an encoding has its signs: bars of blocks become ASCII, the rest question marks."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(ASCII).encode(encoding, "replace").decode(encoding)
    return text


def fixed(value: Number, digits: int = 4, plus: bool = False) -> str:
    """Return a share with a fixed number of decimals; ? is undefined."""
    if value is None or math.isnan(value):
        return "?"
    if abs(value) >= 1e6:
        return f"{value:+.4g}" if plus else f"{value:.4g}"
    text = f"{value:+.{digits}f}" if plus else f"{value:.{digits}f}"
    return text.lstrip("-+") if not float(text) else text


def digits(value: Number, most: int = 4, plus: bool = False) -> str:
    """Return a number of any size at `most` significant digits, without an exponent where that is short."""
    if value is None or math.isnan(value):
        return "?"
    sign = "+" if plus else ""
    if value and not 1e-4 <= abs(value) < 1e7:
        return f"{value:{sign}.{most}g}"
    exponent = int(f"{value:.{most - 1}e}".partition("e")[2])  # of the rounded number: 0.99999 counts as 1
    return f"{value:{sign}.{max(most - 1 - exponent, 0)}f}"


def short(value: Number, most: int = 4) -> str:
    """Return `digits` without zeros at the end."""
    text = digits(value, most)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def count(value: float) -> str:
    """Return a weight: whole numbers as such, others with one decimal."""
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.1f}"


def _wide(columns: Columns, gap: str) -> int:
    return sum(max(map(width, column)) + len(gap) for column in columns)
