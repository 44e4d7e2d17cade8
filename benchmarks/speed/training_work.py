"""Training work: the estimated seconds of the default's candidates (`learn/choosing/work.py`) beside measured ones.

python -m benchmarks training_work --learners logistic

Every candidate is trained on generated tables of many shapes: rows, numeric columns, nominal columns of few and of many
levels, classes, texts. The time is the CPU time of one thread, the better of two runs. A ratio of 2 means that training
takes twice as long as estimated. The largest and smallest ratios come first; trainings of less than a few milliseconds,
which no budget would notice, are left out.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the time of one thread; it must be set before NumPy is imported
os.environ.setdefault("HEDGEROW_THREADS", "1")

import numpy as np

from benchmarks.speed.growth import mixed, texts
from hedgerow import Simplest, SimplestRegressor, Table
from hedgerow.errors import HedgerowError
from hedgerow.learn.choosing.selector import make_candidates
from hedgerow.learn.choosing.work import TableShape, training_work
from hedgerow.learn.supervised import Supervised

SHORT = 0.005  # seconds, estimated and measured, below which a ratio says nothing
MOST_SECONDS = 20.0  # estimated; longer trainings are left out
# Rows, numeric columns, levels of the nominal ones, classes.
SHAPES = (
    (300, 20, (), 2),
    (300, 60, (3,) * 20, 2),
    (1_000, 10, (4,) * 10, 2),
    (1_000, 0, (5,) * 40, 3),
    (4_000, 20, (), 2),
    (4_000, 20, (), 20),
    (4_000, 5, (50, 50, 20), 5),
    (4_000, 0, (6,) * 20, 2),
    (4_000, 200, (), 2),
    (20_000, 8, (2, 4, 12, 40), 2),
    (20_000, 30, (), 5),
    (20_000, 0, (3,) * 30, 2),
    (20_000, 4, (500,), 2),
    (100_000, 8, (2, 4, 12), 2),
    (100_000, 20, (), 3),
)
TEXTS = (500, 4_000)  # rows


@dataclass(frozen=True)
class Cost:
    """The estimated and the measured seconds of a learner on one table."""

    learner: str
    table: str
    estimated: float
    measured: float

    @property
    def ratio(self) -> float:
        """The measured seconds as a multiple of the estimated ones."""
        return self.measured / self.estimated

    def __str__(self) -> str:
        return f"{self.ratio:6.2f} {self.measured:9.3f} {self.estimated:9.3f}  {self.learner:52} {self.table}"


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks training_work", description=__doc__.split("\n")[0])
    options.add_argument("--quick", action="store_true", help="only tables of at most 4,000 rows")
    options.add_argument("--learners", nargs="+", default=[], metavar="LEARNER", help="only these")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print all ratios, the worst first, and their median and range by learner."""
    chosen = parser().parse_args(arguments)
    most = 4_000 if chosen.quick else max(shape[0] for shape in SHAPES)
    costs: list[Cost] = []
    for title, table in tables(most):
        selector = Simplest() if table.schema.target_column.levels else SimplestRegressor()
        forest = make_candidates([("random_forest", {})]) if isinstance(selector, Simplest) else []
        prepared = selector.prepare(table)
        for name, learner in [*selector.candidates(prepared.schema), *forest]:
            if not chosen.learners or learner.name in chosen.learners:
                costs += measure(name, learner, title, prepared)
    print(f"{'ratio':>6} {'measured':>9} {'estimated':>9}  {'learner':52} table")
    for cost in sorted(costs, key=lambda cost: -abs(np.log(cost.ratio))):
        print(cost)
    print(f"\n{'learner':52} {'n':>3} {'median':>7} {'least':>7} {'most':>7}")
    for name in dict.fromkeys(cost.learner for cost in costs):
        ratios = [cost.ratio for cost in costs if cost.learner == name]
        print(f"{name:52} {len(ratios):3} {np.median(ratios):7.2f} {min(ratios):7.2f} {max(ratios):7.2f}")


def tables(most: int) -> list[tuple[str, Table]]:
    """Return the tables of at most so many rows with their titles: with classes, with a numeric target, of texts."""
    made: list[tuple[str, Table]] = []
    for rows, numbers, levels, classes in SHAPES:
        if rows > most:
            continue
        wide = f"{rows:,} x {numbers} numeric" + (f", {len(levels)} of {max(levels)} levels" if levels else "")
        made.append((f"{wide}, {classes} classes", mixed(rows, numbers, levels, "classifier", classes)))
        if (title := f"{wide}, numeric target") not in dict(made):
            made.append((title, mixed(rows, numbers, levels, "regressor")))
    for rows in TEXTS:
        made += [(f"{rows:,} texts, {target}", texts(rows, target)) for target in ("classifier", "regressor")]
    return made


def measure(name: str, learner: Supervised, title: str, table: Table) -> list[Cost]:
    """Return what it takes to train a learner, unless that is too short or too long to tell."""
    estimated = training_work(learner, TableShape.of(table))
    if estimated > MOST_SECONDS:
        return []
    measured = np.inf
    for _ in range(2):
        start = time.process_time()
        try:
            learner.train(table)
        except HedgerowError:  # such as a forest of texts
            return []
        measured = min(measured, time.process_time() - start)
    return [Cost(name, title, estimated, measured)] if max(measured, estimated) > SHORT else []
