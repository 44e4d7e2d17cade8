"""Merges: which clusters became one, and at which height, from single rows up to all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hedgerow.data.table.table import Codes, Numbers, Rows
from hedgerow.errors import ModelError
from hedgerow.models.base.checked_parts import codes_part, expect_parts, numbers_part


@dataclass(frozen=True, eq=False)
class Merges:
    """A cluster is called by its lowest row; merge i makes one of those called `first[i]` and `second[i]`.

    The merged cluster is called `first[i]`, which is the lower. n rows have n - 1 merges, in their order.
    """

    first: Codes
    second: Codes
    heights: Numbers

    def __len__(self) -> int:
        return len(self.first)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.first) + 1

    @cached_property
    def parts(self) -> tuple[Rows, Rows]:
        """The merge that created each of the two clusters of every merge; -1 for a single row."""
        indices = np.full(self.rows, -1, dtype=np.int64)
        parts = np.empty((2, len(self)), dtype=np.int64)
        for number, (a, b) in enumerate(zip(self.first.tolist(), self.second.tolist(), strict=True)):
            parts[:, number] = indices[a], indices[b]
            indices[a] = number
        return parts[0], parts[1]

    @cached_property
    def sizes(self) -> Rows:
        """The number of rows of each merged cluster."""
        sizes = np.ones(len(self), dtype=np.int64)
        left, right = self.parts
        for number, (a, b) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            sizes[number] = (1 if a < 0 else sizes[a]) + (1 if b < 0 else sizes[b])
        return sizes

    @cached_property
    def tops(self) -> Numbers:
        """The largest height within each merged cluster: its own, unless the linkage turns back (centroid)."""
        tops = self.heights.copy()
        left, right = self.parts
        for number, (a, b) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            tops[number] = max([tops[number], *(tops[part] for part in (a, b) if part >= 0)])
        return tops

    def labels_of(self, wanted: Any) -> Codes:
        """Return the cluster of every row, numbered by their lowest rows, if only some merges (a mask) are made.

        >>> Merges(np.array([0, 0]), np.array([2, 1]), np.array([1.0, 2.0])).labels_of(np.array([True, False])).tolist()
        [0, 1, 0]
        """
        parent = np.arange(self.rows)
        chosen = np.flatnonzero(wanted)[::-1]  # the later one first: its first cluster is already where it belongs
        for a, b in zip(self.first[chosen].tolist(), self.second[chosen].tolist(), strict=True):
            parent[b] = parent[a]
        return np.unique(parent, return_inverse=True)[1].astype(np.int32)

    def labels_for_k(self, k: int) -> Codes:
        """Return the cluster of every row when k clusters are left."""
        return self.labels_of(np.arange(len(self)) < self.rows - k)

    def labels_at_height(self, height: float) -> Codes:
        """Return the cluster of every row when no merge above a height is made."""
        return self.labels_of(self.tops <= height)

    def gap(self) -> int:
        """Return how many clusters are left before the largest jump of the heights; of equal jumps the last one.

        >>> Merges(np.zeros(3, np.int32), np.array([1, 2, 3]), np.array([1.0, 2.0, 4.0])).gap()
        2
        """
        reached = np.maximum.accumulate(self.heights)
        if len(reached) < 2:
            return 1 + int((reached > 0).any())
        jumps = np.diff(reached)
        if not jumps.max() > 0:
            return 1
        return (
            int(np.argmax(jumps[::-1])) + 2
        )  # n - 1 merges leave 1 cluster, and the last jump is before the last of them

    def separate_duplicates(self) -> tuple[Merges, Rows]:
        """Return the merges without those of equal rows, the first ones, at height 0; and the row of every leaf left.

        >>> merges, rows = Merges(np.array([0, 0]), np.array([1, 2]), np.array([0.0, 2.0])).separate_duplicates()
        >>> merges.second.tolist(), rows.tolist()
        ([1], [0, 2])
        """
        equal = int(np.argmax(self.heights > 0)) if (self.heights > 0).any() else len(self)
        rows = np.delete(np.arange(self.rows), self.second[:equal])
        first, second = (np.searchsorted(rows, part[equal:]).astype(np.int32) for part in (self.first, self.second))
        return Merges(first, second, self.heights[equal:]), rows

    def scipy(self) -> Numbers:
        """Return the merges as scipy's `linkage` gives them: numbers of both clusters, height and size in rows.

        Heights are unchanged: scipy's ward is sqrt(2 * height).
        """
        n, (left, right) = self.rows, self.parts
        one, other = np.where(left < 0, self.first, left + n), np.where(right < 0, self.second, right + n)
        return np.column_stack((np.minimum(one, other), np.maximum(one, other), self.heights, self.sizes)).astype(float)

    # -- files ----------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the merges as arrays."""
        return {"first": self.first, "second": self.second, "heights": self.heights}

    @classmethod
    def from_dict(cls, parts: Any, rows: int) -> Merges:
        """Return the merges of so many rows with these parts; inconsistent parts raise an error."""
        expect_parts(parts, "first", "second", "heights")
        first = codes_part(parts, "first", np.int32, rows - 1, rows)
        second = codes_part(parts, "second", np.int32, rows - 1, rows)
        heights = numbers_part(parts, "heights", rows - 1)
        if (heights < 0).any():
            raise ModelError("its part 'heights' must not hold numbers below 0")
        gone = np.full(rows, rows, dtype=np.int64)  # when a cluster became part of a lower one
        gone[second] = np.arange(rows - 1)
        same = len(np.unique(second)) == rows - 1 and (first < second).all()
        if not same or (gone[first] <= np.arange(rows - 1)).any():
            raise ModelError("its merges must join existing clusters, each named by its lowest row")
        return cls(first, second, heights)
