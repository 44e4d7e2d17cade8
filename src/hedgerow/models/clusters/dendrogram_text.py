"""Dendrograms as text: leaves on the left, merges to the right at their heights, in box-drawing characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.models.clusters.merges import Merges
from hedgerow.models.clusters.profile_text import rows_text

WIDTH = 48  # characters between the height of 0 and the last merge
SHOWN = 24  # leaves; beyond, the last merges only
LEFT, RIGHT, UP, DOWN = 1, 2, 4, 8
SIGNS = {1: "╴", 2: "╶", 3: "─", 4: "╵", 5: "┘", 6: "└", 7: "┴", 8: "╷", 9: "┐", 10: "┌", 11: "┬", 12: "│", 13: "┤"}
SIGNS |= {0: " ", 14: "├", 15: "┼"}


@dataclass(frozen=True)
class DendrogramNode:
    """A cluster of a drawn tree: its height, where it lies among the leaves, and its two parts, none of a leaf."""

    height: float
    place: float  # leaves are at 0, 1, 2, ...
    parts: tuple[int, ...]  # their numbers among the nodes; lower than its own
    row: int  # the lowest row
    size: float  # weight of its rows


def dendrogram_nodes(merges: Merges, weights: Numbers, most: int) -> list[DendrogramNode]:
    """Return the nodes of the last merges, those of at most `most` leaves; children before parents.

    `weights` are those of the rows.
    """
    totals = np.zeros(len(merges))
    left, right = merges.parts
    for merge, (a, b) in enumerate(zip(merges.first.tolist(), merges.second.tolist(), strict=True)):
        both = (int(left[merge]), a), (int(right[merge]), b)
        totals[merge] = sum(weights[row] if made < 0 else totals[made] for made, row in both)
    begin = max(0, len(merges) - max(most, 1) + 1)
    nodes: list[DendrogramNode] = []
    known: dict[tuple[int, int], int] = {}  # the node of a merge, or of a row
    leaves = 0
    root = (len(merges) - 1, 0) if len(merges) else (-1, 0)
    waiting = [(root, False)]
    while waiting:
        key, done = waiting.pop()
        merge, row = key
        if merge < begin:  # a leaf: a row, or a cluster whose own merges are not shown
            size = float(weights[row] if merge < 0 else totals[merge])
            height = 0.0 if merge < 0 else float(merges.tops[merge])
            nodes.append(DendrogramNode(height, float(leaves), (), row, size))
            leaves += 1
        else:
            own = [
                (int(left[merge]), int(merges.first[merge])),
                (int(right[merge]), int(merges.second[merge])),
            ]
            if not done:
                waiting += [(key, True), (own[1], False), (own[0], False)]
                continue
            parts = (known[own[0]], known[own[1]])
            place = (nodes[parts[0]].place + nodes[parts[1]].place) / 2
            nodes.append(DendrogramNode(float(merges.heights[merge]), place, parts, row, float(totals[merge])))
        known[key] = len(nodes) - 1
    return nodes


def relative_height(height: float, top: float, roots: bool) -> float:
    """Return where a height is drawn, between 0 and 1 for the top."""
    share = height / top if top > 0 else 0.0
    return share**0.5 if roots else share


def leaf_text(node: DendrogramNode, names: Sequence[str] | None) -> str:
    """Return the label of a leaf: its row, by number or by name, and the number of rows if several."""
    name = f"row {node.row + 1}" if names is None else str(names[node.row])
    name = "".join(letter if letter.isprintable() else "?" for letter in name)
    return name if node.size == 1 else f"{name} ({rows_text(node.size)})"


def dendrogram_lines(
    merges: Merges,
    weights: Numbers,
    labels: Sequence[int],
    names: Sequence[str] | None = None,
    most: int = SHOWN,
    *,
    roots: bool = False,
) -> list[str]:
    """Return one line per leaf, with the number of its cluster, and the heights below.

    Squares, such as Ward's heights, are drawn at their `roots`: else all but the last merges would be at the edge.
    """
    width, nodes = WIDTH, dendrogram_nodes(merges, weights, most)
    leaves = [node for node in nodes if not node.parts]
    top = max((node.height for node in nodes), default=0.0)
    cells = np.zeros((len(leaves), width + 1), dtype=np.int64)
    at = [round(relative_height(node.height, top, roots) * (width - 1)) for node in nodes]
    for number, node in enumerate(nodes):
        for part in node.parts:
            line, low, high = int(nodes[part].place), *sorted((at[part], at[number]))
            begin = 0 if not nodes[part].parts else low
            cells[line, begin:high] |= RIGHT
            cells[line, begin + 1 : high + 1] |= LEFT
        if node.parts:
            one, other = (int(nodes[part].place) for part in node.parts)
            cells[one:other, at[number]] |= DOWN
            cells[one + 1 : other + 1, at[number]] |= UP
    parts = [f"{leaf_text(node, names)} [{int(labels[node.row]) + 1}]" for node in leaves]
    wide = max(map(len, parts))
    lines = [
        f"{name:>{wide}} {''.join(SIGNS[sign] for sign in line)}".rstrip()
        for name, line in zip(parts, cells.tolist(), strict=True)
    ]
    if top > 0:
        half = f"{top / 4 if roots else top / 2:.4g}"
        scale = f"0{half:>{width // 2 + len(half) // 2}}"
        lines.append(f"{'height':>{wide}} {scale}{f'{top:.4g}':>{max(1, width - len(scale))}}")
    return lines
