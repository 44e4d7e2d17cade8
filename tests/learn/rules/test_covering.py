"""Sequential covering: the reference implementation, textbook tables, invariants, and user constraints."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import Covering, Table, UsageError
from hedgerow._kernels import learn_covering_rules
from hedgerow.learn.rules.covering_work import read_candidates
from hedgerow.models.rules.rule_list import RuleList
from hedgerow.models.rules.rule_set import RuleSet
from tests.reference.covering import Plain
from tests.textbook import contact_lenses, loan_a, weather, weather_numeric

ENTROPY = {"evaluation": "entropy"}


def bare(model):
    """Return the lines of a print without support and confidence."""
    return [line.split("  #")[0] for line in str(model).split("\n")]


def test_ordered_rules_of_any_class():
    """M121, M123: a rule of any class may come next, and the majority of what is left is the default."""
    model = Covering(**ENTROPY).train(loan_a())
    assert isinstance(model, RuleList)
    assert bare(model) == [
        "if Own_House = true then Class = Yes (6/0)",
        "if Has_Job = false then Class = No (6/0)",
        "otherwise Class = Yes (3/0)",
    ]


def test_entropy_on_the_weather():
    """M120, M124, M125: the purest candidate of the beam, of equals the heavier one; then again on the rows left."""
    assert bare(Covering(**ENTROPY).train(weather())) == [
        "if Outlook = Overcast then Play = Yes (4/0)",
        "if Temp = Hot then Play = No (2/0)",
        "if Windy = False and Outlook = Rainy then Play = Yes (3/0)",
        "if Outlook = Rainy then Play = No (2/0)",
        "if Humidity = Normal then Play = Yes (2/0)",
        "otherwise Play = No (1/0)",
    ]


def test_the_first_covering_rule_decides():
    """M119: the list is applied top down, and the default is for rows that no rule covers."""
    model = Covering(**ENTROPY).train(weather())
    rows = {"Outlook": ["Overcast", "Rainy", None], "Temp": ["Hot", "Cool", None]}
    rows |= {"Humidity": ["High", "High", None], "Windy": ["True", "True", None]}
    assert model.predict(Table.of(rows)).tolist() == ["Yes", "No", "No"]


def test_x_and_y():
    """M135: class b is x <= 1.2, or x > 1.2 and y <= 2.6; thresholds are exact."""
    x = [0.2, 0.5, 0.9, 1.1, 1.3, 1.6, 2.0, 2.4, 1.4, 1.8, 2.2, 2.6]
    y = [3.0, 1.0, 2.0, 3.4, 2.5, 1.0, 2.0, 0.5, 2.7, 3.0, 3.4, 2.9]
    table = Table.of({"x": x, "y": y, "class": ["b"] * 8 + ["a"] * 4}, "class")
    for evaluation in ("entropy", "laplace", "m_estimate"):
        model = Covering(evaluation=evaluation).train(table)
        assert (model.decide(table) == table.codes(2)).all()
    assert bare(Covering(**ENTROPY).train(table)) == [
        "if y <= 2.6 then class = b (6/0)",
        "if x > 1.25 then class = a (4/0)",
        "otherwise class = b (2/0)",
    ]


def test_two_tests_of_a_number_make_an_interval():
    values = [float(v) for v in range(12)]
    table = Table.of({"x": values, "c": ["a"] * 4 + ["b"] * 4 + ["a"] * 4}, "c", {"c": ["b", "a"]})
    model = Covering(evaluation="laplace", ordered=False).train(table)
    assert "If 3.5 < x <= 7.5 then c = b (4/0)" in bare(model)
    assert RuleSet.parse(str(model), model.schema) == model


def test_unordered_rules_add_up():
    """Rules of each class on all rows; where rules overlap their counts are added."""
    model = Covering(ordered=False, evaluation="laplace").train(loan_a())
    assert isinstance(model, RuleSet)
    assert model.conflict == "sum"
    assert bare(model) == [
        "If Own_House = false and Has_Job = false then Class = No (6/0)",
        "If Own_House = true then Class = Yes (6/0)",
        "If Has_Job = true then Class = Yes (5/0)",
        "Where rules overlap, their counts are added",
        "Where no rule covers, Class = Yes (15/6)",
    ]


@pytest.mark.parametrize("evaluation", ["entropy", "laplace", "m_estimate"])
def test_unordered_rules_cover_rows_of_their_class(evaluation):
    for table in (contact_lenses(), weather(), weather_numeric()):
        model = Covering(ordered=False, evaluation=evaluation).train(table)
        assert all(rule.n > rule.errors for rule in model.rules)


def test_a_rule_must_exceed_the_threshold():
    table = weather()
    assert len(Covering(threshold=0.95, **ENTROPY).train(table).rules) == 0  # the empty rule has entropy 0.940286
    first = Covering(threshold=0.94, **ENTROPY).train(table)
    assert bare(first)[0] == "if Outlook = Overcast then Play = Yes (4/0)"


def test_rules_must_be_significant_if_asked():
    """The likelihood ratio of Outlook = Overcast is 2 * 4 ln(14/9) = 3.534662: significant at 0.1, not at 0.05."""
    assert 8 * math.log(14 / 9) == pytest.approx(3.534662, abs=1e-6)
    assert bare(Covering(alpha=0.1, **ENTROPY).train(weather()))[0].startswith("if Outlook = Overcast")
    strict = Covering(alpha=0.05, **ENTROPY).train(weather())
    assert not bare(strict)[0].startswith("if Outlook = Overcast")
    assert len(Covering(alpha=1e-9).train(weather()).rules) == 0
    assert len(Covering(alpha=1.0).train(weather()).rules) > 0


def test_least_coverage_longest_rule_and_most_rules():
    table = contact_lenses()
    assert all(rule.n >= 3 for rule in Covering(min_coverage=3, **ENTROPY).train(table).rules)
    assert all(len(rule.conditions) == 1 for rule in Covering(max_length=1, **ENTROPY).train(table).rules)
    assert len(Covering(max_rules=2, **ENTROPY).train(table).rules) == 2
    assert bare(Covering(max_rules=0).train(table)) == ["otherwise Lenses = None (24/9: None 15, Soft 5, Hard 4)"]


def test_wider_beams_search_more():
    """M126: the class is x xor y, neither of which tells it alone; z, which does a little, misleads a narrow beam."""
    rng = np.random.default_rng(5)
    x, y = rng.integers(0, 2, (2, 200))
    z = np.where(rng.random(200) < 0.3, 1 - (x ^ y), x ^ y)
    words = {name: [str(v) for v in values] for name, values in zip("xyzc", (x, y, z, x ^ y), strict=True)}
    table = Table.of(words, "c")
    wide, narrow = (Covering(width=k, max_length=2, **ENTROPY).train(table) for k in (6, 1))
    assert wide.rules[0].errors == 0 < narrow.rules[0].errors


def test_kept_rules_stand_first_and_forbidden_columns_stay_out():
    kept = "if Windy = True and Outlook = Rainy then Play = No"
    model = Covering(keep_rules=kept, forbid=["Outlook"], **ENTROPY).train(weather())
    assert bare(model)[0] == f"{kept} (2/0)"
    assert all("Outlook" not in str(condition) for rule in model.rules[1:] for condition in rule.conditions)
    assert sum(rule.n for rule in model) == 14
    again = Covering(keep_rules=model).train(weather())
    assert [rule.conditions for rule in again.rules[: len(model.rules)]] == [rule.conditions for rule in model.rules]
    assert len(Covering(keep_rules=model, ordered=False).train(weather()).rules) >= len(model.rules)


def test_directions():
    table = weather_numeric()
    for ordered in (True, False):
        up = Covering(direction={"Temperature": "up", "Humidity": "down"}, ordered=ordered).train(table)
        tests = {str(c).rsplit(" ", 1)[0] for rule in up.rules for c in rule.conditions}
        assert tests.isdisjoint({"Temperature <=", "Humidity >"})
    with pytest.raises(UsageError, match="'Outlook' is nominal"):
        Covering(direction={"Outlook": "up"}).train(table)


def test_rows_that_no_rule_covers_may_stay_without_an_answer():
    model = Covering(default=None, max_rules=1, **ENTROPY).train(weather())
    assert bare(model)[-1] == "otherwise no decision (10: No 5, Yes 5)"
    assert set(model.decide(weather()).tolist()) == {-1, 1}
    assert Covering(default=None, ordered=False, max_rules=1).train(weather()).abstains


def test_a_list_that_covers_all_rows_defaults_to_the_heaviest_class():
    kept = "if x <= 2.5 then c = a\nif x > 2.5 then c = b"
    model = Covering(keep_rules=kept).train(Table.of({"x": [1.0, 2, 3, 4, 5], "c": ["a", "a", "b", "b", "b"]}, "c"))
    assert bare(model)[-1] == "otherwise c = b"


def test_odd_tables():
    for columns in (
        {"x": [1.0], "c": ["a"]},
        {"x": [None, None], "c": ["a", "b"]},
        {"x": [1.0, 1.0], "c": ["a", "b"]},
        {"c": ["a", "b"]},
        {"ß x": ["ä", "ö", None], "c": ["日", "本", "日"]},
        {"x": [-math.inf, 0.0, math.inf, 1.0], "c": ["a", "b", "a", "b"]},
    ):
        table = Table.of(columns, "c")
        for ordered in (True, False):
            model = Covering(ordered=ordered).train(table)
            assert type(model).parse(str(model), model.schema) == model


def test_trace_prints_the_rounds(capsys):
    Covering(trace=True, **ENTROPY).train(weather())
    printed = capsys.readouterr().out
    assert printed.startswith("Rule 1: 14 rows left (No 5, Yes 9), the empty rule -0.940286\nRound 1\n")
    assert "*    0.000000   0    4          3.534662  Outlook = Overcast" in printed
    assert printed.strip() == str(Covering(**ENTROPY).show_work(weather())).strip()
    unordered = str(Covering(ordered=False, **ENTROPY).show_work(weather()))
    assert unordered.startswith("Rule 1 for Play = No: 14 rows left (others 9, No 5), the empty rule -1.059714")


def test_the_work_counts_what_candidates_cover():
    work = Covering(**ENTROPY).show_work(weather_numeric())
    table = weather_numeric()
    (beams,) = work.beams
    first = [rule == 0 for rule in beams.trace["rules"].tolist()]
    candidates = [
        one for one, is_first in zip(read_candidates(beams.trace, table.schema, 1.0), first, strict=True) if is_first
    ]
    for one in candidates:
        rows = np.arange(14)
        for condition in one.conditions:
            rows = rows[condition.covers(table, rows)]
        assert np.bincount(table.codes(4)[rows], minlength=2).tolist() == list(one.weights)


@pytest.mark.parametrize("bad", [{"width": 0}, {"alpha": 0}, {"evaluation": "gini"}, {"min_coverage": 0}, {"m": -1}])
def test_parameters_out_of_range(bad):
    with pytest.raises(UsageError, match="is not allowed"):
        Covering(**bad).train(weather())


@st.composite
def mixed_tables(draw):
    rows = draw(st.integers(1, 25))
    levels = draw(st.lists(st.sampled_from([-1, -1, 2, 3]), min_size=0, max_size=3))

    def column(n):
        if n >= 0:
            return draw(st.lists(st.integers(-1, n - 1), min_size=rows, max_size=rows))
        numbers = st.sampled_from([0.0, 0.5, 1.0, 2.0, 7.0, -3.0, math.nan])
        return draw(st.lists(numbers, min_size=rows, max_size=rows))

    columns = [column(n) for n in levels]
    ways = [draw(st.sampled_from([3, 3, 3, 1, 2, 0])) for _ in levels]
    classes = draw(st.integers(1, 3))
    labels = draw(st.lists(st.integers(0, classes - 1), min_size=rows, max_size=rows))
    weights = draw(st.one_of(st.just([1] * rows), st.lists(st.integers(1, 4), min_size=rows, max_size=rows)))
    return columns, levels, ways, labels, classes, weights


OPTIONS = st.fixed_dictionaries(
    {
        "value": st.sampled_from(["entropy", "laplace", "m_estimate"]),
        "width": st.integers(1, 5),
        "m": st.sampled_from([0.5, 2.0, 22.0]),
        "k": st.just(3.0),
        "threshold": st.sampled_from([0.0, 0.1]),
        "critical": st.sampled_from([0.0, 1.3, 2.7]),
        "least": st.integers(1, 3),
        "most_tests": st.sampled_from([1, 2, 100]),
        "most_rules": st.sampled_from([1, 100]),
        "one": st.booleans(),
    }
)


@settings(max_examples=300, deadline=None)
@given(mixed_tables(), OPTIONS, st.integers(1, 2))
def test_the_kernel_is_its_twin(table, options, threads):
    columns, levels, ways, labels, classes, weights = table
    options["wanted"] = 0 if options.pop("one") else -1
    arrays = [np.array(c, dtype=np.int32 if n >= 0 else np.float64) for c, n in zip(columns, levels, strict=True)]
    ticks = np.array([] if set(weights) == {1} else weights, dtype=np.int64)
    allowed = np.array(ways, dtype=np.uint8)
    found = learn_covering_rules(
        arrays, levels, allowed, np.array(labels, dtype=np.int32), classes, ticks, options, threads
    )
    rules, names = found["rules"], ("columns", "kinds", "levels", "thresholds")
    tests = list(zip(*(rules[name].tolist() for name in names), strict=True))
    starts = rules["starts"].tolist()
    bodies = [tuple(tests[a:b]) for a, b in pairwise(starts)]
    counts = rules["counts"].reshape(-1, classes).tolist()
    twin = Plain(columns, levels, ways, labels, classes, weights, **options)
    expected, left = twin.rules()
    assert list(zip(bodies, counts, strict=True)) == expected
    assert found["left"].tolist() == left


def test_threads_do_not_matter():
    rng = np.random.default_rng(2)
    columns = [rng.normal(size=4000), rng.normal(size=4000).round(1), rng.integers(0, 5, 4000).astype(np.int32)]
    labels = ((columns[0] > 0.3) ^ (columns[2] == 2) ^ (rng.random(4000) < 0.1)).astype(np.int32)
    weights, ways = rng.integers(1, 4, 4000), np.array([3, 3, 3], dtype=np.uint8)
    options = {"value": "m_estimate", "m": 22.0, "width": 5}
    one, two = (learn_covering_rules(columns, [-1, -1, 5], ways, labels, 2, weights, options, n) for n in (1, 3))
    for name, values in one["rules"].items():
        assert np.array_equal(values, two["rules"][name])


def test_the_kernel_refuses_arrays_that_do_not_fit():
    numbers, labels, none = np.zeros(3), np.zeros(3, dtype=np.int32), np.empty(0, dtype=np.int64)
    ways, fine = np.array([3], dtype=np.uint8), {"value": "entropy"}
    for bad in (
        ([numbers], [-1], ways[:0], labels, 1, none, fine),
        ([numbers], [-1], ways, labels[:2], 1, none, fine),
        ([numbers], [-1], ways, labels + 1, 1, none, fine),
        ([numbers], [-1], ways, labels, 1, np.zeros(3, dtype=np.int64), fine),
        ([numbers], [-1], ways, labels, 1, none, {"value": "gini"}),
        ([numbers], [-1], ways, labels, 1, none, {"value": "entropy", "width": 0}),
        ([numbers], [-1], ways, labels, 1, none, {"value": "entropy", "wanted": 1}),
    ):
        with pytest.raises(ValueError, match=r"."):
            learn_covering_rules(*bad, 1)


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("evaluation", ["entropy", "laplace", "m_estimate"])
def test_fractional_weights_and_the_order_of_rows(ordered, evaluation):
    """Sums of ticks are exact, so the same rows in another order give the very same rules and counts."""
    rng = np.random.default_rng(8)
    x, y = rng.normal(size=(2, 150)).round(2)
    z = rng.integers(0, 3, 150)
    label = np.where(rng.random(150) < 0.1, 1 - (x > 0), x > 0) + (z == 2)
    columns = {"x": x, "y": y, "z": [f"z{v}" for v in z], "c": [f"c{v}" for v in label]}
    levels = {"z": ("z0", "z1", "z2"), "c": ("c0", "c1", "c2")}
    table = Table.of(columns, "c", levels, weights=rng.random(150) + 0.01)
    learner = Covering(ordered=ordered, evaluation=evaluation, min_coverage=0.5)
    model = learner.train(table)
    assert len(model.rules) > 1
    assert str(model) == str(learner.train(table.take(rng.permutation(150))))
    assert all(rule.n >= 0.5 - 1e-6 for rule in model.rules)


def test_rules_in_order_partition_the_rows():
    for table in (contact_lenses(), weather_numeric(), loan_a()):
        model = Covering(max_rules=3).train(table)
        assert sum(rule.n for rule in model) == table.n_rows
        found = np.bincount(model.deciding_rules(table), minlength=len(model.rules) + 1)
        assert found.tolist() == [rule.n for rule in model]


@pytest.mark.parametrize("ordered", [True, False])
def test_the_work_of_a_search_that_finds_no_rule(ordered):
    table = Table.of({"x": ["p", "q", "p", "q"], "y": ["a", "a", "b", "b"]}, "y")
    work = str(Covering(ordered=ordered).show_work(table))
    assert work.startswith("Rule 1")
    assert work.endswith("no rule")


@pytest.mark.parametrize("wanted", [-1, 1])
@pytest.mark.parametrize("value", ["laplace", "m_estimate"])
def test_cuts_that_the_kernel_passes_over_change_no_rule(value, wanted):
    """With many cuts a column, nearly all of them cannot enter the beam."""
    rng = np.random.default_rng(3)
    x, z = np.round(rng.normal(size=(2, 120)), 2)
    x[rng.random(120) < 0.1] = np.nan
    labels = np.where(rng.random(120) < 0.2, rng.integers(0, 3, 120), (z > 0) + 1 * (np.nan_to_num(x) > 0.3))
    options = {"value": value, "width": 2, "m": 3.0, "k": 3.0, "critical": 2.7, "least": 1, "most_rules": 4}
    options |= {"threshold": 0.0, "most_tests": 3, "wanted": wanted}
    ways, ones = np.full(2, 3, dtype=np.uint8), np.empty(0, dtype=np.int64)
    rules = learn_covering_rules([x, z], [-1, -1], ways, labels.astype(np.int32), 3, ones, options, 1)["rules"]
    twin = Plain([x.tolist(), z.tolist()], [-1, -1], [3, 3], labels.tolist(), 3, [1] * 120, **options)
    expected, _ = twin.rules()
    assert len(expected) > 1
    assert rules["thresholds"].tolist() == [test[3] for tests, _ in expected for test in tests]
    assert rules["counts"].reshape(-1, 3).tolist() == [counts for _, counts in expected]


def test_the_m_of_the_m_estimate_depends_on_no_order():
    weights = np.array([0.1] * 40 + [1e6, 0.3])
    found = set()
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(len(weights))
        table = Table.of({"x": np.arange(42.0), "y": ["a", "b"] * 21}, "y").with_weights(weights).take(order)
        found.add(str(Covering(max_length=1).show_work(table)))
        found.add(Covering()._m(table))
    assert len(found) == 2
