"""Item sets, association rules and recommendations on a page: tables with small bars for support and confidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hedgerow.layout.numbers import format_weight
from hedgerow.report.associations.associations_text import (
    left_out,
    lift_text,
    percent,
    recommended,
    searched,
    sentences,
)
from hedgerow.report.draw.markup import grid_table, section, words
from hedgerow.report.draw.svg import num, painted, rect

Report = Mapping[str, Any]
LONG, HIGH = 80.0, 12.0


def associations_section(report: Report) -> str:
    """Return item sets or rules as a part of a page."""
    told = sentences(report)
    of_rules = report["kind"] == "association_rules"
    return section(
        "associations",
        "Association rules" if of_rules else "Item sets",
        f'<p class="lead">{words(searched(report))}.</p>',
        f"<p>{words(' '.join(told))}</p>",
        _rules(report) if of_rules else _sets(report),
        f'<p class="soft">And {words(left_out(report))}.</p>' if report["hidden"] else "",
    )


def recommendations_section(report: Report) -> str:
    """Return what rules offer beside baskets as a part of a page."""
    rows = [
        [
            str(basket["number"]) if place == 0 else "",
            _in_code(basket["items"]) if place == 0 else "",
            _in_code(offer["item"]),
            _share(offer["confidence"], 1.0),
            lift_text(offer["lift"]),
            _in_code(offer["rule"]),
        ]
        for basket in report["baskets"]
        for place, offer in enumerate(basket["offers"])
    ]
    head = ["#", "basket", "offer", "confidence", "lift", "because of"]
    table = grid_table("What to offer", head, rows, "rnllrn") if rows else ""
    return section("recommendations", "Recommendations", f'<p class="lead">{words(recommended(report))}</p>', table)


def _rules(report: Report) -> str:
    rules = report["rules"]
    if not rules:
        return ""
    most = max(rule["support"] for rule in rules)
    rows = [
        [
            str(rule["number"]),
            _in_code(rule["rule"]),
            format_weight(rule["count"]),
            _share(rule["support"], most),
            _share(rule["confidence"], 1.0),
            lift_text(rule["lift"]),
        ]
        for rule in rules
    ]
    return grid_table("Rules", ["#", "rule", "count", "support", "confidence", "lift"], rows, "rnrllr")


def _sets(report: Report) -> str:
    sets = report["sets"]
    if not sets:
        return ""
    most = max(one["support"] for one in sets)
    rows = [
        [_in_code(one["set"]), str(one["size"]), format_weight(one["count"]), _share(one["support"], most)]
        for one in sets
    ]
    return grid_table("Item sets", ["item set", "size", "count", "support"], rows, "nrrl")


def _in_code(text: str) -> str:
    """Return a rule or a set, which breaks at the arrow rather than inside a side."""
    return " =&gt; ".join(f"<code>{words(side)}</code>" for side in text.split(" => "))


def _share(share: float, most: float) -> str:
    return f"{_bar(share / most if most else 0.0)} {words(percent(share))}"


def _bar(share: float) -> str:
    content = rect(0, 2, LONG, HIGH - 4, painted("track") + ' fill-opacity="0.5"', 2)
    content += rect(0, 2, LONG * min(max(share, 0.0), 1.0), HIGH - 4, painted("mark0"), 2)
    size = f'viewBox="0 0 {num(LONG)} {num(HIGH)}" width="{num(LONG)}" height="{num(HIGH)}"'
    return f'<svg class="hedgerow" {size} aria-hidden="true">{content}</svg>'
