"""A row beside some of those learned from, as text and on a page: figures, then the columns that differ the most.

What is told has `columns`, the `values` of the row in them, by how much rows `differ` there, and how many columns are
left out already (`more_columns`); each of the rows has its `values` too, or none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hedgerow.layout.cell_width import count_cells, shorten
from hedgerow.layout.names import parse_number
from hedgerow.layout.terminal import clean_text
from hedgerow.layout.text_table import align_columns
from hedgerow.layout.wrapping import wrap_text
from hedgerow.report.draw.markup import grid_table, words

Report = Mapping[str, Any]
Lead = Sequence[tuple[str, str, Callable[[Report], str]]]  # title and side of a figure, and what it is of a row
INDENT = "  "
LONGEST = 24  # cells of a value
THIS = "this row"
ON_PAGE = 12  # columns


def compared_lines(title: str, told: Report, rows: Sequence[Report], lead: Lead, columns: int) -> list[str]:
    """Return the lines of a table of rows, with the columns that fit."""
    chosen = _that_fit(told, rows, lead, columns)
    head, body, sides = _table(told, rows, lead, chosen)
    lines = ["", *wrap_text(title, columns, INDENT), *align_columns([head, *body], sides, indent=INDENT * 2)]
    left = len(told["columns"]) + told["more_columns"] - len(chosen)
    return [*lines, *wrap_text(f"({_left_out(left)})", columns, INDENT * 2)] if left and chosen else lines


def compared_html(title: str, told: Report, rows: Sequence[Report], lead: Lead) -> str:
    """Return the same on a page."""
    chosen = sorted(_telling(told)[:ON_PAGE])
    head, body, sides = _table(told, rows, lead, chosen)
    made = grid_table(title, [words(one) for one in head], [[words(cell) for cell in row] for row in body], sides)
    left = len(told["columns"]) + told["more_columns"] - len(chosen)
    return made + (f'<p class="dim">{_left_out(left)}</p>' if left and chosen else "")


def _left_out(n: int) -> str:
    return "1 column that differs less is left out" if n == 1 else f"{n:,} columns that differ less are left out"


def _telling(told: Report) -> list[int]:
    """Return the columns, those first in which the rows differ the most."""
    return sorted(range(len(told["columns"])), key=lambda at: (-told["differs"][at], at))


def _that_fit(told: Report, rows: Sequence[Report], lead: Lead, columns: int) -> list[int]:
    """Return the columns that tell the most and fit into a line, in their order."""
    head, body, sides = _table(told, rows, lead, [])
    bare = align_columns([head, *body, [THIS, *[""] * (len(head) - 1)]], sides, indent=INDENT * 2)
    room = columns - max(map(count_cells, bare))
    chosen: list[int] = []
    for at in _telling(told):
        cells = [told["columns"][at], told["values"][at], *(one["values"][at] for one in rows)]
        wide = 2 + max(min(count_cells(clean_text(cell)), LONGEST) for cell in cells)
        if wide <= room:
            chosen.append(at)
            room -= wide
    return sorted(chosen)


def _table(
    told: Report, rows: Sequence[Report], lead: Lead, chosen: Sequence[int]
) -> tuple[list[str], list[list[str]], str]:
    """Return head, rows and sides of a table; first the row that is explained, to compare."""
    head = [title for title, _, _ in lead] + [shorten(told["columns"][at], LONGEST) for at in chosen]
    body = [
        [*(cell(one) for _, _, cell in lead), *(shorten(one["values"][at], LONGEST) for at in chosen)] for one in rows
    ]
    if chosen:
        body.insert(0, [THIS, *[""] * (len(lead) - 1), *(shorten(told["values"][at], LONGEST) for at in chosen)])
    aligned = ("r" if all(map(_is_number, column)) else "l" for column in list(zip(*body, strict=True))[len(lead) :])
    return head, body, "".join(side for _, side, _ in lead) + "".join(aligned)


def _is_number(cell: str) -> bool:
    return parse_number(cell) is not None or cell == "missing"
