"""Importance: how much a model owes to each column."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.read import to_table
from hedgerow.data.table.table import Table, Values
from hedgerow.errors import UsageError
from hedgerow.layout.shown import ArrowTable
from hedgerow.learn.sampling import seed_number
from hedgerow.models.base.model import ClassModel, Model


class Importance(ArrowTable, dict[str, float]):
    """The importance of each column, by its name."""

    def to_arrow(self) -> Any:
        """Return the importances as an Arrow table, the largest first: column and importance."""
        from hedgerow.data.frames.arrow import columns_table

        names = sorted(self, key=lambda name: -self[name])
        return columns_table({"column": names, "importance": [self[name] for name in names]})


def impurity_importance(model: Model) -> Importance:
    """Return the total decrease of Gini impurity per column over all splits of a tree or forest, as shares of the sum.

    It is cheap, but it favors columns with many values and refers only to training rows. All values are 0 if there is
    no split.

    Examples
    --------
    >>> import hedgerow
    >>> shares = impurity_importance(hedgerow.C45().train(hedgerow.examples.loan()))
    >>> {name: round(share, 3) for name, share in shares.items() if share}
    {'Has_Job': 0.556, 'Own_House': 0.444}
    """
    if not isinstance(model, Model):
        raise UsageError(f"impurity importance is defined for trees; {_predicted_values(model)} has none")
    return Importance(model.importance())


def permutation_importance(model: ClassModel, table: Any, repeats: int = 5, random_state: Any = 1) -> Importance:
    """Return the decrease in accuracy when the values of a column are shuffled among the rows.

    For any classifier, on rows with known classes; unseen rows show the importance of a column for prediction. The
    result is the mean over `repeats` shuffles; near 0, or below, the column does not matter. A column that the model
    does not use has exactly 0.
    """
    if not isinstance(model, ClassModel):
        raise UsageError(f"permutation importance is defined for classifiers; {_predicted_values(model)} is not one")
    if isinstance(table, Table) and table.schema.target is None:
        raise UsageError("permutation importance needs a Table with its target, such as hedgerow.read returns")
    table = to_table(table, None if isinstance(table, Table) else model.schema.target)
    if not isinstance(repeats, int | np.integer) or repeats < 1:
        raise UsageError(f"repeats={repeats!r} is not allowed: it must be a whole number of at least 1")
    rows = model.align(table)
    rows = rows.take((rows.target_codes >= 0) & (table.row_weights > 0))
    if not rows.n_rows:
        raise UsageError("permutation importance needs rows whose class the model knows; there are none")
    random = np.random.default_rng(seed_number(random_state))
    whole = _right(model, rows)
    falls = Importance()
    for position in rows.schema.predictors:
        shares = [
            _right(model, _permute_column(rows, position, random.permutation(rows.n_rows))) for _ in range(repeats)
        ]
        falls[rows.schema.columns[position].name] = float(np.mean([whole - share for share in shares]))
    return falls


def _right(model: ClassModel, rows: Table) -> float:
    codes = model.decide_rows(rows)
    return float(np.average((codes == rows.target) & (codes >= 0), weights=rows.row_weights))


def _permute_column(rows: Table, position: int, order: NDArray[np.int64]) -> Table:
    values = rows.data[position]
    shuffled: Values = values[order] if isinstance(values, np.ndarray) else values.take(order)
    data = (*rows.data[:position], shuffled, *rows.data[position + 1 :])
    return replace(rows, data=data)


def _predicted_values(model: Any) -> str:
    return f"a model of kind {model.kind!r}" if isinstance(model, Model) else f"{type(model).__name__}"
