"""Reports as plain text: aligned tables, intervals beside estimates, nothing wider than asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hedgerow.errors import UsageError
from hedgerow.layout.terminal import clean_text
from hedgerow.layout.text_table import align_columns
from hedgerow.layout.wrapping import drop_repeated_notes, list_sentences, wrap_text
from hedgerow.report.associations.associations_text import associations_lines, recommendations_lines
from hedgerow.report.clusters.clusters import clusters_lines
from hedgerow.report.comparison.comparison_text import comparison_lines
from hedgerow.report.comparison.contest import league_lines
from hedgerow.report.comparison.curve import curve_lines
from hedgerow.report.data.data_text import data_lines
from hedgerow.report.evaluation.evaluation_text import evaluation_lines, parameter_lines
from hedgerow.report.explanations.explanations_text import explanations_lines
from hedgerow.report.linear.telling_terms import terms_lines
from hedgerow.report.rules.rules_text import rules_lines

LEARNER_HINT = "`hedgerow learners NAME` tells more of one, and its parameters."


MOST_LINES = 1000  # of a model of all rules, after training


def render(report: Mapping[str, Any], columns: int = 100) -> str:
    """Return any report as text whose lines take at most `columns` cells (a model's own print excepted)."""
    renderers = {
        "clusters": clusters_lines,
        "comparison": comparison_lines,
        "data": data_lines,
        "evaluation": evaluation_lines,
        "league": league_lines,
        "model": model_lines,
        "training": training_lines,
        "full": full_lines,
        "learners": learner_lines,
        "curve": curve_lines,
        "rules": rules_lines,
        "associations": associations_lines,
        "recommendations": recommendations_lines,
        "explanations": explanations_lines,
    }
    kind = report.get("report")
    if kind not in renderers:
        raise UsageError(f"there is no text form of a report of kind {kind!r}")
    lines = renderers[kind](report, columns)
    if report.get("notes"):
        lines += ["", "Note", *list_sentences(report["notes"], columns)]
    return "\n".join(lines) + "\n"


def model_lines(report: Mapping[str, Any], columns: int) -> list[str]:
    """Return a model's printed form under a line that says where it comes from."""
    learner = report["learner"] or report["kind"]
    size = "" if report["size"] is None else f", size {report['size']}"
    rows = f"{report['rows']} row{'' if report['rows'] == 1 else 's'}"
    learned = f"learned from {rows}{size}" if report["rows"] or report["learner"] else size.removeprefix(", ")
    target = f" for {clean_text(report['target'])}" if report["target"] else ""
    title = f"{learner}{target}: {learned}"
    shown = terms_lines(report["terms"], columns) if report.get("only_terms") else [report["text"]]
    return [*wrap_text(title, columns), *parameter_lines(report, columns), "", *shown]


def training_lines(report: Mapping[str, Any], columns: int) -> list[str]:
    """Return a model, how it fared in the test, what to know of both, and where the model was saved."""
    parts = [report[name] for name in ("league", "model", "evaluation") if name in report]
    lines: list[str] = ["Work", "", report["work"]] if "work" in report else []
    for part in parts:
        lines += [*(["", ""] if lines else []), *_lines({**_begun(part), "notes": []}, columns)]
    told = [*report["data_notes"], *(note for part in parts for note in part["notes"])]
    if told:
        lines += ["", "Note", *list_sentences(drop_repeated_notes(told), columns)]
    if "file" in report["model"]:
        lines += ["", f"The model is saved in {report['model']['file']}."]
    return lines


def _begun(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a model of all rules that were found with the first of them, if nobody would read them all."""
    if part.get("kind") != "rule_vote" or (more := part["text"].count("\n") + 1 - MOST_LINES) <= 0:
        return part
    shown = part["text"].split("\n", MOST_LINES)[:MOST_LINES]
    return {**part, "text": "\n".join([*shown, f"... {more:,} more lines; `hedgerow show` prints them all"])}


def full_lines(report: Mapping[str, Any], columns: int) -> list[str]:
    """Return data, model and test one after the other, and what to know of them once."""
    lines = wrap_text(report["source"], columns) if "source" in report else []
    for key in ("data", "model", "evaluation"):
        if key in report:
            lines += [*(["", ""] if lines else []), *_lines({**report[key], "notes": []}, columns)]
    if report["warnings"]:
        lines += ["", "Note", *list_sentences(report["warnings"], columns)]
    return lines


def _lines(report: Mapping[str, Any], columns: int) -> list[str]:
    return render(report, columns).rstrip("\n").split("\n")


def learner_lines(report: Mapping[str, Any], columns: int) -> list[str]:
    """Return a line a learner, or everything about the one asked for."""
    known = report["learners"]
    if not report["details"]:
        rows = [[one["name"], one["kind"], one["description"]] for one in known]
        return [*align_columns([["learner", "kind", ""], *rows], "lll"), "", *wrap_text(LEARNER_HINT, columns)]
    lines = []
    for one in known:
        lines += [
            f"{one['name']} ({one['class']} in Python), a {one['kind']}",
            "",
            *one["notes"].split("\n"),
            "",
        ]
        rows = [[p["name"], str(p["default"]), f"{p['help']}; {p['range']}"] for p in one["parameters"]]
        lines += align_columns([["parameter", "default", ""], *rows], "lll") if rows else ["It has no parameters."]
    return lines
