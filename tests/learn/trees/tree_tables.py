"""Tables to grow trees on, and what the tests of all tree learners share."""

import numpy as np

from hedgerow import Table

CARDS = [("no", "no", 60, 0), ("no", "yes", 15, 3), ("yes", "no", 10, 3), ("yes", "yes", 5, 4)]


def cards():
    """Return a hundred card payments, of which 10 are fraud, and fraud is nowhere a majority."""
    rows = [
        (night, abroad, label)
        for night, abroad, *counts in CARDS
        for label, count in zip(("ok", "fraud"), counts, strict=True)
        for _ in range(count)
    ]
    night, abroad, label = zip(*rows, strict=True)
    return Table.of({"night": night, "abroad": abroad, "label": label}, "label")


def mixed_table(seed, rows=60, weights=None, number=False):
    """Return random rows with numbers, levels, ties and missing values; `weights` are "whole" or "fractional"."""
    random = np.random.default_rng(seed)
    x = [None if random.random() < 0.15 else float(v) for v in random.integers(0, 12, rows)]
    z = [None if random.random() < 0.05 else round(float(v), 2) for v in random.normal(size=rows)]
    a = [None if random.random() < 0.15 else "uvw"[v] for v in random.integers(0, 3, rows)]
    b = ["pqrst"[v] for v in random.integers(0, 5, rows)]
    classes = ["kmn"[(int(v or 0) // 4 + random.integers(0, 2)) % 3] for v in x]
    numbers = [float(v or 3) + float(random.integers(0, 3)) for v in x]
    weight = {None: None, "whole": random.integers(1, 4, rows).astype(float), "fractional": random.random(rows) + 0.1}
    levels = {"a": "uvw", "b": "pqrst"} | ({} if number else {"y": "kmn"})
    return Table.of({"x": x, "z": z, "a": a, "b": b, "y": numbers if number else classes}, "y", levels, weight[weights])


def lines(tree):
    """Return the lines of a printed tree without its size."""
    return str(tree).split("\n\n")[0].split("\n")


def traced(learner, table, capsys):
    """Return the model that a learner makes by hand while it shows its work, and what it printed."""
    model = type(learner)(**{**learner.get_params(), "trace": True}).train(table)
    return model, capsys.readouterr().out


def repeated(table):
    """Return a table with some rows twice, and one where these rows weigh 2 instead."""
    twice = np.arange(table.n_rows) % 3 == 0
    rows = np.repeat(np.arange(table.n_rows), 1 + twice)
    return table.take(rows), table.with_weights(1.0 + twice)
