"""100 trees on T1: random forest, bagging and boosting, compared with scikit-learn and Intel's oneDAL.

python -m benchmarks ensembles --only forest --threads 2
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.speed.contenders import ACCURACY, ARRAYS, TABLE, at, thread_counts
from benchmarks.speed.timing import Beside
from benchmarks.speed.workloads import WORKLOADS

SKLEARN = """
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier
"""
# Bagging would start separate processes, whose CPU time and memory are not visible here; its trees release the
# interpreter lock, so threads work as well.
IN_THREADS = """
import joblib
joblib.parallel_config(backend="threading")
"""
INTELEX = """
from sklearnex.ensemble import RandomForestClassifier
"""


@dataclass(frozen=True)
class Peer:
    """A program to compare with: its package, imports, and how to build it with MEMBERS trees."""

    name: str
    module: str
    imports: str
    build: str

    @property
    def has_threads(self) -> bool:
        """Whether the number of threads can be set."""
        return "THREADS" in self.build


FOREST = "RandomForestClassifier(MEMBERS, n_jobs=THREADS, random_state=1)"
BAGGING = "BaggingClassifier(DecisionTreeClassifier(), n_estimators=MEMBERS, n_jobs=THREADS, random_state=1)"
BOOSTING = "AdaBoostClassifier(DecisionTreeClassifier(max_depth=8), n_estimators=MEMBERS, random_state=1)"

# The learner of hedgerow, and the programs it is compared with.
CONTESTS = {
    "forest": (
        "hedgerow.RandomForest(n_estimators=MEMBERS)",
        [
            Peer("scikit-learn RandomForest", "sklearn", SKLEARN, FOREST),
            Peer("scikit-learn-intelex RandomForest", "sklearnex", INTELEX, FOREST),
        ],
    ),
    "bagging": (
        'hedgerow.Bagging(base="c45", n_estimators=MEMBERS)',
        [Peer("scikit-learn Bagging, full trees", "sklearn", SKLEARN + IN_THREADS, BAGGING)],
    ),
    "boosting": (
        'hedgerow.AdaBoost(base="c45", n_estimators=MEMBERS)',
        [Peer("scikit-learn AdaBoost, depth 8", "sklearn", SKLEARN, BOOSTING)],
    ),
    "boosting_at_depth_8": (
        "hedgerow.AdaBoost(base=hedgerow.C45(max_depth=8), n_estimators=MEMBERS)",
        [Peer("scikit-learn AdaBoost, depth 8", "sklearn", SKLEARN, BOOSTING)],
    ),
}


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks ensembles", description=__doc__.split("\n")[0])
    options.add_argument("--only", nargs="+", choices=CONTESTS, default=list(CONTESTS), help="ensembles to run")
    options.add_argument("--data", choices=WORKLOADS, default="t1-50k", help="table to use")
    options.add_argument("--members", type=int, default=100, help="number of trees")
    options.add_argument("--threads", nargs="+", type=int, default=thread_counts(), help="thread counts to measure")
    options.add_argument("--repeats", type=int, default=3, help="number of runs, of which the best counts")
    options.add_argument("--budget", type=float, default=10, help="start no further run after this many seconds")
    options.add_argument("--no-peers", action="store_true", help="run hedgerow only")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print a table for every ensemble."""
    chosen = parser().parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        WORKLOADS[chosen.data].prepare(Path(folder))
        for name in chosen.only:
            print(f"\n{name}, {chosen.members} trees on {chosen.data}")
            _compare(folder, name, chosen)


def _compare(folder: str, name: str, chosen: argparse.Namespace) -> None:
    how = {"repeats": chosen.repeats, "budget": chosen.budget, "facts": ACCURACY}
    where = at(folder) + f"MEMBERS = {chosen.members}\n"
    learner, peers = CONTESTS[name]
    lines = Beside(["accuracy"])
    for threads in chosen.threads:
        body = f"return {learner}.train(train)"
        lines.measure(f"hedgerow {name}", threads, ours=True, setup=where + TABLE, body=body, **how)
    for peer in [] if chosen.no_peers else peers:
        run = {"module": peer.module, "setup": where + ARRAYS + peer.imports, "body": f"return {peer.build}.fit(X, y)"}
        for threads in chosen.threads if peer.has_threads else [1]:
            lines.measure(peer.name, threads, **run, **how)
    lines.finish()
