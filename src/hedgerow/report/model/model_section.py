"""The section on a model: its training, a picture of a tree, rules, terms or coefficients, its printed form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, cast

from hedgerow.report import blocks as b
from hedgerow.report.draw.svg import size_of
from hedgerow.report.linear.coefficient_charts import coefficients_block
from hedgerow.report.linear.terms_block import terms_block
from hedgerow.report.rules.rules_section import rules_blocks
from hedgerow.report.schema import ModelReport, RulesPart

PAPER = 700.0, 900.0  # pixels of a printed page, its margins left out
RULE_KINDS = ("rules", "rule_set", "rule_vote")


def model_section(report: ModelReport, colored: Sequence[str] = ()) -> b.Section:
    """Return the section on a model; `colored` are the classes with their own color, in order."""
    return b.Section("model", "Model", (model_lead(report), *model_blocks(report, colored or report["labels"])))


def model_lead(report: ModelReport) -> b.Lead:
    """Return the learner that trained the model, and the number of training rows."""
    size = "" if report["size"] is None else f", size {report['size']}"
    rows = f"{report['rows']} row{'' if report['rows'] == 1 else 's'}"
    learned = f"trained on {rows}{size}" if report["rows"] or report["learner"] else size.removeprefix(", ")
    target = f" for {report['target']}" if report["target"] else ""
    title = f"{report['learner'] or report['kind']}{target}: {learned}"
    return b.Lead(title, (), report["changed"], report["parameters"])


def model_blocks(report: ModelReport, colored: Sequence[str]) -> list[b.Block]:
    """Return the model itself: its printed form, and pictures for pages."""
    if report.get("only_terms"):
        return [terms_block(report["terms"], colored)]
    if "picture" in report:
        return [*_drawn(report), _printed(report, "Tree as text"), *_paths(report, colored)]
    if "n_rules" in report:
        return [*_rules(report, colored), _printed(report, "Rules as text")]
    if "coefficients" in report:
        terms = _terms(report, colored, "Most informative terms by class")
        return [coefficients_block(report["coefficients"]), _printed(report), *terms]
    if "terms" in report:
        return [*_terms(report, colored, ""), _printed(report, "Model as text")]
    return [_printed(report)]


def _printed(report: ModelReport, folded: str = "") -> b.Printed:
    broken: Literal["", "rules", "terms"] = (
        "rules" if report["kind"] in RULE_KINDS else "terms" if "terms" in report else ""
    )
    return b.Printed(report["text"], folded, broken)


def _terms(report: ModelReport, colored: Sequence[str], folded: str) -> list[b.Block]:
    """Return the terms, which a page shows in addition to the printed form."""
    return [b.Details(folded, (terms_block(report["terms"], colored),))] if "terms" in report else []


def _drawn(report: ModelReport) -> list[b.Block]:
    """Return the picture of a tree; on paper, text replaces one longer than a page, which browsers cannot break."""
    width, height = size_of(report["picture"])
    note = report.get("picture_note", "")
    if height * min(1.0, PAPER[0] / width) <= PAPER[1]:
        return [b.Charts((b.Chart(report["picture"], note, "wide"),))]
    return [b.Charts((b.Chart(report["picture"], note, "wide tall"),)), b.Printed(report["text"], on_paper=True)]


def _paths(report: ModelReport, colored: Sequence[str]) -> list[b.Block]:
    """Return the paths of a tree as rules; expanded if they have rule cards."""
    if "n_rules" not in report:
        return []
    blocks, title = rules_blocks(cast("RulesPart", report), colored), "Paths of the tree as rules"
    return [b.Heading(title), *blocks] if report["cards"] is not None else [b.Details(title, tuple(blocks))]


def _rules(report: ModelReport, colored: Sequence[str]) -> list[b.Block]:
    """Return the rules as a table; expanded if they have rule cards."""
    blocks = rules_blocks(cast("RulesPart", report), colored)
    return blocks if report["cards"] is not None else [b.Details("", tuple(blocks))]
