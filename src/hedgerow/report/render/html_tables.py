"""Tables as HTML: one line or card per row, groups of rows, confusion matrices as heat maps."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.layout.numbers import format_count
from hedgerow.report import blocks as b
from hedgerow.report.draw.confusion_heatmap import confusion_chart
from hedgerow.report.draw.markup import element, escape_words, figure, scroll_box
from hedgerow.report.render.html_cells import cell_html, name_html, rule_html


def full_stop(sentence: str) -> str:
    """Return a sentence with a full stop, if it ends with no other sign."""
    return sentence + ("" if sentence.endswith((".", "!", "?", ":")) else ".")


def capital(note: str) -> str:
    """Return a note as a sentence, with a capital letter and a full stop."""
    return full_stop(note[:1].upper() + note[1:])


def joined_html(sentences: Sequence[str]) -> str:
    """Return joined sentences, each with a full stop."""
    return escape_words(" ".join(full_stop(one) for one in sentences if one))


def title_html(title: str) -> str:
    """Return the title of blocks; nothing if they have none."""
    return f"<h3>{escape_words(title)}</h3>" if title else ""


def table_html(table: b.TableBlock) -> str:
    """Return a table with its caption; the first cell of a row names it."""
    rows, n = table.shown, table.n_hidden
    more = (
        f'<p class="soft">{format_count(n)} more {escape_words(table.what)} not shown; see the JSON report.</p>'
        if n
        else ""
    )
    more += f'<p class="soft">{escape_words(table.note)}</p>' if table.note else ""
    if table.more_columns and table.left_out:
        columns = "column" if table.more_columns == 1 else "columns"
        said = table.left_out.format(names="", n=table.more_columns, columns=columns)
        more += f'<p class="soft">{escape_words(said)}</p>'
    if not rows:
        return more
    if table.as_cards:
        cards = element("div", "\n".join(_row_card(table.columns, row) for row in rows), class_="columns")
        return title_html(table.title or table.label) + cards + more
    title = (
        f'<p class="soft">{escape_words(table.title)}</p>' if table.indent and table.title else title_html(table.title)
    )
    kinds = _kinds(table.columns, rows)
    body = "\n".join(f"<tr>{_cells(row, table.columns, kinds)}</tr>" for row in rows[: len(rows) - bool(table.total)])
    body += f'\n<tr class="sum">{_cells(table.total, table.columns, kinds)}</tr>' if table.total else ""
    return title + _grid(table, kinds, body) + more


def _grid(table: b.TableBlock, kinds: Sequence[str | None], body: str) -> str:
    caption = element("caption", escape_words(table.title or table.label), class_="unseen" if table.title else None)
    return scroll_box(
        element("table", f"{caption}\n{_head(table.columns, kinds)}<tbody>\n{body}\n</tbody>"),
        table.title or table.label,
    )


def _head(columns: Sequence[b.TableColumn], kinds: Sequence[str | None]) -> str:
    cells = (
        element("th", escape_words(one.title or one.label), scope="col", class_=kind)
        for one, kind in zip(columns, kinds, strict=True)
    )
    return f"<thead><tr>{''.join(cells)}</tr></thead>\n" if any(one.title or one.label for one in columns) else ""


def _kinds(columns: Sequence[b.TableColumn], rows: Sequence[b.Row]) -> list[str | None]:
    """Return the class of each column: numbers to the right, names and rules that may be broken."""
    kinds: list[str | None] = []
    for place, column in enumerate(columns):
        cells = [row[place] for row in rows]
        is_name = column.side == "l" and (column.longest or any(isinstance(one, b.RuleCell | b.Name) for one in cells))
        is_wide = any(isinstance(one, b.Figure) and (one.bar is not None or one.low) for one in cells)
        kinds.append("name" if is_name else "r" if column.side == "r" and not is_wide else None)
    return kinds


def _cells(row: b.Row, columns: Sequence[b.TableColumn], kinds: Sequence[str | None]) -> str:
    made = [cell_html(cell, column) for cell, column in zip(row, columns, strict=True)]
    first = element("th", made[0], scope="row", class_=kinds[0])
    return first + "".join(element("td", cell, class_=kind) for cell, kind in zip(made[1:], kinds[1:], strict=True))


def _row_card(columns: Sequence[b.TableColumn], row: b.Row) -> str:
    """Return a row as a card: its name, its values in a line, its picture."""
    name = next(cell for cell in row if isinstance(cell, b.Name))
    facts = [
        f"{column.title} {cell}"
        for column, cell in zip(columns, row, strict=True)
        if isinstance(cell, str) and column.title != "#" and cell not in ("", "0")
    ]
    pictures = "".join(cell.picture for cell in row if isinstance(cell, b.EntryList | b.Sparkline))
    told = f'<p class="facts">{escape_words(" · ".join(facts))}</p>'
    return element("div", f"<h4>{name_html(name)}</h4>{told}{pictures}", class_="card")


def grouped_html(table: b.GroupedTable) -> str:
    """Return a table whose groups have their number and title in cells that span their rows."""
    if not table.groups:
        return ""
    columns = [b.TableColumn(table.head[0], "r"), b.TableColumn(table.head[1], longest=1), *table.columns]
    kinds = ["r", "name", *_kinds(table.columns, [row for group in table.groups for row in group.rows])]
    body = "\n".join(_group(group, table.columns, kinds[2:]) for group in table.groups)
    caption = element("caption", escape_words(table.label))
    inner = f"{caption}\n{_head(columns, kinds)}<tbody>\n{body}\n</tbody>"
    note = f'<p class="soft">{joined_html(table.notes)}</p>' if table.notes else ""
    return element("div", scroll_box(element("table", inner), table.label), class_="grouped") + note


def _group(group: b.Group, columns: Sequence[b.TableColumn], kinds: Sequence[str | None]) -> str:
    tall = str(max(len(group.rows), 1))
    said = rule_html(group.text) if isinstance(group.text, b.RuleCell) else escape_words(group.text)
    head = element("td", escape_words(group.number), class_="r number", rowspan=tall)
    head += element("th", said, scope="rowgroup", class_="name", rowspan=tall)
    if not group.rows:
        return f"<tr>{head}{element('td', escape_words(group.nothing), colspan=str(len(columns)))}</tr>"
    lines = []
    for row in group.rows:
        cells = (
            element("td", cell_html(cell, column), class_=kind, data_title=column.title or None)
            for cell, column, kind in zip(row, columns, kinds, strict=True)
        )
        lines.append("".join(cells))
    first, *more = lines
    return f"<tr>{head}{first}</tr>" + "".join(f"<tr>{line}</tr>" for line in more)


def confusion_html(block: b.Confusion) -> str:
    """Return a confusion matrix as a heat map; nothing if it has too many classes for one."""
    drawn = confusion_chart(block.labels, block.letters, block.counts, block.unanswered)
    if drawn is None:
        return ""
    caption = f"{block.caption}; darker cells have a larger share of their row"
    return title_html(block.title) + figure(drawn, capital(caption), "fit" if len(block.labels) <= 10 else "wide")
