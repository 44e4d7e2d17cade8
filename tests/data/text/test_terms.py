"""The terms of text columns: those of CountVectorizer, for any number of threads."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from hedgerow import _kernels
from hedgerow.data.table.table import Text
from hedgerow.data.text.terms import TermLimits, terms_of, terms_with
from hedgerow.data.text.tokens import WORDS, Tokens
from hedgerow.errors import DataError, UsageError
from tests.reference.words import known_terms, terms

TEXTS = st.lists(st.one_of(st.none(), st.text(st.sampled_from("abAB éÉΣσ_1."), max_size=30)), max_size=8)
SOME = ["Free money, free!", "the money is THE thing", "", "Ολα ΟΔΟΣ free", "the the the", "a I"]


def rows_of(found):
    pairs = list(zip(found.ids.tolist(), found.counts.tolist(), strict=True))
    return [pairs[a:b] for a, b in pairwise(found.row_starts)]


def zipf(n_rows, n_words, n_terms=3000):
    """Texts with some frequent and many rare words, long ones and capitals among them."""
    random = np.random.default_rng(7)
    picks = (random.zipf(1.2, (n_rows, n_words)) - 1) % n_terms
    return [
        " ".join(f"W{pick}" if pick % 3 else f"longerWord{pick}é"[: 14 + pick % 2] for pick in row) for row in picks
    ]


@given(TEXTS, st.integers(1, 3))
def test_terms_are_those_of_the_twin(texts, min_length):
    found = terms_of(Text.of(texts), Tokens(min_length=min_length))
    vocabulary, rows = terms(texts, min_length)
    assert list(found.words) == vocabulary
    assert rows_of(found) == rows
    assert found.row_starts.dtype == np.int64
    assert found.ids.dtype == found.counts.dtype == np.int32


@given(TEXTS, st.lists(st.sampled_from(["ab", "éa", "aσ", "a", "zz", "A", ""]), unique=True), st.integers(1, 2))
def test_known_terms_are_those_of_the_twin(texts, vocabulary, min_length):
    found = terms_with(Text.of(texts), vocabulary, Tokens(min_length=min_length))
    assert list(found.words) == vocabulary
    assert rows_of(found) == known_terms(texts, vocabulary, min_length)


@pytest.mark.parametrize("texts", [SOME, zipf(200, 60)], ids=["some", "zipf"])
@pytest.mark.parametrize("limits", [{}, {"min_rows": 2}, {"max_share": 0.4}, {"min_rows": 2, "max_share": 0.5}])
def test_equal_to_count_vectorizer(texts, limits):
    theirs = CountVectorizer(min_df=limits.get("min_rows", 1), max_df=limits.get("max_share", 1.0))
    matrix = theirs.fit_transform(texts)
    matrix.sort_indices()
    found = terms_of(Text.of(texts), limits=TermLimits(**limits))
    assert list(found.words) == theirs.get_feature_names_out().tolist()
    assert np.array_equal(found.row_starts, matrix.indptr)
    assert np.array_equal(found.ids, matrix.indices)
    assert np.array_equal(found.counts, matrix.data)


def test_most_frequent_terms_as_count_vectorizer_takes_them():
    texts = [
        " ".join(f"w{k:02}" for k in range(40) for _ in range(k % 20 + 20 * (k // 20) + row % 2)) for row in range(3)
    ]
    theirs = CountVectorizer(max_features=7).fit(texts)
    assert list(terms_of(Text.of(texts), limits=TermLimits(most=7)).words) == theirs.get_feature_names_out().tolist()


def test_of_equally_frequent_terms_the_first_stay():
    assert terms_of(Text.of(["dd cc bb aa", "dd"]), limits=TermLimits(most=2)).words == ("aa", "dd")
    assert terms_of(Text.of(["aa"]), limits=TermLimits(most=5)).words == ("aa",)


def test_a_missing_text_is_no_row_of_a_share():
    text = Text.of(["aa bb", "aa", None, None])
    assert terms_of(text, limits=TermLimits(max_share=0.5)).words == ("bb",)


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_the_same_for_any_number_of_threads(threads):
    text = Text.of([*zipf(4000, 60), None, "", "once only"])
    assert len(text.data) > 1 << 20  # several chunks
    (data, offsets), rows = _kernels.count_terms(text.data, text.offsets, text.missing, *WORDS.kernel_settings, threads)
    plain = terms_of(text)
    assert np.array_equal(data, plain.vocabulary.data)
    assert np.array_equal(offsets, plain.vocabulary.offsets)
    for one, other in zip(rows, (plain.row_starts, plain.ids, plain.counts), strict=True):
        assert np.array_equal(one, other)
    known = _kernels.count_known_terms(
        text.data, text.offsets, text.missing, data, offsets, *WORDS.kernel_settings, threads
    )
    assert all(np.array_equal(one, other) for one, other in zip(known, rows, strict=True))


def test_many_rows_against_the_twin():
    texts = zipf(2000, 100)
    vocabulary, rows = terms(texts)
    found = terms_of(Text.of(texts))
    assert list(found.words) == vocabulary
    assert rows_of(found) == rows


@pytest.mark.parametrize("texts", [[], [None], [""], [None, "", "."], ["\0"]])
def test_nothing_to_count(texts):
    for found in (terms_of(Text.of(texts)), terms_with(Text.of(texts), ["free"])):
        assert found.row_starts.tolist() == [0] * (len(texts) + 1)
        assert len(found) == len(texts)
        assert not len(found.ids)
    assert terms_with(Text.of(texts), []).words == ()


def test_one_huge_row():
    word, rest = "x" * 3_000_000, ["ab", "cd"] * 500_000
    found = terms_of(Text.of(["ab", f"{word}é " + " ".join(rest), None]))
    assert found.words == ("ab", "cd", f"{word}é")
    assert rows_of(found) == [[(0, 1)], [(0, 500_000), (1, 500_000), (2, 1)], []]


def test_rows_by_term_and_totals():
    found = terms_of(Text.of(SOME))
    starts, rows = found.by_term()
    each = {word: rows[starts[k] : starts[k + 1]].tolist() for k, word in enumerate(found.words)}
    assert each["free"] == [0, 3]
    assert each["the"] == [1, 4]
    assert dict(zip(found.words, found.totals.tolist(), strict=True))["the"] == 5
    assert Counter(found.row_counts.tolist()) == Counter({1: 4, 2: 3})
    assert found.entry_rows.tolist() == sorted(found.entry_rows.tolist())


def test_wrong_limits_are_told():
    for wrong in ({"min_rows": 0}, {"max_share": 0}, {"max_share": 1.5}, {"most": 0}):
        with pytest.raises(UsageError, match=f"{next(iter(wrong))}="):
            TermLimits(**wrong)
    with pytest.raises(DataError, match="lists 'aa' twice"):
        terms_with(Text.of(["aa"]), ["aa", "bb", "aa"])


@pytest.mark.parametrize("threads", [1, 2])
def test_a_count_beyond_a_byte_and_many_texts_without_words(monkeypatch, threads):
    """Rows are packed on the way: counts of 255 and more, ids of one to three bytes, rows of nothing."""
    monkeypatch.setenv("HEDGEROW_THREADS", str(threads))
    many = " ".join(f"w{i}" for i in range(70_000))
    texts = ["ab " * 254, "ab " * 255, "ab " * 256 + "cd " * 70_000, many, *[""] * 1000, many + " w5" * 300, None]
    found = terms_of(Text.of(texts))
    vocabulary = list(found.vocabulary)
    assert vocabulary == sorted({"ab", "cd", *(f"w{i}" for i in range(70_000))})
    ab, cd, five = (vocabulary.index(word) for word in ("ab", "cd", "w5"))
    rows = rows_of(found)
    assert rows[:3] == [[(ab, 254)], [(ab, 255)], [(ab, 256), (cd, 70_000)]]
    assert all(not row for row in (*rows[4:1004], rows[-1]))
    assert rows[3] == [(word, 1) for word in range(cd + 1, len(vocabulary))]
    assert rows[1004] == [(word, 301 if word == five else 1) for word, _ in rows[3]]


def test_a_million_empty_texts():
    n = 1_000_000
    text = Text(np.empty(0, np.uint8), np.zeros(n + 1, np.int64), np.zeros(n, np.bool_))
    for tokens in (WORDS, Tokens(ngrams=(1, 2)), Tokens("char", (2, 3))):
        found = terms_of(text, tokens)
        assert len(found) == n
        assert not len(found.vocabulary)
        assert not found.row_starts.any()


@pytest.mark.parametrize("unit", ["word", "char", "char_in_words"])
def test_nul_bytes_are_characters_that_part_words(unit):
    texts = ["free\0money", "\0", "a\0\0b free", "\0free\0", "ab\0 ab"]
    tokens = Tokens(unit, (1, 2) if unit == "word" else (2, 3))
    peer = CountVectorizer(analyzer={"char_in_words": "char_wb"}.get(unit, unit), ngram_range=tokens.ngrams)
    expected = peer.fit_transform(texts)
    found = terms_of(Text.of(texts), tokens)
    assert list(found.vocabulary) == peer.get_feature_names_out().tolist()
    assert found.row_starts.tolist() == expected.indptr.tolist()
    expected.sort_indices()
    assert found.ids.tolist() == expected.indices.tolist()
    assert found.counts.tolist() == expected.data.tolist()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_many_different_words_in_order(monkeypatch, threads):
    """Words of equal beginnings, of all lengths around the eight bytes that are compared first."""
    monkeypatch.setenv("HEDGEROW_THREADS", str(threads))
    random = np.random.default_rng(3)
    words = ["".join(random.choice(list("abé"), random.integers(2, 14))) for _ in range(6_000)]
    words += [f"aaaaaaaa{i}" for i in range(30_000)]
    random.shuffle(words)
    texts = [" ".join(words[i : i + 500]) for i in range(0, len(words), 500)]
    assert list(terms_of(Text.of(texts)).vocabulary) == sorted(set(words))
    runs = terms_of(Text.of(texts), Tokens(ngrams=(2, 2))).vocabulary
    pairs = {f"{a} {b}" for text in texts for a, b in pairwise(text.split())}
    assert list(runs) == sorted(pairs)
