"""The tree of merges that `hedgerow cluster --dendrogram FILE` draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgerow.cli.pictures import convert_picture, write_plot
from hedgerow.errors import UsageError

if TYPE_CHECKING:
    from hedgerow.data.table.table import Table
    from hedgerow.learn.clusterer import Clusterer
    from hedgerow.models.base.model import ClassModel


def check_tree(learner: Clusterer, dendrogram: str | None, leaf: str | None) -> None:
    """Raise an error before any work is done if no tree could be drawn."""
    if dendrogram is not None and learner.name != "agglomerative":
        raise UsageError("--dendrogram draws the tree of merges, which --learner agglomerative makes")
    if leaf is not None and dendrogram is None:
        raise UsageError("--leaf names the rows of --dendrogram FILE; also give that option")


def split_row_names(table: Table, leaf: str | None) -> tuple[Table, list[str] | None]:
    """Return a table without the column that names its rows, and these names."""
    from hedgerow.data.table.schema import Kind
    from hedgerow.layout.numbers import format_number
    from hedgerow.learn.supervised import drop_column

    if leaf is None:
        return table, None
    position, used = table.schema.index(leaf), table.take(table.row_weights > 0)
    column = table.schema.columns[position]
    if column.kind is Kind.NUMERIC:
        values = [format_number(value) for value in used.numbers(position).tolist()]
    elif column.kind is Kind.NOMINAL:
        values = [column.levels[code] if code >= 0 else "?" for code in used.codes(position).tolist()]
    else:
        values = ["?" if value is None else value for value in used.texts(position)]
    return drop_column(table, leaf), values


def draw_tree(model: ClassModel, names: list[str] | None, path: str) -> None:
    """Draw the tree of merges to a file."""
    from hedgerow.models.clusters.dendrogram import Dendrogram
    from hedgerow.report.clusters.dendrogram_svg import dendrogram_svg

    assert isinstance(model, Dendrogram)
    write_plot(convert_picture(dendrogram_svg(model, names=names), path), path)
