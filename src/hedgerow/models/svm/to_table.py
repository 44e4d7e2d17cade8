"""Support vector machines as a table: coefficients by position, or support vectors by machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.data.frames.arrow import to_arrow
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Codes, Table, Text
from hedgerow.models.linear.text import INTERCEPT
from hedgerow.models.svm.functions import KernelFunctions, LinearFunctions
from hedgerow.models.svm.multiclass import REST

if TYPE_CHECKING:
    from hedgerow.models.svm.machines import Machines


def machine_table(model: Machines) -> Any:
    """Return an Arrow table (pyarrow's).

    For linear machines one row per machine and position, and for the intercept: class (if f >= 0), against
    (null: the rest), name, column (null for the intercept), coefficient.
    Of kernel machines a row the intercept and every support vector of every machine: class, against, name, row (in the
    data learned from, counted from 1), row_class, coefficient (alpha y).
    """
    functions = model.functions
    pairs = _linear(model, functions) if isinstance(functions, LinearFunctions) else _kernel(model, functions)
    columns, data = zip(*pairs, strict=True)
    return to_arrow(Table(Schema(tuple(columns)), tuple(data), len(data[0])))


def _repeat_side_classes(model: Machines, counts: Codes) -> list[tuple[Column, Any]]:
    """Return the classes of the machines, repeated so often."""
    entries = model.codes.entries
    second = np.where(entries.max(axis=1) > 0, entries.argmax(axis=1), -1).astype(np.int32)
    first = np.where(entries.min(axis=1) < 0, entries.argmin(axis=1), -1).astype(np.int32)
    if model.form == REST:
        first[:] = -1
    labels = model.classes
    return [
        (Column("class", Kind.NOMINAL, labels), np.repeat(second, counts)),
        (Column("against", Kind.NOMINAL, labels), np.repeat(first, counts)),
    ]


def _linear(model: Machines, functions: LinearFunctions) -> list[tuple[Column, Any]]:
    names, owner = model.design.column_of_position
    n, machines = model.design.width + 1, len(model)
    owners = np.tile(np.concatenate([[-1], owner]).astype(np.int32), machines)
    values = np.column_stack([functions.intercepts, functions.slopes]).ravel()
    return [
        *_repeat_side_classes(model, np.full(machines, n, dtype=np.int32)),
        (Column("name", Kind.TEXT), Text.of([INTERCEPT, *model.design.names] * machines)),
        (Column("column", Kind.NOMINAL, names), owners),
        (Column("coefficient", Kind.NUMERIC), np.asarray(values, dtype=np.float64)),
    ]


def _kernel(model: Machines, functions: KernelFunctions) -> list[tuple[Column, Any]]:
    names: list[str] = []
    rows: list[Any] = []
    classes: list[Any] = []
    values: list[Any] = []
    for number in range(len(model)):
        places, coefs = functions.machine(number)
        names += [INTERCEPT, *["support vector"] * len(places)]
        rows += [[np.nan], functions.rows[places] + 1.0]
        classes += [[-1], functions.labels[places]]
        values += [[functions.intercepts[number]], coefs]
    counts = (np.diff(functions.starts) + 1).astype(np.int32)
    return [
        *_repeat_side_classes(model, counts),
        (Column("name", Kind.TEXT), Text.of(names)),
        (Column("row", Kind.NUMERIC), np.concatenate(rows).astype(np.float64)),
        (Column("row_class", Kind.NOMINAL, model.classes), np.concatenate(classes).astype(np.int32)),
        (Column("coefficient", Kind.NUMERIC), np.concatenate(values).astype(np.float64)),
    ]
