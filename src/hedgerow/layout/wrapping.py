"""Wrapping: sentences, lists and pieces of work as lines of a maximum width."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hedgerow.layout.cell_width import count_cells, shorten, shorten_middle
from hedgerow.layout.terminal import clean_text

LINE_WIDTH = 100  # of a line in the print of a model


def wrap_text(text: str, columns: int, indent: str = "") -> list[str]:
    """Return a sentence as lines of at most `columns` cells; a word that is wider is cut."""
    room = columns - len(indent)
    words = re.split(r"\s+(?!%)", text.strip())  # a number stays with its sign
    return [indent + line for line in fill_lines((shorten(word, room) for word in words), room)]


def wrap_paragraph(text: str, indent: str = "  ") -> list[str]:
    """Return a sentence as lines that fit; all but the first are indented."""
    first, *rest = wrap_pieces(text.split(" "), LINE_WIDTH - len(indent))
    return [first, *(indent + line for line in rest)]


def cut_lines(text: str, most: int, last: int = 0) -> str:
    r"""Return the first lines of a text and the `last` ones, at most so many; a line says how many are left out.

    >>> print(cut_lines("a\nb\nc\nd\ne", 4, last=1))
    a
    b
    ... 2 more lines
    e
    """
    lines = text.split("\n")
    if len(lines) <= most:
        return text
    first = max(most - 1 - last, 1)
    ending = lines[len(lines) - last :]
    return "\n".join([*lines[:first], f"... {len(lines) - first - last:,} more lines", *ending])


def wrap_pieces(pieces: Sequence[str], room: int) -> list[str]:
    """Return pieces joined by blanks in lines of at most `room` cells; a wider piece is broken, and a wide word cut.

    >>> wrap_pieces(["a: 1, 2;", "bc: 3, 4"], 9)
    ['a: 1, 2;', 'bc: 3, 4']
    """
    words = (word for piece in pieces for word in (piece.split(" ") if count_cells(piece) > room else [piece]))
    return fill_lines((shorten_middle(word, room) for word in words), room)


def wrap_list(pieces: Sequence[str], columns: int, indent: str = "") -> list[str]:
    """Return pieces with commas in lines of at most `columns` cells, broken in a piece only if it is wider.

    >>> wrap_list(["P(ham) = 0.9", "P(spam) = 0.1"], 20)
    ['P(ham) = 0.9,', 'P(spam) = 0.1']
    """
    lines = [""]
    for number, piece in enumerate(pieces):
        piece += "," * (number + 1 < len(pieces))
        first, *others = wrap_text(piece, columns - len(indent))
        if not lines[-1]:
            lines[-1] = first
        elif count_cells(lines[-1]) + 1 + count_cells(piece) > columns - len(indent):
            lines.append(first)
        else:
            lines[-1] += f" {first}"
        lines += others
    return [indent + line for line in lines]


def hang_list(head: str, items: Sequence[str], most: int = LINE_WIDTH) -> list[str]:
    """Return the lines, of at most `most` cells where that can be; they are broken between items only.

    >>> hang_list("ham   ", ["lunch 3", "noon 2", "later 1"], 22)
    ['ham   lunch 3, noon 2,', '      later 1']
    """
    lines, line = [], head
    for number, item in enumerate(items):
        piece = item + ("," if number + 1 < len(items) else "")
        if line != head and line.strip() and count_cells(line) + count_cells(piece) > most:
            lines.append(line.rstrip())
            line = " " * count_cells(head)
        line += piece + " "
    return [*lines, line.rstrip()]


def list_sentences(texts: Sequence[str], columns: int) -> list[str]:
    """Return sentences as a list with dashes."""
    parts = (wrap_text(clean_text(text), columns - 4) for text in texts)
    return [f"  {' ' if number else '-'} {line}" for part in parts for number, line in enumerate(part)]


def drop_repeated_notes(notes: Iterable[str]) -> list[str]:
    """Return each note once; if it also occurs with a remedy after a semicolon, only that form."""
    notes = list(dict.fromkeys(notes))
    with_remedy = {note.rsplit("; ", 1)[0] for note in notes if "; " in note}
    return [note for note in notes if note not in with_remedy]


def fill_lines(pieces: Iterable[str], room: int) -> list[str]:
    """Return pieces joined by blanks; a piece that does not fit begins a line."""
    lines = [""]
    for piece in pieces:
        if lines[-1] and count_cells(lines[-1]) + 1 + count_cells(piece) > room:
            lines.append("")
        lines[-1] += f" {piece}" if lines[-1] else piece
    return lines
