"""The section on rules: one row per rule with its statistics, or with rule cards those on training and unseen rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hedgerow.layout.numbers import format_count, format_counted, format_fixed, format_share, format_weight
from hedgerow.report import blocks as b
from hedgerow.report.draw.svg import GRAY_HUE
from hedgerow.report.figures import headline, is_known, share_figure
from hedgerow.report.schema import CardsPart, RuleReport, RulesPart, RulesReport, TallyReport

IN_MODEL = {
    "same": "in the model too",
    "alike": "a similar rule is in the model",
    "columns": "a rule with other tests of the same columns is in the model",
    "none": "not in the model",
}
FOUND = {"folds": "found in folds", "holdout": "in the model"}  # of a way to test rules: title of the last column
KEY = (
    "The length of a coverage bar is the share of the rows, relative to the largest; that of a precision bar is the "
    "share of the covered rows that are in the rule's class. The line across a bar is a 95 % interval (Wilson's)."
)


def rules_section(report: RulesReport) -> b.Section:
    """Return a report on rules as a section."""
    warning = headline(report["cards"])
    lead = b.Lead(title_of_rules(report), (), report["changed"], report["parameters"], warning)
    return b.Section("rules", "Rules", (lead, *rules_blocks(report, report["labels"])))


def rules_blocks(report: RulesPart, colored: Sequence[str]) -> list[b.Block]:
    """Return the table of rules and its explanation; `colored` are the classes with their own color, in order."""
    cards = report["cards"]
    told = b.Paragraph((report["reading"], *([cards["told"]] if cards is not None else [])))
    if not report["rules"]:
        return [told, b.Paragraph(("No rule passes these filters.",))]
    key = b.Details("", (b.Paragraph((KEY,), soft=True),))
    hidden = report["hidden"]
    more = "filters" not in report and hidden > 0  # without filters the last rule is shown, whatever is left out
    left = [b.Paragraph((f"{format_count(hidden)} more before the last one",), soft=True)] if more else []
    if cards is None:
        return [told, key, _listed(report, colored), *left]
    return [told, key, _with_cards(report, cards, colored), *left]


# -- words ----------------------------------------------------------------------------------------------------


def title_of_rules(report: RulesReport) -> str:
    """Return the title: the model, and the number of rules shown."""
    told = report["cards"]
    title = f"{report['learner'] or report['kind']} for {report['target']}: {how_many(report)}"
    if report["rows"] and (told is None or told["way"] != "holdout"):
        title += f", trained on {format_counted(report['rows'], 'row')}"
    if told is not None:
        title += f"; {told['method']}" + ("" if told["seed"] is None else f", seed {told['seed']}")
    return title


def how_many(report: RulesPart) -> str:
    """Return the number of rules or paths, and of those shown."""
    n = report["n_rules"]
    many = format_counted(n, "path" if report["order"] == "paths" else "rule")
    if not report["hidden"]:
        return f"{many} and a default" if report["has_default"] else many
    shown = sum(not rule["default"] for rule in report["rules"])
    return f"{format_count(shown)} of {many}" + (" and the default" if shown < len(report["rules"]) else "")


def rows_of(told: TallyReport) -> str:
    """Return the covered and the total weight; sums that are whole up to rounding are shown as whole numbers."""
    return f"{format_weight(_near(told['covered']))} of {format_weight(_near(told['of']))}"


def _near(weight: float) -> float:
    near = round(weight)
    return near if abs(weight - near) <= 1e-5 * near else weight


def found_again(rule: RuleReport) -> str:
    """Return in words in which folds a rule was found."""
    if "in_model" in rule:
        return IN_MODEL[rule["in_model"]]
    if "found" not in rule:
        return ""
    found = rule["found"]
    counts = {"the same": found["same"], "alike": found["alike"], "same columns": found["columns"]}
    parts = [f"{words} {n}" for words, n in counts.items() if n]
    return f"{', '.join(parts)} of {found['of']}" if parts else f"none of {found['of']}"


def others_sentence(cards: CardsPart) -> str:
    """Return a sentence on the rules of folds that are not similar to rules of the model."""
    others = cards["others"]
    if not others or not others["rules"]:
        return ""
    precision = share_figure(others["precision"])
    right = f"; {precision.value} of the rows that they covered were in their class" if precision.value else ""
    ends = f" (95 % {precision.low}-{precision.high})" if precision.low else ""
    return (
        f"On average, {format_fixed(others['rules'], 1)} rules per fold are not similar to any of these{right}{ends}."
    )


# -- tables ---------------------------------------------------------------------------------------------------


def _rule(rule: RuleReport, colored: Sequence[str]) -> b.RuleCell:
    return b.RuleCell(rule["rule"], tuple(rule["conditions"]), rule["text"], _hue(rule, colored))


def _hue(rule: RuleReport, colored: Sequence[str]) -> int:
    return min(colored.index(rule["label"]), GRAY_HUE) if rule["label"] in colored else GRAY_HUE


def _number(rule: RuleReport) -> str:
    return "*" if rule["default"] else str(rule["number"])


def _star(report: RulesPart) -> str:
    return "* default" if any(rule["default"] for rule in report["rules"]) else ""


def _listed(report: RulesPart, colored: Sequence[str]) -> b.TableBlock:
    """Return one row per rule."""
    most = max(_known(rule["support"]) for rule in report["rules"])
    titles = ("n", "errors", "support", "confidence", "lift", "length")
    columns = (b.TableColumn("#", "r"), b.TableColumn("rule"), *(b.TableColumn(title, "r") for title in titles))
    rows = tuple(_line(rule, colored, most) for rule in report["rules"])
    label = f"{how_many(report)}, on the training rows"
    return b.TableBlock(columns, rows, label=label, fit="fold", note=_star(report), most=len(rows))


def _line(rule: RuleReport, colored: Sequence[str], most: float) -> b.Row:
    hue, support = _hue(rule, colored), rule["support"]
    bar = b.Bar(_known(support) / most if most else 0.0, hue=hue)
    confidence, precision = rule["confidence"], share_figure(rule["training"]["precision"], hue)
    agrees = is_known(confidence) and math.isclose(confidence, rule["training"]["precision"]["value"], rel_tol=1e-9)
    return (
        _number(rule),
        _rule(rule, colored),
        format_weight(rule["n"]),
        format_weight(rule["errors"]) if is_known(rule["errors"]) else "?",
        b.Figure(format_share(support), bar=bar),
        precision if agrees else b.Figure(format_share(confidence)),
        format_fixed(rule["lift"], 2),
        str(rule["length"]),
    )


def _with_cards(report: RulesPart, cards: CardsPart, colored: Sequence[str]) -> b.GroupedTable:
    """Return the statistics of each rule on training and unseen rows."""
    tallies = [one for rule in report["rules"] for one in (rule["training"], rule["unseen"])]
    most = max(_known(one["coverage"]["value"]) for one in tallies)
    columns = [
        b.TableColumn(""),
        b.TableColumn("rows", "r"),
        *(b.TableColumn(one, "r", "beside") for one in ("coverage", "precision")),
    ]
    columns.append(b.TableColumn(FOUND["folds"] if cards["way"] == "folds" else ""))
    groups = tuple(_group(rule, cards, colored, most) for rule in report["rules"])
    label = f"{how_many(report)}; {cards['method']}"
    notes = tuple(filter(None, (_star(report), others_sentence(cards))))
    return b.GroupedTable(("#", "rule"), tuple(columns), groups, label, notes)


def _group(rule: RuleReport, cards: CardsPart, colored: Sequence[str], most: float) -> b.Group:
    hue, again = _hue(rule, colored), found_again(rule)
    rows = (
        ("training", *_tally(rule["training"], hue, most), ""),
        ("given" if headline(cards) else "unseen", *_tally(rule["unseen"], hue, most), again),
    )
    below = f"{FOUND['folds']}: {again}" if again and cards["way"] == "folds" else again
    return b.Group(_number(rule), _rule(rule, colored), rows, below=below)


def _tally(told: TallyReport, hue: int, most: float) -> tuple[b.Cell, ...]:
    if not told["of"]:
        return "?", "", ""
    return rows_of(told), share_figure(told["coverage"], hue, most), share_figure(told["precision"], hue)


def _known(value: float | None) -> float:
    return value if value is not None and not math.isnan(value) else 0.0
