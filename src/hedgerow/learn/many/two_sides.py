"""The two sides of a table for each row of a class code, and the members that are trained to separate them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Codes, Table
from hedgerow.data.table.threads import n_threads
from hedgerow.errors import UsageError
from hedgerow.learn.adapt import AdaptedLearner
from hedgerow.learn.ensembles.members import Base, check_model, train_base
from hedgerow.learn.registry import resolve_learner
from hedgerow.learn.trees.kernel_growth import TreeInput
from hedgerow.learn.trees.tree_learner import TreeLearner
from hedgerow.models.base.costs import cost_matrix
from hedgerow.models.base.model import ClassModel
from hedgerow.models.many.class_codes import CodeMatrix
from hedgerow.models.many.two_sides import classes_to_sides, side_schema


class TwoSides:
    """A table for the members, each with a binary target; no column is copied for any of them."""

    def __init__(self, table: Table, codes: CodeMatrix) -> None:
        self.table, self.codes = table, codes
        self.labels = table.target_codes
        self.position = table.schema.index(table.schema.target_column.name)

    @classmethod
    def of(cls, table: Table, code: Callable[[int, Codes], CodeMatrix]) -> TwoSides:
        """Return the sides of a table by the code of the classes that have rows."""
        used = np.unique(table.target_codes)
        return cls(table, code(len(table.schema.target_column.levels), used))

    def schema(self, machine: int) -> Schema:
        """Return a member's columns."""
        return side_schema(self.table.schema, self.codes, machine)

    def member_rows(self, machine: int) -> Table:
        """Return the rows of the classes that a member uses: a view, or all rows unchanged."""
        sides = classes_to_sides(self.codes, machine, self.labels)
        rows = np.flatnonzero(sides >= 0)
        table = self.table if len(rows) == len(sides) else self.table.view(rows)
        return self._with_sides(table, machine, sides[rows])

    @property
    def uses_all_rows(self) -> bool:
        """Whether every member uses all rows."""
        return bool(self.codes.entries[:, self.codes.used].all())

    def _with_sides(self, table: Table, machine: int, sides: Codes) -> Table:
        data = (*table.data[: self.position], sides, *table.data[self.position + 1 :])
        return replace(table, schema=self.schema(machine), data=data)


def make_member_trainer(base: Base, sides: TwoSides) -> Callable[[int], ClassModel]:
    """Return the function that trains the member for a row of the code."""
    if sides.codes.n_used == 1:
        return lambda machine: train_base(resolve_learner("majority"), sides.member_rows(machine))
    if isinstance(base, TreeLearner) and not base.trace and sides.uses_all_rows:
        return _shared_trees(base, sides)
    if isinstance(base, AdaptedLearner) and sides.uses_all_rows:
        return _shared_matrix(base, sides)
    return lambda machine: train_base(base_for_member(base, sides, machine), sides.member_rows(machine))


def _shared_trees(base: TreeLearner, sides: TwoSides) -> Callable[[int], ClassModel]:
    """Return the same for trees that all use the same rows: the columns are sorted once for all of them."""
    rows = TreeInput(sides.table)
    threads = max(1, n_threads() // len(sides.codes))

    def grow_tree(machine: int) -> ClassModel:
        learner = base_for_member(base, sides, machine)
        assert isinstance(learner, TreeLearner)
        return learner.grow_tree(rows.with_target_of(sides.member_rows(machine), threads))

    return grow_tree


def _shared_matrix(base: AdaptedLearner, sides: TwoSides) -> Callable[[int], ClassModel]:
    """Return the same for an estimator of another package: all members learn from one matrix."""
    learn = base.sharing(sides.table)

    def train_member(machine: int) -> ClassModel:
        table = sides.member_rows(machine)
        return check_model(base, learn(table), table)

    return train_member


def base_for_member(base: Base, sides: TwoSides, machine: int) -> Base:
    """Return the base for one member: costs and priors that name classes become those of its sides."""
    if not hasattr(base, "get_params"):
        return base
    params = base.get_params(deep=False)
    costs, priors = params.get("costs"), params.get("priors")
    if not isinstance(base, TreeLearner) or (costs is None and priors is None):
        return base
    classes, codes = sides.table.schema.target_column.levels, sides.codes
    minus, plus = codes.sides(machine)
    if costs is not None:
        params["costs"] = _side_costs(costs, classes, minus, plus)
    if priors is not None:
        names = sides.schema(machine).target_column.levels
        params["priors"] = {
            name: _prior(priors, classes, side) for name, side in zip(names, (minus, plus), strict=True)
        }
    other: Base = type(base)(**params)
    return other


def _side_costs(costs: Any, classes: tuple[str, ...], minus: tuple[int, ...], plus: tuple[int, ...]) -> Any:
    """Return the costs of a pair of classes; sides of several classes have none."""
    if len(minus) == len(plus) == 1:
        pair = [minus[0], plus[0]]
        every = cost_matrix(costs, classes)
        assert every is not None
        own = every[np.ix_(pair, pair)]
        return own if own.any() else None
    raise UsageError(
        "base__costs are defined for pairs of single classes, but here a side may have several classes; give costs to "
        "the base of Pairwise, or to a learner of all classes"
    )


def _prior(priors: Mapping[str, Any], classes: tuple[str, ...], side: tuple[int, ...]) -> float:
    """Return the share of a side: the sum over its classes."""
    for label in priors:
        if label not in classes:
            raise UsageError(f"base__priors name {label!r}, which is not a class")
    try:
        return float(sum(float(priors[classes[code]]) for code in side))
    except KeyError as lacking:
        raise UsageError(f"base__priors leave out the class {lacking}; give every class its share") from None
    except (TypeError, ValueError):
        raise UsageError(f"base__priors must be numbers, as in No=0.9,Yes=0.1, not {dict(priors)!r}") from None
