"""Stop words: given, from a file, or by language if the lists are installed."""

import sys

import pytest

from hedgerow.data.text.stop_words import stop_words_of
from hedgerow.errors import UsageError


def test_words_given():
    assert stop_words_of(None) == frozenset()
    assert stop_words_of(["The", "a", ""]) == {"the", "a"}
    assert stop_words_of({"The"}, lower=False) == {"The"}
    with pytest.raises(UsageError, match="3 is not a word"):
        stop_words_of([3])


def test_words_of_a_file(tmp_path):
    path = tmp_path / "stop.txt"
    path.write_text("\ufeff# frequent\nThe\n\n und  # German\n", "utf-8")
    assert stop_words_of(path) == stop_words_of(str(path)) == {"the", "und"}
    with pytest.raises(UsageError, match=r"none\.txt' cannot be read: No such file"):
        stop_words_of(tmp_path / "none.txt")
    path.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(UsageError, match="cannot be read"):
        stop_words_of(path)


def test_words_of_a_language():
    pytest.importorskip("stop_words")
    assert "the" in stop_words_of("english")
    assert stop_words_of("de") == stop_words_of("German")
    with pytest.raises(UsageError, match="no stop words for the language 'klingon'"):
        stop_words_of("klingon")


def test_without_the_lists_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "stop_words", None)
    with pytest.raises(UsageError, match="pip install stop-words"):
        stop_words_of("english")
