"""Files of linear models: they load unchanged, and manipulated files give an error message."""

import copy

import numpy as np
import pytest

import hedgerow
from hedgerow import LeastAbsolute, LinearRegression, ModelError, Table
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Text
from hedgerow.models.base.model import About
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.linear.linear import Linear
from tests.models.files.hostile import survivors_of_odd_parts, with_array, with_manifest


def mixed():
    chance = np.random.default_rng(3)
    n = 40
    table = Table.of(
        {
            "age": [None if i % 9 == 0 else float(v) for i, v in enumerate(chance.normal(40, 9, n))],
            "sky": [None if i % 7 == 0 else ("sun", "rain", "fog")[i % 3] for i in range(n)],
            "twice": chance.normal(size=n),
            "y": chance.normal(size=n),
        },
        "y",
    )
    table = table.with_column(Column("again", Kind.NUMERIC), 2 * table["twice"])
    return table.with_column(Column("note", Kind.TEXT), Text.of(["good day", "bad day"][i % 2] for i in range(n)))


TABLE = mixed()
MODEL = LinearRegression().train(TABLE)


def changed(**values):
    parts = MODEL.to_dict() | values
    return Linear.from_dict(parts, MODEL.schema, About())


def with_part(name, **values):
    parts = copy.copy(MODEL.to_dict()["design"])
    place = MODEL.schema.index(name)
    parts[place] = parts[place] | values
    return changed(design=parts)


def test_a_saved_model_is_the_same(tmp_path):
    MODEL.save(tmp_path / "m.hedge")
    again = hedgerow.load(tmp_path / "m.hedge")
    assert again == MODEL
    assert str(again) == str(MODEL)
    assert np.array_equal(again.predict(TABLE), MODEL.predict(TABLE))
    assert len(MODEL.left_out) >= 1
    assert changed() == MODEL


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("slopes", np.zeros(3), "does not match"),
        ("slopes", np.full(len(MODEL.slopes), np.nan), "not finite"),
        ("slopes", MODEL.slopes.astype(np.float32), "float32"),
        ("slopes", MODEL.slopes.tolist(), "not an array"),
        ("slopes", MODEL.slopes + 1, "must ascend and have no coefficient"),
        ("left_out", np.array([99], np.int32), "outside"),
        ("left_out", np.array([-1], np.int32), "outside"),
        ("left_out", np.repeat(MODEL.left_out[:1], 2), "must ascend"),
        ("intercept", None, "finite number"),
        ("intercept", True, "finite number"),
        ("intercept", float("inf"), "finite number"),
        ("intercept", 10**400, "finite number"),
        ("design", None, "one entry per column"),
        ("design", [], "one entry per column"),
        ("design", [{"kind": "number"}] * len(MODEL.schema), "its parts are"),
        ("design", [{"kind": []}] * len(MODEL.schema), "an unknown kind"),
        ("design", [3] * len(MODEL.schema), "an unknown kind"),
        ("figures", 3, "object with named values"),
        ("figures", MODEL.figures.to_dict() | {"weight": -1.0}, "out of range"),
        ("figures", MODEL.figures.to_dict() | {"r_squared": 2}, "out of range"),
        ("figures", MODEL.figures.to_dict() | {"deviation": "x"}, "finite number"),
        ("figures", MODEL.figures.to_dict() | {"errors": np.zeros(2)}, "does not match"),
        ("figures", MODEL.figures.to_dict() | {"errors": -np.ones(len(MODEL.slopes) + 1)}, "negative"),
    ],
)
def test_parts_that_do_not_fit(name, value, sentence):
    with pytest.raises(ModelError, match=sentence):
        changed(**{name: value})


@pytest.mark.parametrize(
    ("name", "values", "sentence"),
    [
        ("age", {"mean": "x"}, "finite number"),
        ("age", {"mean": 1e200}, "out of range"),
        ("age", {"scale": -1.0}, "out of range"),
        ("age", {"gaps": 1}, "true or false"),
        ("age", {"kind": "levels"}, "cannot be 'levels'"),
        ("age", {"more": 1}, "its parts are"),
        ("sky", {"coded": np.array([7], np.int32)}, "outside"),
        ("sky", {"coded": np.array([2, 1], np.int32)}, "must ascend"),
        ("sky", {"base": 1}, "not one of its levels"),
        ("sky", {"base": 3}, "not one of its levels"),
        ("sky", {"base": 0.0}, "not one of its levels"),
        ("sky", {"gaps": None}, "true or false"),
        ("note", {"n_rows": -1}, "impossible number"),
        ("note", {"weighting": ["count"]}, "three words"),
    ],
)
def test_parts_of_the_design_that_do_not_fit(name, values, sentence):
    with pytest.raises(ModelError, match=sentence):
        with_part(name, **values)


ABSOLUTE = LeastAbsolute(quantile=0.75).train(TABLE)


def test_figures_of_least_absolute_errors_come_back():
    again = loads(dumps(ABSOLUTE))
    assert again == ABSOLUTE
    assert str(again) == str(ABSOLUTE)
    assert again.figures == ABSOLUTE.figures
    assert again.t_and_p() is None
    assert again.to_arrow().num_rows == len(ABSOLUTE.slopes) + 1


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"quantile": 0.0}, "out of range"),
        ({"quantile": 1}, "out of range"),
        ({"quantile": None}, "finite number"),
        ({"weight": -1.0}, "out of range"),
        ({"cost": -1.0}, "out of range"),
        ({"cost": float("nan")}, "finite number"),
        ({"share": 1.5}, "out of range"),
        ({"share": "x"}, "finite number"),
        ({"below": 2.0}, "out of range"),
        ({"on": -1}, "out of range"),
        ({"on": True}, "finite number"),
        ({"more": 1}, "its parts are"),
    ],
)
def test_figures_of_least_absolute_errors_that_do_not_fit(values, sentence):
    parts = ABSOLUTE.to_dict() | {"figures": ABSOLUTE.figures.to_dict() | values}
    with pytest.raises(ModelError, match=sentence):
        Linear.from_dict(parts, ABSOLUTE.schema, About())


def test_the_target_is_no_part_of_the_design():
    parts = list(MODEL.to_dict()["design"])
    parts[MODEL.schema.index("y")] = {"kind": "number", "mean": 0.0, "scale": 1.0, "gaps": False}
    with pytest.raises(ModelError, match="'y' cannot be 'number'"):
        changed(design=parts)
    with pytest.raises(ModelError, match="numeric target"):
        Linear.from_dict(MODEL.to_dict(), MODEL.schema.with_target(None), About())


def test_files_are_refused_in_a_sentence_that_names_them():
    for data in (
        with_array(MODEL, "slopes", np.zeros(2)),
        with_manifest(MODEL, lambda m: m["parts"].update(intercept="1")),
        with_manifest(MODEL, lambda m: m["parts"].pop("design")),
    ):
        with pytest.raises(ModelError, match=r"^m\.hedge "):
            loads(data, "m.hedge")


ODD = [None, True, 0, -1, 3, 2**63, 10**30, 0.5, 1e308, "", "number", "nan", [], {}, [[]], {"array": "a0"}]


@pytest.mark.parametrize("whole", [MODEL, ABSOLUTE], ids=["squares", "absolute"])
def test_mutated_files_are_refused_or_hold_a_model(whole):
    alive = 0
    for model in survivors_of_odd_parts(whole, ODD):
        alive += 1
        assert len(model.predict(TABLE)) == len(TABLE)
    assert alive < 200
