"""Rules as tables: the measures of each rule, for lists, sets and trees; the rows that each rule covers."""

import math
import re

import numpy as np
import pyarrow as pa
import pytest

import hedgerow
from hedgerow import RuleChoice, Table, UsageError
from hedgerow.checks import example
from hedgerow.models.base.condition import Condition, Operator
from hedgerow.models.base.rule_figures import LEARNERS
from hedgerow.models.rules.rule_list import Rule, RuleList
from hedgerow.models.rules.rule_set import RuleSet

NAMES = ["number", "conditions", "class", "n", "errors", "support", "confidence", "lift", "length", "default"]
LOAN = hedgerow.examples.loan()


def plain_loan():
    return LOAN.select(name for name in LOAN.schema.names if name != "ID")


def a_set():
    text = (
        "If Own_House = true then Class = Yes (6/0)\n"
        "If Has_Job = true then Class = Yes (5/0)\n"
        "If Has_Job = false and Credit_Rating = fair then Class = No (4/0)\n"
        "Where no rule covers or rules disagree, Class = Yes (15/6)\n"
    )
    return RuleSet.parse(text, plain_loan().schema)


def test_a_list_as_a_table():
    table = hedgerow.C45Rules().train(LOAN).to_table()
    assert isinstance(table, pa.Table)
    assert table.column_names == NAMES
    first, default = table.to_pylist()
    assert first == {
        "number": 1,
        "conditions": "Own_House = false and Has_Job = false",
        "class": "No",
        "n": 6.0,
        "errors": 0.0,
        "support": 6 / 15,
        "confidence": 1.0,
        "lift": pytest.approx(1 / (6 / 15)),
        "length": 2,
        "default": False,
    }
    assert (default["conditions"], default["class"], default["length"], default["default"]) == ("", "Yes", 0, True)
    assert default["lift"] == pytest.approx(1 / (9 / 15))


def test_pandas_and_polars_take_the_table():
    table = hedgerow.OneR().train(LOAN).to_table()
    frame = table.to_pandas()
    assert list(frame["class"]) == ["No", "Yes", "Yes"]
    assert frame["default"].dtype == bool
    polars = pytest.importorskip("polars")
    assert polars.from_arrow(table)["support"].to_list()[:2] == [0.4, 0.4]


@pytest.mark.parametrize("learner", [hedgerow.OneR(), hedgerow.C45Rules(), hedgerow.C45(), hedgerow.Majority()])
def test_the_counts_of_lists_and_paths_share_out_the_rows(learner):
    table = example(learner).with_weights(np.linspace(0.25, 1.75, 60))
    model = learner.train(table)
    figures = model.rule_rows()
    assert sum(one.n for one in figures) == pytest.approx(table.row_weights.sum(), rel=1e-4)
    prior = dict(
        zip(model.classes, np.bincount(table.target, table.row_weights) / table.row_weights.sum(), strict=True)
    )
    for one in figures:
        if one.n:
            assert one.support == pytest.approx((one.n - one.errors) / table.row_weights.sum(), rel=1e-4)
            assert one.lift == pytest.approx(one.confidence / prior[one.label], rel=1e-4)


def test_a_tree_is_its_paths_and_has_no_default():
    tree = hedgerow.C45().train(LOAN)
    rows = tree.to_table().to_pylist()
    assert [row["conditions"] for row in rows] == [
        "Own_House = false and Has_Job = false",
        "Own_House = false and Has_Job = true",
        "Own_House = true",
    ]
    assert not any(row["default"] for row in rows)
    leaf = hedgerow.C45().train(Table.of({"x": [1.0, 1.0], "y": ["a", "a"]}, "y"))
    (only,) = leaf.to_table().to_pylist()
    assert (only["default"], only["class"], only["n"]) == (True, "a", 2.0)


def test_a_set_takes_its_shares_of_all_rows():
    rows = a_set().to_table().to_pylist()
    assert [(row["class"], row["n"], row["support"]) for row in rows] == [
        ("No", 4.0, 4 / 15),
        ("Yes", 6.0, 6 / 15),
        ("Yes", 5.0, 5 / 15),
        ("Yes", 15.0, 9 / 15),
    ]
    assert rows[0]["lift"] == pytest.approx(15 / 6)


def test_what_was_written_by_hand_has_no_figures():
    rows = RuleList.parse("if Own_House = true then Class = Yes\notherwise Class = No", LOAN.schema).to_table()
    assert rows["n"].to_pylist() == [0.0, 0.0]
    for name in ("support", "confidence", "lift"):
        assert rows[name].to_pylist() == [None, None]
        assert rows.schema.field(name).type == pa.float64()


def test_a_default_that_decides_nothing_states_no_class():
    text = "if Own_House = true then Class = Yes (6/0)\notherwise no decision (9: No 6, Yes 3)"
    last = RuleList.parse(text, LOAN.schema).to_table().to_pylist()[-1]
    assert (last["class"], last["n"], last["errors"], last["confidence"], last["lift"]) == (None, 9.0, None, None, None)


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (hedgerow.NaiveBayes(), "naive Bayes has no rules"),
        (hedgerow.Bagging(n_estimators=2), "committee of 2 members has no rules of its own"),
        (hedgerow.CARTRegressor(), "predicts numbers"),
        (hedgerow.Mean(), "a model of kind 'constant' has no rules"),
    ],
)
def test_models_without_rules_say_what_to_do(learner, words):
    model = learner.train(example(learner))
    assert not model.rule_order
    with pytest.raises(UsageError, match=words):
        model.rule_rows()
    assert "`hedgerow show" in model.no_rules() or "learn rules" in model.no_rules()


def test_rows_are_covered_by_the_rule_that_decides_them():
    model = hedgerow.C45Rules().train(LOAN)
    found = model.rule_coverage(model.align(LOAN))
    assert np.bincount(found.rules).tolist() == [6, 9]
    assert model.rule_order == "list"


def test_rows_of_a_set_count_for_all_its_rules():
    rules = a_set()
    found = rules.rule_coverage(rules.align(LOAN))
    assert np.bincount(found.rules, found.shares).tolist() == [4, 6, 5, 2]
    assert rules.rule_order == "set"


@pytest.mark.parametrize("learner", [hedgerow.C45(), hedgerow.C45(prune="none"), hedgerow.CART()])
def test_missing_values_divide_rows_among_paths_as_the_tree_does(learner):
    table = example(learner, rows=200)
    tree = learner.train(table)
    found = tree.rule_coverage(tree.align(table))
    assert np.bincount(found.rows, found.shares, len(table)) == pytest.approx(np.ones(len(table)))
    covered = np.bincount(found.rules, found.shares)
    assert covered == pytest.approx([one.n for one in tree.rule_rows()], abs=1e-3)


def test_rules_are_chosen_and_sorted():
    figures = hedgerow.C45().train(hedgerow.examples.weather()).rule_rows()

    def texts(**asked):
        return [figures[place].conditions for place in RuleChoice(**asked).select_rules(figures)]

    assert texts(label="No") == ["Outlook = Sunny and Humidity > 75", "Outlook = Rainy and Windy = True"]
    assert texts(max_length=1) == ["Outlook = Overcast"]
    assert texts(min_support=0.2, label="Yes") == ["Outlook = Overcast", "Outlook = Rainy and Windy = False"]
    assert texts(sort="n")[0] == "Outlook = Overcast"
    assert texts(sort="length")[0] == "Outlook = Overcast"
    assert texts(sort="lift")[0] == "Outlook = Sunny and Humidity > 75"
    assert texts(min_confidence=1.0) == [one.conditions for one in figures]


def test_undefined_figures_are_last_and_no_filter_keeps_them():
    schema = Table.of({"x": ["a", "b"], "y": ["p", "q"]}, "y").schema
    bare = Rule((Condition("x", Operator.IS, "a"),), (0, 0), 0)
    model = RuleList(schema, (bare, Rule((Condition("x", Operator.IS, "b"),), (1, 3))), Rule((), (5, 0)))
    figures = model.rule_rows()
    assert math.isnan(figures[0].confidence)
    assert RuleChoice(sort="confidence").select_rules(figures) == [1, 0, 2]
    assert RuleChoice(min_confidence=0.0).select_rules(figures) == [1, 2]


def test_a_choice_says_when_it_is_no_model():
    assert RuleChoice().selection_notes("list", 0) == []
    assert "filtered is no longer a model" in RuleChoice(max_length=1).selection_notes("list", 2)[0]
    assert "filtered and sorted" in RuleChoice(sort="n").selection_notes("list", 2)[0]
    assert "rule set without some of its rules" in RuleChoice(max_length=1).selection_notes("set", 2)[0]
    assert RuleChoice(sort="n").selection_notes("paths", 0) == RuleChoice(sort="n").selection_notes("set", 0) == []


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"label": "yes"}, "there is no class 'yes'; did you mean 'Yes'?"),
        ({"label": "maybe"}, "the classes are 'No', 'Yes'"),
        ({"min_confidence": 80}, "min-confidence must be a share from 0 to 1, such as 0.8, but is 80"),
        ({"min_support": -0.1}, "min-support must be a share"),
        ({"min_support": math.nan}, "min-support must be a share"),
        ({"max_length": -1}, "max-length must be a number of conditions from 0 up"),
        ({"sort": "confidense"}, "did you mean 'confidence'?"),
    ],
)
def test_what_cannot_be_chosen(asked, words):
    with pytest.raises(UsageError) as told:
        RuleChoice(**asked).check(("No", "Yes"))
    assert words in str(told.value)


def test_the_sentence_on_models_without_rules_names_every_learner_of_rules():
    nominal = LOAN.select(column for column in LOAN.schema.names if column != "ID")
    named = set(re.findall(r"\w+", LEARNERS))
    for name, info in hedgerow.learners().items():
        if info.learner.estimator_type != "classifier" or name in ("simplest", "majority"):
            continue  # what they learn depends on the data, or has no rules but a default
        assert bool(info.learner().train(nominal).rule_order) == (name in named), name
