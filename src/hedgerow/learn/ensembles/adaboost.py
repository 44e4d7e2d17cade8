"""AdaBoost.M1: a committee of models, each trained with more weight on the errors of the previous one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers, Rows, Table
from hedgerow.layout.numbers import format_number
from hedgerow.layout.rounding import round_digits
from hedgerow.learn.attributes.fitted_attributes import TreeAttributes
from hedgerow.learn.ensembles.members import Ensemble, make_maker, member, seeds, weighted
from hedgerow.learn.params import choice, integer, seed
from hedgerow.learn.sampling import are_copy_counts, draw_rows, repeat_rows, value_hash_order
from hedgerow.models.base.model import About, ClassModel
from hedgerow.models.many.committee import MOST_MEMBERS, Committee

HALF = 1e-9  # an error this close to 1/2 is 1/2: the order of addition must not decide


@dataclass(frozen=True, eq=False)
class BoostingRound:
    """The arithmetic of one round of AdaBoost.M1.

    Examples
    --------
    >>> first = compute_round(np.full(10, 0.1), np.arange(10) < 3)
    >>> round(first.error, 3), round(first.beta, 6), round(first.total, 3), round(first.vote, 6)
    (0.3, 0.428571, 0.6, 0.847298)
    >>> first.shares.round(4).tolist()
    [0.1667, 0.1667, 0.1667, 0.0714, 0.0714, 0.0714, 0.0714, 0.0714, 0.0714, 0.0714]
    """

    error: float  # the share of the misclassified rows
    beta: float  # factor of the shares of correct rows
    total: float  # sum of the shares after that, by which they are divided
    vote: float  # the logarithm of 1 / beta, infinite if there is no error
    shares: Numbers  # for the next round; unchanged if there is no error


def compute_round(shares: Numbers, wrong: NDArray[np.bool_]) -> BoostingRound:
    """Return the round of a model with these `wrong` rows; `shares` of the weight sum to 1."""
    error = float(shares[wrong].sum())
    if abs(error - 0.5) <= HALF:
        error = 0.5
    if error == 0:
        return BoostingRound(0.0, 0.0, 0.0, math.inf, shares)
    beta = error / (1 - error) if error < 1 else math.inf
    after = np.where(wrong, shares, shares * beta) if error < 1 else shares
    total = float(after.sum())
    return BoostingRound(error, beta, total, -math.log(beta) + 0.0 if error < 1 else -math.inf, after / total)


def finite_vote(n_rows: int, votes: list[float]) -> float:
    """Return a finite vote for a model without error among others.

    It is the vote of a model with error 1/2 out of (rows + 1), and never less than another's.
    """
    return max(math.log(2 * n_rows + 1), *votes) if votes else math.log(2 * n_rows + 1)


class AdaBoost(TreeAttributes, Ensemble):
    """AdaBoost.M1: each model gives more weight to the errors of the previous one; votes are weighted by accuracy.

    All rows have equal weight at first. After each round the weights of correctly predicted rows are multiplied by beta
    = error / (1 - error) and all are rescaled, so that the errors have half of the weight. A member's vote is ln(1 /
    beta). A round with an error above 1/2 is dropped and ends the boosting; a round without error is kept and also ends
    it. Noisy rows get large weights too, so many outliers hurt.

    References
    ----------
    Y. Freund and R. E. Schapire, Experiments with a new boosting algorithm. ICML (1996).

    J. R. Quinlan, Bagging, boosting, and C4.5. AAAI (1996).

    Examples
    --------
    >>> from hedgerow.examples import loan
    >>> print(AdaBoost(base="one_r", n_estimators=3).train(loan()))
    A committee of 3 rule lists; each member casts its weighted vote for the class that it predicts
    <BLANKLINE>
    member  rules     vote
         0      2  1.38629
         1      3  1.94591
         2      2  2.25129
    <BLANKLINE>
    Columns, by the number of members that use them:
      Has_Job 1, Own_House 1, Credit_Rating 1
    <BLANKLINE>
    Members are numbered 0 to 2; to print one: print(model.member(0)), or hedgerow show FILE --member 0
    """

    name = "adaboost"

    n_estimators: int = integer(10, "maximum number of rounds, and so of members", low=1, high=MOST_MEMBERS)
    by: str = choice(
        "weights", "whether rows are weighted, or drawn in proportion to their weights", "weights", "resampling"
    )
    perfect: str = choice(
        "cap", "whether the vote of a member without error is capped, or decides alone", "cap", "alone"
    )
    random_state: Any = seed()

    def learn(self, table: Table) -> Committee:
        """Return the committee of all rounds."""
        base, weighs = self.base_learner(), self.by == "weights"
        samples = BoostingSamples(table, weighs and weighted(base))
        make = make_maker(base, table, asks=True)
        notes = [UNWEIGHTED] if weighs and not weighted(base) else []
        members: list[ClassModel] = []
        votes: list[float] = []
        remarks: list[str] = []
        for source in seeds(self.random_state, self.n_estimators):
            if weighted(base):
                model = make(samples.weights(source), source)
            else:
                model = member(base, samples.rows(source), source)
            this = compute_round(samples.shares, make.decide_rows(model) != table.target)
            if this.error > 0.5 and members:
                remarks.append(_stop_note(len(members), self.n_estimators, f"the next model {_error_note(this.error)}"))
                break
            members.append(model)
            votes.append(this.vote)
            if this.error > 0.5:
                votes[0] = 1.0
                notes.append(f"the first model {_error_note(this.error)}, so it is the only member: {WEAK}")
                break
            if this.error == 0:
                votes[-1] = finite_vote(samples.draws, votes[:-1]) if self.perfect == "cap" else math.inf
                if len(members) < self.n_estimators:
                    remarks.append(
                        _stop_note(len(members), self.n_estimators, "the last member predicts every row correctly")
                    )
                break
            samples.shares = this.shares
        about = About(notes=tuple(notes))
        return Committee(table.schema, tuple(members), np.array(votes), remarks=tuple(remarks), about=about)


UNWEIGHTED = (
    "the base learner does not support weights: rows are drawn in proportion to their weights (by='resampling')"
)
WEAK = "boosting needs a base learner with an error below one half"


class BoostingSamples:
    """The training rows of the rounds: all rows with their weights, or rows drawn in proportion to the weights."""

    def __init__(self, table: Table, weighs: bool) -> None:
        weights = table.row_weights
        self.table = table
        self.total = float(weights.sum())
        self.draws = round(self.total) if are_copy_counts(weights) else table.n_rows
        self.first = weights
        self.shares = weights / self.total
        self.fresh = True
        self.order = None if weighs else value_hash_order(table)

    def weights(self, source: np.random.SeedSequence) -> Numbers:
        """Return the weights of the next round, with the same sum as the table's, so that limits keep their meaning."""
        if self.order is not None:
            return np.asarray(np.float64(self.total / self.draws) * self._draw_rows(source))
        fresh, self.fresh = self.fresh, False
        return self.first if fresh else self.shares * self.total

    def rows(self, source: np.random.SeedSequence) -> Table:
        """Return the rows of the next round for a base that ignores weights."""
        return repeat_rows(self.table, self._draw_rows(source))

    def _draw_rows(self, source: np.random.SeedSequence) -> Rows:
        assert self.order is not None
        return draw_rows(self.order, self.shares, self.draws, np.random.default_rng(source))


def _error_note(error: float) -> str:
    return f"has an error above one half of the total weight ({format_number(round_digits(error, 4))})"


def _stop_note(done: int, wanted: int, why: str) -> str:
    return f"Stopped after {done} of {wanted} rounds: {why}"
