"""Counts of terms: those of parts of a corpus add up to those of the whole, by class too."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from hedgerow import _kernels
from hedgerow.data.hashed_counts import HashedCounts, column_names, hashed_columns
from hedgerow.data.table import Text
from hedgerow.data.term_counts import TermCounts, class_shares
from hedgerow.data.tokens import Tokens
from hedgerow.errors import DataError

TEXTS = st.lists(st.one_of(st.none(), st.text(st.sampled_from("abc é."), max_size=12)), max_size=8)
ANY = Tokens(min_length=1, ngrams=(1, 2))
CORPUS = Text.of(["hockey goal hockey", "goal team", "orbit rocket orbit team", None, ""])
CLASSES = np.array([0, 0, 1, 1, -1], dtype=np.int32)


def same(one, other):
    assert [str(term) for term in one.vocabulary] == [str(term) for term in other.vocabulary]
    assert one.n_rows == other.n_rows
    assert one.rows.tolist() == other.rows.tolist()
    assert one.totals.tolist() == other.totals.tolist()
    assert (one.by_class is None) == (other.by_class is None)
    if one.by_class is not None:
        same_classes(one.by_class, other.by_class)


def same_classes(one, other):
    assert np.allclose(one.texts, other.texts)
    assert np.allclose(one.rows.toarray(), other.rows.toarray())
    assert np.allclose(one.totals.toarray(), other.totals.toarray())


def parts(texts, codes, weights, cuts):
    """Return the counts of the texts between the cuts, by class."""
    edges = [0, *sorted(min(cut, len(texts)) for cut in cuts), len(texts)]
    for a, b in pairwise(edges):
        yield TermCounts.of(Text.of(texts[a:b]), ANY, class_shares(codes[a:b], 3, weights[a:b]))


@given(TEXTS, st.lists(st.integers(0, 8), max_size=3), st.integers(0, 99))
def test_counts_of_parts_add_up(texts, cuts, seed):
    random = np.random.default_rng(seed)
    codes = random.integers(-1, 3, len(texts)).astype(np.int32)
    weights = random.integers(1, 4, len(texts)).astype(np.float64)
    first, *rest = parts(texts, codes, weights, cuts)
    same(sum(rest, start=first), next(parts(texts, codes, weights, [])))


@given(st.sets(st.text(max_size=4)), st.sets(st.text(max_size=4)))
def test_vocabularies_are_merged_in_order(one, other):
    first, second = (Text.of(sorted(words, key=str.encode)) for words in (one, other))
    (data, offsets), places, more = _kernels.merge_words(first.data, first.offsets, second.data, second.offsets)
    merged = [bytes(data[a:b]).decode() for a, b in pairwise(offsets)]
    assert merged == sorted(one | other, key=str.encode)
    assert [merged[k] for k in places] == list(first)
    assert [merged[k] for k in more] == list(second)


def test_counts_by_class():
    """The word counts of G72's corpus."""
    counts = TermCounts.of(CORPUS, shares=class_shares(CLASSES, 2))
    assert [str(term) for term in counts.vocabulary] == ["goal", "hockey", "orbit", "rocket", "team"]
    assert counts.by_class.totals.toarray().tolist() == [[2, 2, 0, 0, 1], [0, 0, 2, 1, 1]]
    assert counts.by_class.rows.toarray().tolist() == [[2, 1, 0, 0, 1], [0, 0, 1, 1, 1]]
    assert counts.by_class.texts.tolist() == [2, 1]  # a missing text is none
    assert counts.n_rows == 4


def test_rows_may_belong_to_several_classes():
    shares = np.array([[0.25, 0.75], [1, 0], [0, 2.0], [1, 1], [0.5, 0.5]])
    counts = TermCounts.of(CORPUS, shares=shares).by_class
    assert counts.totals.toarray()[:, 1].tolist() == [0.5, 1.5]
    assert counts.texts.tolist() == [1.75, 3.25]


def test_what_does_not_fit_cannot_be_added():
    plain, two = TermCounts.of(CORPUS), TermCounts.of(CORPUS, shares=class_shares(CLASSES, 2))
    with pytest.raises(DataError, match="with classes"):
        plain + two
    with pytest.raises(DataError, match="2 and of 3 classes"):
        two + TermCounts.of(CORPUS, shares=class_shares(CLASSES, 3))
    with pytest.raises(DataError, match="5 texts, but 2 rows"):
        TermCounts.of(CORPUS, shares=np.ones((2, 2)))
    with pytest.raises(DataError, match="4 bits and to 5"):
        HashedCounts.of(CORPUS, Tokens(bits=4)) + HashedCounts.of(CORPUS, Tokens(bits=5))


def test_some_terms_only():
    counts = TermCounts.of(CORPUS, shares=class_shares(CLASSES, 2))
    some = counts.only(counts.rows > 1)
    assert [str(term) for term in some.vocabulary] == ["goal", "team"]
    assert some.by_class.totals.toarray().tolist() == [[2, 1], [0, 1]]


@given(TEXTS, st.integers(0, 8), st.integers(1, 4))
def test_hashed_counts_of_parts_add_up(texts, cut, bits):
    tokens = Tokens(min_length=1, bits=bits)
    shares = class_shares(np.arange(len(texts), dtype=np.int32) % 2, 2)
    whole = HashedCounts.of(Text.of(texts), tokens, shares)
    both = HashedCounts.of(Text.of(texts[:cut]), tokens, shares[:cut]) + HashedCounts.of(
        Text.of(texts[cut:]), tokens, shares[cut:]
    )
    assert both.rows.tolist() == whole.rows.tolist()
    assert both.totals.tolist() == whole.totals.tolist()
    same(both.names, whole.names)
    same_classes(both.by_class, whole.by_class)
    columns, _ = hashed_columns(whole.names.vocabulary, bits)
    assert whole.totals.tolist() == np.bincount(columns, whole.names.totals, minlength=1 << bits).tolist()


def test_hashes_are_those_of_scikit_learn():
    from sklearn.utils import murmurhash3_32

    words = ["", "a", "ab", "abc", "abcd", "abcde", "free money", "Größe", "x" * 1000]
    vocabulary = Text.of(words)
    assert _kernels.hash_words(vocabulary.data, vocabulary.offsets).tolist() == [murmurhash3_32(w, 0) for w in words]


@given(st.integers(0, 99), st.integers(1, 2000), st.integers(1, 5000), st.integers(1, 3))
def test_folded_rows_are_those_of_the_twin(seed, n_rows, n_columns, threads):
    random = np.random.default_rng(seed)
    sizes = random.integers(0, 5, n_rows)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    ids = np.concatenate([[], *(np.sort(random.choice(50, size, replace=False)) for size in sizes)]).astype(np.int32)
    columns = random.integers(0, n_columns, 50).astype(np.int32)
    values = random.integers(-3, 4, len(ids)).astype(np.float64)
    folded = _kernels.fold_rows(starts, ids, values, columns, n_columns, threads)
    twin = csr_array((values, columns[ids], starts), shape=(n_rows, n_columns), copy=True)
    twin.sum_duplicates()
    for one, other in zip(folded, (twin.indptr, twin.indices, twin.data), strict=True):
        assert one.tolist() == other.tolist()


def test_the_reverse_dictionary_keeps_the_most_frequent_terms_of_each_column():
    random = np.random.default_rng(3)
    texts = Text.of([" ".join(f"w{k}" for k in row) for row in random.zipf(1.3, (200, 50)) % 500])
    tokens = Tokens(bits=4)
    whole = HashedCounts.of(texts, tokens)
    small = HashedCounts.of(texts, tokens, budget=20)
    assert len(small.names) == 20
    names = column_names(whole.names.vocabulary, whole.names.totals, 4)
    kept = column_names(small.names.vocabulary, small.names.totals, 4)
    assert [name.split()[:2] for name in kept] == [name.split()[:2] for name in names]
    assert len(set(kept)) == 16
    assert all(name.startswith(f"#{column}") for column, name in enumerate(kept))
