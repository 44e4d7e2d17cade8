"""The model's part of the page: a tree drawn, rules as cards, any other model as it prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hedgerow.report.grid import count
from hedgerow.report.markup import element, figure, items, scrolled, section, swatch, words
from hedgerow.report.svg import GRAY_HUE, num, painted, rect

Report = Mapping[str, Any]
MOST_LINES = 300
COVER = 160.0
KEY = (
    "Rules are tried from the first to the last; the first that fits decides. A bar is as long as the share of the "
    "rows that a rule decides, its solid part those that it gets right."
)


def model_section(report: Report, colored: Sequence[str] = ()) -> str:
    """Return the model, and how it came about; `colored` are the classes with a color of their own, in order."""
    size = "" if report["size"] is None else f", size {report['size']:,}"
    learner = report["learner"] or report["kind"]
    lead = f"{learner} learned from {report['rows']:,} rows{size}." if report["rows"] else f"{learner}{size}."
    return section(
        "model", "Model", f"<p>{words(lead)}</p>", _body(report, colored or report["labels"]), _about(report)
    )


def _body(report: Report, colored: Sequence[str]) -> str:
    if "picture" in report:
        return figure(report["picture"], report.get("picture_note", ""), "wide") + _folded(
            "The tree as it prints", printed(report["text"])
        )
    if "rules" in report:
        return _rules(report, colored) + _folded("The rules as they print", printed(report["text"]))
    return printed(report["text"])


def printed(text: str) -> str:
    """Return a model's print, or its beginning if nobody would read it all."""
    lines = text.split("\n")
    more = len(lines) - MOST_LINES
    shown = scrolled(f"<pre>{words_of_lines(lines[:MOST_LINES])}</pre>", "the model as it prints")
    return shown + (f'<p class="soft">{more:,} more lines; `hedgerow show` prints them all.</p>' if more > 0 else "")


def words_of_lines(lines: Sequence[str]) -> str:
    """Return lines of text as markup."""
    return "\n".join(words(line) for line in lines)


def _folded(title: str, content: str) -> str:
    return f"<details><summary>{words(title)}</summary>{content}</details>"


def _rules(report: Report, colored: Sequence[str]) -> str:
    rules = report["rules"]
    tested = "tested" in rules[-1]
    total = sum(rule["tested" if tested else "n"] for rule in rules)
    key = KEY + (" They are of the rows tested." if tested else " They are of the rows it learned from.")
    total = total if tested else report.get("rules_weight") or total
    cards = items((_card(rule, colored, total, tested) for rule in rules), "ol", "rules")
    hidden = report["n_rules"] - (len(rules) - 1)
    more = f'<p class="soft">{hidden:,} more rules stand between the last two.</p>' if hidden > 0 else ""
    return f'<p class="soft">{words(key)}</p>{cards}{more}'


def _card(rule: Report, colored: Sequence[str], total: float, tested: bool) -> str:
    hue = min(colored.index(rule["label"]), GRAY_HUE) if rule["label"] in colored else GRAY_HUE
    tests = " and ".join(f"<code>{words(one)}</code>" for one in rule["conditions"])
    when = f"if {tests} then " if tests else "otherwise "
    n, errors = (rule["tested"], rule["tested_errors"]) if tested else (rule["n"], rule["errors"])
    right = "no rows" if not n else "no answer" if rule["label"] is None else f"{(n - errors) / n:.1%} right"
    said = f"{count(n)} rows, {right}" if n else right
    sure = None if rule["confidence"] is None else f", {rule['confidence']:.1%} right"
    learned = f"<br>learned: {count(rule['n'])} rows{sure or ''}" if tested and rule["n"] else ""
    cover = f'<span class="cover">{_cover(n, errors, total, hue)}<br>{said}{learned}</span>'
    box = f'<span class="if">{when}<span class="then">{swatch(hue)}{words(rule["text"])}</span></span>'
    return f'<span class="no">{rule["number"]:d}</span>{box}{cover}'


def _cover(n: float, errors: float, total: float, hue: int) -> str:
    """Return a bar: how much of all rows a rule decides, and how much of that rightly."""
    long = COVER * min(n / total, 1) if total else 0.0
    right = long * (n - errors) / n if n else 0.0
    content = rect(0, 0, COVER, 10, painted("track") + ' fill-opacity="0.5"', 2)
    content += rect(0, 0, long, 10, painted(f"mark{hue}") + ' fill-opacity="0.4"', 2)
    content += rect(0, 0, right, 10, painted(f"mark{hue}"), 2)
    size = f'viewBox="0 0 {num(COVER)} 10" width="{num(COVER)}" height="10"'
    return f'<svg class="hedgerow" {size} aria-hidden="true">{content}</svg>'


def _about(report: Report) -> str:
    given = report["parameters"]
    if not given:
        return ""
    pairs = "".join(
        f"<dt>{words(str(name))}</dt><dd>{words('none' if value is None else str(value))}"
        f"{'' if name not in report['changed'] else ' <span class=tag>changed</span>'}</dd>"
        for name, value in given.items()
    )
    return f"<details><summary>Parameters</summary>{element('dl', pairs)}</details>"
