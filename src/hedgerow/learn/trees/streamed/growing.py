"""A tree that grows level by level: its tests so far, what its nodes hold, and which of them are still open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Codes, Numbers
from hedgerow.learn.trees.kernel_growth import LEVELS, Parts
from hedgerow.learn.trees.pruning import children_counts
from hedgerow.models.trees.level_maps import LevelMaps, ranges, run_starts

Ints = NDArray[np.int64]
_NOT_OPEN = -1


@dataclass(frozen=True, eq=False)
class GrowingTree:
    """Arrays by node, children contiguous and after their parent, and branches that were grown apart.

    Parameters
    ----------
    without
        The fold of rows that it is grown without; -1 if there is none.
    rows, weight
        Of all rows that it is grown from.
    columns
        The predictor that a node tests; -1 for none.
    levels
        The children that the levels of nominal tests lead to.
    shares
        The part of a row with a missing value that goes from the parent to this node.
    cases
        Rows that reach the node, fractions of rows counting as one.
    branches
        By node, the part of the tree that was grown from there on at once.
    """

    left_out_fold: int
    rows: int
    weight: float
    tallies: Numbers  # (nodes, width)
    cases: Ints
    columns: Codes
    thresholds: Numbers
    first: Codes
    children: Codes
    missing: Codes
    levels: LevelMaps
    shares: Numbers
    depths: Codes
    open: NDArray[np.bool_]
    branches: Mapping[int, Parts] = field(default_factory=dict)

    @classmethod
    def root(cls, without: int, rows: int, weight: float, tally: Numbers, is_open: bool) -> GrowingTree:
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
            levels=LevelMaps.none(1),
            shares=np.ones(1),
            depths=zero,
            open=np.array([is_open]),
        )

    def routes(self) -> dict[str, NDArray[Any]]:
        """Return what sends rows down."""
        names = "columns thresholds first children missing shares"
        return {name: getattr(self, name) for name in names.split()} | self.levels.parts(LEVELS)

    def slots(self, nodes: Mapping[int, int]) -> Codes:
        """Return the slot of every node: those named have theirs, others none."""
        slots = np.full(len(self.columns), _NOT_OPEN, np.int32)
        slots[list(nodes)] = list(nodes.values())
        return slots

    def split(self, nodes: Ints, result: Parts) -> GrowingTree:
        """Return the tree with the splits that were found for some nodes; those without one are leaves."""
        tests, counts = result["columns"], result["children"]
        n, made = len(self.columns), int(counts.sum())
        width = self.tallies.shape[1]
        levels = LevelMaps.concatenate([self.levels, LevelMaps.none(made), LevelMaps.of_parts(result, LEVELS)])
        return replace(
            self,
            tallies=np.concatenate([self.tallies, result["child_tallies"].reshape(-1, width)]),
            cases=np.concatenate([self.cases, result["child_cases"]]),
            columns=_replace_and_extend(self.columns, nodes, tests, made, -1),
            thresholds=_replace_and_extend(self.thresholds, nodes, result["thresholds"], made, 0),
            first=_replace_and_extend(self.first, nodes, n + run_starts(counts)[:-1], made, 0),
            children=_replace_and_extend(self.children, nodes, counts, made, 0),
            missing=_replace_and_extend(self.missing, nodes, result["missing"], made, -1),
            levels=levels.take(_replace_and_extend(np.arange(n + made), nodes, n + made + np.arange(len(nodes)), 0, 0)),
            shares=np.concatenate([self.shares, result["child_shares"]]),
            depths=np.concatenate([self.depths, np.repeat(self.depths[nodes] + 1, counts)]),
            open=np.concatenate(
                [_replace_and_extend(self.open, nodes, False, 0, False), result["child_open"].astype(np.bool_)]
            ),
        )

    def with_branches(self, branches: Mapping[int, Parts]) -> GrowingTree:
        """Return the tree with some open nodes replaced by the branches that were grown there."""
        still = _replace_and_extend(self.open, np.array(list(branches), dtype=np.int64), False, 0, False)
        return replace(self, open=still, branches={**self.branches, **branches})

    def parts(self) -> Parts:
        """Return the whole tree as the kernels hand trees around, breadth first; branches have no surrogates."""
        names = ("columns", "thresholds", "first", "children", "missing")
        own: Parts = {name: getattr(self, name).copy() for name in names}
        arrays: list[Parts] = [{**own, "tallies": self.tallies}]
        levels, number = [self.levels], np.arange(len(self.columns))  # number: where the test of a node is
        n = len(number)
        for node, branch in self.branches.items():
            part = {
                **branch,
                "first": branch["first"] + np.int32(n),
                "children": children_counts(branch),
                "tallies": branch["tallies"].reshape(-1, self.tallies.shape[1]),
            }
            for name in names:
                own[name][node] = part[name][0]
            number[node] = n
            arrays.append(part)
            levels.append(LevelMaps.of_parts(branch, LEVELS))
            n += len(branch["columns"])
        joined = {name: np.concatenate([part[name] for part in arrays]) for name in arrays[0]}
        number = np.concatenate([number, np.arange(len(number), n)])
        return _breadth_first(joined, LevelMaps.concatenate(levels).take(number))


def _breadth_first(tree: Parts, levels: LevelMaps) -> Parts:
    """Return what is reached from the root, in order; `levels` are those of all nodes."""
    layers = [np.zeros(1, dtype=np.int64)]
    while len(layers[-1]):
        inner = layers[-1][tree["columns"][layers[-1]] >= 0]
        layers.append(ranges(tree["first"][inner], tree["children"][inner]))
    order = np.concatenate(layers)
    columns = tree["columns"][order]
    tests = columns >= 0
    below = np.where(tests, tree["children"][order], 0)
    return {
        "columns": columns,
        "thresholds": np.where(tests, tree["thresholds"][order], 0.0),
        "first": np.where(tests, 1 + run_starts(below)[:-1], 0).astype(np.int32),
        "missing": np.where(tests, tree["missing"][order], -1).astype(np.int32),
        "tallies": np.ascontiguousarray(tree["tallies"][order]).ravel(),
        **levels.take(order).parts(LEVELS),
    }


def _replace_and_extend(array: NDArray[Any], places: Ints, values: Any, more: int, filled: Any) -> NDArray[Any]:
    """Return a copy with some values replaced, and so many added at its end."""
    array = np.concatenate([array, np.full(more, filled, array.dtype)])
    array[places] = values
    return array
