"""k-means: each center is the mean of the rows nearest to it."""

from __future__ import annotations

from typing import Any, ClassVar, Self, cast

import numpy as np

from hedgerow.data.bags.align import align
from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Numbers, Table, concatenate
from hedgerow.data.table.threads import one_blas_thread
from hedgerow.errors import UsageError
from hedgerow.learn import inputs
from hedgerow.learn.base import width
from hedgerow.learn.classifier import extend_schema
from hedgerow.learn.clusterer import Clusterer
from hedgerow.learn.clusters.centers_model import CenterAttributes, centers_model, shift_limit
from hedgerow.learn.clusters.kmeans_work import KMeansWork
from hedgerow.learn.clusters.lloyd import WAYS, Clustering, lloyd
from hedgerow.learn.clusters.mini_batch import mini_batch
from hedgerow.learn.clusters.point_clusterer import fewer_clusters
from hedgerow.learn.clusters.points import ClusterPoints
from hedgerow.learn.clusters.seeds import PLUS, SEEDS, choose_seeds
from hedgerow.learn.params import choice, fitted_attribute, flag, integer, real, seed, start_rows
from hedgerow.learn.passes import Plan
from hedgerow.learn.row_weights import weight_unit
from hedgerow.learn.sampling import seed_number
from hedgerow.models.base.point_space import PointSpace
from hedgerow.models.clusters.centers import Centers

AUTO = "auto"
FIRST_ROWS = 256  # rows of partial_fit that are kept and clustered together
FEW_POINTS = 10_000  # points up to which several starts take little time


class KMeans(CenterAttributes):
    """k-means: each center is the mean of the rows nearest to it, which minimizes squared distances.

    Initial centers are rows drawn by k-means++ or at random, or given. Each pass assigns every row to its nearest
    center and then moves the centers to the means of their rows, until no row changes. The result is exactly that of
    Lloyd's algorithm, but most distances are never computed (bounds and a kD-tree find the nearest center).

    Notes ----- The sum of squared distances decreases with every pass, to a local minimum; the best of several starts
    is used. A cluster that loses all its rows is restarted at the row farthest from its center, with a note. Numbers
    are divided by the range of their column, two different levels are at squared distance 1, missing values lie at the
    mean, texts are tf-idf vectors. Streams are read once for the ranges, once for a sample of rows whose clusters are
    the start, and then once per pass. `batch_size` uses some rows at a time, moves centers by 1/(rows assigned so far),
    and is less precise.

    References
    ----------
    S. P. Lloyd, Least squares quantization in PCM. IEEE Transactions on Information Theory 28 (1982).
    D. Arthur, S. Vassilvitskii, k-means++: the advantages of careful seeding. SODA (2007).
    G. Hamerly, Making k-means even faster. SDM (2010).
    J. Newling, F. Fleuret, Fast k-means with accurate bounds. ICML (2016).
    T. Kanungo and others, An efficient k-means clustering algorithm. IEEE PAMI 24 (2002).
    D. Sculley, Web-scale k-means clustering. WWW (2010).

    Examples
    --------
    >>> print(KMeans(n_clusters=2).train(Table.of({"x": [1.0, 2.0, 10.0, 11.0, 12.0]})))
    2 clusters; sum of squared distances of rows to their centers: 0.0206612, 2.26 % of those for a single cluster
    <BLANKLINE>
    cluster 1: 3 rows (60 %)
      typical: x 11 ± 0.816
      differs: x higher (11; others 1.5)
    <BLANKLINE>
    cluster 2: 2 rows (40 %)
      typical: x 1.5 ± 0.5
      differs: x lower (1.5; others 11)
    """

    n_clusters: int = integer(2, "number of clusters", low=1)
    init: str = choice(PLUS, "how the initial centers are chosen: random rows, or rows far from each other", *SEEDS)
    n_init: int | None = integer(
        None,
        "number of starts, of which the best is used; if none, 10 for up to 10,000 different rows, else 1",
        low=1,
        none=True,
    )
    centers: Any = start_rows("rows to use as initial centers, instead of init; their number is n_clusters")
    max_iter: int = integer(300, "maximum number of passes over the rows", low=1)
    tol: float = real(
        0.0,
        "stop when the centers move by less than this share of the mean variance of the columns; 0: when no row "
        "changes its cluster",
        low=0,
    )
    batch_size: int | None = integer(None, "size of random mini-batches to train on", low=1, none=True)
    way: str = choice(AUTO, "how the nearest centers are found; the clusters do not depend on it", AUTO, *WAYS)
    random_state: Any = seed()
    trace: bool = flag(False, "print the work: the passes of the first start", in_python=True)

    name: ClassVar[str] = "kmeans"
    shows_work: ClassVar[bool] = True

    _first_rows: Table | None = fitted_attribute()  # of partial_fit, while there are few

    def learn(self, table: Table) -> Centers:
        """Return the clusters of a prepared table."""
        points = self.points(table)
        if self.trace:
            print(self._make_work(table, points), end="\n\n")  # set if `trace` is on
        if self.centers is None:
            points = points.distinct()
            return centers_model(table, points, *self.cluster_points(points))
        start = self.start_points(table.schema, points.space)
        clustering = self._run_start(points, start, self._chances(1)[0]).drop_empty()
        return centers_model(table, points, clustering, fewer_clusters(len(start), len(clustering.sizes)))

    def cluster_points(self, points: ClusterPoints) -> tuple[Clustering, list[str]]:
        """Return the clusters of distinct points by the best start, and notes."""
        starts = self._starts(points)
        clustering = min((self._run_start(points, *start) for start in starts), key=lambda one: one.total)
        return clustering.drop_empty(), fewer_clusters(int(self.n_clusters), len(points))

    def plan(self, schema: Schema) -> Plan:
        """Return the first pass over a stream; see above."""
        from hedgerow.learn.clusters.kmeans_passes import CountKMeansColumns

        if self.trace:
            raise UsageError("the work on a stream is not shown; leave out trace, or read the rows into a table")
        if self.batch_size is not None:
            raise UsageError("a stream is read pass by pass; leave out batch_size, or read the rows into a table")
        return CountKMeansColumns(self, schema)

    def _chances(self, n: int) -> list[np.random.Generator]:
        source = np.random.SeedSequence(seed_number(self.random_state))
        return [np.random.default_rng(own) for own in source.spawn(n)]

    def _starts(self, points: ClusterPoints) -> list[tuple[Numbers, np.random.Generator]]:
        """Return the centers of every start, with the random draws that are left for it."""
        k = min(int(self.n_clusters), len(points))
        wanted = int(self.n_init or (10 if len(points) <= FEW_POINTS else 1))
        chances = self._chances(1 if k in (1, len(points)) else wanted)
        return [(choose_seeds(points.matrix, points.weights, k, self.init, chance), chance) for chance in chances]

    def _run_start(self, points: ClusterPoints, centers: Numbers, chance: np.random.Generator) -> Clustering:
        """Return the clusters that result from one start."""
        if self.batch_size is not None and self.batch_size < len(points):
            return mini_batch(points.matrix, points.weights, centers, int(self.batch_size), int(self.max_iter), chance)
        limit = shift_limit(points.matrix, points.weights, float(self.tol))
        way = None if self.way == AUTO else self.way
        return lloyd(points.matrix, points.weights, centers, int(self.max_iter), limit, way)

    def start_points(self, schema: Schema, space: PointSpace) -> Numbers:
        """Return the given centers as points."""
        given = np.asarray(self.centers) if isinstance(self.centers, list | tuple) else self.centers
        if not inputs.is_path(given) and not getattr(given, "shape", (1,))[0]:
            raise UsageError("there are no initial centers; give at least one row, or leave out centers")
        entered = self._to_table(given, schema.names if width(given) == len(schema) else None, schema)
        if entered.names is None and not inputs.is_path(given) and len(entered.table.schema) != len(schema):
            raise UsageError(
                f"the initial centers have {len(entered.table.schema)} columns, but the data {len(schema)}; give a "
                "value for each column"
            )
        points = space.points(align(entered.table, schema).table)
        return np.ascontiguousarray(points if isinstance(points, np.ndarray) else points.toarray())

    def _work(self, table: Table) -> object:
        return self._make_work(table, self.points(table))

    def _make_work(self, table: Table, points: ClusterPoints) -> KMeansWork:
        used = points if self.centers is not None else points.distinct()
        given = self.centers is not None
        starts = [self.start_points(table.schema, used.space)] if given else [start for start, _ in self._starts(used)]
        limit = shift_limit(used.matrix, used.weights, float(self.tol))
        return KMeansWork.of(used, starts[0], int(self.max_iter), limit, len(starts))

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: D102
        self._first_rows = None
        return super().fit(X, y, sample_weight)

    fit.__doc__ = Clusterer.fit.__doc__

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from some more rows: the first 256 are clustered together, later batches move the centers.

        Up to then all rows are kept and clustered again with every batch; later batches are mini-batches.
        """
        kept = getattr(self, "_first_rows", None)
        if not hasattr(self, "model_"):
            self.fit(X, y, sample_weight)
            kept = inputs.weighted(self._prediction_table(X), sample_weight)
        elif kept is not None:
            new = inputs.weighted(self._new_rows_to_table(X), sample_weight)
            schema = extend_schema(kept.schema, new.schema, ordered=False, is_number=False)
            kept = concatenate([align(kept, schema).table, align(new, schema).table])
            self.model_ = cast("Centers", self.train(kept))
        else:
            from hedgerow.learn.clusters.mini_batch import update_centers

            assert isinstance(self.model_, Centers)
            new = inputs.weighted(self._prediction_table(X), sample_weight)
            with one_blas_thread():
                self.model_ = update_centers(self.model_, self._scale_weights(new, fresh=False))
        if kept is not None:
            self._weight_unit = weight_unit(kept)
        self._first_rows = None if kept is None or kept.n_rows >= FIRST_ROWS else kept
        self.labels_ = self.predict(X)
        return self
