"""Soft labels: rows that belong to several classes by fractions, given as P(class given row)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.design.class_counts import ColumnCounts, Counts
from hedgerow.data.frames.objects import is_frame
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.data.text.class_terms import ClassRows
from hedgerow.errors import DataError
from hedgerow.learn.bayes.plan import OtherColumns, text_columns
from hedgerow.learn.passes import InMemoryEngine
from hedgerow.learn.prepare import usable_rows, usable_schema
from hedgerow.models.base.model import Model
from hedgerow.models.bayes.term_factor import TermFactor

if TYPE_CHECKING:
    from hedgerow.learn.bayes.naive_bayes import NaiveBayes

NEAR = 1e-6  # maximum deviation of the sum of a row's shares from 1


def soft_labels(y: Any, n_rows: int) -> tuple[NDArray[Any], Numbers] | None:
    """Return the classes of soft labels and the share of each in every row; None if `y` is something else.

    A frame, or an array of two dimensions and two columns or more: one column per class, named as in the frame, or by
    its number.
    """
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if len(shape) != 2 or shape[1] < 2:
        return None
    values = np.asarray(y)
    if values.dtype.kind not in "bfiu" and not is_frame(y):
        return None  # lists of words are not shares; the next check raises the error
    try:
        shares = values.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError("the class probabilities must be numbers, with one column per class") from None
    names = getattr(y, "columns", None)
    classes = np.arange(shape[1]) if names is None else np.array(list(names), dtype=object)
    if names is not None and all(isinstance(name, int) for name in classes):
        classes = classes.astype(np.int64)
    check_shares(shares, n_rows, shape[1])
    return classes, shares


def check_shares(shares: Numbers, n_rows: int, n_classes: int) -> None:
    """Raise an error unless every row of shares sums to 1, or to 0 where no class is known."""
    if shares.shape != (n_rows, n_classes):
        raise DataError(
            f"the class probabilities have the shape {' by '.join(map(str, shares.shape))}, but there are {n_rows} "
            f"rows and {n_classes} classes"
        )
    if not np.isfinite(shares).all() or (shares < 0).any():
        raise DataError(
            "Input y contains NaN, infinity or a negative probability; every row needs the probabilities of its classes"
        )
    sums = shares.sum(axis=1)
    wrong = np.flatnonzero((np.abs(sums - 1) > NEAR) & (sums != 0))
    if len(wrong):
        raise DataError(
            f"the class probabilities in row {wrong[0]} sum to {sums[wrong[0]]:g}; they must sum to 1, and row "
            "weights must be passed as sample_weight"
        )


def likeliest(shares: Numbers) -> Codes:
    """Return the class with the largest share of every row, the first of equals; -1 where there is none."""
    return np.where(shares.sum(axis=1) > 0, shares.argmax(axis=1), -1).astype(np.int32)


def repeat_rows_by_class(table: Table, members: ClassRows) -> Table:
    """Return every row once per class with a share in it, with that share as its weight; texts are left out."""
    columns = table.schema.columns
    target = table.schema.target_column
    used = {columns[position].name for position in table.schema.predictors if columns[position].kind is not Kind.TEXT}
    others = table.select(name for name in table.schema.names if name in used or name == target.name)
    picked = replace(others, weights=None).take(members.rows).with_weights(members.shares)
    return picked.with_column(target, members.classes.astype(np.int32))


@dataclass(frozen=True)
class SoftModel:
    """The model of soft labels, the counts it was computed from if in one pass, and their schema."""

    model: Model
    counts: Counts | None
    schema: Schema


def soft_model(learner: NaiveBayes, table: Table, shares: Numbers) -> SoftModel:
    """Return the model of a table whose rows belong to the classes by shares."""
    table, notes, kept = _usable(learner, table, shares)
    members = ClassRows.soft(shares[kept] * table.row_weights[:, None])
    once, plan = repeat_rows_by_class(table, members), learner.plan(table.schema)
    others = InMemoryEngine(once).total(OtherColumns(learner.plan(once.schema)))
    result: dict[str, ColumnCounts | None] = dict(zip(once.schema.names, others.columns, strict=True))
    columns = [result.get(name) for name in table.schema.names]
    factors: dict[int, TermFactor | None] = {}
    for position in text_columns(table.schema):
        assert plan.texts is not None
        text = table.texts(position)
        if plan.is_single_pass:
            columns[position] = plan.texts.counts(text, members)
        else:
            factors[position] = plan.texts.learn_factor(text, members)
    counts = Counts(table.n_rows, others.classes, tuple(columns))
    model = cast("Model", plan.advance(counts)) if plan.is_single_pass else plan.model(counts, factors)
    result_model = learner.add_explanation(model, table, notes)
    return SoftModel(result_model, counts if plan.is_single_pass else None, table.schema)


def _usable(learner: NaiveBayes, table: Table, shares: Numbers) -> tuple[Table, list[str], Rows]:
    """Return the usable rows and columns, notes on the others, and the positions of these rows."""
    target = table.schema.target_column
    schema, notes = usable_schema(table.schema, learner.accepted_kinds())
    table = table.with_column(target, likeliest(shares)).select(schema.names)
    numbers = np.arange(table.n_rows, dtype=np.float64)
    numbered, more = usable_rows(table.with_column(Column(f"row of {target.name}", Kind.NUMERIC), numbers))
    kept = numbered.numbers(len(schema)).astype(np.int64)
    return numbered.select(schema.names), [*notes, *more], kept
