"""What a picture of a tree shows, however it is drawn: words, counts, shares and colors of every node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from hedgerow.errors import UsageError
from hedgerow.layout.names import format_level
from hedgerow.layout.numbers import format_number
from hedgerow.layout.rounding import round_digits
from hedgerow.models.base.condition import Condition, Operator
from hedgerow.models.base.model import Model
from hedgerow.models.base.rule import counts_text
from hedgerow.models.trees.nodes import Nodes
from hedgerow.models.trees.text import branch, surrogate_texts
from hedgerow.models.trees.tree import NumberTree, Tree

# The colors of Okabe and Ito (2008), which color-blind readers can distinguish; more classes than these share a gray.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
GRAY = "#8C8C8C"
SIGNS = {Operator.AT_MOST: "≤", Operator.AT_LEAST: "≥", Operator.IS_NOT: "≠"}
LONGEST_PATH = 30  # conditions in the details of a leaf
MISSING = "or missing"
DIVIDED = "A missing value follows all branches, in proportion to their training rows."
UNMARKED = (
    "Where no branch is marked 'or missing', a missing value follows all of them, in proportion to their training rows."
)


@dataclass(frozen=True)
class NodeView:
    """What is shown of one node."""

    number: int
    parent: int  # -1 for the root
    depth: int
    is_leaf: bool
    label: str  # the column that is tested, or the class or number that is predicted
    counts: str  # `(n/e)` of a leaf, `n = 14` elsewhere; empty if the tree has no weights
    share: float  # of the root's weight
    branch: Condition | None  # how one comes here from the parent
    takes_missing: bool  # from the parent
    details: tuple[str, ...]  # everything, as the tree prints it
    parts: tuple[tuple[str, float], ...]  # color and share of each class that occurs
    description: str  # the training weight of each class, in words
    color: str  # of a leaf
    position: float  # of a number: from 0, the least leaf of the tree, to 1
    spread: float  # its deviation on the same scale
    n_surrogates: int


@dataclass(frozen=True)
class TreeView:
    """What is shown of a tree."""

    title: str
    subtitle: str
    nodes: tuple[NodeView, ...]  # by number: breadth first
    order: tuple[int, ...]  # of print
    children: tuple[range, ...]
    legend: tuple[tuple[str, str], ...]  # color and label of each class; empty for numbers
    ends: tuple[str, str] | None  # the least and the greatest number
    notes: tuple[str, ...]
    text: str


def view(model: Model) -> TreeView:
    """Return the data for drawing a tree; a model of another kind raises `UsageError`."""
    if isinstance(model, Tree):
        return _class_view(model)
    if isinstance(model, NumberTree):
        return _number_view(model)
    kind = f"a model of kind {model.kind!r}" if isinstance(model, Model) else f"a {type(model).__name__}"
    hint = ""
    if isinstance(getattr(model, "members", None), tuple):
        hint = "; draw one of its members"
    elif isinstance(getattr(model, "model_", None), Tree | NumberTree):
        hint = "; its attribute model_ is one"
    raise UsageError(f"only trees can be drawn, not {kind}{hint}")


def split_condition(condition: Condition, fits: Callable[[list[str]], bool]) -> list[str]:
    """Return a condition without its column as words that a line may break between.

    A list of levels is shortened at its end to fit, with the number of omitted levels.
    """
    if condition.operator is not Operator.IN:
        value = format_level(condition.levels[0]) if condition.levels else format_number(condition.threshold)
        return [f"{SIGNS.get(condition.operator, condition.operator)} {value}"]
    levels = [format_level(level) for level in condition.levels]
    words = [f"in {{{levels[0]},", *(f"{level}," for level in levels[1:-1]), f"{levels[-1]}}}"]
    kept = len(levels)
    while not fits(words) and kept > 1:
        kept -= 1
        words = [*words[:kept], f"... +{len(levels) - kept}}}"]
    return words


def _class_view(tree: Tree) -> TreeView:
    classes, total, decided = tree.classes, tree.weights[0].sum(), tree.leaf_decisions
    colors = _colors(tree)

    def node_label(node: int) -> str:
        return classes[int(decided[node])]

    def counts(node: int) -> str:
        weights = tree.weights[node].tolist()
        if not tree.nodes.is_leaf[node]:
            return _n(sum(weights))
        return counts_text(weights, int(decided[node]), classes, always=False).split(":")[0].rstrip(")") + ")"

    def details(node: int) -> Iterator[str]:
        if tree.nodes.is_leaf[node]:
            yield f"{tree.schema.target} = {format_level(node_label(node))}{' ' + counts(node) if total else ''}"
        if total:
            yield node_description(node) or "no training rows"

    def node_description(node: int) -> str:
        pairs = zip(classes, tree.weights[node].tolist(), strict=True)
        return ", ".join(f"{format_level(label)} {_weight(weight)}" for label, weight in pairs if weight)

    def parts(node: int) -> tuple[tuple[str, float], ...]:
        weights = tree.weights[node]
        pairs = zip(colors, (weights / (weights.sum() or 1)).tolist(), strict=True)
        return tuple(pair for pair in pairs if pair[1])

    nodes = _node_views(
        tree,
        lambda node: {
            "label": node_label(node),
            "counts": counts(node) if total else "",
            "share": float(tree.weights[node].sum() / total) if total else 0.0,
            "parts": parts(node),
            "description": node_description(node),
            "color": colors[int(decided[node])],
            "position": 0.0,
            "spread": 0.0,
        },
        details,
    )
    counted = ["(n/e): n training rows reach the leaf, e of them of another class."] if total else []
    below = tree_notes(str(tree))
    return _tree_view(tree, nodes, "Decision", _legend(tree, colors), None, [*counted, *below])


def _number_view(tree: NumberTree) -> TreeView:
    leaves = tree.numbers[tree.nodes.leaves]
    low, high = float(leaves.min()), float(leaves.max())
    reach = high - low or 1.0
    total = float(tree.weights[0])

    def node_label(node: int) -> str:
        return format_number(float(tree.numbers[node])) if tree.nodes.is_leaf[node] else ""

    def details(node: int) -> Iterator[str]:
        number, deviation = round_digits(float(tree.numbers[node])), round_digits(float(tree.deviations[node]))
        text = node_label(node) or format_number(number)
        yield f"{tree.schema.target} = {text}, deviation {format_number(deviation)}"
        if total:
            yield _n(float(tree.weights[node]))

    def node_description(node: int) -> str:
        mean, deviation = (
            format_number(round_digits(float(each[node]), 4)) for each in (tree.numbers, tree.deviations)
        )
        return f"{'' if tree.nodes.is_leaf[node] else f'mean {mean}, '}deviation {deviation}"

    nodes = _node_views(
        tree,
        lambda node: {
            "label": node_label(node),
            "counts": _n(float(tree.weights[node])) if total else "",
            "share": float(tree.weights[node]) / total if total else 0.0,
            "parts": (),
            "description": node_description(node),
            "color": PALETTE[0],
            "position": (float(tree.numbers[node]) - low) / reach if high > low else 0.5,
            "spread": min(float(tree.deviations[node]) / reach, 1.0),
        },
        details,
    )
    ends = format_number(low), format_number(high)
    return _tree_view(tree, nodes, "Regression", (), ends, [])


def _node_views(
    tree: Tree | NumberTree, about: Callable[[int], dict[str, object]], details: Callable[[int], Iterator[str]]
) -> list[NodeView]:
    nodes, schema = tree.nodes, tree.schema
    node_views: list[NodeView] = []
    ways: list[tuple[str, ...]] = []
    condition: Condition | None
    way: tuple[str, ...]
    for number, depth in enumerate(_depths(nodes)):
        parent = int(nodes.parents[number])
        condition, takes, way = None, False, ()
        if parent >= 0:
            child = number - int(nodes.first[parent])
            condition, takes = branch(nodes, schema, parent, child), bool(nodes.missing[parent] == child)
            way = (*ways[parent], f"{condition}{f' {MISSING}' if takes else ''}")[-LONGEST_PATH:]
        ways.append(way)
        own = about(number)
        surrogates = [text for one in nodes.surrogates(number) for text in surrogate_texts(nodes, schema, number, one)]
        cut = ["..."] if depth > len(way) else []
        parts = (*details(number), *(f"?   {text}" for text in surrogates), *cut, *way)
        if not nodes.is_leaf[number]:
            own["label"] = schema.columns[int(nodes.columns[number])].name
        node_views.append(
            NodeView(
                number=number,
                parent=parent,
                depth=depth,
                is_leaf=bool(nodes.is_leaf[number]),
                branch=condition,
                takes_missing=takes,
                details=parts,
                n_surrogates=len(nodes.surrogates(number)),
                **own,  # type: ignore[arg-type]
            )
        )
    return node_views


def _tree_view(
    tree: Tree | NumberTree,
    nodes: list[NodeView],
    kind: str,
    legend: tuple[tuple[str, str], ...],
    ends: tuple[str, str] | None,
    notes: list[str],
) -> TreeView:
    tests = tree.nodes
    about = tree.about
    learned = f"{about.learner or 'learned'}, trained on {about.rows:,} rows; " if about.rows else ""
    size = f"{tests.n_leaves:,} {'leaf' if tests.n_leaves == 1 else 'leaves'}, depth {len(tests.layers) - 1}"
    inner = ~tests.is_leaf
    if inner.any() and (tests.missing[inner] < 0).all():
        notes = [*notes, DIVIDED]
    elif (tests.missing[inner] < 0).any():
        notes = [*notes, UNMARKED]
    if len(tests.surrogate_columns):
        notes = [*notes, "Where the tested value is missing, the surrogates of the node are tried first."]
    return TreeView(
        title=f"{kind} tree for {tree.schema.target}",
        subtitle=f"{learned}{size}",
        nodes=tuple(nodes),
        order=tuple(node for node, _ in tests.print_order()),
        children=tuple(tests.children(node) for node in range(len(tests))),
        legend=legend,
        ends=ends,
        notes=tuple(notes),
        text=str(tree),
    )


def tree_notes(text: str) -> list[str]:
    """Return the lines of a printed tree below that of its size: pseudocounts of leaves, and costs."""
    lines = text.split("\n")
    return lines[max(place for place, line in enumerate(lines) if line.startswith("Leaves: ")) + 1 :]


def _depths(nodes: Nodes) -> list[int]:
    return [depth for depth, layer in enumerate(nodes.layers) for _ in range(layer.start, layer.stop)]


def _colors(tree: Tree) -> list[str]:
    """Return the color of each class: if there are too many, only the heaviest have their own."""
    n = len(tree.classes)
    chosen = np.argsort(-tree.weights[0], kind="stable")[: len(PALETTE)].tolist() if n > len(PALETTE) else range(n)
    hues = dict(zip(sorted(chosen), PALETTE, strict=False))
    return [hues.get(code, GRAY) for code in range(n)]


def _legend(tree: Tree, colors: list[str]) -> tuple[tuple[str, str], ...]:
    total = tree.weights[0].sum()
    entries: list[tuple[str, str]] = []
    others: list[float] = []
    for label, color, weight in zip(tree.classes, colors, tree.weights[0].tolist(), strict=True):
        if color == GRAY:
            others.append(weight)
        else:
            entries.append((color, f"{label} ({_weight(weight)})" if total else label))
    if others:
        name = f"{len(others)} other classes" if len(others) > 1 else tree.classes[colors.index(GRAY)]
        entries.append((GRAY, f"{name} ({_weight(sum(others))})" if total else name))
    return tuple(entries)


def _n(weight: float) -> str:
    return f"n = {_weight(weight)}"


def _weight(weight: float) -> str:
    """Return a sum of weights, each of which is rounded already: fractions to four digits."""
    if weight.is_integer():
        return format_number(weight)
    return format_number(round_digits(weight, 4)) if weight < 1e4 else str(round(weight))
