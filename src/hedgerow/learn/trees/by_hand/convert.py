"""From plain nodes to the tree models, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Schema
from hedgerow.learn.trees.by_hand.plain import PlainNode, PlainSplit, Test
from hedgerow.models.trees.nodes import Nodes
from hedgerow.models.trees.tree import NumberTree, Tree


def to_tree(root: PlainNode, schema: Schema, like: Tree | None = None) -> Tree:
    """Return the model; what is added to leaves and what errors cost are as in the tree `like`."""
    order = breadth_first(root)
    weights = np.array([node.summary for node in order])
    if like is None:
        return Tree(schema, _nodes(order), weights)
    return Tree(schema, _nodes(order), weights, added=like.added, costs=like.costs, about=like.about)


def to_number_tree(root: PlainNode, schema: Schema) -> NumberTree:
    """Return the regression model."""
    order = breadth_first(root)
    weights, numbers, deviations = np.array([node.summary for node in order]).T
    return NumberTree(schema, _nodes(order), weights, numbers, deviations)


def plain(tree: Tree | NumberTree) -> PlainNode:
    """Return the nodes of a model."""
    if isinstance(tree, Tree):
        kept = [PlainNode(weights.copy()) for weights in tree.weights]
    else:
        kept = [PlainNode(row) for row in np.column_stack([tree.weights, tree.numbers, tree.deviations])]
    for number, node in enumerate(kept):
        children = tree.nodes.children(number)
        if len(children):
            node.split = _split(tree.nodes, number)
            node.children = [kept[child] for child in children]
    return kept[0]


def _split(nodes: Nodes, number: int) -> PlainSplit:
    levels = nodes.levels_of(number).tolist()
    threshold = None if levels else float(nodes.thresholds[number])
    surrogates = [_surrogate(nodes, other) for other in nodes.surrogates(number)]
    test = Test(int(nodes.columns[number]), threshold, tuple(levels))
    return PlainSplit(test, int(nodes.n_children[number]), int(nodes.missing[number]), tuple(surrogates))


def _surrogate(nodes: Nodes, number: int) -> Test:
    levels = nodes.surrogate_levels_of(number).tolist()
    threshold = None if levels else float(nodes.surrogate_thresholds[number])
    return Test(int(nodes.surrogate_columns[number]), threshold, tuple(levels), int(nodes.surrogate_first[number]))


def breadth_first(root: PlainNode) -> list[PlainNode]:
    """Return the nodes layer by layer, as the models number them."""
    order = [root]
    for node in order:  # grows while it is read
        order.extend(node.children)
    return order


def _nodes(order: Sequence[PlainNode]) -> Nodes:
    """Return the flat arrays of nodes in breadth-first order."""
    splits = [node.split for node in order]
    tests = [None if split is None else split.test for split in splits]
    surrogates = [() if split is None else split.surrogates for split in splits]
    flat = list(chain.from_iterable(surrogates))
    counts = np.array([len(node.children) for node in order])
    first = np.where(counts > 0, 1 + counts.cumsum() - counts, 0)
    return Nodes.of(
        columns=_codes(-1 if test is None else test.column for test in tests),
        thresholds=_thresholds(tests),
        first=first.astype(np.int32),
        level_starts=_starts(() if test is None else test.children for test in tests),
        level_children=_codes(chain.from_iterable(test.children for test in tests if test is not None)),
        missing=_codes(-1 if split is None else split.missing for split in splits),
        surrogate_starts=_starts(surrogates),
        surrogate_columns=_codes(test.column for test in flat),
        surrogate_thresholds=_thresholds(flat),
        surrogate_first=_codes(test.low for test in flat),
        surrogate_level_starts=_starts(test.children for test in flat),
        surrogate_level_children=_codes(chain.from_iterable(test.children for test in flat)),
    )


def _codes(values: Iterable[int]) -> NDArray[np.int32]:
    return np.array(list(values), dtype=np.int32)


def _starts(runs: Iterable[Sequence[Any]]) -> NDArray[np.int32]:
    return np.cumsum([0, *(len(run) for run in runs)]).astype(np.int32)


def _thresholds(tests: Sequence[Test | None]) -> NDArray[np.float64]:
    given = [None if test is None else test.threshold for test in tests]
    return np.array([0.0 if threshold is None else threshold for threshold in given])
