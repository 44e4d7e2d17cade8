"""Text tables: columns aligned by the cells that a terminal gives them, and tables that fit a width."""

from __future__ import annotations

from collections.abc import Container, Sequence

from hedgerow.layout.cell_width import count_cells, pad_cells, shorten
from hedgerow.layout.terminal import clean_text

GAP = "  "  # between the columns of a table
Columns = Sequence[Sequence[str]]


def align_columns(rows: Columns, sides: Sequence[str], gap: str = GAP, indent: str = "") -> list[str]:
    """Return the lines of a table whose columns are as wide as their widest cell; `sides` is l or r each."""
    if not rows:
        return []
    widths = [max(count_cells(row[i]) for row in rows) for i in range(len(sides))]
    cells = ([pad_cells(*cell) for cell in zip(row, widths, sides, strict=True)] for row in rows)
    return [(indent + gap.join(row)).rstrip() for row in cells]


def align_numbers(rows: Sequence[Sequence[str]], left: Container[int] = (0,)) -> list[str]:
    """Return the lines of a table of numbers: the columns at the positions `left` are flush left, the others right.

    >>> align_numbers([["", "coefficient"], ["Tee", "1"], ["茶", "2.5"]])
    ['     coefficient', 'Tee            1', '茶           2.5']
    """
    return align_columns(rows, ["l" if at in left else "r" for at in range(len(rows[0]))]) if rows else []


def align_number_columns(head: Sequence[str], columns: Columns) -> list[str]:
    """Return the lines of a table of numbers that is given by columns; the first is flush left.

    >>> align_number_columns(["", "coefficient"], [["Tee", "茶"], ["1", "2.5"]])
    ['     coefficient', 'Tee            1', '茶           2.5']
    """
    return align_numbers([head, *zip(*columns, strict=True)])


def fit_named_table(rows: list[list[str]], sides: str, columns: int, spare: Sequence[int] = ()) -> list[str]:
    """Return a table whose lines fit into `columns` cells.

    The names in its second column are cut if need be, to 16 cells at least; if that is not enough, the
    columns at the positions `spare` are left out one after another, then names are cut to 8.
    """
    rows = [[row[0], clean_text(row[1]), *row[2:]] for row in rows]
    kept = list(range(len(sides)))
    for position in (None, *spare):
        kept = [column for column in kept if column != position]
        shown = [[row[column] for column in kept] for row in rows]
        shape = "".join(sides[column] for column in kept)
        over = max(max(map(count_cells, align_columns(shown, shape))) - columns, 0)
        room = max(count_cells(row[1]) for row in rows) - over
        if not over or room >= 16:
            break
    return align_columns([[row[0], shorten(row[1], max(room, 8)), *row[2:]] for row in shown], shape)


def split_into_blocks(lead: Columns, parts: Sequence[Columns], sides: str, columns: int, gap: str = GAP) -> list[str]:
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
    cells = [
        align_columns(list(zip(*block, strict=True)), shape, gap) for block, shape in zip(blocks, shapes, strict=True)
    ]
    return [line for number, lines in enumerate(cells) for line in ([""] if number else []) + lines]


def _wide(columns: Columns, gap: str) -> int:
    return sum(max(map(count_cells, column)) + len(gap) for column in columns)
