"""Term spaces: weights equal to scikit-learn's vectorizers, number by number, where the settings match."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer

from hedgerow.data.table.table import Text
from hedgerow.data.text import term_space
from hedgerow.data.text.hashed_counts import HashedCounts
from hedgerow.data.text.term_counts import TermCounts
from hedgerow.data.text.term_space import TF_IDF, TermSpace, Weighting
from hedgerow.data.text.term_vectors import TermVectors
from hedgerow.data.text.terms import TermLimits
from hedgerow.data.text.tokens import WORDS, Tokens
from hedgerow.errors import UsageError

CORPUS = ["hockey goal hockey", "goal team", "orbit rocket orbit team"]
TEXTS = st.lists(st.text(st.sampled_from("abAB éΣ.1"), max_size=30), min_size=1, max_size=8)


def equal(vectors, matrix):
    """Check that vectors equal scikit-learn's matrix to the last bit.

    That is so for its `transform`; its `fit_transform` adds a row's squares in another order.
    """
    matrix = matrix.copy()
    matrix.sort_indices()
    assert vectors.row_starts.tolist() == matrix.indptr.tolist()
    assert vectors.ids.tolist() == matrix.indices.tolist()
    assert vectors.values.tolist() == matrix.data.tolist()


def some_texts(n_rows=300):
    random = np.random.default_rng(5)
    return [" ".join(f"w{k}" for k in row) for row in random.zipf(1.3, (n_rows, 80)) % 900]


def by_name(space, vectors, row):
    dense = vectors.matrix().toarray()[row]
    return {name: round(value, 6) for name, value in zip(space.names, dense.tolist(), strict=True) if value}


def test_tf_and_idf_of_the_corpus():
    """G73: tf = count / length, idf = ln(D / D_i)."""
    space, vectors = TermSpace.learn(Text.of(CORPUS), weighting=Weighting("share", "plain"))
    assert dict(zip(space.names, space.scale.round(6).tolist(), strict=True)) == {
        "goal": 0.405465,
        "hockey": 1.098612,
        "orbit": 1.098612,
        "rocket": 1.098612,
        "team": 0.405465,
    }
    assert by_name(space, vectors, 0) == {"hockey": 0.732408, "goal": 0.135155}
    assert by_name(space, vectors, 1) == {"goal": 0.202733, "team": 0.202733}
    assert by_name(space, vectors, 2) == {"orbit": 0.549306, "rocket": 0.274653, "team": 0.101366}


def test_a_term_in_every_document_weighs_nothing():
    """The last sentence of G73."""
    space, vectors = TermSpace.learn(Text.of(["goal team", "goal"]), weighting=Weighting("share", "plain"))
    assert space.scale[0] == 0
    assert by_name(space, vectors, 1) == {}


def test_cosine_of_a_new_document():
    """The similarities of G74: 0, 0.244830, 0.470336."""
    space, vectors = TermSpace.learn(Text.of(CORPUS), weighting=Weighting("share", "plain", "l2"))
    new = space.vectors(Text.of(["rocket team"])).matrix()
    assert (vectors.matrix() @ new.T).toarray().ravel().round(6).tolist() == [0, 0.24483, 0.470336]


@pytest.mark.parametrize("norm", ["none", "l1", "l2"])
@pytest.mark.parametrize("tf", ["count", "binary", "log"])
@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2)])
def test_equal_to_tfidf_vectorizer(tf, norm, ngrams):
    texts = [*some_texts(), "", "once"]
    theirs = TfidfVectorizer(
        norm=None if norm == "none" else norm, sublinear_tf=tf == "log", binary=tf == "binary", ngram_range=ngrams
    )
    matrix = theirs.fit(texts).transform(texts)
    tokens, how = Tokens(ngrams=ngrams), Weighting(tf, "smooth", norm)
    space, vectors = TermSpace.learn(Text.of(texts), tokens, weighting=how)
    assert list(space.names) == theirs.get_feature_names_out().tolist()
    assert space.scale.tolist() == theirs.idf_.tolist()
    equal(vectors, matrix)
    new = ["w1 w2 unheard", "", "w3 w3 w3 w1"]
    equal(space.vectors(Text.of(new)), theirs.transform(new))


@settings(max_examples=150)
@given(TEXTS, TEXTS, st.integers(1, 2), st.sampled_from([1.0, 0.6]))
def test_equal_to_tfidf_vectorizer_on_any_texts(texts, new, min_rows, max_share):
    theirs = TfidfVectorizer(min_df=min_rows, max_df=max_share)
    space, vectors = TermSpace.learn(Text.of(texts), limits=TermLimits(min_rows, max_share), weighting=TF_IDF)
    try:
        matrix = theirs.fit(texts).transform(texts)
    except ValueError:  # they refuse to learn nothing
        assert not len(space)
        return
    assert list(space.names) == theirs.get_feature_names_out().tolist()
    equal(vectors, matrix)
    equal(space.vectors(Text.of(new)), theirs.transform(new))


@settings(max_examples=150)
@given(
    TEXTS,
    st.integers(1, 6),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["none", "l1", "l2"]),
    st.sampled_from([(1, 1), (1, 2)]),
)
def test_equal_to_hashing_vectorizer(texts, bits, signed, binary, norm, ngrams):
    theirs = HashingVectorizer(
        n_features=1 << bits,
        alternate_sign=signed,
        norm=None if norm == "none" else norm,
        binary=binary,
        ngram_range=ngrams,
    )
    tokens = Tokens(bits=bits, signed=signed, ngrams=ngrams)
    space, vectors = TermSpace.learn(
        Text.of(texts), tokens, weighting=Weighting("binary" if binary else "count", "none", norm)
    )
    equal(vectors, theirs.transform(texts))
    equal(space.vectors(Text.of(texts)), theirs.transform(texts))
    assert len(space.names) == len(set(space.names)) == len(space) == 1 << bits


def test_hashed_texts_are_taken_in_blocks(monkeypatch):
    texts = Text.of([*some_texts(50), "", None])
    space, vectors = TermSpace.learn(texts, Tokens(bits=10), weighting=Weighting("log", "plain", "l2"))
    monkeypatch.setattr(term_space, "BLOCK_BYTES", 1000)
    assert len(term_space.blocks(texts)) > 5
    again = space.vectors(texts)
    assert again.row_starts.tolist() == vectors.row_starts.tolist()
    assert again.ids.tolist() == vectors.ids.tolist()
    assert again.values.tolist() == vectors.values.tolist()


@pytest.mark.parametrize("bits", [None, 8])
def test_two_passes_equal_one(bits):
    texts = some_texts()
    tokens, limits = Tokens(bits=bits), TermLimits(min_rows=2) if bits is None else TermLimits()
    space, vectors = TermSpace.learn(Text.of(texts), tokens, limits, TF_IDF)
    kind = TermCounts if bits is None else HashedCounts
    first, *rest = (kind.of(Text.of(texts[at : at + 70]), tokens) for at in range(0, 300, 70))
    streamed = TermSpace.from_counts(sum(rest, start=first), tokens, limits, TF_IDF)
    assert streamed.names == space.names
    assert streamed.vectors(Text.of(texts)).values.tolist() == vectors.values.tolist()


def test_documents_without_known_terms_are_empty_rows():
    space, _ = TermSpace.learn(Text.of(CORPUS), weighting=TF_IDF)
    vectors = space.vectors(Text.of(["", None, "never heard", "\0", "goal"]))
    assert vectors.row_starts.tolist() == [0, 0, 0, 0, 0, 1]
    assert vectors.values.tolist() == [1.0]


def test_nothing_at_all():
    for tokens in (WORDS, Tokens(bits=3)):
        space, vectors = TermSpace.learn(Text.of([]), tokens, weighting=TF_IDF)
        assert len(vectors) == 0
        assert len(space.vectors(Text.of(["some words"]))) == 1
        assert vectors.matrix().shape == (0, len(space))


def test_columns_of_a_table():
    space, vectors = TermSpace.learn(Text.of(CORPUS))
    dense = np.column_stack([column.dense() for column in vectors.columns()])
    assert dense.tolist() == vectors.matrix().toarray().tolist()
    assert len(space) == dense.shape[1]


def test_rows_are_scaled_as_the_twin_does():
    random = np.random.default_rng(1)
    for norm in ("none", "l1", "l2"):
        dense = random.normal(size=(3000, 7)) * (random.random((3000, 7)) < 0.4)
        scale = random.random(7)
        rows, ids = np.nonzero(dense)
        starts = np.searchsorted(rows, np.arange(3001)).astype(np.int64)
        vectors = TermVectors(starts, ids.astype(np.int32), dense[rows, ids], 7).scale_terms(scale, norm)
        weighed = dense * scale
        lengths = {"none": np.ones(3000), "l1": np.abs(weighed).sum(1), "l2": np.sqrt((weighed**2).sum(1))}[norm]
        expected = weighed / np.where(lengths > 0, lengths, 1)[:, None]
        assert np.allclose(vectors.matrix().toarray(), expected, rtol=1e-14)


def test_wrong_settings_are_told():
    for wrong in ({"tf": "tf"}, {"idf": "yes"}, {"norm": "l3"}):
        with pytest.raises(UsageError, match=f"{next(iter(wrong))}="):
            Weighting(**wrong)
    with pytest.raises(UsageError, match="no vocabulary to limit"):
        TermSpace.learn(Text.of(CORPUS), Tokens(bits=4), TermLimits(min_rows=2))


def test_a_count_can_be_divided_by_the_largest_of_its_text():
    _, vectors = TermSpace.learn(Text.of(["hockey goal hockey", "", "goal"]), weighting=Weighting("most"))
    assert vectors.matrix().toarray().tolist() == [[0.5, 1.0], [0.0, 0.0], [1.0, 0.0]]
