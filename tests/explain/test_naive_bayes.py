"""Naive Bayes explained: what words and values add sums to the difference of the model's log probabilities."""

import numpy as np
import pytest

import hedgerow
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table, Text

EVENT = "text_model"  # the parameter that says how words are counted
TEXTS = [
    "Free prize, call now to claim your FREE cash!",
    "are we still on for lunch at noon",
    "the election and the parties of the right",
    "win cash now, call this free number",
    "lunch was great, thank you for the cake",
    "the minister lost the election",
    None,
    "",
]
LABELS = ["spam", "ham", "news", "spam", "ham", "news", "ham", "spam"]
NEW = ["FREE lunch for the election?", "qwertz", None, "", "cash\0 İ \U0001f600 CALL", "the the the"]


def table(texts, labels=None, numbers=None, words=None):
    n = len(texts)
    columns = [Column("message", Kind.TEXT)]
    data = [Text.of(texts)]
    if numbers is not None:
        columns += [Column("length", Kind.NUMERIC), Column("sender", Kind.NOMINAL, levels=("friend", "stranger"))]
        data += [np.array(numbers, dtype=np.float64), np.array(words, dtype=np.int32)]
    columns.append(Column("Class", Kind.NOMINAL, levels=("ham", "news", "spam")))
    codes = [-1] * n if labels is None else [("ham", "news", "spam").index(label) for label in labels]
    data.append(np.array(codes, dtype=np.int32))
    return Table(Schema(tuple(columns), "Class"), tuple(data), n)


def check(model, rows):
    """Explain rows and compare with the model's own probabilities."""
    shares = model.distribution(rows)
    for found in hedgerow.explanations(model, rows):
        own = shares[found.number - 1]
        assert found.probabilities == pytest.approx(own)
        one, other = own[found.sides.winner], own[found.sides.against]
        if other > 0:
            assert found.reason.total == pytest.approx(np.log(one) - np.log(other), abs=1e-9)
        parts = zip(found.reason.contributions.parts, found.reason.adds, strict=True)
        terms = sum(adds for part, adds in parts if part.term >= 0)
        if np.isfinite(terms):
            assert sum(text.amounts.sum() for text in found.texts) == pytest.approx(terms, abs=1e-9)
        text = rows["message"][found.number - 1]
        assert [one.text for one in found.texts] == ([] if text is None else [text])
        assert str(found)
        assert found._repr_html_()


@pytest.mark.parametrize("event", ["multinomial", "bernoulli", "complement", "weighted_complement"])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"ngram_max": 2},
        {"bits": 6},
        {"unit": "char_in_words", "ngram_min": 2, "ngram_max": 4},
        {"unit": "char", "ngram_min": 3, "ngram_max": 3},
        {"stop_words": ["the", "for"]},
        {"lower": False},
        {"alpha": 0.1},
    ],
    ids=str,
)
def test_words_add_up(event, settings):
    model = hedgerow.NaiveBayes(**{EVENT: event}, **settings).train(table(TEXTS, LABELS))
    check(model, table(NEW))


@pytest.mark.parametrize("weights", [{"tf": "log", "idf": "smooth", "norm": "l2"}, {"tf": "binary"}, {"tf": "share"}])
def test_weighed_words_add_up(weights):
    for event in ("multinomial", "complement"):
        check(hedgerow.NaiveBayes(**{EVENT: event}, **weights).train(table(TEXTS, LABELS)), table(NEW))


def test_words_and_other_columns_add_up():
    numbers, words = [10, 20, np.nan, 40, 5, 60, 7, 8], [0, 1, 0, 1, 1, -1, 0, 0]
    model = hedgerow.NaiveBayes().train(table(TEXTS, LABELS, numbers, words))
    rows = table(NEW, None, [10, np.nan, np.nan, 3, 1000, 2], [0, 1, -1, -1, 1, 0])
    check(model, rows)
    found = hedgerow.explanations(model, rows)
    assert "(message)" in str(found[0])
    assert [one.silent for one in found] == [False, False, True, False, False, False]


def test_without_smoothing_what_was_never_seen_is_impossible():
    model = hedgerow.NaiveBayes(alpha=0).train(table(TEXTS, LABELS))
    check(model, table(NEW))
    found = hedgerow.explanations(model, table(["cash cake"]))[0]  # impossible for all: the prior stands
    assert found.decision == "ham"
    told = str(hedgerow.explanations(model, table(["election"]))[0])
    assert "+inf" in told
    assert "which makes that class impossible" in told


def test_texts_without_known_words_are_decided_by_the_prior():
    model = hedgerow.NaiveBayes().train(table(TEXTS, LABELS))
    found = hedgerow.explanations(model, table(NEW))
    assert [one.silent for one in found] == [False, True, True, True, False, False]
    assert "the text holds no word that the model knows: the prior decides" in str(found[1])
    assert "the text is missing: the prior decides" in str(found[2])
    for one in found[1:4]:
        assert one.probabilities == pytest.approx(model.prior / model.prior.sum())


def test_a_committee_of_naive_bayes_marks_words_too():
    model = hedgerow.Bagging(base=hedgerow.NaiveBayes(), n_estimators=3).train(table(TEXTS, LABELS))
    found = hedgerow.explanations(model, table(NEW), [0])[0]
    assert any(amount for _, amount in found.texts[0].pieces())


def test_a_long_document_is_shortened_in_lines_but_not_on_a_page():
    model = hedgerow.NaiveBayes().train(table(TEXTS, LABELS))
    long = "\n\n".join([*["nothing of it is known"] * 100, "free CASH", *["qwertz"] * 100])
    found = hedgerow.explanations(model, table([long]))[0]
    told = str(found)
    assert "lines with weaker words not shown; --html FILE shows the whole text" in told
    assert "CASH]" in told
    assert told.count("\n") < 80
    assert found._repr_html_().count("qwertz") == 100


@pytest.mark.parametrize("n_classes", [1, 12])
def test_one_class_and_many(n_classes):
    texts = [f"word{i} shared" for i in range(n_classes)]
    labels = [f"c{i:02}" for i in range(n_classes)]
    column = Column("Class", Kind.NOMINAL, levels=tuple(labels))
    schema = Schema((Column("message", Kind.TEXT), column), "Class")
    rows = Table(schema, (Text.of(texts), np.arange(n_classes, dtype=np.int32)), n_classes)
    model = hedgerow.NaiveBayes().train(rows)
    found = hedgerow.explanations(model, rows)
    assert [one.decision for one in found] == labels
    assert all(map(str, found))
