"""Terms that are weighed, or weighed and scored, as they are read: bit for bit what takes one step after the other."""

import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import _kernels
from hedgerow.data.table.table import Text
from hedgerow.data.text.counted_terms import CountedTerms
from hedgerow.data.text.term_counts import TermCounts
from hedgerow.data.text.term_space import IDFS, TermSpace, Weighting
from hedgerow.data.text.term_vectors import NORMS, TFS, TermVectors
from hedgerow.data.text.terms import terms_of, terms_with
from hedgerow.data.text.tokens import WORDS, Tokens

HOWS = [Weighting(*how) for how in product(TFS, IDFS, NORMS)]
KINDS = {
    "words": WORDS,
    "pairs": Tokens(ngrams=(1, 2)),
    "only pairs": Tokens(ngrams=(2, 2), stop_words=frozenset({"w3"})),
    "letters": Tokens("char", (1, 3)),
    "letters of words": Tokens("char_in_words", (2, 3)),
    "stop words": Tokens(stop_words=frozenset({"w1", "w2"})),
    "hashed": Tokens(bits=6),
}
TEXTS = st.lists(st.one_of(st.none(), st.text(st.sampled_from("abAB éΣ.1"), max_size=30)), min_size=1, max_size=8)


def corpus(n_rows, seed=5):
    random = np.random.default_rng(seed)
    texts = [" ".join(f"w{k}" for k in row) for row in random.zipf(1.3, (n_rows, 80)) % 900]
    return Text.of([None, "", "Größe w3 ΣΑΣ w1 w2", *texts, "w1 " * 700])


def evidence(n_terms, n_classes=3, *, strict=False, high=True):
    """Make up evidence of the form that the kernel takes."""
    random = np.random.default_rng(1)
    has = random.random((n_terms, n_classes)) < 0.6
    starts = np.concatenate([[0], np.cumsum(has.sum(axis=1))]).astype(np.int64)
    classes = np.nonzero(has)[1].astype(np.int32)
    height = random.normal(size=n_terms) if high else np.empty(0)
    slope, level = random.normal(size=(2, n_classes))
    return starts, classes, random.normal(size=len(classes)), height, slope, level, np.full(n_classes, strict)


def scored(space, text, parts):
    """Return scores and known rows as vectors give them."""
    vectors, known = space.vectors(text), np.zeros(len(text), dtype=np.bool_)
    scores = np.ones((len(text), len(parts[-1])))
    rows = (vectors.row_starts, vectors.ids, vectors.values)
    _kernels.add_term_scores(*rows, *parts, scores, known, 1)
    return scores, known


def same(space, text, parts):
    scores = np.ones((len(text), len(parts[-1])))
    known = space.add_scores(text, parts, scores)
    expected, expected_known = scored(space, text, parts)
    assert scores.tobytes() == expected.tobytes()
    assert known.tolist() == expected_known.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_those_of_the_vectors(kind):
    text, more = corpus(40), corpus(60, seed=6)
    for how in HOWS:
        space, _ = TermSpace.learn(text, KINDS[kind], weighting=how)
        for strict, high in product((False, True), repeat=2):
            same(space, more, evidence(len(space), strict=strict, high=high))


@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_scores_of_many_rows_for_any_number_of_threads(threads, monkeypatch):
    monkeypatch.setenv("HEDGEROW_THREADS", threads)
    text = corpus(4000)
    assert len(text.data) > 1 << 20  # several chunks
    space, _ = TermSpace.learn(text, weighting=Weighting("log", "plain", "l2"))
    same(space, text, evidence(len(space), 7))


@given(TEXTS, TEXTS, st.sampled_from(HOWS), st.sampled_from(sorted(KINDS)))
def test_scores_of_odd_texts(old, new, how, kind):
    space, _ = TermSpace.learn(Text.of(old), KINDS[kind], weighting=how)
    same(space, Text.of(new), evidence(len(space)))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "hashed"])
def test_weights_are_those_of_the_counts(kind):
    text, tokens = corpus(40), KINDS[kind]
    terms = terms_of(text, tokens)
    counts = TermCounts.of_terms(terms, ~text.missing)
    for how in HOWS:
        counted = CountedTerms.of(text, tokens)
        for name in ("rows", "totals", "n_rows"):
            assert np.array_equal(getattr(counted.counts, name), getattr(counts, name))
        assert list(counted.counts.vocabulary) == list(terms.words)
        scale = how.scale(counts.rows, counts.n_rows)
        found, expected = (
            counted.vectors(how.tf, scale, how.norm),
            TermVectors.of_counts(terms, how.tf, scale, how.norm),
        )
        for name in ("row_starts", "ids", "values"):
            assert getattr(found, name).tobytes() == getattr(expected, name).tobytes()


@pytest.mark.parametrize("threads", ["2", "5"])
def test_weights_of_many_rows_for_any_number_of_threads(threads, monkeypatch):
    text = corpus(4000)
    for tokens in (WORDS, Tokens(bits=8)):
        made = []
        for number in ("1", threads):
            monkeypatch.setenv("HEDGEROW_THREADS", number)
            made.append(TermSpace.learn(text, tokens, weighting=Weighting("count", "smooth", "l2")))
        (space, vectors), (other, found) = made
        assert space.rows.tolist() == other.rows.tolist()
        for name in ("row_starts", "ids", "values"):
            assert getattr(found, name).tobytes() == getattr(vectors, name).tobytes()


def test_rows_are_handed_over_once():
    counted = CountedTerms.of(Text.of(["free money"]))
    counted.vectors("count", None, "none")
    with pytest.raises(ValueError, match="handed over"):
        counted.vectors("count", None, "none")
    with pytest.raises(ValueError, match="handed over"):
        counted.rows.sums()
    with pytest.raises(ValueError, match="a scale a term"):
        CountedTerms.of(Text.of(["free money"])).vectors("count", np.ones(3), "none")


def test_a_lexicon_is_made_once_and_not_pickled():
    space, _ = TermSpace.learn(Text.of(["free money", "no money"]))
    text = Text.of(["money money", "beer", None])
    found = space.vectors(text)
    assert space.lexicon is space.lexicon
    copy = pickle.loads(pickle.dumps(space))
    assert "lexicon" in vars(space)
    assert "lexicon" not in vars(copy)
    again = copy.vectors(text)
    assert (again.ids.tolist(), again.values.tolist()) == (found.ids.tolist(), found.values.tolist()) == ([1], [2.0])


def test_terms_in_any_order_and_stop_words_among_them():
    text = Text.of(["the goal of the team", "team goal"])
    terms = terms_with(text, ["team", "the", "goal"], Tokens(stop_words=frozenset({"the"})))
    assert terms.ids.tolist() == [0, 2, 0, 2]
    assert terms_with(text, ["team", "the", "goal"]).counts.tolist() == [1, 2, 1, 1, 1]


def test_evidence_must_fit():
    space, _ = TermSpace.learn(Text.of(["free money"]))
    text, parts = Text.of(["money"]), evidence(2)
    for wrong in (evidence(3), (*parts[:3], np.ones(1), *parts[4:]), (*parts[:6], np.zeros(2, np.bool_))):
        with pytest.raises(ValueError, match=r"differ|a height a term"):
            space.add_scores(text, wrong, np.zeros((1, 3)))
    with pytest.raises(ValueError, match="texts and scores differ"):
        space.add_scores(text, parts, np.zeros((2, 3)))
