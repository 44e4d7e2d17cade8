import gzip

import numpy as np
import pytest

from hedgerow.data.formats.c45 import C45Source, c45_source
from hedgerow.data.formats.c45_names import parse_names
from hedgerow.data.formats.csv import CsvSource
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.source import ReadOptions
from hedgerow.data.table.table import concatenate
from hedgerow.errors import DataError
from tests.data.tables import assert_same, words

NAMES = """| golf
Play, Don't Play.   | classes

outlook: sunny, overcast, rain.
temperature: continuous.
place: discrete 10.
id: ignore.
size:  [ordered] small, medium,
       very  large
odd\\:name: a\\,b, c.d.
"""
DATA = """sunny, 85, home, r1, small, a\\,b, Don't Play
| a comment
overcast, ?, field, r2, very large, c.d, Play.   | behind

rain,-1.5,home,r3,?,?,?
"""


@pytest.fixture
def golf(tmp_path):
    (tmp_path / "golf.names").write_text(NAMES)
    (tmp_path / "golf.data").write_text(DATA.replace("a\\,b", "?"))
    (tmp_path / "golf.test").write_text("|1x3 Cross validator\nrain, 1, sea, r9, medium, c.d, Play.\n")
    return tmp_path / "golf"


def test_names_are_read_with_all_their_forms():
    names = parse_names(NAMES, "golf.names")
    kinds = {column.name: column.kind for column in names.columns}
    assert list(kinds) == ["outlook", "temperature", "place", "id", "size", "odd:name", "class"]
    assert kinds["temperature"] is Kind.NUMERIC
    columns = {column.name: column for column in names.columns}
    assert columns["class"].levels == ("Play", "Don't Play")
    assert (columns["size"].levels, columns["size"].ordered) == (("small", "medium", "very large"), True)
    assert columns["odd:name"].levels == ("a,b", "c.d")
    assert columns["id"].ignored == "the names file says ignore"
    assert names.open_levels == {"place"}


def test_an_attribute_may_be_the_class_as_in_c5():
    names = parse_names("color.\ncolor: red, blue.\nx: continuous.\n", "f")
    assert names.target == "color"
    assert len(names.columns) == 2


@pytest.mark.parametrize("ending", ["", ".names", ".data"])
def test_any_of_the_names_opens_the_pair(golf, ending):
    table = C45Source(f"{golf}{ending}", ReadOptions()).read()
    assert table.schema.target == "class"
    assert words(table, "outlook") == ["sunny", "overcast", "rain"]
    np.testing.assert_array_equal(table["temperature"], [85, np.nan, -1.5])
    assert words(table, "place") == ["home", "field", "home"]
    assert words(table, "size") == ["small", "very large", None]
    assert words(table, "class") == ["Don't Play", "Play", None]
    assert table.schema["id"].ignored


def test_the_test_file_has_the_same_columns(golf):
    table = C45Source(f"{golf}.test", ReadOptions()).read()
    assert words(table, "class") == ["Play"]
    assert words(table, "place") == ["sea"]


@pytest.mark.usefixtures("small_blocks")
def test_streaming_gives_the_same_rows_and_schema(golf):
    source = C45Source(golf, ReadOptions())
    whole = C45Source(golf, ReadOptions()).read()
    assert_same(concatenate(list(source.batches(1))), whole)
    assert source.schema == whole.schema


def test_packed_rows_are_found_beside_plain_names(golf):
    data = golf.with_suffix(".data")
    golf.with_suffix(".data.gz").write_bytes(gzip.compress(data.read_bytes()))
    data.unlink()
    assert C45Source(golf, ReadOptions()).read().n_rows == 3


@pytest.mark.parametrize(
    ("names", "parts"),
    [
        ("", ["empty"]),
        ("a: continuous.\n", ["line 1", "classes"]),
        ("yes,no.\na continuous.\n", ["line 2", "'a continuous'"]),
        ("yes,no.\na:.\n", ["line 2", "lacks"]),
        ("yes,no.\na: x.\na: y.\n", ["line 3", "'a'", "twice"]),
        ("yes,no,yes.\na: x.\n", ["line 1", "'yes'", "twice"]),
        ("yes,no.\na := b + 1.\n", ["line 2", "formula"]),
    ],
)
def test_bad_names_are_told_in_one_sentence(names, parts):
    with pytest.raises(DataError) as error:
        parse_names(names, "bad.names")
    assert all(part in str(error.value) for part in ["bad.names", *parts]), str(error.value)


@pytest.mark.parametrize(
    ("row", "parts"),
    [
        ("sunny,1,x,r,small,c.d,Pley\n", ["line 1", "'Pley'", "'Play'"]),
        ("sunny,1,x,r,small,c.d\n", ["line 1", "6 values instead of 7"]),
        ("sunny,warm,x,r,small,c.d,Play\n", ["'temperature'", "'warm'", "line 1"]),
        ("", ["no rows"]),
    ],
)
def test_bad_rows_are_told_in_one_sentence(golf, row, parts):
    golf.with_suffix(".data").write_text(row)
    with pytest.raises(DataError) as error:
        C45Source(golf, ReadOptions()).read()
    assert all(part in str(error.value) for part in ["golf.data", *parts]), str(error.value)


def test_a_missing_half_is_told(tmp_path):
    (tmp_path / "a.names").write_text(NAMES)
    with pytest.raises(DataError, match=r"a\.data"):
        C45Source(tmp_path / "a", ReadOptions())


def test_rows_without_usable_names_are_plain_csv(golf):
    golf.with_suffix(".names").write_text("1. Title: The golf data\n2. Sources: unknown\n")
    source = c45_source(f"{golf}.data", ReadOptions())
    assert isinstance(source, CsvSource)
    assert any("golf.names" in note for note in source.notes)
    golf.with_suffix(".names").unlink()
    assert not c45_source(f"{golf}.data", ReadOptions()).notes
