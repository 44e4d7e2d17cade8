"""Rules on a page: a table with a line a rule, small bars for what it covers and how often it is right."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hedgerow.report.draw.markup import grid_table, section, swatch, words
from hedgerow.report.draw.svg import GRAY_HUE, num, painted, path, rect
from hedgerow.report.rules.rules_text import found_again, how_many, others_sentence, rows_of, shares, title_of_rules

Report = Mapping[str, Any]
LONG, HIGH = 100.0, 12.0
KINDS = ("training", "unseen")
LAST = {"folds": "found again in folds", "holdout": "in the model"}
KEY = (
    "A bar of coverage is as long as the share of the rows, the longest filling its cell; a bar of precision as the "
    "share of the covered rows that are of the rule's class. The line across is a 95% interval (Wilson's)."
)


def rules_section(report: Report) -> str:
    """Return a report of rules as a part of a page."""
    return section("rules", "Rules", f"<p>{words(title_of_rules(report))}.</p>", rules_table(report, report["labels"]))


def rules_table(report: Report, colored: Sequence[str]) -> str:
    """Return the table of rules and what explains it; `colored` are the classes with a color of their own, in order."""
    rules, cards = report["rules"], report["cards"]
    told = f'<p class="soft">{words(" ".join([report["reading"], KEY]))}</p>'
    if cards is not None:
        told += f'<p class="soft">{words(cards["told"])}</p>'
    if not rules:
        return told + "<p>No rule is left by these filters.</p>"
    last = LAST.get(cards["way"]) if cards is not None else None
    head = ["#", "rule", *([""] if cards is not None else []), "coverage", "precision", *([last] if last else [])]
    sides = "rn" + "l" * (len(head) - 2 - bool(last)) + "n" * bool(last)
    most = max(_value(rule[key]["coverage"]) for rule in rules for key in KINDS if key in rule)
    rows = [_row(rule, colored, most, last or "") for rule in rules]
    caption = how_many(report) + (f"; {cards['method']}" if cards is not None else ", by their training rows")
    others = others_sentence(cards) if cards is not None else ""
    more = f'<p class="soft">{words(others)}</p>' if others else ""
    return f'{told}<div class="rules">{grid_table(caption, head, rows, sides)}</div>{more}'


def _row(rule: Report, colored: Sequence[str], most: float, last: str) -> list[str]:
    hue = min(colored.index(rule["label"]), GRAY_HUE) if rule["label"] in colored else GRAY_HUE
    joints = ("if", *["and"] * (len(rule["conditions"]) - 1))  # a test stays on a line with what joins it
    tests = [f"{joint} <code>{words(one)}</code>" for joint, one in zip(joints, rule["conditions"], strict=False)]
    then = f'{"then" if tests else "otherwise"} <span class="then">{swatch(hue)}{words(rule["text"])}</span>'
    row = [f"{rule['number']:d}", " ".join(f'<span class="test">{part}</span>' for part in (*tests, then))]
    kinds = [key for key in KINDS if key in rule]
    if len(kinds) > 1:
        row.append(_stacked("&nbsp;", (f"<small>{key}</small>" for key in kinds)))
    row.append(_stacked("coverage", (_coverage(rule[key], most, hue) for key in kinds)))
    row.append(_stacked("precision", (_precision(rule[key], hue) for key in kinds)))
    return [*row, f'<small class="narrow">{words(last)}: </small>{words(found_again(rule))}'] if last else row


def _stacked(name: str, lines: Iterable[str]) -> str:
    """Return lines of a cell; on a narrow screen, where the table has no head, under the name of the column."""
    return f'<small class="narrow">{name}</small>' + "".join(f"<div>{line}</div>" for line in lines)


def _coverage(told: Report, most: float, hue: int) -> str:
    if not told["of"]:
        return "<small>not known</small>"
    return f"{bar(told['coverage'], hue, most)} {shares(told['coverage'])[0]} <small>{rows_of(told)}</small>"


def _precision(told: Report, hue: int) -> str:
    value, ends = shares(told["precision"])
    if not value:
        return "<small>no rows</small>" if told["of"] and not told["covered"] else "&nbsp;"
    return f"{bar(told['precision'], hue)} {value} <small>{ends}</small>"


def bar(found: Report, hue: int, most: float = 1.0) -> str:
    """Return a bar of a share, `most` filling it, with its interval."""
    scale = LONG / most if most > 0 else LONG
    value, low, high = (min(_value(found, key) * scale, LONG) for key in ("value", "low", "high"))
    middle = HIGH / 2
    content = rect(0, 2, LONG, HIGH - 4, painted("track") + ' fill-opacity="0.5"', 2)
    content += rect(0, 2, value, HIGH - 4, painted(f"mark{hue}"), 2)
    ends = f"M{num(low)} 1V{num(HIGH - 1)}M{num(high)} 1V{num(HIGH - 1)}M{num(low)} {num(middle)}H{num(high)}"
    content += path(ends, 1.2, "whisker")
    size = f'viewBox="-1 0 {num(LONG + 2)} {num(HIGH)}" width="{num(LONG + 2)}" height="{num(HIGH)}"'
    return f'<svg class="hedgerow" {size} aria-hidden="true">{content}</svg>'


def _value(found: Report, key: str = "value") -> float:
    value = float(found[key])
    return 0.0 if math.isnan(value) else value
