"""How good clusters are: sums of squares, silhouettes, category utility; and how far they agree with given classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hedgerow.data.frames.objects import table_from
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.errors import DataError
from hedgerow.evaluate.clusters.distances import MOST_ROWS, silhouettes, squared_distances
from hedgerow.evaluate.clusters.known_classes import ClassAgreement, against
from hedgerow.layout.quotes import quote_for_shell
from hedgerow.learn import inputs
from hedgerow.learn.clusterer import drop_target
from hedgerow.learn.clusters.points import make_points
from hedgerow.learn.prepare import may_be_classes, scale_row_weights, set_target_kind, usable_schema
from hedgerow.models.base.model import ClassModel
from hedgerow.models.base.point_space import PointSpace
from hedgerow.models.clusters.category_utility import category_utility

TAKEN = (Kind.NUMERIC, Kind.NOMINAL, Kind.TEXT)


@dataclass(frozen=True, eq=False)
class ClusterFigures:
    """Quality measures of clusters.

    Parameters
    ----------
    sizes
        The total weight of the rows of each cluster.
    squares
        The sum of squared distances to the mean, by cluster; see models/base/point_space.py for distances.
    total_squares
        The same for all rows and the overall mean.
    silhouettes
        The mean silhouette of each cluster, NaN for an empty one: (b - a) / max(a, b), where a is the mean distance of
        a row to the others of its cluster and b that to the rows of the nearest other cluster. A row alone in its
        cluster has 0.
    silhouette
        The mean over all rows; NaN if there is only one cluster.
    sampled
        The number of sampled rows that silhouettes were computed on; 0 if all rows were used.
    utility
        The category utility (models/clusters/category_utility.py), with numbers in standard deviations of their column.
    against
        The agreement with given classes, if there are any.
    """

    sizes: Numbers
    squares: Numbers
    total_squares: float
    silhouettes: Numbers
    silhouette: float
    sampled: int
    utility: float
    against: ClassAgreement | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<ClusterFigures: {len(self.sizes)} clusters, silhouette {self.silhouette:.3g}>"

    @property
    def explained_share(self) -> float:
        """The share of the squared distances that the clusters explain: 1 - within / total; NaN if there are none."""
        return 1 - float(self.squares.sum()) / self.total_squares if self.total_squares > 0 else float("nan")


def evaluate_clusters(
    model: ClassModel, data: Any, classes: Any = None, *, labels: Any = None, most_rows: int = MOST_ROWS
) -> ClusterFigures:
    """Return quality measures of the clusters of a model on some rows.

    Parameters
    ----------
    data
        A Table, a frame, an array or the like, with the columns that the model knows.
    classes
        The column of given classes by name, or the classes themselves; None: the target of the table, if it has one.
        A column that the clusters were found by is not compared with them.
    labels
        The cluster of every row, numbered from 0, if it is not the prediction of the model.
    most_rows
        Maximum number of rows for silhouettes; of more rows a sample is drawn.
    """
    table = table_from(data)
    name = _input_name(model, table, classes)
    given = _classes(table, classes) if name is None else None
    codes = model.decide(table) if labels is None else np.asarray(labels, dtype=np.int32)
    if len(codes) != table.n_rows:
        raise DataError(f"{len(codes)} clusters are given for {table.n_rows} rows")
    space = getattr(model, "space", None)
    figures = cluster_figures(model.align(table), codes, len(model.classes), space, given, most_rows)
    if name is None or (classes is None and table.schema[name].kind is not Kind.NOMINAL):
        return figures
    note = f"column {name!r} is not compared with the clusters, since they were found by it"
    return replace(figures, notes=(*figures.notes, note))


def cluster_figures(
    table: Table,
    codes: Codes,
    k: int,
    space: PointSpace | None = None,
    classes: tuple[Column, Codes] | None = None,
    most_rows: int = MOST_ROWS,
) -> ClusterFigures:
    """Return the quality measures of clusters given by `codes`; distances in `space`, or by range if None."""
    if not table.n_rows:
        raise DataError("the table has no rows, so there are no clusters to evaluate")
    table = scale_row_weights(table, np.arange(table.n_rows))
    weights = table.row_weights
    bare = drop_target(table)
    assert isinstance(bare, Table)
    schema, _ = usable_schema(bare.schema, TAKEN)
    bare = bare.select(schema.names)
    matrix = make_points(bare).matrix if space is None else space.points(table)
    squares, total = squared_distances(matrix, codes, k, weights)
    values, sampled = silhouettes(matrix, codes, k, weights, most_rows)
    notes = []
    if sampled:
        notes.append(f"silhouettes were computed on a sample of {sampled:,} of the {table.n_rows:,} rows")
    utility = category_utility(bare, codes)
    class_agreement = None
    if classes is not None:
        column, own = classes
        missing = int(np.count_nonzero(own < 0))
        if missing == len(own):
            raise DataError(f"column {column.name!r} is missing in every row, so there are no classes to compare")
        if missing:
            notes.append(f"{missing:,} of {len(own):,} rows have no {column.name!r} and are not compared with classes")
        class_agreement = against(column.name, column.levels, own, codes, k, weights)
    return ClusterFigures(
        np.bincount(codes, weights, k).astype(np.float64),
        squares,
        total,
        values[:-1],
        float(values[-1]),
        sampled,
        utility,
        class_agreement,
        tuple(notes),
    )


def _input_name(model: ClassModel, table: Table, classes: Any) -> str | None:
    """Return the name of the column of classes if the clusters were found by it, too."""
    name = table.schema.target if classes is None else classes
    is_input = isinstance(name, str) and name in model.schema and name != model.schema.target
    return name if is_input else None


def _classes(table: Table, classes: Any) -> tuple[Column, Codes] | None:
    """Return the column of given classes and their codes."""
    if classes is None and table.schema.target is None:
        return None
    if classes is not None and not isinstance(classes, str):
        levels, codes = inputs.class_target(classes, table.n_rows, may_lack=True)
        return Column("class", Kind.NOMINAL, tuple(map(str, levels))), codes
    return class_codes(table if classes is None else table.with_target(classes))


def class_codes(table: Table) -> tuple[Column, Codes]:
    """Return the target of a table as classes; a few distinct whole numbers may be classes."""
    column = table.schema.target_column
    if column.kind is Kind.NUMERIC:
        values = table.numbers(table.schema.index(column.name))
        if not np.isnan(values).all() and not may_be_classes(values):
            raise DataError(
                f"column {column.name!r} holds many or fractional numbers, which are not classes to compare clusters "
                f"with; treat them as classes with --nominal {quote_for_shell(column.name)}, or name another column"
            )
    typed, _ = set_target_kind(table, classes=True)
    return typed.schema.target_column, typed.target_codes


def figure_rows(figures: ClusterFigures) -> Sequence[tuple[str, float]]:
    """Return the overall quality measures by name, in display order."""
    rows = [
        ("sum of squares", float(figures.squares.sum())),
        ("explained share of variance", figures.explained_share),
        ("silhouette", figures.silhouette),
        ("category utility", figures.utility),
    ]
    if figures.against is not None:
        rows += [
            ("error of majority classes", figures.against.majority_error),
            ("error, each class used once", figures.against.matched_error),
            ("adjusted Rand", figures.against.adjusted_rand),
            ("mutual information", figures.against.mutual_information),
        ]
    return rows
