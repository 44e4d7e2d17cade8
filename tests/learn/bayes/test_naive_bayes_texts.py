"""Naive Bayes on text columns: worked examples, scikit-learn's predictions, and bad input."""

import gzip
import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

import hedgerow
from hedgerow import DataError, DataWarning, NaiveBayes, Table, UsageError
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Text, concatenate
from hedgerow.evaluate.validate import cross_validate
from hedgerow.models.bayes.term_evidence import EVENTS
from tests.reference import bayes as reference_bayes

LABELS = ("sport", "space")
G72 = (["hockey goal hockey", "goal team", "orbit rocket orbit team"], [0, 0, 1])
SPAM = ["free money now", "win a free prize, free!", "hi mum, lunch?", "see you at home", "lunch at home", "money?"]
CLASSES = ["spam", "spam", "ham", "ham", "ham", "spam"]
SKLEARN = {
    "multinomial": MultinomialNB,
    "bernoulli": BernoulliNB,
    "complement": ComplementNB,
    "weighted_complement": lambda **given: ComplementNB(norm=True, **given),
}


def texts(values, codes=None, levels=LABELS, weights=None):
    """Return a table with the column `text` and the target `topic`."""
    schema = Schema((Column("text", Kind.TEXT), Column("topic", Kind.NOMINAL, levels=levels)), "topic")
    codes = np.full(len(values), -1, dtype=np.int32) if codes is None else np.array(codes, dtype=np.int32)
    given = None if weights is None else np.array(weights, dtype=np.float64)
    return Table(schema, (Text.of(values), codes), len(values), given)


# -- the documents' figures -----------------------------------------------------------------------------------


def test_g71_multinomial_probabilities():
    """G71: 9/64 and 243/1000 with the factorials, 125/341 whether they are there or not."""
    model = NaiveBayes(alpha=0).train(texts(["yellow yellow yellow blue", "yellow" + 9 * " blue"], [0, 1]))
    asked = texts(["blue yellow blue"])
    arrangements = 3  # 3! / (2! 1!)
    assert 2 * arrangements * model.joint(asked)[0] == pytest.approx([9 / 64, 243 / 1000])
    assert model.distribution(asked)[0] == pytest.approx([125 / 341, 216 / 341])


def test_g72_add_one():
    """G72."""
    model = NaiveBayes().train(texts(*G72))
    evidence = model.factors[0].evidence
    words = dict(zip(model.factors[0].space.names, range(5), strict=True))
    expected = {"goal": (3, 1), "hockey": (3, 1), "orbit": (1, 3), "rocket": (1, 2), "team": (2, 2)}
    for word, (sport, space) in expected.items():
        assert np.exp(evidence.of(words[word])) == pytest.approx([sport / 10, space / 9])
    asked = texts(["rocket team"])
    assert model.joint(asked)[0] == pytest.approx([1 / 75, 4 / 243])
    assert model.distribution(asked)[0] == pytest.approx([float(Fraction(81, 181)), float(Fraction(100, 181))])
    assert list(model.predict(asked)) == ["space"]


def test_g72_prints_the_telling_terms():
    """G72: ln (3/10) / (1/9) = 0.99, ln (1/3) / (1/10) = 1.20."""
    assert str(NaiveBayes().train(texts(*G72))) == (
        "topic       sport  space\n"
        "  P(class)    2/3    1/3\n"
        "\n"
        "text: 5 terms of 3 texts, multinomial\n"
        "  sport  goal +0.99 (2), hockey +0.99 (2)\n"
        "  space  orbit +1.20 (2), rocket +0.80 (1), team +0.11 (1)"
    )


# -- the plain twin -------------------------------------------------------------------------------------------

CORPUS = st.lists(st.text(st.sampled_from("abc "), max_size=8), min_size=1, max_size=8)


@given(CORPUS, CORPUS, st.sampled_from(EVENTS), st.sampled_from([1.0, 0.1, 3.0]), st.integers(0, 99))
def test_scores_are_those_of_the_plain_twin(learned, asked, event, smoothing, seed):
    random = np.random.default_rng(seed)
    codes = random.integers(0, 3, len(learned))
    weights = random.integers(1, 4, len(learned)).astype(float)
    levels = ("x", "y", "z")
    learner = NaiveBayes(text_model=event, alpha=smoothing, min_length=1)
    model = learner.train(texts(learned, codes, levels, weights))
    words = sorted({word for text in learned for word in text.split()})
    if len(words) < 1 + (event == "weighted_complement"):  # a single weight is 0, and cannot be brought to 1
        return
    matrix, other = ([[text.split().count(word) for word in words] for text in some] for some in (learned, asked))
    shares = np.eye(3)[codes] * weights[:, None]
    found = reference_bayes.scores(np.array(matrix), shares, np.array(other), event, smoothing)
    with np.errstate(divide="ignore"):
        prior = np.log(shares.sum(axis=0) / shares.sum())
    if event in ("multinomial", "bernoulli"):
        found = found + prior
    else:
        found[np.array(other).sum(axis=1) == 0] = prior
        found[:, np.isneginf(prior)] = -np.inf
    assert model.distribution(texts(asked, levels=levels)) == pytest.approx(reference_bayes.posterior(found), abs=1e-9)


@given(CORPUS, st.integers(0, 99))
def test_telling_terms_are_those_of_the_plain_twin(learned, seed):
    codes = np.random.default_rng(seed).integers(0, 2, len(learned))
    words = sorted({word for text in learned for word in text.split()})
    if not words:
        return
    factor = NaiveBayes(min_length=1).train(texts(learned, codes)).factors[0]
    matrix = np.array([[text.split().count(word) for word in words] for text in learned])
    odds, own = reference_bayes.log_odds(matrix, np.eye(2)[codes]), np.eye(2)[codes].T @ matrix
    for klass, told in enumerate(factor.telling(None)):
        assert {one.name for one in told} == {
            words[t] for t in np.flatnonzero((odds[klass] > 1e-12) & (own[klass] > 0))
        }
        assert [one.log_odds for one in told] == pytest.approx([odds[klass][one.term] for one in told])
        ranks = [one.amount * one.log_odds for one in told]
        assert ranks == sorted(ranks, reverse=True)


# -- scikit-learn ---------------------------------------------------------------------------------------------


def same_as_sklearn(learner, vectorizer, estimator, learned, classes, asked):
    """Check that probabilities agree, and that predictions are the same where nothing is a tie."""
    estimator.fit(vectorizer.fit_transform(learned), classes)
    expected = estimator.predict_proba(vectorizer.transform(asked))
    learner.fit(learned, classes)
    assert learner.predict_proba(asked) == pytest.approx(expected, abs=1e-9)
    told = np.sort(expected, axis=1)
    clear = told[:, -1] - told[:, -2] > 1e-9
    assert (learner.predict(asked) == estimator.predict(vectorizer.transform(asked)))[clear].all()


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("smoothing", [1.0, 0.01])
def test_small_corpus_equals_scikit_learn(event, smoothing):
    asked = ["free lunch at home", "win money", "prize prize mum"]
    learner = NaiveBayes(text_model=event, alpha=smoothing)
    same_as_sklearn(learner, CountVectorizer(), SKLEARN[event](alpha=smoothing), SPAM, CLASSES, asked)


def test_empty_texts_equal_scikit_learn_but_for_the_complement():
    for event in ("multinomial", "bernoulli"):
        same_as_sklearn(
            NaiveBayes(text_model=event), CountVectorizer(), SKLEARN[event](), SPAM, CLASSES, ["", "unknown"]
        )
    learner = NaiveBayes(text_model="complement").fit(SPAM, ["spam", "spam", "spam", "ham", "ham", "spam"])
    assert learner.predict_proba([""])[0] == pytest.approx([1 / 3, 2 / 3])  # the prior, not equal shares


@pytest.mark.parametrize(
    ("settings", "vectorizer"),
    [
        ({"idf": "smooth", "norm": "l2"}, TfidfVectorizer()),
        ({"idf": "smooth", "norm": "l1", "tf": "log"}, TfidfVectorizer(norm="l1", sublinear_tf=True)),
        ({"tf": "binary"}, CountVectorizer(binary=True)),
        ({"ngram_max": 2, "min_rows": 2}, CountVectorizer(ngram_range=(1, 2), min_df=2)),
        ({"unit": "char", "ngram_min": 2, "ngram_max": 3}, CountVectorizer(analyzer="char", ngram_range=(2, 3))),
        ({"most": 3}, CountVectorizer(max_features=3)),
        ({"bits": 10}, HashingVectorizer(n_features=1024, alternate_sign=False, norm=None)),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else "",
)
@pytest.mark.parametrize("event", ["multinomial", "complement", "weighted_complement"])
def test_weights_equal_scikit_learn(event, settings, vectorizer):
    asked = ["free lunch at home", "money, money", "prize at home mum"]
    same_as_sklearn(NaiveBayes(text_model=event, **settings), vectorizer, SKLEARN[event](), SPAM, CLASSES, asked)


@pytest.fixture(scope="module")
def newsgroups(request):
    path = request.getfixturevalue("shared_data")("text/20newsgroups.jsonl.gz")
    with gzip.open(path) as lines:
        rows = [json.loads(line) for line in lines]
    return {part: [row for row in rows if row["split"] == part] for part in ("train", "test")}


@pytest.fixture(scope="module")
def matrices(newsgroups):
    """What scikit-learn makes of the texts to learn from and of those to test on: once, as it takes its time."""
    learned, asked = ([row["text"] for row in newsgroups[part]] for part in ("train", "test"))
    made = {}
    for vectorizer in (CountVectorizer(), TfidfVectorizer(sublinear_tf=True)):
        made[type(vectorizer)] = vectorizer.fit_transform(learned), vectorizer.transform(asked)
    return made


@pytest.mark.parametrize(
    ("event", "settings", "accuracy"),
    [
        ("multinomial", {}, 0.7728),
        ("bernoulli", {}, 0.6308),
        ("complement", {}, 0.8267),
        ("weighted_complement", {}, 0.8080),
        ("complement", {"tf": "log", "idf": "smooth", "norm": "l2"}, 0.8447),
    ],
)
def test_newsgroups_by_date_equal_scikit_learn(newsgroups, matrices, event, settings, accuracy):
    learned, asked = newsgroups["train"], newsgroups["test"]
    known, matrix = matrices[TfidfVectorizer if settings else CountVectorizer]
    estimator = SKLEARN[event]().fit(known, [row["label"] for row in learned])
    learner = NaiveBayes(text_model=event, **settings).fit(
        [row["text"] for row in learned], [row["label"] for row in learned]
    )
    found = learner.predict([row["text"] for row in asked])
    assert (found == estimator.predict(matrix)).all()
    assert np.abs(learner.predict_proba([row["text"] for row in asked]) - estimator.predict_proba(matrix)).max() < 1e-9
    assert np.mean(found == [row["label"] for row in asked]) == pytest.approx(accuracy, abs=5e-5)


@pytest.mark.parametrize(
    ("settings", "accuracy"),
    [({}, 0.9257), ({"text_model": "complement"}, 0.9709), ({"text_model": "complement", "tf": "binary"}, 0.9799)],
    ids=str,
)
def test_newsgroups_trained_and_tested_on_all(newsgroups, settings, accuracy):
    """M316, M322: of 18828 postings that were learned from, the documents' classifier finds 97.56 %.

    Our file has 18846. On counts neither multinomial nor complement gets there (nor do scikit-learn's, whose figures
    these are too); complement on the presence of words does.
    """
    rows = newsgroups["train"] + newsgroups["test"]
    words, classes = [row["text"] for row in rows], [row["label"] for row in rows]
    assert NaiveBayes(**settings).fit(words, classes).score(words, classes) == pytest.approx(accuracy, abs=5e-5)


# -- passes ---------------------------------------------------------------------------------------------------

WAYS = [
    {},
    {"text_model": "bernoulli"},
    {"text_model": "complement", "tf": "log"},
    {"tf": "share"},
    {"norm": "l2"},
    {"idf": "smooth", "norm": "l2"},
    {"tf": "share", "min_rows": 2},
    {"most": 4},
    {"bits": 6},
    {"bits": 6, "idf": "plain"},
]
CSV = "message,size,label\n" + "".join(
    f'"{text}",{k % 3},{label}\n' for k, (text, label) in enumerate(zip(SPAM * 9, CLASSES * 9, strict=True))
)


@pytest.mark.parametrize("settings", WAYS, ids=str)
def test_streams_give_the_same_model(tmp_path, monkeypatch, settings):
    path = tmp_path / "spam.csv"
    path.write_text(CSV)
    kinds = {"message": "text"}
    learner = NaiveBayes(**settings)
    whole = learner.train(hedgerow.read(path, target="label", kinds=kinds))
    source = hedgerow.open_source(path, target="label", kinds=kinds)
    batches, passes = source.batches, []
    monkeypatch.setattr(source, "batches", lambda: passes.append(1) or batches(7))
    assert learner.train(source) == whole
    assert len(passes) == (2 if "idf" in settings or settings == {"tf": "share", "min_rows": 2} else 1)


@pytest.mark.parametrize("settings", WAYS, ids=str)
def test_partial_fit_gives_the_same_model_or_says_why_not(settings):
    learner = NaiveBayes(**settings)
    if "idf" in settings or (len(settings) == 2 and "min_rows" in settings):
        with pytest.raises(UsageError, match="partial_fit cannot weigh"):
            learner.partial_fit(SPAM, CLASSES)
        assert NaiveBayes(**settings).fit(SPAM, CLASSES).score(SPAM, CLASSES) > 0.8
        return
    for part in (slice(2), slice(2, 5), slice(5, None)):
        learner.partial_fit(SPAM[part], CLASSES[part])
    assert learner.model_ == NaiveBayes(**settings).fit(SPAM, CLASSES).model_
    learner.partial_fit(["a new class of words"], ["other"])
    assert learner.classes_.tolist() == ["ham", "other", "spam"]
    assert learner.model_ == NaiveBayes(**settings).fit([*SPAM, "a new class of words"], [*CLASSES, "other"]).model_


@pytest.mark.parametrize("settings", WAYS, ids=str)
def test_cross_validation_by_subtraction_is_exact(settings):
    rows = texts([*SPAM * 5, None, "", "only here"], [*([0, 0, 1, 1, 1, 0] * 5), 0, 1, 1])

    class Slow(NaiveBayes):
        only_counts = False

    quick, slow = (cross_validate(kind(**settings), rows, folds=3, seed=1) for kind in (NaiveBayes, Slow))
    assert np.array_equal(quick.predicted, slow.predicted)


def test_whole_counts_are_taken_off_and_others_are_counted_anew():
    assert NaiveBayes(text_model="complement", ngram_max=2, min_rows=3).only_counts
    for settings in ({"idf": "smooth"}, {"tf": "log"}, {"norm": "l1"}, {"bits": 8}):
        assert not NaiveBayes(**settings).only_counts


# -- laws -----------------------------------------------------------------------------------------------------


def close(one, other, asked):
    assert one.distribution(asked) == pytest.approx(other.distribution(asked), abs=1e-12)


@pytest.mark.parametrize("event", EVENTS)
def test_row_order_weights_and_repeated_rows(event):
    codes, learner = [0, 0, 1, 1, 1, 0], NaiveBayes(text_model=event)
    whole, asked = texts(SPAM, codes), texts(["free lunch", "home", ""])
    order = np.array([3, 1, 0, 5, 4, 2])
    assert learner.train(whole.take(order)) == learner.train(whole)
    twice = concatenate([whole, whole.take(np.array([1]))])
    close(learner.train(twice), learner.train(whole.with_weights(np.array([1.0, 2, 1, 1, 1, 1]))), asked)
    without = learner.train(whole.take(np.array([0, 2, 3, 4, 5])))
    close(learner.train(whole.with_weights(np.array([1.0, 0, 1, 1, 1, 1]))), without, asked)
    assert learner.train(whole.with_weights(np.full(6, 1.0))) == learner.train(whole)


@pytest.mark.parametrize("event", EVENTS)
def test_half_weights_change_nothing_without_smoothing(event):
    if "complement" in event:
        return
    learner, whole = NaiveBayes(text_model=event, alpha=0), texts(SPAM, [0, 0, 1, 1, 1, 0])
    asked = texts(["free", "lunch at home", "free home", "money"])
    close(learner.train(whole), learner.train(whole.with_weights(np.full(6, 0.5))), asked)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("settings", [{}, {"bits": 5}, {"m": 2.0}], ids=str)
def test_models_are_saved_and_come_back(tmp_path, event, settings):
    model = NaiveBayes(text_model=event, **settings).train(texts([*SPAM, None], [0, 0, 1, 1, 1, 0, 1]))
    model.save(tmp_path / "model.hedge")
    back = hedgerow.load(tmp_path / "model.hedge")
    assert back == model
    assert str(back) == str(model)
    asked = texts(["free lunch", "", None])
    assert np.array_equal(back.distribution(asked), model.distribution(asked))


@pytest.mark.parametrize("event", EVENTS)
def test_the_printed_odds_are_those_that_compute(event):
    """Readable is executable: the amounts of the table, smoothed, give the scores."""
    model = NaiveBayes(text_model=event).train(texts(SPAM, [0, 0, 1, 1, 1, 0], ("spam", "ham")))
    rows = model.to_table().to_pylist()
    words = sorted({row["term"] for row in rows})
    amounts = np.zeros((2, len(words)))
    for row in rows:
        amounts[model.classes.index(row["class"]), words.index(row["term"])] = row["amount"]
    asked = ["free free lunch", "home"]
    counts = np.array([[text.split().count(word) for word in words] for text in asked])
    if event == "bernoulli":
        p = (amounts + 1) / (np.array([3, 3])[:, None] + 2)
        found = (counts > 0) @ np.log(p).T + (counts == 0) @ np.log(1 - p).T
    else:
        found = reference_bayes.scores(amounts, np.eye(2), counts, event)
    assert model.distribution(texts(asked)) == pytest.approx(reference_bayes.posterior(found))  # equal priors


# -- grounds --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("settings", [{}, {"bits": 5}, {"alpha": 0.0}], ids=str)
def test_grounds_sum_to_the_scores(event, settings):
    if "complement" in event and "alpha" in settings:
        return
    frame = pd.DataFrame({"message": [f"{text} {text}" for text in SPAM], "size": range(6), "sky": list("aabbab")})
    table = hedgerow.data.frames.objects.table_from(
        frame, None, hedgerow.data.table.source.ReadOptions("", kinds={"message": Kind.TEXT})
    )
    model = NaiveBayes(text_model=event, **settings).fit(table, CLASSES).model_
    for row in range(6):
        aligned = model.align(table.take(np.array([row])))
        grounds = model.contributions(aligned)
        names = [part.name for part in grounds.parts]
        assert names[0] == "P(class)"
        assert {f"sky = {frame.sky[row]}", f"size = {row}"} < set(names)
        with np.errstate(invalid="ignore"):
            expected = model._log_products(aligned)[0]
        assert grounds.scores == pytest.approx(expected, abs=1e-9)


def test_grounds_name_terms_and_skip_what_is_missing():
    model = NaiveBayes().train(texts(*G72))
    grounds = model.contributions(texts(["Rocket, rocket team nobody"]))
    assert [(part.name, part.column, part.term) for part in grounds.parts] == [
        ("P(class)", "", -1),
        ("rocket", "text", 3),
        ("team", "text", 4),
    ]
    assert grounds.unit == "log probability"
    assert len(model.contributions(texts([None])).parts) == 1
    alone = NaiveBayes(text_model="complement").train(texts(*G72))
    assert [part.name for part in alone.contributions(texts(["team"])).parts] == ["team"]
    assert [part.name for part in alone.contributions(texts(["nobody"])).parts] == ["P(class)"]


def test_silent_rows():
    model = NaiveBayes().train(texts(*G72))
    scored = model.score_rows(texts(["rocket", "nobody", "", None]))
    assert scored.is_unknown.tolist() == [False, True, True, True]
    assert scored.distribution[1:] == pytest.approx(np.tile([2 / 3, 1 / 3], (3, 1)))
    assert NaiveBayes(text_model="bernoulli").train(texts(*G72)).score_rows(
        texts(["nobody", None])
    ).is_unknown.tolist() == [
        False,
        True,
    ]
    mixed = texts(*G72).with_column(Column("size", Kind.NUMERIC), np.array([1.0, 2.0, 4.0]))
    asked = texts(["nobody", "nobody"]).with_column(Column("size", Kind.NUMERIC), np.array([1.0, np.nan]))
    assert NaiveBayes().train(mixed).score_rows(asked).is_unknown.tolist() == [False, True]
    assert (
        NaiveBayes().train(mixed.select(["size", "topic"])).score_rows(asked.select(["size", "topic"])).is_unknown
        is None
    )


# -- beside other columns, and bad input ----------------------------------------------------------------------


def test_factors_multiply_beside_other_columns():
    sky = np.array([0, 1, 1], dtype=np.int32)
    both = texts(*G72).with_column(Column("sky", Kind.NOMINAL, levels=("sun", "rain")), sky)
    asked = texts(["rocket team"]).with_column(Column("sky", Kind.NOMINAL, levels=("sun", "rain")), sky[:1])
    model = NaiveBayes().train(both)
    assert model.joint(asked)[0] == pytest.approx([1 / 75 * 2 / 4, 4 / 243 * 1 / 3])
    assert "sky         sport  space\n" in str(model)
    assert "text: 5 terms" in str(model)
    complement = NaiveBayes(text_model="complement").train(both)
    assert complement.counts_prior  # beside other columns the prior counts
    unknown = asked.with_column(Column("text", Kind.TEXT), Text.of([None]))
    assert complement.distribution(unknown)[0] == pytest.approx([3 / 4, 1 / 4])


def test_several_text_columns():
    table = texts(*G72).with_column(Column("title", Kind.TEXT), Text.of(["ice", "ice", "moon"]))
    model = NaiveBayes(text_model="complement").train(table)
    assert list(model.telling()) == ["text", "title"]
    assert not model.counts_prior
    assert set(model.to_table().column("column").to_pylist()) == {"text", "title"}


@pytest.mark.parametrize("event", EVENTS)
def test_empty_and_missing_texts_train(event):
    learner = NaiveBayes(text_model=event)
    model = learner.train(texts(["goal", "", None, "orbit", "\0\0", "goal\0goal"], [0, 0, 0, 1, 1, 1]))
    assert model.factors[0].space.n_rows == 5
    assert model.distribution(texts(["", None, "\0"])).shape == (3, 2)
    assert list(model.predict(texts(["orbit"]))) == ["space"]


@pytest.mark.parametrize("values", [["", ""], [None, None], ["!", "a"]])
def test_texts_without_any_term_are_left_out_and_that_is_said(values):
    model = NaiveBayes().train(texts(values, [0, 1]))
    assert model.factors[0] is None
    assert model.about.notes == ("no text of the column 'text' has a term that is used: the column is left out",)
    assert model.distribution(texts(["goal"]))[0] == pytest.approx([0.5, 0.5])
    for settings in ({"idf": "smooth"}, {"text_model": "bernoulli"}, {"text_model": "weighted_complement"}):
        assert NaiveBayes(**settings).train(texts(values, [0, 1])).factors[0] is None


@pytest.mark.parametrize("event", EVENTS)
def test_one_class(event):
    model = NaiveBayes(text_model=event).train(texts(["goal goal", "team"], [0, 0], ("sport",)))
    assert model.distribution(texts(["goal", "nobody"], levels=("sport",))).tolist() == [[1.0], [1.0]]
    assert "sport" in str(model)
    empty = NaiveBayes(text_model=event).train(texts(["goal goal", "team"], [0, 0]))  # the other class has no row
    assert list(empty.predict(texts(["goal", "nobody"]))) == ["sport", "sport"]
    assert "no term distinguishes it from the others" in str(empty)


def test_no_smoothing_makes_classes_impossible():
    model = NaiveBayes(alpha=0).train(texts(*G72))
    assert model.distribution(texts(["goal", "rocket"])).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert model.distribution(texts(["goal rocket"]))[0] == pytest.approx([2 / 3, 1 / 3])  # the prior stands
    assert [part.name for part in model.contributions(texts(["goal rocket"])).parts] == ["P(class)"]
    assert model.telling()["text"]["space"][0].log_odds == np.inf
    presence = NaiveBayes(alpha=0, text_model="bernoulli").train(texts(*G72))
    assert presence.distribution(texts(["orbit rocket team"])).tolist() == [[0.0, 1.0]]
    assert presence.distribution(texts(["orbit"]))[0] == pytest.approx(
        [2 / 3, 1 / 3]
    )  # all three are in every space text
    assert presence.distribution(texts(["goal"])).tolist() == [[1.0, 0.0]]


def test_m_estimate():
    """M061: m = V is add-one; in Bernoulli's model p = 1/2 and m = 2."""
    table = texts(*G72)
    close(NaiveBayes(m=5.0).train(table), NaiveBayes().train(table), table)
    close(
        NaiveBayes(m=2.0, text_model="bernoulli").train(table), NaiveBayes(text_model="bernoulli").train(table), table
    )


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"bits": 8, "signed": True}, "signed=True gives hashed terms negative counts"),
        ({"text_model": "bernoulli", "tf": "log"}, "only uses whether a text contains a term"),
        ({"text_model": "bernoulli", "idf": "smooth"}, "only uses whether a text contains a term"),
        ({"text_model": "complement", "alpha": 0.0}, "text_model='complement' needs alpha or m above 0"),
        ({"text_model": "weighted_complement", "m": 0.0}, "needs alpha or m above 0"),
        ({"bits": 8, "min_rows": 2}, "hashed terms have no vocabulary to limit"),
        ({"text_model": "poisson"}, "multinomial"),
        ({"text_model": "complement", "alpha": 1e308}, "at most 1e"),
        ({"m": 1e31}, "at most 1e"),
    ],
)
def test_settings_that_do_not_go_together(settings, why):
    with pytest.raises(UsageError, match=why):
        NaiveBayes(**settings).train(texts(*G72))


def test_settings_of_texts_do_not_matter_without_texts():
    table = Table.of({"sky": ["sun", "rain"], "play": ["yes", "no"]}, "play")
    assert NaiveBayes(text_model="complement", alpha=0.0).train(table) == NaiveBayes(alpha=0.0).train(table)
    learner = NaiveBayes(bits=8, signed=True, text_model="complement", alpha=0.0)
    assert learner.fit(table).predict(table).tolist() == ["yes", "no"]
    assert not learner.only_counts
    with pytest.raises(ValueError, match="no text column"):
        NaiveBayes().train(table).to_table()


def test_strange_letters():
    odd = ["Größe ÉTÉ", "مرحبا بالعالم", "日本語 テキスト", "😀 emoji e\u0301te\u0301"]
    model = NaiveBayes().train(texts(odd, [0, 0, 1, 1]))
    assert list(model.predict(texts(["größe", "日本語", "بالعالم"]))) == ["sport", "space", "sport"]
    assert "\n".join(str(model).splitlines()) == str(model)


def test_unlabelled_rows_do_not_count():
    with pytest.warns(DataWarning, match="1 of 4 rows is left out"):
        NaiveBayes().fit(texts([*G72[0], "nobody"], [0, 0, 1, -1]))
    model = NaiveBayes().train(texts([*G72[0], "nobody"], [0, 0, 1, -1]))
    assert model == NaiveBayes().train(texts(*G72))


def test_different_classes_of_batches_do_not_mix():
    with pytest.raises(DataError):
        NaiveBayes().partial_fit(SPAM, CLASSES).partial_fit(SPAM, [1, 2, 1, 2, 1, 2])
