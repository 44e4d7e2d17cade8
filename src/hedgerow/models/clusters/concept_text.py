"""The tree of concepts as text: one line each, with its size, the utility of its children, and its typical values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hedgerow.layout.numbers import format_number
from hedgerow.layout.rounding import round_digits
from hedgerow.models.clusters.profile import Profile
from hedgerow.models.clusters.profile_text import rows_text, typical_texts
from hedgerow.models.trees.text import INDENT

if TYPE_CHECKING:
    from hedgerow.models.clusters.concept_tree import ConceptTree

MOST_LINES = 60  # levels of the tree; deeper concepts are counted
MOST_VALUES = 3  # typical values that are printed for a concept


def tree_lines(tree: ConceptTree) -> list[str]:
    """Return the lines of a tree, from the top, as many as fit."""
    nodes, shown = tree.nodes, _open(tree)
    number = {int(node): n + 1 for n, node in enumerate(tree.clusters)}
    below = _count_descendants(tree)
    typical: dict[int, list[str]] = {}
    lines = [_head(tree), ""]
    for node in nodes.print_order(~shown):
        if shown[node]:
            typical |= _typical(tree, node)
        named = f"cluster {number[node]}: " if node in number and node > 0 else ""
        text = f"{INDENT * int(nodes.depths[node])}{named}{rows_text(float(nodes.weights[node]))}"
        if nodes.n_children[node]:
            text += f", utility {format_number(round_digits(float(nodes.utilities[node]), 4))}"
            text += "" if shown[node] else f" ({below[node]} concepts below)"
        lines.append(text + ("; " + ", ".join(typical[node]) if typical.get(node) else ""))
    more = len(lines) - MOST_LINES - 2  # of a root with very many children
    return [*lines[: MOST_LINES + 2], f"{INDENT}... and {more} more concepts"] if more > 0 else lines


def _head(tree: ConceptTree) -> str:
    """Return how large a tree is, and which concepts are the clusters."""
    nodes, k = tree.nodes, len(tree)
    levels, level = int(nodes.depths.max()) + 1, tree.level
    deep = "children of the root" if level == 1 else f"concepts {level} levels below the root"
    where = f", the {'leaves' if level is None else deep}" if k > 1 else ""
    sizes = f"{_many(len(nodes), 'concept')} in {_many(levels, 'level')}"
    return f"{rows_text(float(nodes.weights[0]))}, {sizes}; {_many(k, 'cluster')}{where}"


def _many(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"


def _open(tree: ConceptTree) -> NDArray[np.bool_]:
    """Return the concepts whose children are shown: level by level, as long as they fit; those of the root always."""
    nodes = tree.nodes
    shown, lines = np.zeros(len(nodes), dtype=np.bool_), 1
    for node in range(len(nodes)):
        more = int(nodes.n_children[node])
        if more and (node == 0 or (shown[nodes.parents[node]] and lines + more <= MOST_LINES)):
            shown[node], lines = True, lines + more
    return shown


def _count_descendants(tree: ConceptTree) -> list[int]:
    """Return how many concepts lie below each."""
    below = np.zeros(len(tree.nodes), dtype=np.int64)
    for node in range(len(below) - 1, 0, -1):
        below[tree.nodes.parents[node]] += 1 + below[node]
    return [int(n) for n in below]


def _typical(tree: ConceptTree, node: int) -> dict[int, list[str]]:
    """Return the typical values of a concept's children, in the columns that distinguish each most from the others."""
    children = np.array(tree.nodes.children(node), dtype=np.int64)
    profile = tree.nodes.profile(children, tree.schema)
    return {int(child): _values(profile, place) for place, child in enumerate(children)}


def _values(profile: Profile, place: int) -> list[str]:
    positions = [one.column for one in profile.differences(place)[:MOST_VALUES]]
    known = [at for at, n in profile.numeric() if profile.known[place, n] > 0]
    known += [at for at, span in profile.nominal() if profile.levels[place, span].sum() > 0]
    texts = dict(zip(sorted(known), typical_texts(profile, place), strict=True))
    return [texts[at] for at in positions if at in texts]
