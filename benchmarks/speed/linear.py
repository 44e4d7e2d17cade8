"""Least squares on 1 million rows with 50 columns, compared with NumPy's normal equations and scikit-learn."""

from __future__ import annotations

from benchmarks.speed.timing import table, timed

DATA = """
import numpy as np
random = np.random.default_rng(1)
X = random.normal(size=(1_000_000, 50))
y = X @ np.arange(50.0) + random.normal(size=len(X))
"""
# NumPy gets a matrix that already has the column of ones; hedgerow starts from a Table.
NUMPY = DATA + "X = np.column_stack([np.ones(len(X)), X])\n"
TABLE = """
import hedgerow
from hedgerow.data.table.schema import Column, Kind, Schema
columns = tuple(Column(f"c{i}", Kind.NUMERIC) for i in range(50)) + (Column("y", Kind.NUMERIC),)
data = hedgerow.Table(Schema(columns, "y"), tuple(np.ascontiguousarray(c) for c in X.T) + (y,), len(y))
del X
"""


def main() -> None:
    """Print times and speedups."""
    normal = "return np.linalg.solve(X.T @ X, X.T @ y)"
    peer = "from sklearn.linear_model import LinearRegression\n"
    train = "return hedgerow.LinearRegression().train(data)"
    rows = [
        ("NumPy, normal equations", timed(NUMPY, normal)),
        ("scikit-learn LinearRegression", timed(DATA + peer, "return LinearRegression().fit(X, y).coef_", repeats=1)),
        ("hedgerow", timed(DATA + TABLE, train)),
        ("hedgerow, one thread", timed(DATA + TABLE, train, threads=1)),
        ("NumPy, one thread", timed(NUMPY, normal, threads=1)),
    ]
    table(rows, against=["NumPy, normal equations", "scikit-learn LinearRegression"], ours="hedgerow")
    print(f"memory beyond the data: {dict(rows)['hedgerow'].grown:.0f} MB (goal: under 100)")
