"""A sketch of the rows of a table: the smallest hashes of its rows, which tell the share of other rows among them.

Of a hash function that spreads rows evenly, the distinct rows with the k smallest hashes are a random sample of the
distinct rows (bottom-k sampling; K. Beyer et al., On synopses for distinct-value estimation under multiset operations,
2007). Whether a row belongs to the sample depends on its own hash only, so that two tables are compared on the same
sample of all possible rows. A table with at most k distinct rows is its own sample, and the comparison is exact.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.rows.hashing import Bits
from hedgerow.errors import DataError

MOST_HASHES = 4096

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RowSketch:
    """The smallest hashes of rows, and how often rows repeat.

    Parameters
    ----------
    hashes
        The smallest distinct hashes, ascending, at most `MOST_HASHES`.
    sampled
        The number of rows that have these hashes; repeated rows are counted each time.
    repeated
        How many of them are equal to another row.
    digest
        The sum of the hashes of all rows, modulo 2^64: tables with equal digests hold the same rows, equally often.
    """

    hashes: Bits
    sampled: int
    repeated: int
    digest: int

    def __eq__(self, other: object) -> bool:
        """Return whether another sketch has the same content."""
        return isinstance(other, RowSketch) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"<RowSketch: {len(self.hashes)} hashes of {self.sampled} rows>"

    @property
    def is_whole(self) -> bool:
        """Whether the sketch has the hashes of all rows."""
        return len(self.hashes) < MOST_HASHES

    def in_sample(self, hashes: Bits) -> NDArray[np.bool_]:
        """Return which rows belong to the sample of all possible rows, by their hashes."""
        if self.is_whole:
            return np.ones(len(hashes), dtype=np.bool_)
        sampled: NDArray[np.bool_] = hashes <= self.hashes[-1]
        return sampled

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values; the hashes are eight bytes each, the lowest first, in base64."""
        hashes = b64encode(self.hashes.astype("<u8").tobytes()).decode()
        return {
            "hashes": hashes,
            "sampled": self.sampled,
            "repeated": self.repeated,
            "digest": f"{self.digest:016x}",
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Build a sketch from `to_dict`'s values; every part is checked."""
        hashes = np.frombuffer(b64decode(data["hashes"], validate=True), "<u8").astype(np.uint64)
        sampled, repeated = data["sampled"], data["repeated"]
        if type(sampled) is not int or type(repeated) is not int:
            raise DataError("the sketch of the training rows counts rows in whole numbers")
        sketch = cls(hashes, sampled, repeated, int(data["digest"], 16))
        ascending = bool((hashes[1:] > hashes[:-1]).all())
        fits = len(hashes) <= MOST_HASHES and len(hashes) <= sampled and 0 <= repeated <= sampled
        if not (ascending and fits and sketch.to_dict() == data):
            raise DataError("the sketch of the training rows holds unexpected values")
        return sketch


class RowSketcher:
    """Makes a sketch of rows that come in batches, in any order."""

    def __init__(self) -> None:
        self.hashes: Bits = np.zeros(0, dtype=np.uint64)  # the smallest so far, distinct and ascending
        self.counts: Counts = np.zeros(0, dtype=np.int64)  # how often each of them has come
        self.digest = 0

    def add(self, hashes: Bits, counts: Counts | None = None) -> None:
        """Add rows by their hashes; `counts` says how many rows each of them is."""
        self.digest = (self.digest + digest_of(hashes, counts)) % 2**64
        if len(self.hashes) == MOST_HASHES:
            near = hashes <= self.hashes[-1]
            hashes, counts = hashes[near], None if counts is None else counts[near]
        distinct, many = count_hashes(hashes, counts)
        if len(self.hashes):
            distinct, many = count_hashes(np.concatenate([self.hashes, distinct]), np.concatenate([self.counts, many]))
        self.hashes, self.counts = distinct[:MOST_HASHES], many[:MOST_HASHES]

    def sketch(self) -> RowSketch:
        """Return the sketch of all rows so far."""
        repeated = int(self.counts[self.counts > 1].sum())
        return RowSketch(self.hashes, int(self.counts.sum()), repeated, self.digest)


def digest_of(hashes: Bits, counts: Counts | None = None) -> int:
    """Return the sum of the hashes of all rows, modulo 2^64."""
    every = hashes if counts is None else hashes * counts.astype(np.uint64)
    return int(every.sum(dtype=np.uint64))


def count_hashes(hashes: Bits, counts: Counts | None = None) -> tuple[Bits, Counts]:
    """Return the distinct hashes in ascending order, and the number of rows that have each of them."""
    if counts is not None:
        order = np.argsort(hashes, kind="stable")
        hashes, counts = hashes[order], counts[order]
    else:
        hashes = np.sort(hashes)
    if not len(hashes):
        return hashes, np.zeros(0, dtype=np.int64)
    starts = np.concatenate([np.zeros(1, np.int64), np.flatnonzero(hashes[1:] != hashes[:-1]) + 1])
    if counts is None:
        return hashes[starts], np.diff(starts, append=len(hashes))
    return hashes[starts], np.add.reduceat(counts, starts)
