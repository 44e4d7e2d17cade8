"""The kernels of RIPPER compared with their reference implementations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import Ripper, Table, _kernels
from hedgerow.learn.rules.ripper_prune import best_subset, coverage_by_length, coverage_by_subset
from hedgerow.learn.rules.ripper_rows import RuleRows, remove_rows
from hedgerow.learn.rules.user_constraints import RuleConstraints
from tests.reference import rules as plain

LEVELS = ("p", "q", "r")


@st.composite
def tables(draw, most=40):
    """Return a table of two numeric columns, one with few values, and a nominal one, with missing values."""
    rows = draw(st.integers(2, most))
    number = st.one_of(st.none(), st.floats(-5, 5).map(lambda v: round(v, 1) + 0.0), st.integers(0, 3).map(float))
    columns = {
        "a": draw(st.lists(number, min_size=rows, max_size=rows)),
        "b": draw(st.lists(st.sampled_from([None, 0.0, 1.0, 2.5]), min_size=rows, max_size=rows)),
        "s": draw(st.lists(st.sampled_from([None, *LEVELS]), min_size=rows, max_size=rows)),
        "c": draw(st.lists(st.sampled_from(["no", "yes"]), min_size=rows, max_size=rows)),
    }
    weights = draw(st.sampled_from([None, "whole", "parts"]))
    if weights == "whole":
        weights = draw(st.lists(st.integers(1, 3).map(float), min_size=rows, max_size=rows))
    elif weights == "parts":
        weights = draw(st.lists(st.sampled_from([0.25, 0.5, 1.5]), min_size=rows, max_size=rows))
    levels = {"s": LEVELS, "c": ("no", "yes")}
    return Table.of(columns, "c", levels, weights=weights), columns, weights or [1.0] * rows


def prepared(table, **options):
    learner = Ripper(**options)
    return RuleRows(table, RuleConstraints.of(learner, table.schema), 1, float(learner.min_weight))


def as_dicts(columns):
    names = [name for name in columns if name != "c"]
    rows = []
    for at, label in enumerate(columns["c"]):
        rows.append({name: columns[name][at] for name in names} | {"#": at, "+": label == "yes"})
    return rows


def grown(rows, table, columns, min_weight=0.5, max_length=-1):
    everything = rows.full_sample(np.arange(table.n_rows, dtype=np.uint32))
    return rows.grow(everything, (rows.classes == 1).astype(np.uint8), min_weight, max_length), everything


KINDS = {"a": "numeric", "b": "numeric", "s": LEVELS}


@settings(max_examples=150, deadline=None)
@given(tables(), st.sampled_from([0.0, 0.5, 2.0, 3.0]), st.sampled_from([None, 0, 1, 2]))
def test_rules_grow_as_the_plain_twin_grows_them(made, min_weight, longest):
    table, columns, weights = made
    rows = prepared(table)
    body, _ = grown(rows, table, columns, min_weight, -1 if longest is None else longest)
    expected = plain.grow(as_dicts(columns), KINDS, weights, min_weight, longest)
    assert [rows.condition(*part) for part in zip(*body.arrays, strict=True)] == expected


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([None, "whole", "parts"]), st.sampled_from([0.5, 2.0]))
def test_rules_grow_as_the_plain_twin_grows_them_in_blocks(seed, weighted, min_weight):
    """Columns of more than 255 values, one of which most rows have, are searched by blocks."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(400, 700))
    a, b = rng.normal(0, 1, n).round(3), np.where(rng.random(n) < 0.4, 0.0, rng.normal(0, 1e3, n))
    own = (np.abs(a) < 0.7) & (b >= 0) ^ (rng.random(n) < rng.choice([0.0, 0.1, 0.4]))
    columns = {
        "a": [None if gone else value for value, gone in zip(a.tolist(), rng.random(n) < 0.1, strict=True)],
        "b": b.tolist(),
        "s": rng.choice(LEVELS, n).tolist(),
        "c": np.where(own, "yes", "no").tolist(),
    }
    weights = {"whole": rng.integers(1, 4, n).astype(float), "parts": rng.choice([0.25, 0.5, 1.5], n)}.get(weighted)
    given = None if weights is None else weights.tolist()
    table = Table.of(columns, "c", {"s": LEVELS, "c": ("no", "yes")}, weights=given)
    rows = prepared(table)
    body, _ = grown(rows, table, columns, min_weight)
    expected = plain.grow(as_dicts(columns), KINDS, given or [1.0] * n, min_weight, None)
    assert [rows.condition(*part) for part in zip(*body.arrays, strict=True)] == expected


@settings(max_examples=60, deadline=None)
@given(tables(), st.sampled_from([("up", 2), ("down", 1)]))
def test_directions_are_kept_while_growing(made, way):
    table, columns, weights = made
    rows = prepared(table, direction={"a": way[0]}, forbid=["b"])
    body, _ = grown(rows, table, columns)
    expected = plain.grow(as_dicts(columns), KINDS, weights, 0.5, None, {"a": way[1], "b": 0})
    assert [rows.condition(*part) for part in zip(*body.arrays, strict=True)] == expected


@settings(max_examples=60, deadline=None)
@given(tables())
def test_coverage_and_pruning_are_those_of_the_plain_twin(made):
    table, columns, weights = made
    rows, dicts = prepared(table), as_dicts(columns)
    body, everything = grown(rows, table, columns)
    positive = (rows.classes == 1).astype(np.uint8)
    conditions = [rows.condition(*part) for part in zip(*body.arrays, strict=True)]
    assert rows.covered_rows(body, everything.rows).tolist() == [row["#"] for row in plain.covered(dicts, conditions)]
    forms = coverage_by_length(rows, body, everything, positive)
    for length in range(len(body) + 1):
        p, n = plain.weigh(plain.covered(dicts, conditions[:length]), weights)
        assert (forms.p[length], forms.n[length]) == pytest.approx((p, n))
    subsets = coverage_by_subset(rows, body, everything, positive)
    stays = [conditions[place] for place in best_subset(subsets.purity(), len(body))]
    assert stays == plain.best_deletion(dicts, conditions, weights)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2)), max_size=60, unique_by=lambda one: one[0]),
    st.integers(1, 5),
    st.integers(0, 2**64 - 1),
)
def test_cards_are_dealt_as_the_plain_twin_deals_them(cards, folds, seed):
    keys = np.array([key for key, _ in cards], dtype=np.uint64)
    strata = np.array([stratum for _, stratum in cards], dtype=np.int32)
    others, lowest = _kernels.split_by_strata(np.arange(len(cards), dtype=np.uint32), keys, strata, 3, folds, seed)
    if folds == 1:
        return  # the highest key of all would need a bound above it
    expected = np.array(plain.dealt(keys.tolist(), strata.tolist(), folds, seed), dtype=bool)
    assert lowest.tolist() == np.flatnonzero(expected).tolist()
    assert others.tolist() == np.flatnonzero(~expected).tolist()


def test_large_decks_are_dealt_exactly():
    rng = np.random.default_rng(1)
    keys, strata = rng.integers(0, 2**63, 5000, dtype=np.uint64), rng.integers(0, 2, 5000).astype(np.int32)
    _, lowest = _kernels.split_by_strata(np.arange(5000, dtype=np.uint32), keys, strata, 2, 3, 77)
    assert lowest.tolist() == np.flatnonzero(plain.dealt(keys.tolist(), strata.tolist(), 3, 77)).tolist()


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sets(st.integers(0, 19)), st.floats(0, 20)), max_size=5),
    st.lists(st.booleans(), min_size=20, max_size=20),
    st.booleans(),
)
def test_descriptions_are_those_of_the_plain_twin(rules, own, weighted):
    positive = np.array(own, dtype=np.uint8)
    weights = np.arange(1.0, 21.0) if weighted else np.zeros(0)
    rows = [np.array(sorted(one), dtype=np.uint32) for one, _ in rules]
    weight = weights if weighted else np.ones(20)
    everything = (float(weight[positive > 0].sum()), float(weight[positive == 0].sum()))
    for shorten in (False, True):
        bits, stays = _kernels.describe_rules(rows, [b for _, b in rules], positive, weights, everything, 0.3, shorten)
        expected_bits, expected = plain.described(rules, own, weight.tolist(), 0.3, shorten)
        assert bits == pytest.approx(expected_bits)
        assert stays.tolist() == expected


def test_rows_without_others():
    rows, gone = np.array([1, 3, 5, 9], dtype=np.uint32), np.array([0, 3, 9, 11], dtype=np.uint32)
    assert remove_rows(rows, gone).tolist() == [1, 5]


@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_the_same_rules_for_any_number_of_threads(threads, monkeypatch):
    rng = np.random.default_rng(4)
    columns = {f"x{i}": rng.normal(0, 1, 3000).round(3).tolist() for i in range(40)}
    columns["c"] = np.where(np.array(columns["x3"]) + np.array(columns["x7"]) > 0.8, "in", "out").tolist()
    table = Table.of(columns, "c")
    monkeypatch.setenv("HEDGEROW_THREADS", "1")
    expected = str(Ripper().train(table))
    monkeypatch.setenv("HEDGEROW_THREADS", threads)
    assert str(Ripper().train(table)) == expected


def test_kernels_refuse_what_does_not_fit():
    rows = np.arange(2, dtype=np.uint32)
    columns = _kernels.RuleColumns([np.array([1.0, 2.0])], [-1], [], 2, 1)
    none = (np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.uint8), np.zeros(0))
    assert _kernels.find_covered(columns, none, rows).tolist() == [0, 1]
    bad = (np.array([0], dtype=np.int32), np.array([2], dtype=np.uint8), np.zeros(1))
    with pytest.raises(ValueError, match="does not suit its column"):
        _kernels.find_covered(columns, bad, rows)
    with pytest.raises(ValueError, match="tests no column"):
        _kernels.find_covered(columns, (np.array([1], dtype=np.int32), *bad[1:]), rows)
    with pytest.raises(ValueError, match="a row is not there"):
        _kernels.find_covered(columns, none, np.array([7], dtype=np.uint32))
    starts = np.array([0, 2, 3], dtype=np.int64)
    with pytest.raises(ValueError, match="do not ascend"):
        _kernels.RuleColumns([], [], [(starts, np.array([1, 0, 0], dtype=np.int32), 2)], 2, 1)
    with pytest.raises(ValueError, match="stratum"):
        _kernels.split_by_strata(rows, np.zeros(2, dtype=np.uint64), np.array([0, 3], dtype=np.int32), 2, 3, 0)
