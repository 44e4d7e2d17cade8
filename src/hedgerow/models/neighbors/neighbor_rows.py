"""The rows nearest to an explained row, with their values next to its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.data.table.row_values import MISSING, value_text
from hedgerow.data.table.table import Numbers, Rows, Table
from hedgerow.layout.names import format_level
from hedgerow.models.base.date_coefficients import number_of
from hedgerow.models.neighbors.distance import HAMMING
from hedgerow.models.neighbors.stored_columns import KeptColumn, KeptLevels, KeptNumbers
from hedgerow.models.neighbors.stored_rows import KeptRows

if TYPE_CHECKING:
    from hedgerow.models.neighbors.base import NeighborModel

MOST_ROWS = 10
MOST_COLUMNS = 50  # columns whose values are listed, those that differ most


def neighbor_rows(model: NeighborModel, table: Table) -> dict[str, Any] | None:
    """Return the neighbors of the only row of an aligned table as JSON values; None if only texts are compared."""
    kept = model.kept
    told = [at for at in kept.columns if at not in kept.text_columns]
    if not told:
        return None
    found, scores = kept.nearest(kept.asked(table), min(max(model.k, 1), MOST_ROWS, model.n_rows))
    rows: Rows = found[0].astype(np.int64)
    differs = np.array([_added(kept, at, table, rows) for at in told])
    shown = sorted(np.argsort(-differs, kind="stable")[:MOST_COLUMNS].tolist())
    names = [model.schema.names[told[place]] for place in shown]
    return {
        "k": model.k,
        "columns": names,
        "more_columns": len(told) - len(shown),
        "differs": [float(differs[place]) for place in shown],
        "values": [value_text(table, name) for name in names],
        "rows": [
            {
                "row": int(model.numbered(row)) + 1,
                "says": model.said(row),
                "distance": distance,
                "values": [_cell(model, told[place], row) for place in shown],
            }
            for row, distance in zip(rows.tolist(), kept.distances(scores)[0].tolist(), strict=True)
        ],
    }


def _added(kept: KeptRows, at: int, table: Table, rows: Rows) -> float:
    """Return the mean contribution of a column to the distances of some rows."""
    one, weight = kept.columns[at], float(kept.how.weights[at])
    return weight * float(np.mean(_apart(kept, at, one, table, rows)))


def _apart(kept: KeptRows, at: int, one: KeptColumn, table: Table, rows: Rows) -> Numbers:
    if isinstance(one, KeptLevels):
        own = int(table.codes(at)[0])
        return np.where((one.codes[rows] == own) & (own >= 0), 0.0, 1.0)
    assert isinstance(one, KeptNumbers)
    values, number = one.values[rows], float(table.numbers(at)[0])
    if kept.how.metric == HAMMING:
        return np.where(values == number, 0.0, 1.0)
    apart = np.abs(kept.how.scaled(at, values) - kept.how.scaled(at, np.array([number])))
    apart = np.minimum(np.where(np.isnan(apart), kept.gap(at), apart), 1e100)
    return apart * apart if kept.how.squares else apart


def _cell(model: NeighborModel, at: int, row: int) -> str:
    """Return a value of a row that is kept."""
    one, column = model.kept.columns[at], model.schema.columns[at]
    if isinstance(one, KeptLevels):
        code = int(one.codes[row])
        return MISSING if code < 0 else format_level(column.levels[code])
    assert isinstance(one, KeptNumbers)
    value = float(one.values[row])
    return MISSING if np.isnan(value) else number_of(column, value)
