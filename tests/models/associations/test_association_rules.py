import numpy as np
import pytest

from hedgerow.data.table.table import Table
from hedgerow.errors import DataError, ModelError, UsageError
from hedgerow.models.associations.association_rules import MEASURES, AssociationRules
from hedgerow.models.files.model_file import dumps, load, loads
from tests.models.associations.associations import rules_of, weather_rules, weather_table
from tests.models.files.hostile import with_array, with_manifest

NORMAL, FALSE, YES = "Humidity=Normal", "Windy=False", "Play=Yes"
SEVEN = weather_rules(
    ([NORMAL, FALSE], [YES]),
    ([NORMAL, YES], [FALSE]),
    ([FALSE, YES], [NORMAL]),
    ([NORMAL], [FALSE, YES]),
    ([FALSE], [NORMAL, YES]),
    ([YES], [NORMAL, FALSE]),
    ([], [NORMAL, FALSE, YES]),
)
FOUR = weather_rules(
    (["Outlook=Overcast"], [YES]),
    (["Temperature=Cool"], [NORMAL]),
    (["Outlook=Sunny", "Humidity=High"], ["Play=No"]),
    (["Outlook=Rainy", YES], [FALSE]),
)


def test_confidences_of_the_seven_rules_of_a_set():
    """G48: the confidences of the seven rules of {Humidity=Normal, Windy=False, Play=Yes}."""
    assert SEVEN.confidence.tolist() == [4 / 4, 4 / 6, 4 / 6, 4 / 7, 4 / 8, 4 / 9, 4 / 14]
    assert SEVEN.count.tolist() == [4] * 7
    assert np.allclose(SEVEN.support, 4 / 14)
    assert np.allclose(SEVEN.coverage, np.array([4, 6, 6, 7, 8, 9, 14]) / 14)


def test_lifts():
    """G53: the lifts of four rules."""
    assert np.allclose(FOUR.lift, [1.555556, 2.0, 2.8, 1.75], atol=1e-6)


def test_measures_by_their_definitions():
    right = SEVEN.right_counts / 14
    assert np.allclose(SEVEN.lift, SEVEN.confidence / right)
    assert np.allclose(SEVEN.leverage, SEVEN.support - SEVEN.coverage * right)
    with np.errstate(divide="ignore"):
        assert np.allclose(SEVEN.conviction, (1 - right) / (1 - SEVEN.confidence))
    assert np.isinf(SEVEN.conviction[0])
    assert SEVEN.lift[-1] == 1
    assert SEVEN.conviction[-1] == 1


def test_a_rule_that_always_holds_has_infinite_conviction():
    table = Table.of({"a": ["x", "x"], "b": ["y", "y"]})
    from hedgerow.data.items.items import Items

    items = Items.of(table.schema)
    rules = rules_of(items, items.baskets(table), [([0], [1])])
    assert (rules.lift[0], rules.leverage[0], rules.conviction[0]) == (1, 0, np.inf)


def test_rules_are_values_with_names():
    rule = FOUR[0]
    assert (rule.antecedent, rule.consequent) == (("Outlook=Overcast",), ("Play=Yes",))
    assert rule.text == "{Outlook=Overcast} => {Play=Yes}"
    assert (rule.count, rule.confidence, rule.conviction) == (4, 1, np.inf)
    assert [each.text for each in FOUR] == [FOUR[i].text for i in range(4)]
    assert FOUR[-1] == FOUR[3]
    with pytest.raises(IndexError):
        FOUR[4]
    assert repr(FOUR) == "<AssociationRules: 4 rules of 12 items>"
    assert (FOUR.size, FOUR.columns_used()) == (4, weather_table().schema.names)


def test_a_measure_that_is_none():
    with pytest.raises(UsageError, match="there is no measure 'luck'; the measures are support, confidence"):
        FOUR.measure("luck")
    with pytest.raises(UsageError, match="no measure"):
        FOUR.sorted("luck")


def test_rules_can_be_sorted_and_taken():
    by_lift = FOUR.sorted("lift")
    assert by_lift.lift.tolist() == sorted(FOUR.lift.tolist(), reverse=True)
    assert SEVEN.sorted("count") == SEVEN.take(np.arange(7))
    assert SEVEN.take(np.array([6, 0])).sorted().confidence.tolist() == [1, 4 / 14]
    some = SEVEN.take(SEVEN.confidence > 0.6)
    assert len(some) == 3
    assert len(some.set_counts) == 6
    assert some.about == SEVEN.about
    unknown = AssociationRules.parse("{a} => {b}\n{b} => {a} (1 of 2, 1 of 3)")
    assert unknown.sorted("lift")[0].count == 1


def test_arrow_has_sides_and_measures():
    table = SEVEN.to_arrow()
    assert table.column_names == ["antecedent", "consequent", *MEASURES]
    assert table["antecedent"].to_pylist()[0] == ["Humidity=Normal", "Windy=False"]
    assert table["antecedent"].to_pylist()[6] == []
    assert table["lift"].to_pylist() == SEVEN.lift.tolist()
    assert SEVEN.take(np.zeros(7, dtype=bool)).to_arrow().num_rows == 0


@pytest.mark.parametrize("name", ["r.hedge", "r.JSON"])
def test_rules_are_saved_and_loaded(tmp_path, name):
    weights = np.linspace(0.1, 2, 14)
    from hedgerow.data.items.items import Items

    table = weather_table().with_weights(weights)
    items = Items.of(table.schema)
    weighted = rules_of(items, items.baskets(table), [([0], [10]), ([], [11])])
    by_hand = AssociationRules.parse('{a, "b, c"} => {ü}\n{a} => {"\\ud800"} (1 of 1, 1 of 2)')
    for rules in (SEVEN, FOUR, SEVEN.take(np.zeros(7, dtype=bool)), weighted, by_hand):
        rules.save(tmp_path / name)
        again = load(tmp_path / name)
        assert (again, str(again), again.about) == (rules, str(rules), rules.about)


def refused(data, match):
    with pytest.raises(ModelError, match=match) as caught:
        loads(data, "m.hedge")
    assert str(caught.value).startswith("m.hedge is ")
    assert "\n" not in str(caught.value)


def test_files_that_lie_are_refused():
    left, right, counts, sets = SEVEN.left, SEVEN.right, SEVEN.counts, SEVEN.set_counts
    assert loads(dumps(SEVEN)) == SEVEN
    refused(with_array(SEVEN, "left", left + 99), "outside 0 to")
    refused(with_array(SEVEN, "left", left.astype(np.int64)), "int64 instead of int32")
    refused(with_array(SEVEN, "left", left[1:]), "does not match the others")
    refused(with_array(SEVEN, "right", left), "empty consequent|both sides")
    refused(with_array(SEVEN, "counts", counts + 5), "more rows than one of its sides")
    refused(with_array(SEVEN, "counts", counts.astype(float)), "have different types")
    refused(with_array(SEVEN, "set_counts", sets + 14), "more rows than there are")
    refused(with_array(SEVEN, "set_counts", np.where(sets == 14, 13, sets)), "the empty set does not occur")
    refused(with_array(SEVEN, "codes", SEVEN.codes * 0), "are not in ascending order")
    refused(with_array(SEVEN, "right", np.full_like(right, right[0])), "item on both sides")


@pytest.mark.parametrize("total", [None, -1, "x", [], True])
def test_totals_that_lie_are_refused(total):
    refused(with_manifest(SEVEN, lambda manifest: manifest["parts"].update(total=total)), "'total'")


def test_a_set_listed_twice_is_refused():
    rules = AssociationRules.of(
        FOUR.items,
        np.array([0, 1, 2, 3]),
        np.array([1, 11, 1], dtype=np.int32),
        np.array([0, 2], dtype=np.int32),
        np.array([1, 1], dtype=np.int32),
        np.array([4, 4]),
        np.array([4, 9, 4]),
        14,
    )
    refused(dumps(rules), "a set is listed twice")


def test_bad_rules_are_refused_at_once():
    with pytest.raises(ModelError, match="an antecedent, a consequent and a count"):
        AssociationRules.of(FOUR.items, FOUR.offsets, FOUR.codes, FOUR.left, FOUR.right, FOUR.counts[1:],
                            FOUR.set_counts, 14)  # fmt: skip
    with pytest.raises(ModelError, match="do not match"):
        AssociationRules.of(FOUR.items, FOUR.offsets, FOUR.codes, FOUR.left, FOUR.right, FOUR.counts,
                            FOUR.set_counts[1:], 14)  # fmt: skip
    with pytest.raises(DataError, match="there is no item"):
        FOUR.items.code("Play=Never")
