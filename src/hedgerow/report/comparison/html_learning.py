"""The page's parts on learning curves and on learners compared."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from hedgerow.layout.numbers import format_fixed, format_short
from hedgerow.report.comparison.curve_sections import (
    comparison_charts,
    comparison_values,
    learning_chart,
    learning_values,
)
from hedgerow.report.draw.markup import element, figure, grid_table, section, words

Report = Mapping[str, Any]
MOST_PICTURES = 12


def learning_section(report: Report) -> str:
    """Return a learning curve, or a curve over a parameter, with its figures."""
    plain = learning_values(report)
    caption = "The band is a 95% interval. Lines far apart: the learner learns by heart; close together and poor: more "
    caption += "rows will not help."
    picture = element("div", figure(learning_chart(report), caption), class_="charts")
    head = [words(plain["x_title"]), *(words(one["name"]) for one in plain["series"])]
    rows = [
        [words(place), *(_figure(one, number) for one in plain["series"])] for number, place in enumerate(places(plain))
    ]
    return section("learning", plain["title"], picture, grid_table(plain["y_title"], head, rows, "r" * len(head)))


def places(plain: Report) -> list[str]:
    """Return where the points of a curve stand, in words."""
    return list(plain["names"]) or [format_short(place, 6) for place in plain["x"]]


def _figure(one: Report, place: int) -> str:
    value = format_fixed(one["y"][place], 4)
    low, high = (one.get(end) for end in ("low", "high"))
    if not low or not high or math.isnan(low[place]):
        return value
    return f"{value} <small>{format_fixed(low[place], 3)} to {format_fixed(high[place], 3)}</small>"


def comparison_section(report: Report) -> str:
    """Return learners beside each other, with intervals: a picture a data set, and all means in a table."""
    sets = comparison_values(report)
    pictures = [figure(picture, place="fit") for picture in comparison_charts(report)[:MOST_PICTURES]]
    names = [words(one["name"]) for one in sets[0]["learners"]] if sets else []
    rows = [[words(one["name"] or "all rows"), *(_cell(cell) for cell in one["learners"])] for one in sets]
    base = f", beside {report['base']}" if report.get("base") else ""
    caption = f"{report.get('title') or report.get('measure') or 'error rate'}{base}: means and 95% intervals"
    table = grid_table(caption, ["data", *names], rows, "n" + "l" * len(names)) if names else ""
    return section("comparison", "Comparison", *pictures, table)


def _cell(cell: Report) -> str:
    value = format_fixed(cell["value"], 4)
    low, high = cell.get("low", math.nan), cell.get("high", math.nan)
    ends = "" if math.isnan(low) else f" <small>{format_fixed(low, 3)} to {format_fixed(high, 3)}</small>"
    return f"{value}{ends} {words(cell.get('mark', ''))}".rstrip()
