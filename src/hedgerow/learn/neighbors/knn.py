"""KNN: the majority class of the nearest rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self, cast

import numpy as np

from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Codes, Table
from hedgerow.learn.classifier import CountingClassifier, extend_schema
from hedgerow.learn.neighbors.growing import check_no_texts, join_tables, reuse_trees
from hedgerow.learn.neighbors.leave_one_out import best, class_errors_by_k
from hedgerow.learn.neighbors.neighbor_learner import NeighborLearner
from hedgerow.learn.neighbors.noise_filter import EDITS, NO, REPEAT, filter_rows
from hedgerow.learn.params import choice, fitted_attribute
from hedgerow.models.base.model import About, ClassModel, Model
from hedgerow.models.neighbors.neighbors import Neighbors


class KNN(NeighborLearner, CountingClassifier):
    """The k nearest rows vote, by a distance over numbers, levels, texts and missing values.

    The squared distance of two rows is a sum over the columns: for numbers, scaled to the range 0 to 1, the squared
    difference; for levels 0 or 1; for texts 1 - cosine of their tf-idf vectors; 1 if a value is missing. Rows at the
    same distance as the last of the k share the remaining votes, so the order of rows does not matter.

    Notes
    -----
    A row of weight 2 counts as two of the k rows, as if it were repeated. Ties in votes go to the class with the nearer
    neighbors, then to the first. Neighbors are found with a kD-tree, a ball tree, matrix products or an inverted index,
    whichever is fastest: the result is the same.

    References
    ----------
    T. M. Cover and P. E. Hart, Nearest neighbor pattern classification. IEEE Trans. Information Theory 13 (1967).

    Examples
    --------
    >>> from hedgerow.data.table.schema import Column
    >>> from hedgerow.data.table.table import Text
    >>> texts = Text.of(["hockey goal hockey", "goal team", "orbit rocket orbit team"])
    >>> topics = Table.of({"topic": ["sport", "sport", "space"]}, "topic")
    >>> model = KNN(n_neighbors=1).train(topics.with_column(Column("text", Kind.TEXT), texts))
    >>> new = Table.of({"text": ["rocket team"]})
    >>> model.predict(new).tolist(), model.neighbors(new, 3).rows.tolist()
    (['space'], [[2, 1, 0]])
    """

    edit: str = choice(
        NO, "remove noisy rows, whose neighbors have another class: never, once, or until no such row remains", *EDITS
    )

    _counts: Table = fitted_attribute()  # type: ignore[assignment]  # all rows so far, for partial_fit

    def learn(self, table: Table) -> Model:
        """Return the rows as prepared for distances."""
        if self.edit == NO:
            model, notes = self._choose_k(table), list[str]()
        else:
            stay, notes = filter_rows(table, self._choose_k, repeat=self.edit == REPEAT)
            own = self._choose_k(table.take(stay))
            model = Neighbors(own.schema, replace(own.asking, origin=stay.astype(np.int64)), own.labels)
        return model.replace_about(About(notes=(*self.few_rows_notes(model.total), *notes)))

    def _choose_k(self, table: Table) -> Neighbors:
        """Return the model of all rows of a table, with the number of neighbors that is requested or best."""
        model = Neighbors(table.schema, self.asking(table), class_codes(table))
        if self.n_neighbors is not None:
            return model
        tried = class_errors_by_k(model, table, self.random_state)
        chosen = Neighbors(table.schema, replace(model.asking, k=best(tried), tried=tried), model.labels)
        vars(chosen)["kept"] = model.kept
        return chosen

    # -- more rows ------------------------------------------------------------------------------------------

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Keep some more rows, after `fit` or other batches; the model is that of all rows so far.

        A tree takes in the new rows, unless they change how numbers are scaled; it is rebuilt when it is twice as
        deep as it needs to be. `classes` may name all classes in advance; otherwise new classes, like new levels, are
        taken in as they appear. In frames, what looks like an identifier in a few rows is not left out.
        """
        return super().partial_fit(X, y, classes, sample_weight)

    def _learn_more(self, X: Any, y: Any, sample_weight: Any, fresh: bool) -> Self:
        table = self._batch(X, y, fresh)
        own = self._ready_batch(table, sample_weight, fresh=fresh)
        check_no_texts(own.table.schema)
        rows = own.table
        if not fresh:
            is_number = table.schema.target_column.kind is Kind.NUMERIC
            schema = extend_schema(self._plan_schema, rows.schema, self._classes is not None, is_number)
            rows = join_tables(self._counts, rows, schema)
        model = self.add_about(self.learn(rows), rows.n_rows, rows.total_weight, own.notes)
        if not fresh and self.edit == NO:
            reuse_trees(cast("Neighbors", self.model_).kept, cast("Neighbors", model).kept)
        self.model_, self._counts, self._plan_schema = cast("ClassModel", model), rows, rows.schema
        self._set_fitted_attributes(table.schema)
        return self

    def _keep_rows(self, table: Table) -> None:
        self._counts, self._plan_schema = table, table.schema


def class_codes(table: Table) -> Codes:
    """Return the class of every row."""
    return np.ascontiguousarray(table.codes(table.schema.index(table.schema.target_column.name)))
