import gzip

import numpy as np
import pytest

from hedgerow.data.formats.arff import ArffSource
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.source import ReadOptions
from hedgerow.data.table.table import Bags, SparseNumbers, concatenate
from tests.data.tables import assert_same, words

WEATHER = """% a comment
@RELATION 'the weather'

@Attribute outlook {sunny, 'over cast', "rainy"} % sky
@attribute\ttemperature   REAL [0,99]
@attribute 'wind speed' integer[0,9]{0.5}
@attribute play { yes,no}
@DATA
sunny, 85, 3, no
% in between
'over cast', ?, 4.5, yes   % behind

"rainy",\t-1e2,?,?
"""


@pytest.fixture
def arff(tmp_path):
    """Return a function from text to the source that reads it."""

    def make(text, name="t.arff", **options):
        path = tmp_path / name
        data = text if isinstance(text, bytes) else text.encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return ArffSource(path, ReadOptions(**options))

    return make


def test_kinds_levels_quotes_and_comments(arff):
    table = arff(WEATHER).read()
    assert table.schema.names == ("outlook", "temperature", "wind speed", "play")
    assert table.schema.target == "play"
    assert table.schema["outlook"].levels == ("sunny", "over cast", "rainy")
    assert words(table, "outlook") == ["sunny", "over cast", "rainy"]
    np.testing.assert_array_equal(table["temperature"], [85, np.nan, -100])
    np.testing.assert_array_equal(table["wind speed"], [3, 4.5, np.nan])
    assert words(table, "play") == ["no", "yes", None]


@pytest.mark.parametrize("name", ["t.arff", "t.arff.gz"])
def test_carriage_returns_do_not_matter(arff, name):
    assert_same(arff(WEATHER).read(), arff(WEATHER.replace("\n", "\r\n"), name).read())


def test_the_last_line_needs_no_end(arff):
    assert arff(WEATHER.rstrip()).read().n_rows == 3


def test_a_quoted_question_mark_is_a_value(arff):
    table = arff("@relation r\n@attribute a {'?',x}\n@data\n'?'\n?\nx\n").read()
    assert words(table, "a") == ["?", None, "x"]


def test_escapes_inside_quotes(arff):
    text = r"""@relation r
@attribute 'it\'s' string
@attribute b {'a\\b', "c\"d", 'e\tf', '50\%'}
@data
'line\nline\r\ttab \\ \' " \u00e9', 'a\\b'
"x\"y 'z'", "c\"d"
plain text, 'e\tf'
'', '50%'
"""
    table = arff(text).read()
    assert table.schema.names == ("it's", "b")
    assert list(table["it's"]) == ["line\nline\r\ttab \\ ' \" é", "x\"y 'z'", "plain text", ""]
    assert words(table, "b") == ["a\\b", 'c"d', "e\tf", "50%"]


def test_values_may_be_parted_by_blanks_or_tabs(arff):
    table = arff("@relation r\n@attribute a {x,'y z'}\n@attribute b numeric\n@data\nx 1\n 'y z'\t 2 \nx   ?\n").read()
    assert words(table, "a") == ["x", "y z", "x"]
    np.testing.assert_array_equal(table["b"], [1, 2, np.nan])


def test_levels_may_be_parted_by_blanks(arff):
    assert arff("@relation r\n@attribute a {x y  z}\n@data\ny\n").read().schema["a"].levels == ("x", "y", "z")


def test_classes_may_be_signs(arff):
    table = arff("@relation r\n@attribute a {+,-}\n@attribute b {-3,-2,0,3}\n@data\n+,-3\n-,3\n").read()
    assert words(table, "a") == ["+", "-"]
    assert words(table, "b") == ["-3", "3"]


def test_weights_stand_in_braces_behind_the_row(arff):
    table = arff("@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n1,x,{5}\n2,y\n3,x, {0.5} % c\n").read()
    assert table.weights.tolist() == [5, 1, 0.5]


def test_dates_become_seconds_and_keep_their_format(arff):
    text = """@relation r
@attribute a date
@attribute b date "dd/MM/yyyy HH:mm"
@data
2001-09-09T01:46:40,'01/01/1970 00:01'
?,"02/01/1970 00:00"
"""
    table = arff(text).read()
    np.testing.assert_array_equal(table["a"], [1e9, np.nan])
    np.testing.assert_array_equal(table["b"], [60, 86400])
    assert [column.date for column in table.schema.columns] == ["yyyy-MM-dd'T'HH:mm:ss", "dd/MM/yyyy HH:mm"]


BAGS = r"""@relation r
@attribute id {a,b,c,d}
@attribute bag relational
  @attribute f numeric
  @attribute g {u,'v w'}
@end bag
@attribute class {0,1}
@data
a,'1,u\n2,\'v w\'',0
b,"3,?",1,{2}
c,'',1
d,?,0
"""


def test_relational_attributes_become_bags(arff):
    table = arff(BAGS).read()
    bags = table["bag"]
    assert isinstance(bags, Bags)
    assert bags.offsets.tolist() == [0, 2, 3, 3, 3]
    assert bags.table["f"].tolist() == [1, 2, 3]
    assert words(bags.table, "g") == ["u", "v w", None]
    assert table.weights.tolist() == [1, 2, 1, 1]


def test_bags_may_hold_bags(arff):
    text = r"""@relation r
@attribute outer relational
@attribute inner relational
@attribute x numeric
@end inner
@attribute y numeric
@end outer
@data
"'1\\n2',5\n'3',6"
"""
    outer = arff(text).read()["outer"]
    assert outer.table["y"].tolist() == [5, 6]
    assert outer.table["inner"].offsets.tolist() == [0, 2, 3]
    assert outer.table["inner"].table["x"].tolist() == [1, 2, 3]


SPARSE = """@relation r
@attribute a numeric
@attribute b {no,yes}
@attribute c numeric
@attribute d string
@attribute e date yyyy-MM-dd
@data
{0 1.5, 1 yes , 3 'some text'} % note
{}
% note
{ 1 'yes', 2 ?,4 1970-01-02 }, {3}
{1 ?,2 "-7"}
"""


def test_absent_values_of_sparse_rows_are_zero_or_the_first_level(arff):
    table = arff(SPARSE).read()
    np.testing.assert_array_equal(table["a"], [1.5, 0, 0, 0])
    assert words(table, "b") == ["yes", "no", "yes", None]
    np.testing.assert_array_equal(table["c"], [0, 0, np.nan, -7])
    assert words(table, "d") == ["some text", None, None, None]
    np.testing.assert_array_equal(table["e"], [0, 0, 86400, 0])
    assert table.weights.tolist() == [1, 1, 3, 1]


def test_words_of_the_user_stand_for_missing(arff):
    head = "@relation r\n@attribute a numeric\n@attribute b {no,yes}\n@data\n"
    for rows in ("-9,none\n1,yes\n", "{0 -9,1 none}\n{0 1,1 yes}\n"):
        table = arff(head + rows, missing=("-9", "none")).read()
        np.testing.assert_array_equal(table["a"], [np.nan, 1])
        assert words(table, "b") == [None, "yes"]


def test_many_sparse_columns_stay_sparse(arff):
    names = "".join(f"@attribute x{i} numeric\n" for i in range(60))
    table = arff(f"@relation r\n{names}@data\n{{5 2,59 1}}\n{{5 3}}\n").read()
    assert all(isinstance(values, SparseNumbers) for values in table.data)
    assert table["x5"].tolist() == [2, 3]
    assert table["x59"].tolist() == [1, 0]


def test_a_header_line_may_be_very_long(arff):
    levels = ",".join(f"'level {i}'" for i in range(20_000))
    table = arff(f"@relation r\n@attribute a {{{levels}}}\n@data\n'level 19999'\n").read()
    assert table["a"].tolist() == [19_999]


@pytest.mark.parametrize("text", [WEATHER, BAGS, SPARSE])
@pytest.mark.usefixtures("small_blocks")
def test_streaming_gives_the_same_rows_and_schema(arff, text):
    source = arff(text)
    tables = list(source.batches(2))
    assert max(table.n_rows for table in tables) <= 2
    assert all(table.schema is source.schema for table in tables)
    whole = arff(text).read()
    assert_same(concatenate(tables), whole)
    assert source.schema == whole.schema


def test_identifiers_are_the_same_streamed_and_whole(arff):
    rows = "".join(f"{i},n{i},{i % 2}\n" for i in range(40))
    levels = ",".join(f"n{i}" for i in range(40))
    head = f"@relation r\n@attribute id numeric\n@attribute name {{{levels}}}\n@attribute c {{0,1}}\n@data\n"
    text = head + rows
    source = arff(text)
    assert source.schema == arff(text).read().schema
    assert source.schema["name"].ignored == "identifier: all 40 values differ"
    assert source.schema["id"].ignored
    assert len(source.notes) == 2
    assert not arff(text, keep=("id", "name")).schema["id"].ignored


def test_kinds_may_be_overridden(arff):
    options = {"kinds": {"temperature": Kind.NOMINAL, "outlook": Kind.TEXT}}
    source = arff(WEATHER, **options)
    assert source.schema["temperature"].levels == ("85", "-1e2")
    assert source.schema["outlook"].kind is Kind.TEXT
    assert_same(concatenate(list(source.batches(1))), arff(WEATHER, **options).read())


def test_a_declared_schema_matches_by_name_and_value(arff):
    schema = Schema(
        (
            Column("play", Kind.NOMINAL, levels=("no", "maybe")),
            Column("temperature", Kind.NUMERIC),
        ),
        "play",
    )
    for how in ("read", "batches"):
        source = arff(WEATHER, schema=schema)
        table = source.read() if how == "read" else concatenate(list(source.batches(2)))
        assert table.schema is schema
        assert words(table, "play") == ["no", None, None]
        assert any("'yes' not seen in training" in note for note in source.notes)


def test_other_encodings_can_be_named(arff):
    text = "@relation r\n@attribute a {café}\n@data\ncafé\n".encode("latin-1")
    assert words(arff(text, encoding="latin-1").read(), "a") == ["café"]
