"""Learners of other packages: anything with scikit-learn's `fit` and `predict` as a learner of tables.

The estimator is used unchanged. Only what it does not support is done for it, fitted on the training rows
alone: levels become indicator columns (or codes, if it splits on categories), missing numbers become the
median, unless it takes missing values. Nothing is scaled: use a pipeline for that.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from hedgerow.data.read import to_data
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.source import Source
from hedgerow.data.table.table import Table
from hedgerow.errors import ModelError, UsageError
from hedgerow.learn.parameter_names import rename
from hedgerow.learn.prepare import check_usable, ready
from hedgerow.learn.registry import find_learner
from hedgerow.models.base.model import About, Model
from hedgerow.models.foreign.encoding import Encoding, Nominal, learn_encoding, n_codes, nominal_positions
from hedgerow.models.foreign.foreign_models import ForeignClasses, ForeignNumbers, first_line

MOST_CATEGORIES = 255  # of a column that scikit-learn's histogram boosting splits on
UNWEIGHTED = "the estimator does not support sample weights: all rows have equal weight in its training"


def adapt(learner: Any) -> Any:
    """Return a learner for tables: a learner unchanged, a name instantiated, an estimator adapted.

    >>> adapt("c45(min_leaf=5)")
    C45(min_leaf=5.0)
    """
    if isinstance(learner, str):
        return learner_from_text(learner)
    if isinstance(learner, type):
        raise UsageError(f"{learner.__name__} is a class; give an instance of it: {learner.__name__}()")
    if callable(getattr(learner, "train", None)):
        return learner
    if callable(getattr(learner, "fit", None)) and callable(getattr(learner, "predict", None)):
        return AdaptedLearner(learner)
    raise UsageError(f"{learner!r} is not a learner: it has neither `train` nor `fit` and `predict`")


def learner_from_text(text: str) -> Any:
    """Return a learner by its name, `c45`, or by its path, `sklearn.svm.SVC`; either with parameters in parentheses."""
    name, settings = _parse_settings(text)
    if "." not in name:
        kind = find_learner(name)
        parameters = {
            key: kind.params[key].parse(word) if key in kind.params else word
            for key, word in rename(kind.name, settings, kind.params).items()
        }
        learner = kind().set_params(**parameters)
        learner.check_params()
        return learner
    result = _import_class(name)
    try:
        return adapt(result(**{key: _value(word) for key, word in settings.items()}))
    except TypeError as error:
        raise UsageError(f"{text}: {first_line(error)}") from None


def split_learners(text: str) -> list[str]:
    """Return the learners of a comma-separated list; commas inside parentheses belong to a learner's parameters.

    >>> split_learners("c45(min_leaf=5,prune=none), one_r")
    ['c45(min_leaf=5,prune=none)', 'one_r']
    """
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


@dataclass(frozen=True, eq=False)
class AdaptedLearner:
    """An estimator with `fit` and `predict` as a learner; the estimator itself is not changed."""

    estimator: Any

    @cached_property
    def name(self) -> str:
        """The class of the estimator, or those of a pipeline's steps."""
        steps = getattr(self.estimator, "steps", None)
        parts = [self.estimator] if steps is None else [step for _, step in steps]
        return "+".join(type(part).__name__ for part in parts)

    @cached_property
    def version(self) -> str:
        """The package that defines the estimator, with its version."""
        package = type(self.estimator).__module__.split(".")[0]
        return f"{package} {getattr(import_module(package), '__version__', '?')}"

    @cached_property
    def target_is_classes(self) -> bool:
        """Whether it predicts classes rather than numbers."""
        from sklearn.base import is_regressor

        try:
            return not is_regressor(self.estimator)
        except AttributeError:  # it has `fit` and `predict`, but is not built on scikit-learn
            return getattr(self.estimator, "_estimator_type", "classifier") != "regressor"

    @cached_property
    def takes_weights(self) -> bool:
        """Whether its `fit` takes row weights."""
        from sklearn.utils.validation import has_fit_parameter

        return bool(has_fit_parameter(self.estimator, "sample_weight"))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the estimator's own parameters."""
        return dict(self.estimator.get_params(deep)) if hasattr(self.estimator, "get_params") else {}

    def __repr__(self) -> str:
        return f"Adapted({self.estimator!r})"

    def train(self, data: Any, target: str | None = None) -> Model:
        """Return the model of a table or a frame: a fitted copy of the estimator."""
        data = to_data(data, target)
        if isinstance(data, Source):
            raise UsageError(f"{self.name} cannot be trained on a stream; read the rows into a table")
        takes = frozenset({Kind.NUMERIC, Kind.NOMINAL})
        check_usable(data.schema, takes, self.name, self.target_is_classes, data)
        prepared_table = ready(data, takes, self.target_is_classes)
        return self._train_prepared(prepared_table.table, prepared_table.notes)

    def sharing(self, table: Table) -> Callable[[Table], Model]:
        """Return the models of prepared tables that differ only in the target; they share one matrix."""
        matrix = self._encoding(table, _copy(self.estimator)).matrix(table)
        return lambda other: self._train_prepared(other, (), matrix)

    def _train_prepared(self, table: Table, noted: tuple[str, ...], matrix: Any = None) -> Model:
        """Return the model of a prepared table, whose matrix may already have been computed."""
        estimator = _copy(self.estimator)
        encoding = self._encoding(table, estimator)
        matrix = encoding.matrix(table) if matrix is None else matrix
        weighted = table.weights is not None and not _equal(table.weights)
        extra = {"sample_weight": table.row_weights} if weighted and self.takes_weights else {}
        try:
            estimator.fit(matrix, table.target, **extra)
        except Exception as error:
            raise ModelError(f"{self.name} cannot be trained on this table: {first_line(error)}") from error
        notes = (*noted, *((UNWEIGHTED,) if weighted and not self.takes_weights else ()))
        about = About(
            self.name,
            {key: repr(value) for key, value in self.get_params(deep=False).items()},
            table.n_rows,
            table.total_weight,
            notes,
        )
        kind: Callable[..., Model] = ForeignClasses if self.target_is_classes else ForeignNumbers
        return kind(table.schema, estimator, encoding, about=about)

    def _encoding(self, table: Table, estimator: Any) -> Encoding:
        """Return how the columns are passed to the estimator; one that splits on categories gets their indices."""
        tags = _input_tags(estimator)
        nominal: Nominal = "indicators"
        if "categorical_features" in self.get_params(deep=False):
            if max(n_codes(table.schema), default=0) <= MOST_CATEGORIES:
                nominal = "codes"
                estimator.set_params(categorical_features=nominal_positions(table.schema) or None)
        elif "min_categories" in self.get_params(deep=False):  # CategoricalNB counts codes
            nominal = "codes"
            estimator.set_params(min_categories=n_codes(table.schema))
        keeps = bool(tags is not None and tags.allow_nan)
        return learn_encoding(table, nominal, keeps, bool(tags is not None and tags.sparse))


def _parse_settings(text: str) -> tuple[str, dict[str, str]]:
    """Return a learner's name and its parameters as text: `c45(min_leaf=5)`."""
    name, bracket, rest = text.strip().partition("(")
    if not bracket:
        return name, {}
    if not rest.endswith(")"):
        raise UsageError(f"{text!r} lacks a closing bracket; write c45(min_leaf=5)")
    settings = {}
    for part in split_learners(rest[:-1]):
        key, sign, word = part.partition("=")
        if not sign:
            raise UsageError(f"{part!r} in {text!r} is not a setting; write name=value, as in c45(min_leaf=5)")
        settings[key.strip()] = word.strip().strip("'\"")
    return name.strip(), settings


def _import_class(path: str) -> Any:
    """Return the class with this dotted path."""
    module, _, name = path.rpartition(".")
    try:
        kind = getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        raise UsageError(f"there is no learner {path!r}: {error.msg.lower()}") from None
    except (AttributeError, ImportError):
        raise UsageError(f"there is no learner {path!r}: {module} has no {name!r}") from None
    if not isinstance(kind, type) or not callable(getattr(kind, "fit", None)):
        raise UsageError(f"{path!r} is not a learner: it has no `fit`")
    return kind


def _value(word: str) -> Any:
    try:
        return ast.literal_eval(word)
    except (ValueError, SyntaxError):
        return {"none": None, "true": True, "false": False}.get(word.lower(), word)


def _copy(estimator: Any) -> Any:
    """Return a fresh copy; an unset random state becomes 1, so that the same data give the same model."""
    from sklearn.base import clone

    copy = clone(estimator) if hasattr(estimator, "get_params") else deepcopy(estimator)
    open_seeds = [
        key
        for key, value in (copy.get_params() if hasattr(copy, "get_params") else {}).items()
        if key.rpartition("__")[2] == "random_state" and value is None
    ]
    return copy.set_params(**dict.fromkeys(open_seeds, 1)) if open_seeds else copy


def _input_tags(estimator: Any) -> Any:
    """Return scikit-learn's input tags of an estimator; None if it has none."""
    from sklearn.utils import get_tags

    try:
        return get_tags(estimator).input_tags
    except (AttributeError, TypeError, ValueError):
        return None


def _equal(weights: Any) -> bool:
    return bool(np.all(weights == weights[0])) if len(weights) else True
