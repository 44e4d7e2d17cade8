"""The base of multiclass learners built from binary ones: one member for every row of a class code."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.data.table.threads import map_in_order
from hedgerow.learn.adapt import AdaptedLearner
from hedgerow.learn.ensembles.members import Ensemble, member_notes, weighted
from hedgerow.learn.many.two_sides import TwoSides, make_member_trainer
from hedgerow.models.base.model import About
from hedgerow.models.many.class_codes import CodeMatrix
from hedgerow.models.many.output_code import OutputCodeModel

UNWEIGHTED = "the base learner does not support weights: all rows have equal weight in its training"


class ManyClasses(Ensemble):
    """Classifiers that train one binary model for every row of a class code."""

    @abstractmethod
    def code(self, n: int, used: Codes) -> CodeMatrix:
        """Return the code of n classes, of which some have rows."""

    @property
    @abstractmethod
    def decoding(self) -> str:
        """How the members' predictions are combined into a class."""

    def learn(self, table: Table) -> OutputCodeModel:
        """Return the model; members are trained in parallel, by all available threads."""
        base, sides = self.base_learner(), TwoSides.of(table, self.code)
        make = make_member_trainer(base, sides)
        if getattr(base, "trace", False):  # since the steps are printed in order
            members = list(map(make, range(len(sides.codes))))
        else:
            members = list(map_in_order(make, range(len(sides.codes))))
        notes = member_notes(base, members)
        counts = weighted(base) or isinstance(base, AdaptedLearner)  # which adds this note itself
        if not counts and table.weights is not None and (table.weights != table.weights[0]).any():
            notes = (*notes, UNWEIGHTED)
        alone = tuple(one.replace_about(About()) for one in members)
        return OutputCodeModel(table.schema, alone, sides.codes, self.decoding, about=About(notes=notes))

    def decision_function(self, X: Any) -> Numbers:
        """Return one score per class (columns) for every row; for two classes one score, above 0 for the second."""
        self._check_fitted()
        model = self.model_
        assert isinstance(model, OutputCodeModel)
        table = self._prediction_table(X)
        if len(self.classes_) == 2 and model.codes.n_used == 2:
            return np.asarray(model.values(table)[0])
        return model.decision_values(table)
