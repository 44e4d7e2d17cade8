"""Which rules are the same, alike, or on the same columns."""

import numpy as np
import pytest

from hedgerow import Table
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.explain.matching import RuleSimilarity, ThresholdScale, match_rules
from hedgerow.models.rules.rule_list import RuleList

SAME, ALIKE, COLUMNS, NONE = RuleSimilarity.SAME, RuleSimilarity.ALIKE, RuleSimilarity.COLUMNS, RuleSimilarity.NONE
COLORS = ("red", "green", "blue", "grün")
TABLE = Table.of(
    {"x": [float(v) for v in range(100)], "z": [float(v) for v in range(100)], "c": ["red"] * 100, "y": ["a"] * 100},
    "y",
    {"c": COLORS, "y": ("a", "b")},
)
SPREAD = ThresholdScale(TABLE)


SCHEMA = Schema((*TABLE.schema.columns, Column("t", Kind.TEXT)), "y")


def rules(*lines):
    return RuleList.parse("\n".join([*lines, "otherwise y = a"]), SCHEMA).rule_rows()[:-1]


def one(first, second):
    return match_rules(rules(first), rules(second), SPREAD)[0][0]


@pytest.mark.parametrize(
    ("other", "likeness"),
    [
        ("if x <= 50 and c = red then y = a", SAME),
        ("if c = red and x <= 50 then y = a", SAME),
        ("if x <= 59.5 and c = red then y = a", ALIKE),
        ("if x <= 61 and c = red then y = a", COLUMNS),
        ("if x > 50 and c = red then y = a", COLUMNS),
        ("if x <= 50 and c = blue then y = a", COLUMNS),
        ("if x <= 50 and c in {red, blue} then y = a", COLUMNS),
        ("if x <= 50 and c = red then y = b", NONE),
        ("if x <= 50 then y = a", NONE),
        ("if z <= 50 and c = red then y = a", NONE),
    ],
)
def test_how_much_of_a_rule_is_found(other, likeness):
    assert one("if x <= 50 and c = red then y = a", other) is likeness


@pytest.mark.parametrize(
    ("first", "second", "likeness"),
    [
        ("{red, blue}", "{blue, red}", SAME),
        ("{red, blue}", "{red, blue, green}", ALIKE),
        ("{red, blue}", "{red, green}", COLUMNS),
        ('{"grün", blue}', '{blue, "grün"}', SAME),
    ],
)
def test_sets_of_levels_may_differ_by_half(first, second, likeness):
    assert one(f"if c in {first} then y = a", f"if c in {second} then y = a") is likeness


def test_rules_that_look_for_other_words_are_not_the_same():
    free, money = 'if t contains "free" then y = a', 'if t contains "money" then y = a'
    assert one(free, free) is SAME
    assert one(free, money) is COLUMNS


def test_a_rule_is_found_once_and_the_nearest_first():
    mine = rules("if x <= 50 then y = a", "if x <= 55 then y = a", "if x <= 10 then y = a")
    other = rules("if x <= 54 then y = a", "if x <= 51 then y = a", "if x <= 10 then y = a")
    assert match_rules(mine, other, SPREAD) == [(ALIKE, 1), (ALIKE, 0), (SAME, 2)]
    assert match_rules(mine[:2], other[:1], SPREAD) == [(COLUMNS, -1), (ALIKE, 0)]


def test_intervals_move_at_both_ends():
    assert one("if 20 < x <= 50 then y = a", "if 25 < x <= 45 then y = a") is ALIKE
    assert one("if 20 < x <= 50 then y = a", "if 35 < x <= 50 then y = a") is COLUMNS


def test_thresholds_are_compared_by_the_weight_between_them():
    heavy = ThresholdScale(TABLE.with_weights(np.where(np.arange(100) < 50, 0.1, 1.0)))
    assert heavy.between("x", [0], [49])[0, 0] < 0.1 < SPREAD.between("x", [0], [49])[0, 0]
    gone = ThresholdScale(Table.of({"x": [None, None], "y": ["a", "b"]}, "y"))
    assert gone.between("x", [0], [1]) == 0


def test_defaults_are_the_same_if_they_state_the_same_class():
    mine = RuleList.parse("otherwise y = a", TABLE.schema).rule_rows()
    other = RuleList.parse("if x <= 1 then y = b\notherwise y = a", TABLE.schema).rule_rows()
    assert match_rules(mine, other, SPREAD) == [(SAME, 1)]
    assert match_rules(mine, other[:1], SPREAD) == [(NONE, -1)]
