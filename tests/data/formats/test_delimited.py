from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.data.table.delimited import (
    Dialect,
    LevelColumn,
    Mode,
    bad_byte,
    complete,
    decode_levels,
    encode_text,
    line_of,
    parse,
    parse_numbers,
    split,
)
from hedgerow.data.table.table import Text
from hedgerow.errors import DataError
from tests.reference.delimited import BrokenError, rows_of

DIALECTS = [
    Dialect.CSV,
    Dialect.ARFF,
    Dialect.C45,
    Dialect(delimiter=None),
    Dialect(delimiter=None, quotes="'", comment="#", escapes=True),
    Dialect(delimiter="\t", quotes=""),
    Dialect(delimiter="\t", trim=True),
    Dialect(delimiter=";", decimal=","),
]
ALPHABET = st.text(alphabet="ab1,;'\"\\%|#.{} \t\n\r?u0é", max_size=60)


def buffer(text: str | bytes):
    return np.frombuffer(text.encode() if isinstance(text, str) else text, dtype=np.uint8)


def cells(text: str, dialect: Dialect) -> list[list[str]]:
    offsets, codes, tokens = split(buffer(text), dialect)
    return [[tokens[code] for code in codes[start:stop]] for start, stop in pairwise(offsets)]


def plain(values):
    if isinstance(values, LevelColumn):
        return [None if code < 0 else values.levels[code] for code in values.codes]
    return None if values is None else list(values)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(text=ALPHABET)
@settings(max_examples=300, deadline=None)
def test_the_kernel_splits_as_its_plain_twin_does(dialect, text):
    try:
        expected = [[cell for cell, _ in row] for row in rows_of(text, dialect)]
    except BrokenError:
        with pytest.raises(DataError):
            split(buffer(text), dialect)
    else:
        assert cells(text, dialect) == expected


@pytest.mark.parametrize("dialect", [Dialect.CSV, Dialect.ARFF])
@given(rows=st.lists(st.lists(st.text("ab?NA ", max_size=9), min_size=2, max_size=2), min_size=1, max_size=20))
@settings(max_examples=100, deadline=None)
def test_words_and_texts_agree_with_the_cells(dialect, rows):
    text = "\n".join(",".join(row) for row in rows)
    found = rows_of(text, dialect)
    parsed = parse(buffer(text), dialect, [Mode.NOMINAL, Mode.TEXT], ["?", "NA", ""])
    expected = [[None if cell.strip() in ("?", "NA", "") else cell for cell, _ in row] for row in found]
    assert plain(parsed.columns[0]) == [row[0] for row in expected]
    assert plain(parsed.columns[1]) == [row[1] for row in expected]


@given(text=ALPHABET, block=st.integers(1, 30))
@settings(max_examples=300, deadline=None)
def test_block_size_and_threads_do_not_matter(text, block):
    for dialect in (Dialect.CSV, Dialect.ARFF, Dialect(delimiter=None)):
        width = len(cells(text, dialect)[0]) if _is_sound(text, dialect) and text.strip() else 2
        modes = [Mode.NOMINAL, Mode.NUMERIC, Mode.TEXT][: width or 1]
        one = parse(buffer(text), dialect, modes, threads=1)
        cut = parse(buffer(text), dialect, modes, threads=2, block=block)
        assert one.n_rows == cut.n_rows
        assert (one.ragged_row, one.unclosed_quote, one.garbled_quote) == (
            cut.ragged_row,
            cut.unclosed_quote,
            cut.garbled_quote,
        )
        assert one.strays == cut.strays
        if one.is_sound:
            for a, b in zip(one.columns, cut.columns, strict=True):
                np.testing.assert_array_equal(plain(a), plain(b))
                assert not isinstance(a, LevelColumn) or a.levels == b.levels


def _is_sound(text, dialect):
    try:
        return bool(rows_of(text, dialect))
    except BrokenError:
        return False


@given(text=ALPHABET)
@settings(max_examples=300, deadline=None)
def test_the_complete_part_is_whole_rows(text):
    for dialect in (Dialect.CSV, Dialect.ARFF, Dialect(delimiter=None)):
        if _is_sound(text, dialect):
            cut = complete(buffer(text), dialect)
            raw = text.encode()
            head, tail = raw[:cut].decode(), raw[cut:].decode()
            assert rows_of(head, dialect) + rows_of(tail, dialect) == rows_of(text, dialect)
            assert "\n" not in tail or any(quote in tail for quote in dialect.quotes)


NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda x: f"{x:.20e}"),
    st.from_regex(r"[+-]?[0-9]{0,25}\.?[0-9]{0,25}(e[+-]?[0-9]{1,4})?", fullmatch=True),
    st.integers().map(str),
)


@given(st.lists(NUMBERS, max_size=20))
@settings(max_examples=500, deadline=None)
def test_numbers_are_those_of_python(words):
    def value(word):
        try:
            return float(word)
        except ValueError:
            return np.nan

    expected = np.array([value(word) for word in words])
    np.testing.assert_array_equal(parse_numbers(words), expected)
    assert (np.signbit(parse_numbers(words)) == np.signbit(expected))[~np.isnan(expected)].all()


@pytest.mark.parametrize("word", ["1_000", "0x10", "nan", "1e", "e5", "1 2", "--1", "1e5.5", "", "٣", "1,5"])
def test_what_is_no_number_is_a_word(word):
    assert np.isnan(parse_numbers([word])).all()


def test_a_decimal_comma_is_understood():
    parsed = parse(buffer("1,5;2\n-0,25;1.5\n"), Dialect(delimiter=";", decimal=","), [Mode.NUMERIC] * 2)
    assert parsed.columns[0].tolist() == [1.5, -0.25]
    assert parsed.strays[1].first == ((1, "1.5"),)


def test_strays_are_counted_and_the_first_three_told():
    parsed = parse(buffer("1\nx\ninf\ny\nz\n1e999\n"), Dialect.CSV, [Mode.NUMERIC])
    strays = parsed.strays[0]
    assert (strays.n_words, strays.infinite) == (3, 2)
    assert strays.first == ((1, "x"), (2, "inf"), (3, "y"))


def test_a_number_can_be_a_missing_token():
    parsed = parse(buffer("1\n-999\n2\n"), Dialect.CSV, [Mode.NUMERIC], ["-999"])
    np.testing.assert_array_equal(parsed.columns[0], [1, np.nan, 2])
    assert parsed.strays[0].n_words == 0


def test_a_quoted_question_mark_is_a_value_in_arff_only():
    modes = [Mode.NOMINAL]
    assert plain(parse(buffer("'?'\n?\n"), Dialect.ARFF, modes).columns[0]) == ["?", None]
    assert plain(parse(buffer('"?"\n?\n'), Dialect.CSV, modes).columns[0]) == [None, None]


def test_weights_stand_in_braces():
    parsed = parse(buffer("1,a\n2,b,{2.5}\n3,c\n"), Dialect.ARFF, [Mode.NUMERIC, Mode.NOMINAL])
    assert parsed.weights.tolist() == [1, 2.5, 1]
    assert parse(buffer("1,{x}\n"), Dialect.ARFF, [Mode.NUMERIC]).bad_weight == 0


def test_known_levels_come_first():
    column = parse(buffer("b\nc\na\n?\n"), Dialect.CSV, [Mode.NOMINAL], known={0: ["a", "b"]}).columns[0]
    assert column.levels == ["a", "b", "c"]
    assert column.codes.tolist() == [1, 2, 0, -1]


def test_escapes_make_unicode():
    column = parse(buffer(r"'\u00e9\ud83d\ude00\ud800x\uzz'"), Dialect.ARFF, [Mode.TEXT]).columns[0]
    assert list(column) == ["é\U0001f600\ufffdxuzz"]


def test_problems_are_told_with_their_place():
    modes = [Mode.NUMERIC] * 2
    assert parse(buffer("1,2\n\n3\n"), Dialect.CSV, modes).ragged_row == (1, 1)
    assert parse(buffer("1,2\n3,4,5\n"), Dialect.CSV, modes).ragged_row == (1, 3)
    assert parse(buffer('1,2\n3,"4\n'), Dialect.CSV, modes).unclosed_quote == 6
    assert parse(buffer('1,2\n3,"4"5\n'), Dialect.CSV, modes).garbled_quote == 8
    assert parse(buffer(b"1,2\n3,\xff\n"), Dialect.CSV, modes).bad_byte == 6
    assert line_of(buffer('a\n\n"x\ny"\nb\n'), Dialect.CSV, 2) == 5


@given(st.binary(max_size=40))
@settings(max_examples=500, deadline=None)
def test_bad_utf8_is_found_where_python_finds_it(raw):
    try:
        raw.decode()
        expected = None
    except UnicodeDecodeError as error:
        expected = error.start
    assert bad_byte(buffer(raw)) == expected


@given(st.lists(st.one_of(st.none(), st.text(max_size=12)), max_size=60))
@settings(max_examples=100, deadline=None)
def test_text_becomes_levels_and_back(words):
    words = [word for word in words if word is None or word.isprintable()]
    assert list(decode_levels(encode_text(Text.of(words)))) == words


def test_many_levels_are_kept_apart():
    words = [f"w{number % 5000}" + "x" * (number % 5000 % 13) for number in range(20_000)]
    column = parse(buffer("\n".join(words)), Dialect.CSV, [Mode.NOMINAL]).columns[0]
    assert plain(column) == words
    assert len(column.levels) == 5000
