"""RIPPER compared with Weka's JRip on UCI data sets: errors in 10-fold cross-validation, conditions of the full model.

python -m benchmarks jrip --runs 10 --sets labor vote
If HEDGEROW_WEKA names weka.jar, JRip is measured again; otherwise its results are those measured in November 2026.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.accuracy.weka import every_column
from benchmarks.speed.workloads import shared
from hedgerow import Ripper, Table, cross_validate, read
from hedgerow.evaluate.metrics.measures import error


@dataclass(frozen=True)
class Figures:
    """Mean error in percent, and mean numbers of rules (without the default) and of conditions, over several runs."""

    error: float
    rules: float
    conditions: float
    runs: int


# Weka 3.9, JRip with its defaults, seeds 1 to `runs` for both the folds and the learner.
JRIP = {
    "labor": Figures(16.84, 3.0, 4.0, 10),
    "vote": Figures(4.32, 1.8, 3.1, 10),
    "credit-g": Figures(27.50, 2.3, 6.1, 10),
    "diabetes": Figures(25.01, 2.9, 7.6, 10),
    "soybean": Figures(8.21, 25.9, 48.3, 10),
    "hypothyroid": Figures(0.59, 4.4, 11.6, 10),
    "splice": Figures(5.59, 10.8, 42.8, 10),
    "segment": Figures(4.47, 18.6, 53.5, 10),
    "letter": Figures(13.74, 391.8, 2067.7, 1),  # rules and conditions are those of the models of the ten folds
}


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks jrip", description=__doc__.split("\n")[0])
    options.add_argument("--runs", type=int, default=10, help="number of cross-validations, each with its own seed")
    options.add_argument("--sets", nargs="+", choices=JRIP, default=list(JRIP), help="data sets to run")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print hedgerow's results and JRip's for each data set, and the means of the differences."""
    chosen = parser().parse_args(arguments)
    if not (shared() / "uci").is_dir():
        print("skipped: data sets not found (set HEDGEROW_SHARED to their folder)")
        return
    titles = f"{'error':>7} {'JRip':>7} {'differ':>7} {'rules':>7} {'JRip':>7} {'conditions':>11} {'JRip':>7} {'s':>6}"
    print(f"{'set':14} {titles}")
    gaps: list[float] = []
    sizes: list[float] = []
    for name in chosen.sets:
        path = next((shared() / "uci").glob(f"{name}.arff*"))
        start = time.perf_counter()
        ours = our_figures(path, chosen.runs)
        seconds = time.perf_counter() - start
        theirs = jrip_figures(path, chosen.runs) if "HEDGEROW_WEKA" in os.environ else JRIP[name]
        gaps.append(ours.error - theirs.error)
        sizes.append(ours.conditions / max(theirs.conditions, 1e-9))
        print(
            f"{name:14} {ours.error:7.2f} {theirs.error:7.2f} {gaps[-1]:+7.2f} {ours.rules:7.1f} {theirs.rules:7.1f} "
            f"{ours.conditions:11.1f} {theirs.conditions:7.1f} {seconds:6.1f}",
            flush=True,
        )
    print(f"mean difference {np.mean(gaps):+.2f} points, largest {max(gaps):+.2f}")
    print(f"conditions: {np.mean(sizes):.2f} times JRip's on average, {max(sizes):.2f} at most")


def our_figures(path: Path, runs: int) -> Figures:
    """Return hedgerow's results for a data set; each run has its own seed, for the folds and for the learner."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = read(path, keep=every_column(path))
        found = [_our_run(table, seed) for seed in range(1, runs + 1)]
    return Figures(*np.mean(found, axis=0).tolist(), runs)


def _our_run(table: Table, seed: int) -> tuple[float, float, float]:
    learner = Ripper(random_state=seed)
    model = learner.train(table)
    conditions = sum(len(rule.conditions) for rule in model.rules)
    return 100 * error(cross_validate(learner, table, seed=seed)), len(model.rules), conditions


def jrip_figures(path: Path, runs: int) -> Figures:
    """Return the results of the Weka jar named by HEDGEROW_WEKA."""
    found = [_jrip_run(path, seed) for seed in range(1, runs + 1)]
    return Figures(*np.mean(found, axis=0).tolist(), runs)


def _jrip_run(path: Path, seed: int) -> tuple[float, float, float]:
    command = ["java", "-cp", os.environ["HEDGEROW_WEKA"], "weka.classifiers.rules.JRip"]
    command += ["-t", str(path), "-x", "10", "-s", str(seed), "-S", str(seed)]
    return read_jrip(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def read_jrip(text: str) -> tuple[float, float, float]:
    """Return the cross-validated error in percent, and rules and conditions of the full model, from Weka's output."""
    wrong = re.search(r"cross-validation ===.*?Incorrectly Classified Instances\s+\d+\s+([\d.]+)\s*%", text, re.DOTALL)
    assert wrong is not None, "Weka's print has no cross-validation"
    rules = [line for line in text.split("\n") if re.match(r"\(.*\) => ", line)]
    conditions = sum(1 + line.count(") and (") for line in rules)
    return float(wrong[1]), len(rules), conditions
