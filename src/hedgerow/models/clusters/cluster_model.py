"""ClusterModel: the base of all models of clusters. Their classes are the clusters, called 1, 2, 3 and so on."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cmp_to_key
from typing import Any, Self

import numpy as np

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.errors import ModelError, UsageError
from hedgerow.models.base.decisions import DecisionRule
from hedgerow.models.base.model import ClassModel
from hedgerow.models.clusters.profile import Profile

CLUSTER = "cluster"


@dataclass(frozen=True, eq=False)
class ClusterModel(ClassModel):
    """Clusters: every row belongs to one. The schema's target is the cluster; `profile` describes each of them.

    A subclass adds its parts as fields, and defines the assignment of rows (`assign_clusters`), the start of its
    print (`describe`), and writes `to_dict` and `from_dict` (with `read_profile` and `cluster_count`, which check).
    """

    profile: Profile

    @abstractmethod
    def assign_clusters(self, table: Table) -> Codes:
        """Return the cluster of every row of an aligned table, by number from 0."""

    @abstractmethod
    def describe(self) -> list[str]:
        """Return the lines that the print begins with, before the profile."""

    def __len__(self) -> int:
        return len(self.classes)

    @property
    def size(self) -> int:
        """How many clusters there are."""
        return len(self.classes)

    def scores(self, table: Table) -> Numbers:
        """Return 1 for the cluster of every row, and 0 for others."""
        return one_hot(self.assign_clusters(table), len(self.classes))

    def own_decisions(self, table: Table, scores: Numbers | None = None) -> Codes:
        """Return the cluster of every row of an aligned table; given scores are used if present."""
        return self.assign_clusters(table) if scores is None else scores.argmax(axis=1).astype(np.int32)

    def decided_by(self, rule: DecisionRule | None) -> Self:
        """Return the model itself; there are no thresholds and costs of clusters."""
        if rule is not None:
            raise UsageError("clusters are not decided by thresholds or costs, which are for models of classes")
        return self

    def __str__(self) -> str:
        return "\n".join([*self.describe(), "", str(self.profile)]).strip("\n")


def one_hot(codes: Codes, k: int) -> Numbers:
    """Return one distribution per row that gives everything to one cluster."""
    out = np.zeros((len(codes), k))
    out[np.arange(len(codes)), codes] = 1.0
    return out


def cluster_schema(schema: Schema, k: int) -> Schema:
    """Return the schema of a model of k clusters: a last column, the target, called `cluster`, or `cluster 2`.

    >>> made = cluster_schema(Schema((Column("cluster", Kind.NUMERIC),)), 3)
    >>> made.target, made.target_column.levels
    ('cluster 2', ('1', '2', '3'))
    """
    name, number = CLUSTER, 1
    while name in schema:
        number += 1
        name = f"{CLUSTER} {number}"
    column = Column(name, Kind.NOMINAL, tuple(str(n + 1) for n in range(k)))
    return Schema((*schema.columns, column), name)


def cluster_count(schema: Schema) -> int:
    """Return how many clusters a model's schema names, checking that they are called 1, 2, 3 and so on."""
    if schema.target is None or schema.target_column.kind is not Kind.NOMINAL:
        raise ModelError("clusters need a nominal target, the column of clusters")
    levels = schema.target_column.levels
    if not levels or levels != tuple(str(n + 1) for n in range(len(levels))):
        raise ModelError("clusters must be called 1, 2, 3 and so on")
    if schema.columns[-1].name != schema.target:
        raise ModelError("the column of clusters must be the last one")
    return len(levels)


def read_profile(parts: dict[str, Any], schema: Schema) -> Profile:
    """Return the profile among a model's parts, checked."""
    cluster_count(schema)
    return Profile.from_dict(parts.get("profile"), schema)


def order_by_size(sizes: Numbers, centers: Numbers) -> Rows:
    """Return clusters in the order they are numbered in: the largest first, of equal ones the least first position.

    >>> order_by_size(np.array([2.0, 3, 2]), np.array([[0.5, 1], [0, 0], [0.5, 0]])).tolist()
    [1, 2, 0]
    """
    rounded = np.round(centers, 9)

    def order(one: int, other: int) -> int:
        """Compare two clusters; columns are compared only if the sizes are equal, since there may be millions."""
        if sizes[one] != sizes[other]:
            return -1 if sizes[one] > sizes[other] else 1
        for column in np.flatnonzero(rounded[one] != rounded[other])[:1]:
            return -1 if rounded[one, column] < rounded[other, column] else 1
        return 0

    return np.array(sorted(range(len(sizes)), key=cmp_to_key(order)), dtype=np.int64)
