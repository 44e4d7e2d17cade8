"""Attributes of fitted learners that scikit-learn's tools ask for, with one entry for every feature of the input.

A nominal or text feature has several coefficients, so there is no `coef_` unless all features are numeric; the model's
`coefficient_sets()` has the coefficients of all levels and terms. `feature_importances_` is defined for all kinds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.design.blocks import NumberBlock
from hedgerow.data.design.design import Design
from hedgerow.data.frames.text_lists import text_parts
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Numbers
from hedgerow.errors import UsageError
from hedgerow.learn.attributes.feature_columns import positions_by_column
from hedgerow.models.linear.linear import Linear
from hedgerow.models.linear.linear_classes import LinearClasses

if TYPE_CHECKING:
    from hedgerow.learn.supervised import Supervised as Beside
else:
    Beside = object


class TreeAttributes(Beside):
    """Attributes of learners of trees and of ensembles; a mixin."""

    @property
    def feature_importances_(self) -> Numbers:
        """The share of each feature in the decrease of impurity by splits; the sum is 1, or 0 without splits."""
        shares = _model(self, "feature_importances_")
        try:
            known = shares.importance()
        except UsageError as error:
            raise AttributeError(f"there is no feature_importances_: {error}") from None
        return np.array([known.get(name, 0.0) for name in self._fit_schema.names])


class LinearAttributes(Beside):
    """Attributes of linear regressors; a mixin."""

    @property
    def coef_(self) -> Numbers:
        """The coefficient of each feature, if all features are numeric; 0 for those that the model does not use."""
        model = _model(self, "coef_")
        assert isinstance(model, Linear)
        (coefficients,) = by_feature(self, model.design, model.slopes[None, :])
        return np.asarray(coefficients)

    @property
    def intercept_(self) -> float:
        """The intercept."""
        model = _model(self, "intercept_")
        assert isinstance(model, Linear)
        return float(model.intercept)


class LinearClassAttributes(Beside):
    """Attributes of linear classifiers: of two classes one function, positive for the second one; a mixin."""

    @property
    def coef_(self) -> Numbers:
        """The coefficients, one line per function and one column per feature, if all features are numeric."""
        model = _model(self, "coef_")
        assert isinstance(model, LinearClasses)
        return by_feature(self, model.design, _functions(model, model.slopes))

    @property
    def intercept_(self) -> Numbers:
        """The intercept of every function."""
        model = _model(self, "intercept_")
        assert isinstance(model, LinearClasses)
        return _functions(model, model.intercepts[:, None])[:, 0]

    @property
    def n_iter_(self) -> NDArray[np.int64]:
        """The number of passes that training took."""
        figures = getattr(_model(self, "n_iter_"), "figures", None)
        passes = getattr(figures, "passes", None)
        if passes is None:
            raise AttributeError("the model does not record how many passes its training took")
        return np.array([max(1, int(passes))])

    def decision_function(self, X: Any) -> Numbers:
        """Return the functions of every row: of two classes one, positive for the second; else one per class."""
        self._check_fitted()
        model = self.model_
        assert isinstance(model, LinearClasses)
        values = np.concatenate([model.functions(self._prediction_table(part)) for part in text_parts(X)])
        return values[:, 1] - values[:, 0] if values.shape[1] == 2 else values


def by_feature(learner: Any, design: Design, lines: Numbers) -> Numbers:
    """Return coefficients with one column per feature of the input, all of which must be numeric."""
    columns = learner._fit_schema.columns  # noqa: SLF001
    several = {design.schema.names[place] for place, part in design.used_blocks if not isinstance(part, NumberBlock)}
    other = next((c.name for c in columns if c.kind is not Kind.NUMERIC or c.name in several), None)
    if other is not None:
        raise AttributeError(
            f"there is no coef_, since {other!r} may have several coefficients; model_.coefficient_sets() has them all"
        )
    places = positions_by_column(design)
    out = np.zeros((len(lines), len(columns)))
    for position, column in enumerate(columns):
        if column.name in places:
            out[:, position] = lines[:, places[column.name][0]]
    return out


def _functions(model: LinearClasses, lines: Numbers) -> Numbers:
    """Return what belongs to each class; of two classes the second's less the first's."""
    every = np.zeros((len(model.classes), lines.shape[1]))
    every[model.told] = lines
    return every[1:] - every[:1] if len(every) == 2 else every


def _model(learner: Any, attribute: str) -> Any:
    """Return the fitted model; an unfitted learner does not have the attribute."""
    if not hasattr(learner, "model_"):
        raise AttributeError(f"{type(learner).__name__} has no {attribute} before it is fitted")
    return learner.model_
