"""Splits: which rows to learn from and which to test on.

A split depends on the target's values and the seed alone, so that every learner is tried on the same parts.
The target may be class codes (every class is then spread evenly: stratified), numbers (spread at random), or
just the number of rows. Rows without a target, -1 or NaN, are in no part: nothing is learned from them and no
prediction of them can be checked. Where `groups` are given, a number for every row, no group is in both parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.rows.row_groups import deal_groups
from hedgerow.data.table.table import Rows
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


def folds(target: Target, k: int = 10, seed: int = 1, run: int = 0, groups: Rows | None = None) -> Iterator[Split]:
    """Yield k splits whose test parts partition the rows (M298).

    Test parts differ in size by at most one row, and so do the members of each class among them. There are
    never more folds than rows; a class with fewer members than folds is absent from some test parts
    (`fold_notes` says so). Whole groups can only be dealt out as evenly as their sizes allow.
    """
    if groups is not None:
        yield from _group_folds(target, k, seed, run, groups)
        return
    order = _shuffle_rows(target, seed, run)
    k = _fold_count(len(order), k)
    for fold in range(k):
        # Rows of a class stand together, so that dealing them out like cards gives every fold its share.
        test = order[fold::k]
        yield Split(_remaining_rows(order, test), np.sort(test), fold, run)


def repeated_folds(
    target: Target, k: int = 10, runs: int = 1, seed: int = 1, groups: Rows | None = None
) -> Iterator[Split]:
    """Yield the folds of several runs, each run shuffled again; the first is `folds` with the same seed."""
    _check_runs(runs)
    for run in range(runs):
        yield from folds(target, k, seed, run, groups)


def fold_count(target: Target, k: int, groups: Rows | None = None) -> int:
    """Return the number of folds that `folds` makes of this many rows or groups."""
    rows = usable(target)
    return _fold_count(len(rows), k) if groups is None else _group_count(groups[rows], k)


def leave_one_out(target: Target, groups: Rows | None = None) -> Iterator[Split]:
    """Yield one split per row (or group), which is tested with a model of all others (M299)."""
    if groups is not None:
        yield from _group_folds(target, len(groups), 0, 0, groups)
        return
    order = np.sort(_shuffle_rows(target, 0, 0))
    _fold_count(len(order), len(order))
    for fold, row in enumerate(order):
        yield Split(np.delete(order, fold), np.array([row], dtype=np.int64), fold)


def holdout(
    target: Target, share: float = 2 / 3, runs: int = 1, seed: int = 1, groups: Rows | None = None
) -> Iterator[Split]:
    """Yield one split per run, with `share` of the rows, and of every class, for training (M297)."""
    _check_runs(runs)
    _check_share(share)
    for run in range(runs):
        if groups is not None:
            train, test = _group_parts(target, (share, 1 - share), seed, run, groups)
            yield Split(train, test, 0, run)
            continue
        order = _shuffle_rows(target, seed, run)
        train = _take_share(order, share)
        yield Split(np.sort(train), _remaining_rows(order, train), 0, run)


def bootstrap(target: Target, samples: int = 200, seed: int = 1, groups: Rows | None = None) -> Iterator[Split]:
    """Yield for each sample as many rows as there are, drawn with replacement, and the rows not drawn (M283).

    A row that was drawn twice is in the training part twice. About (1 - 1/n)^n = 0.37 of the rows are never drawn;
    a sample that leaves out none is drawn again. Groups are drawn as a whole.
    """
    if samples < 1:
        raise UsageError(f"the number of bootstrap samples must be at least 1, but is {samples}")
    rows = usable(target)
    own = np.arange(len(rows)) if groups is None else np.unique(groups[rows], return_inverse=True)[1]
    n = int(own.max(initial=-1)) + 1
    if n < 2:
        what = "rows" if groups is None else "groups"
        raise DataError(f"a bootstrap sample needs at least two {what} with a target, but there are {n}")
    for run in range(samples):
        rng = _random(seed, run)
        times = np.bincount(rng.integers(0, n, n), minlength=n)
        while times.all():
            times = np.bincount(rng.integers(0, n, n), minlength=n)
        times = times[own]
        yield Split(np.repeat(rows, times), rows[times == 0], 0, run)


def three_way(
    target: Target, validation: float = 0.2, test: float = 0.2, seed: int = 1, groups: Rows | None = None
) -> ThreeWay:
    """Return a stratified split into a training, a validation and a test part."""
    _check_share(validation)
    _check_share(test)
    _check_share(validation + test)
    if groups is not None:
        return ThreeWay(*_group_parts(target, (1 - validation - test, validation, test), seed, 0, groups))
    order = _shuffle_rows(target, seed, 0)
    if len(order) < 3:
        raise DataError(f"three parts need three rows with a target, but there are {len(order)}")
    kept = _take_share(order, 1 - test, leave=1, least=2)
    train = _take_share(kept, (1 - test - validation) / (1 - test))
    return ThreeWay(np.sort(train), _remaining_rows(kept, train), _remaining_rows(order, kept))


def fold_notes(target: Target, k: int) -> tuple[str, ...]:
    """Return notes about cutting this target into k folds, a sentence each."""
    rows = usable(target)
    notes = []
    if k > len(rows):
        notes.append(
            f"{k} folds were requested, but only {len(rows)} rows have a target: {len(rows)} folds of one row are used"
        )
    elif isinstance(target, np.ndarray) and target.dtype.kind == "i":
        sizes = np.bincount(target[rows])
        few = sizes[(sizes > 0) & (sizes < k)]
        if len(few):
            notes.append(
                f"{len(few)} of {np.count_nonzero(sizes)} classes have fewer rows than the {k} folds (the smallest "
                f"{few.min()}), so some folds do not test them"
            )
    return tuple(notes)


def usable(target: Target) -> Rows:
    """Return the rows that have a target, ascending."""
    if not isinstance(target, np.ndarray):
        return np.arange(target, dtype=np.int64)
    present = ~np.isnan(target) if target.dtype.kind == "f" else target >= 0
    return np.flatnonzero(present).astype(np.int64)


def spread(rows: Rows, target: Target, seed: int, run: int = 0, fold: int = 0) -> Rows:
    """Return rows in a random order of which every beginning holds each class by its share, up to one row.

    The first 10, 20 or 30 % of them are then fair samples, each part of the next.
    """
    rows = _random(seed, run, fold).permutation(rows)
    if not _has_classes(target):
        return rows
    assert isinstance(target, np.ndarray)
    codes = target[rows]
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    within = np.empty(len(rows), dtype=np.float64)
    within[order] = np.arange(len(rows)) - starts[codes[order]]
    chosen: Rows = rows[np.argsort((within + 0.5) / sizes[codes], kind="stable")]
    return chosen


def _has_classes(target: Target) -> bool:
    return isinstance(target, np.ndarray) and target.dtype.kind == "i"


def _random(*seed: int) -> np.random.Generator:
    if seed[0] < 0:
        raise UsageError(f"the seed must not be negative, but is {seed[0]}")
    return np.random.Generator(np.random.PCG64(list(seed)))


def _group_folds(target: Target, k: int, seed: int, run: int, groups: Rows) -> Iterator[Split]:
    rows = usable(target)
    k = _group_count(groups[rows], k)
    parts = _group_parts(target, (1 / k,) * k, seed, run, groups)
    for fold, test in enumerate(parts):
        yield Split(_remaining_rows(rows, test), test, fold, run)


def _group_parts(target: Target, shares: Sequence[float], seed: int, run: int, groups: Rows) -> list[Rows]:
    """Return the rows of parts of given shares; each group is in one part."""
    if seed < 0:
        raise UsageError(f"the seed must not be negative, but is {seed}")
    rows = usable(target)
    _group_count(groups[rows], 2)
    strata = np.zeros(len(rows), dtype=np.int64)
    if _has_classes(target):
        assert isinstance(target, np.ndarray)
        strata = target[rows].astype(np.int64)
    part = deal_groups(groups[rows], strata, shares, (seed, run))
    return [rows[part == number] for number in range(len(shares))]


def _shuffle_rows(target: Target, seed: int, run: int) -> Rows:
    """Return the rows that have a target in random order, those of a class side by side."""
    rows = _random(seed, run).permutation(usable(target))
    if isinstance(target, np.ndarray) and target.dtype.kind == "i":
        codes = target[rows]
        small = codes.astype(np.int16) if codes.max(initial=0) < 1 << 15 else codes  # short numbers are sorted at once
        rows = rows[np.argsort(small, kind="stable")]
    return rows


def _take_share(order: Rows, share: float, leave: int = 1, least: int = 1) -> Rows:
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


def _remaining_rows(order: Rows, taken: Rows) -> Rows:
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


def _group_count(groups: Rows, k: int) -> int:
    n_groups = len(np.unique(groups))
    if n_groups < 2:
        raise DataError(f"to keep groups apart there must be at least two with a target, but there are {n_groups}")
    return _fold_count(n_groups, k)


def _check_runs(runs: int) -> None:
    if runs < 1:
        raise UsageError(f"the number of runs must be at least 1, but is {runs}")


def _check_share(share: float) -> None:
    if not 0 < share < 1:
        raise UsageError(f"a share of the rows must lie between 0 and 1, but is {share:g}")
