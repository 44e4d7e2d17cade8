"""Least absolute deviations compared with quantile regression in scikit-learn (fewer rows) and statsmodels."""

from __future__ import annotations

from benchmarks.speed.timing import absent, table, timed

DATA = """
import numpy as np
random = np.random.default_rng(1)
X = random.normal(size=({rows}, 20))
y = X @ np.arange(20.0) + random.standard_t(3, size=len(X))
def cost(errors):
    return float(np.abs(errors).sum())
"""
OURS = """
import hedgerow
data = hedgerow.Table.of({f"c{i}": np.ascontiguousarray(c) for i, c in enumerate(X.T)} | {"y": y}, "y")
"""
PEERS = {
    "scikit-learn QuantileRegressor": (
        "sklearn",
        "from sklearn.linear_model import QuantileRegressor\n",
        "return QuantileRegressor(quantile=0.5, alpha=0, solver='highs').fit(X, y)",
        "dict(cost=cost(y - result.predict(X)))",
    ),
    "statsmodels QuantReg": (
        "statsmodels",
        "import statsmodels.api as sm\nX1 = sm.add_constant(X)\n",
        "return sm.QuantReg(y, X1).fit(0.5)",
        "dict(cost=cost(y - X1 @ result.params))",
    ),
}


def main() -> None:
    """Print times, speedups and the sums of absolute errors."""
    for rows, slow in ((5_000, True), (100_000, False), (1_000_000, False)):
        data, train = DATA.replace("{rows}", str(rows)), "return hedgerow.LeastAbsolute(digits=15).train(data)"
        facts = "dict(cost=cost(y - result.predict(data)))"
        found = [("hedgerow", timed(data + OURS, train, facts=facts))]
        for name, (module, setup, body, told) in PEERS.items():
            if absent(module) or (module == "sklearn" and not slow) or (rows > 100_000):
                continue
            found.append((name, timed(data + setup, body, repeats=1, facts=told)))
        print(f"\n{rows:,} rows of 20 columns")
        table(found, against=[name for name, _ in found[1:]], ours="hedgerow")
        for name, one in found:
            print(f"{name:34} sum of absolute errors {one.facts['cost']:.9g}")
