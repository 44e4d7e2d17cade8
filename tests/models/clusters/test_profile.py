"""Profiles: what clusters are like, and what sets them apart; their files, and hostile ones."""

import numpy as np
import pytest

from hedgerow import Agglomerative, Column, Kind, ModelError, Schema, Table
from hedgerow.data.table.table import SparseNumbers, Text
from hedgerow.layout.rounding import round_digits
from hedgerow.learn.clusters.points import make_points
from hedgerow.models.clusters import profile as profile_module
from hedgerow.models.clusters.cluster_model import cluster_count, cluster_schema, order_by_size
from hedgerow.models.clusters.dendrogram import comparison_matrix
from hedgerow.models.clusters.profile import Profile
from hedgerow.models.clusters.profile_text import cluster_lines
from tests.learn.clusters.plain_clusterer import PlainClusterer

TABLE = Table.of(
    {"age": [20.0, 30, None, 60, 70, 80], "sky": ["sun", "sun", None, "rain", "rain", "sun"], "one": [1.0] * 6}
)
CODES = np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)


def test_typical_values_and_what_sets_apart():
    profile = Profile.of(TABLE, CODES, 2)
    assert cluster_lines(profile, 0) == [
        "cluster 1: 3 rows (50 %)",
        "  typical: age 25 ± 5, sky=sun 100 %, one 1",
        "  differs: age lower (25; others 70), sky=sun more often (100 %; others 33.3 %)",
    ]


def test_effects_are_differences_in_deviations_of_all_rows():
    profile = Profile.of(TABLE, CODES, 2)
    age, sky = profile.differences(1)
    ages = np.array([20.0, 30, 60, 70, 80])
    assert np.isclose(age.effect, (70 - 25) / ages.std())
    assert np.isclose(abs(sky.effect), (2 / 3) / np.sqrt(0.4 * 0.6))


def test_weights_count_as_rows():
    weighted = Profile.of(TABLE.with_weights(np.array([2.0, 1, 1, 1, 1, 1])), CODES, 2)
    rows = np.array([0, 0, 1, 2, 3, 4, 5])
    assert str(weighted) == str(Profile.of(TABLE.take(rows), CODES[rows], 2))


def test_sparse_numbers_are_as_dense_ones():
    sparse = SparseNumbers(np.array([1, 4]), np.array([3.0, np.nan]), 6)
    column = Column("s", Kind.NUMERIC)
    one = Profile.of(TABLE.with_column(column, sparse), CODES, 2)
    other = Profile.of(TABLE.with_column(column, sparse.dense()), CODES, 2)
    assert np.allclose(one.means, other.means)
    assert np.allclose(one.deviations, other.deviations)
    assert np.array_equal(one.known, other.known)


def test_dates_read_as_days():
    table = Table(
        TABLE.schema.select([0]).with_columns({"age": Column("age", Kind.NUMERIC, date="yyyy-MM-dd")}),
        (np.array([0.0, 86400, 2 * 86400, 9e8, 9e8, 9e8]),),
        6,
    )
    told = "\n".join(cluster_lines(Profile.of(table, CODES, 2), 0))
    assert "age 1970-01-02 ± 0.816 days" in told
    assert "age earlier (1970-01-02; others 1998-07-09)" in told


def test_a_single_cluster_and_one_that_is_empty():
    assert "apart" not in str(Profile.of(TABLE, np.zeros(6, dtype=np.int32), 1))
    told = str(Profile.of(TABLE, CODES, 3))
    assert told.endswith("cluster 3: 0 rows")


def test_many_columns_and_clusters_are_cut_short():
    wide = Table.of({f"c{n}": np.arange(60.0) for n in range(20)})
    told = str(Profile.of(wide, np.arange(60, dtype=np.int32), 60))
    assert "... and 8 more columns" in told
    assert told.endswith("... and 10 more clusters")


def test_odd_names_are_quoted():
    table = Table.of({"a\nb": ["x\ty", "z"], "": [1.0, 2.0]})
    told = str(Profile.of(table, np.array([0, 1], dtype=np.int32), 2))
    assert '"a\\nb"="x\\ty" 100 %' in told


def test_clusters_are_numbered_by_size():
    assert order_by_size(np.array([1.0, 5, 1]), np.array([[2.0], [0], [1]])).tolist() == [1, 2, 0]


def test_files():
    profile = Profile.of(TABLE, CODES, 2)
    schema = cluster_schema(TABLE.schema, 2)
    copy = Profile.from_dict(profile.to_dict(), schema)
    assert str(copy) == str(profile)
    turned = profile.reorder(np.array([1, 0]))
    assert turned.sizes.tolist() == profile.sizes[::-1].tolist()


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("sizes", np.ones(3), "does not match"),
        ("sizes", np.array([1.0, -1]), "negative"),
        ("known", np.ones((2, 5)), "does not match"),
        ("means", np.full((2, 2), np.nan), "not finite"),
        ("levels", [1, 2], "not an array"),
        ("terms", [["a"]], "must list the terms"),
        ("terms", None, "must list the terms"),
    ],
)
def test_hostile_parts_are_refused(name, value, sentence):
    parts = Profile.of(TABLE, CODES, 2).to_dict() | {name: value}
    with pytest.raises(ModelError, match=sentence):
        Profile.from_dict(parts, cluster_schema(TABLE.schema, 2))
    with pytest.raises(ModelError):
        Profile.from_dict(None, cluster_schema(TABLE.schema, 2))


@pytest.mark.parametrize("levels", [(), ("a", "b"), ("2", "1")])
def test_clusters_of_other_names_are_refused(levels):
    schema = TABLE.with_column(Column("cluster", Kind.NOMINAL, levels), CODES).with_target("cluster").schema
    with pytest.raises(ModelError, match="called 1, 2, 3"):
        cluster_count(schema)
    with pytest.raises(ModelError, match="nominal target"):
        cluster_count(TABLE.schema)


def test_hostile_spaces_are_refused():
    model = PlainClusterer(k=2).train(TABLE)
    parts = model.to_dict()
    for name, value, sentence in [
        ("factors", np.zeros(model.space.width), "above 0"),
        ("centers", np.zeros(1), "does not match"),
        ("means", np.full(model.space.width, np.inf), "not finite"),
        ("design", [], "one entry per column"),
    ]:
        with pytest.raises(ModelError, match=sentence):
            type(model).from_dict(parts | {"space": parts["space"] | {name: value}}, model.schema, model.about)


def text_table(texts):
    return Table(Schema((Column("text", Kind.TEXT),)), (Text.of(texts),), len(texts))


def test_terms_are_those_that_lie_highest_above_the_other_rows(monkeypatch):
    """The terms of the definition; and only those that a cluster has are looked at, however many clusters there are."""
    random = np.random.default_rng(4)
    table = text_table([" ".join(f"w{word}" for word in random.zipf(1.3, 12) % 500) for _ in range(60)])
    points = make_points(table)
    (space,) = points.space.design.term_spaces.values()
    matrix = space.vectors(table.texts(0)).matrix()
    looked_at = []
    monkeypatch.setattr(profile_module, "round_digits", lambda value: looked_at.append(value) or round_digits(value))
    for codes in (np.arange(60, dtype=np.int32), np.arange(60, dtype=np.int32) % 3):
        k = int(codes.max()) + 1
        del looked_at[:]
        (found,) = Profile.of(table, codes, k, {"text": space}).terms
        assert len(looked_at) <= matrix.nnz
        dense = matrix.toarray()
        for cluster in range(k):
            above = dense[codes == cluster].mean(axis=0) - dense[codes != cluster].mean(axis=0)
            above = np.array([round_digits(value) for value in above])
            best = [term for term in np.argsort(-above, kind="stable")[:8].tolist() if above[term] > 0]
            assert found[cluster] == tuple(space.names_of(best))


@pytest.mark.parametrize("distance", ["euclidean", "cityblock"])
def test_new_texts_go_to_the_nearest_center(distance):
    """Sparse points have the nearest centers that dense ones have."""
    random = np.random.default_rng(4)
    table = text_table([" ".join(f"w{word}" for word in random.zipf(1.3, 12) % 500) for _ in range(60)])
    model = Agglomerative(linkage="complete", n_clusters=12, distance=distance).train(table)
    points = comparison_matrix(model.space, model.space.points(table).toarray(), distance)
    centers = comparison_matrix(model.space, model.space.to_points(model.centers), distance)
    apart = points[:, None, :] - centers[None, :, :]
    far = np.abs(apart).sum(axis=2) if distance == "cityblock" else np.square(apart).sum(axis=2)
    placed = model.assign_clusters(table)
    assert np.allclose(far[np.arange(60), placed], far.min(axis=1), rtol=1e-9)
