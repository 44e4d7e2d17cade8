"""Nodes: the tests of a tree as flat arrays, numbered breadth first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgerow.data.schema import Kind, Schema
from hedgerow.data.table import Codes, Numbers
from hedgerow.errors import ModelError
from hedgerow.models.parts import array_part

Order = NDArray[np.int64]

_FLOATS = ("thresholds", "surrogate_thresholds")


@dataclass(frozen=True, eq=False)
class Nodes:
    """The tests of a tree, one entry a node; node 0 is the root, and the children of a node follow each other.

    Parameters
    ----------
    columns
        The position in the schema of the column that the node tests; -1 for a leaf.
    thresholds
        Of a numeric test: child 0 takes `value <= threshold`, child 1 the others; 0 elsewhere.
    first
        The number of the first child; 0 for a leaf.
    level_starts, level_children
        Of a nominal test: the child (0, 1, ...) that each level of the column leads to, in level order.
    missing
        The child that a missing value takes; -1 sends it down all children by their share of training weight.
    surrogate_starts
        Where the surrogates of each node start. They are tried in order when the tested value is missing.
    surrogate_columns, surrogate_thresholds, surrogate_first
        The column of a surrogate; of a numeric one the threshold, and the child (0 or 1) that takes
        `value <= threshold`, the other one taking the rest.
    surrogate_level_starts, surrogate_level_children
        Of a nominal surrogate: the child (0 or 1) that each level leads to; -1 where it does not say.
    """

    columns: Codes
    thresholds: Numbers
    first: Codes
    level_starts: Codes
    level_children: Codes
    missing: Codes
    surrogate_starts: Codes
    surrogate_columns: Codes
    surrogate_thresholds: Numbers
    surrogate_first: Codes
    surrogate_level_starts: Codes
    surrogate_level_children: Codes

    def __post_init__(self) -> None:
        for one in fields(self):
            dtype = np.float64 if one.name in _FLOATS else np.int32
            array = np.ascontiguousarray(getattr(self, one.name), dtype=dtype)
            if array.ndim != 1:
                raise ModelError(f"the {one.name} of a tree must be a list, not of the shape {array.shape}")
            object.__setattr__(self, one.name, array)
        self._check_lengths()
        self._settle_thresholds()
        self._check_tests()
        self._check_surrogates()
        if not self._is_breadth_first:
            _ = self.breadth_first  # raises if this is no tree

    @classmethod
    def grown(cls, **arrays: NDArray[Any]) -> Nodes:
        """Return nodes of arrays that a kernel made: it vouches for them, so that they are not checked again.

        Only what the data may bring about is looked at: a threshold that is not finite.
        """
        nodes: Nodes = object.__new__(cls)
        for name in NODE_PARTS:
            object.__setattr__(nodes, name, arrays[name])
        nodes._settle_thresholds()
        return nodes

    @classmethod
    def of(
        cls,
        columns: ArrayLike,
        thresholds: ArrayLike,
        first: ArrayLike,
        level_starts: ArrayLike | None = None,
        level_children: ArrayLike | None = None,
        missing: ArrayLike | None = None,
    ) -> Nodes:
        """Return nodes without surrogates; unless said otherwise they test numbers and divide missing values."""
        n = len(np.asarray(columns))
        return cls(
            columns,  # type: ignore[arg-type]  # made arrays when checked, as all others
            thresholds,  # type: ignore[arg-type]
            first,  # type: ignore[arg-type]
            np.zeros(n + 1) if level_starts is None else level_starts,  # type: ignore[arg-type]
            () if level_children is None else level_children,  # type: ignore[arg-type]
            np.full(n, -1) if missing is None else missing,  # type: ignore[arg-type]
            **no_surrogates(n),
        )

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return int((self.columns < 0).sum())

    @property
    def leaves(self) -> Order:
        """The numbers of the leaves, ascending."""
        return np.flatnonzero(self.columns < 0)

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether each node is a leaf."""
        leaf: NDArray[np.bool_] = self.columns < 0
        return leaf

    @cached_property
    def is_nominal(self) -> NDArray[np.bool_]:
        """Whether each node tests a nominal column."""
        return np.diff(self.level_starts) > 0

    @cached_property
    def n_children(self) -> Codes:
        """The number of children of each node."""
        counts = np.where(self.columns < 0, 0, 2).astype(np.int32)
        nominal = np.flatnonzero(self.is_nominal)
        if len(nominal):
            counts[nominal] = np.maximum.reduceat(self.level_children, self.level_starts[nominal]) + 1
        return counts

    @cached_property
    def parents(self) -> Codes:
        """The number of each node's parent; -1 for the root."""
        parents = np.full(len(self), -1, dtype=np.int32)
        inner = np.flatnonzero(self.columns >= 0)
        parents[_ranges(self.first[inner], self.n_children[inner])] = np.repeat(inner, self.n_children[inner])
        return parents

    @cached_property
    def breadth_first(self) -> Order:
        """The numbers of the nodes, layer by layer from the root."""
        return np.concatenate(list(self._walk()))

    @cached_property
    def layers(self) -> list[slice]:
        """The nodes of each depth, of a tree that is numbered breadth first."""
        behind = np.cumsum(self.n_children) + 1  # where the children of each node end
        layers = [slice(0, 1)]
        while layers[-1].stop < len(self):
            layers.append(slice(layers[-1].stop, int(behind[layers[-1].stop - 1])))
        return layers

    @cached_property
    def divides(self) -> bool:
        """Whether a missing value can go down several children of some node."""
        return bool(((self.missing < 0) & (self.columns >= 0)).any())

    @property
    def depth(self) -> int:
        """The number of tests on the longest path."""
        return sum(1 for _ in self._walk()) - 1

    def children(self, node: int) -> range:
        """Return the numbers of a node's children."""
        first = int(self.first[node])
        return range(first, first + int(self.n_children[node]))

    def levels_of(self, node: int) -> Codes:
        """Return the child that each level leads to; empty unless the node tests a nominal column."""
        return self.level_children[self.level_starts[node] : self.level_starts[node + 1]]

    def surrogates(self, node: int) -> range:
        """Return the numbers of a node's surrogates."""
        return range(int(self.surrogate_starts[node]), int(self.surrogate_starts[node + 1]))

    def surrogate_levels(self, surrogate: int) -> Codes:
        """Return the child that each level leads to; empty unless the surrogate tests a nominal column."""
        begins = self.surrogate_level_starts
        return self.surrogate_level_children[begins[surrogate] : begins[surrogate + 1]]

    def in_print(self) -> Iterator[tuple[int, int]]:
        """Yield the number and the depth of every node in the order of print: a node, then its subtrees in turn."""
        first, counts = self.first.tolist(), self.n_children.tolist()
        waiting = [(0, 0)]
        while waiting:
            node, depth = waiting.pop()
            yield node, depth
            waiting.extend((child, depth + 1) for child in range(first[node] + counts[node] - 1, first[node] - 1, -1))

    def paths(self) -> Iterator[tuple[int, tuple[tuple[int, int], ...]]]:
        """Yield every leaf in the order of print with its path: the nodes passed and the child taken at each."""
        path: list[tuple[int, int]] = []
        parents = self.parents
        for node, depth in self.in_print():
            del path[max(depth - 1, 0) :]
            if depth:
                parent = int(parents[node])
                path.append((parent, node - int(self.first[parent])))
            if self.columns[node] < 0:
                yield node, tuple(path)

    def canonical(self) -> tuple[Nodes, Order | None]:
        """Return the same tree numbered breadth first, and the old numbers in that order (None if it was so before)."""
        if self._is_breadth_first:
            return self, None
        order = self.breadth_first
        number = np.empty(len(self), dtype=np.int32)
        number[order] = np.arange(len(self), dtype=np.int32)
        level_starts, level_children = _taken(self.level_starts, self.level_children, order)
        held = _ranges(self.surrogate_starts[order], np.diff(self.surrogate_starts)[order])
        inner_starts, inner_children = _taken(self.surrogate_level_starts, self.surrogate_level_children, held)
        nodes = replace(
            self,
            columns=self.columns[order],
            thresholds=self.thresholds[order],
            first=np.where(self.columns < 0, 0, number[self.first])[order].astype(np.int32),
            level_starts=level_starts,
            level_children=level_children,
            missing=self.missing[order],
            surrogate_starts=starts(np.diff(self.surrogate_starts)[order]),
            surrogate_columns=self.surrogate_columns[held],
            surrogate_thresholds=self.surrogate_thresholds[held],
            surrogate_first=self.surrogate_first[held],
            surrogate_level_starts=inner_starts,
            surrogate_level_children=inner_children,
        )
        return nodes, order

    def check(self, schema: Schema) -> None:
        """Raise unless tables of this schema can be tested so."""
        inner = ~self.is_leaf
        _check_columns(schema, "node", self.columns[inner], np.diff(self.level_starts)[inner])
        _check_columns(schema, "surrogate", self.surrogate_columns, np.diff(self.surrogate_level_starts))

    @cached_property
    def _is_breadth_first(self) -> bool:
        inner = np.flatnonzero(self.columns >= 0)
        counts = self.n_children[inner]
        first = self.first[inner]
        ordered = (first == 1 + np.cumsum(counts) - counts) & (first > inner)
        return int(counts.sum()) == len(self) - 1 and bool(ordered.all())

    def _walk(self) -> Iterator[Order]:
        """Yield the nodes of each depth; raise if a node is reached twice or never."""
        layer, seen = np.zeros(1, dtype=np.int64), np.zeros(len(self), dtype=np.bool_)
        left = len(self)
        while len(layer):
            left -= len(layer)
            if left < 0 or seen[layer].any():
                raise ModelError("the nodes are not a tree: a node is the child of two, or its own descendant")
            seen[layer] = True
            yield layer
            inner = layer[self.columns[layer] >= 0]
            layer = _ranges(self.first[inner], self.n_children[inner])
        if left:
            raise ModelError(f"the nodes are not a tree: {left} of them cannot be reached from the first")

    def _settle_thresholds(self) -> None:
        for name in _FLOATS:
            thresholds = getattr(self, name)
            if not np.isfinite(thresholds).all():
                raise ModelError("a threshold of the tree is not a finite number")
            object.__setattr__(self, name, thresholds + 0.0)  # no negative zero: it prints as 0

    def _check_lengths(self) -> None:
        n, n_surrogates = len(self.columns), len(self.surrogate_columns)
        if not n:
            raise ModelError("a tree has at least one node")
        lengths = dict.fromkeys(("thresholds", "first", "missing"), n)
        lengths |= dict.fromkeys(("surrogate_thresholds", "surrogate_first"), n_surrogates)
        for name, length in lengths.items():
            if len(getattr(self, name)) != length:
                raise ModelError(f"the {name} of a tree are {len(getattr(self, name))} instead of {length}")
        _check_starts(self.level_starts, n, len(self.level_children), "level_starts")
        _check_starts(self.surrogate_starts, n, n_surrogates, "surrogate_starts")
        levels = len(self.surrogate_level_children)
        _check_starts(self.surrogate_level_starts, n_surrogates, levels, "surrogate_level_starts")

    def _check_tests(self) -> None:
        leaf, nominal = self.columns < 0, self.is_nominal
        if (self.columns < -1).any():
            raise ModelError("a node of the tree tests a column before the first")
        unused = leaf | nominal
        if self.thresholds[unused].any() or self.first[leaf].any() or (leaf & nominal).any():
            raise ModelError("a leaf of the tree has a test, or a nominal test a threshold")
        if len(self.level_children) and self.level_children.min() < 0:
            raise ModelError("a level of the tree leads to a child before the first")
        counts = self.n_children
        if (nominal & (counts < 2)).any():
            raise ModelError("a node of the tree has less than two children")
        sizes = np.diff(self.level_starts)
        if (counts[nominal] > sizes[nominal]).any():
            raise ModelError("a child of the tree is taken by no level")
        if len(self.level_children):
            bases = np.cumsum(counts) - counts
            taken = np.zeros(int(counts.sum()), dtype=np.bool_)
            taken[np.repeat(bases, sizes) + self.level_children] = True
            if not taken[_ranges(bases[nominal], counts[nominal])].all():
                raise ModelError("a child of the tree is taken by no level")
        if (~leaf & ((self.first < 1) | (self.first > len(self) - counts))).any():
            raise ModelError(f"a child of the tree is outside its nodes 1 to {len(self) - 1}")
        if ((self.missing < -1) | (self.missing >= np.maximum(counts, 0))).any():
            raise ModelError("a missing value leads to a child that the node does not have")

    def _check_surrogates(self) -> None:
        if not len(self.surrogate_columns):
            return
        of = np.repeat(np.arange(len(self)), np.diff(self.surrogate_starts))
        nominal = np.diff(self.surrogate_level_starts) > 0
        children = self.surrogate_level_children
        if (self.n_children[of] != 2).any():
            raise ModelError("a node has surrogates, but not two children")
        if (self.surrogate_columns < 0).any():
            raise ModelError("a surrogate of the tree tests a column before the first")
        pairs = np.stack([of, self.surrogate_columns])
        own = (self.surrogate_columns == self.columns[of]).any()
        if own or np.unique(pairs, axis=1).shape[1] < len(of):
            raise ModelError("the surrogates of a node must test different columns, not its own")
        if ((self.surrogate_first < 0) | (self.surrogate_first > 1)).any() or (
            len(children) and (children.min() < -1 or children.max() > 1)
        ):
            raise ModelError("a surrogate leads to a child that its node does not have")
        if self.surrogate_first[nominal].any() or self.surrogate_thresholds[nominal].any():
            raise ModelError("a nominal surrogate has a threshold")
        if nominal.any() and (np.maximum.reduceat(children, self.surrogate_level_starts[:-1][nominal]) < 0).any():
            raise ModelError("a surrogate says nothing of any level")


NODE_PARTS = tuple(one.name for one in fields(Nodes))
MOST_NODES = 20_000_000  # and levels of their tests: nobody needs a larger tree


def nodes_parts(nodes: Nodes) -> dict[str, Any]:
    """Return the arrays by name, as model files hold them."""
    return {name: getattr(nodes, name) for name in NODE_PARTS}


def nodes_of(parts: dict[str, Any]) -> Nodes:
    """Return the nodes of a file's arrays."""
    arrays = {name: array_part(parts, name, np.float64 if name in _FLOATS else np.int32, None) for name in NODE_PARTS}
    largest = max(map(len, arrays.values()))
    if largest > MOST_NODES:
        raise ModelError(f"a tree may have {MOST_NODES:,} nodes and levels; this one has {largest:,}")
    return Nodes(**arrays)


def no_surrogates(n: int) -> dict[str, Any]:
    """Return the arrays of n nodes that have no surrogates."""
    codes = np.empty(0, dtype=np.int32)
    return {
        "surrogate_starts": np.zeros(n + 1, dtype=np.int32),
        "surrogate_columns": codes,
        "surrogate_thresholds": np.empty(0),
        "surrogate_first": codes,
        "surrogate_level_starts": np.zeros(1, dtype=np.int32),
        "surrogate_level_children": codes,
    }


def _check_columns(schema: Schema, what: str, columns: Codes, n_levels: NDArray[Any]) -> None:
    """Raise unless columns can be tested, by tests of so many levels."""
    if not len(columns):
        return
    if columns.max() >= len(schema):
        raise ModelError(f"a {what} of the tree tests column {int(columns.max()) + 1} of {len(schema)}")
    wanted = np.array([len(column.levels) if column.kind is Kind.NOMINAL else 0 for column in schema.columns])
    wrong = n_levels != wanted[columns]
    for position in np.flatnonzero(np.bincount(columns)).tolist():
        column = schema.columns[position]
        if column.name == schema.target:
            raise ModelError(f"a {what} of the tree tests {column.name!r}, the very target that is to be predicted")
        if column.kind not in (Kind.NUMERIC, Kind.NOMINAL):
            raise ModelError(f"column {column.name!r} is a {column.kind}, which trees cannot test")
        if column.kind is Kind.NOMINAL and not column.levels:
            raise ModelError(f"a {what} of the tree tests 0 levels of column {column.name!r}, which has 0")
    if wrong.any():
        at = int(wrong.argmax())
        column = schema.columns[columns[at]]
        found, has = int(n_levels[at]), int(wanted[columns[at]])
        raise ModelError(f"a {what} of the tree tests {found} levels of column {column.name!r}, which has {has}")


def _check_starts(starts: Codes, n: int, total: int, name: str) -> None:
    if len(starts) != n + 1:
        raise ModelError(f"the {name} of a tree are {len(starts)} instead of {n + 1}")
    if starts[0] != 0 or starts[-1] != total or (starts[1:] < starts[:-1]).any():
        raise ModelError(f"the {name} of a tree do not run from 0 to {total} without falling")


def starts(sizes: Iterable[int]) -> Codes:
    """Return where each of several runs of these sizes starts, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(list(sizes))]).astype(np.int32)


def _ranges(starts: NDArray[Any], sizes: NDArray[Any]) -> Order:
    """Return start, start + 1, ... of each run, one run after the other."""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts.astype(np.int64) - (ends - sizes), sizes) + np.arange(total, dtype=np.int64)


def _taken(begins: Codes, values: Codes, order: Order) -> tuple[Codes, Codes]:
    """Return some of the runs of `values`, in order."""
    sizes = np.diff(begins)[order]
    return starts(sizes), values[_ranges(begins[order], sizes)]
