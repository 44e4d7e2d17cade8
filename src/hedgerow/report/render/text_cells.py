"""The cells of text tables: numbers, their intervals and bars as columns of words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hedgerow.layout.bars import draw_bar, draw_histogram
from hedgerow.layout.cell_width import shorten
from hedgerow.layout.terminal import clean_text
from hedgerow.report.blocks import Bar, Cell, EntryList, Figure, Sparkline, TableColumn
from hedgerow.report.render.terminal import Terminal


@dataclass
class TextColumn:
    """A column of words: its title, one word per row, and whether it belongs to the previous column."""

    words: list[str]
    side: str
    joined: bool = False


def cell_text(cell: Cell, longest: int = 0) -> str:
    """Return the content of a cell."""
    if isinstance(cell, Figure):
        return f"{cell.value} {cell.more}" if cell.more else cell.value
    if isinstance(cell, Sparkline):
        return draw_histogram(cell.counts)
    if isinstance(cell, EntryList):
        return ", ".join(cell.entries)
    text = cell if isinstance(cell, str) else cell.text
    return shorten(text, longest) if longest else clean_text(text)


def compact(figure: Figure) -> str:
    """Return a number with its interval in short form: 0.947 .84-.98."""
    ends = (
        end.replace("0.", ".", 1) if end.lstrip("+-").startswith("0.") else end for end in (figure.low, figure.high)
    )
    return f"{figure.value} {'-'.join(ends)}"


def ends_of(figure: Figure) -> str:
    """Return the ends of an interval: 0.84-0.98, or -0.5 to +0.2."""
    signed = figure.low[0] in "+-" or figure.high[0] in "+-" if figure.low else False
    return "" if not figure.low else f"{figure.low} to {figure.high}" if signed else f"{figure.low}-{figure.high}"


def bar_text(bar: Bar | None, cells: int) -> str:
    """Return a bar of block characters."""
    return "" if bar is None else draw_bar(min(abs(bar.length), 1.0), cells)


def text_columns(column: TableColumn, cells: Sequence[Cell], terminal: Terminal) -> list[TextColumn]:
    """Return a column of cells as columns of words: the numbers, their intervals, their bars."""
    figures = [cell if isinstance(cell, Figure) else None for cell in cells]
    words = [cell_text(cell, column.longest) for cell in cells]
    if column.ends == "below":
        words = [
            compact(figure) if figure is not None and figure.low else word
            for figure, word in zip(figures, words, strict=True)
        ]
    title = shorten(column.title, column.longest) if column.longest else column.title
    made = [TextColumn([title, *words], column.side, column.joined)]
    if column.ends == "beside":
        made.append(
            TextColumn([column.level, *("" if one is None else ends_of(one) for one in figures)], "l", joined=True)
        )
    if column.bar:
        cells_of_bar = min(column.bar, math.ceil(terminal.columns / 3))
        bars = ("" if one is None else bar_text(one.bar, cells_of_bar) for one in figures)
        made.append(TextColumn(["", *bars], "l", joined=True))
    return made
