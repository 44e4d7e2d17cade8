import copy
import pickle
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table
from hedgerow.errors import ModelError
from hedgerow.models.base.condition import Condition, Operator
from hedgerow.models.base.model import About
from hedgerow.models.base.rule import percent_text, round_weights
from hedgerow.models.rules.rule_list import Rule, RuleList
from tests.models.rules.rule_lists import MANY, PRINTED, WEATHER, random_table, rule_lists, weather_rules, weights

PLAY = Table.of({"Outlook": ["Sunny", "Rainy"], "Humidity": [80.0, None], "Play": ["No", "Yes"]}, target="Play")
SUNNY = Condition("Outlook", Operator.IS, "Sunny")


def plain_deciders(model, table):
    """Each row asks each rule in turn: what `deciders` must agree with."""
    found = []
    for row in range(table.n_rows):
        one = table.slice(row, row + 1)
        covering = (i for i, rule in enumerate(model) if all(c.covers(one)[0] for c in rule.conditions))
        found.append(next(covering))
    return found


def test_a_list_prints_one_rule_a_line():
    rule = Rule((SUNNY, Condition("Humidity", Operator.ABOVE, 80)), (3, 2))
    model = RuleList(PLAY.schema, (rule,), Rule((), (5, 9)))
    assert str(model) == (
        "if Outlook = Sunny and Humidity > 80 then Play = No (5/2)  # support 15.8 %, confidence 60 %\n"
        "otherwise Play = Yes (14/5)  # support 47.4 %, confidence 64.3 %"
    )


def test_counts_of_more_than_two_classes_name_the_classes():
    assert str(weather_rules()) == PRINTED


@MANY
@given(rule_lists())
def test_what_prints_reads_back_equal(model):
    again = RuleList.parse(str(model), model.schema)
    assert again == model
    assert str(again) == str(model)


@MANY
@given(rule_lists(), st.integers(0, 99))
def test_what_prints_predicts_the_same(model, seed):
    table = random_table(model.schema, seed)
    again = RuleList.parse(str(model), model.schema)
    assert np.array_equal(again.distribution(table), model.distribution(table))


@MANY
@given(rule_lists(), st.integers(0, 99))
def test_the_first_covering_rule_decides_for_the_class_it_prints(model, seed):
    table = random_table(model.schema, seed)
    deciders = model.deciding_rules(table).tolist()
    assert deciders == plain_deciders(model, table)
    rules = list(model)
    assert model.decide(table).tolist() == [rules[i].code for i in deciders]
    assert np.allclose(model.distribution(table).sum(axis=1), 1)


@MANY
@given(rule_lists())
def test_parts_build_an_equal_list(model):
    assert RuleList.from_dict(model.to_dict(), model.schema, About()) == model


@MANY
@given(st.lists(weights, min_size=1, max_size=5))
def test_storing_weights_twice_changes_nothing_and_costs_little(given_weights):
    kept = round_weights(given_weights)
    assert round_weights(kept) == kept
    assert np.allclose(kept, given_weights, rtol=0, atol=1e-5 * sum(given_weights))


def test_whole_weights_are_kept_exactly():
    assert round_weights((123456789, 3)) == (123456789.0, 3.0)
    assert round_weights((1 / 3, 2.5)) == (0.33333, 2.5)
    assert round_weights((5.0000049, 4.9999949)) == round_weights(round_weights((5.0000049, 4.9999949)))


def test_weights_are_rounded_once_even_where_the_total_reaches_a_power_of_ten():
    """To five decimals the total is 10, which leaves four: 0.777947 is 0.7779, not 0.778 by way of 0.77795."""
    assert round_weights((0.777947, 9.222049)) == (0.7779, 9.222)
    assert round_weights((0.9999996,)) == (1.0,)


def test_the_heaviest_class_wins_and_the_first_of_equals():
    assert Rule((), (2, 3, 3)).decision == 1
    assert (Rule((), (2, 3)).n, Rule((), (2, 3)).errors) == (5, 2)
    assert Rule((), (0.1, 0.2), 1).n == 0.3


@pytest.mark.parametrize("decision", [0, 1])
@pytest.mark.parametrize("by_class", [(2, 2), (3, 2), (0, 5), (0, 0)])
def test_the_stated_class_is_predicted_even_if_it_is_not_the_heaviest(by_class, decision):
    model = RuleList(PLAY.schema, (), Rule((), by_class, decision))
    assert set(model.decide(PLAY).tolist()) == {decision}
    assert RuleList.parse(str(model), PLAY.schema) == model


def test_a_rule_without_weights_is_sure():
    model = RuleList.parse("otherwise Play = Yes", PLAY.schema)
    assert model.distribution(PLAY).tolist() == [[0, 1], [0, 1]]
    assert str(model) == "otherwise Play = Yes"


def test_levels_are_matched_by_value_and_unseen_ones_are_missing():
    other = Table.of({"Humidity": [1, 1, 1], "Outlook": ["Rainy", "Foggy", "Sunny"]})
    model = RuleList.parse("if Outlook = Sunny then Play = No\notherwise Play = Yes", PLAY.schema)
    assert model.predict(other).tolist() == ["Yes", "Yes", "No"]


def test_reading_forgives_case_blanks_comments_and_blank_lines():
    text = """
    # by hand
      IF  Outlook=Sunny   AND 10<=Humidity  and "Humidity"<20 THEN Play = "No" ( 5 / 2 ) # asked "Ann

    Otherwise Play=Yes(3/0)#\r
    """
    assert str(RuleList.parse(text, PLAY.schema)) == (
        "if Outlook = Sunny and 10 <= Humidity < 20 then Play = No (5/2)  # support 37.5 %, confidence 60 %\n"
        "otherwise Play = Yes (3/0)  # support 37.5 %, confidence 100 %"
    )


BAD_LINES = {
    "if Outlok = Sunny then Play = No": "no column 'Outlok'; did you mean 'Outlook'?",
    "if Outlook = Suny then Play = No": "no level 'Suny'; did you mean 'Sunny'?",
    "if Outlook in {Sunny, Rany} then Play = No": "no level 'Rany'; did you mean 'Rainy'?",
    "if Outlook = Sunny then Play = Noo": "no class 'Noo' of 'Play'; did you mean 'No'?",
    "if Outlook = Sunny then Plai = No": "must predict 'Play', not 'Plai'",
    "if Play = No then Play = No": "tests 'Play', which is the class to predict",
    "if Outlook Sunny then Play = No": "a test such as '=' must follow 'Outlook', not 'Sunny'",
    "if Outlook = Sunny": "expected 'then' after the conditions, not the end of the line",
    "if then Play = No": "expected a column's name, not the keyword 'then'",
    "when Outlook = Sunny then Play = No": "begins with 'if' or 'otherwise', not 'when'",
    "if Humidity = 3 then Play = No": "column 'Humidity' is numeric and cannot be tested with '='",
    "if Humidity <= high then Play = No": "expected a number, not 'high'",
    "if Humidity <= 1e999 then Play = No": "expected a number, not '1e999'",
    "if 3 < Outlook then Play = No": "column 'Outlook' is nominal",
    'if Outlook = "Sunny then Play = No': "cannot be read; close quotes",
    'if Outlook = "\\q" then Play = No': "the escape '\\q' is unknown",
    'if Outlook = "\\Uffffffff" then Play = No': "cannot be read",
    "if Outlook in {Sunny, Sunny} then Play = No": "the level 'Sunny' is listed twice",
    "if Outlook in {Sunny then Play = No": "expected '}' after 'Sunny'",
    "if Outlook is Sunny then Play = No": "expected 'missing' after 'is', not 'Sunny'",
    "otherwise Play = No (5/7)": "7 errors are more than the 5 rows covered",
    "otherwise Play = No (5/2: No 2, Yes 2)": "do not add up to 5 rows with 2 errors",
    "otherwise Play = No (5/2: No 2, No 1)": "the class 'No' is counted twice",
    "otherwise Play = No (-5/2)": "expected the number of rows covered, not '-5'",
    "otherwise Play = No (5/2": "expected ')' after the counts",
    "otherwise Play = No (5/2) and": "should end before 'and'",
}


@pytest.mark.parametrize("line", BAD_LINES)
def test_a_line_that_cannot_be_read_is_named(line):
    with pytest.raises(ModelError) as caught:
        RuleList.parse(f"# a list\n{line}\notherwise Play = No", PLAY.schema)
    assert str(caught.value).startswith("line 2: ")
    assert BAD_LINES[line] in str(caught.value)


def test_a_list_ends_with_its_only_default():
    with pytest.raises(ModelError, match="line 2: no rule may follow"):
        RuleList.parse("otherwise Play = No\notherwise Play = No", PLAY.schema)
    with pytest.raises(ModelError, match="must end with a line like 'otherwise Play = No'"):
        RuleList.parse("if Outlook = Sunny then Play = No", PLAY.schema)
    with pytest.raises(ModelError, match="line 1"):
        RuleList.parse("", PLAY.schema)


def test_errors_among_several_classes_must_be_told_apart():
    with pytest.raises(ModelError, match="give the classes of the 2 errors"):
        RuleList.parse("otherwise Play = no (5/2)", WEATHER.schema)


@given(st.text(alphabet='ifthenandotherwise =<>{}(),:/"\\ \nPlayOutlook123.#', max_size=80))
@MANY
def test_any_text_reads_or_is_refused(text):
    with suppress(ModelError):
        model = RuleList.parse(text, PLAY.schema)
        assert RuleList.parse(str(model), PLAY.schema) == model


def test_what_does_not_fit_the_schema_is_refused():
    default = Rule((), (1, 1))
    for rules, fault in [
        ((Rule((SUNNY,), (1, 2, 3)),), "3 weights for 2 classes"),
        ((Rule((), (1, 2)),), "rule 1 has no conditions"),
        ((Rule((Condition("Sky", Operator.MISSING),), (1, 2)),), "no column 'Sky'"),
        ((Rule((Condition("Outlook", Operator.IS, "Snow"),), (1, 2)),), "no level 'Snow'"),
    ]:
        with pytest.raises(ModelError, match=fault):
            RuleList(PLAY.schema, rules, default)
    with pytest.raises(ModelError, match="the default rule must have no conditions"):
        RuleList(PLAY.schema, (), Rule((SUNNY,), (1, 2)))
    with pytest.raises(ModelError, match="has no classes"):
        RuleList(PLAY.schema.with_target("Humidity"), (), default)


@pytest.mark.parametrize("by_class", [(), (-1, 2), (float("nan"), 1), (float("inf"), 1), (1e301, 1)])
def test_impossible_weights_are_refused(by_class):
    with pytest.raises(ModelError, match="weights of a rule"):
        Rule((), by_class)


def test_many_rules_on_one_column_decide_as_they_stand():
    levels = tuple(f"level{i}" for i in range(3000))
    schema = Schema((Column("x", Kind.NOMINAL, levels), Column("y", Kind.NOMINAL, ("a", "b"))), "y")
    rules = [Rule((Condition("x", Operator.IS, level),), (0, 0), i % 2) for i, level in enumerate(levels)]
    rules.insert(5, Rule((Condition("x", Operator.IN, levels[:9]),), (0, 0), 1))
    model = RuleList(schema, tuple(rules), Rule((), (1, 0)))
    codes = np.array([*range(-1, 12), 2999], dtype=np.int32)
    table = Table(schema, (codes, np.zeros(len(codes), np.int32)), len(codes))
    assert model.deciding_rules(table).tolist() == [3001, 0, 1, 2, 3, 4, 5, 5, 5, 5, 10, 11, 12, 3000]


def test_lists_can_be_pickled_and_copied():
    model = weather_rules()
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert again == model
        assert np.array_equal(again.distribution(WEATHER), model.distribution(WEATHER))


def test_probabilities_are_smoothed_by_two_rows_spread_over_the_classes():
    """(w + 2/k) / (n + 2): with two classes Laplace's estimate."""
    two = RuleList.parse("if Outlook = Sunny then Play = No (5/2)\notherwise Play = Yes (3/0)", PLAY.schema)
    assert np.allclose(two.distribution(PLAY), [[4 / 7, 3 / 7], [1 / 5, 4 / 5]])
    three = weather_rules().distribution(WEATHER)[0]
    assert np.allclose(three, [(3 + 2 / 3) / 5, 2 / 3 / 5, 2 / 3 / 5])


def test_a_default_alone_has_the_plain_shares_and_one_without_counts_those_of_all_rules():
    alone = RuleList.parse("otherwise Play = Yes (10/3)", PLAY.schema)
    assert np.allclose(alone.distribution(PLAY), [[0.3, 0.7]] * 2)
    behind = RuleList.parse("if Outlook = Sunny then Play = No (6/2)\notherwise Play = Yes", PLAY.schema)
    just = 0.5 + 5e-10 / 2
    assert np.allclose(behind.distribution(PLAY), [[5 / 8, 3 / 8], [1 - just, just]])
    assert behind.predict(PLAY).tolist() == ["No", "Yes"]


def test_a_default_that_decides_nothing_leaves_rows_without_an_answer():
    text = "if Outlook = Sunny then Play = No (5/2)\notherwise no decision (3: No 2, Yes 1)"
    model = RuleList.parse(text, PLAY.schema)
    assert str(model).splitlines()[1] == "otherwise no decision (3: No 2, Yes 1)"
    assert model.predict(PLAY).tolist() == ["No", None]
    assert model.decide(PLAY).tolist() == [0, -1]
    assert np.allclose(model.distribution(PLAY)[1], [3 / 5, 2 / 5])
    bare = RuleList.parse("if Outlook = Sunny then Play = No\notherwise NO Decision  # ask", PLAY.schema)
    assert bare.distribution(PLAY).tolist() == [[1, 0], [0.5, 0.5]]


def test_a_target_called_no_and_words_with_a_hash_are_no_trouble():
    table = Table.of({"#": ["#a", "b # c"], "no": ["decision", "#"]}, target="no")
    model = RuleList.parse('if "#" = "#a" then no = decision (1/0) # b\notherwise no = "#" (1/0)', table.schema)
    assert model.predict(table).tolist() == ["decision", "#"]
    assert RuleList.parse(str(model), table.schema) == model


@pytest.mark.parametrize(
    ("right", "total", "text"),
    [(1, 3, "33.3 %"), (9999, 10000, "> 99.9 %"), (1, 10000, "< 0.1 %"), (0, 7, "0 %"), (7, 7, "100 %")],
)
def test_only_none_is_0_percent_and_only_all_is_100(right, total, text):
    assert percent_text(right / total) == text
