"""Encoding: the columns of a table as one matrix of numbers, for estimators that accept nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Table

WIDE = 1000  # columns of a matrix; a wider one is sparse if its user takes that

Nominal = Literal["indicators", "codes"]


@dataclass(frozen=True, eq=False)
class Encoding:
    """How columns become numbers, learned from training rows alone.

    Parameters
    ----------
    fill
        The substitute for a missing number, one per predictor: its median in training. NaN if missing values are kept.
    nominal
        "indicators": a column of zeros and ones a level (one-hot), all zero where the value is missing.
        "codes": the level's number; a missing value is an additional last level, or NaN if missing values are kept.
    sparse
        Whether the matrix is sparse (CSR).
    """

    fill: tuple[float, ...]
    nominal: Nominal
    keeps_missing: bool
    sparse: bool

    def matrix(self, table: Table) -> Any:
        """Return the predictors of a table that has the columns of the one learned from."""
        schema = table.schema
        pairs = zip(schema.predictors, self.fill, strict=True)
        parts = [self._columns(schema.columns[at], table, at, fill) for at, fill in pairs]
        if not parts:
            parts = [np.zeros((table.n_rows, 1))]  # a learner must be given something
        if not self.sparse:
            return np.ascontiguousarray(np.concatenate(parts, axis=1))
        from scipy.sparse import csr_matrix, hstack

        return hstack([csr_matrix(part) for part in parts], format="csr")

    def _columns(self, column: Column, table: Table, at: int, fill: float) -> Any:
        if column.kind is Kind.NUMERIC:
            values = table.numbers(at)
            return np.where(np.isnan(values), fill, values)[:, None]
        codes = table.codes(at)
        if self.nominal == "indicators":
            return self._indicators(codes, len(column.levels))
        return np.where(codes < 0, np.nan if self.keeps_missing else len(column.levels), codes)[:, None]

    def _indicators(self, codes: Codes, n: int) -> Any:
        rows = np.flatnonzero(codes >= 0)
        if self.sparse:
            from scipy.sparse import csr_matrix

            return csr_matrix((np.ones(len(rows)), (rows, codes[rows])), shape=(len(codes), n))
        values = np.zeros((len(codes), n))
        values[rows, codes[rows]] = 1.0
        return values


def learn_encoding(table: Table, nominal: Nominal, keeps_missing: bool, takes_sparse: bool) -> Encoding:
    """Learn an encoding from the rows of a table; `keeps_missing` if its user can do with NaN."""
    schema = table.schema
    sparse = takes_sparse and _width(schema, nominal) > WIDE
    keeps_missing = keeps_missing and not sparse
    fill = tuple(
        np.nan if keeps_missing or schema.columns[at].kind is not Kind.NUMERIC else _median(table.numbers(at))
        for at in schema.predictors
    )
    return Encoding(fill, nominal, keeps_missing, sparse)


def nominal_positions(schema: Schema) -> list[int]:
    """Return the columns of a matrix of codes that contain levels."""
    return [place for place, at in enumerate(schema.predictors) if schema.columns[at].kind is Kind.NOMINAL]


def n_codes(schema: Schema) -> list[int]:
    """Return the number of codes of each column of a matrix of codes, including that of missing values."""
    return [len(schema.columns[at].levels) + 1 for at in schema.predictors]


def _median(values: Numbers) -> float:
    present = values[~np.isnan(values)]
    return float(np.median(present)) if len(present) else 0.0


def _width(schema: Schema, nominal: Nominal) -> int:
    columns = (schema.columns[at] for at in schema.predictors)
    return sum(len(c.levels) if c.kind is Kind.NOMINAL and nominal == "indicators" else 1 for c in columns)
