"""What the benchmarks of trees run in their processes: the data in each contender's favourite form, and the facts."""

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
# Peers start from a float32 matrix with the codes of the levels: scikit-learn's trees would convert anything else.
ARRAYS = """
import numpy as np
from benchmarks.speed.workloads import load_arrays
(X, y, nominal), (X_test, y_test, _) = (load_arrays(FOLDER, part) for part in ("train", "test"))
def accuracy(model): return float((model.predict(X_test) == y_test).mean())
"""
# One round of boosting is one tree for two classes and a tree a class for more. 255 leaves: 31, the default, cost 3
# points of accuracy on T1 and 10 on T2 for little time; 1023 gain 3 points on T2 for 1.4 times the time. A full step
# (rate 1), as there is no second one. Nominal columns go through its own treatment of categories: on T3 faster and more
# accurate than codes, on T1 the same. Histograms by column spare it the trial of both ways.
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
    """Return the line of a setup that says where the data lie."""
    return f"FOLDER = {str(folder)!r}\n"


def thread_counts() -> list[int]:
    """Return 1 and the number of cores that this process may use."""
    return sorted({1, len(os.sched_getaffinity(0))})
