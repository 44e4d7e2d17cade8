"""What a model on texts says of its terms: for every class those that tell it from the others, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hedgerow.errors import ModelError
from hedgerow.models.distributions import Distributions
from hedgerow.models.model import Model
from hedgerow.models.prototypes import Prototypes
from hedgerow.models.term_factor import TermFactor
from hedgerow.models.vector_columns import WordColumn
from hedgerow.report.grid import clean, digits, grid, width, wrapped

Report = dict[str, Any]
SHOWN = 10  # terms of a class in a report, unless more are asked for
READING = {
    "log-odds": "Log-odds is ln P(term given the class) - ln P(term given all other classes); behind it stands how "
    "much of the term there is in the class. The terms are ranked by the product of both.",
    "weight": "A weight is what the term adds to the direction of its class; the vector of all weights has length 1.",
}
NO_TERMS = "no term tells it from the others"


def has_terms(model: Model) -> bool:
    """Tell whether a model has terms of texts to show."""
    if isinstance(model, Prototypes):
        return any(isinstance(made, WordColumn) for _, made in model.used)
    return isinstance(model, Distributions) and model.has_texts


def terms_part(model: Model, most: int | None = SHOWN) -> Report:
    """Return the part of a model's report on its terms, at most so many a class; empty if there are none.

    A group is a class or, where a class has several prototypes, one of these. Its terms come in the order of what
    they tell.
    """
    if not has_terms(model):
        return {}
    if isinstance(model, Prototypes):
        return {"terms": _of_prototypes(model, most)}
    assert isinstance(model, Distributions)
    return {"terms": _of_distributions(model, most)}


def asked_terms(model: Model, most: int | None, where: str) -> Report:
    """Return the same for who asks for the terms; a model without any is an error that names it."""
    if not has_terms(model):
        raise ModelError(f"{where} holds a model of kind {model.kind!r}, which has no terms of texts to show")
    return terms_part(model, most)


def terms_lines(terms: Mapping[str, Any], columns: int) -> list[str]:
    """Return the terms as text: a paragraph a class, or a line a term if all are asked for."""
    groups = terms["groups"]
    if terms["most"] is None:
        return _table(groups, terms["measure"], several(groups))
    names = [name_of(group, several(groups)) for group in groups]
    room = min(max(map(width, names), default=0), max(columns // 3, 12))
    lines: list[str] = []
    for group, name in zip(groups, names, strict=True):
        pieces = [_piece(one) for one in group["terms"]] or [NO_TERMS]
        lines += hanging(name, room, pieces, columns)
    return [*wrapped(READING[terms["measure"]], columns), "", *lines]


def hanging(name: str, room: int, pieces: Sequence[str], columns: int) -> list[str]:
    """Return pieces with commas behind a name, in lines of at most so many cells, all beginning at one place."""
    if width(name) > room:  # a line of its own
        return [name, *hanging("", room, pieces, columns)]
    head = name + " " * (room - width(name) + 2)
    lines, line = [], head
    for number, piece in enumerate(pieces):
        piece += "," if number + 1 < len(pieces) else ""
        if line.strip() and line != head and width(line) + width(piece) > columns:
            lines.append(line.rstrip())
            line = " " * width(head)
        line += piece + " "
    return [*lines, line.rstrip()]


def several(groups: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether the terms are of several columns, so that names must tell them apart."""
    return len({group["column"] for group in groups}) > 1


def name_of(group: Mapping[str, Any], with_column: bool) -> str:
    """Return what a group is called: its class, behind that its prototype and its column if need be."""
    part = f", prototype {group['prototype']}" if group.get("prototype") else ""
    return clean(f"{group['label']}{part}{' in ' + group['column'] if with_column and group['column'] else ''}")


def _piece(one: Mapping[str, Any]) -> str:
    value = f"{one['value']:+.2f}" if "amount" in one else f"{one['value']:.3f}"
    amount = f" ({digits_of(one['amount'])})" if "amount" in one else ""
    return f"{clean(one['term'])} {value}{amount}"


def digits_of(amount: float) -> str:
    """Return an amount: a count as such, a sum of weights at four digits."""
    return f"{amount:.0f}" if float(amount).is_integer() else digits(amount)


def _table(groups: Sequence[Mapping[str, Any]], measure: str, with_column: bool) -> list[str]:
    rows = [["class", "term", measure, *(["amount"] if measure == "log-odds" else [])]]
    for group in groups:
        for one in group["terms"]:
            value = f"{one['value']:+.4f}" if "amount" in one else f"{one['value']:.6f}"
            amount = [digits_of(one["amount"])] if "amount" in one else []
            rows.append([name_of(group, with_column), clean(one["term"]), value, *amount])
    return grid(rows, "llrr"[: len(rows[0])])


def _of_distributions(model: Distributions, most: int | None) -> Report:
    columns, groups = [], []
    told = model.telling(most)
    for column, factor in zip(model.schema.columns, model.factors, strict=True):
        if not isinstance(factor, TermFactor):
            continue
        columns.append(
            {"column": column.name, "terms": len(factor.space), "texts": factor.space.n_rows, "event": factor.event}
        )
        for code, (label, found) in enumerate(told[column.name].items()):
            groups.append(
                {
                    "column": column.name,
                    "label": label,
                    "rows": float(model.prior[code]),
                    "terms": [{"term": one.name, "value": one.log_odds, "amount": one.amount} for one in found],
                }
            )
    return {"measure": "log-odds", "most": most, "columns": columns, "groups": groups}


def _of_prototypes(model: Prototypes, most: int | None) -> Report:
    total = [int((model.owners == code).sum()) for code in range(len(model.classes))]
    number = [0] * len(total)
    groups = []
    for place, owner in enumerate(model.owners.tolist()):
        number[owner] += 1
        which = f"{number[owner]} of {total[owner]}" if total[owner] > 1 else ""
        groups.append(
            {
                "column": "",
                "label": model.classes[owner],
                "prototype": which,
                "rows": float(model.sizes[place]),
                "terms": [{"term": name, "value": value} for name, value in model.top(place, most)],
            }
        )
    columns = [
        {"column": model.schema.names[position], "terms": len(made.space), "texts": made.space.n_rows, "event": ""}
        for position, made in model.used
        if isinstance(made, WordColumn)
    ]
    return {"measure": "weight", "most": most, "columns": columns, "groups": groups}
