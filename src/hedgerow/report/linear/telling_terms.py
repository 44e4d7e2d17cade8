"""What a model on texts says of its terms: for every class those that tell it from the others, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hedgerow.errors import ModelError
from hedgerow.layout.cell_width import count_cells
from hedgerow.layout.names import format_term
from hedgerow.layout.numbers import format_digits
from hedgerow.layout.rounding import round_digits
from hedgerow.layout.terminal import clean_text
from hedgerow.layout.text_table import align_columns
from hedgerow.layout.wrapping import hang_list, wrap_text
from hedgerow.models.base.model import ClassModel, Model
from hedgerow.models.base.term_groups import TermGroup

Report = dict[str, Any]
SHOWN = 10  # terms of a class in a report, unless more are asked for
READING = {
    "log-odds": "Log-odds is ln P(term given the class) - ln P(term given all other classes); behind it stands how "
    "much of the term there is in the class. The terms are ranked by the product of both.",
    "coefficient": "A coefficient is what the term adds for its class, times the weight of the term in a text.",
    "weight": "A weight is what the term adds to the direction of its class; the vector of all weights has length 1.",
}
NO_TERMS = "no term tells it from the others"


def terms_part(model: Model, most: int | None = SHOWN) -> Report:
    """Return the part of a model's report on its terms, at most so many a class; empty if there are none.

    A group is a class or, where a class has several prototypes, one of these. Its terms come in the order of what
    they tell.
    """
    found = model.term_groups(most) if isinstance(model, ClassModel) else None
    if found is None:
        return {}
    assert isinstance(model, ClassModel)
    columns = [
        {"column": name, "terms": len(space), "texts": weight(space.n_rows), "event": found.events.get(name, "")}
        for name, space in model.term_spaces.items()
    ]
    groups = [_group(group) for group in found.groups]
    return {"terms": {"measure": found.measure, "most": most, "columns": columns, "groups": groups}}


def asked_terms(model: Model, most: int | None, where: str) -> Report:
    """Return the same for who asks for the terms; a model without any is an error that names it."""
    part = terms_part(model, most)
    if not part:
        raise ModelError(f"{where} holds a model of kind {model.kind!r}, which has no terms of texts to show")
    return part


def _group(group: TermGroup) -> Report:
    which = {} if group.prototype is None else {"prototype": group.prototype}
    terms = [
        {"term": one.name, "value": one.value} | ({} if one.amount is None else {"amount": one.amount})
        for one in group.terms
    ]
    return {"column": group.column, "label": group.label, **which, "rows": group.rows, "terms": terms}


def terms_lines(terms: Mapping[str, Any], columns: int) -> list[str]:
    """Return the terms as text: a paragraph a class, or a line a term if all are asked for."""
    groups = terms["groups"]
    if terms["most"] is None:
        return _table(groups, terms["measure"], several(groups))
    names = [name_of(group, several(groups)) for group in groups]
    room = min(max(map(count_cells, names), default=0), max(columns * 2 // 5, 12))
    lines: list[str] = []
    for group, name in zip(groups, names, strict=True):
        pieces = [_piece(one) for one in group["terms"]] or [NO_TERMS]
        lines += _paragraph(name, room, pieces, columns)
    return [*wrap_text(READING[terms["measure"]], columns), "", *lines]


def _paragraph(name: str, room: int, pieces: Sequence[str], columns: int) -> list[str]:
    """Return pieces behind a name, all beginning at one place; a name that takes more room has a line of its own."""
    if count_cells(name) > room:
        return [name, *_paragraph("", room, pieces, columns)]
    return hang_list(name + " " * (room - count_cells(name) + 2), pieces, columns)


def several(groups: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether the terms are of several columns, so that names must tell them apart."""
    return len({group["column"] for group in groups}) > 1


def name_of(group: Mapping[str, Any], with_column: bool) -> str:
    """Return what a group is called: its class, behind that its prototype and its column if need be."""
    part = f", prototype {group['prototype']}" if group.get("prototype") else ""
    return clean_text(f"{group['label']}{part}{' in ' + group['column'] if with_column and group['column'] else ''}")


def _piece(one: Mapping[str, Any]) -> str:
    value = f"{one['value']:+.2f}" if "amount" in one else f"{one['value']:.3f}"
    amount = f" ({digits_of(one['amount'])})" if "amount" in one else ""
    return f"{clean_text(format_term(one['term']))} {value}{amount}"


def digits_of(amount: float) -> str:
    """Return an amount: a count as such, a sum of weights at four digits."""
    return f"{amount:.0f}" if float(amount).is_integer() else format_digits(amount)


def weight(value: float) -> float:
    """Return a weight of rows as a JSON value: a whole number has no decimal point."""
    return int(value) if value.is_integer() else round_digits(value)


def _table(groups: Sequence[Mapping[str, Any]], measure: str, with_column: bool) -> list[str]:
    rows = [["class", "term", measure, *(["amount"] if measure == "log-odds" else [])]]
    for group in groups:
        for one in group["terms"]:
            value = f"{one['value']:+.4f}" if "amount" in one else f"{one['value']:.6f}"
            amount = [digits_of(one["amount"])] if "amount" in one else []
            rows.append([name_of(group, with_column), clean_text(format_term(one["term"])), value, *amount])
    return align_columns(rows, "llrr"[: len(rows[0])])
