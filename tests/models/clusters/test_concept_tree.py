"""Trees of concepts in files: what goes in comes out, and what was changed by others is refused in words."""

import copy

import numpy as np
import pytest

import hedgerow
from hedgerow import Cobweb, ModelError, Table
from hedgerow.models.clusters.concept_tree import ConceptTree
from hedgerow.models.files.model_file import dumps, loads
from tests.models.files.hostile import survivors_of_odd_parts

ODD = [None, -1, 0, 1, 2.5, "", "x", [], {}, [1], True, 1 << 70, {"number": "nan"}, {"number": "inf"}]


def table(n=40):
    random = np.random.default_rng(5)
    kind = random.integers(0, 3, n)
    sizes = [None if random.random() < 0.1 else float(v) for v in kind * 5 + random.normal(size=n)]
    shades = [None if random.random() < 0.1 else ("red", "blue", "grün")[k] for k in kind]
    return Table.of({"size": sizes, "shade": shades, "flag": ["yn"[i] for i in random.integers(0, 2, n)]})


MODEL = Cobweb().train(table())


def test_a_tree_comes_back_as_it_was(tmp_path):
    MODEL.save(tmp_path / "m.hedge")
    again = hedgerow.load(tmp_path / "m.hedge")
    assert again == MODEL
    assert str(again) == str(MODEL)
    assert np.array_equal(again.decide(table()), MODEL.decide(table()))
    assert dumps(again) == dumps(MODEL)


@pytest.mark.parametrize("params", [{"level": None}, {"level": 3}, {"scale": "none", "divisor": "n-1"}])
def test_other_trees_come_back(params):
    model = Cobweb(**params).train(table())
    assert loads(dumps(model)) == model


def test_a_tree_of_one_row_comes_back():
    model = Cobweb().train(Table.of({"x": [1.0]}))
    assert str(loads(dumps(model))) == str(model)
    assert "1 row, 1 concept in 1 level; 1 cluster" in str(model)


def changed(name, change, place="nodes"):
    parts = copy.deepcopy(MODEL.to_dict())
    where = parts[place] if place else parts
    where[name] = change(where[name])
    return parts


def first(value):
    def change(array):
        array = array.copy()
        array.flat[-1] = value
        return array

    return change


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        (changed("parents", lambda a: a[::-1].copy()), "are not a tree with one root"),
        (changed("parents", first(len(MODEL.nodes))), "are not a tree with one root"),
        (changed("parents", first(0)), "not listed level by level"),
        (changed("weights", first(0.0)), "weights above 0"),
        (changed("weights", first(-1.0)), "negative weight"),
        (changed("weights", first(77.0)), "do not add up"),
        (changed("weights", first(np.nan)), "not finite"),
        (changed("known", first(1e6)), "more known values than the concept has rows"),
        (changed("squares", first(-1.0)), "negative"),
        (changed("means", lambda a: a[:, :0]), "shape"),
        (changed("levels", first(99)), "level that its column does not have"),
        (changed("levels", first(-1)), "level that its column does not have"),
        (changed("starts", first(10**9)), "does not ascend from 0"),
        (changed("counts", first(1e7)), "more known values than the concept has rows"),
        (changed("units", first(0.0), "measure"), "units must be above 0"),
        (changed("acuity", lambda _: 0.0, "measure"), "acuity must be"),
        (changed("lacking", lambda _: 0.5, "measure"), "must be reduced by"),
        (changed("level", lambda _: 0, None), "level must be"),
        (changed("level", lambda _: None, None), "clusters, but its schema names"),
        (changed("cutoff", lambda _: -1.0, None), "cutoff must be"),
    ],
)
def test_changed_parts_are_refused_in_words(parts, sentence):
    with pytest.raises(ModelError, match=sentence):
        ConceptTree.from_dict(parts, MODEL.schema, MODEL.about)


def test_whatever_survives_a_change_still_works():
    for model in survivors_of_odd_parts(MODEL, ODD, rounds=150):
        assert np.isfinite(model.distribution(table())).all()
        assert str(model)


def test_large_trees_are_cut_in_print():
    random = np.random.default_rng(1)
    model = Cobweb(cutoff=0, acuity=0.01).train(Table.of({"x": random.normal(size=300), "y": random.normal(size=300)}))
    lines = model.describe()
    assert len(lines) <= 62
    assert any("concepts below)" in line for line in lines)


def test_very_many_children_are_cut_in_print():
    model = Cobweb(cutoff=0, acuity=0.001).train(Table.of({"x": np.arange(500.0)}))
    assert model.nodes.n_children[0] > 60
    assert model.describe()[-1].endswith("more concepts")
    assert len(model.describe()) == 63


def test_rows_are_sorted_down_to_leaves():
    leaves = MODEL.leaves(table())
    assert (MODEL.nodes.n_children[leaves] == 0).all()
    assert MODEL.columns_used() == ("size", "shade", "flag")
    assert MODEL.size == len(MODEL.classes)
