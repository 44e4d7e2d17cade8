"""Code for the processes of the tree benchmarks: loading the data for each program, and reporting results."""

from __future__ import annotations

import os
from pathlib import Path

# A hedgerow learner starts from a Table.
TABLE = """
import hedgerow
from benchmarks.speed.workloads import load_table
train, test = (load_table(FOLDER, part) for part in ("train", "test"))
def accuracy(model): return float((model.decide(test) == test.target).mean())
"""
# Other programs start from a float32 matrix of level codes, because scikit-learn's trees would convert other types.
ARRAYS = """
import numpy as np
from benchmarks.speed.workloads import load_arrays
(X, y, nominal), (X_test, y_test, _) = (load_arrays(FOLDER, part) for part in ("train", "test"))
def accuracy(model): return float((model.predict(X_test) == y_test).mean())
"""
# One round of boosting is one tree for two classes and one tree per class for more. 255 leaves: 31, the default, cost 3
# points of accuracy on T1 and 10 on T2 for little time; 1023 gain 3 points on T2 for 1.4 times the time. A full step
# (rate 1), since there is only one. Nominal columns use its own handling of categories: on T3 faster and more
# accurate than codes, on T1 the same. Histograms by column avoid a trial of both methods.
LIGHTGBM = """
import lightgbm
classes = int(y.max()) + 1
settings = dict(objective="binary" if classes == 2 else "multiclass", num_leaves=255, min_data_in_leaf=20,
                learning_rate=1.0, force_col_wise=True, num_threads=THREADS, verbosity=-1, seed=1)
if classes > 2:
    settings["num_class"] = classes
def leaves(booster): return sum(tree["num_leaves"] for tree in booster.dump_model()["tree_info"])
def accuracy(booster):
    said = booster.predict(X_test)
    return float(((said.argmax(axis=1) if classes > 2 else said > 0.5) == y_test).mean())
"""
OUR_FACTS = '{"accuracy": accuracy(result), "leaves": int((result.nodes.columns < 0).sum())}'
SKLEARN_FACTS = '{"accuracy": accuracy(result), "leaves": int(result.get_n_leaves())}'
LIGHTGBM_FACTS = '{"accuracy": accuracy(result), "leaves": leaves(result)}'
ACCURACY = '{"accuracy": accuracy(result)}'


def at(folder: str | Path) -> str:
    """Return the line of setup code that sets the data folder."""
    return f"FOLDER = {str(folder)!r}\n"


def thread_counts() -> list[int]:
    """Return 1 and the number of cores available to this process."""
    return sorted({1, len(os.sched_getaffinity(0))})
