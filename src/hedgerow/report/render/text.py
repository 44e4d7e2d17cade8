"""Blocks as text: aligned tables, intervals next to estimates, nothing wider than the terminal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from hedgerow.layout.cell_width import count_cells, shorten
from hedgerow.layout.numbers import format_counted, format_weight
from hedgerow.layout.terminal import clean_text
from hedgerow.layout.text_table import align_columns
from hedgerow.layout.wrapping import hang_list, list_sentences, wrap_list, wrap_text
from hedgerow.report import blocks as b
from hedgerow.report.render.marked_text import colored, signed, text_lines
from hedgerow.report.render.rule_folding import fold_rule, fold_terms
from hedgerow.report.render.terminal import Terminal
from hedgerow.report.render.text_tables import grouped_lines, left_out, table_lines

INDENT = "  "
SHORTEST_MARK, LONGEST_MARK = 16, 30  # cells of a class's letter and name beside the confusion matrix
MOST_BLOCKS = 3  # of a confusion matrix that is wider than the terminal


def block_lines(blocks: Iterable[b.Block], terminal: Terminal) -> list[str]:
    """Return the lines of blocks, separated by one empty line, and by two around articles."""
    lines: list[str] = []
    apart = 1
    for block in blocks:
        own, is_article = LINES[type(block)](block, terminal), isinstance(block, b.Article) and bool(block.key)
        lines += [*([""] * (2 if is_article else apart) if lines and own else []), *own]
        apart = 2 if is_article else 1
    return lines


def section_lines(sections: Iterable[b.Section], terminal: Terminal) -> list[str]:
    """Return the lines of sections, separated by two empty lines."""
    lines: list[str] = []
    for section in sections:
        own = block_lines(section.blocks, terminal)
        lines += [*(["", ""] if lines and own else []), *own]
    return lines


def _sentences(sentences: Sequence[str], terminal: Terminal) -> list[str]:
    return [line for one in sentences for line in wrap_text(clean_text(one), terminal.columns)]


def _heading(block: b.Heading, terminal: Terminal) -> list[str]:
    return _sentences([block.title], terminal)


def _lead(block: b.Lead, terminal: Terminal) -> list[str]:
    given = ", ".join(f"{name}={parameter_text(value)}" for name, value in block.changed.items())
    changed = wrap_text(given, terminal.columns, INDENT) if given else []
    warning = [block.warning] if block.warning else []
    return [*_sentences([block.title, *warning], terminal), *changed, *_sentences(block.sentences, terminal)]


def parameter_text(value: object) -> str:
    """Return the value of a parameter; for a text of several lines, such as rules, only its length."""
    lines = str(value).strip().split("\n") if isinstance(value, str) else []
    return f"({len(lines)} lines)" if len(lines) > 1 else "none" if value is None else str(value).strip()


def _paragraph(block: b.Paragraph, terminal: Terminal) -> list[str]:
    return _sentences([*block.sentences, *block.passing], terminal)


def _bullets(block: b.Bullets, terminal: Terminal) -> list[str]:
    more = left_out(len(block.sentences) - block.most, block.what)
    title = [block.title] if block.title else []
    return [*title, *list_sentences(block.sentences[: block.most], terminal.columns), *more]


def _notes(block: b.Notes, terminal: Terminal) -> list[str]:
    return ["Note", *list_sentences(block.sentences, terminal.columns)] if block.sentences else []


def _chips(block: b.Chips, terminal: Terminal) -> list[str]:
    return wrap_list([clean_text(piece) for piece in block.pieces], terminal.columns) if block.pieces else []


def _printed(block: b.Printed, terminal: Terminal) -> list[str]:
    if block.on_paper:
        return []
    lines = block.text.rstrip("\n").split("\n")
    if terminal.folded and block.broken == "rules":
        return [part for line in lines for part in fold_rule(line, terminal.columns)]
    return list(fold_terms(lines, terminal.columns)) if terminal.folded and block.broken == "terms" else lines


def _not_in_text(block: b.Block, terminal: Terminal) -> list[str]:  # noqa: ARG001
    return []


# -- confusion matrices ---------------------------------------------------------------------------------------


def _confusion(block: b.Confusion, terminal: Terminal) -> list[str]:
    """Return a matrix with one letter per class, in blocks of columns if it is wider than the terminal."""
    letters, counts, head = list(block.letters), [list(row) for row in block.counts[: b.MOST_ROWS]], "<- predicted"
    if block.unanswered is not None:
        letters, head = [*letters, "?"], f"{head}, ? = no prediction"
        counts = [[*row, cell] for row, cell in zip(counts, block.unanswered, strict=False)]
    cells = [letters, *(["." if not cell else format_weight(cell) for cell in row] for row in counts)]
    size = max(len(cell) for row in cells for cell in row)
    names = [f"| {mark} = {clean_text(label)}" for mark, label in zip(letters, block.labels, strict=False)]
    room = max(terminal.columns - len(letters) * (size + 1), len(head))  # beside the whole matrix
    most = room if SHORTEST_MARK <= room < LONGEST_MARK else LONGEST_MARK
    names = [head, *(shorten(name, most) for name in names[: b.MOST_ROWS])]
    fitting = _columns_a_block(len(letters), max(terminal.columns - max(map(count_cells, names)), 1) // (size + 1))
    lines: list[str] = []
    for start in range(0, len(letters), fitting)[:MOST_BLOCKS]:
        rows = [" ".join(cell.rjust(size) for cell in row[start : start + fitting]) for row in cells]
        lines += [*([""] if lines else []), *(f"{row} {name}" for row, name in zip(rows, names, strict=True))]
    title = f"{block.title} ({block.caption})"
    return [*wrap_text(title, terminal.columns), *lines, *_cut_off(block, len(letters), fitting)]


def _columns_a_block(n: int, fitting: int) -> int:
    """Return the number of columns in each block, about equal."""
    blocks = math.ceil(n / max(fitting, 1))
    return math.ceil(n / blocks) if blocks <= MOST_BLOCKS else max(fitting, 1)


def _cut_off(block: b.Confusion, n_columns: int, fitting: int) -> list[str]:
    missing = n_columns - fitting * MOST_BLOCKS
    columns = f"{missing} of {n_columns} columns do not fit; see the JSON report"
    return [*([columns] if missing > 0 else []), *left_out(len(block.counts) - b.MOST_ROWS, "rows")]


# -- terms ----------------------------------------------------------------------------------------------------


def _terms(block: b.TermRanking, terminal: Terminal) -> list[str]:
    names = [clean_text(group.name) for group in block.groups]
    room = min(max(map(count_cells, names), default=0), max(terminal.columns * 2 // 5, 12))
    lines: list[str] = []
    for group, name in zip(block.groups, names, strict=True):
        pieces = [_term(one) for one in group.terms] or [block.nothing]
        lines += _hanging(name, room, pieces, terminal.columns)
    return [*wrap_text(block.reading[-1], terminal.columns), "", *lines]


def _hanging(name: str, room: int, pieces: Sequence[str], columns: int) -> list[str]:
    """Return pieces after a name, aligned at one column; a longer name is on a separate line."""
    if count_cells(name) > room:
        return [name, *_hanging("", room, pieces, columns)]
    return hang_list(name + " " * (room - count_cells(name) + 2), pieces, columns)


def _term(one: b.RankedTerm) -> str:
    return f"{clean_text(one.term)} {one.value}{f' ({one.amount})' if one.amount else ''}"


# -- decisions ------------------------------------------------------------------------------------------------


def article_lines(block: b.Article, terminal: Terminal) -> list[str]:
    """Return a heading and its indented content."""
    head = "".join(clean_text(span.text) for span in block.head)
    inner = terminal.narrower(INDENT)
    lines = wrap_text(head, terminal.columns)
    blocks = list(block.blocks)
    while blocks and isinstance(blocks[0], b.Chips | b.Notes):  # which belong to the headline
        own = blocks.pop(0)
        lines += [f"{INDENT}{line}" for line in _facts(own, inner)]
    below = [f"{INDENT}{line}" if line else "" for line in block_lines(blocks, inner)]
    return [*lines, *([""] if below else []), *below]


def _facts(block: b.Block, terminal: Terminal) -> list[str]:
    if isinstance(block, b.Notes):
        return _sentences([f"Note: {note}" for note in block.sentences], terminal)
    return block_lines([block], terminal)


def _steps(block: b.Steps, terminal: Terminal) -> list[str]:
    """Return tests with the values next to them, or below them if that is too wide."""
    title = wrap_text(block.title, terminal.columns) if block.title else []
    end = wrap_text(clean_text(block.end), terminal.columns, INDENT) if block.end else []
    if any(step.label.text for step in block.steps):
        return [*title, *[line for step in block.steps for line in ["", *_labeled(step, terminal)]][1:], *end]
    return [*title, *_tests(block.steps, terminal), *end]


def _tests(steps: Sequence[b.Step], terminal: Terminal) -> list[str]:
    rows = [[shorten(step.code, terminal.columns - len(INDENT)), clean_text(step.note)] for step in steps]
    lines = align_columns(rows, "ll", indent=INDENT)
    if all(count_cells(line) <= terminal.columns for line in lines):
        return lines
    return [
        line
        for test, note in rows
        for line in (f"{INDENT}{test}", *(wrap_text(note, terminal.columns, INDENT * 2) if note else ()))
    ]


def _labeled(step: b.Step, terminal: Terminal) -> Iterator[str]:
    for line in fold_rule(f"{step.label.text}: {step.code}", terminal.columns, INDENT):
        yield shorten(line, terminal.columns)
    if step.note:
        yield from wrap_text(clean_text(step.note), terminal.columns, INDENT * 2)


def _marked(block: b.MarkedWords, terminal: Terminal) -> list[str]:
    lines, hidden = text_lines(block.pieces, terminal.columns, terminal.in_color, INDENT)
    top = f"{clean_text(block.column)}:"
    if not lines:
        return [f"{top} an empty text"]
    below = []
    if hidden and not block.note:
        those = format_counted(hidden, "line")
        below += wrap_text(f"({those} with weaker words not shown; --html FILE shows the whole text)", terminal.columns)
    below += wrap_text(f"({block.note})", terminal.columns) if block.note else []
    if block.legend and any(amount for _, amount in block.pieces):
        below += _legend(block, terminal)
    return [top, *lines, *below]


def _legend(block: b.MarkedWords, terminal: Terminal) -> list[str]:
    one, other = map(clean_text, block.sides)
    if terminal.in_color:
        room = (terminal.columns - 34) // 2
        first, second = (colored(shorten(name, room), sign, 1.0) for name, sign in ((one, 0.3), (other, -0.3)))
        return [f"({first} or {second}: brighter is stronger)"]
    marks = signed("word", 0.3, 1.0), signed("word", -0.3, 1.0), signed("word", 1.0, 1.0)
    said = (
        f"({marks[0]} supports {one}, {marks[1]} supports {other}; {marks[2]}: at least half as strong as the "
        "strongest)"
    )
    return wrap_text(said, terminal.columns)


LINES: dict[type, Callable[[Any, Terminal], list[str]]] = {
    b.Heading: _heading,
    b.Lead: _lead,
    b.Paragraph: _paragraph,
    b.Bullets: _bullets,
    b.Notes: _notes,
    b.Chips: _chips,
    b.Printed: _printed,
    b.TableBlock: table_lines,
    b.GroupedTable: grouped_lines,
    b.Confusion: _confusion,
    b.TermRanking: _terms,
    b.Article: article_lines,
    b.Steps: _steps,
    b.MarkedWords: _marked,
    b.Charts: _not_in_text,
    b.ProfileCards: _not_in_text,
    b.Tiles: _not_in_text,
    b.Details: _not_in_text,
}
