"""Rows that belong together: the visits of one patient, the orders of one customer.

Rows of one group are alike. With some of them to learn from and others to test on, a learner is tested on what it
has seen already; so a group stays whole, on one side of every split.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from hedgerow.data.table.schema import Column, Kind, listing
from hedgerow.data.table.table import Numbers, Rows, Table, Text, Values
from hedgerow.errors import DataError, UsageError

REASON = "it groups the rows"


def group_column_from_notes(notes: Iterable[str]) -> str | None:
    """Return the column by which rows were grouped, according to the notes of a model; None if there is none."""
    before, after = Column("?", Kind.TEXT, ignored=REASON).exclusion_note.split("'?'")
    for note in notes:
        if note.startswith(before) and note.endswith(after):
            try:
                return str(literal_eval(note[len(before) : -len(after)]))
            except (ValueError, SyntaxError, RecursionError, MemoryError):  # no name of ours
                continue
    return None


def ignore_group_column(table: Table, name: str) -> Table:
    """Return the table with the column of groups marked as not used in training."""
    if name not in table.schema:
        raise UsageError(f"there is no column {name!r} to group by; the columns are {listing(table.schema.names)}")
    if name == table.schema.target:
        raise UsageError(f"{name!r} is the target, so it cannot also group the rows; name another column")
    column = replace(table.schema[name], ignored=REASON)
    return table.with_schema(table.schema.with_columns({name: column}))


def number_groups(table: Table, name: str) -> Rows:
    """Return the number of every row's group, 0 to groups - 1; rows without a value are one group together."""
    values = table[name]
    if isinstance(values, Text):
        words = list(values)
        order = sorted(set(words), key=lambda word: (word is None, word))
        numbers = {word: number for number, word in enumerate(order)}
        return np.array([numbers[word] for word in words], dtype=np.int64)
    if not isinstance(values, np.ndarray):
        raise UsageError(f"the column {name!r} is {table.schema[name].kind} and cannot group rows; name another one")
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def group_notes(table: Table, name: str, groups: Rows, used: Rows, k: int = 0) -> tuple[str, ...]:
    """Return notes about these groups (of the rows `used`) in k folds, a sentence each."""
    sizes = np.unique(groups[used], return_counts=True)[1]
    if not len(sizes):
        return ()
    notes = [f"rows with the same {name!r} stay together: {len(sizes)} groups of {sizes.min()} to {sizes.max()} rows"]
    values = table[name]
    lacking = int(_missing(values, table.schema[name].kind)[used].sum())
    if lacking:
        notes.append(f"{lacking} rows without a value of {name!r} are treated as one group")
    if k > len(sizes):
        notes.append(f"{k} folds were requested, but there are only {len(sizes)} groups: {len(sizes)} folds are used")
    elif k and sizes.max() > 2 * sizes.sum() / k:
        share = sizes.max() / sizes.sum()
        notes.append(f"the largest group holds {share:.0%} of the rows, so the folds differ in size")
    return (*notes, *_rare_class_notes(table.target, groups, used, min(k, len(sizes))))


def _rare_class_notes(target: Values, groups: Rows, used: Rows, k: int) -> tuple[str, ...]:
    """Return the note on classes that occur in fewer groups than there are folds."""
    if not isinstance(target, np.ndarray) or target.dtype.kind != "i":
        return ()
    pairs = np.unique(np.column_stack([target[used], groups[used]]), axis=0)
    n_groups = np.unique(pairs[:, 0], return_counts=True)[1]
    few = n_groups[n_groups < k]
    if not len(few):
        return ()
    sentence = f"{len(few)} of {len(n_groups)} classes occur in fewer groups than the {k} folds"
    return (f"{sentence} (the rarest in {few.min()}), so some folds do not test them",)


def deal_groups(groups: Rows, strata: Rows, shares: Sequence[float], seed: Sequence[int]) -> Rows:
    """Deal whole groups out to parts of given shares, every class spread as evenly as the groups allow.

    Parameters
    ----------
    groups
        The group of every row.
    strata
        The class of every row, 0 if there are none.
    shares
        What share of the rows, and of each class, every part should hold.

    Returns
    -------
    The part of every row.

    Notes
    -----
    Groups are dealt from the largest down, equal ones in random order, each to the part where it adds least to
    sum over parts p and classes c of (rows_pc - share_p total_c)^2 / (share_p total_c); all rows together count as
    one more class. No part is left empty while there are groups for it.
    """
    _, groups = np.unique(groups, return_inverse=True)
    n_groups, n_strata = int(groups.max()) + 1, int(strata.max()) + 1
    if n_groups < len(shares):
        raise DataError(f"{len(shares)} parts need at least as many groups, but there are {n_groups}")
    counts = np.bincount(groups * n_strata + strata, minlength=n_groups * n_strata).reshape(n_groups, n_strata)
    sizes = counts.sum(axis=1)
    order = np.random.Generator(np.random.PCG64(list(seed))).permutation(n_groups)
    order = order[np.argsort(-sizes[order], kind="stable")]
    wide: Numbers = np.column_stack([counts, sizes]).astype(np.float64)
    scaled = wide / np.maximum(wide.sum(axis=0), 1.0)
    inverse = 1 / np.asarray(shares)
    have = np.zeros((len(shares), wide.shape[1]))
    part = np.empty(n_groups, dtype=np.int64)
    empty = np.ones(len(shares), dtype=np.bool_)
    for left, group in zip(range(n_groups, 0, -1), order.tolist(), strict=True):
        cost = ((2 * have + wide[group]) @ scaled[group]) * inverse
        if left == np.count_nonzero(empty):
            cost[~empty] = np.inf
        chosen = int(cost.argmin())
        part[group], empty[chosen] = chosen, False
        have[chosen] += wide[group]
    return part[groups]


def _missing(values: Values, kind: Kind) -> Rows:
    if isinstance(values, Text):
        return values.missing.astype(np.int64)
    assert isinstance(values, np.ndarray)
    return (np.isnan(values) if kind is Kind.NUMERIC else values < 0).astype(np.int64)
