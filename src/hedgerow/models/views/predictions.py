"""Predictions as a table: the predicted class or number of each row, the probabilities, and the reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Table, Text, Values
from hedgerow.errors import ModelError, UsageError
from hedgerow.models.base.model import ClassModel, Model, NumberModel
from hedgerow.models.views.short_reasons import short_reasons

DIGITS = 6  # of probabilities, as many as anybody can use
Entries = list[tuple[Column, Values]]


@dataclass(frozen=True)
class PredictionColumns:
    """What a table of predictions shows besides the predictions.

    Parameters
    ----------
    rule
        The rule that decides each row; if rules vote, the first.
    top
        Of so many classes, the most probable first, the names and probabilities; 0 for the probabilities of all
        classes, in their order.
    reason
        The reason for each prediction in one line.
    """

    rule: bool = False
    top: int = 0
    reason: bool = False


class PredictionTable(NamedTuple):
    """Predictions as a table, and the number of rows without known values, where the prior decides."""

    table: Table
    n_unknown: int


def predictions(
    model: Model,
    table: Table,
    beside: Table | None = None,
    *,
    rule: bool = False,
    top: int = 0,
    reason: bool = False,
) -> Table:
    """Return a table of a model's predictions, after the columns of another table of these rows if given.

    With `rule`, a last column names the rule that decides each row; if rules vote, the first. With `top`, the so many
    most probable classes replace the probabilities of all; with `reason`, a last column has the reason in one line.
    """
    return predict_with_unknown(model, table, beside, PredictionColumns(rule, top, reason)).table


def predict_with_unknown(
    model: Model,
    table: Table,
    beside: Table | None = None,
    shown: PredictionColumns = PredictionColumns(),
) -> PredictionTable:
    """Return the same, and the number of rows without known values."""
    aligned = model.align(table)
    entries, silent = _prediction_columns(model, aligned, shown)
    if shown.rule:
        entries.append(_deciding(model, aligned))
    copied = [] if beside is None else list(zip(beside.schema.columns, beside.data, strict=True))
    taken = {column.name for column, _ in copied}
    clash = next((column.name for column, _ in entries if column.name in taken), None)
    if clash is not None:
        raise ModelError(f"the data already have a column {clash!r}; predict without the columns of the data")
    columns, data = zip(*copied, *entries, strict=True)
    return PredictionTable(Table(Schema(columns), data, table.n_rows), silent)


def _deciding(model: Model, aligned: Table) -> tuple[Column, Values]:
    deciding = model.deciding_rules(aligned)
    printed = [row.rule.text(row.target) for row in model.rule_rows()]
    texts = tuple(dict.fromkeys(printed))
    place = {text: code for code, text in enumerate(texts)}
    codes = np.array([place[text] for text in printed], dtype=np.int32)
    return Column("rule", Kind.NOMINAL, levels=texts), codes[deciding]


def _prediction_columns(model: Model, aligned: Table, shown: PredictionColumns) -> tuple[Entries, int]:
    name = f"predicted {model.schema.target}"
    if isinstance(model, NumberModel):
        if shown.top:
            raise UsageError("the model predicts numbers, so there are no most probable classes; leave out --top")
        entries: Entries = [(Column(name, Kind.NUMERIC), model.values(aligned))]
        return [*entries, *(_reason_column(short_reasons(model, aligned)) if shown.reason else ())], 0
    if not isinstance(model, ClassModel):
        raise ModelError(f"a model of kind {model.kind!r} does not predict")
    scored = model.score_rows(aligned)
    codes = model.decide_rows(aligned, scored.distribution)
    entries = [(Column(name, Kind.NOMINAL, levels=model.classes), codes)]
    make, n_classes = (_top_columns, shown.top) if shown.top else (_share_columns, len(model.classes))
    entries += make(model.classes, scored.distribution, n_classes)
    if shown.reason:
        entries += _reason_column(short_reasons(model, aligned, codes, scored.distribution))
    return entries, 0 if scored.is_unknown is None else int(scored.is_unknown.sum())


def _share_columns(classes: tuple[str, ...], shares: Numbers, n: int) -> Entries:
    rounded = np.round(shares, DIGITS)
    return [(Column(f"P({classes[code]})", Kind.NUMERIC), rounded[:, code]) for code in range(n)]


def _top_columns(classes: tuple[str, ...], shares: Numbers, top: int) -> Entries:
    """Return the most probable classes and their probabilities, in pairs of columns; of equals the first class."""
    order = np.argsort(-shares, axis=1, kind="stable").astype(np.int32)
    rounded = np.round(shares, DIGITS)
    entries: Entries = []
    for place in range(min(top, len(classes))):
        codes: Codes = np.ascontiguousarray(order[:, place])
        entries.append((Column(f"class {place + 1}", Kind.NOMINAL, levels=classes), codes))
        entries.append((Column(f"P(class {place + 1})", Kind.NUMERIC), rounded[np.arange(len(codes)), codes]))
    return entries


def _reason_column(reasons: list[str]) -> Entries:
    return [(Column("reason", Kind.TEXT), Text.of(reasons))]
