"""Logistic beside Weka's Logistic on the UCI sets: errors in percent by stratified 10-fold cross-validation.

python -m benchmarks weka_logistic --runs 3 --sets labor vote
Weka's figures are those of `weka_reference.csv`, one cross-validation each; with HEDGEROW_WEKA naming weka.jar, Weka is
measured again, as many runs as ours. Weka's Logistic has a ridge of 1e-8 on columns of deviation 1, a column a level,
and the mean or the most frequent level for what is missing. A difference is our error less Weka's: below 0 we
are better.
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
WIDE = 1.5  # points: sets that differ by more are named


def parser() -> argparse.ArgumentParser:
    """Return the options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks weka_logistic", description=__doc__.split("\n")[0])
    options.add_argument("--runs", type=int, default=3, help="how many cross-validations, each with its own seed")
    options.add_argument("--sets", nargs="+", help="which sets; all that Weka has a result of if none")
    options.add_argument("--l2", type=float, nargs="+", default=[], help="strengths of l2, beside the default")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print our errors beside Weka's, set by set, and the mean of the differences."""
    chosen = parser().parse_args(arguments)
    if not (shared() / "weka_reference.csv").is_file():
        print("skipped: the data sets are not here (set HEDGEROW_SHARED to their folder)")
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
        print(f"{title}: mean of what we are worse by, 0 where we are better: {worse:.2f} points")
        wide = [f"{name} {gap:+.2f}" for name, gap in known.items() if abs(gap) > WIDE]
        print(f"{title}: differ by more than {WIDE} points: {', '.join(wide) or 'none'}")


def weka_errors(learner: str) -> dict[str, float]:
    """Return Weka's errors by set; NaN where it had no result in time."""
    with (shared() / "weka_reference.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["learner"] == learner]
    return {row["set"]: float(row["error_percent"] or "nan") for row in rows}


def whole(path: Path) -> Table:
    """Return a set with all of its columns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read(path, keep=every_column(path))


def our_error(learner: Any, table: Table, runs: int) -> float:
    """Return the mean error in percent of some cross-validations."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(np.mean([100 * error(cross_validate(learner, table, seed=seed)) for seed in range(1, runs + 1)]))


def weka_error(path: Path, runs: int, learner: str = "functions.Logistic", options: Sequence[str] = ()) -> float:
    """Return the mean error of the Weka jar that HEDGEROW_WEKA names, in percent; the target is the last column."""
    command = ["java", "-cp", os.environ["HEDGEROW_WEKA"], f"weka.classifiers.{learner}", "-t", str(path), "-x", "10"]
    found = []
    for seed in range(1, runs + 1):
        done = subprocess.run([*command, "-s", str(seed), *options], capture_output=True, text=True, check=True)
        wrong = re.search(WRONG, done.stdout, re.DOTALL)
        assert wrong is not None, "Weka's print has no cross-validation"
        found.append(float(wrong[1]))
    return float(np.mean(found))
