"""Suspicious columns: those that determine the target alone, near identifiers, and copies."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Kind, listing
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.layout.numbers import format_count, format_share

LEAST_ROWS = 50  # with fewer, chance makes columns look like leaks
MOST_ROWS = 20_000  # that are looked at, spread evenly over the table
BINS = 64
LEFT_OVER = 0.02  # of the errors of always saying the same: a leak leaves no more
EXPLAINED = 0.995  # of a number's variance
NEARLY_ALL = 0.9  # of the rows differ: nearly an identifier


def suspicions(table: Table, most_rows: int = MOST_ROWS) -> list[str]:
    """Return one sentence per suspicious column among those that learners use, as seen in at most so many rows."""
    most_rows = min(most_rows, MOST_ROWS)
    if len(table) < LEAST_ROWS:
        return []
    seen = table
    if len(table) > most_rows:
        seen = table.take(np.linspace(0, len(table) - 1, most_rows).astype(np.int64))
    columns = _compared_columns(seen)
    return [*_leaks(seen, columns), *_identifiers(seen, columns), *_copies(table, seen, columns)]


def _compared_columns(table: Table) -> list[int]:
    """Return the nominal and numeric columns that learners use."""
    return [
        position
        for position, column in enumerate(table.schema.columns)
        if column.kind in (Kind.NOMINAL, Kind.NUMERIC) and not column.ignored and column.name != table.schema.target
    ]


def _leaks(table: Table, columns: list[int]) -> list[str]:
    if table.schema.target is None:
        return []
    target = table.schema.target_column
    place = table.schema.index(target.name)
    if target.kind is Kind.NOMINAL:
        return _class_leaks(table, columns, table.codes(place), len(target.levels))
    return _number_leaks(table, columns, table.numbers(place)) if target.kind is Kind.NUMERIC else []


def _class_leaks(table: Table, columns: list[int], target: Codes, n_classes: int) -> list[str]:
    """Return the columns whose values alone determine the class of nearly every row, estimated by leave-one-out."""
    known = target >= 0
    weights = table.row_weights
    shares = np.bincount(target[known], weights[known], n_classes)
    total = shares.sum()
    if not total or shares.max() == total:
        return []
    base, notes = 1 - shares.max() / total, []
    for position in columns:
        values = _bin_column(table, position)
        cells = values[known].astype(np.int64) * n_classes + target[known]
        size = (int(values.max(initial=0)) + 1) * n_classes
        weight = np.bincount(cells, weights[known], size).reshape(-1, n_classes)
        rows = np.bincount(cells, minlength=size).reshape(-1, n_classes)
        best = weight.argmax(axis=1)
        row = np.arange(len(best))
        told = weight[row, best][rows[row, best] > 1].sum() / total  # a value seen once tells nothing of others
        if 1 - told <= LEFT_OVER * base:
            notes.append(
                _leak(table.schema.columns[position].name, f"determines the class of {format_share(told)} of the rows")
            )
    return notes


def _number_leaks(table: Table, columns: list[int], target: Numbers) -> list[str]:
    notes = []
    for position in columns:
        column = table.schema.columns[position]
        if column.kind is not Kind.NUMERIC:
            continue
        values = table.numbers(position)
        both = np.isfinite(values) & np.isfinite(target)
        if both.sum() < LEAST_ROWS or np.ptp(values[both]) == 0 or np.ptp(target[both]) == 0:
            continue
        with np.errstate(all="ignore"):
            square = float(np.corrcoef(values[both], target[both])[0, 1] ** 2)
        if square >= EXPLAINED:
            notes.append(_leak(column.name, f"explains {format_share(square)} of the target's variance"))
    return notes


def _leak(name: str, does: str) -> str:
    return (
        f"column {name!r} alone {does}: is it known before the target? If not, it leaks the target; --ignore {name} "
        "excludes it"
    )


def _identifiers(table: Table, columns: list[int]) -> list[str]:
    notes = []
    for position in columns:
        column = table.schema.columns[position]
        if column.kind is Kind.NOMINAL:
            codes = table.codes(position)
            present = codes[codes >= 0]
            distinct = len(np.unique(present))
            if len(present) >= LEAST_ROWS and distinct >= NEARLY_ALL * len(present):
                notes.append(
                    f"column {column.name!r} has {format_count(distinct)} different values in "
                    f"{format_count(len(present))} rows, which is nearly an identifier; --ignore {column.name} "
                    "excludes it"
                )
    return notes


def _copies(table: Table, seen: Table, columns: list[int]) -> list[str]:
    """Return columns with the same values under other names; a match on a sample is verified on all rows."""
    alike = _identical_columns(seen, columns)
    if seen is not table:
        alike = _identical_columns(table, [position for group in alike for position in group])
    return [
        f"columns {listing([table.schema.columns[one].name for one in group])} have the same values" for group in alike
    ]


def _identical_columns(table: Table, columns: list[int]) -> list[list[int]]:
    found: dict[bytes, list[int]] = {}
    for position in columns:
        kind = table.schema.columns[position].kind
        values: NDArray[Any] = (
            _renumber_by_appearance(table.codes(position)) if kind is Kind.NOMINAL else table.numbers(position)
        )
        if len(values) and not (values == values[0]).all() and not (values != values).all():
            same = blake2b(values.tobytes(), person=str(kind).encode()).digest()
            found.setdefault(same, []).append(position)
    return [group for group in found.values() if len(group) > 1]


def _renumber_by_appearance(codes: Codes) -> Codes:
    """Return codes renumbered in the order in which they first appear; missing stays -1."""
    levels, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(np.where(levels < 0, -1, first)))
    renumbered: Codes = (order - (levels[:1] < 0).any()).astype(np.int32)[inverse]
    return renumbered


def _bin_column(table: Table, position: int) -> NDArray[np.int64]:
    """Return a column as groups of rows: levels, or ranges of about equally many numbers; missing is a group too."""
    if table.schema.columns[position].kind is Kind.NOMINAL:
        return table.codes(position).astype(np.int64) + 1
    values = table.numbers(position)
    known = np.isfinite(values)
    if not known.any():
        return np.zeros(len(values), dtype=np.int64)
    distinct = np.unique(values[known])
    if len(distinct) > BINS:
        distinct = np.unique(np.quantile(values[known], np.linspace(0, 1, BINS + 1)[1:-1]))
    return np.where(known, np.searchsorted(distinct, values) + 1, 0)
