"""The instances of a bag in an explanation, as text and on a page: what each of them adds to the decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hedgerow.layout.cell_width import shorten
from hedgerow.layout.terminal import clean_text
from hedgerow.layout.text_table import align_columns
from hedgerow.layout.wrapping import wrap_text
from hedgerow.report.draw.markup import grid_table, words
from hedgerow.report.explanations.explanation_words import adds_text, share_text
from hedgerow.report.explanations.explanations_text import why_lines
from hedgerow.report.explanations.html_explanations import why_html

Report = Mapping[str, Any]
INDENT = "  "
MOST_LINES, MOST_ON_PAGE = 10, 100  # instances
LONGEST = 24  # cells of a value

RULES = {
    "average": "the bag has the mean of their probabilities",
    "geometric": "the bag has the geometric mean of their probabilities",
    "vote": "each has one vote",
}


def instances_lines(told: Report, columns: int) -> list[str]:
    """Return the lines of the decision on one bag."""
    found = told["why"]
    if not found["size"]:
        return wrap_text(EMPTY, columns, INDENT)
    lines = wrap_text(f"{_counted(told)}:", columns, INDENT)
    lines += align_columns([["class", "instances", "share"], *_tally(told)], "lrr", indent=INDENT * 2)
    rows, left = _chosen(found["instances"], MOST_LINES)
    head, cells, sides = _table(told, rows)
    lines += ["", *wrap_text(_title(told), columns, INDENT)]
    lines += [shorten(line, columns) for line in align_columns([head, *cells], sides, indent=INDENT * 2)]
    lines += [f"{INDENT * 2}{_left(left)}"] if left else []
    inner = [f"{INDENT}{line}" if line else line for line in why_lines(found["strongest"], columns - len(INDENT))]
    return [*lines, "", *wrap_text(_strongest(told), columns, INDENT), *inner]


def instances_html(told: Report) -> str:
    """Return the same on a page."""
    found = told["why"]
    if not found["size"]:
        return f"<p>{words(EMPTY)}</p>"
    tally = [[words(cell) for cell in row] for row in _tally(told)]
    made = [grid_table(words(_counted(told)), ["class", "instances", "share"], tally, "nrr")]
    rows, left = _chosen(found["instances"], MOST_ON_PAGE)
    head, cells, sides = _table(told, rows)
    shown = [[words(cell) for cell in row] for row in cells]
    made.append(grid_table(words(_title(told)), [words(one) for one in head], shown, sides.replace("l", "n")))
    made.append(f'<p class="dim">{_left(left)}</p>' if left else "")
    return "".join(made) + f"<p>{words(_strongest(told))}</p>{why_html(found['strongest'])}"


EMPTY = "The bag holds no instances: the shares of the classes in training decide."


def _counted(told: Report) -> str:
    n = told["why"]["size"]
    return f"{n:,} instance{'' if n == 1 else 's'}; {RULES[told['why']['rule']]}"


def _tally(told: Report) -> list[list[str]]:
    tally = sorted(told["why"]["tally"], key=lambda one: -one["share"])
    return [[shorten(one["class"], LONGEST), f"{one['instances']:,}", share_text(one["share"])] for one in tally]


def _title(told: Report) -> str:
    if told["against"] is None or told["decision"] is None:
        return "What each instance adds:"
    return f"What each instance adds to {clean_text(told['decision'])} (+) or to {clean_text(told['against'])} (-):"


def _table(told: Report, instances: Sequence[Report]) -> tuple[list[str], list[list[str]], str]:
    """Return the head, the lines and the sides of the table of instances."""
    names, shown = told["why"]["columns"], told["decision"]
    share = [] if shown is None else [f"P({clean_text(shown)})"]
    head = ["instance", "says", *share, "adds", *(shorten(name, LONGEST) for name in names)]
    cells = [
        [
            f"{one['instance']:,}",
            shorten(one["says"] or "nothing", LONGEST),
            *([] if shown is None else [share_text(one["probabilities"][shown])]),
            adds_text(one["adds"]),
            *(shorten(value, LONGEST) for value in one["values"]),
        ]
        for one in instances
    ]
    return head, cells, "rl" + "r" * (len(share) + 1 + len(names))


def _chosen(instances: Sequence[Report], most: int) -> tuple[list[Report], int]:
    """Return the instances to show, the strongest on both sides, and how many there are between them."""
    if len(instances) <= most:
        return list(instances), 0
    return [*instances[: most // 2], *instances[-(most // 2) :]], len(instances) - 2 * (most // 2)


def _left(n: int) -> str:
    return f"and {n:,} between these; --json tells all"


def _strongest(told: Report) -> str:
    one = told["why"]["strongest"]
    said = "no decision" if one["decision"] is None else clean_text(one["decision"])
    return f"Instance {one['instance']:,} speaks most for the decision; it says {said}, because:"
