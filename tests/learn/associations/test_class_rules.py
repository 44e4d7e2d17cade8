"""Class association rules: the kernels and their reference implementations."""

import signal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import _kernels
from tests.kernels.test_interrupts import Alarms, StopError
from tests.reference import cars as plain

NONE = np.empty(0, dtype=np.int64)


@st.composite
def coded_tables(draw):
    rows = draw(st.integers(1, 40))
    levels = draw(st.lists(st.integers(1, 3), min_size=0, max_size=4))
    columns = [draw(st.lists(st.integers(-1, n - 1), min_size=rows, max_size=rows)) for n in levels]
    classes = draw(st.integers(1, 3))
    labels = draw(st.lists(st.integers(0, classes - 1), min_size=rows, max_size=rows))
    weights = draw(st.one_of(st.just([1] * rows), st.lists(st.integers(1, 5), min_size=rows, max_size=rows)))
    return columns, levels, labels, classes, weights


def arrays(table):
    columns, levels, labels, classes, weights = table
    ticks = NONE if set(weights) == {1} else np.array(weights, dtype=np.int64)
    return [np.array(c, dtype=np.int32) for c in columns], levels, np.array(labels, dtype=np.int32), classes, ticks


def mined(table, bounds, confidence, longest=99, general=False, threads=1, most=10**9):
    share = (confidence.numerator, confidence.denominator)
    least = np.array(bounds, dtype=np.int64)
    return _kernels.mine_class_rules(*arrays(table), least, share, longest, most, 2**62, general, threads)


def rules_of(found):
    tests = list(zip(found["columns"].tolist(), found["codes"].tolist(), strict=True))
    starts = found["starts"].tolist()
    bodies = [tuple(tests[a:b]) for a, b in pairwise(starts)]
    return list(
        zip(bodies, found["decisions"].tolist(), found["hits"].tolist(), found["covered"].tolist(), strict=True)
    )


def parts_of(found):
    return found["starts"], found["columns"], found["codes"], found["decisions"]


CONFIDENCES = st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(4, 5), Fraction(1)])
BOUNDS = st.lists(st.sampled_from([1, 2, 3, 6, 10**9]), min_size=3, max_size=3)


@settings(max_examples=200, deadline=None)
@given(coded_tables(), BOUNDS, CONFIDENCES, st.integers(1, 4), st.integers(1, 3))
def test_mined_rules_are_those_of_the_twin(table, bounds, confidence, longest, threads):
    found = mined(table, bounds[: table[3]], confidence, longest, threads=threads)
    assert rules_of(found) == plain.mine(*table, bounds, confidence, longest)


@settings(max_examples=150, deadline=None)
@given(coded_tables(), BOUNDS, CONFIDENCES)
def test_rules_are_ordered_and_made_general_as_the_twin_has_it(table, bounds, confidence):
    found = mined(table, bounds[: table[3]], confidence)
    rules = rules_of(found)
    order = _kernels.order_class_rules(found["hits"], found["covered"], False)
    assert order.tolist() == plain.precedence(rules)
    for same in (True, False):
        kept = _kernels.mark_general_rules(*parts_of(found), order, same)
        assert [n for n in order.tolist() if kept[n]] == plain.general(rules, order.tolist(), same)
    counts = _kernels.count_class_rules(*arrays(table), *parts_of(found), 2).reshape(-1, table[3]).tolist()
    assert counts == [plain.weight_of(tests, table[0], *table[2:]) for tests, *_ in rules]


@settings(max_examples=200, deadline=None)
@given(coded_tables(), BOUNDS, CONFIDENCES, st.sampled_from([0, 1, 2, 10**9]))
def test_both_algorithms_choose_what_the_twins_choose(table, bounds, confidence, most):
    columns, _, labels, classes, weights = table
    found = mined(table, bounds[:classes], confidence)
    rules, order = rules_of(found), _kernels.order_class_rules(found["hits"], found["covered"], False)
    expected = plain.m1(rules, order.tolist(), columns, labels, classes, weights, most)
    for two_scans in (False, True):
        chosen, covered = _kernels.select_class_rules(*arrays(table), *parts_of(found), order, two_scans, most)
        assert list(zip(chosen.tolist(), covered.reshape(-1, classes).tolist(), strict=True)) == expected
    if most == 10**9:
        assert plain.m2(rules, order.tolist(), columns, labels, classes, weights) == expected


@settings(max_examples=150, deadline=None)
@given(coded_tables(), BOUNDS, CONFIDENCES)
def test_leaving_out_what_general_rules_say_already_changes_no_choice(table, bounds, confidence):
    columns, _, labels, classes, weights = table
    every = rules_of(mined(table, bounds[:classes], confidence))
    some = rules_of(mined(table, bounds[:classes], confidence, general=True))
    assert set(some) <= set(every)

    def chosen(rules):
        made = plain.m1(rules, plain.precedence(rules), columns, labels, classes, weights)
        return [(rules[number], covered) for number, covered in made]

    assert chosen(some) == chosen(every)
    for same in (True, False):
        general = [[rules[n] for n in plain.general(rules, plain.precedence(rules), same)] for rules in (some, every)]
        assert general[0] == general[1]


def test_two_scans_must_not_forget_a_right_rule_behind_a_wrong_one_that_is_not_chosen():
    """Rule 1 is wrong about row 1 and right about rows that rule 0 takes; rule 2 must still cover row 1."""
    columns = [[0, 1, 0], [0, 0, 0], [1, 0, 1]]
    labels, weights = [0, 1, 0], [1, 1, 1]
    rules = [(((0, 0),), 0, 2, 2), (((1, 0),), 0, 2, 3), (((2, 0),), 1, 1, 1)]
    order = [0, 1, 2]
    expected = [(0, [2, 0]), (2, [0, 1])]
    assert plain.m1(rules, order, columns, labels, 2, weights) == expected
    assert plain.m2(rules, order, columns, labels, 2, weights) == expected
    assert plain.m2(rules, order, columns, labels, 2, weights, forgetful=True) == expected[:1]


@settings(max_examples=100, deadline=None)
@given(coded_tables())
def test_pessimistic_pruning_compares_with_one_test_less(table):
    found = mined(table, [1] * table[3], Fraction(1, 2))
    z = 0.6744897501960817
    kept = _kernels.mark_pessimistic_rules(*arrays(table), *parts_of(found), 0.25, z, 1.0, 2).tolist()

    def rate(tests, label):
        counts = plain.weight_of(tests, table[0], *table[2:])
        n = sum(counts)
        return _kernels.estimate_errors(float(n), float(n - counts[label]), 0.25, z) / n

    for stays, (tests, label, *_) in zip(kept, rules_of(found), strict=True):
        shorter = [[t for t in tests if t != gone] for gone in tests] if len(tests) > 1 else []
        assert stays == all(rate(tests, label) <= rate(less, label) * (1 + 1e-12) for less in shorter)


def test_a_budget_ends_the_search_without_rules_for_any_number_of_threads():
    rng = np.random.default_rng(2)
    columns = [rng.integers(-1, 3, 500).tolist() for _ in range(8)]
    table = columns, [3] * 8, rng.integers(0, 2, 500).tolist(), 2, [1] * 500
    every = mined(table, [5, 5], Fraction(1, 2))
    assert not every["ended"]
    for threads in (1, 2, 5):
        same = mined(table, [5, 5], Fraction(1, 2), threads=threads, most=every["sets"])
        assert rules_of(same) == rules_of(every)
        fewer = mined(table, [5, 5], Fraction(1, 2), threads=threads, most=every["sets"] - 1)
        assert fewer["ended"]
        assert rules_of(fewer) == []


def test_large_words_and_many_classes_are_counted_right():
    rng = np.random.default_rng(4)
    columns = [rng.integers(-1, n, 3000).tolist() for n in (2, 3, 4)]
    labels = rng.integers(0, 30, 3000).tolist()
    table = columns, [2, 3, 4], labels, 30, rng.integers(1, 4, 3000).tolist()
    found = mined(table, [3] * 30, Fraction(1, 25), threads=2)
    assert rules_of(found) == plain.mine(*table, [3] * 30, Fraction(1, 25))


def test_shares_are_compared_exactly():
    hits = np.array([2**52, 2**52 + 1, 1], dtype=np.int64)
    covered = np.array([2**53, 2**53 + 2, 2], dtype=np.int64)
    assert _kernels.order_class_rules(hits, covered, False).tolist() == [1, 0, 2]  # all are one half
    near = np.array([2**52 - 1, 2**51], dtype=np.int64), np.array([2**53, 2**52], dtype=np.int64)
    assert _kernels.order_class_rules(*near, False).tolist() == [1, 0]
    assert _kernels.order_class_rules(*near, True).tolist() == [0, 1]  # rounded weights: equal shares, more hits first


def test_the_kernels_refuse_arrays_that_do_not_fit():
    good = [np.zeros(3, dtype=np.int32)], [1], np.zeros(3, dtype=np.int32), 1, NONE
    bounds, ints = np.ones(1, dtype=np.int64), lambda *values: np.array(values, dtype=np.int32)
    with pytest.raises(ValueError, match="bounds and classes"):
        _kernels.mine_class_rules(*good, NONE, (1, 2), 1, 1, 2**62, False, 1)
    with pytest.raises(ValueError, match="label is not below"):
        _kernels.mine_class_rules(good[0], [1], ints(0, 0, 5), 1, NONE, bounds, (1, 2), 1, 1, 2**62, False, 1)
    with pytest.raises(ValueError, match="weight is not positive"):
        _kernels.mine_class_rules(*good[:4], np.zeros(3, dtype=np.int64), bounds, (1, 2), 1, 1, 2**62, False, 1)
    with pytest.raises(ValueError, match="no share"):
        _kernels.mine_class_rules(*good, bounds, (1, 0), 1, 1, 2**62, False, 1)
    with pytest.raises(ValueError, match="no tests"):
        _kernels.select_class_rules(*good, ints(0, 0), ints(), ints(), ints(0), ints(0), False, 1)
    with pytest.raises(ValueError, match="no level"):
        _kernels.select_class_rules(*good, ints(0, 1), ints(0), ints(1), ints(0), ints(0), False, 1)
    with pytest.raises(ValueError, match="not there"):
        _kernels.select_class_rules(*good, ints(0, 1), ints(0), ints(0), ints(0), ints(1), False, 1)
    with pytest.raises(ValueError, match="covers less"):
        _kernels.order_class_rules(np.array([2]), np.array([1]), False)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_long_search_can_be_ended(threads):
    rng = np.random.default_rng(3)
    columns = [rng.integers(0, 2, 20_000).astype(np.int32) for _ in range(40)]
    labels, bounds = rng.integers(0, 2, 20_000).astype(np.int32), np.ones(2, dtype=np.int64)
    with pytest.raises(StopError), Alarms():
        _kernels.mine_class_rules(
            columns, [2] * 40, labels, 2, NONE, bounds, (9, 10), 40, 10**12, 2**62, False, threads
        )
