"""Pruning: subtrees not worth keeping are removed, by error estimates, by other rows, or by the cost of leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Table
from hedgerow.learn.trees.by_hand.convert import plain, to_number_tree, to_tree
from hedgerow.learn.trees.by_hand.estimate import expected_errors
from hedgerow.learn.trees.by_hand.growing import first_best, last_best
from hedgerow.learn.trees.by_hand.plain import NodePlace, PlainNode, find_node_rows, leaves, walk, with_paths
from hedgerow.learn.trees.by_hand.target import ClassTarget, NodeRows
from hedgerow.learn.trees.by_hand.work import CollapseWork, CostWork, PruneWork, ReducedWork, ThresholdWork, TreeWork
from hedgerow.learn.trees.options import EQUAL, SAME_LINK
from hedgerow.models.trees.tree import NumberTree, Tree

ENOUGH = 0.1  # a smaller tree may be expected to err by so much more
SAME_ERRORS = 1e-3


def collapse(tree: Tree, work: TreeWork | None = None) -> Tree:
    """Return the tree without subtrees that make no fewer errors in training than a leaf would."""
    root = plain(tree)
    collapse_nodes(root, tree.schema, work)
    return to_tree(root, tree.schema, tree)


def collapse_nodes(root: PlainNode, schema: Schema, work: TreeWork | None = None) -> None:
    """Collapse nodes in place, from the top: removed subtrees are not examined."""
    for node, path in with_paths(root, schema):
        if node.split is None:
            continue
        below = sum(leaf.errors for leaf in leaves(node))
        collapsed = below >= node.errors - SAME_ERRORS
        if work is not None:
            work.add(CollapseWork(path, node.summary, node.split, node.errors, below, collapsed))
        if collapsed:
            node.become_leaf()


def prune_errors(
    tree: Tree, table: Table, confidence: float, raising: bool = True, work: TreeWork | None = None
) -> Tree:
    """Return the tree pruned by C4.5's estimate of errors; `table` holds the rows it was grown from.

    From the leaves upward a node becomes a leaf, or is replaced by the subtree of its heaviest child, if that is
    expected to err hardly more than the tree as it is.
    """
    root = plain(tree)
    prune_nodes(root, table, confidence, raising, work)
    return to_tree(root, tree.schema, tree)


def prune_nodes(
    root: PlainNode, table: Table, confidence: float, raising: bool = True, work: TreeWork | None = None
) -> None:
    """Prune nodes in place."""
    pruning = _Pruning(table, ClassTarget.of(table, use_gini=False), confidence, raising, work)
    pruning.prune(NodePlace(root, NodeRows.of_table(table)))


class _Pruning:
    """Error-based pruning of one tree."""

    def __init__(
        self, table: Table, target: ClassTarget, confidence: float, raising: bool, work: TreeWork | None
    ) -> None:
        self.table = table
        self.target = target
        self.confidence = confidence
        self.raising = raising
        self.work = work

    def prune(self, start: NodePlace) -> None:
        """Prune the subtree at a position, whose nodes take the weights of the rows that reach them."""
        node_places = find_node_rows(self.table, start)
        for place in node_places:
            place.node.summary = self.target.summary(place.part)
        for place in reversed(node_places):
            if place.node.split is not None:
                self.decide(place)

    def decide(self, place: NodePlace) -> None:
        """Make one node per leaf, raise its heaviest child, or keep it."""
        node = place.node
        assert node.split is not None
        heavy = last_best([child.weight for child in node.children])
        leaf = self.expected(node)
        tree = sum(self.expected(one) for one in leaves(node))
        branch = self.branch(node.children[heavy], place.part) if self.raising else None
        outcome = _outcome(leaf, tree, branch)
        if self.work is not None:
            self.work.add(PruneWork(place.path, node.summary, node.split, leaf, tree, branch, heavy, outcome))
        if outcome == "leaf":
            node.become_leaf()
        elif outcome == "raised":
            node.replace_with(node.children[heavy])
            self.prune(place)

    def expected(self, node: PlainNode) -> float:
        """Return the errors to expect of a node as a leaf."""
        return expected_errors(node.summary, self.confidence)

    def branch(self, child: PlainNode, part: NodeRows) -> float:
        """Return the errors to expect of a child's subtree when all rows of the node go down it."""
        node_places = find_node_rows(self.table, NodePlace(child, part))
        ends = [place.part for place in node_places if place.node.split is None]
        return sum(expected_errors(self.target.summary(end), self.confidence) for end in ends)


def _outcome(leaf: float, tree: float, branch: float | None) -> str:
    if leaf <= tree + ENOUGH and (branch is None or leaf <= branch + ENOUGH):
        return "leaf"
    if branch is not None and branch <= tree + ENOUGH:
        return "raised"
    return "kept"


def prune_reduced(tree: Tree, table: Table, work: TreeWork | None = None) -> Tree:
    """Return the tree pruned by rows that it was not grown from.

    From the leaves upward a node becomes a leaf if that makes no more errors on the rows of `table`; it keeps the
    weights of the rows that it was grown from.
    """
    root = plain(tree)
    prune_reduced_nodes(root, table, work)
    return to_tree(root, tree.schema, tree)


def prune_reduced_nodes(root: PlainNode, table: Table, work: TreeWork | None = None) -> None:
    """Prune nodes in place."""
    target = ClassTarget.of(table, use_gini=False)
    entries = _leaf_classes(root)

    def errors(place: NodePlace) -> float:
        weights = target.summary(place.part)
        return float(weights.sum() - weights[entries[place.node]])

    result: dict[PlainNode, float] = {}  # the errors of each subtree as pruned so far
    for place in reversed(find_node_rows(table, NodePlace(root, NodeRows.of_table(table)), own_shares=True)):
        node = place.node
        leaf = result[node] = errors(place)
        if node.split is None:
            continue
        below = sum(result[child] for child in node.children)
        pruned = leaf <= below + EQUAL
        if work is not None:
            work.add(ReducedWork(place.path, target.summary(place.part), node.split, leaf, below, pruned))
        if pruned:
            node.become_leaf()
        else:
            result[node] = below


def _leaf_classes(root: PlainNode) -> dict[PlainNode, int]:
    """Return the class that each node predicts as a leaf: its most frequent one; an empty one its parent's."""
    entries = {root: first_best(root.summary.tolist())}
    for node in walk(root):
        for child in node.children:
            entries[child] = first_best(child.summary.tolist()) if child.weight > 0 else entries[node]
    return entries


def cost_sequence(tree: Tree, work: TreeWork | None = None) -> list[tuple[float, Tree]]:
    """Return the trees that weakest-link pruning leaves, each with the smallest alpha for which it is the best.

    The risk of a tree is the share of training weight that it gets wrong. The first tree, of cost 0, is the smallest
    one of the risk of the whole; the last is a lone leaf.
    """
    return cost_trees(plain(tree), tree.schema, work)


def cost_trees(root: PlainNode, schema: Schema, work: TreeWork | None = None) -> list[tuple[float, Tree]]:
    """Return the sequence of the tree of some nodes, which are pruned in place."""
    total = root.weight or 1.0
    steps = cost_steps(root, lambda node: node.errors / total, work)
    return [(alpha, to_tree(root, schema)) for alpha in steps]


def number_cost_sequence(tree: NumberTree, work: TreeWork | None = None) -> list[tuple[float, NumberTree]]:
    """Return the sequence of a regression tree; its risk is the mean squared error in training."""
    return number_cost_trees(plain(tree), tree.schema, work)


def number_cost_trees(
    root: PlainNode, schema: Schema, work: TreeWork | None = None, *, absolute: bool = False
) -> list[tuple[float, NumberTree]]:
    """Return the sequence of the regression tree of some nodes, which are pruned in place."""
    total = float(root.summary[0]) or 1.0
    power = 1 if absolute else 2  # deviations are mean absolute, or root mean square
    measure = "mean absolute error" if absolute else "mean squared error"
    steps = cost_steps(root, lambda node: float(node.summary[0] * node.summary[2] ** power) / total, work, measure)
    return [(alpha, to_number_tree(root, schema)) for alpha in steps]


def cost_steps(
    root: PlainNode, risk: Callable[[PlainNode], float], work: TreeWork | None = None, measure: str = "error"
) -> Iterator[float]:
    """Prune nodes in place step by step, and yield the alpha at which each step is reached."""
    alpha, scale = 0.0, risk(root)
    while True:
        for node, link in _links(root, risk):
            if link <= alpha + SAME_LINK * scale:
                node.become_leaf()
        if work is not None:
            work.add(CostWork(alpha, len(leaves(root)), sum(map(risk, leaves(root))), measure))
        yield alpha
        links = [link for _, link in _links(root, risk)]
        if not links:
            return
        alpha = max(min(links), alpha)


def _links(root: PlainNode, risk: Callable[[PlainNode], float]) -> list[tuple[PlainNode, float]]:
    """Return the inner nodes, each with the cost of a leaf at which its subtree is not better than a leaf."""
    below: dict[int, tuple[float, int]] = {}  # by node: the risk and number of its leaves
    pairs = []
    for node in reversed(list(walk(root))):  # children before their parent
        if node.split is None:
            below[id(node)] = risk(node), 1
            continue
        risks, counts = zip(*(below[id(child)] for child in node.children), strict=True)
        below[id(node)] = sum(risks), sum(counts)
        pairs.append((node, (risk(node) - sum(risks)) / (sum(counts) - 1)))
    return pairs


def thresholds_of_table(tree: Tree, table: Table, work: TreeWork | None = None) -> Tree:
    """Return the tree with each threshold lowered to the largest value of the table that is not above it."""
    root = plain(tree)
    for node in walk(root):
        split = node.split
        if split is None or split.test.threshold is None:
            continue
        values = table.numbers(split.test.column)
        below = values[values <= split.test.threshold]
        if not len(below) or float(below.max()) == split.test.threshold:
            continue
        value = float(below.max())
        if work is not None:
            work.add(ThresholdWork(split.test.column, split.test.threshold, value))
        node.split = replace(split, test=replace(split.test, threshold=value))
    return to_tree(root, tree.schema, tree)
