"""hedgerow online on streams that are not as they should be: sorted, changing, huge, of many texts and new levels."""

import numpy as np
import pytest

from hedgerow import OnlineLinear, OnlineLinearRegressor, open_source
from hedgerow.models.files.model_file import load
from tests.cli.run import run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def online(*arguments, stdin=None, check=0):
    done = run("online", *arguments, stdin=stdin)
    assert done.status == check, done.err
    return done.err


def numbers(n, scale=1.0, seed=1):
    """Return lines of y = 3 + 2 a - b / 2 + noise, a being measured in another unit."""
    random = np.random.default_rng(seed)
    a, b, noise = random.normal(2, 1, n), random.normal(0, 3, n), random.normal(0, 0.1, n)
    y = 3 + 2 * a - b / 2 + noise
    rows = zip((a * scale).tolist(), b.tolist(), y.tolist(), strict=True)
    return "a,b,y\n" + "".join(f"{i},{j},{k}\n" for i, j, k in rows)


def test_sorted_streams_are_told(folder):
    lines = [f"{i % 7},{'yes' if i >= 200 else 'no'}" for i in range(400)]
    error = online("--target", "y", "-o", "m.hedge", stdin="x,y\n" + "\n".join(lines) + "\n")
    assert "the rows seem to be sorted by class: in 400 rows it changes 1 times" in error
    assert "shuffle them" in str(load("m.hedge").about.notes)
    mixed = [line for pair in zip(lines[:200], lines[200:], strict=True) for line in pair]
    assert "sorted" not in online("--target", "y", stdin="x,y\n" + "\n".join(mixed) + "\n")


def test_a_new_level_gets_a_slot_of_its_own(folder):
    head = "sky,play\n" + "".join(f"{('sun', 'rain')[i % 2]},{('yes', 'no')[i % 2]}\n" for i in range(200))
    tail = "".join(f"{('snow', 'sun')[i % 2]},{('no', 'yes')[i % 2]}\n" for i in range(400))
    for bits in ("18", "none"):
        error = online("--target", "play", "--first", "100", "--bits", bits, "-o", "m.hedge", stdin=head + tail)
        assert "not seen" not in error
        model = load("m.hedge")
        assert model.schema["sky"].levels == ("sun", "rain", "snow")
        assert "sky=snow" in str(model)
        (folder / "new.csv").write_text("sky\nsnow\nsun\n")
        done = run("predict", "m.hedge", "new.csv")
        assert [line.split(",")[0] for line in done.out.splitlines()[1:]] == ["no", "yes"]


def test_a_new_class_ends_with_a_sentence_unless_it_is_named(folder):
    rows = "x,y\n" + "".join(f"{i % 5},{'ab'[i % 2]}\n" for i in range(100)) + "3,c\n" * 3
    error = online("--target", "y", "--first", "50", stdin=rows, check=1)
    assert "the class 'c' of 'y' does not occur in the first rows" in error
    assert "--classes" in error
    online("--target", "y", "--first", "50", "--classes", "a,b,c", "-o", "m.hedge", stdin=rows)
    assert load("m.hedge").classes == ("a", "b", "c")


def test_a_column_that_changes_its_kind_is_told_with_its_line(folder):
    rows = "a,y\n" + "".join(f"{i % 9},{'ab'[i % 2]}\n" for i in range(300)) + "red,a\n"
    error = online("--target", "y", "--first", "100", stdin=rows, check=1)
    assert "'a'" in error
    assert "'red'" in error
    assert "302" in error


def test_huge_and_infinite_numbers_in_mid_stream(folder):
    for value, word in (("1e19", "1e+19"), ("-1e200", "-1e+200")):
        rows = "a,y\n" + "".join(f"{i % 9},{'ab'[i % 2]}\n" for i in range(300)) + f"{value},a\n"
        error = online("--target", "y", "--first", "100", stdin=rows, check=1)
        assert f"column 'a' holds {word}" in error
    error = online("--target", "y", "--first", "100", stdin=rows.replace("-1e200", "inf"), check=1)
    assert "'a'" in error


@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e9])
def test_squared_loss_from_a_stream_whatever_the_scale(folder, scale):
    (folder / "a.csv").write_text(numbers(3000, scale))
    online("a.csv", "--target", "y", "--passes", "5", "-o", "m.hedge")
    model = load("m.hedge")
    assert model.figures.losses == "squared"
    assert (model.figures.rows, model.figures.learned) == (3000, 15000)
    assert np.isclose(model.coefficients["a"] * scale, 2, atol=0.15)
    assert np.isclose(model.coefficients["b"], -0.5, atol=0.1)
    direct = OnlineLinearRegressor(passes=5).train(open_source("a.csv", target="y"))
    assert np.isclose(direct.coefficients["a"] * scale, 2, atol=0.15)


@pytest.mark.parametrize("tau", [0.1, 0.5, 0.9])
def test_quantiles_from_a_stream(folder, tau):
    (folder / "a.csv").write_text(numbers(4000))
    online("a.csv", "--target", "y", "--loss", "quantile", "--tau", str(tau), "--passes", "5", "-o", "m.hedge")
    done = run("predict", "m.hedge", "a.csv")
    said = np.array([float(line.split(",")[0]) for line in done.out.splitlines()[1:]])
    y = np.array([float(line.split(",")[2]) for line in (folder / "a.csv").read_text().splitlines()[1:]])
    assert abs((y <= said).mean() - tau) < 0.15
    assert "quantile loss" in str(load("m.hedge"))


def test_hinge_has_a_temperature_in_streams_too(folder):
    random = np.random.default_rng(2)
    x = random.normal(size=2000)
    y = np.where(x + random.normal(0, 0.5, 2000) > 0, "up", "down")
    (folder / "a.csv").write_text("x,y\n" + "".join(f"{a},{b}\n" for a, b in zip(x.tolist(), y.tolist(), strict=True)))
    online("a.csv", "--target", "y", "--loss", "hinge", "-o", "m.hedge")
    model = load("m.hedge")
    assert model.temperature != 1
    shares = model.scores(model.align(open_source("a.csv", target="y").read()))
    right = shares[np.arange(2000), [model.classes.index(word) for word in y.tolist()]]
    assert -np.log(np.maximum(right, 1e-9)).mean() < 0.45


def test_several_texts_and_columns_that_are_left_out(folder):
    random = np.random.default_rng(3)
    lines = ["title,body,same,id,kind"]
    for i in range(400):
        good = bool(random.integers(2))
        title = random.choice(["free prize", "cheap pills"] if good else ["team lunch", "minutes friday"])
        body = " ".join(random.choice(["now", "call", "win"] if good else ["the", "notes", "meeting"], 4))
        lines.append(f"{title},{body},1,{i},{'spam' if good else 'mail'}")
    (folder / "a.csv").write_text("\n".join(lines) + "\n")
    online("a.csv", "--target", "kind", "--text", "title", "--text", "body", "--ignore", "id", "-o", "m.hedge")
    model = load("m.hedge")
    text = str(model)
    assert "title__#" in text
    assert "body__#" in text
    assert "id" not in model.columns_used()
    assert model.figures.wrong < 0.1
    source = open_source("a.csv", target="kind", kinds={"title": "text", "body": "text"}, ignore=("id",))
    for options in ({}, {"bits": None}, {"idf": "none"}, {"bits": 6}):
        made = OnlineLinear(**options).train(source.read())
        assert "same" not in made.columns_used()
        assert set(made.term_spaces) == {"title", "body"}
        assert (made.decide(source.read()) == source.read().codes(source.schema.index("kind"))).mean() > 0.95
    learner = OnlineLinear(loss="hinge", l1=1e-6)
    for part in source.read().batches(100):
        learner.partial_fit(part)
    assert learner.score(source.read()) > 0.95


@pytest.mark.parametrize("passes", [1, 2])
@pytest.mark.parametrize("bits", ["none", "18"])
def test_new_levels_of_a_file_are_learned_as_those_of_standard_input(folder, bits, passes):
    """With --first, levels of later rows get coefficients of their own; new classes are still an error."""
    head = "sky,wind,play\n" + "".join(
        f"{'sun' if i % 3 else 'rain'},calm,{'yes' if i % 3 else 'no'}\n" for i in range(100)
    )
    tail = "".join(f"snow,{'calm' if i % 2 else 'storm'},{'no' if i % 4 else 'yes'}\n" for i in range(80))
    (folder / "t.csv").write_text(head + tail)
    how = ("--target", "play", "--first", "100", "--bits", bits, "-o")
    error = online("t.csv", *how, "file.hedge", "--passes", passes)
    assert "not seen" not in error
    model = load("file.hedge")
    assert set(model.schema["sky"].levels) == {"sun", "rain", "snow"}
    assert "snow" in str(model)
    assert "storm" in str(model)
    if passes == 1:
        online(*how, "pipe.hedge", stdin=head + tail)
        assert str(load("pipe.hedge")) == str(model)
    (folder / "t.csv").write_text(head + tail + "sun,calm,perhaps\n")
    assert "the class 'perhaps' of 'play' does not occur in the first rows" in online("t.csv", *how, "m.hedge", check=1)


def test_resuming_a_file_goes_on_taking_in_new_levels(folder):
    """The model is that of learning without a break."""
    head = "sky,play\n" + "".join(f"{'sun' if i % 3 else 'rain'},{'yes' if i % 3 else 'no'}\n" for i in range(100))
    (folder / "t.csv").write_text(head)
    online("t.csv", "--target", "play", "--first", "50", "--checkpoint", "c.ck", "-o", "m.hedge")
    (folder / "t.csv").write_text(head + "snow,no\nhail,yes\n" * 20)
    online("t.csv", "--resume", "c.ck", "-o", "resumed.hedge")
    online("t.csv", "--target", "play", "--first", "50", "-o", "whole.hedge")
    assert str(load("resumed.hedge")) == str(load("whole.hedge"))
    assert "hail" in str(load("whole.hedge"))
