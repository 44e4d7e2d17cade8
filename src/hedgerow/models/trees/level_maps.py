"""LevelMaps: the children that the levels of nominal tests lead to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.table import Codes
from hedgerow.errors import ModelError
from hedgerow.models.base.checked_parts import array_part

Order = NDArray[np.int64]

MOST_IN_RUNS = 20_000_000  # levels of all tests that a file has one by one; of more it has lists


@dataclass(frozen=True, eq=False)
class LevelMaps:
    """The maps of several tests. A test has one child for most levels, and lists the other levels with theirs.

    A tree that tells numbers of a column of many levels has many nodes, each with few of the levels: lists are short
    where a table of all levels would be long.

    Parameters
    ----------
    counts
        The number of levels of each test; 0 if it is not nominal.
    rests
        The child of the levels that a test does not list; -1 if they lead nowhere.
    starts
        Where the list of each test starts, and where the last one ends.
    codes, children
        The listed levels, ascending within a test, and their children.
    """

    counts: Codes
    rests: Codes
    starts: Order
    codes: Codes
    children: Codes

    @classmethod
    def none(cls, n: int) -> LevelMaps:
        """Return the maps of n tests that are not nominal."""
        codes = np.empty(0, dtype=np.int32)
        return cls(np.zeros(n, np.int32), np.full(n, -1, np.int32), np.zeros(n + 1, np.int64), codes, codes)

    @classmethod
    def of_runs(cls, starts: Codes, children: Codes) -> LevelMaps:
        """Return the maps of runs that have the child of every level; the inverse of `runs`."""
        return cls(*_kernels.make_level_maps(starts, children)) if len(children) else cls.none(len(starts) - 1)

    @classmethod
    def of_parts(cls, parts: dict[str, NDArray[Any]], prefix: str) -> LevelMaps:
        """Return the maps whose arrays are named with a prefix; the inverse of `parts`."""
        return cls(*(parts[prefix + one.name] for one in fields(cls)))

    @classmethod
    def from_file(cls, parts: Mapping[str, Any], prefix: str, n: int) -> LevelMaps:
        """Return the maps of n tests in a file, checking them; the inverse of `file_parts`."""
        children = array_part(parts, f"{prefix}children", np.int32, None)
        if f"{prefix}codes" not in parts:
            starts = array_part(parts, f"{prefix}starts", np.int32, None)
            check_starts(starts, n, len(children), f"{prefix}starts")
            return cls.of_runs(starts, children)
        counts, rests = (array_part(parts, prefix + name, np.int32, n) for name in ("counts", "rests"))
        starts = array_part(parts, f"{prefix}starts", np.int64, None)
        check_starts(starts, n, len(children), f"{prefix}starts")
        codes = array_part(parts, f"{prefix}codes", np.int32, len(children))
        tests = np.repeat(np.arange(n), np.diff(starts))
        rises = (codes[1:] > codes[:-1]) | (tests[1:] > tests[:-1])
        if (codes < 0).any() or (codes >= counts[tests]).any() or not rises.all():
            raise ModelError(f"the {prefix}codes of a tree do not rise from 0 to the number of levels of each test")
        return cls(counts, rests, starts, codes, children)

    @classmethod
    def concatenate(cls, maps: Sequence[LevelMaps]) -> LevelMaps:
        """Return the maps of all tests, one after another."""
        if len(maps) == 1:
            return maps[0]
        ends = np.cumsum([0, *(one.starts[-1] for one in maps)], dtype=np.int64)
        starts = [one.starts[:-1] + end for one, end in zip(maps, ends[:-1], strict=True)]
        return cls(
            np.concatenate([one.counts for one in maps]),
            np.concatenate([one.rests for one in maps]),
            np.concatenate([*starts, ends[-1:]]),
            np.concatenate([one.codes for one in maps]),
            np.concatenate([one.children for one in maps]),
        )

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def n_levels(self) -> int:
        """The number of levels of all tests together."""
        return int(self.counts.sum(dtype=np.int64))

    @property
    def largest(self) -> Codes:
        """The largest child of each test; -1 if it is not nominal."""
        most = self.rests.copy()
        listing = np.flatnonzero(np.diff(self.starts))
        if len(listing):
            most[listing] = np.maximum(most[listing], np.maximum.reduceat(self.children, self.starts[listing]))
        return most

    def run(self, test: int) -> Codes:
        """Return the child of each level of a test."""
        children = np.full(self.counts[test], self.rests[test], dtype=np.int32)
        listed = slice(self.starts[test], self.starts[test + 1])
        children[self.codes[listed]] = self.children[listed]
        return children

    def runs(self) -> tuple[Codes, Codes]:
        """Return where the run of each test starts among those of all tests, and the runs: the child of each level."""
        starts = run_starts(self.counts)
        children = np.repeat(self.rests, self.counts)
        children[np.repeat(starts[:-1], np.diff(self.starts)) + self.codes] = self.children
        return starts.astype(np.int32), children

    def file_parts(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return the arrays of a file by name: the child of every level, or lists where those would be too long."""
        if self.n_levels > MOST_IN_RUNS:
            return self.parts(prefix)
        starts, children = self.runs()
        return {f"{prefix}starts": starts, f"{prefix}children": children}

    def take(self, tests: NDArray[Any]) -> LevelMaps:
        """Return the maps of some tests, in order."""
        sizes = np.diff(self.starts)[tests]
        listed = ranges(self.starts[tests], sizes)
        return LevelMaps(
            self.counts[tests], self.rests[tests], run_starts(sizes), self.codes[listed], self.children[listed]
        )

    def parts(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return the arrays by name, with a prefix."""
        return {prefix + one.name: getattr(self, one.name) for one in fields(self)}


def run_starts(sizes: NDArray[Any]) -> Order:
    """Return where each of several runs of these sizes starts, and where the last one ends."""
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def ranges(starts: NDArray[Any], sizes: NDArray[Any]) -> Order:
    """Return start, start + 1, ... of each run, one run after the other."""
    ends = np.cumsum(sizes, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts.astype(np.int64) - (ends - sizes), sizes) + np.arange(total, dtype=np.int64)


def check_starts(starts: NDArray[Any], n: int, total: int, name: str) -> None:
    """Raise an error unless runs start so: n of them, from 0, never falling, to `total`."""
    if len(starts) != n + 1:
        raise ModelError(f"a tree has {len(starts)} {name} instead of {n + 1}")
    if starts[0] != 0 or starts[-1] != total or (starts[1:] < starts[:-1]).any():
        raise ModelError(f"the {name} of a tree do not ascend from 0 to {total}")
