"""The perceptron: textbook's updates, variants, many classes, bad input."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris

import hedgerow
from hedgerow import Perceptron, Winnow, _kernels
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Table, Text
from hedgerow.learn.calibrate import _Slope, _SlopeOfTwo, fit_temperature
from hedgerow.learn.linear.mistakes.base import short_numbers
from hedgerow.models.files.model_file import dumps, loads
from tests.reference import mistakes as reference

CORNERS = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
AND, OR, XOR = (0, 0, 0, 1), (0, 1, 1, 1), (0, 1, 1, 0)


def textbook(**given):
    """The textbook rule, except for the given parameters."""
    return Perceptron(**{"variant": "plain", "standardize": False, "shuffle": False, **given})


def gate(outcome):
    """A table of two inputs, whose first class is yes."""
    said = ["yes" if one else "no" for one in outcome]
    columns = {"a": CORNERS[:, 0].tolist(), "b": CORNERS[:, 1].tolist(), "out": said}
    return Table.of(columns, "out", levels={"out": ("yes", "no")})


def weights(model):
    return [*model.intercepts.tolist(), *model.slopes[0].tolist()]


def test_and_of_two_inputs():
    """G88: final weights (-2, 2, 1), 10 updates, the sixth pass is the first without a mistake."""
    model = textbook().train(gate(AND))
    assert weights(model) == [-2, 2, 1]
    work = textbook().show_work(gate(AND))
    assert len(work.lines) == 1 + 10
    assert work.mistakes == (1, 3, 3, 2, 1, 0)
    assert "Pass 6 is the first without a mistake" in str(work)
    assert model.about.notes == ()


def test_or_of_two_inputs():
    """G88: (0, 1, 1), 4 updates, fourth pass clean."""
    assert weights(textbook().train(gate(OR))) == [0, 1, 1]
    work = textbook().show_work(gate(OR))
    assert (sum(work.mistakes), len(work.mistakes)) == (4, 4)


@pytest.mark.parametrize("variant", ["plain", "averaged", "pocket"])
def test_exclusive_or_is_never_learned(variant):
    """G88, M199: XOR never becomes clean; the limit ends it, and the note says what remains."""
    for shuffle in (False, True):
        model = textbook(variant=variant, passes=500, shuffle=shuffle).train(gate(XOR))
        wrong = int(np.count_nonzero(model.decide(gate(XOR)) != [1, 0, 0, 1]))
        assert wrong >= 1
        (note,) = model.about.notes
        assert f"{wrong} row" in note
        assert "out of 4, after 500 passes" in note
        assert "logistic" in note


def test_the_pocket_finds_the_fewest_mistakes_of_exclusive_or():
    model = textbook(variant="pocket", shuffle=True).train(gate(XOR))
    assert np.count_nonzero(model.decide(gate(XOR)) != [1, 0, 0, 1]) == 1


def test_a_sum_of_zero_is_the_second_class():
    model = textbook().train(gate(OR))  # (0, 1, 1): the sum of (0, 0) is 0
    assert model.predict(gate(OR)).tolist() == ["no", "yes", "yes", "yes"]


def test_the_work_as_a_textbook_prints_it():
    lines = str(textbook().show_work(gate(OR))).splitlines()
    assert lines[0] == "A row is predicted as yes if the weighted sum of its values and of 1 is above 0, else as no"
    assert lines[3].split() == ["pass", "row", "sum", "said", "right", "constant", "a", "b"]
    assert lines[5].split() == ["1", "2", "0", "no", "yes", "1", "0", "1"]


def test_the_work_of_many_classes_and_of_one():
    X, y = load_iris(return_X_y=True)
    table = Table.of({"x": X[:, 2].tolist(), "kind": [f"k{i}" for i in y]}, "kind")
    assert "k2" in str(textbook(passes=2).show_work(table))
    single = Table.of({"x": [1.0, 2.0], "kind": ["k0", "k0"]}, "kind")
    assert "only one class" in str(textbook().show_work(single))


@given(st.integers(0, 9999), st.integers(2, 4), st.sampled_from(["plain", "averaged"]))
def test_equals_its_plain_twin(seed, classes, variant):
    random = np.random.default_rng(seed)
    matrix = random.integers(-3, 4, (20, 3)).astype(np.float64)
    matrix[:2] = [[0, 1, 2], [1, 2, 0]]  # no column of one value
    labels = np.concatenate([np.arange(classes), random.integers(0, classes, 20 - classes)])
    twin = reference.Perceptron(3, classes)
    twin.run(matrix, labels, np.ones(20), 5)
    columns = {f"x{i}": matrix[:, i].tolist() for i in range(3)} | {"y": [f"c{one}" for one in labels]}
    model = textbook(variant=variant, passes=5, digits=15).train(Table.of(columns, "y"))
    expected = twin.weights if variant == "plain" else twin.average
    assert np.allclose(model.all_coefficients, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore::hedgerow.errors.DataWarning")
@pytest.mark.parametrize("variant", ["plain", "averaged", "pocket"])
def test_many_classes(variant):
    X, y = load_iris(return_X_y=True)
    learner = textbook(variant=variant, shuffle=True).fit(X, y)
    assert learner.score(X, y) > 0.85
    proba = learner.predict_proba(X)
    assert np.allclose(proba.sum(axis=1), 1)
    assert (learner.classes_[proba.argmax(axis=1)] == learner.predict(X)).mean() > 0.99


@pytest.mark.filterwarnings("ignore::hedgerow.errors.DataWarning")
def test_standardized_columns_are_undone_in_the_print():
    X, y = load_breast_cancer(return_X_y=True)
    learner = textbook(standardize=True, variant="averaged", passes=20).fit(X, y)
    assert learner.score(X, y) > 0.97
    model = learner.model_
    sums = X @ model.slopes[0] + model.intercepts[0]
    assert ((sums <= 0).astype(int) == learner.predict(X)).all()


def test_probabilities_keep_the_decision_and_are_honest():
    random = np.random.default_rng(3)
    X = random.normal(size=(400, 2))
    y = (X[:, 0] + random.logistic(size=400) / 2 > 0).astype(int)
    with pytest.warns(hedgerow.DataWarning, match="still misclassified"):
        learner = textbook(variant="averaged", passes=10).fit(X, y)
    chance = learner.predict_proba(X)[:, 1]
    sure = chance[learner.predict(X) == 1]
    assert abs(sure.mean() - y[learner.predict(X) == 1].mean()) < 0.08


def test_a_temperature_is_finite_for_classes_that_are_told_apart():
    sums, labels = np.array([[5.0, 0], [4, 0], [-3, 0]]), np.array([0, 0, 1], dtype=np.int32)
    found = fit_temperature(sums, labels).value
    chance = 1 / (1 + np.exp(-sums[:, 0] / np.linspace(found / 2, found * 2, 41)[:, None]))
    target = np.array([3 / 4, 3 / 4, 1 / 3])  # Platt's
    likely = (target * np.log(chance) + (1 - target) * np.log(1 - chance)).sum(axis=1)
    assert abs(np.linspace(found / 2, found * 2, 41)[likely.argmax()] - found) < 0.1 * found
    assert fit_temperature(np.zeros((3, 2)), labels).value == 1
    assert np.isfinite(fit_temperature(-sums, labels).value)
    assert np.isfinite(fit_temperature(np.full((3, 2), [1e308, -1e308]), labels).value)
    assert fit_temperature(np.empty((0, 2)), labels[:0]).value == 1


def test_a_weight_of_two_is_a_row_shown_twice():
    random = np.random.default_rng(5)
    matrix = random.integers(-3, 4, (30, 3)).astype(np.float64)
    y = random.integers(0, 2, 30)
    copies = random.integers(0, 4, 30)
    copies[:2] = 1
    for variant in ("plain", "averaged", "pocket"):
        learner = textbook(variant=variant, passes=7)
        columns = {f"x{i}": matrix[:, i].tolist() for i in range(3)} | {"y": [f"c{one}" for one in y]}
        table = Table.of(columns, "y", levels={"y": ("c0", "c1")})
        weighted = learner.train(table.with_weights(copies.astype(float)))
        repeated = learner.train(table.take(np.repeat(np.arange(30), copies)))
        assert str(weighted) == str(repeated)


def test_a_weight_below_one_is_a_smaller_step():
    table = gate(OR).with_weights(np.array([0.5, 0.5, 1.5, 1.5]))
    assert weights(textbook().train(table)) == [0, 1, 0.5]


# -- columns of all kinds -------------------------------------------------------------------------------------


def mixed():
    columns = {
        "age": [20.0, None, 40.0, 50.0, 25.0, 60.0],
        "sky": ["sun", "rain", None, "rain", "sun", "größer 茶"],
        "same": ["x"] * 6,
        "class": ["a", "b", "b", "b", "a", "b"],
    }
    texts = Text.of(["free money", None, "hello you", "hello", "money", ""])
    return Table.of(columns, "class").with_column(Column("note", Kind.TEXT), texts)


def test_levels_texts_and_missing_values():
    model = textbook().train(mixed())
    assert model.design.names[:2] == ["age", "age missing"]
    assert "sky=größer 茶" in model.design.names
    assert "sky missing" in model.design.names
    assert "note__free" in model.design.names
    assert not any(name.startswith("same") for name in model.design.names)  # a second constant would tell nothing
    assert loads(dumps(model), "x") == model
    assert np.array_equal(model.decide(mixed()), [0, 1, 1, 1, 0, 1])


@pytest.mark.parametrize("rows", [1, 2])
def test_few_rows(rows):
    model = textbook().train(mixed().take(np.arange(rows)))
    assert np.isfinite(model.distribution(mixed())).all()


def test_no_columns_at_all():
    table = Table.of({"class": ["a", "b", "b"]}, "class")
    model = textbook().train(table)
    assert model.predict(table).tolist() == ["b", "b", "b"]


def test_one_class():
    table = Table.of({"x": [1.0, 2.0], "class": ["a", "a"]}, "class")
    model = textbook().train(table)
    assert model.predict(table).tolist() == ["a", "a"]


def test_huge_numbers_are_a_sentence_or_finite():
    table = Table.of({"x": [1e149, -1e149, 3.0, 2.0], "class": ["a", "b", "b", "a"]}, "class")
    assert np.isfinite(textbook().train(table).distribution(table)).all()
    with pytest.raises(hedgerow.DataError, match="'x' holds inf"):
        textbook().train(Table.of({"x": [np.inf, 1.0], "class": ["a", "b"]}, "class"))


def test_rounding_keeps_every_decision():
    X = np.array([[1.0, 1.00000001], [1.00000001, 1.0], [2.0, 2.00000002], [2.00000003, 2.0]])
    y = [0, 1, 0, 1]
    learner = textbook(passes=1000).fit(X, y)
    assert learner.score(X, y) == 1


def test_short_numbers():
    values = np.array([0.1 + 0.2, -12345.678, 1 / 3, 1e-200, 1e200, 123456789012.0, 0.0])
    assert short_numbers(values, 4).tolist() == [0.3, -12345.678, 0.3333, 1e-200, 1e200, 123500000000.0, 0.0]


# -- parameters and streams -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"variant": "poket"}, "did you mean 'pocket'"),
        ({"passes": 0}, "at least 1"),
        ({"digits": 16}, "at most 15"),
    ],
)
def test_parameters_out_of_range(given, message):
    with pytest.raises(hedgerow.UsageError, match=message):
        textbook(**given).train(gate(AND))


def test_streams_are_refused_with_what_to_do(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,x\n2,y\n")
    with pytest.raises(hedgerow.UsageError, match="partial_fit"):
        textbook().train(hedgerow.open_source(path))


def test_trace_prints_the_work(capsys):
    textbook(trace=True).train(gate(OR))
    assert "Mistakes in each pass: 1 2 1 0" in capsys.readouterr().out


# -- going on -------------------------------------------------------------------------------------------------


def test_batches_go_on_where_the_last_one_ended():
    random = np.random.default_rng(1)
    X, y = random.integers(-3, 4, (40, 3)).astype(float), random.integers(0, 3, 40)
    for variant in ("plain", "averaged"):
        twin = reference.Perceptron(3, 3)
        learner = textbook(variant=variant, digits=15)
        for part in (slice(0, 15), slice(15, 40)):
            twin.run(X[part], y[part], np.ones(len(y[part])), 1)
            learner.partial_fit(X[part], y[part], classes=[0, 1, 2])
        expected = twin.weights if variant == "plain" else twin.average
        assert np.allclose(learner.model_.all_coefficients, expected, rtol=1e-9, atol=1e-9)


def test_new_levels_classes_and_gaps_come_in_batches():
    one = Table.of({"x": [1.0, 2.0, 3.0], "sky": ["sun", "rain", "sun"], "class": ["a", "b", "a"]}, "class")
    two = Table.of({"x": [5.0, None, 7.0], "sky": ["snow", "rain", None], "class": ["c", "c", "b"]}, "class")
    learner = textbook().partial_fit(one)
    before = learner.model_.coefficients["a"]
    learner.partial_fit(two)
    assert learner.model_.classes == ("a", "b", "c")
    names = set(learner.model_.design.names)
    assert names == {"x", "x missing", "sky=sun", "sky=rain", "sky=snow", "sky missing"}
    assert set(before) <= names
    for _ in range(100):
        learner.partial_fit(one).partial_fit(two)
    assert learner.predict(one).tolist() == ["a", "b", "a"]
    assert learner.predict(two).tolist() == ["c", "c", "b"]


def test_fit_then_more_rows():
    learner = textbook().fit(gate(AND))
    learner.partial_fit(gate(AND))
    assert weights(learner.model_) == [-2, 2, 1]  # nothing is mistaken
    assert learner.model_.about.rows == 8


def test_texts_in_batches():
    learner = textbook(idf="none")
    for texts, labels in ((["good day", "bad day"], ["p", "n"]), (["fine", "awful"], ["p", "n"])) * 5:
        learner.partial_fit(texts, labels)
    assert learner.predict(["good", "awful", "fine"]).tolist() == ["p", "n", "p"]
    with pytest.raises(hedgerow.UsageError, match="idf='none'"):
        textbook().partial_fit(["good", "bad"], ["p", "n"])


def test_what_batches_cannot_do():
    with pytest.raises(hedgerow.UsageError, match="averaged"):
        Perceptron(variant="pocket").partial_fit(CORNERS, AND)


def test_batches_are_standardized_by_the_first_rows():
    random = np.random.default_rng(2)
    X = random.normal(size=(300, 2)) * [1, 1000] + [5, 70000]
    y = (X[:, 0] - 5 + (X[:, 1] - 70000) / 1000 > 0).astype(int)
    learner = Perceptron()
    for part in (slice(0, 100), slice(100, 200), slice(200, 300)) * 5:
        learner.partial_fit(X[part], y[part], classes=[0, 1])
    assert learner.score(X, y) > 0.95
    first = learner.model_.design.parts[1]
    assert abs(first.mean - X[:256, 1].mean()) < 0.01
    textbook_learner = textbook().partial_fit(X, y)
    assert textbook_learner.score(X, y) < learner.score(X, y)


MIXED = {
    "x": np.random.default_rng(3).normal(size=400).round(3),
    "sky": np.random.default_rng(4).choice(["sun", "rain", "fog"], 400),
    "late": np.where(np.arange(400) == 50, np.nan, np.arange(400) % 7.0),
}
MIXED_CLASSES = np.where(MIXED["x"] + (MIXED["sky"] == "sun") > 0.3, "yes", "no")


@pytest.mark.parametrize("size", [1, 7, 399])
@pytest.mark.parametrize(
    "learner",
    [
        Perceptron(shuffle=False),
        Perceptron(shuffle=False, standardize=False, variant="plain"),
        Winnow(shuffle=False, balanced=True),
    ],
    ids=repr,
)
def test_batches_do_not_matter_in_the_order_of_the_rows(learner, size):
    frame = pd.DataFrame(MIXED)
    whole = clone(learner).partial_fit(frame, MIXED_CLASSES, classes=["no", "yes"])
    parts = clone(learner)
    for start in range(0, 400, size):
        parts.partial_fit(frame[start : start + size], MIXED_CLASSES[start : start + size], classes=["no", "yes"])
    assert str(parts.model_) == str(whole.model_)


@pytest.mark.parametrize("learner", [Perceptron(variant="plain"), Winnow(variant="plain", balanced=True)], ids=repr)
def test_a_column_that_varies_late_is_learned(learner):
    """Its first 300 rows hold 0, and the rows come one by one."""
    random = np.random.default_rng(5)
    late = np.r_[np.zeros(300), random.choice([-3.0, 4.0], 300)]
    y = np.where(late != 0, late > 0, random.random(600) > 0.5).astype(int)
    X = np.column_stack([random.normal(size=600), late])
    learner = clone(learner)
    for row in range(600):
        learner.partial_fit(X[[row]], y[[row]], classes=[0, 1])
    assert learner.score(X[500:], y[500:]) > 0.9


# -- averages of rows that are told apart ---------------------------------------------------------------------


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("gates", [AND, OR])
def test_averages_learn_what_a_linear_function_tells_apart(gates, shuffle, standardize):
    learner = Perceptron(standardize=standardize, shuffle=shuffle, random_state=3)
    assert learner.fit(gate(gates)).score(gate(gates)) == 1


@given(st.integers(0, 10_000), st.booleans())
@settings(max_examples=40)
def test_separable_rows_are_learned_by_averages(seed, three):
    """Whenever a pass ends without a mistake, the average that is kept makes none either."""
    random = np.random.default_rng(seed)
    X = random.integers(-3, 4, (12, 2)).astype(float)
    scores = np.column_stack([X @ [1.0, 2.0] - 0.5, np.zeros(12), X @ [-2.0, 1.0] + 0.25][: 3 if three else 2])
    y = scores.argmax(axis=1)
    table = Table.of({"a": X[:, 0], "b": X[:, 1], "class": [f"c{code}" for code in y]}, "class")
    for learner in (Perceptron(standardize=False, passes=300), Winnow(balanced=True, passes=300)):
        model = learner.train(table)
        if not model.about.notes:
            assert (model.predict(table) == np.array([f"c{code}" for code in y])).all()


def test_the_defaults_are_what_does_best():
    """Averaged, standardised, shuffled: all of which the textbook's rule is not."""
    found = Perceptron().get_params()
    assert (found["variant"], found["standardize"], found["shuffle"]) == ("averaged", True, True)
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(hedgerow.DataWarning, match="misclassified"):
        ours, plain = Perceptron(passes=20).fit(X[::2], y[::2]), textbook(passes=20).fit(X[::2], y[::2])
    assert ours.score(X[1::2], y[1::2]) > 0.94 > plain.score(X[1::2], y[1::2])


def test_two_classes_have_the_temperature_of_any_number():
    """The short way for two classes reckons the same slopes."""
    random = np.random.default_rng(5)
    sums = np.column_stack([random.normal(size=300), np.zeros(300)])
    sums -= sums.max(axis=1, keepdims=True)
    labels, weights = random.integers(0, 2, 300).astype(np.int32), random.random(300)
    for b in (0.01, 1.0, 30.0):
        assert _SlopeOfTwo(sums, labels, weights)(b) == pytest.approx(_Slope(sums, labels, weights)(b), rel=1e-9)


def test_long_rows_in_any_order_are_learned_as_by_the_book():
    """Sums of many columns are added up in lanes."""
    random = np.random.default_rng(6)
    matrix, order = random.integers(-3, 4, (60, 37)).astype(float), random.permutation(60)
    labels = (matrix.sum(axis=1) > 0).astype(np.int32)
    coefficients, nothing, progress = np.zeros(38), np.empty(0), np.array([0.0, 0.0, 0.0, -1.0])
    _kernels.run_perceptron_pass(matrix, labels, 2, None, order, coefficients, nothing, nothing, progress)
    own = np.zeros(38)
    for row in order.tolist():
        values = np.concatenate([[1.0], matrix[row]])
        if (own @ values > 0) != (labels[row] == 0):
            own += values if labels[row] == 0 else -values
    assert coefficients.tolist() == own.tolist()
