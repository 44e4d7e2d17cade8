"""ID3: the textbook's tree of nominal columns, grown by information gain."""

from __future__ import annotations

from dataclasses import replace

from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Table
from hedgerow.learn.trees import options
from hedgerow.learn.trees.by_hand import grow
from hedgerow.learn.trees.by_hand.work import TreeWork
from hedgerow.learn.trees.kernel_growth import TreeInput
from hedgerow.learn.trees.options import TreeOptions
from hedgerow.learn.trees.tree_learner import TreeLearner
from hedgerow.models.trees.tree import Tree


class ID3(TreeLearner):
    """The textbook's decision tree: each node splits on the nominal column of highest gain, one branch per level.

    Growing ends when all rows of a node have the same class, when no column is left that separates them, or when the
    best gain is below `min_gain`; a column is used once on a path. There is no pruning. Numeric columns are not used:
    discretize them, or use C45. A level that no row of a node has gives an empty leaf, which predicts the majority
    class of its parent. Missing values, which the textbook does not know, are treated as C45 does.

    References
    ----------
    J. R. Quinlan, Induction of decision trees. Machine Learning 1 (1986).

    Examples
    --------
    >>> from hedgerow.data.table.table import Table
    >>> table = Table.of({"sky": ["sun", "sun", "rain", "rain"], "play": ["yes", "yes", "no", "no"]}, "play")
    >>> print(ID3().train(table))
    sky = sun: yes (2)
    sky = rain: no (2)
    <BLANKLINE>
    Leaves: 2, size of the tree: 3
    """

    takes = frozenset({Kind.NOMINAL})
    poor_score = True  # on the numbers that scikit-learn tests with

    def _options(self) -> TreeOptions:
        return replace(options.ID3, max_depth=self.max_depth, min_gain=self.min_gain)

    def _kernel_tree(self, rows: TreeInput) -> Tree:
        return rows.tree(rows.grow(self._options()))

    def _grow_by_hand(self, table: Table, work: TreeWork) -> Tree:
        return grow(table, self._options(), work)
