"""Unusual Python objects passed to learners: lists, arrays and data frames of values that do not belong in a table."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from fuzz.target import Target
from hedgerow.data.table.table import Table
from hedgerow.learn.registry import learner_class

ROWS = 4
# Values by name, so that a case can be stored as JSON; every name creates a new object.
VALUES: dict[str, Callable[[], Any]] = {
    "number": lambda: 1.5,
    "integer": lambda: 3,
    "word": lambda: "red",
    "empty": lambda: "",
    "none": lambda: None,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "true": lambda: True,
    "surrogate": lambda: "a\ud800",
    "nul": lambda: "a\0b",
    "bytes": lambda: b"\xff",
    "decimal": lambda: Decimal("2.5"),
    "decimal_nan": lambda: Decimal("NaN"),
    "fraction": lambda: Fraction(1, 3),
    "complex": lambda: 1j,
    "huge": lambda: 10**400,
    "wide": lambda: 2**70,
    "list": lambda: [1, 2],
    "tuple": lambda: (1,),
    "dict": lambda: {"a": 1},
    "set": lambda: {1},
    "array": lambda: np.arange(3),
    "date": lambda: dt.date(2020, 1, 31),
    "moment": lambda: dt.datetime(1, 1, 1),
    "zoned": lambda: dt.datetime(2020, 1, 1, tzinfo=dt.UTC),
    "time": lambda: dt.time(1),
    "delta": lambda: dt.timedelta(1),
    "object": object,
    "type": lambda: int,
}
NAMES: dict[str, Any] = {"a": "a", "b": "b", "number": 1, "none": None, "tuple": ("a", 1), "empty": ""}
FORMS = ("pandas", "category", "array", "lists", "table", "polars", "arrow")
PLACES = ("X", "y", "weights", "new rows")
LEARNERS = ("NaiveBayes", "C45", "CARTRegressor", "KMeans", "Discretize", "TextTerms", "RuleFeatures", "KNN")


def targets() -> Iterator[Target]:
    """Yield a target for every learner to be tested."""
    for name in LEARNERS:
        yield Target("frames", name.lower(), partial(_case, learner=name), check, smaller)


def check(case: Any) -> None:
    """Raise unless fitting and predicting work or give an error message."""
    X: Any = np.arange(2.0 * ROWS).reshape(ROWS, 2)
    y: Any = [0, 1, 0, 1]
    values = {NAMES[name]: [VALUES[one]() for one in column] for name, column in case["columns"].items()}
    try:
        odd = _made(case["form"], values)
    except Exception:  # the frame's own library refuses it
        return
    learner: Any = learner_class(case["learner"])()
    extra: dict[str, Any] = {}
    if case["place"] == "weights" and case["learner"] in ("NaiveBayes", "C45", "CARTRegressor", "KMeans"):
        extra["sample_weight"] = next(iter(values.values()))
    learner.fit(odd if case["place"] == "X" else X, next(iter(values.values())) if case["place"] == "y" else y, **extra)
    use = getattr(learner, "predict", getattr(learner, "transform", None))
    assert use is not None
    use(odd if case["place"] in ("X", "new rows") else X)
    str(learner.model_).encode()


def smaller(case: Any) -> Iterator[Any]:
    """Yield the case with fewer columns, and with simpler values."""
    columns = case["columns"]
    if len(columns) > 1:
        for name in columns:
            yield {**case, "columns": {key: value for key, value in columns.items() if key != name}}
    for name, values in columns.items():
        for place, value in enumerate(values):
            if value != "number":
                plain = [*values[:place], "number", *values[place + 1 :]]
                yield {**case, "columns": {**columns, name: plain}}


def _case(random: Random, *, learner: str) -> Any:
    names = random.sample(list(NAMES), random.choice((1, 1, 2))) if random.random() < 0.3 else ["a"]
    columns = {}
    for name in names:
        few = random.sample(list(VALUES), random.choice((1, 2, 2, 3)))
        columns[name] = [random.choice(few) for _ in range(ROWS)]
    return {"learner": learner, "form": random.choice(FORMS), "place": random.choice(PLACES), "columns": columns}


def _made(form: str, values: dict[Any, list[Any]]) -> Any:
    if form == "pandas":
        return pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in values.items()})
    if form == "category":
        return pd.DataFrame({name: pd.Categorical(column) for name, column in values.items()})
    if form == "polars":
        import polars as pl  # here, since its threads must not be there before the process is forked

        plain = (bool, int, float, str, bytes, dt.date, dt.time, dt.timedelta, type(None))  # polars panics on others
        if any(not isinstance(one, plain) or one == 10**400 for column in values.values() for one in column):
            raise TypeError
        return pl.DataFrame(values)
    if form == "arrow":
        return pa.table(values)
    if form == "table":
        return Table.of(values)
    if form == "lists":
        return [list(row) for row in zip(*values.values(), strict=True)]
    matrix = np.empty((ROWS, len(values)), dtype=object)
    for place, column in enumerate(values.values()):
        for row, one in enumerate(column):
            matrix[row, place] = one
    return matrix
