"""What the terms of a text are: runs of words and characters as scikit-learn's CountVectorizer has them."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from hedgerow import _kernels
from hedgerow.data.table.table import Text
from hedgerow.data.text.terms import terms_of, terms_with
from hedgerow.data.text.tokens import UNITS, WORDS, Tokens
from hedgerow.errors import DataError, UsageError

pytestmark = pytest.mark.filterwarnings("ignore:The parameter:UserWarning", "ignore:Your stop_words:UserWarning")

THEIR_UNITS = {"word": "word", "char": "char", "char_in_words": "char_wb"}
LETTERS = st.sampled_from("abAB éÉΣσİ_1. \t\n\u00a0\u2003\x1c😀中\u0301א\0")
TEXTS = st.lists(st.one_of(st.none(), st.text(LETTERS, max_size=40)), max_size=8)
RUNS = st.tuples(st.integers(1, 4), st.integers(0, 3)).map(lambda low_more: (low_more[0], sum(low_more)))
SETTINGS = st.builds(
    Tokens,
    unit=st.sampled_from(UNITS),
    ngrams=RUNS,
    min_length=st.integers(1, 3),
    lower=st.booleans(),
)
STOPS = st.frozensets(st.sampled_from(["ab", "a", "b", "éa", "aσ", "never"]))


def theirs(tokens, **more):
    """Return scikit-learn's vectorizer with the same settings."""
    return CountVectorizer(
        analyzer=THEIR_UNITS[tokens.unit],
        ngram_range=tokens.ngrams,
        token_pattern=rf"(?u)\b\w{{{tokens.min_length},}}\b",
        lowercase=tokens.lower,
        stop_words=sorted(tokens.stop_words) or None,
        **more,
    )


def counted(tokens, texts):
    """Return scikit-learn's terms, and by row their ids and counts."""
    vectorizer = theirs(tokens)
    analyze = vectorizer.build_analyzer()
    if not any(analyze(text or "") for text in texts):
        return [], [[] for _ in texts]
    matrix = vectorizer.fit_transform(text or "" for text in texts)
    matrix.sort_indices()
    pairs = list(zip(matrix.indices.tolist(), matrix.data.tolist(), strict=True))
    return vectorizer.get_feature_names_out().tolist(), [pairs[a:b] for a, b in pairwise(matrix.indptr)]


def rows_of(found):
    pairs = list(zip(found.ids.tolist(), found.counts.tolist(), strict=True))
    return [pairs[a:b] for a, b in pairwise(found.row_starts)]


@settings(max_examples=400)
@given(TEXTS, SETTINGS, STOPS)
@example(["ab ab ab", "ab"], Tokens(ngrams=(2, 3)), frozenset())
@example([" a  b\n\nc\td "], Tokens("char", (1, 3)), frozenset())
@example(["İA", "ΑΣ Σ"], Tokens("char", (1, 2)), frozenset())
def test_terms_are_those_of_count_vectorizer(texts, tokens, stop):
    if tokens.unit == "word":
        tokens = Tokens(**{**vars_of(tokens), "stop_words": stop})
    vocabulary, rows = counted(tokens, texts)
    found = terms_of(Text.of(texts), tokens)
    assert list(found.words) == vocabulary
    assert rows_of(found) == rows


@settings(max_examples=200)
@given(TEXTS, TEXTS, SETTINGS, STOPS, st.randoms())
def test_known_terms_are_those_of_count_vectorizer(texts, new, tokens, stop, random):
    if tokens.unit == "word":
        tokens = Tokens(**{**vars_of(tokens), "stop_words": stop})
    vocabulary, _ = counted(tokens, texts)
    some = [term for term in vocabulary if random.random() < 0.5]
    random.shuffle(some)
    found = terms_with(Text.of(new), some, tokens)
    if some:
        matrix = theirs(tokens, vocabulary=some).transform([text or "" for text in new])
        matrix.sort_indices()
        assert found.row_starts.tolist() == matrix.indptr.tolist()
        assert found.ids.tolist() == matrix.indices.tolist()
        assert found.counts.tolist() == matrix.data.tolist()
    assert list(found.words) == some


@given(st.text(LETTERS, max_size=60), SETTINGS)
def test_split_gives_the_terms_in_order(text, tokens):
    assert tokens.split(text) == theirs(tokens).build_analyzer()(text)


@settings(max_examples=300)
@given(
    st.lists(
        st.one_of(
            st.binary(max_size=6),
            st.sampled_from(["Σ", "A", "é ", "€", "😀", "x y", "İ"]).map(str.encode),
            st.sampled_from([b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80"]),
        ),
        max_size=8,
    ).map(b"".join),
    st.sampled_from(["char", "char_in_words"]),
)
def test_bytes_that_are_no_utf8_are_replaced_as_python_does(data, unit):
    tokens = Tokens(unit, (1, 3))
    raw = np.frombuffer(data, dtype=np.uint8)
    text = Text(raw, np.array([0, len(raw)], dtype=np.int64), np.zeros(1, dtype=np.bool_))
    vocabulary, rows = counted(tokens, [data.decode("utf-8", "replace")])
    found = terms_of(text, tokens)
    assert list(found.words) == vocabulary
    assert rows_of(found) == rows


@pytest.mark.parametrize("tokens", [Tokens(ngrams=(1, 3)), Tokens(ngrams=(2, 2)), Tokens("char", (2, 4))])
@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_the_same_for_any_number_of_threads(tokens, threads):
    random = np.random.default_rng(7)
    picks = (random.zipf(1.2, (4000, 60)) - 1) % 3000
    text = Text.of([" ".join(f"W{pick}é" if pick % 3 else f"longerWord{pick}" for pick in row) for row in picks])
    assert len(text.data) > 1 << 20  # several chunks
    columns = (text.data, text.offsets, text.missing)
    (data, offsets), rows = _kernels.count_terms(*columns, *tokens.kernel_settings, threads)
    plain = terms_of(text, tokens)
    assert np.array_equal(data, plain.vocabulary.data)
    assert np.array_equal(offsets, plain.vocabulary.offsets)
    for one, other in zip(rows, (plain.row_starts, plain.ids, plain.counts), strict=True):
        assert np.array_equal(one, other)
    known = _kernels.count_known_terms(*columns, data, offsets, *tokens.kernel_settings, threads)
    assert all(np.array_equal(one, other) for one, other in zip(known, rows, strict=True))


@pytest.mark.parametrize("tokens", [WORDS, Tokens(ngrams=(1, 2)), Tokens("char", (3, 3)), Tokens("char_in_words")])
def test_one_document_of_50_megabytes(tokens):
    text = Text.of(["free money é " * 3_600_000 + "\0 end", "", None])
    found = terms_of(text, tokens)
    assert len(found) == 3
    assert found.row_starts[1:].tolist() == [len(found.words)] * 3
    if tokens.unit == "word":
        assert found.totals[found.words.index("free")] == 3_600_000


def test_every_blank_parts_words_of_characters():
    blanks = [chr(code) for code in range(0x110000) if chr(code).isspace()]
    text = "x".join(blanks)
    assert terms_of(Text.of([text]), Tokens("char_in_words", (3, 3))).words == (" x ",)
    assert Tokens("char").split("a \n b\n") == ["a", " ", "b", "\n"]


def test_settings_travel_as_json():
    for tokens in (WORDS, Tokens("char", (2, 5), lower=False), Tokens(stop_words=frozenset({"the"}), bits=18)):
        assert Tokens.from_dict(tokens.to_dict()) == tokens
    parts = WORDS.to_dict()
    for wrong in ({}, {**parts, "ngrams": [1]}, {**parts, "ngrams": 1}, {**parts, "lower": 1}, [], {**parts, "x": 1}):
        with pytest.raises(DataError, match="settings of its terms"):
            Tokens.from_dict(wrong)


def test_wrong_settings_are_told():
    runs = ({"ngrams": (2, 1)}, {"ngrams": (0, 1)}, {"ngrams": (1, 256)})
    assert Tokens(min_length=10**30).split("a few words") == []
    for wrong in (*runs, {"unit": "words"}, {"min_length": 0}, {"bits": 0}, {"bits": 25}):
        with pytest.raises(UsageError, match=f"{next(iter(wrong))}="):
            Tokens(**wrong)
    with pytest.raises(UsageError, match="stop words"):
        Tokens("char", stop_words=frozenset({"the"}))


def vars_of(tokens):
    return {name: getattr(tokens, name) for name in tokens.__dataclass_fields__}
