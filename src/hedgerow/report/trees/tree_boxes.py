"""Trees of boxes: from the root down, or to the right, with the condition of each branch beside its child."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hedgerow.models.views.tree_view import MISSING, NodeView, TreeView, split_condition
from hedgerow.report.draw.font import fit_text, fold_words, text_width
from hedgerow.report.draw.svg import num, path, rect, role_attributes, text, title_element
from hedgerow.report.trees.tree_layout import Box, layer_starts, tidy
from hedgerow.report.trees.tree_marks import bar, has_bar, leaf_tint

SAYS, COUNTS, LABEL = 13.0, 11.0, 12.0  # font sizes
BAR = 56.0
PAD = 10.0
LINE = 15.0  # of a label
MOST_SAID, MOST_LABEL = 270.0, 210.0
MOST_LINES = 3  # of a list of levels
APART = 14.0  # between neighbors
REACH = 34.0  # that edges have to bend in


@dataclass(frozen=True)
class Scene:
    """Drawn elements, and their size."""

    elements: list[str]
    width: float
    height: float


@dataclass(frozen=True)
class Piece:
    """A node with the measured lines of its box and of its branch label."""

    node: NodeView
    says: str
    surrogates: str
    label: tuple[str, ...]
    width: float
    height: float
    label_width: float
    is_number: bool

    @property
    def label_height(self) -> float:
        """The size of the label."""
        return LINE * len(self.label)


def layout_top_down(shown: TreeView) -> Scene:
    """Return the tree from the root down."""
    pieces = _pieces(shown)
    depths = [node.depth for node in shown.nodes]
    middles = tidy(shown.children, [max(one.width, one.label_width) for one in pieces], APART)
    labels = _most(depths, [one.label_height + (4 if one.label else 0) for one in pieces])
    needs = [labels[one.node.depth] + one.height for one in pieces]
    tops = layer_starts(depths, needs, REACH)
    elements, boxes = [], []
    for one, middle in zip(pieces, middles, strict=True):
        depth = one.node.depth
        top = tops[depth] + labels[depth]
        box = Box(middle - one.width / 2, top, one.width, one.height)
        boxes.append(box)
        label_top = top - 4 - one.label_height
        if one.label:
            above, parent = boxes[one.node.parent], middles[one.node.parent]
            bend = tops[depth] - REACH
            half = (bend + tops[depth]) / 2
            curve = f"V{num(bend)}C{num(parent)} {num(half)} {num(middle)} {num(half)} {num(middle)} {num(tops[depth])}"
            shape = f"M{num(parent)} {num(above.bottom)}{curve}V{num(label_top)}"
            elements.append(path(shape, _thickness(one.node)))
            elements.append(_label(one, middle, label_top, "middle"))
    elements += [_draw_box(one, box) for one, box in zip(pieces, boxes, strict=True)]
    width = max(middle + max(one.width, one.label_width) / 2 for one, middle in zip(pieces, middles, strict=True))
    return Scene(elements, width, max(box.bottom for box in boxes))


def right(shown: TreeView) -> Scene:
    """Return the tree from the root to the right."""
    pieces = _pieces(shown)
    depths = [node.depth for node in shown.nodes]
    middles = tidy(shown.children, [max(one.height, one.label_height) for one in pieces], APART - 4)
    labels = _most(depths, [one.label_width + (10 if one.label else 0) for one in pieces])
    lefts = layer_starts(depths, [labels[one.node.depth] + one.width for one in pieces], REACH)
    elements, boxes = [], []
    for one, middle in zip(pieces, middles, strict=True):
        depth = one.node.depth
        box = Box(lefts[depth] + labels[depth], middle - one.height / 2, one.width, one.height)
        boxes.append(box)
        if one.label:
            before, parent = boxes[one.node.parent], middles[one.node.parent]
            bend = lefts[depth] - REACH
            half = (bend + lefts[depth]) / 2
            curve = (
                f"H{num(bend)}C{num(half)} {num(parent)} {num(half)} {num(middle)} {num(lefts[depth])} {num(middle)}"
            )
            width = _thickness(one.node)
            elements.append(path(f"M{num(before.right)} {num(parent)}{curve}", width))
            start = lefts[depth] + 4
            elements.append(_label(one, start, middle - one.label_height / 2, "start"))
            end = start + one.label_width + 2
            if box.x - end > 2:
                elements.append(path(f"M{num(end)} {num(middle)}H{num(box.x)}", width))
    elements += [_draw_box(one, box) for one, box in zip(pieces, boxes, strict=True)]
    height = max(middle + max(one.height, one.label_height) / 2 for one, middle in zip(pieces, middles, strict=True))
    return Scene(elements, max(box.right for box in boxes), height)


def _pieces(shown: TreeView) -> list[Piece]:
    return [_piece(node, shown.ends is not None) for node in shown.nodes]


def _piece(node: NodeView, is_number: bool) -> Piece:
    says = fit_text(node.label, SAYS, MOST_SAID, bold=True)
    n = node.n_surrogates
    surrogates = f"{n} surrogate{'' if n == 1 else 's'}" if n else ""
    second = (BAR + 6 if has_bar(node, is_number) else 0) + text_width(node.counts, COUNTS)
    content = max(text_width(says, SAYS, bold=True), second, text_width(surrogates, COUNTS), 34)
    height = 27 + (15 if second else 0) + (14 if n else 0)
    label: tuple[str, ...] = ()
    if node.branch is not None:
        words = split_condition(node.branch, lambda words: len(fold_words(words, LABEL, MOST_LABEL)) <= MOST_LINES)
        label = (*fold_words(words, LABEL, MOST_LABEL), *([MISSING] if node.takes_missing else []))
    label_width = max((text_width(line, LABEL) for line in label), default=0.0)
    return Piece(node, says, surrogates, label, content + 2 * PAD, height, label_width, is_number)


def _label(one: Piece, x: float, top: float, anchor: str) -> str:
    """Return the condition of a branch; the tooltip has the full condition."""
    condition = f"{one.node.branch}{f' {MISSING}' if one.node.takes_missing else ''}"
    last = len(one.label) - 1 if one.node.takes_missing else len(one.label)
    lines = [
        text(x, top + 11 + LINE * n, line, LABEL, "soft" if n == last else "ink", anchor=anchor, italic=n == last)
        for n, line in enumerate(one.label)
    ]
    return f'<g class="branch" data-node="{one.node.number}">{title_element([condition])}{"".join(lines)}</g>'


def _draw_box(one: Piece, box: Box) -> str:
    """Return the box of a node."""
    node = one.node
    shape = _frame(one, box)
    middle = box.x + box.width / 2
    parts = [text(middle, box.y + 18, one.says, SAYS, anchor="middle", bold=True)]
    bar_width = BAR if has_bar(node, one.is_number) else 0.0
    if bar_width or node.counts:
        gap = 6 if bar_width and node.counts else 0
        start = middle - (bar_width + gap + text_width(node.counts, COUNTS)) / 2
        if bar_width:
            parts += bar(node, start, box.y + 26, bar_width, one.is_number)
        if node.counts:
            parts.append(text(start + bar_width + gap, box.y + 33.5, node.counts, COUNTS))
    if one.surrogates:
        parts.append(text(middle, box.y + box.height - 7, one.surrogates, COUNTS, "soft", anchor="middle", italic=True))
    kind = "leaf" if node.is_leaf else "test"
    return f'<g class="{kind}" data-node="{node.number}">{title_element(node.details)}{shape}{"".join(parts)}</g>'


def _frame(one: Piece, box: Box) -> str:
    """Return the outline: tests are round and white, leaves square and colored."""
    place = box.x, box.y, box.width, box.height
    if not one.node.is_leaf:
        outline = f'stroke-width="1.2" {role_attributes("edge")}'
        return rect(*place, role_attributes("paper"), 8) + rect(*place, f'fill="none" {outline}', 8)
    fill = leaf_tint(one.node, one.is_number)
    return rect(*place, role_attributes("paper"), 2) + rect(
        *place, f'{fill} stroke="{one.node.color}" stroke-width="1.4"', 2
    )


def _thickness(node: NodeView) -> float:
    """Return the width of an edge, which grows with its share of the training rows."""
    return 1.0 + 3.5 * node.share


def _most(depths: Sequence[int], sizes: Sequence[float]) -> list[float]:
    most = [0.0] * (max(depths) + 1)
    for depth, size in zip(depths, sizes, strict=True):
        most[depth] = max(most[depth], size)
    return most
