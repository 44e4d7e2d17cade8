"""The common part of k-means variants: the model of clustered points, and scikit-learn's names for its parts."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow._kernels import compute_number_statistics
from hedgerow.data.design.design import Design
from hedgerow.data.table.schema import Column
from hedgerow.data.table.table import Numbers, Table
from hedgerow.data.table.threads import map_in_order
from hedgerow.learn.attributes.feature_columns import FeatureColumns
from hedgerow.learn.clusters.lloyd import Clustering
from hedgerow.learn.clusters.point_clusterer import PointClusterer
from hedgerow.learn.clusters.points import ClusterPoints
from hedgerow.learn.set_output import set_transform_output, wrap_transform
from hedgerow.models.base.model import About
from hedgerow.models.clusters.bisections import Bisection
from hedgerow.models.clusters.centers import Centers
from hedgerow.models.clusters.cluster_model import cluster_schema, order_by_size
from hedgerow.models.clusters.nearest_centers import nearest_centers
from hedgerow.models.clusters.profile import Profile


class CenterAttributes(FeatureColumns, PointClusterer):
    """Clusterers whose model is centers, under the names that scikit-learn gives them."""

    def _design(self) -> Design:
        return self._centers_model().space.design

    def _centers_model(self) -> Centers:
        self._check_fitted()
        assert isinstance(self.model_, Centers)
        return self.model_

    @property
    def cluster_centers_(self) -> Numbers:
        """The centers on the user's scale, one column per feature: means of numbers, shares of levels.

        A constant feature has its only number in all centers, one text per column for the mean weight of each term.
        """
        centers: Numbers = self._to_feature_columns(self._fitted_centers("cluster_centers_").centers, constants=True)
        return centers

    @property
    def inertia_(self) -> float:
        """The sum of the squared distances of rows to their centers, in the scale given by `scale`."""
        return self._fitted_centers("inertia_").total

    @property
    def n_iter_(self) -> int:
        """The number of passes."""
        return self._fitted_centers("n_iter_").passes

    def _fitted_centers(self, name: str) -> Centers:
        if not hasattr(self, "model_"):
            raise AttributeError(f"{type(self).__name__} has no {name} before it is fitted")
        return self._centers_model()

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: a clusterer that also transforms."""
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags()
        return tags

    @wrap_transform
    def transform(self, X: Any) -> Numbers:
        """Return the distance of every row to every center, one column per cluster; see `distances`."""
        return self.distances(X)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit, then return the distance of every row to every center."""
        return self.fit(X, y, sample_weight).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """Return the names of the columns of `transform`: the name of the learner and the number of the cluster."""
        return np.array([f"{self.name}{k}" for k in range(len(self._centers_model().points))], dtype=object)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose the output of `transform`: a "pandas" or "polars" frame, or "default"."""
        if transform is not None:
            set_transform_output(self, transform)
        return self

    def _nominal_out(self) -> dict[str, Column]:
        """Return the nominal columns of `transform`: none."""
        return {}

    def distances(self, X: Any) -> Numbers:
        """Return the distance of every row to every center, in the scale given by `scale`."""
        model = self._centers_model()
        points = model.space.points(self._prediction_table(X))
        squares = [nearest_centers(points, center[None, :])[1] for center in model.points]
        return np.sqrt(np.column_stack(squares))


def shift_limit(matrix: Any, weights: Numbers, tolerance: float) -> float:
    """Return the tolerance as a sum of squared moves of the centers: a multiple of the mean variance."""
    places = matrix.shape[1]
    if not tolerance or not places:
        return 0.0
    if isinstance(matrix, np.ndarray):
        figures = map_in_order(
            lambda place: compute_number_statistics(np.ascontiguousarray(matrix[:, place]), weights), range(places)
        )
        variances = np.array([one[3] / one[0] for one in figures])
    else:
        total = weights.sum()
        mean = np.asarray(weights @ matrix).ravel() / total
        squares = np.asarray(weights @ matrix.multiply(matrix).tocsr()).ravel()
        variances = np.maximum(squares / total - mean**2, 0.0)
    return tolerance * float(variances.mean())


def centers_model(
    table: Table, points: ClusterPoints, clustering: Clustering, notes: list[str], halvings: tuple[Bisection, ...] = ()
) -> Centers:
    """Return the model of clusters that were found among the points of a table, the largest first."""
    order = order_by_size(clustering.sizes, clustering.centers)
    clustering = clustering.reorder(order)
    k = len(order)
    place = np.empty(k, dtype=np.int64)
    place[order] = np.arange(k)
    halvings = tuple(_renumber_bisection(one, place, k) for one in halvings)
    schema = cluster_schema(table.schema, k)
    codes = clustering.labels[points.places]
    profile = Profile.of(table, codes, k, dict(points.space.design.term_spaces)).with_schema(schema)
    if clustering.n_refilled:
        once = "once, a cluster" if clustering.n_refilled == 1 else f"{clustering.n_refilled} times, a cluster"
        notes = [*notes, f"{once} lost all its rows, and was restarted at the row farthest from its center"]
    model = Centers(
        schema,
        profile,
        points.space.with_schema(schema),
        clustering.centers,
        clustering.squares,
        clustering.passes,
        clustering.converged,
        halvings,
    )
    return model.replace_about(About(notes=tuple(notes)))


def _renumber_bisection(one: Bisection, place: Any, k: int) -> Bisection:
    left, right = (int(place[node]) if node < k else node for node in (one.left, one.right))
    return Bisection(left, right, one.squares, one.before, one.after)
