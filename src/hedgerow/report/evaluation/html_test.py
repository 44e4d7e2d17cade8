"""The test's part of the page: figures with intervals, classes, confusion matrix, curves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from hedgerow.layout.numbers import format_digits, format_fixed, format_weight
from hedgerow.report.draw.confusion_heatmap import confusion_chart
from hedgerow.report.draw.error_histogram import errors_chart
from hedgerow.report.draw.markup import element, figure, grid_table, section, words
from hedgerow.report.evaluation import curve_charts as charts
from hedgerow.report.evaluation.evaluation_text import (
    MANY_CLASSES,
    OF_CLASS,
    answered_text,
    right_and_wrong,
    rows_tested,
    unit,
)

Report = Mapping[str, Any]
MOST_ROWS = 60
CAPTIONS = {
    "roc": "How many rows of the class are found, against how many others are taken for it, for every cut-off. "
    "The dashed line is chance; the area is the chance that a row of the class ranks above another.",
    "precision-recall": "How pure the rows taken for the class are, against how many of the class are found.",
    "gains": "If the most probable rows are taken first: the share of the class among them. Dashed: taken by chance.",
    "lift": "How many times as many of the class the first rows hold as rows taken by chance.",
    "calibration": "Of the rows given a probability, the share that came true (upright lines: 95% "
    "intervals; large dots: many rows). On the dashed line probabilities mean what they say.",
    "coverage": "If the least sure rows get no answer: how accurate the others are.",
}


def test_section(report: Report, curves: Report | None) -> str:
    """Return how well the model did."""
    return section(
        "test",
        "Test",
        f"<p>{words(_lead(report))}</p>",
        _measures(report),
        _by_class(report) if report["labels"] else "",
        _confusion(report) if report["labels"] else "",
        "" if curves is None else _curves(curves, len(report["labels"])),
    )


def _lead(report: Report) -> str:
    seed = "" if report["seed"] is None else f", seed {report['seed']}"
    runs = f" in each of {report['runs']} runs" if report["runs"] > 1 else ""
    lead = f"{rows_tested(report, thousands=True)}{runs}: {report['method']}{seed}."
    if report["labels"]:
        lead += f" {right_and_wrong(report)}{' on average over the runs' if report['runs'] > 1 else ''}."
    return lead if report.get("answered") is None else f"{lead} {answered_text(report)}."


def estimate(found: Report | None, shares: bool, plus: bool = False) -> str:
    """Return an estimate with its interval."""
    if found is None:
        return ""
    draw = format_fixed if shares else format_digits
    value = words(draw(found["value"], 4, plus))
    if math.isnan(found["low"]):
        return value
    low, high = (draw(found[end], 3, plus) for end in ("low", "high"))
    return f"{value} <small>{words(low)} to {words(high)}</small>"


def _measures(report: Report) -> str:
    shares, base = bool(report["labels"]), report["baseline"]
    head = ["measure", words(report["learner"] or "model"), *([words(base), "difference"] if base is not None else [])]
    rows = []
    for one in report["measures"]:
        row = [words(one["title"]), estimate(one["value"], shares)]
        if base is not None:
            row += [estimate(one["baseline"], shares), estimate(one["difference"], shares, plus=True)]
        rows.append(row)
    return grid_table("Main figures with 95% intervals", head, rows, "l" * len(head))


def _by_class(report: Report) -> str:
    head = ["class", unit(report), *OF_CLASS.values()]

    def row(name: str, weight: float, one: Report) -> list[str]:
        return [name, format_weight(weight), *(estimate_short(one[key]) for key in OF_CLASS)]

    rows = [row(words(one["label"]), one["weight"], one) for one in report["by_class"][:MOST_ROWS]]
    rows.append(row("weighted mean", report["weight"], report["average"]))
    hidden = len(report["by_class"]) - MOST_ROWS
    more = f'<p class="soft">{hidden:,} more classes; the JSON report has them all.</p>' if hidden > 0 else ""
    return (
        "<h3>By class</h3>"
        + grid_table("Figures of every class, with 95% intervals", head, rows, "nr" + "l" * len(OF_CLASS))
        + more
    )


def estimate_short(found: Report) -> str:
    """Return an estimate in three digits with the ends of its interval in two below it."""
    value = format_fixed(found["value"], 3)
    if math.isnan(found["low"]):
        return value
    return f'{value} <small class="below">{format_fixed(found["low"], 2)}–{format_fixed(found["high"], 2)}</small>'


def _confusion(report: Report) -> str:
    drawn = confusion_chart(report["confusion"])
    summed = f" Summed over {report['runs']} runs." if report["runs"] > 1 else ""
    caption = f"A line an actual class; the deeper a cell, the larger its share of the line.{summed}"
    picture = figure(drawn, caption, "fit" if len(report["labels"]) <= 10 else "wide") if drawn else ""
    if not report["confusions"] or (len(report["labels"]) < MANY_CLASSES and drawn):
        return "<h3>Mistakes</h3>" + picture
    rows = [
        [words(one["actual"]), words(one["predicted"]), format_weight(one["weight"]), f"{one['share']:.1%}"]
        for one in report["confusions"]
    ]
    head = ["actual", "taken for", unit(report), "of the class"]
    return "<h3>Mistakes</h3>" + picture + grid_table("Most frequent confusions", head, rows, "nnrr")


def _curves(curves: Report, n_classes: int) -> str:
    if "numbers" in curves:
        dots = figure(
            charts.numbers_chart(curves), "On the dashed line predictions are right. At most 1,000 rows shown."
        )
        spread = figure(
            errors_chart(curves["errors"]),
            "Predicted minus actual; 0 is right, above it too high. Their mean is the bias.",
        )
        return "<h3>Predictions</h3>" + element("div", dots + spread, class_="charts")
    if not curves["classes"]:
        return ""
    drawn = [
        figure(draw(curves), CAPTIONS[name])
        for name, draw in charts.CHARTS.items()
        if name in CAPTIONS and (name != "coverage" or curves["coverage"])
    ]
    shown = len(curves["classes"])
    whose = f" of the {shown} largest of {n_classes} classes" if shown < n_classes else ""
    whose = f" of {words(curves['classes'][0]['label'])}" if shown == 1 else whose
    return f"<h3>Curves{whose}</h3>" + element("div", "\n".join(drawn), class_="charts") + _lift_table(curves)


def _lift_table(curves: Report) -> str:
    head = ["rows taken", "found in this part", "rate", "lift", "found so far", "lift so far"]
    tables = []
    for one in curves["classes"]:
        rows = [
            [
                f"{100 * (place - 1) / len(one['lift']):.0f}–{100 * place / len(one['lift']):.0f}%",
                format_weight(round(part["positives"], 1)),
                f"{part['rate']:.1%}",
                format_fixed(part["lift"], 2),
                f"{part['found']:.1%}",
                format_fixed(part["cumulative_lift"], 2),
            ]
            for place, part in enumerate(one["lift"], 1)
        ]
        tables.append(grid_table(f"Lift of {one['label']}, the most probable rows first", head, rows, "lrrrrr"))
    return f"<details><summary>Lift in ten parts, as tables</summary>{''.join(tables)}</details>"
