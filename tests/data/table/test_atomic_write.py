"""Files are written whole or not at all; what killed processes leave is removed; errors name the file."""

import os
import signal
import subprocess
import sys
import time

import pytest

from hedgerow import DataError, Table, write
from hedgerow.data.table import atomic_write as module
from hedgerow.data.table.atomic_write import open_atomic
from hedgerow.export.associations import write_associations
from hedgerow.learn.linear.online.checkpoint import Checkpoint
from hedgerow.models.files.model_file import save
from tests.cli.run import run
from tests.models.associations.associations import sets_by_hand, weather_table
from tests.models.rules.rule_lists import weather_rules

TABLE = Table.of({"x": [1.5, None], "y": ["a", "b"]})
needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")

KILLED = """
import os, signal, sys
from hedgerow.data.table.atomic_write import open_atomic
with open_atomic(sys.argv[1]) as stream:
    stream.write(b"half")
    stream.flush()
    print("written", flush=True)
    sys.stdin.readline()
"""


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def make_old(folder, seconds):
    for path in folder.iterdir():
        os.utime(path, (time.time() - seconds, time.time() - seconds))


@pytest.fixture
def writing(tmp_path):
    """Return a process that is in the midst of writing a.csv."""
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, tmp_path / "a.csv"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"written\n"
        yield process
        process.kill()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals that cannot be caught")
def test_what_a_killed_process_left_is_removed_by_the_next_write(tmp_path, writing):
    writing.kill()
    writing.wait()
    assert len(names(tmp_path)) == 1
    write(TABLE, tmp_path / "a.csv")
    assert len(names(tmp_path)) == 2  # it has just been written to: nobody knows whether more comes
    make_old(tmp_path, 2 * module.OLD)
    write(TABLE, tmp_path / "a.csv")
    assert names(tmp_path) == ["a.csv"]


@pytest.mark.skipif(module.fcntl is None, reason="needs locks")
def test_what_is_still_being_written_stays(tmp_path, writing):
    make_old(tmp_path, 10 * module.OLD_OTHER)
    write(TABLE, tmp_path / "a.csv")
    assert len(names(tmp_path)) == 2
    writing.communicate(b"\n")
    assert names(tmp_path) == ["a.csv"]
    assert (tmp_path / "a.csv").read_bytes() == b"half"


def test_only_our_own_parts_are_removed(tmp_path):
    others = [".a.csv.part", "a.csv.00000000.part", ".a.csv.0000000g.part", ".a.csv.00000000.part.gz", "b.part"]
    for name in (*others, ".a.csv.0123abcd.part", ".b.csv.0123abcd.part"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / ".a.csv.99999999.part").mkdir()
    make_old(tmp_path, 2 * module.OLD)
    write(TABLE, tmp_path / "a.csv")
    assert names(tmp_path) == sorted([*others, "a.csv", ".a.csv.99999999.part", ".b.csv.0123abcd.part"])
    make_old(tmp_path, 2 * module.OLD_OTHER)
    write(TABLE, tmp_path / "a.csv")
    assert ".b.csv.0123abcd.part" not in names(tmp_path)


def writers():
    yield from (("table." + ending, lambda path: write(TABLE, path)) for ending in ("csv", "tsv", "arff", "csv.gz"))
    yield from (("table." + ending, lambda path: write(TABLE, path)) for ending in ("parquet", "feather"))
    yield "model.hedge", lambda path: save(weather_rules(), path)
    sets = sets_by_hand(weather_table(), 5)
    for ending in ("csv", "json", "hedge", "parquet", "arrow"):
        yield f"sets.{ending}", lambda path: write_associations(sets, path)
    yield "state.ck", lambda path: Checkpoint(_State(), "online_linear").save(path)


class _State:
    def to_dict(self):
        return {}


@pytest.mark.parametrize(("name", "writer"), list(writers()))
def test_every_writer_names_the_file_that_does_not_fit(tmp_path, name, writer):
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8, before[1]))
    try:
        with pytest.raises(ValueError, match="cannot be written") as caught:
            writer(tmp_path / name)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert str(caught.value).startswith(f"{tmp_path / name} cannot be written: File too large; ")
    assert names(tmp_path) == []


@needs_full
def test_a_device_that_is_full_is_named():
    with pytest.raises(DataError, match="/dev/full cannot be written: No space left on device; free some space"):
        write(TABLE, "/dev/full", format="csv")


def test_other_errors_are_not_taken_for_those_of_the_file(tmp_path):
    with pytest.raises(FileNotFoundError), open_atomic(tmp_path / "a.csv"):
        open(tmp_path / "absent")  # noqa: SIM115
    with pytest.raises(BrokenPipeError), open_atomic(tmp_path / "a.csv"):
        raise BrokenPipeError(32, "Broken pipe")
    assert names(tmp_path) == []
    with pytest.raises(DataError, match="cannot be written"), open_atomic("a\0b"):
        pass


@needs_full
@pytest.mark.parametrize(
    "words",
    [("describe", "loan.csv"), ("convert", "loan.csv", "-"), ("learners",), ("train", "loan.csv", "-l", "one_r")],
)
def test_a_full_standard_output_is_one_sentence(tmp_path, words):
    from hedgerow.examples import loan_csv

    (tmp_path / "loan.csv").write_text(loan_csv())
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "hedgerow", *words, *["-q"] * (words[0] == "train")],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            check=False,
        )
    assert ran.stderr.decode() == "hedgerow: standard output: No space left on device\n"
    assert ran.returncode == 1


def test_a_file_that_does_not_fit_is_exit_status_1(tmp_path, monkeypatch):
    resource = pytest.importorskip("resource")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.csv").write_text("a,b\n" + "x,y\nx,z\n" * 20)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8, before[1]))
    try:
        ran = [
            run("associate", "b.csv", "-q", "-o", "out.csv"),
            run("convert", "b.csv", "out.csv"),
            run("train", "b.csv", "-l", "one_r", "-q", "--folds", 0, "-o", "out.hedge"),
        ]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert [each.status for each in ran] == [1, 1, 1]
    assert all("cannot be written: File too large" in each.err for each in ran)
