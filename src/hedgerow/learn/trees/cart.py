"""CART: binary trees by Gini or entropy, pruned by cost-complexity."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Numbers, Table
from hedgerow.errors import UsageError
from hedgerow.learn.params import choice, integer, real, seed
from hedgerow.learn.sampling import seed_number, select_weighted_rows, split_by_value_hash
from hedgerow.learn.trees import options
from hedgerow.learn.trees.by_hand.convert import to_tree
from hedgerow.learn.trees.by_hand.grow import grow_nodes
from hedgerow.learn.trees.by_hand.prune import cost_trees, prune_reduced_nodes
from hedgerow.learn.trees.by_hand.work import TreeWork
from hedgerow.learn.trees.complexity import CostComplexity
from hedgerow.learn.trees.kernel_growth import Parts, TreeInput
from hedgerow.learn.trees.options import MOST_FOLDS, Criterion, Missing, TreeOptions
from hedgerow.learn.trees.pruning import prune_by_reduced_error
from hedgerow.learn.trees.streamed.task import BINS, NO_SURROGATES, StreamedTreeSettings, add_cross_validation
from hedgerow.learn.trees.tree_learner import TreeLearner
from hedgerow.models.trees.tree import Tree


class CART(TreeLearner):
    """CART: a tree with binary splits by Gini impurity or entropy, numbers at a threshold and levels in two groups.

    With two classes the best two groups of levels are found exactly, with more all groupings of up to 10 levels are
    tried, and beyond that those in order of the share of each class. The tree is grown until its leaves are pure, or
    hold `stop_rows`, or have a class of share `stop_share`, and pruned by cost complexity, with alpha chosen by
    cross-validation and the one-standard-error rule. Without pruning this is the binary tree of the textbook.

    References
    ----------
    L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone, Classification and regression trees. Wadsworth (1984).

    Examples
    --------
    >>> from hedgerow.data.table.table import Table
    >>> table = Table.of({"sky": ["sun", "rain", "snow", "rain"], "play": ["yes", "no", "yes", "no"]}, "play")
    >>> print(CART(prune="none").train(table))
    sky = rain or missing: no (2)
    sky != rain: yes (2)
    <BLANKLINE>
    Leaves: 2, size of the tree: 3
    """

    criterion: Criterion = choice("gini", "the impurity measure that splits reduce", "gini", "entropy")
    min_samples_leaf: float = real(1.0, "minimum weight of a leaf", above=0)
    stop_rows: float = real(1.0, "a node of at most this weight becomes a leaf", low=0)
    stop_share: float = real(1.0, "a node whose largest class has this share becomes a leaf", above=0, high=1)
    missing_route: Missing = choice(
        "direction", "missing values follow the better branch, or surrogate tests", "direction", "surrogate"
    )
    prune: str = choice("cost", "by cost complexity, by held-out rows, or not at all", "cost", "reduced", "none")
    alpha: float | None = real(
        None, "cost-complexity parameter, the cost per leaf; found by cross-validation if none", low=0, none=True
    )
    rule: str = choice(
        "1se", "choose the smallest tree within one standard error of the best, or the best", "1se", "min"
    )
    prune_folds: int = integer(
        10,
        "number of folds of the cross-validation; with reduced, one of them is held out for pruning",
        low=2,
        high=MOST_FOLDS,
    )
    random_state: Any = seed()
    bins: int = integer(
        BINS, "on streams, maximum number of values of a numeric column to distinguish in large nodes", low=2
    )

    def _options(self) -> TreeOptions:
        return replace(
            options.CART,
            criterion=self.criterion,
            min_leaf=float(self.min_samples_leaf),
            max_depth=self.max_depth,
            min_gain=self.min_gain,
            stop_rows=float(self.stop_rows),
            stop_share=float(self.stop_share),
            missing=self.missing_route,
        )

    def _kernel_tree(self, rows: TreeInput) -> Tree:
        if self.prune == "reduced":
            values = split_by_value_hash(rows.table, self.prune_folds, self.random_state)[0]
            parts = rows.grow(self._options(), rows.weights - values)
            return rows.tree(prune_by_reduced_error(parts, rows.sums_below(parts, values)))
        parts = rows.grow(self._options())
        return rows.tree(self._pricing.prune(rows, parts, self._options()) if self.prune == "cost" else parts)

    @property
    def _pricing(self) -> CostComplexity:
        return CostComplexity(self.alpha, self.rule, self.prune_folds, self.random_state)

    def _stream_settings(self, schema: Schema) -> StreamedTreeSettings:
        if self.missing_route == "surrogate":
            raise UsageError(NO_SURROGATES)
        recipe = replace(super()._stream_settings(schema), bins=self.bins, prune=self._prune_stream)
        if self.prune == "reduced":
            return replace(recipe, folds=self.prune_folds, seed=seed_number(self.random_state), left_out_folds=(0,))
        if self.prune == "cost" and self._pricing.is_chosen:
            return add_cross_validation(recipe, self.prune_folds, self.random_state)
        return recipe

    def _prune_stream(self, rows: TreeInput, trees: list[Parts], aside: list[Numbers]) -> Parts:
        if self.prune == "reduced":
            return prune_by_reduced_error(trees[0], aside[0])
        if self.prune == "cost":
            return self._pricing.prune_stream(rows, trees, aside)
        return trees[0]

    def _grow_by_hand(self, table: Table, work: TreeWork) -> Tree:
        if self.prune == "reduced":
            values = split_by_value_hash(table, self.prune_folds, self.random_state)[0]
            root = grow_nodes(select_weighted_rows(table, table.row_weights - values), self._options(), work)
            prune_reduced_nodes(root, select_weighted_rows(table, values), work)
            return to_tree(root, table.schema)
        root = grow_nodes(table, self._options(), work)
        if self.prune == "none":
            return to_tree(root, table.schema)
        steps = cost_trees(root, table.schema, work)
        return self._pricing.choose_tree(steps, TreeInput(table), self._options(), work)
