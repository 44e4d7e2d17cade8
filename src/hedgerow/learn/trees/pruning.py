"""Pruning grown trees: by rows held out (reduced error), or by cost-complexity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.table import Codes, Numbers
from hedgerow.learn.trees.kernel_growth import LEVELS, SURROGATE_LEVELS, Parts
from hedgerow.learn.trees.options import EQUAL, SAME_LINK
from hedgerow.models.trees import nodes
from hedgerow.models.trees.level_maps import LevelMaps, run_starts

Mask = NDArray[np.bool_]


def prune_by_reduced_error(parts: Parts, aside: Numbers) -> Parts:
    """Return the tree without subtrees that make no fewer errors on rows that it was not grown from.

    `aside` holds the weight by class of these rows at each node. From the leaves upward a node becomes a leaf if that
    makes no more errors; it decides for the class of the rows that it was grown from.
    """
    k = aside.shape[1]
    tallies = parts["tallies"].reshape(-1, k)
    decided = (tallies >= tallies.max(axis=1, keepdims=True) - EQUAL).argmax(axis=1)
    inherited = _decisions(parts, decided)
    as_leaf = aside.sum(axis=1) - aside[np.arange(len(aside)), inherited]
    result = as_leaf.copy()
    cut = np.zeros(len(aside), dtype=np.bool_)
    starts, counts = parts["first"], children_counts(parts)
    for node in np.flatnonzero(parts["columns"] >= 0)[::-1].tolist():
        below = result[starts[node] : starts[node] + counts[node]].sum()
        cut[node] = as_leaf[node] <= below + EQUAL
        result[node] = as_leaf[node] if cut[node] else below
    return cut_nodes(parts, cut)


def _decisions(parts: Parts, decided: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the class of each node as a leaf; empty ones take their parent's."""
    empty = parts["tallies"].reshape(len(decided), -1).sum(axis=1) <= 0
    above = parents(parts)
    decided = decided.copy()
    for node in np.flatnonzero(empty).tolist():  # breadth first, so that the parent is settled
        if node:
            decided[node] = decided[above[node]]
    return decided


def cut_alphas(parts: Parts, risk: Numbers) -> Numbers:
    """Return for each node the cost-complexity alpha from which on it is a leaf; minus infinity for leaves.

    With alpha a tree costs its risk plus alpha for each leaf. The best subtree for alpha is the one where
    every node whose number here is at most alpha is cut: the weakest-link sequence of Breiman et al. (1984). Nodes that
    only an ancestor takes away have infinity.
    """
    risk = np.ascontiguousarray(risk)
    return _kernels.compute_effective_alphas(parts["first"], children_counts(parts), risk, SAME_LINK * float(risk[0]))


def sums_by_price(parts: Parts, alphas: Numbers, values: Numbers, prices: Numbers) -> Numbers:
    """Return for each alpha the sum of `values` over the leaves of the tree pruned with it."""
    upto = _kernels.min_over_ancestors(parents(parts), alphas)  # below this alpha it is not removed with an ancestor
    used = alphas < upto
    begin = np.searchsorted(prices, alphas[used], side="left")
    end = np.searchsorted(prices, upto[used], side="left")
    steps = np.zeros(len(prices) + 1)
    np.add.at(steps, begin, values[used])
    np.add.at(steps, end, -values[used])
    sums: Numbers = steps.cumsum()[:-1]
    return sums


def cut_nodes(parts: Parts, cut: Mask) -> Parts:
    """Return the tree with some nodes made leaves, and all below them taken away."""
    columns = np.where(cut, np.int32(-1), parts["columns"]).astype(np.int32)
    n = len(columns)
    keep = _kernels.min_over_ancestors(parents(parts), columns.astype(np.float64)) >= 0  # no leaf above it
    new = keep.cumsum(dtype=np.int32) - 1
    tests = keep & (columns >= 0)
    tallies = parts["tallies"].reshape(n, -1)
    out = {
        "columns": columns[keep],
        "thresholds": np.where(tests, parts["thresholds"], 0.0)[keep],
        "first": np.where(tests, new[parts["first"]], 0).astype(np.int32)[keep],
        "missing": np.where(tests, parts["missing"], -1).astype(np.int32)[keep],
        "tallies": np.ascontiguousarray(tallies[keep]).ravel(),
    }
    levels = LevelMaps.concatenate([LevelMaps.of_parts(parts, LEVELS), LevelMaps.none(1)])  # the last for leaves
    out |= levels.take(np.where(tests, np.arange(n), n)[keep]).parts(LEVELS)
    if "surrogate_starts" in parts:
        sizes = np.diff(parts["surrogate_starts"])
        kept = np.flatnonzero(np.repeat(tests, sizes))
        out["surrogate_starts"] = run_starts(np.where(tests, sizes, 0)[keep]).astype(np.int32)
        for name in ("columns", "thresholds", "first"):
            out[f"surrogate_{name}"] = np.ascontiguousarray(parts[f"surrogate_{name}"][kept])
        out |= LevelMaps.of_parts(parts, SURROGATE_LEVELS).take(kept).parts(SURROGATE_LEVELS)
    return out


def children_counts(parts: Parts) -> Codes:
    """Return the number of children of each node."""
    return nodes.children_counts(parts["columns"], LevelMaps.of_parts(parts, LEVELS))


def parents(parts: Parts) -> Codes:
    """Return the parent of each node; -1 for the root."""
    counts = children_counts(parts)
    above = np.full(len(counts), -1, dtype=np.int32)
    above[1:] = np.repeat(np.arange(len(counts), dtype=np.int32), counts)  # breadth first: children in order
    return above
