"""Rocchio: prototypes of classes by the cosine of tf-idf vectors, one or several a class."""

import tracemalloc

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.neighbors import NearestCentroid

import hedgerow
from hedgerow import Rocchio
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.source import ReadOptions, Source
from hedgerow.data.table.table import Table, Text
from hedgerow.errors import DataError, DataWarning, UsageError
from hedgerow.models.files.model_file import dumps, loads
from tests.work import NOT_SANITIZED

CORPUS = ["hockey goal hockey", "goal team", "orbit rocket orbit team"]
ABOUT = ["sport", "sport", "space"]

# A class about two things, which lie on either side of another class: Rocchio's anomaly.
ANIMALS = "jaguar cat fur tail", "jaguar cat paw tail", "jaguar cat fur paw"
CARS = "engine wheel car brake", "engine wheel car door", "engine wheel brake door"
SHOP = "cat fur engine wheel shop", "cat tail engine car shop", "cat paw wheel car shop"
MIXED = [*ANIMALS, *CARS, *SHOP]
KINDS = ["jaguar"] * 6 + ["shop"] * 3


def text_table(texts, labels=None, levels=None, weights=None):
    columns, data = [Column("text", Kind.TEXT)], [Text.of(texts)]
    if labels is not None:
        levels = levels or tuple(dict.fromkeys(labels))
        columns.append(Column("about", Kind.NOMINAL, levels))
        data.append(np.array([-1 if label is None else levels.index(label) for label in labels], dtype=np.int32))
    table = Table(Schema(tuple(columns), None if labels is None else "about"), tuple(data), len(texts))
    return table if weights is None else table.with_weights(np.asarray(weights, dtype=np.float64))


class Batches(Source):
    """A table as a stream of small batches."""

    def __init__(self, table, size):
        super().__init__("batches", ReadOptions())
        self.table, self.size = table, size

    def find_schema(self):
        return self.table.schema

    def batches(self, rows=None):  # noqa: ARG002
        for at in range(0, self.table.n_rows, self.size):
            yield self.table.slice(at, min(at + self.size, self.table.n_rows))


def mixed_table(n=80, seed=3):
    random = np.random.default_rng(seed)
    kind = random.integers(0, 3, n)
    words = np.array([["goal", "team", "ice"], ["orbit", "moon", "team"], ["vote", "law", "team"]])
    texts = [" ".join(random.choice(words[k], 4)) if random.random() < 0.9 else None for k in kind]
    schema = Schema(
        (
            Column("text", Kind.TEXT),
            Column("size", Kind.NUMERIC),
            Column("place", Kind.NOMINAL, ("a", "b", "never")),
            Column("about", Kind.NOMINAL, ("x", "y", "z")),
        ),
        "about",
    )
    size = np.where(random.random(n) < 0.1, np.nan, np.round(random.normal(5, 1, n) + kind, 2))
    place = np.where(random.random(n) < 0.1, -1, (kind + (random.random(n) < 0.2)) % 2).astype(np.int32)
    return Table(schema, (Text.of(texts), size, place, kind.astype(np.int32)), n)


# -- worked examples ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tf", "sport"), [("share", 0.084401), ("most", 0.106390)])
def test_the_textbooks_corpus(tf, sport):
    """G75 (M255): prototypes are sums of the classes' vectors; the scale of each vector matters."""
    model = Rocchio(tf=tf, idf="plain", norm="none").train(text_table(CORPUS, ABOUT))
    asked = text_table(["rocket team"])
    assert model.cosines(asked)[0].round(6).tolist() == [sport, 0.470336]
    assert model.predict(asked).tolist() == ["space"]
    assert model.distribution(asked)[0] == pytest.approx(np.array([sport, 0.470336]) / (sport + 0.470336), abs=1e-5)


def test_one_prototype_cannot_model_two_things_and_several_can():
    """M256, Rocchio's anomaly: the mean of two things is near neither of them, but near what lies between."""
    table = text_table(MIXED, KINDS)
    between = text_table(["cat fur", "engine car"])
    plain = {"idf": "none", "tf": "binary"}
    one, two = Rocchio(**plain).train(table), Rocchio(prototypes=2, **plain).train(table)
    right = np.array(["jaguar", "jaguar"])
    assert (one.predict(between) != right).all()
    assert (two.predict(between) == right).all()
    assert two.owners.tolist().count(0) == 2
    own = {frozenset(name for name, _ in two.top(number)) for number in np.flatnonzero(two.owners == 0)}
    words = [frozenset(" ".join(texts).split()) for texts in (ANIMALS, CARS)]
    assert own == set(words)  # each prototype is one of the two things


def test_equals_scikit_learns_centroids_of_unit_vectors():
    random = np.random.default_rng(5)
    words = [f"w{i}" for i in range(60)]
    label = random.integers(0, 4, 200)
    texts = [" ".join(random.choice(words, 12, p=shifted(k))) for k in label]
    vectors = TfidfVectorizer(sublinear_tf=True)
    matrix = vectors.fit_transform(texts)
    centroids = NearestCentroid().fit(matrix, label).centroids_
    centroids /= np.linalg.norm(centroids, axis=1, keepdims=True)
    model = Rocchio(idf="smooth").train(text_table(texts, [str(k) for k in label], ("0", "1", "2", "3")))
    found = model.cosines(text_table(texts))
    assert np.allclose(found, matrix @ centroids.T, atol=1e-11)


def shifted(k):
    weights = 1 / (1 + (np.arange(60) + 15 * k) % 60)
    return weights / weights.sum()


def test_negative_examples_take_weight_away_but_not_below_nothing():
    table = text_table(["goal team", "goal ice", "moon team team", "moon sky"], ["s", "s", "m", "m"])
    settings = {"tf": "count", "idf": "none", "norm": "none"}
    model = Rocchio(beta=1, gamma=0.5, **settings).train(table)
    weights = dict(model.top(0))
    # means: goal 1, team 1/2, ice 1/2; of the others moon 1, team 1, sky 1/2
    expected = {"goal": 1.0, "ice": 0.5, "team": 0.5 - 0.5}
    length = np.sqrt(sum(v * v for v in expected.values()))
    assert weights == pytest.approx({name: v / length for name, v in expected.items() if v > 0})
    assert set(dict(Rocchio(gamma=0, **settings).train(table).top(0))) == {"goal", "ice", "team"}


def test_a_class_whose_weights_are_all_taken_away_has_no_prototype():
    table = text_table(["team goal", "team goal", "goal team"], ["a", "b", "b"])
    model = Rocchio(gamma=2, tf="count", idf="none").train(table)
    assert model.size == 0
    assert "(no prototype)" in str(model)
    assert model.distribution(text_table(["team"]))[0] == pytest.approx([1 / 3, 2 / 3])  # the prior


# -- texts that say nothing ---------------------------------------------------------------------------------


@pytest.mark.parametrize("texts", [False, True])
def test_without_any_prototype_the_prior_decides(texts):
    table = Table.of({"x": ["a", "b", "a", "b", "a"], "y": ["p", "p", "q", "q", "q"]}, target="y")
    if texts:
        table = table.with_column(Column("x", Kind.TEXT), Text.of(["one", "two", "one", "two", "one"]))
    model = loads(dumps(Rocchio(gamma=50).train(table)), "a copy")
    assert str(model).splitlines()[-2:] == ["p (no prototype)", "q (no prototype)"]
    assert model.distribution(table).tolist() == [[0.4, 0.6]] * 5
    assert np.isnan(model.cosines(table)).all()
    assert [ground.name for ground in model.contributions(table.slice(0, 1)).parts] == ["P(class)"]


def test_texts_without_known_terms_leave_the_decision_to_the_prior():
    model = Rocchio().train(text_table([*CORPUS, "", None], [*ABOUT, "space", "space"]))
    said = model.score_rows(model.align(text_table(["unheard words", "", None, "rocket", "\0 \ud7ff"])))
    assert said.is_unknown.tolist() == [True, True, True, False, True]
    assert np.allclose(said.distribution[[0, 1, 2, 4]], [0.4, 0.6])
    assert said.distribution[3].tolist() == [0.0, 1.0]


def test_words_that_are_in_every_text_tell_nothing():
    model = Rocchio(tf="count").train(text_table(["team goal", "team rocket"], ["a", "b"]))
    assert dict(model.top(0)) == {"goal": 1.0}
    assert model.score_rows(model.align(text_table(["team"]))).is_unknown.tolist() == [True]


@pytest.mark.filterwarnings("ignore::hedgerow.errors.DataWarning")
@pytest.mark.parametrize("prototypes", [1, 3])
@pytest.mark.parametrize("texts", [["", None, ""], ["a b", "c d", "e"], [None, None, None]], ids=str)
def test_a_corpus_without_words_is_learned(texts, prototypes):
    model = Rocchio(prototypes=prototypes).train(text_table(texts, ["x", "y", "y"]))
    assert model.size == 0
    assert np.allclose(model.distribution(text_table(["anything", None])), [1 / 3, 2 / 3])
    assert loads(dumps(model)) == model


@pytest.mark.parametrize("prototypes", [1, 2])
def test_one_class_and_one_row(prototypes):
    with pytest.warns(DataWarning, match="the same class"):
        model = Rocchio(prototypes=prototypes, gamma=0.5, idf="smooth").fit(
            text_table(["goal team", "ice"], ["s", "s"])
        )
    assert model.predict(text_table(["goal", "unheard"])).tolist() == ["s", "s"]
    only = Rocchio(prototypes=prototypes, idf="none").train(text_table(["goal"], ["s"]))
    assert only.distribution(text_table(["goal", ""])).tolist() == [[1.0], [1.0]]


def test_a_class_without_rows_has_no_prototype_and_is_never_said():
    model = Rocchio().train(text_table(CORPUS, ABOUT, ("never", "sport", "space")))
    assert model.distribution(text_table(["goal", "", "rocket"]))[:, 0].tolist() == [0.0, 0.0, 0.0]
    assert "never (no prototype)" in str(model)
    assert np.isnan(model.cosines(text_table(["goal"]))[0, 0])
    assert loads(dumps(model)) == model


def test_lists_of_strings_are_texts():
    learner = Rocchio(tf="share", norm="none").fit(CORPUS, ABOUT)
    assert learner.predict(["rocket team", "goal"]).tolist() == ["space", "sport"]
    assert learner.score(CORPUS, ABOUT) == 1.0


# -- several prototypes -------------------------------------------------------------------------------------


def test_several_prototypes_depend_on_the_rows_and_the_seed_only():
    table = mixed_table()
    order = np.random.default_rng(1).permutation(table.n_rows)
    for settings in ({}, {"random_state": 5}, {"gamma": 0.25, "bits": 6}):
        learner = Rocchio(prototypes=3, **settings)
        model = learner.train(table)
        other = learner.train(table.take(order))
        assert str(model) == str(other)
        assert np.allclose(model.distribution(table), other.distribution(table), atol=1e-9)
    assert Rocchio(prototypes=3, random_state=None).train(table).size == 9


def test_a_repeated_row_equals_a_row_of_weight_2():
    table = mixed_table()
    twice = table.take(np.concatenate([np.arange(table.n_rows), np.arange(20)]))
    weighted = table.with_weights(np.where(np.arange(table.n_rows) < 20, 2.0, 1.0))
    for prototypes in (1, 3):
        learner = Rocchio(prototypes=prototypes)
        one, other = learner.train(twice), learner.train(weighted)
        assert str(one) == str(other)
        assert np.allclose(one.distribution(table), other.distribution(table), atol=1e-9)
        assert np.allclose(one.sizes, other.sizes)


def test_the_scale_of_weights_does_not_matter():
    table = mixed_table()
    for settings in ({}, {"prototypes": 2}, {"gamma": 0.4}):
        plain = Rocchio(**settings).train(table)
        for scale, unit in ((0.5, 1), (1e-20, 1), (1e25, 1), (1e15, 1e15)):  # whole weights are counts
            model = Rocchio(**settings).train(table.with_weights(np.full(table.n_rows, scale)))
            assert np.allclose(model.distribution(table), plain.distribution(table), atol=1e-9)
            assert np.allclose(model.sizes / unit, plain.sizes)


def test_there_are_no_more_prototypes_than_different_texts():
    texts = ["goal ice", "goal ice", "ice goal", "moon", "moon sky", "", None]
    model = Rocchio(prototypes=5, idf="none").train(text_table(texts, ["s", "s", "s", "m", "m", "m", "m"]))
    assert model.owners.tolist() == [0, 1, 1]
    assert model.sizes.tolist() == [3.0, 1.0, 1.0]
    assert model.prior.tolist() == [3.0, 4.0]


def test_clusters_are_at_a_rest_of_spherical_k_means():
    table = mixed_table(300)
    model = Rocchio(prototypes=4, passes=100).train(table)
    rows = [column.rows(table, position) for position, column in model.used_columns]
    dense = np.hstack([np.array([np.bincount(*as_counts(own, row)) for row in range(300)]) for own in rows])
    labels = table.codes(3)
    unit = np.zeros((model.size, dense.shape[1]))
    for number in range(model.size):
        ids = slice(*model.vectors.row_starts[number : number + 2])
        unit[number, model.vectors.ids[ids]] = model.vectors.values[ids]
    for klass in range(3):
        own, mine = dense[labels == klass], np.flatnonzero(model.owners == klass)
        own = own[np.square(own).sum(axis=1) > 0]
        nearest = (own @ unit[mine].T).argmax(axis=1)
        for place, number in enumerate(mine):
            total = own[nearest == place].sum(axis=0)
            assert np.allclose(total / np.linalg.norm(total), unit[number], atol=1e-9)
            assert model.sizes[number] == (nearest == place).sum()
        assert (np.diff(model.sizes[mine]) <= 0).all()  # the largest first


def as_counts(own, row):
    ids, values = own.entries(row)
    return ids, values, own.width


def test_fewer_passes_end_earlier():
    table = mixed_table(300)
    one, many = (Rocchio(prototypes=4, passes=passes).train(table) for passes in (1, 50))
    assert one.size == many.size == 12
    assert one != many


def test_newsgroups_by_date(shared_data):
    """M255: more than four of five texts of 20 classes are right with the default settings."""
    table = hedgerow.read(shared_data("text/20newsgroups.jsonl.gz"), target="label")
    table = table.select(["split", "text", "label"])
    split = np.array(table.schema["split"].levels)[table.codes(0)]
    parts = [table.take(np.flatnonzero(split == name)).select(["text", "label"]) for name in ("train", "test")]
    model = Rocchio().train(parts[0])
    assert (model.decide(parts[1]) == parts[1].codes(1)).mean() == pytest.approx(0.8201, abs=5e-4)
    assert {name for name, _ in model.top(model.classes.index("rec.motorcycles"), 3)} == {"bike", "dod", "ride"}


# -- settings and columns -----------------------------------------------------------------------------------


def test_mixed_columns_stand_side_by_side():
    table = mixed_table()
    model = Rocchio().train(table)
    assert model.columns_used() == ("text", "size", "place")
    assert (model.decide(table) == table.codes(3)).mean() > 0.9
    text = str(model)
    assert "place = a" in text
    assert "text: goal" in text
    nothing = (Text.of([None, None]), np.full(2, np.nan), np.array([2, -1], dtype=np.int32))
    never = Table(Schema(table.schema.columns[:3]), nothing, 2)
    assert model.score_rows(model.align(never)).is_unknown.tolist() == [True, True]


def test_levels_and_numbers_count_as_much_as_they_have_to_do_with_the_class():
    columns = {
        "number": [1.0, 2.0, 3.0, 6.0],
        "noise": [1.0, 5.0, 1.0, 5.0],
        "level": ["u", "u", "v", "v"],
        "coin": ["h", "t", "h", "t"],
        "c": ["a", "a", "b", "b"],
    }
    table = Table.of(columns, "c")
    model = Rocchio().train(table)
    assert model.columns_used() == ("number", "level")  # the others have nothing to do with it
    number, _, level, _, _ = model.columns
    # means 1.5 and 4.5, squares 14 in all and 0.5 + 4.5 in the classes; chi squared of the levels is n
    assert number.weight == pytest.approx((9 / 14) ** 0.5, rel=1e-5)
    assert level.weight == 1.0
    assert "number: mean 3, standard deviation 1.87083, weight 0.801784" in str(model)
    plain = Rocchio(others="plain").train(table)
    assert plain.columns_used() == ("number", "noise", "level", "coin")
    assert {column.weight for column in plain.columns[:4]} == {1.0}


def test_a_number_that_tells_nothing_does_not_drown_the_texts():
    table, random = mixed_table(300), np.random.default_rng(1)
    texts, asked = table.select(["text", "about"]), mixed_table(300, seed=8).select(["text"])
    plain = Rocchio().train(texts)
    noise = Column("noise", Kind.NUMERIC)
    beside, drowned = (
        Rocchio(others=others).train(texts.with_column(noise, random.normal(size=300)))
        for others in ("relevance", "plain")
    )
    held = ~asked.values(0).missing
    found = plain.cosines(asked)[held]
    with_noise = asked.with_column(noise, random.normal(size=300))
    assert np.abs(beside.cosines(with_noise)[held] - found).mean() < 0.05
    assert np.abs(drowned.cosines(with_noise)[held] - found).mean() > 0.1


@pytest.mark.parametrize("settings", [{}, {"prototypes": 2}, {"gamma": 0.5}, {"prototypes": 2, "gamma": 0.5}], ids=str)
def test_columns_that_tell_nothing_leave_the_prior(settings):
    table = Table.of({"x": [1.0, 1.0, 1.0], "s": ["u", "u", None], "c": ["a", "b", "b"]}, "c")
    model = Rocchio(**settings).train(table)
    assert model.columns_used() == ()
    assert np.allclose(model.distribution(table), [1 / 3, 2 / 3])
    assert loads(dumps(model)) == model
    assert model.contributions(model.align(table.slice(0, 1))).unit == "probability"
    assert model.to_arrow().num_rows == 0


def test_numbers_may_point_backward():
    table = Table.of({"x": [1.0, 2.0, 3.0, 4.0], "c": ["lo", "lo", "hi", "hi"]}, "c")
    model = Rocchio().train(table)
    assert model.predict(table).tolist() == ["lo", "lo", "hi", "hi"]
    one_sided = Table.of({"x": [1.0, 1.0, 1.0, 9.0], "y": [5.0, 6.0, 7.0, 2.0], "c": ["a", "a", "b", "b"]}, "c")
    model = Rocchio().train(one_sided)
    far = Table.of({"x": [1e308, -1e308, None, np.nan], "y": [1e308, 1.0, None, 2.0]})
    said = model.distribution(far)
    assert np.isfinite(said).all()
    assert np.allclose(said.sum(axis=1), 1)


def test_a_row_that_points_away_from_all_prototypes_goes_to_the_least_far():
    table = Table.of({"x": [1.0, 1.1, 1.2, -9.0], "y": [1.0, 1.3, 1.1, -9.0], "c": ["a", "a", "b", "b"]}, "c")
    model = Rocchio(gamma=0).train(table.slice(0, 4))
    away = Table.of({"x": [-5.0], "y": [5.0]})
    cosines = model.cosines(away)[0]
    assert model.decide(away)[0] == cosines.argmax()


def test_hashed_terms_with_and_without_signs():
    table = mixed_table()
    plain = Rocchio().train(table)
    for signed in (True, False):
        model = Rocchio(bits=16, signed=signed).train(table)
        assert (model.decide(table) == plain.decide(table)).all()
        assert np.allclose(model.distribution(table), plain.distribution(table), atol=1e-9)
        assert loads(dumps(model)) == model
        assert "goal" in str(model)
    assert any(weight < 0 for _, weight in Rocchio(bits=16).train(table).top(0))
    with pytest.raises(UsageError, match="hashed terms have no vocabulary"):
        Rocchio(bits=8, min_rows=2).train(table)


def test_two_text_columns_have_their_own_terms():
    schema = Schema((Column("head", Kind.TEXT), Column("body", Kind.TEXT), Column("c", Kind.NOMINAL, ("a", "b"))), "c")
    data = (Text.of(["moon", "goal"]), Text.of(["goal", "moon"]), np.array([0, 1], dtype=np.int32))
    model = Rocchio().train(Table(schema, data, 2))
    assert dict(model.top(0)) == pytest.approx({"head: moon": 0.5**0.5, "body: goal": 0.5**0.5})
    asked = Table(Schema(schema.columns[:2]), (Text.of(["goal", None]), Text.of([None, "goal"])), 2)
    assert model.predict(asked).tolist() == ["b", "a"]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"prototypes": 0}, "prototypes=0"),
        ({"beta": 0}, "beta=0"),
        ({"gamma": -1}, "gamma=-1"),
        ({"passes": 0}, "passes=0"),
        ({"tf": "logg"}, "did you mean 'log'"),
    ],
)
def test_settings_out_of_range_are_sentences(settings, told):
    with pytest.raises(UsageError, match=told):
        Rocchio(**settings).train(text_table(CORPUS, ABOUT))


def test_rows_without_a_class_are_left_out():
    model = Rocchio().train(text_table([*CORPUS, "goal"], [*ABOUT, None], ("sport", "space")))
    same = Rocchio().train(text_table(CORPUS, ABOUT))
    assert model == same
    with pytest.raises(DataError, match="missing in every row"):
        Rocchio().train(text_table(["goal"], [None], ("sport", "space")))


# -- streams ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [{}, {"gamma": 0.3}, {"prototypes": 3}, {"prototypes": 3, "bits": 7}, {"min_rows": 2, "idf": "smooth"}],
    ids=str,
)
def test_a_stream_gives_the_model_of_a_table(settings):
    table = mixed_table(150)
    one, other = Rocchio(**settings).train(table), Rocchio(**settings).train(Batches(table, 31))
    assert str(one) == str(other)
    assert np.allclose(one.distribution(table), other.distribution(table), atol=1e-9)
    assert other.about.rows == 150


def test_a_file_streams(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("text,about\n" + "".join(f"{text},{about}\n" for text, about in zip(CORPUS, ABOUT, strict=True)))
    how = {"target": "about", "kinds": {"text": Kind.TEXT}}
    assert Rocchio().train(hedgerow.open_source(path, **how)) == Rocchio().train(hedgerow.read(path, **how))


# -- reading ------------------------------------------------------------------------------------------------


def test_grounds_sum_to_the_cosines():
    table = mixed_table()
    for settings in ({}, {"prototypes": 3}, {"bits": 6, "gamma": 0.2}):
        model = Rocchio(**settings).train(table)
        for row in range(0, 80, 7):
            asked = model.align(table.slice(row, row + 1))
            grounds = model.contributions(asked)
            assert grounds.unit == "cosine"
            assert np.allclose(grounds.scores, model.cosines(asked)[0], atol=1e-13)
    names = [(part.name, part.column) for part in Rocchio().train(table).contributions(table.slice(0, 1)).parts]
    assert any(column == "size" and name.startswith("size = ") for name, column in names)
    assert any(column == "text" for _, column in names)


def test_grounds_of_a_silent_row_are_the_prior():
    model = Rocchio().train(text_table(CORPUS, ABOUT))
    grounds = model.contributions(model.align(text_table(["unheard"])))
    assert grounds.unit == "probability"
    assert grounds.scores.tolist() == pytest.approx([2 / 3, 1 / 3])


def test_terms_of_grounds_have_their_ids():
    model = Rocchio().train(text_table(CORPUS, ABOUT))
    space = model.columns[0].space
    for part in model.contributions(model.align(text_table(["rocket team team"]))).parts:
        assert space.names[part.term] == part.name


def test_all_weights_as_a_table():
    model = Rocchio(prototypes=2).train(mixed_table())
    frame = model.to_arrow().to_pandas()
    assert list(frame.columns) == ["class", "prototype", "rows", "column", "term", "weight"]
    assert np.allclose(frame.groupby(["class", "prototype"], observed=True).weight.agg(lambda w: (w**2).sum()), 1)
    first = frame[(frame["class"] == "x") & (frame.prototype == 1)]
    assert (np.diff(np.abs(first.weight)) <= 0).all()
    assert set(frame[frame.column == "place"].term) <= {"a", "b"}
    assert frame[frame.column == "size"].term.isna().all()
    empty = Rocchio().train(text_table(["", ""], ["x", "y"])).to_arrow()
    assert empty.num_rows == 0


def test_terms_that_would_be_unclear_are_quoted():
    model = Rocchio(unit="char", ngram_max=2, idf="none").train(text_table(["a, b\n", "c: d"], ["x", "y"]))
    assert '", "' in str(model)
    assert "\\n" in str(model)
    assert len(str(model).split("\n")) == len(str(model).splitlines())
    for line in str(Rocchio(ngram_max=3).train(mixed_table(200))).split("\n"):
        assert len(line) <= 120


@pytest.mark.parametrize("hashed", [False, True])
def test_a_class_without_rows_has_no_prototype_of_what_others_lack(hashed):
    """Sums of standardized numbers are nothing but for rounding; hashed terms with signs may well be negative."""
    table = mixed_table()
    levels = ("x", "y", "z", "no rows")
    schema = Schema((*table.schema.columns[:-1], Column("about", Kind.NOMINAL, levels)), "about")
    learner = Rocchio(gamma=0.25, bits=6 if hashed else None)
    rows = Table(schema, table.data, table.n_rows)
    model = learner.train(rows)
    assert model.owners.tolist() == [0, 1, 2]
    assert str(model).endswith("no rows (no prototype)")
    assert model.scores(model.align(rows))[:, 3].tolist() == [0.0] * rows.n_rows
    assert np.allclose(learner.train(Batches(rows, 7)).scores(rows), model.scores(rows), atol=1e-9)


@pytest.mark.parametrize("hashed", [False, True])
def test_negative_examples_are_the_same_however_many_places_are_held(monkeypatch, hashed):
    table = mixed_table()
    learner = Rocchio(gamma=0.5, bits=7 if hashed else None)
    whole = dumps(learner.train(table))
    monkeypatch.setattr("hedgerow.learn.text.rocchio_passes.CELLS", 10)
    assert dumps(learner.train(table)) == whole


@NOT_SANITIZED
def test_many_classes_with_negative_examples_take_little_room():
    """All 6,000 places of 1,500 classes at a time would be 72 MB a table of numbers."""
    texts = [f"a{number} b{number} c{number} d{number}" for number in range(1500)]
    table = text_table(texts, [f"k{number}" for number in range(1500)])
    tracemalloc.start()
    Rocchio(gamma=0.5).train(table)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 200e6
