"""Support vectors of an explanation, as text and on a page: those that pull the most, and the nearest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hedgerow.data.cells import width
from hedgerow.models.words import number_or_none
from hedgerow.report.explanation_words import adds_text
from hedgerow.report.grid import clean, cut, grid, wrapped
from hedgerow.report.markup import element, grid_table, words

Report = Mapping[str, Any]
INDENT = "  "
LONGEST = 24  # cells of a value
THIS = "this row"
ON_PAGE = 12  # columns


def support_lines(told: Report, columns: int) -> list[str]:
    """Return the lines of one decision of a kernel machine."""
    found = told["why"]
    lines = wrapped(_sentence(told), columns, INDENT)
    lines += grid([[clean(name), adds] for name, adds in _sum(told)], "lr", indent=INDENT * 2)
    for title, pulls in _tables(told):
        chosen = _that_fit(found, pulls, columns)
        head, rows, sides = _table(found, pulls, chosen)
        lines += ["", *wrapped(title, columns, INDENT), *grid([head, *rows], sides, indent=INDENT * 2)]
        left = len(found["columns"]) + found["more_columns"] - len(chosen)
        if left and chosen:
            lines += wrapped(f"({_left_out(left)})", columns, INDENT * 2)
    return lines


def support_html(told: Report) -> str:
    """Return the same on a page."""
    found = told["why"]
    summed = [[words(one), words(adds)] for one, adds in _sum(told)]
    made = [f'<p class="column">{words(_sentence(told))}</p>', grid_table("", ["", "adds"], summed, "nr")]
    for title, pulls in _tables(told):
        chosen = sorted(_telling(found)[:ON_PAGE])
        head, rows, sides = _table(found, pulls, chosen)
        cells = [[words(cell) for cell in row] for row in rows]
        made.append(grid_table(title, [words(one) for one in head], cells, sides))
        left = len(found["columns"]) + found["more_columns"] - len(chosen)
        if left and chosen:
            made.append(f'<p class="dim">{_left_out(left)}</p>')
    return element("div", "".join(made), class_="support")


def _left_out(n: int) -> str:
    return "1 column that differs less is left out" if n == 1 else f"{n:,} columns that differ less are left out"


def _sentence(told: Report) -> str:
    found = told["why"]
    n = found["sides"]["for"]["vectors"] + found["sides"]["against"]["vectors"]
    which = f"{n:,} support vector{' pulls' if n == 1 else 's pull'}"
    return f"{which} the row to {clean(told['decision'])} (+) or to {clean(told['against'])} (-), by alpha times K:"


def _sum(told: Report) -> list[tuple[str, str]]:
    """Return what adds up to the decision value."""
    found = told["why"]
    rows = []
    for side, label in (("for", told["decision"]), ("against", told["against"])):
        n, adds = found["sides"][side]["vectors"], found["sides"][side]["adds"]
        rows.append((f"{n:,} for {label}", adds_text(adds)))
    ends = (("intercept", found["intercept"]), ("total, the decision value", found["total"]))
    return [*rows, *((name, adds_text(adds)) for name, adds in ends)]


def _tables(told: Report) -> list[tuple[str, Sequence[Report]]]:
    found = told["why"]
    far = any(one["distance"] is not None for one in found["nearest"])
    near = "by their distance as the kernel sees the columns" if far else "by their kernel value"
    tables = [
        ("The support vectors that pull the most, by their row in the data learned from:", found["strongest"]),
        (f"The nearest support vectors, {near}:", found["nearest"]),
    ]
    return [one for one in tables if one[1]]


def _telling(found: Report) -> list[int]:
    """Return the columns, those first in which the vectors differ the most from the row."""
    return sorted(range(len(found["columns"])), key=lambda at: (-found["differs"][at], at))


def _that_fit(found: Report, pulls: Sequence[Report], columns: int) -> list[int]:
    """Return the columns that tell the most and fit into a line, in their order."""
    head, rows, sides = _table(found, pulls, [])
    bare = grid([head, *rows, [THIS, *[""] * (len(head) - 1)]], sides, indent=INDENT * 2)
    room = columns - max(map(width, bare))
    chosen: list[int] = []
    for at in _telling(found):
        cells = [found["columns"][at], found["values"][at], *(one["values"][at] for one in pulls)]
        wide = 2 + max(min(width(clean(cell)), LONGEST) for cell in cells)
        if wide <= room:
            chosen.append(at)
            room -= wide
    return sorted(chosen)


def _table(found: Report, pulls: Sequence[Report], chosen: Sequence[int]) -> tuple[list[str], list[list[str]], str]:
    """Return head, rows and sides of a table of support vectors; first the row that is explained, to compare."""
    far = any(one["distance"] is not None for one in pulls)
    head = ["row", "class", "adds", "K", *(["distance"] if far else [])]
    head += [cut(found["columns"][at], LONGEST) for at in chosen]
    rows = []
    if chosen:
        blank = [""] * (4 + far - 1)
        rows.append([THIS, *blank, *(cut(found["values"][at], LONGEST) for at in chosen)])
    for one in pulls:
        cells = [f"{one['row']:,}", cut(one["class"], LONGEST), adds_text(one["adds"]), f"{one['kernel']:.4g}"]
        cells += [f"{one['distance']:.4g}"] if far else []
        rows.append([*cells, *(cut(one["values"][at], LONGEST) for at in chosen)])
    aligned = ("r" if all(map(_is_number, column)) else "l" for column in list(zip(*rows, strict=True))[4 + far :])
    return head, rows, "rlrr" + ("r" if far else "") + "".join(aligned)


def _is_number(cell: str) -> bool:
    return number_or_none(cell) is not None or cell == "missing"
