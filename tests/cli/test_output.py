"""What is printed suits who reads it: a terminal's width and signs, and no control codes elsewhere."""

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from time import monotonic, sleep

import pytest

from hedgerow.cli import output, progress
from hedgerow.data.read import open_source
from hedgerow.layout.terminal import fit_encoding
from tests.cli.run import run

ROWS = "\n".join(f"{number % 7},{'ab'[number % 2]}" for number in range(40))


class Terminal(io.StringIO):
    def __init__(self, encoding="utf-8"):
        super().__init__()
        self.named = encoding

    @property
    def encoding(self):
        return self.named

    def isatty(self):
        return True


def watched(monkeypatch, patience=0.0):
    """Return a terminal that standard error goes to; pytest sets its own between a fixture and its test."""
    made = Terminal()
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(progress, "PROGRESS_DELAY", patience)
    return made


def test_progress_shows_on_a_terminal_with_the_time_left_and_is_gone_after(monkeypatch):
    terminal = watched(monkeypatch)
    with progress.progress("cross-validation", quiet=False) as tell:
        tell(1, 10)
        tell(5, 10)
    text = terminal.getvalue()
    assert "cross-validation" in text
    assert "50%" in text
    assert "left" in text.split("50%")[1]  # the remaining time
    assert "\x1b[2K" in text.rsplit("50%", 1)[1]


def test_stages_of_a_job_share_one_bar(monkeypatch):
    terminal = watched(monkeypatch)
    with progress.one_bar(quiet=False):
        with progress.progress("first", quiet=False, work=1, rest=3) as tell:
            tell(1, 2)
            tell.drawn.refresh()
        with progress.progress("second", quiet=False, work=3) as tell:
            tell(1, 3)
            tell.drawn.refresh()
            tell(3, 3)
            tell.drawn.refresh()
        with progress.progress("unknown", quiet=False):
            pass
    text = terminal.getvalue()
    first, second = text.split("second", 1)
    assert "12%" in first
    assert [share for share in ("25%", "50%", "100%") if share in second] == ["25%", "50%", "100%"]
    assert text.count("\x1b[?25h") == 1  # the cursor is back once


def test_the_share_of_a_job_never_exceeds_its_work():
    bar = progress._Bar()
    assert bar.share is None
    with bar.stage("reading", 0, 0, 0):
        bar(3, None)
        assert bar.share is None
    with bar.stage("work", 2, 2, 0):
        bar(1, 2)
        assert bar.share == 0.25
    assert bar.share == 0.5
    with bar.stage("rest", 2, 0, 0):
        bar(5, 5)
        assert bar.share == 1
    bar.stop()


def test_quick_work_shows_no_progress(monkeypatch):
    terminal = watched(monkeypatch, patience=60)
    with progress.progress("work", quiet=False) as tell:
        tell(1, 1)
    assert terminal.getvalue() == ""


def test_work_that_does_not_call_back_shows_a_bar_too(monkeypatch):
    terminal = watched(monkeypatch, patience=0.01)
    with progress.progress("learning", quiet=False):
        deadline = monotonic() + 20
        while "learning" not in terminal.getvalue() and monotonic() < deadline:
            sleep(0.01)
    assert "learning" in terminal.getvalue()
    assert "\x1b[?25h" in terminal.getvalue()


def test_the_reading_of_a_folder_is_counted(tmp_path, monkeypatch):
    for number in range(5):
        (tmp_path / "ham").mkdir(exist_ok=True)
        (tmp_path / "ham" / str(number)).write_text("a text")
    terminal = watched(monkeypatch)
    source = open_source(tmp_path)
    assert len(output.read_all(source, quiet=False)) == 5
    assert "100%" in terminal.getvalue()
    assert source.tell is None
    told = []
    stripped = open_source(tmp_path, strip="headers")
    stripped.report_progress_to(lambda done, total: told.append((done, total)))
    stripped.read()
    assert told == [(5, 5)]


def test_nobody_watches_no_progress(monkeypatch):
    watched(monkeypatch)
    with progress.progress("work", quiet=True) as tell:
        assert tell is None
    monkeypatch.setenv("TERM", "dumb")
    with progress.progress("work", quiet=False) as tell:
        assert tell is None
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    monkeypatch.setenv("TERM", "xterm")
    with progress.progress("work", quiet=False) as tell:
        assert tell is None


def test_progress_ends_when_the_work_fails(monkeypatch):
    terminal = watched(monkeypatch)

    def fail():
        with progress.progress("work", quiet=False) as tell:
            tell(1, 2)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert "\x1b[?25h" in terminal.getvalue()  # the cursor is back


def test_no_control_codes_when_not_on_a_terminal(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(f"x,y\n{ROWS}\n")
    for words in (["describe", "t.csv"], ["crossval", "t.csv"], ["train", "t.csv", "-o", "m.hedge"]):
        ran = run(*words)
        assert ran.status == 0
        assert "\x1b" not in ran.out + ran.err
    assert "\x1b" not in run("report", "m.hedge", "t.csv", "--folds", 3).out


def test_lines_fit_the_terminal(monkeypatch):
    for columns, expected in ((80, 80), (20, 60), (500, 160)):
        monkeypatch.setenv("COLUMNS", str(columns))  # not by patching shutil, which pytest uses too
        assert output.terminal_width(Terminal()) == expected
    assert output.terminal_width(io.StringIO()) == 100


def test_signs_that_a_reader_lacks_are_replaced(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    assert output.stream_encoding(Terminal("cp1252")) == "cp1252"
    monkeypatch.setenv("TERM", "linux")
    assert output.stream_encoding(Terminal()) == "ascii"
    assert fit_encoding("▁▄█ é", "utf-8") == "▁▄█ é"
    assert fit_encoding("▁▄█ é …", "latin-1") == ".=# é ~"
    assert fit_encoding("█▏ é 語", "ascii") == "#. ? ?"


def test_describe_in_ascii(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text(f"x,y\n{ROWS}\n")
    monkeypatch.setattr(output, "stream_encoding", lambda _: "ascii")
    out = run("describe", tmp_path / "t.csv").out
    assert out.isascii()
    assert "#" in out.split("\n", 1)[1]  # the histogram


def on_a_terminal(arguments, folder, columns=80):
    """Run the command line with a real (pseudo) terminal for its output and errors, and return what it wrote there."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    script = f"from hedgerow.cli import main, progress; progress.PROGRESS_DELAY = 0; main({arguments!r})"
    hidden = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CI")
    environment = {key: value for key, value in os.environ.items() if key not in hidden} | {"TERM": "xterm-256color"}
    child = subprocess.Popen(
        [sys.executable, "-c", script], cwd=folder, env=environment, stdin=slave, stdout=slave, stderr=slave
    )
    os.close(slave)
    written = b""
    try:
        while part := os.read(master, 65536):
            written += part
    except OSError:  # Linux's way to say that the other end is closed
        pass
    os.close(master)
    assert child.wait(60) == 0, written.decode()
    return written.decode()


def test_a_real_terminal_sees_a_bar_that_goes_and_lines_that_fit(tmp_path):
    (tmp_path / "t.csv").write_text(f"n,c\n{ROWS}\n")
    text = on_a_terminal(["crossval", "t.csv", "-l", "c45", "--runs", "5"], tmp_path)
    bar, _, report = text.rpartition("\x1b[2K")
    assert "cross-validation" in bar
    assert "100%" in bar
    assert re.search(r"about \d+ s left", bar)
    assert "\x1b[?25l" in bar  # the cursor is hidden
    assert "\x1b[?25h" in text  # and comes back
    lines = report.replace("\r", "").split("\n")
    assert any(line.startswith("accuracy") for line in lines)
    assert max(len(line) for line in lines) <= 80
    trained = on_a_terminal(["train", "t.csv", "--folds", "0"], tmp_path)
    assert "comparing learners" in trained
    quiet = on_a_terminal(["crossval", "t.csv", "-l", "c45", "--quiet"], tmp_path)
    assert "\x1b" not in quiet
