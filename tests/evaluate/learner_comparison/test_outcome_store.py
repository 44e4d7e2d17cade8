"""The results file: results survive a killed process, can be shared, and other files give an error message."""

import ctypes
import math
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

from hedgerow import examples
from hedgerow.errors import DataError
from hedgerow.evaluate.learner_comparison.compare import compare
from hedgerow.evaluate.learner_comparison.fold_outcome import Outcome
from hedgerow.evaluate.learner_comparison.outcome_store import Key, OutcomeStore, StoreError

KEY = Key("data", "c45", "{}", 10, 1, "hedgerow 0")
ROOT = Path(__file__).parents[3]


def one(run=0, fold=0, error=0.1):
    return Outcome(run, fold, 90.0, 10.0, 0.25, 0.125, 3, {"error": error, "auc": math.nan})


def test_an_outcome_comes_back_as_it_was(tmp_path):
    path = tmp_path / "r.sqlite"
    with OutcomeStore(path) as store:
        store.add(KEY, "iris", one(error=1 / 3))
    with OutcomeStore(path) as store:
        (found,) = store.outcomes(KEY).values()
        assert found.measures["error"] == 1 / 3
        assert math.isnan(found.measures["auc"])
        assert (found.train_weight, found.test_seconds, found.model_size) == (90.0, 0.125, 3)
        assert store.outcome(KEY, 0, 0) is not None
        assert store.outcome(KEY, 0, 1) is None


def test_the_first_outcome_counts_and_keys_are_kept_apart():
    with OutcomeStore() as store:
        store.add(KEY, "iris", one(error=0.1))
        store.add(KEY, "iris", one(error=0.9))
        assert store.outcomes(KEY)[0, 0].measures["error"] == 0.1
        for name in ("data", "learner", "parameters", "version"):
            assert not store.outcomes(Key(**{**KEY.__dict__, name: "other"}))
        assert not store.outcomes(Key(**{**KEY.__dict__, "seed": 2}))
        assert not store.outcomes(Key(**{**KEY.__dict__, "folds": 5}))


def test_the_file_can_be_read_with_sqlite(tmp_path):
    path = tmp_path / "r.sqlite"
    with OutcomeStore(path) as store:
        store.add(KEY, "iris", one(error=0.5))
    base = sqlite3.connect(path)
    found = base.execute("SELECT data_name, learner, measures ->> 'error' FROM folds").fetchall()
    base.close()
    assert found == [("iris", "c45", 0.5)]


def test_threads_may_share_a_store(tmp_path):
    with OutcomeStore(tmp_path / "r.sqlite") as store:
        workers = [
            Thread(target=lambda run=run: [store.add(KEY, "iris", one(run, fold)) for fold in range(20)])
            for run in range(4)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert len(store.outcomes(KEY)) == 80


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda path: path.write_text("a,b\n" * 400), "no results file"),
        (lambda path: _run(path, "CREATE TABLE t (a)"), "another program"),
        (
            lambda path: _run(
                path, "CREATE TABLE t (a)", "PRAGMA application_id = 1751475303", "PRAGMA user_version = 9"
            ),
            "another version of hedgerow",
        ),
        (lambda path: path.mkdir(), "folder"),
    ],
    ids=["text", "other", "newer", "folder"],
)
def test_what_is_no_results_file_is_refused_in_a_sentence(tmp_path, make, sentence):
    path = tmp_path / "r.sqlite"
    make(path)
    with pytest.raises(DataError, match=sentence):
        OutcomeStore(path)


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path):
    with pytest.raises(DataError, match="folder must exist"):
        OutcomeStore(tmp_path / "no" / "r.sqlite")


def as_anyone():
    """Take from a process of root's what lets it write whatever it likes (CAP_DAC_OVERRIDE); others lack it anyway."""
    if os.geteuid() == 0:
        ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux to drop the rights of root")
@pytest.mark.parametrize("folder_mode", [0o555, 0o755])
def test_a_file_that_may_only_be_read_gives_what_it_has(tmp_path, folder_mode):
    folder = tmp_path / "results"
    folder.mkdir()
    path = folder / "r.sqlite"
    expected = start(path, 0).communicate()[0]
    path.chmod(0o444)
    folder.chmod(folder_mode)
    try:
        again, (out, err) = (child := start(path, 0, as_anyone)), child.communicate()
        assert (again.returncode, out) == (0, expected), err
        more, (_, err) = (child := start(path, 0, as_anyone, runs=3)), child.communicate()
        assert more.returncode == 1
        assert "r.sqlite is read-only, and some of the requested folds are not in it" in err
    finally:
        folder.chmod(0o755)
    assert rows(path) == 20


def test_a_results_file_that_fails_is_no_fault_of_the_learner(tmp_path, monkeypatch):
    def full(*_, **__):
        raise StoreError("r.sqlite cannot be used for the results: database or disk is full")

    monkeypatch.setattr(OutcomeStore, "add", full)
    with pytest.raises(StoreError, match="disk is full"):
        compare(["majority", "one_r"], examples.loan(), runs=1, folds=3, store=tmp_path / "r.sqlite")


@pytest.mark.parametrize("version", [0, 2, 9])
def test_a_file_of_another_version_is_told_apart_and_left_as_it_is(tmp_path, version):
    path = tmp_path / "r.sqlite"
    compare(["majority"], examples.loan(), runs=1, folds=3, store=path)
    _run(path, f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    with pytest.raises(DataError, match=f"another version of hedgerow .format {version}, not 1.; name another file"):
        compare(["majority"], examples.loan(), runs=1, folds=3, store=path)
    assert path.read_bytes() == before


def _run(path, *statements):
    base = sqlite3.connect(path)
    for statement in statements:
        base.execute(statement)
    base.commit()
    base.close()


SCRIPT = """
import sys, time
import hedgerow
from hedgerow.evaluate.learner_comparison.compare import compare
from tests.evaluate.toys import NearestMean, blobs

class Slow(NearestMean):
    def train(self, table):
        time.sleep({pause})
        return super().train(table)

found = compare([Slow(), "naive_bayes"], {{"blobs": blobs(2, 20)}}, runs={runs}, folds=5, store=sys.argv[1], threads=1)
print([[cell.values("error").tolist() for cell in row] for row in found.cells])
"""


def start(path, pause, before=None, runs=2):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", SCRIPT.format(pause=pause, runs=runs), str(path)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, env=environment, preexec_fn=before, **pipes)  # noqa: PLW1509 # no threads here


def rows(path):
    if not path.exists():
        return 0
    try:
        base = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5)
        count = base.execute("SELECT count(*) FROM folds").fetchone()[0]
        base.close()
    except sqlite3.OperationalError:  # the table is not there yet
        return 0
    return count


def test_a_comparison_that_was_killed_goes_on_and_gives_the_same_table(tmp_path):
    path = tmp_path / "r.sqlite"
    child = start(path, 0.15)
    deadline = time.monotonic() + 60
    while rows(path) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert child.returncode == -signal.SIGKILL
    before = rows(path)
    assert 3 <= before < 20
    again, (out, err) = (child := start(path, 0)), child.communicate()
    assert again.returncode == 0, err
    assert rows(path) == 20
    fresh, (expected, err) = (child := start(tmp_path / "other.sqlite", 0)), child.communicate()
    assert fresh.returncode == 0, err
    assert out == expected
    check = sqlite3.connect(path)
    assert check.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    check.close()


def test_two_processes_at_once_share_a_file_and_agree(tmp_path):
    path = tmp_path / "r.sqlite"
    children = [start(path, 0.05), start(path, 0.05)]
    done = [child.communicate() for child in children]
    assert [child.returncode for child in children] == [0, 0], done
    assert done[0][0] == done[1][0]
    assert rows(path) == 20
    check = sqlite3.connect(path)
    assert check.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    check.close()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("measures", "{"),
        ("measures", "[]"),
        ("measures", '{"error": "high"}'),
        ("measures", '{"error": 1e400}'),
        ("measures", b"\xff"),
        ("measures", "[" * 100_000),
        ("train_weight", "much"),
        ("test_seconds", float("inf")),
        ("model_size", "large"),
        ("model_size", -1),
    ],
)
def test_a_damaged_outcome_is_a_sentence(tmp_path, field, value):
    path = tmp_path / "r.sqlite"
    with OutcomeStore(path) as store:
        store.add(KEY, "iris", one())
    base = sqlite3.connect(path)
    base.execute(f"UPDATE folds SET {field} = ?", (value,))
    base.commit()
    base.close()
    with OutcomeStore(path) as store:
        for call in (lambda: store.outcomes(KEY), lambda: store.outcome(KEY, 0, 0)):
            with pytest.raises(StoreError, match=r"r.sqlite is damaged: its outcome of run 0, fold 0 is invalid"):
                call()
