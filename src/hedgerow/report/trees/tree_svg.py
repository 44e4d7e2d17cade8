"""Trees as pictures: SVG, created without dependencies."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hedgerow.errors import UsageError
from hedgerow.layout.numbers import format_count
from hedgerow.models.base.model import Model
from hedgerow.models.views.tree_view import PALETTE, TreeView, view
from hedgerow.report.draw.font import fit_text, fold_words, text_width
from hedgerow.report.draw.svg import Svg, document, name_ids, num, rect, text
from hedgerow.report.trees.tree_boxes import Scene, layout_top_down, right
from hedgerow.report.trees.tree_marks import tint
from hedgerow.report.trees.tree_rows import rows

MARGIN = 20.0
LEAST_WIDTH = 420.0
MOST_NODES = 20_000  # in a picture: more lines than anyone reads
MOST_BOXES = 4_000  # to lay out many children of one node takes the square of their number
MOST_BOXED = 60  # leaves that are drawn as boxes unless boxes are asked for
MOST_TALL = 1800.0
SCALE_NOTE = "The dot is the mean on the scale above; the line through it is one standard deviation in each direction."
CRISP = ' shape-rendering="crispEdges"'
LAYOUTS: dict[str, Callable[[TreeView], Scene]] = {"down": layout_top_down, "right": right, "rows": rows}


def tree_svg(model: Model, layout: str | None = None, width: float = 1200) -> Svg:
    """Return a picture of a `Tree` or `NumberTree` as SVG source, which a notebook shows.

    Leaves have the color of their class, or a shade by their number; every node shows the class distribution of its
    training weight. Long texts are shortened; the tooltips have the full texts.

    Parameters
    ----------
    layout
        "down" draws boxes from the root down, "right" from the root to the right, "rows" one line
        per node, indented. The default is the first suitable one: large trees become rows.
    width
        The maximum width of boxes in pixels before another layout is chosen.

    Examples
    --------
    >>> from hedgerow import C45, examples
    >>> picture = tree_svg(C45().train(examples.loan()))
    >>> picture[:40]
    '<svg xmlns="http://www.w3.org/2000/svg" '
    """
    if layout is not None and layout not in LAYOUTS:
        raise UsageError(f"there is no layout {layout!r} of a tree; the layouts are {', '.join(LAYOUTS)}")
    nodes = getattr(model, "nodes", ())
    if len(nodes) > MOST_NODES:
        raise UsageError(
            f"the tree has {format_count(len(nodes))} nodes, too many for a picture (at most "
            f"{format_count(MOST_NODES)}); print it as text, or prune it"
        )
    if layout in ("down", "right") and len(nodes) > MOST_BOXES:
        raise UsageError(
            f"the tree has {format_count(len(nodes))} nodes, too many for boxes (at most {format_count(MOST_BOXES)}); "
            "use layout='rows'"
        )
    shown = view(model)
    scene = LAYOUTS[layout](shown) if layout else _suitable(shown, width)
    wide = max(scene.width, LEAST_WIDTH)
    head, foot = _head(shown, wide), _foot(shown, wide)
    left = MARGIN + (wide - scene.width) / 2
    high = MARGIN + head.height + scene.height + foot.height + MARGIN
    content = [
        *_shift_scene(head, MARGIN, MARGIN),
        *_shift_scene(scene, left, MARGIN + head.height),
        *_shift_scene(foot, MARGIN, MARGIN + head.height + scene.height),
    ]
    name = name_ids("", content)
    description = f"{shown.subtitle}.\n{shown.text}"
    return document(wide + 2 * MARGIN, high, name, shown.title, description, content)


def _suitable(shown: TreeView, width: float) -> Scene:
    """Return the first layout that is not too large."""
    n_leaves = sum(node.is_leaf for node in shown.nodes)
    if n_leaves <= MOST_BOXED:
        for draw in (layout_top_down, right):
            scene = draw(shown)
            if scene.width <= width - 2 * MARGIN and scene.height <= MOST_TALL:
                return scene
    return rows(shown)


def _shift_scene(scene: Scene, x: float, y: float) -> Iterator[str]:
    yield f'<g transform="translate({num(x)} {num(y)})">'
    yield from scene.elements
    yield "</g>"


def _head(shown: TreeView, width: float) -> Scene:
    """Return the title and the legend."""
    elements = [
        text(0, 15, fit_text(shown.title, 17, width, bold=True), 17, bold=True),
        text(0, 35, fit_text(shown.subtitle, 12, width), 12, "soft"),
    ]
    legend = _scale(shown.ends) if shown.ends else _swatches(shown.legend, width)
    return Scene([*elements, *legend.elements], width, 48 + legend.height)


def _swatches(entries: tuple[tuple[str, str], ...], width: float) -> Scene:
    """Return the legend of classes and colors, in as many lines as needed."""
    elements, x, y = [], 0.0, 48.0
    for color, label in entries:
        label = fit_text(label, 12, min(260.0, width - 18))
        room = 18 + text_width(label, 12)
        if x and x + room > width:
            x, y = 0.0, y + 19
        elements.append(rect(x, y, 12, 12, f'fill="{color}"', 2))
        elements.append(text(x + 18, y + 10.5, label, 12))
        x += room + 14
    return Scene(elements, width, y - 48 + 30)


def _scale(ends: tuple[str, str]) -> Scene:
    """Return the scale of numbers: the shades of color from the smallest to the largest."""
    low, high = (fit_text(end, 12, 130) for end in ends)
    elements, steps, step = [text(0, 58.5, low, 12)], 12, 10
    x = round(text_width(low, 12)) + 6
    elements += [rect(x + i * step, 48, step, 12, tint(PALETTE[0], i / (steps - 1)) + CRISP) for i in range(steps)]
    elements.append(text(x + steps * step + 6, 58.5, high, 12))
    return Scene(elements, 0, 30)


def _foot(shown: TreeView, width: float) -> Scene:
    """Return the notes."""
    scale = [SCALE_NOTE] if shown.ends else []
    lines = [line for note in [*scale, *shown.notes] for line in fold_words(note.split(), 11, width)]
    elements = [text(0, 30 + 15 * place, line, 11, "soft") for place, line in enumerate(lines)]
    return Scene(elements, width, 20 + 15 * len(lines) if lines else 0)
