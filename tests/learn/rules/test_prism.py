"""PRISM: the golden tables and rules, the reference implementation, laws and odd tables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import Prism, Table, UsageError
from hedgerow._kernels import learn_prism_rules
from hedgerow.learn.rules.whole_weights import WholeWeights
from hedgerow.models.rules.rule_set import RuleSet
from tests.reference.covering import prism
from tests.textbook import contact_lenses, loan_a, weather


def said(model, label):
    """Return the conditions of the rules of a class as they print, with n and errors."""
    code = model.classes.index(label)
    found = [rule for rule in model.rules if rule.code == code]
    return [(" and ".join(map(str, rule.conditions)), rule.n, rule.errors) for rule in found]


def steps(table, label):
    """Return the work of a class: for every rule its steps, each as {test: "p/t"} and the chosen test."""
    work = Prism().show_work(table)
    names = [[str(test[0]) for test in column] for column in work.columns.conditions]
    code = table.schema.target_column.levels.index(label)
    return [
        [
            (
                {names[c][v]: f"{p:g}/{t:g}" for (c, v), p, t in step.tests},
                names[step.chosen_test[0]][step.chosen_test[1]],
            )
            for step in rule.steps
        ]
        for rule in work.rules()
        if rule.decision == code
    ]


def test_first_condition_of_the_first_rule_for_hard():
    """G35: p/t of all nine tests; Astigmatism = Yes wins the tie with Tear = Normal as the first column."""
    counts, chosen = steps(contact_lenses(), "Hard")[0][0]
    assert counts == {
        "Age = Young": "2/8",
        "Age = Pre-presbyopic": "1/8",
        "Age = Presbyopic": "1/8",
        "Spectacle = Myope": "3/12",
        "Spectacle = Hypermetrope": "1/12",
        "Astigmatism = No": "0/12",
        "Astigmatism = Yes": "4/12",
        "Tear = Reduced": "0/12",
        "Tear = Normal": "4/12",
    }
    assert chosen == "Astigmatism = Yes"


def test_second_condition():
    """G36: p/t given Astigmatism = Yes; Tear = Normal is chosen."""
    counts, chosen = steps(contact_lenses(), "Hard")[0][1]
    assert list(counts.values()) == ["2/4", "1/4", "1/4", "3/6", "1/6", "0/6", "4/6"]
    assert chosen == "Tear = Normal"


def test_third_condition_goes_to_the_larger_p():
    """G37: Young 2/2 and Myope 3/3 are equally accurate; Myope covers more."""
    counts, chosen = steps(contact_lenses(), "Hard")[0][2]
    assert list(counts.values()) == ["2/2", "1/2", "1/2", "3/3", "1/3"]
    assert chosen == "Spectacle = Myope"


def test_second_rule_for_hard():
    """G38: on the remaining 21 rows Age = Young (1/7), Astigmatism = Yes (1/3, a tie), Tear = Normal (1/1)."""
    second = steps(contact_lenses(), "Hard")[1]
    assert [(chosen, counts[chosen]) for counts, chosen in second] == [
        ("Age = Young", "1/7"),
        ("Astigmatism = Yes", "1/3"),
        ("Tear = Normal", "1/1"),
    ]
    assert second[1][0]["Tear = Normal"] == "1/3"
    assert len(steps(contact_lenses(), "Hard")) == 2


def test_all_rules_of_contact_lenses():
    """G39: nine rules; E starts from all rows for each class, and p/t on all data is what the rules print."""
    model = Prism().train(contact_lenses())
    assert isinstance(model, RuleSet)
    assert model.conflict == "default"
    assert said(model, "Soft") == [
        ("Astigmatism = No and Tear = Normal and Spectacle = Hypermetrope", 3, 0),
        ("Astigmatism = No and Tear = Normal and Age = Young", 2, 0),
        ("Age = Pre-presbyopic and Astigmatism = No and Tear = Normal", 2, 0),
    ]
    assert said(model, "Hard") == [
        ("Astigmatism = Yes and Tear = Normal and Spectacle = Myope", 3, 0),
        ("Age = Young and Astigmatism = Yes and Tear = Normal", 2, 0),
    ]
    assert said(model, "None") == [
        ("Tear = Reduced", 12, 0),
        ("Age = Presbyopic and Tear = Normal and Spectacle = Myope and Astigmatism = No", 1, 0),
        ("Spectacle = Hypermetrope and Astigmatism = Yes and Age = Pre-presbyopic", 2, 0),
        ("Age = Presbyopic and Spectacle = Hypermetrope and Astigmatism = Yes", 2, 0),
    ]
    left = [(rule.p, rule.t) for rule in Prism().show_work(contact_lenses()).rules()]
    assert left == [(12, 12), (1, 1), (1, 1), (1, 1), (3, 3), (1, 1), (1, 1), (3, 3), (1, 1)]
    table = contact_lenses()
    assert (model.decide(table) == table.codes(4)).all()


def test_weather():
    """G40: four rules for Yes, two for No."""
    model = Prism().train(weather())
    assert said(model, "Yes") == [
        ("Outlook = Overcast", 4, 0),
        ("Humidity = Normal and Windy = False", 4, 0),
        ("Temp = Mild and Humidity = Normal", 2, 0),
        ("Outlook = Rainy and Windy = False", 3, 0),
    ]
    assert said(model, "No") == [
        ("Outlook = Sunny and Humidity = High", 3, 0),
        ("Outlook = Rainy and Windy = True", 2, 0),
    ]
    left = {(rule.decision, rule.p) for rule in Prism().show_work(weather()).rules()}
    assert left == {(0, 3), (0, 2), (1, 4), (1, 3), (1, 1)}


def test_the_print_states_the_default_and_reads_back():
    model = Prism().train(contact_lenses())
    lines = str(model).split("\n")
    assert lines[0] == "If Tear = Reduced then Lenses = None (12/0)  # support 50 %, confidence 100 %"
    assert lines[-1] == "Where no rule covers or rules disagree, Lenses = None (24/9: None 15, Soft 5, Hard 4)"
    assert RuleSet.parse(str(model), model.schema) == model


def test_no_rule_or_rules_that_disagree_leave_it_to_the_default():
    model = Prism().train(weather())
    rows = Table.of(
        {"Outlook": ["Sunny", None], "Temp": ["Mild", None], "Humidity": [None, None], "Windy": ["True", None]}
    )
    assert model.predict(rows).tolist() == ["Yes", "Yes"]
    table = Table.of({"a": ["x", "x", "y", "z"], "b": ["u", "w", "v", "v"], "c": ["+", "+", "-", "-"]}, "c")
    model = Prism().train(table)
    both = Table.of({"a": ["x", "x"], "b": ["u", "v"]})
    assert model.predict(both).tolist() == ["+", "+"]  # the second is a conflict, which the first class wins by default
    assert Prism(default=None).train(table).decide(both).tolist() == [0, -1]


def test_contradictions_end_as_rules_with_errors():
    table = Table.of({"a": ["x", "x", "x", "y"], "b": ["u", "u", "u", "u"], "c": ["+", "+", "-", "-"]}, "c")
    model = Prism().train(table)
    assert said(model, "+") == [("a = x and b = u", 3, 1)]
    assert said(model, "-") == [("a = y", 1, 0), ("a = x and b = u", 3, 2)]
    assert "no remaining test would improve it" in str(Prism().show_work(table))


def test_missing_values_fail_every_test():
    table = Table.of({"a": ["x", None, "y", None], "b": ["u", "u", None, None], "c": ["+", "+", "-", "+"]}, "c")
    model = Prism().train(table)
    assert said(model, "+") == [("b = u", 2, 0)]  # no rule can cover the last row
    assert said(model, "-") == [("a = y", 1, 0)]


def test_numbers_are_cut_and_rules_print_their_bounds():
    values = [float(v) for v in range(90)]
    table = Table.of({"x": values, "c": ["a"] * 30 + ["b"] * 30 + ["a"] * 30}, "c")
    model = Prism(discretize="mdl").train(table)
    lines = str(model).split("\n")
    assert [line.split("  #")[0] for line in lines[:3]] == [
        "If x <= 29.5 then c = a (30/0)",
        "If x > 59.5 then c = a (30/0)",
        "If 29.5 < x <= 59.5 then c = b (30/0)",
    ]
    assert model.predict(Table.of({"x": [29.5, 29.6, 100.0]})).tolist() == ["a", "b", "a"]
    wide = Prism(discretize="width", bins=3).train(table)
    assert "29.7" in str(wide)


def test_one_class_one_row_and_no_columns_make_a_default_only():
    for columns in ({"a": ["x", "y"], "c": ["+", "+"]}, {"a": ["x"], "c": ["+"]}, {"c": ["+", "-"]}):
        model = Prism().train(Table.of(columns, "c"))
        assert len(model.rules) == 0
        assert "there are no rules" in str(Prism().show_work(Table.of(columns, "c")))


def test_kept_rules_forbidden_columns_and_limits():
    table = contact_lenses()
    kept = "if Tear = Normal and Astigmatism = Yes then Lenses = Hard"
    model = Prism(keep_rules=kept, forbid="Age").train(table)
    assert said(model, "Hard") == [("Tear = Normal and Astigmatism = Yes", 6, 2)]  # covers all four
    assert "Age" not in model.columns_used()
    assert max(len(rule.conditions) for rule in Prism(max_length=2).train(table).rules) == 2
    assert len(Prism(max_rules=1).train(table).rules) == 3
    assert len(Prism(max_rules=0).train(table).rules) == 0
    with pytest.raises(UsageError, match="did you mean 'Age'"):
        Prism(forbid="Aga").train(table)
    with pytest.raises(UsageError, match="discretize='mdll'"):
        Prism(discretize="mdll").train(table)


def test_trace_prints_the_work(capsys):
    Prism(trace=True).train(loan_a())
    printed = capsys.readouterr().out
    assert printed.startswith("Rule 1, condition 1: If ? then Class = No")
    assert printed.strip() == str(Prism().show_work(loan_a()))


@pytest.mark.parametrize("table", [contact_lenses(), weather(), loan_a()])
def test_scaled_weights_change_nothing_but_counts(table):
    plain = Prism().train(table)
    for factor in (3.0, 0.1, 1e-20, 1e25):
        scaled = Prism().train(table.with_weights(np.full(table.n_rows, factor)))
        assert [rule.conditions for rule in scaled.rules] == [rule.conditions for rule in plain.rules]


@st.composite
def coded_tables(draw):
    rows = draw(st.integers(1, 40))
    levels = draw(st.lists(st.integers(1, 4), min_size=0, max_size=4))
    columns = [draw(st.lists(st.integers(-1, n - 1), min_size=rows, max_size=rows)) for n in levels]
    classes = draw(st.integers(1, 3))
    labels = draw(st.lists(st.integers(0, classes - 1), min_size=rows, max_size=rows))
    weights = draw(st.one_of(st.just([1] * rows), st.lists(st.integers(1, 5), min_size=rows, max_size=rows)))
    return columns, levels, labels, classes, weights


@settings(max_examples=200, deadline=None)
@given(
    coded_tables(),
    st.integers(1, 2),
    st.sampled_from([None, 1, 2]),
    st.sampled_from([None, 0, 1, 3]),
    st.sets(st.integers(0, 39)),
    st.booleans(),
)
def test_the_kernel_is_its_twin(table, threads, length, most, taken, weighed):
    columns, levels, labels, classes, weights = table
    some = [{row for row in taken if (row + wanted) % 2} for wanted in range(classes)]
    flags = np.array([[row in rows for row in range(len(labels))] for rows in some], dtype=np.uint8)
    options = {"most_tests": length, "most_rules": most}
    options = {name: value for name, value in options.items() if value is not None}
    ticks = WholeWeights.of(np.array(weights, dtype=np.float64)).weight
    found = learn_prism_rules(
        [np.array(column, dtype=np.int32) for column in columns],
        levels,
        np.array(labels, dtype=np.int32),
        classes,
        np.array(weights, dtype=np.int64) if weighed else ticks,
        flags.reshape(-1),
        {**options, "rounded": False},
        threads,
    )
    tests = list(zip(found["columns"].tolist(), found["codes"].tolist(), strict=True))
    starts = found["starts"].tolist()
    covered = found["covered"].reshape(-1, classes).tolist()
    rules = [
        (decision, tests[starts[i] : starts[i + 1]], covered[i])
        for i, decision in enumerate(found["decisions"].tolist())
    ]
    assert rules == prism(columns, levels, labels, classes, weights, some, most_tests=length or 9, **_most(most))


def _most(rules):
    return {} if rules is None else {"most_rules": rules}


def test_many_rows_share_the_counts_of_earlier_rules():
    """Parts of more than a few rows are kept between rules; the twin counts everything anew."""
    rng = np.random.default_rng(3)
    columns = [rng.integers(-1, n, 1500).astype(np.int32) for n in (2, 2, 3, 4)]
    labels = ((columns[0] == 1) & (columns[2] < 2) ^ (rng.random(1500) < 0.1)).astype(np.int32)
    levels, nothing = [2, 2, 3, 4], np.empty(0, dtype=np.uint8)
    found = learn_prism_rules(columns, levels, labels, 2, np.empty(0, dtype=np.int64), nothing, {}, 2)
    twin = prism([c.tolist() for c in columns], levels, labels.tolist(), 2, [1] * 1500)
    tests = list(zip(found["columns"].tolist(), found["codes"].tolist(), strict=True))
    assert tests == [test for _, tests, _ in twin for test in tests]
    assert found["covered"].reshape(-1, 2).tolist() == [covered for *_, covered in twin]


def test_the_kernel_refuses_arrays_that_do_not_fit():
    codes, labels, none = np.zeros(3, dtype=np.int32), np.zeros(3, dtype=np.int32), np.empty(0, dtype=np.int64)
    taken = np.empty(0, dtype=np.uint8)
    for bad in (
        ([codes], [0], labels, 1, none, taken),
        ([codes], [1], labels[:2], 1, none, taken),
        ([codes], [1], labels + 1, 1, none, taken),
        ([codes], [1], labels, 1, np.ones(2, dtype=np.int64), taken),
        ([codes], [1], labels, 1, np.zeros(3, dtype=np.int64), taken),
        ([codes], [1], labels, 1, none, np.zeros(2, dtype=np.uint8)),
        ([np.zeros(3)], [-1], labels, 1, none, taken),
    ):
        with pytest.raises(ValueError, match=r"."):
            learn_prism_rules(*bad, {}, 1)


def test_ticks_are_exact_for_whole_weights_and_close_for_others():
    assert WholeWeights.of(np.ones(3)).weight.tolist() == []
    assert WholeWeights.of(np.array([2.0, 3.0])).weight.tolist() == [2, 3]
    rounded = WholeWeights.of(np.array([0.1, 0.2, 1e-30]))
    assert rounded.is_rounded
    assert rounded.weight.min() == 1
    assert rounded.weights(rounded.weight)[:2] == pytest.approx([0.1, 0.2], rel=1e-15)
    assert WholeWeights.of(np.array([2.0, 3.0])).of_weight(2.5) == 3
    assert WholeWeights.of(np.ones(2)).of_weight(1e300) == 2**62


def test_fractional_weights_and_the_order_of_rows():
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 3, (4, 120))
    columns = {f"a{i}": [f"v{v}" for v in column] for i, column in enumerate(codes)}
    levels = dict.fromkeys(columns, ("v0", "v1", "v2"))
    columns["c"] = [f"c{v}" for v in (codes[0] + codes[1]) % 3]
    levels["c"] = ("c0", "c1", "c2")
    table = Table.of(columns, "c", levels, weights=rng.random(120) + 0.01)
    assert str(Prism().train(table)) == str(Prism().train(table.take(rng.permutation(120))))


def test_columns_of_very_many_levels():
    """More levels than fit into 16 bits: rules of single rows, found all the same."""
    rows = 70_000
    codes = np.arange(rows, dtype=np.int32)
    labels = (codes < 3).astype(np.int32)
    nothing, none = np.empty(0, dtype=np.uint8), np.empty(0, dtype=np.int64)
    found = learn_prism_rules([codes], [rows], labels, 2, none, nothing, {"most_rules": 5}, 1)
    assert found["codes"].tolist() == [3, 4, 5, 6, 7, 0, 1, 2]


def test_numbers_whose_range_is_no_number():
    most = float(np.finfo(float).max)
    table = Table.of({"x": [-most, -most, 0.0, most, most], "y": ["a", "a", "b", "a", "a"]}, "y")
    model = Prism(discretize="width", bins=3).train(table)
    assert model.predict(table).tolist() == ["a", "a", "b", "a", "a"]
    assert all(np.isfinite(one.value) for rule in model.rules for one in rule.conditions)
