"""CBA compared with pyARC on ten UCI data sets: errors in 10-fold cross-validation on the same folds and tables.

python -m benchmarks pyarc --sets iris labor --seed 2
In each fold, numbers are discretized by MDL on the training rows. Support 1 %, confidence 50 %, 3 conditions; the next
columns have the default support, four conditions, pruning, and the other strategies. The errors printed in the paper of
1998 are not included.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.accuracy.weka import every_column
from benchmarks.speed.timing import absent
from benchmarks.speed.workloads import shared
from hedgerow import CBA, Discretize, Table, read
from hedgerow.evaluate import splits
from hedgerow.models.base.cuts import Cuts

SETS = ("breast-w", "credit-a", "credit-g", "diabetes", "glass", "heart-c", "hepatitis", "iris", "labor", "vote")
OURS = {
    "CBA": CBA(min_support=0.01, min_confidence=0.5, max_length=3),
    "default": CBA(),
    "four": CBA(min_support=0.01, max_length=4),
    "pruned": CBA(min_support=0.01, prune=True),
    "strongest": CBA(min_support=0.01, strategy="strongest"),
    "combined": CBA(min_support=0.01, strategy="combined"),
}
Wrong = Callable[[Table, Table], float]


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks pyarc", description=__doc__.split("\n")[0])
    options.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), help="data sets to run")
    options.add_argument("--seed", type=int, default=1, help="seed of the folds")
    options.add_argument("--no-peers", action="store_true", help="run hedgerow only")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print the errors for each data set, and their means."""
    chosen = parser().parse_args(arguments)
    if not (shared() / "uci").is_dir():
        print("skipped: data sets not found (set HEDGEROW_SHARED to their folder)")
        return
    contenders: dict[str, Wrong] = {name: _ours(learner) for name, learner in OURS.items()}
    if chosen.no_peers or absent("pyarc"):
        print("pyARC is left out" + ("" if chosen.no_peers else f": {absent('pyarc')}"))
    else:
        contenders = {"pyARC": _theirs, **contenders}
    print(f"{'set':12}" + "".join(f" {name:>10}" for name in contenders))
    found = []
    for name in chosen.sets:
        start = time.perf_counter()
        found.append(_errors(name, list(contenders.values()), chosen.seed))
        print(f"{name:12}" + "".join(f" {one:10.2f}" for one in found[-1]) + f"  {time.perf_counter() - start:6.1f} s")
    print(f"{'mean':12}" + "".join(f" {one:10.2f}" for one in np.mean(found, axis=0)))


def _errors(name: str, contenders: Sequence[Wrong], seed: int) -> list[float]:
    """Return the error of each program in percent, over all folds of a data set."""
    path = next((shared() / "uci").glob(f"{name}.arff*"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = read(path, keep=every_column(path))
        actual = table.codes(table.schema.index(table.schema.target_column.name))
        wrong = np.zeros(len(contenders))
        for split in splits.folds(actual, 10, seed):
            cuts = Discretize().train(table.view(split.train))
            assert isinstance(cuts, Cuts)
            train, test = (cuts.transform(table.view(rows)) for rows in (split.train, split.test))
            wrong += [contender(train, test) for contender in contenders]
    return (100 * wrong / table.n_rows).tolist()


def _ours(learner: CBA) -> Wrong:
    def wrong(train: Table, test: Table) -> float:
        model = learner.train(train)
        return float((model.decide(test) != test.codes(test.schema.index(test.schema.target_column.name))).sum())

    return wrong


def _theirs(train: Table, test: Table) -> float:
    import pyarc

    made = pyarc.CBA(support=0.01, confidence=0.5, maxlen=4, algorithm="m1").fit(_transactions(train))
    data = _transactions(test)
    return float(np.sum(np.array(made.predict(data)) != np.array(data.classes)))


def _transactions(table: Table) -> object:
    import pyarc

    schema, last = table.schema, table.schema.index(table.schema.target_column.name)
    places = [*(i for i in range(len(schema)) if i != last), last]
    values = [np.array([*schema.columns[i].levels, None], dtype=object)[table.codes(i)] for i in places]
    header = [schema.columns[i].name for i in places]
    return pyarc.TransactionDB([list(row) for row in zip(*values, strict=True)], header, unique_transactions=True)
