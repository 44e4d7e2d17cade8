"""Dendrograms as a picture: leaves listed vertically, merges to the right at their heights, one color per cluster."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.errors import DataError
from hedgerow.models.clusters.dendrogram import Dendrogram
from hedgerow.models.clusters.dendrogram_text import DendrogramNode, dendrogram_nodes, leaf_text, relative_height
from hedgerow.models.clusters.profile_text import rows_text
from hedgerow.report.draw.font import fit_text, text_width
from hedgerow.report.draw.svg import GRAY_HUE, Svg, document, name_ids, num, path, text, title_element

WIDTH, LINE, TITLE, SMALL = 640.0, 16.0, 15.0, 11.5
TOP, EDGE, MOST_NAME = 40.0, 16.0, 200.0
SHOWN = 60  # leaves at most
STEPS = 4  # of the scale


def dendrogram_svg(model: Dendrogram, *, names: Sequence[str] | None = None, most: int = SHOWN) -> Svg:
    """Return the dendrogram of a model, with at most `most` leaves (its last merges); `names` are row names."""
    if names is not None and len(names) != model.merges.rows:
        raise DataError(f"{len(names)} leaf names were given for {model.merges.rows} rows")
    tree, rows, weights = model.leaves
    nodes = dendrogram_nodes(tree, weights, most)
    clusters = _clusters(model.labels[rows].tolist(), nodes)
    names = None if names is None else [names[row] for row in rows.tolist()]
    leaves = [node for node in nodes if not node.parts]
    told = [fit_text(leaf_text(node, names), SMALL, MOST_NAME) for node in leaves]
    left = EDGE + max(text_width(name, SMALL) for name in told) + 8
    top = max(node.height for node in nodes)
    across, roots = WIDTH - EDGE - 24 - left, model.linkage == "ward"
    height = TOP + LINE * len(leaves) + 40

    def x(node: DendrogramNode) -> float:
        return left + relative_height(node.height, top, roots) * across

    def y(node: DendrogramNode) -> float:
        return TOP + LINE * (node.place + 0.5)

    content = [
        text(
            EDGE, 22, fit_text(model.describe()[0].split(";")[0], TITLE, WIDTH - 2 * EDGE, bold=True), TITLE, bold=True
        )
    ]
    for name, node in zip(told, leaves, strict=True):
        content.append(text(left - 6, y(node) + 4, name, SMALL, anchor="end"))
    for number, node in enumerate(nodes):
        for part in node.parts:
            own = nodes[part]
            start = x(own) if own.parts else left
            role = f"line{clusters[number]}"
            shape = f"M{num(start)} {num(y(own))}H{num(x(node))}V{num(y(node))}"
            tip = title_element([f"height {node.height:.6g}, {rows_text(node.size)}"])
            content.append(path(shape, 1.5, role).removesuffix("/>") + f">{tip}</path>")
    base = TOP + LINE * len(leaves) + 8
    if top > 0:
        content.append(path(f"M{num(left)} {num(base)}H{num(left + across)}", 1.0, "edge"))
        for step in range(STEPS + 1):
            share = step / STEPS
            at = left + across * share
            content.append(path(f"M{num(at)} {num(base)}v4", 1.0, "edge"))
            content.append(
                text(at, base + 18, f"{top * (share * share if roots else share):.3g}", SMALL, "soft", anchor="middle")
            )
    title = "Dendrogram"
    return document(WIDTH, height, name_ids(title, content), title, model.describe()[0], content)


def _clusters(labels: list[int], nodes: list[DendrogramNode]) -> list[int]:
    """Return the hue of every node: that of its cluster, gray if it contains several."""
    owners: list[int] = []
    for node in nodes:
        own = {owners[part] for part in node.parts} or {labels[node.row]}
        owners.append(own.pop() if len(own) == 1 else -1)
    return [GRAY_HUE if owner < 0 else owner % GRAY_HUE for owner in owners]
