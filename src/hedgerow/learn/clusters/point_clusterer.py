"""PointClusterer: the base of clusterers that use distances between points."""

from __future__ import annotations

from hedgerow.data.design.design_counts import EVERY, DesignOptions
from hedgerow.data.table.table import Table
from hedgerow.data.text.term_space import IDFS
from hedgerow.data.text.term_vectors import NORMS, TFS
from hedgerow.learn.clusterer import Clusterer
from hedgerow.learn.clusters.points import DEVIATION, NONE, RANGE, ClusterPoints, make_points
from hedgerow.learn.params import choice
from hedgerow.learn.text.text_learner import TextLearner


class PointClusterer(Clusterer, TextLearner):
    """Clusterers that use distances between rows, which are points in a Space (models/base/point_space.py)."""

    scale: str = choice(
        RANGE,
        "divide numbers by the range or the standard deviation of their column, or leave them unscaled",
        RANGE,
        DEVIATION,
        NONE,
    )
    tf: str = choice("log", "term frequency weighting in a text", *TFS)
    idf: str = choice("smooth", "inverse document frequency weighting", *IDFS)
    norm: str = choice("l2", "normalization of texts", *NORMS)

    def options(self) -> DesignOptions:
        """Return how columns are encoded."""
        return DesignOptions(EVERY, self.tokens(), self.limits(), self.weighting())

    def points(self, table: Table) -> ClusterPoints:
        """Return the rows of a prepared table as points, in the table's order."""
        return make_points(table, self.scale, self.options())


def fewer_clusters(requested: int, distinct: int) -> list[str]:
    """Return the note if more clusters than distinct rows are requested; there is then one per distinct row."""
    if requested <= distinct:
        return []
    rows = f"are only {distinct} different rows" if distinct > 1 else "is only one row, or all are the same"
    text = f"there {rows}: {distinct} cluster{'s' * (distinct != 1)} instead of {requested}"
    return [text]
