"""Support vectors of an explanation, as text and on a page: those that pull the most, and the nearest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hedgerow.layout.cell_width import shorten
from hedgerow.layout.terminal import clean_text
from hedgerow.layout.text_table import align_columns
from hedgerow.layout.wrapping import wrap_text
from hedgerow.report.draw.markup import element, grid_table, words
from hedgerow.report.explanations.explanation_words import adds_text
from hedgerow.report.explanations.row_comparison import INDENT, LONGEST, Lead, compared_html, compared_lines

Report = Mapping[str, Any]


def support_lines(told: Report, columns: int) -> list[str]:
    """Return the lines of one decision of a kernel machine."""
    found = told["why"]
    lines = wrap_text(_sentence(told), columns, INDENT)
    lines += align_columns([[clean_text(name), adds] for name, adds in _sum(told)], "lr", indent=INDENT * 2)
    for title, pulls in _tables(told):
        lines += compared_lines(title, found, pulls, _lead(pulls), columns)
    return lines


def support_html(told: Report) -> str:
    """Return the same on a page."""
    found = told["why"]
    summed = [[words(one), words(adds)] for one, adds in _sum(told)]
    made = [f'<p class="column">{words(_sentence(told))}</p>', grid_table("", ["", "adds"], summed, "nr")]
    made += [compared_html(title, found, pulls, _lead(pulls)) for title, pulls in _tables(told)]
    return element("div", "".join(made), class_="support")


def _sentence(told: Report) -> str:
    found = told["why"]
    n = found["sides"]["for"]["vectors"] + found["sides"]["against"]["vectors"]
    which = f"{n:,} support vector{' pulls' if n == 1 else 's pull'}"
    ends = f"{clean_text(told['decision'])} (+) or to {clean_text(told['against'])} (-)"
    return f"{which} the row to {ends}, by alpha times K:"


def _sum(told: Report) -> list[tuple[str, str]]:
    """Return what adds up to the decision value."""
    found = told["why"]
    rows = []
    for side, label in (("for", told["decision"]), ("against", told["against"])):
        n, adds = found["sides"][side]["vectors"], found["sides"][side]["adds"]
        rows.append((f"{n:,} for {label}", adds_text(adds)))
    ends = (("intercept", found["intercept"]), ("total, the decision value", found["total"]))
    return [*rows, *((name, adds_text(adds)) for name, adds in ends)]


def _tables(told: Report) -> list[tuple[str, Sequence[Report]]]:
    found = told["why"]
    far = any(one["distance"] is not None for one in found["nearest"])
    near = "by their distance as the kernel sees the columns" if far else "by their kernel value"
    tables = [
        ("The support vectors that pull the most, by their row in the data learned from:", found["strongest"]),
        (f"The nearest support vectors, {near}:", found["nearest"]),
    ]
    return [one for one in tables if one[1]]


def _lead(pulls: Sequence[Report]) -> Lead:
    """Return the figures of support vectors."""
    lead: Lead = (
        ("row", "r", lambda one: f"{one['row']:,}"),
        ("class", "l", lambda one: shorten(one["class"], LONGEST)),
        ("adds", "r", lambda one: adds_text(one["adds"])),
        ("K", "r", lambda one: f"{one['kernel']:.4g}"),
    )
    if any(one["distance"] is not None for one in pulls):
        return (*lead, ("distance", "r", lambda one: f"{one['distance']:.4g}"))
    return lead
