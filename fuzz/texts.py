"""Damaged rules, trees and association rules as text: an error message, or a model that prints and can be parsed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any

from fuzz.learners import check_predictions
from fuzz.odd import changed_text, shorter
from fuzz.target import Target
from hedgerow.checks import example
from hedgerow.data.table.table import Table
from hedgerow.learn.registry import learner_class
from hedgerow.models.base.model import Model

# The learner whose model is printed, with parameters that keep it small.
SORTS: dict[str, tuple[str, dict[str, Any]]] = {
    "rule_list": ("OneR", {}),
    "ripper": ("Ripper", {}),
    "rule_set": ("Prism", {}),
    "rule_vote": ("CBA", {}),
    "tree": ("C45", {}),
    "number_tree": ("CARTRegressor", {}),
    "association_rules": ("Apriori", {"min_support": 0.2}),
}
PIECES = (
    " and ", "if ", " then ", "otherwise ", "else ", " <= ", " > ", " = ", " < ", "in {", "}", "|   ", ": ", " (1/0)",
    "=>", " not ", " or ", "is missing", "is known", "shade", "size", "group", "red", "'dark blue'", "# support",
    "(9/3)", "contains",
)  # fmt: skip


def targets() -> Iterator[Target]:
    """Yield a target for every printed form, and one for files of rules."""
    for name in SORTS:

        def make(random: Random, name: str = name) -> Any:
            return {"sort": name, "text": changed_text(random, _printed(name)[1], PIECES)}

        yield Target("texts", name, make, check, smaller)


def check(case: Any) -> None:
    """Raise unless the text gives an error message, or its model predicts, prints, and parses its own printed form."""
    model, _, table = _printed(case["sort"])
    parse: Callable[..., Model] = type(model).parse  # type: ignore[attr-defined]
    found = parse(case["text"], model.schema)
    text = str(found)
    again = parse(text, model.schema)
    assert str(again) == text, "a model that was read does not read its own print"
    check_predictions(found, table, case["sort"])


def smaller(case: Any) -> Iterator[Any]:
    """Yield the case with shorter texts."""
    for text in shorter(case["text"]):
        yield {**case, "text": text}


@cache
def _printed(name: str) -> tuple[Model, str, Table]:
    learner, settings = SORTS[name]
    made = learner_class(learner)(**settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = example(made, rows=40)
        model = made.train(table)
    return model, str(model), table
