"""Unusual tables as JSON values: constant, missing, huge and tiny numbers, many levels, unusual words and weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np

from fuzz.odd import NUMBERS, WORDS
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import StoredValues, Table, Text

TARGET = "target"
SIZES = (0, 1, 1, 2, 2, 3, 4, 6, 10, 20, 40, 120)


def odd_table(random: Random, classes: bool | None, texts: bool = False) -> dict[str, Any]:
    """Return an unusual table; `classes` selects whether its target is nominal, numeric or (None) absent."""
    rows = random.choice(SIZES)
    makers = [_numbers, _numbers, _numbers, _levels, _levels, *([_texts, _texts] if texts else [])]
    names = _names(random, random.choice((0, 1, 1, 2, 3, 6)))
    columns = [random.choice(makers)(random, name, rows) for name in names]
    if classes is not None:
        columns.append((_classes if classes else _numbers)(random, TARGET, rows))
        columns[-1]["values"] = _with_gaps(random, columns[-1]["values"], often=False)
    target = None if classes is None else TARGET
    return {"columns": columns, "target": target, "weights": _weights(random, rows)}


def table_of(recipe: dict[str, Any]) -> Table:
    """Return the table that a JSON value describes."""
    made = [_column_of(one) for one in recipe["columns"]]
    n_rows = len(recipe["columns"][0]["values"]) if made else 0
    weights = None if recipe["weights"] is None else np.array(recipe["weights"], dtype=np.float64)
    return Table(Schema(tuple(c for c, _ in made), recipe["target"]), tuple(v for _, v in made), n_rows, weights)


def probe_of(recipe: dict[str, Any], seed: int = 5) -> Table:
    """Return rows to predict: values shuffled within columns, missing values, and extreme numbers."""
    random = Random(seed)
    columns = []
    for column in recipe["columns"]:
        odd: list[Any] = list(NUMBERS) if column["kind"] == "numeric" else [None, *column["values"]][:30]
        values = [None, *odd, *random.sample(column["values"], len(column["values"]))]
        columns.append({**column, "values": [random.choice(values) for _ in range(40)]})
    return table_of({**recipe, "columns": columns, "weights": None})


def smaller_tables(recipe: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the table without some columns, weights or rows, then with simpler values."""
    for place, column in enumerate(recipe["columns"]):
        if column["name"] != recipe["target"]:
            yield {**recipe, "columns": recipe["columns"][:place] + recipe["columns"][place + 1 :]}
    if recipe["weights"] is not None:
        yield {**recipe, "weights": None}
    rows = len(recipe["columns"][0]["values"]) if recipe["columns"] else 0
    size = rows // 2
    while size:
        for start in range(0, rows, size):
            yield _without_rows(recipe, start, start + size)
        size //= 2
    for place, column in enumerate(recipe["columns"]):
        if column["kind"] == "numeric" and any(value not in (0.0, None) for value in column["values"]):
            simple = {**column, "values": [0.0] * rows}
            yield {**recipe, "columns": [*recipe["columns"][:place], simple, *recipe["columns"][place + 1 :]]}


def _without_rows(recipe: dict[str, Any], start: int, stop: int) -> dict[str, Any]:
    def kept(values: Any) -> Any:
        return None if values is None else values[:start] + values[stop:]

    columns = [{**column, "values": kept(column["values"])} for column in recipe["columns"]]
    return {**recipe, "columns": columns, "weights": kept(recipe["weights"])}


def _names(random: Random, number: int) -> list[str]:
    odd = [word for word in WORDS if word.strip()] if random.random() < 0.2 else list("abcdefgh")
    return random.sample([word for word in odd if word != TARGET], number)


def _numbers(random: Random, name: str, rows: int) -> dict[str, Any]:
    """Return a numeric column of one sort."""
    scale = random.choice(NUMBERS)
    sorts: list[Callable[[], float]] = [
        lambda: scale,  # constant
        lambda: random.gauss(0, 1),
        lambda: random.gauss(0, 1) * min(abs(scale), 1e300),
        lambda: float(random.randrange(3)),
        lambda: random.choice((0.0, scale)),
        lambda: random.choice((-scale, scale)),
        lambda: 1e9 + random.random() * 1e-6,
        lambda: random.choice(NUMBERS),
        lambda: 5e-324 * random.randrange(5),
    ]
    draw = random.choice(sorts)
    return {"name": name, "kind": "numeric", "values": _with_gaps(random, [draw() for _ in range(rows)])}


def _levels(random: Random, name: str, rows: int) -> dict[str, Any]:
    """Return a nominal column: few levels, many, one, or strange words."""
    words = random.choice((["a", "b"], ["a"], list("abcdefgh"), [f"level {i}" for i in range(100)], list(WORDS)))
    values = _with_gaps(random, [random.choice(words) for _ in range(rows)])
    return {"name": name, "kind": "nominal", "values": values, "levels": random.choice((0, 0, 0, 1, 3))}


def _classes(random: Random, name: str, rows: int) -> dict[str, Any]:
    column = _levels(random, name, rows)
    if rows and random.random() < 0.6:
        column["values"] = [random.choice(("yes", "no", "maybe")[: random.choice((2, 3))]) for _ in range(rows)]
    return column


def _texts(random: Random, name: str, rows: int) -> dict[str, Any]:
    words = ["goal", "team", "orbit", "the", "", "größer", "茶", *random.sample(WORDS, 4)]
    texts = [" ".join(random.choices(words, k=random.choice((0, 1, 3, 8)))) for _ in range(rows)]
    return {"name": name, "kind": "text", "values": _with_gaps(random, texts)}


def _with_gaps(random: Random, values: list[Any], often: bool = True) -> list[Any]:
    share = random.choice((0, 0, 0.1, 0.5, 1) if often else (0, 0, 0, 0, 0.1, 0.5))
    return [None if random.random() < share else value for value in values]


def _weights(random: Random, rows: int) -> list[float] | None:
    if random.random() < 0.7:
        return None
    sorts: list[Callable[[], float]] = [
        lambda: 1.0,
        lambda: float(random.randrange(3)),
        random.random,
        lambda: random.choice((0.0, 1e-300, 5e-324, 1e-9, 1.0, 1e9, 1e30)),
        lambda: 0.0,
        lambda: 1e-300,
        lambda: 1e30,
        lambda: random.choice((-1.0, 1.0, 1e308)),
    ]
    draw = random.choice(sorts)
    return [draw() for _ in range(rows)]


def _column_of(recipe: dict[str, Any]) -> tuple[Column, StoredValues]:
    name, values = recipe["name"], recipe["values"]
    if recipe["kind"] == "numeric":
        return Column(name, Kind.NUMERIC), np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    if recipe["kind"] == "text":
        return Column(name, Kind.TEXT), Text.of(values)
    unused = [f"unused {number}" for number in range(recipe.get("levels", 0))]
    levels = tuple(dict.fromkeys([*(value for value in values if value is not None), *unused]))
    code = {level: number for number, level in enumerate(levels)}
    codes = np.array([-1 if value is None else code[value] for value in values], dtype=np.int32)
    return Column(name, Kind.NOMINAL, levels=levels), codes
