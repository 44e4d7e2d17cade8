"""Files that are no text are called what they are, with what to do."""

import bz2
import gzip
import io
import lzma
import pickle
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

from hedgerow import DataError, Table, read, write
from tests.cli.run import run

TEXT = b"a,b\n1,x\n2,y\n"
TABLE = Table.of({"a": [1.0, 2.0], "b": ["x", "y"]})


def tar():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        about = tarfile.TarInfo("t.csv")
        about.size = len(TEXT)
        archive.addfile(about, io.BytesIO(TEXT))
    return out.getvalue()


def zipped(*names):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, TEXT)
    return out.getvalue()


def array():
    out = io.BytesIO()
    np.save(out, np.ones(3))
    return out.getvalue()


KINDS = [
    ("t.tar", tar(), "a tar archive, not text; unpack it"),
    ("t.tar.gz", gzip.compress(tar(), mtime=0), "a tar archive, not text; unpack it"),
    ("t.tgz", gzip.compress(tar(), mtime=0), "a tar archive, not text; unpack it"),
    ("t.csv.bz2", bz2.compress(TEXT), "compressed with bzip2, not text; decompress it"),
    ("t.csv.xz", lzma.compress(TEXT), "compressed with xz, not text; decompress it"),
    ("t.csv.zip", zipped("t.csv"), "a zip archive, not text; unpack it"),
    ("empty.zip", zipped(), "an empty zip archive"),
    ("t.xlsx", zipped("[Content_Types].xml", "xl/workbook.xml"), "xlsx workbook, not text; save the table as CSV"),
    ("t.ods", zipped("mimetype", "content.xml"), "ods sheet, not text; save the table as CSV"),
    ("t.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "xls workbook, not text; save the table as CSV"),
    ("t.7z", b"7z\xbc\xaf\x27\x1c" + bytes(50), "a 7z archive"),
    ("t.rar", b"Rar!\x1a\x07\x01\x00", "a RAR archive"),
    ("t.lz4", b"\x04\x22\x4d\x18" + bytes(50), "compressed with lz4"),
    ("t.db", b"SQLite format 3\x00" + bytes(80), "an SQLite database"),
    ("t.npy", array(), "a NumPy array, not text; read it with numpy.load"),
    ("t.npz", zipped("x.npy"), "an archive of NumPy arrays, not text; read it with numpy.load"),
    ("frame.pkl", pickle.dumps([1.5, "a"]), "a Python pickle, not text; load it in Python"),
    ("frame.csv.gz", gzip.compress(pickle.dumps([1.5, "a"], protocol=2), mtime=0), "a Python pickle"),
    ("t.pdf", b"%PDF-1.7\n", "a PDF document"),
    ("t.arff", bz2.compress(TEXT), "compressed with bzip2"),
    ("t.svm", lzma.compress(TEXT), "compressed with xz"),
    ("t.vw", tar(), "a tar archive"),
    ("t.jsonl", zipped("a.jsonl"), "a zip archive"),
    ("t.txt", zipped("a.txt"), "a zip archive"),
    ("t.mbox", zipped("a.mbox"), "a zip archive"),
]


@pytest.mark.parametrize(("name", "content", "told"), KINDS)
def test_known_kinds_of_files_are_called_what_they_are(tmp_path, name, content, told):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError) as caught:
        read(tmp_path / name)
    assert told in str(caught.value)
    assert name in str(caught.value)


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_tables_of_other_names_tell_their_format(tmp_path, ending):
    write(TABLE, tmp_path / f"t.{ending}")
    other = (tmp_path / f"t.{ending}").rename(tmp_path / "data")
    with pytest.raises(DataError, match=f"data is a {ending.title()} file, not text; .*--format {ending}"):
        read(other)
    assert read(other, format=ending).n_rows == 2


@pytest.mark.parametrize("packed", [bz2.compress(TEXT), lzma.compress(TEXT), zipped("t.csv"), tar()])
def test_standard_input_too(packed):
    for words in (("describe", "-"), ("online", "-")):
        ran = run(*words, stdin=packed)
        assert ran.status == 1
        assert "standard input is " in ran.err
        assert "not text" in ran.err
        assert "latin-1" not in ran.err


@pytest.mark.parametrize(
    "text", [b"PAR1,b\n1,2\n", b"BZh9,b\n1,2\n", b"ARROW1,b\n1,2\n", b"GIF,b\n1,2\n", b"Obj,b\n1,2\n"]
)
def test_texts_that_begin_alike_are_read(tmp_path, text):
    (tmp_path / "t.csv").write_bytes(text)
    assert read(tmp_path / "t.csv").n_rows == 1


def test_a_model_is_no_table_and_a_table_no_model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_bytes(TEXT * 5)
    (tmp_path / "t.csv").write_text("a,b\n" + "1,x\n2,y\n" * 5)
    assert run("train", "t.csv", "-l", "one_r", "--folds", 0, "-o", "m.hedge", "-q").status == 0
    assert "m.hedge is a hedgerow model, not text" in run("describe", "m.hedge").err


@pytest.mark.parametrize(
    "words",
    [("train", "t.csv", "-l", "one_r", "-o"), ("cluster", "t.csv", "--n-clusters", 2, "-o"), ("online", "t.csv", "-o")],
)
def test_models_are_not_saved_as_json_before_any_work(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,b\n" + "1,x\n2,y\n" * 5)
    ran = run(*words, "model.json")
    assert (ran.status, ran.out) == (1, "")
    assert "model.json cannot be written: only item sets and association rules are saved as JSON" in ran.err
    assert "such as model.hedge" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize("name", ["t.csv", "model.json.gz", "M.CSV", "model.parquet", "m.pkl", "model.html"])
def test_models_are_not_saved_under_names_of_other_formats(tmp_path, monkeypatch, name):
    """`train t.csv -o t.csv` would overwrite the data."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,b\n" + "1,x\n2,y\n" * 5)
    ran = run("train", "t.csv", "-l", "one_r", "-o", name)
    assert (ran.status, ran.out) == (1, "")
    assert f"{name} cannot be written" in ran.err
    assert f"such as {name.split('.')[0]}.hedge" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.skipif(not Path("/dev/zero").is_char_device(), reason="needs a device that never ends")
def test_a_device_that_never_ends_is_not_read():
    with pytest.raises(DataError, match="/dev/zero is a device, not a file"):
        read("/dev/zero")
