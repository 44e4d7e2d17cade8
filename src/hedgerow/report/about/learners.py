"""The report on the available learners and their parameters, and its sections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import cleandoc
from typing import Any

from hedgerow.learn.params import PARAMETERS
from hedgerow.learn.registry import LearnerInfo, find_learner, is_learner
from hedgerow.report import blocks as b
from hedgerow.report.schema import LearnerReport, LearnersReport

HINT = "`hedgerow learners NAME` describes a learner and its parameters."


def learners_report(known: Iterable[LearnerInfo], details: bool) -> LearnersReport:
    """Return the learners with their parameters; with `details`, the text shows the parameters too."""
    return {
        "report": "learners",
        "version": 1,
        "details": details,
        "learners": [
            {
                "name": info.name,
                "class": info.learner.__name__,
                "kind": info.kind,
                "description": info.description,
                "notes": _notes(info) if details else "",
                "parameters": [
                    {"name": p.name, "default": p.default, "range": p.range_text(), "help": p.help}
                    for p in info.params.values()
                ],
            }
            for info in known
        ],
    }


def changed_parameters(learner: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that are not at their defaults; all of a learner that hedgerow does not know."""
    if not is_learner(learner):
        return dict(parameters)
    known = find_learner(learner).params
    return {name: value for name, value in parameters.items() if name not in known or value != known[name].default}


def learners_sections(report: LearnersReport) -> list[b.Section]:
    """Return one line per learner, or all details of the requested ones."""
    known = report["learners"]
    if report["details"]:
        return [b.Section(one["name"], one["name"], _details(one)) for one in known]
    rows = tuple((one["name"], one["kind"], one["description"]) for one in known)
    table = b.TableBlock(
        (b.TableColumn("learner"), b.TableColumn("kind"), b.TableColumn("", label="description")),
        rows,
        label="Learners",
        most=len(rows),
    )
    return [b.Section("learners", "Learners", (table, b.Paragraph((HINT,))))]


def _details(one: LearnerReport) -> tuple[b.Block, ...]:
    title = b.Heading(f"{one['name']} ({one['class']} in Python), a {one['kind']}")
    if not one["parameters"]:
        return title, b.Printed(one["notes"]), b.Paragraph(("It has no parameters.",))
    rows = tuple((p["name"], str(p["default"]), f"{p['help']}; {p['range']}") for p in one["parameters"])
    columns = b.TableColumn("parameter"), b.TableColumn("default"), b.TableColumn("", label="meaning")
    return title, b.Printed(one["notes"]), b.TableBlock(columns, rows, label="Parameters", most=len(rows))


def _notes(info: LearnerInfo) -> str:
    """Return the docstring of a learner without its examples and parameters."""
    return cleandoc(info.learner.__doc__ or "").split("\nExamples\n")[0].split(PARAMETERS)[0].rstrip()
