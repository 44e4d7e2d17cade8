"""Bagging: a committee of models, each learned from a bootstrap sample of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers, Rows, Table
from hedgerow.data.table.threads import map_in_order
from hedgerow.learn.attributes.fitted_attributes import TreeAttributes
from hedgerow.learn.ensembles.members import Ensemble, make_maker, member, seeds, weighted
from hedgerow.learn.params import choice, flag, integer, real, seed
from hedgerow.learn.sampling import Copies, copies, repeat_rows
from hedgerow.models.base.decisions import decisions
from hedgerow.models.base.model import About, ClassModel
from hedgerow.models.many.committee import MOST_MEMBERS, Committee, Forest, OutOfBag, add_votes
from hedgerow.models.trees.tree import Tree


class Bagging(TreeAttributes, Ensemble):
    """Bagging: models trained by one learner on bootstrap samples vote with equal weight.

    Each member is trained on as many rows as there are, drawn with replacement, and so leaves out about 0.37 of them. A
    row that was drawn twice has weight two; no row is repeated. Bagging helps unstable learners, such as trees, whose
    models change a lot with the rows; stable ones, such as naive Bayes, may get slightly worse. Predicting every row
    with the members that were not trained on it gives the out-of-bag error, an unbiased estimate without a test set.

    References
    ----------
    L. Breiman, Bagging predictors. Machine Learning 24 (1996).

    Examples
    --------
    >>> from hedgerow.examples import loan
    >>> model = Bagging(n_estimators=5).train(loan())
    >>> print(model)
    A committee of 5 trees; each member has one vote
    A tree has 2 to 4 leaves (mean 3)
    <BLANKLINE>
    Columns, by their share of the total decrease of Gini impurity:
      Own_House 0.400, Credit_Rating 0.344, Has_Job 0.256
    <BLANKLINE>
    Out-of-bag error: 0.307692 (total weight of the tested rows: 13)
    <BLANKLINE>
    Members are numbered 0 to 4; to print one: print(model.member(0)), or hedgerow show FILE --member 0
    >>> print(model.members[1])
    Credit_Rating = fair: No (5/1)
    Credit_Rating = good: Yes (7)
    Credit_Rating = excellent: Yes (3)
    <BLANKLINE>
    Leaves: 3, size of the tree: 4
    """

    n_estimators: int = integer(10, "number of members", low=1, high=MOST_MEMBERS)
    max_samples: float = real(1.0, "size of a sample, as a share of the rows", above=0, high=1)
    replace: bool = flag(True, "draw with replacement, so a row can be in a sample more than once")
    rule: str = choice("vote", "whether members vote, or their distributions are averaged", "vote", "average")
    random_state: Any = seed()

    def learn(self, table: Table) -> Committee:
        """Return the committee; members are trained in parallel, by all available threads."""
        base, pool = self.base_learner(), copies(table)
        by_weight = weighted(base)
        make = make_maker(base, table, threads=1)

        def train_member(source: np.random.SeedSequence) -> BaggedMember:
            random = np.random.default_rng(source)
            counts = pool.counts(random, float(self.max_samples), bool(self.replace), in_proportion=not by_weight)
            if by_weight:
                model = make(pool.row_weights(counts), source)
            else:
                model = member(base, repeat_rows(table, pool.row_counts(counts)), source)
            return BaggedMember.of(model, self.rule, counts, table, pool)

        tested, members = OutOfBagTest(table, pool, self.rule), []
        for one in map_in_order(train_member, seeds(self.random_state, self.n_estimators)):
            members.append(one.model)
            tested.add(one)
        notes = () if by_weight or table.weights is None else (UNWEIGHTED,)
        votes = np.ones(len(members))
        return Committee(table.schema, tuple(members), votes, self.rule, tested.result(), about=About(notes=notes))


MOST_TREES = 16  # whose predictions are made together
MOST_MARKS = 1 << 26  # rows that they predict together
UNWEIGHTED = "the base learner does not support weights: rows are drawn in proportion to their weights"


@dataclass(frozen=True)
class BaggedMember:
    """A member, and its votes for the copies on which it was not trained."""

    model: ClassModel
    left_out: NDArray[np.bool_]  # of all copies
    votes: Numbers | None  # None for a tree, which predicts together with others

    @classmethod
    def of(cls, model: ClassModel, rule: str, counts: Rows, table: Table, pool: Copies) -> BaggedMember:
        """Return the member trained on a sample with these counts of the copies."""
        left_out = counts == 0
        if isinstance(model, Tree) and model.costs is None and model.decides_by is None:
            return cls(model, left_out, None)
        rows = pool.rows[left_out]
        votes = np.zeros((len(rows), len(model.classes)))
        add_votes(votes, model, 1.0, rule, table.take(rows))
        return cls(model, left_out, votes)


class OutOfBagTest:
    """The out-of-bag votes: each copy is predicted by the members not trained on it."""

    def __init__(self, table: Table, pool: Copies, rule: str) -> None:
        self.table, self.rule = table, rule
        self.rows = None if pool.is_rows else pool.rows
        self.trees: list[BaggedMember] = []  # whose predictions are pending
        self.most_trees = min(MOST_TREES, 1 + MOST_MARKS // (len(pool) + 1))
        target = table.schema.index(table.schema.target_column.name)
        self.actual = table.codes(target)[pool.rows]
        self.weights = pool.weights
        self.votes = np.zeros((len(pool), len(table.schema.target_column.levels)))

    def add(self, made: BaggedMember) -> None:
        """Add the votes of one member."""
        if made.votes is not None:
            self._ask_trees()  # votes are added in the order of the members
            self.votes[made.left_out] += made.votes
            return
        self.trees.append(made)
        if len(self.trees) == self.most_trees:
            self._ask_trees()

    def _ask_trees(self) -> None:
        """Add the votes of the pending trees: each row is fetched once for all of them."""
        trees = [bagged_member.model for bagged_member in self.trees if isinstance(bagged_member.model, Tree)]
        if trees:
            asked = [bagged_member.left_out.view(np.uint8) for bagged_member in self.trees]
            Forest(trees, np.ones(len(trees)), self.rule).add(self.votes, self.table, self.rows, asked)
        self.trees = []

    def result(self) -> OutOfBag | None:
        """Return the error; None if all members were trained on all copies."""
        self._ask_trees()
        is_tested = self.votes.any(axis=1)
        if not is_tested.any():
            return None
        wrong = decisions(self.votes[is_tested]) != self.actual[is_tested]
        weights = self.weights[is_tested]
        return OutOfBag(float(weights[wrong].sum() / weights.sum()), float(weights.sum()))
