"""OnlineLinear from a file of text rows to a model, compared with Vowpal Wabbit and scikit-learn's SGDClassifier.

python -m benchmarks online --tasks words classes --repeats 5
Every program starts from the same file in VW's format and reads it itself: `words` are the words of 20 Newsgroups
with two classes (computers or not), `classes` the same with all twenty, `pairs` 100,000 rows of 75 `index:value`. One
pass, one thread; VW parses in a separate thread, which its CPU time includes. scikit-learn gets a Python loop that
splits label and text, its vectorizers and one pass of SGD (or as many as its `tol` takes).
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.speed.text_corpora import NEWS
from benchmarks.speed.timing import Timed, absent, timed

TASKS = ("words", "classes", "pairs")
OURS = """
import hedgerow
from hedgerow.data.read import open_source
how = dict(passes=1, tf="count", idf="none", norm="none", bits=18)
"""
VW = "from vowpalwabbit import pyvw\n"
SKLEARN = """
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import SGDClassifier
def read(path):
    classes, texts = [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            label, text = line.split(" | ", 1)
            classes.append(label)
            texts.append(text)
    return classes, texts
"""
# Pairs are passed to scikit-learn as dictionaries, the input of its FeatureHasher.
PAIRS = """
from sklearn.feature_extraction import FeatureHasher
from sklearn.linear_model import SGDClassifier
def read(path):
    classes, rows = [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            label, rest = line.split(" | ", 1)
            classes.append(label)
            rows.append([(name, float(value)) for name, value in (pair.split(":") for pair in rest.split())])
    return classes, rows
"""


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks online", description=__doc__.split("\n")[0])
    options.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS), help="files to run")
    options.add_argument("--repeats", type=int, default=3, help="number of runs, of which the best counts")
    options.add_argument("--only", default="", help="only programs whose name contains this")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print times and memory of all programs for each file, and their ratios to hedgerow's."""
    chosen = parser().parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        for task in chosen.tasks:
            if task != "pairs" and not NEWS.is_file():
                print(f"{task} skipped: there is no {NEWS.name}")
                continue
            path = Path(folder) / f"{task}.vw"
            if task == "pairs":
                write_pairs(path)
            else:
                write_words(path, task)
            print(f"\n{task}: {path.stat().st_size / 1e6:.0f} MB")
            print(f"{'':52} {'wall s':>8} {'CPU s':>8} {'x wall':>7} {'x CPU':>7} {'peak MB':>8}")
            ours: Timed | None = None
            for name, module, setup, body in contenders(task, str(path)):
                if chosen.only not in name:
                    continue
                reason = absent(module)
                if reason:
                    print(f"{name:52} skipped: {reason}")
                    continue
                one = timed(setup, body, repeats=chosen.repeats, threads=1, budget=20.0)
                ours = ours or one
                ratios = f"{one.wall / ours.wall:7.1f} {one.cpu / ours.cpu:7.1f}"
                print(f"{name:52} {one.wall:8.3f} {one.cpu:8.3f} {ratios} {one.peak:8.0f}", flush=True)


def contenders(task: str, path: str) -> list[tuple[str, str, str, str]]:
    """Return name, module, setup and work of all programs, hedgerow first."""
    oaa = " --oaa 20" if task == "classes" else ""
    loss, one = "loss='log_loss'", "max_iter=1, tol=None"
    vw = f"pyvw.Workspace('-d {path} --loss_function logistic -b 18{oaa} --quiet').finish()"
    found = [
        (
            "hedgerow, from a stream",
            "hedgerow",
            OURS,
            f"return hedgerow.OnlineLinear(**how).train(open_source({path!r}))",
        ),
        (
            "hedgerow, from a table in memory",
            "hedgerow",
            OURS,
            f"return hedgerow.OnlineLinear(shuffle=False, **how).train(hedgerow.read({path!r}))",
        ),
        ("Vowpal Wabbit", "vowpalwabbit", VW, vw),
    ]
    if task == "pairs":
        body = f"y, rows = read({path!r})\nX = FeatureHasher(2**18, input_type='pair').transform(rows)\n"
        body += f"return SGDClassifier({loss}, {one}).fit(X, y)"
        return [*found, ("scikit-learn, FeatureHasher, SGD, one pass", "sklearn", PAIRS, body)]
    hashing = "HashingVectorizer(n_features=2**18, norm=None, alternate_sign=False)"
    ways = (
        ("HashingVectorizer, SGD, one pass", hashing, one),
        ("TfidfVectorizer, SGD, one pass", "TfidfVectorizer()", one),
        ("TfidfVectorizer, SGD, until tol", "TfidfVectorizer()", "tol=1e-3"),
    )
    for name, vectorizer, end in ways:
        body = f"y, texts = read({path!r})\nX = {vectorizer}.fit_transform(texts)\n"
        body += f"return SGDClassifier({loss}, {end}).fit(X, y)"
        found.append((f"scikit-learn, {name}", "sklearn", SKLEARN, body))
    return found


def write_words(path: Path, task: str) -> None:
    """Write 20 Newsgroups in VW's format: the words of every article in lower case, in random order of articles."""
    with gzip.open(NEWS, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    groups = sorted({row["label"] for row in rows})
    words = re.compile(r"\b\w\w+\b")
    with path.open("w", encoding="utf-8") as out:
        for i in np.random.default_rng(1).permutation(len(rows)).tolist():
            group = rows[i]["label"]
            label = groups.index(group) + 1 if task == "classes" else 1 if group.startswith("comp") else -1
            out.write(f"{label} | {' '.join(words.findall(rows[i]['text'].lower()))}\n")


def write_pairs(path: Path) -> None:
    """Write rows of 75 pairs of 40,000 features by Zipf's law, whose weighted sum plus noise gives the class."""
    random = np.random.default_rng(2)
    weights = random.normal(size=40_000)
    with path.open("w") as out:
        for _ in range(100):
            index = random.zipf(1.2, (1000, 75)) * 7919 % len(weights)
            values = np.round(random.random((1000, 75)), 4)
            sums = (weights[index] * values).sum(axis=1) + 2 * random.normal(size=len(values))
            for total, places, row in zip(sums, index, values, strict=True):
                label = 1 if total > 0 else -1
                out.write(f"{label} | {' '.join(f'{p}:{v}' for p, v in zip(places, row, strict=True))}\n")
