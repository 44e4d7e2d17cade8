"""The workloads that speed is measured on; `t1` is the loan table of Agrawal, Imielinski and Swami (1993)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def t1(rows: int, seed: int = 1) -> dict[str, NDArray[np.generic]]:
    """Return the columns of the mixed table: six numeric, three nominal, the class by their function 5."""
    rng = np.random.default_rng(seed)
    salary = rng.uniform(20_000, 150_000, rows).round(2)
    commission = np.where(salary >= 75_000, 0.0, rng.uniform(10_000, 75_000, rows).round(2))
    age = rng.integers(20, 81, rows)
    elevel, car, zipcode = (rng.integers(0, n, rows) for n in (5, 20, 9))
    hvalue = ((9 - zipcode) * 100_000 * rng.uniform(0.5, 1.5, rows)).round(2)
    hyears = rng.integers(1, 31, rows)
    loan = rng.uniform(0, 500_000, rows).round(2)
    group = _function5(age, salary, loan) ^ (rng.random(rows) < 0.05)
    return {
        "salary": salary,
        "commission": commission,
        "age": age,
        "elevel": _words("level", 5)[elevel],
        "car": _words("make", 20)[car],
        "zipcode": _words("zip", 9)[zipcode],
        "hvalue": hvalue,
        "hyears": hyears,
        "loan": loan,
        "group": np.array(["A", "B"])[group.astype(np.int64)],
    }


def _function5(age: NDArray[np.int64], salary: NDArray[np.float64], loan: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return class A as False, by the bands of salary and loan that belong to each age."""

    def within(values: NDArray[np.float64], low: int, high: int) -> NDArray[np.bool_]:
        return (values >= low * 1000) & (values <= high * 1000)

    young = np.where(within(salary, 50, 100), within(loan, 100, 300), within(loan, 200, 400))
    middle = np.where(within(salary, 75, 125), within(loan, 200, 400), within(loan, 300, 500))
    old = np.where(within(salary, 25, 75), within(loan, 300, 500), within(loan, 100, 300))
    return ~np.where(age < 40, young, np.where(age < 60, middle, old))


def _words(stem: str, count: int) -> NDArray[np.str_]:
    return np.array([f"{stem}{number}" for number in range(1, count + 1)])


def write_t1_csv(path: Path, rows: int, seed: int = 1) -> None:
    """Write the mixed table with a header line."""
    import pyarrow as pa
    from pyarrow import csv

    options = csv.WriteOptions(quoting_style="none", quoting_header="none")
    csv.write_csv(pa.table({name: pa.array(values) for name, values in t1(rows, seed).items()}), path, options)
