"""What learners that learn with another learner share: the base, its seeds, and members fit for a committee."""

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
    """Classifiers whose parameter `base` is the classifier that they learn with."""

    base: Any = learner(DEFAULT_BASE, "the learner of the members")

    def base_learner(self) -> Base:
        """Return the base: the learner that was given, or the one of this name; an estimator is adapted."""
        base: Base = adapt(resolve_learner(self.base))
        return base

    def check_params(self) -> None:
        """Raise an error if a parameter is out of its range, or ensembles stand too deep in one another."""
        super().check_params()
        if nesting(self) > MOST_NESTED:
            raise UsageError(f"ensembles can be nested at most {MOST_NESTED} deep; {self!r} is deeper")

    def accepted_kinds(self) -> frozenset[Kind]:
        """Return the kinds of columns that the base takes."""
        base = self.base_learner()
        return base.accepted_kinds() if isinstance(base, Classifier) else self.takes

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags; a committee aims at accuracy as far as its base does."""
        tags = super().__sklearn_tags__()
        base = self.base_learner() if not isinstance(self.base, str) or is_learner(self.base) else None
        tags.classifier_tags.poor_score = bool(getattr(base, "poor_score", False))
        return tags


def nesting(learner: Any) -> int:
    """Return how many ensembles stand inside one another, this one counted."""
    return 1 + nesting(learner.base_learner()) if isinstance(learner, Ensemble) else 0


def weighted(base: Base) -> bool:
    """Return whether a base looks at the weights of rows."""
    return bool(getattr(base, "takes_weights", True))


def seeds(random_state: Any, n: int) -> list[np.random.SeedSequence]:
    """Return a seed a member, each the same however many there are and whatever thread asks first."""
    return np.random.SeedSequence(seed_number(random_state)).spawn(n)


def member(base: Base, table: Table, seed: np.random.SeedSequence) -> ClassModel:
    """Return the base's model of a table, without the account of how it was trained, which the committee gives.

    A base that makes random choices of its own makes others for every member.
    """
    return train_base(set_seed(base, seed), table).replace_about(About())


def train_base(base: Base, table: Table) -> ClassModel:
    """Return the base's model of a table, which must be one of its columns and classes."""
    return check_model(base, base.train(table), table)


def check_model(base: Base, model: Model, table: Table) -> ClassModel:
    """Return the model that a base made of a table, if it is one of the table's columns and classes."""
    if not isinstance(model, ClassModel):
        raise UsageError(f"base={base!r} returned {type(model).__name__}, which does not predict classes")
    if model.schema != table.schema:
        raise UsageError(f"base={base!r} returned a model of other columns than those it was given")
    return model


def member_notes(base: Base, members: Sequence[Model]) -> tuple[str, ...]:
    """Return what was noted on members, each sentence once; parameters of the base are called as they are here."""
    names = [name for name in getattr(base, "get_params", dict)() if name.isidentifier()]
    notes = list(dict.fromkeys(rename_parameters(note, names) for one in members for note in one.about.notes))
    left = len(notes) - MOST_NOTES
    return tuple(notes) if left <= 1 else (*notes[:MOST_NOTES], f"and {left} more notes on members")


def rename_parameters(note: str, names: list[str]) -> str:
    """Return a note of the base in which its parameters are called as they are here.

    >>> rename_parameters("ridge=1 may predict better", ["ridge"])
    'base__ridge=1 may predict better'
    """
    return re.sub(rf"\b({'|'.join(map(re.escape, names))})=", r"base__\1=", note) if names else note


class ModelMaker:
    """Makes the base's models of those rows of a table that weigh something, given the weights of all rows."""

    def __init__(self, base: Base, table: Table) -> None:
        self.base = base
        self.table = table

    def __call__(self, weights: Numbers, seed: np.random.SeedSequence) -> ClassModel:
        """Return the model of these weights."""
        return member(self.base, weighing(self.table, weights), seed)

    def decide_rows(self, model: ClassModel) -> Codes:
        """Return the class that a model gives each row of the table, which may be known of the last one."""
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
        """Return the class that a tree gives each row of the table."""
        return self.rows.decide_rows(model)


def make_maker(base: Base, table: Table, threads: int | None = None, *, asks: bool = False) -> ModelMaker:
    """Return what makes a base's models; each tree is grown by so many threads, and `asks` tells of `decided`."""
    if isinstance(base, TreeLearner) and not base.trace:
        return TreeMaker(base, table, threads, asks)
    return ModelMaker(base, table)


def weighing(table: Table, weights: Numbers) -> Table:
    """Return the rows that weigh something, with these weights."""
    if np.array_equal(weights, table.row_weights):
        return table
    rows = np.flatnonzero(weights)
    return table.take(rows).with_weights(weights[rows])


def set_seed(base: Base, seed: np.random.SeedSequence) -> Base:
    """Return the base with a seed of the member's own, if it takes one."""
    if not isinstance(base, Classifier):
        return base
    params = base.get_params(deep=False)
    if params.get("random_state") is None:
        return base
    params["random_state"] = int(seed.spawn(1)[0].generate_state(1, np.uint64)[0])
    copy: Base = type(base)(**params)
    return copy
