"""Importance: how much a model owes to each column."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.data.table import Table
from hedgerow.errors import UsageError
from hedgerow.learn.sampling import seed_number
from hedgerow.models.committee import Committee
from hedgerow.models.model import ClassModel
from hedgerow.models.tree import Tree


def impurity_importance(model: Tree | Committee) -> dict[str, float]:
    """Return by how much each column lowers Gini's index over all splits of a tree or forest, as shares of the sum.

    It costs nothing but favors columns with many values, and tells about training rows only.
    """
    shares = model.importance if isinstance(model, Tree | Committee) else None
    if shares is None:
        raise UsageError(f"impurity importance is that of trees; a model of kind {model.kind!r} has none")
    return {model.schema.columns[position].name: float(shares[position]) for position in model.schema.predictors}


def permutation_importance(model: ClassModel, table: Any, repeats: int = 5, random_state: Any = 1) -> dict[str, float]:
    """Return by how much the share of right rows falls when the values of a column are shuffled among the rows.

    For any model of classes, on rows with known classes; rows that it was not learned from tell what it owes to a
    column in prediction. It is the mean of so many shuffles; near 0, or below, the column does not matter.
    """
    rows = table if isinstance(table, Table) else None
    if rows is None or rows.schema.target is None:
        raise UsageError("permutation importance needs a Table with its target, such as hedgerow.read returns")
    if repeats < 1:
        raise UsageError(f"repeats={repeats} is not allowed: it must be a whole number of at least 1")
    aligned = model.aligned(rows)
    actual, weights = aligned.target, rows.row_weights
    random = np.random.default_rng(seed_number(random_state))

    def right(of: Table) -> float:
        return float(np.average(model.decide(of) == actual, weights=weights))

    whole = right(aligned)
    falls: dict[str, float] = {}
    for position in aligned.schema.predictors:
        lost = []
        for _ in range(repeats):
            shuffled = aligned.take(random.permutation(rows.n_rows)).values(position)
            data = (*aligned.data[:position], shuffled, *aligned.data[position + 1 :])
            lost.append(whole - right(Table(aligned.schema, data, rows.n_rows)))
        falls[aligned.schema.columns[position].name] = float(np.mean(lost))
    return falls
