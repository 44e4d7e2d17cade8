"""Multiclass from binary classifiers compared with scikit-learn: time, and the memory of k models beyond the data.

python -m benchmarks many --only pairwise --rows 20000 --threads 1
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from benchmarks.speed.contenders import ACCURACY, thread_counts
from benchmarks.speed.timing import Beside

DATA = """
import numpy as np
random = np.random.default_rng(1)
centers = random.normal(0, 1, (CLASSES, COLUMNS))
y = random.integers(0, CLASSES, 2 * ROWS)
X = random.normal(0, 1.5, (2 * ROWS, COLUMNS)) + centers[y]
X, X_test, y, y_test = X[:ROWS].copy(), X[ROWS:].copy(), y[:ROWS], y[ROWS:]
def accuracy(model): return float((model.predict(X_test) == y_test).mean())
"""
OURS = """
import hedgerow
from sklearn.tree import DecisionTreeClassifier
names = [str(i) for i in range(CLASSES)]
def table(X, y):
    columns = {f"c{i}": np.ascontiguousarray(c) for i, c in enumerate(X.T)}
    return hedgerow.Table.of(columns | {"y": [names[i] for i in y]}, "y", {"y": names})
data, test = table(X, y), table(X_test, y_test)
def accuracy(model): return float((model.decide(test) == test.target).mean())
"""
PEERS = """
import joblib
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.tree import DecisionTreeClassifier
joblib.parallel_config(backend="threading")
"""
OUR_TREE = "hedgerow.CART(prune='none')"  # since scikit-learn's trees are not pruned
TREE = "DecisionTreeClassifier(random_state=1)"
# hedgerow with its own trees, hedgerow with scikit-learn's trees, and scikit-learn.
CONTESTS = {
    "one_vs_rest": (
        "hedgerow.OneVsRest(base=BASE)",
        f"OneVsRestClassifier({TREE}, n_jobs=THREADS)",
    ),
    "pairwise": (
        "hedgerow.Pairwise(base=BASE)",
        f"OneVsOneClassifier({TREE}, n_jobs=THREADS)",
    ),
    "output_codes": (
        "hedgerow.OutputCodes(base=BASE, codes='dense')",
        f"OutputCodeClassifier({TREE}, code_size=3.3, random_state=1, n_jobs=THREADS)",
    ),
}


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks many", description=__doc__.split("\n")[0])
    options.add_argument("--only", nargs="+", choices=CONTESTS, default=list(CONTESTS), help="learners to run")
    options.add_argument("--rows", type=int, default=50_000, help="number of training rows, and of test rows")
    options.add_argument("--columns", type=int, default=30, help="number of numeric columns")
    options.add_argument("--classes", type=int, default=10, help="number of classes")
    options.add_argument("--threads", nargs="+", type=int, default=thread_counts(), help="thread counts to measure")
    options.add_argument("--repeats", type=int, default=3, help="number of runs, of which the best counts")
    options.add_argument("--budget", type=float, default=10, help="start no further run after this many seconds")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print a table for every learner, and first the size of the columns, for comparison with the growth of memory."""
    chosen = parser().parse_args(arguments)
    where = f"ROWS, COLUMNS, CLASSES = {chosen.rows}, {chosen.columns}, {chosen.classes}\n" + DATA
    how = {"repeats": chosen.repeats, "budget": chosen.budget, "facts": ACCURACY}
    print(
        f"{chosen.rows:,} rows, {chosen.classes} classes: {chosen.rows * chosen.columns * 8 / 2**20:.0f} MB of numbers"
    )
    for name in chosen.only:
        ours, theirs = CONTESTS[name]
        print(f"\n{name}")
        lines = Beside(["accuracy"])
        for threads in chosen.threads:
            for title, base, is_ours in (
                ("hedgerow, cart without pruning", OUR_TREE, True),
                ("hedgerow, scikit-learn's tree", TREE, False),
            ):
                body = f"return {ours.replace('BASE', base)}.train(data)"
                lines.measure(title, threads, ours=is_ours, setup=where + OURS, body=body, **how)
            body = f"return {theirs}.fit(X, y)"
            lines.measure("scikit-learn", threads, module="sklearn", setup=where + PEERS, body=body, **how)
        lines.finish()
