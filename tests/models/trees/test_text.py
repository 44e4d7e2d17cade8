from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.errors import ModelError
from hedgerow.models.trees.tree import NumberTree, Tree
from tests.models.rules.rule_lists import MANY, WEATHER
from tests.models.rules.test_rule_list import random_table
from tests.models.trees.trees import EVERYTHING, PLAY, PRINTED, full_tree, number_trees, play_tree, trees


def test_a_column_named_like_a_sign():
    schema = Schema((Column(":", Kind.NUMERIC), Column("c", Kind.NOMINAL, ("no", "yes"))), "c")
    text = '":" <= 0: no (2)\n":" > 0: yes (1)\n'
    assert str(Tree.parse(text, schema)).startswith(text)


PRICE = Schema((Column("Size", Kind.NUMERIC), Column("Price", Kind.NUMERIC)), "Price")


@MANY
@given(trees(), st.integers(0, 99))
def test_what_prints_reads_back_equal_and_predicts_the_same(model, seed):
    again = Tree.parse(str(model), model.schema)
    assert again == model
    assert str(again) == str(model)
    table = random_table(model.schema, seed)
    assert np.array_equal(again.distribution(table), model.distribution(table))
    assert np.array_equal(again.decide(table), model.decide(table))


@MANY
@given(number_trees())
def test_what_prints_of_numbers_reads_back_equal(model):
    again = NumberTree.parse(str(model), model.schema)
    assert again == model
    assert str(again) == str(model)


def test_trees_print_as_j48_does():
    assert str(play_tree()) == PRINTED
    assert str(full_tree()) == EVERYTHING


def test_a_lone_leaf_prints_its_class():
    model = Tree.parse(": Yes (14/5)", PLAY.schema)
    assert str(model) == ": Yes (14/5)\n\nLeaves: 1, size of the tree: 1"
    assert (model.size, model.nodes.depth) == (1, 0)


def test_more_than_two_classes_name_the_classes_of_errors():
    text = "Outlook in {sunny, rainy}: no (5/2: no 3, perhaps 2)\nOutlook = overcast: yes (4)"
    assert str(Tree.parse(text, WEATHER.schema)).startswith(
        "Outlook != overcast: no (5/2: no 3, perhaps 2)\nOutlook = overcast: yes (4)\n"
    )


def test_groups_print_as_they_are_shortest():
    text = "Outlook in {Overcast, Sunny}: Yes (3)\nOutlook = Rainy or missing: No (3)"
    assert str(Tree.parse(text, PLAY.schema)).split("\n")[:2] == [
        "Outlook != Rainy: Yes (3)",
        "Outlook = Rainy or missing: No (3)",
    ]


def test_reading_forgives_case_blanks_comments_order_and_lacking_counts():
    text = """
    # by hand
    Humidity>75 OR Missing : "Yes"

    Humidity <= 75 :No\r
    """
    model = Tree.parse(text, PLAY.schema)
    assert str(model) == "Humidity <= 75: No\nHumidity > 75 or missing: Yes\n\nLeaves: 2, size of the tree: 3"
    assert model.distribution(PLAY).tolist() == [[1, 0], [0, 1], [0, 1], [0, 1], [0, 1]]


def test_numbers_print_with_their_rows_and_deviation():
    text = "Size <= 50.5: -23.5 (12 rows, deviation 4.1)\nSize > 50.5: 1e+20 (1 row, deviation 0)"
    model = NumberTree.parse(text, PRICE)
    assert str(model) == text + "\n\nLeaves: 2, size of the tree: 3"
    assert str(NumberTree.parse("Size <= 1: 2\nSize > 1: 3 (0 rows)", PRICE)).startswith("Size <= 1: 2\nSize > 1: 3\n")


HEAD = "Humidity <= 75: Yes\nHumidity > 75"
BAD = {
    "Humidty <= 75: Yes": (1, "no column 'Humidty'; did you mean 'Humidity'?"),
    "Humidity <= 75: Yess": (1, "no class 'Yess' of 'Play'; did you mean 'Yes'?"),
    "Humidity <= 75: Yes": (1, "the branch 'Humidity > 75' is missing"),
    HEAD: (2, "neither a class nor branches below it"),
    "Humidity <= 75: Yes\nHumidity > 70: No": (2, "'<=' and '>' with the same number"),
    "Humidity <= 75: Yes\nHumidity <= 75: No": (2, "must be two"),
    f"{HEAD}: No\nHumidity > 75: No": (3, "must be two"),
    f"{HEAD}: No\n|   Windy = no: Yes": (3, "indented more than the branches above it"),
    f"{HEAD}\n|   |   Windy = no: Yes": (3, "indented more than the branches above it"),
    f"{HEAD} No": (2, "the branch should end before 'No'"),
    f"{HEAD}: No Yes": (2, "the branch should end before 'Yes'"),
    f"{HEAD} or: No": (2, "expected 'missing' after 'or'"),
    "Humidity <= 75 or missing: Yes\nHumidity > 75 or missing: No": (2, "can follow only one branch"),
    "Humidity < 75: Yes": (1, "compares with '<=' or '>', not with '<'"),
    "3 < Humidity <= 75: Yes": (1, "a single test, not an interval"),
    "Humidity is missing: Yes": (1, "marked with 'or missing'"),
    "Outlook = Sunny: Yes\nHumidity > 75: No": (2, "must test the same column, here 'Outlook'"),
    "Outlook = Sunny: Yes\nOutlook = Rainy: No": (2, "no branch for 'Outlook' = 'Overcast'"),
    "Outlook = Sunny: Yes\nOutlook in {Sunny, Rainy, Overcast}: No": (2, "'Sunny' of 'Outlook' has two branches"),
    "Outlook in {Sunny, Rainy, Overcast}: No": (1, "all levels of 'Outlook' follow one branch"),
    "Play = Yes: Yes": (1, "which is the class to predict"),
    ": Yes\n: No": (2, "nothing can be below a leaf"),
    ": Yes\nHumidity > 75: No": (2, "nothing can be below a leaf"),
    "": (1, "a tree needs a line"),
    ": Yes (5/7)": (1, "7 errors are more than the 5 rows"),
    f"{HEAD}: No\nLeaves: 2\nHumidity > 75: No": (4, "no branch may follow"),
    f"{HEAD}: No\nLeaves: two": (3, "expected the number of leaves, not 'two'"),
    ": Yes\nAdded to every leaf: Maybe 1": (2, "no class 'Maybe'"),
    ": Yes\nAdded to every leaf: No 1, No 1": (2, "counted twice"),
    ": Yes\nCosts: No says Yes 1": (2, "expected 'predicted as' after 'No', not 'says'"),
    ": Yes\nCosts: No predicted as No 1": (2, "costs nothing"),
    ": Yes\nCosts: No predicted as Yes -1": (2, "expected what it costs, not '-1'"),
    f"?   Windy = no is Humidity <= 75\n{HEAD}: No": (1, "expected 'as' and the test of a branch"),
    f"?   Windy = no as Humidity <= 74\n{HEAD}: No": (1, "the test of neither branch"),
    f"?   Humidity <= 3 as Humidity <= 75\n{HEAD}: No": (1, "cannot be its own surrogate"),
    f"?   Windy = no as Humidity <= 75\n?   Windy != yes as Humidity > 75\n{HEAD}: No": (
        2,
        "already stands for a test",
    ),
    "?   Humidity <= 3 as Windy = no\n?   Humidity > 3 as Windy = no\nWindy = no: No\nWindy = yes: No": (2, "already"),
    "?   Humidity <= 3 as Outlook = Sunny\nOutlook = Sunny: No\nOutlook = Rainy: No\nOutlook = Overcast: No": (
        1,
        "only a node of two branches",
    ),
}


@pytest.mark.parametrize("text", BAD)
def test_a_line_that_cannot_be_read_is_named(text):
    line, problem = BAD[text]
    with pytest.raises(ModelError) as caught:
        Tree.parse(text, PLAY.schema)
    assert str(caught.value).startswith(f"line {line}: ")
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("leaf", "problem"),
    [
        ("high", "expected a number, not 'high'"),
        ("3 (5 apples)", "expected 'rows', not 'apples'"),
        ("3 (5 rows, error 2)", "expected 'deviation', not 'error'"),
        ("3 (5 rows", "expected ')' after the counts"),
        ("3 (-5 rows)", "expected the number of rows"),
    ],
)
def test_a_number_that_cannot_be_read_is_named(leaf, problem):
    with pytest.raises(ModelError, match="line 1: ") as caught:
        NumberTree.parse(f": {leaf}", PRICE)
    assert problem in str(caught.value)


def test_costs_in_the_older_form_are_read():
    new = ": Yes\nCosts: No predicted as Yes 5, Yes predicted as No 1"
    tree = Tree.parse(new, PLAY.schema)
    assert tree.costs is not None
    assert tree == Tree.parse(new.replace("predicted as", "said"), PLAY.schema)
    assert "Costs: No predicted as Yes 5, Yes predicted as No 1" in str(tree)


def test_the_target_must_suit_the_tree():
    with pytest.raises(ModelError, match="a tree predicts a class, but the target 'Humidity' has no classes"):
        Tree.parse(": Yes", PLAY.schema.with_target("Humidity"))
    with pytest.raises(ModelError, match="predicts a number, but the target 'Play' is nominal"):
        NumberTree.parse(": 3", PLAY.schema)


@given(st.lists(st.sampled_from([*"?|:()/,=<>{}\n", "   ", "|   ", "Humidity <= 75", "Humidity > 75", "Windy = no",
                                 "Windy = yes", ": Yes", ": No (3/1)", " as ", " or missing",
                                 "Costs: No predicted as Yes 2", "Leaves: 2", "\n"]), max_size=14))  # fmt: skip
@MANY
def test_any_text_reads_or_is_refused(pieces):
    with suppress(ModelError):
        model = Tree.parse("".join(pieces), PLAY.schema)
        assert Tree.parse(str(model), PLAY.schema) == model
