"""One machine of several in print: all its coefficients, or its heaviest support vectors as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hedgerow.errors import ModelError
from hedgerow.layout.cell_width import count_cells
from hedgerow.layout.numbers import format_number
from hedgerow.layout.text_table import align_number_columns
from hedgerow.layout.wrapping import LINE_WIDTH
from hedgerow.models.base.date_coefficients import coefficient_text, date_notes, day_units, name_positions
from hedgerow.models.linear.text import (
    INTERCEPT,
    choose_printed_positions,
    describe_base_levels,
    if_missing,
    quote_name,
    standardize_slopes,
)
from hedgerow.models.svm.functions import KernelFunctions, LinearFunctions
from hedgerow.models.svm.multiclass import NONE
from hedgerow.models.svm.support_rows import row_cells
from hedgerow.models.svm.text import machine_lines, machine_name

if TYPE_CHECKING:
    from hedgerow.models.svm.machines import Machines

VECTORS = 20  # that are shown
LONGEST = 24  # cells of a value


def member_text(model: Machines, number: int) -> str:
    """Return the print of one machine; they are numbered from 0."""
    if not 0 <= number < len(model) or model.form == NONE:
        there = f"the machines are numbered 0 to {len(model) - 1}" if model.form != NONE else "there is only one class"
        raise ModelError(f"there is no machine {number}; {there}")
    functions = model.functions
    title = f"Machine {number} of {len(model):,}: {machine_name(model, number)}"
    body = _slopes(model, functions, number) if isinstance(functions, LinearFunctions) else _heaviest(model, number)
    return "\n".join([title, "", *body, "", *machine_lines(model, [number])]).rstrip()


def _slopes(model: Machines, functions: LinearFunctions, number: int) -> list[str]:
    design, own = model.design, functions.slopes[number]
    places, more = choose_printed_positions(design, np.abs(standardize_slopes(design, own)))
    units = day_units(design)
    cells = [coefficient_text(float(own[place]), float(units[place])) for place in places]
    names = [INTERCEPT, *(quote_name(name) for name in name_positions(design, places))]
    head, body = ["", "coefficient"], [names, [format_number(float(functions.intercepts[number])), *cells]]
    missing = if_missing(design, places, (own != 0).tolist())
    if any(missing):
        head.append("if missing")
        body.append(["", *missing])
    return [*align_number_columns(head, body), *more, *describe_base_levels(design), *date_notes(design, own)]


def _heaviest(model: Machines, number: int) -> list[str]:
    """Return the support vectors of the largest |alpha|, each with its values as far as these fit into a line."""
    functions = model.functions
    assert isinstance(functions, KernelFunctions)
    places, coefs = functions.machine(number)
    order = np.argsort(-np.abs(coefs), kind="stable")[:VECTORS]
    shown = places[order]
    head = ["class", "row", "alpha y"]
    body = [
        [quote_name(model.classes[code]) for code in functions.labels[shown].tolist()],
        [f"{row + 1:,}" for row in functions.rows[shown].tolist()],
        [f"{coef:.6g}" for coef in coefs[order].tolist()],
    ]
    left = 0
    if functions.vectors is not None:
        cells = [row_cells(model.design, functions.vectors[[vector]]) for vector in shown.tolist()]
        for at, (position, _) in enumerate(model.design.used_blocks):
            column = [_cut(one[at]) for one in cells]
            title = _cut(quote_name(model.schema.names[position]))
            wide = max((count_cells(line) for line in align_number_columns([*head, title], [*body, column])), default=0)
            if wide > LINE_WIDTH:
                left += 1
                continue
            head.append(title)
            body.append(column)
    lines = align_number_columns(head, body)
    if len(places) > VECTORS:
        lines.append(f"... and {len(places) - VECTORS:,} more support vectors; to_arrow() lists all")
    if left:
        lines.append(f"... {left:,} column{' is' if left == 1 else 's are'} not shown")
    return lines


def _cut(text: str) -> str:
    while count_cells(text) > LONGEST:
        text = text[: -2 if text.endswith("…") else -1] + "…" if len(text) > 1 else ""
    return text
