"""Classifier: learners that predict a class."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.align import align, number_text
from hedgerow.data.counts import Counts
from hedgerow.data.schema import Column, Kind, Schema
from hedgerow.data.source import Source
from hedgerow.data.table import Numbers, Table
from hedgerow.errors import DataError
from hedgerow.learn import door
from hedgerow.learn.base import width
from hedgerow.learn.prepare import typed_target, usable_rows, usable_schema
from hedgerow.learn.supervised import Supervised, own_target
from hedgerow.models.model import ClassModel, decisions


class Classifier(Supervised):
    """Learners that predict a class."""

    estimator_type = "classifier"
    target_is_classes = True

    classes_: NDArray[Any]
    model_: ClassModel
    _classes: NDArray[Any] | None  # the user's own labels; None when the table brought them

    def train(self, data: Table | Source) -> ClassModel:
        """Return the model of a table or a source; the learner itself stays as it is."""
        model = super().train(data)
        assert isinstance(model, ClassModel)
        return model

    def _with_y(self, table: Table, y: Any) -> Table:
        classes, codes = door.class_target(y, table.n_rows)
        self._classes = classes
        return door.with_target(table, Column(door.TARGET, Kind.NOMINAL, levels=labels(classes)), codes)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: D102
        self._classes = None
        return super().fit(X, y, sample_weight)

    fit.__doc__ = Supervised.fit.__doc__

    def _learned(self) -> None:
        given = self._classes
        self.classes_ = np.array(self.model_.classes, dtype=object) if given is None else given

    def predict_proba(self, X: Any) -> Numbers:
        """Return the probability of every class (columns, in the order of `classes_`) for every row."""
        table = self._enter_predict(X)
        return self.model_.distribution(table)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of every row; the first class wins a tie."""
        distribution = self.predict_proba(X)
        return self.classes_[decisions(distribution)]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the share (by weight) of rows whose class is predicted."""
        actual = np.asarray(own_target(X) if y is None else y)
        right = np.asarray(self.predict(X) == actual, dtype=np.float64)
        return float(np.average(right, weights=door.row_weights(sample_weight, len(right))))


class CountingClassifier(Classifier):
    """Classifiers that learn by counting in one pass, so that they can go on learning."""

    _counts: Counts  # of all rows so far, for partial_fit
    _plan_schema: Schema  # and the schema they were counted under

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from some more rows; the model is the one that all rows so far give at once.

        `classes` may name all classes in advance; otherwise classes, like levels, are added as they appear, so that
        their order, which settles ties, may differ from `fit`'s. Batches of one Table or Source share a schema and give
        the identical model in any sizes. What looks like an identifier in a few rows is not left out.
        """
        self.check_params()
        fresh = not hasattr(self, "_counts")
        if fresh:
            self._classes = None if classes is None else np.unique(np.asarray(classes))
        table = self._batch(X, y, fresh)
        weights = door.row_weights(sample_weight, table.n_rows)
        table = table if weights is None else table.with_weights(weights)
        table, _ = typed_target(table, classes=True)
        schema, notes = usable_schema(table.schema, self.takes)
        table, _ = usable_rows(table.select(schema.names).with_schema(schema), batch=True)
        if not fresh:
            schema = _joined(self._plan_schema, schema)
            table = align(table, schema).table
        plan = self.plan(schema)
        counts = plan.count(table)
        self._counts = counts if fresh else self._counts.grown(schema) + counts
        self._plan_schema = schema
        model = plan.advance(self._counts)
        assert isinstance(model, ClassModel)
        rows, weight = self._counts.rows, float(self._counts.classes.sum())
        signed = self._about(model, rows, weight, tuple(notes))
        assert isinstance(signed, ClassModel)
        self.model_ = signed
        self._learned()
        return self

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: D102
        self.__dict__.pop("_counts", None)
        return super().fit(X, y, sample_weight)

    fit.__doc__ = Supervised.fit.__doc__

    def _batch(self, X: Any, y: Any, fresh: bool) -> Table:
        """Return some rows with their target; the columns of frames have the kinds of the first batch."""
        if fresh:
            table = self._targeted_batch(_all_used(self._enter_fit(X), X), X, y)
            self._remember(table.schema)
            self.n_features_in_ = len(self._schema_in)
            return table
        return self._targeted_batch(_all_used(self._enter_more(X), X), X, y)

    def _enter_more(self, X: Any) -> Table:
        known = self._schema_in
        entered = door.enter(X, known.names if width(X) == len(known) else None, known)
        if entered.names is None and len(entered.table.schema) != len(known):
            raise DataError(
                f"X has {len(entered.table.schema)} features, but {type(self).__name__} is expecting "
                f"{len(known)} features as input."
            )
        return entered.table

    def _targeted_batch(self, table: Table, X: Any, y: Any) -> Table:
        if y is None or isinstance(y, str):
            return self._targeted(table, X, y)
        given, codes = door.class_target(y, table.n_rows)
        known = given if self._classes is None else self._classes
        new = [label for label in given.tolist() if label not in set(known.tolist())]
        if new:
            known = np.concatenate([known, np.array(new, dtype=given.dtype)])
        self._classes = known
        place = {label: code for code, label in enumerate(known.tolist())}
        recode = np.array([place[label] for label in given.tolist()], dtype=np.int32)
        column = Column(door.TARGET, Kind.NOMINAL, levels=labels(known))
        return door.with_target(table.with_target(None), column, recode[codes])


def labels(classes: NDArray[Any]) -> tuple[str, ...]:
    """Return class labels as words; whole numbers without a decimal point."""
    return tuple(number_text(float(label)) if isinstance(label, float) else str(label) for label in classes.tolist())


def _all_used(table: Table, X: Any) -> Table:
    """Return the table with no column of a frame taken for an identifier, since few rows cannot tell."""
    if isinstance(X, Table):
        return table
    guessed = {c.name: replace(c, ignored="") for c in table.schema.columns if c.ignored.startswith("identifier")}
    return table.with_schema(table.schema.with_columns(guessed)) if guessed else table


def _joined(known: Schema, batch: Schema) -> Schema:
    """Return the known schema with the batch's new levels added at the end of each column's."""
    columns = []
    for column in known.columns:
        new = batch[column.name].levels if column.name in batch else ()
        more = tuple(level for level in new if level not in set(column.levels))
        columns.append(replace(column, levels=column.levels + more) if more else column)
    return Schema(tuple(columns), known.target)
