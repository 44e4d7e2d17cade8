"""NeighborLearner: the base of nearest neighbor learners."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from hedgerow.data.design.design_counts import check_size
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.source import Source
from hedgerow.data.table.table import Numbers, Table
from hedgerow.data.text.term_space import IDFS, TermSpace
from hedgerow.data.text.term_vectors import TFS
from hedgerow.errors import UsageError
from hedgerow.layout.numbers import format_number
from hedgerow.learn.neighbors.column_weights import column_weights
from hedgerow.learn.neighbors.growing import has_texts
from hedgerow.learn.params import choice, flag, integer, mapping, seed
from hedgerow.learn.passes import Engine, InMemoryEngine
from hedgerow.learn.text.text_learner import TextLearner
from hedgerow.models.base.model import Model
from hedgerow.models.neighbors.base import MOST_VOTES, VOTES, NeighborModel, NeighborSettings
from hedgerow.models.neighbors.distance import COSINE, EUCLIDEAN, METRICS, MINMAX, NONE, SCALES, RowDistance
from hedgerow.models.neighbors.row_search import (
    ALGORITHMS,
    AUTO,
    DIRECTIONS,
    LONGEST_SIDE,
    MEDIAN,
    MOST_LEAF,
    POINTS,
    RowSearch,
)
from hedgerow.models.neighbors.stored_columns import StoredLevels, StoredNeighborColumn, StoredNumbers, StoredTexts

MOST_PLACES = 20_000  # minimum length of a vector with a direction


class NeighborLearner(TextLearner):
    """The parameters of both learners, and the stored rows."""

    n_neighbors: int | None = integer(
        5, "number of nearest rows to use; if none, chosen by leave-one-out", low=1, none=True
    )
    weights: str = choice("plain", "weight of a neighbor: 1, 1 / distance, or the similarity", *VOTES)
    metric: str = choice(
        EUCLIDEAN,
        "the distance: Euclidean, city block, number of columns that differ, or 1 - cosine",
        *METRICS,
    )
    scale: str = choice(
        MINMAX, "how numbers are scaled: by the range or the standard deviation of the column, or not", *SCALES
    )
    column_weights: Mapping[str, float] | None = mapping(
        "weights of columns, 1 if not named; 0 leaves a column out", example="age=2,city=0"
    )
    relevance: bool = flag(False, "weight columns that are not named by their information about the target")
    algorithm: str = choice(
        AUTO,
        "how neighbors are found: the fastest way, with a tree, or by brute force; the result is the same",
        *ALGORITHMS,
    )
    leaf_size: int = integer(32, "maximum number of rows in a leaf of a search tree", low=1, high=MOST_LEAF)
    direction: str = choice(LONGEST_SIDE, "how a kD-tree chooses the column that divides rows", *DIRECTIONS)
    point: str = choice(MEDIAN, "where a kD-tree divides them", *POINTS)
    tf: str = choice("log", "term frequency weighting in a text", *TFS)
    idf: str = choice("plain", "inverse document frequency weighting", *IDFS)
    norm: str = choice("l2", "normalization of texts; the metric cosine requires l2", "l2")
    random_state: Any = seed()

    def asking(self, table: Table) -> NeighborSettings:
        """Return the rows of a table as prepared for distances."""
        schema, predictors = table.schema, set(table.schema.predictors)
        counts = column_weights(self.column_weights, table, relevance=bool(self.relevance))
        columns = tuple(
            self._store_column(table, at, column) if at in predictors and counts[at] > 0 else None
            for at, column in enumerate(schema.columns)
        )
        comparison = self._comparison(columns, counts, table.row_weights)
        weights = None if table.weights is None or (table.weights == 1).all() else table.weights
        search = RowSearch(self.algorithm, int(self.leaf_size), self.direction, self.point)
        k = 1 if self.n_neighbors is None else min(int(self.n_neighbors), MOST_VOTES)
        return NeighborSettings(k, self.weights, weights, columns, comparison, search)

    def few_rows_notes(self, total: float) -> list[str]:
        """Return the note on fewer rows than neighbors."""
        if self.n_neighbors is None or total >= self.n_neighbors:
            return []
        rows = format_number(total)
        note = (
            f"n_neighbors={self.n_neighbors} is more than the total weight of all rows, "
            f"{rows}: all rows vote in every prediction"
        )
        return [note]

    def _comparison(
        self, columns: tuple[StoredNeighborColumn | None, ...], counts: Numbers, weights: Numbers
    ) -> RowDistance:
        origins, units = np.zeros(len(columns)), np.ones(len(columns))
        places = 0
        for at, one in enumerate(columns):
            if isinstance(one, StoredNumbers) and self.scale != NONE:
                low, high = one.range
                if self.scale == MINMAX:
                    half = high / 2 - low / 2
                    origins[at], units[at] = low, half if half > np.finfo(np.float64).max / 2 else high - low
                else:
                    units[at] = _deviation(one.values, weights)
            places += one.width if isinstance(one, StoredLevels) else int(one is not None)
        if self.metric == COSINE and places > MOST_PLACES:
            raise UsageError(
                f"metric='cosine' uses one dimension per level, which gives {places:,} dimensions, but at most "
                f"{MOST_PLACES:,} are supported; leave out columns of many levels with column_weights, or use another "
                "metric"
            )
        return RowDistance(self.metric, origins, units, counts)

    def _store_column(self, table: Table, position: int, column: Column) -> StoredNeighborColumn | None:
        """Return a column as prepared for distances; None if it is constant."""
        if column.kind is Kind.NUMERIC:
            values = table.numbers(position)
            known = values[~np.isnan(values)]
            check_size(known.min(initial=0.0), known.max(initial=0.0), column.name, float(np.finfo(np.float64).max))
            return StoredNumbers(values) if len(known) and (known != known[0]).any() else None
        if column.kind is Kind.NOMINAL:
            codes = table.codes(position)
            present = codes[codes >= 0]
            return StoredLevels(codes) if len(present) and (present != present[0]).any() else None
        texts, how = table.texts(position), (self.tokens(), self.limits(), self.weighting())
        space, vectors = TermSpace.learn(texts, *how, table.weights)
        return StoredTexts(space, vectors) if vectors.values.any() else None

    def _train_for_fit(self, data: Table | Source) -> Model:
        """Return the model as `train` does, but keep the rows, so that partial_fit can continue from them."""

        def count_and_train(schema: Schema, engine: Engine) -> Model:
            if not isinstance(engine, InMemoryEngine):
                return self._learn_by_passes(schema, engine)
            if not has_texts(engine.table.schema):
                self._keep_rows(engine.table)
            return self.learn(engine.table)

        return self._train_data(data, count_and_train)

    @abstractmethod
    def _keep_rows(self, table: Table) -> None:
        """Store all rows so far, which have no texts."""

    def kneighbors(self, X: Any, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Return the distances and the indices of the nearest rows, as scikit-learn's `kneighbors` does.

        Of equally near rows the first come first. `model_.neighbors` also gives similarities.
        """
        self._check_fitted()
        assert isinstance(self.model_, NeighborModel)
        near = self.model_.neighbors(self._prediction_table(X), n_neighbors)
        rows = near.rows.astype(np.int64)
        return (near.distance, rows) if return_distance else rows


def _deviation(values: Numbers, weights: Numbers) -> float:
    """Return the standard deviation of the known numbers; 1 if it is 0 or too large to tell."""
    known = ~np.isnan(values)
    shares = weights[known] / weights[known].sum()
    size = float(np.abs(values[known]).max())
    part = values[known] / (size if size > 0 else 1.0)
    deviation = size * float(np.sqrt(shares @ np.square(part - shares @ part)))
    return deviation if 0 < deviation < np.inf else 1.0
