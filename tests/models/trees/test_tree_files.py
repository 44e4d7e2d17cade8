"""Files of trees: what is saved loads equal, and no hostile file becomes a tree."""

import numpy as np
import pytest
from hypothesis import given

from hedgerow import CART, ModelError, Table
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.trees.nodes import nodes_parts
from hedgerow.models.trees.tree import NumberTree
from tests.models.files.hostile import with_array, with_manifest
from tests.models.files.test_hostile import refused
from tests.models.rules.rule_lists import MANY
from tests.models.trees.test_text import PRICE
from tests.models.trees.trees import full_tree, number_trees, trees


def table_of_many_levels():
    """Return a table whose class depends on some levels of a column of 60."""
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 60, 900)
    classes = np.where((codes % 7 < 3) ^ (rng.random(900) < 0.1), "yes", "no")
    return Table.of({"zip": [f"z{code}" for code in codes], "y": classes.tolist()}, "y")


MODEL = full_tree()
NUMBERS = NumberTree.parse("Size <= 5: 1.5 (3 rows, deviation 0.5)\nSize > 5: 4 (2 rows)", PRICE)


@MANY
@given(trees())
def test_what_is_saved_loads_equal_and_prints_the_same(model):
    again = loads(dumps(model))
    assert again == model
    assert str(again) == str(model)
    assert dumps(again) == dumps(model)


@MANY
@given(number_trees())
def test_what_is_saved_of_numbers_loads_equal(model):
    assert loads(dumps(model)) == model


PARTS = [(model, part) for model in (MODEL, NUMBERS) for part in sorted(model.to_dict())]


@pytest.mark.parametrize(("model", "part"), PARTS)
def test_every_part_must_be_of_its_type_and_length(model, part):
    right = model.to_dict()[part]
    refused(with_array(model, part, right.astype(np.int64)), f"its part {part!r} holds int64")
    refused(with_array(model, part, right.reshape(*right.shape, 1)), f"its part {part!r} has the shape")
    if len(right):
        refused(with_array(model, part, right[:-1].copy()), "is not a valid hedgerow model file: ")
    longer = np.concatenate([right, right, np.ones_like(right, shape=(1, *right.shape[1:]))])
    refused(with_array(model, part, longer), "is not a valid hedgerow model file: ")
    for value in (None, 1, "x", [], {}):
        refused(with_manifest(model, lambda m, v=value: m["parts"].update({part: v})), "is not a valid hedgerow")


def test_parts_too_many_or_too_few():
    refused(with_manifest(MODEL, lambda m: m["parts"].update(more=1)), "its parts are")
    refused(with_manifest(MODEL, lambda m: m["parts"].pop("costs") and None), "is not a valid hedgerow")
    refused(with_manifest(NUMBERS, lambda m: m.update(kind="tree")), "its parts are")


@pytest.mark.parametrize(
    ("part", "at", "value", "sentence"),
    [
        ("columns", 0, 9, "tests column 10 of 4"),
        ("columns", 0, -2, "with a negative number"),
        ("columns", 0, 3, "which is the target to predict"),
        ("columns", 0, 2, "must test different columns"),
        ("columns", 1, 1, "levels of column 'Humidity'"),
        ("columns", 2, 1, "outside its nodes"),
        ("columns", 0, 2**31 - 1, "tests column"),
        ("first", 0, 0, "outside its nodes"),
        ("first", 0, 6, "outside its nodes"),
        ("first", 0, 2**31 - 1, "outside its nodes"),
        ("first", 1, 1, "not a tree"),
        ("first", 1, 5, "not a tree"),
        ("first", 4, 3, "not a tree"),
        ("first", 2, 1, "a leaf of the tree has a test"),
        ("thresholds", 0, np.nan, "not a finite number"),
        ("thresholds", 0, np.inf, "not a finite number"),
        ("thresholds", 1, 3.0, "a nominal test a threshold"),
        ("missing", 0, 2, "that the node does not have"),
        ("missing", 0, -2, "that the node does not have"),
        ("missing", 2, 0, "that the node does not have"),
        ("level_starts", 1, 9, "ascend from"),
        ("level_starts", 1, -1, "ascend from"),
        ("level_starts", -1, 2**31 - 1, "ascend from"),
        ("level_children", 0, 2, "no level leads to a child"),
        ("level_children", 0, 2**31 - 1, "of the tree"),
        ("level_children", 0, -1, "with a negative number"),
        ("surrogate_starts", 1, 9, "ascend from"),
        ("surrogate_starts", np.s_[1:3], 1, "not two children"),
        ("surrogate_columns", 0, 1, "must test different columns"),
        ("surrogate_columns", 0, 2, "must test different columns"),
        ("surrogate_columns", 0, 3, "which is the target to predict"),
        ("surrogate_columns", 0, 9, "tests column 10 of 4"),
        ("surrogate_columns", 0, -1, "with a negative number"),
        ("surrogate_thresholds", 0, 1.0, "a nominal surrogate has a threshold"),
        ("surrogate_first", 0, 1, "a nominal surrogate has a threshold"),
        ("surrogate_first", 0, 2, "that its node does not have"),
        ("surrogate_level_starts", 1, 9, "ascend from"),
        ("surrogate_level_starts", 1, 2, "levels of column 'Outlook'"),
        ("surrogate_level_children", 0, 2, "that its node does not have"),
        ("surrogate_level_children", 0, -2, "that its node does not have"),
        ("surrogate_level_children", -1, -1, "covers no level"),
        ("weights", (2, 0), np.nan, "not finite"),
        ("weights", (2, 0), -1.0, "a negative weight"),
        ("weights", (0, 0), 99.0, "its sums are incorrect"),
        ("weights", (5, 0), 1 / 3, "are inconsistent"),
        ("decisions", 0, 2, "outside 0 to 1"),
        ("decisions", 2, -1, "outside 0 to 1"),
        ("decisions", 0, 1, "are inconsistent"),
        ("added", 0, np.inf, "not finite"),
        ("added", 0, 1 / 3, "are inconsistent"),
        ("costs", (0, 0), 1.0, "the diagonal of the costs must be 0"),
        ("costs", (0, 1), -1.0, "a negative weight"),
    ],
)
def test_values_out_of_range(part, at, value, sentence):
    array = MODEL.to_dict()[part].copy()
    array[at] = value
    refused(with_array(MODEL, part, array), sentence)


@pytest.mark.parametrize(
    ("part", "at", "value", "sentence"),
    [
        ("numbers", 1, np.inf, "not finite"),
        ("numbers", 1, 1e200, "none beyond 1e+150"),
        ("numbers", 0, 7.0, "are inconsistent"),
        ("numbers", 1, 1.23456789012, "are inconsistent"),
        ("deviations", 1, -1.0, "a negative weight"),
        ("deviations", 1, 1e200, "none beyond 1e+150"),
        ("weights", 0, 6.0, "are inconsistent"),
    ],
)
def test_numbers_out_of_range(part, at, value, sentence):
    array = NUMBERS.to_dict()[part].copy()
    array[at] = value
    refused(with_array(NUMBERS, part, array), sentence)


def test_a_tree_too_large_to_be_one(monkeypatch):
    data = dumps(MODEL)
    monkeypatch.setattr("hedgerow.models.trees.nodes.MOST_NODES", 7)
    refused(data, "a tree may have at most 7 nodes and levels; this one has 8")


@pytest.mark.parametrize("model", [MODEL, NUMBERS])
def test_what_cannot_be_loaded_is_not_saved(model, monkeypatch):
    size = max(map(len, nodes_parts(model.nodes).values()))
    monkeypatch.setattr("hedgerow.models.trees.nodes.MOST_NODES", size)
    assert loads(dumps(model)) == model
    monkeypatch.setattr("hedgerow.models.trees.nodes.MOST_NODES", size - 1)
    with pytest.raises(ModelError, match="prune it, or train it on columns with fewer levels"):
        dumps(model)


LISTS = pytest.mark.parametrize("model", [MODEL, CART().train(table_of_many_levels())], ids=["small", "many levels"])


@LISTS
def test_very_many_levels_are_saved_as_lists(model, monkeypatch):
    """A file of the child of every level would be too long: 700 tests of 30,000 zip codes are 21,000,000."""
    usual = dumps(model)
    monkeypatch.setattr("hedgerow.models.trees.level_maps.MOST_IN_RUNS", 0)
    lists = dumps(model)
    assert "level_codes" in model.to_dict()
    assert loads(lists) == model
    assert dumps(loads(lists)) == lists
    monkeypatch.undo()
    assert dumps(loads(usual)) == usual


@pytest.mark.parametrize(
    ("part", "at", "value", "sentence"),
    [
        ("level_counts", 1, 9, "levels of column"),
        ("level_counts", 1, -1, "the level_codes of a tree do not rise"),
        ("level_rests", 1, -1, "with a negative number"),
        ("level_rests", 1, 9, "of the tree"),
        ("level_starts", 2, 9, "ascend from"),
        ("level_starts", -1, 2**62, "ascend from"),
        ("level_codes", 0, -1, "the level_codes of a tree do not rise"),
        ("level_codes", 0, 9, "the level_codes of a tree do not rise"),
        ("level_children", 0, 9, "of the tree"),
        ("level_children", 0, -1, "with a negative number"),
        ("surrogate_level_counts", 0, 9, "levels of column"),
        ("surrogate_level_rests", 0, 2, "that its node does not have"),
        ("surrogate_level_codes", 0, 9, "the surrogate_level_codes of a tree do not rise"),
        ("surrogate_level_children", 0, 2, "that its node does not have"),
    ],
)
def test_lists_of_levels_out_of_range(part, at, value, sentence, monkeypatch):
    monkeypatch.setattr("hedgerow.models.trees.level_maps.MOST_IN_RUNS", 0)
    array = MODEL.to_dict()[part].copy()
    array[at] = value
    refused(with_array(MODEL, part, array), sentence)


def test_a_level_listed_twice(monkeypatch):
    model = CART().train(table_of_many_levels())
    monkeypatch.setattr("hedgerow.models.trees.level_maps.MOST_IN_RUNS", 0)
    array = model.to_dict()["level_codes"].copy()
    array[1] = array[0]
    refused(with_array(model, "level_codes", array), "the level_codes of a tree do not rise")


@pytest.mark.parametrize("part", ["level_counts", "level_rests", "level_codes"])
def test_some_parts_of_lists(part, monkeypatch):
    monkeypatch.setattr("hedgerow.models.trees.level_maps.MOST_IN_RUNS", 0)
    refused(with_manifest(MODEL, lambda m: m["parts"].pop(part) and None), "is not a valid hedgerow model file: ")
