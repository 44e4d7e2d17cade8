"""CBA compared with pyARC: credit-g with both algorithms, then letter and adult with default settings.

python -m benchmarks cba --only credit-g --no-m2
Both get the same nominal table, discretized by MDL before the timing starts, and pyARC gets transactions. Its rules
without conditions are left out (zmin=2), and its length counts the class. Lists may differ by a few rules, as pyARC
leaves ties to the order in which its miner lists rules; tests/learn/associations/test_cba_pyarc.py breaks ties in the
same way and has equal lists.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from benchmarks.speed.timing import Beside, absent
from benchmarks.speed.workloads import shared

SETS = {"credit-g": "uci/credit-g.arff", "letter": "uci/letter.arff.gz", "adult": "textbook/adult.data.gz"}
TABLE = """
import warnings
warnings.simplefilter("ignore")
import numpy as np, hedgerow
table = hedgerow.read(FILE)
"""
NOMINAL = """
table = hedgerow.Discretize().train(table).transform(table)
target = table.schema.target
names = [c.name for i, c in enumerate(table.schema.columns) if c.name == target or len(np.unique(table.codes(i))) > 1]
table = table.select(names)
def accuracy(model): return float((model.decide(table) == table.codes(table.schema.index(target))).mean())
"""
TRANSACTIONS = """
import pyarc
from pyarc.algorithms import M1Algorithm, M2Algorithm, generateCARs
last = table.schema.index(target)
places = [i for i in range(len(table.schema)) if i != last] + [last]
values = [np.array([*table.schema.columns[i].levels, None], dtype=object)[table.codes(i)] for i in places]
header = [table.schema.columns[i].name for i in places]
data = pyarc.TransactionDB([list(row) for row in zip(*values)], header, unique_transactions=True)
def accuracy(model): return model.test_transactions(data)
"""
OURS = 'return hedgerow.CBA(min_support=0.01, min_confidence=0.5, max_length={length}, algorithm="{name}").train(table)'
PYARC = """
cars = generateCARs(data, support=1, confidence=50, maxlen={length} + 1, zmin=2)
return {name}Algorithm(cars, data).build()
"""
FACTS = '{"accuracy": accuracy(result), "rules": len(result.rules)}'
LENGTHS = (3, 4)  # conditions; "length up to 4" with and without the class


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks cba", description=__doc__.split("\n")[0])
    options.add_argument("--only", nargs="+", choices=SETS, default=list(SETS), help="data sets to run")
    options.add_argument(
        "--lengths", nargs="+", type=int, default=list(LENGTHS), help="maximum number of numbers of conditions"
    )
    options.add_argument("--no-m2", action="store_true", help="leave out pyARC's M2, which takes a minute or so")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print a table for every data set; accuracies are those on the training rows."""
    chosen = parser().parse_args(arguments)
    for name in chosen.only:
        path = shared() / SETS[name]
        if not path.exists():
            print(f"\n{name} skipped: {SETS[name]} not found (set HEDGEROW_SHARED)")
            continue
        setup = f"FILE = {str(path)!r}\n" + TABLE
        if name == "credit-g":
            for length in chosen.lengths:
                _beside(setup, length, chosen.no_m2)
        else:
            _alone(name, setup)


def _beside(setup: str, length: int, no_m2: bool) -> None:
    for number in ("1",) if no_m2 else ("1", "2"):
        print(f"\ncredit-g, support 1 %, confidence 50 %, up to {length} conditions, M{number}")
        lines = Beside(["accuracy", "rules"])
        ours = {"setup": setup + NOMINAL, "body": OURS.format(length=length, name=f"m{number}"), "facts": FACTS}
        lines.measure(f"hedgerow CBA m{number}", 1, ours=True, repeats=20, **ours)
        reason = absent("pyarc")
        if reason:
            lines.skip("pyARC", reason)
            continue
        body = PYARC.format(length=length, name=f"M{number}")
        how = {"setup": setup + NOMINAL + TRANSACTIONS, "body": body, "facts": FACTS}
        lines.measure(f"pyARC M{number}", 1, module="pyarc", repeats=3, budget=10, **how)


def _alone(name: str, setup: str) -> None:
    print(f"\n{name}, default settings, MDL included")
    lines = Beside(["rules"])
    for strategy in ("cba", "strongest", "combined"):
        body = f'return hedgerow.CBA(strategy="{strategy}").train(table)'
        facts = '{"rules": len(result.rules)}'
        lines.measure(
            f"hedgerow CBA {strategy}", 1, ours=strategy == "cba", repeats=3, setup=setup, body=body, facts=facts
        )
