"""KNN: the class that most of the nearest rows have."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.data.decimals import number_text
from hedgerow.data.schema import Column, Kind
from hedgerow.data.table import Table
from hedgerow.data.term_space import IDFS, TermSpace
from hedgerow.data.term_vectors import TFS
from hedgerow.learn.classifier import Classifier
from hedgerow.learn.params import choice, integer
from hedgerow.learn.text.text_learner import TextLearner
from hedgerow.models.kept_columns import KeptColumn, KeptLevels, KeptNumbers, KeptTexts
from hedgerow.models.model import About, Model
from hedgerow.models.neighbors import MOST_VOTES, VOTES, Neighbors


class KNN(Classifier, TextLearner):
    """The k nearest rows vote; texts are compared by cosine, numbers by their difference, levels as equal or not.

    The squared distance of two rows is a sum over the columns: of numbers, brought to the range 0 to 1, the squared
    difference; of levels 0 or 1; of texts 1 - cosine of their tf-idf vectors; 1 where a value is missing. Rows as near
    as the last of the k share what is left of the k votes, so that the order of rows does not matter.

    Notes
    -----
    A row of weight 2 counts as two of the k rows, as if it were there twice. Of classes with equally many votes the one
    wins whose neighbors are nearer, then the first. Texts are found by an inverted index, with exact bounds.

    References
    ----------
    T. M. Cover and P. E. Hart, Nearest neighbor pattern classification. IEEE Trans. Information Theory 13 (1967).

    Examples
    --------
    >>> from hedgerow.data.table import Text
    >>> texts = Text.of(["hockey goal hockey", "goal team", "orbit rocket orbit team"])
    >>> topics = Table.of({"topic": ["sport", "sport", "space"]}, "topic")
    >>> model = KNN(k=1).train(topics.with_column(Column("text", Kind.TEXT), texts))
    >>> new = Table.of({"text": ["rocket team"]})
    >>> model.predict(new).tolist(), model.neighbors(new, 3).rows.tolist()
    (['space'], [[2, 1, 0]])
    """

    k: int = integer(5, "how many of the nearest rows vote", low=1)
    weights: str = choice("plain", "what a vote counts: 1, 1 / distance, or the similarity", *VOTES)
    tf: str = choice("log", "what a term of a text counts", *TFS)
    idf: str = choice("plain", "how rare terms are stressed", *IDFS)
    norm: str = choice("l2", "how texts are brought to one length: by cosine only so", "l2")

    def learn(self, table: Table) -> Model:
        """Return the rows as they are compared."""
        schema = table.schema
        predictors = set(schema.predictors)
        columns = tuple(
            self._kept(table, position, column) if position in predictors else None
            for position, column in enumerate(schema.columns)
        )
        labels = table.codes(schema.index(schema.target_column.name))
        weights = None if table.weights is None or (table.weights == 1).all() else table.weights
        notes = []
        if table.total_weight < self.k:
            rows = number_text(table.total_weight)
            notes = [f"k={self.k} is more than the weight of all rows, {rows}: all of them vote, whatever is asked"]
        model = Neighbors(schema, min(int(self.k), MOST_VOTES), self.weights, labels, weights, columns)
        return model.with_about(About(notes=tuple(notes)))

    def kneighbors(self, X: Any, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Return the distances and the numbers of the nearest rows, as scikit-learn's `kneighbors` does.

        Of equally near rows the first come first. `model_.neighbors` tells similarities too.
        """
        near = self._neighbors_model().neighbors(self._enter_predict(X), n_neighbors)
        rows = near.rows.astype(np.int64)
        return (near.distance, rows) if return_distance else rows

    def _neighbors_model(self) -> Neighbors:
        self._check_fitted()
        assert isinstance(self.model_, Neighbors)
        return self.model_

    def _kept(self, table: Table, position: int, column: Column) -> KeptColumn | None:
        """Return a column as it is compared; None if it has a single value, which tells nothing."""
        if column.kind is Kind.NUMERIC:
            values = table.numbers(position)
            known = values[~np.isnan(values)]
            return KeptNumbers(values) if len(known) and (known != known[0]).any() else None
        if column.kind is Kind.NOMINAL:
            codes = table.codes(position)
            present = codes[codes >= 0]
            return KeptLevels(codes) if len(present) and (present != present[0]).any() else None
        texts, how = table.texts(position), (self.tokens(), self.limits(), self.weighting())
        space, vectors = TermSpace.learn(texts, *how, table.weights)
        return KeptTexts(space, vectors) if vectors.values.any() else None
