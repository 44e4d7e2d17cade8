"""The text form of a comparison: a line a data set, a column a learner, marks beside the means."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hedgerow.layout.cell_width import shorten
from hedgerow.layout.numbers import format_digits, format_fixed, format_short
from hedgerow.layout.text_table import align_columns, split_into_blocks
from hedgerow.layout.wrapping import wrap_text

Report = Mapping[str, Any]
MARKS = "v: better than {base} beyond chance; *: worse (corrected resampled t-test, level {level:g})"


def comparison_lines(report: Report, columns: int) -> list[str]:
    """Return the lines of a comparison."""
    title = f"{report['title']}: {report['method']}, seed {report['seed']}"
    title += "" if len(report["learners"]) < 2 else f"; base {report['base']}"
    means = _one_set(report) if len(report["sets"]) == 1 else _means(report, columns)
    lines = [*wrap_text(title, columns), "", *means]
    if len(report["learners"]) > 1:
        marks = MARKS.format(base=report["base"], level=report["level"])
        lines += ["", *wrap_text(marks, columns), *_rank_lines(report, columns)]
    return [*lines, "", *_costs(report, columns)]


def _means(report: Report, columns: int) -> list[str]:
    """Return the table of means, in as many blocks of learners as it takes to fit; the base leads each block."""
    draw = _draw(report)
    names = ["", *(shorten(one["name"], 24) for one in report["sets"]), "mean", "v / /*"]
    base = next(at for at, one in enumerate(report["learners"]) if one["is_base"])
    pairs = {at: _column(report, at, draw) for at in range(len(report["learners"]))}
    lead = [names, *pairs.pop(base)]
    return split_into_blocks(lead, list(pairs.values()), "l" + "rl" * (len(pairs) + 1), columns, gap=" ")


def _one_set(report: Report) -> list[str]:
    """Return a line a learner: its mean, the difference from the base with its interval, and how likely by chance."""
    draw, (only,) = _draw(report), report["sets"]
    level = f"{100 * (1 - report['level']):g} %"
    rows = [[shorten(only["name"], 24), "mean", "", "95 %", "difference", level, "p"]]
    for cell in only["cells"]:
        rows.append([shorten(cell["learner"], 40), draw(cell["value"]["value"]), cell["mark"]])
        rows[-1] += [_ends(cell["value"], draw), *_difference(cell["test"])]
        if cell["failure"]:
            rows[-1][1:] = ["failed", "", "", "", "", ""]
    return align_columns(rows, "lrllrlr")


def _ends(found: Report, draw: Callable[[float], str]) -> str:
    return "" if math.isnan(found["low"]) else f"{draw(found['low'])} to {draw(found['high'])}"


def _difference(test: Report | None) -> list[str]:
    if test is None:
        return ["", "", ""]
    apart = format_fixed if abs(test["difference"]) < 10 else format_digits
    ends = "" if math.isnan(test["low"]) else f"{apart(test['low'], 4, True)} to {apart(test['high'], 4, True)}"
    return [apart(test["difference"], 4, True), ends, "?" if math.isnan(test["p"]) else _p(test["p"])]


def _column(report: Report, at: int, draw: Callable[[float], str]) -> tuple[list[str], list[str]]:
    """Return a learner's column of figures, and the marks beside it."""
    one = report["learners"][at]
    cells = [line["cells"][at] for line in report["sets"]]
    figures = [f" {shorten(one['name'], 24)}"]
    figures += ["failed" if cell["failure"] else draw(cell["value"]["value"]) for cell in cells]
    marks = ["", *(cell["mark"] for cell in cells)]
    figures, marks = [*figures, draw(one["mean"])], [*marks, ""]
    record = one["beyond_chance"]
    figures.append("" if record is None else f"({record['better']}/{record['alike']}/{record['worse']})")
    return figures, [*marks, ""]


def _rank_lines(report: Report, columns: int) -> list[str]:
    """Return mean ranks and what Friedman's and Nemenyi's tests say; nothing for a single data set."""
    friedman = report["friedman"]
    if math.isnan(friedman["p"]):
        return []
    order = sorted(report["learners"], key=lambda one: one["mean_rank"])
    ranks = ", ".join(f"{one['name']} {one['mean_rank']:.2f}" for one in order)
    lines = ["", *wrap_text(f"Mean ranks over {friedman['sets']} data sets (1 is best): {ranks}", columns)]
    differ = "differ" if friedman["p"] < report["level"] else "do not differ"
    iman = f"Iman and Davenport's F {format_short(friedman['f'])}, " if math.isfinite(friedman["f"]) else ""
    text = (
        f"Friedman's test: the ranks {differ} beyond chance (p {_p(friedman['p'])}; {iman}chi-squared "
        f"{format_short(friedman['chi2'])})."
    )
    text += f" Nemenyi's critical difference of mean ranks: {report['critical_difference']:.2f}."
    lines += wrap_text(text, columns)
    return lines + [line for group in _told_groups(report) for line in wrap_text(group, columns)]


def _told_groups(report: Report) -> list[str]:
    found = report["groups"]
    if not found:
        return ["All learners differ from each other in rank."]
    if len(found) == 1 and len(found[0]) == len(report["learners"]):
        return ["No two learners differ in rank by more than that."]
    return ["Not to be told apart by rank: " + "; ".join(_listed(group) for group in found) + "."]


def _costs(report: Report, columns: int) -> list[str]:
    """Return time and size a learner, and how its errors compare with the base's as a ratio."""
    rows = [["", "to learn", "to test", "model size", "ratio to base"]]
    for one in report["learners"]:
        size = "-" if math.isnan(one["model_size"]) else format_short(one["model_size"])
        times = (_seconds(one[name]) for name in ("train_seconds", "test_seconds"))
        rows.append([shorten(one["name"], 40), *times, size, format_fixed(one["mean_ratio"], 3)])
    lines = align_columns(rows, "lrrrr")
    over = "" if len(report["sets"]) == 1 else ", means over the data sets"
    return [*wrap_text(f"A fold{over}", columns), *lines]


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _draw(report: Report) -> Callable[[float], str]:
    values = [cell["value"]["value"] for line in report["sets"] for cell in line["cells"]]
    known = [abs(value) for value in values if not math.isnan(value)]
    return (
        (lambda value: format_fixed(value, 4))
        if max(known, default=0) <= 10
        else (lambda value: format_digits(value, 4))
    )


def _p(value: float) -> str:
    return "below 0.0001" if value < 1e-4 else format_fixed(value, 4)


def _seconds(value: float) -> str:
    if math.isnan(value):
        return "?"
    if value >= 1:
        return f"{value:.3g} s"
    return f"{value * 1e3:.3g} ms" if value >= 1e-3 else f"{value * 1e6:.0f} µs"
