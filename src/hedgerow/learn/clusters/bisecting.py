"""Bisecting k-means: clusters are split repeatedly by k-means with two centers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hedgerow.data.table.table import Numbers, Rows, Table
from hedgerow.errors import UsageError
from hedgerow.learn.clusters.centers_model import CenterAttributes, centers_model
from hedgerow.learn.clusters.code_length import CodeLength, entropy
from hedgerow.learn.clusters.lloyd import Clustering, lloyd
from hedgerow.learn.clusters.point_clusterer import fewer_clusters
from hedgerow.learn.clusters.points import ClusterPoints
from hedgerow.learn.clusters.seeds import PLUS, SEEDS, choose_seeds
from hedgerow.learn.params import choice, integer, real, seed
from hedgerow.learn.point_hash import point_hashes
from hedgerow.learn.sampling import seed_number
from hedgerow.models.clusters.bisections import Bisection
from hedgerow.models.clusters.centers import Centers


@dataclass(eq=False)
class BisectionNode:
    """Some points, and the two clusters into which they were split."""

    rows: Rows
    center: Numbers
    squares: float
    bits: float = 0.0
    after: float = 0.0  # the bits of both halves
    halves: tuple[BisectionNode, BisectionNode] | None = None


class BisectingKMeans(CenterAttributes):
    r"""Bisecting k-means: clusters are split in two by k-means as long as the description gets shorter.

    With `n_clusters`, the cluster with the largest sum of squared distances is split until there are `n_clusters`
    clusters. Without it, the number of clusters comes from the data: a cluster is split if its rows can be coded in
    fewer bits as two clusters than as one (minimum description length). The splits form a tree, which is printed, and
    which new rows descend.

    Notes
    -----
    Bits unsplit: those of the center, and of each row relative to it; split: those of both clusters, and of the
    assignment of each row. Numbers are coded in steps of `precision` times their range; docs/clusters.md has the
    formulas.

    References
    ----------
    M. Steinbach, G. Karypis, V. Kumar, A comparison of document clustering techniques. KDD workshop (2000).
    J. Rissanen, Modeling by shortest data description. Automatica 14 (1978).

    Examples
    --------
    >>> table = Table.of({"x": [0.0, 9, 4, 8, 2, 6, 1, 90, 99, 94, 98, 92, 96, 91]})
    >>> print("\n".join(BisectingKMeans().train(table).describe()))
    2 clusters; sum of squared distances of rows to their centers: 0.0149839, 0.515 % of those for a single cluster
    <BLANKLINE>
    14 rows, sum of squares 2.90755: 119.117 bits unsplit, 93.3099 split
      cluster 1: 7 rows, sum of squares 0.00749195
      cluster 2: 7 rows, sum of squares 0.00749195
    """

    n_clusters: int | None = integer(
        None, "number of clusters; none: the number with the shortest code length", low=1, none=True
    )
    precision: float = real(
        0.01, "precision of numbers in the code, as a share of the range of their column", above=0, high=1
    )
    most: int = integer(100, "maximum number of clusters if n_clusters is none", low=1)
    init: str = choice(PLUS, "how the two initial centers are chosen", *SEEDS)
    n_init: int = integer(5, "number of starts of each bisection, of which the best is used", low=1)
    max_iter: int = integer(300, "maximum number of passes of each bisection", low=1)
    random_state: Any = seed()

    name: ClassVar[str] = "bisecting_kmeans"

    def learn(self, table: Table) -> Centers:
        """Return the clusters of a prepared table."""
        points = self.points(table).distinct()
        every = np.arange(len(points))
        code = None if self.n_clusters is not None else CodeLength.of(points, float(self.precision))
        root = self._node(points, every, code)
        leaves = (
            self._bisect_by_code_length(points, root, code)
            if code is not None
            else self._bisect_by_squares(points, root)
        )
        notes = [] if self.n_clusters is None else fewer_clusters(int(self.n_clusters), len(points))
        if code is not None and len(leaves) >= self.most:
            notes = [f"bisection ended at most={self.most} clusters; more may give a shorter code"]
        return centers_model(table, points, _make_clustering(points, leaves), notes, _halvings(root, leaves))

    def plan(self, schema: Any) -> Any:  # noqa: ARG002
        """Raise an error: streams are not supported."""
        raise UsageError("bisecting k-means needs all rows at once; read them into a table, or use KMeans")

    def _node(self, points: ClusterPoints, rows: Rows, code: CodeLength | None) -> BisectionNode:
        one = points.matrix[rows[:1]]
        start = one if isinstance(one, np.ndarray) else one.toarray()
        clustering = lloyd(points.matrix[rows], points.weights[rows], start, passes=1)
        bits = 0.0 if code is None else code.bits(points.matrix[rows], points.weights[rows])
        return BisectionNode(rows, clustering.centers[0], clustering.total, bits)

    def _halve(self, points: ClusterPoints, node: BisectionNode, code: CodeLength | None) -> bool:
        """Split a node in two; return whether that was possible."""
        if len(node.rows) < 2:
            return False
        matrix, weights = points.matrix[node.rows], points.weights[node.rows]
        # The draws depend on the node's points only, whichever nodes were split before.
        own = int(np.bitwise_xor.reduce(point_hashes(matrix)))
        chances = np.random.SeedSequence([seed_number(self.random_state), own]).spawn(int(self.n_init))
        best: Clustering | None = None
        for chance in chances if len(node.rows) > 2 else chances[:1]:
            centers = choose_seeds(matrix, weights, 2, self.init, np.random.default_rng(chance))
            clustering = lloyd(matrix, weights, centers, int(self.max_iter))
            best = clustering if best is None or clustering.total < best.total else best
        assert best is not None
        if not (best.sizes > 0).all():
            return False
        first, second = (self._node(points, node.rows[best.labels == side], code) for side in (0, 1))
        node.halves = first, second
        shares = best.sizes / best.sizes.sum()
        node.after = first.bits + second.bits + float(weights.sum()) * entropy(shares)
        return True

    def _bisect_by_squares(self, points: ClusterPoints, root: BisectionNode) -> list[BisectionNode]:
        """Split the cluster with the largest sum of squares until there are k; ties go to the first."""
        leaves, whole = [root], set[int]()
        while len(leaves) < int(self.n_clusters or 1):
            open_ = [at for at, node in enumerate(leaves) if id(node) not in whole and node.squares > 0]
            if not open_:
                break
            at = max(open_, key=lambda one: (leaves[one].squares, -one))
            node = leaves[at]
            if self._halve(points, node, None):
                assert node.halves is not None
                leaves[at : at + 1] = node.halves
            else:
                whole.add(id(node))
        return leaves

    def _bisect_by_code_length(
        self, points: ClusterPoints, root: BisectionNode, code: CodeLength
    ) -> list[BisectionNode]:
        """Split clusters as long as that saves bits."""
        leaves: list[BisectionNode] = []
        waiting = [root]
        while waiting:
            node = waiting.pop(0)
            room = len(leaves) + len(waiting) + 1 < int(self.most)
            if room and self._halve(points, node, code) and node.after < node.bits:
                assert node.halves is not None
                waiting += node.halves
            else:
                node.halves = None
                leaves.append(node)
        return leaves


def _make_clustering(points: ClusterPoints, leaves: list[BisectionNode]) -> Clustering:
    labels = np.empty(len(points), dtype=np.int32)
    for number, node in enumerate(leaves):
        labels[node.rows] = number
    centers = np.array([node.center for node in leaves])
    sizes = np.bincount(labels, points.weights, len(leaves)).astype(np.float64)
    return Clustering(centers, labels, sizes, np.array([node.squares for node in leaves]), 1, True)


def _halvings(root: BisectionNode, leaves: list[BisectionNode]) -> tuple[Bisection, ...]:
    """Return the tree, children before parents."""
    numbers = {id(node): number for number, node in enumerate(leaves)}
    inner: list[BisectionNode] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.halves is not None:
            inner.append(node)
            waiting += node.halves
    out: list[Bisection] = []
    for node in reversed(inner):
        assert node.halves is not None
        left, right = (numbers[id(half)] for half in node.halves)
        out.append(Bisection(left, right, node.squares, node.bits, node.after))
        numbers[id(node)] = len(leaves) + len(out) - 1
    return tuple(out)
