"""Baskets: rows as sets of items, laid one after another in two arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Codes, Numbers, Rows
from hedgerow.errors import DataError

_CHUNK = 1 << 19  # values that are laid out at a time


@dataclass(frozen=True, eq=False)
class Baskets:
    """Rows as sets of items: row i holds `codes[offsets[i]:offsets[i + 1]]`, ascending, each once.

    Rows may be empty; they count all the same. Rows of weight 0 do not count.
    """

    offsets: Rows
    codes: Codes
    n_items: int
    weights: Numbers | None = None

    def __post_init__(self) -> None:
        if self.weights is not None and len(self.weights) != self.n_rows:
            raise DataError(f"{len(self.weights)} weights are given for {self.n_rows} rows")

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        return f"<Baskets: {self.n_rows} rows, {self.n_items} items, {len(self.codes)} entries>"

    def __getitem__(self, row: int) -> Codes:
        return self.codes[self.offsets[row] : self.offsets[row + 1]]

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.offsets) - 1

    @property
    def sizes(self) -> Rows:
        """How many items each row has."""
        return np.diff(self.offsets)

    @property
    def total(self) -> float:
        """The weight of all rows, their number where they have none."""
        return float(self.n_rows if self.weights is None else self.weights.sum())

    @property
    def is_whole(self) -> bool:
        """Whether all weights are whole numbers, so that all counts are."""
        return self.weights is None or bool((self.weights == np.floor(self.weights)).all())

    @property
    def kernel_weights(self) -> Numbers:
        """The weights in the kernels' form: empty where every row weighs 1."""
        return np.empty(0) if self.weights is None else np.ascontiguousarray(self.weights)

    @property
    def counts(self) -> NDArray[Any]:
        """The weight of the rows that contain each item; whole numbers where rows have no weight."""
        if self.weights is None:
            return np.bincount(self.codes, minlength=self.n_items).astype(np.int64)
        return np.bincount(self.codes, np.repeat(self.weights, self.sizes), self.n_items)

    def take(self, rows: Rows) -> Baskets:
        """Return some rows, by position."""
        sizes = self.sizes[rows]
        weights = None if self.weights is None else self.weights[rows]
        return Baskets(starts_from_sizes(sizes), self.codes[ranges(self.offsets[rows], sizes)], self.n_items, weights)

    def with_pairs(self, rows: Rows, codes: Codes, n_items: int) -> Baskets:
        """Return the baskets with further items of rows, of `n_items` in all."""
        own = np.repeat(np.arange(self.n_rows), self.sizes)
        made = from_pairs(np.concatenate([own, rows]), np.concatenate([self.codes, codes]), self.n_rows, n_items)
        return Baskets(*made, n_items, self.weights)

    @classmethod
    def of(cls, offsets: Rows, codes: Codes, n_items: int, weights: Numbers | None = None) -> Baskets:
        """Build baskets whose items may be in any order and repeated; negative codes are ignored."""
        if len(codes) and codes.min() < 0:
            kept = codes >= 0
            offsets = starts_from_sizes(kept)[offsets]
            codes = codes[kept]
        return cls(*_ascending(offsets, codes, n_items), n_items, weights)


def starts_from_sizes(sizes: NDArray[Any]) -> Rows:
    """Return where each of several runs starts, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def ranges(starts: NDArray[np.integer[Any]], sizes: NDArray[np.int64]) -> Rows:
    """Return the concatenated numbers of several ranges."""
    ends = starts_from_sizes(sizes)
    places: Rows = np.repeat(starts - ends[:-1], sizes) + np.arange(ends[-1], dtype=np.int64)
    return places


def from_columns(columns: Sequence[Codes], n_rows: int) -> tuple[Rows, Codes]:
    """Lay columns of one item a row, or none, side by side; later columns have higher codes."""
    sizes = np.zeros(n_rows, dtype=np.int64)
    pieces: list[Codes] = []
    step = max(_CHUNK // len(columns), 1)
    for start in range(0, n_rows, step):
        block = np.column_stack([column[start : start + step] for column in columns])
        there = block >= 0
        sizes[start : start + step] = there.sum(axis=1)
        pieces.append(block[there])
    return starts_from_sizes(sizes), np.concatenate(pieces)


def from_pairs(rows: Rows, codes: Codes, n_rows: int, n_items: int) -> tuple[Rows, Codes]:
    """Return rows from pairs of a row and an item in any order, each pair once."""
    from scipy.sparse import coo_array  # sorts by counting, which is ten times as quick as by comparing

    value = coo_array((np.ones(len(codes), dtype=np.uint8), (rows, codes)), shape=(n_rows, n_items)).tocsr()
    return value.indptr.astype(np.int64), value.indices.astype(np.int32, copy=False)


def _ascending(offsets: Rows, codes: Codes, n_items: int) -> tuple[Rows, Codes]:
    """Return rows with their items in ascending order, each once."""
    fits = np.empty(len(codes), dtype=np.bool_)
    fits[1:] = codes[1:] > codes[:-1]
    fits[offsets[:-1][offsets[:-1] < len(codes)]] = True
    if fits.all():
        return offsets, codes
    bounds = np.searchsorted(offsets, np.arange(_CHUNK, len(codes), _CHUNK))  # pieces of rows that fit the caches
    pieces = [_sorted(offsets[a : b + 1], codes, n_items) for a, b in pairwise([0, *bounds.tolist(), len(offsets) - 1])]
    return starts_from_sizes(np.concatenate([sizes for sizes, _ in pieces])), np.concatenate(
        [indices for _, indices in pieces]
    )


def _sorted(offsets: Rows, codes: Codes, n_items: int) -> tuple[Rows, Codes]:
    """Return the sizes and items of some rows, in ascending order, each item once."""
    base = np.repeat(np.arange(len(offsets) - 1, dtype=np.int64) * n_items, np.diff(offsets))
    keys = base + codes[offsets[0] : offsets[-1]]
    keys.sort()  # rows stay where they are, and so does `base`
    kept = np.ones(len(keys), dtype=np.bool_)
    kept[1:] = keys[1:] != keys[:-1]
    return np.diff(starts_from_sizes(kept)[offsets - offsets[0]]), (keys - base)[kept].astype(np.int32)
