"""Classifier: learners that predict a class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.bags.align import align
from hedgerow.data.design.class_counts import Counts
from hedgerow.data.frames.objects import is_frame
from hedgerow.data.frames.text_lists import text_parts
from hedgerow.data.rows.row_sketch import RowSketch
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.source import Source
from hedgerow.data.table.table import Numbers, Table
from hedgerow.data.table.threads import one_blas_thread
from hedgerow.errors import DataError
from hedgerow.layout.numbers import format_number
from hedgerow.learn import inputs
from hedgerow.learn.base import Learner
from hedgerow.learn.params import fitted_attribute
from hedgerow.learn.passes import Engine, InMemoryEngine, StreamEngine
from hedgerow.learn.prepare import ready
from hedgerow.learn.supervised import Supervised, drop_column
from hedgerow.models.base.decisions import decision_rule
from hedgerow.models.base.model import ClassModel, Model

Made = TypeVar("Made", bound=np.generic)


class Classifier(Supervised):
    """Learners that predict a class."""

    estimator_type = "classifier"
    target_is_classes = True

    classes_: NDArray[Any] = fitted_attribute()
    model_: ClassModel = fitted_attribute()
    _classes: NDArray[Any] | None = fitted_attribute()  # the user's own labels; None when they come from the table
    _rule = cast("dict[str, Any]", {})  # of decision: thresholds or costs; not annotated, since it is no parameter

    def train(self, data: Any, target: str | None = None) -> ClassModel:
        """Return the model of a table, a source, a frame or a file; the learner itself is not changed.

        `target` names the column to predict; by default it is that of the table, or the last column.
        """
        model = super().train(data, target)
        assert isinstance(model, ClassModel)
        return model

    def with_thresholds(self, thresholds: Mapping[str, float]) -> Self:
        """Return the same learner, whose models decide by thresholds; see `ClassModel.with_thresholds`.

        This is no parameter: `get_params`, and so scikit-learn's `clone`, do not have it.
        """
        return self._decide_by({"thresholds": dict(thresholds)})

    def with_costs(self, costs: Any) -> Self:
        """Return the same learner, whose models decide by misclassification costs; see `ClassModel.with_costs`.

        This is no parameter: `get_params`, and so scikit-learn's `clone`, do not have it.
        """
        return self._decide_by({} if costs is None else {"costs": costs})

    def _decide_by(self, rule: dict[str, Any]) -> Self:
        made = copy(self)
        made._rule = rule  # noqa: SLF001
        return made

    def add_about(
        self,
        model: Model,
        rows: int,
        weight: float,
        notes: tuple[str, ...] = (),
        sketch: RowSketch | None = None,
    ) -> Model:
        """Return the model with a record of how it was trained, and the thresholds or costs that decide, if any."""
        model = super().add_about(model, rows, weight, notes, sketch)
        assert isinstance(model, ClassModel)
        rule = decision_rule(model.classes, **self._rule)
        return model if rule is None else model.decided_by(rule)

    def _add_target(self, table: Table, y: Any, name: str) -> Table:
        classes, codes = inputs.class_target(y, table.n_rows, may_lack=name != inputs.TARGET)
        self._classes = classes
        return inputs.with_target(table, Column(name, Kind.NOMINAL, levels=labels(classes)), codes)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: D102
        self._classes = None
        return super().fit(X, y, sample_weight)

    fit.__doc__ = Supervised.fit.__doc__

    def _set_fitted_attributes(self, schema: Schema) -> None:
        if self._classes is not None:
            self.classes_ = self._classes
        elif schema.target_column.kind is Kind.NUMERIC:  # whole numbers that encode classes
            self.classes_ = np.array([int(label) for label in self.model_.classes])
        else:
            self.classes_ = np.array(self.model_.classes, dtype=object)

    def predict_proba(self, X: Any) -> Numbers:
        """Return the probability of every class (columns, in the order of `classes_`) for every row."""
        self._check_fitted()
        return _concatenate_rows([self.model_.distribution(self._prediction_table(part)) for part in text_parts(X)])

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted class of every row: the most probable one, unless thresholds or costs decide.

        Ties go to the first class. A model that may leave rows without a prediction (`default=None`) gives None for
        them, and always an array of objects.
        """
        self._check_fitted()
        codes = _concatenate_rows([self.model_.decide(self._prediction_table(part)) for part in text_parts(X)])
        if not self.model_.abstains:
            return self.classes_[codes]
        return np.array([*self.classes_.tolist(), None], dtype=object)[codes]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the accuracy (by weight); `y` as in `fit`."""
        table = self._prediction_table(X)
        class_codes = self.model_.decide(table)
        known = {label: code for code, label in enumerate(self.model_.classes)}
        actual = self._actual(X, y)
        inputs.check_length(actual, len(class_codes), "y")
        codes = np.array([known.get(label_text(label), -1) for label in actual.tolist()])
        weights = inputs.row_weights(sample_weight, len(class_codes))
        return float(np.average((codes == class_codes) & (class_codes >= 0), weights=weights))


def _concatenate_rows(parts: list[NDArray[Made]]) -> NDArray[Made]:
    """Return the rows of all parts."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


class CountingClassifier(Classifier):
    """Classifiers that learn by counting in one pass, and therefore support `partial_fit`."""

    _counts: Counts = fitted_attribute()  # counts of all rows so far, for partial_fit
    _plan_schema: Schema = fitted_attribute()  # the schema of these counts

    @property
    def only_counts(self) -> bool:
        """Whether `train` does nothing but count; a subclass may override that."""
        return type(self).train is Classifier.train and type(self).learn is Learner.learn

    def count_table(self, table: Table) -> Counts:
        """Return the counts of a table, from which `train_from_counts` makes the model."""
        self.check_columns(table.schema, table)
        own = ready(table, self.accepted_kinds(), classes=True).table
        return cast("Counts", InMemoryEngine(own).total(self.plan(own.schema)))

    def train_from_counts(self, table: Table, count: Callable[[Table], Counts]) -> ClassModel:
        """Return the result of `train` on a table whose usable rows and columns `count` can count faster."""
        self.check_params()
        self.check_columns(table.schema, table)
        own = ready(table, self.accepted_kinds(), classes=True)
        model = cast("ClassModel", self.plan(own.table.schema).advance(count(own.table)))
        about = self.add_about(model, own.table.n_rows, own.table.total_weight, own.notes)
        return cast("ClassModel", about)

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from some more rows, after `fit` or other batches; the model is that of all rows so far.

        `classes` may name all classes in advance; otherwise new classes, like new levels, are taken in as they appear.
        In frames, what looks like an identifier in a few rows is not left out. Weights that are not whole are divided
        by the mean weight of the first rows, since that of all rows is unknown.
        """
        self.check_params()
        fresh = not hasattr(self, "_counts")
        known = None if fresh else self._classes
        if fresh:
            self._classes = None if classes is None else inputs.sort_classes(classes)
        try:
            with one_blas_thread():
                return self._learn_more(X, y, sample_weight, fresh)
        except DataError:
            self._classes = known  # a batch that fails changes nothing
            raise

    def _learn_more(self, X: Any, y: Any, sample_weight: Any, fresh: bool) -> Self:
        table = self._batch(X, y, fresh)
        self.check_columns(table.schema, table)
        own = self._ready_batch(table, sample_weight, fresh=fresh)
        self._add(own.table, own.table.schema, fresh, table.schema.target_column.kind is Kind.NUMERIC)
        rows, weight = self._counts.rows, float(self._counts.classes.sum())
        model = self.plan(self._plan_schema).advance(self._counts)
        assert isinstance(model, ClassModel)
        self.model_ = cast("ClassModel", self.add_about(model, rows, weight, own.notes))
        self._set_fitted_attributes(table.schema)
        return self

    def _add(self, table: Table, schema: Schema, fresh: bool, is_number: bool) -> None:
        """Count some rows, with a schema extended by their levels and classes."""
        if not fresh:
            schema = extend_schema(self._plan_schema, schema, self._classes is not None, is_number)
            table = align(table, schema).table
        counts = self.plan(schema).count(table)
        self._counts = counts if fresh else self._counts.recode(self._plan_schema, schema) + counts
        self._plan_schema = schema

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: D102
        self.__dict__.pop("_counts", None)
        return super().fit(X, y, sample_weight)

    fit.__doc__ = Supervised.fit.__doc__

    def _train_for_fit(self, data: Table | Source) -> Model:
        """Return the model as `train` does, but keep the counts, so that partial_fit can continue from them."""

        def count_and_train(schema: Schema, engine: Engine) -> Model:
            plan = self.plan(schema)
            self._counts, self._plan_schema = engine.total(plan), schema
            if isinstance(engine, StreamEngine):
                self._weight_unit = engine.seen.unit
            return cast("Model", plan.advance(self._counts))

        return self._train_data(data, count_and_train)

    def _batch(self, X: Any, y: Any, fresh: bool) -> Table:
        """Return some rows with their target; the columns of frames have the kinds of the first batch."""
        if fresh:
            entered = self._to_table(X)
            table = self._set_batch_target(without_identifiers(entered.table, X), X, y)
            self._remember(table.schema, entered.names)
            return table
        return self._set_batch_target(without_identifiers(self._new_rows_to_table(X, self._fit_schema), X), X, y)

    def _set_batch_target(self, table: Table, X: Any, y: Any) -> Table:
        if y is None or (isinstance(y, str) and not is_frame(X)):
            return self._set_target(table, X, y)
        name, named = (y, True) if isinstance(y, str) else (inputs.TARGET, False)
        if named:
            table, y = drop_column(table, name), inputs.frame_column(X, name)
        given, codes = inputs.class_target(y, table.n_rows, may_lack=named)
        self._classes = _merge_classes(self._classes, given)
        recode = np.append(np.searchsorted(self._classes, given), -1).astype(np.int32)
        column = Column(name, Kind.NOMINAL, levels=labels(self._classes))
        return inputs.with_target(table.with_target(None), column, recode[codes])


def _merge_classes(known: NDArray[Any] | None, given: NDArray[Any]) -> NDArray[Any]:
    """Return all classes so far in order."""
    if known is None:
        return given
    if len(given) and _class_type(known) != _class_type(given):
        raise DataError("the classes have different types in different batches; give them the same type")
    return np.union1d(known, given)


def _class_type(classes: NDArray[Any]) -> str:
    return {"b": "boolean values", "O": "words", "U": "words"}.get(classes.dtype.kind, "numbers")


def labels(classes: NDArray[Any]) -> tuple[str, ...]:
    """Return class labels as strings."""
    return tuple(label_text(label) for label in classes.tolist())


def label_text(label: Any) -> str:
    """Return a class label as a string; whole numbers have no decimal point, booleans are lower case."""
    if isinstance(label, bool):
        return str(label).lower()
    return format_number(label) if isinstance(label, float) else str(label)


def without_identifiers(table: Table, X: Any) -> Table:
    """Return the table with no column of a frame treated as an identifier, since a few rows are not enough evidence."""
    if isinstance(X, Table):
        return table
    guessed = {c.name: replace(c, ignored="") for c in table.schema.columns if c.is_identifier}
    return table.with_schema(table.schema.with_columns(guessed)) if guessed else table


def extend_schema(known: Schema, batch: Schema, ordered: bool, is_number: bool) -> Schema:
    """Return the known schema with the batch's new levels after the known ones.

    The classes of arrays are `ordered` by the labels themselves: the batch, which has all of them, defines the order.
    Those that were numbers are ordered as numbers.
    """
    columns = []
    for column in known.columns:
        new = batch[column.name].levels if column.name in batch else ()
        has = set(column.levels)
        levels = column.levels + tuple(level for level in new if level not in has)
        if len(levels) > len(has) and column.name == known.target:
            levels = new if ordered else tuple(sorted(levels, key=float)) if is_number else levels
        columns.append(replace(column, levels=levels) if levels != column.levels else column)
    return Schema(tuple(columns), known.target)
