"""Trees as text: one line a branch, subtrees indented below. `tree_parse` reads it back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.data.table.schema import Column, Schema
from hedgerow.data.table.table import Numbers
from hedgerow.layout.names import format_level
from hedgerow.layout.numbers import format_number
from hedgerow.layout.wrapping import cut_lines
from hedgerow.models.base.condition import Condition, Operator
from hedgerow.models.base.rule import Rule, counts_text
from hedgerow.models.trees.nodes import Nodes

if TYPE_CHECKING:
    from hedgerow.models.trees.tree import NumberTree, Tree

INDENT = "|   "
SURROGATE = "?   "
ADDED = "Added to every leaf"


def tree_text(tree: Tree) -> str:
    """Return a classification tree as it prints."""
    classes = tree.classes
    lines = [*_lines(tree.nodes, tree.schema, _class_leaf(tree)), "", _sizes(tree.nodes)]
    if tree.added.any():
        amounts = zip(classes, tree.added.tolist(), strict=True)
        lines.append(f"{ADDED}: " + ", ".join(f"{format_level(c)} {format_number(w)}" for c, w in amounts if w))
    if tree.costs is not None:
        each = [(i, j, tree.costs[i, j]) for i, j in np.argwhere(tree.costs).tolist()]
        words = (
            f"{format_level(classes[i])} predicted as {format_level(classes[j])} {format_number(float(c))}"
            for i, j, c in each
        )
        lines.append("Costs: " + ", ".join(words))
    return "\n".join(lines)


def tree_outline(tree: Tree, most: int) -> str:
    """Return a classification tree or, if it has more than so many lines, its top."""
    return _outline(tree_text, tree, tree.totals, _short_class_leaf, most)


def number_tree_text(tree: NumberTree) -> str:
    """Return a regression tree as it prints."""
    return "\n".join([*_lines(tree.nodes, tree.schema, _number_leaf(tree)), "", _sizes(tree.nodes)])


def number_tree_outline(tree: NumberTree, most: int) -> str:
    """Return a regression tree or, if it has more than so many lines, its top."""
    return _outline(number_tree_text, tree, tree.weights, _number_leaf, most)


def _class_leaf(tree: Tree) -> Callable[[int], str]:
    """Return how a leaf prints: the class, and the training rows by class."""
    classes, has_weights, decided = tree.classes, bool(tree.weights[0].any()), tree.leaf_decisions

    def leaf(node: int) -> str:
        decision = int(decided[node])
        counts = counts_text(tree.weights[node].tolist(), decision, classes, always=False)
        return f": {format_level(classes[decision])}{' ' + counts if has_weights else ''}"

    return leaf


def _short_class_leaf(tree: Tree) -> Callable[[int], str]:
    """Return how a leaf prints in an outline: the class, the training rows, and how many of them are of another."""
    classes, has_weights, decided = tree.classes, bool(tree.weights[0].any()), tree.leaf_decisions

    def leaf(node: int) -> str:
        rule = Rule((), tuple(tree.weights[node].tolist()), int(decided[node]))
        errors = f"/{format_number(rule.errors)}" if rule.errors else ""
        return f": {format_level(classes[rule.code])}{f' ({format_number(rule.n)}{errors})' if has_weights else ''}"

    return leaf


def _number_leaf(tree: NumberTree) -> Callable[[int], str]:
    """Return how a leaf prints: the number, and the training rows."""
    has_weights = bool(tree.weights[0])

    def leaf(node: int) -> str:
        n, deviation = float(tree.weights[node]), float(tree.deviations[node])
        rows = f" ({format_number(n)} row{'' if n == 1 else 's'}, deviation {format_number(deviation)})"
        return f": {format_number(float(tree.numbers[node]))}{rows if has_weights or deviation else ''}"

    return leaf


def _outline(
    text: Callable[[Any], str], tree: Any, rows: Numbers, leaf: Callable[[Any], Callable[[int], str]], most: int
) -> str:
    """Return the text of a tree, or the tests of most training rows, in at most so many lines."""
    nodes, own = tree.nodes, leaf(tree)
    if len(nodes) <= most:
        whole = text(tree)
        if whole.count("\n") < most:
            return whole
    closed = _closed_nodes(nodes, rows, most - 3)
    if 0 in closed:
        return cut_lines(text(tree), most)
    n_leaves = _leaves_below(nodes)

    def end(node: int) -> str:
        return f"{own(node)} ... {n_leaves[node]:,} leaves" if node in closed else own(node)

    shown = list(_lines(nodes, tree.schema, end, closed))[: most - 2]
    levels = sum(1 for _ in nodes.layers) - 1
    below = f"The top of a tree of {nodes.n_leaves:,} leaves and {levels:,} levels; ... stands for the tests below"
    return "\n".join([*shown, "", below])


def _closed_nodes(nodes: Nodes, rows: Numbers, most: int) -> frozenset[int]:
    """Return the inner nodes whose subtrees are left out so that at most so many lines are left.

    Nodes are opened in the order of their training rows.
    """
    counts, is_leaf = nodes.n_children, nodes.is_leaf
    waiting: list[tuple[float, int]] = [(-float(rows[0]), 0)]
    closed, left = set(), most
    while waiting:
        _, node = heappop(waiting)
        if counts[node] > left:
            closed.add(node)
            continue
        left -= int(counts[node])
        for child in nodes.children(node):
            if not is_leaf[child]:
                heappush(waiting, (-float(rows[child]), child))
    return frozenset(closed)


def _leaves_below(nodes: Nodes) -> list[int]:
    """Return how many leaves there are below each node, itself included."""
    counted: list[int] = nodes.is_leaf.astype(int).tolist()
    parents = nodes.parents.tolist()
    for node in range(len(counted) - 1, 0, -1):
        counted[parents[node]] += counted[node]
    return counted


def _sizes(nodes: Nodes) -> str:
    return f"Leaves: {nodes.n_leaves}, size of the tree: {len(nodes)}"


def _lines(
    nodes: Nodes, schema: Schema, leaf: Callable[[int], str], closed: Collection[int] = frozenset()
) -> Iterator[str]:
    """Yield the lines of the tree itself; what is below `closed` nodes is left out, and they print as leaves."""
    if len(nodes) == 1:
        yield leaf(0)
        return
    parents = nodes.parents
    for node, depth in nodes.print_order(closed):
        is_leaf = nodes.columns[node] < 0 or node in closed
        if depth:
            parent = int(parents[node])
            child = node - int(nodes.first[parent])
            missing = " or missing" if nodes.missing[parent] == child else ""
            end = leaf(node) if is_leaf else ""
            yield f"{INDENT * (depth - 1)}{branch(nodes, schema, parent, child)}{missing}{end}"
        if not is_leaf:
            for one in nodes.surrogates(node):
                for text in surrogate_texts(nodes, schema, node, one):
                    yield f"{INDENT * depth}{SURROGATE}{text}"


def branch(nodes: Nodes, schema: Schema, node: int, child: int) -> Condition:
    """Return the condition under which a node's child is taken."""
    column = schema.columns[int(nodes.columns[node])]
    levels = nodes.levels_of(node)
    if not len(levels):
        operator = Operator.AT_MOST if child == 0 else Operator.ABOVE
        return Condition(column.name, operator, float(nodes.thresholds[node]))
    return level_condition(column, levels == child, may_deny=int(nodes.n_children[node]) == 2)


def level_condition(column: Column, taken: Any, may_deny: bool) -> Condition:
    """Return the condition that a column has one of some levels; all but one may be printed as `!=` that one."""
    codes = np.flatnonzero(taken).tolist()
    if len(codes) == 1:
        return Condition(column.name, Operator.IS, column.levels[codes[0]])
    if may_deny and len(codes) == len(column.levels) - 1:
        return Condition(column.name, Operator.IS_NOT, column.levels[int(np.flatnonzero(~taken)[0])])
    return Condition(column.name, Operator.IN, tuple(column.levels[code] for code in codes))


def surrogate_texts(nodes: Nodes, schema: Schema, node: int, one: int) -> Iterator[str]:
    """Yield the lines of a surrogate: the condition of child 0 if it is numeric, else the levels of each child."""
    column = schema.columns[int(nodes.surrogate_columns[one])]
    levels = nodes.surrogate_levels_of(one)
    if not len(levels):
        operator = Operator.ABOVE if nodes.surrogate_first[one] else Operator.AT_MOST
        test = Condition(column.name, operator, float(nodes.surrogate_thresholds[one]))
        yield f"{test} as {branch(nodes, schema, node, 0)}"
        return
    for child in (0, 1):
        if (levels == child).any():
            yield f"{level_condition(column, levels == child, may_deny=False)} as {branch(nodes, schema, node, child)}"
