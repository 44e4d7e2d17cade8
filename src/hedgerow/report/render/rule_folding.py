"""Long rules on a narrow terminal: wrapped so that they can still be parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hedgerow.layout.cell_width import count_cells

DEEPER = "    "
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"]+|"|\s+')
_STARTS = ("and", "then", "#")


def fold_rule(rule: str, columns: float, indent: str = "") -> list[str]:
    """Return a rule as lines of at most `columns` cells if possible, wrapped before `and`, `then`, counts and comments.

    Longer parts, such as many levels or classes, are wrapped after commas. Rule files may contain such lines: those
    that begin with `and`, `then` or counts, or follow a comma, continue the rule.

    >>> fold_rule('if Own_House = false and Has_Job = false then Class = No (6/0)', 40)
    ['if Own_House = false and Has_Job = false', '    then Class = No (6/0)']
    """
    if count_cells(indent + rule) <= columns:
        return [indent + rule]
    lines = [""]
    for part in _parts(rule):
        start = indent + (DEEPER if len(lines) > 1 else "")
        if not lines[-1]:
            lines[-1] = start + part
        elif count_cells(f"{lines[-1]}{_gap(part)}{part}") <= columns:
            lines[-1] += _gap(part) + part
        else:
            lines.append(indent + DEEPER + part)
    return [line for long in lines for line in _at_commas(long, columns, indent + 2 * DEEPER)]


def fold_terms(lines: Sequence[str], columns: int) -> Iterator[str]:
    """Yield lines of printed text, wrapping lines of terms at commas to at most this width."""
    place = 0
    while place < len(lines):
        end = place + 1
        while end < len(lines) and lines[end - 1].endswith(","):
            end += 1
        group = lines[place:end]
        place = end
        if max(map(count_cells, group)) <= columns:
            yield from group
            continue
        yield from _broken(group, columns)


def _broken(group: Sequence[str], columns: int) -> Iterator[str]:
    """Yield a line that continues after commas, broken again; continuation lines are aligned with the first word."""
    indent = len(group[1]) - len(group[1].lstrip()) if len(group) > 1 else 2 * len(DEEPER)
    if indent > columns // 2:
        indent = 2 * len(DEEPER)
    line = ""
    for piece in ", ".join(part.strip() if number else part for number, part in enumerate(group)).split(", "):
        piece = piece.rstrip(",")
        if line and count_cells(f"{line}, {piece},") > columns:
            yield line + ","
            line = " " * indent + piece
        else:
            line = f"{line}, {piece}" if line else piece
    yield line


def _gap(part: str) -> str:
    return "  " if part.startswith("#") else " "


def _parts(rule: str) -> Iterator[str]:
    """Yield the unbreakable pieces: a condition with its `and`, the conclusion, counts, a comment."""
    part = ""
    for found in _PIECE.finditer(rule):
        piece = found[0]
        starts = piece.lower() in _STARTS or (piece[0] == "(" and piece[-1] == ":")  # counts of several classes
        if starts and part.strip() and not part.startswith("#"):
            yield part.strip()
            part = ""
        part += piece
    if part.strip():
        yield part.strip()


def _at_commas(line: str, columns: float, indent: str) -> Iterator[str]:
    """Yield a line in pieces that end with commas, if it is too wide."""
    if count_cells(line) <= columns or line.lstrip().startswith("#"):
        yield line
        return
    part = line[: len(line) - len(line.lstrip())]
    for found in _PIECE.finditer(line.lstrip()):
        ended = part.rstrip().endswith(",")
        if ended and count_cells(part.rstrip() + " " + found[0]) > columns and found[0].strip():
            yield part.rstrip()
            part = indent
        part += found[0]
    yield part
