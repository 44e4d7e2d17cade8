"""What the decision values of support vector machines are sums of: columns and terms, or support vectors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.data.table.table import Numbers, Table
from hedgerow.errors import ModelError
from hedgerow.models.base.contributions import Contribution, Contributions
from hedgerow.models.base.term_groups import TermGroups
from hedgerow.models.linear.contributions import largest_terms, row_parts
from hedgerow.models.linear.text import quote_name
from hedgerow.models.svm.coefficients_text import class_slopes
from hedgerow.models.svm.functions import LinearFunctions
from hedgerow.models.svm.multiclass import NONE, PAIRS, REST
from hedgerow.models.svm.support import explain_by_support, second_class, toward

if TYPE_CHECKING:
    from hedgerow.models.svm.machines import Machines

SHOWN_VOTES = 5  # classes


def machine_contributions(model: Machines, table: Table, decided: int = -1, against: int = -1) -> Contributions:
    """Return the contributions to the decision between two classes for the single row; by default the best two.

    For classes against the rest, the contributions to the f of each; else those to the f of the pair's machine, which
    counts for its positive class. Linear functions by column as those of other linear models, kernels by support
    vector.
    """
    if model.form == NONE:
        raise ModelError("there is only one class, so nothing is evidence for or against it")
    if decided < 0 or against < 0:
        shares = model.scores(table)
        decided = int(model.decide_rows(table, shares)[0])
        against = second_class(model, shares[0], decided)
    if isinstance(model.functions, LinearFunctions):
        return Contributions(model.unit, tuple(_linear(model, model.functions, table, decided, against)))
    support = explain_by_support(model, table, decided, against)
    n = len(model.classes)
    parts = [Contribution("intercept", _place_value(n, decided, support.start), starts=True)]
    for one in support.strongest:
        far = "" if one.distance is None else f", at distance {one.distance:.4g}"
        parts.append(Contribution(f"training row {one.row + 1}, {one.label}{far}", _place_value(n, decided, one.adds)))
    left = support.total - support.start - sum(one.adds for one in support.strongest)
    others = sum(support.counts) - len(support.strongest)
    if others:
        parts.append(
            Contribution(f"{others:,} other support vector{'' if others == 1 else 's'}", _place_value(n, decided, left))
        )
    return Contributions(model.unit, tuple(parts))


def _place_value(n: int, code: int, value: float) -> Numbers:
    out = np.zeros(n)
    out[code] = value
    return out


def _linear(
    model: Machines, functions: LinearFunctions, table: Table, decided: int, against: int
) -> list[Contribution]:
    n = len(model.classes)
    if model.form == REST:
        parts = row_parts(model.design, table, functions.intercepts, functions.slopes)
        wide = np.zeros((n, len(functions)))
        wide[model.codes.used, np.arange(len(functions))] = 1.0
        return [replace(part, scores=wide @ part.scores) for part in parts]
    factors = toward(model, decided, against)
    number = int(np.flatnonzero(factors)[0])
    positive = decided if factors[number] > 0 else against
    parts = row_parts(model.design, table, functions.intercepts[[number]], functions.slopes[[number]])
    return [replace(part, scores=_place_value(n, positive, float(part.scores[0]))) for part in parts]


def vote_notes(model: Machines, table: Table) -> list[str]:
    """Return how the pairs vote on the only row of an aligned table."""
    if model.form != PAIRS:
        return []
    values = model.functions.values(model.design, table)[0]
    sides = np.where(values[:, 0] >= 0, 1, -1)[:, None]
    won = (model.codes.entries == sides).sum(axis=0)
    order = sorted(model.codes.used.tolist(), key=lambda code: (-won[code], code))
    parts = [f"{quote_name(model.classes[code])} {won[code]}" for code in order[:SHOWN_VOTES]]
    more = f" and {len(order) - SHOWN_VOTES} more classes" if len(order) > SHOWN_VOTES else ""
    return [f"votes of {len(model):,} pairs: {', '.join(parts)}{more}"]


def machine_term_groups(model: Machines, most: int | None) -> TermGroups | None:
    """Return the terms of the largest slopes of every class, by text; None without texts, or of kernels."""
    functions = model.functions
    if not model.term_spaces or not isinstance(functions, LinearFunctions):
        return None
    entries = [
        (model.classes[code], float(model.rows[code]), slopes) for code, slopes in class_slopes(model, functions)
    ]
    return largest_terms(model.design, entries, most)
