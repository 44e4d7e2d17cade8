"""Predicting a million rows of T1 with one tree and with a forest of 100 trees, compared with scikit-learn.

Every program predicts with its own model of T1-50k. C4.5's pruned tree is much smaller than scikit-learn's, which
makes prediction faster, so an unpruned tree is measured, too.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.speed.contenders import ARRAYS, TABLE, at, thread_counts
from benchmarks.speed.timing import Beside
from benchmarks.speed.workloads import Workload, t1

OUR_FACTS = '{{"accuracy": float((result == test.target).mean()), "leaves": {leaves}}}'
PEER_FACTS = '{{"accuracy": float((result == y_test).mean()), "leaves": {leaves}}}'
TREE_LEAVES = "int((model.nodes.columns < 0).sum())"

# hedgerow (name, learner, its leaves), then scikit-learn (name, import, model, its leaves).
CONTESTS = {
    "tree": (
        ("hedgerow C45", "hedgerow.C45()", TREE_LEAVES),
        (
            "scikit-learn, 20 rows per leaf",
            "from sklearn.tree import DecisionTreeClassifier",
            "DecisionTreeClassifier(min_samples_leaf=20, random_state=1)",
            "int(model.get_n_leaves())",
        ),
    ),
    "large tree": (
        ("hedgerow C45, unpruned", 'hedgerow.C45(prune="none", mdl=False)', TREE_LEAVES),
        (
            "scikit-learn, unpruned",
            "from sklearn.tree import DecisionTreeClassifier",
            "DecisionTreeClassifier(random_state=1)",
            "int(model.get_n_leaves())",
        ),
    ),
    "forest": (
        ("hedgerow RandomForest", "hedgerow.RandomForest(n_estimators=MEMBERS)", "None"),
        (
            "scikit-learn RandomForest",
            "from sklearn.ensemble import RandomForestClassifier",
            "RandomForestClassifier(MEMBERS, n_jobs=THREADS, random_state=1)",
            "sum(int(tree.get_n_leaves()) for tree in model.estimators_)",
        ),
    ),
}


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks tree_predict", description=__doc__.split("\n")[0])
    options.add_argument("--only", nargs="+", choices=CONTESTS, default=list(CONTESTS), help="models to run")
    options.add_argument("--rows", type=int, default=1_000_000, help="number of rows to predict")
    options.add_argument("--members", type=int, default=100, help="number of trees in the forest")
    options.add_argument("--threads", nargs="+", type=int, default=thread_counts(), help="thread counts to measure")
    options.add_argument("--repeats", type=int, default=5, help="number of runs, of which the best counts")
    options.add_argument("--budget", type=float, default=10, help="start no further run after this many seconds")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print a table for every kind of model."""
    chosen = parser().parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        Workload(50_000, chosen.rows, t1).prepare(Path(folder))
        for name in chosen.only:
            print(f"\n{name}: predicting {chosen.rows:,} rows")
            _compare(folder, name, chosen)


def _compare(folder: str, name: str, chosen: argparse.Namespace) -> None:
    how = {"repeats": chosen.repeats, "budget": chosen.budget}
    where = at(folder) + f"MEMBERS = {chosen.members}\n"
    (ours, learner, our_leaves), (peer, imports, build, leaves) = CONTESTS[name]
    lines = Beside()
    setup = f"{where}{TABLE}model = {learner}.train(train)"
    facts = OUR_FACTS.format(leaves=our_leaves)
    for threads in chosen.threads:
        lines.measure(ours, threads, ours=True, setup=setup, body="return model.decide(test)", facts=facts, **how)
    setup = f"{where}{ARRAYS}{imports}\nmodel = {build}.fit(X, y)"
    facts = PEER_FACTS.format(leaves=leaves)
    for threads in chosen.threads if "THREADS" in build else [1]:
        run = {"setup": setup, "body": "return model.predict(X_test)", "facts": facts}
        lines.measure(peer, threads, module="sklearn", **run, **how)
    lines.finish()
