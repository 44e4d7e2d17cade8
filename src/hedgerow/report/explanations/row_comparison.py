"""A row compared with some training rows: numbers, then the columns that differ most.

What is told has `columns`, the `values` of the row in them, by how much rows `differ` there, and how many columns are
left out already (`more_columns`); each of the rows has its `values` too, or none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from hedgerow.layout.cell_width import shorten
from hedgerow.layout.names import parse_number
from hedgerow.report import blocks as b
from hedgerow.report.schema import ComparedPart, ComparedRow

R = TypeVar("R", bound=ComparedRow)
Lead = Sequence[tuple[b.TableColumn, Callable[[R], str]]]  # a figure: its column, and what it is of a row
LONGEST = 24  # cells of a value
THIS = "this row"
MOST_COLUMNS = 12
LEFT_OUT = "({n} {columns} with smaller differences not shown)"


def compared_rows(title: str, told: ComparedPart, rows: Sequence[R], lead: Lead[R]) -> b.TableBlock:
    """Return a table of rows, the explained one first, with as many columns as fit."""
    telling = sorted(range(len(told["columns"])), key=lambda at: (-told["differs"][at], at))[:MOST_COLUMNS]
    chosen = sorted(telling)
    own = [(THIS, *[""] * (len(lead) - 1), *_values(told["values"], chosen))] if chosen else []
    body = [*own, *((*(cell(one) for _, cell in lead), *_values(one["values"], chosen)) for one in rows)]
    columns = [column for column, _ in lead]
    for place, at in enumerate(chosen, len(lead)):
        numbers = all(_is_number(row[place]) for row in body)
        columns.append(b.TableColumn(shorten(told["columns"][at], LONGEST), "r" if numbers else "l"))
    return b.TableBlock(
        tuple(columns),
        tuple(body),
        title,
        fit="keep",
        optional=tuple(len(lead) + chosen.index(at) for at in telling),
        left_out=LEFT_OUT,
        more_columns=len(told["columns"]) + told["more_columns"] - len(chosen),
        indent=True,
    )


def _values(values: Sequence[str], chosen: Sequence[int]) -> list[str]:
    return [shorten(values[at], LONGEST) for at in chosen]


def _is_number(cell: str) -> bool:
    return parse_number(cell) is not None or cell == "missing"
