"""Trees as rows: one line per node, indented as in the printed form, with columns of classes, bars and counts."""

from __future__ import annotations

from hedgerow.models.views.tree_view import MISSING, NodeView, TreeView, split_condition
from hedgerow.report.draw.font import fit_text, text_width
from hedgerow.report.draw.svg import num, path, rect, text, title_element
from hedgerow.report.trees.tree_boxes import Scene
from hedgerow.report.trees.tree_marks import bar, has_bar, leaf_tint

SIZE = 12.0
ROW = 20.0
BAR = 64.0
STEP, LEAST_STEP, MOST_INDENT = 18.0, 4.0, 360.0
MOST_SAID, MOST_TEST = 200.0, 400.0


def rows(shown: TreeView) -> Scene:
    """Return the tree as indented rows, in the order of the printed form."""
    is_number = shown.ends is not None
    depth = max(node.depth for node in shown.nodes)
    step = min(STEP, max(LEAST_STEP, MOST_INDENT / max(depth, 1)))
    tests = [_test(node) for node in shown.nodes]
    starts = [node.depth * step + (8 if node.depth else 0) for node in shown.nodes]
    ends = [start + text_width(test, SIZE) for start, test in zip(starts, tests, strict=True)]
    said = [fit_text(node.label, SIZE, MOST_SAID, bold=True) if node.is_leaf else "" for node in shown.nodes]
    said_width = max(text_width(words, SIZE, bold=True) for words in said) + 14
    x_said = max(ends) + 16
    x_bar = x_said + said_width + 12
    x_counts = x_bar + BAR + 8
    counts = [_counts(node) for node in shown.nodes]
    places = {node: (place + 0.5) * ROW for place, node in enumerate(shown.order)}
    elements = _guides(shown, places, step)
    for number in shown.order:
        node, y = shown.nodes[number], places[number]
        parts = [text(starts[number], y + 4, tests[number], SIZE, bold=not node.depth)]
        if node.is_leaf:
            if x_said - ends[number] > 20:
                line = f"M{num(ends[number] + 6)} {num(y)}H{num(x_said - 6)}"
                parts.append(path(line, 1, "guide", ' stroke-dasharray="1 4"'))
            look = f'{leaf_tint(node, is_number)} stroke="{node.color}"'
            width = text_width(said[number], SIZE, bold=True) + 14
            parts.append(rect(x_said, y - 8.5, width, 17, look, 2))
            parts.append(text(x_said + 7, y + 4, said[number], SIZE, bold=True))
        if has_bar(node, is_number):
            parts += bar(node, x_bar, y - 3.5, BAR, is_number)
        parts.append(text(x_counts, y + 4, counts[number], SIZE - 1, "ink" if node.is_leaf else "soft"))
        kind = "leaf" if node.is_leaf else "test"
        elements.append(f'<g class="{kind}" data-node="{number}">{title_element(node.details)}{"".join(parts)}</g>')
    width = x_counts + max(text_width(words, SIZE - 1) for words in counts)
    return Scene(elements, width, ROW * len(shown.nodes))


def _test(node: NodeView) -> str:
    """Return the branch that leads to a node, in short."""
    if node.branch is None:
        return "all rows"
    end = f" {MISSING}" if node.takes_missing else ""
    room = MOST_TEST - text_width(end, SIZE)
    name = fit_text(node.branch.column, SIZE, room * 0.7)
    words = split_condition(node.branch, lambda words: text_width(" ".join([name, *words]), SIZE) <= room)
    return fit_text(" ".join([name, *words]), SIZE, room) + end


def _counts(node: NodeView) -> str:
    n = node.n_surrogates
    return f"{node.counts}{f', {n} surrogate' if n else ''}{'s' if n > 1 else ''}"


def _guides(shown: TreeView, places: dict[int, float], step: float) -> list[str]:
    """Return the lines that connect children with their parent."""
    elements = []
    for node, children in enumerate(shown.children):
        if not children:
            continue
        x = shown.nodes[node].depth * step + step / 2 + (4 if shown.nodes[node].depth else 0)
        ticks = "".join(
            f"M{num(x)} {num(places[child])}H{num(shown.nodes[child].depth * step + 5)}" for child in children
        )
        shape = f"M{num(x)} {num(places[node] + 8)}V{num(places[children[-1]])}{ticks}"
        elements.append(path(shape, 1, "guide"))
    return elements
