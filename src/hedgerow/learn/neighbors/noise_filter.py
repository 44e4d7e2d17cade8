"""Leaving out noisy rows: those whose neighbors predict another class (M037).

D. L. Wilson, Asymptotic properties of nearest neighbor rules using edited data. IEEE Transactions on Systems, Man and
Cybernetics 2 (1972); repeated: I. Tomek, An experiment with the edited nearest-neighbor rule, ibid. 6 (1976).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hedgerow.data.table.table import Rows, Table
from hedgerow.models.neighbors.neighbors import Neighbors

NO, ONCE, REPEAT = EDITS = ("no", "once", "repeat")
MOST_ROUNDS = 100


def agreeing(model: Neighbors, table: Table) -> Rows:
    """Return the rows of a model whose class is predicted by the other rows; `table` contains these rows."""
    rows = np.arange(model.n_rows, dtype=np.int32)
    codes = model.leave_one_out_predictions(table, rows, np.array([float(model.k)]))[1][:, 0]
    return np.flatnonzero(codes == model.labels)


def filter_rows(table: Table, learn: Callable[[Table], Neighbors], repeat: bool) -> tuple[Rows, list[str]]:
    """Return which rows are kept, and notes on the others."""
    stay: Rows = np.arange(table.n_rows)
    for _ in range(MOST_ROUNDS if repeat else 1):
        some = table.take(stay)
        agree = agreeing(learn(some), some)
        if not len(agree):
            return stay, ["the neighbors of every row have another class: no row is removed as noisy"]
        if len(agree) == len(stay):
            break
        stay = stay[agree]
    gone = table.n_rows - len(stay)
    notes = [f"{gone} of {table.n_rows} rows were removed as noisy: their neighbors have another class"] if gone else []
    lost = set(np.unique(table.target_codes).tolist()) - set(np.unique(table.target_codes[stay]).tolist())
    if lost:
        levels = table.schema.target_column.levels
        names = ", ".join(repr(levels[code]) for code in sorted(lost))
        notes.append(f"this removes all rows of {names}, which will never be predicted")
    return stay, notes
