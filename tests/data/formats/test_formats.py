"""The dispatch by extension, and one table written and read in every format."""

import sys
from io import BufferedReader, BytesIO, TextIOWrapper

import pytest

from hedgerow.data.read import make_source, open_source
from hedgerow.data.table.source import ReadOptions
from hedgerow.data.table.table import Table, concatenate
from hedgerow.data.write import write
from tests.data.tables import assert_same


def table():
    return Table.of({"x": [1, 2.5, None], "color": ["red", None, "blue"], "y": ["a", "b", "a"]}, target="y")


@pytest.mark.parametrize(
    "name",
    [
        "t.csv",
        "t.csv.gz",
        "t.tsv",
        "t.arff",
        "T.ARFF",
        "t.arff.gz",
        "t.parquet",
        "t.pq",
        "t.feather",
        "t.arrow",
    ],
)
def test_a_table_is_the_same_in_every_format(tmp_path, name):
    path = tmp_path / name
    write(table(), path)
    source = open_source(path)
    assert_same(source.read(), table())
    assert open_source(path).schema == table().schema
    assert_same(concatenate(list(open_source(path).batches(2))), table())


@pytest.mark.parametrize("ending", ["arff", "csv"])
def test_standard_input_can_be_streamed(monkeypatch, tmp_path, ending):
    write(table(), tmp_path / f"t.{ending}")
    data = (tmp_path / f"t.{ending}").read_bytes()
    for options in (ReadOptions(), ReadOptions(schema=table().schema)):
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BufferedReader(BytesIO(data))))
        source = make_source("-", options, format=ending)
        assert_same(concatenate(list(source.batches(1))), table())
