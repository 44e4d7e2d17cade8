"""The first levels of a tree that is too large to draw: its first tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from hedgerow.models.trees.level_maps import LevelMaps
from hedgerow.models.trees.nodes import Nodes, empty_surrogate_parts

if TYPE_CHECKING:
    from hedgerow.models.trees.tree import NumberTree, Tree

T = TypeVar("T", "Tree", "NumberTree")
MOST_LEAVES = 20


def drawn_tree(tree: T, most_nodes: int) -> tuple[T, str]:
    """Return the part of a tree to draw: all of it, or its first levels and a note."""
    if len(tree.nodes) <= most_nodes:
        return tree, ""
    top = first_levels(tree)
    return top, (
        f"The first {len(top.nodes.layers):,} of {len(tree.nodes.layers):,} levels; most leaves drawn here stand for "
        f"trees of their own. The whole tree has {tree.size:,} leaves."
    )


def first_levels(tree: T, most: int = MOST_LEAVES) -> T:
    """Return the tree cut after as many levels as have at most `most` leaves; each removed subtree becomes a leaf.

    Surrogates are left out. The rest is unchanged, since nodes are numbered level by level.
    """
    layers, kept = tree.nodes.layers, 1
    while kept < len(layers) and _n_leaves(tree.nodes, kept + 1) <= most:
        kept += 1
    return tree.with_first(_cut(tree.nodes, kept))


def _n_leaves(nodes: Nodes, kept: int) -> int:
    last = nodes.layers[kept - 1]
    return int(nodes.is_leaf[: last.start].sum()) + int(last.stop) - int(last.start)


def _cut(nodes: Nodes, kept: int) -> Nodes:
    """Return the first levels; the nodes of the last one are leaves."""
    last = nodes.layers[kept - 1]
    inner, n = last.start, last.stop
    inside = np.arange(n) < inner
    return Nodes(
        np.where(inside, nodes.columns[:n], -1).astype(np.int32),
        np.where(inside, nodes.thresholds[:n], 0.0),
        np.where(inside, nodes.first[:n], 0).astype(np.int32),
        LevelMaps.concatenate([nodes.levels.take(np.arange(inner)), LevelMaps.none(n - inner)]),
        np.where(inside, nodes.missing[:n], -1).astype(np.int32),
        **empty_surrogate_parts(n),
    )
