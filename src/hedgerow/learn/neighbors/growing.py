"""Adding rows to models that store them: the model of all rows, and the search tree with the new rows added."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.bags.align import align
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Table, concatenate
from hedgerow.errors import UsageError
from hedgerow.models.neighbors.row_search import BALL_TREE, KD_TREE
from hedgerow.models.neighbors.stored_rows import StoredRows


def has_texts(schema: Schema) -> bool:
    """Return whether there are columns of texts."""
    return any(column.kind is Kind.TEXT for column in schema.columns)


def check_no_texts(schema: Schema) -> None:
    """Raise an error if there are texts, whose term weights depend on the number of texts."""
    if has_texts(schema):
        raise UsageError(
            "partial_fit cannot weight terms before the number of texts is known: fit all rows at once instead"
        )


def join_tables(before: Table, more: Table, schema: Schema) -> Table:
    """Return the rows of both with a schema that has the levels of both."""
    return concatenate([align(table, schema).table for table in (before, more)])


def reuse_trees(before: StoredRows, after: StoredRows) -> None:
    """Reuse the search trees of old rows, extended by the new ones, if the old rows have not changed.

    A number beyond the range so far changes how all are scaled, and a tree that is twice as deep as it needs to be is
    better rebuilt (M242): then nothing is reused, and the tree is built when it is needed.
    """
    if not _same_layout(before, after):
        return
    for algorithm, name in ((KD_TREE, "kd_tree"), (BALL_TREE, "ball_tree")):
        if name in vars(before):
            tree = before.search.extend_tree(before.tree(algorithm), after.mixed)
            if tree is not None:
                vars(after)[name] = tree
                if "quickest" in vars(before):
                    vars(after)["quickest"] = before.quickest


def _same_layout(before: StoredRows, after: StoredRows) -> bool:
    """Return whether the old rows are unchanged and come before the new ones."""
    if not before.n_rows or before.how.metric != after.how.metric or before.search != after.search:
        return False
    same = list(before.columns) == list(after.columns) and all(
        np.array_equal(one, other) for one, other in zip(before.distance[1:], after.distance[1:], strict=True)
    )
    return same and _begins(after.mixed[0], before.mixed[0]) and _begins(after.mixed[1], before.mixed[1])


def _begins(longer: NDArray[Any], shorter: NDArray[Any]) -> bool:
    """Return whether columns begin with the rows of others."""
    own = longer[:, : shorter.shape[1]]
    return own.shape == shorter.shape and np.array_equal(own, shorter, equal_nan=own.dtype.kind == "f")
