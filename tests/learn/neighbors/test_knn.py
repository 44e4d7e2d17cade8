"""KNN: texts by cosine, other columns by distance, votes, ties, and rows of which nothing is known."""

import gzip
import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

import hedgerow
from hedgerow import KNN, Column, DataWarning, Kind, Schema, Table, UsageError
from hedgerow.data.table.table import Text
from hedgerow.learn.ensembles.adaboost import AdaBoost
from hedgerow.learn.ensembles.bagging import Bagging
from hedgerow.models.files.model_file import dumps, loads
from tests.reference import neighbors as plain
from tests.textbook import weather_numeric

SPACE = Table.of({"topic": ["sport", "sport", "space"]}, "topic").with_column(
    Column("text", Kind.TEXT), Text.of(["hockey goal hockey", "goal team", "orbit rocket orbit team"])
)


def texts(*values, name="text"):
    """A table of texts, None for a missing one."""
    return Table(Schema((Column(name, Kind.TEXT),)), (Text.of(values),), len(values))


def labeled(classes, weights=None, **columns):
    """A table of texts (strings of several words), numbers or levels with its classes."""
    table = Table.of({"class": classes}, "class", weights=weights)
    for name, values in columns.items():
        if name.startswith("text"):
            table = table.with_column(Column(name, Kind.TEXT), Text.of(values))
        else:
            other = Table.of({name: values})
            table = table.with_column(other.schema[name], other.data[0])
    return table


# -- texts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tf", ["count", "share", "most"])
def test_the_nearest_text_by_hand(tf):
    """G74, M229, M239, M248: cosines of "rocket team" with three documents, whatever their scale."""
    model = KNN(n_neighbors=1, tf=tf).train(SPACE)
    near = model.neighbors(texts("rocket team"), 3)
    assert near.rows.tolist() == [[2, 1, 0]]
    np.testing.assert_allclose(near.similarity, [[0.470336, 0.244830, 0]], atol=5e-7)
    np.testing.assert_allclose(near.distance, 1 - near.similarity, rtol=1e-12)
    assert model.predict(texts("rocket team")).tolist() == ["space"]


def test_the_share_of_the_votes_is_the_probability():
    """M230, M232: the classes of the k nearest, counted and divided by k."""
    model = KNN(n_neighbors=3).train(SPACE)
    np.testing.assert_allclose(model.distribution(texts("rocket team")), [[2 / 3, 1 / 3]], rtol=1e-12)
    assert model.predict(texts("rocket team")).tolist() == ["sport"]


def corpus(rows=300, seed=1):
    """Texts of Zipf words that lean on their class."""
    random = np.random.default_rng(seed)
    shares = 1 / np.arange(1, 401)
    classes = random.integers(0, 3, rows)
    words = random.choice(400, size=(rows, 30), p=shares / shares.sum())
    words[:, :8] = 400 + 20 * classes[:, None] + random.integers(0, 60, (rows, 8))
    return [" ".join(f"w{k}" for k in row[: random.integers(1, 30)]) for row in words], [f"c{k}" for k in classes]


@pytest.mark.parametrize("k", [1, 5, 20])
@pytest.mark.parametrize("how", ["plain", "distance"])
def test_equal_to_scikit_learn(k, how):
    """The same neighbors, distances and shares as brute force by cosine on the same tf-idf vectors."""
    (train, y), (new, _) = corpus(300, 1), corpus(80, 2)
    model = KNN(n_neighbors=k, tf="count", idf="smooth", weights=how).train(labeled(y, text=train))
    vectorizer = TfidfVectorizer()
    weights = {"plain": "uniform", "distance": "distance"}[how]
    peer = KNeighborsClassifier(k, algorithm="brute", metric="cosine", weights=weights)
    peer.fit(vectorizer.fit_transform(train), y)
    distances, rows = peer.kneighbors(vectorizer.transform(new))
    near = model.neighbors(texts(*new), k + 1)
    np.testing.assert_allclose(near.distance[:, :k], distances, atol=1e-12)
    clear = near.distance[:, k] - near.distance[:, k - 1] > 1e-9  # elsewhere it takes any of several
    assert clear.mean() > 0.8
    assert (np.sort(near.rows[clear, :k]) == np.sort(rows[clear])).all()
    said = peer.predict_proba(vectorizer.transform(new))
    places = [model.classes.index(label) for label in peer.classes_]
    np.testing.assert_allclose(model.distribution(texts(*new))[clear][:, places], said[clear], atol=1e-9)


def test_news_have_the_neighbors_of_brute_force(shared_data):
    """M248 on real texts: 20 Newsgroups, every fifth document, beside all cosines."""
    with gzip.open(shared_data("text/20newsgroups.jsonl.gz"), "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file][::5]
    train, new = ([row for row in rows if row["split"] == part] for part in ("train", "test"))
    new = new[::4]
    model = KNN().train(labeled([row["label"] for row in train], text=[row["text"] for row in train]))
    near = model.neighbors(texts(*(row["text"] for row in new)))
    kept = model.columns[model.schema.index("text")]
    asked = kept.space.vectors(Text.of([row["text"] for row in new])).matrix()
    cosines = (asked @ kept.vectors.matrix().T).toarray()
    best = -np.sort(-cosines, axis=1)[:, :5]
    np.testing.assert_allclose(near.similarity, best, atol=1e-12)
    said = model.predict(texts(*(row["text"] for row in new)))
    assert np.mean(said == [row["label"] for row in new]) > 0.5


def test_several_text_columns_count_alike():
    """Cosines of two text columns are averaged; texts alone have no root."""
    one, two = ["free money now", "see you", "free lunch now"], ["win cash", "at home", "at work"]
    both = KNN(idf="none").train(labeled(["spam", "ham", "ham"], text=one, text2=two))
    asked = Table(
        Schema((Column("text", Kind.TEXT), Column("text2", Kind.TEXT))),
        (Text.of(["free money", None]), Text.of(["at home", "win"])),
        2,
    )
    near = both.neighbors(asked, 3)
    first = KNN(idf="none").train(labeled(["spam", "ham", "ham"], text=one)).neighbors(texts("free money", None), 3)
    second = KNN(idf="none").train(labeled(["spam", "ham", "ham"], text=two)).neighbors(texts("at home", "win"), 3)
    for row in range(2):
        alone = np.zeros(3)
        for near_one in (first, second):
            alone[near_one.rows[row]] += near_one.similarity[row] / 2
        np.testing.assert_allclose(near.similarity[row], np.sort(alone)[::-1], atol=1e-12)


@pytest.mark.parametrize(
    "settings", [{"bits": 6}, {"bits": 6, "signed": False}, {"unit": "char", "ngram_max": 3}], ids=str
)
def test_hashed_terms_and_characters(settings):
    train, y = corpus(100)
    model = KNN(n_neighbors=3, **settings).train(labeled(y, text=train))
    kept = model.columns[model.schema.index("text")]
    near = model.neighbors(texts(*train[:20]), 3)
    cosines = (kept.vectors.matrix()[:20] @ kept.vectors.matrix().T).toarray()
    np.testing.assert_allclose(np.maximum(0, -np.sort(-cosines, axis=1)[:, :3]), near.similarity, atol=1e-12)


# -- texts of which nothing is known --------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["plain", "distance", "similarity"])
@pytest.mark.parametrize("weights", [None, [1.0, 3.0, 2.0, 0.5]])
def test_texts_without_known_terms_get_the_prior(how, weights):
    table = labeled(["a", "b", "b", "c"], weights, text=["one two", "two three", "three four", "five"])
    model = KNN(n_neighbors=2, weights=how).train(table)
    own = np.array(weights or [1.0] * 4)
    prior = np.array([own[0], own[1] + own[2], own[3]]) / own.sum()
    scored = model.score_rows(model.align(texts("nothing known", "", None, "two", "\0", "42 ...")))
    assert scored.is_unknown.tolist() == [True, True, True, False, True, True]
    for row in (0, 1, 2, 4, 5):
        np.testing.assert_allclose(scored.distribution[row], prior, rtol=1e-12)


def test_a_word_of_every_text_tells_nothing():
    """Its idf is 0: a text of such words alone is as good as empty."""
    model = KNN(n_neighbors=1).train(labeled(["a", "b"], text=["all one", "all two"]))
    assert model.score_rows(model.align(texts("all", "all one"))).is_unknown.tolist() == [True, False]


def test_texts_that_share_a_word_with_fewer_than_k_leave_the_other_places_to_all():
    """One neighbor shares a word; the four that do not, equally far, share the two places that are left."""
    table = labeled(["a", "b", "b", "b", "c"], text=["one", "two", "three", "four", "five"])
    said = KNN(n_neighbors=3).train(table).distribution(texts("one"))
    np.testing.assert_allclose(said, [[1 / 3, 2 / 3 * 3 / 4, 2 / 3 * 1 / 4]], rtol=1e-12)
    near = KNN(n_neighbors=3, weights="similarity").train(table).distribution(texts("one"))
    np.testing.assert_allclose(near, [[1, 0, 0]], atol=1e-12)


# -- votes, ties and weights ----------------------------------------------------------------------------------


def test_classes_with_equal_votes_go_to_the_nearer_then_to_the_first():
    numbers = [0.0, 10.0, 1.0, 9.0, 20.0]
    model = KNN(n_neighbors=4).train(labeled(["b", "b", "a", "a", "a"], x=numbers))
    assert model.classes == ("b", "a")
    asked = Table.of({"x": [4.9, 5.0]})
    np.testing.assert_allclose(model.distribution(asked), [[0.5, 0.5], [0.5, 0.5]], rtol=1e-12)
    assert model.predict(asked).tolist() == ["a", "a"]  # 3.9 and 4.1 are nearer than 4.9 and 5.1
    even = KNN(n_neighbors=2).train(labeled(["b", "a", "a"], x=[0.0, 2.0, 9.0]))
    assert even.predict(Table.of({"x": [1.0, 0.9, 1.1]})).tolist() == ["b", "b", "a"]
    aligned = model.align(asked)
    assert model.decide_rows(aligned, model.scores(aligned)).tolist() == model.decide_rows(aligned).tolist()


def test_rows_as_near_as_the_last_share_its_place():
    """The order of the rows cannot matter: three rows equally far share one place."""
    rows = {"x": [0.0, 1.0, 1.0, -1.0, 5.0]}
    model = KNN(n_neighbors=2).train(labeled(["a", "a", "b", "b", "b"], **rows))
    np.testing.assert_allclose(model.distribution(Table.of({"x": [0.0]})), [[2 / 3, 1 / 3]], rtol=1e-12)
    assert model.neighbors(Table.of({"x": [0.0]}), 4).rows.tolist() == [[0, 1, 2, 3]]


@pytest.mark.parametrize("columns", ["text", "x", "both"])
@pytest.mark.parametrize("how", ["plain", "distance", "similarity"])
def test_order_and_weights_of_rows(columns, how):
    """The order of rows does not matter, and a row of weight 2 counts as two."""
    train, y = corpus(60)
    random = np.random.default_rng(3)
    given = {"text": train} if columns != "x" else {}
    if columns != "text":
        given |= {"x": [None if v > 8 else float(v) for v in random.integers(0, 10, 60)], "s": list("abcd" * 15)}
    table = labeled(y, **given)
    learner = KNN(n_neighbors=4, weights=how, idf="none")  # idf counts texts, not weights
    model, asked = learner.train(table), table.select([n for n in table.schema.names if n != "class"])
    shuffled = learner.train(table.take(random.permutation(60)))
    np.testing.assert_allclose(shuffled.distribution(asked), model.distribution(asked), atol=1e-12)
    weighed = learner.train(table.with_weights(np.where(np.arange(60) < 20, 3.0, 1.0)))
    repeated = learner.train(table.take(np.concatenate([np.arange(60), np.arange(20), np.arange(20)])))
    np.testing.assert_allclose(weighed.distribution(asked), repeated.distribution(asked), atol=1e-12)
    assert str(weighed).splitlines()[0] == str(repeated).splitlines()[0]


def test_weights_make_up_k():
    """A row of weight 10 fills all places; rows of half the mean weight fill half a place each."""
    x = {"x": [0.0, 1.0, 2.0, 3.0]}
    heavy = KNN(n_neighbors=3).train(labeled(["a", "b", "b", "b"], [10.0, 1.0, 1.0, 1.0], **x))
    np.testing.assert_allclose(heavy.distribution(Table.of({"x": [0.0]})), [[1, 0]], atol=1e-12)
    light = KNN(n_neighbors=1).train(labeled(["a", "b", "a", "a"], [0.5, 0.5, 1.5, 1.5], **x))
    np.testing.assert_allclose(light.distribution(Table.of({"x": [0.0]})), [[0.5, 0.5]], atol=1e-12)


def test_more_neighbors_than_rows():
    """All rows vote, with a note."""
    with pytest.warns(DataWarning, match=r"n_neighbors=5 is more than the total weight of all rows, 3: all rows vote"):
        learner = KNN().fit([[0.0], [1.0], [9.0]], ["a", "a", "b"])
    np.testing.assert_allclose(learner.predict_proba([[9.0]]), [[2 / 3, 1 / 3]], rtol=1e-12)
    assert learner.model_.neighbors(Table.of({"x0": [9.0]})).rows.tolist() == [[2, 1, 0]]
    near = KNN(weights="distance").train(labeled(["a", "a", "b"], x=[0.0, 1.0, 9.0]))
    assert near.predict(Table.of({"x": [9.0, 8.0]})).tolist() == ["b", "b"]


@pytest.mark.parametrize("k", [0, -1, 2.5, True])
def test_k_must_be_a_whole_number(k):
    with pytest.raises(UsageError, match=r"n_neighbors=.* is not allowed: it must be a whole number of at least 1"):
        KNN(n_neighbors=k).fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(UsageError, match="whole number"):
        KNN().train(SPACE).neighbors(texts("rocket"), k)


def test_other_settings_out_of_range():
    with pytest.raises(UsageError, match="norm='l1' is not allowed: it must be one of l2"):
        KNN(norm="l1").train(SPACE)
    with pytest.raises(UsageError, match="one of plain, distance, similarity"):
        KNN(weights="uniform").train(SPACE)
    with pytest.raises(UsageError, match="hashed terms have no vocabulary to limit"):
        KNN(bits=4, min_rows=2).train(SPACE)


# -- other columns --------------------------------------------------------------------------------------------


def test_distances_of_mixed_rows():
    """M022, M027, M235, M238: ranges brought to 0 to 1, levels equal or not, 1 for what is missing."""
    table = labeled(list("abab"), x=[0.0, 4.0, 2.0, None], s=["u", "v", None, "u"])
    near = KNN().train(table).neighbors(Table.of({"x": [1.0, None, 8.0], "s": ["u", "u", "new"]}), 4)
    squared = np.array([[1 / 16, 9 / 16 + 1, 1 / 16 + 1, 1], [1, 2, 2, 1], [4 + 1, 1 + 1, 2.25 + 1, 2]])
    for row in range(3):
        order = np.lexsort((np.arange(4), squared[row]))
        assert near.rows[row].tolist() == order.tolist()
        np.testing.assert_allclose(near.distance[row], np.sqrt(squared[row][order]), rtol=1e-12)


def test_texts_beside_other_columns():
    """1 - cosine is added to the squared distance; a missing text adds 1."""
    table = labeled(["a", "b", "b"], text=["free money", "see you", None], x=[0.0, 1.0, 0.5])
    model = KNN(n_neighbors=1, idf="none").train(table)
    asked = Table(
        Schema((Column("text", Kind.TEXT), Column("x", Kind.NUMERIC))),
        (Text.of(["free", None]), np.array([1.0, 0.5])),
        2,
    )
    near = model.neighbors(asked, 3)
    cosine = 1 / np.sqrt(2)
    squared = [[1 - cosine + 1, 1.0, 1.25], [1.25, 1.25, 1.0]]
    for row in range(2):
        order = np.lexsort((np.arange(3), squared[row]))
        assert near.rows[row].tolist() == order.tolist()
        np.testing.assert_allclose(near.distance[row] ** 2, np.array(squared[row])[order], rtol=1e-12)
    np.testing.assert_allclose(near.similarity, 1 - near.distance / np.sqrt(2), atol=1e-12)


def test_numbers_as_scikit_learn_compares_them():
    random = np.random.default_rng(0)
    X, y = random.random((200, 4)), random.integers(0, 3, 200)
    X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    new = random.random((50, 4))
    for weights, theirs in (("plain", "uniform"), ("distance", "distance")):
        ours = KNN(weights=weights).fit(X, y)
        peer = KNeighborsClassifier(weights=theirs).fit(X, y)
        for mine, other in zip(ours.kneighbors(new), peer.kneighbors(new), strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-9)
        np.testing.assert_allclose(ours.predict_proba(new), peer.predict_proba(new), atol=1e-9)
    assert (ours.kneighbors(new, 2, return_distance=False) == peer.kneighbors(new, 2, return_distance=False)).all()


def test_rows_at_no_distance_vote_alone_by_distance():
    model = KNN(n_neighbors=3, weights="distance").train(labeled(["a", "b", "b"], x=[0.0, 0.001, 0.002]))
    np.testing.assert_allclose(model.distribution(Table.of({"x": [0.0]})), [[1, 0]], atol=1e-12)
    words = KNN(n_neighbors=3, weights="distance", idf="none").train(
        labeled(["a", "b", "b"], text=["one two three seven", "one two three", "one two"])
    )
    assert words.distribution(texts("seven three two one")).tolist() == [[1, 0]]  # equal but for rounding


@pytest.mark.parametrize("how", ["plain", "distance", "similarity"])
def test_all_rows_identical(how):
    """No column distinguishes rows: every query gets the prior."""
    table = labeled(list("aabba"), text=["same words"] * 5, x=[1.0] * 5, s=["u"] * 5)
    model = KNN(n_neighbors=2, weights=how).train(table)
    assert model.columns_used() == ()
    assert "no column has different values" in str(model)
    said = model.distribution(Table.of({"text": ["same", "other"], "x": [1.0, 7.0], "s": ["u", "v"]}))
    np.testing.assert_allclose(said, [[0.6, 0.4]] * 2, rtol=1e-12)


def test_constant_columns_are_left_out():
    table = labeled(list("aabb"), x=[1.0, 2.0, 3.0, 4.0], same=[7.0] * 4, none=[None] * 4, s=["u"] * 4)
    assert KNN(n_neighbors=1).train(table).columns_used() == ("x",)


def test_rows_with_everything_missing_get_the_prior():
    table = labeled(list("aab"), x=[1.0, 2.0, 3.0], s=["u", "v", "u"])
    model = KNN(n_neighbors=1).train(table)
    scored = model.score_rows(model.align(Table.of({"x": [None, 1.0], "s": [None, None]}, levels={"s": ("u",)})))
    assert scored.is_unknown.tolist() == [True, False]
    np.testing.assert_allclose(scored.distribution, [[2 / 3, 1 / 3], [1, 0]], rtol=1e-12)


def test_numbers_at_the_ends_of_what_there_is():
    """Ranges that overflow, and numbers far outside of them, are right answers all the same."""
    table = labeled(list("aabb"), x=[-1.7e308, -1e308, 1e308, 1.7e308], y=[0.0, 5e-324, 1e-320, 2e-320])
    model = KNN(n_neighbors=1).train(table)
    asked = Table.of({"x": [-1.7e308, 1.6e308, 0.0], "y": [0.0, 2e-320, 1e300]})
    said = model.distribution(asked)
    assert np.isfinite(said).all()
    assert model.predict(asked.slice(0, 2)).tolist() == ["a", "b"]


def test_one_class_and_one_row():
    with pytest.warns(DataWarning, match="all rows have the same class"):
        one = KNN(n_neighbors=1).fit([[0.0], [1.0]], ["a", "a"])
    assert one.predict([[5.0]]).tolist() == ["a"]
    alone = KNN(n_neighbors=1).train(labeled(["a"], text=["some words"]))
    assert alone.predict(texts("words", None)).tolist() == ["a", "a"]
    assert alone.neighbors(texts("words")).rows.tolist() == [[0]]


def test_no_rows_to_predict():
    model = KNN().train(SPACE)
    none = texts("x").slice(0, 0)
    assert model.distribution(none).shape == (0, 2)
    assert model.predict(none).shape == (0,)
    assert model.neighbors(none).rows.shape == (0, 3)


@pytest.mark.parametrize(
    "text", ["ÉTÉ ünïcode", "שלום עולם", "e\u0301te\u0301 cafe\u0301", "😀 smile 😀", "a\0b word", "ﬁne Ⅷ"]
)
def test_letters_of_all_kinds(text):
    table = labeled(["odd", "plain"], text=[text + " more", "only ascii here"])
    assert KNN(n_neighbors=1, min_length=1).train(table).predict(texts(text)).tolist() == ["odd"]


def test_a_very_long_text():
    long = " ".join(f"w{i}" for i in range(200_000))
    model = KNN(n_neighbors=1).train(labeled(["long", "short"], text=[long, "w1 and others"]))
    assert model.predict(texts(long, "others")).tolist() == ["long", "short"]


def test_streams_need_a_table(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,class\n1,a\n2,b\n")
    with pytest.raises(UsageError, match="KNN cannot be trained on a stream, since it needs all rows at once"):
        KNN().train(hedgerow.open_source(path, target="class"))


# -- around it ------------------------------------------------------------------------------------------------


def test_frames_and_files(tmp_path):
    frame = pd.DataFrame(
        {
            "message": [f"{('free money', 'see you at home')[k % 2]} number {k}" for k in range(40)],
            "size": [float(k % 7) for k in range(40)],
            "label": ["spam", "ham"] * 20,
        }
    )
    learner = KNN(n_neighbors=3).fit(frame, "label")
    assert learner.score(frame, "label") == 1.0
    assert learner.predict(pd.DataFrame({"message": ["free money"], "size": [3.0]})).tolist() == ["spam"]
    learner.model_.save(tmp_path / "m.hedge")
    again = hedgerow.load(tmp_path / "m.hedge")
    assert again == learner.model_
    assert np.array_equal(again.distribution(frame), learner.model_.distribution(frame))
    assert np.array_equal(pickle.loads(pickle.dumps(learner)).predict_proba(frame), learner.predict_proba(frame))
    with pytest.warns(DataWarning, match="there is no column 'message'"):
        again.predict(pd.DataFrame({"size": [3.0]}))


@pytest.mark.parametrize("ensemble", [Bagging, AdaBoost])
def test_in_ensembles_and_cross_validation(ensemble):
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    assert ensemble(base=KNN(n_neighbors=3)).fit(X, y).score(X, y) > 0.8
    table = labeled(y.tolist(), x=X[:, 0].tolist(), z=X[:, 1].tolist())
    results = hedgerow.cross_validate(KNN(n_neighbors=3), table, folds=5)
    assert len(results.actual) == 60


def test_a_committee_of_neighbors_on_texts_is_saved_like_others():
    train, y = corpus(60)
    model = Bagging(base=KNN(n_neighbors=3), n_estimators=3).train(labeled(y, text=train))
    again = loads(dumps(model))
    assert np.array_equal(again.distribution(texts(*train)), model.distribution(texts(*train)))


# -- grounds --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["plain", "distance", "similarity"])
@pytest.mark.parametrize("kind", ["text", "texts", "x", "both"])
@pytest.mark.parametrize("weighted", [False, True])
def test_grounds_sum_to_the_votes(how, kind, weighted):
    train, y = corpus(80)
    given = {"text": train} if kind != "x" else {}
    if kind == "texts":
        given["text2"] = train[::-1]
    if kind in ("x", "both"):
        given |= {"x": [float(v % 7) for v in range(80)], "s": list("abcd" * 20)}
    table = labeled(y, np.linspace(0.2, 3, 80).tolist() if weighted else None, **given)
    model = KNN(weights=how).train(table)
    asked = model.align(table.select([n for n in table.schema.names if n != "class"]))
    said = model.scores(asked)
    for row in range(0, 80, 7):
        grounds = model.contributions(asked.slice(row, row + 1))
        assert grounds.unit == "votes"
        np.testing.assert_allclose(grounds.scores / grounds.scores.sum(), said[row], atol=1e-9)
        if how == "plain":
            assert grounds.scores.sum() == pytest.approx(min(5, float(table.total_weight)))


def test_grounds_name_the_words_that_are_shared():
    model = KNN(n_neighbors=2).train(SPACE)
    grounds = model.contributions(model.align(texts("rocket team, and others")))
    rocket, team = np.log(3) ** 2, np.log(3 / 2) ** 2  # what they add to the product with the third text
    found = {part.name: part.scores for part in grounds.parts}
    np.testing.assert_allclose(found["rocket"], [0, rocket / (rocket + team)], rtol=1e-12)
    np.testing.assert_allclose(found["team"], [1, team / (rocket + team)], rtol=1e-12)
    assert all(part.column == "text" for part in grounds.parts)
    space = model.columns[model.schema.index("text")].space
    assert [space.names[part.term] for part in grounds.parts] == ["rocket", "team"]


def test_grounds_of_a_text_without_known_words():
    model = KNN(n_neighbors=1).train(SPACE)
    (part,) = model.contributions(model.align(texts("unknown"))).parts
    assert part.name == "3 training rows without a common word"
    np.testing.assert_allclose(part.scores, [2 / 3, 1 / 3], rtol=1e-12)


def test_grounds_of_other_columns_are_the_neighbors():
    model = KNN(n_neighbors=2).train(labeled(["a", "b", "b"], x=[0.0, 1.0, 4.0]))
    parts = model.contributions(model.align(Table.of({"x": [1.0]}))).parts
    assert [part.name for part in parts] == ["training row 2, b, at distance 0", "training row 1, a, at distance 0.25"]
    many = KNN(n_neighbors=2).train(labeled(["a"] + ["b"] * 30, x=[0.0] + [1.0] * 30))
    parts = many.contributions(many.align(Table.of({"x": [0.0]}))).parts
    assert [part.name for part in parts] == ["training row 1, a, at distance 0", "30 training rows at distance 1"]


def test_the_twin_of_votes_is_met_by_whole_models():
    train, y = corpus(50)
    model = KNN(n_neighbors=7, weights="similarity").train(labeled(y, text=train))
    near = model.neighbors(texts(*train), 50)
    codes = [model.classes.index(label) for label in y]
    for row, said in enumerate(model.distribution(texts(*train))):
        scores = np.zeros(50)
        scores[near.rows[row]] = near.similarity[row]
        votes, _ = plain.votes(scores.tolist(), [1.0] * 50, codes, 3, 7, "similarity")
        np.testing.assert_allclose(said, np.array(votes) / sum(votes), atol=1e-9)


def test_print():
    table = labeled(["a", "b", "b"], text=["one two", "two three", None], x=[0.0, 2.5, 1.0], s=["u", "v", "u"])
    assert str(KNN(n_neighbors=1, weights="distance").train(table)) == (
        "class: votes of the 1 nearest of 3 rows, by 1 / distance\n"
        "\n"
        "distance\n"
        "  text  1 - cosine; 3 terms, tf log, idf plain\n"
        "  x     difference / 2.5, from 0 to 2.5\n"
        "  s     0 if equal, 1 if not\n"
        "\n"
        "rows\n"
        "  a     1\n"
        "  b     2"
    )


def checkered(rows, seed, wrong=0.0):
    """Points on a board of four fields, each the opposite class of its neighbors; some have a wrong class."""
    random = np.random.default_rng(seed)
    X = random.random((rows, 2))
    y = (X[:, 0] > 0.5) != (X[:, 1] > 0.5)
    return X, np.where(y ^ (random.random(rows) < wrong), "dark", "light"), np.where(y, "dark", "light")


def test_any_boundary_can_be_learned():
    """M231: no column tells anything of the class on its own."""
    (X, y, _), (new, _, actual) = checkered(400, 1), checkered(200, 2)
    assert np.mean(KNN().fit(X, y).predict(new) == actual) > 0.93


def test_a_larger_k_resists_wrong_classes_and_is_found_by_cross_validation():
    """M233: k is tried over a range; one row of five has a wrong class."""
    (X, y, _), (new, _, actual) = checkered(400, 1, wrong=0.2), checkered(200, 2)
    one, many = (np.mean(KNN(n_neighbors=k).fit(X, y).predict(new) == actual) for k in (1, 15))
    assert many > one + 0.1
    search = GridSearchCV(KNN(), {"n_neighbors": [1, 3, 15]}, cv=5).fit(X, y)
    assert search.best_params_ == {"n_neighbors": 15}


@pytest.mark.filterwarnings("ignore:n_neighbors=:hedgerow.DataWarning")
def test_a_huge_k_can_be_saved():
    model = KNN(n_neighbors=10**30).fit(["aa bb", "cc"], ["x", "y"]).model_
    assert loads(dumps(model)).predict(["aa"]).tolist() == model.predict(["aa"]).tolist()


def test_neighbors_of_mixed_rows_by_hand():
    """G95: ranges 64..85 and 65..96, levels 0 or 1, a missing value counts 1."""
    weather = weather_numeric()
    model = KNN(n_neighbors=5).train(weather)
    values = {"Outlook": ["Sunny"], "Temperature": [66.0], "Humidity": [90.0], "Windy": ["True"]}
    near = model.neighbors(Table.of(values))
    assert (near.rows[0] + 1).tolist() == [2, 11, 14, 12, 8]
    assert near.distance[0] == pytest.approx([0.666667, 0.774536, 1.028460, 1.040016, 1.052448], abs=1e-6)
    for k, share in ((1, 1.0), (3, 2 / 3), (5, 3 / 5)):
        votes = KNN(n_neighbors=k).train(weather).distribution(Table.of(values))[0]
        assert votes[weather.schema.target_column.levels.index("No")] == pytest.approx(share)
    first = model.neighbors(weather.take(np.array([0])), 14)
    of = dict(zip((first.rows[0] + 1).tolist(), first.distance[0].tolist(), strict=True))
    assert of[2] == pytest.approx((458851 / 423801) ** 0.5, rel=1e-12)
    assert of[3] == pytest.approx(1.005043, abs=1e-6)
    row = {name: [value] for name, value in zip(values, (None, 85.0, 85.0, "False"), strict=True)}
    missing = model.neighbors(Table.of(row, levels={"Outlook": ["Sunny"]}), 14)
    of = dict(zip((missing.rows[0] + 1).tolist(), missing.distance[0].tolist(), strict=True))
    assert of[2] == pytest.approx(1.443158, abs=1e-6)
