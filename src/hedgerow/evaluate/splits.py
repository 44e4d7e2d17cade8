"""Splits: which rows to learn from and which to test on.

A split depends on the target's values and the seed alone, so that every learner is tried on the same parts.
The target may be class codes (every class is then spread evenly: stratified), numbers (spread at random), or
just the number of rows. Rows without a target, -1 or NaN, are in no part: nothing is learned from them and no
prediction of them can be checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table import Rows
from hedgerow.errors import DataError, UsageError

Target = NDArray[Any] | int


class Split(NamedTuple):
    """The rows to learn from and the rows to test on, both ascending."""

    train: Rows
    test: Rows
    fold: int = 0
    run: int = 0


class ThreeWay(NamedTuple):
    """Three disjoint parts: to learn from, to choose parameters by, to test the choice on (M300)."""

    train: Rows
    validation: Rows
    test: Rows


def folds(target: Target, k: int = 10, seed: int = 1, run: int = 0) -> Iterator[Split]:
    """Yield k splits whose test parts partition the rows (M298).

    Test parts differ in size by at most one row, and so do the members of each class among them. There are
    never more folds than rows; a class with fewer members than folds is absent from some test parts
    (`fold_notes` says so).
    """
    order = _shuffled(target, seed, run)
    k = _fold_count(len(order), k)
    for fold in range(k):
        # Rows of a class stand together, so that dealing them out like cards gives every fold its share.
        test = order[fold::k]
        yield Split(_others(order, test), np.sort(test), fold, run)


def repeated_folds(target: Target, k: int = 10, runs: int = 1, seed: int = 1) -> Iterator[Split]:
    """Yield the folds of several runs, each run shuffled anew; the first is `folds` with the same seed."""
    _check_runs(runs)
    for run in range(runs):
        yield from folds(target, k, seed, run)


def leave_one_out(target: Target) -> Iterator[Split]:
    """Yield one split for every row, which is tested on what the others teach (M299)."""
    order = np.sort(_shuffled(target, 0, 0))
    _fold_count(len(order), len(order))
    for fold, row in enumerate(order):
        yield Split(np.delete(order, fold), np.array([row], dtype=np.int64), fold)


def holdout(target: Target, share: float = 2 / 3, runs: int = 1, seed: int = 1) -> Iterator[Split]:
    """Yield a split for every run: `share` of the rows, and of every class, to learn from (M297)."""
    _check_runs(runs)
    _check_share(share)
    for run in range(runs):
        order = _shuffled(target, seed, run)
        train = _share_of(order, share)
        yield Split(np.sort(train), _others(order, train), 0, run)


def three_way(target: Target, validation: float = 0.2, test: float = 0.2, seed: int = 1) -> ThreeWay:
    """Return a stratified split into a training, a validation and a test part."""
    _check_share(validation)
    _check_share(test)
    _check_share(validation + test)
    order = _shuffled(target, seed, 0)
    if len(order) < 3:
        raise DataError(f"three parts need three rows with a target, but there are {len(order)}")
    kept = _share_of(order, 1 - test, leave=1, least=2)
    train = _share_of(kept, (1 - test - validation) / (1 - test))
    return ThreeWay(np.sort(train), _others(kept, train), _others(order, kept))


def fold_notes(target: Target, k: int) -> tuple[str, ...]:
    """Return what people should know about cutting this target into k folds, a sentence each."""
    rows = usable(target)
    notes = []
    if k > len(rows):
        notes.append(
            f"{k} folds were asked for, but only {len(rows)} rows have a target: {len(rows)} folds of one row are used"
        )
    elif isinstance(target, np.ndarray) and target.dtype.kind == "i":
        sizes = np.bincount(target[rows])
        few = sizes[(sizes > 0) & (sizes < k)]
        if len(few):
            notes.append(
                f"{len(few)} of {np.count_nonzero(sizes)} classes have fewer rows than the {k} folds "
                f"(the smallest {few.min()}), so some folds test none of them"
            )
    return tuple(notes)


def usable(target: Target) -> Rows:
    """Return the rows that have a target, ascending."""
    if not isinstance(target, np.ndarray):
        return np.arange(target, dtype=np.int64)
    present = ~np.isnan(target) if target.dtype.kind == "f" else target >= 0
    return np.flatnonzero(present).astype(np.int64)


def _shuffled(target: Target, seed: int, run: int) -> Rows:
    """Return the rows that have a target in random order, those of a class side by side."""
    if seed < 0:
        raise UsageError(f"the seed must not be negative, but is {seed}")
    rng = np.random.Generator(np.random.PCG64([seed, run]))
    rows = rng.permutation(usable(target))
    if isinstance(target, np.ndarray) and target.dtype.kind == "i":
        rows = rows[np.argsort(target[rows], kind="stable")]
    return rows


def _share_of(order: Rows, share: float, leave: int = 1, least: int = 1) -> Rows:
    """Return every 1/share-th row of `order`, so that each class gives its share up to one row."""
    if len(order) < leave + least:
        raise DataError(f"a split needs {leave + least} rows with a target, but there are {len(order)}")
    # Row i is taken when i * share, rounded, moves on to the next whole number.
    steps = np.floor(np.arange(len(order) + 1) * share + 0.5 + 1e-9)
    taken = np.diff(steps) > 0
    missing = least - int(taken.sum())
    if missing > 0:
        taken[np.flatnonzero(~taken)[:missing]] = True
    surplus = leave - int((~taken).sum())
    if surplus > 0:
        taken[np.flatnonzero(taken)[-surplus:]] = False
    chosen: Rows = order[taken]
    return chosen


def _others(order: Rows, taken: Rows) -> Rows:
    left = np.zeros(int(order.max()) + 1, dtype=np.bool_)
    left[order] = True
    left[taken] = False
    return np.flatnonzero(left).astype(np.int64, copy=False)


def _fold_count(n_rows: int, k: int) -> int:
    if n_rows < 2:
        raise DataError(f"folds need at least two rows with a target, but there are {n_rows}")
    if k < 2:
        raise UsageError(f"the number of folds must be at least 2, but is {k}")
    return min(k, n_rows)


def _check_runs(runs: int) -> None:
    if runs < 1:
        raise UsageError(f"the number of runs must be at least 1, but is {runs}")


def _check_share(share: float) -> None:
    if not 0 < share < 1:
        raise UsageError(f"a share of the rows must lie between 0 and 1, but is {share:g}")
