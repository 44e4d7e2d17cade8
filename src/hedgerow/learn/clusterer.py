"""Clusterer: learners that find groups."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.learn import door
from hedgerow.learn.base import Learner
from hedgerow.models.model import ClassModel


class Clusterer(Learner):
    """Learners that find groups; the model's classes are the clusters."""

    estimator_type = "clusterer"

    labels_: NDArray[np.int32]
    model_: ClassModel

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Find the clusters of a table; `y` is not used."""
        entered = self._enter(X)
        table = entered.table.with_target(None)
        weights = door.row_weights(sample_weight, table.n_rows)
        table = table if weights is None else table.with_weights(weights)
        model = self.train(table)
        assert isinstance(model, ClassModel)
        self.model_ = model
        self._remember(table.schema, entered.names)
        self.labels_ = model.decide(table)
        return self

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Return the number of the cluster that every row belongs to."""
        table = self._enter_predict(X)
        return self.model_.decide(table)

    def fit_predict(self, X: Any, y: Any = None) -> NDArray[np.int32]:
        """Fit, then return the cluster of every row."""
        return self.fit(X, y).labels_
