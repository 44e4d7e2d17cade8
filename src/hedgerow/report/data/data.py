"""The report on a table: its columns, its classes, and suspicious columns."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Bags, Codes, Numbers, Table, Text, Values
from hedgerow.report.data.column_notes import ColumnFacts, column_notes, target_notes
from hedgerow.report.data.suspects import suspicions
from hedgerow.report.data.text_columns import text_notes, text_report
from hedgerow.report.draw.class_colors import NO_GROUPS, Groups, group_classes
from hedgerow.report.schema import ClassReport, ColumnReport, DataReport, HistogramReport, KindReport, LevelReport

MOST_LEVELS = 20
BINS = 12


def describe_report(table: Table, by_class: bool = False) -> DataReport:
    """Return a description of a table, column by column, with class shares and notes.

    With `by_class`, histograms and levels are also broken down by class.
    """
    groups = group_classes(table) if by_class else NO_GROUPS
    columns = [_column(table, position, groups) for position in range(len(table.schema))]
    classes = class_shares(table)
    facts = [ColumnFacts(one["name"], one["role"], one["missing"], one["distinct"] <= 1) for one in columns]
    missing = sum(column["missing"] for column in columns)
    return {
        "report": "data",
        "version": 1,
        "rows": len(table),
        "weight": table.total_weight,
        "target": table.schema.target,
        "missing": missing,
        "missing_share": missing / max(len(table) * len(columns), 1),
        "columns": columns,
        "classes": classes,
        "groups": list(groups.labels),
        "notes": [
            *column_notes(facts, len(table)),
            *text_notes(table, columns),
            *suspicions(table),
            *target_notes(facts, classes),
        ],
    }


def _column(table: Table, position: int, groups: Groups) -> ColumnReport:
    column, values = table.schema.columns[position], table.values(position)
    kind, missing = _by_kind(column, values, groups)
    ignored = "ignored" if column.ignored else "predictor"
    return {
        "name": column.name,
        "kind": str(column.kind),
        "role": "target" if column.name == table.schema.target else ignored,
        "ignored": column.ignored,
        "missing": missing,
        "missing_share": missing / max(len(table), 1),
        **kind,
    }


def _by_kind(column: Column, values: Values, groups: Groups) -> tuple[KindReport, int]:
    """Return the statistics of a column for its kind, and the number of missing values."""
    if isinstance(values, Text):
        return text_report(values), int(values.missing.sum())
    if isinstance(values, Bags):
        sizes = np.diff(values.offsets)
        return {"distinct": len(values), **_rows_inside(sizes)}, 0
    assert isinstance(values, np.ndarray)
    if column.kind is Kind.NOMINAL:
        codes: Codes = values.astype(np.int32, copy=False)
        return _nominal(column, codes, groups), int((codes < 0).sum())
    numbers: Numbers = values.astype(np.float64, copy=False)
    return _numeric(column, numbers, groups), int(np.isnan(numbers).sum())


def _rows_inside(sizes: np.ndarray[Any, Any]) -> KindReport:
    mean = float(sizes.mean()) if len(sizes) else float("nan")
    return {"mean_rows": mean, "max_rows": int(sizes.max(initial=0))}


def _nominal(column: Column, codes: Codes, groups: Groups) -> KindReport:
    counts = np.bincount(codes[codes >= 0], minlength=len(column.levels))
    order = np.argsort(-counts, kind="stable") if not column.ordered else np.arange(len(counts))
    shown = order[:MOST_LEVELS]
    levels: list[LevelReport] = [
        {"level": column.levels[code], "rows": int(counts[code]), "share": counts[code] / max(len(codes), 1)}
        for code in shown
    ]
    if groups.labels:
        divided = groups.table(codes, len(column.levels))[shown].tolist()
        levels = [{**level, "by_class": rows} for level, rows in zip(levels, divided, strict=True)]
    return {
        "distinct": int(np.count_nonzero(counts)),
        "n_levels": len(column.levels),
        "ordered": column.ordered,
        "levels": levels,
        "others": int(counts[order[MOST_LEVELS:]].sum()),
    }


def _numeric(column: Column, values: Numbers, groups: Groups) -> KindReport:
    known = np.isfinite(values)
    present = values[known]
    if not len(present):
        none = math.nan
        nothing: KindReport = {"min": none, "median": none, "mean": none, "standard_deviation": none, "max": none}
        return {"distinct": 0, **nothing, "histogram": None}
    low, high = float(present.min()), float(present.max())
    with np.errstate(over="ignore", invalid="ignore"):
        deviation = float(present.std(ddof=1)) if len(present) > 1 else float("nan")
        mean, median = float(present.mean()), float(np.median(present))
    report: KindReport = {
        "distinct": len(np.unique(present)),
        "min": low,
        "median": median,
        "mean": mean,
        "standard_deviation": deviation,
        "max": high,
        "histogram": _histogram(present, low, high, groups.take(known)),
    }
    if column.date is not None:
        report["earliest"], report["latest"] = _date(low), _date(high)
    return report


def _histogram(values: Numbers, low: float, high: float, groups: Groups) -> HistogramReport | None:
    if low == high or not np.isfinite(high - low):
        return None
    bins = BINS
    if high - low < 1e15 and (values == np.floor(values)).all():
        # Bins of whole numbers hold equally many of them, or the bars would tell of the bins.
        step = np.ceil((high - low + 1) / BINS)
        bins = int(np.ceil((high - low + 1) / step))
        low, high = low - 0.5, low - 0.5 + bins * step
    counts, _ = np.histogram(values, bins=bins, range=(low, high))
    found: HistogramReport = {"low": low, "high": float(high), "counts": counts.tolist()}
    if groups.labels:
        parts = (values[groups.codes == code] for code in range(len(groups.labels)))
        divided = [np.histogram(part, bins=bins, range=(low, high))[0].tolist() for part in parts]
        found["by_class"] = [list(one) for one in zip(*divided, strict=True)]
    return found


def _date(seconds: float) -> str:
    try:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, ValueError):
        return "?"


def class_shares(table: Table) -> list[ClassReport]:
    """Return the classes with their rows and weights; none if the target is no class."""
    if table.schema.target is None or table.schema.target_column.kind is not Kind.NOMINAL:
        return []
    codes = table.codes(table.schema.index(table.schema.target))
    known, levels = codes >= 0, table.schema.target_column.levels
    rows = np.bincount(codes[known], minlength=len(levels))
    weights: np.ndarray[Any, Any] = np.bincount(codes[known], table.row_weights[known], len(levels))
    total = weights.sum() or 1
    return [
        {
            "label": label,
            "rows": int(rows[code]),
            "weight": float(weights[code]),
            "share": weights[code] / total,
        }
        for code, label in enumerate(levels)
    ]
