"""100 trees on T1: forest, bagging and boosting beside scikit-learn and Intel's oneDAL.

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
# Bagging would start processes of its own, whose CPU time and memory nobody could see here; its trees let go of the
# interpreter's lock, so that threads serve it as well.
IN_THREADS = """
import joblib
joblib.parallel_config(backend="threading")
"""
INTELEX = """
from sklearnex.ensemble import RandomForestClassifier
"""


@dataclass(frozen=True)
class Peer:
    """A contender: its package, what to import, how to build it with MEMBERS trees."""

    name: str
    module: str
    imports: str
    build: str

    @property
    def has_threads(self) -> bool:
        """Whether it can be told how many threads to use."""
        return "THREADS" in self.build


FOREST = "RandomForestClassifier(MEMBERS, n_jobs=THREADS, random_state=1)"
BAGGING = "BaggingClassifier(DecisionTreeClassifier(), n_estimators=MEMBERS, n_jobs=THREADS, random_state=1)"
BOOSTING = "AdaBoostClassifier(DecisionTreeClassifier(max_depth=8), n_estimators=MEMBERS, random_state=1)"

# Contest: our learner, and whom it meets.
CONTESTS = {
    "forest": (
        "hedgerow.RandomForest(n_members=MEMBERS)",
        [
            Peer("scikit-learn RandomForest", "sklearn", SKLEARN, FOREST),
            Peer("scikit-learn-intelex RandomForest", "sklearnex", INTELEX, FOREST),
        ],
    ),
    "bagging": (
        'hedgerow.Bagging(base="c45", n_members=MEMBERS)',
        [Peer("scikit-learn Bagging, full trees", "sklearn", SKLEARN + IN_THREADS, BAGGING)],
    ),
    "boosting": (
        'hedgerow.AdaBoost(base="c45", n_members=MEMBERS)',
        [Peer("scikit-learn AdaBoost, depth 8", "sklearn", SKLEARN, BOOSTING)],
    ),
    "boosting_at_depth_8": (
        "hedgerow.AdaBoost(base=hedgerow.C45(max_depth=8), n_members=MEMBERS)",
        [Peer("scikit-learn AdaBoost, depth 8", "sklearn", SKLEARN, BOOSTING)],
    ),
}


def parser() -> argparse.ArgumentParser:
    """Return the options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks ensembles", description=__doc__.split("\n")[0])
    options.add_argument("--only", nargs="+", choices=CONTESTS, default=list(CONTESTS), help="which ensembles")
    options.add_argument("--data", choices=WORKLOADS, default="t1-50k", help="which table")
    options.add_argument("--members", type=int, default=100, help="how many trees")
    options.add_argument("--threads", nargs="+", type=int, default=thread_counts(), help="numbers of threads")
    options.add_argument("--repeats", type=int, default=3, help="best of how many")
    options.add_argument("--budget", type=float, default=10, help="begin no further repeat after so many seconds")
    options.add_argument("--no-peers", action="store_true", help="hedgerow alone")
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
