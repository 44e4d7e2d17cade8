"""Soft labels (M070, M072): a row counts in every class by its share, in all kinds of columns."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hedgerow import DataError, NaiveBayes, OneR, Table, UsageError
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Text
from hedgerow.models.bayes.term_evidence import EVENTS
from tests.reference import bayes as reference_bayes

TEXTS = ["free money now", "win a free prize", "hi mum, lunch?", "see you at home", "lunch at home"]
SHARES = np.array([[1, 0], [0.75, 0.25], [0, 1], [0.5, 0.5], [0.125, 0.875]])


def mixed():
    """Return a table of all kinds of columns, whose target names the classes."""
    table = Table.of(
        {
            "sky": ["sun", "sun", None, "rain", "rain"],
            "size": [1.0, 2.0, 2.0, None, 5.0],
            "label": ["spam", "ham", *[None] * 3],
        },
        "label",
    )
    return table.with_column(Column("message", Kind.TEXT), Text.of(TEXTS))


def once_a_class(table, shares):
    """Return every row once a class, weighed by its share."""
    rows = np.tile(np.arange(len(shares)), shares.shape[1])
    codes = np.repeat(np.arange(shares.shape[1], dtype=np.int32), len(shares))
    target = table.schema.target_column
    weights = shares.T.ravel() * np.tile(table.row_weights, 2)
    return replace(table.take(rows).with_column(target, codes), weights=weights, counts_rows=True)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("density", ["normal", "kernel", "bins"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_soft_row_is_the_row_once_a_class_with_its_share(event, density, weighted):
    table = mixed().with_weights(np.array([1.0, 2, 1, 0, 3])) if weighted else mixed()
    learner = NaiveBayes(text_model=event, density=density)
    soft, hard = learner.train(table, shares=SHARES), learner.train(once_a_class(table, SHARES))
    assert soft.prior.tolist() == hard.prior.tolist()
    assert soft.factors[3].by_class.amounts.tolist() == hard.factors[3].by_class.amounts.tolist()
    assert soft.distribution(table) == pytest.approx(hard.distribution(table), abs=1e-12)


def test_texts_count_once_however_many_classes_share_them():
    model = NaiveBayes(idf="smooth", min_rows=2).fit(TEXTS, SHARES).model_
    space = model.factors[0].space
    assert space.n_rows == 5
    assert dict(zip(space.names, space.rows.tolist(), strict=True)) == {"at": 2, "free": 2, "home": 2, "lunch": 2}


def test_multinomial_parameters():
    """M070 and M072: weighted counts and priors by the reference implementation."""
    learner = NaiveBayes().fit(TEXTS, pd.DataFrame(SHARES, columns=["spam", "ham"]))
    assert learner.classes_.tolist() == ["spam", "ham"]
    words = list(learner.model_.factors[0].space.names)
    matrix = np.array([[text.replace(",", "").replace("?", "").split().count(w) for w in words] for text in TEXTS])
    found = reference_bayes.scores(matrix, SHARES, matrix, "multinomial") + np.log(SHARES.mean(axis=0))
    assert learner.predict_proba(TEXTS) == pytest.approx(reference_bayes.posterior(found))


def test_certain_labels_are_ordinary_labels():
    sure = np.eye(2)[[0, 1, 1, 0, 1]]
    soft, hard = NaiveBayes().fit(TEXTS, sure), NaiveBayes().fit(TEXTS, [0, 1, 1, 0, 1])
    assert soft.model_ == hard.model_
    assert soft.classes_.tolist() == [0, 1]
    soft.partial_fit(["free prize"], [1])
    assert soft.model_ == hard.partial_fit(["free prize"], [1]).model_


def test_all_of_one_likeliest_class_is_no_single_class(recwarn):
    model = NaiveBayes().fit(TEXTS, np.tile([0.75, 0.25], (5, 1))).model_
    assert not any("one class" in note for note in model.about.notes)
    assert model.prior.tolist() == [3.75, 1.25]


def test_rows_without_any_share_do_not_count():
    shares = SHARES.copy()
    shares[1] = 0
    kept = [0, 2, 3, 4]
    model = NaiveBayes().train(mixed(), shares=shares)
    assert model == NaiveBayes().train(mixed().take(np.array(kept)), shares=shares[kept])
    assert model.about.rows == 4


@pytest.mark.parametrize(
    ("shares", "why"),
    [
        (np.ones((5, 2)), "row 0 sum to 2"),
        (-np.eye(2)[[0] * 5], "negative"),
        (np.full((5, 2), np.nan), "NaN"),
        (SHARES[:3], "3 by 2, but there are 5 rows"),
    ],
)
def test_bad_shares(shares, why):
    with pytest.raises(DataError, match=why):
        NaiveBayes().fit(TEXTS, shares)
    with pytest.raises(DataError, match=why):
        NaiveBayes().train(mixed(), shares=shares)


def test_who_cannot_take_soft_labels_says_so(tmp_path):
    with pytest.raises(DataError, match="1d array"):
        OneR().fit(np.zeros((5, 1)), SHARES)
    with pytest.raises(DataError, match="1d array"):
        NaiveBayes().partial_fit(TEXTS, SHARES)
    import hedgerow

    (tmp_path / "a.csv").write_text("a,b\n1,x\n2,y\n")
    with pytest.raises(UsageError, match="soft labels can only be used with a table"):
        NaiveBayes().train(hedgerow.open_source(tmp_path / "a.csv", target="b"), shares=SHARES)
