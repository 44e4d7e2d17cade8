"""Additional parts of pictures of support vector machines: decision values, and positions of support vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.design.blocks import NumberBlock
from hedgerow.data.table.table import Numbers, Rows, Table
from hedgerow.models.base.model import ClassModel
from hedgerow.models.svm.functions import KernelFunctions
from hedgerow.models.svm.machines import Machines
from hedgerow.models.svm.multiclass import ONE, PAIRS, REST, class_scores

MARGIN = 1e-3  # support vectors of a linear machine are rows with y f <= 1, within the tolerance of solvers


@dataclass(frozen=True, eq=False)
class DecisionField:
    """Decision values f of a machine at the nodes of a grid, the top row first; NaN where they do not matter."""

    name: str  # of the pair of classes
    values: Numbers


def machines_in(model: ClassModel) -> Machines | None:
    """Return the support vector machines of a model; None if it has none."""
    return model if isinstance(model, Machines) and len(model) else None


def fields(model: Machines, values: Numbers, shape: tuple[int, int]) -> tuple[DecisionField, ...]:
    """Return f of the only machine, or of every pair where its classes are the two best ones; else none."""
    if model.form == ONE:
        return (DecisionField("", values[0].reshape(shape)),)
    if model.form != PAIRS:
        return ()
    best = np.sort(np.argsort(-class_scores(model.codes, values), axis=1, kind="stable")[:, :2], axis=1)
    fields = []
    for entries, own in zip(model.codes.entries, values, strict=True):
        pair = np.flatnonzero(entries)
        here = (best == pair).all(axis=1)
        if here.any():
            name = " and ".join(model.classes[code] for code in pair)
            fields.append(DecisionField(name, np.where(here, own, np.nan).reshape(shape)))
    return tuple(fields)


def support(model: Machines, data: Table | None, shown: tuple[int, int]) -> Numbers | None:
    """Return the positions of support vectors: stored by a kernel machine, or rows within the margin of a linear one.

    Of machines of a class against the rest those of the own class count: the rows of a class between others are nearly
    always support vectors of the other machines. Each place is there once.
    """
    if isinstance(model.functions, KernelFunctions):
        places = [vector_numbers(model, position) for position in shown]
        if places[0] is None or places[1] is None:
            return None
        found = np.column_stack([places[0], places[1]])
        if model.form == REST:
            found = found[_own_vectors(model.functions, model.codes.entries)]
    elif data is not None and len(model):
        rows = _rows_in_margins(model, data)
        found = np.column_stack([data.numbers(position)[rows] for position in shown])
    else:
        return None
    return np.unique(found[np.isfinite(found).all(axis=1)], axis=0)


def _own_vectors(functions: KernelFunctions, entries: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Return which vectors are those of the machine of their own class."""
    own = np.zeros(functions.size, dtype=np.bool_)
    for machine, line in enumerate(entries):
        places, _ = functions.machine(machine)
        own[places] |= line[functions.labels[places]] > 0
    return own


def _rows_in_margins(model: Machines, data: Table) -> Rows:
    """Return the rows with y f <= 1 in a machine that was trained on their class."""
    codes = data.target_codes
    signs = np.where(codes >= 0, model.codes.entries[:, codes], 0)  # machines by rows
    if model.form == REST:
        signs = np.maximum(signs, 0)
    return np.flatnonzero(((signs != 0) & (signs * model.values(data) <= 1 + MARGIN)).any(axis=0))


def vector_numbers(model: Machines, position: int) -> Numbers | None:
    """Return a column's numbers of the support vectors; None if they are not kept, or the column is not in them."""
    functions = model.functions
    if not isinstance(functions, KernelFunctions) or functions.vectors is None:
        return None
    for (own, part), start in zip(model.design.used_blocks, model.design.starts, strict=False):
        if own == position and isinstance(part, NumberBlock):
            values = functions.vectors[:, [start]]
            return np.asarray(values if isinstance(values, np.ndarray) else values.toarray()).ravel()
    return None
