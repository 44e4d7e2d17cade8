"""The text form of rules: a line a rule with its figures, or a card a rule with training and unseen rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from hedgerow.layout.cell_width import count_cells
from hedgerow.layout.numbers import format_fixed, format_weight
from hedgerow.layout.rule_folding import fold_rule
from hedgerow.layout.terminal import clean_text
from hedgerow.layout.text_table import align_columns
from hedgerow.layout.wrapping import wrap_text
from hedgerow.report.evaluation.evaluation_text import parameter_lines

Report = Mapping[str, Any]
HEAD = ["#", "n", "errors", "support", "confidence", "lift", "length", "rule"]
CARD_HEAD = ["", "rows", "coverage", "95 %", "precision", "95 %", ""]
IN_MODEL = {
    "same": "in the model too",
    "alike": "one alike is in the model",
    "columns": "in the model other tests of the same columns",
    "none": "not in the model",
}


def rules_lines(report: Report, columns: int) -> list[str]:
    """Return the lines of rules."""
    lines = [*wrap_text(title_of_rules(report), columns), *parameter_lines(report, columns)]
    lines += ["", *wrap_text(report["reading"], columns)]
    cards = report["cards"]
    if cards is not None:
        lines += [*wrap_text(cards["told"], columns)]
    if not report["rules"]:
        return [*lines, "", "No rule is left by these filters."]
    if cards is None:
        return [*lines, "", *_listed(report)]
    return [*lines, "", *_cards(report), *_others(report, columns)]


def title_of_rules(report: Report) -> str:
    """Return what rules these are, and how many of them are shown."""
    told = report["cards"]
    learner = report["learner"] or report["kind"]
    title = f"{learner} for {clean_text(report['target'])}: {how_many(report)}"
    if report["rows"] and (told is None or told["way"] != "holdout"):
        title += f", learned from {report['rows']:,} row{'' if report['rows'] == 1 else 's'}"
    if told is not None:
        title += f"; {told['method']}" + ("" if told["seed"] is None else f", seed {told['seed']}")
    return title


def how_many(report: Report) -> str:
    """Return how many rules, or paths, there are and are shown."""
    n, word = report["n_rules"], "path" if report["order"] == "paths" else "rule"
    many = f"{n:,} {word}{'' if n == 1 else 's'}"
    if not report["hidden"]:
        return f"{many} and a default" if report["has_default"] else many
    shown = sum(not rule["default"] for rule in report["rules"])
    return f"{shown:,} of {many}" + (" and the default" if shown < len(report["rules"]) else "")


def shares(found: Report, digits: int = 1) -> tuple[str, str]:
    """Return an estimated share in percent, and the ends of its interval; nothing where it is undefined."""
    value = found["value"]
    if value is None or math.isnan(value):
        return "", ""
    ends = f"{100 * found['low']:.{digits}f}-{100 * found['high']:.{digits}f}" if not math.isnan(found["low"]) else ""
    return f"{value:.{digits}%}", ends


def rows_of(told: Report) -> str:
    """Return the weight covered and that of all rows; fractions of rows that add up to whole ones are not shown."""
    near = {key: round(told[key]) for key in ("covered", "of")}
    covered, of = (near[key] if abs(told[key] - near[key]) <= 1e-5 * near[key] else told[key] for key in near)
    return f"{format_weight(covered)} of {format_weight(of)}"


def found_again(rule: Report) -> str:
    """Return in words where a rule was found again."""
    if "in_model" in rule:
        return IN_MODEL[rule["in_model"]]
    found = rule.get("found")
    if found is None:
        return ""
    names = {"same": "the same", "alike": "alike", "columns": "same columns"}
    parts = [f"{words} {found[key]}" for key, words in names.items() if found[key]]
    return f"{', '.join(parts)} of {found['of']}" if parts else f"none of {found['of']}"


def _listed(report: Report) -> list[str]:
    """Return a line a rule; if they do not fit the terminal, each rule stands below its figures."""
    columns = _room(report)
    rows = [
        [
            "*" if rule["default"] else str(rule["number"]),
            format_weight(rule["n"]),
            "?" if math.isnan(rule["errors"]) else format_weight(rule["errors"]),
            _percent(rule["support"]),
            _percent(rule["confidence"]),
            format_fixed(rule["lift"], 2),
            str(rule["length"]),
            clean_text(rule["rule"]),
        ]
        for rule in report["rules"]
    ]
    table = align_columns([HEAD, *rows], "rrrrrrrl")
    if max(map(count_cells, table)) <= columns:
        return [*table, *_star(report)]
    head, *figures = align_columns([row[:-1] for row in (HEAD, *rows)], "rrrrrrr")
    indent = " " * (max(len(row[0]) for row in rows) + 2)
    return [
        head,
        *(
            line
            for shown, row in zip(figures, rows, strict=True)
            for line in (shown, *fold_rule(row[-1], columns, indent))
        ),
        *_star(report),
    ]


def _star(report: Report) -> list[str]:
    return ["* the default"] if any(rule["default"] for rule in report["rules"]) else []


def _percent(share: float) -> str:
    return "?" if share is None or math.isnan(share) else f"{share:.1%}"


def _room(report: Report) -> float:
    """Return how wide rules may be: as the terminal is; elsewhere a rule is a line, however long."""
    return float(report.get("folded", math.inf))


def _cards(report: Report) -> list[str]:
    """Return a card a rule; if its lines do not fit the terminal, the last column stands below the figures."""
    columns = _room(report)
    in_folds = report["cards"]["way"] == "folds"
    rows = [[*CARD_HEAD[:-1], "found again in folds" if in_folds else ""]]
    for rule in report["rules"]:
        rows.append(["training", *_tally(rule["training"]), ""])
        rows.append(["unseen", *_tally(rule["unseen"]), found_again(rule)])
    drawn = align_columns(rows, "lrrlrll", indent="   ")
    fits = max(map(count_cells, drawn)) <= columns
    if not fits:
        drawn = align_columns([row[:-1] for row in rows], "lrrlrl", indent="   ")
    lines = [drawn[0]]
    for place, rule in enumerate(report["rules"]):
        number = "*" if rule["default"] else str(rule["number"])
        first, *more = fold_rule(clean_text(rule["rule"]), columns, "   ")
        lines += ["", f"{number:<2} {first[3:]}", *more, *drawn[2 * place + 1 : 2 * place + 3]]
        if not fits and found_again(rule):
            below = f"found again in folds: {found_again(rule)}" if in_folds else found_again(rule)
            lines += wrap_text(below, int(columns), "   ")
    return [*lines, "", *_star(report)]


def _tally(told: Report) -> list[str]:
    if not told["of"]:
        return ["?", "", "", "", ""]
    return [rows_of(told), *shares(told["coverage"]), *shares(told["precision"])]


def _others(report: Report, columns: int) -> list[str]:
    sentence = others_sentence(report["cards"])
    return wrap_text(sentence, columns) if sentence else []


def others_sentence(cards: Report) -> str:
    """Return what the rules of folds that are none of the model's come to."""
    others = cards["others"]
    if not others or not others["rules"]:
        return ""
    value, ends = shares(others["precision"])
    right = f"; {value} of the rows that they covered were of their class" if value else ""
    return (
        f"On average {others['rules']:.1f} rules of a fold are none of these{right}{f' (95 % {ends})' if ends else ''}."
    )
