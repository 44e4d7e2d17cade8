"""Bags: BagSummary and BagVote with several bases on musk1, elephant and fox: accuracy in percent.

python -m benchmarks bags --runs 10 --sets musk1 --bases c45
Ten stratified 10-fold cross-validations by default, bags never split, nothing tuned, all bags of weight 1. `mean` is
BagSummary with means alone, as Weka's SimpleMI replaces a bag; `summary` has mean, minimum and maximum; `regions`
counts instances in the leaves of a tree; `average` is BagVote, whose counterpart in Weka is MIWrapper, `instances` and
`vote` the same with total="instances". With HEDGEROW_WEKA naming weka.jar, Weka's J48 learns from the same means and
instances (their weights as in `instances`), on folds of the same kind.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import hedgerow
from benchmarks.accuracy.weka_logistic import weka_error
from benchmarks.speed.workloads import shared
from hedgerow import BagSummary, BagVote, Table
from hedgerow.data.bag_rows import Instances
from hedgerow.data.bag_summary import Summary
from hedgerow.evaluate.results import Results
from hedgerow.evaluate.splits import repeated_folds
from hedgerow.learn.bags.bag_learner import weighed

SETS = {  # file, the column that tells the bags, the class
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
WAYS: dict[str, Any] = {
    "mean": lambda base: BagSummary(base=base, numbers="mean"),
    "summary": lambda base: BagSummary(base=base),
    "regions": lambda base: BagSummary(base=base, numbers=None, levels=None, regions="leaves"),
    "average": lambda base: BagVote(base=base),
    "instances": lambda base: BagVote(base=base, total="instances"),
    "vote": lambda base: BagVote(base=base, total="instances", combine="vote"),
}


def parser() -> argparse.ArgumentParser:
    """Return the options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks bags", description=__doc__.split("\n")[0])
    options.add_argument("--runs", type=int, default=10, help="how many cross-validations, each with other folds")
    options.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS), help="which sets")
    options.add_argument("--bases", nargs="+", default=list(BASES), choices=list(BASES), help="which bases")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print a line a set and base: accuracy in percent, and its deviation over the runs, of every way."""
    chosen = parser().parse_args(arguments)
    if not (shared() / "multi_instance").is_dir():
        print("skipped: the data sets are not here (set HEDGEROW_SHARED to their folder)")
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
            mean, average = weka_means(table, chosen.runs), weka_instances(table, chosen.runs)
            print(f"{name:10} {'J48 of Weka':15} {mean:8.1f} {'':50} {average:8.1f}", flush=True)


def bags_of(name: str) -> Table:
    """Return a set as a table of bags, whose class is nominal."""
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
    """Return the share of bags that were classified rightly, in percent."""
    return 100 * float(np.mean(results.decided == results.actual))


def weka_means(table: Table, runs: int) -> float:
    """Return the accuracy of Weka's J48 on the means of the bags, which is what its SimpleMI learns from."""
    summary = Summary(numbers=("mean",)).table(table)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "means.arff"
        hedgerow.write(used(summary), path)
        return 100 - weka_error(path, runs, "trees.J48")


def weka_instances(table: Table, runs: int) -> float:
    """Return the accuracy of Weka's J48 on weighted instances, whose probabilities are averaged by bag."""
    classes, actual = table.schema.target_column.levels, table.target_codes
    hits = []
    with tempfile.TemporaryDirectory() as folder:
        train, test = Path(folder) / "train.arff", Path(folder) / "test.arff"
        for split in repeated_folds(actual, 10, runs, 1):
            part = table.take(split.train)
            hedgerow.write(used(weighed(Instances.of(part), part.row_weights, "instances")), train)
            found = Instances.of(table.take(split.test))
            hedgerow.write(used(found.table), test)
            shares = weka_shares(train, test, len(classes))
            bag = np.repeat(np.arange(len(split.test)), found.sizes)
            sums = np.stack([np.bincount(bag, shares[:, code]) for code in range(len(classes))], axis=1)
            hits.append(sums.argmax(axis=1) == actual[split.test])
    return 100 * float(np.concatenate(hits).mean())


def used(table: Table) -> Table:
    """Return the columns that learners use, and the target behind them."""
    schema = table.schema
    names = [schema.columns[position].name for position in schema.predictors]
    return table.select([*names, schema.target_column.name])


def weka_shares(train: Path, test: Path, n_classes: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the probability of every class (columns) that J48 gives each row of a file."""
    output = "weka.classifiers.evaluation.output.prediction.CSV -distribution"
    wanted = ["-t", str(train), "-T", str(test), "-classifications", output]
    command = ["java", "-cp", os.environ["HEDGEROW_WEKA"], "weka.classifiers.trees.J48", *wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [line.split(",") for line in done.stdout.splitlines() if line[:1].isdigit() and line.count(",") > n_classes]
    return np.array([[float(cell.lstrip("*")) for cell in row[-n_classes:]] for row in rows])
