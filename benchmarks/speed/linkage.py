"""Hierarchical clustering compared with fastcluster and SciPy: 10,000 points, 10 columns, one thread, the same heights.

`python -m benchmarks linkage`. fastcluster's `linkage_vector` has linear memory; SciPy has no such function. Group
average is only in hedgerow.
"""

from __future__ import annotations

from importlib.util import find_spec

from benchmarks.speed.timing import Timed, table, timed

POINTS = """
import numpy as np
X = np.random.default_rng(1).normal(size=({rows}, {columns}))
weights = np.ones(len(X))
from hedgerow import _kernels
"""
VECTORS = ("single", "ward", "centroid")
MATRICES = ("complete", "average")
CALLS = {
    "single": "_kernels.link_tree(X, False)",
    "ward": "_kernels.link_centers(X, weights, True)",
    "centroid": "_kernels.link_centers(X, weights, False)",
    "complete": "_kernels.link_pairs(X, weights, False, 1, False, THREADS)",
    "average": "_kernels.link_pairs(X, weights, False, 2, False, THREADS)",
    "group": "_kernels.link_pairs(X, weights, False, 4, False, THREADS)",
}


def main() -> None:
    """Print times and speedups."""
    for linkage in CALLS:
        print(f"{linkage} linkage, 10,000 x 10; the result is the sum of the heights")
        peers = ["fastcluster", "scipy"] if linkage != "group" else []
        rows = contenders(linkage)
        table(rows, against=[peer for peer in peers if any(name == peer for name, _ in rows)], ours="hedgerow")
        print()


def contenders(linkage: str, rows: int = 10_000, columns: int = 10) -> list[tuple[str, Timed]]:
    """Return times of one linkage."""
    data = POINTS.format(rows=rows, columns=columns)
    heights = "np.sqrt(2 * heights)" if linkage == "ward" else "heights"  # as in the other programs
    ours = f"heights = {CALLS[linkage]}[2]\nreturn round(float({heights}.sum()), 6)"
    out = [("hedgerow", timed(data, ours, threads=1))]
    if linkage != "group" and find_spec("fastcluster"):
        call = "linkage_vector" if linkage in VECTORS else "linkage"
        peer = f"return round(float(fastcluster.{call}(X, method='{linkage}')[:, 2].sum()), 6)"
        out.insert(0, ("fastcluster", timed(data + "import fastcluster\n", peer, threads=1)))
    if linkage != "group":
        scipy = data + "from scipy.cluster.hierarchy import linkage\n"
        out.append(
            (
                "scipy",
                timed(scipy, f"return round(float(linkage(X, '{linkage}')[:, 2].sum()), 6)", threads=1, repeats=1),
            )
        )
    return out
