"""Rules by growing consequents (M145) against brute force (M144)."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import _kernels
from tests.kernels.test_apriori import ROWS, packed
from tests.reference import associations as plain

BY = ("support", "confidence", "lift", "leverage", "conviction")
LIMITS = {
    "confidence": 0.0,
    "lift": -math.inf,
    "leverage": -math.inf,
    "conviction": -math.inf,
    "min_antecedent": 1,
    "max_antecedent": 63,
    "max_consequent": 63,
    "fold": False,
    "by": 1,
    "most": 1 << 40,
    "looks": 1 << 60,
    "seconds": math.inf,
}


def rules(sets, counts, total, items=8, roles=None, threads=1, sources=None, **limits):
    """Return what the kernel finds, and the sets by number."""
    offsets, codes = packed(sets)
    roles = np.full(items, 3, dtype=np.uint8) if roles is None else np.array(roles, dtype=np.uint8)
    n = len(sets) if sources is None else sources
    asked = {**LIMITS, **limits}
    return _kernels.derive_rules(offsets, codes, np.array(counts, dtype=np.float64), n, total, roles, asked, threads)


def named(found, sets):
    """Return rules as pairs of tuples."""
    sides = zip(found["left"].tolist(), found["right"].tolist(), strict=True)
    return [(() if left < 0 else tuple(sets[left]), tuple(sets[right])) for left, right in sides]


@given(
    ROWS,
    st.sampled_from([1, 2, 3]),
    st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0]),
    st.sampled_from(BY),
    st.booleans(),
    st.tuples(st.sampled_from([0, 1, 2]), st.sampled_from([1, 2, 63]), st.sampled_from([1, 2, 63])),
    st.sampled_from([None, 1, 5]),
    st.sampled_from([{}, {"lift": 1.0}, {"leverage": 0.02}, {"conviction": 1.1}]),
    st.sampled_from([1, 3]),
    st.data(),
)
@settings(max_examples=300, deadline=None)
def test_growing_equals_brute_force(rows, least, confidence, by, fold, lengths, top, low, threads, data):
    min_left, max_left, max_right = lengths
    pairs = plain.frequent(rows, least)
    sets, counts = [one for one, _ in pairs], [count for _, count in pairs]
    sides = st.none() | st.sets(st.integers(0, 7))
    left, right = data.draw(sides), data.draw(sides)
    roles = [(left is None or i in left) + 2 * (right is None or i in right) for i in range(8)]
    found = rules(
        sets,
        counts,
        len(rows),
        roles=roles,
        threads=threads,
        confidence=confidence,
        fold=fold,
        by=BY.index(by),
        min_antecedent=min_left,
        max_antecedent=max_left,
        max_consequent=max_right,
        most=1 << 40 if top is None else top,
        **low,
    )
    known = dict(pairs)
    assert named(found, sets) == plain.brute_force_rules(
        sets,
        known.__getitem__,
        len(rows),
        min_confidence=confidence,
        least=low,
        left=left,
        right=right,
        min_left=min_left,
        max_left=max_left,
        max_right=max_right,
        fold=fold,
        by=by,
        top=top,
    )
    assert len(found["missing_codes"]) == 0
    if not fold and top is None:
        assert found["found"] == len(found["left"])


@given(ROWS, st.sampled_from([0.0, 0.5, 1.0]), st.booleans(), st.data())
@settings(max_examples=100, deadline=None)
def test_parts_without_a_count_are_asked_for_until_all_is_known(rows, confidence, fold, data):
    pairs = plain.frequent(rows, 1)
    source = [pair for pair in pairs if data.draw(st.booleans())]
    sets, counts = [one for one, _ in source], [count for _, count in source]
    n, known = len(sets), dict(pairs)
    for _ in range(20):
        found = rules(sets, counts, len(rows), sources=n, confidence=confidence, fold=fold)
        offsets, codes = found["missing_offsets"].tolist(), found["missing_codes"].tolist()
        missing = [tuple(codes[a:b]) for a, b in pairwise(offsets)]
        if not missing:
            break
        assert not set(missing) & set(sets)
        sets, counts = [*sets, *missing], [*counts, *map(known.__getitem__, missing)]
    expected = plain.brute_force_rules(sets[:n], known.__getitem__, len(rows), min_confidence=confidence, fold=fold)
    assert named(found, sets) == expected


def test_time_that_is_over_leaves_what_is_complete():
    sets = [one for one, _ in plain.frequent([list(range(8))] * 3, 1)]
    found = rules(sets, [3] * len(sets), 3, seconds=0.0)
    assert len(found["left"]) == 0
    assert found["bound"] == math.inf


def test_best_rules_of_many_are_the_same_for_any_number_of_threads():
    rows = [sorted({(i * j) % 11 for j in range(1, 7)}) for i in range(40)]
    pairs = plain.frequent(rows, 2)
    sets, counts = [one for one, _ in pairs], [count for _, count in pairs]
    every = named(rules(sets, counts, 40, items=11, by=2), sets)
    assert len(every) > 3000
    for threads in (1, 2, 5):
        assert named(rules(sets, counts, 40, items=11, by=2, most=7, threads=threads), sets) == every[:7]


@pytest.mark.parametrize("by", [1, 2, 3])
def test_hundreds_of_thousands_of_rules_stand_in_order(by):
    random = np.random.default_rng(by)
    rows = [np.flatnonzero(random.random(12) < 0.8).tolist() for _ in range(50)]
    pairs = plain.frequent(rows, 1)
    sets, counts = [one for one, _ in pairs], np.array([count for _, count in pairs], dtype=np.float64)
    found = rules(sets, counts, 50, items=12, by=by)
    c, a, b = (counts[found[side]] for side in ("whole", "left", "right"))
    value = {1: c / a, 2: c * 50 / (a * b), 3: (c * 50 - a * b) / 2500}[by]
    assert len(c) > 1 << 18
    places = found["whole"], -c, -value
    assert (np.lexsort(places) == np.arange(len(c))).all()
    both = rules(sets, counts, 50, items=12, by=by, threads=2)
    assert all((both[side] == found[side]).all() for side in ("whole", "left", "right"))


def test_arrays_that_do_not_fit_raise():
    with pytest.raises(ValueError, match="63"):
        rules([tuple(range(64))], [1], 1, items=64)
    with pytest.raises(ValueError, match="out of range"):
        rules([(0, 9)], [1], 1)
    with pytest.raises(ValueError, match="measure"):
        rules([(0, 1)], [1], 1, by=9)
    with pytest.raises(ValueError, match="so many"):
        rules([(0, 1)], [1], 1, sources=2)
