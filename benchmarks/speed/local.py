"""Local regression compared with NumPy and statsmodels: `python -m benchmarks local`."""

from __future__ import annotations

from importlib.util import find_spec

from benchmarks.speed.timing import Timed, table, timed

CURVE = """
import numpy as np
random = np.random.default_rng(1)
n = {rows}
X = random.uniform(size=(n, {columns}))
y = np.sin(6 * X[:, 0]) + X.sum(axis=1) + random.normal(0, 0.1, n)
Q = random.uniform(size=(2000, {columns}))
"""
TABLE = """
import hedgerow
names = [f"c{i}" for i in range(X.shape[1])]
rows = hedgerow.Table.of({**dict(zip(names, X.T)), "y": y}, "y")
asked = hedgerow.Table.of(dict(zip(names, Q.T)))
model = hedgerow.LocallyWeighted(bandwidth=0.05, scale="none").train(rows)
near = hedgerow.LocallyWeighted(n_neighbors=100, bandwidth=0.5, scale="none").train(rows)
"""
NUMPY = """
ones = np.ones((len(X), 1))
full = np.hstack([ones, X])
squares = np.square(X).sum(axis=1)
def local(q, h):
    w = np.exp(-np.maximum(squares - 2 * X @ q + q @ q, 0) / (2 * h * h))
    weighed = full * w[:, None]
    return np.concatenate([[1.0], q]) @ np.linalg.solve(weighed.T @ full, weighed.T @ y)
"""


def main() -> None:
    """Print times and speedups."""
    print("2,000 local fits to 20,000 rows, 3 columns, Gaussian weights, sigma 0.05")
    table(fits(), against=["NumPy, all rows"], ours="hedgerow")
    print()
    if find_spec("statsmodels"):
        print("loess of one column, 5,000 rows, the 250 nearest of each; of KernelReg 500 rows")
        table(smooths(), against=["statsmodels lowess"], ours="hedgerow")


def fits() -> list[tuple[str, Timed]]:
    """Return times of local fits."""
    data = CURVE.format(rows=20_000, columns=3)
    all_rows = timed(data + NUMPY, "return float(sum(local(q, 0.05) for q in Q))", repeats=1)
    return [
        ("NumPy, all rows", all_rows),
        ("hedgerow", timed(data + TABLE, "return float(model.predict(asked).sum())")),
        ("hedgerow, the 100 nearest", timed(data + TABLE, "return float(near.predict(asked).sum())")),
    ]


def smooths() -> list[tuple[str, Timed]]:
    """Return times of smoothing one column."""
    data = CURVE.format(rows=5_000, columns=1)
    lowess = "from statsmodels.nonparametric.smoothers_lowess import lowess\n"
    kernel = "from statsmodels.nonparametric.kernel_regression import KernelReg\n"
    made = TABLE.replace("neighbors=100, bandwidth=0.5", 'weight="tricube", neighbors=250, bandwidth=1')
    regression = "return float(KernelReg(y[:500], X[:500], 'c', bw=[0.05]).fit(Q[:500])[0].sum())"
    return [
        (
            "statsmodels lowess",
            timed(data + lowess, "return float(lowess(y, X[:, 0], frac=0.05, it=0, return_sorted=False).sum())"),
        ),
        ("statsmodels KernelReg, 500 rows", timed(data + kernel, regression, repeats=1)),
        ("hedgerow", timed(data + made, "return float(near.predict(rows).sum())")),
    ]
