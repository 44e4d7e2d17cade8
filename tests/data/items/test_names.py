import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.data.items.names import ItemName, format_bare_item, interval_item, level_item, read_item
from tests.models.associations.associations import WORDS
from tests.models.rules.rule_lists import MANY

NUMBERS = st.floats(allow_nan=False, allow_infinity=False).map(lambda value: value + 0.0)
ANY = WORDS | st.text(max_size=8)


@pytest.mark.parametrize(
    ("word", "printed"),
    [
        ("whole milk", "whole milk"),
        ("rolls/buns", "rolls/buns"),
        ("C#", "C#"),
        ("5% (fat)", "5% (fat)"),
        ("Käse 🧀", "Käse 🧀"),
        ("a, b", '"a, b"'),
        ("{a}", '"{a}"'),
        ("a=b", '"a=b"'),
        ("a => b", '"a => b"'),
        ("#1", '"#1"'),
        (" a", '" a"'),
        ("a  b", '"a  b"'),
        ("", '""'),
        ('5" disk', '"5\\" disk"'),
        ("a\nb\u00a0c", '"a\\nb\\u00a0c"'),
    ],
)
def test_words_are_quoted_only_where_they_need_be(word, printed):
    assert format_bare_item(word) == printed
    assert read_item(printed) == (ItemName(word), len(printed))


def test_a_level_may_hold_a_colon():
    assert level_item("time", "12:30") == "time=12:30"
    assert read_item("time=12:30")[0] == ItemName("time", "12:30")


def test_blanks_around_signs_do_not_matter():
    assert read_item("a  b = c")[0] == ItemName("a b", "c")
    assert read_item("1 < a <= 2")[0] == ItemName("a", low=1.0, high=2.0)
    assert read_item("a > -1e-5")[0] == ItemName("a", low=-1e-5)


@pytest.mark.parametrize("text", ["", ",", "=a", '"a', '"a\\q"', "a<=1e999", "{"])
def test_what_is_no_item(text):
    with pytest.raises(ValueError, match=r".+"):
        read_item(text)


@MANY
@given(ANY, ANY, st.sampled_from(["bare", "level", "bag"]))
def test_names_read_back(column, word, sort):
    name = {"bare": ItemName(column), "level": ItemName(column, word), "bag": ItemName(column, word, in_bag=True)}[sort]
    assert read_item(str(name)) == (name, len(str(name)))
    assert "\n" not in str(name)


@MANY
@given(ANY, NUMBERS, NUMBERS)
def test_intervals_read_back(column, low, high):
    for ends in ((low, None), (None, high), (low, high)):
        text = interval_item(column, *ends)
        assert read_item(text) == (ItemName(column, low=ends[0], high=ends[1]), len(text))
