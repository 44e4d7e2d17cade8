"""The most informative terms as a block: one list per class, or a table of all terms."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.layout.names import format_term
from hedgerow.layout.numbers import format_counted, format_digits, format_fixed, format_signed, format_weight
from hedgerow.report import blocks as b
from hedgerow.report.draw.svg import GRAY_HUE
from hedgerow.report.schema import TermFigure, TermsColumn, TermsGroup, TermsPart

READING = {
    "log-odds": "Log-odds is ln P(term given the class) - ln P(term given all other classes); it is followed by the "
    "amount of the term in the class. The terms are ranked by the product of both.",
    "coefficient": "A coefficient, multiplied by the weight of the term in a text, is the contribution of the term to "
    "its class.",
    "weight": "A weight is the component of the class prototype for the term; the vector of all weights has length 1.",
}
NO_TERMS = "no term distinguishes it from the others"
MANY = 1000  # rows from which on a number has no decimals


def terms_block(terms: TermsPart, colored: Sequence[str] = ()) -> b.Block:
    """Return the terms of a model's classes; `colored` are the classes with their own color, in order."""
    if terms["most"] is None:
        return _table(terms)
    groups = terms["groups"]
    most = max((abs(one["value"]) for group in groups for one in group["terms"]), default=0.0)
    reading = (*map(_column, terms["columns"]), READING[terms["measure"]])
    ranked = tuple(_ranked(group, colored, most, several(groups)) for group in groups)
    return b.TermRanking(ranked, terms["measure"], reading, NO_TERMS, "Most informative terms by class")


def _column(column: TermsColumn) -> str:
    event = f", {column['event'].replace('_', ' ')}" if column["event"] else ""
    return f"{column['column']}: {format_counted(column['terms'], 'term')} in {_texts(column['texts'])}{event}"


def _texts(n: float) -> str:
    return format_counted(n, "text")


def _ranked(group: TermsGroup, colored: Sequence[str], most: float, with_column: bool) -> b.RankedTerms:
    hue = min(colored.index(group["label"]), GRAY_HUE) if group["label"] in colored else GRAY_HUE
    n = group["rows"]
    rows = format_counted(round(n), "row") if n >= MANY else f"{format_weight(n)} row{'' if n == 1 else 's'}"
    terms = tuple(_term(one, most) for one in group["terms"])
    return b.RankedTerms(name_of(group, with_column), hue, rows if n else "", terms)


def _term(one: TermFigure, most: float) -> b.RankedTerm:
    value = format_signed(one["value"], 2) if "amount" in one else format_fixed(one["value"], 3)
    amount = digits_of(one["amount"]) if "amount" in one else ""
    return b.RankedTerm(format_term(one["term"]), value, abs(one["value"]) / most if most else 0.0, amount)


def several(groups: Sequence[TermsGroup]) -> bool:
    """Tell whether the terms are from several columns, so that names must include the column."""
    return len({group["column"] for group in groups}) > 1


def name_of(group: TermsGroup, with_column: bool) -> str:
    """Return the name of a group: its class, followed by its prototype and its column if needed."""
    part = f", prototype {group['prototype']}" if group.get("prototype") else ""
    return f"{group['label']}{part}{' in ' + group['column'] if with_column and group['column'] else ''}"


def digits_of(amount: float) -> str:
    """Return a formatted amount: a count unchanged, a sum of weights with four digits."""
    return format_weight(amount) if float(amount).is_integer() else format_digits(amount)


def _table(terms: TermsPart) -> b.TableBlock:
    with_amount = terms["measure"] == "log-odds"
    columns = [b.TableColumn("class"), b.TableColumn("term"), b.TableColumn(terms["measure"], "r")]
    columns += [b.TableColumn("amount", "r")] if with_amount else []
    rows = []
    for group in terms["groups"]:
        name = name_of(group, several(terms["groups"]))
        for one in group["terms"]:
            value = format_signed(one["value"], 4) if "amount" in one else format_fixed(one["value"], 6)
            rows.append((name, format_term(one["term"]), value, *([digits_of(one["amount"])] if with_amount else [])))
    return b.TableBlock(tuple(columns), tuple(rows), label="Most informative terms by class", most=len(rows))
