"""The passes that grow: open nodes are counted and split, or collect their rows and are finished."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.data.table.threads import n_threads
from hedgerow.learn.passes import Plan
from hedgerow.learn.trees.kernel_growth import Parts
from hedgerow.learn.trees.streamed import task as limits
from hedgerow.learn.trees.streamed.growing import GrowingTree
from hedgerow.learn.trees.streamed.prune import after_growing
from hedgerow.learn.trees.streamed.task import Batch, StreamedTask
from hedgerow.models.base.model import Model

Place = tuple[int, int]  # a tree, and a node of it


@dataclass(frozen=True, eq=False)
class FinishedRows:
    """Rows of nodes that are finished at once, with the slot of the node that each reached."""

    slots: Codes
    weights: Numbers
    target: Any
    columns: list[Any]


@dataclass(frozen=True, eq=False)
class NodeCounts:
    """Counts of the nodes that are split in this pass, and the rows of those that are finished."""

    counts: Numbers  # (nodes, cells)
    finished_rows: tuple[FinishedRows, ...]

    def __add__(self, other: NodeCounts) -> NodeCounts:
        counts = self.counts
        counts += other.counts  # in place: counts are large, and nobody else has these
        return NodeCounts(counts, self.finished_rows + other.finished_rows)


@dataclass(frozen=True, eq=False)
class GrowPass(Plan):
    """A pass that splits some open nodes and finishes others."""

    task: StreamedTask
    trees: tuple[GrowingTree, ...]
    split: tuple[Place, ...]  # the nodes that are counted, in the order of their slots, trees one after the other
    finished: tuple[Place, ...]  # the nodes that collect their rows; their slots follow

    in_pairs: ClassVar[bool] = False

    def count(self, table: Table) -> NodeCounts:
        """Return the counts, or the rows, of all nodes that this pass looks at."""
        task, batch = self.task, self.task.batch(table)
        counts = np.zeros((len(self.split), task.cells))
        finished_rows = []
        for number, tree in enumerate(self.trees):
            slots = self._slots(number)
            if not slots:
                continue
            rows, reached, weights = _kernels.find_rows_reaching(
                tree.routes(), tree.slots(slots), batch.columns, task.levels, batch.weights_for(tree), n_threads()
            )
            self._add(batch, rows, reached, weights, counts)
            kept = reached >= len(self.split)
            if kept.any():
                finished_rows.append(
                    _collect_rows(batch, rows[kept], reached[kept] - np.int32(len(self.split)), weights[kept])
                )
        return NodeCounts(counts, tuple(finished_rows))

    def _slots(self, tree: int) -> dict[int, int]:
        places = enumerate((*self.split, *self.finished))
        return {node: slot for slot, (of, node) in places if of == tree}

    def _add(self, batch: Batch, rows: Any, slots: Codes, weights: Numbers, counts: Numbers) -> None:
        levels, values = self.task.levels, list(self.task.values)
        _kernels.count_bins(
            batch.columns,
            levels,
            values,
            batch.label,
            batch.number,
            self.task.width,
            rows,
            slots,
            weights,
            counts,
            n_threads(),
        )

    def advance(self, counts: Any) -> Plan | Model:
        """Return the next pass: on open nodes, or what follows when there are none."""
        branches = self._finish(counts.finished_rows)
        trees = []
        for number, tree in enumerate(self.trees):
            nodes = [slot for slot, (of, _) in enumerate(self.split) if of == number]
            if nodes:
                tree = self._divide_nodes(tree, np.array([self.split[slot][1] for slot in nodes]), counts.counts[nodes])
            trees.append(tree.with_branches(branches[number]))
        return continue_growing(self.task, tuple(trees))

    def _divide_nodes(self, tree: GrowingTree, nodes: Rows, counts: Numbers) -> GrowingTree:
        task = self.task
        result = _kernels.split_nodes(
            task.levels,
            list(task.values),
            list(task.exact),
            task.classes,
            counts,
            tree.tallies[nodes],
            tree.depths[nodes],
            task.options(tree),
            n_threads(),
        )
        return tree.split(nodes, result)

    def _finish(self, finished_rows: Sequence[FinishedRows]) -> list[dict[int, Parts]]:
        """Return for each tree the branches that grow from the rows that were collected."""
        branches: list[dict[int, Parts]] = [{} for _ in self.trees]
        if not finished_rows:
            return branches
        slots = np.concatenate([part.slots for part in finished_rows])
        order = np.argsort(slots, kind="stable")
        ends = np.cumsum(np.bincount(slots, minlength=len(self.finished)))
        rows = FinishedRows(
            slots[order],
            np.concatenate([part.weights for part in finished_rows])[order],
            np.concatenate([part.target for part in finished_rows])[order],
            [np.concatenate(columns)[order] for columns in zip(*(part.columns for part in finished_rows), strict=True)],
        )
        for (number, node), begin, end in zip(self.finished, np.append(0, ends[:-1]), ends, strict=True):
            branches[number][node] = self._branch(self.trees[number], node, rows, slice(int(begin), int(end)))
        return branches

    def _branch(self, tree: GrowingTree, node: int, rows: FinishedRows, own: slice) -> Parts:
        task, n = self.task, own.stop - own.start
        threads = n_threads() if n * task.row_cells > 1 << 16 else 1
        columns = _kernels.TreeColumns([values[own] for values in rows.columns], task.levels, n, threads)
        options = task.options(tree, int(tree.depths[node]))
        target, weights = rows.target[own], rows.weights[own]
        if task.classes:
            return _kernels.grow_classes(columns, target, task.classes, weights, options, threads)
        return _kernels.grow_numbers(columns, target + task.center, weights, options, threads)


def _collect_rows(batch: Batch, rows: Any, slots: Codes, weights: Numbers) -> FinishedRows:
    target: Any = batch.label if len(batch.label) else batch.number
    return FinishedRows(slots, weights, target[rows], [values[rows] for values in batch.columns])


def continue_growing(task: StreamedTask, trees: tuple[GrowingTree, ...]) -> Plan | Model:
    """Return the pass that grows trees on: nodes of few rows are finished as long as these fit, others are split."""
    places = [(number, int(node)) for number, tree in enumerate(trees) for node in np.flatnonzero(tree.open)]
    if not places:
        return after_growing(task, trees)
    sizes = np.array([trees[number].cases[node] for number, node in places]) * task.row_cells
    order = np.argsort(sizes, kind="stable")
    fit = int((np.cumsum(sizes[order]) <= limits.HELD).sum())
    finished = sorted(places[i] for i in order[:fit])
    split = sorted(places[i] for i in order[fit:])
    return GrowPass(task, trees, tuple(split[: max(1, limits.HELD // max(task.cells, 1))]), tuple(finished))
