import contextlib
import gzip
import io
import sys
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hedgerow.data.formats.arff import ArffSource
from hedgerow.data.formats.arrow_files import IpcSource, ParquetSource
from hedgerow.data.formats.csv import CsvSource
from hedgerow.data.frames.arrow import table_from_sparse
from hedgerow.data.table.delimited import MISSING
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.source import ReadOptions
from hedgerow.data.table.table import Bags, Table, Text
from hedgerow.data.write import Writer, write
from hedgerow.errors import DataError, DataWarning, UsageError
from tests.data.tables import assert_same

WORDS = st.text(st.characters(codec="utf-8"), max_size=8)
NAMES = WORDS.filter(bool)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.just(np.nan)
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def nominal(name, levels, codes):
    return Column(name, Kind.NOMINAL, levels=tuple(levels)), np.array(codes, dtype=np.int32)


@st.composite
def columns(draw, n_rows, name, words=WORDS, bags=False):
    """Draw a column of any kind, with its values."""
    kind = draw(st.sampled_from(["numeric", "nominal", "text", *(["date", "bag"] if bags else [])]))
    rows = {"min_size": n_rows, "max_size": n_rows}
    if kind == "numeric":
        return Column(name, Kind.NUMERIC), np.array(draw(st.lists(NUMBERS, **rows)), dtype=np.float64)
    if kind == "nominal":
        levels = draw(st.lists(words, unique=True, min_size=1, max_size=5))
        return nominal(name, levels, draw(st.lists(st.integers(-1, len(levels) - 1), **rows)))
    if kind == "text":
        return Column(name, Kind.TEXT), Text.of(draw(st.lists(st.none() | words, **rows)))
    if kind == "date":
        seconds = draw(st.lists(st.integers(-(10**10), 10**10) | st.just(np.nan), **rows))
        return Column(name, Kind.NUMERIC, date="yyyy-MM-dd HH:mm:ss"), np.array(seconds, dtype=np.float64)
    sizes = draw(st.lists(st.integers(0, 3), **rows))
    inner = draw(tables(sum(sizes), bags=False))
    offsets = np.cumsum([0, *sizes]).astype(np.int64)
    return Column(name, Kind.BAG, inner=inner.schema), Bags(inner, offsets)


@st.composite
def tables(draw, n_rows=None, names=NAMES, words=WORDS, bags=True):
    n_rows = draw(st.integers(1, 5)) if n_rows is None else n_rows
    used = draw(st.lists(names, unique=True, min_size=1, max_size=4))
    drawn = [draw(columns(n_rows, name, words, bags)) for name in used]
    return Table(Schema(tuple(c for c, _ in drawn)), tuple(v for _, v in drawn), n_rows)


@QUICK
@given(tables(), st.booleans())
def test_what_is_written_as_arff_reads_back_equal(tmp_path_factory, table, weighted):
    path = tmp_path_factory.mktemp("w") / "t.arff"
    table = table.with_weights(np.arange(table.n_rows) + 0.5) if weighted else table
    write(table, path)
    assert_same(ArffSource(path, ReadOptions()).read(), table)


def csv_words(word):
    return word.strip() == word and word not in MISSING and "\r" not in word


@QUICK
@given(tables(names=NAMES.filter(csv_words), words=WORDS.filter(csv_words), bags=False))
def test_what_is_written_as_csv_reads_back_equal(tmp_path_factory, table):
    path = tmp_path_factory.mktemp("w") / "t.csv"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # that its first lines can be misunderstood
        write(table, path)
    kinds = {column.name: column.kind for column in table.schema.columns}
    options = ReadOptions(kinds=kinds, header=True, delimiter=",")
    assert_same(CsvSource(path, options).read(), table, levels=False)


@QUICK
@given(tables(), st.booleans(), st.sampled_from([("parquet", ParquetSource), ("feather", IpcSource)]))
def test_what_is_written_as_arrow_reads_back_equal(tmp_path_factory, table, weighted, how):
    ending, source = how
    path = tmp_path_factory.mktemp("w") / f"t.{ending}"
    table = table.with_weights(np.arange(table.n_rows) + 0.5) if weighted else table
    write(table, path)
    assert_same(source(path, ReadOptions()).read(), table)


def small():
    return Table.of({"a": [1, None, 0.1], "b": ["x", 'say "hi", you', None], "c": ["NA", "two\nlines", ""]})


def test_csv_is_quoted_only_where_needed(tmp_path):
    with pytest.warns(DataWarning, match="column 'c': the word 'NA' will be read back as missing"):
        write(small(), tmp_path / "t.csv")
    text = (tmp_path / "t.csv").read_text()
    assert text == 'a,b,c\n1,x,"NA"\n,"say ""hi"", you","two\nlines"\n0.1,,""\n'


def test_tabs_part_the_values_of_tsv(tmp_path):
    write(Table.of({"a b": [1.5], "c": ["x\ty"]}), tmp_path / "t.tsv")
    assert (tmp_path / "t.tsv").read_text() == 'a b\tc\n1.5\t"x\ty"\n'


def test_a_missing_value_of_a_single_column_is_not_an_empty_line(tmp_path):
    write(Table.of({"a": [1, None]}), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "a\n1\n?\n"


def test_arff_in_full(tmp_path):
    inner = Table.of({"f": [1, 2], "g": ["u", "v w"]})
    table = Table.of({"it's": ["a", None], "n": [1, 2]}, weights=[1, 2.5])
    table = table.with_column(Column("bag", Kind.BAG, inner=inner.schema), Bags(inner, np.array([0, 2, 2])))
    table = table.with_column(Column("when", Kind.NUMERIC, date="yyyy-MM-dd"), np.array([0, np.nan]))
    write(table, tmp_path / "t.arff")
    assert (tmp_path / "t.arff").read_text() == (
        "@relation hedgerow\n\n@attribute 'it\\'s' {a}\n@attribute n numeric\n@attribute bag relational\n"
        "@attribute f numeric\n@attribute g {u,'v w'}\n@end bag\n@attribute when date 'yyyy-MM-dd'\n\n@data\n"
        "a,1,'1,u\\n2,\\'v w\\'',1970-01-01,{1}\n?,2,'',?,{2.5}\n"
    )


def test_sparse_columns_are_written_as_sparse_rows(tmp_path):
    table = table_from_sparse(np.array([[0, 1.5], [0, 0], [np.nan, 2]]), ["a", "b"])
    column, codes = nominal("c", ["no", "yes"], [1, 0, -1])
    table = table.with_column(column, codes)
    write(table, tmp_path / "t.arff")
    assert (tmp_path / "t.arff").read_text().endswith("@data\n{1 1.5,2 yes}\n{}\n{0 ?,1 2,2 ?}\n")
    assert_same(ArffSource(tmp_path / "t.arff", ReadOptions()).read(), table)


def test_numbers_are_as_short_as_can_be(tmp_path):
    values = [0.1, 1e300, 5e-324, -0.0, 123456789.0, 1 / 3, 1e15]
    write(Table.of({"a": values}), tmp_path / "t.csv")
    lines = (tmp_path / "t.csv").read_text().split()[1:]
    assert [float(line) for line in lines] == values
    assert lines[:5] == ["0.1", "1e+300", "5e-324", "-0", "123456789"]


def test_tables_can_be_streamed_into_one_file(tmp_path):
    with Writer(tmp_path / "t.csv.gz") as writer:
        for part in small().batches(1):
            writer.add(part)
    assert any("'NA' will be read back as missing" in note for note in writer.notes)
    with pytest.warns(DataWarning, match="will be read back as missing"):
        write(small(), tmp_path / "t.csv")
    assert gzip.decompress((tmp_path / "t.csv.gz").read_bytes()) == (tmp_path / "t.csv").read_bytes()


def test_standard_output_is_called_minus(monkeypatch):
    out = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", out)
    write(Table.of({"a": [1]}), "-")
    assert out.buffer.getvalue() == b"a\n1\n"


@pytest.mark.parametrize("name", ["t.csv", "t.arff.gz", "t.parquet", "t.feather"])
def test_nothing_is_left_of_a_failed_writing(tmp_path, name):
    path = tmp_path / name
    path.write_text("old")
    with contextlib.suppress(RuntimeError), Writer(path) as writer:
        writer.add(small())
        raise RuntimeError
    assert [p.name for p in tmp_path.iterdir()] == [name]
    assert path.read_text() == "old"


def test_other_columns_cannot_follow(tmp_path):
    with Writer(tmp_path / "t.csv") as writer:
        writer.add(small())
        with pytest.raises(DataError, match="cannot be appended"):
            writer.add(Table.of({"z": [1]}))
    assert (tmp_path / "t.csv").read_text().startswith("a,b,c\n")


def test_csv_cannot_hold_bags(tmp_path):
    inner = Table.of({"f": [1.0]})
    bags = Table(Schema((Column("bag", Kind.BAG, inner=inner.schema),)), (Bags(inner, np.array([0, 1])),), 1)
    with pytest.raises(DataError, match="'bag' holds bags"):
        write(bags, tmp_path / "t.csv")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["t.xls", "t", "t.parquet.gz"])
def test_unknown_endings_are_told(tmp_path, name):
    with pytest.raises(UsageError, match=name):
        write(small(), tmp_path / name)


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(DataError, match="cannot be written"):
        write(small(), tmp_path / "no" / "t.csv")


def test_a_table_without_rows_has_a_header(tmp_path):
    write(small().slice(0, 0), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "a,b,c\n"
