"""MNIST with a Gaussian kernel: the error on the 10,000 test digits (the goal is 1.7 % or less).

python -m benchmarks mnist --rows 10000
Pixels are divided by 255; there is no other preprocessing.
"""

from __future__ import annotations

import argparse
import gzip
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.workloads import shared

COST, GAMMA = 5.0, 0.05
GOAL = 1.7  # percent


def digits(part: str, rows: int | None = None) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return the pixels of digits, from 0 to 1, and their labels; `part` is train or t10k."""
    folder = shared() / "large" / "mnist"
    with gzip.open(folder / f"{part}-images-idx3-ubyte.gz") as file:
        pixels = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784)[:rows]
    with gzip.open(folder / f"{part}-labels-idx1-ubyte.gz") as file:
        labels = np.frombuffer(file.read(), np.uint8, offset=8)[:rows]
    return pixels / 255.0, labels.astype(np.int32)


def table_of(matrix: NDArray[np.float64], codes: NDArray[np.int32]) -> Any:
    """Return a matrix and classes as a hedgerow table."""
    from hedgerow import Column, Kind, Schema, Table

    target = Column("class", Kind.NOMINAL, tuple(str(code) for code in range(int(codes.max()) + 1)))
    columns = *(Column(f"x{i}", Kind.NUMERIC) for i in range(matrix.shape[1])), target
    data = *(np.ascontiguousarray(column) for column in matrix.T), codes
    return Table(Schema(columns, "class"), data, len(codes))


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks mnist", description=__doc__.split("\n")[0])
    options.add_argument("--rows", type=int, help="number of training digits (default: all 60,000)")
    options.add_argument("--C", type=float, default=COST)
    options.add_argument("--gamma", type=float, default=GAMMA)
    options.add_argument("--cache", default="2G", help="memory for the kernel cache")
    options.add_argument("--probabilities", default="none", help="method for probabilities")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print the error, the size of the model and the times."""
    from hedgerow import SVM

    chosen = parser().parse_args(arguments)
    if not (shared() / "large" / "mnist").is_dir():
        print("skipped: data sets not found (set HEDGEROW_SHARED to their folder)")
        return
    train, test = table_of(*digits("train", chosen.rows)), table_of(*digits("t10k"))
    how = {"cache": chosen.cache, "probabilities": chosen.probabilities, "random_state": 1}
    learner = SVM(kernel="rbf", C=chosen.C, gamma=chosen.gamma, scale="none", **how)
    start = time.perf_counter()
    model = learner.train(train)
    learned = time.perf_counter() - start
    start = time.perf_counter()
    wrong = 100 * float((model.decide(test) != test.target_codes).mean())
    predicted = time.perf_counter() - start
    print(f"{train.n_rows:,} digits learned in {learned:.1f} s, {test.n_rows:,} predicted in {predicted:.1f} s")
    print(f"{model.size:,} support vectors, worst KKT violation {float(model.figures.violation.max()):.1e}")
    goal = f" (goal: {GOAL} %: {'met' if wrong <= GOAL else 'missed'})" if chosen.rows is None else ""
    print(f"error {wrong:.2f} %{goal}")
    for note in model.about.notes:
        print(f"note: {note}")
