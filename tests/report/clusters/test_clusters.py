"""Reports and pictures of clusters."""

import math
import re

import numpy as np
import pytest

import hedgerow
from hedgerow import Table
from hedgerow.checks import example, with_texts
from hedgerow.report.clusters.clusters_svg import MOST_POINTS
from tests.learn.clusters.plain_clusterer import PlainClusterer


def clusters_of(table, k=2):
    return PlainClusterer(k=k).train(table)


def dots(picture):
    return len(re.findall("<circle [^>]*><title>row ", picture))


def test_a_dot_a_row_and_a_number_a_cluster():
    table = example(PlainClusterer())
    picture = hedgerow.clusters_svg(clusters_of(table, 3), table)
    assert dots(picture) == 60
    assert all(f">{n}</text>" in picture for n in (1, 2, 3))
    assert "Clusters of 60 rows" in picture
    assert re.search(r"Component 1 increases with [\w= ]+", picture)


def test_texts_are_drawn_and_names_cannot_break_out():
    table = with_texts(example(PlainClusterer())).with_target(None)
    table = table.with_column(hedgerow.Column("<b>&", hedgerow.Kind.NUMERIC), np.arange(60.0))
    picture = hedgerow.clusters_svg(clusters_of(table), table, classes=["<i>"] * 60)
    assert "<b>" not in picture
    assert "<i>" not in picture
    assert dots(picture) == 60


def test_many_rows_are_drawn_in_part_and_that_is_said():
    table = Table.of({"x": np.arange(3000.0), "y": np.arange(3000.0) % 7})
    picture = hedgerow.clusters_svg(clusters_of(table), table)
    assert dots(picture) == MOST_POINTS
    assert "2,000 of 3,000 rows are shown." in picture


def test_many_clusters_have_seven_colors_and_gray():
    table = Table.of({"x": np.arange(24.0), "y": np.arange(24.0) ** 2})
    picture = hedgerow.clusters_svg(clusters_of(table, 10), table)
    assert "3 others" in picture
    assert ">10</text>" in picture


def test_rows_on_a_line_and_in_one_place():
    line = Table.of({"x": [1.0, 2, 9]})
    assert "All rows lie on one line" in hedgerow.clusters_svg(clusters_of(line), line)
    same = Table.of({"x": [1.0, 1, 1]})
    assert "All rows are identical" in hedgerow.clusters_svg(clusters_of(same), same)
    with pytest.raises(hedgerow.DataError, match="no rows to draw"):
        hedgerow.clusters_svg(clusters_of(line), line.slice(0, 0))


def test_the_report_without_figures_is_the_model():
    model = clusters_of(Table.of({"x": [1.0, 2, 9]}))
    told = hedgerow.render(hedgerow.clusters_report(model))
    assert "cluster 1: 2 rows" in told
    assert "How good" not in told


def test_many_classes_go_into_blocks_and_long_names_are_cut():
    names = [f"class with a long name {n}" for n in range(12)]
    table = Table.of({"x": np.arange(24.0), "c": names * 2}, "c")
    model = clusters_of(table)
    told = hedgerow.render(hedgerow.clusters_report(model, hedgerow.evaluate_clusters(model, table)), 80)
    part = told[told.index("Clusters and classes of c") : told.index("error of majority classes")]
    assert all(len(line) <= 80 for line in part.split("\n"))
    assert part.count("cluster  mostly") > 1


def test_what_is_not_known_reads_as_a_question_mark_and_is_null_in_json():
    from hedgerow.layout.json_values import to_json

    table = Table.of({"x": [1.0, 1.0]})
    model = clusters_of(table)
    figures = hedgerow.evaluate_clusters(model, table)
    assert math.isnan(figures.silhouette)
    report = hedgerow.clusters_report(model, figures)
    assert "all         2           0.000           ?" in hedgerow.render(report)
    assert '"silhouette": null' in to_json(report)


@pytest.mark.parametrize(
    "learner", [hedgerow.KMeans(n_clusters=3), hedgerow.Agglomerative(n_clusters=3), hedgerow.Cobweb()]
)
@pytest.mark.parametrize("form", ["tree", "rules"])
def test_a_page_of_clusters(learner, form):
    table = example(PlainClusterer())
    model = learner.train(table)
    page = hedgerow.to_html(hedgerow.clusters_page(model, table, form))
    assert page.startswith("<!DOCTYPE html>")
    assert all(f"Cluster {n + 1}" in page for n in range(len(model)))
    for title in (
        "Differences from other clusters",
        "Quality of the clusters",
        "Description of the clusters",
        "component 1",
    ):
        assert title in page
    assert ("Dendrogram" in page) == (learner.name == "agglomerative")
    assert "<script" not in page
    assert page == hedgerow.to_html(hedgerow.clusters_page(learner.train(table), table, form))


def test_names_cannot_break_out_of_the_page():
    table = Table.of({"<b>&": [1.0, 2, 9, 8], "sky": ["<i>", "é", "<i>", None], "c": ["<u>", "v", "v", None]}, "c")
    page = hedgerow.to_html(
        hedgerow.clusters_page(hedgerow.Agglomerative(n_clusters=2).train(table), table, names=["<s>"] * 4)
    )
    assert not any(tag in page for tag in ("<b>&", "<i>", "<u>", "<s>"))
    assert "&lt;i&gt;" in page


def test_profiles_are_told_in_figures_too():
    table = Table.of({"x": [1.0, 2, 9], "sky": ["sun", "sun", "rain"]})
    first, second = hedgerow.clusters_report(hedgerow.KMeans(n_clusters=2).train(table))["profiles"]
    assert (first["cluster"], first["rows"], second["rows"]) == ("1", 2, 1)
    assert first["share"] == pytest.approx(2 / 3)
    assert [one["column"] for one in first["apart"]] == ["sky", "x"]
    assert first["apart"][0]["level"] == "sun"
    assert first["apart"][1]["inside"] == 1.5
    assert first["typical"] == ["x 1.5 ± 0.5", "sky=sun 100 %"]
