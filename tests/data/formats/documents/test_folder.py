"""A folder of folders: the class is the folder's name, every file a document."""

import gzip
import os

import numpy as np
import pytest

from hedgerow.data.formats.documents import documents, folder_source
from hedgerow.data.read import open_source, read
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import concatenate
from hedgerow.errors import DataError, DataWarning, UsageError
from tests.data.tables import assert_same, words


@pytest.fixture
def corpus(tmp_path):
    """Return a function that writes files, given by their paths, into a folder."""

    def write(**files):
        return written(tmp_path / "corpus", files)

    return write


def written(root, files):
    root.mkdir(exist_ok=True)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


SMALL = {"spam/2": "free money", "spam/10": "win", "ham/b": "see you", "ham/a b ü": "grün\n"}


def notes_of(path, **how):
    source = open_source(path, **how)
    source.read()
    return list(source.notes)


def test_classes_and_files_come_in_the_order_of_their_names(tmp_path):
    table = read(written(tmp_path / "c", SMALL))
    assert table.schema == Schema(
        (Column("text", Kind.TEXT), Column("class", Kind.NOMINAL, ("ham", "spam"))), target="class"
    )
    assert list(table["text"]) == ["grün\n", "see you", "win", "free money"]
    assert words(table, "class") == ["ham", "ham", "spam", "spam"]


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("rows", [1, 7, 1000])
def test_batches_hold_the_same_rows_whatever_their_size(tmp_path, monkeypatch, rows, threads):
    monkeypatch.setenv("HEDGEROW_THREADS", threads)
    monkeypatch.setattr(folder_source, "CHUNK", 5)
    root = written(tmp_path / "c", {f"{i % 3}/{i:03}": f"text {i} " * i for i in range(40)})
    batches = list(open_source(root).batches(rows))
    assert max(map(len, batches)) <= rows
    assert_same(concatenate(batches), read(root))


def test_a_batch_ends_early_if_its_documents_are_long(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "BATCH_BYTES", 100)
    root = written(tmp_path / "c", {f"a/{i}": "x" * 60 for i in range(5)})
    assert [len(batch) for batch in open_source(root).batches()] == [2, 2, 1]


def test_a_document_of_50_megabytes_is_read(tmp_path):
    root = written(tmp_path / "c", {"a/long": b"word " * 10_000_000, "b/short": b"word"})
    table = read(root)
    assert np.diff(table["text"].offsets).tolist() == [50_000_000, 4]


def test_empty_and_compressed_files_are_documents_too(tmp_path):
    table = read(written(tmp_path / "c", {"a/1": "", "a/2.gz": gzip.compress(b"packed")}))
    assert list(table["text"]) == ["", "packed"]
    assert not table["text"].missing.any()


def test_one_class_is_enough_to_read(tmp_path):
    assert read(written(tmp_path / "c", {"only/1": "x"})).schema["class"].levels == ("only",)


def test_files_alone_are_texts_without_a_class(tmp_path):
    root = written(tmp_path / "c", {"1.eml": "x", "2.eml": "y"})
    with pytest.warns(DataWarning, match="its files are read as texts without a class"):
        table = read(root)
    assert table.schema == Schema((Column("text", Kind.TEXT),))


def test_what_is_passed_over_is_told(tmp_path):
    root = written(tmp_path / "c", {**SMALL, "README": "", "ham/.DS_Store": "", ".git/x": "", "ham/old/1": "x"})
    (root / "nothing").mkdir()
    os.mkfifo(root / "ham" / "pipe")
    assert notes_of(root) == [
        "files outside the class folders are skipped: README",
        "folders inside the class folders are skipped: ham/old",
        "hidden files and folders are skipped: .git, ham/.DS_Store",
        "pipes, sockets and devices are skipped: ham/pipe",
        "empty folders are skipped: nothing",
    ]


def test_files_that_appear_twice_are_told(tmp_path):
    root = written(tmp_path / "c", SMALL)
    (root / "spam" / "again").symlink_to(root / "ham" / "b")
    os.link(root / "spam" / "2", root / "spam" / "3")
    assert notes_of(root) == ["files are read twice, through links: spam/3 is spam/2, spam/again is ham/b"]
    assert len(read_quietly(root)) == 6


def read_quietly(path, **how):
    return open_source(path, **how).read()


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({}, "corpus is an empty folder; it needs one folder per class"),
        ({".hidden": "x"}, "corpus is an empty folder"),
        (
            {"train/a/1": "x", "test/a/1": "x"},
            r"contains folders of folders; name the one .*corpus/test, .*corpus/train",
        ),
        ({"a/1": "x", "b/c/1": "x"}, "corpus/b contains folders but no files, while other folders"),
        ({"a.csv": "x", "b.csv": "x"}, "corpus is a folder of tables; name one of the tables, such as a.csv"),
    ],
)
def test_folders_of_another_shape_are_refused_with_a_sentence(corpus, files, problem):
    with pytest.raises(DataError, match=problem):
        read(corpus(**files))


def test_folders_that_are_all_empty_are_refused(tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(DataError, match="are empty; each needs one file per document"):
        read(tmp_path)


def test_a_broken_link_is_an_error_that_names_it(tmp_path):
    root = written(tmp_path / "c", SMALL)
    (root / "ham" / "gone").symlink_to("nowhere")
    with pytest.raises(DataError, match=r"ham/gone is a broken link; repair or remove it"):
        read(root)
    (root / "ham" / "gone").unlink()
    (root / "ham" / "round").symlink_to(root / "ham" / "round")
    with pytest.raises(DataError, match=r"ham/round is a broken link"):
        read(root)


def test_a_file_that_may_not_be_read_is_an_error_that_names_it(tmp_path, monkeypatch):
    root = written(tmp_path / "c", SMALL)
    opened = os.open

    def refused(path, *flags):
        if str(path).endswith("spam/10"):
            raise PermissionError(13, "Permission denied")
        return opened(path, *flags)

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(DataError, match=r"permission to read .*spam/10 is denied; check its permissions"):
        read(root)


@pytest.mark.parametrize(("name", "told"), [("none", "there is no file"), ("file", "is not a folder; name a folder")])
def test_what_is_no_folder_is_an_error(tmp_path, name, told):
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match=told if name == "file" else "there is no folder"):
        read(tmp_path / name, format="folder")


def test_damaged_compressed_files_are_an_error(tmp_path):
    root = written(tmp_path / "c", {"a/1.gz": gzip.compress(b"packed" * 99)[:-9]})
    with pytest.raises(DataError, match=r"a/1\.gz is a damaged gzip file"):
        read(root)


def test_bytes_that_are_not_utf8_are_replaced_counted_and_told(tmp_path):
    files = {f"a/{i}": "gr\xfcn, gr\xfcn".encode("latin-1") for i in range(5)}
    root = written(tmp_path / "c", {**files, "a/utf8": "grün", "b/marked": "grün".encode("utf-16")})
    source = open_source(root)
    table = source.read()
    assert list(table["text"])[4:] == ["gr\ufffdn, gr\ufffdn", "grün", "grün"]
    (note,) = source.notes
    assert note == (
        "5 files of 7 hold bytes that are not valid utf-8 (10 in total, replaced by \ufffd): a/0 (2), a/1 (2), a/2 "
        "(2) and 2 more; if the files have another encoding, name it, as in --encoding latin-1"
    )
    assert read_quietly(root, encoding="latin-1")["text"][0] == "grün, grün"


def test_nul_bytes_are_kept_and_told(tmp_path):
    root = written(tmp_path / "c", {"a/1": b"a\0b", "a/2": "x"})
    assert notes_of(root) == ["1 file of 2 holds NUL bytes and may not be text: a/1"]
    assert read_quietly(root)["text"][0] == "a\0b"


@pytest.mark.skipif(os.name == "nt", reason="names are bytes elsewhere only")
def test_names_may_be_bytes_that_are_no_utf8(tmp_path):
    root = os.fsencode(tmp_path / "c")
    os.makedirs(root + b"/gr\xfcn")
    with open(root + b"/gr\xfcn/\xff", "wb") as file:
        file.write(b"\xff")
    source = open_source(tmp_path / "c")
    table = source.read()
    assert table.schema["class"].levels == ("gr\ufffdn",)
    assert any("gr\ufffdn/\ufffd (1)" in note for note in source.notes)


def test_options_that_make_no_sense_are_refused(tmp_path):
    root = written(tmp_path / "c", SMALL)
    with pytest.raises(UsageError, match="column 'class' is nominal in this file and cannot be read as numeric"):
        read(root, kinds={"class": "numeric"})
    with pytest.raises(UsageError, match="there is no encoding 'klingon'"):
        read(root, encoding="klingon")
    with pytest.raises(UsageError, match="there is no encoding 'rot13'"):
        read(root, encoding="rot13")
    assert read(root, target="").schema.target is None


def test_a_model_finds_its_text_and_target_whatever_they_are_called(tmp_path):
    root = written(tmp_path / "c", {**SMALL, "news/1": "x"})
    columns = (Column("message", Kind.TEXT), Column("label", Kind.NOMINAL, ("spam", "ham")))
    source = open_source(root, schema=Schema(columns, target="label"))
    table = concatenate(list(source.batches(2)))
    assert table.schema.names == ("message", "label")
    assert words(table, "label") == ["ham", "ham", None, "spam", "spam"]
    assert list(source.notes) == [
        "the texts are used as the model's column 'message'",
        "column 'label': 'news' not seen in training, treated as missing",
    ]


def test_a_model_that_needs_more_columns_is_refused(tmp_path):
    root = written(tmp_path / "c", SMALL)
    schema = Schema((Column("text", Kind.TEXT), Column("age", Kind.NUMERIC)))
    with pytest.raises(DataError, match=r"c: the data lack 1 column that the model needs: 'age'"):
        open_source(root, schema=schema).read()


def test_newsgroups_as_a_folder_equal_scikit_learn(tmp_path, shared_data):
    datasets = pytest.importorskip("sklearn.datasets")
    table = read(shared_data("text/20newsgroups.jsonl.gz"), target="label")
    labels, ids, texts = words(table, "label"), table["id"], list(table["text"])
    files = {f"{labels[i]}/{int(ids[i])}": texts[i].encode() for i in range(0, table.n_rows, 20)}
    root = written(tmp_path / "news", files)
    theirs = datasets.load_files(root, encoding="utf-8", shuffle=False)
    mine = read_quietly(root)
    assert list(mine["text"]) == theirs.data
    assert mine["class"].tolist() == theirs.target.tolist()
    assert list(mine.schema["class"].levels) == theirs.target_names
