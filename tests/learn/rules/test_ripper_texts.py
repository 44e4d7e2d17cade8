"""RIPPER on texts: conditions such as message contains "free"."""

import numpy as np
import pytest

from hedgerow import Column, Kind, Ripper, Table
from hedgerow.data.table.table import Text
from hedgerow.models.rules.rule_list import RuleList

MESSAGES = {
    "spam": ["Free money now", "get FREE pills", "free, free offer", "win money, it is free", "free lunch today?"],
    "ham": [
        "lunch today?",
        "see you tomorrow",
        "the money is on its way",
        "notes of the meeting",
        None,
        "win some, lose some",
    ],
}


def messages(times=4):
    texts = [text for kind in MESSAGES for text in MESSAGES[kind]] * times
    kinds = [kind for kind in MESSAGES for _ in MESSAGES[kind]] * times
    hour = [float(i % 24) for i in range(len(texts))]
    return Table.of({"hour": hour, "kind": kinds}, "kind").with_column(Column("message", Kind.TEXT), Text.of(texts))


def corpus(rows=4000, vocabulary=3000, seed=1):
    """Return texts of Zipf words; a text is wanted if it has w7 and w12, or w30."""
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, vocabulary + 1)
    words = rng.choice(vocabulary, size=(rows, 40), p=shares / shares.sum())
    has = {k: (words == k).any(axis=1) for k in (7, 12, 30)}
    wanted = (has[7] & has[12]) | has[30]
    wanted ^= rng.random(rows) < 0.02
    texts = [" ".join(f"w{k}" for k in row) for row in words]
    kinds = Table.of({"kind": ["wanted" if w else "other" for w in wanted]}, "kind")
    return kinds.with_column(Column("text", Kind.TEXT), Text.of(texts))


@pytest.mark.parametrize("options", [{}, {"prune": False}, {"mdl": False}])
def test_a_word_tells_spam(options):
    model = Ripper(**options).train(messages())
    assert str(model).split("  #")[0] == 'if message contains "free" then kind = spam (20/0)'
    again = RuleList.parse(str(model), model.schema)
    assert np.array_equal(again.distribution(messages()), model.distribution(messages()))


def test_words_are_found_in_a_large_corpus():
    table = corpus()
    model = Ripper().train(table)
    text = str(model)
    assert 'text contains "w30"' in text
    assert 'text contains "w7" and text contains "w12"' in text or 'text contains "w12" and text contains "w7"' in text
    other = corpus(seed=2)
    assert (model.decide(other) == other.codes(0)).mean() > 0.96


def test_texts_beside_numbers_keep_the_laws():
    table = messages()
    shuffled = table.take(np.random.default_rng(1).permutation(table.n_rows))
    assert str(Ripper().train(table)) == str(Ripper().train(shuffled))
    forbidden = Ripper(forbid=["message"]).train(table)
    assert "message" not in str(forbidden)
    constant = Table.of({"c": ["a", "b"] * 3}, "c").with_column(Column("t", Kind.TEXT), Text.of(["same words"] * 6))
    assert len(Ripper().train(constant)) == 0
