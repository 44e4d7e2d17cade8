"""The tokeniser finds the words that Python's `re` finds in the text that `str.lower` gives."""

import re
import unicodedata
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import _kernels
from hedgerow.data.table.table import Text
from hedgerow.data.text.terms import words_in
from hedgerow.data.text.tokens import WORDS, Tokens
from tests.reference.words import words

SURROGATES = range(0xD800, 0xE000)
NO_SURROGATES = st.characters(exclude_categories=["Cs"])
# Letters around which lower-casing is not letter by letter, marks that it passes over, and plain signs.
ODD = st.sampled_from("ΣσςAaİıẞßȺȾ_9.:'`^ -\u0301\u0307\u00ad\u02b0ͅ😀中Ⅷⓐ²½٣\0\n")
TEXTS = st.one_of(st.text(NO_SURROGATES), st.text(ODD), st.text(st.one_of(ODD, NO_SURROGATES), max_size=300))


def split(texts, min_length=2):
    """Split texts (strings, bytes or None) by the kernel."""
    raw = [text.encode() if isinstance(text, str) else text for text in texts]
    missing = np.array([text is None for text in raw], dtype=np.bool_)
    offsets = np.cumsum([0, *(len(text or b"") for text in raw)], dtype=np.int64)
    data = np.frombuffer(b"".join(text or b"" for text in raw), dtype=np.uint8)
    (found, ends), starts = _kernels.split_words(data, offsets, missing, *Tokens(min_length=min_length).kernel_settings)
    each = [bytes(found[a:b]).decode() for a, b in pairwise(ends)]
    return [each[a:b] for a, b in pairwise(starts)]


@settings(max_examples=500)
@given(st.lists(st.one_of(st.none(), TEXTS), max_size=4), st.integers(1, 4))
def test_words_are_those_of_python(texts, min_length):
    assert split(texts, min_length) == [words(text, min_length) for text in texts]


@given(st.text("aZ0_ .\n\x7f", max_size=300), st.integers(1, 3))
def test_plain_ascii_in_blocks(text, min_length):
    assert split([text], min_length) == [words(text, min_length)]


@pytest.mark.parametrize("length", [0, 1, 2, 62, 63, 64, 65, 127, 128, 129, 1000])
def test_words_across_the_blocks(length):
    for text in ("A" * length, "A" * length + " b", " " + "A" * length, "é" + "A" * length):
        assert split([text], 1) == [words(text, 1)]


def test_the_default_is_that_of_count_vectorizer():
    from sklearn.feature_extraction.text import CountVectorizer

    assert CountVectorizer().token_pattern == r"(?u)\b\w\w+\b"
    text = "It's FREE: İstanbul, ΟΔΟΣ, Größe ȺȾ I 50% 中文 naïve_x"
    assert words_in(text) == re.findall(r"(?u)\b\w\w+\b", text.lower())


@pytest.mark.parametrize(
    "text",
    [
        "ΑΣ",
        "ΑΣ.",
        "ΑΣ.Α",
        "ΑΣ Α",
        ".Σ",
        "Σ",
        "ΑΣΣ",
        "Α.Σ",
        "Α'Σ'",
        "ΣΑΣ:Σ",
        "Α\u0301Σ\u0301",
        "ʰΣ",
        "AΣʰ",
        "ΑΣ\u00adΑ",
        "1Σ",
    ],
)
def test_final_sigma(text):
    assert split([text], 1) == [words(text, 1)]


def test_every_character():
    """Word, lower-case letter, and what a sigma beside it becomes; Unicode 14.0 as in Python 3.11."""
    same = unicodedata.unidata_version == _kernels.unicode_version()
    codes = [code for code in range(0x110000) if code not in SURROGATES and (code < 0x40000 or code >= 0xE0000)]
    if not same:  # those that were there before either version
        codes = [code for code in codes if unicodedata.ucd_3_2_0.category(chr(code)) != "Cn"]
    texts = [f"{c} A{c}Σ {c}Σ AΣ{c} b" for c in map(chr, codes)]
    column = Text.of(texts)
    (data, ends), starts = _kernels.split_words(
        column.data, column.offsets, column.missing, *Tokens(min_length=1).kernel_settings
    )
    expected = [words(text, 1) for text in texts]
    wrong = np.flatnonzero(np.diff(starts) != [len(row) for row in expected])
    assert not len(wrong), f"U+{codes[wrong[0]]:04X}"
    flat = [word.encode() for row in expected for word in row]
    assert np.array_equal(ends, np.cumsum([0, *map(len, flat)]))
    assert data.tobytes() == b"".join(flat)


def test_the_version_is_told():
    assert _kernels.unicode_version() == "14.0.0"


@settings(max_examples=500)
@given(
    st.lists(
        st.one_of(
            st.binary(max_size=6),
            st.sampled_from(["Σ", "A", "é", "€", "😀", "x y"]).map(str.encode),
            st.sampled_from([b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80"]),
        ),
        max_size=8,
    ).map(b"".join)
)
def test_bytes_that_are_no_utf8_part_words_as_their_replacement_does(data):
    assert split([data], 1) == [words(data.decode("utf-8", "replace"), 1)]


def test_lower_case_words_stay_as_they_are():
    for text in ("ΟΔΟΣ", "İstanbul", "Größe", "ȺȾ"):
        for word in words_in(text, 1):
            assert words_in(word, 1) == [word]


def test_offsets_are_checked():
    data, missing = np.frombuffer(b"ab cd", dtype=np.uint8), np.zeros(1, dtype=np.bool_)
    for offsets in ([0, 6], [-1, 5], [3, 2], [], [0, 2, 5]):
        with pytest.raises(ValueError, match="offsets"):
            _kernels.count_terms(data, np.array(offsets, dtype=np.int64), missing, *WORDS.kernel_settings, 1)


def test_many_sigmas_take_no_long_time():
    text = "Σ" * 200_000 + "." * 200_000 + "Σ" + "." * 200_000 + "Σ"
    assert split([text], 1) == [words(text, 1)]
