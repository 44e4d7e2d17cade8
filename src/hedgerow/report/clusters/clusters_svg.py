"""Clusters as a picture: the rows on the first two principal components, one color per cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hedgerow.data.frames.objects import table_from
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.errors import DataError
from hedgerow.evaluate.clusters.principal_components import PrincipalComponents, components
from hedgerow.layout.numbers import format_count
from hedgerow.learn.clusterer import drop_target
from hedgerow.learn.clusters.points import make_points
from hedgerow.models.base.model import ClassModel
from hedgerow.models.base.point_space import PointSpace
from hedgerow.models.clusters.profile_text import rows_text, share_text
from hedgerow.report.draw.charts import BOTTOM, LEFT, LEGEND, RIGHT, TITLE, PlotArea, axes, dot
from hedgerow.report.draw.font import fit_text, fold_words, text_width
from hedgerow.report.draw.scale import Axis, number
from hedgerow.report.draw.svg import GRAY_HUE, Svg, document, name_ids, num, role_attributes, text

WIDTH, HEIGHT = 640.0, 400.0  # of the picture; of the room between the axes
MOST_POINTS = 2000  # that are drawn
FEW = 300  # dots up to which they have their full size
ROOM = 0.06  # beyond the outermost points
SMALL, LINE = 11.5, 16.0  # font size of the caption, and how far its lines are apart
TOLD = 4  # columns that are told of a component, if one weighs at least
LEAST = 0.25  # of the heaviest,
WIDEST = 260.0  # in no more room each
BADGE = 9.0  # radius of the mark that stands at the mean of a cluster


def clusters_svg(model: ClassModel, data: Any, *, labels: Any = None, classes: Any = None) -> Svg:
    """Return the picture of the clusters of a model: the rows on their first two principal components.

    Parameters
    ----------
    data
        The rows: a Table, a frame, an array or the like, with the columns that the model knows.
    labels
        The cluster of every row, numbered from 0, if it is not the prediction of the model.
    classes
        The class of every row, for the tooltips.
    """
    table = table_from(data)
    aligned = model.align(table)
    if not aligned.n_rows:
        raise DataError("the table has no rows to draw")
    codes = model.decide_rows(aligned) if labels is None else np.asarray(labels, dtype=np.int32)
    matrix, space = _points(model, aligned)
    found = components(matrix, aligned.row_weights)
    places = np.zeros((aligned.n_rows, 2))
    places[:, : len(found.directions)] = found.project(matrix)
    k, title = len(model.classes), f"Clusters of {rows_text(aligned.total_weight)}"
    sizes = np.bincount(codes, aligned.row_weights, k).astype(np.float64)
    hues = cluster_hues(sizes.tolist())
    legend, top = _legend(sizes, hues)
    x, y = (_axis(places[:, n], n, found) for n in range(2))
    frame = PlotArea(x, y, LEFT, top, WIDTH - LEFT - RIGHT, HEIGHT)
    caption = _caption(aligned.n_rows, found, space)
    lines = [line for one in caption for line in fold_words(one.split(" "), SMALL, WIDTH - LEFT - RIGHT)]
    below = top + HEIGHT + BOTTOM + 8
    content = [
        text(LEFT, 20, fit_text(title, TITLE, WIDTH - LEFT - RIGHT, bold=True), TITLE, bold=True),
        *legend,
        *axes(frame),
        *_dots(places, codes, hues, frame, classes),
        *_badges(places, codes, aligned.row_weights, sizes, frame),
        *(text(LEFT, below + LINE * place, line, SMALL, "soft") for place, line in enumerate(lines)),
    ]
    spoken = [f"cluster {n + 1}: {rows_text(size)}" for n, size in enumerate(sizes.tolist())]
    height = below + LINE * len(lines)
    return document(WIDTH, height, name_ids(title, content), title, "\n".join([*spoken, *caption]), content)


def _points(model: ClassModel, table: Table) -> tuple[Any, PointSpace]:
    """Return the rows as points: where the model sees them, or numbers by range if it has no space."""
    space = getattr(model, "space", None)
    if isinstance(space, PointSpace):
        return space.points(table), space
    bare = drop_target(table)
    assert isinstance(bare, Table)
    points = make_points(bare)
    return points.matrix, points.space


def cluster_hues(sizes: Sequence[float]) -> list[int]:
    """Return the color of every cluster; if there are many, only the largest have a color and the others are gray."""
    if len(sizes) <= GRAY_HUE:
        return list(range(len(sizes)))
    largest = np.sort(np.argsort(-np.asarray(sizes), kind="stable")[:GRAY_HUE]).tolist()
    return [largest.index(n) if n in largest else GRAY_HUE for n in range(len(sizes))]


def _axis(values: Numbers, n: int, found: PrincipalComponents) -> Axis:
    low, high = float(values.min()), float(values.max())
    room = ROOM * (high - low) or 1.0
    share = f" ({share_text(float(found.shares[n]))} of the variance)" if n < len(found.directions) else ""
    return Axis(f"component {n + 1}{share}", low - room, high + room, number)


def _legend(sizes: Numbers, hues: list[int]) -> tuple[list[str], float]:
    """Return the legend of clusters and colors in as many lines as needed, and its end."""
    entries = [(hues[n], f"{n + 1}: {rows_text(size)}") for n, size in enumerate(sizes.tolist()) if hues[n] != GRAY_HUE]
    others = sum(hue == GRAY_HUE for hue in hues)
    if others:
        entries.append((GRAY_HUE, f"{others} others"))
    out, x, y = [], LEFT, 40.0
    for hue, said in entries:
        room = 20 + text_width(said, LEGEND)
        if x > LEFT and x + room > WIDTH - RIGHT:
            x, y = LEFT, y + 18
        out += [dot(x + 6, y - 4, 4.2, hue), text(x + 15, y, said, LEGEND)]
        x += room + 14
    return out, y + 14


def _dots(places: Numbers, codes: Codes, hues: list[int], frame: PlotArea, classes: Any) -> list[str]:
    rows = _visible_rows(len(codes))
    radius = 3.4 if len(rows) <= FEW else 2.4
    out = []
    for row in rows.tolist():
        note = f"row {row + 1}, cluster {codes[row] + 1}"
        if classes is not None and classes[row] is not None:
            note += f", {classes[row]}"
        out.append(dot(*frame.at(*places[row]), radius, hues[codes[row]], note))
    return out


def _visible_rows(n: int) -> Any:
    if n <= MOST_POINTS:
        return np.arange(n)
    return np.sort(np.random.default_rng(1).permutation(n)[:MOST_POINTS])


def _badges(places: Numbers, codes: Codes, weights: Numbers, sizes: Numbers, frame: PlotArea) -> list[str]:
    """Return the number of every cluster at the mean of its rows."""
    out = []
    for n, size in enumerate(sizes.tolist()):
        if not size > 0:
            continue
        own = codes == n
        x, y = frame.at(*(weights[own] @ places[own] / size).tolist())
        said = str(n + 1)
        wide = max(2 * BADGE, text_width(said, LEGEND, bold=True) + 10)
        box = f'x="{num(x - wide / 2)}" y="{num(y - BADGE)}" width="{num(wide)}" height="{num(2 * BADGE)}" rx="{BADGE}"'
        out.append(f"<rect {box} {role_attributes('paper')}/>")
        out.append(f'<rect {box} fill="none" stroke-width="1.4" {role_attributes("whisker")}/>')
        out.append(text(x, y + 4.2, said, LEGEND, anchor="middle", bold=True))
    return out


def _caption(rows: int, found: PrincipalComponents, space: PointSpace) -> list[str]:
    """Return sentences on the axes and on what the picture does not show."""
    mean = "each number is at the mean of its cluster."
    if not len(found.directions):
        said = ["All rows are identical and therefore at one position."]
    elif len(found.directions) == 1:
        said = [f"All rows lie on one line; {mean}"]
    else:
        share = share_text(float(found.shares.sum()))
        said = [f"Rows on the first two principal components, which explain {share} of the variance; {mean}"]
    for n, direction in enumerate(found.directions):
        said.append(f"Component {n + 1} increases with {_heaviest(direction, space)}.")
    return (
        [*said, f"{format_count(MOST_POINTS)} of {format_count(rows)} rows are shown."] if rows > MOST_POINTS else said
    )


def _heaviest(direction: Numbers, space: PointSpace) -> str:
    """Return the coordinates with the largest weights in a direction, one per column, negative ones last."""
    _, owners = space.design.column_of_position
    sizes = np.abs(direction).round(9)
    order = np.argsort(-sizes, kind="stable")
    _, firsts = np.unique(owners[order], return_index=True)
    places = order[np.sort(firsts)][:TOLD]
    places = places[sizes[places] >= LEAST * sizes.max()]
    names = [fit_text(name, SMALL, WIDEST) for name in space.design.names_of(places.tolist())]
    signs = (direction[places] > 0).tolist()
    up = [name for name, is_up in zip(names, signs, strict=True) if is_up]
    down = [name for name, is_up in zip(names, signs, strict=True) if not is_up]
    return " and decreases with ".join(", ".join(part) for part in (up, down) if part)
