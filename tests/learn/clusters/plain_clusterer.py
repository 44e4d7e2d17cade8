"""A clusterer for tests: seeds far apart, then Lloyd's steps, in a few lines of NumPy."""

from dataclasses import dataclass

import numpy as np
import pytest

from hedgerow.learn import registry
from hedgerow.learn.clusters.point_clusterer import PointClusterer, fewer_clusters
from hedgerow.learn.params import integer
from hedgerow.models.base.checked_parts import expect_parts, numbers_part
from hedgerow.models.base.kinds import register_model
from hedgerow.models.base.model import About
from hedgerow.models.base.point_space import PointSpace
from hedgerow.models.clusters.cluster_model import ClusterModel, cluster_schema, order_by_size, read_profile
from hedgerow.models.clusters.profile import Profile


@register_model
@dataclass(frozen=True, eq=False)
class PlainCenters(ClusterModel):
    space: PointSpace
    centers: np.ndarray

    kind = "plain_centers"

    def assign_clusters(self, table):
        return nearest(self.space.points(table), self.centers)

    def describe(self):
        return [f"{len(self)} plain clusters"]

    def to_dict(self):
        return {"profile": self.profile.to_dict(), "space": self.space.to_dict(), "centers": self.centers}

    @classmethod
    def from_dict(cls, parts, schema, about):
        expect_parts(parts, "profile", "space", "centers")
        profile, space = read_profile(parts, schema), PointSpace.from_dict(parts["space"], schema)
        centers = numbers_part(parts, "centers", len(schema.target_column.levels), space.width)
        return cls(schema, profile, space, centers, about=about)


class PlainClusterer(PointClusterer):
    """Clusters by seeds that are far apart."""

    k: int = integer(3, "number of clusters", low=1)

    def learn(self, table):
        points = self.points(table).distinct()
        rows = points.matrix if not points.is_sparse else points.matrix.toarray()
        k = min(self.k, len(points))
        mean = points.weights @ rows / points.weights.sum()
        seeds = [int(np.square(rows - mean).sum(axis=1).round(9).argmax())]
        while len(seeds) < k:
            seeds.append(int(distances(rows, rows[seeds]).min(axis=1).round(9).argmax()))
        centers = rows[seeds]
        for _ in range(100):
            codes = nearest(rows, centers)
            shares = np.zeros((k, len(rows)))
            shares[codes, np.arange(len(rows))] = points.weights
            centers = (shares / np.maximum(shares.sum(axis=1), 1e-300)[:, None]) @ rows
        order = order_by_size(shares.sum(axis=1), centers)
        centers, schema = centers[order], cluster_schema(table.schema, k)
        codes = nearest(points.matrix, centers)[points.places]
        profile = Profile.of(table, codes, k, dict(points.space.design.term_spaces)).with_schema(schema)
        about = About(notes=tuple(fewer_clusters(self.k, len(points))))
        return PlainCenters(schema, profile, points.space.with_schema(schema), centers, about=about)


def distances(rows, centers):
    return np.square(rows[:, None, :] - centers).sum(axis=2)


def nearest(matrix, centers):
    rows = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    return distances(rows, centers).round(9).argmin(axis=1).astype(np.int32)


@pytest.fixture
def registered(monkeypatch):
    """Make the clusterer known by name as long as a test lasts."""
    monkeypatch.setitem(registry.HOMES, "PlainClusterer", __name__)
