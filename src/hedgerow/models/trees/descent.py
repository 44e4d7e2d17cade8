"""How rows go down trees: one or many of them, for all rows of a table in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.data.table.threads import map_in_order, n_threads
from hedgerow.models.trees.level_maps import LevelMaps
from hedgerow.models.trees.nodes import Nodes, starts

LEAST_ROWS = 50_000  # for a thread of its own

DescentInput = tuple[list[Numbers], list[Codes], Codes, Rows | None]  # columns by kind, numbers of levels, rows
DescentOutput = Sequence[NDArray[np.uint8]]  # for each tree, which rows it predicts


@dataclass(frozen=True, eq=False)
class Descent:
    """Trees over one schema, laid out one after another for the kernel; arrays by node are concatenated likewise."""

    numeric: tuple[int, ...]  # positions of the columns that are tested
    nominal: tuple[int, ...]
    levels: Codes  # number of levels of the nominal ones
    roots: Codes
    tests: Any  # arrays in the kernel's order
    packed: Any  # the kernel's form of them

    @classmethod
    def of(cls, schema: Schema, trees: Sequence[Nodes], routes: Sequence[Numbers]) -> Descent:
        """Lay out trees; `routes` has the share of each node in the rows that take all children of its parent."""
        used = np.zeros(len(schema) + 1, dtype=np.bool_)  # the last is that of leaves
        for nodes in trees:
            used[nodes.columns] = True
            used[nodes.surrogate_columns] = True
        positions = np.flatnonzero(used[:-1]).tolist()
        numeric = tuple(p for p in positions if schema.columns[p].kind is Kind.NUMERIC)
        nominal = tuple(p for p in positions if schema.columns[p].kind is Kind.NOMINAL)
        levels = np.array([len(schema.columns[p].levels) for p in nominal], dtype=np.int32)
        slots = np.full(len(schema) + 1, -1, dtype=np.int32)  # the last is that of leaves
        slots[[*numeric, *nominal]] = np.arange(len(positions), dtype=np.int32)
        roots = starts([len(nodes) for nodes in trees])[:-1]
        shifted = (nodes.first + root for nodes, root in zip(trees, roots, strict=True))
        tests = (
            slots[_join_arrays(nodes.columns for nodes in trees)],
            _join_arrays(nodes.thresholds for nodes in trees),
            _join_arrays(shifted),
            *_join_level_arrays([nodes.levels for nodes in trees]),
            _join_arrays(nodes.missing for nodes in trees),
            _join_starts([nodes.surrogate_starts for nodes in trees]),
            slots[_join_arrays(nodes.surrogate_columns for nodes in trees)],
            _join_arrays(nodes.surrogate_thresholds for nodes in trees),
            _join_arrays(nodes.surrogate_first for nodes in trees),
            *_join_level_arrays([nodes.surrogate_levels for nodes in trees]),
            _join_arrays(routes),
        )
        return cls(numeric, nominal, levels, roots, tests, _kernels.pack_trees(tests, len(numeric), levels))

    def leaves(self, table: Table, rows: Rows | None = None) -> Codes:
        """Return the leaf of a single tree that each row reaches; -1 for a row that is divided among several.

        Here as below, `rows` are those that go down, all if None: that spares a copy of the table.
        """
        leaf = np.empty(table.n_rows if rows is None else len(rows), dtype=np.int32)

        def find(given: DescentInput, _: DescentOutput, out: Codes) -> None:
            _kernels.find_leaves(self.tests, self.packed, *given, out)

        self._run(table, rows, leaf, find)
        return leaf

    def sums(self, table: Table, payload: Numbers, rows: Rows | None = None) -> Numbers:
        """Return by row the sum over the trees of the payload (node by column) of the leaf reached.

        A row that is divided among leaves gets of each its share.
        """
        sums = np.zeros((table.n_rows if rows is None else len(rows), payload.shape[1]))
        self.add_sums(sums, table, payload, rows)
        return sums

    def add_sums(
        self, sums: Numbers, table: Table, payload: Numbers, rows: Rows | None = None, asked: DescentOutput = ()
    ) -> None:
        """Add the same to sums; `asked` marks for each tree the rows to predict, all if it is empty."""

        def add(given: DescentInput, some: DescentOutput, out: Numbers) -> None:
            _kernels.add_payloads(self.tests, self.packed, *given, self.roots, some, payload, out)

        self._run(table, rows, sums, add, asked)

    def add_votes(
        self,
        sums: Numbers,
        table: Table,
        payload: Numbers,
        decisions: Codes,
        votes: Numbers,
        rows: Rows | None = None,
        asked: DescentOutput = (),
    ) -> None:
        """Add to sums by row and class the votes of the trees that decide for it.

        A tree decides by the class of the leaf reached, or for the largest mixed payload where a row is divided.
        """

        def add(given: DescentInput, some: DescentOutput, out: Numbers) -> None:
            _kernels.add_votes(self.tests, self.packed, *given, self.roots, some, payload, decisions, votes, out)

        self._run(table, rows, sums, add, asked)

    def _run(
        self,
        table: Table,
        rows: Rows | None,
        out: NDArray[Any],
        work: Callable[[DescentInput, DescentOutput, Any], None],
        asked: DescentOutput = (),
    ) -> None:
        """Do the work on the rows, in as many threads as worthwhile; rows do not depend on each other.

        `work` takes the columns and rows, and the parts of `asked` and `out` for them.
        """
        numbers = [np.ascontiguousarray(table.numbers(position)) for position in self.numeric]
        codes = [np.ascontiguousarray(table.codes(position)) for position in self.nominal]

        def part(bounds: tuple[int, int]) -> None:
            here = slice(*bounds)
            given: DescentInput = (numbers, codes, self.levels, None if rows is None else rows[here])
            if rows is None:
                given = ([n[here] for n in numbers], [c[here] for c in codes], self.levels, None)
            work(given, [one[here] for one in asked], out[here])

        ways = len(out) * (len(self.roots) if asked else 1)
        threads = max(1, min(n_threads(), ways // LEAST_ROWS))
        cuts = np.linspace(0, len(out), threads + 1).astype(int).tolist()
        for _ in map_in_order(part, pairwise(cuts), threads):
            pass


def _join_arrays(arrays: Iterable[NDArray[Any]]) -> NDArray[Any]:
    parts = list(arrays)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _join_level_arrays(parts: Sequence[LevelMaps]) -> Iterable[NDArray[Any]]:
    return LevelMaps.concatenate(parts).parts("").values()


def _join_starts(parts: Sequence[Codes]) -> Codes:
    """Return the starts of all runs, those of each part after those of the previous one."""
    if len(parts) == 1:
        return parts[0]
    ends = starts([int(part[-1]) for part in parts])
    shifted = [part[:-1] + end for part, end in zip(parts, ends, strict=False)]
    return np.concatenate([*shifted, ends[-1:]])
