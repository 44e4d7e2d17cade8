"""Predictions as a table: the predicted class or number of each row, and the probabilities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table, Values
from hedgerow.errors import ModelError
from hedgerow.models.base.model import ClassModel, Model, NumberModel


class PredictionTable(NamedTuple):
    """Predictions as a table, and the number of rows without known values, where the prior decides."""

    table: Table
    n_unknown: int


def predictions(model: Model, table: Table, beside: Table | None = None, *, rule: bool = False) -> Table:
    """Return a table of a model's predictions, after the columns of another table of these rows if given.

    With `rule`, a last column names the rule that decides each row; if rules vote, the first.
    """
    return predict_with_unknown(model, table, beside, rule=rule).table


def predict_with_unknown(
    model: Model, table: Table, beside: Table | None = None, *, rule: bool = False
) -> PredictionTable:
    """Return the same, and the number of rows without known values."""
    entries, silent = _prediction_columns(model, table)
    if rule:
        entries.append(_deciding(model, table))
    shown = [] if beside is None else list(zip(beside.schema.columns, beside.data, strict=True))
    taken = {column.name for column, _ in shown}
    clash = next((column.name for column, _ in entries if column.name in taken), None)
    if clash is not None:
        raise ModelError(f"the data already have a column {clash!r}; predict without the columns of the data")
    columns, data = zip(*shown, *entries, strict=True)
    return PredictionTable(Table(Schema(columns), data, table.n_rows), silent)


def _deciding(model: Model, table: Table) -> tuple[Column, Values]:
    deciding = model.deciding_rules(model.align(table))
    printed = [row.rule.text(row.target) for row in model.rule_rows()]
    texts = tuple(dict.fromkeys(printed))
    place = {text: code for code, text in enumerate(texts)}
    codes = np.array([place[text] for text in printed], dtype=np.int32)
    return Column("rule", Kind.NOMINAL, levels=texts), codes[deciding]


def _prediction_columns(model: Model, table: Table) -> tuple[list[tuple[Column, Values]], int]:
    name = f"predicted {model.schema.target}"
    if isinstance(model, NumberModel):
        return [(Column(name, Kind.NUMERIC), model.predict(table))], 0
    if not isinstance(model, ClassModel):
        raise ModelError(f"a model of kind {model.kind!r} does not predict")
    aligned = model.align(table)
    scored = model.score_rows(aligned)
    codes = model.decide_rows(aligned, scored.distribution)
    entries: list[tuple[Column, Values]] = [(Column(name, Kind.NOMINAL, levels=model.classes), codes)]
    for code, label in enumerate(model.classes):
        share = np.round(scored.distribution[:, code], 6)  # as many digits as anybody can use
        entries.append((Column(f"P({label})", Kind.NUMERIC), share))
    return entries, 0 if scored.is_unknown is None else int(scored.is_unknown.sum())
