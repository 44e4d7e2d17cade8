"""LinearClasses: functions, probabilities, ties, grounds, print and files."""

import numpy as np
import pytest

import hedgerow
from hedgerow import ModelError, Table
from hedgerow.data.design.design import Design
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import SparseNumbers, Text
from hedgerow.explain.decision import explain_rows
from hedgerow.models.base.model import About
from hedgerow.models.base.unknown_rows import unknown_rows_note
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.linear.linear_classes import ClassFigures, LinearClasses
from tests.models.files.hostile import survivors_of_odd_parts, with_array, with_manifest

CLASSES = ("no", "yes", "maybe")
CHANCE = np.random.default_rng(8)


def rows(n=60):
    table = Table.of(
        {
            "age": [None if i % 9 == 0 else float(v) for i, v in enumerate(CHANCE.normal(40, 9, n))],
            "sky": [None if i % 7 == 0 else ("sun", "rain", "fog")[i % 3] for i in range(n)],
            "x": CHANCE.normal(size=n),
            "class": [CLASSES[i % 3] for i in range(n)],
        },
        "class",
    )
    texts = Text.of([("good day", "bad day", None, "sun", "zzz")[i % 5] for i in range(n)])
    return table.with_column(Column("note", Kind.TEXT), texts)


TABLE = rows()
DESIGN = Design.learn(TABLE)


def linear(told, link="softmax", temperature=1.0, design=DESIGN, figures=None, schema=TABLE.schema):
    chance = np.random.default_rng(len(told))
    intercepts, slopes = chance.normal(size=len(told)).round(3), chance.normal(size=(len(told), design.width)).round(3)
    codes = np.array(told, dtype=np.int32)
    return LinearClasses(schema, design, codes, intercepts, slopes, link, temperature, figures=figures)


FIGURES = ClassFigures(60.0, -20.5, -65.9, np.full((2, DESIGN.width + 1), 0.25), True, 6)
MODEL = linear([1, 2], figures=FIGURES)
ALL = [linear([1, 2]), linear([0, 1, 2], "each"), linear([0, 1, 2], "membership"), linear([0, 1, 2], temperature=2.5)]


def functions(model, table):
    """The reference implementation: a matrix times slopes."""
    matrix = model.design.matrix(model.align(table))
    out = np.zeros((table.n_rows, len(model.classes)))
    out[:, model.told] = (matrix @ model.slopes.T) + model.intercepts
    return out


def shares(values, link, temperature):
    if link == "softmax":
        found = np.exp((values - values.max(axis=1, keepdims=True)) / temperature)
    elif link == "each":
        found = 1 / (1 + np.exp(-values))
    else:
        found = np.clip(values, 0, 1)
    return found / found.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("model", ALL, ids=lambda model: f"{model.link}-{len(model.told)}")
@pytest.mark.parametrize("n", [0, 1, 60])
def test_functions_probabilities_and_decisions(model, n):
    table = TABLE.slice(0, n)
    values = functions(model, table)
    assert np.allclose(model.functions(table), values, atol=1e-12)
    known = values.max(axis=1, initial=-np.inf) > 0 if model.link == "membership" else np.ones(n, bool)
    found = model.distribution(table)
    assert np.allclose(found[known], shares(values[known], model.link, model.temperature), atol=1e-12)
    assert np.allclose(found.sum(axis=1), 1)
    assert (model.decide(table) == (values.argmax(axis=1) if n else [])).all()


@pytest.mark.parametrize("model", ALL, ids=lambda model: f"{model.link}-{len(model.told)}")
def test_many_rows_are_the_same_as_each_for_itself(model):
    many = TABLE.take(np.arange(40_000) % 60)
    found = model.distribution(many)
    assert np.allclose(found[-60:], model.distribution(many.slice(39_940, 40_000)), atol=1e-14)
    alone = np.vstack([model.distribution(TABLE.slice(i, i + 1)) for i in range(60)])
    assert np.allclose(found[:60], alone, atol=1e-14)


def test_sparse_numbers_count_as_dense_ones():
    stored = np.array([1.0, np.nan, -2.0, 3.0])
    sparse = SparseNumbers(np.array([0, 3, 4, 7]), stored, 8)
    column, target = Column("x", Kind.NUMERIC), Column("c", Kind.NOMINAL, ("a", "b", "c"))
    codes = np.array([0, 1, 2, 0, 1, 2, 0, 1], dtype=np.int32)
    schema = Table.of({"x": [1.0], "c": ["a"]}, "c").schema
    schema = type(schema)((column, target), "c")
    tables = Table(schema, (sparse, codes), 8), Table(schema, (sparse.dense(), codes), 8)
    design = Design.learn(tables[0])
    assert design.width == 2
    model = linear([1, 2], design=design, schema=schema)
    assert np.allclose(model.functions(tables[0]), model.functions(tables[1]), atol=1e-14)


# -- ties, extremes -----------------------------------------------------------------------------------------


def column(values):
    return Table.of({"x": np.array(values, dtype=float)}, None)


def plain(told, intercepts, slopes, link="softmax", classes=("first", "second")):
    schema = Table.of({"x": [0.0], "c": ["first"]}, "c").schema
    schema = type(schema)((schema.columns[0], Column("c", Kind.NOMINAL, classes)), "c")
    design = Design.learn(Table(schema, (np.array([0.0, 1.0]), np.array([0, 1], np.int32)), 2))
    slopes = np.array(slopes, dtype=float).reshape(len(told), 1)
    return LinearClasses(schema, design, np.array(told, np.int32), np.array(intercepts, float), slopes, link)


def test_a_tie_goes_to_the_base():
    """First class if the sum is above 0, otherwise second (G88)."""
    model = plain([0], [0.0], [1.0])
    assert model.predict(column([1.0, 0.0, -1.0])).tolist() == ["first", "second", "second"]
    model = plain([1], [0.0], [1.0])
    assert model.predict(column([1.0, 0.0, -1.0])).tolist() == ["second", "first", "first"]


def test_a_tie_without_a_base_goes_to_the_first():
    model = plain([0, 1, 2], [0, 0, 0], [1, 1, -1], classes=("a", "b", "c"))
    assert model.predict(column([1.0, 0.0, -1.0])).tolist() == ["a", "a", "c"]


def test_the_base_loses_where_others_tie_above_it():
    model = plain([1, 2], [0, 0], [1, 1], classes=("a", "b", "c"))
    assert model.predict(column([1.0, 0.0, -1.0])).tolist() == ["b", "a", "a"]


def test_memberships_beyond_one_are_clipped_but_the_largest_decides():
    model = plain([0, 1, 2], [1.1, 1.4, -1.5], [0, 0, 0], "membership", ("a", "b", "c"))
    assert model.distribution(column([0.0])).tolist() == [[0.5, 0.5, 0.0]]
    assert model.predict(column([0.0])).tolist() == ["b"]


def test_where_no_membership_is_positive_the_largest_takes_all():
    model = plain([0, 1, 2], [-0.5, -0.1, -0.2], [0, 0, 0], "membership", ("a", "b", "c"))
    assert model.distribution(column([0.0])).tolist() == [[0.0, 1.0, 0.0]]
    assert model.predict(column([0.0])).tolist() == ["b"]
    equal = plain([0, 1], [0, 0], [0, 0], "membership")
    assert equal.distribution(column([0.0])).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("link", ["softmax", "each", "membership"])
def test_huge_numbers_still_give_probabilities(link):
    model = plain([0, 1], [0.0, 1.0], [1e10, -1e10], link)
    found = model.distribution(column([1e300, -1e300, 1e308, np.inf, -np.inf, 5.0, None]))
    assert np.isfinite(found).all()
    assert np.allclose(found.sum(axis=1), 1)
    assert model.predict(column([1e308, -1e308])).tolist() == ["first", "second"]


def test_each_far_below_zero_compares_by_ratio():
    model = plain([0, 1], [-2000.0, -2001.0], [0, 0], "each")
    assert model.distribution(column([0.0]))[0, 0] == pytest.approx(1 / (1 + np.exp(-1)))


def test_one_class_needs_no_function():
    model = plain([], [], [], classes=("only",))
    assert model.distribution(column([1.0, None])).tolist() == [[1.0], [1.0]]
    assert str(model) == "c is only; there is no other class"
    assert loads(dumps(model)) == model


# -- reading ------------------------------------------------------------------------------------------------


def test_rows_of_nothing_known_are_silent():
    table = Table.of(
        {
            "age": [None, None, 3.0],
            "sky": [None, "hail", None],
            "x": [None, None, None],
            "note": ["qq", None, None],
        },
        None,
    )
    scored = MODEL.score_rows(MODEL.align(table))
    assert scored.is_unknown.tolist() == [True, True, False]
    assert MODEL.score_rows(MODEL.align(TABLE)).is_unknown is None


@pytest.mark.parametrize("model", ALL, ids=lambda model: f"{model.link}-{len(model.told)}")
def test_grounds_add_up_to_the_functions(model):
    for row in range(15):
        one = model.align(TABLE.slice(row, row + 1))
        assert np.allclose(model.contributions(one).scores, model.functions(one)[0], atol=1e-10)


def test_grounds_name_what_they_are():
    names = [part.name for part in MODEL.contributions(MODEL.align(TABLE.slice(0, 1))).parts]
    assert names[:3] == ["intercept, at the means", "age missing", "sky missing"]
    assert "good" in names


def test_print_has_intervals_and_fit():
    text = str(MODEL)
    assert text.startswith("log-odds of each class against no = the sum of coefficient times value\n\nyes:\n")
    assert "95 % interval" in text
    assert "log-likelihood -20.5 (constant model -65.9), McFadden's R² 0.6889, 60 rows, converged in 6 passes" in text
    assert "Levels are compared with sky=rain" in text
    assert "NOT converged after 1 pass" in str(
        linear([1, 2], figures=ClassFigures(60.0, -1.0, -2.0, converged=False, passes=1))
    )


def test_several_classes_stand_side_by_side():
    lines = str(ALL[1]).splitlines()
    assert lines[0] == "log-odds of each class against all others = the sum of coefficient times value"
    assert lines[1] == "P(class) = 1 / (1 + exp(-log-odds)), normalized to sum to 1"
    assert lines[3].split() == ["no", "yes", "maybe", "if", "missing"]
    assert lines[4].startswith("(intercept)")


def test_many_classes_print_their_largest_coefficients():
    names = tuple(f"c {i}" for i in range(60))
    schema = type(TABLE.schema)((*TABLE.schema.columns[:3], Column("class", Kind.NOMINAL, names)), "class")
    table = Table(schema, (*TABLE.data[:3], np.arange(60, dtype=np.int32)), 60)
    model = linear(range(1, 60), design=Design.learn(table), schema=schema)
    text = str(model)
    assert "c 1: intercept" in text
    assert "... and 9 more classes; to_arrow() lists all" in text
    assert model.to_arrow().num_rows == 59 * (model.design.width + 1)


def test_awkward_names_are_quoted_and_aligned():
    table = Table.of({"a\nb": [1.0, 2.0], " ": [2.0, 5.0], "茶": [0.5, 1.0], "c\t": ["y\n", "n"]}, "c\t")
    model = linear([1], design=Design.learn(table), schema=table.schema)
    lines = str(model).splitlines()
    assert lines[0].startswith('log-odds of n against "y\\n" =')
    assert any(line.startswith('"a\\nb" ') for line in lines)
    assert any(line.startswith('" " ') for line in lines)


def test_to_table_has_all():
    table = MODEL.to_arrow()
    assert table.column_names == ["class", "name", "column", "coefficient", "error", "z", "p"]
    assert table.num_rows == 2 * (DESIGN.width + 1)
    assert table.column("class").to_pylist()[0] == "yes"
    assert table.column("column").to_pylist()[0] is None


def test_term_groups_are_the_largest_coefficients():
    groups = MODEL.term_groups(2)
    assert groups.measure == "coefficient"
    assert [group.label for group in groups.groups] == ["yes", "maybe"]
    assert all(term.value > 0 for group in groups.groups for term in group.terms)


# -- files --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [MODEL, *ALL], ids=lambda model: f"{model.link}-{len(model.told)}")
def test_a_saved_model_is_the_same(model, tmp_path):
    model.save(tmp_path / "m.hedge")
    again = hedgerow.load(tmp_path / "m.hedge")
    assert again == model
    assert str(again) == str(model)
    assert np.array_equal(again.distribution(TABLE), model.distribution(TABLE))


def changed(**values):
    return LinearClasses.from_dict(MODEL.to_dict() | values, MODEL.schema, About())


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("slopes", np.zeros((2, 1)), "does not match"),
        ("slopes", np.zeros(3), "does not match"),
        ("slopes", np.full(MODEL.slopes.shape, np.nan), "not finite"),
        ("slopes", MODEL.slopes.astype(np.float32), "float32"),
        ("intercepts", np.zeros(3), "does not match"),
        ("intercepts", 3.0, "not an array"),
        ("told", np.array([1], np.int32), "at most one"),
        ("told", np.array([2, 1], np.int32), "must ascend"),
        ("told", np.array([1, 1], np.int32), "must ascend"),
        ("told", np.array([1, 3], np.int32), "outside"),
        ("told", np.array([-1, 1], np.int32), "outside"),
        ("told", np.array([0, 1, 2], np.int32), "does not match"),
        ("told", np.array([1, 2]), "int64"),
        ("link", "probit", "is not one of"),
        ("link", ["softmax"], "is not one of"),
        ("link", "each", "at most one class may have none"),
        ("temperature", 0.0, "above 0"),
        ("temperature", -1, "above 0"),
        ("temperature", float("nan"), "finite number"),
        ("temperature", True, "finite number"),
        ("left_out", np.array([0], np.int32), "have no coefficient"),
        ("left_out", np.array([99], np.int32), "outside"),
        ("design", None, "one entry per column"),
        ("figures", 3, "object with named values"),
        ("figures", FIGURES.to_dict() | {"weight": -1.0}, "out of range"),
        ("figures", FIGURES.to_dict() | {"log_likelihood": 1.0}, "out of range"),
        ("figures", FIGURES.to_dict() | {"constant": "x"}, "finite number"),
        ("figures", FIGURES.to_dict() | {"converged": 1}, "true or false"),
        ("figures", FIGURES.to_dict() | {"passes": -1}, "whole number"),
        ("figures", FIGURES.to_dict() | {"passes": 2.5}, "whole number"),
        ("figures", FIGURES.to_dict() | {"errors": np.zeros(2)}, "does not match"),
        ("figures", FIGURES.to_dict() | {"errors": -FIGURES.errors}, "negative"),
    ],
)
def test_parts_that_do_not_fit(name, value, sentence):
    with pytest.raises(ModelError, match=sentence):
        changed(**{name: value})


def test_a_numeric_target_is_refused():
    schema = Table.of({"x": [1.0], "y": [1.0]}, "y").schema
    with pytest.raises(ModelError, match="nominal target"):
        LinearClasses.from_dict(MODEL.to_dict(), schema, About())


def test_files_are_refused_in_a_sentence_that_names_them():
    for data in (
        with_array(MODEL, "slopes", np.zeros(2)),
        with_array(MODEL, "told", np.zeros(2, np.int32)),
        with_manifest(MODEL, lambda m: m["parts"].update(temperature="1")),
        with_manifest(MODEL, lambda m: m["parts"].pop("design")),
    ):
        with pytest.raises(ModelError, match=r"^m\.hedge "):
            loads(data, "m.hedge")


ODD = [None, True, 0, -1, 3, 2**63, 10**30, 0.5, 1e308, 1e-320, "", "each", "membership", "nan", [], {}, [[]]]


def test_mutated_files_are_refused_or_hold_a_model():
    alive = 0
    for model in survivors_of_odd_parts(MODEL, ODD):
        alive += 1
        assert np.allclose(model.distribution(TABLE).sum(axis=1), 1)
    assert 5 < alive < 200


def test_rows_that_hold_nothing_known_are_left_to_the_intercept():
    """A linear model has no prior: notes name the intercept."""
    texts = Text.of(["good film", "bad film", "good day", "bad day"])
    table = Table.of({"class": ["p", "n", "p", "n"]}, "class").with_column(Column("text", Kind.TEXT), texts)
    model = hedgerow.Logistic().train(table)
    (found,) = explain_rows(model, ["nothing here"])
    assert found.silent
    assert "the text holds no word that the model knows: the intercept decides" in found.notes
    assert unknown_rows_note(model.schema, 2, 3, model.decider).endswith("the intercept decides for them")
