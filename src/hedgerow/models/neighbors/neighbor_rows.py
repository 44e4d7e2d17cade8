"""The rows nearest to an explained row, with their values next to its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.data.rows.row_values import MISSING, value_text
from hedgerow.data.table.table import Numbers, Rows, Table
from hedgerow.layout.names import format_level
from hedgerow.models.base.date_coefficients import format_column_number
from hedgerow.models.neighbors.distance import HAMMING
from hedgerow.models.neighbors.stored_columns import StoredLevels, StoredNeighborColumn, StoredNumbers
from hedgerow.models.neighbors.stored_rows import StoredRows

if TYPE_CHECKING:
    from hedgerow.models.neighbors.base import NeighborModel

MOST_ROWS = 10
MOST_COLUMNS = 50  # columns whose values are listed, those that differ most


def neighbor_rows(model: NeighborModel, table: Table) -> dict[str, Any] | None:
    """Return the neighbors of the only row of an aligned table as JSON values; None if only texts are compared."""
    stored_rows = model.kept
    positions = [at for at in stored_rows.columns if at not in stored_rows.text_columns]
    if not positions:
        return None
    indices, scores = stored_rows.nearest(
        stored_rows.prepare_queries(table), min(max(model.k, 1), MOST_ROWS, model.n_rows)
    )
    rows: Rows = indices[0].astype(np.int64)
    differs = np.array([_mean_distance_share(stored_rows, at, table, rows) for at in positions])
    shown = sorted(np.argsort(-differs, kind="stable")[:MOST_COLUMNS].tolist())
    names = [model.schema.names[positions[place]] for place in shown]
    return {
        "k": model.k,
        "columns": names,
        "more_columns": len(positions) - len(shown),
        "differs": [float(differs[place]) for place in shown],
        "values": [value_text(table, name) for name in names],
        "rows": [
            {
                "row": int(model.training_row_numbers(row)) + 1,
                "says": model.format_row_target(row),
                "distance": distance,
                "values": [_cell(model, positions[place], row) for place in shown],
            }
            for row, distance in zip(rows.tolist(), stored_rows.distances(scores)[0].tolist(), strict=True)
        ],
    }


def _mean_distance_share(stored_rows: StoredRows, at: int, table: Table, rows: Rows) -> float:
    """Return the mean contribution of a column to the distances of some rows."""
    one, weight = stored_rows.columns[at], float(stored_rows.how.weights[at])
    return weight * float(np.mean(_column_distances(stored_rows, at, one, table, rows)))


def _column_distances(stored_rows: StoredRows, at: int, one: StoredNeighborColumn, table: Table, rows: Rows) -> Numbers:
    if isinstance(one, StoredLevels):
        own = int(table.codes(at)[0])
        return np.where((one.codes[rows] == own) & (own >= 0), 0.0, 1.0)
    assert isinstance(one, StoredNumbers)
    values, number = one.values[rows], float(table.numbers(at)[0])
    if stored_rows.how.metric == HAMMING:
        return np.where(values == number, 0.0, 1.0)
    apart = np.abs(stored_rows.how.scale_numbers(at, values) - stored_rows.how.scale_numbers(at, np.array([number])))
    apart = np.minimum(np.where(np.isnan(apart), stored_rows.gap(at), apart), 1e100)
    return apart * apart if stored_rows.how.squares else apart


def _cell(model: NeighborModel, at: int, row: int) -> str:
    """Return a value of a row that is kept."""
    one, column = model.kept.columns[at], model.schema.columns[at]
    if isinstance(one, StoredLevels):
        code = int(one.codes[row])
        return MISSING if code < 0 else format_level(column.levels[code])
    assert isinstance(one, StoredNumbers)
    value = float(one.values[row])
    return MISSING if np.isnan(value) else format_column_number(column, value)
