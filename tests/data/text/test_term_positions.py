"""Positions of terms in a text: the text has exactly the terms of its tokenization at these positions."""

import re
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hedgerow import _kernels
from hedgerow.data.table.table import Text
from hedgerow.data.text.term_positions import find_terms
from hedgerow.data.text.terms import terms_of
from hedgerow.data.text.tokens import Tokens

ODD = st.sampled_from("ΣσςAaBbİıẞßȺȾ_9.:' -\u0301\u0307\u00ad\u200d\u202b😀👩中א\0\n\t\r\x1c\xa0\u3000\u2028")
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])), st.text(ODD), st.text(st.sampled_from("ab  \n"), max_size=60)
)
BYTES = st.lists(
    st.one_of(
        TEXTS.map(str.encode),
        st.binary(max_size=4),
        st.sampled_from([b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xc0\x80", b"\xff"]),
    ),
    max_size=5,
).map(b"".join)


@st.composite
def tokens(draw):
    unit = draw(st.sampled_from(["word", "char", "char_in_words"]))
    low = draw(st.integers(1, 4))
    stop = draw(st.frozensets(st.sampled_from(["a", "ab", "aa", "σ", "b"]))) if unit == "word" else frozenset()
    return Tokens(
        unit, (low, low + draw(st.integers(0, 3))), draw(st.integers(1, 3)), draw(st.booleans()), stop_words=stop
    )


def placed(raw, how):
    """Return all terms of a text and their places, as the kernel finds them."""
    whole = Text(np.frombuffer(raw, np.uint8), np.array([0, len(raw)]), np.zeros(1, np.bool_))
    vocabulary = terms_of(whole, how).vocabulary
    found = find_terms(raw, vocabulary, how)
    return [str(vocabulary[term]) for term in found.terms.tolist()], found


@settings(max_examples=400)
@given(TEXTS, tokens())
@example("", Tokens())
@example("   ", Tokens("char_in_words", (1, 3)))
@example(" \n a\t\tb ", Tokens("char", (1, 3)))
@example("İİ", Tokens("char", (1, 2)))
def test_the_terms_at_the_places_are_those_of_split(text, how):
    names, _ = placed(text.encode(), how)
    assert names == how.split(text)


@settings(max_examples=400)
@given(BYTES, tokens())
def test_bytes_that_are_no_utf8_are_read_as_their_replacement(raw, how):
    names, found = placed(raw, how)
    assert names == how.split(raw.decode("utf-8", "replace"))
    assert (found.begins >= 0).all()
    assert (found.ends <= len(raw)).all()
    assert (found.begins <= found.ends).all()


def lower_with_origins(text, lower):
    """Return the text as terms are read from it, and by character of it the character that it comes from."""
    sizes = [len(sign.lower()) if lower else 1 for sign in text]
    origins = [place for place, size in enumerate(sizes) for _ in range(size)]
    shown = text.lower() if lower else text
    assert len(shown) == len(origins)
    return shown, origins


@settings(max_examples=400)
@given(TEXTS, st.booleans(), st.integers(1, 3))
@example("aİb ẞß ΑΣ.Α ΟΔΟΣ", True, 1)
def test_words_stand_where_python_finds_them(text, lower, min_length):
    """A plain twin: the words of `re` in the lower-case text, traced back letter by letter."""
    shown, origins = lower_with_origins(text, lower)
    ends = [0, *accumulate(len(sign.encode()) for sign in text)]
    expected = [
        (ends[origins[one.start()]], ends[origins[one.end() - 1] + 1])
        for one in re.finditer(rf"(?u)\b\w{{{min_length},}}\b", shown)
    ]
    _, found = placed(text.encode(), Tokens(min_length=min_length, lower=lower))
    assert list(zip(found.begins.tolist(), found.ends.tolist(), strict=True)) == expected


@settings(max_examples=300)
@given(TEXTS, st.booleans(), st.integers(1, 3))
def test_characters_stand_where_python_finds_them(text, lower, n):
    """A plain twin: blanks in a row are one, everything else is traced back sign by sign."""
    shown, origins = lower_with_origins(text, lower)
    ends = [0, *accumulate(len(sign.encode()) for sign in text)]
    cells = [
        (ends[origins[one.start()]], ends[origins[one.end() - 1] + 1]) for one in re.finditer(r"(?us)\s+|.", shown)
    ]
    expected = [(cells[at][0], cells[at + n - 1][1]) for at in range(len(cells) - n + 1)]
    _, found = placed(text.encode(), Tokens("char", (n, n), lower=lower))
    assert list(zip(found.begins.tolist(), found.ends.tolist(), strict=True)) == expected


def test_runs_of_words_reach_over_stop_words():
    raw = b"Free the MONEY now"
    found = find_terms(raw, ["free money", "money now"], Tokens(ngrams=(2, 2), stop_words=frozenset({"the"})))
    assert [raw[a:b] for a, b in zip(found.begins, found.ends, strict=True)] == [b"Free the MONEY", b"MONEY now"]


def test_unknown_terms_are_told_if_asked_for():
    found = find_terms("one two three", ["two"], every=True)
    assert found.terms.tolist() == [-1, 0, -1]
    assert len(find_terms("one two three", ["two"])) == 1
    assert len(find_terms("one two three", [])) == 0


def test_the_spaces_around_words_have_empty_places_at_the_ends_of_the_text():
    found = find_terms("go", [" g", "o "], Tokens("char_in_words", (2, 2)))
    assert list(zip(found.begins.tolist(), found.ends.tolist(), strict=True)) == [(0, 1), (1, 2)]


def test_a_long_text_takes_no_long_time():
    raw = b"lorem ipsum dolor " * 200_000
    found = find_terms(raw, ["ipsum"])
    assert len(found) == 200_000
    assert (found.begins == 6 + 18 * np.arange(200_000)).all()


def test_settings_that_cannot_be_raise():
    nothing, ends = np.empty(0, np.uint8), np.zeros(1, np.int64)
    with pytest.raises(ValueError, match="unit"):
        _kernels.find_term_positions(nothing, nothing, ends, 7, 1, 1, 1, True, nothing, ends, False)
    with pytest.raises(ValueError, match="offsets"):
        _kernels.find_term_positions(nothing, nothing, np.array([0, 3]), 0, 1, 1, 1, True, nothing, ends, False)
