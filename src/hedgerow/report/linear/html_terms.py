"""Terms of texts on a page: a card a class, its most telling terms with small bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hedgerow.layout.names import format_term
from hedgerow.layout.numbers import format_weight
from hedgerow.report.draw.markup import element, swatch, words
from hedgerow.report.draw.svg import GRAY_HUE, num, painted, rect
from hedgerow.report.linear.telling_terms import NO_TERMS, READING, digits_of, name_of, several

Report = Mapping[str, Any]
LONG, HIGH = 64.0, 10.0


def terms_cards(terms: Report, colored: Sequence[str]) -> str:
    """Return the terms of a model's classes; `colored` are the classes with a color of their own, in order."""
    groups = terms["groups"]
    most = max((abs(one["value"]) for group in groups for one in group["terms"]), default=0.0)
    told = " ".join([*map(_column, terms["columns"]), READING[terms["measure"]]])
    cards = "".join(_card(group, colored, most, several(groups), terms["measure"]) for group in groups)
    head = f'<h3>Terms that tell the classes</h3><p class="soft">{words(told)}</p>'
    return head + element("div", cards, class_="columns terms")


def _column(column: Report) -> str:
    event = f", {column['event'].replace('_', ' ')}" if column["event"] else ""
    texts = "1 text" if column["texts"] == 1 else f"{column['texts']:,} texts"
    return f"{column['column']}: {column['terms']:,} terms of {texts}{event}."


def _card(group: Report, colored: Sequence[str], most: float, with_column: bool, measure: str) -> str:
    hue = min(colored.index(group["label"]), GRAY_HUE) if group["label"] in colored else GRAY_HUE
    name, rows = name_of(group, with_column), group["rows"]
    title = f"<h4>{swatch(hue)}{words(name)}</h4>"
    facts = (
        f'<p class="facts">{format_weight(rows) if rows < 1000 else f"{rows:,.0f}"} row{"" if rows == 1 else "s"}</p>'
    )
    facts = facts if rows else ""
    if not group["terms"]:
        return element("div", f'{title}{facts}<p class="facts">{words(NO_TERMS)}</p>', class_="card")
    lines = "".join(_line(one, most, hue) for one in group["terms"])
    amount = '<th scope="col" class="r">amount</th>' if "amount" in group["terms"][0] else ""
    head = (
        f'<thead><tr><th scope="col">term</th><th scope="col" class="r" colspan="2">{measure}</th>{amount}</tr></thead>'
    )
    caption = f'<caption class="unseen">Terms that tell {words(name)}</caption>'
    return element("div", f"{title}{facts}<table>{caption}{head}<tbody>{lines}</tbody></table>", class_="card")


def _line(one: Report, most: float, hue: int) -> str:
    value = f"{one['value']:+.2f}" if "amount" in one else f"{one['value']:.3f}"
    amount = f'<td class="r"><small>{digits_of(one["amount"])}</small></td>' if "amount" in one else ""
    term = element("th", words(format_term(one["term"])), scope="row")
    return (
        f'<tr>{term}<td>{_bar(one["value"], most, hue)}</td><td class="r">{value.replace("-", "−")}</td>{amount}</tr>'
    )


def _bar(value: float, most: float, hue: int) -> str:
    long = LONG * abs(value) / most if most else 0.0
    content = rect(0, 1, max(long, 0.5), HIGH - 2, painted(f"mark{hue}"), 2)
    return (
        f'<svg class="hedgerow" viewBox="0 0 {num(LONG)} {num(HIGH)}" width="{num(LONG)}" height="{num(HIGH)}" '
        f'aria-hidden="true">{content}</svg>'
    )
