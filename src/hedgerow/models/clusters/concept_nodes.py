"""The tree of concepts as arrays: the sums of every concept, from which its utility and its profile follow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Codes, Numbers, Rows
from hedgerow.errors import ModelError
from hedgerow.layout.rounding import round_digits
from hedgerow.models.base.checked_parts import array_part, expect_parts, numbers_part, weights_part
from hedgerow.models.clusters.category_utility import UtilityScale
from hedgerow.models.clusters.profile import DIGITS, Profile

PARTS = ("parents", "weights", "known", "means", "squares", "starts", "levels", "counts")
LARGEST = 1.797693e308  # of the numbers that print with DIGITS
SLACK = 1e-6  # share by which sums in a file may differ


@dataclass(frozen=True, eq=False)
class ConceptNodes:
    """Concepts level by level, the root first, children in the order of their age; a line of every array each.

    Means and squared differences from them are of scaled numbers (`UtilityScale`). The levels of column j of concept i
    that occur are levels[starts[i * nominal + j] : starts[i * nominal + j + 1]], ascending, and `counts` are their
    weights.
    """

    measure: UtilityScale
    parents: Codes  # -1 of the root
    weights: Numbers
    known: Numbers  # (concepts, numeric columns): weights of the known numbers
    means: Numbers
    squares: Numbers
    starts: Rows
    levels: Codes
    counts: Numbers

    @classmethod
    def from_kernel(cls, measure: UtilityScale, arrays: tuple[NDArray[Any], ...]) -> Self:
        """Return the concepts as the kernel gives them."""
        parents, weights, *sums, starts, levels, counts = arrays
        shape = (len(parents), len(measure.numbers))
        known, means, squares = (one.reshape(shape) for one in sums)
        return cls(measure, parents, weights, known, means, squares, starts, levels, counts)

    def __len__(self) -> int:
        return len(self.parents)

    @property
    def arrays(self) -> Any:
        """The arrays as the kernel takes them."""
        return tuple(getattr(self, name) for name in PARTS)

    @cached_property
    def n_children(self) -> Rows:
        """How many children each concept has."""
        return np.bincount(self.parents[1:], minlength=len(self)).astype(np.int64)

    @cached_property
    def first(self) -> Rows:
        """The start of the children of each concept, which are contiguous."""
        return 1 + np.cumsum(self.n_children) - self.n_children

    @cached_property
    def depths(self) -> Codes:
        """How far below the root each concept lies."""
        depths = np.zeros(len(self), dtype=np.int32)
        start, stop, depth = 0, 1, 0
        while start < len(self):  # a level at a time: parents come first
            depths[start:stop] = depth
            start, stop, depth = stop, stop + int(self.n_children[start:stop].sum()), depth + 1
        return depths

    def children(self, node: int) -> range:
        """Return the children of a concept, the oldest first."""
        return range(int(self.first[node]), int(self.first[node] + self.n_children[node]))

    def print_order(self, stops: NDArray[np.bool_] | None = None) -> list[int]:
        """Return the concepts in the order in which they print: each before its children. `stops` hide theirs."""
        order, left = [], [0]
        while left:
            node = left.pop()
            order.append(node)
            if stops is None or not stops[node]:
                left += reversed(self.children(node))
        return order

    def clusters(self, level: int | None) -> Rows:
        """Return the concepts that are the clusters, in print order: those at a level below the root, or the leaves."""
        chosen = self.n_children == 0
        if level is not None:
            chosen = (self.depths == level) | (chosen & (self.depths < level))
        return np.array([node for node in self.print_order(chosen) if chosen[node]], dtype=np.int64)

    @cached_property
    def scores(self) -> Numbers:
        """Q of each concept, as `category_utility` defines it."""
        nominal = len(self.measure.nominal)
        total: Numbers = self.measure.number_scores(self.known, self.squares).sum(axis=1)
        if nominal:
            places = np.repeat(np.arange(len(self) * nominal), np.diff(self.starts))
            counted = np.bincount(places, self.counts, len(self) * nominal)
            squares = np.bincount(places, self.counts**2, len(self) * nominal)
            shares = squares / np.where(counted > 0, counted, 1.0)
            total = total + shares.reshape(-1, nominal).sum(axis=1)
        return total

    @cached_property
    def utilities(self) -> Numbers:
        """The category utility of the children of each concept; 0 of a leaf."""
        inside = np.bincount(self.parents[1:], self.scores[1:], len(self))
        some = self.n_children > 0
        utilities = np.zeros(len(self))
        utilities[some] = (inside - self.scores)[some] / (self.n_children * self.weights)[some]
        return utilities

    def profile(self, nodes: Rows, schema: Schema) -> Profile:
        """Return the profiles of some concepts, on the user's scale."""
        measure, known = self.measure, self.known[nodes]
        free = np.where(known > 0, known, 1.0)
        with np.errstate(over="ignore"):  # overflows are clipped to the largest number
            means = np.where(known > 0, self.means[nodes] * measure.units + measure.centers, 0.0)
            deviations = np.sqrt(self.squares[nodes] / free) * measure.units
        return Profile(
            schema,
            self.weights[nodes],
            known,
            _round_figures(np.clip(means, -LARGEST, LARGEST)),
            _round_figures(np.clip(deviations, 0.0, LARGEST)),
            self._dense(nodes, schema),
            (),
        )

    def _dense(self, nodes: Rows, schema: Schema) -> Numbers:
        """Return the counts of all levels of some concepts, one nominal column after the other."""
        sizes = [len(schema.columns[at].levels) for at in self.measure.nominal]
        out = np.zeros((len(nodes), sum(sizes)))
        for line, node in enumerate(nodes.tolist()):
            for j, first in enumerate(np.cumsum([0, *sizes[:-1]]).tolist() if sizes else []):
                place = node * len(sizes) + j
                own = slice(int(self.starts[place]), int(self.starts[place + 1]))
                out[line, first + self.levels[own]] = self.counts[own]
        return out

    def to_dict(self) -> dict[str, Any]:
        """Return the arrays by name."""
        return {name: getattr(self, name) for name in PARTS}

    @classmethod
    def from_dict(cls, parts: Any, measure: UtilityScale, schema: Schema) -> Self:
        """Build the concepts from their arrays, checking every one."""
        expect_parts(parts, *PARTS)
        parents = array_part(parts, "parents", np.int32, None)
        n, numbers, nominal = len(parents), len(measure.numbers), len(measure.nominal)
        _check_parents(parents)
        weights = weights_part(parts, "weights", n)
        known = weights_part(parts, "known", n, numbers)
        means, squares = numbers_part(parts, "means", n, numbers), weights_part(parts, "squares", n, numbers)
        starts = array_part(parts, "starts", np.int64, n * nominal + 1)
        counts = weights_part(parts, "counts", None)
        levels = array_part(parts, "levels", np.int32, len(counts))
        if starts[0] != 0 or starts[-1] != len(counts) or (starts[1:] < starts[:-1]).any():
            raise ModelError(f"its part 'starts' does not ascend from 0 to {len(counts)}")
        if (weights <= 0).any() or (counts <= 0).any():
            raise ModelError("its concepts and their levels must have weights above 0")
        places = np.repeat(np.arange(n * nominal), np.diff(starts))
        sizes = np.array([len(schema.columns[at].levels) for at in measure.nominal], dtype=np.int64)
        if len(levels) and ((levels < 0).any() or (levels >= sizes[places % nominal]).any()):
            raise ModelError("its part 'levels' holds a level that its column does not have")
        if ((levels[1:] <= levels[:-1]) & (places[1:] == places[:-1])).any():
            raise ModelError("the levels of a concept must ascend")
        own = cls(measure, parents, weights, known, means, squares, starts, levels, counts)
        own._check_sums(places)
        return own

    def _check_sums(self, places: Rows) -> None:
        """Raise unless children add up to their parents, and no column is known of more rows than there are."""
        with np.errstate(over="ignore"):
            nominal, most = len(self.measure.nominal), self.weights * (1 + SLACK)
        counted = np.bincount(places, self.counts, len(self) * nominal).reshape(len(self), nominal)
        if (self.known > most[:, None]).any() or (counted > most[:, None]).any():
            raise ModelError("a column of a concept has more known values than the concept has rows")
        inside = np.bincount(self.parents[1:], self.weights[1:], len(self))
        some = self.n_children > 0
        if not np.allclose(inside[some], self.weights[some], rtol=SLACK, atol=0):
            raise ModelError("the weights of a concept's children do not add up to its own")


def _check_parents(parents: Codes) -> None:
    n = len(parents)
    if not n or parents[0] != -1 or (parents[1:] < 0).any() or (parents[1:] >= np.arange(1, n)).any():
        raise ModelError("its concepts are not a tree with one root and parents before their children")
    if (parents[1:] < parents[:-1]).any():
        raise ModelError("its concepts are not listed level by level")
    if (np.bincount(parents[1:], minlength=n) == 1).any():
        raise ModelError("a concept has only one child")


def _round_figures(values: Numbers) -> Numbers:
    """Return numbers without the last digits, which depend on rounding."""
    return np.array([round_digits(value, DIGITS) for value in values.ravel().tolist()]).reshape(values.shape)
