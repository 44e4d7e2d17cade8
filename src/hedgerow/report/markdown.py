"""Reports as Markdown that GitHub, GitLab and notebooks show: headings, tables, the model in a block of code."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hedgerow.report.evaluation_text import answered_text
from hedgerow.report.grid import clean, count, digits, fixed, short
from hedgerow.report.html import TITLES, file_name, full_stop, parts_of, sentence, title_of
from hedgerow.report.html_more import places
from hedgerow.report.learning import comparison_values, learning_values
from hedgerow.report.text import render

Report = Mapping[str, Any]
MOST_ROWS = 60
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~!&])")


def to_markdown(report: Report) -> str:
    r"""Return any report as Markdown.

    Examples
    --------
    >>> from hedgerow import OneR, examples, model_report
    >>> print(to_markdown(model_report(OneR().train(examples.loan()))).splitlines()[0])
    # Class, predicted by one\_r
    """
    parts = parts_of(report)
    makers = {
        "data": _data,
        "model": _model,
        "evaluation": _evaluation,
        "learning": _learning,
        "comparison": _comparison,
    }
    lines: list[str] = [f"# {plain(title_of(report, parts))}", "", *_summary(report, parts)]
    for key, make in makers.items():
        if key in parts:
            lines += ["", f"## {TITLES['test' if key == 'evaluation' else key]}", "", *make(parts[key])]
        if key == "evaluation" and "curves" in parts:
            lines += ["", *_curves(parts["curves"])]
    if not parts:
        lines += ["", *block(render(report))]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n") + "\n"


def plain(text: str) -> str:
    """Return words that Markdown shows as they are."""
    return _SPECIAL.sub(r"\\\1", clean(" ".join(text.split())))


def table(head: Sequence[str], rows: Iterable[Sequence[str]], sides: str) -> list[str]:
    """Return a table of cells that are Markdown already; `sides` is l or r each."""
    under = ["---:" if side == "r" else ":---" for side in sides]
    return [f"| {' | '.join(row)} |" for row in (head, under, *rows)]


def block(text: str) -> list[str]:
    """Return text as a block of code, whose fence is longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *(clean(line) for line in text.rstrip("\n").split("\n")), fence]


def _summary(report: Report, parts: Mapping[str, Report]) -> list[str]:
    lines = [f"Data: {plain(file_name(report['source']))}", ""] if "source" in report else []
    if "evaluation" in parts:
        lines += [f"**{plain(sentence(parts['evaluation']))}**", ""]
    told = report.get("warnings")
    if told is None:
        told = [note for part in parts.values() for note in part.get("notes", ())]
    told = list(dict.fromkeys([*told, *report.get("data_notes", ())]))
    return [*lines, *(f"> - {plain(full_stop(note))}" for note in told)]


def _data(report: Report) -> list[str]:
    missing = f"{report['missing']:,} values ({report['missing_share']:.1%})" if report["missing"] else "no values"
    lines = [f"{report['rows']:,} rows and {len(report['columns']):,} columns; {missing} missing.", ""]
    rows = [
        [
            plain(one["name"]) + (f" ({one['role']})" if one["role"] != "predictor" else ""),
            one["kind"],
            f"{one['missing']:,}",
            f"{one['distinct']:,}",
            _values(one),
        ]
        for one in report["columns"][:MOST_ROWS]
    ]
    lines += table(["column", "kind", "missing", "distinct", "values"], rows, "llrrl")
    lines += _more(len(report["columns"]), "columns")
    if report["classes"]:
        shares = [
            [plain(one["label"]), f"{one['rows']:,}", f"{one['share']:.1%}"] for one in report["classes"][:MOST_ROWS]
        ]
        lines += ["", *table(["class", "rows", "share"], shares, "lrr"), *_more(len(report["classes"]), "classes")]
    return lines


def _values(one: Report) -> str:
    if one["kind"] == "numeric":
        if "earliest" in one:
            return f"{one['earliest'][:10]} to {one['latest'][:10]}"
        return f"{short(one['min'])} to {short(one['max'])}, median {short(one['median'])}, mean {short(one['mean'])}"
    if one["kind"] == "nominal":
        levels = [f"{plain(level['level'])} {level['rows']:,}" for level in one["levels"][:6]]
        more = one["n_levels"] - len(levels)
        return ", ".join([*levels, *([f"{more:,} more"] if more > 0 else [])])
    unit = "bytes" if one["kind"] == "text" else "rows"
    return f"{short(one[f'mean_{unit}'])} {unit} on average, {one[f'max_{unit}']:,} at most"


def _model(report: Report) -> list[str]:
    size = "" if report["size"] is None else f", size {report['size']:,}"
    lead = f"{report['learner'] or report['kind']}, learned from {report['rows']:,} rows{size}."
    return [plain(lead), "", *block(report["text"])]


def _evaluation(report: Report) -> list[str]:
    seed = "" if report["seed"] is None else f", seed {report['seed']}"
    lines = [plain(f"{report['rows']:,} rows tested: {report['method']}{seed}."), ""]
    if report.get("answered") is not None:
        lines += [f"**{plain(answered_text(report))}.**", ""]
    shares, base = bool(report["labels"]), report["baseline"]
    head = ["measure", plain(report["learner"] or "model"), "95% interval"]
    head += [plain(base), "difference", "95% interval"] if base is not None else []
    rows = []
    for one in report["measures"]:
        row = [plain(one["title"]), *_estimate(one["value"], shares)]
        if base is not None:
            row += [_estimate(one["baseline"], shares)[0], *_estimate(one["difference"], shares, plus=True)]
        rows.append(row)
    lines += table(head, rows, "lrl" + "rrl" * (base is not None))
    return [*lines, *_classes(report)] if shares else lines


def _estimate(found: Report, shares: bool, plus: bool = False) -> tuple[str, str]:
    draw = fixed if shares else digits
    value = draw(found["value"], 4, plus)
    if math.isnan(found["low"]):
        return value, ""
    return value, f"{draw(found['low'], 3, plus)} to {draw(found['high'], 3, plus)}"


def _classes(report: Report) -> list[str]:
    keys = ("recall", "precision", "f1", "auc")
    rows = [
        [plain(one["label"]), count(one["weight"]), *(fixed(one[key]["value"], 3) for key in keys)]
        for one in report["by_class"][:MOST_ROWS]
    ]
    lines = ["", "### By class", "", *table(["class", "rows", "recall", "precision", "F1", "AUC"], rows, "lrrrrr")]
    lines += _more(len(report["by_class"]), "classes")
    labels, counts = report["confusion"]["labels"], report["confusion"]["counts"]
    if len(labels) <= 20:
        cells = [[plain(label), *map(count, row)] for label, row in zip(labels, counts, strict=True)]
        head = ["actual \\\\ predicted", *map(plain, labels)]
        if (unanswered := report["confusion"].get("unanswered")) is not None:
            head, cells = [*head, "no answer"], [[*row, count(n)] for row, n in zip(cells, unanswered, strict=True)]
        return [*lines, "", "### Confusion matrix", "", *table(head, cells, "l" + "r" * (len(head) - 1))]
    rows = [
        [plain(one["actual"]), plain(one["predicted"]), count(one["weight"]), f"{one['share']:.1%}"]
        for one in report["confusions"]
    ]
    head = ["actual", "taken for", "rows", "of the class"]
    return [*lines, "", "### Most frequent confusions", "", *table(head, rows, "llrr")]


def _curves(curves: Report) -> list[str]:
    if not curves["classes"]:
        return []
    rows = [
        [
            plain(one["label"]),
            fixed(one["area"], 3),
            fixed(one["average_precision"], 3),
            *(f"{one['lift'][part - 1]['found']:.1%}" if one["lift"] else "?" for part in (1, 2, 5)),
        ]
        for one in curves["classes"]
    ]
    head = ["class", "area under ROC", "average precision", "found in first 10%", "in first 20%", "in first half"]
    return ["### Ranking", "", *table(head, rows, "lrrrrr")]


def _learning(report: Report) -> list[str]:
    plain_values = learning_values(report)
    series = plain_values["series"]
    head = [plain(plain_values["x_title"]), *(plain(one["name"]) for one in series)]
    rows = [
        [plain(place), *(fixed(one["y"][number], 4) for one in series)]
        for number, place in enumerate(places(plain_values))
    ]
    return [
        f"{plain(plain_values['title'])}: {plain(plain_values['y_title'])}.",
        "",
        *table(head, rows, "r" * len(head)),
    ]


def _comparison(report: Report) -> list[str]:
    sets = comparison_values(report)
    names = [plain(one["name"]) for one in sets[0]["learners"]] if sets else []
    rows = [[plain(one["name"] or "all rows"), *map(_cell, one["learners"])] for one in sets]
    measure = plain(str(report.get("title") or report.get("measure") or "error rate"))
    return [f"{measure}, means.", "", *table(["data", *names], rows, "l" + "r" * len(names))]


def _cell(cell: Report) -> str:
    return f"{fixed(cell['value'], 4)} {plain(cell.get('mark', ''))}".rstrip()


def _more(n: int, what: str) -> list[str]:
    return ["", f"{n - MOST_ROWS:,} more {what}; the JSON report has them all."] if n > MOST_ROWS else []
