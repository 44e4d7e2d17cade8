"""The slopes of linear support vector machines in print: tables by column and level, and terms by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.data.design.blocks import TermBlock
from hedgerow.data.table.table import Numbers, Rows
from hedgerow.layout.cell_width import count_cells
from hedgerow.layout.names import format_term
from hedgerow.layout.numbers import format_number
from hedgerow.layout.text_table import align_number_columns
from hedgerow.layout.wrapping import LINE_WIDTH, hang_list
from hedgerow.models.base.date_coefficients import coefficient_text, date_notes, day_units, name_positions
from hedgerow.models.linear.text import (
    INTERCEPT,
    LARGEST,
    SHOWN,
    SIDE_BY_SIDE,
    choose_printed_positions,
    describe_base_levels,
    if_missing,
    quote_name,
    standardize_slopes,
)
from hedgerow.models.svm.functions import LinearFunctions
from hedgerow.models.svm.multiclass import NONE, ONE, PAIRS, REST

if TYPE_CHECKING:
    from hedgerow.models.svm.machines import Machines

MOST_MACHINES = 50  # whose largest coefficients are printed, or
MOST_PAIRS = 20
TERMS = 10  # that speak for a class, and as many against it
MOST_CLASSES = 50  # that terms are printed of


def slopes_lines(model: Machines, functions: LinearFunctions) -> list[str]:
    """Return the coefficients of all machines, and the indicative terms of the classes."""
    terms = term_positions(model)
    few = len(model) <= SIDE_BY_SIDE
    lines = _joint_table(model, functions, terms) if few else _largest(model, functions, terms)
    lines += describe_base_levels(model.design) + date_notes(model.design, np.abs(functions.slopes).sum(axis=0))
    if len(terms) and model.design.width > SHOWN:
        lines += ["", *_terms(model)]
    return lines


def term_positions(model: Machines) -> Rows:
    """Return the positions that are terms."""
    spans = zip(model.design.used_blocks, model.design.starts, strict=False)
    own = [np.arange(start, start + part.width) for (_, part), start in spans if isinstance(part, TermBlock)]
    return np.concatenate([np.empty(0, np.int64), *own])


def _joint_table(model: Machines, functions: LinearFunctions, terms: Rows) -> list[str]:
    """Return one table, one column per machine; terms, if there are many, are listed by class."""
    slopes = functions.slopes
    sizes = np.abs(standardize_slopes(model.design, slopes)).max(axis=0, initial=0.0)
    places, more = choose_printed_positions(model.design, sizes)
    if len(terms) and model.design.width > SHOWN:
        places = np.setdiff1d(places, terms).tolist()
        names = {
            quote_name(model.design.schema.names[at])
            for at, part in model.design.used_blocks
            if isinstance(part, TermBlock)
        }
        more = [line for line in more if not any(f" of {name}" in line for name in names)]
    units = day_units(model.design)
    columns = [
        [format_number(float(b)), *(coefficient_text(float(own[place]), float(units[place])) for place in places)]
        for b, own in zip(functions.intercepts, slopes, strict=True)
    ]
    body = [[INTERCEPT, *(quote_name(name) for name in name_positions(model.design, places))], *columns]
    missing = if_missing(model.design, places, (slopes != 0).any(axis=0).tolist())
    head, under = _heads(model)
    if any(missing):
        head, under = [*head, "if missing"], [*under, ""]
        body.append(["", *missing])
    if any(under):
        body = [[below, *column] for below, column in zip(under, body, strict=True)]
    return align_number_columns(head, body) + more


def _heads(model: Machines) -> tuple[list[str], list[str]]:
    """Return the heads of the columns, in two lines where machines part pairs."""
    if len(model) == 1:
        return ["", "coefficient"], ["", ""]
    sides = [model.side_names(number) for number in range(len(model))]
    head = ["", *(quote_name(one) for one, _ in sides)]
    return head, ["", *("" if model.form == REST else f"against {quote_name(other)}" for _, other in sides)]


def _largest(model: Machines, functions: LinearFunctions, terms: Rows) -> list[str]:
    """Return the largest coefficients of every machine, in a few lines each."""
    from hedgerow.models.svm.text import machine_name

    lines, units = [], day_units(model.design)
    others = np.ones(model.design.width, dtype=np.bool_)
    if model.design.width > SHOWN:
        others[terms] = False
    most = MOST_PAIRS if model.form == PAIRS else MOST_MACHINES
    for number, own in enumerate(functions.slopes[:most]):
        order = np.argsort(-np.abs(standardize_slopes(model.design, own)), kind="stable")
        places = order[(own[order] != 0) & others[order]][:LARGEST].tolist()
        items = [
            f"{quote_name(name)} {coefficient_text(float(own[place]), float(units[place]))}"
            for name, place in zip(name_positions(model.design, places), places, strict=True)
        ]
        lines.append(f"{machine_name(model, number)}: intercept {format_number(float(functions.intercepts[number]))}")
        lines += hang_list("  ", items) if items else []
    if others.sum() > LARGEST:
        lines.append(f"... {LARGEST} coefficients per machine, the largest of each column; to_arrow() lists all")
    if len(model) > most:
        lines.append(
            f"... and {len(model) - most:,} more machines; print(model.member({most})), and to_arrow() lists all"
        )
    return lines


# -- classes --------------------------------------------------------------------------------------------------


def class_slopes(model: Machines, functions: LinearFunctions) -> list[tuple[int, Numbers]]:
    """Return the evidence for every class that has rows: its own slopes, or those of its pairs, summed."""
    codes = model.codes.used.tolist()
    if model.form == REST:
        return list(zip(codes, functions.slopes, strict=True))
    if model.form == NONE:
        return []
    return [(code, model.codes.entries[:, code].astype(np.float64) @ functions.slopes) for code in codes]


def _terms(model: Machines) -> list[str]:
    """Return the strongest terms for and against each class; of two classes those for each."""
    assert isinstance(model.functions, LinearFunctions)
    pairs = class_slopes(model, model.functions)
    texts = [
        (at, part, start) for (at, part), start in zip(model.design.used_blocks, model.design.starts, strict=False)
    ]
    texts = [one for one in texts if isinstance(one[1], TermBlock)]
    lines: list[str] = []
    for at, part, start in texts:
        assert isinstance(part, TermBlock)
        name = quote_name(model.design.schema.names[at])
        summed = ", by the sum of their coefficients over the pairs of a class" if model.form == PAIRS else ""
        lines += ["", f"Most informative terms of {name} for each class{summed}:"]
        labels = [
            (quote_name(model.classes[code]), own[start : start + part.width]) for code, own in pairs[:MOST_CLASSES]
        ]
        room = max(count_cells(label) for label, _ in labels)
        for label, own in labels:
            order = np.argsort(-own, kind="stable")
            filled = label + " " * (room - count_cells(label))
            best = order[:TERMS][own[order[:TERMS]] > 0]
            lines += hang_list(f"  {filled}  for      ", _term_items(part, best, own) or ["none"], LINE_WIDTH)
            if model.form != ONE:
                worst = order[::-1][:TERMS]
                worst = worst[own[worst] < 0]
                blank = " " * room
                lines += hang_list(f"  {blank}  against  ", _term_items(part, worst, own) or ["none"], LINE_WIDTH)
    if len(pairs) > MOST_CLASSES:
        lines.append(f"... and {len(pairs) - MOST_CLASSES} more classes")
    return [*lines[1:], "to_arrow() lists all coefficients"]


def _term_items(part: TermBlock, ids: Rows | Sequence[int], own: Numbers) -> list[str]:
    places = [int(one) for one in ids]
    return [f"{format_term(name)} {own[at]:.4g}" for name, at in zip(part.space.names_of(places), places, strict=True)]
