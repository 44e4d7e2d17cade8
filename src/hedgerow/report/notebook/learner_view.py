"""A learner in a notebook: a box with its parameters, those of the learners inside it, and after `fit` its model."""

from __future__ import annotations

from typing import Any

from hedgerow.layout.cell_width import shorten
from hedgerow.learn.base import Learner
from hedgerow.report.draw.markup import element, escape_words

MOST_CELLS = 60  # of a value


def learner_view(learner: Learner, model: str) -> str:
    """Return the box of a learner and the markup of its model, which is empty before `fit`."""
    fitted = hasattr(learner, "model_")
    return _box(learner, "fitted" if fitted else "not fitted") + model


def _box(learner: Learner, state: str = "") -> str:
    values = learner.get_params(deep=False)
    inner = {name: value for name, value in values.items() if isinstance(value, Learner)}
    changed = [name for name in values if _is_changed(learner, name) and name not in inner]
    rest = [name for name in values if name not in changed and name not in inner]
    tag = f'<span class="tag{" on" * (state == "fitted")}">{state}</span>' if state else ""
    content = f"<b>{escape_words(type(learner).__name__)}</b>{tag}"
    content += _listed(values, changed) if changed else ""
    if rest:
        title = f"{len(rest)} {'other ' if changed else ''}parameters at their default"
        content += f"<details><summary>{title}</summary>{_listed(values, rest)}</details>"
    content += "".join(f"<small>{escape_words(name)}</small>{_box(value)}" for name, value in inner.items())
    return element("div", content, class_="learner")


def _is_changed(learner: Learner, name: str) -> bool:
    value, default = getattr(learner, name), learner.params[name].default
    return value is not default and repr(value) != repr(default)


def _listed(values: dict[str, Any], names: list[str]) -> str:
    pairs = ((escape_words(name), escape_words(shorten(repr(values[name]), MOST_CELLS))) for name in names)
    return element("dl", "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in pairs))
