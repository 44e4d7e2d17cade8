"""Generated market baskets, as rows of item numbers, of shapes on which other programs are known to fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Offsets = NDArray[np.int64]
Codes = NDArray[np.int32]
Made = tuple[Offsets, Codes]


def sparse_baskets(rows: int = 1_800_000, items: int = 11_000, seed: int = 1) -> Made:
    """Return many short baskets: about six items drawn by popularity, and in two of three baskets a planted group.

    The popularity of items is a power of their rank, as in shops; 2,000 groups of two to six items are planted,
    and each item of a group is left out of one basket in five.
    """
    rng = np.random.default_rng(seed)
    weights = 1.0 / np.arange(10, items + 10) ** 0.8
    bounds = np.cumsum(weights / weights.sum())
    sizes = rng.poisson(6, rows)
    at_rows = [np.repeat(np.arange(rows, dtype=np.int32), sizes)]
    codes = [np.searchsorted(bounds, rng.random(int(sizes.sum()))).astype(np.int32)]
    groups = [rng.choice(items, rng.integers(2, 7), replace=False).astype(np.int32) for _ in range(2_000)]
    chosen = rng.zipf(1.3, rows) - 1
    for number, group in enumerate(groups):
        members = np.flatnonzero(chosen == number).astype(np.int32)
        kept = rng.random((len(members), len(group))) >= 0.2
        at_rows.append(np.repeat(members, len(group))[kept.reshape(-1)])
        codes.append(np.tile(group, len(members))[kept.reshape(-1)])
    return packed(np.concatenate(at_rows), np.concatenate(codes), rows, items)


def with_huge_baskets(rows: int = 100_000, items: int = 1_000, huge: int = 30, seed: int = 1) -> Made:
    """Return short baskets, some of which contain nine in ten of the same sixty items."""
    rng = np.random.default_rng(seed)
    sizes = rng.poisson(3, rows)
    at_rows = [np.repeat(np.arange(rows, dtype=np.int32), sizes)]
    codes = [rng.integers(0, items, int(sizes.sum()), dtype=np.int32)]
    for row in rng.choice(rows, huge, replace=False):
        held = np.flatnonzero(rng.random(60) < 0.9).astype(np.int32)
        at_rows.append(np.full(len(held), row, dtype=np.int32))
        codes.append(held)
    return packed(np.concatenate(at_rows), np.concatenate(codes), rows, items)


def with_one_basket_of_all(rows: int = 10_000, items: int = 5_000, seed: int = 1) -> Made:
    """Return short baskets, followed by one that contains every item."""
    rng = np.random.default_rng(seed)
    sizes = rng.poisson(3, rows)
    at_rows = np.repeat(np.arange(rows, dtype=np.int32), sizes)
    codes = rng.integers(0, items, int(sizes.sum()), dtype=np.int32)
    at_rows = np.concatenate([at_rows, np.full(items, rows, dtype=np.int32)])
    return packed(at_rows, np.concatenate([codes, np.arange(items, dtype=np.int32)]), rows + 1, items)


def packed(at_rows: NDArray[np.int32], codes: Codes, rows: int, items: int) -> Made:
    """Return the start of each row and its distinct items in ascending order."""
    keys = at_rows.astype(np.int64)
    keys *= items
    keys += codes
    keys.sort()
    keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if len(keys) else keys
    offsets = np.zeros(rows + 1, dtype=np.int64)
    np.cumsum(np.bincount(keys // items, minlength=rows), out=offsets[1:])
    return offsets, (keys % items).astype(np.int32)


def save_baskets(folder: Path, name: str, made: Made, items: int) -> None:
    """Write baskets for `load_baskets`, so that generating them does not count as memory of any program."""
    np.savez(folder / f"{name}.npz", offsets=made[0], codes=made[1], items=np.int64(items))


def load_baskets(folder: str, name: str) -> Any:
    """Return saved baskets as a SciPy sparse matrix with one row per basket."""
    from scipy.sparse import csr_matrix

    with np.load(Path(folder) / f"{name}.npz") as file:
        offsets, codes, items = file["offsets"], file["codes"], int(file["items"])
    filled = np.ones(len(codes), dtype=np.bool_)
    return csr_matrix((filled, codes, offsets), shape=(len(offsets) - 1, items))


def rows_of(path: Path) -> list[tuple[int, ...]]:
    """Return the transactions of a FIMI file in the form that pyfim and mlxtend accept."""
    import gzip

    with gzip.open(path, "rt") as file:
        return [tuple(map(int, line.split())) for line in file]
