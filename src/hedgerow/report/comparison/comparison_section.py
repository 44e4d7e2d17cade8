"""The section on a comparison: learners compared with the base, with intervals, ranks, times and sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from hedgerow.layout.numbers import format_digits, format_fixed, format_p, format_seconds, format_short
from hedgerow.report import blocks as b
from hedgerow.report.comparison.comparison_charts import comparison_charts, comparison_values
from hedgerow.report.figures import Draw, draw_for, is_known
from hedgerow.report.schema import (
    ComparedCell,
    ComparisonReport,
    ComparisonTest,
    LearnerRecord,
    PlainComparison,
    PlainLearner,
)

MARKS = "v: significantly better than {base}; *: significantly worse (corrected resampled t-test, level {level})"
MOST_PICTURES = 12
LONGEST_SET, LONGEST_LEARNER = 24, 40
FIXED = 10.0  # means up to which all have four decimals


def comparison_section(report: ComparisonReport | PlainComparison) -> b.Section:
    """Return the section on a comparison, from a report or from plain values."""
    pictures = tuple(b.Chart(picture, "", "fit") for picture in comparison_charts(report)[:MOST_PICTURES])
    charts = b.Charts(pictures)
    if "friedman" not in report:
        return b.Section("comparison", "Comparison", (charts, _plain(report)))
    return b.Section("comparison", "Comparison", _reported(cast("ComparisonReport", report), charts))


def _plain(report: ComparisonReport | PlainComparison) -> b.TableBlock:
    """Return one row per data set and one column per learner."""
    sets = comparison_values(report)
    names = [one["name"] for one in sets[0]["learners"]] if sets else []
    columns = (b.TableColumn("data", longest=LONGEST_SET), *(b.TableColumn(name, "r", "beside") for name in names))
    rows: list[b.Row] = [(one["name"] or "all rows", *map(_learner, one["learners"])) for one in sets]
    base = f", compared with {report['base']}" if report.get("base") else ""
    label = f"{report.get('title') or report.get('measure') or 'error rate'}{base}: means and 95 % intervals"
    return b.TableBlock(columns, tuple(rows), label=label, fit="split")


def _learner(cell: PlainLearner) -> b.Figure:
    value, mark = format_fixed(cell["value"], 4), cell.get("mark", "")
    low, high = cell.get("low", math.nan), cell.get("high", math.nan)
    return (
        b.Figure(value, format_fixed(low, 3), format_fixed(high, 3), more=mark)
        if is_known(low)
        else b.Figure(value, more=mark)
    )


def _reported(report: ComparisonReport, charts: b.Charts) -> tuple[b.Block, ...]:
    several = len(report["learners"]) > 1
    title = f"{report['title']}: {report['method']}, seed {report['seed']}"
    title += f"; base {report['base']}" if several else ""
    values = (cell["value"]["value"] for line in report["sets"] for cell in line["cells"])
    draw = draw_for(values, FIXED)
    means = _one_set(report, draw) if len(report["sets"]) == 1 else _means(report, draw)
    marks = MARKS.format(base=report["base"], level=format_short(report["level"]))
    told = [b.Paragraph((marks,)), *_ranks(report)] if several else []
    return (b.Lead(title), charts, means, *told, _costs(report))


# -- means ----------------------------------------------------------------------------------------------------


def _one_set(report: ComparisonReport, draw: Draw) -> b.TableBlock:
    """Return one row per learner: its mean, the difference from the base with its interval, and the p-value."""
    (only,) = report["sets"]
    columns = (
        b.TableColumn(only["name"], longest=LONGEST_LEARNER),
        b.TableColumn("mean", "r", "beside"),
        b.TableColumn(""),
        b.TableColumn("difference", "r", "beside", f"{format_short(100 * (1 - report['level']))} %"),
        b.TableColumn("p", "r"),
    )
    rows = tuple(
        (cell["learner"], "failed", "", "", "")
        if cell["failure"]
        else (cell["learner"], _mean(cell, draw), cell["mark"], *_difference(cell["test"]))
        for cell in only["cells"]
    )
    return b.TableBlock(columns, rows, label=report["title"])


def _mean(cell: ComparedCell, draw: Draw) -> b.Figure:
    found = cell["value"]
    value = draw(found["value"], 4, False)
    if not is_known(found["low"]):
        return b.Figure(value)
    return b.Figure(value, draw(found["low"], 4, False), draw(found["high"], 4, False))


def _difference(test: ComparisonTest | None) -> tuple[b.Cell, ...]:
    if test is None:
        return "", ""
    draw = format_fixed if abs(test["difference"]) < FIXED else format_digits
    value, p = draw(test["difference"], 4, True), format_p(test["p"])
    if not is_known(test["low"]):
        return value, p
    return b.Figure(value, draw(test["low"], 4, True), draw(test["high"], 4, True)), p


def _means(report: ComparisonReport, draw: Draw) -> b.TableBlock:
    """Return one row per data set, one column per learner with its marks; the base is first in each block."""
    base = next(at for at, one in enumerate(report["learners"]) if one["is_base"])
    order = [base, *(at for at in range(len(report["learners"])) if at != base)]
    columns = [b.TableColumn("", longest=LONGEST_SET, label="data")]
    for at in order:
        columns += [
            b.TableColumn(report["learners"][at]["name"], "r", longest=LONGEST_SET),
            b.TableColumn("", joined=True),
        ]
    rows = [(one["name"], *(part for at in order for part in _cell(one["cells"][at], draw))) for one in report["sets"]]
    learners = [report["learners"][at] for at in order]
    rows.append(("mean", *(part for one in learners for part in (draw(one["mean"], 4, False), ""))))
    rows.append(("v / /*", *(part for one in learners for part in (_record(one["beyond_chance"]), ""))))
    return b.TableBlock(tuple(columns), tuple(rows), label=report["title"], fit="split", lead=3, most=len(rows))


def _cell(cell: ComparedCell, draw: Draw) -> tuple[b.Cell, b.Cell]:
    return "failed" if cell["failure"] else draw(cell["value"]["value"], 4, False), cell["mark"]


def _record(record: LearnerRecord | None) -> str:
    return "" if record is None else f"({record['better']}/{record['alike']}/{record['worse']})"


# -- ranks and costs ------------------------------------------------------------------------------------------


def _ranks(report: ComparisonReport) -> list[b.Block]:
    """Return mean ranks and the results of Friedman's and Nemenyi's tests; nothing for a single data set."""
    friedman = report["friedman"]
    if not is_known(friedman["p"]):
        return []
    order = sorted(report["learners"], key=lambda one: one["mean_rank"])
    ranks = ", ".join(f"{one['name']} {format_fixed(one['mean_rank'], 2)}" for one in order)
    differ = "differ" if friedman["p"] < report["level"] else "do not differ"
    iman = f"Iman and Davenport's F {format_short(friedman['f'])}, " if math.isfinite(friedman["f"]) else ""
    text = (
        f"Friedman's test: the ranks {differ} significantly (p {format_p(friedman['p'])}; {iman}chi-squared "
        f"{format_short(friedman['chi2'])})."
    )
    text += f" Nemenyi's critical difference of mean ranks: {format_fixed(report['critical_difference'], 2)}."
    first = f"Mean ranks over {friedman['sets']} data sets (1 is best): {ranks}"
    return [b.Paragraph((first, text, _groups(report)))]


def _groups(report: ComparisonReport) -> str:
    found = report["groups"]
    if not found:
        return "All pairs of learners differ significantly in rank."
    if len(found) == 1 and len(found[0]) == len(report["learners"]):
        return "No two learners differ significantly in rank."
    return "No significant difference in rank: " + "; ".join(_listed(group) for group in found) + "."


def _costs(report: ComparisonReport) -> b.TableBlock:
    """Return times and model size per learner, and the ratio of its error to that of the base."""
    rows = tuple(
        (
            one["name"],
            format_seconds(one["train_seconds"]),
            format_seconds(one["test_seconds"]),
            format_short(one["model_size"]) if is_known(one["model_size"]) else "-",
            format_fixed(one["mean_ratio"], 3),
        )
        for one in report["learners"]
    )
    titles = ("training time", "test time", "model size", "ratio to base")
    columns = (
        b.TableColumn("", longest=LONGEST_LEARNER, label="learner"),
        *(b.TableColumn(title, "r") for title in titles),
    )
    over = "" if len(report["sets"]) == 1 else " (means over the data sets)"
    return b.TableBlock(columns, rows, title=f"Per fold{over}")


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
