"""What is written is read back equal, for every format and from every format to every other."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hedgerow import DataError, DataWarning, Table, open_source, read, write
from hedgerow.data.table.dates import parse_dates
from hedgerow.data.table.delimited import MISSING
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Text, concatenate
from tests.cli.run import run
from tests.data.tables import assert_same

DELIMITED = ("csv", "tsv", "tab", "csv.gz")
EXACT = ("arff", "arff.gz", "parquet", "feather")  # these hold kinds, levels, missing and empty words
FORMATS = (*DELIMITED, *EXACT)

ODD_NAMES = [
    "1",
    "2",
    "2019",
    "a b",
    "a,b",
    'say "x"',
    "größe",
    "名前",
    "it's",
    "x;y",
    "a\tb",
    "%",
    "#n",
    "{",
    "?",
    "NA",
    "class",
    "@data",
    "-1",
    "1e3",
    "0x1",
    "True",
    "\\",
    "a|b",
    "=1+1",
    "weight",
    "column1",
]
ODD_LEVELS = [
    "x",
    "yes",
    "a b",
    "a,b",
    'say "x"',
    "größe",
    "名前",
    "it's",
    "x;y",
    "a\tb",
    "%",
    "#n",
    "{",
    "}",
    "\\",
    "a|b",
    "=1+1",
    "\u00a0",
    "é",
    "a\nb",
    " a",
    "b ",
    "'",
    '"',
    '""',
    "''",
    "@data",
    "-",
    "--",
    "1a",
    ";",
    "class",
]


def nominal(name, levels, codes):
    return Column(name, Kind.NOMINAL, levels=tuple(levels)), np.array(codes, dtype=np.int32)


def table_of(*columns, target=None):
    made = tuple(column for column, _ in columns)
    return Table(Schema(made, target), tuple(values for _, values in columns), len(columns[0][1]))


def numeric(name, values):
    return Column(name, Kind.NUMERIC), np.array(values, dtype=np.float64)


def text(name, words):
    return Column(name, Kind.TEXT), Text.of(words)


TABLES = {
    "numbers as names": table_of(
        numeric("1", [0.5, 0, 2]), numeric("2", [3, 1, 0]), nominal("label", ["a", "b"], [0, 1, 0])
    ),
    "years as names": table_of(numeric("2019", [1, 2, 3.5]), numeric("2020", [4, 5, 6])),
    "one number as name": table_of(numeric("5", [1, 2, 7])),
    "names like levels": table_of(nominal("a", ["a", "b"], [0, 1, 0]), nominal("b", ["b", "c"], [0, 1, 0])),
    "names like levels, one column": table_of(nominal("a", ["a", "b"], [0, 1, 0])),
    "all odd levels": table_of(nominal("x", ODD_LEVELS, range(len(ODD_LEVELS))), numeric("y", range(len(ODD_LEVELS)))),
    "odd names": table_of(*(nominal(name, ["x", "y"], [0, 1, 0, 0]) for name in ODD_NAMES)),
    "odd names of numbers": table_of(*(numeric(name, [i, 1.5, 2]) for i, name in enumerate(ODD_NAMES))),
    "missing values": table_of(
        numeric("n", [np.nan, 1, np.nan]),
        nominal("x", ["a", "b"], [-1, 0, 1]),
        text("t", [None, "the first text here", "b"]),
    ),
    "a column all missing": table_of(numeric("n", [np.nan, np.nan]), nominal("x", ["a", "b"], [0, 1])),
    "one column with missing": table_of(numeric("n", [np.nan, 1, np.nan])),
    "numbers of all sizes": table_of(
        numeric("x", [1e300, -1e-300, 5e-324, 1 / 3, -0.0, 123456789012345680]), numeric("y", [0] * 6)
    ),
    "delimiters in words": table_of(
        nominal("t", ["a;b;c", "d;e;f", "g;h;i"], [0, 1, 2]), nominal("u", ["x|y", "z|w"], [0, 1, 0])
    ),
    "one column of delimiters": table_of(nominal("t", ["a;b", "c;d"], [0, 1, 0])),
    "words that all need quotes": table_of(
        nominal("t", ["a,b", "c,d"], [0, 1, 0]), nominal("u", ['"x"', "y,"], [0, 1, 0])
    ),
    "many words that never repeat": table_of(
        nominal("a", [f"w{i}" for i in range(20)], range(20)), nominal("b", [f"v{i}" for i in range(20)], range(20))
    ),
    "one row": table_of(nominal("a", ["x"], [0]), numeric("b", [1])),
    "one row of words": table_of(nominal("a", ["x"], [0]), nominal("b", ["y"], [0])),
}


def kinds_of(table):
    return {column.name: str(column.kind) for column in table.schema.columns}


def there_and_back(table, folder, ending):
    """Return a table as it is read after it was written, twice: whole and in batches."""
    path = folder / f"t.{ending}"
    write(table, path)
    how = {"kinds": kinds_of(table)} if ending in DELIMITED else {}
    whole = open_source(path, target="", **how).read()
    return whole, concatenate(list(open_source(path, target="", **how).batches(2)))


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("name", TABLES)
def test_odd_tables_come_back(tmp_path, name, ending):
    for back in there_and_back(TABLES[name], tmp_path, ending):
        assert_same(back, TABLES[name], levels=ending in EXACT)


@pytest.mark.parametrize(
    ("first", "second"), list(itertools.permutations(["csv", "tsv", "arff", "parquet", "feather"], 2))
)
@pytest.mark.parametrize("name", TABLES)
def test_every_pair_of_formats(tmp_path, monkeypatch, name, first, second):
    monkeypatch.chdir(tmp_path)
    table = TABLES[name]
    write(table, f"a.{first}")
    kinds = kinds_of(table) if first in ("csv", "tsv") else {}
    words = [word for column, kind in kinds.items() for word in (f"--{kind}={column}",)]
    ran = run("convert", f"a.{first}", f"b.{second}", "-q", *words)
    assert (ran.status, ran.err) == (0, "")
    again = {"kinds": kinds_of(table)} if second in ("csv", "tsv") else {}
    assert_same(open_source(f"b.{second}", target="", **again).read(), table, levels=False)


@pytest.mark.parametrize("word", [word for word in MISSING if word])
@pytest.mark.parametrize("kind", ["nominal", "text"])
def test_words_that_csv_takes_as_missing_are_told(tmp_path, word, kind):
    column = nominal("x", [word, "b"], [0, 1]) if kind == "nominal" else text("x", [word, "b"])
    table = table_of(column, numeric("y", [1, 2]))
    with pytest.warns(DataWarning, match=r"column 'x': the word .* will be read back as missing"):
        write(table, tmp_path / "t.csv")
    for ending in EXACT:
        for back in there_and_back(table, tmp_path, ending):
            assert_same(back, table)


def test_empty_words_and_odd_names_are_told(tmp_path):
    with pytest.warns(DataWarning, match="column 'x': empty strings will be read back as missing"):
        write(table_of(nominal("x", ["", "b"], [0, 1]), numeric("y", [1, 2])), tmp_path / "t.csv")
    with pytest.warns(DataWarning, match="loses the spaces around its name"):
        write(table_of(nominal(" x", ["a", "b"], [0, 1])), tmp_path / "t.csv")
    with pytest.raises(DataError, match="two columns are both called 'x' once surrounding spaces"):
        write(table_of(nominal(" x", ["a"], [0]), nominal("x", ["a"], [0])), tmp_path / "t.csv")
    with pytest.warns(DataWarning, match="the row weights are lost"):
        write(table_of(numeric("x", [1, 2])).with_weights(np.array([1.0, 2.0])), tmp_path / "t.csv")


def test_svmlight_to_csv(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.svm").write_text("1 1:0.5 2:3\n-1 2:1\n1 1:2\n")
    ran = run("convert", "x.svm", "x.csv")
    assert "column 'label' is nominal, but looks numeric: read it back with --nominal label" in ran.err
    assert (tmp_path / "x.csv").read_text().splitlines()[0] == '"1","2","label"'
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_same(read("x.csv", kinds={"label": "nominal"}), read("x.svm"), levels=False)


def fits_csv(word):
    return word.strip() == word and word not in MISSING


WORDS = st.text(st.characters(codec="utf-8"), max_size=6) | st.sampled_from([*ODD_NAMES, *ODD_LEVELS, "1", "2.5", "-3"])
NAMES = WORDS.filter(bool).filter(fits_csv)


@st.composite
def tables(draw):
    n_rows = draw(st.integers(1, 6))
    rows = {"min_size": n_rows, "max_size": n_rows}
    columns = []
    for name in draw(st.lists(NAMES, unique=True, min_size=1, max_size=4)):
        if draw(st.booleans()):
            numbers = st.floats(allow_nan=False, allow_infinity=False) | st.just(np.nan) | st.integers(0, 3)
            columns.append(numeric(name, draw(st.lists(numbers, **rows))))
        else:
            levels = draw(st.lists(WORDS.filter(fits_csv), unique=True, min_size=1, max_size=4))
            columns.append(nominal(name, levels, draw(st.lists(st.integers(-1, len(levels) - 1), **rows))))
    return table_of(*columns)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@example(TABLES["numbers as names"])
@given(tables())
def test_any_table_comes_back_or_is_told(tmp_path_factory, table):
    folder = tmp_path_factory.mktemp("w")
    for ending in ("csv", "tsv", "arff", "feather"):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            write(table, folder / f"t.{ending}")
        if any("ambiguous" in str(one.message) for one in heard):
            assert ending in DELIMITED
            how = {"header": True, "delimiter": "\t" if ending == "tsv" else ","}
        else:
            assert not heard
            how = {}
        how |= {"kinds": kinds_of(table)} if ending in DELIMITED else {}
        assert_same(open_source(folder / f"t.{ending}", target="", **how).read(), table, levels=ending in EXACT)


@pytest.mark.parametrize(
    ("form", "words", "read_as"),
    [
        ("dd/MM/yyyy", ["03/04/2020", "25/12/1969"], "yyyy-MM-dd"),
        ("dd-MMM-yy", ["03-Apr-20", "25-Dec-99"], "yyyy-MM-dd"),
        ("HH:mm", ["00:00", "23:59"], "yyyy-MM-dd'T'HH:mm:ss"),
        ("yyyyMMdd HHmmss.SSS", ["20200403 101112.125", "19691225 000000.000"], "yyyy-MM-dd'T'HH:mm:ss.SSS"),
        ("yyyy-MM-dd HH:mm", ["2020-04-03 10:11", "1969-12-25 00:00"], "yyyy-MM-dd HH:mm"),
    ],
)
def test_dates_of_any_form_come_back_from_csv(tmp_path, form, words, read_as):
    values = np.array([*parse_dates(words, form), np.nan])
    table = table_of((Column("day", Kind.NUMERIC, date=form), values), numeric("n", [1, 2, 3]))
    for ending in ("csv", "tsv"):
        write(table, tmp_path / f"t.{ending}")
        back = read(tmp_path / f"t.{ending}")
        assert back.schema["day"].date == read_as
        np.testing.assert_array_equal(back["day"], values)
    for ending in EXACT:
        write(table, tmp_path / f"t.{ending}")
        np.testing.assert_array_equal(read(tmp_path / f"t.{ending}")["day"], values)


def test_moments_finer_than_milliseconds_are_told(tmp_path):
    column = Column("moment", Kind.NUMERIC, date="yyyy-MM-dd'T'HH:mm:ss.SSS")
    whole, fine = (table_of((column, np.array([1577872800.123, np.nan, last]))) for last in (0.001, 1577872800.000456))
    for ending in ("csv", "arff"):
        write(whole, tmp_path / f"t.{ending}")
        with pytest.warns(DataWarning, match="column 'moment': fractions of milliseconds are lost"):
            write(fine, tmp_path / f"t.{ending}")
    write(fine, tmp_path / "t.parquet")
    np.testing.assert_array_equal(read(tmp_path / "t.parquet")["moment"], fine["moment"])


def test_levels_that_look_like_dates_are_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = table_of(nominal("day", ["2020-01-01", "2020-02-01"], [0, 1, 0]), numeric("n", [1, 2, 3]))
    write(table, "t.arff")
    ran = run("convert", "t.arff", "t.csv")
    assert "column 'day' is nominal, but looks like dates: read it back with --nominal day" in ran.err
    assert_same(open_source("t.csv", target="", kinds={"day": "nominal"}).read(), table)
