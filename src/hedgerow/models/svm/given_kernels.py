"""Kernels whose values are given: with the data, or from a Python function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.errors import ModelError, UsageError

PRECOMPUTED = "precomputed"
ASYMMETRY_TOLERANCE = (
    1e-8  # difference of K(x, z) and K(z, x), by the largest value, that is no longer put down to rounding
)
BLOCK = 256  # rows whose values with themselves are taken from a square of them


@dataclass(frozen=True)
class Precomputed:
    """Kernel values that come with the data: a row contains its values with every training row."""

    name = PRECOMPUTED

    def matrix(self, a: Any, b: Any) -> Numbers:
        """Return the values of rows `a`, with the rows whose positions are `b`."""
        return np.ascontiguousarray(np.asarray(a, dtype=np.float64)[:, b])

    def diagonal(self, a: Any) -> Numbers:
        """Return the value of every row with itself, of a square of values."""
        return np.diagonal(np.asarray(a, dtype=np.float64)).copy()

    def describe(self) -> str:
        """Return the origin of the values."""
        return "values given with the data"

    def to_dict(self) -> dict[str, Any]:
        """Return the name."""
        return {"name": self.name}

    @staticmethod
    def check_values(values: Any) -> Numbers:
        """Return the values of all rows with each other; raise unless they are square, finite and symmetric."""
        out = _numbers(values, "the precomputed kernel")
        if out.ndim != 2 or out.shape[0] != out.shape[1]:
            raise UsageError(
                f"a precomputed kernel must be square, with one value per pair of rows, but its shape is {out.shape}; "
                "the table must contain kernel values and nothing else"
            )
        return _symmetric(_finite(out, "the precomputed kernel"), "the precomputed kernel")


@dataclass(frozen=True)
class CallableKernel:
    """A Python function of two tables, as arrays or sparse ones, that returns a value for every two of their rows."""

    function: Callable[[Any, Any], Any]

    name = "own"

    def matrix(self, a: Any, b: Any) -> Numbers:
        """Return the values of all rows of `a` with all of `b`, checked; those of a table with itself are symmetric."""
        out = _numbers(self.function(a, b), self.describe())
        wanted = (a.shape[0], b.shape[0])
        if out.shape != wanted:
            raise UsageError(
                f"{self.describe()} returned an array of shape {out.shape} for {wanted[0]} and {wanted[1]} rows; "
                f"it must return one of shape {wanted}"
            )
        out = _finite(out, self.describe())
        return _symmetric(out, self.describe()) if a is b else out

    def diagonal(self, a: Any) -> Numbers:
        """Return the value of every row with itself, from small squares."""
        blocks = [a[start : start + BLOCK] for start in range(0, a.shape[0], BLOCK)]
        return np.concatenate([np.empty(0), *(np.diagonal(self.matrix(block, block)) for block in blocks)])

    def describe(self) -> str:
        """Return the function's name."""
        return f"the kernel function {getattr(self.function, '__name__', type(self.function).__name__)}(x, z)"

    def to_dict(self) -> dict[str, Any]:
        """Raise: a Python function does not go to a file."""
        raise ModelError(
            f"{self.describe()} is a Python function, which a file cannot store; train with one of the kernels linear, "
            "poly, rbf and sigmoid, or with kernel='precomputed'"
        )


def _numbers(values: Any, text: str) -> Numbers:
    try:
        return np.ascontiguousarray(values.toarray() if hasattr(values, "toarray") else values, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"{text} must give an array of numbers, not {type(values).__name__}") from None


def _finite(values: Numbers, text: str) -> Numbers:
    if not np.isfinite(values).all():
        at = np.argwhere(~np.isfinite(values))[0]
        raise UsageError(
            f"{text} has the value {values[tuple(at)]} for rows {at[0] + 1} and {at[1] + 1}; every value must be finite"
        )
    return values


def _symmetric(values: Numbers, text: str) -> Numbers:
    apart = np.abs(values - values.T)
    if values.size and apart.max() > ASYMMETRY_TOLERANCE * np.abs(values).max():
        i, j = np.unravel_index(int(apart.argmax()), apart.shape)
        raise UsageError(
            f"{text} is not symmetric: rows {i + 1} and {j + 1} have the value {values[i, j]:g}, but {values[j, i]:g} "
            "in reverse order; the order of two rows must not matter"
        )
    return values
