"""What all learners of decision trees share: skewed classes, costs, leaf probabilities, and showing their work."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from hedgerow.data.table import Numbers, Table
from hedgerow.errors import UsageError
from hedgerow.learn.classifier import Classifier
from hedgerow.learn.params import choice, costs, flag, integer, mapping, real
from hedgerow.learn.trees.by_hand.work import Work
from hedgerow.learn.trees.fast import Prepared
from hedgerow.learn.trees.options import Options
from hedgerow.models.condition import nearest
from hedgerow.models.costs import cost_matrix
from hedgerow.models.tree import Tree


class TreeLearner(Classifier):
    """Learners of decision trees.

    A subclass says how trees are grown (`_options`) and pruned, once with the kernels (`_kernel_tree`) and once by hand
    with all work shown (`_worked_tree`); both give the same tree.
    """

    max_depth: int | None = integer(None, "longest path from the root to a leaf", low=0, none=True)
    min_gain: float = real(0.0, "least gain of a split; the best one is not made if it gains less", low=0)
    leaves: str = choice("raw", "probabilities at the leaves: class shares, or smoothed ones", "raw", "laplace", "m")
    m: float = real(2.0, "weight of the class shares of all rows in the m-estimate of a leaf", low=0)
    priors: dict[str, float] | None = mapping("share of each class in the rows to come, as in No=0.9,Yes=0.1")
    balanced: bool = flag(False, "give all classes the same weight in training")
    costs: Any = costs("what a wrong class costs, as in Yes:No=5 where calling a Yes No costs 5; others cost 1")
    trace: bool = flag(False, "show the work: every gain table and pruning decision is printed")

    def learn(self, table: Table) -> Tree:
        """Return the tree of a table that is ready."""
        table = self._weighed(table)
        classes = table.schema.target_column.levels
        added, cost = self._added(table), cost_matrix(self.costs, classes)
        if self.trace:
            work = Work(table.schema)
            tree = self._worked_tree(table, work)
            print(work)  # what `trace` is for
        else:
            tree = self._kernel_tree(Prepared(table))
        return Tree(tree.schema, tree.nodes, tree.weights, added=added, costs=cost)

    def show_work(self, table: Table) -> Work:
        """Return the work of learning a table that is ready: gain tables, and pruning decisions."""
        table = self._weighed(table)
        work = Work(table.schema)
        self._worked_tree(table, work)
        return work

    @abstractmethod
    def _options(self) -> Options:
        """Return how trees are grown."""

    @abstractmethod
    def _kernel_tree(self, rows: Prepared) -> Tree:
        """Return the tree, grown and pruned by the kernels."""

    @abstractmethod
    def _worked_tree(self, table: Table, work: Work) -> Tree:
        """Return the same tree, grown and pruned by hand."""

    def _weighed(self, table: Table) -> Table:
        """Return the table with the weights that priors or balance ask for; their sum stays as it was."""
        if self.priors is None and not self.balanced:
            return table
        if self.priors is not None and self.balanced:
            raise UsageError("priors and balanced exclude each other: balanced means equal priors")
        column = table.schema.target_column
        codes, weights = table.codes(table.schema.index(column.name)), table.row_weights
        total = np.bincount(codes, weights, len(column.levels))
        shares = (total > 0).astype(np.float64) if self.priors is None else _prior_shares(self.priors, column.levels)
        shares = np.where(total > 0, shares, 0.0)
        if not shares.any():
            raise UsageError("the priors leave no class of the training rows with a share above 0")
        factors = shares / shares.sum() * total.sum() / np.where(total > 0, total, 1.0)
        weighed = weights * factors[codes]
        return table.take(np.flatnonzero(weighed > 0)).with_weights(weighed[weighed > 0])

    def _added(self, table: Table) -> Numbers:
        """Return what is added to every leaf."""
        k = len(table.schema.target_column.levels)
        if self.leaves == "raw":
            return np.zeros(k)
        if self.leaves == "laplace":
            return np.ones(k)
        codes = table.codes(table.schema.index(table.schema.target_column.name))
        total = np.bincount(codes, table.row_weights, k)
        return np.asarray(self.m * total / total.sum())


def _prior_shares(priors: dict[str, Any], classes: tuple[str, ...]) -> Numbers:
    for label in priors:
        if label not in classes:
            raise UsageError(f"the priors name {label!r}, but {nearest(label, classes, 'classes')}")
    lacking = [label for label in classes if label not in priors]
    if lacking:
        raise UsageError(f"the priors leave out the class {lacking[0]!r}; give every class its share")
    try:
        shares = np.array([float(priors[label]) for label in classes])
    except (TypeError, ValueError):
        raise UsageError(f"the priors must be numbers, as in No=0.9,Yes=0.1, not {dict(priors)!r}") from None
    if not np.isfinite(shares).all() or (shares < 0).any() or not shares.any():
        raise UsageError("the priors must be finite shares that are not negative, and not all 0")
    return shares
