"""Machines in files: what goes in comes out, and what was changed by others is refused in words."""

import copy

import numpy as np
import pytest

import hedgerow
from hedgerow import ModelError
from hedgerow.models.base.model import About
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.svm.machines import Machines
from tests.models.files.hostile import survivors_of_odd_parts, with_manifest
from tests.models.svm.machine_models import ALL, PYTHON, TWO, given_values, rows
from tests.models.svm.test_machines import one_number, table_of

each = pytest.mark.parametrize("name", list(ALL))
ODD = [
    None,
    -1,
    0,
    1,
    2.5,
    1e400,
    "",
    "rbf",
    [],
    {},
    [1],
    {"a": 1},
    True,
    1 << 70,
    {"number": "nan"},
    {"number": "inf"},
]


@each
def test_machines_come_back_as_they_were(name, tmp_path):
    model, table = ALL[name].replace_about(About("SVM", {"C": 1.0}, 60, 60.0, ("a note",))), table_of(name)
    model.save(tmp_path / "m.hedge")
    again = hedgerow.load(tmp_path / "m.hedge")
    assert again == model
    assert again.about == model.about
    assert str(again) == str(model)
    assert np.array_equal(again.values(table), model.values(table))
    assert np.array_equal(again.distribution(table), model.distribution(table))
    assert dumps(again) == dumps(model)


def test_one_class_comes_back():
    model = one_number([1.0], [0.0], k=3, used=[1])
    assert loads(dumps(model)) == model


def test_a_python_function_is_not_saved(tmp_path):
    with pytest.raises(ModelError, match=r"own_kernel.* is a Python function, which a file cannot store"):
        PYTHON.save(tmp_path / "m.hedge")
    assert not (tmp_path / "m.hedge").exists()


def test_models_differ_by_any_part():
    for one in ALL:
        for other in ALL:
            assert (ALL[one] == ALL[other]) == (one == other)
    assert ALL["one"] != "one"
    assert len({hash(model) for model in ALL.values()}) > 1


def built(parts, model):
    return Machines.from_dict(parts, model.schema, About())


def changed(name, *path, to):
    """The parts of a model with one of them changed."""
    model = ALL[name]
    parts = copy.deepcopy(model.to_dict())
    where = parts
    for key in path[:-1]:
        where = where[key]
    where[path[-1]] = to(where[path[-1]]) if callable(to) else to
    return parts, model


def with_entry(array, at, value):
    array = array.copy()
    array[at] = value
    return array


REFUSED = {
    "its parts are": ("one", ["design"], None),
    "must be for exactly the classes that had rows": ("rest", ["rows"], lambda a: with_entry(a, 0, 0)),
    "holds float64 instead of int64": ("rest", ["rows"], lambda a: a * 1.0),
    "must be 'linear' or 'kernel'": ("rest", ["functions", "kind"], "odd"),
    "'intercepts' holds a number that is not finite": ("rest", ["functions", "intercepts"], lambda a: a * np.nan),
    "'slopes' has the shape": ("rest", ["functions", "slopes"], lambda a: a[:, :-1]),
    "its kernel must be one of": ("rest rbf", ["functions", "kernel", "name"], "own"),
    "its kernel is invalid": ("rest rbf", ["functions", "kernel", "gamma"], -1.0),
    "'labels' holds a number outside 0 to 2": ("rest rbf", ["functions", "labels"], lambda a: with_entry(a, 0, 3)),
    "rows of its support vectors must ascend": ("rest rbf", ["functions", "rows"], lambda a: a[::-1].copy()),
    "'starts' does not ascend from 0": ("rest rbf", ["functions", "starts"], lambda a: with_entry(a, 1, 10_000)),
    "support vectors of a machine must ascend": ("rest rbf", ["functions", "places"], lambda a: with_entry(a, 1, a[0])),
    "have coefficients other than 0": ("rest rbf", ["functions", "coefs"], lambda a: with_entry(a, 0, 0.0)),
    "'vectors' has the shape": ("rest rbf", ["functions", "vectors"], lambda a: a[:-1].copy()),
    "only numbers can be centered": ("texts rbf", ["functions", "frame", "centers"], lambda a: a + 1.0),
    "positions of a sparse vector must ascend": (
        "texts rbf", ["functions", "vectors", "places"], lambda a: with_entry(a, 1, a[0]),
    ),
    "'places' holds a number outside": ("texts rbf", ["functions", "vectors", "places"], lambda a: a + 1000),
    "a precomputed kernel needs one column per support row": ("given", ["functions", "vectors"], np.zeros((8, 8))),
    "needs one calibrator per machine": ("rest rbf", ["chances"], lambda a: a[:-1]),
    "calibrators must be a list": ("rest rbf", ["chances"], lambda a: a[0]),
    "its temperature must be above 0": ("rest", ["chances", "value"], 0.0),
    "'cost' must be a number above 0": ("rest", ["figures", "cost"], 0.0),
    "'power' must be 1 or 2": ("rest", ["figures", "power"], 3),
    "'scale' must be one of": ("rest", ["figures", "scale"], "odd"),
    "statistics of a machine are out of range": ("rest", ["figures", "free"], lambda a: a - 100),
    "a machine are out of range": ("rest", ["figures", "primal"], lambda a: a - 100),
    "'margin' has the shape": ("rest", ["figures", "margin"], lambda a: a[:-1]),
}  # fmt: skip


@pytest.mark.parametrize("message", list(REFUSED))
def test_parts_that_do_not_fit_are_refused(message):
    name, path, to = REFUSED[message]
    if message == "its parts are":
        parts, model = ALL[name].to_dict() | {"odd": 1}, ALL[name]
    else:
        parts, model = changed(name, *path, to=to)
    with pytest.raises(ModelError, match=message.replace("(", r"\(")):
        built(parts, model)


def test_a_vector_that_no_machine_has_is_refused():
    parts, model = changed("one rbf", "functions", "labels", to=lambda a: np.append(a, a[:1]))
    own = parts["functions"]
    own["rows"] = np.append(own["rows"], own["rows"][-1] + 1)
    own["vectors"] = np.vstack([own["vectors"], own["vectors"][:1]])
    with pytest.raises(ModelError, match="a support vector that no machine uses"):
        built(parts, model)


def test_codes_must_fit_the_classes_and_be_of_a_form():
    from hedgerow.models.many.class_codes import CodeMatrix

    parts, model = ALL["rest"].to_dict(), ALL["rest"]
    with pytest.raises(ModelError):
        built(parts | {"codes": CodeMatrix.one_vs_rest(4).to_dict()}, model)
    odd = CodeMatrix(np.array([[1, -1, -1], [1, 1, -1], [1, -1, 1]], dtype=np.int8))
    with pytest.raises(ModelError, match="one machine for two classes"):
        built(parts | {"codes": odd.to_dict()}, model)


def test_a_target_of_numbers_is_refused():
    from hedgerow import Table

    schema = Table.of({"age": [1.0], "y": [1.0]}, "y").schema
    with pytest.raises(ModelError, match="need a nominal target"):
        Machines.from_dict(ALL["one"].to_dict(), schema, About())


@each
def test_whatever_is_put_into_a_file_gives_a_sentence_or_a_model_that_works(name):
    table = table_of(name)
    for changed_model in survivors_of_odd_parts(ALL[name], ODD, rounds=120):
        found = changed_model.distribution(table.slice(0, 5))
        assert np.isfinite(found).all()
        assert np.allclose(found.sum(axis=1), 1)


def test_the_kind_is_told():
    def other(manifest):
        manifest["kind"] = "linear_classes"

    with pytest.raises(ModelError, match=r"m\.hedge"):
        loads(with_manifest(ALL["rest"], other), "m.hedge")


def test_files_of_text_machines_are_small():
    assert len(dumps(ALL["texts rbf"])) < 60_000
    assert rows(texts=True).n_rows == 60
    assert TWO.n_rows == 60
    assert given_values()[0].n_rows == 12
