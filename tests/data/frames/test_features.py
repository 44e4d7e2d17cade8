"""Features with values as terms of texts: `red price:0.23`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import _kernels
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Text
from hedgerow.data.text.hashed_counts import HashedCounts, hash_terms_to_columns, hash_texts
from hedgerow.data.text.term_space import TermSpace, Weighting, term_settings
from hedgerow.data.text.tokens import FEATURES, WORDS, Tokens, split_feature
from hedgerow.errors import DataError, UsageError

HASHED = Tokens(FEATURES, bits=10, signed=False)
WORD = st.text("ab:.1e-é", min_size=1, max_size=5)


def twin(text, bits, signed):
    """Return columns and values of one text, slowly."""
    found = {}
    for word in text.split(" "):
        if word:
            name, value = split_feature(word)
            (column,), (sign,) = hash_terms_to_columns(Text.of([name]), bits)
            found[int(column)] = found.get(int(column), 0.0) + value * (int(sign) if signed else 1)
    return {column: value for column, value in found.items() if value != 0}


@given(st.lists(st.lists(WORD, max_size=6).map(" ".join), max_size=6), st.booleans(), st.sampled_from([1, 3]))
def test_the_kernel_hashes_as_its_twin(texts, signed, threads):
    column = Text.of(texts)
    (starts, ids, values), rows, (names, named) = _kernels.hash_features(
        column.data, column.offsets, 8, signed, threads
    )
    for row, text in enumerate(texts):
        own = slice(starts[row], starts[row + 1])
        assert dict(zip(ids[own].tolist(), values[own].tolist(), strict=True)) == pytest.approx(twin(text, 8, signed))
    assert rows.sum() == len(ids)
    words = Text(*names, np.zeros(len(named), dtype=np.bool_))
    assert list(words) == sorted(words, key=lambda word: word.encode())
    assert sorted(hash_terms_to_columns(words, 8)[0].tolist()) == sorted(set(ids.tolist()))


def test_what_a_feature_is():
    cases = {"red": ("red", 1), "p:.23": ("p", 0.23), "x:": ("x", 1), "a:b": ("a:b", 1), "12:30:45": ("12:30:45", 1)}
    for word, expected in cases.items():
        assert split_feature(word) == expected
    assert split_feature(":3") == ("", 3)
    assert split_feature("x:-1e2") == ("x", -100)
    assert split_feature("x:inf") == ("x:inf", 1)
    assert Tokens(FEATURES, bits=4).split("Red  price:.23\tx:") == ["Red", "price", "x"]


def test_threads_do_not_matter():
    column = Text.of([f"w{i % 997}:{i} w{i % 31} shared" for i in range(60_000)])
    one, more = (_kernels.hash_features(column.data, column.offsets, 12, True, threads) for threads in (1, 4))
    for a, b in zip(one[0], more[0], strict=True):
        assert np.array_equal(a, b)
    assert np.array_equal(one[2][0][0], more[2][0][0])


def test_counts_add_and_columns_have_names():
    text = Text.of(["red price:2", "blue price:3", None])
    vectors, counts = hash_texts(text, HASHED, "count")
    assert vectors.row_starts.tolist() == [0, 2, 4, 4]
    assert sorted(vectors.values.tolist()) == [1, 1, 2, 3]
    both = counts + HashedCounts.of(Text.of(["green"]), HASHED)
    assert sorted(map(str, both.names.vocabulary)) == ["blue", "green", "price", "red"]
    space = TermSpace.from_counts(both, HASHED, weighting=Weighting())
    assert any("price" in name for name in space.names)
    assert space.vectors(Text.of(["price:5"])).values.tolist() == [5]


def test_a_column_of_features_counts_values_whatever_the_learner_does():
    column = Column("a", Kind.TEXT, features=True)
    tokens, weighting = term_settings(column, WORDS, Weighting("log", "smooth", "l2"))
    assert (tokens.unit, tokens.lower, weighting) == (FEATURES, False, Weighting())
    assert term_settings(Column("a", Kind.TEXT), WORDS, Weighting("log"))[0] is WORDS
    assert Column.from_dict(column.to_dict()) == column
    assert Tokens.from_dict(tokens.to_dict()) == tokens
    with pytest.raises(DataError, match="only texts can be features"):
        Column.from_dict({"name": "a", "kind": "numeric", "features": True})


def test_features_need_hashing_and_have_no_order():
    with pytest.raises(UsageError, match="needs hashed terms"):
        Tokens(FEATURES)
    with pytest.raises(UsageError, match="have no order"):
        Tokens(FEATURES, bits=4, ngrams=(1, 2))
