"""Every learner on unusual tables: an error message, or a model that prints, predicts, and is the same after saving."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

from fuzz.tables import odd_table, probe_of, smaller_tables, table_of
from fuzz.target import Target
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Table
from hedgerow.errors import HedgerowError
from hedgerow.learn.base import Learner
from hedgerow.learn.registry import HOMES, learner_class
from hedgerow.models.base.model import ClassModel, Model, NumberModel, TableModel
from hedgerow.models.files.model_file import dumps, loads


def targets() -> Iterator[Target]:
    """Yield a target for every learner."""
    for name in HOMES:
        learner = learner_class(name)

        def make(random: Random, learner: type[Learner] = learner, name: str = name) -> Any:
            texts = Kind.TEXT in learner().accepted_kinds()
            classes = learner.target_is_classes
            if classes is None and random.random() < 0.5:
                classes = random.choice((True, False))
            table = odd_table(random, classes, texts)
            return {"learner": name, "settings": _settings(random, learner), "table": table}

        yield Target("learners", learner.name, make, check, smaller)


def check(case: Any) -> None:
    """Raise unless the learner's model of the table is valid."""
    learner = learner_class(case["learner"])(**case["settings"])
    table = table_of(case["table"])
    model = learner.train(table)
    try:
        check_model(model, table, case["learner"])
    except HedgerowError as error:
        raise AssertionError(f"a model cannot be used on its training rows: {error}") from error
    check_predictions(model, probe_of(case["table"]), case["learner"])


def check_model(model: Model, table: Table, name: str) -> None:
    """Raise unless a model prints and gives valid predictions, also after saving and loading."""
    text = str(model)
    text.encode()
    copy = loads(dumps(model), "a copy")
    assert str(copy) == text, "a saved model prints differently"
    said = check_predictions(model, table, name)
    assert np.array_equal(said, answers(copy, table), equal_nan=True), "a saved model predicts differently"
    if isinstance(model, NumberModel):
        assert np.isfinite(said).all(), f"{name}: a prediction for a training row is infinite"


def check_predictions(model: Model, table: Table, name: str) -> Any:
    """Return the predictions of a model for a table; raise unless they are valid."""
    said = answers(model, table)
    if isinstance(model, ClassModel):
        check_distribution(said, name)
    if isinstance(model, NumberModel):
        assert not np.isnan(said).any(), f"{name}: a prediction is NaN"
    return said


def check_distribution(shares: Any, name: str) -> None:
    """Raise unless every row is a distribution: finite, not negative, with sum 1."""
    assert np.isfinite(shares).all(), f"{name}: a distribution is not finite"
    assert (shares >= 0).all(), f"{name}: a probability is negative"
    assert np.allclose(shares.sum(axis=1), 1, atol=1e-9), f"{name}: a distribution does not sum to 1"


def answers(model: Model, table: Table) -> Any:
    """Return all predictions of a model for a table as an array."""
    if isinstance(model, ClassModel):
        model.decide(table)
        return model.distribution(table)
    if isinstance(model, NumberModel):
        return model.predict(table)
    if isinstance(model, TableModel):
        out = model.transform(table)
        shown = [repr(out.schema), *(repr(out.values(place)) for place in range(len(out.schema)))]
        return np.frombuffer("\n".join(shown).encode("utf-8", "replace"), dtype=np.uint8)
    return np.empty(0)


def smaller(case: Any) -> Iterator[Any]:
    """Yield the case with default parameters, and on smaller tables."""
    for key in case["settings"]:
        yield {**case, "settings": {name: value for name, value in case["settings"].items() if name != key}}
    for table in smaller_tables(case["table"]):
        yield {**case, "table": table}


def _settings(random: Random, learner: type[Learner]) -> dict[str, Any]:
    """Return some parameters other than the defaults: choices, flags, and numbers at the limits of their ranges."""
    chosen: dict[str, Any] = {}
    for name in random.sample(list(learner.params), min(len(learner.params), random.choice((0, 0, 1, 2, 3)))):
        param = learner.params[name]
        if param.kind == "choice" and param.choices:
            chosen[name] = random.choice(param.choices)
        elif param.kind == "flag":
            chosen[name] = not param.default
        elif param.kind in ("real", "integer"):
            ends = [end for end in (param.low, param.high, 1, 2) if end is not None and abs(end) < 20]
            number = random.choice(ends)
            chosen[name] = int(number) if param.kind == "integer" else float(number)
    return chosen
