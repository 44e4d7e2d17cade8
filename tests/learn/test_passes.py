"""The same rows give the identical model from a table, from a file in batches, and by partial_fit."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hedgerow import DataError, Majority, Mean, NaiveBayes, OneR, Table, UsageError, open_source, write
from hedgerow.checks import example
from hedgerow.learn.passes import InMemoryEngine, run
from hedgerow.models.files.model_file import dumps

LEARNERS = [
    Majority(),
    OneR(min_bucket=3),
    NaiveBayes(),
    NaiveBayes(density="kernel"),
    NaiveBayes(density="bins", discretizer="frequency", bins=4),
]


def same(one, other):
    """Return whether two models have equal files; after partial_fit they have no sketch of the training rows."""
    sketches = [model.about.sketch for model in (one, other) if model.about.sketch is not None]
    plain = [dumps(model.replace_about(replace(model.about, sketch=None))) for model in (one, other)]
    return plain[0] == plain[1] and all(sketch == sketches[0] for sketch in sketches)


@pytest.fixture(scope="module")
def table():
    made = example(NaiveBayes(), rows=500)
    noise = np.random.default_rng(0).normal(1e9, 1e-3, 500)  # sums that ordinary addition would round differently
    return made.with_column(*_column("far", noise))


def _column(name, values):
    made = Table.of({name: values})
    return made.schema.columns[0], made.data[0]


@pytest.fixture(scope="module")
def file(table, tmp_path_factory):
    path = tmp_path_factory.mktemp("passes") / "table.csv"
    write(table.select([*(n for n in table.schema.names if n != "group"), "group"]), path)
    return path


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("size", [1, 7, 100, 499, 500])
def test_partial_fit_in_any_batches_gives_the_identical_model(table, learner, size):
    learner = type(learner)(**learner.get_params())
    for batch in table.batches(size):
        learner.partial_fit(batch)
    assert same(learner.model_, learner.train(table))


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("rows", [1, 64, 1000])
def test_a_streamed_file_gives_the_identical_model(file, learner, rows, monkeypatch):
    source = open_source(file)
    batches = source.batches
    monkeypatch.setattr(source, "batches", lambda: batches(rows))
    assert same(learner.train(source), learner.train(open_source(file).read()))


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("weights", [False, True], ids=["unweighted", "weighted"])
def test_any_number_of_threads_gives_the_identical_model(table, learner, weights, monkeypatch):
    monkeypatch.setattr("hedgerow.learn.passes.BLOCK_ROWS", 10)
    if weights:
        table = table.with_weights(np.random.default_rng(5).random(table.n_rows))
    plan = learner.plan(table.schema)
    models = [run(plan, InMemoryEngine(table, threads)) for threads in (1, 2, 3, 7)]
    assert all(same(model, models[0]) for model in models)


def test_levels_and_classes_may_appear_late():
    early = Table.of({"x": ["a", "b"], "z": [1.0, 2.0], "y": ["n", "n"]}, target="y")
    late = Table.of({"x": ["c", "a"], "z": [5.0, 6.0], "y": ["p", "n"]}, target="y")
    whole = Table.of({"x": ["a", "b", "c", "a"], "z": [1.0, 2.0, 5.0, 6.0], "y": ["n", "n", "p", "n"]}, target="y")
    for learner in LEARNERS:
        learner = type(learner)(**learner.get_params())
        learner.partial_fit(early).partial_fit(late)
        assert same(learner.model_, learner.train(whole))
        assert list(learner.classes_) == ["n", "p"]


def test_partial_fit_of_arrays_keeps_the_class_labels():
    X = np.array([[1.0], [2.0], [9.0], [8.0]])
    y = np.array([0, 0, 5, 5])
    learner = NaiveBayes().partial_fit(X[:2], y[:2], classes=[0, 5]).partial_fit(X[2:], y[2:])
    assert learner.predict(X).tolist() == y.tolist()
    assert learner.predict(X).dtype == y.dtype
    grown = NaiveBayes().partial_fit(X[:2], y[:2]).partial_fit(X[2:], y[2:])
    assert grown.predict(X).tolist() == y.tolist()


def test_fit_forgets_and_partial_fit_goes_on_from_it(table):
    first, rest = table.slice(0, 100), table.slice(100, 500)
    learner = NaiveBayes().partial_fit(rest)
    assert same(learner.fit(first).model_, NaiveBayes().train(first))
    assert same(learner.partial_fit(rest).model_, NaiveBayes().train(table))


def test_classes_of_arrays_are_sorted_in_any_batches():
    X, y = np.array([[3.0], [1.0], [2.0]]), np.array([7, 0, 5])
    learner = NaiveBayes()
    for row in range(3):
        learner.partial_fit(X[[row]], y[[row]])
    assert learner.classes_.tolist() == [0, 5, 7]
    assert same(learner.model_, NaiveBayes().fit(X, y).model_)
    with pytest.raises(DataError, match="have different types in different batches"):
        learner.partial_fit([[1.0]], ["0"])


def test_frames_in_batches_equal_the_whole_frame():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"k": [f"l{i % 20}" for i in range(400)], "x": random.normal(size=400).round(2)})
    frame["y"] = np.where(random.random(400) < 0.5, frame.k < "l3", frame.x > 0).astype(int)
    for size in (10, 15, 20, 399):
        learner = NaiveBayes()
        for start in range(0, 400, size):
            learner.partial_fit(frame[start : start + size], "y")
        assert same(learner.model_, NaiveBayes().fit(frame, "y").model_)


@pytest.mark.parametrize("ending", ["csv", "arff", "parquet"])
def test_whole_numbers_are_classes_in_their_order_from_anywhere(tmp_path, ending):
    path = tmp_path / f"t.{ending}"
    write(Table.of({"x": [i + 0.5 for i in range(30)], "y": [(3, 1, 2)[i % 3] for i in range(30)]}), path)
    table = open_source(path).read()
    read, streamed = NaiveBayes().train(table), NaiveBayes().train(open_source(path))
    assert read.classes == ("1", "2", "3")
    assert same(streamed, read)
    assert "treated as classes" in streamed.about.notes[0]
    learner = NaiveBayes()
    for batch in table.batches(2):
        learner.partial_fit(batch)
    assert str(learner.model_) == str(read)


def test_classes_of_a_named_column_may_come_and_go():
    whole = pd.DataFrame({"x": list("pqr") * 4, "y": list("abc") * 4})
    learner = NaiveBayes().partial_fit(whole[whole.y != "a"], "y").partial_fit(whole[whole.y != "c"], "y")
    assert learner.classes_.tolist() == list(learner.model_.classes) == ["a", "b", "c"]
    assert learner.predict(whole).tolist() == whole.y.tolist()
    named = NaiveBayes().partial_fit(whole[whole.y == "b"], "y", classes=["a", "b", "c"])
    assert named.classes_.tolist() == ["a", "b", "c"]


def test_a_batch_that_fails_leaves_no_trace():
    learner = NaiveBayes().partial_fit([[1.0], [2.0]], ["u", "v"])
    with pytest.raises(DataError, match="weight of row 0"):
        learner.partial_fit([[3.0]], ["n"], sample_weight=[-1.0])
    assert learner.partial_fit([[4.0]], ["u"]).classes_.tolist() == ["u", "v"]


def test_the_mean_streams(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "\n".join(f"{i},{i / 7}" for i in range(30)) + "\n")
    assert same(Mean().train(open_source(path)), Mean().train(open_source(path).read()))


def test_passes_count_the_rows_once(table):
    from hedgerow.data.table.source import ReadOptions, Source
    from hedgerow.learn.passes import Plan, StreamEngine
    from hedgerow.learn.prepare import StreamSummary

    class Batches(Source):
        def find_schema(self):
            return table.schema

        def batches(self, rows=100):
            return table.batches(rows)

    class Thrice(Plan):
        def __init__(self, left):
            self.left = left

        def count(self, table):
            return table.n_rows

        def advance(self, counts):
            assert counts == 500
            return Thrice(self.left - 1) if self.left else NaiveBayes().train(table)

    seen = StreamSummary(table.schema)
    run(Thrice(2), StreamEngine(Batches("t", ReadOptions()), seen))
    assert seen.rows == 500


def test_rows_without_a_class_do_not_count():
    holes = Table.of({"x": ["a", "b", "a"], "y": ["n", "p", None]}, target="y")
    clean = Table.of({"x": ["a", "b"], "y": ["n", "p"]}, target="y")
    assert str(NaiveBayes().train(holes)) == str(NaiveBayes().train(clean))
    assert NaiveBayes().train(holes).about.notes == ("1 of 3 rows is left out, for its 'y' is missing",)
    assert same(NaiveBayes().partial_fit(holes).model_, NaiveBayes().partial_fit(clean).model_)


def test_a_learner_that_needs_all_rows_says_so(file):
    from hedgerow import Discretize

    with pytest.raises(UsageError, match="cannot be trained on a stream"):
        Discretize().train(open_source(file))


def test_numbers_too_large_to_square_are_named():
    table = Table.of({"x": [1e200, 1.0], "y": ["a", "b"]}, target="y")
    with pytest.raises(DataError, match=r"column 'x' holds 1e\+200.*scale the column"):
        NaiveBayes().train(table)


def test_fractional_weights_give_the_same_model_up_to_rounding(table):
    weighted = table.with_weights(np.resize(np.random.default_rng(3).random(10), table.n_rows))
    learner = NaiveBayes()
    for batch in weighted.batches(10):  # the mean weight of the first batch is that of all rows
        learner.partial_fit(batch)
    assert np.allclose(learner.model_.distribution(table), NaiveBayes().train(weighted).distribution(table))
