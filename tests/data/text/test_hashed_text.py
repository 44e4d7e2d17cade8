"""Features and words that are hashed as they are read: the same columns as by the plain way."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hedgerow import OnlineLinear, _kernels
from hedgerow.data.formats.vw import Lines, VwSource
from hedgerow.data.read import open_source, read
from hedgerow.data.table.source import ReadOptions
from hedgerow.data.table.table import Text
from hedgerow.data.text.hashed_counts import hash_texts
from hedgerow.data.text.hashed_text import HashedText, Hashing, TermSpellings, WordHashing
from hedgerow.data.text.tokens import FEATURES, Tokens
from hedgerow.errors import DataError

NAMES = st.sampled_from(["red", "blue", "a", "long_name_of_sixteen", "fifteen_letters", "été", "日本語", "x=1", "7"])
VALUES = st.sampled_from(
    ["", ":", ":1", ":-1", ":0", ":0.1234", ":2.5", ":12.25", ":1e3", ":.5", ":0.123456", ":b", ":1:2", ":0.12x"]
)
FEATURE = st.builds("{}{}".format, NAMES, VALUES)
GAPS = st.sampled_from([" ", "  ", "\t", "\v", " \f"])
PIECE = st.builds(
    lambda words, gaps: "".join(w + g for w, g in zip(words, gaps, strict=False)),
    st.lists(FEATURE, max_size=30),
    st.lists(GAPS, min_size=30, max_size=30),
)
SPACE = st.builds("|{} {}".format, st.sampled_from(["", "a", "b", "a:0.5", "b:2", "c:-1"]), PIECE)
LINE = st.builds(
    "{} {}".format, st.sampled_from(["1", "-1", "", "2 0.5"]), st.lists(SPACE, min_size=1, max_size=5).map("".join)
)


def lines_of(text: str, hashing: Hashing | None = None) -> Lines:
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    if hashing is None:
        return Lines.of("x.vw", data, 1)
    return Lines.of("x.vw", data, 1, reader=hashing.reader().read_lines, hashing=hashing)


def rows_of(vectors: object) -> list[list[tuple[int, float]]]:
    starts, ids, values = vectors.row_starts, vectors.ids.tolist(), vectors.values.tolist()  # type: ignore[attr-defined]
    pairs = list(zip(ids, values, strict=True))
    return [pairs[a:b] for a, b in pairwise(starts)]


@settings(max_examples=60)
@example(["1 | a |b a | b |b a |b b | a"], 3, False)
@given(st.lists(LINE, min_size=1, max_size=12), st.sampled_from([3, 10]), st.booleans())
def test_features_have_the_columns_of_the_plain_way(lines: list[str], bits: int, signed: bool) -> None:
    """Every namespace of every row: columns in their order, values that add up, zeros left out, scales and repeats."""
    text = "\n".join(lines)
    plain, quick = lines_of(text), lines_of(text, Hashing(bits, signed))
    assert quick.label.tolist() == pytest.approx(plain.label.tolist(), nan_ok=True)
    assert quick.importance.tolist() == plain.importance.tolist()
    assert list(quick.spaces) == list(plain.spaces)
    tokens = Tokens(FEATURES, min_length=1, lower=False, bits=bits, signed=signed)
    for name in [*plain.spaces, "never met"]:
        expected, counts = hash_texts(plain.texts(name), tokens, "count")
        own = quick.texts(name)
        assert isinstance(own, HashedText)
        assert [[i for i, _ in row] for row in rows_of(own.vectors)] == [
            [i for i, _ in row] for row in rows_of(expected)
        ]
        assert own.vectors.values.tolist() == pytest.approx(expected.values.tolist(), rel=1e-15)
        assert list(own) == list(plain.texts(name))  # spelled out as they stand
        names = TermSpellings(bits)
        names.add(own.new)
        assert np.array_equal(names.counts().rows, counts.rows)
        spelled = {word for row in plain.texts(name) for word in tokens.split(row or "")}
        assert set(names.counts().names.vocabulary) <= spelled
        assert set(counts.names.vocabulary) <= set(names.counts().names.vocabulary)


def test_every_spelling_is_told_once_and_collisions_are_told_apart() -> None:
    """With two columns almost all names share one; each is still known by its name."""
    hashing = Hashing(1)
    reader = hashing.reader()
    found = []
    for text in ("1 | red blue red\n", "1 | blue green |a blue\n", "-1 | red green\n"):
        lines = Lines.of(
            "x.vw", np.frombuffer(text.encode(), dtype=np.uint8), 1, reader=reader.read_lines, hashing=hashing
        )
        found.append([list(lines.texts(name).new.names) for name in lines.spaces])
    assert found == [[["red", "blue"]], [["green"], ["blue"]], [[]]]


def test_known_spellings_are_not_told_again() -> None:
    reader = _kernels.HashedReader(18, False, 2)
    known = Text.of(["red"])
    reader.add_known_spellings(known.data, known.offsets, "")
    data = np.frombuffer(b"1 | red blue green\n", dtype=np.uint8)
    *_, names, offsets = reader.read_lines(data, 256, False)["features"][0]
    assert bytes(names) == b"blue"  # no more than two are kept
    assert offsets.tolist() == [0, 4]


WORDS = st.text(alphabet=st.sampled_from("abAB _09.,-\n\tÉéßİΣσς日本\u00a0\U0001f600"), max_size=90)


@settings(max_examples=60)
@given(st.lists(st.none() | WORDS, max_size=8), st.sampled_from([4, 10]), st.booleans(), st.booleans())
def test_words_have_the_columns_of_the_plain_way(texts: list[str | None], bits: int, lower: bool, binary: bool) -> None:
    """ASCII or not, in lower case or as they are: the same columns with the same counts."""
    text = Text.of(texts)
    tokens = Tokens(bits=bits, signed=lower and not binary, lower=lower)
    tf = "binary" if binary else "count"
    assert WordHashing.takes(tokens, tf)
    expected, counts = hash_texts(text, tokens, tf, "l2")
    vectors, new = WordHashing(bits, tokens.signed).read(text, tokens, tf, "l2", "body")
    assert [[i for i, _ in sorted(row)] for row in rows_of(vectors)] == [
        [i for i, _ in row] for row in rows_of(expected)
    ]
    for own, other in zip(rows_of(vectors), rows_of(expected), strict=True):
        assert [v for _, v in sorted(own)] == pytest.approx([v for _, v in other])
    names = TermSpellings(bits)
    names.add(new)
    assert np.array_equal(names.counts().rows, counts.rows)
    assert list(names.counts().names.vocabulary) == list(counts.names.vocabulary)


@pytest.mark.parametrize(
    "line",
    [
        "no bar",
        "1 2 3 4 5 | a",
        "1 -2 | a",
        "1 1 x | a",
        "1 |a:x b",
        "1 | ok bad:1e999",
        "1 |n:2 a bad:1e999",
        "1 |n:1e300 a:1e300",
    ],
)
def test_malformed_lines_have_the_same_sentences(line: str) -> None:
    text = f"1 | good:0.5\n# passed over\n{line}\n"
    said = []
    for hashing in (None, Hashing(18)):
        with pytest.raises(DataError, match=r"x\.vw, line 3: ") as problem:
            lines_of(text, hashing)
        said.append(str(problem.value))
    assert said[0] == said[1]


def test_rows_are_taken_and_spelled() -> None:
    """Some rows of a hashed column are hashed, too."""
    own = lines_of("1 | a b\n2 | c\n3 | a:2 d", Hashing(18)).texts("")
    some = own.take(np.array([2, 0], dtype=np.int64))
    assert isinstance(some, HashedText)
    assert list(some) == ["a:2 d", "a b"]
    assert [len(row) for row in rows_of(some.vectors)] == [2, 2]


def write(folder: Path, lines: list[str]) -> str:
    path = folder / "rows.vw"
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


def test_a_class_that_comes_late_is_learned_as_if_it_was_known(tmp_path: Path) -> None:
    """Columns and classes are taken from the first rows; where later ones tell more, all is learned anew."""
    random = np.random.default_rng(1)
    words = [f"w{i}" for i in range(200)]
    lines = [f"{1 + i % 2} | {' '.join(random.choice(words, 400))}" for i in range(1200)]
    late = [*lines, "3 |late apple pear", *lines[:5]]
    path = write(tmp_path, late)
    how = {"passes": 1, "tf": "count", "idf": "none", "norm": "none", "bits": 12}
    model = OnlineLinear(**how).train(open_source(path))
    whole = OnlineLinear(shuffle=False, **how).train(read(path))
    assert model.classes == ("1", "2", "3")
    assert model.schema.names == ("features", "late", "label")
    assert model.slopes == pytest.approx(whole.slopes, abs=1e-4)


def test_the_schema_of_a_glimpse_is_that_of_the_file(tmp_path: Path) -> None:
    source = VwSource(write(tmp_path, ["1 | a", "-1 |b c"]), ReadOptions())
    assert source.with_glimpsed_schema().schema == source.schema


@settings(max_examples=40)
@given(
    st.lists(st.lists(st.text("abé_7", min_size=1, max_size=20), max_size=400), min_size=1, max_size=4),
    st.sampled_from([4, 18]),
    st.booleans(),
    st.sampled_from([" ", "  ", "\t "]),
)
def test_long_rows_of_plain_words_have_the_columns_of_the_plain_way(
    rows: list[list[str]], bits: int, signed: bool, gap: str
) -> None:
    """Words of any length that begin and end anywhere in blocks of 64 bytes, also at the end of the text."""
    text = "\n".join(f"1 | {gap.join(words)}" for words in rows)
    tokens = Tokens(unit=FEATURES, bits=bits, signed=signed)
    quick = lines_of(text, Hashing(bits, signed)).texts("")
    assert isinstance(quick, HashedText)
    vectors, _ = hash_texts(lines_of(text).texts(""), tokens, "count")
    assert [sorted(row) for row in rows_of(quick.vectors)] == [sorted(row) for row in rows_of(vectors)]
    told = list(quick.new.names)
    assert sorted(told) == sorted({word for words in rows for word in words})


def test_blocks_of_one_reader_do_not_mix() -> None:
    """What a block left behind in the table by column means nothing to the next."""
    reader = Hashing(10).reader()
    whole = reader.read_lines(np.frombuffer(b"1 | a b a\n1 | b\n", dtype=np.uint8), 256, False)["features"][0]
    again = reader.read_lines(np.frombuffer(b"1 | b b c\n1 | a\n", dtype=np.uint8), 256, False)["features"][0]
    a, b = whole[1][:2].tolist()
    assert whole[2].tolist() == [2.0, 1.0, 1.0]
    assert again[0].tolist() == [0, 2, 3]
    assert (again[1][0], again[1][2], again[2].tolist()) == (b, a, [2.0, 1.0, 1.0])


@given(st.lists(st.binary(max_size=12), max_size=60))
def test_words_are_put_in_order_and_hashed_as_each_alone(words: list[bytes]) -> None:
    """Also those that share their first eight bytes, hold zeros, or stand at the end."""
    words = [*words, *(b"interest" + word for word in words)]
    data = np.frombuffer(b"".join(words), dtype=np.uint8)
    offsets = np.cumsum([0, *map(len, words)]).astype(np.int64)
    order = _kernels.argsort_words(data, offsets).tolist()
    assert order == sorted(range(len(words)), key=lambda place: words[place])
    alone = [_kernels.hash_words(data[a:b], np.array([0, b - a])) for a, b in pairwise(offsets.tolist())]
    assert _kernels.hash_words(data, offsets).tolist() == [int(own[0]) for own in alone]


def test_counts_of_columns_outlast_what_32_bits_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are counted in a small table, which is emptied in time."""
    monkeypatch.setattr("hedgerow.data.text.hashed_text.MOST_FRESH", 3)
    names = TermSpellings(4)
    text = lines_of("1 | a\n1 | a b\n", Hashing(4)).texts("")
    assert isinstance(text, HashedText)
    for _ in range(3):
        names.add(text.new)
    assert (names.n_rows, sorted(names.rows[names.rows > 0].tolist())) == (6.0, [3.0, 6.0])
