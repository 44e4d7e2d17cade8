"""Reports as Markdown that GitHub, GitLab and notebooks show: headings, tables, the model in a block of code."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hedgerow.layout.bars import draw_bar
from hedgerow.layout.numbers import format_digits, format_fixed, format_short, format_weight
from hedgerow.layout.terminal import clean_text
from hedgerow.report.associations.associations_text import left_out as rules_left_out
from hedgerow.report.associations.associations_text import lift_text, percent, recommended, searched, sentences
from hedgerow.report.comparison.curve_sections import comparison_values, learning_values
from hedgerow.report.comparison.html_learning import places
from hedgerow.report.evaluation.evaluation_text import OF_CLASS, answered_text, right_and_wrong, rows_tested, unit
from hedgerow.report.explanations.explanations_text import explanations_lines
from hedgerow.report.rules.rules_text import found_again, others_sentence, rows_of, shares, title_of_rules
from hedgerow.report.whole.html import TITLES, file_name, full_stop, parts_of, sentence, title_of
from hedgerow.report.whole.text import render

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
        "rules": _rules_alone,
        "associations": _associations,
        "recommendations": _recommendations,
        "explanations": _explanations,
        "clusters": _clusters,
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
    return _SPECIAL.sub(r"\\\1", clean_text(" ".join(text.split())))


def table(head: Sequence[str], rows: Iterable[Sequence[str]], sides: str) -> list[str]:
    """Return a table of cells that are Markdown already; `sides` is l or r each."""
    under = ["---:" if side == "r" else ":---" for side in sides]
    return [f"| {' | '.join(row)} |" for row in (head, under, *rows)]


def block(text: str) -> list[str]:
    """Return text as a block of code, whose fence is longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *(clean_text(line) for line in text.rstrip("\n").split("\n")), fence]


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
        low, high, median, mean = (format_short(one[key]) for key in ("min", "max", "median", "mean"))
        return f"{low} to {high}, median {median}, mean {mean}"
    if one["kind"] == "nominal":
        levels = [f"{plain(level['level'])} {level['rows']:,}" for level in one["levels"][:6]]
        more = one["n_levels"] - len(levels)
        return ", ".join([*levels, *([f"{more:,} more"] if more > 0 else [])])
    unit = "bytes" if one["kind"] == "text" else "rows"
    return f"{format_short(one[f'mean_{unit}'])} {unit} on average, {one[f'max_{unit}']:,} at most"


def _model(report: Report) -> list[str]:
    size = "" if report["size"] is None else f", size {report['size']:,}"
    lead = f"{report['learner'] or report['kind']}, learned from {report['rows']:,} rows{size}."
    cards = ["", *_rules(report)] if report.get("cards") else []
    return [plain(lead), "", *block(report["text"]), *cards]


def _rules(report: Report) -> list[str]:
    """Return the rules as a table, with cards two lines a rule: training rows and unseen ones."""
    cards = report["cards"]
    told = [report["reading"], cards["told"], others_sentence(cards)] if cards else [report["reading"]]
    lines = [plain(" ".join(filter(None, told))), ""]
    rows = []
    for rule in report["rules"]:
        for kind in ("training", "unseen"):
            if kind in rule:
                first = kind == "training"
                name = [str(rule["number"]), plain(rule["rule"])] if first else ["", found_words(rule)]
                rows.append([*name, kind, *_tally(rule[kind])])
    head = ["#", "rule", "rows", "coverage", "", "precision", "95% interval"]
    hidden = report["hidden"]
    return [*lines, *table(head, rows, "rllllll"), *(["", f"{hidden:,} more rules."] if hidden else [])]


def _rules_alone(report: Report) -> list[str]:
    return [plain(title_of_rules(report)) + ".", "", *_rules(report)]


def _clusters(report: Report) -> list[str]:
    return block(render({**report, "notes": []}))


def _associations(report: Report) -> list[str]:
    told = sentences(report)
    lines = [plain(searched(report)) + ".", "", *(f"- {plain(one)}" for one in told), ""]
    if report["kind"] == "association_rules":
        rows = [
            [
                str(rule["number"]),
                plain(rule["rule"]),
                format_weight(rule["count"]),
                percent(rule["support"]),
                percent(rule["confidence"]),
                lift_text(rule["lift"]),
            ]
            for rule in report["rules"]
        ]
        lines += table(["#", "rule", "count", "support", "confidence", "lift"], rows, "rlrrrr") if rows else []
    else:
        rows = [
            [plain(one["set"]), str(one["size"]), format_weight(one["count"]), percent(one["support"])]
            for one in report["sets"]
        ]
        lines += table(["item set", "size", "count", "support"], rows, "lrrr") if rows else []
    return [*lines, *(["", f"And {plain(rules_left_out(report))}."] if report["hidden"] else [])]


def _explanations(report: Report) -> list[str]:
    return block("\n".join(explanations_lines(report, 100)))


def _recommendations(report: Report) -> list[str]:
    rows = [
        [
            str(basket["number"]),
            plain(basket["items"]),
            plain(offer["item"]),
            percent(offer["confidence"]),
            lift_text(offer["lift"]),
            plain(offer["rule"]),
        ]
        for basket in report["baskets"]
        for offer in basket["offers"]
    ]
    head = ["#", "basket", "offer", "confidence", "lift", "because of"]
    return [plain(recommended(report)), "", *(table(head, rows, "rllrrl") if rows else [])]


def found_words(rule: Report) -> str:
    """Return where a rule was found again, as it stands below the rule."""
    found = found_again(rule)
    return f"*{plain(found)}*" if found else ""


def _tally(told: Report) -> list[str]:
    if not told["of"]:
        return ["not known", "", "", ""]
    (coverage, _), (precision, ends) = shares(told["coverage"]), shares(told["precision"])
    covered = f"{draw_bar(told['coverage']['value'], 8)} {coverage}".lstrip()
    right = f"{draw_bar(told['precision']['value'], 8)} {precision}".lstrip() if precision else ""
    return [covered, rows_of(told), right, ends]


def _evaluation(report: Report) -> list[str]:
    seed = "" if report["seed"] is None else f", seed {report['seed']}"
    lines = [plain(f"{rows_tested(report, thousands=True)}: {report['method']}{seed}."), ""]
    if report["labels"]:
        on_average = " on average over the runs" if report["runs"] > 1 else ""
        lines += [plain(f"{right_and_wrong(report)}{on_average}."), ""]
    if report.get("answered") is not None:
        lines += [f"**{plain(answered_text(report))}.**", ""]
    shares, base = bool(report["labels"]), report["baseline"]
    head = ["measure", plain(report["learner"] or "model"), "95% interval"]
    head += [plain(base), "95% interval", "difference", "95% interval"] if base is not None else []
    rows = []
    for one in report["measures"]:
        row = [plain(one["title"]), *_estimate(one["value"], shares)]
        if base is not None:
            row += [*_estimate(one["baseline"], shares), *_estimate(one["difference"], shares, plus=True)]
        rows.append(row)
    lines += table(head, rows, "lrl" + "rlrl" * (base is not None))
    return [*lines, *_classes(report)] if shares else lines


def _estimate(found: Report, shares: bool, plus: bool = False) -> tuple[str, str]:
    draw = format_fixed if shares else format_digits
    value = draw(found["value"], 4, plus)
    if math.isnan(found["low"]):
        return value, ""
    return value, f"{draw(found['low'], 3, plus)} to {draw(found['high'], 3, plus)}"


def _classes(report: Report) -> list[str]:
    lines = [
        "",
        "### By class",
        "",
        "With 95% intervals.",
        "",
        *_by_class(report),
        *_more(len(report["by_class"]), "classes"),
    ]
    labels, counts = report["confusion"]["labels"], report["confusion"]["counts"]
    if len(labels) <= 20:
        cells = [[plain(label), *map(format_weight, row)] for label, row in zip(labels, counts, strict=True)]
        head = ["actual \\\\ predicted", *map(plain, labels)]
        if (unanswered := report["confusion"].get("unanswered")) is not None:
            head, cells = (
                [*head, "no answer"],
                [[*row, format_weight(n)] for row, n in zip(cells, unanswered, strict=True)],
            )
        return [*lines, "", "### Confusion matrix", "", *table(head, cells, "l" + "r" * (len(head) - 1))]
    rows = [
        [plain(one["actual"]), plain(one["predicted"]), format_weight(one["weight"]), f"{one['share']:.1%}"]
        for one in report["confusions"]
    ]
    head = ["actual", "taken for", unit(report), "of the class"]
    return [*lines, "", "### Most frequent confusions", "", *table(head, rows, "llrr")]


def _by_class(report: Report) -> list[str]:
    rows = [
        [plain(one["label"]), format_weight(one["weight"]), *(_with_ends(one[key]) for key in OF_CLASS)]
        for one in report["by_class"][:MOST_ROWS]
    ]
    return table(["class", unit(report), *OF_CLASS.values()], rows, "lr" + "l" * len(OF_CLASS))


def _with_ends(found: Report, digits_shown: int = 3) -> str:
    """Return a figure and, in brackets, its interval."""
    value, low = format_fixed(found["value"], digits_shown), found.get("low")
    if low is None or math.isnan(low):
        return value
    return f"{value} ({format_fixed(low, digits_shown - 1)} to {format_fixed(found['high'], digits_shown - 1)})"


def _curves(curves: Report) -> list[str]:
    if not curves["classes"]:
        return []
    rows = [
        [
            plain(one["label"]),
            *(f"{one['lift'][part - 1]['found']:.1%}" if one["lift"] else "?" for part in (1, 2, 5)),
        ]
        for one in curves["classes"]
    ]
    head = ["class", "found in the first 10%", "in the first 20%", "in the first half"]
    return ["### Gains: the most probable rows first", "", *table(head, rows, "lrrr")]


def _learning(report: Report) -> list[str]:
    plain_values = learning_values(report)
    series = plain_values["series"]
    head = [plain(plain_values["x_title"]), *(plain(one["name"]) for one in series)]
    rows = [
        [plain(place), *(_with_ends(_point(one, number), 4) for one in series)]
        for number, place in enumerate(places(plain_values))
    ]
    return [
        f"{plain(plain_values['title'])}: {plain(plain_values['y_title'])}.",
        "",
        *table(head, rows, "r" * len(head)),
    ]


def _point(series: Report, number: int) -> Report:
    ends = {end: series[end][number] for end in ("low", "high") if len(series.get(end) or ())}
    return {"value": series["y"][number], **ends}


def _comparison(report: Report) -> list[str]:
    sets = comparison_values(report)
    names = [plain(one["name"]) for one in sets[0]["learners"]] if sets else []
    rows = [[plain(one["name"] or "all rows"), *map(_cell, one["learners"])] for one in sets]
    measure = plain(str(report.get("title") or report.get("measure") or "error rate"))
    return [f"{measure}, means with 95% intervals.", "", *table(["data", *names], rows, "l" + "r" * len(names))]


def _cell(cell: Report) -> str:
    return f"{_with_ends(cell, 4)} {plain(cell.get('mark', ''))}".rstrip()


def _more(n: int, what: str) -> list[str]:
    return ["", f"{n - MOST_ROWS:,} more {what}; the JSON report has them all."] if n > MOST_ROWS else []
