"""Blocks as Markdown that GitHub, GitLab and notebooks show: headings, tables, prints in blocks of code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hedgerow.layout.bars import draw_bar, draw_histogram
from hedgerow.layout.numbers import format_count, format_weight
from hedgerow.layout.terminal import clean_text
from hedgerow.report import blocks as b
from hedgerow.report.render.html_tables import capital, full_stop
from hedgerow.report.render.terminal import Terminal
from hedgerow.report.render.text import block_lines, parameter_text

MOST_ENTRIES = 6  # of a listing
MOST_LABELS = 20  # of a confusion matrix
BAR = 8
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~!&])")


def section_markdown(made: b.Section) -> list[str]:
    """Return a section under its title."""
    return [f"## {plain(made.title)}", "", *blocks_markdown(made.blocks)]


def blocks_markdown(blocks: Iterable[b.Block]) -> list[str]:
    """Return the lines of blocks, separated by empty lines."""
    lines: list[str] = []
    for block in blocks:
        own = PARTS.get(type(block), _nothing)(block)
        lines += [*([""] if lines and own else []), *own]
    return lines


def plain(text: str) -> str:
    """Return words escaped for Markdown."""
    return _SPECIAL.sub(r"\\\1", clean_text(" ".join(text.split())))


def code_block(text: str) -> list[str]:
    """Return text as a code block, with a fence longer than any in the text."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *(clean_text(line) for line in text.rstrip("\n").split("\n")), fence]


def grid(head: Sequence[str], rows: Iterable[Sequence[str]], sides: Sequence[str]) -> list[str]:
    """Return a table of cells that are already Markdown; `sides` has l or r per column."""
    under = ["---:" if side == "r" else ":---" for side in sides]
    return [f"| {' | '.join(row)} |" for row in (head, under, *rows)]


def _nothing(block: b.Block) -> list[str]:  # noqa: ARG001
    return []


# -- sentences ------------------------------------------------------------------------------------------------


def _joined(sentences: Sequence[str]) -> str:
    return " ".join(plain(full_stop(one)) for one in sentences if one)


def _heading(block: b.Heading) -> list[str]:
    return _title(block.title)[:1]


def _lead(block: b.Lead) -> list[str]:
    given = ", ".join(f"{name}={parameter_text(value)}" for name, value in block.changed.items())
    return [_joined([block.title, block.warning, f"Parameters: {given}" if given else "", *block.sentences])]


def _paragraph(block: b.Paragraph) -> list[str]:
    return [_joined(block.sentences)] if block.sentences else []


def _bullets(block: b.Bullets) -> list[str]:
    more = len(block.sentences) - block.most
    said = [*block.sentences[: block.most], *([f"{format_count(more)} more {block.what}"] if more > 0 else [])]
    return [*_title(block.title), *(f"- {plain(one)}" for one in said)]


def _title(title: str) -> list[str]:
    return [f"### {plain(title)}", ""] if title else []


def _notes(block: b.Notes) -> list[str]:
    return [f"> - {plain(capital(note))}" for note in block.sentences]


def _chips(block: b.Chips) -> list[str]:
    return [", ".join(map(plain, block.pieces))] if block.pieces else []


def _printed(block: b.Printed) -> list[str]:
    return [] if block.on_paper else code_block(block.text)


# -- tables ---------------------------------------------------------------------------------------------------


def _table(table: b.TableBlock) -> list[str]:
    rows, n = table.shown, table.n_hidden
    more = [f"{format_count(n)} more {plain(table.what)} not shown; see the JSON report."] if n else []
    more += [plain(table.note)] if table.note else []
    if not rows:
        return more
    made = [[cell_markdown(cell) for cell in row] for row in rows]
    drawn = grid([plain(one.title or one.label) for one in table.columns], made, [one.side for one in table.columns])
    return [*_title(table.title), *drawn, *(line for one in more for line in ("", one))]


def cell_markdown(cell: b.Cell) -> str:
    """Return the content of a cell."""
    if isinstance(cell, b.Figure):
        ends = f" ({cell.low} to {cell.high})" if cell.low else ""
        bar = "" if cell.bar is None or cell.bar.signed else f"{draw_bar(min(abs(cell.bar.length), 1.0), BAR)} "
        return plain(f"{bar}{cell.value}{ends} {cell.more}")
    if isinstance(cell, b.Sparkline):
        return draw_histogram(cell.counts)
    if isinstance(cell, b.EntryList):
        more = cell.n_entries - min(len(cell.entries), MOST_ENTRIES)
        return plain(", ".join([*cell.entries[:MOST_ENTRIES], *([f"{format_count(more)} more"] if more else [])]))
    if isinstance(cell, b.Name):
        return plain(cell.text) + (f" ({plain(cell.role)})" if cell.role else "")
    return plain(cell if isinstance(cell, str) else cell.text)


def _grouped(table: b.GroupedTable) -> list[str]:
    if not table.groups:
        return []
    rows = []
    for group in table.groups:
        head = [plain(group.number), cell_markdown(group.text)]
        made = [[cell_markdown(cell) for cell in row] for row in group.rows]
        made = made or [[plain(group.nothing), *[""] * (len(table.columns) - 1)]]
        rows += [[*(head if not place else ["", ""]), *row] for place, row in enumerate(made)]
    titles = [*table.head, *(one.title for one in table.columns)]
    drawn = grid([plain(one) for one in titles], rows, ["r", "l", *(one.side for one in table.columns)])
    return [*drawn, *(["", _joined(table.notes)] if table.notes else [])]


def _confusion(block: b.Confusion) -> list[str]:
    if len(block.labels) > MOST_LABELS:
        return []
    head = [r"actual \\ predicted", *map(plain, block.labels)]
    rows = [[plain(label), *map(format_weight, row)] for label, row in zip(block.labels, block.counts, strict=True)]
    if block.unanswered is not None:
        head.append("no prediction")
        rows = [[*row, format_weight(n)] for row, n in zip(rows, block.unanswered, strict=True)]
    return [*_title(block.title), *grid(head, rows, ["l", *"r" * (len(head) - 1)])]


def _terms(block: b.TermRanking) -> list[str]:
    rows = [
        [plain(group.name), plain(one.term), one.value, one.amount] for group in block.groups for one in group.terms
    ]
    drawn = grid(["class", "term", plain(block.measure), "amount"], rows, "llrr")
    return [*_title(block.title), _joined(block.reading), "", *drawn]


# -- decisions ------------------------------------------------------------------------------------------------


def _article(block: b.Article) -> list[str]:
    head = f"{'###' if block.key else '####'} {plain(''.join(span.text for span in block.head))}"
    return [head, "", *blocks_markdown(block.blocks)]


def _steps(block: b.Steps) -> list[str]:
    labeled = any(step.label.text for step in block.steps)
    steps = [
        f"{'-' if labeled else '1.'} {plain(step.label.text)}{': ' if labeled else ''}{plain(step.code)}"
        f"{f' ({plain(step.note)})' if step.note else ''}"
        for step in block.steps
    ]
    title, end = ([plain(full_stop(said))] if said else [] for said in (block.title, block.end))
    return [*title, *([""] if title else []), *steps, *([""] if end else []), *end]


def _marked(block: b.MarkedWords) -> list[str]:
    return code_block("\n".join(block_lines([block], Terminal())))


PARTS: dict[type, Callable[[Any], list[str]]] = {
    b.Heading: _heading,
    b.Lead: _lead,
    b.Paragraph: _paragraph,
    b.Bullets: _bullets,
    b.Notes: _notes,
    b.Chips: _chips,
    b.Printed: _printed,
    b.TableBlock: _table,
    b.GroupedTable: _grouped,
    b.Confusion: _confusion,
    b.TermRanking: _terms,
    b.Article: _article,
    b.Steps: _steps,
    b.MarkedWords: _marked,
}
