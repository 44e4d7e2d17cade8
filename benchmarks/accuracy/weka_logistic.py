"""Logistic compared with Weka's Logistic on UCI data sets: errors in percent, stratified 10-fold cross-validation.

python -m benchmarks weka_logistic --runs 3 --sets labor vote
Weka's results are those in `weka_reference.csv`, one cross-validation each; if HEDGEROW_WEKA names weka.jar, Weka is
measured again, in the same number of runs. Weka's Logistic has a ridge of 1e-8 on standardized columns, one column per
level, and replaces missing values by the mean or the most frequent level. A negative difference means that hedgerow has
the lower error.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import subprocess
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy.weka import every_column
from benchmarks.speed.workloads import shared
from hedgerow import Logistic, Table, cross_validate, read
from hedgerow.evaluate.metrics.measures import error

WRONG = r"cross-validation ===.*?Incorrectly Classified Instances\s+\d+\s+([\d.]+)\s*%"
WIDE = 1.5  # points: data sets with a larger difference are listed


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks weka_logistic", description=__doc__.split("\n")[0])
    options.add_argument("--runs", type=int, default=3, help="number of cross-validations, each with its own seed")
    options.add_argument("--sets", nargs="+", help="data sets to run (default: all with a result of Weka)")
    options.add_argument("--l2", type=float, nargs="+", default=[], help="strengths of l2 in addition to the default")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print hedgerow's errors and Weka's for each data set, and the mean of the differences."""
    chosen = parser().parse_args(arguments)
    if not (shared() / "weka_reference.csv").is_file():
        print("skipped: data sets not found (set HEDGEROW_SHARED to their folder)")
        return
    weka = weka_errors("Logistic")
    learners: dict[str, Any] = {"ours": Logistic()}
    learners |= {f"l2={strength:g}": Logistic(penalty="l2", strength=strength) for strength in chosen.l2}
    print(f"{'set':16} {'Weka':>7}" + "".join(f" {name:>9} {'differ':>7} {'s':>6}" for name in learners))
    gaps: dict[str, dict[str, float]] = {name: {} for name in learners}
    for name in chosen.sets or [name for name, found in weka.items() if not np.isnan(found)]:
        path = next((shared() / "uci").glob(f"{name}.arff*"))
        table = whole(path)
        theirs = weka_error(path, chosen.runs) if "HEDGEROW_WEKA" in os.environ else weka.get(name, np.nan)
        line = f"{name:16} {theirs:7.2f}"
        for title, learner in learners.items():
            start = time.perf_counter()
            ours = our_error(learner, table, chosen.runs)
            gaps[title][name] = ours - theirs
            line += f" {ours:9.2f} {ours - theirs:+7.2f} {time.perf_counter() - start:6.1f}"
        print(line, flush=True)
    for title, found in gaps.items():
        known = {name: gap for name, gap in found.items() if not np.isnan(gap)}
        print(f"{title}: mean difference {np.mean(list(known.values())):+.2f} points over {len(known)} sets")
        worse = np.mean([max(gap, 0.0) for gap in known.values()])
        print(f"{title}: mean of the positive differences, with 0 for the others: {worse:.2f} points")
        wide = [f"{name} {gap:+.2f}" for name, gap in known.items() if abs(gap) > WIDE]
        print(f"{title}: differ by more than {WIDE} points: {', '.join(wide) or 'none'}")


def weka_errors(learner: str) -> dict[str, float]:
    """Return Weka's errors by data set; NaN if it did not finish in time."""
    with (shared() / "weka_reference.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["learner"] == learner]
    return {row["set"]: float(row["error_percent"] or "nan") for row in rows}


def whole(path: Path) -> Table:
    """Return a set with all of its columns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read(path, keep=every_column(path))


def our_error(learner: Any, table: Table, runs: int) -> float:
    """Return the mean error of several cross-validations in percent."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(np.mean([100 * error(cross_validate(learner, table, seed=seed)) for seed in range(1, runs + 1)]))


def weka_error(path: Path, runs: int, learner: str = "functions.Logistic", options: Sequence[str] = ()) -> float:
    """Return the mean error of the Weka jar named by HEDGEROW_WEKA in percent; the target is the last column."""
    command = ["java", "-cp", os.environ["HEDGEROW_WEKA"], f"weka.classifiers.{learner}", "-t", str(path), "-x", "10"]
    found = []
    for seed in range(1, runs + 1):
        done = subprocess.run([*command, "-s", str(seed), *options], capture_output=True, text=True, check=True)
        wrong = re.search(WRONG, done.stdout, re.DOTALL)
        assert wrong is not None, "Weka's print has no cross-validation"
        found.append(float(wrong[1]))
    return float(np.mean(found))
