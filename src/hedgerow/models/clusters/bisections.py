"""Halvings: the tree in which clusters came about, each by halving a larger one.

Of k clusters, the nodes 0 to k-1 are the clusters; the node k + i is the one divided by the i-th split. Both halves of
a halving come before it, so that the last one is of all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.errors import ModelError
from hedgerow.layout.numbers import format_number
from hedgerow.layout.rounding import round_digits
from hedgerow.models.base.checked_parts import array_part, expect_parts, weights_part
from hedgerow.models.clusters.profile_text import rows_text


@dataclass(frozen=True)
class Bisection:
    """Two nodes that were one, whose squared distances to its center summed to `squares`.

    `before` and `after` are the bits of its rows as one cluster and as two; 0 if not computed.
    """

    left: int
    right: int
    squares: float
    before: float = 0.0
    after: float = 0.0


def halving_lines(halvings: Sequence[Bisection], sizes: Numbers, squares: Numbers) -> list[str]:
    r"""Return the tree in print, one node per line.

    >>> print("\n".join(halving_lines([Bisection(0, 1, 9.0, 40.5, 30.25)], np.array([3.0, 1.0]), np.array([0.5, 0.0]))))
    4 rows, sum of squares 9: 40.5 bits unsplit, 30.25 split
      cluster 1: 3 rows, sum of squares 0.5
      cluster 2: 1 row, sum of squares 0
    """
    k, weights = len(sizes), sizes.tolist()
    least = list(range(k))  # of the clusters of each node, for the order of printing
    for one in halvings:
        weights.append(weights[one.left] + weights[one.right])
        least.append(min(least[one.left], least[one.right]))
    lines: list[str] = []
    waiting = [(k + len(halvings) - 1, 0)]
    while waiting:
        node, depth = waiting.pop()
        indent = "  " * depth
        if node < k:
            own = format_number(round_digits(float(squares[node])))
            lines.append(f"{indent}cluster {node + 1}: {rows_text(weights[node])}, sum of squares {own}")
            continue
        one = halvings[node - k]
        text = f"{indent}{rows_text(weights[node])}, sum of squares {format_number(round_digits(one.squares))}"
        if one.before:
            before, after = (format_number(round_digits(bits)) for bits in (one.before, one.after))
            text += f": {before} bits unsplit, {after} split"
        lines.append(text)
        first, second = sorted((one.left, one.right), key=least.__getitem__)
        waiting += [(second, depth + 1), (first, depth + 1)]
    return lines


def halvings_parts(halvings: Sequence[Bisection]) -> dict[str, Any] | None:
    """Return the halvings for a file."""
    if not halvings:
        return None
    return {
        "halves": np.array([[one.left, one.right] for one in halvings], dtype=np.int32),
        "figures": np.array([[one.squares, one.before, one.after] for one in halvings], dtype=np.float64),
    }


def read_halvings(parts: Any, k: int) -> tuple[Bisection, ...]:
    """Return the halvings among the parts of a model of k clusters, checked to be one tree of all of them."""
    if parts is None:
        return ()
    expect_parts(parts, "halves", "figures")
    halves = array_part(parts, "halves", np.int32, k - 1, 2)
    figures = weights_part(parts, "figures", k - 1, 3)
    before = k + np.arange(k - 1)[:, None]
    if (halves < 0).any() or (halves >= before).any() or len(np.unique(halves)) != halves.size:
        raise ModelError("its part 'halves' is not a tree of the clusters")
    pairs = zip(halves.tolist(), figures.tolist(), strict=True)
    return tuple(Bisection(left, right, *own) for (left, right), own in pairs)
