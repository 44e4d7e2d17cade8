"""Distances, structures and more rows: however neighbors are found, they are those of comparing every row."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import NearestNeighbors

from hedgerow import KNN, Column, DataError, Kind, KNNRegressor, Table, UsageError
from hedgerow.data.table.table import Text
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.neighbors.row_search import ALGORITHMS, depth, least_depth
from tests.textbook import weather_numeric

STRUCTURES = [
    {"algorithm": "brute"},
    {"algorithm": "kd_tree"},
    {"algorithm": "kd_tree", "direction": "variance", "point": "mean", "leaf_size": 3},
    {"algorithm": "ball_tree", "leaf_size": 5},
    {"algorithm": "auto"},
]
QUERY = Table.of({"Outlook": ["Sunny"], "Temperature": [66.0], "Humidity": [90.0], "Windy": ["True"]})


def mixed(rows, seed, missing=0.1, new=False):
    """Numbers, levels and missing values; new rows reach beyond the old ones."""
    random = np.random.default_rng(seed)
    x = random.normal(0, 3 if new else 1, (3, rows)).round(1)
    x[random.random(x.shape) < missing] = np.nan
    s = random.integers(0, 5, (2, rows))
    levels = [[None if random.random() < missing else f"v{code}" for code in line] for line in s.tolist()]
    y = [("a", "b", "c")[int(code) % 3] for code in s[0] + (x[0] > 0)]
    return {"x": x[0], "y": x[1], "z": x[2], "s": levels[0], "t": levels[1], "class": y}


def table(rows=300, seed=1, weights=None, **how):
    return Table.of(mixed(rows, seed, **how), "class", weights=weights)


# -- distances ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_trees_find_the_neighbors_of_the_weather_data(structure):
    """G95: kD-tree and ball tree give the neighbors of the linear scan; city block of rows 1 and 2."""
    weather = weather_numeric()
    near = KNN(n_neighbors=5, **{"leaf_size": 2, **structure}).train(weather).neighbors(QUERY)
    assert (near.rows[0] + 1).tolist() == [2, 11, 14, 12, 8]
    assert near.distance[0] == pytest.approx([0.666667, 0.774536, 1.028460, 1.040016, 1.052448], abs=1e-6)
    city = KNN(metric="manhattan", **structure).train(weather).neighbors(weather.take(np.array([0])), 14)
    of = dict(zip((city.rows[0] + 1).tolist(), city.distance[0].tolist(), strict=True))
    assert of[2] == pytest.approx(1.399386, abs=1e-6)


@pytest.mark.parametrize(
    ("metric", "theirs"), [("euclidean", "euclidean"), ("manhattan", "manhattan"), ("cosine", "cosine")]
)
@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_numbers_have_the_neighbors_of_scikit_learn(metric, theirs, structure):
    """M235, M236, M239: the same rows at the same distances as brute force on the numbers as they are."""
    random = np.random.default_rng(4)
    X, new = random.normal(size=(400, 4)), random.normal(size=(150, 4))
    peer = NearestNeighbors(n_neighbors=6, metric=theirs, algorithm="brute").fit(X)
    far, rows = KNN(metric=metric, scale="none", **structure).fit(X, np.arange(400) % 3).kneighbors(new, 6)
    their_far, their_rows = peer.kneighbors(new)
    np.testing.assert_allclose(far, their_far, atol=1e-9)
    assert (rows == their_rows).all()


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_hamming_counts_the_columns_that_differ(structure):
    """M237: numbers, levels and missing values alike: equal or not."""
    rows = {"n": [1.0, 2.0, 2.0, None], "s": ["u", "u", "v", "v"], "class": ["a", "b", "a", "b"]}
    model = KNN(metric="hamming", **structure).train(Table.of(rows, "class"))
    near = model.neighbors(Table.of({"n": [2.0, 7.0, None], "s": ["u", "v", "u"]}), 4)
    want = [[1, 0, 1, 2], [2, 2, 1, 1], [1, 1, 2, 2]]
    for at in range(3):
        assert near.distance[at].tolist() == sorted(want[at])
        assert near.rows[at].tolist() == np.lexsort((np.arange(4), want[at])).tolist()
    binary = np.random.default_rng(1).integers(0, 2, (200, 12)).astype(float)
    peer = NearestNeighbors(n_neighbors=5, metric="hamming").fit(binary).kneighbors(binary[:40])[0] * 12
    ours = KNN(metric="hamming", **structure).fit(binary, np.arange(200) % 2).kneighbors(binary[:40])[0]
    np.testing.assert_allclose(ours, peer, atol=1e-9)


def test_cosine_of_mixed_rows_by_hand():
    """A level is a place of 1; what is missing adds nothing; a row of zeros has no direction."""
    rows = {"n": [3.0, 1.0, 0.0, None], "s": ["u", "v", None, "u"], "class": ["a", "b", "a", "b"]}
    model = KNN(metric="cosine", scale="none").train(Table.of(rows, "class"))
    near = model.neighbors(Table.of({"n": [4.0], "s": ["u"]}), 4)
    cosines = {0: 13 / (10**0.5 * 17**0.5), 1: 4 / (2**0.5 * 17**0.5), 2: 0.0, 3: 1 / 17**0.5}
    assert near.rows[0].tolist() == sorted(cosines, key=lambda row: -cosines[row])
    np.testing.assert_allclose(near.distance[0], [1 - cosines[row] for row in near.rows[0].tolist()], atol=1e-12)
    zeros = model.neighbors(Table.of({"n": [0.0], "s": [None]}, levels={"s": ["u"]}), 4)
    np.testing.assert_allclose(zeros.distance[0], [0, 1, 1, 1], atol=1e-12)


def test_texts_beside_directions_are_averaged():
    text = Table.of({"n": [3.0, 1.0, 2.0], "m": [0.0, 1.0, 5.0], "class": ["a", "b", "b"]}, "class")
    text = text.with_column(Column("text", Kind.TEXT), Text.of(["free money", "see you", "money"]))
    model = KNN(metric="cosine", scale="none", idf="none").train(text)
    asked = Table.of({"n": [1.0], "m": [1.0]}).with_column(Column("text", Kind.TEXT), Text.of(["free"]))
    near = model.neighbors(asked, 3)
    of = dict(zip(near.rows[0].tolist(), near.distance[0].tolist(), strict=True))
    assert of[0] == pytest.approx(1 - (0.5**0.5 + 3 / (3 * 2**0.5)) / 2)
    assert of[1] == pytest.approx(1 - (0 + 1) / 2)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "hamming", "cosine"])
@pytest.mark.parametrize("structure", STRUCTURES[1:], ids=str)
def test_structures_agree_on_mixed_rows(metric, structure):
    """M246: whatever the structure, the same neighbors, shares and classes, to the last bit."""
    rows, new = table(400), table(200, 2, new=True)
    plain = KNN(metric=metric, algorithm="brute").train(rows)
    other = KNN(metric=metric, **structure).train(rows)
    one, two = plain.neighbors(new, 9), other.neighbors(new, 9)
    assert np.array_equal(one.rows, two.rows)
    assert np.array_equal(one.distance, two.distance)
    assert np.array_equal(plain.distribution(new), other.distribution(new))
    assert np.array_equal(plain.decide(new), other.decide(new))


def test_the_quickest_structure_depends_on_rows_and_columns():
    random = np.random.default_rng(0)
    labels = np.arange(3000) % 2
    narrow = KNN().fit(random.normal(size=(3000, 3)), labels).model_
    wide = KNN().fit(random.normal(size=(3000, 40)), labels).model_
    assert narrow.kept.quickest == "kd_tree"
    assert wide.kept.quickest == "brute"
    assert {narrow.kept.quickest, wide.kept.quickest} <= set(ALGORITHMS)


@pytest.mark.parametrize(
    ("scale", "unit"), [("minmax", 8.0), ("none", 1.0), ("deviation", np.std([0.0, 2.0, 8.0, 2.0]))]
)
def test_scales(scale, unit):
    """M022: differences over the range, the standard deviation, or as they are; what is missing is a range away."""
    rows = Table.of({"x": [0.0, 2.0, 8.0, 2.0, None], "class": list("ababa")}, "class")
    near = KNN(scale=scale).train(rows).neighbors(Table.of({"x": [1.0]}), 5)
    of = dict(zip(near.rows[0].tolist(), near.distance[0].tolist(), strict=True))
    assert of[0] == pytest.approx(1 / unit)
    assert of[2] == pytest.approx(7 / unit)
    assert of[4] == pytest.approx(8 / unit)


# -- what columns count ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("metric", "power"), [("euclidean", 2), ("manhattan", 1), ("hamming", 0)])
def test_columns_count_by_their_weights(metric, power):
    """M034: a weight multiplies what a column adds to the distance before the root; 0 leaves the column out."""
    rows = Table.of({"x": [0.0, 1.0], "s": ["u", "v"], "n": [5.0, 9.0], "class": ["a", "b"]}, "class")
    model = KNN(metric=metric, column_weights={"x": 4, "s": "0.5", "n": 0}).train(rows)
    assert model.columns_used() == ("x", "s")
    near = model.neighbors(Table.of({"x": [0.25], "s": ["v"], "n": [5.0]}), 2)
    of = dict(zip(near.rows[0].tolist(), near.distance[0].tolist(), strict=True))
    want = {0: 4 * 0.25**power + 0.5, 1: 4 * 0.75**power} if power else {0: 4.5, 1: 4.0}
    for row, sum_ in want.items():
        assert of[row] == pytest.approx(sum_**0.5 if power == 2 else sum_)
    assert "weight 4" in str(model)
    assert loads(dumps(model)) == model


def test_a_text_counts_by_its_weight():
    rows = Table.of({"x": [0.0, 1.0], "class": ["a", "b"]}, "class")
    rows = rows.with_column(Column("text", Kind.TEXT), Text.of(["free money", "see you"]))
    asked = Table.of({"x": [0.0]}).with_column(Column("text", Kind.TEXT), Text.of(["see you"]))
    near = KNN(column_weights={"text": 9}, idf="none").train(rows).neighbors(asked, 2)
    assert near.rows[0].tolist() == [1, 0]
    np.testing.assert_allclose(near.distance[0], [1, 3], rtol=1e-9)


def test_relevant_columns_count_more():
    """Noise drowns the column that tells the class, unless columns count as much as they tell."""
    random = np.random.default_rng(5)
    noise = {f"n{i}": random.normal(size=300) for i in range(15)}
    x = random.normal(size=300)
    rows = Table.of({"x": x, **noise, "class": np.where(x > 0, "a", "b").tolist()}, "class")
    plain, weighed = (KNN(relevance=flag).train(rows.take(np.arange(200))) for flag in (False, True))
    test = rows.take(np.arange(200, 300))
    actual = np.where(x[200:] > 0, "a", "b")
    assert np.mean(weighed.predict(test) == actual) > np.mean(plain.predict(test) == actual) + 0.1
    counts = weighed.asking.comparison.weights
    assert counts[0] > 3 * counts[1:16].max()
    named = KNN(relevance=True, column_weights={"n0": 1, "x": 0}).train(rows)
    assert "x" not in named.columns_used()
    assert named.asking.comparison.weights[1] == 1


@pytest.mark.parametrize("kind", ["numbers", "levels"])
def test_relevance_for_numbers(kind):
    random = np.random.default_rng(6)
    x = random.normal(size=400)
    own = x if kind == "numbers" else [("low", "high")[int(v > 0)] for v in x]
    rows = Table.of({"own": own, "noise": random.normal(size=400), "y": x + random.normal(0, 0.1, 400)}, "y")
    counts = KNNRegressor(relevance=True).train(rows).asking.comparison.weights
    assert counts[0] > 0.75
    assert counts[1] < 0.2


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ({"nobody": 1}, "'nobody', which is not used for distances; the columns are 'x', 'y', 'z', 's', 't'"),
        ({"class": 1}, "column_weights names 'class'"),
        ({"x": -1}, "column_weights of 'x' is -1: it must be a number from 0"),
        ({"x": "much"}, "column_weights of 'x' is 'much'"),
        ({"x": np.nan}, "must be a number from 0"),
        ({"x": 1e9}, "must be a number from 0 to 1,000,000"),
    ],
)
def test_weights_that_are_none(weights, told):
    with pytest.raises(UsageError, match=told):
        KNN(column_weights=weights).train(table(20))


def test_nothing_is_left_to_compare():
    rows = table(30)
    model = KNN(column_weights=dict.fromkeys("xyzst", 0)).train(rows)
    assert model.columns_used() == ()
    np.testing.assert_allclose(model.distribution(rows)[0], model.prior / 30)


def test_directions_of_too_many_levels_are_refused():
    names = [f"w{i}" for i in range(20_001)]
    rows = Table.of({"s": names, "x": np.arange(20_001.0), "class": ["a", "b"] * 10_000 + ["a"]}, "class")
    with pytest.raises(UsageError, match="uses one dimension per level, which gives 20,002 dimensions"):
        KNN(metric="cosine").train(rows)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "hamming", "cosine"])
@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_numbers_at_the_ends_of_what_there_is(metric, structure):
    rows = Table.of({"x": [1e308, -1e308, 0.0, 1e-300], "class": ["a", "b", "a", "b"]}, "class")
    for scale in ("minmax", "deviation", "none"):
        model = KNN(n_neighbors=1, metric=metric, scale=scale, **structure).train(rows)
        said = model.distribution(Table.of({"x": [1e308, -1e308, np.nan, np.inf, -np.inf]}))
        assert np.isfinite(said).all()
        assert model.predict(Table.of({"x": [1e308]})).tolist() == ["a"]


# -- laws -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "hamming", "cosine"])
@pytest.mark.parametrize("structure", STRUCTURES[1:4], ids=str)
def test_order_weights_and_names_of_rows(metric, structure):
    """Row order does not matter, a row of weight 2 counts as two, and columns may be called anything."""
    rows, new = table(80), table(40, 2, new=True)
    learner = KNN(n_neighbors=4, metric=metric, **structure)
    model = learner.train(rows)
    order = np.random.default_rng(3).permutation(80)
    np.testing.assert_allclose(learner.train(rows.take(order)).distribution(new), model.distribution(new), atol=1e-12)
    heavy = rows.with_weights(np.where(np.arange(80) < 30, 2.0, 1.0))
    twice = rows.take(np.concatenate([np.arange(80), np.arange(30)]))
    np.testing.assert_allclose(
        learner.train(heavy).distribution(new), learner.train(twice).distribution(new), atol=1e-12
    )
    names = {name: f"Ünïcode {name}" for name in "xyzst"}
    renamed, asked = (
        Table.of({names.get(name, name): values for name, values in mixed(*made).items()}, "class")
        for made in ((80, 1), (40, 2, 0.1, True))
    )
    assert np.array_equal(learner.train(renamed).distribution(asked), model.distribution(new))


# -- more rows ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
@pytest.mark.parametrize("structure", STRUCTURES[1:4], ids=str)
def test_batches_make_the_model_of_all_rows(metric, structure):
    """M242, M250: new rows are simply added; the tree takes them in, and finds what brute force finds."""
    frame, new = pd.DataFrame(mixed(300, 1)), pd.DataFrame(mixed(50, 2, new=True)).drop(columns="class")
    ours = KNN(metric=metric, **structure)
    for first, last in ((0, 200), (200, 201), (201, 290), (290, 300)):
        ours.partial_fit(frame[first:last], "class")
        ours.predict(new)  # builds the tree that the next batch is added to
    whole = KNN(metric=metric, algorithm="brute").fit(frame, "class")
    places = [list(ours.classes_).index(label) for label in whole.classes_]
    assert np.array_equal(ours.predict_proba(new)[:, places], whole.predict_proba(new))
    assert np.array_equal(ours.kneighbors(new)[1], whole.kneighbors(new)[1])
    assert ours.model_.about.rows == 300


def test_a_tree_takes_in_rows_within_the_range_and_is_built_anew_when_too_deep():
    """M242: rows that are added divide leaves by their longest side, until the tree is twice as deep as it need be."""
    random = np.random.default_rng(7)
    corners = np.array([[0.0, 0.0], [1.0, 1.0]])
    start = np.vstack([corners, random.uniform(size=(2000, 2))])
    learner = KNN(algorithm="kd_tree", leaf_size=8).fit(start, np.arange(2002) % 2)
    learner.predict(corners)
    built = learner.model_.kept.kd_tree
    learner.partial_fit(random.uniform(size=(50, 2)), np.arange(50) % 2)
    grown = vars(learner.model_.kept)["kd_tree"]  # taken over, before anything was asked
    assert grown[1] == 2052
    assert len(grown[5]) > len(built[5])
    assert depth(grown) <= 2 * least_depth(2052, 8)
    learner.partial_fit(np.full((4000, 2), 0.5) + random.normal(0, 1e-9, (4000, 2)), np.arange(4000) % 2)
    assert "kd_tree" not in vars(learner.model_.kept)  # so many rows in one place make it too deep
    learner.partial_fit([[2.0, 2.0]], [0])  # a number beyond the range moves all others
    assert "kd_tree" not in vars(learner.model_.kept)
    peer = NearestNeighbors(n_neighbors=5).fit(np.vstack([start]))
    assert peer.kneighbors(corners)[1].shape == learner.kneighbors(corners)[1].shape


def test_batches_may_bring_levels_classes_and_weights():
    learner = KNN(n_neighbors=1)
    learner.partial_fit(pd.DataFrame({"x": [0.0, 1.0], "s": ["u", "v"], "c": ["a", "b"]}), "c")
    learner.partial_fit(pd.DataFrame({"x": [5.0], "s": ["w"], "c": ["new"]}), "c", sample_weight=[3.0])
    assert learner.predict(pd.DataFrame({"x": [4.0, 0.1], "s": ["w", "u"]})).tolist() == ["new", "a"]
    assert learner.model_.total == 5
    after_fit = KNN(n_neighbors=1).fit(np.array([[0.0], [1.0]]), [0, 1]).partial_fit(np.array([[9.0]]), [2])
    assert after_fit.predict([[8.0]]).tolist() == [2]
    named = KNN(n_neighbors=1).partial_fit(np.array([[0.0], [1.0]]), [0, 1], classes=[0, 1, 2])
    assert named.classes_.tolist() == [0, 1, 2]


def test_batches_of_numbers():
    random = np.random.default_rng(8)
    X, y = random.uniform(size=(200, 3)), random.normal(size=200)
    batches = KNNRegressor(algorithm="kd_tree")
    for first in range(0, 200, 40):
        batches.partial_fit(X[first : first + 40], y[first : first + 40]).predict(X[:5])
    whole = KNNRegressor().fit(X, y)
    np.testing.assert_allclose(batches.predict(X), whole.predict(X), rtol=1e-12)
    assert np.array_equal(batches.kneighbors(X)[1], whole.kneighbors(X)[1])
    again = KNNRegressor().fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    np.testing.assert_allclose(again.predict(X), whole.predict(X), rtol=1e-12)


@pytest.mark.parametrize("learner", [KNN, KNNRegressor])
def test_batches_of_texts_are_refused(learner):
    texts = Text.of(["free money now", "see you there", "more money please"] * 3)
    answers = [1.5, 2.0, 1.0] if learner is KNNRegressor else ["a", "b", "a"]
    rows = Table.of({"c": answers * 3}, "c").with_column(Column("text", Kind.TEXT), texts)
    with pytest.raises(UsageError, match="fit all rows at once instead"):
        learner().partial_fit(rows)
    with pytest.raises(UsageError, match="fit all rows at once instead"):
        learner().fit(rows).partial_fit(rows)


def test_a_batch_that_fails_leaves_no_trace():
    learner = KNN(n_neighbors=1).partial_fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(DataError):
        learner.partial_fit([[0.0, 1.0]], ["c"])
    assert learner.predict([[0.0]]).tolist() == ["a"]
    assert learner.model_.n_rows == 2
