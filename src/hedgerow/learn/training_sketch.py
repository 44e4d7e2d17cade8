"""The sketch of training rows, which a model keeps so that it can recognize them (`data/rows/row_sketch.py`).

Only models that are kept get one: not the members of ensembles, nor models that are trained to be tested once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from hedgerow.data.rows.hashing import hash_rows
from hedgerow.data.rows.row_sketch import Counts, RowSketch, RowSketcher
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Table
from hedgerow.learn.sampling import are_copy_counts

_enabled: ContextVar[bool] = ContextVar("sketches of training rows", default=True)


@contextmanager
def without_sketches() -> Iterator[None]:
    """Train models without sketches inside, also in threads started there by `map_in_order`."""
    token = _enabled.set(False)
    try:
        yield
    finally:
        _enabled.reset(token)


def are_sketches_enabled() -> bool:
    """Return whether a model that is trained here keeps a sketch of its training rows."""
    return _enabled.get()


def sketch_rows(table: Table) -> RowSketch:
    """Return the sketch of the rows of a table, in which all columns count."""
    sketcher = RowSketcher()
    sketcher.add(hash_rows(table), row_counts(table))
    return sketcher.sketch()


def row_counts(table: Table) -> Counts | None:
    """Return how many rows every row stands for: its weight, if all weights are whole; None if each is one row.

    The weight of a bag is not such a number: it is often the number of rows in the bag.
    """
    has_bags = any(column.kind is Kind.BAG for column in table.schema.columns)
    if table.weights is None or has_bags or not are_copy_counts(table.weights):
        return None
    return table.weights.astype(np.int64)
