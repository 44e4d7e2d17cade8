"""Class codes: many classes distinguished by binary machines.

A code matrix has one row per machine and one column per class: +1 and -1 are a machine's two sides, 0 a class it does
not see. The machines' predictions are combined in models/many/decoding.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers
from hedgerow.errors import ModelError, UsageError
from hedgerow.models.base.checked_parts import array_part, expect_parts

Entries = NDArray[np.int8]

MOST_MACHINES = 100_000
MOST_ENTRIES = 1 << 27
MOST_EXHAUSTIVE = 12  # classes: 2047 machines


@dataclass(frozen=True, eq=False)
class CodeMatrix:
    """Which classes each machine has on which side.

    Every machine has classes on both sides, and some machine parts any two classes that have a code. A class without
    a code (all 0) is never predicted. A single class with a code has one machine, which always predicts +1.

    Examples
    --------
    >>> CodeMatrix.pairs(3).entries.tolist()
    [[-1, 1, 0], [-1, 0, 1], [0, -1, 1]]
    >>> CodeMatrix.one_vs_rest(3).entries.tolist()
    [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    >>> CodeMatrix.one_vs_rest(2).entries.tolist()
    [[-1, 1]]
    """

    entries: Entries

    def __post_init__(self) -> None:
        entries = np.ascontiguousarray(self.entries)
        if entries.ndim != 2 or entries.dtype != np.int8:
            raise ModelError("a code matrix is a table of small whole numbers (int8) with one row per machine")
        if not 0 < len(entries) <= MOST_MACHINES or not 0 < entries.size <= MOST_ENTRIES:
            raise ModelError(
                f"a code matrix has 1 to {MOST_MACHINES:,} machines and at most {MOST_ENTRIES:,} entries, "
                f"not {entries.shape[0]:,} machines for {entries.shape[1]:,} classes"
            )
        if entries.min() < -1 or entries.max() > 1:
            raise ModelError("the entries of a code matrix are -1, 0 and 1")
        object.__setattr__(self, "entries", entries)
        entries.flags.writeable = False
        self._check()

    def _check(self) -> None:
        if self.n_used == 1:
            if len(self) != 1 or self.entries.max() != 1:
                raise ModelError("a single class has one machine, which predicts +1")
            return
        both = (self.entries.max(axis=1) > 0) & (self.entries.min(axis=1) < 0)
        if not both.all():
            raise ModelError(f"machine {int(both.argmin())} of a code matrix does not have classes on both sides")
        if not self.is_pairs and not (count_separating_machines(self.entries[:, self.used]) > 0).all():
            raise ModelError("two of the classes are not separated by any machine of the code matrix")

    def __len__(self) -> int:
        """Return the number of machines."""
        return len(self.entries)

    def __eq__(self, other: object) -> bool:
        """Return whether another matrix has the same entries."""
        return isinstance(other, CodeMatrix) and np.array_equal(self.entries, other.entries)

    def __hash__(self) -> int:
        return hash(self.entries.tobytes())

    @property
    def n_classes(self) -> int:
        """The number of classes, those without a code among them."""
        return int(self.entries.shape[1])

    @cached_property
    def used(self) -> NDArray[np.int64]:
        """The classes that have a code."""
        return np.flatnonzero(self.entries.any(axis=0))

    @property
    def n_used(self) -> int:
        """The number of classes that have a code."""
        return len(self.used)

    @cached_property
    def is_pairs(self) -> bool:
        """Whether the machines are those of all pairs, in order."""
        n = self.n_used
        return len(self) == n * (n - 1) // 2 and bool((self.entries == _pairs(self.n_classes, self.used)).all())

    @cached_property
    def is_one_vs_rest(self) -> bool:
        """Whether each class has a machine that parts it from all others; for two classes it is one machine."""
        if self.n_used <= 2:
            return len(self) == 1
        return len(self) == self.n_used and bool(
            (self.entries == _one_vs_rest_entries(self.n_classes, self.used)).all()
        )

    def sides(self, machine: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the classes on a machine's side of -1, and those on its side of +1."""
        row = self.entries[machine]
        return tuple(np.flatnonzero(row < 0).tolist()), tuple(np.flatnonzero(row > 0).tolist())

    @cached_property
    def distances(self) -> Numbers:
        """The minimum distance of the codes of the used classes, by Allwein et al.: 1 per differing sign, 1/2 per 0."""
        return distances(self.entries[:, self.used])

    @classmethod
    def one_vs_rest(cls, n: int, used: Sequence[int] | NDArray[np.integer[Any]] | None = None) -> CodeMatrix:
        """Return one machine a class, +1 for it and -1 for the others; of two classes -1 for the first, +1 the second.

        `used` are the classes that have a code, ascending; all of them if it is left out.
        """
        codes = _check_used(n, used)
        return cls(_pairs(n, codes) if len(codes) == 2 else _one_vs_rest_entries(n, codes))

    @classmethod
    def pairs(cls, n: int, used: Sequence[int] | NDArray[np.integer[Any]] | None = None) -> CodeMatrix:
        """Return one machine a pair of classes, -1 for the first and +1 for the second: (0, 1), (0, 2) and so on."""
        codes = _check_used(n, used)
        return cls(_one_vs_rest_entries(n, codes) if len(codes) == 1 else _pairs(n, codes))

    @classmethod
    def exhaustive(cls, n: int, used: Sequence[int] | NDArray[np.integer[Any]] | None = None) -> CodeMatrix:
        """Return all ways to part the classes into two sides: 2^(n - 1) - 1 machines (Dietterich and Bakiri 1995).

        The first class is always on the side of +1, but for two classes, whose only machine is that of `pairs`.
        """
        codes = _check_used(n, used)
        if len(codes) > MOST_EXHAUSTIVE:
            raise UsageError(
                f"an exhaustive code of {len(codes)} classes has {2 ** (len(codes) - 1) - 1:,} columns; it is "
                f"available for at most {MOST_EXHAUSTIVE} classes"
            )
        if len(codes) <= 2:
            return cls.pairs(n, codes)
        return cls(spread(all_partitions(len(codes)), n, codes))

    @classmethod
    def random(
        cls,
        n: int,
        columns: int | None = None,
        kind: str = "dense",
        seed: int | np.random.SeedSequence = 1,
        used: Sequence[int] | NDArray[np.integer[Any]] | None = None,
    ) -> CodeMatrix:
        """Return a random code, "dense" (-1, +1) or "sparse" (half 0), the best of many draws.

        As many columns as Allwein, Schapire and Singer (2000) take, 10 log2 n or 15 log2 n, unless they are given; no
        two are the same or opposite, so that small numbers of classes have fewer.
        """
        from hedgerow.models.many.code_search import random_code

        codes = _check_used(n, used)
        if len(codes) <= 2:
            return cls.pairs(n, codes)
        return cls(spread(random_code(len(codes), columns, kind, seed), n, codes))

    @classmethod
    def bch(
        cls,
        n: int,
        seed: int | np.random.SeedSequence = 1,
        used: Sequence[int] | NDArray[np.integer[Any]] | None = None,
    ) -> CodeMatrix:
        """Return words of a BCH code, far apart by construction; for few classes, the exhaustive code."""
        from hedgerow.models.many.code_search import FEWEST_FOR_BCH, bch_code

        codes = _check_used(n, used)
        if len(codes) < FEWEST_FOR_BCH:
            return cls.exhaustive(n, codes)
        return cls(spread(bch_code(len(codes), seed), n, codes))

    def to_dict(self) -> dict[str, Any]:
        """Return the parts for a file: the entries and 1, which are not negative."""
        return {"entries": (self.entries + 1).astype(np.uint8)}

    @classmethod
    def from_dict(cls, parts: Any, n_classes: int) -> CodeMatrix:
        """Build the matrix from its parts, checking them."""
        expect_parts(parts, "entries")
        entries = array_part(parts, "entries", np.uint8, None, n_classes)
        if entries.size and entries.max() > 2:
            raise ModelError("the entries of a code matrix are stored as 0, 1 and 2, for -1, 0 and 1")
        return cls(entries.astype(np.int8) - np.int8(1))


def _check_used(n: int, used: Sequence[int] | NDArray[np.integer[Any]] | None) -> NDArray[np.int64]:
    codes = np.arange(n, dtype=np.int64) if used is None else np.asarray(used, dtype=np.int64)
    if not len(codes) or codes[0] < 0 or codes[-1] >= n or (np.diff(codes) <= 0).any():
        raise UsageError("a code needs at least one class, and its classes in ascending order")
    return codes


def _pairs(n: int, used: NDArray[np.int64]) -> Entries:
    first, second = np.triu_indices(len(used), 1)
    if len(first) > MOST_MACHINES or len(first) * n > MOST_ENTRIES:
        raise UsageError(
            f"{len(used):,} classes have {len(first):,} pairs, which are too many; separate each class from the rest"
        )
    entries = np.zeros((len(first), n), dtype=np.int8)
    machine = np.arange(len(first))
    entries[machine, used[first]], entries[machine, used[second]] = -1, 1
    return entries


def _one_vs_rest_entries(n: int, used: NDArray[np.int64]) -> Entries:
    return spread((2 * np.eye(len(used)) - 1).astype(np.int8), n, used)


def spread(entries: Entries, n: int, used: NDArray[np.int64]) -> Entries:
    """Return the entries of some classes as those of all n, 0 for the others."""
    if len(used) == n:
        return entries
    all_of_them = np.zeros((len(entries), n), dtype=np.int8)
    all_of_them[:, used] = entries
    return all_of_them


def all_partitions(n: int) -> Entries:
    """Return every split of n classes into two sides, the first class on the side of +1: one row per way.

    As Dietterich and Bakiri write them: in the row of class i runs of 2^(n - i) zeros and ones take turns.
    """
    bits = np.arange((1 << (n - 1)) - 1)[:, None] >> np.arange(n - 2, -1, -1) & 1
    return np.concatenate([np.ones((len(bits), 1)), 2 * bits - 1], axis=1).astype(np.int8)


def count_separating_machines(entries: Entries) -> Numbers:
    """Return how many machines part each two classes, and 1 on the diagonal."""
    real = entries.astype(np.float32)
    seen = np.abs(real)
    apart = (seen.T @ seen - real.T @ real) / 2
    np.fill_diagonal(apart, 1)
    return np.asarray(apart, dtype=np.float64)


def distances(entries: Entries) -> Numbers:
    """Return the distance of the codes of each two classes: sums of (1 - product) / 2; 0 of a class and itself."""
    real = entries.astype(np.float32)
    apart = (len(real) - real.T @ real).astype(np.float64) / 2
    np.fill_diagonal(apart, 0)
    return apart
