"""Multi-instance learning: accuracy of BagSummary and BagVote with several bases on musk1, elephant and fox.

python -m benchmarks bags --runs 10 --sets musk1 --bases c45
Ten stratified 10-fold cross-validations by default, without tuning, all bags of weight 1. `mean` is BagSummary with
means alone, as Weka's SimpleMI replaces a bag; `summary` has mean, minimum and maximum; `regions` counts instances in
the leaves of a tree; `average` is BagVote, whose counterpart in Weka is MIWrapper, `instances` and `vote` the same with
total="instances". If HEDGEROW_WEKA names the jar of Weka 3.6, which has multi-instance learners (later versions have
them in a package), its SimpleMI and MIWrapper are measured, too.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
import warnings
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import hedgerow
from benchmarks.accuracy.weka_logistic import weka_error
from benchmarks.speed.workloads import shared
from hedgerow import BagSummary, BagVote, Column, Kind, Table
from hedgerow.evaluate.results import Results

SETS = {  # file, bag column, class
    "musk1": ("musk1.arff.gz", "molecule_name", "Class"),
    "elephant": ("elephant.csv.gz", "bag", "label"),
    "fox": ("fox.csv.gz", "bag", "label"),
}
BASES: dict[str, Any] = {
    "c45": hedgerow.C45(),
    "naive_bayes": hedgerow.NaiveBayes(),
    "knn": hedgerow.KNN(),
    "logistic l2": hedgerow.Logistic(penalty="l2"),
    "svm linear": hedgerow.SVM(kernel="linear"),
    "svm rbf": hedgerow.SVM(),
    "random_forest": hedgerow.RandomForest(),
}
WEKA = {  # multi-instance learners and their options
    "SimpleMI": ("SimpleMI", "-M", "1"),
    "MIWrapper, weights add up to the instances": ("MIWrapper", "-P", "1", "-A", "3"),
    "MIWrapper, weights add up to the bags": ("MIWrapper", "-P", "1", "-A", "2"),
}
WEKA_BASES = ("trees.J48", "bayes.NaiveBayes")
WAYS: dict[str, Any] = {
    "mean": lambda base: BagSummary(base=base, numbers="mean"),
    "summary": lambda base: BagSummary(base=base),
    "regions": lambda base: BagSummary(base=base, numbers=None, levels=None, regions="leaves"),
    "average": lambda base: BagVote(base=base),
    "instances": lambda base: BagVote(base=base, total="instances"),
    "vote": lambda base: BagVote(base=base, total="instances", combine="vote"),
}


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks bags", description=__doc__.split("\n")[0])
    options.add_argument("--runs", type=int, default=10, help="number of cross-validations, each with different folds")
    options.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS), help="data sets to run")
    options.add_argument("--bases", nargs="+", default=list(BASES), choices=list(BASES), help="base learners to run")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print one line per data set and base: accuracy in percent and its standard deviation, for every method."""
    chosen = parser().parse_args(arguments)
    if not (shared() / "multi_instance").is_dir():
        print("skipped: data sets not found (set HEDGEROW_SHARED to their folder)")
        return
    print(f"{'set':10} {'base':15}" + "".join(f" {way:>14}" for way in WAYS) + f" {'s':>7}")
    for name in chosen.sets:
        table = bags_of(name)
        for title in chosen.bases:
            start = time.perf_counter()
            cells = [accuracy(make(BASES[title]), table, chosen.runs) for make in WAYS.values()]
            shown = "".join(f" {mean:8.1f} ±{spread:4.1f}" for mean, spread in cells)
            print(f"{name:10} {title:15}{shown} {time.perf_counter() - start:7.1f}", flush=True)
        if "HEDGEROW_WEKA" in os.environ:
            for title, base in product(WEKA, WEKA_BASES):
                found = weka_accuracy(table, chosen.runs, WEKA[title], base)
                print(f"{name:10} {base:18} {title:45} {found:8.1f}", flush=True)


def bags_of(name: str) -> Table:
    """Return a data set as a table of bags with a nominal class."""
    file, by, target = SETS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = shared() / "multi_instance" / file
        return hedgerow.read(path, target=target, kinds={target: "nominal"}, bag=by)


def accuracy(learner: Any, table: Table, runs: int) -> tuple[float, float]:
    """Return the mean accuracy of some cross-validations in percent, and its standard deviation over them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_run = [right(hedgerow.cross_validate(learner, table, seed=seed)) for seed in range(1, runs + 1)]
    return float(np.mean(by_run)), float(np.std(by_run, ddof=1)) if runs > 1 else 0.0


def right(results: Results) -> float:
    """Return the percentage of bags that were classified correctly."""
    return 100 * float(np.mean(results.decided == results.actual))


def weka_accuracy(table: Table, runs: int, how: Sequence[str], base: str) -> float:
    """Return the accuracy of a multi-instance learner of Weka with one of its classifiers, on Weka's own folds."""
    n = table.n_rows
    names = Column("bag id", Kind.NOMINAL, levels=tuple(f"b{bag}" for bag in range(n)))
    bag = next(column.name for column in table.schema.columns if column.kind is Kind.BAG)
    ready = table.with_column(names, np.arange(n, dtype=np.int32)).select(["bag id", bag, str(table.schema.target)])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bags.arff"
        hedgerow.write(ready, path)
        return 100 - weka_error(path, runs, f"mi.{how[0]}", [*how[1:], "-W", f"weka.classifiers.{base}"])
