"""Linear classifiers compared with those of scikit-learn and Weka: errors on UCI data sets in percent.

python -m benchmarks linear_family --sets vote iris
Stratified 10-fold cross-validation without tuning. scikit-learn gets the same columns, standardized by the rows it
is trained on. Weka's results were measured with Weka 3.9 in November 2026 (VotedPerceptron; LWL with 50 neighbors and
naive Bayes).
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

import hedgerow
from benchmarks.accuracy.weka_logistic import our_error, weka_errors, whole
from benchmarks.speed.timing import absent
from benchmarks.speed.workloads import shared
from hedgerow import Table
from hedgerow.data.design.design import Design
from hedgerow.evaluate import splits

OURS: dict[str, Any] = {
    "Logistic": hedgerow.Logistic(),
    "Online": hedgerow.OnlineLinear(),
    "Perceptron": hedgerow.Perceptron(),
    "textbook's": hedgerow.Perceptron(variant="plain", standardize=False, shuffle=False),
    "Winnow": hedgerow.Winnow(),
    "balanced": hedgerow.Winnow(balanced=True),
    "Membership": hedgerow.MembershipRegression(),
    "Local": hedgerow.LocallyWeightedClassifier(),
}
# set: VotedPerceptron, LWL around naive Bayes
WEKA = {
    "breast-w": (9.16, 3.58),
    "credit-g": (30.00, 23.60),
    "credit-a": (35.65, 17.54),
    "diabetes": (33.20, 30.73),
    "vote": (5.29, 5.06),
    "sonar": (27.40, 12.02),
    "heart-c": (np.nan, 19.14),
    "labor": (31.58, 7.02),
    "kr-vs-kp": (5.13, 2.13),
    "iris": (34.67, 3.33),
    "glass": (64.49, 27.57),
    "vehicle": (67.38, 24.70),
}


def theirs() -> dict[str, Any]:
    """Return the corresponding scikit-learn classifiers."""
    from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier

    return {
        "LogisticR.": LogisticRegression(max_iter=1000),
        "SGD": SGDClassifier(loss="log_loss", random_state=1),
        "sk.Perc.": Perceptron(random_state=1),
        "Ridge": RidgeClassifier(alpha=1e-6),
    }


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks linear_family", description=__doc__.split("\n")[0])
    options.add_argument("--sets", nargs="+", choices=list(WEKA), default=list(WEKA), help="data sets to run")
    options.add_argument("--learners", nargs="+", choices=list(OURS), default=list(OURS), help="learners to run")
    options.add_argument("--runs", type=int, default=1, help="number of cross-validations, each with its own seed")
    options.add_argument("--no-peers", action="store_true", help="run hedgerow only")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print the errors, one line per data set, and their means."""
    chosen = parser().parse_args(arguments)
    if not (shared() / "uci").is_dir():
        print("skipped: data sets not found (set HEDGEROW_SHARED to their folder)")
        return
    peers = {} if chosen.no_peers or absent("sklearn") else theirs()
    weka = weka_errors("Logistic")
    names = [*chosen.learners, *peers, "W.Logistic", "W.Voted", "W.LWL"]
    print(f"{'set':12}" + "".join(f"{name:>11}" for name in names))
    lines = []
    for name in chosen.sets:
        table = whole(next((shared() / "uci").glob(f"{name}.arff*")))
        found = [our_error(OURS[learner], table, chosen.runs) for learner in chosen.learners]
        found += peer_errors(peers, table, chosen.runs)
        lines.append([*found, weka[name], *WEKA[name]])
        print(f"{name:12}" + "".join(f"{figure:11.2f}" for figure in lines[-1]), flush=True)
    print(f"{'mean':12}" + "".join(f"{figure:11.2f}" for figure in np.nanmean(lines, axis=0)))


def peer_errors(peers: dict[str, Any], table: Table, runs: int) -> list[float]:
    """Return the errors of scikit-learn's classifiers on the same folds and the same design matrix."""
    wrong = dict.fromkeys(peers, 0)
    target = table.target
    for seed in range(1, runs + 1):
        for split in splits.folds(target, 10, seed):
            old, new = table.take(split.train), table.take(split.test)
            design = Design.learn(old)
            pair = [dense(design.matrix(part)) for part in (old, new)]
            spread = pair[0].std(axis=0)
            means, spread = pair[0].mean(axis=0), np.where(spread > 0, spread, 1.0)
            scaled = [(part - means) / spread for part in pair]
            for name, peer in peers.items():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    said = peer.fit(scaled[0], target[split.train]).predict(scaled[1])
                wrong[name] += int((said != target[split.test]).sum())
    return [100 * count / len(target) / runs for count in wrong.values()]


def dense(matrix: Any) -> Any:
    """Return a dense matrix."""
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)
