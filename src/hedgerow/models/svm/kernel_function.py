"""Kernel functions, which replace the dot product of two rows in a support vector machine."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.errors import ModelError, UsageError
from hedgerow.layout.numbers import format_number
from hedgerow.models.base.checked_parts import expect_parts
from hedgerow.models.base.design_parts import number_part
from hedgerow.models.svm.given_kernels import PRECOMPUTED, CallableKernel, Precomputed

LINEAR, POLY, RBF, SIGMOID = "linear", "poly", "rbf", "sigmoid"
NAMES = (LINEAR, POLY, RBF, SIGMOID)  # in the order of the codes that the compiled kernels know them by
MOST_DEGREE = 1000
MOST_NUMBER = 1e150  # whose square is still a number
PLAIN = {"gamma": 1.0, "theta": 0.0, "degree": 3, "slope": 1.0, "delta": 0.0}
USED: dict[str, tuple[str, ...]] = {
    LINEAR: (),
    POLY: ("gamma", "theta", "degree"),
    RBF: ("gamma",),
    SIGMOID: ("slope", "delta"),
}


@dataclass(frozen=True)
class KernelFunction:
    """One of the functions of the literature; rows are those of a float64 array or of scipy's csr_array.

    `linear`: <x.z>; `poly`: (gamma <x.z> + theta)^degree; `rbf`: exp(-gamma |x - z|^2), which is that of Gauss with
    gamma = 1 / (2 sigma^2); `sigmoid`: tanh(slope <x.z> - delta). What a function does not use is set to its default.

    >>> kernel = KernelFunction("poly", theta=1.0, degree=2)
    >>> kernel.describe(), float(kernel.matrix(np.array([[2.0, 3.0]]), np.array([[4.0, 5.0]]))[0, 0])
    ('(<x.z> + 1)^2', 576.0)
    """

    name: str
    gamma: float = 1.0
    theta: float = 0.0
    degree: int = 3
    slope: float = 1.0
    delta: float = 0.0

    def __post_init__(self) -> None:
        if self.name not in USED:
            raise UsageError(
                f"there is no kernel {self.name!r}; give one of {', '.join(NAMES)}, or a function of two tables"
            )
        for name in set(PLAIN).difference(USED[self.name]):
            object.__setattr__(self, name, PLAIN[name])
        for name in ("gamma", "theta", "slope", "delta"):
            if not math.isfinite(getattr(self, name)):
                raise UsageError(f"{name} of a kernel must be a finite number, not {getattr(self, name)}")
            object.__setattr__(self, name, float(getattr(self, name)))
        if self.gamma <= 0:
            raise UsageError(f"gamma of a kernel must be above 0, not {self.gamma:g}")
        if not (1 <= self.degree <= MOST_DEGREE and self.degree == int(self.degree)):
            raise UsageError(
                f"the degree of a kernel must be a whole number from 1 to {MOST_DEGREE}, not {self.degree}"
            )
        object.__setattr__(self, "degree", int(self.degree))

    @classmethod
    def gaussian(cls, sigma: float) -> KernelFunction:
        """Return exp(-|x - z|^2 / (2 sigma^2))."""
        if not (sigma > 0 and 0 < (gamma := 0.5 / (sigma * sigma or math.nan)) < math.inf):
            raise UsageError(
                f"sigma of a Gaussian kernel must be above 0, and its square a finite number; it is {sigma}"
            )
        return cls(RBF, gamma=gamma)

    @property
    def numbers(self) -> tuple[int, float, float, int]:
        """The arguments of the compiled kernels: the function's code, factor, summand and power."""
        if self.name == SIGMOID:
            return NAMES.index(SIGMOID), self.slope, -self.delta, 1
        return NAMES.index(self.name), self.gamma, self.theta, self.degree

    def matrix(self, a: Any, b: Any) -> Numbers:
        """Return the values of all rows of `a` with all of `b`: plainly, in double precision, all at once.

        Values beyond the largest number are infinite; there is no warning.
        """
        with np.errstate(over="ignore"):
            if self.name == RBF:
                return np.exp(-self.gamma * _squared_distances(a, b))
            return self._from_products(_products(a, b))

    def diagonal(self, a: Any) -> Numbers:
        """Return the value of every row with itself."""
        if self.name == RBF:
            return np.ones(a.shape[0])
        with np.errstate(over="ignore"):
            return self._from_products(_squared_norms(a))

    def _from_products(self, products: Numbers) -> Numbers:
        if self.name == POLY:
            return (self.gamma * products + self.theta) ** self.degree
        if self.name == SIGMOID:
            return np.tanh(self.slope * products - self.delta)
        return products

    def describe(self) -> str:
        """Return the formula, with its numbers."""
        if self.name == RBF:
            return f"exp(-{_factor(self.gamma)}|x - z|^2)"
        if self.name == POLY:
            inner = f"{_factor(self.gamma)}<x.z>{_format_signed(self.theta)}"
            return f"({inner})^{self.degree}" if inner != "<x.z>" else f"<x.z>^{self.degree}"
        if self.name == SIGMOID:
            return f"tanh({_factor(self.slope)}<x.z>{_format_signed(-self.delta)})"
        return "<x.z>"

    def to_dict(self) -> dict[str, Any]:
        """Return the name and the numbers that this function uses, as JSON values."""
        return {"name": self.name} | {name: getattr(self, name) for name in USED[self.name]}


Kernel = KernelFunction | Precomputed | CallableKernel


def read_kernel(parts: Any) -> KernelFunction | Precomputed:
    """Build the kernel from the parts of `to_dict`, checking them."""
    name = parts.get("name") if isinstance(parts, dict) else None
    if name == PRECOMPUTED:
        expect_parts(parts, "name")
        return Precomputed()
    if not isinstance(name, str) or name not in USED:
        raise ModelError(f"its kernel must be one of {', '.join(NAMES)} and {PRECOMPUTED}, not {name!r}")
    expect_parts(parts, "name", *USED[name])
    parameters: dict[str, Any] = {part: number_part(parts, part) for part in USED[name]}
    try:
        return KernelFunction(name, **parameters)
    except UsageError as e:
        raise ModelError(f"its kernel is invalid: {e}") from None


def largest_magnitude(points: Any) -> float:
    """Return the largest number of rows, without its sign."""
    numbers = points.data if hasattr(points, "toarray") else np.asarray(points)
    return float(max(-numbers.min(), numbers.max())) if numbers.size else 0.0


def _products(a: Any, b: Any) -> Numbers:
    out = a @ b.T
    whole: Numbers = out.toarray() if hasattr(out, "toarray") else np.asarray(out)
    return whole


def _squared_norms(a: Any) -> Numbers:
    if hasattr(a, "toarray"):
        return np.asarray(a.multiply(a).sum(axis=1)).ravel()
    out: Numbers = np.einsum("ij,ij->i", a, a)
    return out


def _squared_distances(a: Any, b: Any) -> Numbers:
    """Return |x - z|^2: of arrays from the differences themselves, of sparse rows from norms and products."""
    if hasattr(a, "toarray") or hasattr(b, "toarray"):
        if (number := max(largest_magnitude(a), largest_magnitude(b))) > MOST_NUMBER:
            return _squared_distances(a / number, b / number) * number * number
        return np.maximum(_squared_norms(a)[:, None] + _squared_norms(b) - 2 * _products(a, b), 0.0)
    from scipy.spatial.distance import cdist

    out: Numbers = cdist(a, b, "sqeuclidean") if a.shape[1] else np.zeros((a.shape[0], b.shape[0]))
    return out


def _factor(number: float) -> str:
    return "" if number == 1 else f"{format_number(number)} "


def _format_signed(number: float) -> str:
    if not number:
        return ""
    return f" {'+' if number > 0 else '-'} {format_number(abs(number))}"
