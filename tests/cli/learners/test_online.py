"""hedgerow online: learning from streams, progressive validation, predictions in between, checkpoints."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from hedgerow.learn.linear.online.checkpoint import Checkpoint
from hedgerow.models.files.model_file import load
from tests.cli.run import run
from tests.models.files.hostile import members, packed

HEDGEROW = [sys.executable, "-c", "from hedgerow.cli import main; main()"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def online(*arguments, stdin=None, check=0):
    done = run("online", *arguments, stdin=stdin)
    assert done.status == check, done.err
    return done.out, done.err


def vw_rows(n, start=0):
    return "".join(
        f"{1 if i % 3 else -1} |w {'good' if i % 3 else 'bad'} filler{i % 7} x:{i % 5}\n"
        for i in range(start, start + n)
    )


def csv_rows(n):
    lines = ["age,sky,play"]
    lines += [f"{i % 10},{'sun' if i % 2 else 'rain'},{'yes' if i % 10 > 4 else 'no'}" for i in range(n)]
    return "\n".join(lines) + "\n"


def test_vw_from_a_pipe_with_progressive_validation(folder):
    out, error = online("-", "--format", "vw", "-o", "m.hedge", stdin=vw_rows(300))
    assert out == ""
    lines = [line.split() for line in error.splitlines()]
    assert lines[0] == ["rows", "mean", "loss", "since", "last", "target", "predicted"]
    assert [int(line[0]) for line in lines[1:10]] == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    assert "done: 300 rows processed" in error
    model = load("m.hedge")
    assert model.schema.names == ("w", "label")
    assert "good" in str(model)


def test_the_model_predicts_files_of_the_format_it_was_learned_from(folder):
    (folder / "a.vw").write_text(vw_rows(300))
    online("a.vw", "-o", "m.hedge", "-q")
    (folder / "new.vw").write_text("|w good\n|w bad\n'lone|w good x:3\n")
    done = run("predict", "m.hedge", "new.vw")
    assert [line.split(",")[0] for line in done.out.splitlines()[1:]] == ["1", "-1", "1"]


def test_csv_svmlight_and_packed_input(folder):
    _, error = online("--target", "play", "-o", "m.hedge", stdin=csv_rows(500))
    assert "500 rows processed" in error
    assert load("m.hedge").schema.names == ("age", "sky", "play")
    pairs = "".join(f"{1 if i % 2 else -1} 1:{i % 2} 7:1 # note\n" for i in range(200))
    online("--format", "svmlight", "-o", "s.hedge", stdin=gzip.compress(pairs.encode()))
    (folder / "a.svm").write_text("1 1:1 7:1\n-1 7:1\n")
    done = run("predict", "s.hedge", "a.svm")
    assert [line.split(",")[0] for line in done.out.splitlines()[1:]] == ["1", "-1"]


def test_a_file_and_a_pipe_give_the_same_model(folder):
    (folder / "a.vw").write_text(vw_rows(500))
    online("a.vw", "-o", "a.hedge")
    online("--format", "vw", "-o", "b.hedge", stdin=vw_rows(500))
    assert str(load("a.hedge")) == str(load("b.hedge"))


def test_rows_without_a_target_are_answered_in_their_order(folder):
    text = vw_rows(300) + "'a|w good\n'b|w bad\n" + vw_rows(10) + "|w good\n"
    out, error = online("--format", "vw", "--predictions", "-", stdin=text)
    assert out.splitlines() == ["1 a", "-1 b", "1"]
    assert "310 rows processed" in error
    assert "3 predicted" in error
    online("--format", "vw", "--predictions", "p.txt", "--probabilities", stdin=text)
    label, first, second, tag = (folder / "p.txt").read_text().splitlines()[0].split()
    assert (label, tag) == ("1", "a")
    assert float(first) + float(second) == pytest.approx(1, abs=1e-5)
    assert float(second) > 0.5


def test_a_line_in_an_answer_out(folder):
    """Through a real pipe: every prediction is printed before the next line is written."""
    online("--format", "vw", "--checkpoint", "c.ck", stdin=vw_rows(300))
    with subprocess.Popen(
        [*HEDGEROW, "online", "--format", "vw", "--resume", "c.ck", "--predictions", "-", "-q"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    ) as process:
        for line, expected in [("|w good", "1"), ("|w bad", "-1")] * 2:
            process.stdin.write(f"{line}\n".encode())
            assert process.stdout.readline().decode().strip() == expected
        for _ in range(40):
            process.stdin.write(b"-1 50 |w good\n1 50 |w bad\n")
        process.stdin.write(b"|w good\n")
        assert process.stdout.readline().decode().strip() == "-1"  # it learned meanwhile
        process.stdin.close()
        assert process.wait(30) == 0


def test_a_declared_schema_answers_from_the_first_line_on(folder):
    (folder / "a.csv").write_text(csv_rows(200))
    online("a.csv", "-o", "m.hedge")
    with subprocess.Popen(
        [*HEDGEROW, "online", "--like", "m.hedge", "--predictions", "-", "-q"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    ) as process:
        process.stdin.write(b"age,sky,play\n")
        for i in range(30):
            process.stdin.write(f"{i % 10},sun,{'yes' if i % 10 > 4 else 'no'}\n".encode())
        process.stdin.write(b"9,sun,\n")
        assert process.stdout.readline().decode().strip() == "yes"
        process.stdin.close()
        assert process.wait(30) == 0


@pytest.mark.parametrize("extra", [[], ["--l1", "1e-5"], ["--loss", "hinge"]])
def test_resuming_gives_exactly_what_going_on_gives(folder, extra):
    (folder / "a.vw").write_text(vw_rows(900))
    (folder / "half.vw").write_text(vw_rows(400))
    online("a.vw", "-o", "whole.hedge", *extra)
    online("half.vw", "--checkpoint", "c.ck", *extra)
    online("a.vw", "--resume", "c.ck", "-o", "resumed.hedge")
    online("--format", "vw", "--resume", "c.ck", "-o", "piped.hedge", stdin=vw_rows(500, 400))
    whole = load("whole.hedge")
    for name in ("resumed.hedge", "piped.hedge"):
        other = load(name)
        assert other.slopes.tobytes() == whole.slopes.tobytes()
        assert other.intercepts.tobytes() == whole.intercepts.tobytes()


def test_passes_over_a_file(folder):
    (folder / "a.vw").write_text(vw_rows(100))
    _, error = online("a.vw", "--passes", 3, "--checkpoint", "c.ck", "--every", 50)
    assert "300 rows processed" in error
    assert Checkpoint.load("c.ck").state.rows == 300
    _, error = online("-", "--passes", 2, stdin="", check=2)
    assert "standard input can be read only once" in error


@contextmanager
def stopped_by(number, *options):
    """Yield a process of `hedgerow online` that heeds a signal, even where the caller of the tests ignores it, as
    `nohup` and shells in the background do; it is killed if it has not ended."""
    before = signal.signal(number, signal.SIG_DFL)  # which the process inherits
    try:
        command = [*HEDGEROW, "online", "--format", "vw", *options]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    finally:
        signal.signal(number, before)
    with process:
        try:
            yield process
        finally:
            process.kill()


def sentences_after(process, number, status):
    """Send a signal, and return the remaining output of the process, which must end with this status."""
    os.kill(process.pid, number)
    assert process.wait(60) == status
    return process.stderr.read().decode()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_signals_save_and_end_with_a_sentence(folder, number, status):
    options = "--first", "10", "--checkpoint", "c.ck", "--every", "100", "-o", "m.hedge"
    with stopped_by(number, *options) as process:
        process.stdin.write(vw_rows(100).encode())
        while not Path("c.ck").exists():
            time.sleep(0.05)
        said = sentences_after(process, number, status)
    assert "stopped: 100 rows processed" in said
    assert "continue with --resume c.ck" in said
    assert Checkpoint.load("c.ck").state.rows == 100
    assert load("m.hedge").schema.target == "label"


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_before_the_first_row(folder, number, status):
    with stopped_by(number, "--predictions", "begun.txt", "--checkpoint", "c.ck") as process:
        while not Path("begun.txt").exists():
            time.sleep(0.05)
        said = sentences_after(process, number, status)
    assert said == "stopped before any row was processed; nothing is saved\n"
    assert not Path("c.ck").exists()


def test_predictions_that_find_no_room_name_their_file(folder):
    (folder / "a.vw").write_text(vw_rows(20) + "|f a\n")
    with open("a.vw", "rb") as rows:
        ran = subprocess.run(
            [*HEDGEROW, "online", "--format", "vw", "--predictions", "/dev/full", "-q"],
            stdin=rows,
            stderr=subprocess.PIPE,
        )
    assert ran.returncode == 1
    assert ran.stderr.decode().startswith("hedgerow: /dev/full cannot be written: No space left on device")


def test_numbers_are_predicted_where_the_target_is_one(folder):
    rows = "x,y\n" + "".join(f"{i % 7},{2 * (i % 7) + 0.5}\n" for i in range(400))
    out, error = online("--predictions", "-", stdin=rows + "3,\n")
    assert float(out) == pytest.approx(6.5, abs=1)
    assert "mean squared loss" in error
    out, _ = online("--predictions", "-", "--loss", "quantile", "--tau", "0.9", stdin=rows + "3,\n")
    assert float(out) > 0


def test_few_whole_numbers_are_classes_unless_told_otherwise(folder):
    rows = "x,y\n" + "".join(f"{i % 2},{i % 2}\n" for i in range(100))
    assert online("--predictions", "-", "-q", stdin=rows + "1,\n")[0] == "1\n"
    assert "mean squared loss" in online("--numeric", "y", stdin=rows)[1]
    assert "mean squared loss" in online("--learner", "online_linear_regressor", stdin=rows)[1]


@pytest.mark.parametrize(
    ("arguments", "text", "sentence"),
    [
        (
            ["--first", 20],
            csv_rows(100) + "warm,sun,yes\n",
            "but 1 value is not: 'warm' (line 102)",
        ),
        (
            ["--format", "vw", "--first", 20],
            vw_rows(50) + "7 |w a\n",
            "the class '7' of 'label' does not occur in",
        ),
        (
            ["--first", 20],
            csv_rows(100) + "1,sun,perhaps\n",
            "the class 'perhaps' of 'play' does not occur in",
        ),
        (["--format", "vw"], "1 |w a\nno bar\n", "line 2: there is no | before the features"),
        (["--format", "vw", "--first", 1], vw_rows(3) + "1 x |w a\n", "line 4: the importance 'x'"),
        ([], "", "standard input is empty"),
        ([], "\n\n", "standard input is empty"),
        (["none.vw"], None, "there is no file none.vw"),
        (["--resume", "none.ck"], "", "none.ck cannot be read"),
        (["--like", "none.hedge"], "", "none.hedge"),
        (["--format", "vw", "--classes", "1,2"], vw_rows(5), "--classes lacks '-1', which occurs in the first rows"),
        (["--format", "parquet"], "x", "cannot be read one at a time"),
        (["--learner", "c45"], "x", "cannot be trained row by row"),
        (["--rate", "-1"], "x", "rate=-1.0 is not allowed"),
    ],
)
def test_what_is_wrong_is_a_sentence(folder, arguments, text, sentence):
    done = run("online", *arguments, stdin=text or "")
    assert done.status in (1, 2)
    assert sentence in done.err


def test_classes_may_be_named(folder):
    text = "1 |w a\n" + "2 |w b\n3 |w c\n" * 30 + "|w b\n"
    out, _ = online("--format", "vw", "--first", 1, "--classes", "1,2,3", "--predictions", "-", stdin=text)
    assert out == "2\n"


def test_damaged_checkpoints_are_refused(folder):
    online("--format", "vw", "--checkpoint", "c.ck", "-o", "m.hedge", stdin=vw_rows(50))
    data = (folder / "c.ck").read_bytes()
    for other in (data[:-10], data[:100] + b"x" + data[101:], b"", b"PK\x03\x04"):
        (folder / "d.ck").write_bytes(other)
        _, error = online("--format", "vw", "--resume", "d.ck", stdin=vw_rows(5), check=1)
        assert "d.ck" in error
    _, error = online("--format", "vw", "--resume", "m.hedge", stdin=vw_rows(5), check=1)
    assert "is a model, not a checkpoint" in error


def test_unicode_and_line_ends(folder):
    text = "1 |w straße東京\r\n-1 |w café\r\n" * 50 + "'größe|w café\r\n"
    out, _ = online("--format", "vw", "--predictions", "-", stdin=text)
    assert out == "-1 größe\n"
    rows = "名,y\r\n" + "東,a\r\n西,b\r\n" * 50 + "西,\r\n"
    assert online("--predictions", "-", stdin=rows)[0] == "b\n"


def test_online_learners_train_on_streams_of_svmlight_and_vw(folder):
    (folder / "a.svm").write_text("".join(f"{1 if i % 2 else -1} {1 + i % 2}:1 9:0.5\n" for i in range(200)))
    (folder / "a.vw").write_text(vw_rows(200))
    for name in ("a.svm", "a.vw"):
        assert run("train", name, "--learner", "online_linear", "--stream", "-q", "-o", "m.hedge").status == 0
        tested = run("test", "m.hedge", name, "--json")
        assert tested.status == 0
        said = run("predict", "m.hedge", name).out.splitlines()[1:]
        actual = [line.split()[0] for line in (folder / name).read_text().splitlines()]
        assert sum(a == b.split(",")[0] for a, b in zip(actual, said, strict=True)) >= 195


def test_a_saved_model_tells_its_learner_and_rows(folder):
    (folder / "a.vw").write_text(vw_rows(300))
    online("a.vw", "-o", "m.hedge", "-q", "--passes", "2", "--loss", "hinge")
    about = load("m.hedge").about
    assert (about.learner, about.rows, about.parameters["loss"]) == ("online_linear", 300, "hinge")


@pytest.mark.parametrize(
    "change",
    [
        {"state": {"object": [1]}},
        {"state": {"array": [0, "float64", "x"]}},
        {"state": {"object": {}}},
        {"state": None},
        {"settings": {"rate": "x"}},
        {"settings": {"nobody": 1}},
        {"settings": []},
        {"learner": "nobody"},
        {"learner": "c45"},
        {"learner": "online_linear_regressor"},
        {"passes": -1},
        {"rows": 1e300},
        {"version": 2},
    ],
    ids=str,
)
def test_a_damaged_checkpoint_with_a_right_checksum_is_a_sentence(folder, change):
    (folder / "a.vw").write_text(vw_rows(50))
    online("a.vw", "--checkpoint", "c.ck")
    (name, manifest), *arrays = members((folder / "c.ck").read_bytes())
    damaged = json.dumps(json.loads(manifest) | change).encode()
    (folder / "c.ck").write_bytes(packed([(name, damaged), *arrays], zipfile.ZIP_STORED))
    ran = run("online", "a.vw", "--resume", "c.ck", "-o", "m.hedge", "-q")
    assert ran.status in (1, 2)
    assert ran.err.startswith("hedgerow: ")
    assert len(ran.err.splitlines()) == 1
