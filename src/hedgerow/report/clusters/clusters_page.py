"""What a page shows of clusters in addition to the report: pictures of rows, dendrogram and description."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from hedgerow.evaluate.clusters.evaluate_clusters import evaluate_clusters
from hedgerow.learn.clusters.describe import TREE, describe_clusters
from hedgerow.models.base.model import ClassModel
from hedgerow.models.clusters.dendrogram import Dendrogram
from hedgerow.report.clusters.clusters import clusters_report, description_part
from hedgerow.report.clusters.clusters_svg import clusters_svg
from hedgerow.report.clusters.dendrogram_svg import dendrogram_svg
from hedgerow.report.model.shown_parts import model_part
from hedgerow.report.schema import ClustersReport, PageParts


def clusters_page(
    model: ClassModel, data: Any, form: str = TREE, *, labels: Any = None, names: Sequence[str] | None = None
) -> ClustersReport:
    """Return the report on the clusters of some rows with everything that `to_html` can show.

    Parameters
    ----------
    data
        The rows: a Table, a frame, an array or the like; clusters are compared with the target of a Table.
    form
        `tree` or `rules`: the form of the description of the clusters.
    labels
        The cluster of every row, numbered from 0, if it is not the prediction of the model.
    names
        The names of the training rows in the dendrogram.

    Examples
    --------
    >>> from hedgerow import KMeans, examples, to_html
    >>> weather = examples.weather()
    >>> page = to_html(clusters_page(KMeans(n_clusters=2).train(weather), weather))
    >>> "Cluster 2" in page, "<svg" in page
    (True, True)
    """
    report = clusters_report(model, evaluate_clusters(model, data, labels=labels))
    return cast("ClustersReport", {**report, **page_parts(model, data, form, labels=labels, names=names)})


def page_parts(
    model: ClassModel, data: Any, form: str = TREE, *, labels: Any = None, names: Sequence[str] | None = None
) -> PageParts:
    """Return the additional parts of the page: pictures, and a description as a picture or a table."""
    described = describe_clusters(model, data, form, labels=labels)
    parts: PageParts = {
        "description": {**description_part(described), "model": model_part(described.model, picture=True)},
        "picture": str(clusters_svg(model, data, labels=labels)),
    }
    if isinstance(model, Dendrogram) and len(model.merges):
        parts["dendrogram"] = str(dendrogram_svg(model, names=names))
    return parts
