"""Perceptron and Winnow: passes over 1 million rows with 50 columns and over texts, compared with scikit-learn."""

from __future__ import annotations

from benchmarks.speed.timing import table, timed

PASSES = 10
DATA = """
import numpy as np, warnings
warnings.simplefilter("ignore")
random = np.random.default_rng(1)
X = random.normal(size=(1_000_000, 50))
y = (X @ np.arange(50.0) + 50 * random.normal(size=len(X)) > 0).astype(np.int32)
"""
TABLE = """
import hedgerow
from hedgerow.data.table.schema import Column, Kind, Schema
columns = tuple(Column(f"c{i}", Kind.NUMERIC) for i in range(50)) + (Column("y", Kind.NOMINAL, ("no", "yes")),)
data = hedgerow.Table(Schema(columns, "y"), tuple(np.ascontiguousarray(c) for c in X.T) + (y,), len(y))
del X
"""
FLAGS = """
X = (X > 0).astype(np.float64)
"""
PEER = "from sklearn.linear_model import Perceptron\n"


def main() -> None:
    """Print times and speedups."""
    peer = f"return Perceptron(max_iter={PASSES}, tol=None, shuffle=False).fit(X, y).coef_"
    textbook = "variant='plain', standardize=False, shuffle=False"
    plain = f"return hedgerow.Perceptron(passes={PASSES}, {textbook}).train(data)"
    rows = [
        ("scikit-learn Perceptron", timed(DATA + PEER, peer, repeats=1)),
        ("perceptron", timed(DATA + TABLE, plain)),
        ("perceptron, averaged", timed(DATA + TABLE, plain.replace("'plain'", "'averaged'"), repeats=1)),
        ("perceptron, pocket", timed(DATA + TABLE, plain.replace("'plain'", "'pocket'"), repeats=1)),
        ("perceptron, by default", timed(DATA + TABLE, f"return hedgerow.Perceptron(passes={PASSES}).train(data)")),
        ("winnow, on 0/1 columns", timed(DATA + FLAGS + TABLE, f"return hedgerow.Winnow(passes={PASSES}).train(data)")),
    ]
    table(rows, against=["scikit-learn Perceptron"], ours="perceptron")


if __name__ == "__main__":
    main()
