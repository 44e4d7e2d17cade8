"""The weights of columns in distances: given by users, or by their information about the target (M034)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hedgerow.data.table.schema import Kind, listing
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.errors import UsageError
from hedgerow.layout.rounding import round_digits
from hedgerow.models.neighbors.distance import MOST_WEIGHT


def column_weights(parameters: Mapping[str, Any] | None, table: Table, *, relevance: bool) -> Numbers:
    """Return the weight of every column of a table; the default is 1, or the column's relevance."""
    schema = table.schema
    counts = np.ones(len(schema))
    if relevance:
        for at in schema.predictors:
            if schema.columns[at].kind is not Kind.TEXT:
                counts[at] = round_digits(column_relevance(table, at))
    predictors = [schema.names[at] for at in schema.predictors]
    for name, value in (parameters or {}).items():
        if name not in predictors:
            raise UsageError(
                f"column_weights names {name!r}, which is not used for distances; the columns are {listing(predictors)}"
            )
        counts[schema.index(name)] = _weight(name, value)
    return counts


def _weight(name: str, value: Any) -> float:
    try:
        weight = float(value)
    except (TypeError, ValueError):
        weight = np.nan
    if not 0 <= weight <= MOST_WEIGHT:
        raise UsageError(f"column_weights of {name!r} is {value!r}: it must be a number from 0 to {MOST_WEIGHT:,.0f}")
    return weight


def column_relevance(table: Table, at: int) -> float:
    """Return the information of a column about the target, 0 to 1: the root of the explained share of squares.

    Of levels that is the share between them (the correlation ratio), of numbers that of a line; where the target is
    classes, each is a column of zeros and ones, and the squares of all are added up.
    """
    aims, weights = _aims(table), table.row_weights
    column = table.schema.columns[at]
    if column.kind is Kind.NOMINAL:
        codes = table.codes(at)
        return _explained_share(_means_by_level(codes, aims, weights), aims, weights, codes >= 0)
    values = table.numbers(at)
    known = ~np.isnan(values)
    if table.schema.target_column.kind is Kind.NOMINAL:
        return _correlation_ratio(values, table.target_codes, weights, known)
    return _explained_share(_line(values, aims, weights, known), aims, weights, known)


def _aims(table: Table) -> Numbers:
    """Return the target as columns of numbers: one per class, or one."""
    target = table.schema.target_column
    if target.kind is Kind.NUMERIC:
        return table.target_numbers[:, None]
    values = np.zeros((table.n_rows, len(target.levels)))
    values[np.arange(table.n_rows), table.target_codes] = 1.0
    return values


def _means_by_level(codes: Codes, aims: Numbers, weights: Numbers) -> Numbers:
    """Return the mean of each target column over the rows with a row's level."""
    at = np.where(codes < 0, codes.max(initial=0) + 1, codes)
    totals = np.bincount(at, weights)
    sums = np.column_stack([np.bincount(at, weights * aim) for aim in aims.T])
    means: Numbers = (sums / np.where(totals > 0, totals, 1.0)[:, None])[at]
    return means


def _line(values: Numbers, aims: Numbers, weights: Numbers, known: Any) -> Numbers:
    """Return the least squares line for each target column."""
    shares = np.where(known, weights, 0.0)
    shares = shares / max(float(shares.sum()), 1e-300)
    size = float(np.abs(values[known]).max(initial=0.0)) or 1.0
    own = np.where(known, values / size, 0.0)
    own = np.where(known, own - shares @ own, 0.0)
    means = shares @ aims
    variance = float(shares @ np.square(own))
    slopes = (shares * own) @ (aims - means) / variance if variance > 0 else np.zeros(aims.shape[1])
    return means + own[:, None] * slopes


def _correlation_ratio(values: Numbers, codes: Codes, weights: Numbers, known: Any) -> float:
    """Return the correlation ratio of numbers by class."""
    size = float(np.abs(values[known]).max(initial=0.0)) or 1.0
    own = np.where(known, values / size, 0.0)[:, None]
    return _explained_share(_means_by_level(np.where(known, codes, -1), own, weights), own, weights, known)


def _explained_share(values: Numbers, aims: Numbers, weights: Numbers, known: Any) -> float:
    """Return the root of the explained share of the squares of the target columns, among rows with a known value."""
    shares = np.where(known, weights, 0.0)
    total = float(shares.sum())
    if not total > 0:
        return 0.0
    shares = shares / total
    means = shares @ aims
    every = float(shares @ np.square(aims - means).sum(axis=1))
    left = float(shares @ np.square(aims - values).sum(axis=1))
    return float(np.sqrt(min(max(1 - left / every, 0.0), 1.0))) if every > 0 else 0.0
