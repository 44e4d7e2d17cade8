"""Measures of clusters: equal to scikit-learn's where it has them, weights as repeated rows, and messages."""

import numpy as np
import pytest
from sklearn import metrics

import hedgerow
from hedgerow import Table
from hedgerow.evaluate.clusters.distances import silhouettes
from hedgerow.evaluate.clusters.evaluate_clusters import class_codes, cluster_figures, evaluate_clusters, figure_rows
from hedgerow.evaluate.clusters.known_classes import against
from hedgerow.evaluate.clusters.principal_components import components
from hedgerow.learn.clusters.points import make_points
from tests.learn.clusters.plain_clusterer import PlainClusterer
from tests.textbook import weather


def blobs(rows=90, seed=3):
    random = np.random.default_rng(seed)
    which = random.integers(0, 3, rows)
    return random.normal(size=(rows, 2)) + 4 * np.eye(3)[which][:, :2], which.astype(np.int32)


def as_table(points):
    return Table.of({"x": points[:, 0], "y": points[:, 1]})


@pytest.mark.parametrize("wide", [2, 80])
def test_silhouettes_are_those_of_scikit_learn(wide):
    random = np.random.default_rng(1)
    points, codes = random.normal(size=(60, wide)), random.integers(0, 4, 60).astype(np.int32)
    codes[0] = 4  # a row alone
    found, sampled = silhouettes(points, codes, 5, np.ones(60))
    each = metrics.silhouette_samples(points, codes)
    assert np.isclose(found[-1], each.mean())
    assert np.allclose(found[:-1], [each[codes == n].mean() for n in range(5)])
    assert sampled == 0


def test_silhouettes_of_sparse_points_are_those_of_dense_ones():
    from scipy.sparse import csr_array

    random = np.random.default_rng(1)
    points = random.random((50, 30)) * (random.random((50, 30)) < 0.2)
    codes = random.integers(0, 3, 50).astype(np.int32)
    assert np.allclose(*(silhouettes(rows, codes, 3, np.ones(50))[0] for rows in (points, csr_array(points))))


def test_a_row_of_weight_two_is_two_rows():
    points, codes = blobs(40)
    weights = np.where(np.arange(40) < 10, 2.0, 1.0)
    twice = np.concatenate([np.arange(40), np.arange(10)])
    one = cluster_figures(as_table(points).with_weights(weights), codes, 3)
    other = cluster_figures(as_table(points[twice]), codes[twice], 3)
    for (name, value), (_, expected) in zip(figure_rows(one), figure_rows(other), strict=True):
        assert np.isclose(value, expected), name
    assert np.allclose(one.squares, other.squares)


def test_many_rows_are_drawn_and_that_is_said():
    points, codes = blobs(500)
    figures = cluster_figures(as_table(points), codes, 3, most_rows=200)
    assert figures.sampled == 200
    assert figures.notes == ("silhouettes were computed on a sample of 200 of the 500 rows",)
    assert abs(figures.silhouette - cluster_figures(as_table(points), codes, 3).silhouette) < 0.05


def test_sums_of_squares_of_the_textbook():
    """G103: 1, 2, 10, 11 in two clusters have a sum of squares of 1."""
    table = Table.of({"x": [1.0, 2, 10, 11]})
    space = make_points(table, "none").space
    figures = cluster_figures(table, np.array([0, 0, 1, 1], dtype=np.int32), 2, space)
    assert figures.squares.tolist() == [0.5, 0.5]
    assert figures.total_squares == 82
    assert np.isclose(figures.explained_share, 81 / 82)


def test_category_utility_of_the_weather_by_outlook():
    """G105: the partition of the weather by outlook has 247/980."""
    table = weather()
    codes = table.codes(table.schema.index("Outlook" if "Outlook" in table.schema else "outlook"))
    assert np.isclose(cluster_figures(table, codes, 3).utility, 247 / 980)


def test_agreement_is_that_of_scikit_learn():
    random = np.random.default_rng(5)
    codes, clusters = random.integers(0, 3, 80).astype(np.int32), random.integers(0, 4, 80).astype(np.int32)
    held = against("class", "abc", codes, clusters, 4, np.ones(80))
    assert np.isclose(held.adjusted_rand, metrics.adjusted_rand_score(codes, clusters))
    assert np.isclose(held.mutual_information, metrics.normalized_mutual_info_score(codes, clusters))
    assert np.array_equal(held.table.T, metrics.cluster.contingency_matrix(codes, clusters))
    assert np.isclose(held.majority_error, 1 - held.table.max(axis=1).sum() / 80)
    assert held.majority_error <= held.matched_error
    assert sorted(held.matched[held.matched >= 0].tolist()) == [0, 1, 2]  # each class once: one cluster has none


def test_the_same_groups_agree_whatever_their_names():
    codes = np.array([0, 0, 1, 1, 2], dtype=np.int32)
    held = against("class", "abc", codes, (codes + 1) % 3, 3, np.ones(5))
    assert held.adjusted_rand == 1
    assert np.isclose(held.mutual_information, 1)
    assert held.majority_error == held.matched_error == 0


def test_one_cluster_and_one_class_agree():
    held = against("class", "a", np.zeros(4, dtype=np.int32), np.zeros(4, dtype=np.int32), 1, np.ones(4))
    assert (held.adjusted_rand, held.mutual_information, held.majority_error) == (1, 1, 0)


def test_one_cluster_has_no_silhouette():
    figures = cluster_figures(Table.of({"x": [1.0, 2, 3]}), np.zeros(3, dtype=np.int32), 1)
    assert np.isnan(figures.silhouette)
    assert figures.explained_share == 0
    same = cluster_figures(Table.of({"x": [1.0, 1, 1]}), np.zeros(3, dtype=np.int32), 1)
    assert np.isnan(same.explained_share)


def test_clusters_of_equal_rows_have_a_silhouette_of_zero():
    figures = cluster_figures(Table.of({"x": [1.0, 1, 1]}), np.array([0, 0, 1], dtype=np.int32), 2)
    assert figures.silhouette == 0


def test_a_model_is_held_against_the_target_a_column_or_an_array():
    points, classes = blobs()
    table = as_table(points).with_column(hedgerow.Column("Straße", hedgerow.Kind.NOMINAL, ("ä", "b", "c")), classes)
    model = PlainClusterer(k=3).train(as_table(points))
    by_name = evaluate_clusters(model, table, "Straße").against
    by_target = evaluate_clusters(model, table.with_target("Straße")).against
    by_array = evaluate_clusters(model, as_table(points), np.array(["ä", "b", "c"], dtype=object)[classes]).against
    assert by_name.classes == ("ä", "b", "c")
    for held in (by_target, by_array):
        assert np.isclose(held.adjusted_rand, by_name.adjusted_rand)
    assert evaluate_clusters(model, as_table(points)).against is None


def test_rows_without_a_class_are_not_compared():
    table = Table.of({"x": [1.0, 2, 8, 9], "c": ["a", None, "b", "b"]})
    model = PlainClusterer(k=2).train(table.select(["x"]))
    figures = evaluate_clusters(model, table, "c")
    assert figures.against.weight == 3
    assert figures.notes == ("1 of 4 rows have no 'c' and are not compared with classes",)


def test_bad_input_is_a_sentence():
    model = PlainClusterer(k=2).train(Table.of({"x": [1.0, 2, 8, 9]}))
    table = Table.of({"x": [1.0, 2], "n": [0.5, 0.7], "none": [None, None]})
    with pytest.raises(hedgerow.DataError, match="not classes to compare clusters with"):
        evaluate_clusters(model, table, "n")
    with pytest.raises(hedgerow.DataError, match="3 clusters are given for 2 rows"):
        evaluate_clusters(model, table, labels=[0, 1, 1])
    with pytest.raises(hedgerow.DataError, match="missing in every row"):
        class_codes(table.with_target("none"))
    with pytest.raises(hedgerow.DataError, match="no rows"):
        evaluate_clusters(model, Table.of({"x": []}))


def test_a_few_whole_numbers_are_classes():
    table = Table.of({"x": [1.0, 2, 8, 9], "c": [0.0, 0, 1, 1]})
    model = PlainClusterer(k=2).train(table.select(["x"]))
    assert evaluate_clusters(model, table, "c").against.classes == ("0", "1")


# -- components -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sparse", [False, True])
def test_components_are_those_of_a_singular_value_decomposition(sparse):
    from scipy.sparse import csr_array

    random = np.random.default_rng(2)
    points = random.normal(size=(40, 6)) * [5, 3, 1, 1, 0.5, 0.1]
    found = components(csr_array(points) if sparse else points, np.ones(40))
    around = points - points.mean(axis=0)
    _, values, vectors = np.linalg.svd(around)
    assert np.allclose(found.variances, values[:2] ** 2 / 40)
    assert np.allclose(np.abs(found.directions @ vectors[:2].T), np.eye(2), atol=1e-8)
    assert np.isclose(found.total, around.var(axis=0).sum())
    assert np.allclose(found.project(points).mean(axis=0), 0, atol=1e-9)


def test_components_of_very_many_places():
    from scipy.sparse import random_array

    points = random_array((60, 1500), density=0.02, rng=np.random.default_rng(1)).tocsr()
    points = points + 3 * points[:, ::-1]
    found = components(points, np.ones(60))
    values = np.linalg.svd(points.toarray() - points.toarray().mean(axis=0))[1]
    assert np.allclose(found.variances, values[:2] ** 2 / 60, rtol=1e-3)


def test_equal_points_have_no_components():
    assert len(components(np.ones((4, 3)), np.ones(4)).directions) == 0
    assert len(components(np.zeros((4, 0)), np.ones(4)).directions) == 0
