"""The sections of any report, in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from hedgerow.layout.wrapping import drop_repeated_notes
from hedgerow.report.about.learners import learners_sections
from hedgerow.report.associations.associations_section import associations_section, recommendations_section
from hedgerow.report.blocks import Section
from hedgerow.report.clusters.clusters_section import clusters_sections
from hedgerow.report.comparison.comparison_section import comparison_section
from hedgerow.report.comparison.curve_section import curve_section
from hedgerow.report.comparison.model_selection import selection_section
from hedgerow.report.data.data_section import data_section
from hedgerow.report.evaluation.evaluation_section import evaluation_section
from hedgerow.report.explanations.decision_article import explanations_section
from hedgerow.report.model.model_section import model_section
from hedgerow.report.rules.rules_section import rules_section
from hedgerow.report.schema import AnyReport

Parts = Mapping[str, Any]  # the parts of a report, each a report of its own, by what they tell of
# What makes the sections of a part; the order is that of the sections.
SECTIONS: dict[str, Callable[[Any, Parts], list[Section]]] = {
    "selection": lambda part, parts: [selection_section(part)],  # noqa: ARG005
    "data": lambda part, parts: [data_section(part)],  # noqa: ARG005
    "model": lambda part, parts: [model_section(part, parts.get("data", {}).get("groups", ()))],
    "rules": lambda part, parts: [rules_section(part)],  # noqa: ARG005
    "associations": lambda part, parts: [associations_section(part)],  # noqa: ARG005
    "recommendations": lambda part, parts: [recommendations_section(part)],  # noqa: ARG005
    "explanations": lambda part, parts: [explanations_section(part)],  # noqa: ARG005
    "clusters": lambda part, parts: clusters_sections(part),  # noqa: ARG005
    "evaluation": lambda part, parts: [evaluation_section(part, parts.get("curves"))],
    "learning": lambda part, parts: [curve_section(part)],  # noqa: ARG005
    "comparison": lambda part, parts: [comparison_section(part)],  # noqa: ARG005
    "learners": lambda part, parts: learners_sections(part),  # noqa: ARG005
}
# What a report of one kind is a part of, where it is called otherwise.
PARTS = {"curve": "learning"}


def parts_of(report: AnyReport) -> dict[str, Any]:
    """Return the parts of a report by topic; a report of one kind is its own only part."""
    kind = str(report.get("report"))
    if kind in ("full", "training"):
        return {key: value for key, value in report.items() if isinstance(value, Mapping)}
    name = PARTS.get(kind, kind)
    return {name: report} if name in SECTIONS else {}


def sections_of(parts: Parts) -> list[Section]:
    """Return the sections of a report's parts."""
    return [section for name, make in SECTIONS.items() if name in parts for section in make(parts[name], parts)]


def notes_of(report: AnyReport, parts: Parts) -> list[str]:
    """Return the notes of a report, without repetitions."""
    told = report.get("warnings")
    if told is None:
        told = [note for part in parts.values() for note in part.get("notes", ())]
    return drop_repeated_notes([*report.get("data_notes", ()), *told])


def title_of(report: AnyReport, parts: Parts) -> str:
    """Return the title of a report."""
    target = next((part["target"] for part in parts.values() if part.get("target")), None)
    learner = next((part["learner"] for part in parts.values() if part.get("learner")), "")
    kind = report.get("report")
    if kind == "clusters":
        return f"Clusters of {file_name(report['source'])}" if report.get("source") else "Clusters"
    if kind == "learners":
        return "Learners"
    if kind == "explanations":
        return f"Predictions of {target}" + (f" by {learner}" if learner else "")
    if learner and target:
        return f"{target}, predicted by {learner}"
    return file_name(report.get("source")) or (f"Data to predict {target}" if target else "Report")


def file_name(path: object) -> str:
    """Return a file name without its folders, which may be private."""
    return re.split(r"[/\\]", str(path or ""))[-1]
