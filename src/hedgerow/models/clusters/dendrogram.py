"""Dendrogram: clusters that were merged two by two, the height of every merge, and where the tree is cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from hedgerow.data.design.blocks import NumberBlock
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.errors import DataError, ModelError
from hedgerow.models.base.checked_parts import array_part, codes_part, expect_parts, numbers_part, weights_part
from hedgerow.models.base.model import About
from hedgerow.models.base.point_space import PointSpace
from hedgerow.models.clusters.cluster_model import ClusterModel, cluster_count, read_profile
from hedgerow.models.clusters.dendrogram_text import SHOWN, dendrogram_lines
from hedgerow.models.clusters.merges import Merges
from hedgerow.models.clusters.nearest_centers import NEAR, nearest_centers
from hedgerow.models.clusters.profile_text import rows_text

LINKAGES = ("single", "complete", "average", "centroid", "group", "ward")
EUCLID, CITY, GIVEN = DISTANCES = ("euclidean", "cityblock", "precomputed")
BLOCK = 1 << 22  # differences that are held at a time


@dataclass(frozen=True, eq=False)
class Dendrogram(ClusterModel):
    """Merges of the training rows, and their clusters where the tree is cut.

    New rows are assigned to the cluster whose center, the mean of its rows, is nearest. Where distances were given, new
    rows are given by theirs to the training rows, and go to the cluster with the least mean distance to its rows, the
    least distance by single, the least largest distance by complete linkage.
    """

    linkage: str
    distance: str
    merges: Merges
    labels: Codes  # the cluster of every row learned from, by number from 0
    weights: Numbers  # of the rows learned from
    space: PointSpace | None  # None: distances were given
    centers: Numbers  # (clusters, positions) on the user's scale
    elsewhere: float = 0.0  # weight of rows learned from that would go to another cluster if they were new

    kind = "dendrogram"

    def assign_clusters(self, table: Table) -> Codes:
        """Return the cluster that every row of an aligned table would go to."""
        if self.space is None:
            return self._assign_by_distance(table)
        points = comparison_matrix(self.space, self.space.points(table), self.distance)
        centers = comparison_matrix(self.space, self.space.to_points(self.centers), self.distance)
        return _nearest_by_city_block(points, centers) if self.distance == CITY else nearest_centers(points, centers)[0]

    def _assign_by_distance(self, table: Table) -> Codes:
        values = np.column_stack([table.numbers(position) for position in self.schema.predictors])
        if np.isnan(values).any():
            raise DataError("a distance is missing: new rows need a distance to every training row")
        far = {"single": np.min, "complete": np.max}.get(self.linkage, np.mean)
        by_cluster = [far(values[:, self.labels == n], axis=1) for n in range(len(self.classes))]
        return np.asarray(np.argmin(by_cluster, axis=0), dtype=np.int32)

    # -- reading --------------------------------------------------------------------------------------------

    def describe(self) -> list[str]:
        """Return the tree and where it is cut."""
        lines = [f"{self._head()}", ""]
        if len(self.merges):
            tree, _, weights = self.leaves
            cut = f", the last {SHOWN - 1} of {len(tree)} merges" if tree.rows > SHOWN else ""
            once = "" if (weights == 1).all() else "; of equal rows only one is shown and counted"
            lines += [f"The tree{cut}, with the cluster of each row in brackets{once}:", *self.draw_text(), ""]
        return [*lines, self._rule()]

    @cached_property
    def leaves(self) -> tuple[Merges, Rows, Numbers]:
        """The merges of different rows; of each of these the first row learned from, and the weight of all like it."""
        tree, rows = self.merges.separate_duplicates()
        equal = len(self.merges) - len(tree)
        weights = self.weights.copy()
        for a, b in zip(self.merges.first[:equal].tolist(), self.merges.second[:equal].tolist(), strict=True):
            weights[a] += weights[b]
        return tree, rows, weights[rows]

    def draw_text(self, names: Sequence[str] | None = None, most: int = SHOWN) -> list[str]:
        """Return the tree as text, one line per leaf; `names` are the names of the rows."""
        if names is not None and len(names) != self.merges.rows:
            raise DataError(f"{len(names)} names were given for the leaves, but there are {self.merges.rows} rows")
        tree, rows, weights = self.leaves
        own = None if names is None else [names[row] for row in rows.tolist()]
        return dendrogram_lines(tree, weights, self.labels[rows].tolist(), own, most, roots=self.linkage == "ward")

    def _head(self) -> str:
        k, n = len(self.classes), self.merges.rows
        what = {EUCLID: "Euclidean distance", CITY: "city block distance", GIVEN: "given distances"}[self.distance]
        linkage = {"group": "group average", "ward": "Ward's"}.get(self.linkage, self.linkage)
        rows = rows_text(float(self.weights.sum()))
        head = f"{k} cluster{'s' * (k != 1)} of {rows} by {linkage} linkage, {what}"
        values, left = self.merges.heights[: n - k], self.merges.heights[n - k :]
        if len(left):
            head += f"; cut before the merge at height {left[0]:.4g}"
            head += f", after that at {values[-1]:.4g}" if len(values) and values[-1] > 0 else ""
        return head

    def _rule(self) -> str:
        if self.space is not None:
            n, rule = self.elsewhere, "New rows are assigned to the cluster with the nearest center."
            return rule + (
                f" Of the training rows, {rows_text(n)} nearer to the center of another cluster." if n else ""
            )
        how = {"single": "least", "complete": "smallest maximum"}.get(self.linkage, "smallest mean")
        return f"New rows are assigned to the cluster with the {how} distance to its rows."

    # -- files ----------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the model's own parts."""
        return {
            "profile": self.profile.to_dict(),
            "linkage": self.linkage,
            "distance": self.distance,
            "merges": self.merges.to_dict(),
            "labels": self.labels,
            "weights": self.weights,
            "space": None if self.space is None else self.space.to_dict(),
            "centers": self.centers,
            "elsewhere": self.elsewhere,
        }

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the model from its parts."""
        expect_parts(
            parts, "profile", "linkage", "distance", "merges", "labels", "space", "centers", "elsewhere", "weights"
        )
        k, profile = cluster_count(schema), read_profile(parts, schema)
        linkage, distance = parts["linkage"], parts["distance"]
        if linkage not in LINKAGES or distance not in DISTANCES:
            raise ModelError("its linkage or its distance is unknown")
        if (distance == GIVEN) != (parts["space"] is None):
            raise ModelError("a dendrogram has a space unless distances were given")
        rows = len(array_part(parts, "labels", np.int32, None))
        labels = codes_part(parts, "labels", np.int32, rows, k)
        if len(np.unique(labels)) != k:
            raise ModelError("each cluster of a dendrogram must have rows")
        merges = Merges.from_dict(parts["merges"], rows)
        space = None if distance == GIVEN else PointSpace.from_dict(parts["space"], schema)
        if space is None:
            predictors = [schema.columns[position] for position in schema.predictors]
            if len(predictors) != rows or any(column.kind is not Kind.NUMERIC for column in predictors):
                raise ModelError("given distances need a numeric column for every row")
        centers = numbers_part(parts, "centers", k, 0 if space is None else space.width)
        elsewhere = parts["elsewhere"]
        if type(elsewhere) is not float or not 0 <= elsewhere < np.inf:
            raise ModelError("its part 'elsewhere' must be the total weight of some rows")
        weights = weights_part(parts, "weights", rows)
        if not (weights > 0).all():
            raise ModelError("its part 'weights' must hold numbers above 0")
        return cls(schema, profile, linkage, distance, merges, labels, weights, space, centers, elsewhere, about=about)


def _nearest_by_city_block(points: Any, centers: Numbers) -> Codes:
    """Return the center that is nearest to each point, dense or sparse, the first of equally near ones."""
    out = np.zeros(points.shape[0], dtype=np.int32)
    if isinstance(points, np.ndarray):
        step = max(1, BLOCK // max(1, centers.size))
        for begin in range(0, len(out), step):
            apart = points[begin : begin + step, None, :] - centers[None, :, :]
            out[begin : begin + step] = np.abs(apart).sum(axis=2).argmin(axis=1)
        return out
    lengths = np.abs(centers).sum(axis=1)
    for row in range(len(out)):  # positions without an entry are as far as the center's own length
        entries = slice(points.indptr[row], points.indptr[row + 1])
        there = centers[:, points.indices[entries]]
        far = lengths + (np.abs(points.data[entries] - there) - np.abs(there)).sum(axis=1)
        out[row] = (far <= far.min() + NEAR * lengths).argmax()
    return out


def comparison_matrix(space: PointSpace, points: Any, distance: str) -> Any:
    """Return points scaled for comparison: with city block distance, two different levels are at distance 1 too."""
    if distance != CITY:
        return points
    factors = np.full(space.width, 0.5**0.5)
    for (_, part), start in zip(space.design.used_blocks, space.design.starts, strict=False):
        if isinstance(part, NumberBlock):
            factors[start] = 1.0
    return points * factors if isinstance(points, np.ndarray) else points.multiply(factors[None, :]).tocsr()
