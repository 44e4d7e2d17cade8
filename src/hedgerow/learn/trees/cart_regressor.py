"""CART for numbers: binary trees by squared or absolute error."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np

from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Numbers, Table
from hedgerow.errors import DataError, UsageError
from hedgerow.learn.params import choice, flag, integer, real, seed
from hedgerow.learn.passes import Plan
from hedgerow.learn.regressor import Regressor
from hedgerow.learn.trees import options
from hedgerow.learn.trees.by_hand.convert import to_number_tree
from hedgerow.learn.trees.by_hand.grow import grow_nodes
from hedgerow.learn.trees.by_hand.prune import number_cost_trees
from hedgerow.learn.trees.by_hand.work import TreeWork
from hedgerow.learn.trees.complexity import CostComplexity
from hedgerow.learn.trees.kernel_growth import Parts, TreeInput
from hedgerow.learn.trees.options import MOST_FOLDS, Missing, TreeOptions
from hedgerow.learn.trees.streamed.survey import FirstPass
from hedgerow.learn.trees.streamed.task import (
    BINS,
    NO_SURROGATES,
    NO_TRACE,
    StreamedTask,
    StreamedTreeSettings,
    add_cross_validation,
)
from hedgerow.models.trees.tree import NumberTree

LARGEST, LEAST = 1e50, 1e-50  # numbers and differences whose squared errors can be summed and squared


class CARTRegressor(Regressor):
    """CART for numbers: a tree with binary splits that reduce the squared or absolute error, pruned by cost complexity.

    A leaf predicts the mean of its training rows, or with absolute error their median, which is robust to outliers.
    Growing, pruning and missing values are as in CART; the levels of a column are put in order by the mean of the
    target, which finds the best two groups by squared error, and good ones by absolute error.

    References
    ----------
    L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone, Classification and regression trees. Wadsworth (1984).

    Examples
    --------
    >>> from hedgerow.data.table.table import Table
    >>> table = Table.of({"age": [1.0, 2.0, 8.0, 9.0, 9.5], "height": [70.0, 74.0, 130.0, 132.0, 180.0]}, "height")
    >>> print(CARTRegressor(criterion="absolute", max_depth=1, prune="none").train(table))
    age <= 5: 72 (2 rows, deviation 2)
    age > 5 or missing: 132 (3 rows, deviation 16.6667)
    <BLANKLINE>
    Leaves: 2, size of the tree: 3
    """

    criterion: Literal["squared", "absolute"] = choice(
        "squared",
        "the error that splits reduce: squared from the mean, or absolute from the median",
        "squared",
        "absolute",
    )
    max_depth: int | None = integer(None, "maximum depth of the tree", low=0, none=True)
    min_gain: float = real(0.0, "minimum decrease of the error by a split", low=0)
    min_samples_leaf: float = real(1.0, "minimum weight of a leaf", above=0)
    stop_rows: float = real(1.0, "a node of at most this weight becomes a leaf", low=0)
    missing_route: Missing = choice(
        "direction", "missing values follow the better branch, or surrogate tests", "direction", "surrogate"
    )
    prune: str = choice("cost", "by cost complexity, or not at all", "cost", "none")
    alpha: float | None = real(
        None, "cost-complexity parameter, the cost per leaf; found by cross-validation if none", low=0, none=True
    )
    rule: str = choice(
        "1se", "choose the smallest tree within one standard error of the best, or the best", "1se", "min"
    )
    prune_folds: int = integer(10, "number of folds of the cross-validation", low=2, high=MOST_FOLDS)
    random_state: Any = seed()
    bins: int = integer(
        BINS, "on streams, maximum number of values of a numeric column to distinguish in large nodes", low=2
    )
    trace: bool = flag(False, "print the work: every table of gains and every pruning decision", in_python=True)

    shows_work: ClassVar[bool] = True

    def learn(self, table: Table) -> NumberTree:
        """Return the tree of a prepared table."""
        _check_range(table)
        if self.trace:
            work = TreeWork(table.schema)
            tree = self._grow_by_hand(table, work)
            print(work, end="\n\n")  # what `trace` is for
            return tree
        rows = self._prepare_input(table)
        parts = rows.grow(self._options())
        if self.prune == "cost":
            parts = self._pricing.prune(rows, parts, self._options())
        return rows.median_tree(parts) if rows.absolute else rows.number_tree(parts)

    @property
    def _pricing(self) -> CostComplexity:
        return CostComplexity(self.alpha, self.rule, self.prune_folds, self.random_state)

    def _prepare_input(self, table: Table) -> TreeInput:
        rows = TreeInput(table)
        rows.absolute = self.criterion == "absolute"
        return rows

    def plan(self, schema: Schema) -> Plan:
        """Return the first pass over a stream: it looks at the values; see `levels`."""
        if self.trace:
            raise UsageError(NO_TRACE)
        if self.missing_route == "surrogate":
            raise UsageError(NO_SURROGATES)
        if self.criterion == "absolute":
            raise UsageError("criterion='absolute' needs all rows at once; read them into a table, or use squared")
        recipe = StreamedTreeSettings(self._options(), self.learn, self._prune_stream, bins=self.bins)
        if self.prune == "cost" and self._pricing.is_chosen:
            recipe = add_cross_validation(recipe, self.prune_folds, self.random_state)
        return FirstPass(StreamedTask(recipe, schema))

    def _prune_stream(self, rows: TreeInput, trees: list[Parts], aside: list[Numbers]) -> Parts:
        if self.prune == "none":
            return trees[0]
        return self._pricing.prune_stream(rows, trees, aside)

    def _work(self, table: Table) -> TreeWork:
        _check_range(table)
        work = TreeWork(table.schema)
        self._grow_by_hand(table, work)
        return work

    def _grow_by_hand(self, table: Table, work: TreeWork) -> NumberTree:
        """Return the same tree, grown and pruned by hand."""
        root = grow_nodes(table, self._options(), work)
        if self.prune == "none":
            return to_number_tree(root, table.schema)
        rows = self._prepare_input(table)
        steps = number_cost_trees(root, table.schema, work, absolute=rows.absolute)
        return self._pricing.choose_tree(steps, rows, self._options(), work)

    def _options(self) -> TreeOptions:
        return replace(
            options.CART,
            criterion=self.criterion,
            min_leaf=float(self.min_samples_leaf),
            max_depth=self.max_depth,
            min_gain=self.min_gain,
            stop_rows=float(self.stop_rows),
            missing=self.missing_route,
        )


def _check_range(table: Table) -> None:
    """Raise an error if the numbers of the target are too large or too close together."""
    name = table.schema.target_column.name
    values = table.numbers(table.schema.index(name))
    largest = values[np.argmax(np.abs(values))]
    if not abs(largest) <= LARGEST:
        raise DataError(
            f"the target {name!r} holds {largest:g}; squares of numbers beyond {LARGEST:g} cannot be summed, so "
            "divide the column by a large number"
        )
    span = float(np.ptp(values))
    if 0 < span < LEAST:
        raise DataError(
            f"the numbers of the target {name!r} differ by at most {span:g}; squares of differences below {LEAST:g} "
            "vanish, so multiply the column by a large number"
        )
