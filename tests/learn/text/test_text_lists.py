"""Lists of strings are a table with one text column, for every learner that takes texts."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from hedgerow import KNN, DataError, NaiveBayes, OneR, Rocchio
from hedgerow.data.frames import text_lists
from hedgerow.data.frames.text_lists import parse_texts, text_table
from hedgerow.data.table.schema import Kind
from hedgerow.learn.registry import learners

TEXTS = ["free money now", "win a free prize", "hi mum, lunch?", "see you at home", "lunch at home", "free free"] * 3
CLASSES = ["spam", "spam", "ham", "ham", "ham", "spam"] * 3
TAKING = [
    info.learner
    for info in learners().values()
    if Kind.TEXT in info.learner.takes and info.learner.estimator_type == "classifier"
]
FORMS = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "objects": lambda texts: np.array(texts, dtype=object),
    "pandas": pd.Series,
    "shifted": lambda texts: pd.Series(texts, index=range(5, 5 + len(texts))),
    "polars": pl.Series,
    "arrow": pa.array,
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("kind", TAKING, ids=lambda kind: kind.name)
def test_learners_that_take_texts_take_lists_of_them(kind, form):
    learner = kind().fit(form(TEXTS), CLASSES)
    assert learner.n_features_in_ == 1
    assert not hasattr(learner, "feature_names_in_")
    assert learner.model_.schema["text"].kind is Kind.TEXT
    said = learner.predict(form(TEXTS))
    assert said.tolist() == kind().fit(TEXTS, CLASSES).predict(TEXTS).tolist()
    assert learner.score(form(TEXTS), CLASSES) == np.mean(said == CLASSES)
    assert learner.model_.predict(form(TEXTS)).tolist() == said.tolist()


def test_missing_texts_and_bytes():
    learner = NaiveBayes().fit(["free money", None, b"lunch at home", float("nan")], ["spam", "spam", "ham", "ham"])
    assert learner.model_.factors[0].space.n_rows == 2
    assert learner.predict([None, b"lunch"]).tolist() == ["ham", "ham"]
    assert parse_texts(["a\udc80b"])[0] == "a?b"


def test_a_frame_with_one_text_column_is_asked_with_a_list():
    frame = pd.DataFrame({"message": [f"{text} number {k}" for k, text in enumerate(TEXTS * 3)]})
    learner = NaiveBayes().fit(frame, CLASSES * 3)
    assert (
        learner.predict(["free money", None]).tolist()
        == learner.predict(pd.DataFrame({"message": ["free money", None]})).tolist()
    )
    assert learner.predict([None, "free money"]).tolist()[1] == "spam"
    both = NaiveBayes().fit(frame.assign(size=[k % 5 for k in range(len(frame))]), CLASSES * 3)
    with pytest.raises(DataError, match="1 features, but NaiveBayes is expecting 2"):
        both.predict(["free money"])


@pytest.mark.parametrize("other", [[1.0, 2.0], [[1.0], [2.0]], [["a"], ["b"]], np.zeros(3), {"a": 1}, [None, None], 5])
def test_what_is_no_list_of_texts(other):
    assert parse_texts(other) is None


def test_errors():
    with pytest.raises(DataError, match="is not a text; give strings"):
        NaiveBayes().fit(["free", object()], ["spam", "ham"])
    with pytest.raises(DataError, match="a list of texts is for learners that use texts"):
        OneR().fit(TEXTS, CLASSES)
    with pytest.raises(ValueError, match="0 sample"):
        NaiveBayes().fit([], [])
    with pytest.raises(DataError, match="no text"):
        text_table(parse_texts([]))
    with pytest.raises(DataError, match="inconsistent"):
        NaiveBayes().fit(TEXTS, CLASSES[:-1])


@pytest.mark.parametrize("learner", [NaiveBayes(), Rocchio(), KNN(n_neighbors=3)])
def test_long_lists_are_predicted_in_parts(learner, monkeypatch):
    random = np.random.default_rng(0)
    texts = [" ".join(f"w{k}" for k in row) for row in random.zipf(1.3, (90, 12)) % 40]
    learner.fit(texts[:50], [f"c{k}" for k in random.integers(0, 3, 50)])
    classes, shares = learner.predict(texts), learner.predict_proba(texts)
    monkeypatch.setattr(text_lists, "PART", 7)
    assert len(text_lists.text_parts(texts)) == 13
    assert learner.predict(texts).tolist() == classes.tolist()
    assert learner.predict_proba(texts).tobytes() == shares.tobytes()
    for other in ([*texts, None], np.array(texts), tuple(texts)):
        assert len(text_lists.text_parts(other)) == 1
        assert learner.predict(other)[:90].tolist() == classes.tolist()
