"""RowSearch: by which structure the nearest rows are found. All of them find the same rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hedgerow import _kernels
from hedgerow.data.table.table import Codes, Numbers
from hedgerow.data.table.threads import n_threads
from hedgerow.errors import ModelError
from hedgerow.models.base.checked_parts import expect_parts

AUTO, KD_TREE, BALL_TREE, BRUTE = ALGORITHMS = ("auto", "kd_tree", "ball_tree", "brute")
LONGEST_SIDE, VARIANCE = DIRECTIONS = ("longest_side", "variance")
MEDIAN, MEAN = POINTS = ("median", "mean")
MOST_LEAF = 256
FARTHEST = 2  # the division of ball trees, after DIRECTIONS
DEPTHS_AT = 6  # of what `_kernels.build_search_tree` returns: the depths of the leaves

MixedRows = tuple[Numbers, Codes]  # numbers and codes, column by column
Distance = tuple[bool, Numbers, Numbers]  # whether differences are squared; what gaps and other codes add, by column
Tree = tuple[Any, ...]  # what `_kernels.build_search_tree` returns


@dataclass(frozen=True)
class RowSearch:
    """The structure, and how a tree of it is built."""

    algorithm: str = AUTO  # one of ALGORITHMS
    leaf_size: int = 32
    direction: str = LONGEST_SIDE  # of a kD-tree, one of DIRECTIONS
    point: str = MEDIAN  # of a kD-tree, one of POINTS

    def tree(self, algorithm: str, rows: MixedRows, distance: Distance) -> Tree:
        """Return the tree of some rows."""
        division = FARTHEST if algorithm == BALL_TREE else DIRECTIONS.index(self.direction)
        how = (division, self.point == MEAN, self.leaf_size)
        return _kernels.build_search_tree(rows, distance, *how, n_threads())

    def extend_tree(self, tree: Tree, rows: MixedRows) -> Tree | None:
        """Return the tree with more rows added; None if it is twice as deep as it needs to be."""
        grown = _kernels.insert_rows(tree, rows)
        return grown if depth(grown) <= max(2 * least_depth(rows[0].shape[1], self.leaf_size), 2) else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return dict(vars(self))

    @classmethod
    def from_dict(cls, parts: Any) -> RowSearch:
        """Build it from its parts, checking them."""
        expect_parts(parts, "algorithm", "leaf_size", "direction", "point")
        allowed = {"algorithm": ALGORITHMS, "direction": DIRECTIONS, "point": POINTS}
        for name, words in allowed.items():
            if not isinstance(parts[name], str) or parts[name] not in words:
                raise ModelError(f"its part {name!r} must be one of {', '.join(words)}")
        if type(parts["leaf_size"]) is not int or not 1 <= parts["leaf_size"] <= MOST_LEAF:
            raise ModelError(f"its part 'leaf_size' must be a whole number from 1 to {MOST_LEAF}")
        return cls(**parts)


def depth(tree: Tree) -> int:
    """Return the depth of the deepest leaf."""
    return int(tree[DEPTHS_AT].max(initial=0))


def least_depth(rows: int, leaf_size: int) -> int:
    """Return how deep a tree of halves is."""
    halvings = 0
    while -(-rows // 2**halvings) > leaf_size:
        halvings += 1
    return halvings
