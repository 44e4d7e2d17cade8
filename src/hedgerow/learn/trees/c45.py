"""C4.5: Quinlan's decision tree, with numbers, missing values and pruning."""

from __future__ import annotations

from dataclasses import replace

from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Numbers, Table
from hedgerow.learn.params import choice, flag, integer, real, seed
from hedgerow.learn.sampling import seed_number, select_weighted_rows, split_by_value_hash
from hedgerow.learn.trees import options
from hedgerow.learn.trees.by_hand.convert import to_tree
from hedgerow.learn.trees.by_hand.grow import grow_nodes
from hedgerow.learn.trees.by_hand.prune import collapse_nodes, prune_nodes, prune_reduced_nodes, thresholds_of_table
from hedgerow.learn.trees.by_hand.work import TreeWork
from hedgerow.learn.trees.kernel_growth import Parts, TreeInput
from hedgerow.learn.trees.options import MOST_FOLDS, Criterion, TreeOptions
from hedgerow.learn.trees.pruning import prune_by_reduced_error
from hedgerow.learn.trees.streamed.task import BINS, StreamedTreeSettings
from hedgerow.learn.trees.tree_learner import TreeLearner
from hedgerow.models.trees.tree import Tree


class C45(TreeLearner):
    """C4.5: a tree with splits by gain ratio among columns of at least average gain, pruned by expected errors.

    Nominal columns have one branch per level (or per group of levels with `subset`), numeric ones are split at a
    threshold that occurs in the data, with a penalty for its choice. A row with a missing value follows all branches in
    fractions, in training and in prediction. With the defaults the trees are those of Weka's J48 wherever ties allow.

    References
    ----------
    J. R. Quinlan, C4.5: Programs for machine learning. Morgan Kaufmann (1993).
    J. R. Quinlan, Improved use of continuous attributes in C4.5. Journal of Artificial Intelligence Research 4 (1996).

    Examples
    --------
    >>> from hedgerow.data.table.table import Numbers, Table
    >>> table = Table.of({"heat": [1, 2, 3, 7, 8, 9], "play": ["yes", "yes", "yes", "no", "no", "no"]}, "play")
    >>> print(C45().train(table))
    heat <= 3: yes (3)
    heat > 3: no (3)
    <BLANKLINE>
    Leaves: 2, size of the tree: 3
    """

    grows_once = True

    min_leaf: float = real(2.0, "minimum weight of two branches of a split", above=0)
    criterion: Criterion = choice("gain_ratio", "splitting criterion", "gain_ratio", "gain")
    subset: bool = flag(False, "merge the levels of a nominal column into groups")
    mdl: bool = flag(True, "subtract log2(thresholds)/rows from the gain of numeric columns")
    prune: str = choice("errors", "by expected errors, by held-out rows, or not at all", "errors", "reduced", "none")
    confidence: float = real(
        0.25, "confidence of the upper limit of expected errors; lower prunes more", above=0, high=0.5
    )
    raising: bool = flag(True, "pruning may replace a node by its largest branch (subtree raising)")
    collapse: bool = flag(True, "collapse subtrees that make no fewer training errors than a leaf")
    prune_folds: int = integer(
        3, "number of parts of the rows, one of which is held out for pruning", low=2, high=MOST_FOLDS
    )
    random_state: int | None = seed()
    bins: int = integer(
        BINS, "on streams, maximum number of values of a numeric column to distinguish in large nodes", low=2
    )

    def _options(self) -> TreeOptions:
        return replace(
            options.C45,
            criterion=self.criterion,
            min_leaf=float(self.min_leaf),
            max_depth=self.max_depth,
            min_gain=self.min_gain,
            mdl=bool(self.mdl),
            branching="groups" if self.subset else "multiway",
            average_guard=self.criterion == "gain_ratio",
        )

    def _kernel_tree(self, rows: TreeInput) -> Tree:
        if self.prune == "reduced":
            values = self._pruning_weights(rows.table)
            parts = self._collapse(rows, rows.grow(self._options(), rows.weights - values))
            parts = prune_by_reduced_error(parts, rows.sums_below(parts, values))
        else:
            parts = self._collapse(rows, rows.grow(self._options()))
            if self.prune == "errors":
                parts = rows.prune(parts, self.confidence, self.raising)
        return rows.tree(rows.lower_thresholds(parts))

    def _stream_settings(self, schema: Schema) -> StreamedTreeSettings:
        recipe = super()._stream_settings(schema)
        recipe = replace(recipe, bins=self.bins, ready=self._collapse, prune=self._prune_stream, at_values=True)
        if self.prune == "reduced":
            return replace(recipe, folds=self.prune_folds, seed=seed_number(self.random_state), left_out_folds=(0,))
        if self.prune == "errors" and self.raising:
            return replace(recipe, notes=("no branch was raised, since that needs all rows at once",))
        return recipe

    def _prune_stream(self, rows: TreeInput, trees: list[Parts], aside: list[Numbers]) -> Parts:
        """Return the tree of a stream, pruned by what its nodes hold."""
        if self.prune == "reduced":
            return prune_by_reduced_error(trees[0], aside[0])
        return rows.prune(trees[0], self.confidence, raising=False) if self.prune == "errors" else trees[0]

    def _pruning_weights(self, table: Table) -> Numbers:
        """Return the weight of the rows that is held out to prune by."""
        return split_by_value_hash(table, self.prune_folds, self.random_state)[0]

    def _collapse(self, rows: TreeInput, parts: Parts) -> Parts:
        return rows.collapse(parts) if self.collapse else parts

    def _grow_by_hand(self, table: Table, work: TreeWork) -> Tree:
        growing = table
        if self.prune == "reduced":
            values = self._pruning_weights(table)
            growing = select_weighted_rows(table, table.row_weights - values)
        root = grow_nodes(growing, self._options(), work)
        if self.collapse:
            collapse_nodes(root, table.schema, work)
        if self.prune == "errors":
            prune_nodes(root, growing, self.confidence, self.raising, work)
        if self.prune == "reduced":
            prune_reduced_nodes(root, select_weighted_rows(table, values), work)
        return thresholds_of_table(to_tree(root, table.schema), table, work)
