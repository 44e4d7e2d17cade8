"""Centers: clusters defined by their centers; a row belongs to the nearest one.

Clusters that came about by halving also keep the halvings (`Bisection`): a row then goes down them, each time to the
nearer of the two centers, so that it arrives where rows like it did in learning.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.errors import ModelError
from hedgerow.layout.numbers import format_number
from hedgerow.layout.rounding import round_digits
from hedgerow.models.base.checked_parts import expect_parts, restore_sparse, sparsify, weights_part
from hedgerow.models.base.model import About
from hedgerow.models.base.point_space import PointSpace
from hedgerow.models.clusters.bisections import Bisection, halving_lines, halvings_parts, read_halvings
from hedgerow.models.clusters.cluster_model import ClusterModel, cluster_count, read_profile
from hedgerow.models.clusters.nearest_centers import nearest_centers
from hedgerow.models.clusters.profile_text import share_text

FARTHEST, HEAVIEST = 1e150, 1e100  # a coordinate of a center, and the weight of all rows: means of them are numbers
PARTS = ("profile", "space", "points", "squares", "passes", "settled", "halvings")


@dataclass(frozen=True, eq=False)
class Centers(ClusterModel):
    """Centers of clusters as points of a space, and the sum of the squared distances of each cluster's rows."""

    space: PointSpace
    points: Numbers = field(repr=False)  # (clusters, positions)
    squares: Numbers  # of each cluster
    passes: int = 1
    settled: bool = True
    halvings: tuple[Bisection, ...] = ()  # none, or one fewer than clusters; see models/clusters/bisections.py

    kind: ClassVar[str] = "centers"

    @cached_property
    def centers(self) -> Numbers:
        """The centers on the user's scale: the mean of numbers, the share of each level, the mean weight of terms."""
        return self.space.users(self.points)

    @property
    def total(self) -> float:
        """The sum of the squared distances of all rows to their centers, in the space: the objective of k-means."""
        return float(self.squares.sum())

    @property
    def spread(self) -> float:
        """The same, if there were one center only."""
        sizes = self.profile.sizes
        middle = sizes @ self.points / sizes.sum()
        with np.errstate(over="ignore"):  # infinite where the squares add up to more than all numbers
            return self.total + float(sizes @ ((self.points - middle) ** 2).sum(axis=1))

    def columns_used(self) -> tuple[str, ...]:
        """Return the columns that are not constant."""
        return tuple(self.schema.names[position] for position, _ in self.space.design.used_blocks)

    def assign_clusters(self, table: Table) -> Codes:
        """Return the cluster of every row: that of the nearest center, the first of equally near ones."""
        points = self.space.points(table)
        if not self.halvings:
            return nearest_centers(points, self.points)[0]
        middles = self._middles
        out = np.zeros(table.n_rows, dtype=np.int32)
        waiting = [(len(middles) - 1, np.arange(table.n_rows))]
        while waiting:
            node, rows = waiting.pop()
            if node < len(self):
                out[rows] = node
            elif len(rows):
                one = self.halvings[node - len(self)]
                sides = nearest_centers(points[rows], middles[[one.left, one.right]])[0]
                waiting += [(one.left, rows[sides == 0]), (one.right, rows[sides == 1])]
        return out

    @cached_property
    def _middles(self) -> Numbers:
        """The center of every cluster, and then of every node that is split."""
        sizes, middles = list(self.profile.sizes), list(self.points)
        for one in self.halvings:
            weight = sizes[one.left] + sizes[one.right]
            middles.append((sizes[one.left] * middles[one.left] + sizes[one.right] * middles[one.right]) / weight)
            sizes.append(weight)
        return np.array(middles).reshape(len(middles), self.space.width)

    def describe(self) -> list[str]:
        """Return how many clusters there are, how near their rows lie, and the tree of halvings."""
        k, spread = len(self), self.spread
        share = f", {share_text(self.total / spread)} of those for a single cluster" if k > 1 and spread > 0 else ""
        total = format_number(round_digits(self.total))
        lines = [f"{k} cluster{'s' * (k != 1)}; sum of squared distances of rows to their centers: {total}{share}"]
        if not self.settled:
            lines.append(f"not converged after {self.passes} passes: rows still change their clusters")
        if self.halvings:
            lines += ["", *halving_lines(self.halvings, self.profile.sizes, self.squares)]
        return lines

    # -- files ----------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the model's parts."""
        return {
            "profile": self.profile.to_dict(),
            "space": self.space.to_dict(),
            "points": sparsify(self.points),
            "squares": self.squares,
            "passes": self.passes,
            "settled": self.settled,
            "halvings": halvings_parts(self.halvings),
        }

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Return the model with these parts; inconsistent parts raise an error."""
        expect_parts(parts, *PARTS)
        profile, k = read_profile(parts, schema), cluster_count(schema)
        space = PointSpace.from_dict(parts["space"], schema)
        points = restore_sparse(parts, "points", k, space.width)
        squares = weights_part(parts, "squares", k)
        passes, settled = parts["passes"], parts["settled"]
        if not isinstance(passes, int) or isinstance(passes, bool) or passes < 0 or not isinstance(settled, bool):
            raise ModelError("its parts 'passes' and 'settled' must be a number and true or false")
        if not (profile.sizes > 0).all():
            raise ModelError("a cluster of its part 'profile' has no rows")
        if (np.abs(points) > FARTHEST).any() or profile.sizes.sum() > HEAVIEST:
            raise ModelError("its clusters are too far apart, or their weights too large, to compare")
        return cls(
            schema, profile, space, points, squares, passes, settled, read_halvings(parts["halvings"], k), about=about
        )
