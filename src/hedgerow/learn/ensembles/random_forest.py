"""Random forest: many trees, each of a bootstrap sample, each node choosing among a few random columns."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from hedgerow.data.table.table import Table
from hedgerow.data.table.threads import map_in_order
from hedgerow.learn.attributes.fitted_attributes import TreeAttributes
from hedgerow.learn.classifier import Classifier
from hedgerow.learn.ensembles.bagging import BaggedMember, OutOfBagTest
from hedgerow.learn.ensembles.members import seeds
from hedgerow.learn.params import choice, flag, integer, real, seed
from hedgerow.learn.sampling import copies
from hedgerow.learn.trees import options
from hedgerow.learn.trees.kernel_growth import TreeInput
from hedgerow.learn.trees.options import Criterion, TreeOptions
from hedgerow.models.many.committee import MOST_MEMBERS, Committee


class RandomForest(TreeAttributes, Classifier):
    """Random forest: averaged unpruned trees on samples of the rows, each split on the best of a few random columns.

    Each tree is grown on a bootstrap sample (or a part) of the rows. At every node `tried` columns are drawn at random
    and the best split among them is used; if none of them can be split, others are drawn. With `draw="tree"` they are
    drawn once and all nodes of the tree choose among them. Splits are as in CART: exact thresholds, levels in two
    groups, missing values to the better side. Rows that a tree was not trained on give the out-of-bag error.

    References
    ----------
    L. Breiman, Random forests. Machine Learning 45 (2001). T. K. Ho, The random subspace method for constructing
    decision forests (1998), for columns drawn once per tree.

    Examples
    --------
    >>> from hedgerow.examples import loan
    >>> model = RandomForest(n_estimators=25).train(loan())
    >>> model.size, model.out_of_bag.weight
    (25, 15.0)
    """

    n_estimators: int = integer(100, "number of trees", low=1, high=MOST_MEMBERS)
    tried: int | None = integer(
        None, "number of columns to consider at each node; if none, the square root of their number", low=1, none=True
    )
    draw: str = choice("node", "whether columns are drawn at each node, or once per tree", "node", "tree")
    max_samples: float = real(1.0, "size of a sample, as a share of the rows", above=0, high=1)
    replace: bool = flag(True, "draw with replacement, so a row can be in a sample more than once")
    criterion: Criterion = choice("gini", "the impurity measure that splits reduce", "gini", "entropy")
    min_samples_leaf: float = real(1.0, "minimum weight of a leaf", above=0)
    max_depth: int | None = integer(None, "maximum depth of the tree", low=0, none=True)
    rule: str = choice("average", "whether distributions are averaged, or trees vote", "average", "vote")
    random_state: Any = seed()

    def learn(self, table: Table) -> Committee:
        """Return the committee; trees are grown in parallel, by all available threads."""
        rows, pool, growing = TreeInput(table), copies(table), self._options()
        tried = self._n_tried(rows.columns.count_varying())
        rows.rank_if_few(tried)

        def train_member(source: np.random.SeedSequence) -> BaggedMember:
            random = np.random.default_rng(source)
            counts = pool.counts(random, float(self.max_samples), bool(self.replace))
            start = int(source.generate_state(2, np.uint64)[1])
            weights, once = pool.row_weights(counts), self.draw == "tree"
            parts = rows.grow(growing, weights, tried=tried, once=once, seed=start, threads=1, with_rows=False)
            return BaggedMember.of(rows.tree(parts), self.rule, counts, table, pool)

        tested, members = OutOfBagTest(table, pool, self.rule), []
        for one in map_in_order(train_member, seeds(self.random_state, self.n_estimators)):
            members.append(one.model)
            tested.add(one)
        return Committee(table.schema, tuple(members), np.ones(len(members)), self.rule, tested.result())

    def _options(self) -> TreeOptions:
        depth, leaf = self.max_depth, float(self.min_samples_leaf)
        return replace(options.CART, criterion=self.criterion, min_leaf=leaf, max_depth=depth, missing="direction")

    def _n_tried(self, n_columns: int) -> int:
        wanted = round(math.sqrt(n_columns)) if self.tried is None else self.tried
        return max(1, min(wanted, max(n_columns, 1)))
