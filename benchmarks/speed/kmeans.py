"""k-means compared with scikit-learn's Lloyd and Elkan: 200,000 rows, 10 columns, k = 20 and 100, same initial centers.

python -m benchmarks kmeans --k 20 100 --threads 1 2
All programs start at the first k rows and use the same tolerance, so the sums of squared distances and the
iterations must agree. `blobs` are 60 round clusters that overlap; `uniform` has no clusters, the hardest case for
bounds. `hedgerow` is the learner from table to model with its profile, `kernel` the iterations alone, as `lloyd` calls
them, one line per algorithm. The goal: 3 x as fast as scikit-learn's Lloyd.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from benchmarks.speed.timing import Beside

DATA = """
import numpy as np
chance = np.random.default_rng(1)
n, d, k = {rows}, {columns}, {k}
if "{what}" == "uniform":
    X = chance.random((n, d))
else:
    X = chance.random((60, d))[chance.integers(0, 60, n)] + chance.normal(size=(n, d)) * 0.12
seeds = X[:k].copy()
tolerance = {tolerance}
"""
OURS = """
import hedgerow
table = hedgerow.Table.of({{f"x{{i}}": X[:, i].copy() for i in range(d)}})
learner = hedgerow.KMeans(centers=seeds, scale="none", max_iter={passes}, tol=tolerance)
"""
KERNEL = """
from hedgerow.learn.clusters.lloyd import lloyd
limit = tolerance * X.var(axis=0).mean()
"""
PEER = """
import warnings
from sklearn.cluster import KMeans
warnings.simplefilter("ignore")
learner = KMeans(k, init=seeds, n_init=1, max_iter={passes}, tol=tolerance, algorithm="{algorithm}")
"""


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks kmeans", description=__doc__.split("\n")[0])
    options.add_argument("--what", nargs="+", choices=["blobs", "uniform"], default=["blobs", "uniform"])
    options.add_argument("--rows", type=int, default=200_000)
    options.add_argument("--columns", type=int, default=10)
    options.add_argument("--k", type=int, nargs="+", default=[20, 100])
    options.add_argument("--passes", type=int, default=300, help="maximum number of iterations")
    options.add_argument("--tolerance", type=float, default=1e-4, help="as in scikit-learn; 0: until no row changes")
    options.add_argument("--ways", nargs="*", default=["bounds"], choices=["scan", "bounds", "tree"])
    options.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="thread counts to measure")
    options.add_argument("--repeats", type=int, default=3, help="number of runs, of which the best counts")
    options.add_argument("--peers", nargs="*", default=["lloyd"], choices=["lloyd", "elkan"])
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print times for all programs."""
    chosen = parser().parse_args(arguments)
    for what in chosen.what:
        for k in chosen.k:
            print(f"\n{what}, {chosen.rows:,} rows of {chosen.columns} columns, k = {k}")
            beside(what, k, chosen)


def beside(what: str, k: int, chosen: argparse.Namespace) -> None:
    """Print the times for one table."""
    data = DATA.format(what=what, k=k, rows=chosen.rows, columns=chosen.columns, tolerance=chosen.tolerance)
    how = {"repeats": chosen.repeats, "budget": 60.0}
    lines = Beside(("squares", "passes"))
    for threads in chosen.threads:
        facts = "dict(squares=round(result.total, 3), passes=result.passes)"
        setup = data + OURS.format(passes=chosen.passes)
        lines.measure(
            "hedgerow", threads, ours=True, setup=setup, body="return learner.train(table)", facts=facts, **how
        )
        for way in chosen.ways:
            body = f"return lloyd(X, None, seeds, {chosen.passes}, limit, {way!r})"
            lines.measure(f"kernel, {way}", threads, setup=data + KERNEL, body=body, facts=facts, **how)
        for algorithm in chosen.peers:
            setup = data + PEER.format(passes=chosen.passes, algorithm=algorithm)
            facts = "dict(squares=round(result.inertia_, 3), passes=result.n_iter_)"
            name = f"scikit-learn {algorithm}"
            lines.measure(
                name, threads, module="sklearn", setup=setup, body="return learner.fit(X)", facts=facts, **how
            )
    lines.finish()
