"""Predictions of linear models for 1 million rows with 50 columns, compared with scikit-learn; and from file to file.

python -m benchmarks linear_predict
All models have the same coefficients, so that only predictions are measured. scikit-learn starts from a
matrix in memory, hedgerow from a Table. Memory is what the predictions need beyond the data.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.speed.timing import absent, table, timed

DATA = """
import numpy as np
random = np.random.default_rng(1)
X = random.normal(size=(1_000_000, 50))
slopes, intercepts = random.normal(size=({functions}, 50)) / 10, random.normal(size={functions})
"""
TABLE = """
import hedgerow
from hedgerow.data.design.design import Design
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.models.linear.linear import Linear
from hedgerow.models.linear.linear_classes import LinearClasses
k = {classes}
y = Column("y", Kind.NOMINAL, tuple(f"c{{i}}" for i in range(k))) if k else Column("y", Kind.NUMERIC)
schema = Schema(tuple(Column(f"c{{i}}", Kind.NUMERIC) for i in range(50)) + (y,), "y")
target = np.full(len(X), -1, dtype=np.int32) if k else np.full(len(X), np.nan)
data = hedgerow.Table(schema, tuple(np.ascontiguousarray(c) for c in X.T) + (target,), len(X))
del X
design, none = Design.learn(data), np.empty(0, dtype=np.int32)
told = np.arange(k - len(slopes), k, dtype=np.int32)
model = LinearClasses(schema, design, told, intercepts, slopes) if k else Linear(schema, design, 0.5, slopes[0], none)
"""
PEER = """
from sklearn.linear_model import LinearRegression, LogisticRegression
k = {classes}
peer = LogisticRegression() if k else LinearRegression()
peer.coef_, peer.intercept_, peer.classes_ = (slopes, intercepts, np.arange(k)) if k else (slopes[0], 0.5, None)
"""


def main() -> None:
    """Print times and speedups."""
    for classes in (0, 2, 5, 20):
        functions = 1 if classes in (0, 2) else classes
        what = f"{classes} classes" if classes else "a number"
        print(f"\n{what}, {functions} {'function' if functions == 1 else 'functions'}")
        data, made = DATA.format(functions=functions), TABLE.format(classes=classes)
        ours = "return model.distribution(data)" if classes else "return model.predict(data)"
        theirs = "return peer.predict_proba(X)" if classes else "return peer.predict(X)"
        rows = [("hedgerow", timed(data + made, ours)), ("hedgerow, one thread", timed(data + made, ours, threads=1))]
        rows.append(("NumPy, X @ slopes.T alone", timed(data, "return X @ slopes.T")))
        if not absent("sklearn"):
            rows.append(("scikit-learn", timed(data + PEER.format(classes=classes), theirs)))
        table(rows, against=[name for name, _ in rows[2:]], ours="hedgerow")
        print("beyond the data, MB: " + ", ".join(f"{name} {one.grown:.0f}" for name, one in rows))
    from_files()


def from_files(rows: int = 200_000) -> None:
    """Print how long `hedgerow predict` takes from a CSV file to a CSV file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        script = f"""
import numpy as np, hedgerow
random = np.random.default_rng(1)
X = random.normal(size=({rows}, 50)).round(4)
y = np.where(X[:, 0] + random.normal(size=len(X)) > 0, "yes", "no")
names = [f"c{{i}}" for i in range(50)]
np.savetxt({str(folder / "new.csv")!r}, X, "%.4f", ",", header=",".join(names), comments="")
table = hedgerow.Table.of(dict(zip(names, X[:5000].T.tolist())) | {{"y": y[:5000].tolist()}}, "y")
hedgerow.Logistic().train(table).save({str(folder / "model.hedgerow")!r})
"""
        subprocess.run([sys.executable, "-c", script], check=True)
        size = (folder / "new.csv").stat().st_size / 1e6
        tool, model = str(Path(sys.executable).parent / "hedgerow"), str(folder / "model.hedgerow")
        start = time.perf_counter()
        subprocess.run([tool, "predict", model, str(folder / "new.csv"), "-o", str(folder / "out.csv")], check=True)
        print(f"\nhedgerow predict, {rows:,} rows x 50 from CSV ({size:.0f} MB): {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
