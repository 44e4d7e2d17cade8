"""A tree that grows level by level: its tests so far, what its nodes hold, and which of them are still open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table import Codes, Numbers
from hedgerow.learn.trees.fast import Parts
from hedgerow.learn.trees.pruning import children_counts

Ints = NDArray[np.int64]
_NOT_OPEN = -1
_KEPT = ("columns", "thresholds", "first", "missing", "level_starts", "level_children", "tallies")  # no surrogates


@dataclass(frozen=True, eq=False)
class Growing:
    """Arrays by node, children contiguous and after their parent, and branches that were grown apart.

    Parameters
    ----------
    without
        The fold of rows that it is grown without; -1 if there is none.
    rows, weight
        Of all rows that it is grown from.
    columns
        The predictor that a node tests; -1 for none.
    level_begins, level_children
        Where the children by level of a nominal test begin, and the children.
    shares
        The part of a row with a missing value that goes from the parent to this node.
    cases
        Rows that reach the node, fractions of rows counting as one.
    branches
        By node, the part of the tree that was grown from there on at once.
    """

    without: int
    rows: int
    weight: float
    tallies: Numbers  # (nodes, width)
    cases: Ints
    columns: Codes
    thresholds: Numbers
    first: Codes
    children: Codes
    missing: Codes
    level_begins: Codes
    level_children: Codes
    shares: Numbers
    depths: Codes
    open: NDArray[np.bool_]
    branches: Mapping[int, Parts] = field(default_factory=dict)

    @classmethod
    def root(cls, without: int, rows: int, weight: float, tally: Numbers, is_open: bool) -> Growing:
        """Return a tree of one node."""
        none, zero = np.full(1, -1, np.int32), np.zeros(1, np.int32)
        return cls(
            without,
            rows,
            weight,
            tallies=tally[None, :],
            cases=np.array([rows]),
            columns=none,
            thresholds=np.zeros(1),
            first=zero,
            children=zero,
            missing=none,
            level_begins=zero,
            level_children=np.zeros(0, np.int32),
            shares=np.ones(1),
            depths=zero,
            open=np.array([is_open]),
        )

    def routes(self) -> dict[str, NDArray[Any]]:
        """Return what sends rows down."""
        names = "columns thresholds first children missing level_begins level_children shares"
        return {name: getattr(self, name) for name in names.split()}

    def slots(self, nodes: Mapping[int, int]) -> Codes:
        """Return the slot of every node: those named have theirs, others none."""
        slots = np.full(len(self.columns), _NOT_OPEN, np.int32)
        slots[list(nodes)] = list(nodes.values())
        return slots

    def split(self, nodes: Ints, found: Mapping[str, NDArray[Any]], levels: Codes) -> Growing:
        """Return the tree with the splits that were found for some nodes; those without one are leaves.

        `levels` is the number of levels of each predictor, -1 for numbers.
        """
        tests, counts = found["columns"], found["children"]
        held = np.where(tests >= 0, np.maximum(levels[tests], 0), 0) if len(levels) else np.zeros(len(tests))
        made = int(counts.sum())
        width = self.tallies.shape[1]
        return replace(
            self,
            tallies=np.concatenate([self.tallies, found["child_tallies"].reshape(-1, width)]),
            cases=np.concatenate([self.cases, found["child_cases"]]),
            columns=_put(self.columns, nodes, tests, made, -1),
            thresholds=_put(self.thresholds, nodes, found["thresholds"], made, 0),
            first=_put(self.first, nodes, len(self.columns) + starts(counts), made, 0),
            children=_put(self.children, nodes, counts, made, 0),
            missing=_put(self.missing, nodes, found["missing"], made, -1),
            level_begins=_put(self.level_begins, nodes, len(self.level_children) + starts(held), made, 0),
            level_children=np.concatenate([self.level_children, found["level_children"]]),
            shares=np.concatenate([self.shares, found["child_shares"]]),
            depths=np.concatenate([self.depths, np.repeat(self.depths[nodes] + 1, counts)]),
            open=np.concatenate([_put(self.open, nodes, False, 0, False), found["child_open"].astype(np.bool_)]),
        )

    def with_branches(self, branches: Mapping[int, Parts]) -> Growing:
        """Return the tree with some open nodes replaced by the branches that were grown there."""
        still = _put(self.open, np.array(list(branches), dtype=np.int64), False, 0, False)
        kept = {node: {name: parts[name] for name in _KEPT} for node, parts in branches.items()}
        return replace(self, open=still, branches={**self.branches, **kept})

    def parts(self, levels: Codes) -> Parts:
        """Return the whole tree as the kernels hand trees around, breadth first."""
        names = ("columns", "thresholds", "first", "children", "missing", "level_begins")
        own: Parts = {name: getattr(self, name).copy() for name in names}
        arrays: list[Parts] = [{**own, "tallies": self.tallies, "level_children": self.level_children}]
        n, n_levels = len(self.columns), len(self.level_children)
        for node, branch in self.branches.items():
            part = {
                **branch,
                "first": branch["first"] + np.int32(n),
                "children": children_counts(branch),
                "level_begins": branch["level_starts"][:-1] + np.int32(n_levels),
                "tallies": branch["tallies"].reshape(-1, self.tallies.shape[1]),
            }
            for name in names:
                own[name][node] = part[name][0]
            arrays.append(part)
            n, n_levels = n + len(branch["columns"]), n_levels + len(branch["level_children"])
        joined = {name: np.concatenate([part[name] for part in arrays]) for name in arrays[0]}
        return _breadth_first(joined, levels)


def _breadth_first(tree: Parts, levels: Codes) -> Parts:
    """Return what is reached from the root, in order."""
    layers = [np.zeros(1, dtype=np.int64)]
    while len(layers[-1]):
        inner = layers[-1][tree["columns"][layers[-1]] >= 0]
        layers.append(ranges(tree["first"][inner], tree["children"][inner]))
    order = np.concatenate(layers)
    columns = tree["columns"][order]
    tests = columns >= 0
    held = np.where(tests, np.maximum(levels[columns], 0), 0) if len(levels) else np.zeros(len(columns), np.int32)
    below = np.where(tests, tree["children"][order], 0)
    return {
        "columns": columns,
        "thresholds": np.where(tests, tree["thresholds"][order], 0.0),
        "first": np.where(tests, 1 + starts(below), 0).astype(np.int32),
        "missing": np.where(tests, tree["missing"][order], -1).astype(np.int32),
        "level_starts": np.append(starts(held), held.sum()).astype(np.int32),
        "level_children": np.ascontiguousarray(tree["level_children"][ranges(tree["level_begins"][order], held)]),
        "tallies": np.ascontiguousarray(tree["tallies"][order]).ravel(),
    }


def _put(array: NDArray[Any], places: Ints, values: Any, more: int, filled: Any) -> NDArray[Any]:
    """Return a copy with some values replaced, and so many added at its end."""
    array = np.concatenate([array, np.full(more, filled, array.dtype)])
    array[places] = values
    return array


def starts(counts: NDArray[Any]) -> Ints:
    """Return where runs of these lengths begin that follow each other."""
    return np.cumsum(counts, dtype=np.int64) - counts.astype(np.int64)


def ranges(begins: NDArray[Any], counts: NDArray[Any]) -> Ints:
    """Return the numbers of runs that begin here and have these lengths, one after the other."""
    counts = counts.astype(np.int64)
    return np.repeat(begins.astype(np.int64) - starts(counts), counts) + np.arange(counts.sum())
