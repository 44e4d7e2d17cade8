"""Linear SVMs compared with liblinear in scikit-learn: 100,000 rows with five classes, and 20 Newsgroups.

Five classes: T2, from the columns to five one-vs-rest SVMs; scikit-learn gets a matrix
in memory. 20 Newsgroups by date: from the same tf-idf matrix to twenty SVMs. Objectives are sums over SVMs;
scikit-learn penalizes the intercept, so hedgerow's is lower.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from benchmarks.speed.timing import Timed, table, timed
from benchmarks.speed.workloads import shared

COMMON = """
import warnings
import numpy as np
warnings.simplefilter("ignore")
def objective(X, y, slopes, intercepts, power):
    signs = np.where(y[:, None] == np.arange(len(slopes)), 1.0, -1.0)
    slack = np.maximum(1 - signs * (X @ slopes.T + intercepts), 0)
    return float((slopes**2).sum() / 2 + (slack**power).sum())
def outcome(slopes, intercepts, power):
    right = float((np.argmax(test @ slopes.T + intercepts, axis=1) == actual).mean())
    return dict(objective=objective(X, y, slopes, intercepts, power), right=right)
codes = (2 * np.eye({classes}) - 1).astype(np.int8)
"""
T2 = """
from benchmarks.speed.workloads import t2
columns = t2()
labels = np.unique(columns.pop("group"), return_inverse=True)[1]
raw = np.column_stack(list(columns.values()))
mean, deviation = raw[:100_000].mean(axis=0), raw[:100_000].std(axis=0)
scaled = (raw - mean) / deviation
X, y, test, actual = scaled[:100_000].copy(), labels[:100_000], scaled[100_000:], labels[100_000:]
del scaled
"""
TABLE = """
from hedgerow.data.design.design import Design
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table
from hedgerow.learn.svm.linear import solve_linear
target = Column("group", Kind.NOMINAL, tuple("abcde"))
schema = Schema(tuple(Column(f"c{i}", Kind.NUMERIC) for i in range(50)) + (target,), "group")
data = Table(schema, tuple(np.ascontiguousarray(c) for c in raw[:100_000].T) + (y.astype(np.int32),), 100_000)
def learned(power, tolerance=1e-3):
    design = Design.learn(data)
    matrix = design.matrix(data)
    matrix -= design.centers
    matrix /= design.scales
    return solve_linear(matrix, codes, y, np.ones(len(y)), power, tolerance=tolerance)
"""
NEWS = """
from benchmarks.accuracy.texts import news_by_date
from sklearn.feature_extraction.text import TfidfVectorizer
(part,) = news_by_date()
vectors = TfidfVectorizer(sublinear_tf=True)
X, test = vectors.fit_transform(part.train), vectors.transform(part.test)
groups, y = np.unique(part.classes, return_inverse=True)
actual = np.searchsorted(groups, part.actual)
"""
SPARSE = """
from hedgerow.learn.svm.linear import solve_linear
def learned(power, tolerance=1e-3):
    return solve_linear(X, codes, y, np.ones(len(y)), power, tolerance=tolerance)
"""
PEER = "from sklearn.svm import LinearSVC\n"
LOSSES = {1: "hinge", 2: "squared_hinge"}


def contenders(data: str, own: str, peers: dict[str, str], power: int, repeats: int) -> list[tuple[str, Timed]]:
    """Return the times, objectives and accuracies."""
    facts = f"outcome(result.coef_, result.intercept_, {power})"
    found = [
        (name, timed(data + PEER, f"return {fit}.fit(X, y)", 1 if power == 1 else repeats, 1, facts))
        for name, fit in peers.items()
    ]
    facts = (
        f"dict(outcome(result.weights, result.b, {power}), gap=max(f.gap / f.primal for f in result.figures), "
        "violation=max(f.violation for f in result.figures))"
    )
    for threads, name in ((0, ""), (1, ", one thread")):
        found.append((f"hedgerow{name}", timed(data + own, f"return learned({power})", repeats, threads, facts)))
    return found


def show(title: str, found: list[tuple[str, Timed]]) -> None:
    """Print times, speedups and results."""
    print(f"\n{title}")
    for name in ("hedgerow", "hedgerow, one thread"):
        peers = [one for one in found if not one[0].startswith("hedgerow")]
        own = [one for one in found if one[0] == name]
        table(peers + own, against=[title for title, _ in peers], ours=name)
    for name, one in found:
        proof = f", gap {one.facts['gap']:.1e}, violation {one.facts['violation']:.1e}" if "gap" in one.facts else ""
        print(f"{name:34} right {one.facts['right']:.4f}, objective {one.facts['objective']:.4f}{proof}")


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks linear_svm", description=__doc__)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument(
        "--squared-only", action="store_true", help="leave out the hinge loss, which is slow in other programs"
    )
    return options


def main(words: Sequence[str] = ()) -> None:
    """Print times, objectives and speedups."""
    options = parser().parse_args(list(words))
    powers = (2,) if options.squared_only else (2, 1)
    for power in powers:
        peers = (
            {"LinearSVC, primal": "LinearSVC(dual=False)"}
            if power == 2
            else {"LinearSVC, hinge, 100 passes": "LinearSVC(loss='hinge', max_iter=100)"}
        )
        found = contenders(COMMON.replace("{classes}", "5") + T2, TABLE, peers, power, options.repeats)
        show(f"T2: 100,000 rows, 50 columns, 5 classes, {LOSSES[power]} (goal: 3 x as fast)", found)
    if not (shared() / "text").is_dir():
        print("20 Newsgroups: skipped, data sets not found (set HEDGEROW_SHARED to their folder)")
        return
    for power in powers:
        peers = {"LinearSVC": f"LinearSVC(loss='{LOSSES[power]}')"}
        found = contenders(COMMON.replace("{classes}", "20") + NEWS, SPARSE, peers, power, options.repeats)
        show(f"20 Newsgroups by date: 11,314 texts, 20 classes, {LOSSES[power]} (goal: 2 x as fast)", found)
