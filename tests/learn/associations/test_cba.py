"""CBA: the golden rules, what is chosen, the other strategies, laws and odd tables."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import CBA, RuleFeatures, Table, UsageError, examples, read, rule_cards
from hedgerow.data.design.discretize import Discretizer
from hedgerow.learn.associations import class_rule_params
from hedgerow.learn.associations.class_rule_options import ClassRuleOptions
from hedgerow.learn.associations.class_rule_params import class_rule_notes
from hedgerow.learn.associations.class_rules import mine_class_rules
from hedgerow.learn.associations.coded_rows import EncodedRows
from hedgerow.models.rules.parse_model import parse_model
from hedgerow.models.rules.rule_list import RuleList
from hedgerow.models.rules.rule_vote import RuleVote
from tests.reference import cars as plain
from tests.textbook import contact_lenses, loan_a, loan_b, weather, weather_numeric

LOAN = {"min_support": 2 / 15, "min_confidence": 0.8, "max_length": None}
CHOSEN = """\
if Own_House = true then Class = Yes (6/0)  # support 40 %, confidence 100 %
if Has_Job = false and Own_House = false then Class = No (6/0)  # support 40 %, confidence 100 %
if Has_Job = true then Class = Yes (3/0)  # support 20 %, confidence 100 %
otherwise Class = Yes"""


def mined(table, **params):
    return CBA(**params).show_work(table).cars


def figures(work):
    """Every rule as "conditions -> class" with hits and covered rows."""
    cars, levels = work.cars, work.schema.target_column.levels
    each = zip(cars.bodies(), cars.decisions.tolist(), cars.hits.tolist(), cars.covered.tolist(), strict=True)
    return {f"{', '.join(map(str, body))} -> {levels[code]}": (hits, n) for body, code, hits, n in each}


def test_example_rules_of_both_tables():
    """G26, G27: rules on Age and Has_Job are the same in both tables, those on Credit_Rating are not."""
    low = {"min_support": 1 / 15, "min_confidence": 0.5, "max_length": None}
    a, b = figures(CBA(**low).show_work(loan_a())), figures(CBA(**low).show_work(loan_b()))
    for found in (a, b):
        assert found["Age = young, Has_Job = true -> Yes"] == (2, 2)
        assert found["Age = young, Has_Job = false -> No"] == (3, 3)
    assert a["Credit_Rating = fair -> No"] == (4, 5)
    assert a["Credit_Rating = good -> Yes"] == (4, 6)
    assert b["Credit_Rating = fair -> No"] == (4, 4)
    assert b["Credit_Rating = good -> Yes"] == (5, 6)


@pytest.mark.parametrize(
    ("table", "lengths", "classes", "sure", "others"),
    [
        (loan_a(), [5, 19, 13, 2], [13, 26], 37, {"Age = old -> Yes": (4, 5), "Credit_Rating = fair -> No": (4, 5)}),
        (
            loan_b(),
            [6, 20, 14, 2],
            [13, 29],
            39,
            {
                "Age = old -> Yes": (4, 5),
                "Credit_Rating = excellent -> Yes": (4, 5),
                "Credit_Rating = good -> Yes": (5, 6),
            },
        ),
    ],
    ids=["loan_A", "loan_B"],
)
def test_all_rules_of_the_loans(table, lengths, classes, sure, others):
    """G28: 39 and 42 rules, by number of conditions, by class, and those that are not sure."""
    work = CBA(**LOAN).show_work(table)
    assert np.bincount(work.cars.lengths)[1:].tolist() == lengths
    assert np.bincount(work.cars.decisions).tolist() == classes
    found = figures(work)
    assert sum(hits == n for hits, n in found.values()) == sure
    assert {rule: pair for rule, pair in found.items() if pair[0] < pair[1]} == others


def test_rules_of_one_condition():
    """G28: in the order of the columns."""
    found = list(figures(CBA(**LOAN, strategy="strongest").show_work(loan_a())).items())[:5]
    assert found == [
        ("Age = old -> Yes", (4, 5)),
        ("Has_Job = true -> Yes", (5, 5)),
        ("Own_House = true -> Yes", (6, 6)),
        ("Credit_Rating = fair -> No", (4, 5)),
        ("Credit_Rating = excellent -> Yes", (4, 4)),
    ]


@pytest.mark.parametrize("algorithm", ["m1", "m2"])
@pytest.mark.parametrize("table", [loan_a(), loan_b()], ids=["loan_A", "loan_B"])
def test_the_list_of_the_loans(table, algorithm):
    """G29: three rules and the rows that each removes; nothing is left, and the default is the majority, Yes."""
    learner = CBA(**LOAN, algorithm=algorithm, cut=False)
    assert str(learner.train(table)) == CHOSEN
    work = learner.show_work(table)
    assert [[row + 1 for row in rows] for _, rows in work.steps()] == [
        [4, 8, 9, 10, 11, 12],
        [1, 2, 5, 6, 7, 15],
        [3, 13, 14],
    ]
    assert (
        learner.train(table).predict(table) == np.array(["No", "Yes"])[table.codes(table.schema.index("Class"))]
    ).all()


def test_the_cut_ends_the_list_where_it_errs_least():
    """G29: after two rules the default Yes is right about all that is left, so that the third is not needed."""
    model = CBA(**LOAN).train(loan_a())
    assert [line.split(" (")[0] for line in str(model).split("\n")] == [
        *[line.split(" (")[0] for line in CHOSEN.split("\n")[:2]],
        "otherwise Class = Yes",
    ]


@pytest.mark.parametrize("table", [loan_a(), loan_b()], ids=["loan_A", "loan_B"])
def test_the_strongest_rule_predicts(table):
    """G30: (young, false, false, good) is No, by Has_Job = false, Own_House = false."""
    row = Table.of({"Age": ["young"], "Has_Job": ["false"], "Own_House": ["false"], "Credit_Rating": ["good"]})
    model = CBA(**LOAN, strategy="strongest").train(table)
    assert model.predict(row).tolist() == ["No"]
    fired = model.rules[model.deciding_rules(model.align(row))[0]]
    assert " and ".join(map(str, fired.conditions)) == "Has_Job = false and Own_House = false"
    assert (fired.confidence, fired.support(15)) == (1.0, 6 / 15)


def test_least_supports_by_class():
    """G31: with 98 % negative rows each class has its own bound; 100 % or more leaves no rule of that class."""
    labels = ["-"] * 980 + ["+"] * 20
    marks = ["r"] * 30 + ["s"] * 950 + ["s"] * 16 + ["t"] * 4
    table = Table.of({"m": marks, "c": labels}, "c", {"c": ["-", "+"]})
    rules = lambda **params: set(figures(CBA(**params).show_work(table)))  # noqa: E731
    assert rules(min_supports={"+": 0.002, "-": 0.02}) == {"m = r -> -", "m = s -> -", "m = t -> +"}
    assert rules(min_supports={"+": 0.002, "-": 0.04}) == {"m = s -> -", "m = t -> +"}
    assert rules(min_supports={"+": 0.002, "-": 1.0}) == rules(min_supports={"+": "0.002", "-": 2}) == {"m = t -> +"}
    assert rules(min_support=0.004, of_class=True) >= {"m = t -> +"}
    assert rules(min_support=0.0041) == {"m = r -> -", "m = s -> -"}
    with pytest.raises(UsageError, match="'plus', which is not one of the classes"):
        CBA(min_supports={"plus": 0.1}).train(table)
    for bad in (0, -1, "x", None, float("nan")):
        with pytest.raises(UsageError, match="must be a share above 0"):
            CBA(min_supports={"+": bad}).train(table)


def test_supports_are_exact():
    table = Table.of({"a": ["x"] * 7 + ["y"] * 93, "c": ["+"] * 7 + ["-"] * 93}, "c")
    assert len(mined(table, min_support=0.07)) == 2
    assert len(mined(table, min_support=0.0700001)) == 1
    assert len(mined(loan_a(), **{**LOAN, "min_support": 1 / 15})) > len(mined(loan_a(), **LOAN))


def test_the_work_tells_all_there_is():
    text = str(CBA(**LOAN).show_work(loan_a()))
    assert text.startswith("39 rules: 5 of 1, 19 of 2, 13 of 3, 2 of 4 conditions; No 13, Yes 26\n")
    assert "\n 2    1.000000     40 %  if Has_Job = false and Own_House = false then Class = No\n" in text
    assert (
        "\n*     6       0  Yes               0      0  if Has_Job = false and Own_House = false then\n"
        "                                             Class = No\n"
        "                                             covers 1, 2, 5, 6, 7, 15\n"
    ) in text
    last = " ".join(text.rsplit("\n\n", maxsplit=1)[-1].split())
    assert last == (
        "Fewest errors in training first after 2 rules: 0 errors; default Class = Yes, the most frequent class of the "
        "remaining rows"
    )
    strongest = str(CBA(**LOAN, strategy="strongest").show_work(loan_a()))
    assert "that do not follow a more general rule" in strongest
    assert "its errors" not in strongest
    assert "All rules are kept, 3 rules: 0 errors" in str(CBA(**LOAN, strategy="combined").show_work(loan_a()))
    assert max(map(len, str(CBA().show_work(wide())).split("\n"))) <= 100


def wide():
    rng = np.random.default_rng(1)
    long = ["a level that goes on and on for quite a while, and then some more", "x" * 150]
    columns = {f"a rather long name of a column {i}": [long[v] for v in rng.integers(0, 2, 60)] for i in range(3)}
    return Table.of({**columns, "y": [f"class {v}" for v in rng.integers(0, 3, 60)]}, "y")


def test_trace_prints_the_work(capsys):
    CBA(trace=True).train(loan_a())
    assert capsys.readouterr().out.strip() == str(CBA().show_work(loan_a()))


def test_strategies_print_read_back_and_predict():
    for strategy, kind in (("cba", RuleList), ("strongest", RuleVote), ("combined", RuleVote)):
        model = CBA(strategy=strategy).train(contact_lenses())
        assert isinstance(model, kind)
        again = parse_model(str(model), model.schema)
        assert again == model
        assert np.array_equal(again.distribution(contact_lenses()), model.distribution(contact_lenses()))
    assert CBA(strategy="combined", voters=3).train(contact_lenses()).voters == 3
    assert CBA(strategy="strongest").train(contact_lenses()).voters == 1


def test_the_strongest_of_all_rules_decides_although_only_general_ones_are_kept():
    table = weather()
    model = CBA(strategy="strongest", min_confidence=0.3).train(table)
    cars = CBA(strategy="strongest", min_confidence=0.3).show_work(table).cars
    bodies, order = list(cars.bodies()), cars.order.tolist()
    for row in range(table.n_rows):
        one = table.slice(row, row + 1)
        covers = lambda body, one=one: all(condition.covers(one)[0] for condition in body)  # noqa: E731
        first = next(number for number in order if covers(bodies[number]))
        assert model.decide(one)[0] == cars.decisions[first]


def test_kept_rules_forbidden_columns_and_limits():
    kept = "if Age = old then Class = Yes"
    for strategy in ("cba", "strongest", "combined"):
        model = CBA(keep_rules=kept, forbid="Own_House", strategy=strategy).train(loan_a())
        assert str(model).lower().startswith("if age = old then class = yes (5/1)")
        assert "Own_House" not in model.columns_used()
    assert len(CBA(keep_rules=kept, max_rules=0).train(loan_a()).rules) == 1
    assert len(CBA(max_rules=1).train(loan_a()).rules) == 1
    assert len(CBA(max_rules=1, strategy="combined").train(loan_a()).rules) == 1
    assert max(len(rule.conditions) for rule in CBA(max_length=1).train(loan_a()).rules) == 1
    everything = "if Age in {young, middle, old} then Class = No"
    model = CBA(keep_rules=everything).train(loan_a())
    assert len(model.rules) == 1
    assert model.default.decision == 1  # nothing is left: the majority
    with pytest.raises(UsageError, match="did you mean 'Age'"):
        CBA(forbid="Aga").train(loan_a())
    for params in (
        {"min_support": 0},
        {"min_support": 1.1},
        {"min_confidence": 2},
        {"voters": 0},
        {"strategy": "best"},
    ):
        with pytest.raises(UsageError, match="is not allowed"):
            CBA(**params).train(loan_a())


def test_default_may_decide_nothing():
    table = Table.of({"a": ["x", "x", "y"], "c": ["+", "+", "-"]}, "c")
    rows = Table.of({"a": [None]}, levels={"a": ["x"]})
    for strategy in ("cba", "strongest", "combined"):
        assert CBA(default=None, strategy=strategy).train(table).decide(rows).tolist() == [-1]


@pytest.mark.parametrize("strategy", ["cba", "strongest", "combined"])
def test_odd_tables_end_as_a_default(strategy):
    odd = {
        "one class": {"a": ["x", "y"], "c": ["+", "+"]},
        "one row": {"a": ["x"], "c": ["+"]},
        "no columns": {"c": ["+", "-", "-"]},
        "constant": {"a": ["x"] * 3, "c": ["+", "-", "-"]},
        "all missing": {"a": [None] * 3, "c": ["+", "-", "-"]},
        "uncut": {"a": [1.0, 2.0, 3.0], "c": ["+", "-", "+"]},
    }
    for name, columns in odd.items():
        table = Table.of(columns, "c")
        model = CBA(strategy=strategy).train(table)
        heaviest = max(columns["c"], key=columns["c"].count)
        if name != "one class":
            assert len(model.rules) == 0, name
        assert set(model.predict(table)) == {heaviest}, name
        assert str(CBA(strategy=strategy).show_work(table))
    no_rule = CBA(min_support=0.9, strategy=strategy)
    assert len(no_rule.train(loan_a()).rules) == 0
    assert (
        str(no_rule.show_work(loan_a())) == "No rule has the minimum support and confidence: there is only the default."
    )


def test_a_missing_value_is_no_item():
    table = Table.of({"a": ["x", "x", None, None, "y"], "b": ["u", None, "u", None, "v"], "c": [*"++-+-"]}, "c")
    found = figures(CBA(max_length=2, min_confidence=0).show_work(table))
    assert found["a = x -> +"] == (2, 2)
    assert found["a = x, b = u -> +"] == (1, 1)
    assert found["b = u -> -"] == (1, 2)
    model = CBA().train(table)
    rows = Table.of({"a": [None, "x"], "b": ["v", None]})
    assert model.deciding_rules(model.align(rows)).tolist() != [len(model.rules)] * 2


def test_numbers_are_cut_and_texts_left_out():
    model = CBA(discretize="width", bins=2).train(weather_numeric())
    assert any(condition.column == "Humidity" for rule in model.rules for condition in rule.conditions)
    texts = [f"many different words {i}, so that this is a text, not a level" for i in range(15)]
    columns = {"essay": texts, "a": ["x"] * 8 + ["y"] * 7, "c": ["+"] * 8 + ["-"] * 7}
    table = read(pd.DataFrame(columns), target="c", kinds={"essay": "text"})
    assert any("essay" in note for note in CBA().train(table).about.notes)


@pytest.mark.parametrize("strategy", ["cba", "strongest", "combined"])
def test_weights_are_repeated_rows_and_their_scale_does_not_matter(strategy):
    table = contact_lenses()
    weights = np.arange(table.n_rows) % 3 + 1.0
    weighted = CBA(strategy=strategy).train(table.with_weights(weights))
    repeated = CBA(strategy=strategy).train(table.take(np.repeat(np.arange(table.n_rows), weights.astype(int))))
    assert str(weighted) == str(repeated)
    for factor in (0.1, 1e-20, 1e25):
        scaled = CBA(strategy=strategy).train(table.with_weights(weights * factor))
        assert [rule.conditions for rule in scaled.rules] == [rule.conditions for rule in weighted.rules]


def test_too_many_sets_make_shorter_rules_then_a_higher_support_and_it_is_noted():
    rng = np.random.default_rng(5)
    columns = {f"c{i}": [f"v{v}" for v in rng.integers(0, 3, 300)] for i in range(9)}
    table = Table.of({**columns, "y": [f"k{v}" for v in rng.integers(0, 2, 300)]}, "y")
    free = CBA(max_length=None, max_candidates=None).train(table)
    assert not free.about.notes
    short = CBA(min_support=0.01, max_length=None, max_candidates=6000).train(table)
    (note,) = short.about.notes
    assert note == (
        "more than 6,000 sets of conditions have the minimum support of 1 %, so that rules have at most 3 conditions; "
        "max_candidates, min_support and max_length change that"
    )
    two = CBA(min_support=0.01, max_candidates=500).train(table)
    assert "have the minimum support of 1 %, so that rules have at most 2 conditions; max" in two.about.notes[0]
    few = CBA(max_length=None, max_candidates=200).train(table)
    assert "so that rules have at most 2 conditions, and the minimum support was raised to" in few.about.notes[0]
    assert "have the minimum support of 1 % of all rows or 2 % of a class, so" in few.about.notes[0]
    least = CBA(max_length=None, max_candidates=1).train(table)
    assert len(least.rules) == 0


def test_rules_take_no_more_memory_than_they_may():
    rng = np.random.default_rng(5)
    columns = {f"c{i}": [f"v{v}" for v in rng.integers(0, 2, 300)] for i in range(12)}
    table = Table.of({**columns, "y": [f"k{v}" for v in rng.integers(0, 2, 300)]}, "y")
    rows = EncodedRows.of(table, table.schema.predictors, Discretizer("mdl", 5))
    asked = ClassRuleOptions(min_confidence=0, memory=10**9)
    free = mine_class_rules(rows, asked)
    assert max(free.lengths) > 4
    assert (free.max_tests, free.raised_support, free.full) == (0, 1, False)
    less = mine_class_rules(rows, replace(asked, memory=300_000))
    assert (less.max_tests, less.raised_support, less.full) == (3, 1, True)
    assert len(less) == (free.lengths <= 3).sum()
    (note,) = class_rule_notes(less, asked)
    assert note == (
        "the rules with the minimum support of 1 % of all rows or 2 % of a class would take too much memory, so that "
        "rules have at most 3 conditions; min_support, min_confidence and max_length change that"
    )
    little = mine_class_rules(rows, replace(asked, memory=2000))
    assert little.raised_support > 1
    assert little.full
    assert len(little) < 100


def test_without_a_least_support_classes_of_any_size_have_rules():
    rng = np.random.default_rng(7)
    classes = np.repeat(np.arange(60), [1000, *[10] * 59])
    a = np.where(rng.random(len(classes)) < 0.9, classes, rng.integers(0, 60, len(classes)))
    table = Table.of({"a": [f"v{v}" for v in a], "c": [f"k{v}" for v in classes]}, "c")
    everything = CBA().train(table)
    assert len({rule.code for rule in everything.rules}) > 50
    assert not [note for note in everything.about.notes if "no rule of" in note]
    few = CBA(min_support=0.01).train(table)
    assert {rule.code for rule in few.rules} <= {0}
    (note,) = few.about.notes
    assert note.startswith("no rule of the classes k1, k2, k3, k4, k5, k6, k7, k8, k9, k10 and 49 more has the minimum")
    assert str(CBA(min_support=0.02, of_class=True).train(table)) == str(CBA(of_class=True).train(table))
    assert {rule.code for rule in CBA(min_supports={"k0": 1}).train(table).rules} == set(range(1, 60))
    assert not CBA(min_supports={"k0": 1}).train(table).about.notes  # k0 was not asked for


def test_too_many_rules_for_a_file_are_left_out_and_it_is_noted(monkeypatch):
    free = CBA(strategy="strongest").train(loan_a())
    monkeypatch.setattr(class_rule_params, "MOST_RULES", 4)
    few = CBA(strategy="strongest").train(loan_a())
    assert few.rules == free.rules[:4]
    assert few.about.notes[-1] == (
        f"of {len(free.rules)} rules the first 4 by precedence are kept; min_support and max_rules change that"
    )
    assert CBA(strategy="strongest", max_rules=5).train(loan_a()).rules == free.rules[:5]
    assert len(RuleFeatures(max_rules=None).train(loan_a()).rules) == 4


def test_classes_of_min_supports_may_be_numbers_as_y_holds_them():
    X = np.array([[0.0], [0.0], [1.0], [1.0]] * 10)
    for low, high in ((0, 1), (False, True), (0.0, 1.0)):
        y = np.where(X[:, 0] > 0, high, low)
        assert {rule.code for rule in CBA(min_supports={high: 1.0}).fit(X, y).model_.rules} == {0}
    with pytest.raises(UsageError, match="min_supports names '7'"):
        CBA(min_supports={7: 0.1}).fit(X, y)


def test_pessimistic_pruning_drops_rules_that_a_shorter_one_makes_needless():
    every, some = mined(loan_a(), **LOAN), mined(loan_a(), **LOAN, prune=True)
    assert 0 < len(some) < len(every)
    assert (np.diff(some.starts) == 1).sum() == 5  # rules of one condition stay
    assert CBA(**LOAN, prune=True).train(loan_a()).rules[0] == CBA(**LOAN).train(loan_a()).rules[0]


def test_cards_and_tables_tell_of_the_rules():
    for strategy in ("cba", "combined"):
        cards = rule_cards(CBA(strategy=strategy), examples.loan(), folds=3)
        assert len(cards) == len(cards.model.rules) + 1
        assert cards.to_arrow().num_rows == len(cards)


@st.composite
def tables(draw):
    rows = draw(st.integers(2, 30))
    columns = {
        f"a{i}": draw(st.lists(st.sampled_from(["x", "y", "z", None]), min_size=rows, max_size=rows)) for i in range(3)
    }
    labels = draw(st.lists(st.sampled_from(["p", "q", "r"]), min_size=rows, max_size=rows))
    levels = {name: ["x", "y", "z"] for name in columns}
    return Table.of({**columns, "y": labels}, "y", {**levels, "y": ["p", "q", "r"]})


@settings(max_examples=100, deadline=None)
@given(tables(), st.sampled_from([0.05, 0.1, 0.3]), st.sampled_from([0.0, 0.5, 0.75]))
def test_the_whole_learner_is_its_twin(table, support, confidence):
    params = {"min_support": support, "min_confidence": confidence, "max_length": None}
    model = CBA(**params).train(table)
    assert str(CBA(**params, algorithm="m2").train(table)) == str(model)
    columns = [table.codes(i).tolist() for i in range(3)]
    labels, weights = table.codes(3).tolist(), [1] * table.n_rows
    bounds = [max(1, int(np.ceil(round(support * table.n_rows, 9))))] * 3
    rules = plain.mine(columns, [3] * 3, labels, 3, weights, bounds, Fraction(str(confidence)))
    chosen = plain.m1(rules, plain.precedence(rules), columns, labels, 3, weights)
    size, default = plain.cut(chosen, rules, labels, 3, weights)
    expected = [(rules[number][1], covered) for number, covered in chosen[:size]]
    assert [(rule.code, list(rule.weights)) for rule in model.rules] == expected
    assert model.default.decision == default
