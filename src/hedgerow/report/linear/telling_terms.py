"""The most informative terms of each class of a text model, as plain values."""

from __future__ import annotations

from hedgerow.errors import ModelError
from hedgerow.layout.rounding import round_digits
from hedgerow.models.base.model import Model
from hedgerow.models.base.term_groups import TermGroup
from hedgerow.report.schema import HasTerms, TermFigure, TermsColumn, TermsGroup

SHOWN = 10  # terms of a class in a report, unless more are asked for


def terms_part(model: Model, most: int | None = SHOWN) -> HasTerms:
    """Return the part of a model's report on its terms, at most `most` per class; empty if there are none.

    A group is a class or, if a class has several prototypes, one of these. Its terms are sorted, most informative
    first.
    """
    found = model.term_groups(most)
    if found is None:
        return {}
    columns: list[TermsColumn] = [
        {"column": name, "terms": len(space), "texts": weight(space.n_rows), "event": found.events.get(name, "")}
        for name, space in model.term_spaces.items()
    ]
    groups = [_group(group) for group in found.groups]
    return {"terms": {"measure": found.measure, "most": most, "columns": columns, "groups": groups}}


def require_terms(model: Model, most: int | None, where: str) -> HasTerms:
    """Return the same for an explicit request of terms; a model without terms raises an error that names it."""
    part = terms_part(model, most)
    if not part:
        raise ModelError(f"{where} holds a model of kind {model.kind!r}, which has no text terms to show")
    return part


def _group(group: TermGroup) -> TermsGroup:
    made: TermsGroup = {"column": group.column, "label": group.label, "rows": group.rows, "terms": []}
    if group.prototype is not None:
        made["prototype"] = group.prototype
    for one in group.terms:
        term: TermFigure = {"term": one.name, "value": one.value}
        made["terms"].append(term if one.amount is None else {**term, "amount": one.amount})
    return made


def weight(value: float) -> float:
    """Return a weight of rows as a JSON value: a whole number has no decimal point."""
    return int(value) if value.is_integer() else round_digits(value)
