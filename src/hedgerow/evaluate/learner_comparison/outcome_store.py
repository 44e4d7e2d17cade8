"""Store: the outcomes of a comparison in a SQLite file, each written immediately.

A row is known by what decides it: the data's fingerprint, the learner, its parameters, the folds and their seed, the
versions of the packages, the run and the fold. So a comparison that was killed goes on where it stopped, and more runs
or another measure cost only what is new. Several processes may write to one file: they share the work, and what one of
them has written first counts for all.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from threading import Lock
from time import sleep
from types import TracebackType
from typing import Any, Self

from hedgerow.errors import DataError
from hedgerow.evaluate.learner_comparison.fold_outcome import Outcome

APPLICATION = 0x68656467  # "hedg", so that another program's file is not taken for ours
VERSION = 1
LOCK_TIMEOUT = 60.0  # seconds to wait for another process to finish writing

_TABLE = """
CREATE TABLE IF NOT EXISTS folds (
  data TEXT NOT NULL, learner TEXT NOT NULL, parameters TEXT NOT NULL, folds INTEGER NOT NULL, seed INTEGER NOT NULL,
  version TEXT NOT NULL, run INTEGER NOT NULL, fold INTEGER NOT NULL,
  data_name TEXT NOT NULL, train_weight REAL NOT NULL, test_weight REAL NOT NULL, train_seconds REAL NOT NULL,
  test_seconds REAL NOT NULL, model_size INTEGER, measures TEXT NOT NULL,
  written TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (data, learner, parameters, folds, seed, version, run, fold)
) WITHOUT ROWID
"""
_OF_KEY = "data = ? AND learner = ? AND parameters = ? AND folds = ? AND seed = ? AND version = ?"
_OUTCOME = "run, fold, train_weight, test_weight, train_seconds, test_seconds, model_size, measures"
_ASK = f"SELECT {_OUTCOME} FROM folds WHERE {_OF_KEY}"  # noqa: S608
_PUT = (
    f"INSERT OR {{}} INTO folds (data, learner, parameters, folds, seed, version, data_name, {_OUTCOME}) "  # noqa: S608
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


@dataclass(frozen=True)
class Key:
    """The key of the outcomes of a learner on a data set, without run and fold."""

    data: str
    learner: str
    parameters: str
    folds: int
    seed: int
    version: str


class StoreError(DataError):
    """A problem of the results file, independent of the learner that is being tested."""


class OutcomeStore:
    """The outcomes in a file; in memory if no path is given. Threads may share it.

    A file that may only be read still gives the outcomes that it has.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = ":memory:" if path is None else os.fspath(path)
        self._lock = Lock()
        self._only_read = path is not None and _may_only_be_read(Path(path))
        name = _read_only_name(Path(self.path)) if self._only_read else self.path
        with self._hold_lock():
            self._base = sqlite3.connect(name, timeout=LOCK_TIMEOUT, check_same_thread=False, uri=self._only_read)
        try:
            with self._hold_lock():
                self._open()
        except StoreError:
            self._base.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._base.close()

    def outcomes(self, key: Key) -> dict[tuple[int, int], Outcome]:
        """Return all outcomes of a learner on a data set, by run and fold."""
        with self._hold_lock():
            lines = self._base.execute(_ASK, astuple(key)).fetchall()
        outcomes = [self._outcome(line) for line in lines]
        return {(one.run, one.fold): one for one in outcomes}

    def outcome(self, key: Key, run: int, fold: int) -> Outcome | None:
        """Return one outcome; None if it is not there yet."""
        with self._hold_lock():
            line = self._base.execute(f"{_ASK} AND run = ? AND fold = ?", (*astuple(key), run, fold)).fetchone()
        return None if line is None else self._outcome(line)

    def add(self, key: Key, data_name: str, one: Outcome, replaces: bool = False) -> None:
        """Write an outcome at once; one that is there already stays, unless this one replaces it."""
        if self._only_read:
            raise StoreError(
                f"{self.path} is read-only, and some of the requested folds are not in it; name a file in a folder "
                "that you can write to"
            )
        measures = {name: value if math.isfinite(value) else None for name, value in one.measures.items()}
        values = (one.run, one.fold, one.train_weight, one.test_weight, one.train_seconds, one.test_seconds)
        with self._hold_lock(), self._base:
            self._base.execute(
                _PUT.format("REPLACE" if replaces else "IGNORE"),
                (*astuple(key), data_name, *values, one.model_size, json.dumps(measures)),
            )

    def _outcome(self, line: tuple[Any, ...]) -> Outcome:
        """Return the outcome in a line of the table; a damaged line raises an error."""
        try:
            return _read_outcome(line)
        except (ValueError, TypeError, AttributeError, RecursionError):
            raise StoreError(
                f"{self.path} is damaged: its outcome of run {line[0]!r:.40}, fold {line[1]!r:.40} is invalid; delete "
                "the file or name another one for the results"
            ) from None

    def _open(self) -> None:
        """Make the file ready, or raise a sentence if it is not one of ours."""
        empty = not self._base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        # After it, for another process may be making the file ready: what has a table has its marks too.
        application, version = self._pragma("application_id"), self._pragma("user_version")
        if application == APPLICATION and version != VERSION:
            raise StoreError(
                f"{self.path} was written by another version of hedgerow (format {version}, not {VERSION}); "
                "name another file"
            )
        if application != APPLICATION and not empty:
            raise StoreError(f"{self.path} is a database of another program; name another file for the results")
        if self._only_read:
            if empty:
                raise StoreError(f"{self.path} {_reason('readonly', self.path)}")
            return
        # Writers do not block readers, and a killed process leaves a file that the next one mends by itself. The
        # disk is waited for at checkpoints only: a power cut may lose the last folds, but never the file.
        self._set_journal_mode()
        self._base.execute("PRAGMA synchronous = NORMAL")
        if application != APPLICATION:
            with self._base:
                self._base.execute("BEGIN IMMEDIATE")
                self._base.execute(_TABLE)
                self._base.execute(f"PRAGMA application_id = {APPLICATION}")
                self._base.execute(f"PRAGMA user_version = {VERSION}")

    def _set_journal_mode(self) -> None:
        """Change the journal's mode; SQLite does not wait for another process here, so this does."""
        for pause in (*(0.01 * 2**step for step in range(11)), None):
            try:
                self._base.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if pause is None or "locked" not in str(error):
                    raise
                sleep(pause)
            else:
                return

    def _pragma(self, name: str) -> int:
        return int(self._base.execute(f"PRAGMA {name}").fetchone()[0])

    @contextmanager
    def _hold_lock(self) -> Iterator[None]:
        """Hold the lock; problems raise an error."""
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                raise StoreError(f"{self.path} {_reason(str(error), self.path)}") from None


def _read_outcome(line: tuple[Any, ...]) -> Outcome:
    """Return the outcome in a line of the table; invalid values raise an error."""
    run, fold, train_weight, test_weight, train_seconds, test_seconds, model_size, text = line
    measures = {name: math.nan if value is None else _number(value) for name, value in json.loads(text).items()}
    return Outcome(
        _check_whole(run),
        _check_whole(fold),
        _number(train_weight),
        _number(test_weight),
        _number(train_seconds),
        _number(test_seconds),
        None if model_size is None else _check_whole(model_size),
        measures,
    )


def _check_whole(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError
    return value


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not abs(value) <= sys.float_info.max:
        raise ValueError
    return float(value)


def _may_only_be_read(path: Path) -> bool:
    """Return whether a file exists, but it or its folder is not writable."""
    return path.is_file() and not (os.access(path, os.W_OK) and os.access(path.resolve().parent, os.W_OK))


def _read_only_name(path: Path) -> str:
    """Return the name by which SQLite opens a file to read, without making any other if nobody is writing to it."""
    journal = Path(f"{path}-wal")
    alone = not journal.exists() or not journal.stat().st_size
    return f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' if alone else ''}"


def _reason(text: str, path: str) -> str:
    if "not a database" in text:
        return "is no results file (SQLite); name another file for the results"
    if "locked" in text or "busy" in text:
        return f"is locked by another process for more than {LOCK_TIMEOUT:.0f} seconds; try again later"
    if "readonly" in text:
        return "cannot be written; name a file in a folder that you can write to"
    if "unable to open" in text:
        where = "names a folder" if Path(path).is_dir() else "cannot be opened: its folder must exist and be writable"
        return f"{where}; name a file for the results"
    if "malformed" in text:
        return f"is damaged ({text}); delete it or name another file for the results"
    return f"cannot be used for the results: {text}"
