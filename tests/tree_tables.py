"""Random tables to grow trees on: ties, levels, missing values, weights, and a target that depends on them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from hedgerow import Table

WEIGHTS = ("none", "whole", "real")


def random_table(
    seed: int,
    n: int,
    *,
    classes: int = 2,
    missing: bool = False,
    weights: str = "none",
    distinct: bool = False,
    target: str = "classes",
) -> Table:
    """Return a table of `n` rows; `distinct` numbers have no ties, a `target` may be "classes", "whole" or "real"."""
    chance = np.random.default_rng(seed)
    columns: dict[str, object] = {}
    declared: dict[str, list[str]] = {}

    def lost() -> np.ndarray:
        return chance.random(n) < 0.15 if missing else np.zeros(n, dtype=bool)

    for j in range(chance.integers(1, 4)):
        tied = chance.random() < 0.4 and not distinct
        values = (
            chance.integers(0, chance.integers(2, 12), n) if tied else chance.normal(size=n).round(5 if distinct else 2)
        )
        columns[f"x{j}"] = np.where(lost(), np.nan, values.astype(float))
    for j in range(chance.integers(1, 4)):
        levels = int(chance.integers(2, 14 if chance.random() < 0.3 else 5))
        codes = chance.integers(0, levels, n)
        declared[f"a{j}"] = [f"l{i}" for i in range(levels + int(chance.integers(2)))]  # one may not occur
        columns[f"a{j}"] = [None if gone else f"l{code}" for code, gone in zip(codes, lost(), strict=True)]
    high = np.nan_to_num(columns["x0"]) > np.median(np.nan_to_num(columns["x0"]))
    if target == "classes":
        codes = np.where(chance.random(n) < 0.6, high.astype(int), chance.integers(0, classes, n))
        columns["y"] = [f"c{code}" for code in codes]
        declared["y"] = [f"c{i}" for i in range(classes)]
    else:
        steps = np.array([0 if value in (None, "l0") else 2 for value in columns["a0"]])
        numbers = 3 * high + steps + chance.normal(size=n)
        columns["y"] = numbers.round(0 if target == "whole" else 3)
    table = Table.of(columns, "y", declared)
    if weights == "none":
        return table
    return counted(
        table.with_weights(
            chance.integers(1, 4, n).astype(float) if weights == "whole" else chance.random(n).round(3) + 0.1
        )
    )


def counted(table: Table) -> Table:
    """Return a table whose weights are taken as they are, as those that an ensemble gives its members."""
    return replace(table, counts_rows=True)


@st.composite
def tables(draw, low: int = 2, high: int = 60, target: str | None = None, **fixed):
    """A table of at most `high` rows; what is not fixed is drawn."""
    given = {
        "missing": draw(st.booleans()),
        "weights": draw(st.sampled_from(WEIGHTS)),
        "classes": draw(st.integers(2, 4)),
        "target": target or draw(st.sampled_from(["whole", "real"])),
        **fixed,
    }
    return random_table(draw(st.integers(0, 10**6)), draw(st.integers(low, high)), **given)
