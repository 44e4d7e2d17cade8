"""The learners' bases: scikit-learn's estimator contract outside, `learn(table) -> Model` inside.

The contract is implemented by duck typing: scikit-learn is imported only where a caller that has loaded it requests its
tags or expects its exceptions, since its import would take most of the time of a command.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from os import PathLike
from typing import Any, ClassVar, Self, dataclass_transform

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.bags.align import align
from hedgerow.data.bags.lists import parse_bags_for_schema
from hedgerow.data.frames.text_lists import parse_texts, text_table
from hedgerow.data.read import to_data
from hedgerow.data.rows.row_sketch import RowSketch
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.source import Source
from hedgerow.data.table.table import Table, Text
from hedgerow.data.table.threads import one_blas_thread, raise_if_stopped
from hedgerow.errors import DataError, DataWarning, UsageError
from hedgerow.layout.cell_width import shorten
from hedgerow.layout.shown import NotebookDisplay
from hedgerow.learn import inputs
from hedgerow.learn.parameter_names import suggest
from hedgerow.learn.params import Param, add_parameters, collect, fitted_attribute, make_init
from hedgerow.learn.passes import Engine, InMemoryEngine, Plan, StreamEngine, run
from hedgerow.learn.prepare import (
    PreparedTable,
    StreamSummary,
    check_usable,
    ready,
    ready_batch,
    set_source_target_kind,
    usable_schema,
)
from hedgerow.learn.row_weights import counting_rows, weight_unit
from hedgerow.learn.training_sketch import are_sketches_enabled, sketch_rows, without_sketches
from hedgerow.models.base.model import About, Model
from hedgerow.models.base.unknown_rows import data_faults

MOST_VALUE = 80  # cells of a parameter's value in `repr`
Counted = Callable[[Schema, Engine], Model]
# The methods and attributes of learners that `dir` shows, besides parameters and fitted attributes.
INTERFACE = frozenset(
    {
        "decision_function", "distances", "fit", "fit_predict", "fit_transform", "get_feature_names_out", "get_params",
        "inverse_transform", "kneighbors", "name", "neighbors", "params", "partial_fit", "predict", "predict_proba",
        "score", "set_output", "set_params", "show_work", "train", "transform", "with_costs", "with_thresholds",
    }
)  # fmt: skip


@dataclass_transform(kw_only_default=True, field_specifiers=(fitted_attribute,))  # type checkers see every signature
class Learner(NotebookDisplay):
    """The base of all learners: declared parameters, and the steps from a table to a model.

    A subclass declares its parameters as class attributes and writes `learn`, or `plan` if it learns by counting.
    """

    params: ClassVar[dict[str, Param]] = {}
    name: ClassVar[str] = "learner"
    # The kinds of columns that `learn` and `plan` receive; columns of other kinds are left out with a note.
    # Learners that use texts (`data.text.terms`) add Kind.TEXT.
    takes: ClassVar[frozenset[Kind]] = frozenset({Kind.NUMERIC, Kind.NOMINAL})
    takes_weights: ClassVar[bool] = True  # what an ensemble needs to know about its base learner
    order_matters: ClassVar[bool] = False  # processes rows one by one: another order may give another model
    estimator_type: ClassVar[str | None] = None
    is_transformer: ClassVar[bool] = False
    target_is_classes: ClassVar[bool | None] = None
    shows_work: ClassVar[bool] = False  # whether `show_work` is supported
    needs_columns: ClassVar[bool] = True  # uses columns other than the target
    poor_score: ClassVar[bool] = False  # does not aim at accuracy, so scikit-learn's checks need not test it

    n_features_in_: int = fitted_attribute()
    feature_names_in_: NDArray[Any] = fitted_attribute()
    model_: Model = fitted_attribute()
    _fit_schema: Schema = fitted_attribute()  # the columns seen in `fit`; the model may use fewer
    _target: str | None = fitted_attribute()
    _weight_unit: float | None = (
        fitted_attribute()
    )  # the weight of one row, in fit and in later batches; None for counts

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = collect(cls.__dict__, cls.params)
        for base in cls.__mro__[1:]:  # the other base classes, the nearest first
            own = own | {name: param for name, param in base.__dict__.get("params", {}).items() if name not in own}
        cls.params = own
        for name in cls.params:
            if isinstance(cls.__dict__.get(name), Param):
                delattr(cls, name)
        cls.__doc__ = add_parameters(cls.__doc__, cls.params)
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
        """Set parameters by name; `part__name` sets a parameter of a parameter that is itself a learner."""
        inner: dict[str, dict[str, Any]] = {}
        for name, value in given.items():
            own, _, rest = name.partition("__")
            if own not in self.params:
                near = suggest(self.name, own, self.params)
                advice = f"did you mean {near!r}?" if near else f"Valid parameters are: {list(self.params)!r}."
                raise UsageError(f"Invalid parameter {own!r} for estimator {self}. {advice[0].upper()}{advice[1:]}")
            if rest:
                inner.setdefault(own, {})[rest] = value
            else:
                setattr(self, own, value)
        for own, values in inner.items():  # last, so that they apply to a learner that is set in the same call
            self._set_inner(own, values)
        return self

    def _set_inner(self, own: str, values: dict[str, Any]) -> None:
        """Set parameters of a parameter that is a learner; one that is given by its name is instantiated first."""
        from hedgerow.learn.registry import resolve_learner

        part = getattr(self, own)
        if self.params[own].kind == "learner":
            part = resolve_learner(part)
        if not hasattr(part, "set_params"):
            raise UsageError(
                f"{own}={part!r} is not a learner with parameters of its own, such as {next(iter(values))!r}"
            )
        part.set_params(**values)
        setattr(self, own, part)

    def check_params(self) -> None:
        """Raise an error if a parameter is out of its range."""
        for name, param in self.params.items():
            param.check(getattr(self, name))

    def __dir__(self) -> list[str]:
        """Return the names of the interface: parameters, scikit-learn's methods and fitted attributes."""
        fitted = hasattr(self, "model_")
        every = {name for name in super().__dir__() if not name.startswith("_")}
        own = {
            name for kind in type(self).__mro__ if not kind.__module__.startswith("hedgerow.") for name in vars(kind)
        }
        attributes = {name for name in every if name.endswith("_") and fitted}
        return sorted({*self.params, *attributes, *(every & (INTERFACE | own))})

    def __repr__(self) -> str:
        changed = (
            f"{name}={value!r}" if isinstance(value, Learner) else f"{name}={shorten(repr(value), MOST_VALUE)}"
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
        """Return the model of a prepared table: a typed target, usable columns, positive weights."""
        return self._learn_by_passes(table.schema, InMemoryEngine(table))

    def plan(self, schema: Schema) -> Plan:  # noqa: ARG002
        """Return the first pass over rows of this schema, for learners that learn by counting."""
        raise UsageError(
            f"{type(self).__name__} cannot be trained on a stream, since it needs all rows at once; read them into a "
            "table"
        )

    def train(self, data: Any, target: str | None = None) -> Model:
        """Return the model of a table, a source, a frame or a file; the learner itself is not changed.

        `target` names the column to predict; by default it is that of the table, or the last column.
        """
        return self._train_data(self._to_data(data, target))

    def _to_data(self, data: Any, target: str | None) -> Table | Source:
        """Return data to train on; a frame has no target for a learner that uses none."""
        has_own = isinstance(data, Table | Source) or inputs.is_path(data)
        if target is None and self.target_is_classes is None and not has_own:
            target = ""
        return to_data(data, target)

    def show_work(self, table: Table) -> object:
        """Return the steps by which the model of a table is learned; the text is as in a textbook."""
        if not self.shows_work:
            raise UsageError(f"{self.name} has no intermediate steps to show beyond its printed model")
        self.check_params()
        self.check_columns(table.schema, table)
        with one_blas_thread():
            return self._work(ready(table, self.accepted_kinds(), self.target_is_classes).table)

    def _work(self, table: Table) -> object:
        """Return the work of learning a prepared table, for learners that show it."""
        raise NotImplementedError

    def accepted_kinds(self) -> frozenset[Kind]:
        """Return the kinds of columns that are not left out."""
        return self.takes

    def check_columns(self, schema: Schema, table: Table | None = None) -> None:
        """Raise an error if there are columns to learn from, but this learner can use none of them."""
        if self.needs_columns:
            check_usable(schema, self.accepted_kinds(), self.name, self.target_is_classes, table)

    def _learn_by_passes(self, schema: Schema, engine: Engine) -> Model:
        """Return the model that results from the passes of an engine over the rows."""
        return run(self.plan(schema), engine)

    def _train_data(self, data: Table | Source, counted: Counted | None = None) -> Model:
        """Prepare the data and return their model; `counted` replaces the usual passes."""
        raise_if_stopped()  # ensembles and cross-validation train many models, each of which takes little time
        self.check_params()
        with one_blas_thread():
            return self._train_stream(data, counted) if isinstance(data, Source) else self._table_model(data, counted)

    def _train_stream(self, data: Source, counted: Counted | None) -> Model:
        notes: list[str] = []
        if self.target_is_classes is not None:
            data, notes = set_source_target_kind(data, self.target_is_classes)
        self.check_columns(data.schema)
        schema, more = usable_schema(data.schema, self.accepted_kinds())
        seen = StreamSummary(schema, sketches=self._keeps_sketch(schema))
        model = (counted or self._learn_by_passes)(schema, StreamEngine(data, seen))
        sketch = seen.sketch() if model.schema.names == schema.names else None
        return self.add_about(model, seen.rows, seen.weight, (*notes, *more, *seen.notes()), sketch)

    def _table_model(self, data: Table, counted: Counted | None) -> Model:
        self.check_columns(data.schema, data)
        prepared = ready(data, self.accepted_kinds(), self.target_is_classes)
        table = prepared.table
        with without_sketches():  # of its members
            model = self.learn(table) if counted is None else counted(table.schema, InMemoryEngine(table))
        keeps = self._keeps_sketch(table.schema) and model.schema.names == table.schema.names
        sketch = sketch_rows(table) if keeps else None
        return self.add_about(model, table.n_rows, table.total_weight, prepared.notes, sketch)

    def _keeps_sketch(self, schema: Schema) -> bool:
        """Whether a model keeps a sketch of its training rows: it has a target and is trained to be kept."""
        return schema.target is not None and are_sketches_enabled()

    def add_about(
        self,
        model: Model,
        rows: int,
        weight: float,
        notes: tuple[str, ...] = (),
        sketch: RowSketch | None = None,
    ) -> Model:
        """Return the model with a record of how it was trained: the learner, the number of rows and their sketch."""
        parameters = {name: _plain(value) for name, value in self.get_params(deep=False).items()}
        every_note = tuple(dict.fromkeys((*notes, *model.about.notes)))
        return model.replace_about(About(self.name, parameters, rows, weight, every_note, sketch or model.about.sketch))

    # -- input ----------------------------------------------------------------------------------------------

    def _remember(self, schema: Schema, names: NDArray[Any] | None) -> None:
        """Store the columns seen in `fit`, without the target, and their names if they were the user's own."""
        self._fit_schema = Schema(tuple(column for column in schema.columns if column.name != schema.target))
        self._target = schema.target
        self.n_features_in_ = len(self._fit_schema)
        if names is not None:
            self.feature_names_in_ = names[names != schema.target]
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _set_table_attributes(self, table: Table) -> None:
        """Store what fitted attributes need from the training table, whose model is `model_`."""

    def _ready_batch(self, table: Table, sample_weight: Any, *, fresh: bool) -> PreparedTable:
        """Return the rows that partial_fit uses, `fresh` if they are the first."""
        assert self.target_is_classes is not None
        own = ready_batch(
            inputs.weighted(table, sample_weight), self.accepted_kinds(), self.target_is_classes, first=fresh
        )
        return PreparedTable(self._scale_weights(own.table, fresh=fresh), own.notes)

    def _scale_weights(self, batch: Table, *, fresh: bool) -> Table:
        """Return rows with weights in the unit of the first batch, which is this one if `fresh`."""
        if fresh:
            self._weight_unit = weight_unit(batch)
        return counting_rows(batch, self._weight_unit)

    def _to_table(self, X: Any, names: Sequence[str] | None = None, known: Schema | None = None) -> inputs.InputTable:
        """Return user input as a table; a list of strings is a text column for learners that take texts.

        Likewise, a list of arrays is a column of bags for those that take bags.
        """
        kinds = self.accepted_kinds()
        return inputs.to_input_table(X, names, known, texts=Kind.TEXT in kinds, bags=Kind.BAG in kinds)

    def _new_rows_to_table(self, X: Any, known: Schema | None = None) -> Table:
        """Return new rows as a table; input without column names must have as many columns as in `fit`."""
        self._check_fitted()
        expected = self._fit_schema.names
        if [column.kind for column in self._fit_schema.columns] == [Kind.TEXT]:
            text = parse_texts(X, expected=True)
            if text is not None:
                return text_table(text, expected[0])
        if (bags := parse_bags_for_schema(self._fit_schema, X)) is not None:
            return bags
        entered = self._to_table(X, expected if width(X) == len(expected) else None, known)
        if entered.names is None and len(entered.table.schema) != len(expected):
            raise DataError(
                f"X has {len(entered.table.schema)} features, but {type(self).__name__} is expecting "
                f"{len(expected)} features as input."
            )
        return entered.table

    def _prediction_table(self, X: Any) -> Table:
        """Return new rows under the model's schema, with a warning about levels and columns that it does not know."""
        table = self._new_rows_to_table(X)
        faults = data_faults(self.model_)
        aligned = align(table, self.model_.schema, faults)
        seen = {*self._fit_schema.names, self._target}
        unseen = {name: levels for name, levels in aligned.unseen.items() if name != self._target}
        aligned = replace(aligned, extra=tuple(name for name in aligned.extra if name not in seen), unseen=unseen)
        self._warn((*(faults.notes if faults is not None else ()), *aligned.notes))
        return aligned.table

    def _check_fitted(self) -> None:
        if not hasattr(self, "model_"):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments first."
            )

    def _warn(self, notes: Iterable[str]) -> None:
        for note in notes:
            warnings.warn(note, DataWarning, stacklevel=4)


def width(X: Any) -> int:
    """Return the number of columns of an array or a list of rows, 1 for a list of texts; -1 if unknown."""
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape) in (1, 2):
        return 1 if len(shape) == 1 else int(shape[1])
    try:
        first = next(row for row in X if row is not None) if isinstance(X, list | tuple | Text) else X[0]
        return 1 if isinstance(first, str | bytes) else len(first)
    except StopIteration:
        return -1
    except (TypeError, KeyError, IndexError):
        return -1


def _plain(value: Any) -> Any:
    """Return a parameter as a JSON value."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, AbstractSet):
        return sorted(_plain(inner) for inner in value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Model | PathLike):
        return str(value)
    return value if isinstance(value, str | int | float | bool | None) else repr(value)
