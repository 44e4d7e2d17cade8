"""The marks of a text sum to the contributions of its terms, for all kinds of terms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import OnlineLinear, explanations, read
from hedgerow.data.table.table import Text
from hedgerow.data.text.marked_terms import MarkedText, mark_terms, mark_text, together, unmarked_text
from hedgerow.data.text.term_space import TermSpace
from hedgerow.data.text.tokens import Tokens

WAYS = [
    Tokens(),
    Tokens(ngrams=(1, 3)),
    Tokens(ngrams=(2, 2), stop_words=frozenset({"the"})),
    Tokens("char", (2, 4)),
    Tokens("char_in_words", (2, 5)),
    Tokens(bits=4),
    Tokens(bits=4, signed=False, ngrams=(1, 2)),
    Tokens("char", (2, 3), bits=5, signed=False),
]
TEXT = "Free the MONEY — İstanbul ẞ, ΟΔΟΣ free\n\n money\0 👩‍🚀 e\u0301t\u00e9 ال"


@pytest.mark.parametrize("tokens", WAYS, ids=str)
def test_marks_sum_to_what_the_terms_add(tokens):
    raw = TEXT.encode()
    space, vectors = TermSpace.learn(Text.of([TEXT, "other money words"]), tokens)
    rng = np.random.default_rng(1)
    first = slice(0, int(vectors.row_starts[1]))
    terms = vectors.ids[first][vectors.values[first] != 0]
    adds = {int(term): float(x) for term, x in zip(terms, rng.normal(size=len(terms)), strict=True)}
    found = mark_terms("message", raw, space, adds)
    assert found.amounts.sum() == pytest.approx(sum(adds.values()), abs=1e-9)
    assert "".join(piece for piece, _ in found.pieces()) == TEXT
    assert (found.begins[1:] >= found.ends[:-1]).all()


@settings(max_examples=200)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60), st.sampled_from(WAYS))
def test_pieces_are_the_text(text, tokens):
    space, vectors = TermSpace.learn(Text.of([text, "some money"]), tokens)
    adds = dict.fromkeys(vectors.ids[: vectors.row_starts[1]].tolist(), 1.5)
    found = mark_terms("message", text.encode(), space, adds)
    assert "".join(piece for piece, _ in found.pieces()) == text


def test_bytes_that_are_no_utf8_are_shown_as_their_replacement():
    raw = b"free \xff\xfe mon\xc3ey free\xe2\x82"
    found = mark_text("m", raw, Tokens(), ["free", "mon"], [2.0, 1.0])
    pieces = list(found.pieces())
    assert "".join(piece for piece, _ in pieces) == raw.decode("utf-8", "replace") == found.text
    assert [piece for piece in pieces if piece[1]] == [("free", 1.0), ("mon", 1.0), ("free", 1.0)]


def test_a_run_of_words_marks_its_words_and_not_what_is_passed_over():
    tokens = Tokens(ngrams=(2, 2), stop_words=frozenset({"the"}))
    found = mark_text("m", b"free the money", tokens, ["free money"], [4.0])
    assert list(found.pieces()) == [("free", 2.0), (" the ", 0.0), ("money", 2.0)]


def test_terms_that_share_a_hashed_column_share_what_it_adds():
    texts = Text.of(["one two three four five six"])
    tokens = Tokens(bits=1, signed=False)
    space, vectors = TermSpace.learn(texts, tokens)
    found = mark_terms("m", b"one two three four five six", space, {0: 3.0, 1: -6.0})
    assert found.amounts.sum() == pytest.approx(-3.0)
    assert len(found.amounts) == 6
    assert vectors.values.sum() == 6


def test_signed_terms_that_pull_against_their_column_are_marked_so():
    tokens = Tokens(bits=2)
    text = "alpha beta gamma delta epsilon zeta eta theta iota"
    space, vectors = TermSpace.learn(Text.of([text]), tokens)
    adds = {int(term): float(x) for term, x in zip(vectors.ids, vectors.values, strict=True) if x}
    found = mark_terms("m", text.encode(), space, adds)
    assert found.amounts.sum() == pytest.approx(sum(adds.values()))
    assert set(np.round(found.amounts, 9)) == {1.0, -1.0}


def test_blanks_are_not_marked():
    text = " a\t\tb\u3000c\xa0\n"
    found = mark_text(
        "m", text.encode(), Tokens("char", (1, 2)), [" ", "a ", " b", "\u3000", "\u3000c"], [9.0, 1.0, 2.0, 5.0, 3.0]
    )
    assert [piece for piece in found.pieces() if piece[1]] == [("a", 1.0), ("b", 2.0), ("c", 3.0)]


def test_marks_of_several_members_are_added():
    one = mark_text("m", b"free money", Tokens(), ["free", "money"], [1.0, 1.0])
    other = mark_text("m", b"free money", Tokens(), ["money"], [-3.0])
    letters = mark_text("m", b"free money", Tokens("char", (2, 2)), ["fr"], [2.0])
    (found,) = together([one, other, letters])
    assert found.amounts.sum() == pytest.approx(1.0)
    assert [piece for piece, amount in found.pieces() if amount > 0] == ["f", "r", "ee"]
    assert together([one]) == (one,)
    assert together([]) == ()


def test_nothing_is_marked_where_nothing_is_known():
    assert list(mark_text("m", b"", Tokens(), ["free"], [1.0]).pieces()) == []
    assert list(mark_text("m", b"some words", Tokens(), ["free"], [1.0]).pieces()) == [("some words", 0.0)]
    assert list(mark_text("m", b"some words", Tokens(), [], []).pieces()) == [("some words", 0.0)]
    assert list(unmarked_text("m", b"abc").pieces()) == [("abc", 0.0)]
    assert isinstance(unmarked_text("m", b""), MarkedText)


@pytest.mark.parametrize("filler", ["nothing here ", "xyz\n", "é", "\U0001f600", "\0"], ids=ascii)
def test_an_excerpt_of_a_long_text_has_what_stands_around_the_strongest_marks(filler):
    raw = (filler * 3000 + " free " + filler * 3000 + " money " + filler * 3000).encode()
    text = mark_text("m", raw, Tokens(), ["free", "money"], [3.0, -2.0])
    pieces, left_out = text.excerpt(4000)
    assert [piece for piece in pieces if piece[1]] == [("free", 3.0), ("money", -2.0)]
    shown = "".join(piece for piece, _ in pieces)
    assert "\ufffd" not in shown
    assert shown.startswith(filler)
    assert shown.count("...") == 3
    kept = sum(len(piece.encode()) for piece, _ in pieces if piece != "\n\n...\n\n")
    assert kept + left_out == len(raw)
    assert kept < 4000
    assert text.excerpt(len(raw)) == (list(text.pieces()), 0)


def test_an_excerpt_cuts_through_no_mark_and_may_have_none():
    whole = mark_text("m", b"a" * 5000, Tokens("char", (1, 1)), ["a"], [5000.0])
    pieces, left_out = whole.excerpt(1000)
    assert sum(amount for _, amount in pieces) == pytest.approx(5000 - left_out)
    pieces, left_out = unmarked_text("m", b"word " * 5000).excerpt(1000)
    assert left_out > 20_000
    assert pieces[-1][0].strip() == "..."
    long_word = mark_text("m", b"x" * 5000, Tokens(), ["x" * 5000], [1.0])
    assert [amount for _, amount in long_word.excerpt(1000)[0] if amount] == [1.0]


def test_features_of_vw_are_marked_as_they_stand(tmp_path):
    path = tmp_path / "a.vw"
    path.write_text("yes |f price:.5 red red 12:30:45\nno |f price:2 blue\nyes |f red\nno |f blue price:3\n")
    table = read(path)
    model = OnlineLinear(passes=5).train(table)
    (told,) = explanations(model, table.slice(0, 1))
    (text,) = told.texts
    pieces = list(text.pieces())
    assert "".join(piece for piece, _ in pieces) == "price:.5 red red 12:30:45"
    known = dict(pieces)
    assert known["red"] * known["price:.5"] < 0
    adds = sum(told.reason.total_contribution(part) for part in told.reason.contributions.parts if part.term >= 0)
    assert sum(amount for _, amount in pieces) == pytest.approx(adds)
    assert {part.name.split(" ", 1)[1] for part in told.reason.contributions.parts if part.term >= 0} == {
        "price", "red", "12:30:45"
    }  # fmt: skip
