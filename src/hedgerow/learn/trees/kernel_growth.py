"""The kernels' side of growing trees: a table prepared once, on which any number of trees can be grown."""

from __future__ import annotations

from copy import copy
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.data.table.threads import n_threads
from hedgerow.errors import DataError
from hedgerow.learn.arrays import column_arrays
from hedgerow.learn.trees.options import TreeOptions
from hedgerow.models.base.model import ClassModel
from hedgerow.models.trees.descent import Descent
from hedgerow.models.trees.level_maps import LevelMaps
from hedgerow.models.trees.nodes import Nodes, empty_surrogate_parts
from hedgerow.models.trees.tree import NumberTree, Tree, child_shares

# A tree as the kernels hand it around: arrays by node, breadth first, and level maps with the prefixes below. `columns`
# counts the predictors only, and
# `tallies` is the weight by class of each node. Of a number it is the weight, sum and sum of squares, both of
# differences from `TreeInput.center`; or by absolute error the weight, median and mean absolute deviation.
Parts = dict[str, NDArray[Any]]

LEVELS, SURROGATE_LEVELS = "level_", "surrogate_level_"
DEEPEST = 2**31 - 1  # the kernels count no further
MOST_ROWS = 2**31 - 1  # nor number more
_TESTS = ("columns", "thresholds", "first", "missing")
_SURROGATES = ("surrogate_starts", "surrogate_columns", "surrogate_thresholds", "surrogate_first")


class TreeInput:
    """The columns of a table, sorted or coded, with its target and weights.

    Growing takes the weights of the table, or others: rows of weight 0 take no part, so that samples and folds need no
    copy of the rows. Columns that are to grow a tree only `once` are used up by that, which spares a copy.
    """

    def __init__(self, table: Table, threads: int | None = None, *, once: bool = False) -> None:
        if table.n_rows > MOST_ROWS:
            raise DataError(
                f"a tree can be grown on at most {MOST_ROWS} rows, not {table.n_rows}; use a sample, or pass a source"
            )
        self.table = table
        self.schema = table.schema
        self.absolute = False  # whether numbers are told by their medians, and tallies are weight, median, deviation
        self.threads = threads or n_threads()
        self.once = once
        self.last: list[tuple[Tree, Parts]] | None = None  # the last tree, if it is to be kept for `decide_rows`
        self.weights = np.ascontiguousarray(table.row_weights, dtype=np.float64)
        target = self.schema.target_column
        self.n_classes = len(target.levels) if target.kind is Kind.NOMINAL else 0
        self._place = self.schema.index(target.name)
        columns, levels = column_arrays(table, self.schema.predictors)
        self._positions = column_positions(self.schema)
        self.columns = _kernels.TreeColumns(columns, levels, table.n_rows, self.threads)

    def with_weights(self, weights: Numbers, threads: int | None = None) -> TreeInput:
        """Return the same rows with other weights, and for another number of threads; the columns are shared."""
        other = copy(self)
        other.weights = np.ascontiguousarray(weights, dtype=np.float64)
        if not np.array_equal(other.weights, self.weights):
            other.table = self.table.with_weights(other.weights)
        other.threads = threads or self.threads
        return other

    def with_target_of(self, table: Table, threads: int | None = None) -> TreeInput:
        """Return the same rows with the target of a table that has the same columns otherwise, which are shared."""
        other = self.with_weights(self.weights, threads)
        other.table, other.schema = table, table.schema
        other.n_classes = len(table.schema.target_column.levels)
        return other

    @property
    def codes(self) -> Codes:
        """The class of every row."""
        return self.table.codes(self._place)

    @property
    def numbers(self) -> Numbers:
        """The target of every row."""
        return self.table.numbers(self._place)

    def rank_if_few(self, tried: int) -> None:
        """Make ready for trees that try few of many columns at a node, whose kernel sorts them there and then."""
        self.columns.rank_rows(tried, self.threads)

    def grow(
        self,
        options: TreeOptions,
        weights: Numbers | None = None,
        *,
        tried: int = 0,
        once: bool = False,
        seed: int = 0,
        threads: int | None = None,
        with_rows: bool = True,
    ) -> Parts:
        """Return an unpruned tree; with `tried`, each node chooses among so many columns drawn at random.

        Columns drawn `once` are the same for all nodes. Pruning is faster `with_rows`: which ones are at each node.
        """
        weights = self.weights if weights is None else weights
        parameters = {**kernel_options(options), "tried": tried, "once": once, "seed": seed, "rows": with_rows}
        parameters["last"] = self.once
        threads = threads or self.threads
        if self.n_classes:
            return _kernels.grow_classes(self.columns, self.codes, self.n_classes, weights, parameters, threads)
        return _kernels.grow_numbers(self.columns, self.numbers, weights, parameters, threads)

    def collapse(self, parts: Parts) -> Parts:
        """Return a tree without subtrees that make no fewer errors in training than a leaf would."""
        return _kernels.collapse_tree(parts, self.n_classes)

    def prune(self, parts: Parts, confidence: float, raising: bool, weights: Numbers | None = None) -> Parts:
        """Return a tree pruned by the errors it is expected to make; see `by_hand.prune`."""
        weights = self.weights if weights is None else weights
        z = NormalDist().inv_cdf(1 - confidence)
        arguments = (self.codes, self.n_classes, weights, confidence, z, raising, self.threads)
        return _kernels.prune_tree(parts, self.columns, *arguments)

    def lower_thresholds(self, parts: Parts) -> Parts:
        """Return a tree with each threshold lowered to the largest value of its column that is not above it."""
        return {**parts, "thresholds": _kernels.find_values_below_thresholds(parts, self.columns)}

    def sums_below(self, parts: Parts, weights: Numbers, center: float = 0.0) -> Numbers:
        """Return the tallies of each node when rows of these weights go down the tree.

        Sums and squares of numbers are of differences from `center`.
        """
        if self.n_classes:
            payload = np.zeros((len(weights), self.n_classes))
            payload[np.arange(len(weights)), self.codes] = weights
        else:
            away = self.numbers - center
            payload = weights[:, None] * np.column_stack([np.ones(len(weights)), away, away**2])
        sums: Numbers = _kernels.sum_payloads(parts, self.columns, payload)
        return sums.reshape(-1, payload.shape[1])

    def deviations_below(self, parts: Parts, weights: Numbers) -> Numbers:
        """Return how far rows of these weights are in all from the median of each node that they reach.

        The tree must be grown by absolute error, and send rows with missing values one way.
        """
        rows = np.flatnonzero(weights > 0)
        nodes, tallies = make_nodes(parts, self.schema), parts["tallies"].reshape(-1, 3)
        descent = Descent.of(self.schema, [nodes], [child_shares(nodes, tallies[:, 0])])
        at = descent.leaves(self.table, rows)
        sums = np.zeros(len(nodes))
        while len(rows):  # from the leaves up to the root
            sums += np.bincount(at, weights[rows] * np.abs(self.numbers[rows] - tallies[at, 1]), len(nodes))
            inner = at > 0
            rows, at = rows[inner], nodes.parents[at[inner]]
        return sums

    def center(self, weights: Numbers) -> float:
        """Return the mean of the target, which sums and squares of tallies are taken from."""
        first = self.numbers[np.argmax(weights > 0)]  # equal numbers have exactly their value as mean
        return float(first + np.average(self.numbers - first, weights=weights))

    def tree(self, parts: Parts) -> Tree:
        """Return the model."""
        nodes, tallies = make_nodes(parts, self.schema, self._positions), parts["tallies"].reshape(-1, self.n_classes)
        tree = Tree.from_kernel(self.schema, nodes, tallies)
        if self.last is not None:
            self.last[:] = [(tree, parts)]
        return tree

    def decide_rows(self, model: ClassModel) -> Codes:
        """Return the class that a model gives each row; of the last tree it is known where the rows ended."""
        for tree, parts in self.last or ():
            if tree is model and len(parts.get("order", ())) == self.table.n_rows:
                return tree.decisions.take(row_leaves(parts))
        return model.decide(self.table)

    def number_tree(self, parts: Parts, weights: Numbers | None = None) -> NumberTree:
        """Return the model of numbers; `weights` are those it was grown with.

        Numbers and deviations are taken from the rows of each leaf once more, relative to one of them: in the tallies'
        sums of squares, the deviation of nearly equal numbers is lost in rounding.
        """
        weights = self.weights if weights is None else weights
        weight = np.ascontiguousarray(parts["tallies"].reshape(-1, 3)[:, 0])
        nodes, nothing = make_nodes(parts, self.schema), np.zeros(len(weight))
        leaves = Descent.of(self.schema, [nodes], [child_shares(nodes, weight)]).leaves(self.table)
        grown = weights > 0
        leaves, numbers, weights = leaves[grown], self.numbers[grown], weights[grown]
        first, total = nothing.copy(), np.where(weight > 0, weight, 1)
        first[leaves[::-1]] = numbers[::-1]
        shift = np.bincount(leaves, weights * (numbers - first[leaves]), len(weight)) / total
        squares = np.bincount(leaves, weights * (numbers - (first + shift)[leaves]) ** 2, len(weight))
        return NumberTree(self.schema, nodes, weight, first + shift, np.sqrt(squares / total))

    def median_tree(self, parts: Parts) -> NumberTree:
        """Return the model of a tree grown by absolute error: medians, and mean absolute deviations from them."""
        return NumberTree(self.schema, make_nodes(parts, self.schema), *parts["tallies"].reshape(-1, 3).T)


def row_leaves(parts: Parts) -> Codes:
    """Return the leaf of every row, given a tree that tells which of all rows are at each node."""
    leaves = np.flatnonzero(parts["columns"] < 0).astype(np.int32)
    leaves = leaves[np.argsort(parts["begins"][leaves])]
    reached = np.empty(len(parts["order"]), dtype=np.int32)
    reached[parts["order"]] = np.repeat(leaves, parts["counts"][leaves])
    return reached


def weight_of_codes(codes: NDArray[np.integer[Any]], weights: Numbers, n: int) -> Numbers:
    """Return the weight of the rows of every code below `n`."""
    return np.bincount(codes, weights, n).astype(np.float64, copy=False)


def column_positions(schema: Schema) -> Codes:
    """Return the position of every predictor, and -1 last: that is what -1, a leaf, takes."""
    return np.array([*schema.predictors, -1], dtype=np.int32)


def make_nodes(parts: Parts, schema: Schema, positions: Codes | None = None) -> Nodes:
    """Return the tests of a tree, with columns counted as the schema does; `positions` are its `column_positions`."""
    positions = column_positions(schema) if positions is None else positions
    parameters: dict[str, Any] = {name: parts[name] for name in _TESTS} | empty_surrogate_parts(len(parts["columns"]))
    parameters["levels"] = LevelMaps.of_parts(parts, LEVELS)
    if "surrogate_starts" in parts:
        parameters |= {name: parts[name] for name in _SURROGATES}
        parameters["surrogate_levels"] = LevelMaps.of_parts(parts, SURROGATE_LEVELS)
    for name in ("columns", "surrogate_columns"):
        parameters[name] = positions[parameters[name]]
    return Nodes.from_kernel(**parameters)


def kernel_options(options: TreeOptions) -> dict[str, Any]:
    """Return options in the kernel's form."""
    c45 = options.branching != "binary"
    return {
        "impurity": {"gain_ratio": "entropy", "gain": "entropy"}.get(options.criterion, options.criterion),
        "branching": options.branching,
        "missing": options.missing,
        "ratio": options.criterion == "gain_ratio",
        "guard": options.average_guard,
        "penalty": options.mdl,
        "wide_margin": c45,
        "zero_gain": options.zero_gain,
        "min_leaf": float(options.min_leaf),
        "min_gain": float(options.min_gain),
        "stop_rows": float(options.stop_rows),
        "stop_share": float(options.stop_share),
        **({} if options.max_depth is None else {"max_depth": min(int(options.max_depth), DEEPEST)}),
    }
