"""Nodes: the tests of a tree as flat arrays, numbered breadth first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers
from hedgerow.errors import ModelError
from hedgerow.models.base.checked_parts import array_part
from hedgerow.models.trees.level_maps import LevelMaps, Order, check_starts, ranges

_FLOATS = ("thresholds", "surrogate_thresholds")
_MOST_NUMBERED = 2**31 - 1


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
    levels
        Of a nominal test: the child (0, 1, ...) that each level of the column leads to.
    missing
        The child that a missing value takes; -1 sends it down all children by their share of training weight.
    surrogate_starts
        Where the surrogates of each node start. They are tried in order when the tested value is missing.
    surrogate_columns, surrogate_thresholds, surrogate_first
        The column of a surrogate; of a numeric one the threshold, and the child (0 or 1) that takes
        `value <= threshold`, the other one taking the rest.
    surrogate_levels
        Of a nominal surrogate: the child (0 or 1) that each level leads to; -1 where it is unknown.
    """

    columns: Codes
    thresholds: Numbers
    first: Codes
    levels: LevelMaps
    missing: Codes
    surrogate_starts: Codes
    surrogate_columns: Codes
    surrogate_thresholds: Numbers
    surrogate_first: Codes
    surrogate_levels: LevelMaps

    def __post_init__(self) -> None:
        self._check_lengths()
        self._finish_thresholds()
        self._check_tests()
        self._check_surrogates()
        if not self._is_breadth_first:
            _ = self.breadth_first  # raises if this is no tree

    @classmethod
    def from_kernel(cls, **parts: Any) -> Nodes:
        """Return nodes with the parts of a kernel, which are trusted and not checked again.

        Only what the data may cause is checked: a threshold that is not finite.
        """
        nodes: Nodes = object.__new__(cls)
        for one in fields(cls):
            object.__setattr__(nodes, one.name, parts[one.name])
        nodes._finish_thresholds()
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
        surrogate_starts: ArrayLike | None = None,
        surrogate_columns: ArrayLike = (),
        surrogate_thresholds: ArrayLike = (),
        surrogate_first: ArrayLike = (),
        surrogate_level_starts: ArrayLike | None = None,
        surrogate_level_children: ArrayLike = (),
    ) -> Nodes:
        """Return nodes by the child of every level: test i has those from `level_starts[i]` to `level_starts[i + 1]`.

        By default they test numbers, divide missing values, and have no surrogates.
        """
        tests, surrogates = _array("columns", columns), _array("surrogate_columns", surrogate_columns)
        n, n_surrogates = len(tests), len(surrogates)
        return cls(
            tests,
            _array("thresholds", thresholds),
            _array("first", first),
            _levels("", n, level_starts, () if level_children is None else level_children),
            _array("missing", np.full(n, -1) if missing is None else missing),
            _array("surrogate_starts", np.zeros(n + 1) if surrogate_starts is None else surrogate_starts),
            surrogates,
            _array("surrogate_thresholds", surrogate_thresholds),
            _array("surrogate_first", surrogate_first),
            _levels("surrogate_", n_surrogates, surrogate_level_starts, surrogate_level_children),
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
        nominal: NDArray[np.bool_] = self.levels.counts > 0
        return nominal

    @cached_property
    def n_children(self) -> Codes:
        """The number of children of each node."""
        return children_counts(self.columns, self.levels)

    @cached_property
    def parents(self) -> Codes:
        """The number of each node's parent; -1 for the root."""
        parents = np.full(len(self), -1, dtype=np.int32)
        inner = np.flatnonzero(self.columns >= 0)
        parents[ranges(self.first[inner], self.n_children[inner])] = np.repeat(inner, self.n_children[inner])
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
        return self.levels.run(node)

    def surrogates(self, node: int) -> range:
        """Return the numbers of a node's surrogates."""
        return range(int(self.surrogate_starts[node]), int(self.surrogate_starts[node + 1]))

    def surrogate_levels_of(self, surrogate: int) -> Codes:
        """Return the child that each level leads to; empty unless the surrogate tests a nominal column."""
        return self.surrogate_levels.run(surrogate)

    def print_order(self, closed: Collection[int] = frozenset()) -> Iterator[tuple[int, int]]:
        """Yield the number and the depth of every node in the order of print: a node, then its subtrees one by one.

        Nodes below `closed` ones are left out.
        """
        first, counts = self.first.tolist(), self.n_children.tolist()
        waiting = [(0, 0)]
        while waiting:
            node, depth = waiting.pop()
            yield node, depth
            if node in closed:
                continue
            waiting.extend((child, depth + 1) for child in range(first[node] + counts[node] - 1, first[node] - 1, -1))

    def paths(self) -> Iterator[tuple[int, tuple[tuple[int, int], ...]]]:
        """Yield every leaf in the order of print with its path: the nodes passed and the child taken at each."""
        path: list[tuple[int, int]] = []
        parents = self.parents
        for node, depth in self.print_order():
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
        indices = ranges(self.surrogate_starts[order], np.diff(self.surrogate_starts)[order])
        nodes = replace(
            self,
            columns=self.columns[order],
            thresholds=self.thresholds[order],
            first=np.where(self.columns < 0, 0, number[self.first])[order].astype(np.int32),
            levels=self.levels.take(order),
            missing=self.missing[order],
            surrogate_starts=starts(np.diff(self.surrogate_starts)[order]),
            surrogate_columns=self.surrogate_columns[indices],
            surrogate_thresholds=self.surrogate_thresholds[indices],
            surrogate_first=self.surrogate_first[indices],
            surrogate_levels=self.surrogate_levels.take(indices),
        )
        return nodes, order

    def check(self, schema: Schema) -> None:
        """Raise an error unless tables of this schema can be tested so."""
        inner = ~self.is_leaf
        _check_columns(schema, "node", self.columns[inner], self.levels.counts[inner])
        _check_columns(schema, "surrogate", self.surrogate_columns, self.surrogate_levels.counts)

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
            layer = ranges(self.first[inner], self.n_children[inner])
        if left:
            raise ModelError(f"the nodes are not a tree: {left} of them cannot be reached from the first")

    def _finish_thresholds(self) -> None:
        for name in _FLOATS:
            thresholds = getattr(self, name)
            if not np.isfinite(thresholds).all():
                raise ModelError("a threshold of the tree is not a finite number")
            object.__setattr__(self, name, thresholds + 0.0)  # no negative zero: it prints as 0

    def _check_lengths(self) -> None:
        n, n_surrogates = len(self.columns), len(self.surrogate_columns)
        if not n:
            raise ModelError("a tree has at least one node")
        lengths = dict.fromkeys(("thresholds", "first", "levels", "missing"), n)
        lengths |= dict.fromkeys(("surrogate_thresholds", "surrogate_first", "surrogate_levels"), n_surrogates)
        for name, length in lengths.items():
            if len(getattr(self, name)) != length:
                raise ModelError(f"a tree has {len(getattr(self, name))} {name} instead of {length}")
        check_starts(self.surrogate_starts, n, n_surrogates, "surrogate_starts")

    def _check_tests(self) -> None:
        leaf, nominal = self.columns < 0, self.is_nominal
        if (self.columns < -1).any():
            raise ModelError("a node of the tree tests a column with a negative number")
        unused = leaf | nominal
        if self.thresholds[unused].any() or self.first[leaf].any() or (leaf & nominal).any():
            raise ModelError("a leaf of the tree has a test, or a nominal test a threshold")
        if (self.levels.rests[nominal] < 0).any() or (self.levels.children < 0).any():
            raise ModelError("a level of the tree leads to a child with a negative number")
        counts = self.n_children
        if (nominal & (counts < 2)).any():
            raise ModelError("a node of the tree has fewer than two children")
        if (counts[nominal] > self.levels.counts[nominal]).any():
            raise ModelError("no level leads to a child of the tree")
        if nominal.any():
            bases = np.cumsum(counts, dtype=np.int64) - counts
            taken = np.zeros(int(counts.sum(dtype=np.int64)), dtype=np.bool_)
            taken[bases[nominal] + self.levels.rests[nominal]] = True
            taken[np.repeat(bases, np.diff(self.levels.starts)) + self.levels.children] = True
            if not taken[ranges(bases[nominal], counts[nominal])].all():
                raise ModelError("no level leads to a child of the tree")
        if (~leaf & ((self.first < 1) | (self.first > len(self) - counts))).any():
            raise ModelError(f"a child of the tree is outside its nodes 1 to {len(self) - 1}")
        if ((self.missing < -1) | (self.missing >= np.maximum(counts, 0))).any():
            raise ModelError("a missing value leads to a child that the node does not have")

    def _check_surrogates(self) -> None:
        if not len(self.surrogate_columns):
            return
        of = np.repeat(np.arange(len(self)), np.diff(self.surrogate_starts))
        nominal = self.surrogate_levels.counts > 0
        children = np.concatenate([self.surrogate_levels.rests, self.surrogate_levels.children])
        if (self.n_children[of] != 2).any():
            raise ModelError("a node has surrogates, but not two children")
        if (self.surrogate_columns < 0).any():
            raise ModelError("a surrogate of the tree tests a column with a negative number")
        pairs = np.stack([of, self.surrogate_columns])
        own = (self.surrogate_columns == self.columns[of]).any()
        if own or np.unique(pairs, axis=1).shape[1] < len(of):
            raise ModelError("the surrogates of a node must test different columns, not its own")
        beyond = (self.surrogate_first < 0) | (self.surrogate_first > 1)
        if beyond.any() or children.min() < -1 or children.max() > 1:
            raise ModelError("a surrogate leads to a child that its node does not have")
        if self.surrogate_first[nominal].any() or self.surrogate_thresholds[nominal].any():
            raise ModelError("a nominal surrogate has a threshold")
        if (self.surrogate_levels.largest[nominal] < 0).any():
            raise ModelError("a surrogate covers no level")


_BY_NODE = ("columns", "thresholds", "first", "level_starts", "level_children", "missing")
_BY_SURROGATE = ("starts", "columns", "thresholds", "first", "level_starts", "level_children")
NODE_PARTS = (*_BY_NODE, *(f"surrogate_{name}" for name in _BY_SURROGATE))  # the arguments of Nodes.of
LIST_PARTS = tuple(f"{prefix}level_{name}" for prefix in ("", "surrogate_") for name in ("counts", "rests", "codes"))
MOST_NODES = 20_000_000  # and levels of their tests: nobody needs a larger tree


def nodes_parts(nodes: Nodes) -> dict[str, Any]:
    """Return the arrays by name, as in model files; raise an error if such a file could not be loaded again."""
    parts = {one.name: getattr(nodes, one.name) for one in fields(nodes)}
    for prefix in ("", "surrogate_"):
        parts |= parts.pop(f"{prefix}levels").file_parts(f"{prefix}level_")
    largest = max(map(len, parts.values()))
    if largest > MOST_NODES:
        raise ModelError(
            f"a tree in a file may have at most {MOST_NODES:,} nodes and levels, but this one has {largest:,}; prune "
            "it, or train it on columns with fewer levels"
        )
    return {name: parts[name] for name in (*NODE_PARTS, *LIST_PARTS) if name in parts}


def read_nodes(parts: dict[str, Any]) -> Nodes:
    """Return the nodes of a file's arrays."""
    own = [name for name in (*NODE_PARTS, *LIST_PARTS) if isinstance(parts.get(name), np.ndarray)]
    largest = max((parts[name].size for name in own), default=0)
    if largest > MOST_NODES:
        raise ModelError(f"a tree may have at most {MOST_NODES:,} nodes and levels; this one has {largest:,}")
    arrays: dict[str, Any] = {
        name: array_part(parts, name, np.float64 if name in _FLOATS else np.int32, None)
        for name in NODE_PARTS
        if "level" not in name
    }
    arrays["levels"] = LevelMaps.from_file(parts, "level_", len(arrays["columns"]))
    n_surrogates = len(arrays["surrogate_columns"])
    arrays["surrogate_levels"] = LevelMaps.from_file(parts, "surrogate_level_", n_surrogates)
    return Nodes(**arrays)


def empty_surrogate_parts(n: int) -> dict[str, Any]:
    """Return the parts of n nodes that have no surrogates."""
    codes = np.empty(0, dtype=np.int32)
    return {
        "surrogate_starts": np.zeros(n + 1, dtype=np.int32),
        "surrogate_columns": codes,
        "surrogate_thresholds": np.empty(0),
        "surrogate_first": codes,
        "surrogate_levels": LevelMaps.none(0),
    }


def children_counts(columns: Codes, levels: LevelMaps) -> Codes:
    """Return the number of children of each node, by the column that it tests and its levels."""
    return np.where(columns < 0, 0, np.where(levels.counts > 0, levels.largest + 1, 2)).astype(np.int32)


def _array(name: str, values: ArrayLike) -> NDArray[Any]:
    """Return an array of a tree in its stored form."""
    array = np.ascontiguousarray(values, dtype=np.float64 if name in _FLOATS else np.int32)
    if array.ndim != 1:
        raise ModelError(f"the {name} of a tree must be a list, not of the shape {array.shape}")
    return array


def _levels(prefix: str, n: int, starts: ArrayLike | None, children: ArrayLike) -> LevelMaps:
    """Return the levels of n tests by the child of every level."""
    begins = _array(f"{prefix}level_starts", np.zeros(n + 1) if starts is None else starts)
    runs = _array(f"{prefix}level_children", children)
    check_starts(begins, n, len(runs), f"{prefix}level_starts")
    return LevelMaps.of_runs(begins, runs)


def _check_columns(schema: Schema, what: str, columns: Codes, n_levels: NDArray[Any]) -> None:
    """Raise an error unless columns can be tested, by tests of so many levels."""
    if not len(columns):
        return
    if columns.max() >= len(schema):
        raise ModelError(f"a {what} of the tree tests column {int(columns.max()) + 1} of {len(schema)}")
    wanted = np.array([len(column.levels) if column.kind is Kind.NOMINAL else 0 for column in schema.columns])
    wrong = n_levels != wanted[columns]
    for position in np.flatnonzero(np.bincount(columns)).tolist():
        column = schema.columns[position]
        if column.name == schema.target:
            raise ModelError(f"a {what} of the tree tests {column.name!r}, which is the target to predict")
        if column.kind not in (Kind.NUMERIC, Kind.NOMINAL):
            raise ModelError(f"column {column.name!r} is a {column.kind}, which trees cannot test")
        if column.kind is Kind.NOMINAL and not column.levels:
            raise ModelError(f"a {what} of the tree tests 0 levels of column {column.name!r}, which has 0")
    if wrong.any():
        at = int(wrong.argmax())
        column = schema.columns[columns[at]]
        found, has = int(n_levels[at]), int(wanted[columns[at]])
        raise ModelError(f"a {what} of the tree tests {found} levels of column {column.name!r}, which has {has}")


def starts(sizes: Iterable[int]) -> Codes:
    """Return where each of several runs of these sizes starts, and where the last one ends."""
    ends = np.cumsum([0, *sizes], dtype=np.int64)
    if ends[-1] > _MOST_NUMBERED:
        raise ModelError(
            f"trees may have at most {_MOST_NUMBERED:,} nodes or levels in total; these have {int(ends[-1]):,}"
        )
    return ends.astype(np.int32)
