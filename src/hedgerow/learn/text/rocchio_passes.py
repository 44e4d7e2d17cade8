"""Rocchio's passes over the rows: counts of columns, sums by class, and clusters in the classes.

Clusters are those of spherical k-means: every row belongs to the cluster in whose direction it points, and the
direction of a cluster is that of the sum of its rows. The first direction of a class is that of a row drawn at random,
and so are the others, but rows that point elsewhere than those before are drawn more often (k-means++). A draw depends
on what the rows hold and the seed, not on their order, their weights or repetitions.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.design.class_counts import Counts, Moments, count, count_types
from hedgerow.data.rows.hashing import mix_bits
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.data.text.class_terms import ClassTerms
from hedgerow.data.text.term_space import Weighting
from hedgerow.data.text.term_vectors import TermVectors
from hedgerow.data.text.terms import TermLimits
from hedgerow.data.text.tokens import Tokens
from hedgerow.learn.passes import Plan
from hedgerow.learn.text.count_terms import CountsByColumn, CountTerms
from hedgerow.learn.text.directions import (
    are_equal_rows,
    directions,
    empty_vectors,
    keep_groups,
    renumber_groups,
    select_positions,
    stack_vectors,
)
from hedgerow.learn.text.rocchio_columns import vector_columns
from hedgerow.models.base.model import Model
from hedgerow.models.vectors.columns import VectorColumn
from hedgerow.models.vectors.prototypes import Prototypes
from hedgerow.models.vectors.rows import RowVectors, concatenate_columns, sparse_sums, split_by_column
from hedgerow.models.vectors.term_table import TermTable

NEAR = 1e-9  # cosines that differ less are equal, whatever order their terms were added in
CELLS = 1 << 22  # places times groups that are held at a time


@dataclass(frozen=True)
class RocchioSettings:
    """The settings of the learner."""

    tokens: Tokens
    limits: TermLimits
    weighting: Weighting
    prototypes: int
    beta: float
    gamma: float
    passes: int
    seed: int
    relevance: bool


@dataclass(frozen=True)
class CountColumns(Plan):
    """First pass: the terms of texts, the levels and the moments of numbers."""

    schema: Schema
    settings: RocchioSettings

    def count(self, table: Table) -> CountedColumns:
        """Return the counts of some rows."""
        return CountedColumns(self._terms().count(table), count(table, count_types(self.schema, Moments)))

    def advance(self, counts: CountedColumns) -> Plan:
        """Return the pass that sums vectors by class."""
        table = self._terms().advance(counts.terms)
        assert isinstance(table, TermTable)
        spaces = {name: space for name, space in zip(self.schema.names, table.spaces, strict=True) if space is not None}
        columns = vector_columns(self.schema, spaces, counts.other_counts, self.settings.relevance)
        return SumClasses(self.schema, self.settings, columns, counts.other_counts.classes)

    def _terms(self) -> CountTerms:
        names = [column.name for column in self.schema.columns if column.kind is Kind.TEXT]
        return CountTerms(self.schema, names, self.settings.tokens, self.settings.limits, self.settings.weighting)


@dataclass(frozen=True, eq=False)
class CountedColumns:
    """Counts of all columns."""

    terms: CountsByColumn
    other_counts: Counts

    def __add__(self, other: CountedColumns) -> CountedColumns:
        return CountedColumns(self.terms + other.terms, self.other_counts + other.other_counts)


@dataclass(frozen=True)
class VectorPlan(Plan):
    """A pass over rows that are taken as vectors."""

    schema: Schema
    settings: RocchioSettings
    columns: tuple[VectorColumn | None, ...]
    prior: Numbers

    def count(self, table: Table) -> Any:
        """Return the counts of some rows."""
        rows = tuple(column.rows(table, at) for at, column in enumerate(self.columns) if column is not None)
        target = table.schema.index(table.schema.target_column.name)
        return self.count_rows(RowVectors(rows, table.row_weights, table.codes(target), len(self.prior)))

    @abstractmethod
    def count_rows(self, rows: RowVectors) -> Any:
        """Return the counts of some rows that are vectors already."""

    @abstractmethod
    def advance(self, counts: Any) -> VectorPlan | Model:
        """Return the next pass, or the model when this was the last."""

    @property
    def widths(self) -> tuple[int, ...]:
        """How many positions each used column has."""
        return tuple(column.width for column in self.columns if column is not None)

    def model(self, sums: ClassTerms, owners: Codes, classes: ClassTerms) -> Prototypes:
        """Return the prototypes made of sums of rows, each of a class, less the other classes' rows.

        A class without rows has none, though the others' rows would give it a direction.
        """
        vectors = directions(self._subtract_other_classes(sums, owners, classes) if self.settings.gamma else sums)
        kept = np.flatnonzero((np.diff(vectors.row_starts) > 0) & (sums.texts > 0))
        vectors = vectors.take(kept) if len(kept) < len(owners) else vectors
        return Prototypes(self.schema, self.prior, self.columns, owners[kept], sums.texts[kept], vectors)

    def _subtract_other_classes(self, sums: ClassTerms, owners: Codes, classes: ClassTerms) -> ClassTerms:
        """Return beta times the mean of each cluster less gamma times the mean of the rows of all other classes.

        What is below nothing is cut where a row cannot hold less than nothing, that is but for numbers and for terms
        that are hashed with signs.
        """
        rest = classes.texts.sum() - classes.texts
        beta = self.settings.beta / np.where(sums.texts > 0, sums.texts, 1.0)
        gamma = self.settings.gamma / np.where(rest > 0, rest, 1.0)
        signed = np.repeat([column.signed for column in self.columns if column is not None], self.widths)
        parts = []
        step = max(1, CELLS // max(len(owners), len(classes.texts), 1))
        for at in range(0, len(sums), step):
            own, all_classes = select_positions(sums, at, at + step).dense(), select_positions(classes, at, at + step)
            others = (all_classes.term_totals[:, None] - all_classes.dense()) * gamma
            vectors = own * beta - others[:, owners]
            free = signed[at : at + step, None]
            parts.append(sparse_sums(np.where(free, vectors, np.maximum(vectors, 0.0))))
        return concatenate_columns(parts, sums.texts)


@dataclass(frozen=True)
class SumClasses(VectorPlan):
    """A pass that adds the rows of every class; with one prototype a class it is the last."""

    def count_rows(self, rows: RowVectors) -> ClassTerms:
        """Return the sums of some rows."""
        return rows.sums(rows.classes, rows.n_classes)

    def advance(self, counts: ClassTerms) -> VectorPlan | Model:
        """Return the prototypes, or the pass that draws the first direction of every class."""
        if self.settings.prototypes > 1:
            none = (np.empty(0, np.int32), empty_vectors(sum(self.widths)))
            return DrawDirections(self.schema, self.settings, self.columns, self.prior, counts, *none, 0)
        return self.model(counts, np.arange(len(self.prior), dtype=np.int32), counts)


@dataclass(frozen=True)
class DrawDirections(VectorPlan):
    """A pass that draws one more row of every class."""

    classes: ClassTerms
    class_of_direction: Codes  # the class of each direction, ascending
    centers: TermVectors
    n_drawn: int  # in so many passes

    def count_rows(self, rows: RowVectors) -> DrawnRows:
        """Return the row of every class that is drawn, among some rows.

        Every row has a random number, exponential, which is divided by its distance from the nearest direction before
        (1 - cosine): the row of the least is drawn. That draws in proportion to the distances.
        """
        seed = int(mix_bits(np.array([self.settings.seed], dtype=np.uint64) + np.uint64(self.n_drawn))[0])
        pairs: list[tuple[float, Any]] = []
        for owner, (_, own) in enumerate(rows.rows_by_class):
            races = -np.log(((own.bits(seed) >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53)
            if self.n_drawn:
                races /= np.maximum(self._distance(own, owner), 1e-300)
            best = int(np.argmin(races)) if len(races) else -1
            if best < 0 or races[best] > 1e250:  # no row points elsewhere than the directions there are
                pairs.append((np.inf, None))
                continue
            only = replace(own.take(np.array([best])), weights=np.ones(1))
            pairs.append((float(races[best]), directions(only.sums(np.zeros(1, np.int32), 1))))
        return DrawnRows(tuple(pairs))

    def _distance(self, own: RowVectors, owner: int) -> Numbers:
        """Return the distance of every row of a class from its nearest direction."""
        centers = self.centers.take(np.flatnonzero(self.class_of_direction == owner))
        if not len(own) or not len(centers):
            return np.zeros(len(own))
        away = 1 - own.cosines(split_by_column(centers, self.widths), len(centers)).max(axis=1)
        return np.where(away > NEAR, away, 0.0)

    def advance(self, counts: DrawnRows) -> VectorPlan:
        """Return the next draw, or the pass that moves the directions."""
        new = [owner for owner, (_, vector) in enumerate(counts.rows_by_class) if vector is not None]
        owners = np.append(self.class_of_direction, np.array(new, dtype=np.int32))
        order = np.argsort(owners, kind="stable")
        centers = stack_vectors(self.centers, *(counts.rows_by_class[owner][1] for owner in new)).take(order)
        done = self.n_drawn + 1
        if new and done < self.settings.prototypes:
            return replace(self, class_of_direction=owners[order].astype(np.int32), centers=centers, n_drawn=done)
        own = owners[order].astype(np.int32)
        starts = np.zeros(sum(self.widths) + 1, np.int64)
        nothing = ClassTerms(np.zeros(len(own)), starts, np.empty(0, np.int32), np.empty(0))
        moving = np.bincount(own, minlength=len(self.prior)) > 0
        shared = (self.schema, self.settings, self.columns, self.prior, self.classes)
        return MoveDirections(*shared, own, centers, nothing, moving)


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """The row of every class that is drawn, with its number, of which the least counts; None if there is none."""

    rows_by_class: tuple[tuple[float, Any], ...]

    def __add__(self, other: DrawnRows) -> DrawnRows:
        return DrawnRows(
            tuple(
                min(pair, key=lambda one: one[0]) for pair in zip(self.rows_by_class, other.rows_by_class, strict=True)
            )
        )


@dataclass(frozen=True)
class MoveDirections(VectorPlan):
    """A pass that gives every row to the nearest direction of its class and adds up the rows of each.

    Classes whose directions no longer move keep their sums, and are not looked at again.
    """

    classes: ClassTerms
    class_of_direction: Codes
    centers: TermVectors
    sums: ClassTerms  # of the pass before
    moving: NDArray[np.bool_]  # by class
    n_moves: int = 0  # in so many passes

    def count_rows(self, rows: RowVectors) -> ClassTerms:
        """Return the sums of some rows by cluster, of the classes that move."""
        clusters = np.full(len(rows), -1, dtype=np.int32)
        for owner, (which, own) in enumerate(rows.rows_by_class):
            if not (self.moving[owner] and len(own)):
                continue
            places = np.flatnonzero(self.class_of_direction == owner)
            values = own.cosines(split_by_column(self.centers.take(places), self.widths), len(places))
            clusters[which] = places[(values >= values.max(axis=1, keepdims=True) - NEAR).argmax(axis=1)]
        return rows.sums(clusters, len(self.class_of_direction))

    def advance(self, counts: ClassTerms) -> VectorPlan | Model:
        """Return the next pass, or the prototypes once nothing moves or the passes are used up.

        A cluster that has no rows keeps its direction, and may get some yet; if it does not, there is one less.
        """
        counts = counts + keep_groups(self.sums, ~self.moving[self.class_of_direction])
        centers = directions(counts)
        empty = np.flatnonzero(np.diff(centers.row_starts) == 0)
        if len(empty):
            places = np.arange(len(self.class_of_direction))
            places[empty] += len(self.class_of_direction)
            centers = stack_vectors(centers, self.centers).take(places)
        changed = ~are_equal_rows(centers, self.centers)
        moving = np.bincount(self.class_of_direction[changed], minlength=len(self.prior)) > 0
        if moving.any() and self.n_moves + 1 < self.settings.passes:
            return replace(self, centers=centers, sums=counts, moving=moving, n_moves=self.n_moves + 1)
        order = np.lexsort((-counts.texts, self.class_of_direction))  # the largest cluster of a class first
        order = order[counts.texts[order] > 0]
        return self.model(renumber_groups(counts, order), self.class_of_direction[order], self.classes)
