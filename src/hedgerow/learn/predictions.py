"""Predictions as a table: the predicted class or number of each row, and the probabilities."""

from __future__ import annotations

import numpy as np

from hedgerow.data.schema import Column, Kind, Schema
from hedgerow.data.table import Table, Values
from hedgerow.errors import ModelError
from hedgerow.models.model import ClassModel, Model, NumberModel, decisions


def predictions(model: Model, table: Table, with_data: bool = False) -> Table:
    """Return a table of a model's predictions, behind the table's own columns if asked for."""
    target = str(model.schema.target)
    columns: list[Column] = []
    data: list[Values] = []
    if with_data:
        columns, data = list(table.schema.columns), list(table.data)
    made: list[tuple[Column, Values]]
    if isinstance(model, ClassModel):
        distribution = model.distribution(table)
        predicted = Column(f"predicted {target}", Kind.NOMINAL, levels=model.classes)
        made = [(predicted, decisions(distribution))]
        for code, label in enumerate(model.classes):
            share = np.round(distribution[:, code], 6)  # as many digits as anybody can use
            made.append((Column(f"P({label})", Kind.NUMERIC), share))
    elif isinstance(model, NumberModel):
        made = [(Column(f"predicted {target}", Kind.NUMERIC), model.predict(table))]
    else:
        raise ModelError(f"a model of kind {model.kind!r} does not predict")
    names = {column.name for column in columns}
    for column, values in made:
        if column.name in names:
            raise ModelError(f"the data have a column {column.name!r} already; predict without its data")
        columns.append(column)
        data.append(values)
    return Table(Schema(tuple(columns)), tuple(data), table.n_rows)
