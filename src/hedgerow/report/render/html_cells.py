"""The cells of tables on a page: numbers with intervals and bars, rules, names with their colors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hedgerow.report.blocks import Bar, Cell, EntryList, Figure, Name, RuleCell, Sparkline, TableColumn
from hedgerow.report.draw.markup import element, escape_words, swatch
from hedgerow.report.draw.svg import num, path, rect, role_attributes

LONG, HIGH = 100.0, 12.0
TAGS = {"target": "tag on"}  # the look of a role; others are plain tags


def cell_html(cell: Cell, column: TableColumn) -> str:
    """Return the content of a cell."""
    if isinstance(cell, Figure):
        return _figure(cell, column.ends == "below")
    if isinstance(cell, str):
        return escape_words(cell)
    makers: dict[type, Callable[[Any], str]] = {
        Name: name_html,
        RuleCell: rule_html,
        EntryList: lambda listing: listing.picture or escape_words(", ".join(listing.entries)),
        Sparkline: lambda line: line.picture,
    }
    return makers[type(cell)](cell)


def _figure(figure: Figure, below: bool) -> str:
    drawn = f"{bar_html(figure.bar)} " if figure.bar is not None else ""
    said = f"{drawn}{escape_words(figure.value)}"
    if figure.low and below:
        said += f' <small class="below">{escape_words(figure.low)}–{escape_words(figure.high)}</small>'
    elif figure.low:
        said += f" <small>{escape_words(figure.low)} to {escape_words(figure.high)}</small>"
    return f"{said} {escape_words(figure.more)}".rstrip()


def name_html(name: Name) -> str:
    """Return a name with its color and its role."""
    mark = "" if name.hue is None else swatch(name.hue)
    tag = f' <span class="{TAGS.get(name.role, "tag")}">{escape_words(name.role)}</span>' if name.role else ""
    return f"{mark}{escape_words(name.text)}{tag}"


def rule_html(rule: RuleCell) -> str:
    """Return a rule, whose tests are not broken across lines; for item sets, both sides as code."""
    if rule.of_items:
        return " =&gt; ".join(f"<code>{escape_words(side)}</code>" for side in rule.text.split(" => "))
    if not rule.says:
        return f"<code>{escape_words(rule.text)}</code>"
    joints = ("if", *["and"] * (len(rule.conditions) - 1))
    tests = [f"{joint} <code>{escape_words(one)}</code>" for joint, one in zip(joints, rule.conditions, strict=False)]
    joint = "then" if tests else "otherwise"
    then = f'{joint} <span class="then">{swatch(rule.hue)}{escape_words(rule.says)}</span>'
    return " ".join(f'<span class="test">{part}</span>' for part in (*tests, then))


def bar_html(bar: Bar) -> str:
    """Return a bar with the ends of its interval."""
    if bar.signed:
        return _lane(bar.length)
    value, middle = _within(bar.length), HIGH / 2
    content = rect(0, 2, LONG, HIGH - 4, role_attributes("track") + ' fill-opacity="0.5"', 2)
    content += rect(0, 2, value, HIGH - 4, role_attributes(f"mark{bar.hue}"), 2)
    if bar.low is not None and bar.high is not None:
        low, high = _within(bar.low), _within(bar.high)
        ends = f"M{num(low)} 1V{num(HIGH - 1)}M{num(high)} 1V{num(HIGH - 1)}M{num(low)} {num(middle)}H{num(high)}"
        content += path(ends, 1.2, "whisker")
    size = f'viewBox="-1 0 {num(LONG + 2)} {num(HIGH)}" width="{num(LONG + 2)}" height="{num(HIGH)}"'
    return f'<svg class="hedgerow bar" {size} aria-hidden="true">{content}</svg>'


def _within(length: float) -> float:
    return LONG * min(max(length, 0.0), 1.0) if length == length else 0.0


def _lane(length: float) -> str:
    """Return a bar from the middle: to the right for the prediction, to the left against it."""
    share = 50.0 * min(abs(length), 1.0)
    place = f"left:50%;width:{num(share)}%" if length > 0 else f"right:50%;width:{num(share)}%"
    inner = element("i", "", class_=None if length > 0 else "a", style=place)
    return f'<span class="lane" aria-hidden="true">{inner}</span>'
