"""Agglomerative: the two closest clusters are merged repeatedly, from single rows up to all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.errors import DataError, UsageError
from hedgerow.learn.associations.search_limits import half_of_memory
from hedgerow.learn.clusters.linkage import link_distances, link_points
from hedgerow.learn.clusters.point_clusterer import PointClusterer, fewer_clusters
from hedgerow.learn.clusters.points import ClusterPoints
from hedgerow.learn.params import choice, integer, real, size, to_amount
from hedgerow.models.base.model import About, ClassModel, Model
from hedgerow.models.clusters.cluster_model import cluster_schema, order_by_size
from hedgerow.models.clusters.dendrogram import CITY, DISTANCES, EUCLID, GIVEN, LINKAGES, Dendrogram
from hedgerow.models.clusters.merges import Merges
from hedgerow.models.clusters.profile import Profile

CENTERED = ("centroid", "ward")  # linkages that need centers, which only the Euclidean distance has


class Agglomerative(PointClusterer):
    """Agglomerative clustering: the two closest clusters are merged until one is left; the tree is then cut.

    The distance of two clusters, which is the height of their merge: `single`, the smallest distance between their
    rows; `complete`, the largest; `average`, the mean over all such pairs; `centroid`, the distance of the centers;
    `group`, the mean distance over all pairs of rows within the merged cluster; `ward`, the increase of the sum of
    squared distances of rows to the centers of their clusters (scipy's ward is sqrt(2 * height)).

    Notes
    -----
    Equal rows are merged first, at height 0; a row of weight 2 is the same as two rows. Of equally close pairs the one
    with the lowest row comes first. Centroid heights may turn back below earlier ones. Single, ward and centroid
    linkage need no more memory than the rows, the others the distances of all pairs; for sparse rows such as texts,
    all linkages use the distances of all pairs where `memory` allows it, which takes far less time.

    References
    ----------
    F. Murtagh, A survey of recent advances in hierarchical clustering algorithms. Computer Journal 26 (1983).
    D. Muellner, Modern hierarchical, agglomerative clustering algorithms. arXiv:1109.2378 (2011).

    Examples
    --------
    >>> table = Table.of({"x": [0.0, 1.0, 3.0, 7.0]})
    >>> model = Agglomerative(linkage="average", n_clusters=2, scale="none").train(table)
    >>> model.merges.heights.round(3).tolist(), model.labels.tolist()
    ([1.0, 2.5, 5.667], [0, 0, 0, 1])
    """

    order_matters: ClassVar[bool] = True  # of equally close pairs the one with the lowest row comes first
    shows_work: ClassVar[bool] = True

    linkage: str = choice("ward", "how the distance of two clusters is measured", *LINKAGES)
    n_clusters: int | None = integer(None, "number of clusters to cut the tree into", low=1, none=True)
    height: float | None = real(None, "height at which the tree is cut: merges above it are not made", low=0, none=True)
    cut: str = choice(
        "gap", "where to cut if n_clusters and height are not given: before the largest jump of the heights", "gap"
    )
    distance: str = choice(
        EUCLID, "the distance between two rows; precomputed: a square matrix of distances is given", *DISTANCES
    )
    memory: Any = size("memory for the distances of all pairs; by default half of the free memory")

    def check_params(self) -> None:
        """Raise an error if parameters are out of range or incompatible."""
        super().check_params()
        if self.n_clusters is not None and self.height is not None:
            raise UsageError(
                f"n_clusters={self.n_clusters} and height={self.height} "
                "both specify where to cut; give only one of them"
            )
        if self.distance == CITY and self.linkage in CENTERED:
            raise UsageError(
                f"linkage={self.linkage!r} uses centers, which need distance='euclidean'; with distance='cityblock' "
                "use single, complete, average or group"
            )

    def learn(self, table: Table) -> Model:
        """Return the tree of a prepared table, cut into clusters."""
        points, merges, notes = self._merges(table)
        distinct = merges.rows - int(np.count_nonzero(merges.tops == 0))
        codes = self._cut(merges, distinct)
        if self.n_clusters is not None:
            notes += fewer_clusters(self.n_clusters, distinct)
        weights, k = table.row_weights, int(codes.max()) + 1
        sizes = np.bincount(codes, weights, k).astype(np.float64)
        centers = np.zeros((k, 0)) if points is None else _centers(points, codes, sizes)
        order = order_by_size(sizes, np.arange(k, dtype=np.float64)[:, None])  # of equal size the lowest row first
        labels = np.argsort(order)[codes].astype(np.int32)
        schema = cluster_schema(table.schema, k)
        spaces = {} if points is None else dict(points.space.design.term_spaces)
        profile = Profile.of(table, labels, k, spaces).with_schema(schema)
        space = None if points is None else points.space.with_schema(schema)
        users = centers if space is None else space.users(centers[order])
        model = Dendrogram(schema, profile, self.linkage, self.distance, merges, labels, weights, space, users)
        if space is not None:
            model = replace(model, elsewhere=float(weights[model.assign_clusters(table) != labels].sum()))
        return model.replace_about(About(notes=tuple(notes)))

    def _merges(self, table: Table) -> tuple[ClusterPoints | None, Merges, list[str]]:
        memory = half_of_memory() if self.memory is None else to_amount("size", self.memory)
        assert memory is not None
        if self.distance == GIVEN:
            return None, link_distances(_read_distances(table), table.row_weights, self.linkage, memory), []
        points = self.points(table)
        return points, *link_points(points, self.linkage, self.distance, memory)

    def _cut(self, merges: Merges, distinct: int) -> Codes:
        if self.height is not None:
            return merges.labels_at_height(float(self.height))
        return merges.labels_for_k(merges.gap() if self.n_clusters is None else min(int(self.n_clusters), distinct))

    def _labels(self, model: ClassModel, table: Table) -> Codes:
        """Return the clusters that the rows were merged into; rows of weight 0 are assigned like new rows."""
        assert isinstance(model, Dendrogram)
        used = np.flatnonzero(table.row_weights > 0)
        if len(used) == table.n_rows == len(model.labels):
            return model.labels
        labels = model.decide(table)
        if len(used) == len(model.labels):
            labels[used] = model.labels
        return labels

    def _work(self, table: Table) -> str:
        """Return every merge as text."""
        _, merges, _ = self._merges(table)
        steps = zip(merges.first.tolist(), merges.second.tolist(), merges.heights.tolist(), strict=True)
        sizes, (left, right) = merges.sizes, merges.parts

        def cluster(row: int, made: int) -> str:
            return f"row {row + 1}" if made < 0 else f"the {sizes[made]} rows with row {row + 1}"

        lines = [
            f"{number + 1}. {cluster(a, int(left[number]))} and {cluster(b, int(right[number]))} at height {height:.6g}"
            for number, (a, b, height) in enumerate(steps)
        ]
        return "\n".join(lines) or "a single row: nothing to merge"


def _read_distances(table: Table) -> Numbers:
    """Return the distances that a table holds."""
    schema = table.schema
    others = [
        schema.names[position] for position in schema.predictors if schema.columns[position].kind is not Kind.NUMERIC
    ]
    if others:
        raise DataError(f"distance='precomputed' needs numbers, but column {others[0]!r} is not numeric")
    columns = [table.numbers(position) for position in schema.predictors]
    return np.column_stack(columns) if columns else np.zeros((table.n_rows, 0))


def _centers(points: ClusterPoints, codes: Codes, sizes: Numbers) -> Numbers:
    """Return the mean of the rows of each cluster, as points."""
    from scipy.sparse import csr_array

    chosen = csr_array((points.weights, (codes, np.arange(len(codes)))), shape=(len(sizes), len(codes)))
    sums = chosen @ points.matrix
    sums = sums if isinstance(sums, np.ndarray) else sums.toarray()
    return np.asarray(sums / sizes[:, None])
