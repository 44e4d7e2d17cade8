"""Nearest neighbors compared with trees in SciPy and scikit-learn, brute force, Intel's, and NumPy on a mixed table.

`python -m benchmarks neighbors`. 10,000 queries, the 5 nearest of 100,000 rows, exact for every program. Structures
are built before, except where stated. hedgerow includes everything that a user does: from an array or a table through
the estimator.
"""

from __future__ import annotations

from benchmarks.speed.timing import Beside

POINTS = """
import numpy as np
random = np.random.default_rng(1)
X, Q = random.uniform(size=(100_000, {columns})), random.uniform(size=(10_000, {columns}))
labels = np.arange(100_000) % 2
"""
OURS = """
import hedgerow
learner = hedgerow.KNN(scale="none", algorithm="{algorithm}").fit(X, labels)
learner.kneighbors(Q[:256])
"""
SCIPY = "from scipy.spatial import cKDTree\ntree = cKDTree(X)\n"
SKLEARN = """
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits
threadpool_limits(THREADS)
nearest = NearestNeighbors(n_neighbors=5, algorithm="{algorithm}", n_jobs=THREADS).fit(X)
"""
INTEL = """
from sklearnex import config_context
from sklearnex.neighbors import NearestNeighbors
from daal4py import daalinit
daalinit(THREADS)
nearest = NearestNeighbors(n_neighbors=5, algorithm="brute").fit(X)
"""
MIXED = """
import numpy as np, hedgerow
from benchmarks.speed.workloads import t1
columns = t1(110_000)
rows = hedgerow.Table.of({name: values[:100_000] for name, values in columns.items()}, "group")
asked = hedgerow.Table.of({name: values[100_000:] for name, values in columns.items()}, "group")
"""
MIXED_OURS = "model = hedgerow.KNN().train(rows)\nmodel.neighbors(asked.take(np.arange(256)))\n"
# One column at a time over all rows, contiguous: the fastest plain NumPy of several variants.
MIXED_NUMPY = """
model = hedgerow.KNN(algorithm="brute").train(rows)
numbers, codes = model.kept.mixed
codes = codes.astype(np.int8)
new_numbers, new_codes = model.kept.asked(model.aligned(asked)).others
def nearest(query):
    far = np.zeros(numbers.shape[1])
    for column, own in zip(numbers, new_numbers[:, query]):
        far += np.square(column - own)
    for column, own in zip(codes, new_codes[:, query]):
        far += column != own
    few = np.argpartition(far, 5)[:5]
    return few[np.lexsort((few, far[few]))]
"""


def main() -> None:
    """Print times and speedups."""
    for columns in (3, 10, 50):
        print(f"the 5 nearest of 100,000 uniform rows of {columns} columns, 10,000 queries")
        points(columns)
    print("the 5 nearest of 100,000 rows of the mixed table T1, 10,000 queries; NumPy: 500 queries, times 20")
    mixed()


def points(columns: int) -> None:
    """Print times of searches among points."""
    data = POINTS.format(columns=columns)
    query = "return learner.kneighbors(Q, return_distance=False)"
    theirs = "return nearest.kneighbors(Q, return_distance=False)"
    beside = Beside(facts=())
    for threads in (1, 2):
        how = {"setup": data + OURS.format(algorithm="auto"), "body": query, "repeats": 5}
        beside.measure("hedgerow", threads, ours=True, **how)
        if columns < 50:
            for name in ("kd_tree", "ball_tree", "brute"):
                made = data + OURS.format(algorithm=name)
                beside.measure(f"hedgerow {name}", threads, setup=made, body=query, repeats=3)
            beside.measure(
                "scipy cKDTree",
                threads,
                setup=data + SCIPY,
                body="return tree.query(Q, 5, workers=THREADS)[1]",
                repeats=5,
            )
            name = "kd_tree"
            beside.measure(
                f"scikit-learn {name}", threads, setup=data + SKLEARN.format(algorithm=name), body=theirs, repeats=2
            )
        brute = {"setup": data + SKLEARN.format(algorithm="brute"), "body": theirs, "repeats": 3}
        beside.measure("scikit-learn brute", threads, **brute)
        beside.measure("Intel brute", threads, module="sklearnex", setup=data + INTEL, body=theirs, repeats=3)
    built = "return hedgerow.KNN(scale='none').fit(X, labels).kneighbors(Q[:256])"
    beside.measure("building: hedgerow, 256 queries", 1, setup=data + "import hedgerow\n", body=built, repeats=3)
    if columns < 50:
        body = "return cKDTree(X)"
        beside.measure("building: scipy cKDTree", 1, setup=data + SCIPY.split("\n", 1)[0] + "\n", body=body, repeats=3)
    beside.finish()
    print()


def mixed() -> None:
    """Print times of searches in the mixed table."""
    beside = Beside(facts=())
    for threads in (1, 2):
        beside.measure(
            "hedgerow", threads, ours=True, setup=MIXED + MIXED_OURS, body="return model.neighbors(asked).rows"
        )
        body = "return [nearest(query) for query in range(500)]"
        beside.measure("NumPy by column, 500 queries", threads, setup=MIXED + MIXED_NUMPY, body=body, repeats=2)
    beside.finish()
