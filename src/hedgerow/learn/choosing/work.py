"""How much work it is to train a learner, estimated from the shape of a table: never read off a clock.

A choice that depended on how fast a machine happens to be would not be the same twice. Work is in seconds of one core
of an ordinary machine, about the upper quartile of what `python -m benchmarks training_work` measures on tables of many
shapes; a table may take half or twice as long.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Table
from hedgerow.learn.supervised import Supervised

LEAST = 0.0005  # seconds of the smallest training
MOST_BYTES = 400e6  # of a model
NODES, NODE_BYTES = 0.6, 60  # of a whole tree on noisy data: nodes per row, and the size of each but for its classes
WORD = 6  # bytes of a word with the space after it
ANY_LEARNER = 2000.0  # nanoseconds per value, of a learner that is not in the list


@dataclass(frozen=True)
class TableShape:
    """What decides how long a learner takes: rows, columns by kind, levels, bytes of text per row, classes."""

    rows: float
    numeric: int
    nominal: int
    levels: int
    text_bytes: float
    classes: int

    @classmethod
    def of(cls, table: Table) -> TableShape:
        """Return the shape of a table that is ready to learn from."""
        used = [(position, table.schema.columns[position]) for position in table.schema.predictors]
        nominal = [column for _, column in used if column.kind is Kind.NOMINAL]
        texts = [table.texts(position) for position, column in used if column.kind is Kind.TEXT]
        target = table.schema.target_column
        return cls(
            table.n_rows,
            sum(1 for _, column in used if column.kind is Kind.NUMERIC),
            len(nominal),
            sum(len(column.levels) for column in nominal),
            sum(len(text.data) for text in texts) / max(table.n_rows, 1),
            max(len(target.levels), 1) if target.kind is Kind.NOMINAL else 1,
        )

    def with_rows(self, rows: float) -> TableShape:
        """Return the shape of a sample of so many rows."""
        return replace(self, rows=rows)

    @property
    def words(self) -> float:
        """About how many words a row has."""
        return self.text_bytes / WORD

    @property
    def parameters(self) -> float:
        """How many coefficients a linear model has for the columns that are no texts."""
        return (self.numeric + self.levels + 1) * max(self.classes - 1, 1)


def training_work(learner: Supervised, shape: TableShape) -> float:
    """Return about how many seconds of one core it takes to train a learner on a table of a shape."""
    per_row = PER_ROW.get(learner.name, _any_learner)
    return LEAST + shape.rows * per_row(learner, shape) * 1e-9


def known_work(learner: Any, table: Table) -> float:
    """Return the work of training a learner on a table; 0 if it is not known."""
    target = table.schema.target_column
    known = isinstance(learner, Supervised) and learner.name in PER_ROW and target.kind in (Kind.NOMINAL, Kind.NUMERIC)
    return training_work(learner, TableShape.of(table)) if known else 0.0


def rows_within(learner: Supervised, shape: TableShape, seconds: float) -> int:
    """Return on how many rows a learner can be trained in so many seconds of work, at most those of the shape."""
    low, high = 0, int(shape.rows)
    while low < high:
        middle = (low + high + 1) // 2
        if training_work(learner, shape.with_rows(middle)) <= seconds:
            low = middle
        else:
            high = middle - 1
    return low


def rows_in_memory(learner: Supervised, shape: TableShape) -> float:
    """Return from how many rows a learner can learn before its model takes too much memory: forests grow with them."""
    if learner.name != "random_forest":
        return math.inf
    node = NODE_BYTES + 16 * shape.classes
    return MOST_BYTES / (float(getattr(learner, "n_estimators", 100)) * NODES * node)


def _log2(shape: TableShape) -> float:
    return math.log2(max(shape.rows, 2))


def _words(shape: TableShape) -> float:
    return 60 * shape.words


def _tree(learner: Supervised, shape: TableShape) -> float:
    depth = min(getattr(learner, "max_depth", None) or math.inf, _log2(shape))
    return (20 + 8 * depth) * (shape.numeric + shape.nominal)


def _cart(_: Supervised, shape: TableShape) -> float:
    grouping = 100 + (10 if shape.classes <= 2 else 40) * min(shape.levels / max(shape.nominal, 1), 200)
    return 1200 * shape.numeric + grouping * shape.nominal


def _naive_bayes(learner: Supervised, shape: TableShape) -> float:
    numeric = 15 if getattr(learner, "density", "normal") == "normal" else 450
    return numeric * shape.numeric + 10 * shape.nominal + _words(shape)


def _logistic(_: Supervised, shape: TableShape) -> float:
    dense = 170 * min(shape.parameters, 5000) * (0.1 if shape.numeric == 0 else 1)
    return dense + 400 * shape.words * shape.classes


def _ripper(_: Supervised, shape: TableShape) -> float:
    many = 1 + shape.classes / 15
    return many * (600 * shape.numeric + 120 * shape.nominal + 300 * shape.words)


def _forest(learner: Supervised, shape: TableShape) -> float:
    tried = math.sqrt(shape.numeric + shape.nominal)
    return float(getattr(learner, "n_estimators", 100)) * 15 * tried * _log2(shape)


def _linear_regression(_: Supervised, shape: TableShape) -> float:
    width = min(shape.numeric + shape.levels, 1000) + min(shape.words, 100)
    return 5 * width + 0.5 * width * width + _words(shape)


def _any_learner(_: Supervised, shape: TableShape) -> float:
    return ANY_LEARNER * (shape.numeric + shape.nominal + shape.words)


# Nanoseconds per row.
PER_ROW: dict[str, Callable[[Supervised, TableShape], float]] = {
    "majority": lambda *_: 20,
    "mean": lambda *_: 20,
    "one_r": lambda _, shape: 900 * shape.numeric + 20 * shape.nominal,
    "c45": _tree,
    "cart": _cart,
    "cart_regressor": _cart,
    "naive_bayes": _naive_bayes,
    "rocchio": lambda _, shape: 50 * (shape.numeric + shape.nominal) + 2 * _words(shape),
    "logistic": _logistic,
    "linear_regression": _linear_regression,
    "ripper": _ripper,
    "random_forest": _forest,
}
