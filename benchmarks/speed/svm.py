"""Support vector machines with a Gaussian kernel, compared with scikit-learn's SVC (libsvm) and Intel's (oneDAL).

python -m benchmarks svm --what t2 growth --rows 5000 10000
`t2` is 20,000 rows with 50 columns and five classes, trained and predicted; `growth` is the same table from 5,000 to
60,000 rows with one thread; `mnist` 60,000 digits of 784 pixels; `tuning` a grid of C and gamma with and without warm
starts. All programs have the same matrix, C and gamma, and compute no probabilities, as scikit-learn's SVC by default;
one line of hedgerow includes them. The goals: 3 x as fast as SVC, predictions as fast as oneDAL's.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from math import log

from benchmarks.accuracy.mnist import COST, GAMMA
from benchmarks.speed.timing import Beside, Timed, absent, timed
from benchmarks.speed.workloads import shared

WHAT = ("t2", "growth", "mnist", "tuning")
GROWTH = (5_000, 10_000, 20_000, 40_000, 60_000)
TEST = 20_000
T2 = """
import numpy as np
from benchmarks.speed.workloads import t2
columns = t2()
y_all = np.unique(columns.pop("group"), return_inverse=True)[1].astype(np.int32)
X_all = np.column_stack(list(columns.values()))
X, y = np.ascontiguousarray(X_all[:{rows}]), y_all[:{rows}]
X_test, y_test = np.ascontiguousarray(X_all[-{test}:]), y_all[-{test}:]
settings = dict(C=1.0, gamma=1 / (X.shape[1] * X.var()))
del columns, X_all
"""
MNIST = """
from benchmarks.accuracy.mnist import digits
(X, y), (X_test, y_test) = digits("train", {rows}), digits("t10k", {test})
settings = dict(C={cost}, gamma={gamma})
"""
TABLES = """
import hedgerow
from benchmarks.accuracy.mnist import table_of
train, test = table_of(X, y), table_of(X_test, y_test)
del X, X_test
learner = hedgerow.SVM(scale="none", probabilities="{chances}", cache="{cache}", random_state=1, **settings)
"""
PEER = """
from {module} import SVC
learner = SVC(cache_size={megabytes}, **settings)
"""
OURS = (
    "dict(accuracy=float((result.decide(test) == test.target_codes).mean()), vectors=result.size, "
    "violation=float(result.figures.violation.max()))"
)
THEIRS = "dict(accuracy=float((result.predict(X_test) == y_test).mean()), vectors=int(result.n_support_.sum()))"
PEERS = {"scikit-learn SVC": "sklearn.svm", "scikit-learn-intelex SVC": "sklearnex.svm"}


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks svm", description=__doc__.split("\n")[0])
    options.add_argument("--what", nargs="+", choices=WHAT, default=list(WHAT), help="parts to run")
    options.add_argument("--rows", type=int, nargs="+", help="number of training rows, instead of the default")
    options.add_argument("--test", type=int, default=TEST, help="rows to predict")
    options.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="thread counts to measure")
    options.add_argument("--repeats", type=int, default=3, help="number of runs, of which the best counts")
    options.add_argument("--no-peers", action="store_true", help="run hedgerow only")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print times for all programs."""
    chosen = parser().parse_args(arguments)
    if "t2" in chosen.what:
        rows = (chosen.rows or [20_000])[0]
        print(f"\nT2, {rows:,} rows of 50 columns, 5 classes")
        beside(T2.format(rows=rows, test=chosen.test), chosen, "512M", chosen.threads)
    if "growth" in chosen.what:
        growth(chosen)
    if "mnist" in chosen.what:
        mnist(chosen)
    if "tuning" in chosen.what:
        tuning((chosen.rows or [5_000])[0])


def beside(data: str, chosen: argparse.Namespace, cache: str, numbers: Sequence[int]) -> None:
    """Print training times, then prediction times."""
    megabytes = {"512M": 512, "2G": 2048}[cache]
    how = {"repeats": chosen.repeats, "budget": 300.0}
    ours = {chances: data + TABLES.format(chances=chances, cache=cache) for chances in ("none", "auto")}
    learning = Beside(("accuracy", "vectors"))
    for threads in numbers:
        work = {"body": "return learner.train(train)", "facts": OURS, **how}
        learning.measure("hedgerow", threads, ours=True, setup=ours["none"], **work)
        learning.measure("hedgerow with probabilities", threads, setup=ours["auto"], **work)
        for name, module in {} if chosen.no_peers else PEERS.items():
            setup = data + PEER.format(module=module, megabytes=megabytes)
            body = "return learner.fit(X, y)"
            learning.measure(
                name, threads, module=module.partition(".")[0], setup=setup, body=body, facts=THEIRS, **how
            )
    learning.finish()
    print("\npredictions of the test rows")
    predicting = Beside(())
    for threads in numbers:
        setup = ours["none"] + "model = learner.train(train)\n"
        predicting.measure("hedgerow", threads, ours=True, setup=setup, body="return model.decide(test)", **how)
        for name, module in {} if chosen.no_peers else PEERS.items():
            setup = data + PEER.format(module=module, megabytes=megabytes) + "model = learner.fit(X, y)\n"
            body = "return model.predict(X_test)"
            predicting.measure(name, threads, module=module.partition(".")[0], setup=setup, body=body, **how)
    predicting.finish()


def growth(chosen: argparse.Namespace) -> None:
    """Print the growth of times with the rows: the power of the rows from one line to the next."""
    sizes = sorted(chosen.rows or GROWTH)
    print("\nT2 with more rows, CPU seconds of one thread; the power of the rows that the time grows by")
    print(f"{'rows':>8} {'hedgerow s':>11} {'power':>6} {'SVC s':>9} {'power':>6} {'vectors':>9} {'peak MB':>8}")
    last: dict[str, tuple[int, float]] = {}

    def power(name: str, rows: int, one: Timed | None) -> str:
        if one is None:
            return f"{'':>6}"
        before = last.get(name)
        last[name] = rows, one.cpu
        return f"{log(one.cpu / before[1]) / log(rows / before[0]):6.2f}" if before else f"{'':>6}"

    for rows in sizes:
        data = T2.format(rows=rows, test=100)
        ours = timed(data + TABLES.format(chances="none", cache="512M"), "return learner.train(train)", 1, 1, OURS)
        peer = None
        if not chosen.no_peers and not absent("sklearn"):
            setup = data + PEER.format(module="sklearn.svm", megabytes=512)
            peer = timed(setup, "return learner.fit(X, y)", 1, 1)
        theirs = "" if peer is None else f"{peer.cpu:.3f}"
        print(
            f"{rows:8,} {ours.cpu:11.3f} {power('ours', rows, ours)} {theirs:>9} {power('SVC', rows, peer)} "
            f"{ours.facts['vectors']:9,} {ours.peak:8.0f}",
            flush=True,
        )


def mnist(chosen: argparse.Namespace) -> None:
    """Print the times for MNIST; SVC is run only once, since it takes minutes."""
    if not (shared() / "large" / "mnist").is_dir():
        print("MNIST: skipped, data sets not found (set HEDGEROW_SHARED to their folder)")
        return
    rows = (chosen.rows or [60_000])[0]
    print(f"\nMNIST, {rows:,} digits of 784 pixels, C={COST:g}, gamma={GAMMA:g}, 2 GB of cache")
    data = MNIST.format(rows=rows, test=min(chosen.test, 10_000), cost=COST, gamma=GAMMA)
    once = argparse.Namespace(**{**vars(chosen), "repeats": 1})
    beside(data, once, "2G", [max(chosen.threads)])


TUNE = """
import hedgerow
from hedgerow.evaluate import validate
if {alone}:
    validate.can_learn_together = lambda learners: False
tuned = hedgerow.tune(learner, {{"C": [0.1, 0.3, 1, 3, 10, 30], "gamma": [settings["gamma"] * f for f in (0.3, 1, 3)]}})
del settings["gamma"]
"""


def tuning(rows: int) -> None:
    """Print the times of a grid of 18 candidates, with and without warm starts, and of GridSearchCV."""
    print(f"\nT2, {rows:,} rows: 6 values of C and 3 of gamma, 5 folds, best wall")
    data = T2.format(rows=rows, test=100)
    lines = Beside(())
    work = {"body": "return tuned.choose(train).text", "repeats": 1}
    for name, alone in (("hedgerow, in one go", False), ("hedgerow, one after the other", True)):
        setup = data + TABLES.format(chances="auto", cache="512M") + TUNE.format(alone=alone)
        lines.measure(name, 1, ours=not alone, setup=setup, **work)
    setup = (
        data
        + PEER.format(module="sklearn.svm", megabytes=512)
        + (
            "from sklearn.model_selection import GridSearchCV\n"
            "grid = {'C': [0.1, 0.3, 1, 3, 10, 30], 'gamma': [settings['gamma'] * f for f in (0.3, 1, 3)]}\n"
            "search = GridSearchCV(learner, grid, cv=5)\n"
        )
    )
    lines.measure("GridSearchCV of SVC", 1, module="sklearn", setup=setup, body="return search.fit(X, y)", repeats=1)
    lines.finish()
