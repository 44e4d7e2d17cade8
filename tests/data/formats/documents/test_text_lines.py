"""A text file: one document a line, or a table if a delimiter fits."""

import sys
from io import BufferedReader, BytesIO, TextIOWrapper

import numpy as np
import pytest

from hedgerow.data.read import open_source, read
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.errors import DataError, DataWarning

PROSE = "The first document, it has a comma.\nThe second one has none at all.\n\nA third, short, but with commas.\n"


@pytest.fixture
def file(tmp_path):
    """Return a function that writes a file and returns its path."""

    def write(content, name="t.txt"):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / name

    return write


def texts_of(path, **how):
    return list(open_source(path, **how).read()["text"])


def test_every_line_is_a_document_and_a_blank_one_is_empty(file):
    with pytest.warns(
        DataWarning, match="each line is read as a document; use --format csv to read the file as a table"
    ):
        table = read(file(PROSE))
    assert table.schema == Schema((Column("text", Kind.TEXT),))
    assert list(table["text"]) == PROSE.split("\n")[:-1]


@pytest.mark.parametrize("content", ["a,b\n1,2\n3,4\n", "height\n1.5\n2.5\n", "a b\n1 2\n", "word\nother\n"])
def test_tables_and_single_columns_are_no_documents(file, content):
    table = read(file(content))
    assert "text" not in table.schema


def test_what_is_asked_for_holds(file):
    table = "size,color\n1,red\n2,blue\n"
    assert texts_of(file(table), format="lines") == table.split("\n")[:-1]
    assert read(file(PROSE), format="csv", header=False, delimiter="|").schema.names == ("column1",)
    assert read(file(PROSE), header=False, delimiter="|").schema.names == ("column1",)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-32", "utf-8-sig", "cp037"])
def test_lines_may_have_any_encoding(file, encoding):
    path = file("grün und blau\nsind die Wälder heute\n".encode(encoding))
    how = {} if encoding in ("utf-8-sig", "utf-16") else {"encoding": encoding}
    assert texts_of(path, format="lines", **how) == ["grün und blau", "sind die Wälder heute"]


def test_mixed_encodings_are_replaced_and_told(file):
    lines = ["all is well around here", "grün ist die Heide", "grün ist der Wald im Mai"]
    source = open_source(file("\n".join(lines[:2]).encode("latin-1") + b"\n" + lines[2].encode()))
    assert list(source.read()["text"]) == [lines[0], "gr\ufffdn ist die Heide", lines[2]]
    assert any(note.startswith("1 line of 3 holds bytes that are not valid utf-8") for note in source.notes)


def test_line_ends_of_windows_and_a_last_line_without_one(file):
    assert texts_of(file("one of us\r\ntwo\r\n\r\nthree"), format="lines") == ["one of us", "two", "", "three"]


def test_signs_that_look_like_line_ends_and_nul_bytes_part_nothing(file):
    assert texts_of(file("a\u2028b\x0bc\x85d\0e\nf"), format="lines") == ["a\u2028b\x0bc\x85d\0e", "f"]


def test_a_line_of_50_megabytes_is_read(file):
    table = open_source(file(b"word " * 10_000_000 + b"\nshort\n"), format="lines").read()
    assert np.diff(table["text"].offsets).tolist() == [50_000_000, 5]


def test_an_empty_file_is_an_error(file):
    with pytest.raises(DataError, match=r"t\.txt is empty; it needs one line per document"):
        read(file(""), format="lines")
    with pytest.raises(DataError, match=r"t\.txt is empty"):
        read(file(""))


def test_standard_input_can_be_read_more_than_once(monkeypatch):
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BufferedReader(BytesIO(PROSE.encode()))))
    source = open_source("-", format="lines")
    first = [list(batch["text"]) for batch in source.batches(2)]
    again = source.reopen(schema=Schema((Column("message", Kind.TEXT),)))
    assert [list(batch["message"]) for batch in again.batches(2)] == first
    assert len(first) == 2
