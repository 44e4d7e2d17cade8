"""What all clusterers share: points, models, profiles, and scikit-learn's contract."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

import hedgerow
from hedgerow import Table
from hedgerow.checks import CHECKS, examples, with_texts
from hedgerow.data.design.design_counts import EVERY, DesignCounts, DesignOptions
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import SparseNumbers
from hedgerow.learn.clusters.points import make_points, make_space
from hedgerow.models.files.model_file import dumps, loads
from tests.learn.clusters.plain_clusterer import PlainClusterer, registered

MIXED = {
    "age": [20.0, 22, 24, 60, 62, 64, None],
    "city": ["Köln", "Köln", None, "東京", "東京", "東京", "Köln"],
}


def checks_of_scikit_learn():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for estimator, check in estimator_checks_generator(PlainClusterer()):
            yield pytest.param(estimator, check, id=getattr(check, "func", check).__name__)


@pytest.mark.parametrize(("estimator", "check"), list(checks_of_scikit_learn()))
@pytest.mark.filterwarnings("ignore::hedgerow.errors.DataWarning")
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", ["mixed", "texts", "mixed with texts"])
@pytest.mark.usefixtures("registered")
def test_own_laws(name, check):
    check(PlainClusterer(), examples(PlainClusterer())[name])


# -- points ---------------------------------------------------------------------------------------------------


def test_two_levels_are_at_a_squared_distance_of_one_and_so_are_the_ends_of_a_range():
    points = make_points(Table.of({"x": [0.0, 10.0, 10.0], "c": ["a", "a", "b"]})).matrix
    assert np.isclose(np.square(points[0] - points[1]).sum(), 1)
    assert np.isclose(np.square(points[1] - points[2]).sum(), 1)


def test_texts_without_a_common_term_are_at_a_squared_distance_of_one():
    table = hedgerow.Table.of({"x": [0.0, 0.0]})
    note = hedgerow.Column("note", Kind.TEXT)
    table = table.with_column(note, hedgerow.data.table.table.Text.of(["green tea", "black coffee"]))
    points = make_points(table).matrix.toarray()
    assert np.isclose(np.square(points[0] - points[1]).sum(), 1)


def test_a_missing_value_lies_at_the_mean():
    points = make_points(Table.of(MIXED))
    assert np.isclose(points.matrix[6, 0], points.matrix[:6, 0].mean())
    names = points.space.design.names
    assert names == ["age", "city=Köln", "city=東京"]
    assert np.allclose(points.matrix[2, 1:], 0.5 / np.sqrt(2))


@pytest.mark.parametrize(("scale", "spread"), [("range", 1 / 44), ("none", 1.0)])
def test_scales(scale, spread):
    points = make_points(Table.of(MIXED), scale).matrix
    assert np.isclose(points[1, 0] - points[0, 0], 2 * spread)
    deviation = make_points(Table.of({"age": [1.0, 2, 3]}), "deviation").matrix
    assert np.isclose(deviation.std(), 1, atol=1e-5)
    assert np.isclose(deviation.mean(), 0)


def test_sparse_points_are_the_dense_ones():
    table = with_texts(Table.of({name: values * 5 for name, values in MIXED.items()}))
    rows = np.array([1, 4, 20], dtype=np.int64)
    sparse = table.with_column(
        hedgerow.Column("s", Kind.NUMERIC), SparseNumbers(rows, np.array([2.0, 4.0, np.nan]), 35)
    )
    dense = table.with_column(hedgerow.Column("s", Kind.NUMERIC), sparse.numbers(3))
    one, other = make_points(sparse), make_points(dense)
    assert one.is_sparse
    first, second = one.matrix.toarray(), other.matrix.toarray()
    apart = [np.square(points[:, None] - points).sum(axis=2) for points in (first, second)]
    assert np.allclose(*apart)


def test_new_rows_lie_where_rows_learned_from_do():
    table = with_texts(Table.of(MIXED))
    points = make_points(table)
    assert abs(points.space.points(table) - points.matrix).max() == 0
    back = points.space.users(points.matrix.toarray())
    assert np.allclose(points.space.to_points(back), points.matrix.toarray())


def test_distinct_points_do_not_depend_on_the_order_of_rows_and_add_weights():
    table = Table.of({"x": [1.0, 1, 2, 3], "c": ["a", "a", None, "b"]}, weights=[1.0, 2, 1, 0.5])
    points = make_points(table).distinct()
    turned = make_points(table.take(np.array([3, 1, 0, 2]))).distinct()
    assert len(points) == 3
    assert np.array_equal(points.matrix, turned.matrix)
    assert np.array_equal(points.weights, turned.weights)
    assert points.places[0] == points.places[1]
    assert np.array_equal(points.matrix[points.places], make_points(table).matrix)
    assert points.rows[points.places[1]] == 0


def test_the_space_of_batches_is_that_of_the_whole():
    table = Table.of(MIXED)
    options = DesignOptions(EVERY)
    counts = DesignCounts.of(table.slice(0, 3), options) + DesignCounts.of(table.slice(3, 7), options)
    space = make_space(table.schema, counts, "range", options)
    assert np.allclose(space.points(table), make_points(table).matrix)


def test_columns_that_tell_nothing_have_no_place():
    table = Table.of({"one": [1.0, 1, None], "level": ["a", "a", None], "none": [None, None, None], "x": [1.0, 2, 3]})
    assert make_points(table).space.design.names == ["x"]


def test_an_infinite_number_is_a_sentence():
    with pytest.raises(hedgerow.DataError, match="infinite"):
        PlainClusterer().fit(pd.DataFrame({"x": [1.0, np.inf, 2.0]}))
    found = PlainClusterer().fit(pd.DataFrame({"x": [1.0, 5.0, 2.0]}))
    for far in (np.inf, 1e308):
        with pytest.raises(hedgerow.DataError, match="infinite or beyond"):
            found.predict(Table.of({"x": [far]}))


# -- clusterers -----------------------------------------------------------------------------------------------


def test_labels_are_numbers_from_zero_and_the_model_names_them_from_one():
    found = PlainClusterer(k=2).fit(Table.of(MIXED))
    assert found.labels_.dtype == np.int32
    assert found.labels_.tolist() == found.predict(Table.of(MIXED)).tolist() == [0, 0, 0, 1, 1, 1, 0]
    assert found.model_.predict(Table.of(MIXED)).tolist() == ["1", "1", "1", "2", "2", "2", "1"]
    assert found.model_.schema.target == "cluster"
    assert found.model_.classes == ("1", "2")
    assert found.model_.distribution(Table.of(MIXED))[3].tolist() == [0.0, 1.0]


def test_a_target_is_left_out_and_so_is_a_named_column():
    table = Table.of({**MIXED, "class": ["x", "y", "x", "y", "x", "y", "x"]}, "class")
    model = PlainClusterer(k=2).fit(table).model_
    assert "class" not in model.schema
    assert model == PlainClusterer(k=2).train(Table.of(MIXED))
    frame = pd.DataFrame({**MIXED, "class": ["x", "y", "x", "y", "x", "y", "x"]})
    named = PlainClusterer(k=2).fit(frame, "class")
    assert "class" not in named.model_.schema
    assert list(named.feature_names_in_) == ["age", "city"]
    assert "class" in PlainClusterer(k=2).fit(frame).model_.schema


def test_all_columns_of_a_file_count(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n1,x\n2,x\n9,y\n8,y\n")
    assert PlainClusterer(k=2).fit(path).model_.schema.names == ("a", "b", "cluster")


def test_a_column_that_is_called_cluster_keeps_its_name():
    model = PlainClusterer(k=2).train(Table.of({"cluster": [1.0, 2, 8, 9]}))
    assert model.schema.names == ("cluster", "cluster 2")
    assert model.predict(Table.of({"cluster": [1.0, 9]})).tolist() == ["1", "2"]


def test_more_clusters_than_different_rows_are_fewer_and_said():
    with pytest.warns(hedgerow.DataWarning, match="only 2 different rows: 2 clusters instead of 3"):
        found = PlainClusterer().fit(Table.of({"x": [1.0, 1, 2]}))
    assert len(found.model_) == 2


@pytest.mark.parametrize("rows", [{"x": [4.0]}, {"x": [4.0, 4, 4], "c": ["a", "a", "a"]}, {"x": [None, None]}])
def test_one_row_or_equal_rows_are_one_cluster(rows):
    with pytest.warns(hedgerow.DataWarning, match="only one row, or all are the same: 1 cluster instead of 3"):
        found = PlainClusterer().fit(Table.of(rows))
    assert set(found.labels_.tolist()) == {0}
    assert str(found.model_).startswith("1 plain clusters\n\ncluster 1: ")


def test_an_empty_table_is_a_sentence():
    with pytest.raises(hedgerow.DataError, match="no rows to learn from"):
        PlainClusterer().fit(Table.of({"x": []}))


def test_weights_count_as_rows_and_zero_as_none():
    table = Table.of({"x": [0.0, 1, 9, 10, 50]})
    found = PlainClusterer(k=2).fit(table, sample_weight=[3, 1, 1, 1, 0])
    assert found.model_.profile.sizes.tolist() == [4, 2]
    assert len(found.labels_) == 5  # rows without weight have a cluster as well


@pytest.mark.usefixtures("registered")
def test_models_come_back_from_files():
    model = PlainClusterer(k=2).train(with_texts(Table.of(MIXED)))
    copy = loads(dumps(model), "copy")
    assert copy == model
    assert str(copy) == str(model)


assert registered
