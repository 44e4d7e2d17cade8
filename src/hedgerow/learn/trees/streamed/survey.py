"""The first pass: which values there are, and what each class weighs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.design.class_counts import Moments, moments
from hedgerow.data.table.table import Numbers, Rows, Table, concatenate
from hedgerow.data.table.value_histogram import ValueHistogram
from hedgerow.learn.passes import Plan
from hedgerow.learn.trees.kernel_growth import weight_of_codes
from hedgerow.learn.trees.streamed import task as limits
from hedgerow.learn.trees.streamed.grow import continue_growing
from hedgerow.learn.trees.streamed.growing import GrowingTree
from hedgerow.learn.trees.streamed.task import MOST_WHOLE, Batch, StreamedTask
from hedgerow.models.base.model import Model


@dataclass(frozen=True, eq=False)
class FirstPassCounts:
    """The statistics of some rows: the target by fold, whether weights are whole, and the spread of each number."""

    held_tables: tuple[Table, ...] | None  # the rows themselves, as long as they fit
    free_rows: int  # for how many of them there is
    rows: Rows  # (folds, classes)
    weights: Numbers  # (folds, classes)
    heaviest: Numbers  # by class
    are_whole_weights: bool
    lacking: bool
    spreads: tuple[ValueHistogram | None, ...]
    moments: Moments | None

    def __add__(self, other: FirstPassCounts) -> FirstPassCounts:
        tables = None
        if self.held_tables is not None and other.held_tables is not None:
            tables = self.held_tables + other.held_tables
            tables = tables if sum(len(table) for table in tables) <= self.free_rows else None
        return FirstPassCounts(
            tables,
            self.free_rows,
            self.rows + other.rows,
            self.weights + other.weights,
            np.maximum(self.heaviest, other.heaviest),
            self.are_whole_weights and other.are_whole_weights,
            self.lacking or other.lacking,
            tuple(_sum(mine, its) for mine, its in zip(self.spreads, other.spreads, strict=True)),
            _sum(self.moments, other.moments),
        )


def _sum(one: Any, other: Any) -> Any:
    return None if one is None or other is None else one + other


@dataclass(frozen=True, eq=False)
class FirstPass(Plan):
    """The first pass: which values there are, and what each class weighs."""

    task: StreamedTask

    def count(self, table: Table) -> FirstPassCounts:
        """Return the statistics of some rows."""
        task, recipe = self.task, self.task.settings
        room = limits.HELD // task.row_cells
        tables = (table,) if len(table) <= room else None
        batch = task.batch(table)
        folds, classes = max(recipe.folds, 1), task.classes or 1
        label = batch.label if task.classes else np.zeros(len(batch.weights), np.int32)
        cells = batch.folds * classes + label
        heaviest = np.zeros(classes)
        np.maximum.at(heaviest, label, batch.weights)
        rows, weights = (
            np.bincount(cells, minlength=folds * classes),
            weight_of_codes(cells, batch.weights, folds * classes),
        )
        if recipe.kept is not None and not recipe.kept.all():  # other rows only count in the weight of their class
            table = table.take(recipe.kept[label])
            batch = task.batch(table)
        return FirstPassCounts(
            tables,
            room,
            rows.reshape(folds, classes),
            weights.reshape(folds, classes),
            heaviest,
            bool((batch.weights == np.floor(batch.weights)).all()),
            any(_lacks(values) for values in batch.columns),
            tuple(
                ValueHistogram.of(values, table.weights, recipe.bins) if n < 0 else None
                for n, values in zip(task.levels, batch.columns, strict=True)
            ),
            None if task.classes else self._moments(batch, folds),
        )

    def _moments(self, batch: Batch, folds: int) -> Moments:
        return moments(batch.number, batch.folds.astype(np.int32), batch.weights, folds, str(self.task.schema.target))

    def advance(self, counts: Any) -> Plan | Model:
        """Return the model if the rows fit into memory, else the first pass that grows."""
        looked: FirstPassCounts = counts
        if looked.held_tables is not None and any(map(len, looked.held_tables)):
            return self.task.settings.learn(concatenate(looked.held_tables))
        task, trees = self._plant_roots(looked)
        return continue_growing(task, trees)

    def _plant_roots(self, looked: FirstPassCounts) -> tuple[StreamedTask, tuple[GrowingTree, ...]]:
        """Return the data for the next passes, and the trees as roots."""
        task = self.task
        weights, rows = looked.weights, looked.rows
        whole, heaviest = looked.are_whole_weights, looked.heaviest
        if task.classes and looked.held_tables is None:
            factors = task.settings.factors(weights.sum(axis=0))
            whole = whole and bool((factors == np.floor(factors)).all())
            weights, heaviest, rows = weights * factors, heaviest * factors, rows * (factors > 0)
            task = replace(task, factors=None if (factors == 1).all() else factors)
        fractions = task.settings.options.missing == "fractions" and looked.lacking
        task = replace(
            task,
            values=tuple(np.zeros(0) if spread is None else spread.ends() for spread in looked.spreads),
            exact=tuple(spread is None or spread.exact for spread in looked.spreads),
            real=not whole or bool(heaviest.max(initial=0) > MOST_WHOLE) or fractions,
        )
        if looked.moments is not None:
            task, tallies = _center_targets(task, looked.moments)
        else:
            tallies = weights
        task = replace(task, total=tallies.sum(axis=0))
        by_fold = rows.sum(axis=1), weights.sum(axis=1), tallies
        return task, tuple(_root(task, fold, *by_fold) for fold in task.settings.left_out_folds)


def _lacks(values: NDArray[Any]) -> bool:
    return bool(np.isnan(values).any() if values.dtype == np.float64 else (values < 0).any())


def _center_targets(task: StreamedTask, sums: Moments) -> tuple[StreamedTask, Numbers]:
    """Return the task with the mean and variance of its numbers, and the tally of each fold."""
    figures = sums.figures()
    total, mean, squares = (float(figure[-1]) for figure in figures)
    weight, means, around = (figure[:-1] for figure in figures)
    away = np.where(weight > 0, means, mean) - mean
    tallies = np.column_stack([weight, weight * away, np.where(weight > 0, around, 0) + weight * away**2])
    return replace(task, center=mean, scale=squares / total if total else 1.0), tallies


def _root(task: StreamedTask, without: int, rows: Rows, weights: Numbers, tallies: Numbers) -> GrowingTree:
    others = np.arange(len(rows)) != without
    n, weight, tally = int(rows[others].sum()), float(weights[others].sum()), tallies[others].sum(axis=0)
    tree = GrowingTree.root(without, n, weight, tally, is_open=False)
    leaf = n < 2 or _kernels.is_leaf_by_tally(tally, task.classes, 0, task.options(tree))
    return tree if leaf else replace(tree, open=np.array([True]))
