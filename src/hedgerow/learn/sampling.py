"""Random samples of rows, which depend on the rows and the seed but not on the order in which rows come.

A row of weight 2 counts as two rows, here too: where all weights are whole numbers, each row is as many *copies* as it
weighs, and copies are drawn. Otherwise rows are drawn and keep their weights. Rows are put in an order of their own
first, so that a table gives the same sample however it is sorted, and whether a row is repeated or weighs 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from hedgerow import _kernels
from hedgerow.data.rows.hashing import STEP, Bits, hash_texts, mix_bits, number_bits
from hedgerow.data.rows.row_groups import deal_groups
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Numbers, Rows, Table, Text, Values

MOST_COPIES = 10_000_000  # beyond, weights are not taken as numbers of copies


@dataclass(frozen=True, eq=False)
class Copies:
    """The population of a sample: the row of every copy, ascending, and the weight of a copy."""

    rows: Rows
    weights: Numbers
    order: Rows  # the copies in the canonical order in which they are drawn
    n_rows: int

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def is_rows(self) -> bool:
        """Whether each row is one copy."""
        return len(self) == self.n_rows and bool((np.diff(self.rows) == 1).all())

    def counts(
        self, random: np.random.Generator, share: float = 1.0, replace: bool = True, in_proportion: bool = False
    ) -> Rows:
        """Return how often each copy is drawn, when as many are drawn as this share of all.

        All are as likely as each other, or `in_proportion` to what they weigh.
        """
        n, draws = len(self), max(1, round(share * len(self)))
        if in_proportion and (self.weights != self.weights[0]).any():
            shares = self.weights[self.order] / self.weights.sum()
            picks = random.choice(n, draws, replace=replace, p=shares, shuffle=False)
        elif replace:
            picks = random.integers(n, size=draws)
        else:
            picks = random.choice(n, draws, replace=False, shuffle=False)
        return _kernels.count_picks(self.order, picks.astype(np.int64, copy=False))

    def row_weights(self, counts: Rows) -> Numbers:
        """Return the weight of every row of the table in a sample."""
        if self.is_rows:
            return counts * self.weights
        return np.bincount(self.rows, counts * self.weights, self.n_rows).astype(np.float64, copy=False)

    def row_counts(self, counts: Rows) -> Rows:
        """Return how often every row of the table is in a sample."""
        return np.bincount(self.rows, counts, self.n_rows).astype(np.int64)


def copies(table: Table, hashed: Bits | None = None) -> Copies:
    """Return the population for samples of a table; `hashed` are its `row_hashes`, if they are known."""
    order = value_hash_order(table, hashed)
    if table.weights is None:
        return Copies(np.arange(table.n_rows), np.ones(table.n_rows), order, table.n_rows)
    weights, place = table.row_weights, np.empty(table.n_rows, dtype=np.int64)
    place[order] = np.arange(table.n_rows)
    whole = are_copy_counts(weights)
    rows = np.repeat(np.arange(table.n_rows), weights.astype(np.int64)) if whole else np.flatnonzero(weights)
    order = np.argsort(place[rows], kind="stable")
    return Copies(rows, np.ones(len(rows)) if whole else weights[rows], order, table.n_rows)


def undrawn_copies(counts: Rows) -> Rows:
    """Return the copies that were not drawn: on average (1 - 1/m)^m of them, when m are drawn with replacement of m."""
    return np.flatnonzero(counts == 0)


def are_copy_counts(weights: Numbers) -> bool:
    """Return whether weights are numbers of copies: whole, and not too many."""
    return bool((weights == np.floor(weights)).all()) and float(weights.sum()) <= MOST_COPIES


def draw_rows(order: Rows, shares: Numbers, draws: int, random: np.random.Generator) -> Rows:
    """Return how often each row is drawn when it is drawn, with replacement, in proportion to its share."""
    ends = np.cumsum(shares[order])
    picks = np.searchsorted(ends, random.random(draws) * ends[-1], side="right")
    return np.bincount(order[np.minimum(picks, len(order) - 1)], minlength=len(shares)).astype(np.int64)


def repeat_rows(table: Table, counts: Rows) -> Table:
    """Return a table without weights that holds each row so often."""
    return table.take(np.repeat(np.arange(table.n_rows), counts)).with_weights(None)


def value_hash_order(table: Table, hashed: Bits | None = None) -> Rows:
    """Return the rows in an order that depends on their values only: by a hash of all their values.

    Columns that hold one value only do not matter. Rows with equal values stand side by side, the lighter one first.
    """
    hashed = row_hashes(table) if hashed is None else hashed
    if table.weights is None:
        return np.argsort(hashed, kind="stable").astype(np.int64)
    return np.lexsort((table.weights, hashed)).astype(np.int64)


def split_by_value_hash(table: Table, k: int, random_state: Any = 1, groups: Rows | None = None) -> list[Numbers]:
    """Return the weight of every row in each of k parts of a table, every class spread evenly over them.

    The parts depend on the values of the rows, not on their order, and a row of weight 2 is dealt out as two rows are:
    so a learner that cross-validates inside learns the same from both. Equal rows are spread over the parts too; kept
    together, the other parts would know nothing of them. With `groups`, the group of every row, whole groups are dealt
    out instead, to as many parts as there are groups at most.
    """
    pool, part = (
        _deal_copies(table, k, random_state) if groups is None else _deal_groups(table, k, random_state, groups)
    )
    weights = (np.bincount(pool.rows, np.where(part == number, pool.weights, 0.0), table.n_rows) for number in range(k))
    return [each.astype(np.float64, copy=False) for each in weights]


def sample_by_value_hash(table: Table, most: int, random_state: Any = 1) -> Numbers:
    """Return the weight of every row in a sample of at most about so many rows, every class in proportion.

    A table that is no larger is its own sample.
    """
    if table.n_rows <= most:
        return table.row_weights
    pool, part = _deal_copies(table, -(-table.n_rows // most), random_state)
    weights = np.bincount(pool.rows, np.where(part == 0, pool.weights, 0.0), table.n_rows)
    return weights.astype(np.float64, copy=False)


def _deal_copies(table: Table, k: int, random_state: Any) -> tuple[Copies, Rows]:
    """Return the copies of the rows of a table and to which of k parts each is dealt out."""
    pool = copies(table)
    strata = _strata(table, pool)
    keys = mix_bits(row_hashes(table) ^ np.uint64(seed_number(random_state)))[pool.rows]
    order = pool.order[np.argsort(keys[pool.order], kind="stable")]
    order = order[np.argsort(strata[order], kind="stable")]
    part = np.empty(len(order), dtype=np.int64)
    part[order] = np.arange(len(order)) % k  # rows of a class stand together and are dealt out like cards
    return pool, part


def _deal_groups(table: Table, k: int, random_state: Any, groups: Rows) -> tuple[Copies, Rows]:
    """Return the copies and to which of k parts each is dealt out, copies of one group to the same."""
    pool = copies(table)
    k = min(k, len(np.unique(groups[pool.rows])))
    return pool, deal_groups(groups[pool.rows], _strata(table, pool), [1 / k] * k, [seed_number(random_state)])


def _strata(table: Table, pool: Copies) -> Rows:
    """Return the class of every copy; 0 if there are no classes."""
    target = table.schema.target_column
    if target.kind is not Kind.NOMINAL:
        return np.zeros(len(pool), dtype=np.int64)
    return table.codes(table.schema.index(target.name))[pool.rows].astype(np.int64)


def select_weighted_rows(table: Table, weights: Numbers) -> Table:
    """Return the rows of positive weight, with these weights."""
    return table.take(np.flatnonzero(weights > 0)).with_weights(weights[weights > 0])


def folds_by_hash(table: Table, k: int, seed: int) -> Rows:
    """Return a fold from 0 to k - 1 for every row that its values alone decide, whatever rows are beside it.

    For rows that come in batches: the folds are about, not exactly, of one size. Equal rows are in one fold.
    """
    hashed = np.zeros(table.n_rows, dtype=np.uint64)
    for position in range(len(table.schema)):
        hashed = mix_bits((hashed + STEP) ^ _bits(table.values(position)))
    return (mix_bits(hashed ^ np.uint64(seed)) % np.uint64(k)).astype(np.int64)


def seed_number(random_state: Any) -> int:
    """Return a number for a seed in any of the forms that `random_state` takes."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if hasattr(random_state, "integers"):
        return int(random_state.integers(1 << 62))
    if hasattr(random_state, "randint"):
        return int(random_state.randint((1 << 31) - 1))
    number = int(random_state)
    return int(np.random.SeedSequence(2 * abs(number) + (number < 0)).generate_state(1, np.uint64)[0])


def row_hashes(table: Table) -> Bits:
    """Return a hash of the values of every row; columns that hold one value only do not matter."""
    hashed = np.zeros(table.n_rows, dtype=np.uint64)
    for position in range(len(table.schema)):
        bits = _bits(table.values(position))
        if len(bits) and (bits != bits[0]).any():
            hashed = mix_bits((hashed + STEP) ^ bits)
    return hashed


def _bits(values: Values) -> Bits:
    """Return a number for every value, equal for equal values."""
    if isinstance(values, Text):
        return hash_texts(values)
    if not isinstance(values, np.ndarray):
        return np.zeros(len(values), dtype=np.uint64)  # bags do not help to order rows
    if values.dtype != np.float64:
        return values.astype(np.int64).view(np.uint64)
    return number_bits(cast("Numbers", values))
