"""k-means of a stream, by passes over its rows: ranges and levels, then a sample to start from, then a Lloyd step each.

The sample consists of the rows with the smallest hashes, so that it does not depend on the order of the stream; its
clusters, found in memory, are the start. Sums of a pass are added batch by batch in their order; when no center
moves, or by no more than the tolerance, a last pass makes the profiles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.design.design_counts import DesignCounts
from hedgerow.data.rows.hashing import mix_bits
from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Numbers, Table
from hedgerow.learn.clusters.centers_model import shift_limit
from hedgerow.learn.clusters.merged_profiles import merge_profiles
from hedgerow.learn.clusters.mini_batch import batch_sums
from hedgerow.learn.clusters.points import ClusterPoints, make_space
from hedgerow.learn.passes import Plan
from hedgerow.learn.point_hash import point_hashes
from hedgerow.learn.sampling import seed_number
from hedgerow.models.base.model import About
from hedgerow.models.base.point_space import PointSpace
from hedgerow.models.clusters.centers import Centers
from hedgerow.models.clusters.cluster_model import cluster_schema, order_by_size
from hedgerow.models.clusters.nearest_centers import nearest_centers
from hedgerow.models.clusters.profile import Profile

if TYPE_CHECKING:
    from hedgerow.learn.clusters.kmeans import KMeans

SAMPLE = 20_000  # rows of the sample from which the start is computed,
SAMPLE_OF_EACH = 50  # or rows per cluster


@dataclass(frozen=True)
class CountKMeansColumns(Plan):
    """First pass: ranges, means, levels and terms."""

    learner: KMeans
    schema: Schema

    def count(self, table: Table) -> DesignCounts:
        """Return the counts of some rows."""
        return DesignCounts.of(table, self.learner.options())

    def advance(self, counts: DesignCounts) -> Plan:
        """Return the pass that draws a sample, or that starts from given centers."""
        space = make_space(self.schema, counts, self.learner.scale, self.learner.options())
        if self.learner.centers is None:
            return DrawSample(self.learner, self.schema, space, seed_number(self.learner.random_state))
        return LloydPass(self.learner, self.schema, space, self.learner.start_points(self.schema, space))


@dataclass(frozen=True, eq=False)
class PointSample:
    """The points with the smallest hashes, in the order of the hashes."""

    most: int
    hashes: NDArray[np.uint64]
    matrix: Any
    weights: Numbers

    def __add__(self, other: PointSample) -> PointSample:
        from scipy.sparse import vstack

        hashes = np.concatenate([self.hashes, other.hashes])
        order = np.argsort(hashes, kind="stable")[: self.most]
        dense = isinstance(self.matrix, np.ndarray)
        both = (
            np.concatenate([self.matrix, other.matrix]) if dense else vstack([self.matrix, other.matrix], format="csr")
        )
        weights = np.concatenate([self.weights, other.weights])
        return PointSample(self.most, hashes[order], both[order], weights[order])


@dataclass(frozen=True)
class DrawSample(Plan):
    """Second pass: a sample of rows for the start."""

    learner: KMeans
    schema: Schema
    space: PointSpace
    seed: int

    def count(self, table: Table) -> PointSample:
        """Return a sample of some rows."""
        points = self.space.points(table)
        hashes = mix_bits(point_hashes(points) ^ np.uint64(self.seed))
        most = max(SAMPLE, SAMPLE_OF_EACH * int(self.learner.n_clusters))
        order = np.argsort(hashes, kind="stable")[:most]
        return PointSample(most, hashes[order], points[order], table.row_weights[order])

    def advance(self, counts: PointSample) -> Plan:
        """Return the first Lloyd step, from the clusters of the sample."""
        every = np.arange(len(counts.weights), dtype=np.int64)
        points = ClusterPoints(self.space, counts.matrix, counts.weights, every, every).distinct()
        clustering, notes = self.learner.cluster_points(points)
        limit = shift_limit(points.matrix, points.weights, float(self.learner.tol))
        return LloydPass(self.learner, self.schema, self.space, clustering.centers, limit, tuple(notes))


@dataclass(frozen=True, eq=False)
class StepSums:
    """Sums of the rows of each cluster, and the row that is farthest from its center."""

    weights: Numbers
    sums: Numbers
    far: float
    farthest: Numbers

    def __add__(self, other: StepSums) -> StepSums:
        far = self if self.far >= other.far else other
        return StepSums(self.weights + other.weights, self.sums + other.sums, far.far, far.farthest)


@dataclass(frozen=True)
class LloydPass(Plan):
    """A pass that moves the centers to the means of their rows."""

    learner: KMeans
    schema: Schema
    space: PointSpace
    centers: Numbers
    limit: float = 0.0
    notes: tuple[str, ...] = ()
    number: int = 1
    refilled: int = 0

    in_pairs: ClassVar[bool] = False

    def count(self, table: Table) -> StepSums:
        """Return the sums of some rows."""
        points, weights, k = self.space.points(table), table.row_weights, len(self.centers)
        labels, squares = nearest_centers(points, self.centers)
        sums = batch_sums(points, weights, labels, k)
        sizes = np.bincount(labels, weights, k).astype(np.float64)
        if not len(weights):
            return StepSums(sizes, sums, -1.0, np.zeros(self.space.width))
        far = int(squares.argmax())
        one = points[[far]]
        farthest = np.asarray(one if isinstance(one, np.ndarray) else one.toarray())[0]
        return StepSums(sizes, sums, float(squares[far]), farthest)

    def advance(self, counts: StepSums) -> Plan:
        """Return the next step, or the last pass."""
        some, moved = counts.weights > 0, self.centers.copy()
        moved[some] = counts.sums[some] / counts.weights[some, None]
        refilled = self.refilled
        if not some.all() and counts.far > 0:  # one per pass
            moved[int(np.flatnonzero(~some)[0])] = counts.farthest
            refilled += 1
        way = float(((moved - self.centers) ** 2).sum())
        settled = way <= self.limit
        same = self.learner, self.schema, self.space
        if settled or self.number >= self.learner.max_iter:
            return ProfilePass(*same, moved, self.notes, self.number, settled, refilled)
        return LloydPass(*same, moved, self.limit, self.notes, self.number + 1, refilled)


@dataclass(frozen=True, eq=False)
class LastFigures:
    """The profile of some rows, and the sum of squared distances of each cluster."""

    profile: Profile
    squares: Numbers

    def __add__(self, other: LastFigures) -> LastFigures:
        return LastFigures(merge_profiles(self.profile, other.profile), self.squares + other.squares)


@dataclass(frozen=True)
class ProfilePass(Plan):
    """The last pass: the profile of each cluster."""

    learner: KMeans
    schema: Schema
    space: PointSpace
    centers: Numbers
    notes: tuple[str, ...]
    passes: int
    settled: bool
    refilled: int

    in_pairs: ClassVar[bool] = False

    def count(self, table: Table) -> LastFigures:
        """Return the statistics of some rows."""
        points, weights, k = self.space.points(table), table.row_weights, len(self.centers)
        labels, squares = nearest_centers(points, self.centers)
        profile = Profile.of(table, labels, k, dict(self.space.design.term_spaces))
        return LastFigures(profile, np.bincount(labels, weights * squares, k).astype(np.float64))

    def advance(self, counts: LastFigures) -> Centers:
        """Return the model."""
        sizes, notes = counts.profile.sizes, list(self.notes)
        order = order_by_size(sizes, self.centers)
        order = order[sizes[order] > 0]
        if len(order) < len(sizes):
            notes.append(f"{len(sizes) - len(order)} of {len(sizes)} clusters have no rows and are left out")
        if self.refilled:
            notes.append(f"clusters without rows were restarted at the farthest row, {self.refilled} in total")
        schema = cluster_schema(self.schema, len(order))
        profile = counts.profile.reorder(order).with_schema(schema)
        space, squares = self.space.with_schema(schema), counts.squares[order]
        model = Centers(schema, profile, space, self.centers[order], squares, self.passes, self.settled)
        return model.replace_about(About(notes=tuple(notes)))
