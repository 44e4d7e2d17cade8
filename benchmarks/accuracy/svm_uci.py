"""Support vector machines compared with libsvm and Weka's SMO on UCI data sets.

python -m benchmarks svm_uci --sets iris vote
First with a Gaussian kernel and C=1: decision values of every pair of classes compared with those of scikit-learn's SVC
(libsvm) on the same matrix, solved to 1e-6; the goals are differences within 1e-3 and the same predictions in 99.9 % of
rows. If votes tie, libsvm chooses the first class, and SVC(break_ties=True) the one with the larger sum
of decision values, as hedgerow does: `libsvm` is compared with the former, `ties` with the latter. Then linear
SVMs on numbers scaled to [0, 1], the default of Weka's SMO: errors in stratified 10-fold cross-validation compared with
those in `weka_reference.csv` (one cross-validation). Weka replaces missing values by the mean or the most frequent
level. A negative difference means that hedgerow has the lower error.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.weka_logistic import our_error, weka_errors, whole
from benchmarks.speed.timing import absent
from benchmarks.speed.workloads import shared
from hedgerow import SVM, Table

TEN = ("breast-w", "credit-a", "credit-g", "diabetes", "glass", "heart-c", "iris", "sonar", "vehicle", "vote")
CLOSE, SAME = 1e-3, 0.999
SMO = SVM(kernel="linear", scale="range", classes="pairs", probabilities="none", random_state=1)


class Beside(NamedTuple):
    """The agreement of two SVMs: the largest difference of decision values, and proportions of equal predictions."""

    apart: float
    libsvm: float  # chooses the first class if votes tie
    ties: float  # if votes tie, the larger sum of decision values
    vectors: tuple[int, int]


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks svm_uci", description=__doc__.split("\n")[0])
    options.add_argument("--sets", nargs="+", default=list(TEN), help="data sets to run; all: those that Weka has")
    options.add_argument("--C", type=float, nargs="+", default=[1.0], help="values of C for the comparison with libsvm")
    options.add_argument("--tolerance", type=float, help="tolerance of hedgerow's SVM (default: that of the learner)")
    options.add_argument("--runs", type=int, default=3, help="number of cross-validations, each with its own seed")
    options.add_argument("--only", choices=("libsvm", "weka"), help="run only one of the two parts")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print both comparisons, one line per data set."""
    chosen = parser().parse_args(arguments)
    if not (shared() / "weka_reference.csv").is_file():
        print("skipped: data sets not found (set HEDGEROW_SHARED to their folder)")
        return
    smo = weka_errors("SMO")
    sets = list(smo) if chosen.sets == ["all"] else chosen.sets
    tables = {name: whole(next((shared() / "uci").glob(f"{name}.arff*"))) for name in sets}
    if chosen.only != "weka":
        if absent("sklearn"):
            print("beside libsvm: skipped, scikit-learn is not installed")
        else:
            print_libsvm(tables, chosen.C, chosen.tolerance)
    if chosen.only != "libsvm":
        print_weka(tables, smo, chosen.runs)


def print_libsvm(tables: dict[str, Table], costs: Sequence[float], tolerance: float | None) -> None:
    """Print the agreement of decision values and predictions with libsvm's, and where a goal is missed."""
    print(f"{'set':16} {'C':>6} {'apart':>9} {'libsvm':>8} {'ties':>8} {'vectors':>8} {'SVC':>6}")
    missed: dict[str, list[str]] = {"decision values": [], "libsvm": [], "break_ties=True": []}
    for name, table in tables.items():
        for cost in costs:
            found = beside_libsvm(table, cost, tolerance)
            ours, theirs = found.vectors
            shares = f"{found.libsvm:8.2%} {found.ties:8.2%}"
            print(f"{name:16} {cost:6g} {found.apart:9.1e} {shares} {ours:8,} {theirs:6,}", flush=True)
            good = found.apart <= CLOSE, found.libsvm >= SAME, found.ties >= SAME
            for own, is_good in zip(missed.values(), good, strict=True):
                own += [] if is_good else [f"{name} (C={cost:g})"]
    goals = f"decision values within {CLOSE:g}", *(f"{SAME:.1%} as {how}" for how in ("libsvm", "SVC(break_ties=True)"))
    for goal, names in zip(goals, missed.values(), strict=True):
        print(f"{goal}: {'missed on ' + ', '.join(names) if names else 'met on all sets'}")
    print()


def beside_libsvm(table: Table, cost: float, tolerance: float | None) -> Beside:
    """Return the agreement of hedgerow's SVMs with those of SVC on the same points."""
    from sklearn.svm import SVC

    learner = SVM(kernel="rbf", C=cost, tol=tolerance, probabilities="none", random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model: Any = learner.train(table)
    known = table.take(np.flatnonzero(table.target_codes >= 0))
    points = model.functions.kernel_rows(model.design, model.align(known))
    labels = known.target_codes
    gamma = model.functions.kernel.gamma
    peer = SVC(C=cost, gamma=gamma, tol=1e-6, cache_size=500, decision_function_shape="ovo")
    peer.fit(points, labels, sample_weight=known.weights)
    ours, theirs = model.values(known), decision_values(peer, points)
    said = model.decide(known)
    libsvm = float((said == peer.predict(points)).mean())
    peer.set_params(decision_function_shape="ovr", break_ties=True)
    ties = float((said == peer.predict(points)).mean())
    return Beside(float(np.abs(ours - theirs).max()), libsvm, ties, (model.size, int(peer.n_support_.sum())))


def decision_values(peer: Any, points: Any) -> NDArray[np.float64]:
    """Return SVC's decision values in hedgerow's form: one row per pair of classes, positive for the second one."""
    found = peer.decision_function(points)
    return found[None, :] if found.ndim == 1 else -found.T  # of two classes the second is positive, of more the first


def print_weka(tables: dict[str, Table], smo: dict[str, float], runs: int) -> None:
    """Print hedgerow's errors and those of Weka's SMO."""
    print(f"{'set':16} {'Weka SMO':>9} {'ours':>7} {'differ':>7} {'s':>6}")
    gaps = {}
    for name, table in tables.items():
        start = time.perf_counter()
        ours = our_error(SMO, table, runs)
        gaps[name] = ours - smo.get(name, np.nan)
        seconds = time.perf_counter() - start
        print(f"{name:16} {smo.get(name, np.nan):9.2f} {ours:7.2f} {gaps[name]:+7.2f} {seconds:6.1f}", flush=True)
    known = [gap for gap in gaps.values() if not np.isnan(gap)]
    if known:
        print(
            f"mean difference {np.mean(known):+.2f} points over {len(known)} sets, largest {max(known, key=abs):+.2f}"
        )
