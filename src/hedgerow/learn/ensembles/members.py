"""The common part of ensembles: the base learner, its seeds, and the members of a committee."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.errors import UsageError
from hedgerow.learn.adapt import adapt
from hedgerow.learn.classifier import Classifier
from hedgerow.learn.params import learner
from hedgerow.learn.registry import is_learner, resolve_learner
from hedgerow.learn.sampling import seed_number
from hedgerow.learn.trees.kernel_growth import TreeInput
from hedgerow.learn.trees.tree_learner import TreeLearner
from hedgerow.models.base.model import About, ClassModel, Model
from hedgerow.models.many.composite import MOST_NESTED

DEFAULT_BASE = "c45"
MOST_NOTES = 5  # of different members


class Base(Protocol):
    """The interface of a base learner; `takes_weights = False` means that it ignores row weights."""

    def train(self, data: Table) -> Model:
        """Return the model of a table."""


class Ensemble(Classifier):
    """Classifiers with a base classifier, the parameter `base`."""

    base: Any = learner(DEFAULT_BASE, "the learner of the members")

    def base_learner(self) -> Base:
        """Return the base: the given learner, or the one with this name; an estimator is adapted."""
        base: Base = adapt(resolve_learner(self.base))
        return base

    def check_params(self) -> None:
        """Raise an error if a parameter is out of its range, or ensembles are nested too deeply."""
        super().check_params()
        if nesting(self) > MOST_NESTED:
            raise UsageError(f"ensembles can be nested at most {MOST_NESTED} deep; {self!r} is deeper")

    def accepted_kinds(self) -> frozenset[Kind]:
        """Return the kinds of columns that the base takes."""
        base = self.base_learner()
        return base.accepted_kinds() if isinstance(base, Classifier) else self.takes

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags; a committee aims at accuracy if its base does."""
        tags = super().__sklearn_tags__()
        base = self.base_learner() if not isinstance(self.base, str) or is_learner(self.base) else None
        tags.classifier_tags.poor_score = bool(getattr(base, "poor_score", False))
        return tags


def nesting(learner: Any) -> int:
    """Return the nesting depth of ensembles, including this one."""
    return 1 + nesting(learner.base_learner()) if isinstance(learner, Ensemble) else 0


def weighted(base: Base) -> bool:
    """Return whether a base uses row weights."""
    return bool(getattr(base, "takes_weights", True))


def seeds(random_state: Any, n: int) -> list[np.random.SeedSequence]:
    """Return one seed per member, independent of the number of members and of threads."""
    return np.random.SeedSequence(seed_number(random_state)).spawn(n)


def member(base: Base, table: Table, seed: np.random.SeedSequence) -> ClassModel:
    """Return the base's model of a table, without the record of how it was trained, which the committee has.

    A base that makes random choices gets a different seed for every member.
    """
    return train_base(set_seed(base, seed), table).replace_about(About())


def train_base(base: Base, table: Table) -> ClassModel:
    """Return the base's model of a table, which must have its columns and classes."""
    return check_model(base, base.train(table), table)


def check_model(base: Base, model: Model, table: Table) -> ClassModel:
    """Return the base's model of a table after checking that it has the table's columns and classes."""
    if not isinstance(model, ClassModel):
        raise UsageError(f"base={base!r} returned {type(model).__name__}, which does not predict classes")
    if model.schema != table.schema:
        raise UsageError(f"base={base!r} returned a model of other columns than those it was given")
    return model


def member_notes(base: Base, members: Sequence[Model]) -> tuple[str, ...]:
    """Return the notes of the members without repeats, with the base's parameters named as here."""
    names = [name for name in getattr(base, "get_params", dict)() if name.isidentifier()]
    notes = list(dict.fromkeys(rename_parameters(note, names) for one in members for note in one.about.notes))
    left = len(notes) - MOST_NOTES
    return tuple(notes) if left <= 1 else (*notes[:MOST_NOTES], f"and {left} more notes on members")


def rename_parameters(note: str, names: list[str]) -> str:
    """Return a note of the base with its parameters named as here.

    >>> rename_parameters("alpha=1 may predict better", ["alpha"])
    'base__alpha=1 may predict better'
    """
    return re.sub(rf"\b({'|'.join(map(re.escape, names))})=", r"base__\1=", note) if names else note


class ModelMaker:
    """Trains the base on the rows of positive weight, given the weights of all rows."""

    def __init__(self, base: Base, table: Table) -> None:
        self.base = base
        self.table = table

    def __call__(self, weights: Numbers, seed: np.random.SeedSequence) -> ClassModel:
        """Return the model of these weights."""
        return member(self.base, weighing(self.table, weights), seed)

    def decide_rows(self, model: ClassModel) -> Codes:
        """Return the class that a model predicts for each row of the table; it may be cached for the last model."""
        return model.decide(self.table)


class TreeMaker(ModelMaker):
    """The same for trees: the columns that they grow on are prepared once for all members."""

    def __init__(self, base: TreeLearner, table: Table, threads: int | None, asks: bool) -> None:
        super().__init__(base, table)
        self.threads = threads
        self.rows = TreeInput(table)
        self.rows.last = [] if asks else None

    def __call__(self, weights: Numbers, seed: np.random.SeedSequence) -> ClassModel:
        """Return the tree of these weights."""
        one = set_seed(self.base, seed)
        assert isinstance(one, TreeLearner)
        return one.grow_tree(self.rows.with_weights(weights, self.threads))

    def decide_rows(self, model: ClassModel) -> Codes:
        """Return the class that a tree predicts for each row of the table."""
        return self.rows.decide_rows(model)


def make_maker(base: Base, table: Table, threads: int | None = None, *, asks: bool = False) -> ModelMaker:
    """Return the trainer of a base; each tree is grown by so many threads, and `asks` is whether `decided` is used."""
    if isinstance(base, TreeLearner) and not base.trace:
        return TreeMaker(base, table, threads, asks)
    return ModelMaker(base, table)


def weighing(table: Table, weights: Numbers) -> Table:
    """Return the rows of positive weight, with these weights."""
    if np.array_equal(weights, table.row_weights):
        return table
    rows = np.flatnonzero(weights)
    return table.take(rows).with_weights(weights[rows])


def set_seed(base: Base, seed: np.random.SeedSequence) -> Base:
    """Return the base with the seed of a member, if it takes one."""
    if not isinstance(base, Classifier):
        return base
    params = base.get_params(deep=False)
    if params.get("random_state") is None:
        return base
    params["random_state"] = int(seed.spawn(1)[0].generate_state(1, np.uint64)[0])
    copy: Base = type(base)(**params)
    return copy
