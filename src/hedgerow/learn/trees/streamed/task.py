"""The common data of the passes: the learner's settings, the columns, and the results so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.learn.sampling import folds_by_hash, seed_number
from hedgerow.learn.trees.kernel_growth import Parts, TreeInput, kernel_options
from hedgerow.learn.trees.options import TreeOptions
from hedgerow.learn.trees.streamed.growing import GrowingTree
from hedgerow.models.base.model import Model
from hedgerow.models.trees.tree import Tree

HELD = 1 << 22  # numbers that a pass holds: at most so many in counts, and so many in rows
BINS = 1024  # of a numeric column, unless a learner says otherwise
MOST_WHOLE = 65535  # weight of a row that the kernels count in whole numbers
NO_TRACE = "trace shows the work on a table, not on a stream; read the rows into a table"
NO_SURROGATES = (
    "surrogate tests cannot be learned from a stream; use missing_route='direction', or read the rows into a table"
)


@dataclass(frozen=True)
class StreamedTreeSettings:
    """The settings of a tree learner for a stream.

    Parameters
    ----------
    options, bins
        How trees are grown, and how many values of a numeric column are kept apart.
    folds, seed, without
        Into how many folds rows are dealt by a hash, and for each tree the fold that it is grown without (-1: none).
    learn
        What makes the model of a table, for streams that fit into memory.
    factors
        What the weights of rows are multiplied by: from the weight of each class to a factor for each.
    kept
        Which classes have a weight at all, as far as that is known before the rows.
    ready
        What is done to a tree before it is pruned.
    pruned
        From the trees, and the tallies of the rows of the fold that each was grown without, to the tree that is kept.
    finished
        From the tree of classes, and the weight of each class in all rows, to the model.
    at_values
        Whether thresholds are lowered to values of the training rows at the end.
    notes
        Notes when the rows did not fit into memory.
    """

    options: TreeOptions
    learn: Callable[[Table], Model]
    prune: Callable[[TreeInput, list[Parts], list[Numbers]], Parts]
    factors: Callable[[Numbers], Numbers] = np.ones_like
    kept: NDArray[np.bool_] | None = None
    ready: Callable[[TreeInput, Parts], Parts] = lambda _, parts: parts
    finish: Callable[[Tree, Numbers], Tree] = lambda tree, _: tree
    bins: int = BINS
    folds: int = 0
    seed: int = 0
    left_out_folds: tuple[int, ...] = (-1,)
    at_values: bool = False
    notes: tuple[str, ...] = ()


def add_cross_validation(recipe: StreamedTreeSettings, folds: int, random_state: Any) -> StreamedTreeSettings:
    """Return the recipe with one more tree for each fold, grown without it."""
    return replace(recipe, folds=folds, seed=seed_number(random_state), left_out_folds=(-1, *range(folds)))


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows in the kernels' form."""

    columns: list[Any]  # of the predictors
    label: Codes  # empty where a number is predicted
    number: Numbers  # empty where a class is
    weights: Numbers
    folds: Rows

    def weights_for(self, tree: GrowingTree) -> Numbers:
        """Return the weights of the rows that a tree is grown from, 0 for others."""
        return self.weights if tree.left_out_fold < 0 else self.weights * (self.folds != tree.left_out_fold)


@dataclass(frozen=True, eq=False)
class StreamedTask:
    """The common data of all passes: the recipe, the columns, and the results of the first pass."""

    settings: StreamedTreeSettings
    schema: Schema
    factors: Numbers | None = None  # by class; None: all are 1
    center: float = 0.0  # of the numbers that are predicted
    scale: float = 1.0
    values: tuple[Numbers, ...] = ()  # by predictor: the ends of its bins
    exact: tuple[bool, ...] = ()
    real: bool = False
    total: Numbers = field(default_factory=lambda: np.zeros(0))  # the tally of all rows

    @property
    def classes(self) -> int:
        """The number of classes; 0 for numbers."""
        target = self.schema.target_column
        return len(target.levels) if target.kind is Kind.NOMINAL else 0

    @property
    def width(self) -> int:
        """How many sums a tally has."""
        return self.classes or 3

    @property
    def levels(self) -> list[int]:
        """The number of levels of each predictor; -1 for numbers."""
        columns = (self.schema.columns[position] for position in self.schema.predictors)
        return [len(column.levels) if column.kind is Kind.NOMINAL else -1 for column in columns]

    @property
    def row_cells(self) -> int:
        """How many numbers a held row takes."""
        return len(self.schema.predictors) + 2

    @property
    def cells(self) -> int:
        """How many numbers the counts of a node take."""
        bins = (n if n >= 0 else len(ends) for n, ends in zip(self.levels, self.values, strict=True))
        return sum(n + 1 for n in bins) * (self.width + 1)

    def batch(self, table: Table) -> Batch:
        """Return rows in the kernels' form, with the weights that classes have in training."""
        columns: list[Any] = []
        for position, n in zip(self.schema.predictors, self.levels, strict=True):
            columns.append(table.numbers(position) if n < 0 else table.codes(position))
        place = self.schema.index(self.schema.target_column.name)
        label, number = np.zeros(0, np.int32), np.zeros(0)
        weights = np.ascontiguousarray(table.row_weights, dtype=np.float64)
        if self.classes:
            label = table.codes(place)
            weights = weights if self.factors is None else weights * self.factors[label]
        else:
            number = table.numbers(place) - self.center
        return Batch(columns, label, number, weights, self.folds(table))

    def folds(self, table: Table) -> Rows:
        """Return the fold of each row."""
        if not self.settings.folds:
            return np.zeros(table.n_rows, dtype=np.int64)
        return folds_by_hash(table.with_weights(None), self.settings.folds, self.settings.seed)

    def options(self, tree: GrowingTree, depth: int = 0) -> dict[str, Any]:
        """Return the options of growing from a node at some depth on."""
        parameters = kernel_options(self.settings.options)
        if depth and "max_depth" in parameters:
            parameters["max_depth"] -= depth
        whole = {"table_rows": float(tree.rows), "table_weight": tree.weight, "real": self.real}
        return {**parameters, **whole, "center": self.center, "scale": self.scale}

    def empty(self) -> TreeInput:
        """Return no rows at all, for what only needs to know the columns."""
        kinds = (column.kind for column in self.schema.columns)
        data = tuple(np.zeros(0, np.int32) if kind is Kind.NOMINAL else np.zeros(0) for kind in kinds)
        return TreeInput(Table(self.schema, data, 0), threads=1)
