"""The base of all learners of decision trees: skewed classes, costs, leaf probabilities, and showing their work."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Numbers, Table
from hedgerow.errors import DataError, UsageError
from hedgerow.learn.attributes.fitted_attributes import TreeAttributes
from hedgerow.learn.classifier import Classifier
from hedgerow.learn.params import choice, costs, flag, integer, mapping, real
from hedgerow.learn.passes import Plan
from hedgerow.learn.trees.by_hand.work import TreeWork
from hedgerow.learn.trees.kernel_growth import TreeInput, weight_of_codes
from hedgerow.learn.trees.options import TreeOptions
from hedgerow.learn.trees.streamed.survey import FirstPass
from hedgerow.learn.trees.streamed.task import NO_TRACE, StreamedTask, StreamedTreeSettings
from hedgerow.models.base.condition import nearest
from hedgerow.models.base.costs import cost_matrix
from hedgerow.models.trees.tree import Tree


class TreeLearner(TreeAttributes, Classifier):
    """Learners of decision trees.

    A subclass says how trees are grown (`_options`) and pruned, once with the kernels (`_kernel_tree`) and once by hand
    with all work shown (`_grow_by_hand`); both give the same tree.
    """

    max_depth: int | None = integer(None, "maximum depth of the tree", low=0, none=True)
    min_gain: float = real(0.0, "minimum gain of a split", low=0)
    leaves: str = choice(
        "raw", "probabilities at the leaves: class frequencies, or smoothed ones", "raw", "laplace", "m"
    )
    m: float = real(2.0, "weight of the class frequencies of all rows in the m-estimate of a leaf", low=0, high=1e15)
    priors: dict[str, float] | None = mapping("prior probability of each class, as in No=0.9,Yes=0.1")
    balanced: bool = flag(False, "give all classes the same weight in training")
    costs: Any = costs("misclassification costs, as in Yes:No=5 where predicting a Yes as No costs 5; others cost 1")
    trace: bool = flag(False, "print the work: every table of gains and every pruning decision", in_python=True)

    shows_work: ClassVar[bool] = True
    grows_once: ClassVar[bool] = False  # learning grows no more than one tree

    def learn(self, table: Table) -> Tree:
        """Return the tree of a prepared table."""
        if not self.trace:
            return self.grow_tree(TreeInput(table, once=self.grows_once))
        weights = self._balance_weights(table, table.row_weights)
        work = TreeWork(table.schema)
        tree = self._grow_by_hand(_set_weights(table, weights), work)
        print(work, end="\n\n")  # set if `trace` is on
        return self._finish_tree(tree, table, weights)

    def grow_tree(self, rows: TreeInput) -> Tree:
        """Return the tree of rows whose columns are prepared; rows of weight 0 are left out."""
        weights = self._balance_weights(rows.table, rows.weights)
        return self._finish_tree(self._kernel_tree(rows.with_weights(weights)), rows.table, weights)

    def plan(self, schema: Schema) -> Plan:
        """Return the first pass over a stream: it looks at the values; see `levels`."""
        if self.trace:
            raise UsageError(NO_TRACE)
        if not schema.target_column.levels:
            raise DataError(f"the target {schema.target!r} is missing in every row: nothing to learn from")
        return FirstPass(StreamedTask(self._stream_settings(schema), schema))

    def _stream_settings(self, schema: Schema) -> StreamedTreeSettings:
        """Return how the tree of a stream is grown; a subclass says how it is pruned."""
        classes = schema.target_column.levels
        cost_matrix(self.costs, classes)  # before the passes, if these are wrong
        return StreamedTreeSettings(
            options=self._options(),
            learn=self.learn,
            factors=self._factors(classes),
            kept=None if self.priors is None else _prior_shares(self.priors, classes) > 0,
            prune=lambda _, trees, __: trees[0],
            finish=self._set_leaf_probabilities,
        )

    def _work(self, table: Table) -> TreeWork:
        work = TreeWork(table.schema)
        self._grow_by_hand(_set_weights(table, self._balance_weights(table, table.row_weights)), work)
        return work

    def _finish_tree(self, tree: Tree, table: Table, weights: Numbers) -> Tree:
        """Return the tree with its leaf probabilities and costs."""
        if self._leaves_are_plain:
            return tree
        return self._set_leaf_probabilities(tree, _class_weights(table, weights))

    @property
    def _leaves_are_plain(self) -> bool:
        return self.leaves == "raw" and self.costs is None

    def _set_leaf_probabilities(self, tree: Tree, total: Numbers) -> Tree:
        """Return the tree with its leaf probabilities and costs, by the weight of each class in all rows."""
        if self._leaves_are_plain:
            return tree
        cost = cost_matrix(self.costs, tree.schema.target_column.levels)
        return Tree(tree.schema, tree.nodes, tree.weights, added=self._leaf_additions(total), costs=cost)

    @abstractmethod
    def _options(self) -> TreeOptions:
        """Return how trees are grown."""

    @abstractmethod
    def _kernel_tree(self, rows: TreeInput) -> Tree:
        """Return the tree, grown and pruned by the kernels."""

    @abstractmethod
    def _grow_by_hand(self, table: Table, work: TreeWork) -> Tree:
        """Return the same tree, grown and pruned by hand."""

    def _balance_weights(self, table: Table, weights: Numbers) -> Numbers:
        """Return the weights that priors or balance ask for; their sum stays as it was."""
        if self.priors is None and not self.balanced:
            return weights
        column = table.schema.target_column
        factors = self._factors(column.levels)(_class_weights(table, weights))
        return np.asarray(weights * factors[table.codes(table.schema.index(column.name))])

    def _factors(self, classes: tuple[str, ...]) -> Callable[[Numbers], Numbers]:
        """Return the function from the weights of the classes to their factors."""
        if self.priors is not None and self.balanced:
            raise UsageError("priors and balanced exclude each other: balanced means equal priors")
        if self.priors is None and not self.balanced:
            return np.ones_like
        values = np.ones(len(classes)) if self.priors is None else _prior_shares(self.priors, classes)

        def factors(total: Numbers) -> Numbers:
            shares = np.where(total > 0, values, 0.0)
            if not shares.any():
                raise UsageError("the priors leave no class of the training rows with a share above 0")
            return np.asarray(shares / shares.sum() * total.sum() / np.where(total > 0, total, 1.0))

        return factors

    def _leaf_additions(self, total: Numbers) -> Numbers:
        """Return the pseudocounts of every leaf."""
        if self.leaves == "raw":
            return np.zeros(len(total))
        return np.ones(len(total)) if self.leaves == "laplace" else np.asarray(self.m * total / total.sum())


def _class_weights(table: Table, weights: Numbers) -> Numbers:
    column = table.schema.target_column
    return weight_of_codes(table.codes(table.schema.index(column.name)), weights, len(column.levels))


def _set_weights(table: Table, weights: Numbers) -> Table:
    """Return the rows that weigh something, with these weights."""
    rows = np.flatnonzero(weights > 0)
    if len(rows) == table.n_rows and np.array_equal(weights, table.row_weights):
        return table
    return table.take(rows).with_weights(weights[rows])


def _prior_shares(priors: dict[str, Any], classes: tuple[str, ...]) -> Numbers:
    for label in priors:
        if label not in classes:
            raise UsageError(f"the priors name {label!r}, which is not a class; {nearest(label, classes, 'classes')}")
    lacking = [label for label in classes if label not in priors]
    if lacking:
        raise UsageError(f"the priors leave out the class {lacking[0]!r}; give every class its share")
    try:
        shares = np.array([float(priors[label]) for label in classes])
    except (TypeError, ValueError):
        raise UsageError(f"the priors must be numbers, as in No=0.9,Yes=0.1, not {dict(priors)!r}") from None
    if not np.isfinite(shares).all() or (shares < 0).any() or not shares.any():
        raise UsageError("the priors must be finite numbers of at least 0, and not all 0")
    return np.asarray(shares / shares.max())  # sums of large ones would be no numbers
