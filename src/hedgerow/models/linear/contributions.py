"""The contributions of a row's values to the functions of a linear model, and the indicative terms of its classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.data.design.blocks import ColumnBlock, LevelBlock, NumberBlock, TermBlock
from hedgerow.data.design.cut_block import CutBlock
from hedgerow.data.design.design import Design
from hedgerow.data.table.printed_value import format_value
from hedgerow.data.table.table import Numbers, Table
from hedgerow.layout.names import format_name as shown
from hedgerow.models.base.contributions import Contribution, Contributions
from hedgerow.models.base.term_groups import TermGroup, TermGroups, TermValue

if TYPE_CHECKING:
    from hedgerow.models.linear.linear import Linear
    from hedgerow.models.linear.linear_classes import LinearClasses

AT_THE_MEANS = "intercept, at the means"


def class_contributions(model: LinearClasses, table: Table) -> Contributions:
    """Return the contribution of each value of the single row to the function of each class."""
    n, class_codes = len(model.classes), model.told

    def wide(own: Numbers) -> Numbers:
        out = np.zeros(n)
        out[class_codes] = own
        return out

    parts = row_parts(model.design, table, model.intercepts, model.slopes)
    return Contributions(model.unit, tuple(replace(part, scores=wide(part.scores)) for part in parts))


def number_contributions(model: Linear, table: Table) -> Contributions:
    """Return the contribution of each value of the single row to the predicted number."""
    parts = row_parts(model.design, table, np.array([model.intercept]), model.slopes[None, :])
    return Contributions(str(model.schema.target), tuple(parts))


def row_parts(design: Design, table: Table, intercepts: Numbers, slopes: Numbers) -> Iterator[Contribution]:
    """Yield the parts of the functions of the single row, with the contribution of each to every function.

    Numbers count from their mean, and the first part is the functions at the means; levels count from the one that
    others are measured against, terms from 0.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        start = intercepts + slopes @ design.centers
        yield Contribution(AT_THE_MEANS if (slopes @ design.centers).any() else "intercept", start, starts=True)
        for (position, part), first in zip(design.used_blocks, design.starts, strict=False):
            own = slopes[:, first : first + part.width]
            if own.any():
                yield from _column_parts(part, design.schema.names[position], own, table, position)


def _column_parts(part: ColumnBlock, name: str, slopes: Numbers, table: Table, position: int) -> Iterator[Contribution]:
    """Yield the contributions of the value of one column."""
    if isinstance(part, TermBlock):
        vectors = part.space.vectors(table.texts(position))
        for term, value in zip(vectors.ids.tolist(), vectors.values.tolist(), strict=True):
            yield Contribution(part.space.name_of(term), slopes[:, term] * value, name, term)
        return
    if isinstance(part, NumberBlock):
        value = float(table.numbers(position)[0])
        if not np.isnan(value):
            yield Contribution(
                f"{shown(name)} = {format_value(table, position)}", slopes[:, 0] * (value - part.mean), name
            )
        elif part.gaps:
            yield Contribution(f"{shown(name)} missing", slopes[:, 1], name)
        return
    if isinstance(part, CutBlock):
        code = int(part.codes(table, position)[0])
        if code >= 0 or part.gaps:
            adds = np.array([part.by_interval(line)[code] for line in slopes])
            text = f"{shown(name)} missing" if code < 0 else f"{shown(name)} = {format_value(table, position)}"
            yield Contribution(text, adds, name)
        return
    assert isinstance(part, LevelBlock)
    code = int(table.codes(position)[0])
    place, known = int(part.table[code]), code >= 0 and (code == part.base or code in part.coded)
    if known or place >= 0:
        adds = slopes[:, place] if place >= 0 else np.zeros(len(slopes))
        yield Contribution(
            f"{shown(name)} = {format_value(table, position)}" if known else f"{shown(name)} missing", adds, name
        )


def class_term_groups(model: LinearClasses, most: int | None) -> TermGroups | None:
    """Return the terms of the largest coefficients of every class, by text; None if there are no texts.

    Of one function, the terms that speak for its class and, turned round, those that speak for the other.
    """
    if not model.term_spaces:
        return None
    functions = list(zip(model.told.tolist(), model.slopes, strict=True))
    if model.base >= 0 and len(functions) == 1:
        functions.insert(0 if model.base < functions[0][0] else 1, (model.base, -functions[0][1]))
    entries = [(model.classes[code], 0.0, slopes) for code, slopes in functions]
    return largest_terms(model.design, entries, most)


def largest_terms(design: Design, told: Sequence[tuple[str, float, Numbers]], most: int | None) -> TermGroups:
    """Return the terms of the largest slopes above 0, by text, of classes given with their rows and slopes."""
    groups = []
    for label, rows, slopes in told:
        for (position, part), start in zip(design.used_blocks, design.starts, strict=False):
            if not isinstance(part, TermBlock):
                continue
            own = slopes[start : start + part.width]
            best = np.argsort(-own, kind="stable")[:most]
            best = best[own[best] > 0]
            names = part.space.names_of(best.tolist())
            terms = tuple(TermValue(name, value) for name, value in zip(names, own[best].tolist(), strict=True))
            groups.append(TermGroup(label, rows, terms, design.schema.names[position]))
    return TermGroups("coefficient", tuple(groups))
