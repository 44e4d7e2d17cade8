"""Tables as text, and five ways to make a table fit a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from hedgerow.layout.cell_width import count_cells, shorten
from hedgerow.layout.numbers import format_count
from hedgerow.layout.terminal import clean_text
from hedgerow.layout.text_table import align_columns, fit_named_table, split_into_blocks
from hedgerow.layout.wrapping import wrap_text
from hedgerow.report.blocks import (
    EntryList,
    Group,
    GroupedTable,
    Row,
    RuleCell,
    TableBlock,
    TableColumn,
)
from hedgerow.report.render.item_folding import fold_items, item_pieces
from hedgerow.report.render.rule_folding import fold_rule
from hedgerow.report.render.terminal import Terminal
from hedgerow.report.render.text_cells import TextColumn, text_columns

DEEPER = 2  # cells that the rows of an indented table stand deeper than its title
LEAST_LISTING = LEAST_NAME = 8
LEAST_BAR = 4


def table_lines(table: TableBlock, terminal: Terminal) -> list[str]:
    """Return the lines of a table, its title first."""
    if not table.rows and not table.total:
        return []
    indent = " " * (DEEPER if table.indent else 0)
    inner = terminal.narrower(indent)
    lines = [f"{indent}{line}" if line else "" for line in FITS[table.fit](table, inner)]
    below = [*left_out(table.n_hidden, table.what), *(wrap_text(table.note, terminal.columns) if table.note else [])]
    return [*(wrap_text(table.title, terminal.columns) if table.title else []), *lines, *below]


def left_out(n: int, what: str) -> list[str]:
    """Return the line on the number of rows or entries that are not shown, if any."""
    return [f"{format_count(n)} more {what} not shown; see the JSON report"] if n > 0 else []


def _by_column(columns: Sequence[TableColumn], rows: Sequence[Row], terminal: Terminal) -> list[list[TextColumn]]:
    return [text_columns(column, [row[place] for row in rows], terminal) for place, column in enumerate(columns)]


def _aligned(parts: Sequence[TextColumn], indent: str = "") -> list[str]:
    """Return the lines of columns; a line of empty titles is omitted."""
    rows = list(zip(*(part.words for part in parts), strict=True))
    rows = rows if any(rows[0]) else rows[1:]
    return align_columns(rows, "".join(part.side for part in parts), indent=indent)


def _wide(lines: Sequence[str]) -> int:
    return max(map(count_cells, lines), default=0)


# -- ways to fit ----------------------------------------------------------------------------------------------


def _as_wide(table: TableBlock, terminal: Terminal) -> list[str]:
    rows = table.shown
    columns = [part for parts in _by_column(_cut(table.columns, rows, terminal), rows, terminal) for part in parts]
    if any(isinstance(row[-1], EntryList) for row in rows):
        room = max(terminal.columns - 2 - _wide(_aligned(columns[:-1])), LEAST_LISTING)
        columns[-1].words[1:] = [listed(row[-1], room) if isinstance(row[-1], EntryList) else "" for row in rows]
    lines = _aligned(columns)
    first = len(lines) - len(rows)
    gaps = {first + place for place in table.gaps}
    return [one for place, line in enumerate(lines) for one in ([""] if place in gaps else []) + [line]]


def _cut(columns: Sequence[TableColumn], rows: Sequence[Row], terminal: Terminal) -> list[TableColumn]:
    """Return the columns, with names shortened to at least 8 cells if lines would be too wide."""
    made = list(columns)
    for place, column in enumerate(columns):
        parts = _by_column(made, [row for row in rows if not isinstance(row[-1], EntryList)], terminal)
        over = _wide(_aligned([one for part in parts for one in part])) - terminal.columns
        if over > 0 and column.longest:
            made[place] = replace(column, longest=max(_wide(parts[place][0].words) - over, LEAST_NAME))
        elif over > 0 and column.bar:
            made[place] = replace(column, bar=max(_wide(parts[place][-1].words) - over, LEAST_BAR))
    return made


def _brief(columns: Sequence[TableColumn], terminal: Terminal) -> list[TableColumn]:
    """Return columns whose names take at most a fifth of a line."""
    most = max(terminal.columns // 5, LEAST_NAME)
    return [replace(one, longest=min(one.longest, most)) if one.longest and one.side == "l" else one for one in columns]


def listed(listing: EntryList, room: int) -> str:
    """Return as many entries as fit, and the number of the others."""
    words = [clean_text(entry) for entry in listing.entries]
    for shown in range(len(words), 0, -1):
        rest = listing.n_entries - shown
        text = ", ".join(words[:shown]) + (f", {rest} more" if rest else "")
        if count_cells(text) <= room:
            return text
    return shorten(", ".join(words), room)


def _in_blocks(table: TableBlock, terminal: Terminal) -> list[str]:
    columns = [*_brief(table.columns[: table.lead], terminal), *table.columns[table.lead :]]
    made = _by_column(columns, table.shown, terminal)
    lead = [part for parts in made[: table.lead] for part in parts]
    parts: list[list[TextColumn]] = []
    for part in made[table.lead :]:
        if part[0].joined and parts:
            parts[-1] += part
        else:
            parts.append(list(part))
    sides = "".join(part.side for part in [*lead, *(one for part in parts for one in part)])
    words = [[one.words for one in part] for part in parts]
    return split_into_blocks([part.words for part in lead], words, sides, terminal.columns)


def _without_spare(table: TableBlock, terminal: Terminal) -> list[str]:
    parts = [part for parts in _by_column(table.columns, table.shown, terminal) for part in parts]
    rows = [list(row) for row in zip(*(part.words for part in parts), strict=True)]
    return fit_named_table(rows, "".join(part.side for part in parts), terminal.columns, table.optional)


def _kept(table: TableBlock, terminal: Terminal) -> list[str]:
    made = _by_column(_brief(table.columns, terminal), table.shown, terminal)
    chosen = [place for place in range(len(made)) if place not in table.optional]
    left = []
    for place in table.optional:
        tried = sorted([*chosen, place])
        if _wide(_aligned([part for at in tried for part in made[at]])) <= terminal.columns:
            chosen = tried
        else:
            left.append(table.columns[place].title)
    lines = _aligned([part for at in chosen for part in made[at]])
    n = len(left) + table.more_columns
    said = table.left_out.format(names=", ".join(left), n=n, columns="column" if n == 1 else "columns")
    return [*lines, *(wrap_text(said, terminal.columns) if n and said else [])]


def _folded(table: TableBlock, terminal: Terminal) -> list[str]:
    """Return a table whose rules follow their numbers or are below them, wrapped if they are too wide."""
    at = next(place for place, cell in enumerate(table.rows[0]) if isinstance(cell, RuleCell))
    rows = table.shown
    made = _by_column(table.columns, rows, terminal)
    figures = [part for place, parts in enumerate(made) if place != at for part in parts]
    lines = _aligned(figures)
    rules = [cell for row in rows if isinstance(cell := row[at], RuleCell)]
    indent = 3 if rules[0].of_items else max(map(len, figures[0].words)) + 2
    blocks = list(_with_rules(lines, table.columns[at].title, rules, terminal, indent))
    gaps = {place + 1 for place in table.gaps}
    return [one for place, block in enumerate(blocks) for one in ([""] if place in gaps else []) + block]


def _with_rules(
    figures: Sequence[str], title: str, rules: Sequence[RuleCell], terminal: Terminal, indent: int
) -> Iterator[list[str]]:
    """Yield the lines of each row, the header first: numbers, and the rule after or below them."""
    start = _wide(figures) + 2
    of_items = any(rule.of_items for rule in rules)
    texts = [clean_text(rule.text) for rule in rules]
    if of_items:
        longest = max((count_cells(piece) for text in texts for piece in item_pieces(text)), default=0) + 2
    else:
        longest = max(map(count_cells, texts), default=0)
    room = terminal.columns if of_items else terminal.room_of_rules
    below = start + longest > room
    yield [figures[0] if below else figures[0] + " " * (start - count_cells(figures[0])) + title]
    for figure, text in zip(figures[1:], texts, strict=True):
        if of_items:
            lines = fold_items(text, terminal.columns, indent if below else start)
        else:
            lines = fold_rule(text, room, " " * (indent if below else start))
        if below:
            yield [figure, *lines]
        else:
            yield [figure + " " * (start - count_cells(figure)) + lines[0][start:], *lines[1:]]


FITS: dict[str, Callable[[TableBlock, Terminal], list[str]]] = {
    "wide": _as_wide,
    "split": _in_blocks,
    "spare": _without_spare,
    "keep": _kept,
    "fold": _folded,
}


# -- groups ---------------------------------------------------------------------------------------------------


def grouped_lines(table: GroupedTable, terminal: Terminal) -> list[str]:
    """Return a table of groups: the header, then the title of each group and its rows."""
    if not table.groups:
        return []
    indent = " " * (max(len(group.number) for group in table.groups) + 2)
    rows = [row for group in table.groups for row in group.rows]
    drawn = _rows_of_groups(table.columns, rows, terminal, indent) if rows else []
    fits = bool(rows) and (isinstance(rows[0][-1], RuleCell) or _wide(_flat(drawn)) <= terminal.room_of_rules)
    if rows and not fits:
        drawn = _rows_of_groups(table.columns[:-1], [row[:-1] for row in rows], terminal, indent)
    lines, place = _flat(drawn[:1]), 1
    for group in table.groups:
        first, *more = _group_head(group, terminal, indent)
        lines += ["", f"{group.number:<{len(indent)}}{first[len(indent) :]}", *more]
        lines += _flat(drawn[place : place + len(group.rows)]) if group.rows else [f"{indent}{group.nothing}"]
        lines += wrap_text(group.below, terminal.columns, indent) if group.below and not fits else []
        place += len(group.rows)
    notes = [line for note in table.notes for line in wrap_text(note, terminal.columns)]
    return [*lines[not rows :], *([""] if notes else []), *notes]


def _rows_of_groups(
    columns: Sequence[TableColumn], rows: Sequence[Row], terminal: Terminal, indent: str
) -> list[list[str]]:
    made = _by_column(columns, rows, terminal)
    if not isinstance(rows[0][-1], RuleCell):
        return [[line] for line in _aligned([part for parts in made for part in parts], indent)]
    figures = _aligned([part for parts in made[:-1] for part in parts], indent)
    rules = [cell for row in rows if isinstance(cell := row[-1], RuleCell)]
    return list(_with_rules(figures, columns[-1].title, rules, terminal, len(indent) + 3))


def _group_head(group: Group, terminal: Terminal, indent: str) -> list[str]:
    if isinstance(group.text, RuleCell):
        return fold_rule(clean_text(group.text.text), terminal.room_of_rules, indent)
    return wrap_text(clean_text(group.text), terminal.columns, indent)


def _flat(blocks: Sequence[Sequence[str]]) -> list[str]:
    return [line for block in blocks for line in block]
