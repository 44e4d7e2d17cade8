"""Reports as one HTML page that needs nothing else: no network, no script; light and dark, on screen and in print."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from hedgerow.layout.numbers import format_digits, format_fixed, format_weight
from hedgerow.report.associations.html_associations import associations_section, recommendations_section
from hedgerow.report.clusters.html_clusters import cluster_tiles, clusters_sections
from hedgerow.report.comparison.html_learning import comparison_section, learning_section
from hedgerow.report.data.html_data import data_section
from hedgerow.report.draw.markup import element, items, section, words
from hedgerow.report.draw.svg import page_style
from hedgerow.report.evaluation.html_test import test_section
from hedgerow.report.explanations.html_explanations import explanations_section
from hedgerow.report.rules.html_rules import rules_section
from hedgerow.report.whole.html_model import model_section, words_of_lines
from hedgerow.report.whole.text import render

Report = Mapping[str, Any]
TITLES = {
    "summary": "Summary",
    "data": "Data",
    "model": "Model",
    "rules": "Rules",
    "associations": "Associations",
    "recommendations": "Recommendations",
    "explanations": "Decisions",
    "clusters": "Clusters",
    "figures": "Figures",
    "against": "Classes",
    "merges": "Tree of merges",
    "words": "In words",
    "test": "Test",
    "learning": "Learning curve",
    "comparison": "Comparison",
}
# What a report of one kind is a part of.
PARTS = {
    "data": "data",
    "model": "model",
    "rules": "rules",
    "associations": "associations",
    "recommendations": "recommendations",
    "explanations": "explanations",
    "clusters": "clusters",
    "evaluation": "evaluation",
    "curve": "learning",
    "comparison": "comparison",
}
# No script, nothing from elsewhere: what a browser would not do of itself, it is told not to do.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def to_html(report: Report) -> str:
    """Return any report as a page.

    Examples
    --------
    >>> from hedgerow import OneR, examples, model_report
    >>> to_html(model_report(OneR().train(examples.loan())))[:15]
    '<!DOCTYPE html>'
    """
    parts = parts_of(report)
    sections = {
        "summary": _summary(report, parts),
        "data": data_section(parts["data"]) if "data" in parts else "",
        "model": model_section(parts["model"], parts.get("data", {}).get("groups", ())) if "model" in parts else "",
        "rules": rules_section(parts["rules"]) if "rules" in parts else "",
        "associations": associations_section(parts["associations"]) if "associations" in parts else "",
        "recommendations": recommendations_section(parts["recommendations"]) if "recommendations" in parts else "",
        "explanations": explanations_section(parts["explanations"]) if "explanations" in parts else "",
        **(clusters_sections(parts["clusters"]) if "clusters" in parts else {}),
        "test": test_section(parts["evaluation"], parts.get("curves")) if "evaluation" in parts else "",
        "learning": learning_section(parts["learning"]) if "learning" in parts else "",
        "comparison": comparison_section(parts["comparison"]) if "comparison" in parts else "",
    }
    sections = {key: made for key, made in sections.items() if made}
    if not sections:
        sections = {"text": section("text", "Report", f"<pre>{words_of_lines(render(report).split(chr(10)))}</pre>")}
    return _page(title_of(report, parts), _origin(report), sections)


def parts_of(report: Report) -> dict[str, Report]:
    """Return the parts of a report by what they tell of: a report of one kind is its own only part."""
    kind = report.get("report")
    if kind in ("full", "training"):
        return {key: value for key, value in report.items() if isinstance(value, Mapping)}
    return {PARTS[str(kind)]: report} if kind in PARTS else {}


def title_of(report: Report, parts: Mapping[str, Report]) -> str:
    """Return what a report is about."""
    target = next((part["target"] for part in parts.values() if part.get("target")), None)
    learner = next((part["learner"] for part in parts.values() if part.get("learner")), "")
    if report.get("report") == "clusters":
        return f"Clusters of {file_name(report['source'])}" if report.get("source") else "Clusters"
    if report.get("report") == "explanations":
        return f"Decisions on {target}" + (f" by {learner}" if learner else "")
    if learner and target:
        return f"{target}, predicted by {learner}"
    return file_name(report.get("source")) or (f"Data to predict {target}" if target else "Report")


def file_name(path: Any) -> str:
    """Return a file's name without its folders: those are nobody's business but the owner's."""
    return re.split(r"[/\\]", str(path or ""))[-1]


def _origin(report: Report) -> str:
    """Return which files the report is of."""
    named = {"model": report.get("file"), "data": report.get("source")}
    return " · ".join(f"{what} {file_name(path)}" for what, path in named.items() if path)


def _page(title: str, origin: str, sections: Mapping[str, str]) -> str:
    links = items(f'<a href="#{key}">{words(TITLES.get(key, "Report"))}</a>' for key in sections)
    told = f'<p class="origin">{words(origin)}</p>' if origin else ""
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            '<link rel="icon" href="data:,">',
            f"<title>{words(title)}</title>",
            f"<style>{_css()}{page_style()}</style>",
            "</head>",
            "<body>",
            '<a class="skip" href="#main">Skip to the report</a>',
            f'<header><p class="kicker">hedgerow report</p><h1>{words(title)}</h1>{told}</header>',
            element("nav", links, aria_label="Contents"),
            element("main", "\n".join(sections.values()), id="main"),
            f"<footer><p>Made by hedgerow {words(version('hedgerow'))}. Everything is in this one file.</p></footer>",
            "</body>",
            "</html>\n",
        ]
    )


def _summary(report: Report, parts: Mapping[str, Report]) -> str:
    evaluation = parts.get("evaluation")
    told = report.get("warnings")
    if told is None:
        told = [note for part in parts.values() for note in part.get("notes", ())]
    content = [
        f'<p class="lead">{words(sentence(evaluation))}</p>' if evaluation else "",
        _tiles(parts),
        _warnings(list(dict.fromkeys([*told, *report.get("data_notes", ())]))),
    ]
    return section("summary", "Summary", *content) if any(content) else ""


def sentence(report: Report) -> str:
    """Return in words how well the model did, and how well one does without it."""
    measures = {one["name"]: one["value"] for one in report["measures"]}
    if not report["labels"]:
        mae = measures["mae"]
        away = f"Predictions of {report['target']} are {format_digits(mae['value'], 3)} off on average"
        return f"{away}{_between(mae, False)}. {report['verdict']}".rstrip()
    accuracy = measures["accuracy"]
    largest = max(report["by_class"], key=lambda one: float(one["weight"]))
    share = largest["weight"] / report["weight"] if report["weight"] else math.nan
    rows = f"{report['rows']:,} rows"
    if (answered := report.get("answered")) is not None:
        if not answered["weight"]:
            return f"None of {rows} was answered."
        rows = f"the {format_weight(answered['weight'])} of {format_weight(answered['of'])} rows that were answered"
    said = f"Right for {accuracy['value']:.1%} of {rows}{_between(accuracy, True)}."
    return f"{said} Always saying {largest['label']} would be right for {share:.1%}. {report['verdict']}".rstrip()


def _between(found: Report, shares: bool) -> str:
    if math.isnan(found["low"]):
        return ""
    low, high = (f"{found[end]:.1%}" if shares else format_digits(found[end], 3) for end in ("low", "high"))
    return f" (95% interval {low} to {high})"


def _tiles(parts: Mapping[str, Report]) -> str:
    tiles = []
    if "evaluation" in parts:
        shares = bool(parts["evaluation"]["labels"])
        names = ("accuracy", "kappa", "auc", "brier") if shares else ("mae", "rmse", "r2", "correlation")
        for one in parts["evaluation"]["measures"]:
            if one["name"] in names:
                found = one["value"]
                draw = format_fixed if shares else format_digits
                ends = "" if math.isnan(found["low"]) else f"{draw(found['low'], 3)} to {draw(found['high'], 3)}"
                tiles.append(_tile(draw(found["value"], 3), one["title"], ends))
    if "data" in parts:
        tiles.append(_tile(f"{parts['data']['rows']:,}", "rows", f"{len(parts['data']['columns']):,} columns"))
    if "model" in parts and parts["model"]["size"] is not None:
        tiles.append(
            _tile(f"{parts['model']['size']:,}", "size of the model", parts["model"]["kind"].replace("_", " "))
        )
    if "clusters" in parts:
        tiles += [_tile(*told) for told in cluster_tiles(parts["clusters"])]
    return items(tiles, class_="tiles") if tiles else ""


def _tile(value: str, name: str, more: str) -> str:
    return f"<b>{words(value)}</b><span>{words(name)}</span><span>{words(more)}</span>"


def _warnings(notes: list[str]) -> str:
    if not notes:
        return ""
    inner = f"<h3>What to know</h3>{items(words(full_stop(note)) for note in notes)}"
    return element("div", inner, class_="warnings", role="note")


def full_stop(note: str) -> str:
    """Return a note as a sentence stands on a page: with a capital and a full stop."""
    return note[:1].upper() + note[1:] + ("" if note.endswith((".", "!", "?")) else ".")


@cache
def _css() -> str:
    return files("hedgerow.report.whole").joinpath("page.css").read_text("utf-8")
