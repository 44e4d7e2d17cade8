"""Online learning: what a state knows, how it goes on, and what its learners do with tables, streams and bad input."""

import numpy as np
import pytest

from hedgerow import OnlineLinear, OnlineLinearRegressor, Table, open_source
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import SparseNumbers, Text
from hedgerow.errors import DataError, ModelError, UsageError
from hedgerow.learn.linear.online.online_state import OnlineState
from hedgerow.learn.linear.online.to_model import notes, shared
from hedgerow.learn.linear.online.update_rule import OnlineRule
from hedgerow.models.files.model_file import dumps, loads

WORDS = ("goal", "team", "orbit", "rocket", "größer", "tea", "and", "the")


def mixed_table(rows=300, classes=3, seed=1):
    random = np.random.default_rng(seed)
    codes = random.integers(0, classes, rows)
    size = random.normal(codes * 2.0, 1.0)
    said = [" ".join(random.choice(WORDS, 5, p=_likely(code))) for code in codes.tolist()]
    columns = {
        "size": [None if random.random() < 0.1 else float(v) for v in size],
        "shade": [
            None if random.random() < 0.1 else ("red", "blue", "gray")[(c + random.integers(2)) % 3] for c in codes
        ],
        "group": [f"c{c}" for c in codes],
    }
    levels = {"group": [f"c{c}" for c in range(classes)], "shade": ["red", "blue", "gray"]}
    table = Table.of(columns, "group", levels)
    return table.with_column(Column("note", Kind.TEXT), Text.of(said))


def _likely(code):
    weights = np.where(np.arange(len(WORDS)) % 4 == code % 4, 5.0, 1.0)
    return weights / weights.sum()


def numbers_table(rows=400, seed=2):
    random = np.random.default_rng(seed)
    x, z = random.normal(5, 2, rows), random.normal(0, 100, rows)
    y = 3 + 2 * x - 0.05 * z + random.normal(0, 0.1, rows)
    return Table.of({"x": x.tolist(), "z": z.tolist(), "y": y.tolist()}, "y")


# -- the state ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [18, 3, None])
@pytest.mark.parametrize("rule", [OnlineRule(), OnlineRule("hinge", l1=0.001, l2=0.001), OnlineRule(delay=7)])
def test_a_kept_state_goes_on_as_if_nothing_had_happened(bits, rule):
    table = mixed_table(classes=5)
    whole, first = OnlineState(table.schema, rule, bits=bits), OnlineState(table.schema, rule, bits=bits)
    for part in table.batches(100):
        whole.learn(part)
    first.learn(table.slice(0, 100))
    again = OnlineState.from_dict(first.to_dict())
    again.learn(table.slice(100, 200))
    again = OnlineState.from_dict(again.to_dict())
    again.learn(table.slice(200, 300))
    assert np.array_equal(whole.predict(table), again.predict(table))
    assert whole.progress == again.progress
    assert (whole.rows, whole.weight, whole.mean_loss) == (again.rows, again.weight, again.mean_loss)
    assert dumps(whole.model()) == dumps(again.model())


def test_blocks_do_not_matter():
    table = mixed_table()
    whole, parts = OnlineState(table.schema), OnlineState(table.schema)
    whole.learn(table)
    for part in table.batches(37):
        parts.learn(part)
    assert np.array_equal(whole.predict(table), parts.predict(table))
    assert whole.progress == parts.progress


@pytest.mark.parametrize("bits", [18, 4, None])
@pytest.mark.parametrize("classes", [2, 3, 20])
def test_the_model_says_what_the_state_says(bits, classes):
    table = mixed_table(classes=classes)
    state = OnlineState(table.schema, OnlineRule(l2=1e-4), bits=bits)
    state.learn(table)
    model = state.model()
    functions = model.functions(table)
    said = state.predict(table)
    assert np.allclose(functions[:, 1:] if classes == 2 else functions, said, rtol=1e-4, atol=1e-4)
    assert np.array_equal(loads(dumps(model), "it").functions(table), functions)


def test_threads_do_not_matter(monkeypatch):
    table = mixed_table(classes=20)
    answers = []
    for threads in ("1", "2"):
        monkeypatch.setenv("HEDGEROW_THREADS", threads)
        answers.append(dumps(OnlineLinear().train(table)))
    assert answers[0] == answers[1]


def test_names_that_share_a_slot_have_one_coefficient():
    """The idea of G85: in a short vector several predictors share a coefficient, and the print shows it."""
    random = np.random.default_rng(4)
    columns = {f"column {i}": random.integers(0, 2, 60).astype(float).tolist() for i in range(9)}
    table = Table.of({**columns, "y": random.choice(["no", "yes"], 60).tolist()}, "y")
    state = OnlineState(table.schema, bits=2)
    state.learn(table)
    model = state.model()
    slopes = model.slopes[0]
    assert len(set(slopes.tolist())) <= 4
    sharing, names = shared(state)
    assert names == 9
    assert sharing >= 9 - 3
    assert "share one of the" in model.about.notes[0]
    assert notes(OnlineState(table.schema, bits=None)) == []


def test_a_class_that_comes_late_keeps_what_was_learned():
    early = mixed_table(200, 2)
    late = mixed_table(200, 4, seed=3)
    state = OnlineState(early.schema)
    state.learn(early)
    before = state.predict(early)
    state.widen(late.schema)
    after = state.predict(early)
    assert after.shape[1] == 4
    assert np.allclose(after[:, 1], before[:, 0], rtol=1e-6)
    assert np.allclose(after[:, 0], -before[:, 0], rtol=1e-6)
    assert not after[:, 2:].any()
    state.learn(late)
    assert state.classes == ("c0", "c1", "c2", "c3")


def test_levels_and_sparse_columns_that_come_late():
    schema = Table.of({"a": ["x"], "y": [1.0]}, "y").schema
    state = OnlineState(schema, bits=None)
    state.learn(Table.of({"a": ["x", "x"], "y": [1.0, 1.0]}, "y"))
    state.learn(Table.of({"a": ["z", "x"], "y": [3.0, 1.0]}, "y"))
    assert state.schema["a"].levels == ("x", "z")

    def sparse(name, y):
        made = Schema((Column(name, Kind.NUMERIC), Column("y", Kind.NUMERIC)), "y")
        return Table(made, (SparseNumbers(np.array([0]), np.array([2.0]), 2), np.array(y)), 2)

    for bits in (None, 18):
        state = OnlineState(sparse("f1", [1.0, 0.0]).schema, bits=bits)
        for _ in range(30):
            state.learn(sparse("f1", [1.0, 0.0]))
            state.learn(sparse("f2", [-1.0, 0.0]))
        model = state.model()
        assert model.coefficients["f1"] > 0.3
        assert model.coefficients["f2"] < -0.3


def test_rows_without_target_or_weight_are_passed_over():
    table = Table.of({"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, None, 3.0, 4.0]}, "y", weights=[1.0, 1.0, 0.0, 2.0])
    state = OnlineState(table.schema)
    state.learn(table)
    assert (state.rows, state.weight) == (2, 3.0)
    assert [line.rows for line in state.progress] == [1, 2]
    empty = OnlineState(table.schema)
    empty.learn(table.slice(0, 0))
    assert empty.rows == 0
    assert np.isnan(empty.mean_loss)
    assert empty.predict(table).tolist() == [[0.0]] * 4


def test_progressive_validation_is_the_mean_of_what_was_said_before():
    table = numbers_table(100)
    state = OnlineState(table.schema, OnlineRule("squared", normalised=False), bits=None)
    losses = []
    for row in range(100):
        one = table.slice(row, row + 1)
        losses.append(float((state.predict(one)[0, 0] - one.numbers(2)[0]) ** 2))
        state.learn(one)
    assert np.isclose(state.mean_loss, np.mean(losses), rtol=1e-4)
    assert [line.rows for line in state.progress] == [1, 2, 4, 8, 16, 32, 64]
    assert np.isclose(state.progress[3].overall, np.mean(losses[:8]), rtol=1e-4)
    assert np.isclose(state.progress[3].since, np.mean(losses[4:8]), rtol=1e-4)


def test_weights_that_vanish_beside_others():
    random = np.random.default_rng(1)
    columns = {"x": random.normal(size=40).tolist(), "y": ["a", "b"] * 20}
    table = Table.of(columns, "y", weights=[1.0] * 3 + [1e-300] * 37)
    state = OnlineState(table.schema)
    state.learn(table)
    assert [line.rows for line in state.progress] == [1, 2, 4, 8, 16, 32]
    OnlineLinear().train(table)


def test_damaged_states():
    table = mixed_table(50)
    parts = OnlineState(table.schema).to_dict()
    damages = [
        {"n_slots": 5},
        {"cells": [np.zeros((3, 4), dtype=np.int32)]},
        {"told": [np.array([0, 1], dtype=np.int32)]},
        {"rule": {**parts["rule"], "rate": -1.0}},
        {"rule": {}},
        {"counts": []},
        {"slots": parts["slots"][:-1]},
        {"sums": []},
        {"bits": "many"},
        {"heat": np.zeros(3)},
        {"heat": parts["heat"] + np.nan},
        {"counts": [1, "a", 0.0, 0.0, 0.0, 0.0]},
        {"first": [5, 0.0, 0.0, 0.0]},
        {"progress": [[1, 2.0]]},
        {"runs": {}},
        {"cells": [np.full_like(one, 0x7FC00000) for one in parts["cells"]]},
        {"slots": [{"number": [-5, 2, 0.0]}, *parts["slots"][1:]]},
        {"slots": [parts["slots"][0], {"levels": np.array([1], dtype=np.int32)}, *parts["slots"][2:]]},
        {"slots": [*parts["slots"][:-1], {"text": [0, 2**32 - 1, 2**40]}]},
        {"slots": [None, *parts["slots"][1:]]},
    ]
    for damage in damages:
        with pytest.raises((ModelError, DataError)):
            OnlineState.from_dict({**parts, **damage})


# -- learners -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared"])
@pytest.mark.parametrize("bits", [18, None])
def test_classes(loss, bits):
    table = mixed_table(600)
    learner = OnlineLinear(loss=loss, bits=bits).fit(table)
    assert learner.score(table) > 0.85
    probabilities = learner.predict_proba(table)
    actual = table.codes(table.schema.index("group"))
    lost = -np.log(np.maximum(probabilities[np.arange(len(actual)), actual], 1e-9)).mean()
    assert lost < 0.6  # scores of hinge and squared loss are brought to probabilities


def test_numbers_and_quantiles():
    table = numbers_table()
    model = OnlineLinearRegressor(passes=40).train(table)
    assert np.isclose(model.coefficients["x"], 2, atol=0.05)
    assert np.isclose(model.coefficients["z"], -0.05, atol=0.005)
    y = table.numbers(2)
    for tau in (0.1, 0.9):
        said = OnlineLinearRegressor(loss="quantile", tau=tau, passes=40).fit(table).predict(table)
        assert abs((y <= said).mean() - tau) < 0.1


def test_scale_and_order_of_a_table_do_not_matter():
    table = numbers_table()
    scaled = Table.of(
        {"x": (1000 * table.numbers(0)).tolist(), "z": table.numbers(1).tolist(), "y": table.numbers(2).tolist()}, "y"
    )
    one, other = OnlineLinearRegressor().fit(table), OnlineLinearRegressor(random_state=1).fit(scaled)
    assert abs(one.score(table) - other.score(scaled)) < 0.01
    assert one.score(table) > 0.99
    sorted_rows = table.take(np.argsort(table.numbers(2)))
    assert str(OnlineLinearRegressor().train(sorted_rows)) == str(OnlineLinearRegressor().train(table))


def test_l1_makes_coefficients_zero():
    random = np.random.default_rng(5)
    x = random.normal(size=(400, 30))
    columns = {f"x{i}": x[:, i].tolist() for i in range(30)}
    table = Table.of({**columns, "y": (2 * x[:, 0] - x[:, 1]).tolist()}, "y")
    assert OnlineLinearRegressor().train(table).size == 30
    few = OnlineLinearRegressor(l1=0.03).train(table)
    assert few.size < 15
    assert few.coefficients["x0"] > 1.5


def test_partial_fit_in_parts_is_one_pass():
    table = mixed_table(300)
    parts = OnlineLinear()
    for part in table.batches(60):
        parts.partial_fit(part)
    state = OnlineState(table.schema, weighting=OnlineLinear(idf="none").weighting())
    state.learn(table)
    assert np.allclose(parts.model_.functions(table), state.predict(table), rtol=1e-4, atol=1e-4)
    assert parts.progress_ == state.progress
    assert parts.model_.about.rows == 300


def test_partial_fit_takes_new_classes_in_their_order():
    x = np.arange(12.0).reshape(-1, 1)
    learner = OnlineLinear().partial_fit(x[:6], ["c"] * 3 + ["b"] * 3)
    for _ in range(30):
        learner.partial_fit(x, ["c"] * 4 + ["a"] * 4 + ["b"] * 4)
    assert learner.classes_.tolist() == ["a", "b", "c"]
    assert learner.model_.classes == ("a", "b", "c")
    assert learner.predict([[0.0], [11.0]]).tolist() == ["c", "b"]
    with pytest.raises(DataError, match="not one of the classes"):
        OnlineLinear().partial_fit(x[:2], [1, 3], classes=[1, 2])
    one = OnlineLinear().partial_fit(x[:3], ["only"] * 3)
    assert one.predict(x[:1]).tolist() == ["only"]
    both = one.partial_fit(x, ["only"] * 6 + ["other"] * 6)
    assert both.classes_.tolist() == ["only", "other"]


def test_fit_then_partial_fit_goes_on():
    table = mixed_table(300)
    learner = OnlineLinear().fit(table)
    before = learner.model_.functions(table)
    learner.partial_fit(table.slice(0, 50))
    assert not np.array_equal(learner.model_.functions(table), before)
    assert learner.model_.about.rows == 350
    numbers = numbers_table()
    regressor = OnlineLinearRegressor().fit(numbers)
    rows = regressor._state.rows
    assert regressor.partial_fit(numbers.slice(0, 10))._state.rows == rows + 10


@pytest.mark.parametrize("options", [{}, {"idf": "none"}, {"bits": None}, {"passes": 3}])
def test_streams(tmp_path, options):
    table = mixed_table(500)
    path = tmp_path / "rows.csv"
    names = ["size", "shade", "group", "note"]
    lines = [",".join(names)]
    for row in range(table.n_rows):
        size, shade = table.numbers(0)[row], table.codes(1)[row]
        cells = ["" if np.isnan(size) else f"{size}", "" if shade < 0 else ("red", "blue", "gray")[shade]]
        lines.append(",".join([*cells, f"c{table.codes(2)[row]}", str(table.texts(3)[row])]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    source = open_source(path, target="group", kinds={"note": "text"})
    model = OnlineLinear(**options).train(source)
    said = np.array(model.classes)[model.decide(table)]
    right = said == np.array(table.schema["group"].levels)[table.codes(2)]
    assert right.mean() > 0.8
    assert model.about.rows == 500


# -- bad input ------------------------------------------------------------------------------------------------


def test_a_rate_that_diverges_is_told_with_a_better_one():
    table = Table.of({"x": [30.0, 40.0, 50.0] * 30, "y": [1.0, 2.0, 3.0] * 30}, "y")
    wild = {"adaptive": False, "normalised": False, "invariant": False, "power": 0.0}
    with pytest.raises(DataError, match=r"diverged at row \d+.*such as") as error:
        OnlineLinearRegressor(rate=10.0, **wild).train(table)
    better = float(str(error.value).split("such as ")[1].split(",")[0])
    OnlineLinearRegressor(rate=better, **wild).train(table)


def test_infinite_and_huge_numbers():
    for value in (np.inf, -np.inf, 1e200, 1e20):
        with pytest.raises(DataError, match="column 'x' holds"):
            OnlineLinear().train(Table.of({"x": [1.0, value], "y": ["a", "b"]}, "y"))
        with pytest.raises(DataError, match="column 'y' holds"):
            OnlineLinearRegressor().train(Table.of({"x": [1.0, 2.0], "y": [1.0, value]}, "y"))


def test_a_column_that_changes_its_kind():
    state = OnlineState(Table.of({"x": [1.0], "y": ["a"]}, "y").schema)
    with pytest.raises(DataError, match="numeric in the model, but holds the word 'red'"):
        state.learn(Table.of({"x": ["red"], "y": ["a"]}, "y"))
    with pytest.raises(DataError, match="lack 1 column"):
        state.learn(Table.of({"z": [1.0], "y": ["a"]}, "y"))


def test_bad_settings():
    table = mixed_table(20)
    for options in ({"l2": -3.0}, {"tau": 1.0}, {"loss": "quantile"}, {"rate": 0.0}, {"min_rows": 2}):
        with pytest.raises(UsageError):
            OnlineLinear(**options).train(table)
    with pytest.raises(UsageError, match="is for classes"):
        OnlineState(numbers_table(5).schema, OnlineRule("hinge"))
    with pytest.raises(UsageError, match="must be one of"):
        OnlineRule("absolute")


def test_the_work_is_progressive_validation():
    said = str(OnlineLinear(passes=1).show_work(mixed_table(100)))
    assert said.splitlines()[2].split() == ["rows", "mean", "loss", "since", "last", "target", "predicted"]
    assert "100 rows, mean mistakes 0." in said
