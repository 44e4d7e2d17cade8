"""TextTerms: scikit-learn's vectorizers on lists of texts, and text columns in tables with other columns."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import hedgerow
from hedgerow import TextTerms
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import SparseNumbers, Table, Text
from hedgerow.errors import DataError, DataWarning, UsageError
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.vectors.term_table import TermTable

TEXTS = ["Free money, free!", "no money, no cry", "the rain in Spain", "free rain falls", ""]
NEW = ["rain, rain, money", "unheard", "", "שלום free 😀 e\u0301 \0 na\u00efve"]


def message_table(texts=TEXTS, target="label"):
    schema = Schema(
        (
            Column("size", Kind.NUMERIC),
            Column("message", Kind.TEXT),
            Column("label", Kind.NOMINAL, ("ham", "spam")),
        ),
        target,
    )
    n = len(texts)
    columns = (np.arange(n, dtype=np.float64), Text.of(texts), (np.arange(n) % 2).astype(np.int32))
    return Table(schema, columns, n)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (TextTerms(), CountVectorizer()),
        (TextTerms(idf="smooth", norm="l2"), TfidfVectorizer()),
        (TextTerms(bits=10, norm="l2"), HashingVectorizer(n_features=1024)),
        (TextTerms(ngram_max=2, min_rows=2), CountVectorizer(ngram_range=(1, 2), min_df=2)),
        (TextTerms(unit="char", ngram_min=2, ngram_max=3), CountVectorizer(analyzer="char", ngram_range=(2, 3))),
        (TextTerms(unit="char_in_words", ngram_max=4), CountVectorizer(analyzer="char_wb", ngram_range=(1, 4))),
        (TextTerms(stop_words=["the", "no"], most=3), CountVectorizer(stop_words=["the", "no"], max_features=3)),
        (TextTerms(lower=False, tf="binary"), CountVectorizer(lowercase=False, binary=True)),
    ],
    ids=repr,
)
def test_equal_to_scikit_learn(ours, theirs):
    learned, matrix = ours.fit_transform(TEXTS), theirs.fit_transform(TEXTS)
    assert np.allclose(learned.toarray(), matrix.toarray(), rtol=1e-15)
    assert np.array_equal(ours.transform(NEW).toarray(), theirs.transform(NEW).toarray())
    assert np.array_equal(ours.fit(TEXTS).transform(TEXTS).toarray(), learned.toarray())
    if hasattr(theirs, "get_feature_names_out"):
        assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


@pytest.mark.parametrize(
    "held",
    [
        tuple(TEXTS),
        np.array(TEXTS),
        np.array(TEXTS, dtype=object),
        pd.Series(TEXTS),
        pd.Series(TEXTS, dtype="string"),
        pl.Series(TEXTS),
        pa.array(TEXTS),
        pa.chunked_array([TEXTS]),
        [text.encode() for text in TEXTS],
        Text.of(TEXTS),
    ],
    ids=lambda held: type(held).__name__,
)
def test_texts_as_people_hold_them(held):
    expected = TextTerms().fit_transform(TEXTS)
    assert np.array_equal(TextTerms().fit_transform(held).toarray(), expected.toarray())


def test_missing_texts_have_no_terms():
    for missing in (None, float("nan"), pd.NA):
        found = TextTerms().fit_transform(["free money", missing, "money"])
        assert found.toarray().tolist() == [[1, 1], [0, 0], [0, 1]]


def test_texts_that_are_no_utf8():
    found = TextTerms().fit([b"caf\xe9 noir", "caf\ud800e", "ok \0 ok"])
    assert found.get_feature_names_out().tolist() == ["caf", "noir", "ok"]


def test_what_is_no_text_is_refused():
    with pytest.raises(DataError, match="0 sample"):
        TextTerms().fit([])
    with pytest.raises(DataError, match="1D array"):
        TextTerms().fit([1, 2])
    with pytest.raises(DataError, match="not a text"):
        TextTerms().fit(["a", object()])
    with pytest.raises(
        DataError, match="a list of texts was passed, but fit was called with the columns size, message"
    ):
        TextTerms().fit(message_table()).transform(TEXTS)
    with pytest.raises(DataError, match="'size' is numeric"):
        TextTerms(columns="size").fit(message_table())
    with pytest.raises(DataError, match="did you mean 'message'"):
        TextTerms(columns=["mesage"]).fit(message_table())
    with pytest.raises(UsageError, match=r"ngrams=\(3, 2\)"):
        TextTerms(ngram_min=3, ngram_max=2).fit(TEXTS)
    with pytest.raises(UsageError, match="stop_words=5"):
        TextTerms(stop_words=5).fit(TEXTS)
    with pytest.raises(UsageError, match="no vocabulary to limit"):
        TextTerms(bits=4, most=3).fit(TEXTS)


def test_a_table_keeps_its_other_columns():
    learner = TextTerms(min_rows=2)
    table = learner.fit_transform(message_table())
    assert table.schema.names == ("size", "message__free", "message__money", "message__rain", "label")
    assert table.schema.target == "label"
    assert isinstance(table.data[1], SparseNumbers)
    assert table["message__free"].tolist() == [2, 0, 0, 1, 0]
    assert table["size"].tolist() == [0, 1, 2, 3, 4]
    again = learner.transform(message_table(NEW))
    assert again["message__rain"].tolist() == [2, 0, 0, 0]
    assert learner.get_feature_names_out().tolist() == ["size", "message__free", "message__money", "message__rain"]


def test_a_frame_becomes_a_matrix():
    texts = [f"{'free' if k % 3 else 'no'} money for all of you number {k}" for k in range(30)]
    frame = pd.DataFrame({"size": [1.0, np.nan] * 15, "message": texts})
    learner = TextTerms().fit(frame)
    matrix = learner.transform(frame)
    assert issparse(matrix)
    assert matrix.shape == (30, len(learner.get_feature_names_out()))
    assert np.isnan(matrix.toarray()[1, 0])
    assert learner.get_feature_names_out()[:2].tolist() == ["size", "message__10"]


def test_a_table_without_texts_stays_and_it_is_said():
    frame = pd.DataFrame({"name": ["Ann", "Bob"], "age": [1.0, 2]})
    with pytest.warns(DataWarning, match="no column holds text"):
        assert TextTerms().fit_transform(frame).tolist() == [[0, 1], [1, 2]]


def test_short_texts_are_named():
    """A column whose values repeat is nominal unless it is named; new values need not have been seen."""
    frame = pd.DataFrame({"name": ["Ann Lee", "Bob", "Ann Lee", "Bob"], "age": [1.0, 2, 3, 4]})
    learner = TextTerms(columns="name").fit(frame)
    assert learner.get_feature_names_out().tolist() == ["name__ann", "name__bob", "name__lee", "age"]
    new = pd.DataFrame({"name": ["Ann Bob", None], "age": [5.0, 6]})
    assert learner.transform(new).toarray().tolist() == [[1, 1, 0, 5], [0, 0, 0, 6]]
    table = hedgerow.Table.of({"name": ["Bob", "Ann"], "age": [1, 2]})
    assert learner.transform(table)["name__ann"].tolist() == [0, 1]


def test_learned_from_a_source_as_from_a_table(tmp_path):
    path = tmp_path / "messages.csv"
    lines = [f'{i},"some words number{i % 7} of message{i}",{"ab"[i % 2]}' for i in range(200)]
    path.write_text("size,message,label\n" + "\n".join(lines) + "\n")
    source = hedgerow.open_source(path)
    for learner in (TextTerms(min_rows=2, idf="smooth"), TextTerms(bits=6, idf="plain")):
        table = source.read()
        model = learner.train(table)
        streamed = learner.train(source)
        assert streamed == model
        assert isinstance(streamed, TermTable)
        parts = list(streamed.tables(source))
        whole = model.transform(table)
        assert sum(part.n_rows for part in parts) == whole.n_rows == 200
        assert parts[0].schema == whole.schema


def test_models_are_saved_printed_and_compared():
    for learner in (TextTerms(idf="smooth", norm="l2", stop_words={"the"}), TextTerms(bits=5)):
        model = learner.train(message_table())
        again = loads(dumps(model))
        assert again == model
        assert str(again) == str(model)
        found = again.transform(message_table(NEW))
        assert found["size"].tolist() == [0, 1, 2, 3]
    assert str(TextTerms().train(message_table())) == (
        "message: 9 terms of 5 texts; tf count, idf none, norm none\n  most frequent: 'free', 'money', 'no', "
        "'rain', 'cry', 'falls', 'in', 'spain', 'the'"
    )
    assert str(TextTerms().train(hedgerow.examples.loan())) == "no text columns"


def test_inside_scikit_learn():
    texts, y = TEXTS * 8, np.tile([1, 0, 0, 1, 0], 8)
    pipeline = make_pipeline(TextTerms(idf="smooth", norm="l2"), LogisticRegression())
    assert cross_val_score(pipeline, texts, y, cv=4).mean() > 0.9
    search = GridSearchCV(pipeline, {"textterms__ngram_max": [1, 2]}, cv=2).fit(texts, y)
    copy = pickle.loads(pickle.dumps(clone(search.best_estimator_).fit(texts, y)))
    assert (copy.predict(TEXTS) == search.predict(TEXTS)).all()
    frame = pd.DataFrame({"message": texts, "size": np.arange(40.0)})
    both = ColumnTransformer([("words", TextTerms(), "message")], remainder="passthrough").fit(frame)
    assert both.transform(frame).shape == (40, 10)
    assert both.get_feature_names_out()[0] == "words__cry"


def test_every_word_may_be_a_stop_word():
    learner = TextTerms(stop_words=["free", "money"]).fit(["free money", "money"])
    assert learner.transform(["free"]).shape == (1, 0)


def test_frames_with_sentences_that_repeat_are_noted_and_lists_for_other_learners_refused():
    frame = pd.DataFrame({"said": ["the team won the game", "a trip to the moon"] * 6, "n": [1.5, 2, 2, 7] * 3})
    with pytest.warns(
        DataWarning, match="column 'said' is treated as nominal, since its sentences are few or repeated"
    ):
        hedgerow.NaiveBayes().fit(frame, ["ice", "sky"] * 6)
    table = hedgerow.read(frame, kinds={"said": "text"}, target="")
    assert hedgerow.NaiveBayes().fit(table, ["ice", "sky"] * 6).predict(frame).tolist() == ["ice", "sky"] * 6
    with pytest.raises(DataError, match=r"a list of texts is for learners that use texts \(.*NaiveBayes"):
        hedgerow.C45().fit(["the team won", "a trip"], ["ice", "sky"])
    with pytest.raises(DataError, match="Expected 2D array"):
        hedgerow.C45().fit([1, 2], ["ice", "sky"])
