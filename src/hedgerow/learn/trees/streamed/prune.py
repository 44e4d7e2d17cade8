"""The passes after growing: rows held out go down the trees, and thresholds become values of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table.schema import listing
from hedgerow.data.table.table import Numbers, Rows, Table
from hedgerow.data.table.threads import n_threads
from hedgerow.learn.passes import Plan
from hedgerow.learn.trees.kernel_growth import LEVELS, Parts, make_nodes, weight_of_codes
from hedgerow.learn.trees.pruning import children_counts, parents
from hedgerow.learn.trees.streamed.growing import GrowingTree
from hedgerow.learn.trees.streamed.task import Batch, StreamedTask
from hedgerow.models.base.model import About, Model
from hedgerow.models.trees.level_maps import LevelMaps
from hedgerow.models.trees.tree import NumberTree


def after_growing(task: StreamedTask, trees: tuple[GrowingTree, ...]) -> Plan | Model:
    """Return what follows when no node is open any more."""
    rows = task.empty()
    parts = tuple(task.settings.ready(rows, tree.parts()) for tree in trees)
    if task.settings.folds:
        return PruningRowsPass(task, parts)
    return _after_pruning(task, task.settings.prune(rows, list(parts), []))


@dataclass(frozen=True, eq=False)
class Tallies:
    """For each tree the tallies of its nodes."""

    trees: tuple[Numbers, ...]

    def __add__(self, other: Tallies) -> Tallies:
        return Tallies(tuple(mine + its for mine, its in zip(self.trees, other.trees, strict=True)))


@dataclass(frozen=True, eq=False)
class PruningRowsPass(Plan):
    """The pass that sends the rows of each fold down the tree that was grown without them."""

    task: StreamedTask
    trees: tuple[Parts, ...]

    in_pairs: ClassVar[bool] = False

    @cached_property
    def routes(self) -> list[Parts]:
        """What sends rows down each tree."""
        return [_routes(parts, self.task) for parts in self.trees]

    def count(self, table: Table) -> Tallies:
        """Return for each tree the tallies of its leaves for the rows of its fold."""
        task, batch = self.task, self.task.batch(table)
        sums = []
        for routes, fold in zip(self.routes, task.settings.left_out_folds, strict=True):
            found = _find_leaves(routes, task, batch, batch.weights * (batch.folds == fold))
            sums.append(_tallies(task, batch, *found, len(routes["columns"])))
        return Tallies(tuple(sums))

    def advance(self, counts: Any) -> Plan | Model:
        """Return what follows the pruning of the trees by these tallies."""
        sums = [_sum_to_inner_nodes(parts, leaves) for parts, leaves in zip(self.trees, counts.trees, strict=True)]
        return _after_pruning(self.task, self.task.settings.prune(self.task.empty(), list(self.trees), sums))


def _routes(parts: Parts, task: StreamedTask) -> Parts:
    own = parts["tallies"].reshape(-1, task.width)
    weight = own.sum(axis=1) if task.classes else own[:, 0]
    above = weight[np.maximum(parents(parts), 0)]
    return {
        **{name: parts[name] for name in ("columns", "thresholds", "first", "missing")},
        **LevelMaps.of_parts(parts, LEVELS).parts(LEVELS),
        "children": children_counts(parts),
        "shares": weight / np.where(above > 0, above, 1),
    }


def _find_leaves(routes: Parts, task: StreamedTask, batch: Batch, weights: Numbers) -> tuple[Any, Any, Numbers]:
    """Return the rows, the leaves that they reach, and their weight there."""
    leaves = np.where(routes["columns"] < 0, np.arange(len(routes["columns"])), -1).astype(np.int32)
    return _kernels.find_rows_reaching(routes, leaves, batch.columns, task.levels, weights, n_threads())


def _tallies(task: StreamedTask, batch: Batch, rows: Any, nodes: Any, weights: Numbers, n: int) -> Numbers:
    """Return the tallies of cases by the nodes that they reached."""
    if task.classes:
        return weight_of_codes(
            nodes.astype(np.int64) * task.width + batch.label[rows], weights, n * task.width
        ).reshape(n, -1)
    return np.column_stack([weight_of_codes(nodes, weights * batch.number[rows] ** power, n) for power in range(3)])


def _sum_to_inner_nodes(parts: Parts, leaves: Numbers) -> Numbers:
    """Return the tallies of all nodes by those of the leaves."""
    sums, above = leaves.copy(), parents(parts)
    for node in range(len(sums) - 1, 0, -1):
        sums[above[node]] += sums[node]
    return sums


def _after_pruning(task: StreamedTask, parts: Parts) -> Plan | Model:
    """Return the model, or the pass that finds the values which thresholds are lowered to."""
    if not task.settings.at_values:
        return _model(task, parts)
    thresholds, unknown = parts["thresholds"].copy(), []
    for number, ends in enumerate(task.values):
        here = np.flatnonzero(parts["columns"] == number) if len(ends) else np.zeros(0, np.int64)
        if task.exact[number]:
            thresholds[here] = ends[np.searchsorted(ends, thresholds[here], side="right") - 1]
        else:
            unknown += here[~np.isin(thresholds[here], ends)].tolist()  # the end of a bin is a value of some row
    parts = {**parts, "thresholds": thresholds}
    return LowerThresholdsPass(task, parts, np.array(unknown)) if unknown else _model(task, parts)


@dataclass(frozen=True, eq=False)
class LoweredThresholds:
    """For some thresholds the largest value so far that is not above them."""

    values: Numbers

    def __add__(self, other: LoweredThresholds) -> LoweredThresholds:
        return LoweredThresholds(np.maximum(self.values, other.values))


@dataclass(frozen=True, eq=False)
class LowerThresholdsPass(Plan):
    """The pass that lowers the thresholds of some nodes to values of the training rows."""

    task: StreamedTask
    parts: Parts
    nodes: Rows

    def count(self, table: Table) -> LoweredThresholds:
        """Return the largest values that are not above the thresholds."""
        batch = self.task.batch(table)
        columns, limits = self.parts["columns"][self.nodes], self.parts["thresholds"][self.nodes]
        found = np.full(len(self.nodes), -np.inf)
        for column in np.unique(columns).tolist():
            here = np.flatnonzero(columns == column)
            here = here[np.argsort(limits[here], kind="stable")]
            values = batch.columns[column][(batch.weights > 0) & ~np.isnan(batch.columns[column])]
            most = np.full(len(here) + 1, -np.inf)
            np.maximum.at(most, np.searchsorted(limits[here], values, side="left"), values)
            found[here] = np.maximum.accumulate(most)[:-1]
        return LoweredThresholds(found)

    def advance(self, counts: Any) -> Plan | Model:
        """Return the model."""
        thresholds = self.parts["thresholds"].copy()
        thresholds[self.nodes] = counts.values
        return _model(self.task, {**self.parts, "thresholds": thresholds})


def _model(task: StreamedTask, parts: Parts) -> Plan | Model:
    """Return the model of classes, or the pass that a model of numbers needs."""
    if not task.classes:
        return MeasureLeaves(task, parts)
    return add_notes(task, task.settings.finish(task.empty().tree(parts), task.total))


@dataclass(frozen=True, eq=False)
class LeafDeviations:
    """How far the numbers of each leaf lie from what its tally says they are on average, and the squares of that."""

    sums: Numbers  # (2, nodes)

    def __add__(self, other: LeafDeviations) -> LeafDeviations:
        return LeafDeviations(self.sums + other.sums)


@dataclass(frozen=True, eq=False)
class MeasureLeaves(Plan):
    """The pass that measures what leaves predict: sums of squares lose the deviation of nearly equal numbers."""

    task: StreamedTask
    parts: Parts

    @cached_property
    def routes(self) -> Parts:
        """What sends rows down the tree."""
        return _routes(self.parts, self.task)

    @cached_property
    def means(self) -> Numbers:
        """The mean of each node by its tally."""
        weight, total, _ = self.parts["tallies"].reshape(-1, 3).T
        return np.asarray(total / np.where(weight > 0, weight, 1))

    def count(self, table: Table) -> LeafDeviations:
        """Return how far rows lie from the mean of their leaf."""
        batch = self.task.batch(table)
        rows, leaves, weights = _find_leaves(self.routes, self.task, batch, batch.weights)
        away = batch.number[rows] - self.means[leaves]
        n = len(self.means)
        return LeafDeviations(
            np.array([weight_of_codes(leaves, weights * away, n), weight_of_codes(leaves, weights * away**2, n)])
        )

    def advance(self, counts: Any) -> Model:
        """Return the model."""
        task, weight = self.task, np.ascontiguousarray(self.parts["tallies"].reshape(-1, 3)[:, 0])
        shift, squares = counts.sums / np.where(weight > 0, weight, 1)
        deviations = np.sqrt(np.maximum(squares - shift**2, 0))
        values = task.center + (self.means + shift)
        return add_notes(task, NumberTree(task.schema, make_nodes(self.parts, task.schema), weight, values, deviations))


def add_notes(task: StreamedTask, model: Model) -> Model:
    """Return the model with notes of it."""
    names = [task.schema.columns[position].name for position in task.schema.predictors]
    many = [name for name, exact in zip(names, task.exact, strict=True) if not exact]
    notes = list(task.settings.notes)
    if many:
        notes.append(f"more than {task.settings.bins} values, so large nodes use binned thresholds: {listing(many)}")
    return model.replace_about(About(notes=tuple(notes)))
