"""From a CSV file to a printed tree: 125,000 network connections, 41 columns, five classes.

The data are a random sample of the KDD Cup 1999 set. scikit-learn's route is pandas, ordinal codes for the three
nominal columns, a tree with at least 20 rows per leaf, and its text export.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.speed.contenders import thread_counts
from benchmarks.speed.timing import Beside
from benchmarks.speed.workloads import shared, write_kdd_csv

OURS = """
import warnings
import hedgerow
warnings.simplefilter("ignore", hedgerow.DataWarning)
"""
PEER = """
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier, export_text
def show(path):
    frame = pd.read_csv(path)
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1]
    words = [c for c in X if X[c].dtype.kind not in "iuf"]
    code = make_column_transformer((OrdinalEncoder(dtype=np.float32), words), remainder="passthrough")
    model = DecisionTreeClassifier(min_samples_leaf=20, random_state=1).fit(code.fit_transform(X), y)
    return export_text(model, max_depth=100)
"""
OUR_BODY = "return str(hedgerow.C45().train(hedgerow.read(PATH)))"
OUR_FACTS = '{"leaves": int(result.split("Leaves: ")[1].split(",")[0])}'


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks kdd", description=__doc__.split("\n")[0])
    options.add_argument("--rows", type=int, default=125_000, help="number of rows")
    options.add_argument("--threads", nargs="+", type=int, default=thread_counts(), help="thread counts to measure")
    options.add_argument("--repeats", type=int, default=5, help="number of runs, of which the best counts")
    options.add_argument("--show", action="store_true", help="also print the tree")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print the times from the file to the printed tree."""
    chosen = parser().parse_args(arguments)
    if not (shared() / "large" / "kddcup.data_10_percent.gz").is_file():
        print("skipped: KDD Cup data not found (set HEDGEROW_SHARED to the folder of the data sets)")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kdd.csv"
        write_kdd_csv(path, chosen.rows)
        where = f"PATH = {str(path)!r}\n"
        print(f"{chosen.rows:,} rows, {path.stat().st_size / 1e6:.0f} MB of CSV")
        how = {"repeats": chosen.repeats, "budget": 20.0}
        ours = {"setup": where + OURS, "body": OUR_BODY, "facts": OUR_FACTS}
        peer = {"setup": where + PEER, "body": "return show(PATH)", "facts": '{"leaves": result.count("class: ")}'}
        lines = Beside(["leaves"])
        for threads in chosen.threads:
            lines.measure("hedgerow: read, learn, print", threads, ours=True, **ours, **how)
        lines.measure("pandas, scikit-learn, 20 rows per leaf", 1, module="pandas", **peer, **how)
        lines.finish()
        if chosen.show:
            from hedgerow import C45, read

            print(C45().train(read(path)))
