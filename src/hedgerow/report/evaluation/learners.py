"""The report on learners: what there is, and what each takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import cleandoc
from typing import Any

from hedgerow.learn.registry import LearnerInfo, is_learner, learner_named


def learners_report(known: Iterable[LearnerInfo], details: bool) -> dict[str, Any]:
    """Return the learners with their parameters; `details` asks the text to show those too."""
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
                "notes": cleandoc(info.learner.__doc__ or "").split("\nExamples\n")[0].rstrip() if details else "",
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
    known = learner_named(learner).params
    return {name: value for name, value in parameters.items() if name not in known or value != known[name].default}
