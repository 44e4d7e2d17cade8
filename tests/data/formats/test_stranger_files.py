"""Files as people have them are read as they are meant, whole, in batches or by a model, and are read back equal."""

import warnings

import numpy as np
import pytest

from hedgerow.data.formats import csv
from hedgerow.data.formats.csv import CsvSource
from hedgerow.data.formats.sheets import CellsSource
from hedgerow.data.read import open_source, read
from hedgerow.data.table.files import load
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Text, concatenate
from hedgerow.data.write import write
from hedgerow.errors import HedgerowError
from tests.data.formats.stranger_files import stranger_files

FILES = stranger_files()
READABLE = [file for file in FILES if not file.error]


def name_of(file):
    return file.name


def values_of(table):
    """Return the columns by name; None is missing."""
    columns = {}
    for position, column in enumerate(table.schema.columns):
        values = table.values(position)
        if column.kind is Kind.NOMINAL:
            columns[column.name] = [None if code < 0 else column.levels[code] for code in values]
        elif isinstance(values, Text):
            columns[column.name] = list(values)
        else:
            columns[column.name] = [None if np.isnan(value) else value for value in values]
    return columns


@pytest.fixture
def open_file(tmp_path):
    def write_and_open(file, **options):
        path = tmp_path / file.name
        path.write_bytes(file.content)
        return open_source(path, **{**file.options, **options})

    return write_and_open


@pytest.mark.parametrize("file", READABLE, ids=name_of)
def test_files_are_read_as_they_are_meant(file, open_file):
    source = open_file(file)
    found = values_of(source.read())
    assert list(found) == list(file.columns)
    for name, values in file.columns.items():
        assert found[name] == [
            value if isinstance(value, str) or value is None else pytest.approx(value) for value in values
        ]
    for part in file.notes:
        assert any(part in note for note in source.notes), (part, list(source.notes))


@pytest.mark.parametrize("file", [file for file in FILES if file.error], ids=name_of)
def test_other_files_are_refused_with_the_reason(file, open_file):
    with pytest.raises(HedgerowError) as caught:
        open_file(file).read()
    assert file.error in str(caught.value)


@pytest.mark.parametrize("file", READABLE, ids=name_of)
def test_streaming_gives_what_reading_gives(file, open_file, monkeypatch):
    whole = open_file(file)
    table = whole.read()
    streamed = open_file(file)
    # Blocks of a few rows, after a head from which the layout is told.
    if isinstance(streamed, CsvSource) and not isinstance(
        streamed, CellsSource
    ):  # blocks of a few rows, after a head from which the layout is told
        head = streamed.parse_opening(load(streamed.path))
        monkeypatch.setattr(streamed, "_opening", lambda _: head)
        monkeypatch.setattr(csv, "SAMPLE", head.start + 8)
        streamed.block = 16
    batches = concatenate(list(streamed.batches()))
    assert values_of(batches) == values_of(table)
    assert streamed.schema.to_dict() == table.schema.to_dict()
    assert set(streamed.notes) == set(whole.notes)


@pytest.mark.parametrize("file", READABLE, ids=name_of)
def test_a_model_reads_new_rows_as_its_own(file, open_file):
    table = open_file(file).read()
    schema = Schema.from_dict(table.schema.to_dict())
    path = open_file(file).path
    names = {name: value for name, value in file.options.items() if name in ("sheet", "table")}
    again = open_source(path, schema=schema, **names).read()
    for name in table.schema.names:
        if table.schema[name].kind is not Kind.TEXT:
            assert values_of(again)[name] == values_of(table)[name]


@pytest.mark.parametrize("ending", ["csv", "tsv", "arff", "parquet", "feather"])
@pytest.mark.parametrize("file", READABLE, ids=name_of)
def test_what_is_written_reads_back_equal(file, ending, open_file, tmp_path):
    table = open_file(file).read()
    path = tmp_path / f"again.{ending}"
    with warnings.catch_warnings(record=True, action="always") as told:
        write(table, path)
    if any("read back" in str(warning.message) for warning in told):
        return
    kinds = {c.name: str(c.kind) for c in table.schema.columns if c.kind is not Kind.NUMERIC}
    with warnings.catch_warnings(action="ignore"):
        again = read(path, kinds=kinds)
    assert values_of(again) == values_of(table)
