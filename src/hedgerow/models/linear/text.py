"""Linear models as text: tables of coefficients with statistics, and the quality of the fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.data.design.blocks import LevelBlock, NumberBlock, TermBlock
from hedgerow.data.design.design import Design
from hedgerow.data.table.table import Numbers
from hedgerow.layout.numbers import format_number
from hedgerow.layout.quotes import quote_text
from hedgerow.layout.rounding import round_digits
from hedgerow.layout.text_table import align_number_columns
from hedgerow.layout.wrapping import cut_lines, hang_list
from hedgerow.models.base.coefficient_sets import NORMAL_95
from hedgerow.models.base.date_coefficients import (
    coefficient_text,
    date_notes,
    day_units,
    format_column_number,
    name_positions,
)
from hedgerow.models.linear.progressive_validation import ProgressiveFigures

if TYPE_CHECKING:
    from hedgerow.models.linear.linear_classes import LinearClasses

SHOWN = 100  # positions that are printed, and
SHOWN_TERMS = 20  # terms of each text, if there are more
SIDE_BY_SIDE = 4  # classes with coefficients in adjacent columns
LARGEST, FEW = 10, 5  # coefficients of a class, if there are more classes; in an outline
MOST_CLASSES = 50  # that are printed
NEAR_ONE = 0.1  # log-odds up to which ratios are printed with more digits, and
MOST_PLACES = 12  # that these have
SUM = "the sum of coefficient times value"
INTERCEPT = "(intercept)"


# -- pieces that all linear models share ----------------------------------------------------------------------


def quote_name(name: str) -> str:
    """Return a name for print; ambiguous names are quoted."""
    return name if name.isprintable() and name == name.strip() and name else quote_text(name)


def p_text(p: float) -> str:
    """Return a probability of error; empty if there is none."""
    if not np.isfinite(p):
        return ""
    return "<1e-16" if p < 1e-16 else f"{p:.3g}"


def t_text(t: float) -> str:
    """Return a t or z; empty if there is none."""
    return f"{t:.3f}" if np.isfinite(t) else ""


def error_text(error: float) -> str:
    """Return a standard error; empty if there is none."""
    return f"{error:.6g}" if error > 0 else ""


def choose_printed_positions(
    design: Design, sizes: Numbers, most_lines: int | None = None
) -> tuple[list[int], list[str]]:
    """Return the positions that are printed, and a note on the others; `sizes` are the sizes of the coefficients.

    With `most_lines` they are the largest of all columns.
    """
    if design.width <= (SHOWN if most_lines is None else most_lines):
        return list(range(design.width)), []
    if most_lines is not None:
        largest = _largest_positions(design, sizes, most_lines - 1)
        left = int((sizes > 0).sum()) - len(largest)
        return largest, [f"... and {left:,} coefficients whose columns change the sum less"] if left else []
    places: list[int] = []
    more: list[str] = []
    nothing = 0
    for (position, part), start in zip(design.used_blocks, design.starts, strict=False):
        own, name = np.arange(start, start + part.width), quote_name(design.schema.names[position])
        most = max(SHOWN - len(places), SHOWN_TERMS)
        if isinstance(part, TermBlock):  # of which most may have 0, as hashed ones that no text has
            most, own = SHOWN_TERMS, own[np.argsort(-sizes[own], kind="stable")]
            own = own[sizes[own] > 0]
            nothing += part.width - len(own)
            more += [f"... all other coefficients of {name} are 0"] if len(own) <= most < part.width else []
        if len(own) > most:
            more.append(f"... and {len(own) - most:,} smaller coefficients of {name}; to_arrow() lists all")
            own = own[np.argsort(-sizes[own], kind="stable")[:most]]
        if len(places) < SHOWN or isinstance(part, TermBlock):
            places += own.tolist()
    left = design.width - len(places) - nothing
    return places, more if more or not left else [f"... and {left} more; to_arrow() lists all"]


def _largest_positions(design: Design, sizes: Numbers, most: int) -> list[int]:
    """Return the positions of the largest coefficients by column; of texts the largest first."""
    kept = np.zeros(len(sizes), dtype=np.bool_)
    kept[np.argsort(-sizes, kind="stable")[:most]] = True
    kept &= sizes > 0
    places: list[int] = []
    for (_, part), start in zip(design.used_blocks, design.starts, strict=False):
        own = start + np.flatnonzero(kept[start : start + part.width])
        places += (own[np.argsort(-sizes[own], kind="stable")] if isinstance(part, TermBlock) else own).tolist()
    return places


def if_missing(design: Design, places: Sequence[int], has_slope: Sequence[bool]) -> list[str]:
    """Return the substitute for a missing number, at the positions that are numbers and have a slope."""
    columns = design.schema.columns
    means = {
        start: format_column_number(columns[position], part.mean)
        for (position, part), start in zip(design.used_blocks, design.starts, strict=False)
        if isinstance(part, NumberBlock) and has_slope[start]
    }
    return [means.get(place, "") for place in places]


def describe_base_levels(design: Design) -> list[str]:
    """Return the sentence on levels that others are measured against, if there are any."""
    base = [
        f"{quote_name(design.schema.names[position])}={quote_name(design.schema.columns[position].levels[part.base])}"
        for position, part in design.used_blocks
        if isinstance(part, LevelBlock) and part.base >= 0
    ]
    return hang_list("Levels are compared with ", base) if base else []


def standardize_slopes(design: Design, slopes: Numbers) -> Numbers:
    """Return slopes times the standard deviation of their column where that is a number, so that they compare."""
    scales = np.where(design.scales > 0, design.scales, 1.0)
    with np.errstate(over="ignore"):
        return np.nan_to_num(slopes * scales)  # overflows are clipped to the largest number


# -- classes --------------------------------------------------------------------------------------------------


def classes_outline(model: LinearClasses, most: int) -> str:
    """Return a linear model of classes or, if it has more than so many lines, its largest coefficients."""
    whole, n = classes_text(model), len(model.told)
    if not n or whole.count("\n") < most:
        return cut_lines(whole, most)
    lines = [*describe_functions(model), ""]
    fit = _fit(model)[:1]
    room = max(most - len(lines) - len(fit) - 2, 4)  # without the titles of columns and an empty line
    if n == 1:
        lines += _class_table(model, 0, room - 1)
    elif n <= SIDE_BY_SIDE:
        lines += _joint_table(model, room - 1)
    else:
        lines += cut_lines("\n".join(_largest(model, FEW)), room, last=1).split("\n")
    return "\n".join([*_strip_lines(lines), *(["", *fit] if fit else [])])


def classes_text(model: LinearClasses) -> str:
    """Return a linear model of classes in readable form."""
    lines = [*describe_functions(model), ""]
    if len(model.told) > SIDE_BY_SIDE:
        lines += _largest(model)
    elif len(model.told) == 1 or (len(model.told) and model.errors is not None):
        for number, code in enumerate(model.told.tolist()):
            lines += [
                *([f"{quote_name(model.classes[code])}:"] if len(model.told) > 1 else []),
                *_class_table(model, number),
                "",
            ]
    elif len(model.told):
        lines += _joint_table(model)
    ending = describe_base_levels(model.design) if len(model.told) else []
    ending += date_notes(model.design, np.abs(model.slopes).sum(axis=0))
    return "\n".join([*_strip_lines(lines), "", *ending, *_fit(model)]).rstrip()


def describe_functions(model: LinearClasses) -> list[str]:
    """Return the lines that describe the functions and how they become probabilities."""
    names = [quote_name(name) for name in model.classes]
    heat = format_number(float(model.temperature))
    if not len(model.told):
        return [f"{quote_name(model.schema.target_column.name)} is {names[model.base]}; there is no other class"]
    if model.link == "membership":
        return [
            f"membership of each class = {SUM}",
            "P(class) = membership, clipped to [0, 1] and normalized to sum to 1",
        ]
    if model.link == "each":
        return [
            f"log-odds of each class against all others = {SUM}",
            "P(class) = 1 / (1 + exp(-log-odds)), normalized to sum to 1",
        ]
    plain = model.temperature == 1
    if model.base >= 0 and len(model.told) == 1:
        own = names[model.told[0]]
        if plain:
            return [f"log-odds of {own} against {names[model.base]} = {SUM}"]
        return [f"{own} if {SUM} is above 0, else {names[model.base]}", f"log-odds of {own} = sum / {heat}"]
    if model.base >= 0 and plain:
        return [f"log-odds of each class against {names[model.base]} = {SUM}"]
    against = f"; that of {names[model.base]} is 0" if model.base >= 0 else ""
    scaled = "exp(score)" if plain else f"exp(score / {heat})"
    return [f"score of each class = {SUM}{against}", f"P(class) = {scaled}, normalized to sum to 1"]


def _strip_lines(lines: list[str]) -> list[str]:
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines


def _sizes(model: LinearClasses) -> Numbers:
    sizes = np.abs(standardize_slopes(model.design, model.slopes))
    return np.asarray(sizes.max(axis=0)) if len(sizes) else np.zeros(model.design.width)


def _cells(model: LinearClasses, number: int, places: Sequence[int]) -> list[str]:
    """Return the coefficients of a class at some positions, the intercept's first."""
    left, units = set(model.left_out.tolist()), day_units(model.design)
    slopes = model.slopes[number]
    own = [
        "(depends)" if place in left else coefficient_text(float(slopes[place]), float(units[place]))
        for place in places
    ]
    return [format_number(float(model.intercepts[number])), *own]


def _names(model: LinearClasses, places: Sequence[int]) -> list[str]:
    return [INTERCEPT, *(quote_name(name) for name in name_positions(model.design, places))]


def _class_table(model: LinearClasses, number: int, most: int | None = None) -> list[str]:
    """Return the table of one class, with all that is known of its coefficients; of `most` lines, without intervals."""
    places, more = choose_printed_positions(
        model.design, np.abs(standardize_slopes(model.design, model.slopes[number])), most
    )
    rows = [0, *(place + 1 for place in places)]
    head, body = ["", "coefficient"], [_names(model, places), _cells(model, number, places)]
    tested = model.z_and_p()
    units = np.concatenate([[1.0], day_units(model.design)])[rows]
    errors = None if model.errors is None else model.errors[number][rows] * units
    if tested is not None and errors is not None:
        head += ["std. error", "z", "p"]
        body += [[error_text(error) for error in errors.tolist()]]
        body += [[t_text(z) for z in tested[0][number][rows].tolist()]]
        body += [[p_text(p) for p in tested[1][number][rows].tolist()]]
    if model.unit == "log-odds":
        sure = [0.0] * len(places) if errors is None else errors[1:].tolist()
        left = set(model.left_out.tolist())
        slopes = (model.slopes[number][places] * units[1:]).tolist()
        pairs = [
            ("", "") if place in left else _ratio_texts(slope, error)
            for place, slope, error in zip(places, slopes, sure, strict=True)
        ]
        head.append("odds ratio")
        body.append(["", *(ratio for ratio, _ in pairs)])
        if errors is not None and most is None:
            head.append("95 % interval")
            body.append(["", *(interval for _, interval in pairs)])
    missing = if_missing(model.design, places, (model.slopes[number] != 0).tolist()) if most is None else []
    if any(missing):
        head.append("if missing")
        body.append(["", *missing])
    return align_number_columns(head, body) + more


def _joint_table(model: LinearClasses, most: int | None = None) -> list[str]:
    """Return one table, one column per class."""
    places, more = choose_printed_positions(model.design, _sizes(model), most)
    head = ["", *(quote_name(model.classes[code]) for code in model.told.tolist())]
    body = [_names(model, places), *(_cells(model, number, places) for number in range(len(model.told)))]
    missing = if_missing(model.design, places, (model.slopes != 0).any(axis=0).tolist()) if most is None else []
    if any(missing):
        head.append("if missing")
        body.append(["", *missing])
    return align_number_columns(head, body) + more


def _largest(model: LinearClasses, most: int = LARGEST) -> list[str]:
    """Return the largest coefficients of every class, in a few lines each."""
    lines, units = [], day_units(model.design)
    for number, code in enumerate(model.told.tolist()[:MOST_CLASSES]):
        slopes = model.slopes[number]
        order = np.argsort(-np.abs(standardize_slopes(model.design, slopes)), kind="stable")
        order = order[slopes[order] != 0]
        places = order[:most].tolist()
        items = [
            f"{quote_name(name)} {coefficient_text(float(slopes[place]), float(units[place]))}"
            for name, place in zip(name_positions(model.design, places), places, strict=True)
        ]
        lines.append(f"{quote_name(model.classes[code])}: intercept {format_number(float(model.intercepts[number]))}")
        lines += hang_list("  ", items) if items else []
    if model.slopes.shape[1] > most:
        lines.append(f"... {most} coefficients per class, the largest of each column; to_arrow() lists all")
    if len(model.told) > MOST_CLASSES:
        lines.append(f"... and {len(model.told) - MOST_CLASSES} more classes; to_arrow() lists all")
    return lines


def _ratio_texts(slope: float, error: float) -> tuple[str, str]:
    """Return exp(slope) and its 95 % interval; the latter is empty without a standard error.

    Ratios near 1 have enough digits to differ from it.

    >>> _ratio_texts(0.000128, 0.0000444)
    ('1.000128', '1.000041 to 1.000215')
    >>> _ratio_texts(1.2, 0.4)
    ('3.32', '1.516 to 7.272')
    """
    wide = NORMAL_95 * error
    reach = max(abs(slope), wide)
    places = 2 - math.floor(math.log10(reach)) if 0 < reach < NEAR_ONE else None
    interval = f"{_ratio(slope - wide, places)} to {_ratio(slope + wide, places)}" if error > 0 else ""
    return _ratio(slope, places), interval


def _ratio(slope: float, places: int | None = None) -> str:
    """Return exp(slope), shortly."""
    if places is not None and places <= MOST_PLACES:
        return f"{np.exp(slope):.{places}f}"
    return f"{np.exp(slope):.4g}" if abs(slope) < 300 else f"exp({round_digits(slope, 4):g})"


def _fit(model: LinearClasses) -> list[str]:
    """Return the line on the quality of the fit."""
    figures = model.figures
    if figures is None:
        return []
    if isinstance(figures, ProgressiveFigures):
        return figures.lines()
    parts = []
    if figures.log_likelihood is not None:
        constant = "" if figures.constant is None else f" (constant model {figures.constant:.6g})"
        parts.append(f"log-likelihood {figures.log_likelihood:.6g}{constant}")
    if figures.r_squared is not None:
        parts.append(f"McFadden's R² {figures.r_squared:.4g}")
    weight = format_number(round_digits(figures.weight, 9))
    parts.append(f"{weight} {'row' if weight == '1' else 'rows'}")
    if figures.converged is not None:
        passes = "" if figures.passes is None else f"{figures.passes} {'pass' if figures.passes == 1 else 'passes'}"
        if figures.converged:
            parts.append(f"converged in {passes}" if passes else "converged")
        else:
            parts.append(f"NOT converged after {passes}" if passes else "NOT converged")
    return [", ".join(parts)]
