"""The common part of the learners of bags: a base learner of single rows, and notes on empty bags."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np

from hedgerow.data.bags.instances import Instances, bag_position
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Bags, Numbers, Table
from hedgerow.learn.adapt import AdaptedLearner
from hedgerow.learn.ensembles.members import DEFAULT_BASE, Base, Ensemble, member_notes, weighted
from hedgerow.learn.params import learner
from hedgerow.models.bags.bag_model import BagModel
from hedgerow.models.base.model import About, ClassModel

NO_BAGS = (
    "no column holds bags, so every row is treated as a bag with a single instance; --bag NAME (in Python, "
    "hedgerow.bags) groups rows into bags"
)
BY_SIZE = (
    "the weight of each bag is its number of instances, as Weka writes it, so large bags count more; in Python, "
    "table.with_weights(None) gives all bags equal weight"
)
UNWEIGHTED = "the base learner does not support weights: all {what} have equal weight in its training"


class BagLearner(Ensemble):
    """Classifiers of bags; the base learns from rows derived from them."""

    base: Any = learner(DEFAULT_BASE, "the classifier that is trained on single rows")

    def accepted_kinds(self) -> frozenset[Kind]:
        """Return the kinds of columns that the base takes, plus bags."""
        return super().accepted_kinds() | {Kind.BAG}

    def learn(self, table: Table) -> BagModel:
        """Return the model of a prepared table."""
        model = self.make_model(self.base_learner(), table)
        return model.replace_about(About(notes=(*_bag_notes(table), *model.about.notes)))

    @abstractmethod
    def make_model(self, base: Base, table: Table) -> BagModel:
        """Return the model of bags that a base learns."""


def _bag_notes(table: Table) -> tuple[str, ...]:
    """Return the notes on bags that are known before training."""
    place = bag_position(table.schema)
    if place is None:
        return (NO_BAGS,)
    bags = table.values(place)
    assert isinstance(bags, Bags)
    sizes = np.diff(bags.offsets)
    by_size = table.weights is not None and np.array_equal(table.weights, sizes) and sizes.min() < sizes.max()
    return (BY_SIZE,) if by_size else ()


def base_notes(base: Base, member: ClassModel, table: Table, what: str) -> tuple[str, ...]:
    """Return the notes on the base's model of a table, whose rows are `what`."""
    notes = member_notes(base, [member])
    counts = weighted(base) or isinstance(base, AdaptedLearner)  # which adds this note itself
    if not counts and table.weights is not None and (table.weights != table.weights[0]).any():
        notes = (*notes, UNWEIGHTED.format(what=what))
    return notes


def instance_weights(instances: Instances, bag_weights: Numbers, total: str) -> Numbers:
    """Return the weight of every instance: that of its bag, divided by the bag's size.

    The sum is the weight of the bags or, with the total "instances", that of the instances if each
    had the weight of its bag.
    """
    sizes = instances.sizes
    weights = np.repeat(bag_weights / np.maximum(sizes, 1), sizes)
    if total == "instances":
        weights *= float(bag_weights @ sizes) / float(bag_weights[sizes > 0].sum())
    return weights


def weigh_instances(instances: Instances, bag_weights: Numbers, total: str) -> Table:
    """Return the instances of positive weight with their weights; None as weights if all are 1."""
    weights = instance_weights(instances, bag_weights, total)
    return replace(instances.table, weights=None if (weights == 1).all() else weights, counts_rows=True)
