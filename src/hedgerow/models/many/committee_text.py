"""Committees as text: the kind of the members and the columns they use. Members are printed one at a time."""

from __future__ import annotations

import math

from hedgerow.layout.numbers import format_number
from hedgerow.models.many.committee import Committee
from hedgerow.models.many.composite_text import (
    MOST_SHOWN,
    OTHERS,
    columns_lines,
    member_lines,
    member_names,
    reading_hint,
    sizes_line,
)

# How the members' decisions are combined, with different votes and with equal votes.
RULES = {
    "vote": ("each member casts its weighted vote for the class that it predicts", "each member has one vote"),
    "average": ("their distributions are averaged, weighted by their votes", "their distributions are averaged"),
}


def committee_text(model: Committee) -> str:
    """Return the summary: one line on members that have the same vote, else one line per member."""
    n, words = len(model), member_names(model)
    alike = bool((model.votes == model.votes[0]).all()) and words is not OTHERS
    lines = [f"A committee of {n} {words[n > 1]}" + (f"; {RULES[model.rule][alike]}" if n > 1 else "")]
    if alike:
        lines += sizes_line(model, words)
    else:
        lines += ["", *member_lines(model, ["vote", *(vote_text(float(vote)) for vote in model.votes[:MOST_SHOWN])])]
    lines += columns_lines(model)
    if model.out_of_bag is not None:
        lines += ["", str(model.out_of_bag)]
    if model.remarks:
        lines += ["", *model.remarks]
    return "\n".join([*lines, "", reading_hint(model)])


def vote_text(vote: float) -> str:
    """Return a vote as it prints."""
    return "infinite" if math.isinf(vote) else format_number(vote)
