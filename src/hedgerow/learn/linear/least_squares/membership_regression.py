"""Membership regression: any regressor as a classifier, one regression per class on 1 for its rows and 0 for others."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from hedgerow.data.design.design import Design
from hedgerow.data.design.design_counts import DesignCounts
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Numbers, Table
from hedgerow.data.table.threads import map_in_order
from hedgerow.errors import ModelError, UsageError
from hedgerow.layout.rounding import round_digits
from hedgerow.learn.adapt import adapt
from hedgerow.learn.classifier import Classifier
from hedgerow.learn.ensembles.members import member_notes
from hedgerow.learn.linear.least_squares.class_products import ClassProducts
from hedgerow.learn.linear.least_squares.level_groups import LevelGroups
from hedgerow.learn.linear.least_squares.linear_regression import NORMAL, STOCHASTIC, LinearRegression
from hedgerow.learn.linear.least_squares.products import MOST_PLACES, Means
from hedgerow.learn.linear.least_squares.solve import NormalEquations, round_coefficients, solve
from hedgerow.learn.params import regressor
from hedgerow.learn.passes import Plan
from hedgerow.learn.registry import resolve_learner
from hedgerow.models.base.model import About, ClassModel, NumberModel
from hedgerow.models.linear.linear import Linear
from hedgerow.models.linear.linear_classes import MEMBERSHIP, ClassFigures, LinearClasses
from hedgerow.models.many.memberships import Memberships, number_schema

MANY_PLACES = 500  # levels from which they are eliminated, class by class


class MembershipRegression(Classifier):
    """Membership regression: a regressor as classifier, one regression per class on 1 for its rows, else 0.

    The class with the largest value is predicted. Values are not probabilities; they are clipped to [0, 1] and
    normalized to sum to 1. If none is above 0, the class with the largest value has probability 1 (shared on ties).

    With the base LinearRegression all classes are solved from one pass over the rows, and the model prints as one table
    of coefficients; streams are also supported. Any other regressor is trained once per class: one of hedgerow's, or
    anything with scikit-learn's `fit` and `predict`, whose model cannot be saved.

    References
    ----------
    I. H. Witten, E. Frank, M. A. Hall, Data mining (2011), section 4.6: multiresponse linear regression.

    Examples
    --------
    >>> table = Table.of({"x": [1.0, 2.0, 3.0, 4.0], "c": ["no", "no", "yes", "yes"]}, "c")
    >>> print(MembershipRegression().train(table))
    membership of each class = the sum of coefficient times value
    P(class) = membership, clipped to [0, 1] and normalized to sum to 1
    <BLANKLINE>
                   no   yes  if missing
    (intercept)   1.5  -0.5
    x            -0.4   0.4         2.5
    <BLANKLINE>
    4 rows
    """

    base: Any = regressor("linear_regression", "the regressor that predicts the membership in a class")

    def base_learner(self) -> Any:
        """Return the base: the given learner, or the one with this name; an estimator is adapted."""
        return adapt(resolve_learner(self.base))

    def accepted_kinds(self) -> frozenset[Kind]:
        """Return the kinds of columns that the base takes."""
        base = self.base_learner()
        kinds = getattr(base, "accepted_kinds", None)
        return kinds() if kinds is not None else frozenset({Kind.NUMERIC, Kind.NOMINAL})

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags; it aims at accuracy if its base does."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = bool(getattr(self.base, "poor_score", False))
        return tags

    def learn(self, table: Table) -> ClassModel:
        """Return the model of a prepared table."""
        base = self.base_learner()
        is_summed = isinstance(base, LinearRegression) and base.solver != STOCHASTIC and base.fit_intercept
        if is_summed and not base.trace:
            counts = DesignCounts.of(table, base.design_options())
            design = Design.from_counts(table.schema, counts, base.design_options())
            if design.width <= MOST_PLACES and not _is_quicker_by_class(base, design):
                return class_model(base, ClassProducts.of(design, table))
        return self._learn_each_class(base, table)

    def plan(self, schema: Schema) -> Plan:
        """Return the first of two passes over a stream, if the base is least squares."""
        base = self.base_learner()
        if not isinstance(base, LinearRegression):
            name = getattr(base, "name", type(base).__name__)
            raise UsageError(
                f"{type(self).__name__} can be trained on a stream only with the base LinearRegression, not with "
                f"{name}; read the rows into a table"
            )
        if base.solver == STOCHASTIC:
            raise UsageError(
                f"{type(self).__name__} cannot be trained on a stream with solver='sgd'; read the rows into a table, "
                "or use solver='normal'"
            )
        if not base.fit_intercept:
            raise UsageError(
                f"{type(self).__name__} needs an intercept to be trained on a stream; read the rows into a table for "
                "fit_intercept=False"
            )
        base.plan(schema)  # raises the error that streams are not supported
        return CountMembershipDesign(base, schema)

    def _learn_each_class(self, base: Any, table: Table) -> ClassModel:
        """Return the model of one regression per class."""
        position = table.schema.index(table.schema.target_column.name)
        codes, schema = table.codes(position), number_schema(table.schema)
        wanted = schema.target_column

        def learn_class(code: int) -> NumberModel:
            own = table.with_column(wanted, (codes == code).astype(np.float64))
            model = base.train(own)
            if not isinstance(model, NumberModel):
                raise UsageError(f"base={base!r} returned {type(model).__name__}, which does not predict numbers")
            if model.schema.names != table.schema.names:
                raise UsageError(f"base={base!r} returned a model of other columns than those it was given")
            return model

        shows = bool(getattr(base, "trace", False))  # since the steps are printed in order
        every = range(len(table.schema.target_column.levels))
        members = list(map(learn_class, every) if shows else map_in_order(learn_class, every))
        notes = member_notes(base, members)
        if all(isinstance(one, Linear) for one in members):
            sums_to_1 = isinstance(base, LinearRegression) and base.solver == NORMAL and base.fit_intercept
            return _join_models([one for one in members if isinstance(one, Linear)], table, notes, sums_to_1)
        members = [one.replace_about(About()) for one in members]
        return Memberships(table.schema, tuple(members), about=About(notes=notes))


def _is_quicker_by_class(base: LinearRegression, design: Design) -> bool:
    """Whether to solve class by class, which is linear in the levels of the largest nominal column, not cubic."""
    can_group = base.solver == NORMAL and base.alpha == 0
    return can_group and design.width > MANY_PLACES and LevelGroups.of(design) is not None


def class_model(base: LinearRegression, products: ClassProducts) -> LinearClasses:
    """Return the model of products: the same normal equations for every class, or one descent per class."""
    design, k = products.design, products.by_class.shape[1]
    intercepts, slopes = np.empty(k), np.empty((k, design.width))
    left_out: Any = np.empty(0, dtype=np.int32)
    notes: dict[str, None] = {}
    factor = None
    for code in range(k):
        own = products.of_class(code)
        if base.solver == NORMAL:
            factor = factor or NormalEquations.of(own, float(base.alpha), bool(base.standardize))
            solution = solve(own, float(base.alpha), bool(base.standardize), factor)
            intercepts[code], slopes[code] = round_coefficients(
                solution.intercept, solution.slopes, Means.of(own), int(base.digits)
            )
            left_out, parts = np.flatnonzero(~solution.kept_positions).astype(np.int32), solution.notes
        else:
            model = base.make_model(own)
            intercepts[code], slopes[code], parts = model.intercept, model.slopes, model.about.notes
        notes.update(dict.fromkeys(parts))
    if k == 2 and base.solver == NORMAL:
        _complement(intercepts, slopes)
    return _classes(design, intercepts, slopes, left_out, products.weight, tuple(notes))


def _complement(intercepts: Numbers, slopes: Numbers) -> None:
    """Make rounded memberships of two classes sum to 1, as exact ones do.

    The function of the smaller intercept is kept: the other's intercept is larger and at least as close to its own.
    """
    smaller, larger = np.argsort(intercepts, kind="stable").tolist()
    intercepts[larger] = float(1 - Decimal(repr(float(intercepts[smaller]))))
    slopes[larger] = 0.0 - slopes[smaller]


def _join_models(members: list[Linear], table: Table, notes: tuple[str, ...], sums_to_1: bool) -> LinearClasses:
    """Return linear models of the same rows as one; `sums_to_1` means that the exact models would sum to 1."""
    design = Design(table.schema, members[0].design.parts)
    if any(one.design.width != design.width for one in members):
        raise ModelError("the base uses different columns for different classes")
    slopes = np.array([one.slopes for one in members]).reshape(len(members), design.width)
    left_out = members[0].left_out
    left_out = left_out[~slopes[:, left_out].any(axis=0)]
    intercepts = np.array([one.intercept for one in members])
    if sums_to_1 and len(members) == 2:
        _complement(intercepts, slopes)
    return _classes(design, intercepts, slopes, left_out, table.total_weight, notes)


def _classes(
    design: Design, intercepts: Numbers, slopes: Numbers, left_out: Any, weight: float, notes: tuple[str, ...]
) -> LinearClasses:
    class_codes = np.arange(len(intercepts), dtype=np.int32)
    return LinearClasses(
        design.schema,
        design,
        class_codes,
        intercepts,
        slopes,
        MEMBERSHIP,
        left_out=left_out,
        figures=ClassFigures(round_digits(weight, 15)),
        about=About(notes=notes),
    )


@dataclass(frozen=True)
class CountMembershipDesign(Plan):
    """First pass: means, levels and terms."""

    base: LinearRegression
    schema: Schema

    def count(self, table: Table) -> DesignCounts:
        """Return the counts of some rows."""
        return DesignCounts.of(table, self.base.design_options())

    def advance(self, counts: DesignCounts) -> Plan:
        """Return the pass that sums products."""
        return SumClassProducts(self.base, Design.from_counts(self.schema, counts, self.base.design_options()))


@dataclass(frozen=True)
class SumClassProducts(Plan):
    """Second pass: products of the positions, by class."""

    base: LinearRegression
    design: Design

    def count(self, table: Table) -> ClassProducts:
        """Return the products of some rows."""
        return ClassProducts.of(self.design, table)

    def advance(self, counts: ClassProducts) -> LinearClasses:
        """Return the model."""
        return class_model(self.base, counts)
