"""The learners' bases: scikit-learn's estimator contract outside, `learn(table) -> Model` inside.

The contract is kept by protocol: scikit-learn itself is imported only where a caller that has it loaded asks for its
tags or expects its exceptions, since its import would cost a command line most of its time.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self, dataclass_transform

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.align import align, number_text
from hedgerow.data.counts import Counts
from hedgerow.data.schema import Column, Kind, Schema
from hedgerow.data.source import Source
from hedgerow.data.table import Numbers, Table
from hedgerow.errors import DataError, DataWarning, UsageError
from hedgerow.learn import door
from hedgerow.learn.params import Param, choice, collect, flag, integer, make_init, mapping, real, seed
from hedgerow.learn.passes import Memory, Plan, Streamed, run
from hedgerow.learn.prepare import Ready, ready, typed_target, usable_rows, usable_schema
from hedgerow.models.model import About, ClassModel, Model, NumberModel, decisions


@dataclass_transform(kw_only_default=True, field_specifiers=(real, integer, choice, flag, mapping, seed))
class Learner:
    """What all learners share: declared parameters, and the way from a table to a model.

    A subclass declares its parameters as class attributes and writes `learn`, or `plan` if it learns by counting.
    """

    params: ClassVar[dict[str, Param]] = {}
    name: ClassVar[str] = "learner"
    takes: ClassVar[frozenset[Kind]] = frozenset({Kind.NUMERIC, Kind.NOMINAL})
    estimator_type: ClassVar[str | None] = None
    is_transformer: ClassVar[bool] = False
    target_is_classes: ClassVar[bool | None] = None
    poor_score: ClassVar[bool] = False  # does not aim at accuracy, and scikit-learn's checks need not test it

    n_features_in_: int
    feature_names_in_: NDArray[Any]
    model_: Model

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.params = collect(cls.__dict__, cls.params)
        for name in cls.params:
            if isinstance(cls.__dict__.get(name), Param):
                delattr(cls, name)
        cls.__init__ = make_init(cls.params)  # type: ignore[method-assign]
        if "name" not in cls.__dict__:
            cls.name = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", cls.__name__).lower()

    # -- parameters -----------------------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; with `deep`, also those of a parameter that is itself a learner."""
        values = {name: getattr(self, name) for name in self.params}
        if deep:
            for name, value in list(values.items()):
                if hasattr(value, "get_params") and not isinstance(value, type):
                    values |= {f"{name}__{key}": inner for key, inner in value.get_params().items()}
        return values

    def set_params(self, **given: Any) -> Self:
        """Set parameters by name; `part__name` reaches into a parameter that is itself a learner."""
        for name, value in given.items():
            own, _, inner = name.partition("__")
            if own not in self.params:
                raise UsageError(
                    f"Invalid parameter {own!r} for estimator {self}. Valid parameters are: {list(self.params)!r}."
                )
            if inner:
                getattr(self, own).set_params(**{inner: value})
            else:
                setattr(self, own, value)
        return self

    def check_params(self) -> None:
        """Raise a sentence if a parameter is out of its range."""
        for name, param in self.params.items():
            param.check(getattr(self, name))

    def __repr__(self) -> str:
        changed = (
            f"{name}={value!r}"
            for name, value in self.get_params(deep=False).items()
            if value is not self.params[name].default and repr(value) != repr(self.params[name].default)
        )
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: what this learner is and takes."""
        from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=self.estimator_type,
            target_tags=TargetTags(required=self.target_is_classes is not None),
            transformer_tags=TransformerTags() if self.is_transformer else None,
            classifier_tags=(
                ClassifierTags(poor_score=self.poor_score) if self.estimator_type == "classifier" else None
            ),
            regressor_tags=(RegressorTags(poor_score=self.poor_score) if self.estimator_type == "regressor" else None),
            input_tags=InputTags(sparse=True, categorical=True, string=True, allow_nan=True),
        )

    # -- learning -------------------------------------------------------------------------------------------

    def learn(self, table: Table) -> Model:
        """Return the model of a table that is ready: a typed target, usable columns, positive weights."""
        return run(self.plan(table.schema), Memory(table))

    def plan(self, schema: Schema) -> Plan:  # noqa: ARG002
        """Return the first pass over rows of this schema, for learners that learn by counting."""
        raise UsageError(
            f"{type(self).__name__} cannot learn from a stream, as it needs all rows at once; read them into a table"
        )

    def train(self, data: Table | Source) -> Model:
        """Return the model of a table or a source; the learner itself stays as it is."""
        self.check_params()
        if isinstance(data, Source):
            return self._train_source(data)
        prepared = ready(data, self.takes, self.target_is_classes)
        return self._signed(self.learn(prepared.table), prepared)

    def _train_source(self, source: Source) -> Model:
        schema = source.schema
        wanted = Kind.NOMINAL if self.target_is_classes else Kind.NUMERIC
        if self.target_is_classes is not None and schema.target_column.kind is not wanted:
            raise DataError(
                f"the target {schema.target!r} is {schema.target_column.kind}, but this learner needs it {wanted}; "
                f"say so with kinds={{{schema.target!r}: {str(wanted)!r}}} when opening the source"
            )
        schema, notes = usable_schema(schema, self.takes)
        rows, weight = 0, 0.0

        def prepared(batch: Table) -> Table:
            nonlocal rows, weight
            table, _ = usable_rows(batch.select(schema.names).with_schema(schema), batch=True)
            rows, weight = rows + table.n_rows, weight + float(table.row_weights.sum())
            return table

        model = run(self.plan(schema), Streamed(source, prepared))
        if not rows:
            raise DataError(f"{source.name}: no rows with a value of {schema.target!r} to learn from")
        return self._about(model, rows, weight, (*notes, *source.notes))

    def _signed(self, model: Model, prepared: Ready) -> Model:
        table = prepared.table
        return self._about(model, table.n_rows, float(table.row_weights.sum()), prepared.notes)

    def _about(self, model: Model, rows: int, weight: float, notes: tuple[str, ...]) -> Model:
        parameters = {name: _plain(value) for name, value in self.get_params(deep=False).items()}
        return replace(model, about=About(self.name, parameters, rows, weight, notes))

    # -- the door -------------------------------------------------------------------------------------------

    def _enter_fit(self, X: Any) -> Table:
        entered = door.enter(X)
        self.n_features_in_ = len(entered.table.schema) - (entered.table.schema.target is not None)
        self._set_names(entered.names)
        return entered.table

    def _set_names(self, names: NDArray[Any] | None) -> None:
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _enter_predict(self, X: Any) -> Table:
        self._check_fitted()
        predictors = [column.name for column in self._schema_in.columns]
        entered = door.enter(X, predictors if _width(X) == len(predictors) else None)
        table = entered.table
        if entered.names is None and len(table.schema) != len(predictors):
            raise DataError(
                f"X has {len(table.schema)} features, but {type(self).__name__} is expecting "
                f"{len(predictors)} features as input."
            )
        return table

    def _check_fitted(self) -> None:
        if not hasattr(self, "model_"):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments first."
            )

    @property
    def _schema_in(self) -> Schema:
        """The schema that `fit` saw, target left out; the model may use fewer of its columns."""
        schema: Schema = self.__dict__["_fit_schema"]
        return schema

    def _warn(self) -> None:
        for note in self.model_.about.notes:
            warnings.warn(note, DataWarning, stacklevel=3)


class _Supervised(Learner):
    """Learners with a target."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a table and its target.

        Parameters
        ----------
        X
            A 2-D array, a frame (pandas, polars, pyarrow, DuckDB), a scipy sparse matrix; or a Table, a Source or
            the path of a file, which bring their target along.
        y
            The target: an array, or the name of a column of X. Left out when X brings its own.
        sample_weight
            The weight of each row; a row of weight 2 counts as two rows.
        """
        self.check_params()
        if isinstance(X, Source):
            self.model_ = self.train(X)
            self._remember(X.schema)
            self._set_names(np.array([c.name for c in self._schema_in.columns], dtype=object))
            self.n_features_in_ = len(self._schema_in)
        else:
            brought = y is None or isinstance(y, str)
            table = self._targeted(self._enter_fit(X), X, y)
            weights = door.row_weights(sample_weight, table.n_rows)
            if weights is not None:
                table = table.with_weights(weights)
            self.model_ = self.train(table)
            self._remember(table.schema)
            self.n_features_in_ = len(self._schema_in)
            if brought:
                self._set_names(np.array([c.name for c in self._schema_in.columns], dtype=object))
                self._warn()
        self._learned()
        return self

    def _targeted(self, table: Table, X: Any, y: Any) -> Table:
        """Return the table with its target, from `y` or its own."""
        if isinstance(y, str):
            return table.with_target(y)
        if y is None:
            if not (isinstance(X, Table) or door.is_path(X)):
                raise DataError(
                    f"{type(self).__name__} requires y to be passed, but the target y is None; give the classes or "
                    "numbers to learn, or the name of their column"
                )
            return table
        return self._with_y(table.with_target(None), y)

    def _with_y(self, table: Table, y: Any) -> Table:
        raise NotImplementedError

    def _remember(self, schema: Schema) -> None:
        columns = tuple(column for column in schema.columns if column.name != schema.target)
        self._fit_schema = Schema(columns)

    def _learned(self) -> None:
        """Set the fitted attributes that the kind of learner promises."""


class Classifier(_Supervised):
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

    fit.__doc__ = _Supervised.fit.__doc__

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
        actual = np.asarray(_own_target(X) if y is None else y)
        right = np.asarray(self.predict(X) == actual, dtype=np.float64)
        return float(np.average(right, weights=door.row_weights(sample_weight, len(right))))


class CountingClassifier(Classifier):
    """Classifiers that learn by counting in one pass, so that they can go on learning."""

    _counts: Counts  # of all rows so far, for partial_fit
    _plan_schema: Schema  # and the schema they were counted under

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from some more rows; the model is the one that all rows so far give at once.

        `classes` may name all classes in advance; otherwise classes, like levels, are added as they appear.
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

    fit.__doc__ = _Supervised.fit.__doc__

    def _batch(self, X: Any, y: Any, fresh: bool) -> Table:
        if fresh:
            entered = self._enter_fit(X)
            table = self._targeted_batch(entered, X, y)
            self._remember(table.schema)
            self.n_features_in_ = len(self._schema_in)
            return table
        return self._targeted_batch(self._enter_more(X), X, y)

    def _enter_more(self, X: Any) -> Table:
        names = [column.name for column in self._schema_in.columns]
        table = door.enter(X, names if _width(X) == len(names) else None).table
        if not isinstance(X, Table) and len(table.schema) != len(names):
            raise DataError(
                f"X has {len(table.schema)} features, but {type(self).__name__} is expecting "
                f"{len(names)} features as input."
            )
        return table

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


class Regressor(_Supervised):
    """Learners that predict a number."""

    estimator_type = "regressor"
    target_is_classes = False

    model_: NumberModel

    def _with_y(self, table: Table, y: Any) -> Table:
        values = door.number_target(y, table.n_rows)
        return door.with_target(table, Column(door.TARGET, Kind.NUMERIC), values)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted number of every row."""
        table = self._enter_predict(X)
        return self.model_.predict(table)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return R²: 1 minus the squared error over that of always predicting the mean."""
        actual = np.asarray(_own_target(X) if y is None else y, dtype=np.float64)
        weights = door.row_weights(sample_weight, len(actual))
        error = np.average((actual - self.predict(X)) ** 2, weights=weights)
        spread = np.average((actual - np.average(actual, weights=weights)) ** 2, weights=weights)
        return float(1 - error / spread) if spread > 0 else float(error == 0)


class Transformer(Learner):
    """Learners whose model turns a table into another."""

    is_transformer = True

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn how to transform; `y`, the classes or the name of their column, is used where it helps."""
        table = self._enter_fit(X)
        if isinstance(y, str):
            table = table.with_target(y)
        elif y is not None:
            classes, codes = door.class_target(y, table.n_rows)
            column = Column(door.TARGET, Kind.NOMINAL, levels=labels(classes))
            table = door.with_target(table.with_target(None), column, codes)
        self.model_ = self.train(table)
        columns = tuple(column for column in table.schema.columns if column.name != table.schema.target)
        self._fit_schema = Schema(columns)
        self.n_features_in_ = len(columns)
        return self

    def transform(self, X: Any) -> Any:
        """Return the transformed columns: a Table for a Table, an array of codes otherwise."""
        raise NotImplementedError

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit, then transform the same rows."""
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the transformed columns."""
        self._check_fitted()
        names = input_features if input_features is not None else [c.name for c in self._schema_in.columns]
        if len(names) != self.n_features_in_:
            raise DataError("input_features should have length equal to number of features seen in fit")
        own = getattr(self, "feature_names_in_", None)
        if input_features is not None and own is not None and list(own) != list(input_features):
            raise DataError("input_features is not equal to feature_names_in_")
        return np.array(names, dtype=object)


class Clusterer(Learner):
    """Learners that find groups; the model's classes are the clusters."""

    estimator_type = "clusterer"

    labels_: NDArray[np.int32]
    model_: ClassModel

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Find the clusters of a table; `y` is not used."""
        table = self._enter_fit(X).with_target(None)
        weights = door.row_weights(sample_weight, table.n_rows)
        table = table if weights is None else table.with_weights(weights)
        model = self.train(table)
        assert isinstance(model, ClassModel)
        self.model_ = model
        self._fit_schema = table.schema
        self.labels_ = model.decide(table)
        return self

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Return the number of the cluster that every row belongs to."""
        table = self._enter_predict(X)
        return self.model_.decide(table)

    def fit_predict(self, X: Any, y: Any = None) -> NDArray[np.int32]:
        """Fit, then return the cluster of every row."""
        return self.fit(X, y).labels_


def labels(classes: NDArray[Any]) -> tuple[str, ...]:
    """Return class labels as words; whole numbers without a decimal point."""
    return tuple(number_text(float(label)) if isinstance(label, float) else str(label) for label in classes.tolist())


def _own_target(X: Any) -> NDArray[Any]:
    table = door.enter(X).table
    column, values = table.schema.target_column, table.target
    assert isinstance(values, np.ndarray)
    if column.kind is Kind.NUMERIC:
        return values
    return np.array([*column.levels, None], dtype=object)[values]


def _joined(known: Schema, batch: Schema) -> Schema:
    """Return the known schema with the batch's new levels added at the end of each column's."""
    columns = []
    for column in known.columns:
        new = batch[column.name].levels if column.name in batch else ()
        more = tuple(level for level in new if level not in set(column.levels))
        columns.append(replace(column, levels=column.levels + more) if more else column)
    return Schema(tuple(columns), known.target)


def _width(X: Any) -> int:
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape) == 2:
        return int(shape[1])
    try:
        return len(X[0])
    except (TypeError, KeyError, IndexError):
        return -1


def _plain(value: Any) -> Any:
    """Return a parameter as a JSON value."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, str | int | float | bool | None) else repr(value)
