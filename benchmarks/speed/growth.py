"""Growth: the power of rows, columns, levels, classes or texts with which the training time of every learner grows.

Each learner is trained on tables of n, 2n and 4n; n is doubled from a small start until training takes long enough to
be measured. The power is that of the last doubling, log2 of the ratio of CPU times: 1 is linear, 2 quadratic. The
largest powers come first. At such sizes the memory hierarchy and fixed costs change powers by some tenths, so look for
those that differ from what the page of the learner says.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the time of one thread; it must be set before NumPy is imported
os.environ.setdefault("HEDGEROW_THREADS", "1")

import numpy as np

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Bags, Table, Text
from hedgerow.errors import HedgerowError
from hedgerow.learn.registry import HOMES, kind_of, learner_class

LEAST_SECONDS = 0.01  # minimum time of the smallest training
MOST_SECONDS = 1.0  # after a training that took this long, no larger one is started
WORDS = 40  # per text


@dataclass(frozen=True)
class Axis:
    """What grows: the smallest and largest initial size, and a function that returns the table of a size."""

    first: int
    last: int
    make: Callable[[int, str], Table]


@dataclass(frozen=True)
class Growth:
    """The training times of a learner on tables of n, 2n and 4n."""

    learner: str
    axis: str
    size: int
    seconds: tuple[float, ...]

    @property
    def power(self) -> float:
        """The power of the last doubling; it needs two times."""
        return float(np.log2(self.seconds[-1] / self.seconds[-2]))

    def __str__(self) -> str:
        times = " ".join(f"{seconds:8.3f}" for seconds in self.seconds)
        return f"{self.power:5.2f}  {self.learner:26} {self.axis:16} {self.size:6}  {times}"


def mixed(rows: int, numbers: int, levels: Sequence[int], target: str, classes: int = 3) -> Table:
    """Return a table of numeric and nominal columns, and a target that depends on some of both."""
    random = np.random.default_rng(1)
    columns = [Column(f"x{i}", Kind.NUMERIC) for i in range(numbers)]
    columns += [Column(f"a{i}", Kind.NOMINAL, tuple(f"v{k}" for k in range(n))) for i, n in enumerate(levels)]
    data: list[Any] = [random.normal(size=rows) for _ in range(numbers)]
    data += [random.integers(0, n, rows).astype(np.int32) for n in levels]
    score = random.normal(size=rows) + sum(data[: min(numbers, 3)], np.zeros(rows))
    for codes, n in zip(data[numbers:], levels, strict=True):
        score += random.normal(size=n)[codes]
    return _with_target(columns, data, score, target, classes)


def texts(rows: int, target: str) -> Table:
    """Return texts of frequent and rare words, with a vocabulary that grows with their number."""
    random = np.random.default_rng(1)
    words = random.zipf(1.3, (rows, WORDS)) % 100_000
    told = Text.of([" ".join(f"w{word}" for word in line) for line in words.tolist()])
    return _with_target([Column("text", Kind.TEXT)], [told], words[:, 0] % 7 + random.normal(size=rows), target, 3)


def bags(rows: int, target: str) -> Table:
    """Return bags of four rows of three numbers each."""
    random = np.random.default_rng(1)
    inner = Schema(tuple(Column(f"x{i}", Kind.NUMERIC) for i in range(3)))
    held = Table(inner, tuple(random.normal(size=4 * rows) for _ in range(3)), 4 * rows)
    offsets = np.arange(0, 4 * rows + 1, 4, dtype=np.int64)
    score = held.numbers(0).reshape(rows, 4).sum(axis=1)
    return _with_target([Column("bag", Kind.BAG, inner=inner)], [Bags(held, offsets)], score, target, 3)


def _with_target(columns: list[Column], data: list[Any], score: Any, target: str, classes: int) -> Table:
    rows, name = len(score), None if target == "none" else "y"
    if target == "regressor":
        columns, data = [*columns, Column("y", Kind.NUMERIC)], [*data, score]
    elif target == "classifier":
        order = np.argsort(np.argsort(score)) * classes // rows
        labels = tuple(f"c{k}" for k in range(classes))
        columns, data = [*columns, Column("y", Kind.NOMINAL, labels)], [*data, order.astype(np.int32)]
    return Table(Schema(tuple(columns), name), tuple(data), rows)


AXES = {
    "rows": Axis(100, 20_000, lambda n, target: mixed(n, 6, (3, 3), target)),
    "columns": Axis(16, 8_000, lambda n, target: mixed(100, n, (), target)),
    "nominal columns": Axis(8, 2_000, lambda n, target: mixed(200, 0, (3,) * n, target)),
    "levels": Axis(16, 4_000, lambda n, target: mixed(2_000, 1, (n, n), target)),
    "rows and levels": Axis(32, 8_000, lambda n, target: mixed(2 * n, 1, (n, n), target)),
    "classes": Axis(4, 128, lambda n, target: mixed(1_000, 4, (3,), target, n)),
    "texts": Axis(25, 4_000, texts),
    "bags": Axis(50, 4_000, bags),
}
BAGS_ONLY = ("BagSummary", "BagVote")


def measured(name: str, axis: str) -> Growth:
    """Return the times of a learner along an axis; the error is raised if the learner does not support such a table."""
    learner, own = learner_class(name), AXES[axis]
    kind = kind_of(learner)
    target = {"regressor": kind, "clusterer": "none", "learner": "none"}.get(kind, "classifier")
    size, took = own.first, trained(learner, own.make(own.first, target))
    while took < LEAST_SECONDS and size < own.last:
        size *= 2
        took = trained(learner, own.make(size, target))
    seconds = [took]
    for factor in (2, 4):
        if seconds[-1] < MOST_SECONDS:
            seconds.append(trained(learner, own.make(factor * size, target)))
    return Growth(name, axis, size, tuple(seconds))


def trained(learner: Any, table: Table) -> float:
    """Return the CPU time of training, the better of two runs if it is short."""
    best = np.inf
    for _ in range(2):
        begin = time.process_time()
        learner().train(table)
        best = min(best, time.process_time() - begin)
        if best > 0.1:
            break
    return float(best)


def pairs(learners: Sequence[str], axes: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Return the learners with the axes that apply to them."""
    for name in learners:
        takes = learner_class(name).takes
        for axis in axes:
            if (name in BAGS_ONLY) == (axis == "bags") and (axis != "texts" or Kind.TEXT in takes):
                yield name, axis


parser = argparse.ArgumentParser(prog="python -m benchmarks growth", description=__doc__)
parser.add_argument("--learners", nargs="+", default=list(HOMES), choices=list(HOMES), metavar="NAME")
parser.add_argument("--axes", nargs="+", default=list(AXES), choices=list(AXES), metavar="AXIS")


def main(words: Sequence[str] = ()) -> None:
    """Print powers, the largest first, then what was not measured and why."""
    given = parser.parse_args(words)
    found, left = [], []
    for name, axis in pairs(given.learners, given.axes):
        try:
            growth = measured(name, axis)
        except HedgerowError as error:
            left.append(f"{name} by {axis}: {str(error).splitlines()[0][:150]}")
            continue
        if len(growth.seconds) > 1:
            found.append(growth)
            print(growth, flush=True)
        else:
            left.append(f"{name} by {axis}: {growth.size} alone took {growth.seconds[0]:.1f} s")
    print(f"\nLargest power first\n{'power':>5}  {'learner':26} {'by':16} {'n':>6}  seconds for n, 2n, 4n")
    for one in sorted(found, key=lambda each: -each.power):
        print(one)
    for line in left:
        print(f"not measured: {line}")
