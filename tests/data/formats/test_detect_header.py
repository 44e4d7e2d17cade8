"""Whether the first line is a header, for many shapes of tables."""

import numpy as np
import pytest

from hedgerow import DataError, DataWarning, read
from hedgerow.data.formats.detect_layout import sniff
from hedgerow.data.table.source import ReadOptions
from tests.cli.run import run

IRIS = "".join(f"{5 + i % 7 / 10},{3 + i % 5 / 10},{1 + i % 3},0.{i % 4},{'abc'[i % 3]}\n" for i in range(60))
COUNTRIES = "".join(f"country{i},{i}.5,{i * i % 17}.25\n" for i in range(12))
DOCUMENTS = "".join(f"the {i}th sentence is this,topic{i % 3}\n" for i in range(12))

CLEAR = [  # text, whether there is a header
    ("sepal length,sepal width,a,b,species\n" + IRIS, True),
    (IRIS, False),
    ("1,2,3\n4,5,6\n7,8,9\n", False),
    ("1.5,2,3\n4,5,6\n7,1,9\n", False),
    ("1\n2\n3\n", False),
    ("1e999,1e999\n1,2\n", False),
    ("-1e308,1e308,1\n1,2,3\n", False),
    ("x\n1\n2\n", True),
    ("a,b\n", True),  # a header only
    ("1,2\n", False),  # one row only
    ("1,yes\n", False),
    ("a,a,b\n1,2,3\n", True),  # an error follows: the names are not distinct
    ("a,a,b\nx,y,z\n", False),
    ("text,topic\n" + DOCUMENTS, True),
    ("outlook,play\nsunny,no\nrainy,yes\nsunny,yes\nsunny,no\nrainy,no\nrainy,yes\n", True),
    ("sunny,no\nrainy,yes\nsunny,yes\n", False),
    (",x\n0,5\n1,6\n", True),
    ("NA,age,income\n1,2,3\n4,5,6\n", True),
    ("x,?\n1,2\n", False),
    ("ann,1980,2005\nbob,1975,1999\ncid,1990,2011\n", False),  # years in order below, too
    (",1980,2005\nbob,2005,1999\ncid,1990,1911\n", False),
    ('"1","label"\n0.5,spam\n0.3,ham\n', True),  # quotes without need: names
    ('"","x","y"\n"1",2,"b"\n"2",3,"c"\n', True),  # as R writes
    ('"1","2"\n"3","4"\n"5","7"\n', False),  # everything is quoted, so that quotes tell nothing
]
UNCLEAR = [
    ("0,1,2,3,species\n" + IRIS, True),
    ("0,1,2,3,4\n" + IRIS, True),
    ("country,2019,2020\n" + COUNTRIES, True),
    ("country,1990,2005\n" + COUNTRIES, True),
    ("2019,2020,2021\n1.5,2,3\n4,5,6\n", True),
    ("2019,2020,2021\n1200,2000,1800\n1900,2100,1700\n", False),
    ("0,1,2\n4.5,2.3,3\n1.1,2.2,3.3\n", True),
    ("id,2019,2020\n1,4.5,3\n2,3.5,1\n", True),
    ("Country,2019,2020\nDE,1,2\nFR,3,4\nIT,5,6\nES,7,8\n", True),  # the rows count up too, but not in years
    ("store,2019,2020\nA,1800,2400\nB,2100,1900\nC,1750,2300\n", True),  # values as large as years
    ("film,2019,2020\nA,1800,2400\n?,2100,1900\nC,1750,2300\n", True),
    (",0,1\n" + "".join(f"{i},{i % 3},{i % 4}\n" for i in range(12)), True),  # as pandas writes an array
    (",0,1,2\n" + "".join(f"{i},{i % 3},{i % 4},1\n" for i in range(12)), True),
    (",0,1,2\n" + "".join(f"{i % 5},{i % 3},{i % 4},1\n" for i in range(12)), False),  # the rows are not numbered
    ("1,2,label\n0.5,0.25,1\n0.5,0.3,-1\n", True),
    ("0,1,2,species\na,b,c,d\na,b,c,e\na,b,c,d\nb,b,c,e\n", True),
    ("5.1,x,1.4,yes\n5.0,3,1.2,no\n4,2,1,yes\n", False),
    ("Name,City\n" + "".join(f"name{i},city{i}\n" for i in range(12)), True),  # no word repeats
    ("a,b,c\nd,e,f\na,h,i\n" + "d,e,f\nd,h,i\n" * 4, False),  # 'a' occurs again, 'b' and 'c' do not
]


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "t.csv"
        path.write_text(text)
        return path

    return write


def layout(text):
    return sniff(np.frombuffer(text.encode(), dtype=np.uint8), ReadOptions(), ".csv")


@pytest.mark.parametrize(("text", "has_header"), CLEAR)
def test_clear_signs(text, has_header):
    found = layout(text)
    assert (found.has_header, found.header_note) == (has_header, "")


@pytest.mark.parametrize(("text", "has_header"), UNCLEAR)
def test_unclear_signs_are_decided_and_told(text, has_header):
    found = layout(text)
    assert found.has_header is has_header
    assert ("--no-header" if has_header else "--header") in found.header_note
    assert f"header={not has_header}" in found.header_note


@pytest.mark.parametrize(("text", "has_header"), CLEAR[:2] + UNCLEAR[:6])
def test_windows_line_ends_and_other_delimiters_change_nothing(text, has_header):
    assert layout(text.replace("\n", "\r\n")).has_header is has_header
    assert layout(text.replace(",", ";")).has_header is has_header
    assert layout(text.replace(",", "\t")).has_header is has_header


def test_numbers_as_names_are_read_and_warned_of(file):
    path = file("0,1,2,3,species\n" + IRIS)
    with pytest.warns(DataWarning, match="--no-header"):
        table = read(path)
    assert (table.n_rows, table.schema.names) == (60, ("0", "1", "2", "3", "species"))
    assert table.schema["species"].levels == ("a", "b", "c")
    assert read(path, header=True).n_rows == 60  # what is asked for needs no warning


def test_a_word_in_line_1_may_be_a_name(file):
    path = file("0.5,target\n" + "".join(f"{i}.5,{i}.25\n" for i in range(30)))
    with pytest.raises(DataError, match="if line 1 holds the column names, use --header"):
        read(path, header=False)
    path = file("x,target\n1,n.k.\n" + "".join(f"{i}.5,{i}.25\n" for i in range(30)))
    with pytest.raises(DataError, match=r"\(line 2\); treat them as missing with --missing 'n.k.'"):
        read(path)


def test_a_model_whose_columns_are_numbers_finds_its_header(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("0,1,2,3,species\n" + IRIS)
    assert run("train", "a.csv", "-l", "one_r", "--folds", 0, "-o", "m.hedge", "-q").status == 0
    with_header = run("predict", "m.hedge", "a.csv", "-q")
    assert with_header.out.count("\n") == 61
    (tmp_path / "b.csv").write_text(IRIS)
    without = run("predict", "m.hedge", "b.csv")
    assert without.out == with_header.out
    assert "there is no header line" in without.err


def test_the_command_line_tells_what_was_assumed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("country,2019,2020\n" + COUNTRIES)
    ran = run("convert", "a.csv", "-")
    assert ran.out.count("\n") == 13
    assert "the first line is read as the column names, though it holds '2019', '2020'" in ran.err
    assert run("convert", "a.csv", "-", "--no-header").out.count("\n") == 14
    assert run("convert", "a.csv", "-", "--header").err.count("header") == 0
