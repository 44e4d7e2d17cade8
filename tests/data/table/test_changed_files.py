"""A file that changes while it is read is an error, not a table of rows that do not belong together."""

import os

import pytest

import hedgerow
from hedgerow import DataError, open_source
from hedgerow.data.table import files
from hedgerow.data.write import Writer
from tests.cli.run import run

ROWS = 120_000  # more than what the layout of CSV is taken from
LINES = {
    "t.csv": ("a,b,c\n", "1.25,x,yes\n"),
    "t.arff": ("@relation t\n@attribute a numeric\n@attribute b {x}\n@attribute c {yes}\n@data\n", "1.25,x,yes\n"),
    "t.svm": ("", "1 1:0.5 2:3\n"),
    "t.vw": ("", "1 |a x:2 y\n"),
    "t.jsonl": ("", '{"a": 1.25, "b": "x", "c": "yes"}\n'),
    "t.basket": ("", "milk,bread\n"),
}
CHANGES = {
    "cut": lambda path: os.truncate(path, path.stat().st_size // 2),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"1.25,x,yes\n"),
    "replaced": lambda path: (
        path.with_suffix(".new").write_bytes(path.read_bytes()),
        path.with_suffix(".new").replace(path),
    ),
    "rewritten": lambda path: path.write_bytes(path.read_bytes().replace(b"1", b"2")),
    "removed": lambda path: path.unlink(),
}


@pytest.fixture
def small(monkeypatch):
    """Let files be read 64 KB at a time."""
    read = files._read
    monkeypatch.setattr(files, "_read", lambda file, _: read(file, 1 << 16))


def make(folder, name, rows=ROWS):
    head, line = LINES[name]
    path = folder / name
    path.write_text(head + line * rows)
    return path


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", LINES)
def test_a_change_between_blocks_is_noticed(tmp_path, small, name, change):
    path = make(tmp_path, name)
    source = open_source(path)
    batches = source.batches(1000)
    next(batches)
    CHANGES[change](path)
    with pytest.raises(DataError, match=r"changed while it was being read.*read it again"):
        list(batches)


@pytest.mark.parametrize("name", ["t.csv", "t.arff"])
def test_a_change_between_passes_is_noticed(tmp_path, name):
    path = make(tmp_path, name, 100)
    source = open_source(path)
    assert len(source.schema) == 3
    path.write_text(path.read_text().replace("1.25", "1.50"))
    with pytest.raises(DataError, match="changed while it was being read"):
        list(source.batches())
    with pytest.raises(DataError, match="changed while it was being read"):
        list(source.reopen(schema=source.schema).batches())
    assert sum(len(batch) for batch in open_source(path).batches()) == 100


@pytest.mark.parametrize("ending", ["parquet", "feather"])
@pytest.mark.parametrize("change", ["cut", "removed"])
def test_arrow_files_that_change_are_noticed(tmp_path, ending, change):
    path = tmp_path / f"t.{ending}"
    with Writer(path) as writer:
        for _ in range(40):
            writer.add(hedgerow.Table.of({"a": [float(i) for i in range(5000)], "b": ["x", "y"] * 2500}))
    batches = open_source(path).batches(1000)
    next(batches)
    CHANGES[change](path)
    with pytest.raises(DataError, match="changed while it was being read"):
        list(batches)


@pytest.mark.parametrize("change", ["cut", "longer"])
@pytest.mark.parametrize("verb", ["predict", "test", "train", "online"])
def test_streaming_verbs_fail_with_a_sentence(tmp_path, monkeypatch, verb, change):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n" + "1.25,x,yes\n2.5,y,no\n" * 20_000)
    learn = ("train", "t.csv", "-l", "one_r", "--folds", 0, "-q", "-o", "m.hedge")
    assert run(*learn).status == 0
    kept = (tmp_path / "m.hedge").read_bytes()
    _change_after(monkeypatch, path, CHANGES[change])
    words = {
        "predict": ("predict", "m.hedge", "t.csv", "-o", "out.csv"),
        "test": ("test", "m.hedge", "t.csv"),
        "train": ("train", "t.csv", "--stream", "-l", "naive_bayes", "-q", "-o", "m.hedge"),
        "online": ("online", "t.csv", "-q", "-o", "m.hedge"),
    }[verb]
    ran = run(*words)
    assert ran.status == 1
    assert "t.csv changed while it was being read" in ran.err
    assert not (tmp_path / "out.csv").exists()
    assert (tmp_path / "m.hedge").read_bytes() == kept


def _change_after(monkeypatch, path, change):
    """Change a file once its first bytes have been read."""
    done = []

    def read(file, size):
        while piece := file.read(1 << 16):
            yield files.np.frombuffer(piece, dtype=files.np.uint8)
            if not done:
                done.append(change(path))

    def fromfile(file, dtype):
        content = real(file, dtype=dtype)
        if not done:
            done.append(change(path))
        return content

    real = files.np.fromfile
    monkeypatch.setattr(files, "_read", read)
    monkeypatch.setattr(files.np, "fromfile", fromfile)


def test_pipes_are_opened_once(tmp_path):
    """A named pipe can be read only once, so that looking at it must not open it."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    witness = files.ChangeWatch()
    witness.check(path)  # would wait for ever
    witness.check(tmp_path / "absent")
