"""The order of rows in training row by row, which does not depend on how a table is sorted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hedgerow.data.rows.hashing import STEP, mix_bits
from hedgerow.data.table.table import Numbers, Rows, Table
from hedgerow.learn.sampling import copies, row_hashes, seed_number


def row_orders(table: Table, passes: int, random_state: Any, *, shuffle: bool) -> tuple[Iterator[Rows], Numbers | None]:
    """Return the order of the rows in every pass, and their weights; shuffled, a row of weight 2 comes twice.

    Orders depend on the values of the rows and the seed, not on how the table is sorted.
    """
    if not shuffle:
        plain = np.arange(table.n_rows, dtype=np.int64)
        return (plain for _ in range(passes)), table.weights
    pool, hashed = copies(table), row_hashes(table)
    whole = len(pool) != table.n_rows or table.weights is None or bool((pool.weights == 1).all())
    rows = pool.rows[pool.order]
    own = hashed[rows]
    starts = np.flatnonzero(np.concatenate([[True], own[1:] != own[:-1]]))
    rank = np.arange(len(own)) - np.repeat(starts, np.diff(np.append(starts, len(own))))
    keys = mix_bits(own + rank.astype(np.uint64) * STEP)
    start = np.uint64(seed_number(random_state))

    def order(number: int) -> Rows:
        salt = mix_bits(np.array([number + 1], dtype=np.uint64) * STEP + start)
        return np.ascontiguousarray(rows[np.argsort(mix_bits(keys ^ salt), kind="stable")])

    return (order(number) for number in range(passes)), None if whole else table.weights
