"""C4.5, bagged and boosted C4.5 on the data sets of Quinlan's "Bagging, Boosting, and C4.5" (AAAI 1996).

python -m benchmarks quinlan --runs 1 --sets iris labor vote

Errors in percent from stratified 10-fold cross-validations, ten of them with ten trials as in the paper, compared with
the published results and those of Weka's J48 on the same files (single trees from several runs, ensembles from one).
Three rows need care, as the README of the data explains: anneal is the file with missing values; in vote the result of
the paper agrees with `?` as a third answer (vote with `?` missing is an extra row that no average includes); waveform
is 300 cases, which are unknown, so the first 300 are used. The chess data of the paper are not public: 26 of 27 data
sets are compared.
"""

from __future__ import annotations

import argparse
import csv
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.accuracy.weka import every_column
from benchmarks.speed.workloads import shared
from hedgerow import Kind, Table, cross_validate, read
from hedgerow.evaluate.metrics.measures import error
from hedgerow.learn.registry import find_learner

# Data set: the file name and the published errors of C4.5, bagged C4.5 and boosted C4.5.
PUBLISHED = {
    "anneal": ("anneal.orig.arff", 7.67, 6.25, 4.73),
    "audiology": ("audiology.arff", 22.12, 19.29, 15.71),
    "auto": ("autos.arff", 17.66, 19.66, 15.22),
    "breast-w": ("breast-w.arff", 5.28, 4.23, 4.09),
    "colic": ("colic.arff", 14.92, 15.19, 18.83),
    "credit-a": ("credit-a.arff", 14.70, 14.13, 15.64),
    "credit-g": ("credit-g.arff", 28.44, 25.81, 29.14),
    "diabetes": ("diabetes.arff", 25.39, 23.63, 28.18),
    "glass": ("glass.arff", 32.48, 27.01, 23.55),
    "heart-c": ("heart-c.arff", 22.94, 21.52, 21.39),
    "heart-h": ("heart-h.arff", 21.53, 20.31, 21.05),
    "hepatitis": ("hepatitis.arff", 20.39, 18.52, 17.68),
    "hypo": ("hypothyroid.arff.gz", 0.48, 0.45, 0.36),
    "iris": ("iris.arff", 4.80, 5.13, 6.53),
    "labor": ("labor.arff", 19.12, 14.39, 13.86),
    "letter": ("letter.arff.gz", 11.99, 7.51, 4.66),
    "lymphography": ("lymph.arff", 21.69, 20.41, 17.43),
    "phoneme": ("phoneme.arff", 19.44, 18.73, 16.36),
    "segment": ("segment.arff.gz", 3.21, 2.74, 1.87),
    "sick": ("sick.arff.gz", 1.34, 1.22, 1.05),
    "sonar": ("sonar.arff", 25.62, 23.80, 19.62),
    "soybean": ("soybean.arff", 7.73, 7.58, 7.16),
    "splice": ("splice.arff.gz", 5.91, 5.58, 5.43),
    "vehicle": ("vehicle.arff", 27.09, 25.54, 22.72),
    "vote": ("vote.arff", 5.06, 4.37, 5.29),
    "waveform": ("waveform.data.gz", 27.33, 19.77, 18.53),
}
EXTRA = "vote, ? missing"
SETS = [*PUBLISHED, EXTRA]
# Learner: its parameters, the column of the published table, and its name in Weka.
LEARNERS = {
    "c45": ({}, 1, "J48"),
    "bagging": ({"base": "c45", "n_estimators": 10}, 2, "Bagging-J48"),
    "adaboost": ({"base": "c45", "n_estimators": 10}, 3, "AdaBoostM1-J48"),
}


@dataclass(frozen=True)
class Line:
    """The errors of one learner on one data set; NaN if not available."""

    ours: float
    published: float
    weka: float


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks quinlan", description=__doc__.split("\n")[0])
    options.add_argument("--runs", type=int, default=10, help="number of complete cross-validations")
    options.add_argument("--sets", nargs="+", choices=SETS, default=SETS, metavar="SET", help=", ".join(SETS))
    options.add_argument(
        "--learners", nargs="+", type=_plain, default=list(LEARNERS), help="learners: c45, bagging, adaboost and so on"
    )
    options.add_argument("--threads", type=int, default=None, help="number of folds run in parallel")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print hedgerow's errors, the published ones and J48's, then the averages and the ratios."""
    chosen = parser().parse_args(arguments)
    if not (shared() / "README.md").is_file():
        print("skipped: data sets not found (set HEDGEROW_SHARED to their folder)")
        return
    reference = weka_errors()
    print(f"errors in percent, {chosen.runs} stratified 10-fold cross-validations; published, and Weka's")
    print(f"{'set':16}" + "".join(f"{name:>14} {'paper':>6} {'Weka':>6}" for name in chosen.learners) + "   seconds")
    found: dict[str, dict[str, Line]] = {name: {} for name in chosen.learners}
    for name in chosen.sets:
        start = perf_counter()
        table = load(name)
        for learner in chosen.learners:
            params, position, weka = LEARNERS.get(learner, ({}, 0, ""))
            results = cross_validate(
                find_learner(learner)(**params), table, runs=chosen.runs, seed=1, threads=chosen.threads
            )
            published = PUBLISHED[name][position] if position and name != EXTRA else np.nan
            found[learner][name] = Line(100 * error(results), published, reference.get((name, weka), np.nan))
        lines = [found[learner][name] for learner in chosen.learners]
        cells = "".join(f"{line.ours:14.2f} {_cell(line.published)} {_cell(line.weka)}" for line in lines)
        print(f"{name:16}{cells} {perf_counter() - start:9.1f}", flush=True)
    summarise(found)


def summarise(found: dict[str, dict[str, Line]]) -> None:
    """Print mean errors and differences, and the mean ratios of the ensembles to the single tree."""
    print()
    for learner, lines in found.items():
        counted = {name: line for name, line in lines.items() if name != EXTRA}
        for whose, figure in (("published", _published), ("Weka's", _weka)):
            pairs = {name: (line.ours, figure(line)) for name, line in counted.items() if not np.isnan(figure(line))}
            if not pairs:
                continue
            ours, theirs = np.array(list(pairs.values())).T
            gaps = dict(zip(pairs, ours - theirs, strict=True))
            worst = max(gaps, key=lambda name: abs(gaps[name]))
            print(
                f"{learner:10} mean error of {len(pairs)} sets {ours.mean():.2f}, {whose} {theirs.mean():.2f}: "
                f"difference {ours.mean() - theirs.mean():+.2f}, largest {gaps[worst]:+.2f} ({worst})"
            )
    single = found.get("c45")
    if not single:
        return
    for learner, lines in found.items():
        if learner == "c45" or learner not in LEARNERS:
            continue
        for whose, figure in (("published", _published), ("Weka's", _weka)):
            _print_ratios(learner, single, lines, whose, figure)


def _print_ratios(
    learner: str, single: dict[str, Line], lines: dict[str, Line], whose: str, figure: Callable[[Line], float]
) -> None:
    """Print the mean over data sets of error with the ensemble / error of the single tree, for all programs."""
    names = [name for name in lines if name != EXTRA and not np.isnan(figure(lines[name]) + figure(single[name]))]
    names = [name for name in names if single[name].ours and figure(single[name])]
    if not names:
        return
    ours = np.array([lines[name].ours / single[name].ours for name in names])
    theirs = np.array([figure(lines[name]) / figure(single[name]) for name in names])
    print(
        f"{learner:10} error ratio to the single tree, mean of {len(names)} sets {ours.mean():.3f}, "
        f"{whose} {theirs.mean():.3f}: difference {ours.mean() - theirs.mean():+.3f}"
    )


def load(name: str) -> Table:
    """Return a data set of the paper with all columns, since neither C4.5 nor J48 leaves out identifiers."""
    file = PUBLISHED["vote" if name == EXTRA else name][0]
    path = shared() / "uci" / file
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name == "waveform":
            table = read(path, format="csv", header=False)
            last = table.schema.names[-1]
            return read(path, format="csv", header=False, kinds={last: "nominal"}, target=last).slice(0, 300)
        table = read(path, keep=every_column(path))
    return third_answer(table) if name == "vote" else table


def third_answer(table: Table) -> Table:
    """Return the table with a missing answer as one more level."""
    for position, column in enumerate(table.schema.columns):
        if column.kind is Kind.NOMINAL and column.name != table.schema.target:
            codes = table.codes(position)
            wider = replace(column, levels=(*column.levels, "neither"))
            table = table.with_column(wider, np.where(codes < 0, len(column.levels), codes).astype(np.int32))
    return table


def weka_errors() -> dict[tuple[str, str], float]:
    """Return Weka's errors by data set and learner: J48's from the README, the others from its CSV file."""
    found = {}
    with (shared() / "weka_reference.csv").open() as file:
        rows = {(row["set"], row["learner"]): row["error_percent"] for row in csv.DictReader(file)}
    for name, (file_name, *_) in PUBLISHED.items():
        for _, _, weka in LEARNERS.values():
            figure = rows.get((Path(file_name).name.split(".arff")[0], weka), "")
            if figure and name != "vote":  # there `?` is missing
                found[name, weka] = float(figure)
            elif figure:
                found[EXTRA, weka] = float(figure)
    found.update({(name, "J48"): figure for name, figure in _of_readme((shared() / "README.md").read_text()).items()})
    return found


def _of_readme(text: str) -> dict[str, float]:
    """Return the last column of the README's table of published results: the first number of every cell."""
    found = {}
    for line in text.split("\n"):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 6 and cells[0] in PUBLISHED:
            figures = [float(figure) for figure in re.findall(r"\d+\.\d+", cells[5])]
            found[cells[0]] = figures[0]
            if cells[0] == "vote":
                found[EXTRA], found["vote"] = figures[:2]
    return found


def _plain(name: str) -> str:
    """Return the name of a learner as in `LEARNERS`, in any spelling."""
    return name.replace("_", "").replace("-", "").lower()


def _published(line: Line) -> float:
    return line.published


def _weka(line: Line) -> float:
    return line.weka


def _cell(figure: float) -> str:
    return f"{'':6}" if np.isnan(figure) else f"{figure:6.2f}"
