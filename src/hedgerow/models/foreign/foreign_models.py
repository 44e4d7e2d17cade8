"""Foreign models: fitted estimators of scikit-learn's kind, so that they can be compared with ours.

They contain live objects of another package. So they cannot be saved in a model file, which never runs code, and their
print is only the other package's description.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import local
from typing import Any, ClassVar, NoReturn, Self

import numpy as np

from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.errors import ModelError
from hedgerow.models.base.model import About, ClassModel, Model, NumberModel
from hedgerow.models.foreign.encoding import Encoding

ROUNDING = 1e-3  # by which the probabilities of a row may miss 1: some packages give half-precision numbers


_here = local()  # the rows for which this thread asks several models


@contextmanager
def share_matrix(data: Sequence[Any]) -> Iterator[None]:
    """A context in which foreign models with the same encoding share one matrix for tables of these columns."""
    before = getattr(_here, "shared", None)
    _here.shared = _SharedMatrices(tuple(data))
    try:
        yield
    finally:
        _here.shared = before


@dataclass(eq=False)
class _SharedMatrices:
    """The columns of some rows, and the matrices computed from them."""

    data: tuple[Any, ...]
    matrices: dict[Any, Any] = field(default_factory=dict)
    gaps: dict[int, bool] = field(default_factory=dict)  # whether numbers of a column are missing

    def matrix(self, encoding: Encoding, table: Table) -> Any:
        """Return the matrix of a table, which another model may have been given already."""
        if len(table.data) != len(self.data) or any(a is not b for a, b in zip(table.data, self.data, strict=True)):
            return encoding.matrix(table)
        places = table.schema.predictors
        filled = (repr(fill) for at, fill in zip(places, encoding.fill, strict=True) if self._has_gaps(table, at))
        key = (places, encoding.nominal, encoding.keeps_missing, encoding.sparse, *filled)
        if key not in self.matrices:
            self.matrices = {key: encoding.matrix(table)}  # one at a time: they are large
        return self.matrices[key]

    def _has_gaps(self, table: Table, at: int) -> bool:
        if at not in self.gaps:
            numeric = table.schema.columns[at].kind is Kind.NUMERIC
            self.gaps[at] = numeric and bool(np.isnan(table.numbers(at)).any())
        return self.gaps[at]


def _matrix(encoding: Encoding, table: Table) -> Any:
    shared: _SharedMatrices | None = getattr(_here, "shared", None)
    return encoding.matrix(table) if shared is None else shared.matrix(encoding, table)


@dataclass(frozen=True, eq=False)
class _ForeignModel(Model):
    estimator: Any
    encoding: Encoding

    def __str__(self) -> str:
        return str(self.estimator)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    @property
    def size(self) -> int | None:
        """Leaves of a tree or of all trees, support vectors, or coefficients; None if none of these is known."""
        return estimator_size(self.estimator)

    def to_dict(self) -> NoReturn:
        """Raise an error: a foreign object cannot be serialized."""
        raise ModelError(f"{type(self.estimator).__name__} is not a hedgerow learner, so its model cannot be saved")

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:  # noqa: ARG003
        """Raise an error: a foreign object cannot be serialized."""
        raise ModelError("a model of another package cannot be loaded")

    def _call_estimator(self, method: str, table: Table) -> Any:
        """Return the result of a method of the estimator for a table; its errors become one-sentence messages."""
        try:
            return getattr(self.estimator, method)(_matrix(self.encoding, table))
        except Exception as error:
            raise ModelError(f"{type(self.estimator).__name__} cannot predict: {first_line(error)}") from error


@dataclass(frozen=True, eq=False)
class ForeignClasses(_ForeignModel, ClassModel):
    """A fitted classifier whose classes are the codes of the target's levels."""

    kind: ClassVar[str] = "foreign classes"

    def scores(self, table: Table) -> Numbers:
        """Return its probabilities; if it has none, its margins as shares, or its decision with probability 1.

        Margins rank rows rightly, but are no probabilities: do not take log loss or Brier scores of them for real.
        """
        if not table.n_rows:
            return np.zeros((0, len(self.classes)))
        name = type(self.estimator).__name__
        if not hasattr(self.estimator, "classes_"):
            raise ModelError(f"{name} cannot predict: a fitted classifier must have `classes_`")
        known = np.asarray(self.estimator.classes_, dtype=np.int64)
        if hasattr(self.estimator, "predict_proba"):
            values = np.asarray(self._call_estimator("predict_proba", table), dtype=np.float64)
        elif hasattr(self.estimator, "decision_function"):
            values = _margins_to_shares(
                np.asarray(self._call_estimator("decision_function", table), dtype=np.float64), len(known)
            )
        else:
            values = (self.own_decisions(table)[:, None] == known).astype(np.float64)
        if values.shape != (table.n_rows, len(known)):
            raise ModelError(f"{name} returned scores of shape {values.shape} instead of {(table.n_rows, len(known))}")
        _check_shares(name, values)
        wide = np.zeros((table.n_rows, len(self.classes)))
        wide[:, known] = values
        return wide

    def margins(self, table: Table) -> Numbers | None:
        """Return its decision function of two classes, if it has one."""
        known = getattr(self.estimator, "classes_", ())
        if not hasattr(self.estimator, "decision_function") or list(known) != [0, 1]:
            return None
        if not table.n_rows:
            return np.zeros(0)
        values = np.asarray(self._call_estimator("decision_function", table), dtype=np.float64)
        return values if values.shape == (table.n_rows,) else None

    def own_decisions(self, table: Table, scores: Numbers | None = None) -> Codes:  # noqa: ARG002
        """Return its own decisions, which need not be the most probable classes."""
        if not table.n_rows:
            return np.zeros(0, dtype=np.int32)
        predicted = np.asarray(self._call_estimator("predict", table)).reshape(-1)
        known = np.arange(len(self.classes))
        if predicted.shape != (table.n_rows,) or not np.isin(predicted, known).all():
            raise ModelError(
                f"{type(self.estimator).__name__} must predict one of the classes for every row, but does not"
            )
        return predicted.astype(np.int32)


@dataclass(frozen=True, eq=False)
class ForeignNumbers(_ForeignModel, NumberModel):
    """A fitted regressor."""

    kind: ClassVar[str] = "foreign numbers"

    def values(self, table: Table) -> Numbers:
        """Return its numbers."""
        if not table.n_rows:
            return np.zeros(0)
        return np.asarray(self._call_estimator("predict", table), dtype=np.float64).reshape(-1)


def first_line(error: BaseException) -> str:
    """Return the message of an error of another package in one line."""
    lines = str(error).strip().splitlines()
    return lines[0].strip() if lines else type(error).__name__


def estimator_size(estimator: Any) -> int | None:
    """Return how large a fitted estimator is, in the terms nearest to those of our models."""
    last = getattr(estimator, "steps", [("", estimator)])[-1][1]
    last = getattr(last, "best_estimator_", last)
    if hasattr(last, "get_n_leaves"):
        return int(last.get_n_leaves())
    members = getattr(last, "estimators_", None)
    if members is not None:
        sizes = [estimator_size(member) for member in np.ravel(np.asarray(members, dtype=object))]
        return None if not sizes or None in sizes else sum(size for size in sizes if size is not None)
    if hasattr(last, "support_"):
        return len(last.support_)
    return int(np.size(last.coef_)) if hasattr(last, "coef_") else None


def _check_shares(name: str, shares: Numbers) -> None:
    """Raise an error unless every row contains probabilities: not negative, with sum 1 (Results reject NaN)."""
    if (shares < 0).any():
        raise ModelError(f"{name} returned negative probabilities (the smallest is {shares.min():g})")
    wrong = np.flatnonzero(np.abs(shares.sum(axis=1) - 1) > ROUNDING)
    if len(wrong):
        raise ModelError(
            f"{name} returned probabilities that do not sum to 1 for {len(wrong)} of {len(shares)} rows (the first "
            f"sum is {shares[wrong[0]].sum():g}); its `predict_proba` must return the probability of every class"
        )


def _margins_to_shares(margins: Numbers, n_classes: int) -> Numbers:
    """Return shares that rank rows as the margins do, each row's sum 1."""
    if margins.ndim == 1:
        margins = np.stack([np.zeros(len(margins)), margins], axis=1)
    if margins.shape[1] != n_classes:
        raise ModelError(f"the estimator returned {margins.shape[1]} margins per row for {n_classes} classes")
    powers = np.exp(margins - margins.max(axis=1, keepdims=True))
    shares: Numbers = powers / powers.sum(axis=1, keepdims=True)
    return shares
