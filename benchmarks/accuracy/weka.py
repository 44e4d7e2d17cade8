"""1R, naive Bayes and nearest neighbors compared with Weka on UCI data sets, by 10-fold cross-validation."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path

import numpy as np

from benchmarks.speed.workloads import shared
from hedgerow import KNN, Majority, NaiveBayes, OneR, cross_validate, read
from hedgerow.data.table.schema import Kind
from hedgerow.evaluate.metrics.measures import error

PAIRS = {
    "ZeroR": Majority(),
    "OneR": OneR(),
    "NaiveBayes": NaiveBayes(),
    "NaiveBayes-K": NaiveBayes(density="kernel"),
    "IBk5": KNN(n_neighbors=5),
}


def main() -> None:
    """Print hedgerow's errors and Weka's, and the means of the differences."""
    if not (shared() / "weka_reference.csv").is_file():
        print("skipped: data sets not found (set HEDGEROW_SHARED to their folder)")
        return
    with (shared() / "weka_reference.csv").open() as file:
        weka = {(row["set"], row["learner"]): row["error_percent"] for row in csv.DictReader(file)}
    print(f"{'set':16}" + "".join(f"{name + ' ours':>18} {'Weka':>6}" for name in PAIRS))
    gaps: dict[str, list[float]] = {name: [] for name in PAIRS}
    for name in sorted({key[0] for key in weka}):
        files = list((shared() / "uci").glob(f"{name}.arff*"))
        if not files:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = read(files[0], keep=every_column(files[0]))
        line = f"{name:16}"
        for learner, ours in PAIRS.items():
            theirs = weka.get((name, learner), "")
            found = [100 * error(cross_validate(ours, table, seed=seed)) for seed in (1, 2, 3)]
            line += f"{np.mean(found):18.2f} {float(theirs or 'nan'):6.2f}"
            if theirs:
                gaps[learner].append(float(np.mean(found)) - float(theirs))
        print(line, flush=True)
    for learner, values in gaps.items():
        worst = max(values, key=abs)
        print(f"{learner}: mean difference {np.mean(values):+.2f} points over {len(values)} sets, largest {worst:+.2f}")


def every_column(path: Path) -> tuple[str, ...]:
    """Return all columns, since Weka does not leave out identifiers."""
    from hedgerow.data.read import open_source

    return tuple(c.name for c in open_source(path).schema.columns if c.kind in (Kind.NOMINAL, Kind.NUMERIC))
