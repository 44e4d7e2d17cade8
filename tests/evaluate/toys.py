"""Two toy learners and small tables for the tests of evaluation and reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Numbers, Table
from hedgerow.evaluate.results import Fold, Results
from hedgerow.models.base.model import About, ClassModel, Model, NumberModel

LOAN = [False, False, True, True, False, False, False, True, True, True, True, True, True, True, False]


@dataclass(frozen=True)
class Constant(ClassModel):
    kind: ClassVar[str] = "constant"
    shares: tuple[float, ...] = ()

    def __str__(self) -> str:
        return f"always {self.classes[int(np.argmax(self.shares))]}"

    def to_dict(self) -> dict[str, Any]:
        return {"shares": list(self.shares)}

    @classmethod
    def from_dict(cls, parts, schema, about):
        return cls(schema, tuple(parts["shares"]), about=about)

    def scores(self, table: Table) -> Numbers:
        return np.tile(self.shares, (len(table), 1))


@dataclass(frozen=True)
class ConstantNumber(NumberModel):
    kind: ClassVar[str] = "constant number"
    value: float = 0.0

    def __str__(self) -> str:
        return f"always {self.value:g}"

    def to_dict(self) -> dict[str, Any]:
        return {"value": self.value}

    @classmethod
    def from_dict(cls, parts, schema, about):
        return cls(schema, parts["value"], about=about)

    def values(self, table: Table) -> Numbers:
        return np.full(len(table), self.value)


@dataclass(frozen=True)
class Means(ClassModel):
    kind: ClassVar[str] = "means"
    centers: tuple[tuple[float, ...], ...] = ()

    def __str__(self) -> str:
        return "\n".join(f"{label}: {center}" for label, center in zip(self.classes, self.centers, strict=True))

    @property
    def size(self) -> int:
        return len(self.centers)

    def to_dict(self) -> dict[str, Any]:
        return {"centers": self.centers}

    @classmethod
    def from_dict(cls, parts, schema, about):
        return cls(schema, parts["centers"], about=about)

    def scores(self, table: Table) -> Numbers:
        x = numbers(table)
        distance = ((x[:, None, :] - np.array(self.centers)[None]) ** 2).sum(axis=2)
        near = np.exp(-np.where(np.isnan(distance), 1e3, np.minimum(distance, 600)))
        return near / near.sum(axis=1, keepdims=True)


def numbers(table: Table) -> Numbers:
    positions = [p for p in table.schema.predictors if table.schema.columns[p].kind is Kind.NUMERIC]
    return np.stack([table.numbers(p) for p in positions], axis=1)


class Majority:
    """Predicts the training part's class shares, or its mean."""

    name = "majority"

    def get_params(self) -> dict[str, Any]:
        return {}

    def train(self, table: Table) -> Model:
        about = About(self.name, rows=len(table), weight=float(table.row_weights.sum()))
        if table.schema.target_column.kind is Kind.NUMERIC:
            mean = float(np.average(table.target, weights=table.row_weights))
            return ConstantNumber(table.schema, mean, about=about)
        counts = np.bincount(table.target, table.row_weights, len(table.schema.target_column.levels))
        return Constant(table.schema, tuple((counts / counts.sum()).tolist()), about=about)


class NearestMean:
    """Predicts the class whose mean is nearest; classes without rows are infinitely far."""

    name = "nearest_mean"

    def get_params(self) -> dict[str, Any]:
        return {"metric": "euclidean"}

    def train(self, table: Table) -> Means:
        x, codes = numbers(table), table.target
        present = set(codes.tolist())
        centers = [
            x[codes == code].mean(axis=0) if code in present else np.full(x.shape[1], np.nan)
            for code in range(len(table.schema.target_column.levels))
        ]
        about = About(self.name, self.get_params(), len(table), float(len(table)))
        return Means(table.schema, tuple(tuple(center.tolist()) for center in centers), about=about)


class Line:
    """Predicts a number by the straight line through the first column."""

    name = "line"

    def get_params(self) -> dict[str, Any]:
        return {}

    def train(self, table: Table) -> Model:
        slope, intercept = np.polyfit(numbers(table)[:, 0], table.target, 1)
        return Straight(table.schema, float(slope), float(intercept), about=About(self.name))


@dataclass(frozen=True)
class Straight(ConstantNumber):
    slope: float = 0.0
    intercept: float = 0.0

    def __init__(self, schema, slope, intercept, *, about):
        for name, value in {"schema": schema, "slope": slope, "intercept": intercept, "about": about}.items():
            object.__setattr__(self, name, value)

    def values(self, table: Table) -> Numbers:
        return self.slope * numbers(table)[:, 0] + self.intercept


def loan() -> Table:
    """The class column of the loan data, and one number that separates the classes except for two rows."""
    x = [0.1 * i if yes else 2 + 0.1 * i for i, yes in enumerate(LOAN)]
    x[0], x[3] = x[3], x[0]
    return Table.of({"x": x, "Class": ["Yes" if yes else "No" for yes in LOAN]}, target="Class")


def blobs(classes: int = 3, each: int = 50, spread: float = 1.0, seed: int = 5) -> Table:
    """Round clouds of points around the corners of a grid, one a class."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(classes), each)
    side = int(np.ceil(np.sqrt(classes)))
    labels = [chr(65 + code) if classes > 3 else ("setosa", "versicolor", "virginica")[code] for code in codes]
    x = codes // side * 3 + rng.normal(0, spread, len(codes))
    y = codes % side * 3 + rng.normal(0, spread, len(codes))
    return Table.of({"length": x, "width": y, "species": labels}, target="species")


def straight(n: int = 60, seed: int = 3) -> Table:
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 10, n)
    return Table.of({"area": x, "price": 3 * x + 5 + rng.normal(0, 2, n)}, target="price")


def results_of(actual, predicted, labels=(), weight=None, prior=()) -> Results:
    """Results by hand: a single test."""
    actual, predicted = np.asarray(actual), np.asarray(predicted, dtype=np.float64)
    n = len(actual)
    weight = np.ones(n) if weight is None else np.asarray(weight, dtype=np.float64)
    return Results(
        target="class" if labels else "value",
        labels=tuple(labels),
        rows=np.arange(n, dtype=np.int64),
        actual=actual.astype(np.int32) if labels else actual.astype(np.float64),
        predicted=predicted,
        weight=weight,
        run=np.zeros(n, np.int32),
        fold=np.zeros(n, np.int32),
        folds=(Fold(0, 0, 100.0, float(weight.sum()), prior),),
        learner="hand",
        method="separate test data",
    )


def first_row_doubled(results: Results) -> tuple[Results, Results]:
    """Return the results with weight 2 for the first row, and with that row twice: no measure may distinguish them."""
    weight = np.ones(len(results))
    weight[0] = 2
    again = [0, *range(len(results))]
    heavy = results_of(results.actual, results.predicted, results.labels, weight)
    return heavy, results_of(results.actual[again], results.predicted[again], results.labels)


def decided(actual, codes, labels) -> Results:
    """Results of a learner that predicts each class with certainty."""
    return results_of(actual, np.eye(len(labels))[np.asarray(codes)], labels)
