"""Coefficients of linear models as plain values, the largest first."""

from __future__ import annotations

import numpy as np

from hedgerow.data.design.blocks import LevelBlock, NumberBlock, TermBlock
from hedgerow.data.design.cut_block import CutBlock
from hedgerow.data.design.design import Design
from hedgerow.models.base.coefficient_sets import CoefficientSets, FunctionCoefficients
from hedgerow.models.base.date_coefficients import day_units, name_positions
from hedgerow.models.base.model import Model
from hedgerow.models.linear.text import standardize_slopes
from hedgerow.report.schema import CoefficientGroup, CoefficientRow, CoefficientsPart, HasCoefficients

MANY, FEW = 25, 10  # coefficients of a function that are shown, of one or two functions and of more
MOST_FUNCTIONS = 12


def coefficients_part(model: Model) -> HasCoefficients:
    """Return the part of a model's report on its coefficients, the largest first; empty if it has none.

    Coefficients of numbers are multiplied by the standard deviation of their column, so that columns compare.
    """
    sets = model.coefficient_sets()
    if sets is None or not sets.design.width or not sets.functions:
        return {}
    most = MANY if len(sets.functions) <= 2 else FEW
    groups = [_group(sets.design, one, most) for one in sets.functions[:MOST_FUNCTIONS]]
    reading = _reading(sets) + (
        f" The coefficients of {sets.mirrored_class} are the same with opposite signs." if sets.mirrored_class else ""
    )
    hidden = len(sets.functions) - len(groups)
    made: CoefficientsPart = {"reading": reading, "groups": groups, "hidden_functions": hidden}
    if sets.value_name != "functions":
        made["functions"] = sets.value_name
    return {"coefficients": made}


def _group(design: Design, function: FunctionCoefficients, most: int) -> CoefficientGroup:
    """Return the largest coefficients of a function, each with the ends of its 95 % interval if it has one."""
    slopes, errors = function.slopes, function.errors
    values = standardize_slopes(design, slopes)
    order = np.argsort(-np.abs(values), kind="stable")
    order = order[values[order] != 0]
    shown = order[:most].tolist() if len(order) > most + 1 else order.tolist()
    ends = np.full(len(slopes), np.nan) if errors is None else function.reach * standardize_slopes(design, errors)
    units = day_units(design)
    rows: list[CoefficientRow] = [
        {
            "name": name,
            "coefficient": float(slopes[place] * units[place]),
            "value": float(values[place]),
            "low": float(values[place] - ends[place]),
            "high": float(values[place] + ends[place]),
        }
        for name, place in zip(name_positions(design, shown), shown, strict=True)
    ]
    return {"title": function.title, "rows": rows, "hidden": len(order) - len(shown)}


def _reading(sets: CoefficientSets) -> str:
    """Return how to read the values."""
    parts = [part for _, part in sets.design.used_blocks]
    told = []
    if any(isinstance(part, NumberBlock) for part in parts):
        told.append("for a numeric column, the effect of one standard deviation")
    if any(isinstance(part, LevelBlock) for part in parts):
        against = all(part.base >= 0 for part in parts if isinstance(part, LevelBlock))
        told.append("for a level, its effect" + (" relative to the reference level" if against else ""))
    if any(isinstance(part, CutBlock) for part in parts):
        told.append("for a condition, its effect if it is true")
    if any(isinstance(part, TermBlock) for part in parts):
        told.append("for a term, its coefficient")
    known = any(one.errors is not None for one in sets.functions)
    lines = " Lines are 95 % intervals." if known else ""
    return f"Largest first: {'; '.join(told)}.{lines}"
