"""Regions of instances: the leaves or nodes of a tree, and how many instances of each bag lie in them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedgerow.data.bags.figures import DIGITS
from hedgerow.data.bags.instances import Instances, instance_schema
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Numbers, Rows
from hedgerow.models.base.condition import Condition, LevelCodes
from hedgerow.models.trees.text import branch
from hedgerow.models.trees.to_rules import tightest
from hedgerow.models.trees.tree import Tree

LEAVES, NODES = "leaves", "nodes"
WHICH = (LEAVES, NODES)
VALUES = ("count", "share")


def region_schema(schema: Schema) -> Schema:
    """Return the columns of instances that can define regions: all but texts."""
    whole = instance_schema(schema)
    kept = [at for at, column in enumerate(whole.columns) if column.kind is not Kind.TEXT]
    return whole if len(kept) == len(whole) else whole.select(kept)


@dataclass(frozen=True, eq=False)
class InstanceRegions:
    """The parts that a tree divides the instances into.

    Parameters
    ----------
    tree
        A tree over the columns of the instances.
    which
        "leaves": each leaf is a region, so that an instance lies in one; "nodes": inner nodes too, all but the root.
    values
        Whether a bag has the number of its instances in each region, or their share.
    """

    tree: Tree
    which: str
    values: str

    @cached_property
    def nodes(self) -> tuple[int, ...]:
        """The node of each region, in the order of print."""
        if self.which == LEAVES:
            return tuple(leaf for leaf, _ in self.tree.nodes.paths())
        return tuple(node for node, depth in self.tree.nodes.print_order() if depth)

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that a bag gets."""
        return tuple(Column(f"{self.values}(region {one + 1})", Kind.NUMERIC) for one in range(len(self)))

    def conditions(self) -> list[tuple[Condition, ...]]:
        """Return the conditions of each region, as few as there can be."""
        tree, steps = self.tree, {}
        first = tree.nodes.first
        for _, path in tree.nodes.paths():
            for end in range(len(path)):
                steps[int(first[path[end][0]]) + path[end][1]] = path[: end + 1]
        codes = LevelCodes(tree.schema)
        return [
            tightest([branch(tree.nodes, tree.schema, *step) for step in steps.get(node, ())], tree.schema, codes)
            for node in self.nodes
        ]

    def figures(self, instances: Instances) -> Numbers:
        """Return for every bag (rows) the number or share of its instances in each region.

        An instance that is divided among leaves, since a value is missing, counts in each by its share.
        """
        nodes, n_bags = self.tree.nodes, len(instances.sizes)
        leaves = np.flatnonzero(nodes.is_leaf)
        place = np.full(len(nodes), -1)
        place[leaves] = np.arange(len(leaves))
        bag = np.repeat(np.arange(n_bags), instances.sizes)
        table = instances.table.select(self.tree.schema.names)
        leaf = self.tree.descent.leaves(table)
        whole = leaf >= 0
        cells = bag[whole] * len(leaves) + place[leaf[whole]]
        counts = np.bincount(cells, minlength=n_bags * len(leaves)).reshape(n_bags, len(leaves)).astype(np.float64)
        if not whole.all():
            rows, payload = np.flatnonzero(~whole), np.zeros((len(nodes), len(leaves)))
            payload[leaves, np.arange(len(leaves))] = 1.0
            np.add.at(counts, bag[rows], self.tree.descent.sums(table, payload, rows))
        inside = counts @ self._leaves_in_regions(leaves)
        if self.values == "share":
            inside = inside / np.where(instances.sizes > 0, instances.sizes, np.nan)[:, None]
        return np.round(inside, DIGITS)

    def _leaves_in_regions(self, leaves: Rows) -> Numbers:
        """Return which leaves (rows) lie in which regions (columns)."""
        parents, region = self.tree.nodes.parents, {node: one for one, node in enumerate(self.nodes)}
        within = np.zeros((len(leaves), len(self)))
        for row, leaf in enumerate(leaves.tolist()):
            node = leaf
            while node in region:
                within[row, region[node]] = 1.0
                node = int(parents[node]) if self.which == NODES else -1
        return within
