"""Attributes of fitted machines that scikit-learn's users expect: decision values, coefficients, support vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.design.design import Design
from hedgerow.data.frames.text_lists import text_parts
from hedgerow.data.table.table import Numbers
from hedgerow.learn.attributes.feature_columns import FeatureColumns
from hedgerow.models.svm.functions import KernelFunctions, LinearFunctions
from hedgerow.models.svm.machines import Machines

if TYPE_CHECKING:
    from hedgerow.learn.classifier import Classifier as Beside
else:
    Beside = object


class SklearnAttributes(FeatureColumns, Beside):
    """Attributes of fitted machines, as a mixin of classifiers."""

    model_: Machines

    def _design(self) -> Design:
        return self.model_.design

    def decision_function(self, X: Any) -> Numbers:
        """Return how far every row is on the side of a class, 0 or more for the class that is decided for.

        Of two classes it is f, positive for the second one of `classes_`; of more one column per class, the largest of
        which decides: f of its machine against the rest, or its votes and a part of 1 for how sure they are.
        """
        self._check_fitted()
        parts = [self.model_.decision_values(self._prediction_table(part)) for part in text_parts(X)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    @property
    def coef_(self) -> Numbers:
        """The slopes of linear machines: one row per machine, one column per feature, on the scale of the data.

        Features that tell nothing, such as constant ones, have a slope of 0; see `learn/attributes/feature_columns.py`.
        """
        slopes: Numbers = self._to_feature_columns(self._linear().slopes, constants=False)
        return slopes

    @property
    def intercept_(self) -> Numbers:
        """The intercept of every machine."""
        self._check_fitted()
        return self.model_.functions.intercepts

    @property
    def n_iter_(self) -> NDArray[np.int64]:
        """The number of steps of every machine."""
        self._check_fitted()
        if self.model_.figures is None:
            raise AttributeError("the model does not record how many steps its training took")
        return np.maximum(self.model_.figures.iterations, 1)

    @property
    def support_(self) -> NDArray[np.int64]:
        """The rows of the input that are support vectors, of kernel machines; of equal rows the first."""
        return self._learned_rows[self._kernel().rows]

    @property
    def support_vectors_(self) -> Any:
        """The support vectors of kernel machines, one column per feature, on the scale of the data."""
        vectors = self._kernel().vectors
        return None if vectors is None else self._to_feature_columns(vectors, constants=True)

    @property
    def dual_coef_(self) -> Any:
        """What each support vector counts in each machine (lines), alpha times +1 or -1; scipy's csr_array."""
        return self._kernel().weights

    def _linear(self) -> LinearFunctions:
        self._check_fitted()
        if not isinstance(self.model_.functions, LinearFunctions):
            raise AttributeError("coef_ is defined only for linear machines, kernel='linear'")
        return self.model_.functions

    def _kernel(self) -> KernelFunctions:
        self._check_fitted()
        if not isinstance(self.model_.functions, KernelFunctions):
            raise AttributeError("linear machines store coefficients (coef_) instead of support vectors")
        return self.model_.functions
