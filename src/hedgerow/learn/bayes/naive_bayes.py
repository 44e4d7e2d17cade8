"""Naive Bayes on raw tables: nominal, numeric, text and missing values together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from hedgerow.data.design.discretize import METHODS
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.source import Source
from hedgerow.data.table.table import Numbers, Table
from hedgerow.data.text.text_counts import subtractable
from hedgerow.errors import UsageError
from hedgerow.learn import inputs
from hedgerow.learn.bayes.plan import NaiveBayesPlan, OtherColumns, class_rows, text_columns
from hedgerow.learn.bayes.soft_labels import check_shares, likeliest, soft_labels, soft_model
from hedgerow.learn.bayes.texts import TextSettings
from hedgerow.learn.classifier import CountingClassifier, labels
from hedgerow.learn.params import choice, flag, integer, mapping, real
from hedgerow.learn.passes import InMemoryEngine
from hedgerow.learn.prepare import set_target_kind
from hedgerow.learn.text.text_learner import TextLearner
from hedgerow.models.base.model import ClassModel, Model
from hedgerow.models.bayes.term_evidence import EVENTS

DENSITIES = ("normal", "kernel", "bins")


class NaiveBayes(CountingClassifier, TextLearner):
    """Bayes' rule, with columns assumed independent given the class.

    P(class given row) is proportional to P(class) times P(value given class) of every column. Missing values are
    ignored, in training and in prediction; a level unseen in training is treated as missing. The model prints as the
    table of counts and parameters that it computes with.

    Notes
    -----
    Nominal columns: P(level given class) = (count + v_level) / (rows of the class + sum of v), with pseudocounts v.
    `alpha` is the pseudocount of each level (1 is Laplace's estimator, 0 none); `m` is distributed over the levels
    of a column, equally or by `level_priors` (the m-estimate).

    Numeric columns: `normal`, a normal distribution per class; `kernel`, a kernel density with width range / sqrt(n);
    `bins`, intervals counted like levels. A standard deviation or width is at least the mean step between the column's
    values / sqrt(2 pi), so that equal values in one class do not give infinite densities.

    Text columns: `multinomial`, P(term given class) = (n + v) / (all terms of the class + v V) for every word, with V
    terms and a pseudocount v each (`alpha`, or `m` / V); `bernoulli`, the presence and absence of every term;
    `complement`, the terms of all other classes; `weighted_complement`, the same with normalized weights. The
    predictions equal those of scikit-learn's MultinomialNB, BernoulliNB and ComplementNB.

    Soft labels: `fit(X, y)` accepts P(class given row) as `y`, one column per class.

    References
    ----------
    J. D. M. Rennie, L. Shih, J. Teevan and D. R. Karger, Tackling the poor assumptions of naive Bayes text classifiers.
    ICML (2003).
    G. H. John and P. Langley, Estimating continuous distributions in Bayesian classifiers. UAI (1995).

    Examples
    --------
    >>> from hedgerow.data.table.table import Table
    >>> table = Table.of({"sky": ["sun", "sun", "rain", "rain"], "play": ["yes", "yes", "no", "yes"]}, "play")
    >>> print(NaiveBayes().train(table))
    play        yes   no
      P(class)  3/4  1/4
    <BLANKLINE>
    sky         yes   no
      sun       3/5  1/3
      rain      2/5  2/3
    """

    density: str = choice("normal", "how numeric columns are modeled", *DENSITIES)
    densities: Mapping[str, str] | None = mapping("the same for individual columns, by name: age=kernel,income=bins")
    alpha: float = real(1.0, "pseudocount per level: 1 is Laplace's estimator, 0 means no smoothing", low=0, high=1e30)
    m: float | None = real(
        None,
        "equivalent sample size of the m-estimate, distributed over the levels of a column; replaces alpha",
        low=0,
        high=1e30,
        none=True,
    )
    level_priors: Mapping[str, Mapping[str, float]] | None = mapping(
        "for m: the prior probability of each level, by column and level; uniform in other columns"
    )
    divisor: str = choice("n-1", "divisor of the variance of a normal distribution", "n-1", "n")
    discretizer: str = choice("mdl", "how bins are chosen", *METHODS)
    bins: int = integer(10, "number of bins for width and frequency", low=2)
    text_model: str = choice("multinomial", "how the terms of text columns are modeled", *EVENTS)
    signed: bool = flag(False, "not supported by naive Bayes, which cannot use negative counts")

    def plan(self, schema: Schema) -> NaiveBayesPlan:
        """Return the pass that counts every column by class."""
        models = {name: self._column_model(schema[name]) for name in self.densities or {} if name in schema}
        for name in (*(self.densities or {}), *(self.level_priors or {})):
            schema.index(name)
        numeric = [name for name in self.level_priors or {} if schema[name].kind is not Kind.NOMINAL]
        if numeric:
            raise UsageError(
                f"level_priors: {numeric[0]} is {schema[numeric[0]].kind}; only nominal columns have levels"
            )
        if self.level_priors is not None and self.m is None:
            raise UsageError("level_priors distribute m over the levels; also give m")
        return NaiveBayesPlan(schema, self, models, TextSettings.of(self) if text_columns(schema) else None)

    def learn(self, table: Table) -> Model:
        """Return the model of a prepared table; its texts are split once, even where a stream needs two passes."""
        plan = self.plan(table.schema)
        if plan.is_single_pass:
            return super().learn(table)
        assert plan.texts is not None
        members = class_rows(table)
        factors = {
            position: plan.texts.learn_factor(table.texts(position), members) for position in text_columns(plan.schema)
        }
        return plan.model(InMemoryEngine(table).total(OtherColumns(plan)), factors)

    def train(self, data: Table | Source, shares: Numbers | None = None) -> ClassModel:
        """Return the model of a table or a source; the learner itself is not changed.

        `shares` are soft labels of a table: P(class given row), one row per row of the table and one column per class
        of the target, whose own values are then ignored. A row counts in every class by its share, as if it were
        repeated once per class with that weight; a row whose shares are all 0 is ignored.
        """
        if shares is None:
            return super().train(data)
        if not isinstance(data, Table):
            raise UsageError("soft labels can only be used with a table; a source contains its own classes")
        self.check_params()
        table, _ = set_target_kind(data, classes=True)
        values = np.ascontiguousarray(shares, dtype=np.float64)
        check_shares(values, table.n_rows, len(table.schema.target_column.levels))
        return cast("ClassModel", soft_model(self, table, values).model)

    def add_explanation(self, model: Model, table: Table, notes: Sequence[str]) -> Model:
        """Return a model of a table with the record of how it was trained."""
        return self.add_about(model, table.n_rows, table.total_weight, tuple(notes))

    def _add_target(self, table: Table, y: Any, name: str) -> Table:
        soft = soft_labels(y, table.n_rows)
        if soft is None:
            return super()._add_target(table, y, name)
        self._classes, self._shares = soft
        column = Column(name, Kind.NOMINAL, levels=labels(self._classes))
        return inputs.with_target(table, column, likeliest(self._shares))

    @property
    def only_counts(self) -> bool:
        """Whether `train` does nothing but count, so that counts of some rows can be subtracted."""
        own = type(self).train is NaiveBayes.train and type(self).learn is NaiveBayes.learn
        return own and subtractable(self.tokens(), self.limits(), self.weighting())

    def _train_for_fit(self, data: Table | Source) -> Model:
        shares = self.__dict__.pop("_shares", None)
        if shares is not None and isinstance(data, Table):
            model = soft_model(self, data, shares)
            if model.counts is not None:
                self._counts, self._plan_schema = model.counts, model.schema
            return model.model
        if not text_columns(data.schema) or TextSettings.of(self).is_single_pass:
            return super()._train_for_fit(data)
        return self.train(data)  # there are no counts to continue from

    def _add(self, table: Table, schema: Schema, fresh: bool, is_number: bool) -> None:
        if text_columns(schema) and not TextSettings.of(self).is_single_pass:
            raise UsageError(
                "partial_fit cannot weight terms before the number of texts is known: leave out idf, and norm or "
                "tf='share' and 'most' where terms are left out, or train on all rows"
            )
        super()._add(table, schema, fresh, is_number)

    def _column_model(self, column: Column) -> str:
        chosen = str((self.densities or {})[column.name])
        if chosen not in DENSITIES:
            raise UsageError(f"densities: {column.name}={chosen} is not allowed; choose {', '.join(DENSITIES)}")
        if column.kind is not Kind.NUMERIC:
            raise UsageError(f"densities: {column.name} is {column.kind}; only numeric columns have a density")
        return chosen
