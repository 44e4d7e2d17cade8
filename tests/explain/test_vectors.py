"""Rocchio and nearest neighbors explained: cosines and votes add up."""

import tracemalloc

import numpy as np
import pytest

import hedgerow
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table, Text
from tests.explain.test_naive_bayes import LABELS, NEW, TEXTS, table

SETTINGS = [{}, {"ngram_max": 2}, {"bits": 6}, {"unit": "char_in_words", "ngram_min": 2, "ngram_max": 4}]


@pytest.mark.parametrize("settings", [*SETTINGS, {"prototypes": 2}], ids=str)
def test_cosines_add_up(settings):
    model = hedgerow.Rocchio(**settings).train(table(TEXTS, LABELS))
    rows = table(NEW)
    for found in hedgerow.explanations(model, rows):
        own = model.contributions(rows.slice(found.number - 1, found.number)).scores
        assert found.reason.total == pytest.approx(own[found.sides.winner] - own[found.sides.against], abs=1e-9)
        assert found.reason.total >= -1e-12
        parts = zip(found.reason.contributions.parts, found.reason.adds, strict=True)
        terms = sum(adds for part, adds in parts if part.term >= 0)
        assert sum(text.amounts.sum() for text in found.texts) == pytest.approx(terms, abs=1e-9)
        assert str(found)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_votes_of_neighbors_add_up(settings):
    model = hedgerow.KNN(n_neighbors=3, **settings).train(table(TEXTS, LABELS))
    rows = table(NEW)
    shares = model.distribution(rows)
    for found in hedgerow.explanations(model, rows):
        if found.silent:
            continue
        votes = found.reason.contributions.scores
        assert votes / votes.sum() == pytest.approx(shares[found.number - 1], abs=1e-9)
        assert found.reason.total == pytest.approx(votes[found.sides.winner] - votes[found.sides.against], abs=1e-9)
        assert str(found)


def test_neighbors_of_rows_with_other_columns_are_told():
    numbers, words = [10, 20, np.nan, 40, 5, 60, 7, 8], [0, 1, 0, 1, 1, -1, 0, 0]
    model = hedgerow.KNN(n_neighbors=2).train(table(TEXTS, LABELS, numbers, words))
    found = hedgerow.explanations(model, table(NEW[:1], None, [10], [0]))[0]
    assert "at distance" in str(found)


@pytest.mark.parametrize("learner", [hedgerow.Rocchio(), hedgerow.KNN()], ids=str)
def test_texts_without_known_words(learner):
    model = learner.train(table(TEXTS, LABELS))
    for found in hedgerow.explanations(model, table(NEW), [1, 2, 3]):
        assert found.silent
        assert "the prior decides" in str(found)
        assert found.probabilities == pytest.approx(np.array([3, 2, 3]) / 8)


def test_many_equally_near_texts_take_no_room_a_text_and_term():
    """20,000 rows share one of 2,000 words with the text asked for: a number a row and word would be 320 MB."""
    words = [f"w{number}" for number in range(2000)]
    texts = Text.of(["w0"] * 20_000 + [" ".join(words)])
    codes = np.array([0, 1] * 10_000 + [0], dtype=np.int32)
    schema = Schema((Column("text", Kind.TEXT), Column("topic", Kind.NOMINAL, ("x", "y"))), "topic")
    model = hedgerow.KNN(n_neighbors=3, idf="none").train(Table(schema, (texts, codes), len(codes)))
    tracemalloc.start()
    (found,) = hedgerow.explanations(model, [" ".join(words)])
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.reason.contributions.scores == pytest.approx([2, 1])
    assert most < 100e6
