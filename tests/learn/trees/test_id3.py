"""ID3: the textbook's tree, its stops, and what it does with what the textbook does not know."""

import numpy as np
import pytest

from hedgerow import ID3, Table, UsageError, examples
from tests.learn.trees.tree_tables import cards, lines, mixed_table, repeated, traced
from tests.textbook import buys_computer, contact_lenses, loan_a, loan_b, restaurant, weather, weather_with_id

TEXTBOOK = [weather, weather_with_id, loan_a, loan_b, buys_computer, restaurant, contact_lenses]


def test_the_loan_tree_of_the_learner():
    """G08."""
    assert lines(ID3().train(examples.loan())) == [
        "Own_House = false",
        "|   Has_Job = false: No (6)",
        "|   Has_Job = true: Yes (3)",
        "Own_House = true: Yes (6)",
    ]


@pytest.mark.parametrize("table", TEXTBOOK)
def test_textbook_trees_fit_all_rows_and_are_the_same_by_hand(table, capsys):
    """G08, G09, G14, G15, G17, G20."""
    tree = ID3().train(table())
    actual = [table().schema.target_column.levels[code] for code in table().target]
    assert tree.predict(table()).tolist() == actual
    assert str(traced(ID3(), table(), capsys)[0]) == str(tree)


@pytest.mark.parametrize(
    "params", [{}, {"max_depth": 2}, {"min_gain": 0.1}, {"balanced": True, "leaves": "m"}], ids=str
)
@pytest.mark.parametrize("weights", [None, "whole", "fractional"])
def test_the_tree_by_hand_is_that_of_the_kernel(params, weights, capsys):
    for seed in range(4):
        table = mixed_table(seed, weights=weights)
        assert str(traced(ID3(**params), table, capsys)[0]) == str(ID3(**params).train(table))


def test_a_column_is_used_once_on_a_path():
    for seed in range(6):
        for rule in ID3().train(mixed_table(seed)).rules().rules:
            columns = [condition.column for condition in rule.conditions]
            assert len(columns) == len(set(columns))


def test_max_depth_zero_is_a_leaf_of_the_majority():
    assert lines(ID3(max_depth=0).train(weather())) == [": Yes (14/5)"]
    assert ID3(max_depth=1).train(weather()).size == 3


def test_min_gain_is_the_threshold_of_the_textbook():
    """The gain of Outlook is 0.246750; in its branches Humidity and Windy gain 0.970951."""
    sizes = [ID3(min_gain=least).train(weather()).size for least in (0.24, 0.25, 0.98)]
    assert sizes == [5, 1, 1]


def test_an_empty_branch_takes_the_majority_of_its_parent():
    table = Table.of({"x": [*"aab"], "y": [*"nnp"]}, "y", {"x": [*"abc"]})
    tree = ID3().train(table)
    assert lines(tree)[-1] == "x = c: n (0)"
    assert tree.distribution(Table.of({"x": ["c"]}))[0] == pytest.approx([2 / 3, 1 / 3])


def test_equal_rows_of_two_classes_leave_the_majority():
    table = Table.of({"x": [*"aaab"], "y": [*"npnp"]}, "y")
    assert lines(ID3().train(table)) == ["x = a: n (3/1)", "x = b: p (1)"]


def test_exclusive_or_needs_a_split_without_gain():
    table = Table.of({"a": [*"0011"], "b": [*"0101"], "y": [*"nppn"]}, "y")
    assert ID3().train(table).predict(table).tolist() == [*"nppn"]


def test_numbers_and_identifiers_are_left_out_with_a_note():
    tree = ID3().train(examples.weather())
    assert "Temperature" not in str(tree)
    assert any("'Temperature', 'Humidity'" in note for note in tree.about.notes)
    assert "ID" not in str(ID3().train(examples.loan()))


def test_only_numbers_leave_a_leaf():
    table = Table.of({"x": [1.0, 2.0, 3.0], "y": [*"npp"]}, "y")
    assert lines(ID3().train(table)) == [": p (3/1)"]


def test_costs_and_smoothing():
    priced = ID3(max_depth=1, costs={"Yes": {"No": 5}}).train(examples.loan())
    assert lines(priced) == ["Own_House = false: Yes (9/6)", "Own_House = true: Yes (6)"]
    assert priced.distribution(examples.loan().slice(0, 1))[0] == pytest.approx([2 / 3, 1 / 3])
    smooth = ID3(max_depth=1, leaves="laplace").train(examples.loan())
    assert smooth.distribution(examples.loan().slice(0, 1))[0] == pytest.approx([7 / 11, 4 / 11])
    assert ID3(balanced=True).train(cards()).weights[0] == pytest.approx([50, 50], rel=1e-5)


def test_repeating_a_row_equals_weighting_it():
    for seed in range(4):
        twice, weighted = repeated(mixed_table(seed))
        assert str(ID3().train(twice)) == str(ID3().train(weighted))


def test_bad_parameters_are_sentences():
    for params, words in (({"max_depth": -2}, "max_depth=-2"), ({"min_gain": np.nan}, "min_gain=nan")):
        with pytest.raises(UsageError, match=words):
            ID3(**params).train(weather())
    with pytest.raises(TypeError, match="has no parameter 'min_leaf'"):
        ID3(min_leaf=2)
