"""Counts of terms: those of parts of a corpus add up to those of the whole, by class too."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import _kernels
from hedgerow.data.table.table import Text
from hedgerow.data.text.class_terms import ClassRows
from hedgerow.data.text.hashed_counts import HashedCounts, column_names, hash_terms_to_columns, hash_texts
from hedgerow.data.text.term_counts import TermCounts
from hedgerow.data.text.terms import terms_of
from hedgerow.data.text.tokens import Tokens
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
    assert one.starts.tolist() == other.starts.tolist()
    assert one.classes.tolist() == other.classes.tolist()
    assert np.allclose(one.amounts, other.amounts)


def parts(texts, codes, weights, cuts):
    """Return the counts of the texts between the cuts, by class."""
    edges = [0, *sorted(min(cut, len(texts)) for cut in cuts), len(texts)]
    for a, b in pairwise(edges):
        yield TermCounts.of(Text.of(texts[a:b]), ANY, ClassRows.of(codes[a:b], 3, weights[a:b]))


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
    counts = TermCounts.of(CORPUS, members=ClassRows.of(CLASSES, 2))
    assert [str(term) for term in counts.vocabulary] == ["goal", "hockey", "orbit", "rocket", "team"]
    assert counts.by_class.dense().T.tolist() == [[2, 2, 0, 0, 1], [0, 0, 2, 1, 1]]
    assert counts.by_class.totals.tolist() == [5, 4]
    assert counts.by_class.term_totals.tolist() == [2, 2, 2, 1, 2]
    assert counts.by_class.texts.tolist() == [2, 1]  # a missing text is none
    assert counts.n_rows == 4


def test_rows_may_belong_to_several_classes():
    shares = np.array([[0.25, 0.75], [1, 0], [0, 2.0], [1, 1], [0.5, 0.5]])
    counts = TermCounts.of(CORPUS, members=ClassRows.soft(shares)).by_class
    assert counts.dense()[1].tolist() == [0.5, 1.5]
    assert counts.texts.tolist() == [1.75, 3.25]


def test_what_does_not_fit_cannot_be_added():
    plain, two = TermCounts.of(CORPUS), TermCounts.of(CORPUS, members=ClassRows.of(CLASSES, 2))
    with pytest.raises(DataError, match="with classes"):
        plain + two
    with pytest.raises(DataError, match="2 and of 3 classes"):
        two + TermCounts.of(CORPUS, members=ClassRows.of(CLASSES, 3))
    with pytest.raises(DataError, match="5 texts, but 2 classes"):
        TermCounts.of(CORPUS, members=ClassRows.soft(np.ones((2, 2))))
    with pytest.raises(DataError, match="4 bits and to 5"):
        HashedCounts.of(CORPUS, Tokens(bits=4)) + HashedCounts.of(CORPUS, Tokens(bits=5))


def test_some_terms_only():
    counts = TermCounts.of(CORPUS, members=ClassRows.of(CLASSES, 2))
    some = counts.select(counts.rows > 1)
    assert [str(term) for term in some.vocabulary] == ["goal", "team"]
    assert some.by_class.dense().tolist() == [[2, 0], [1, 1]]


@given(TEXTS, st.integers(0, 8), st.integers(1, 4))
def test_hashed_counts_of_parts_add_up(texts, cut, bits):
    tokens = Tokens(min_length=1, bits=bits)
    codes = np.arange(len(texts), dtype=np.int32) % 2
    whole = HashedCounts.of(Text.of(texts), tokens, ClassRows.of(codes, 2))
    first, second = (
        HashedCounts.of(Text.of(texts[part]), tokens, ClassRows.of(codes[part], 2))
        for part in (slice(cut), slice(cut, None))
    )
    both = first + second
    assert both.rows.tolist() == whole.rows.tolist()
    same(both.names, whole.names)
    same_classes(both.by_class, whole.by_class)
    vectors, _ = hash_texts(Text.of(texts), tokens, "count")
    assert whole.rows.tolist() == np.bincount(vectors.ids, minlength=1 << bits).tolist()


def test_hashes_are_those_of_scikit_learn():
    from sklearn.utils import murmurhash3_32

    words = ["", "a", "ab", "abc", "abcd", "abcde", "free money", "Größe", "x" * 1000]
    vocabulary = Text.of(words)
    assert _kernels.hash_words(vocabulary.data, vocabulary.offsets).tolist() == [murmurhash3_32(w, 0) for w in words]


def hashed_by_the_twin(text, tokens, tf):
    """Hash what terms count row by row: starts, columns and values, each column's added up."""
    terms = terms_of(text, tokens)
    columns, signs = hash_terms_to_columns(terms.vocabulary, tokens.bits)
    starts, ids, values = [0], [], []
    for row in range(len(text)):
        held = slice(terms.row_starts[row], terms.row_starts[row + 1])
        counts = terms.counts[held].astype(np.float64)
        weights = {
            "count": counts,
            "binary": np.ones(len(counts)),
            "share": counts / max(counts.sum(), 1),
            "most": counts / counts.max(initial=1),
            "log": 1 + np.log(counts),
        }[tf]
        if tokens.signed:
            weights = weights * signs[terms.ids[held]]
        found = sorted(set(columns[terms.ids[held]].tolist()))
        sums = [weights[columns[terms.ids[held]] == column].sum() for column in found]
        ids += found
        values += [1.0] * len(found) if tf == "binary" else sums
        starts.append(len(ids))
    return starts, ids, values


@given(
    st.integers(0, 99),
    st.integers(0, 60),
    st.integers(1, 12),
    st.sampled_from(["count", "binary", "share", "most", "log"]),
    st.booleans(),
    st.sampled_from([(1, 1), (1, 2)]),
)
def test_hashed_rows_are_those_of_the_twin(seed, n_rows, bits, tf, signed, ngrams):
    random = np.random.default_rng(seed)
    rows = [" ".join(f"w{k % 300}" for k in random.zipf(1.3, random.integers(0, 40))) for _ in range(n_rows)]
    text = Text.of([None if random.random() < 0.1 else row for row in rows])
    tokens = Tokens(bits=bits, signed=signed, ngrams=ngrams)
    starts, ids, values = hashed_by_the_twin(text, tokens, tf)
    vectors, counts = hash_texts(text, tokens, tf)
    assert vectors.row_starts.tolist() == starts
    assert vectors.ids.tolist() == ids
    assert vectors.values == pytest.approx(values, rel=1e-12, abs=1e-12)
    assert counts.rows.tolist() == np.bincount(np.array(ids, dtype=np.int64), minlength=1 << bits).tolist()
    terms = terms_of(text, tokens)
    assert list(counts.names.vocabulary) == list(terms.vocabulary)
    assert counts.names.rows.tolist() == terms.row_counts.tolist()
    assert counts.names.totals.tolist() == terms.totals.tolist()


def test_threads_do_not_change_hashed_rows():
    """Rows of several chunks, most of which lose entries to shared columns."""
    random = np.random.default_rng(5)
    text = Text.of([" ".join(f"w{k}" for k in random.zipf(1.2, 400) % 20_000) for _ in range(1500)])
    how = (text.data, text.offsets, text.missing, *Tokens().kernel_settings, 8, True, 4, 2)

    def flat(threads):
        rows, n_rows, (vocabulary, *sums) = _kernels.count_hashed_terms(*how, threads)
        return *rows, n_rows, *vocabulary, *sums

    for threads in (2, 3):
        for one, other in zip(flat(1), flat(threads), strict=True):
            assert np.array_equal(one, other)


@given(st.integers(0, 99), st.integers(1, 3), st.sampled_from([(1, 1), (2, 3)]))
def test_sums_of_texts_are_those_of_their_rows(seed, threads, ngrams):
    random = np.random.default_rng(seed)
    text = Text.of([" ".join(f"w{k % 99}" for k in random.zipf(1.3, random.integers(0, 30))) for _ in range(40)])
    tokens = Tokens(ngrams=ngrams, stop_words=frozenset({"w1"}))
    terms = terms_of(text, tokens)
    (data, offsets), rows, totals = _kernels.count_term_sums(
        text.data, text.offsets, text.missing, *tokens.kernel_settings, threads
    )
    assert data.tolist() == terms.vocabulary.data.tolist()
    assert offsets.tolist() == terms.vocabulary.offsets.tolist()
    assert rows.tolist() == np.bincount(terms.ids, minlength=len(terms.vocabulary)).tolist()
    assert totals.tolist() == np.bincount(terms.ids, terms.counts, len(terms.vocabulary)).tolist()


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
