"""The training table in a few numbers: rows, columns, the target, and notes on what is odd about them."""

from __future__ import annotations

import numpy as np

from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Table
from hedgerow.report.data.column_notes import training_notes
from hedgerow.report.data.data import class_shares
from hedgerow.report.schema import TrainingDataReport


def training_data(table: Table) -> TrainingDataReport:
    """Return the size of a training table, its target and notes."""
    schema = table.schema
    used = len(schema.predictors)
    classes = class_shares(table)
    report: TrainingDataReport = {
        "rows": len(table),
        "columns": used,
        "left_out": len(schema) - 1 - used,
        "classes": classes,
        "notes": training_notes(table, classes),
    }
    if table.weights is not None and len(table) and np.ptp(table.weights) > 0:
        report["weight"] = table.total_weight
    if schema.target_column.kind is Kind.NUMERIC:
        values = table.numbers(schema.index(schema.target_column.name))
        known = values[np.isfinite(values)]
        if len(known):
            with np.errstate(over="ignore"):
                report |= {"mean": float(known.mean()), "low": float(known.min()), "high": float(known.max())}
    return report
