"""Class codes: which machines there are, and how what they say becomes a class."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hedgerow.errors import ModelError, UsageError
from hedgerow.models import class_codes
from hedgerow.models.class_codes import (
    CodeMatrix,
    best,
    coupled,
    decided,
    default_columns,
    distances,
    hamming,
    largest,
    loss_based,
    votes,
)
from hedgerow.models.code_search import bch_words


@pytest.mark.parametrize("k", [2, 3, 4, 7, 20])
def test_pairs_are_as_many_as_two_of_k_and_see_two_kths_of_balanced_rows(k):
    """M191: k (k - 1) / 2 machines, each on 2 n / k of n rows, (k - 1) n in all."""
    codes = CodeMatrix.pairs(k)
    assert len(codes) == k * (k - 1) // 2
    labels = np.repeat(np.arange(k), 6)  # n = 6 k rows
    seen = np.array([(row[labels] != 0).sum() for row in codes.entries])
    assert (seen == 2 * len(labels) / k).all()
    assert seen.sum() == (k - 1) * len(labels)
    assert [codes.sides(i) for i in range(len(codes))] == [((a,), (b,)) for a, b in itertools.combinations(range(k), 2)]
    assert codes.is_pairs
    assert codes.is_rest == (k == 2)


def test_rest_parts_each_class_from_the_others():
    codes = CodeMatrix.rest(4)
    assert codes.is_rest
    assert not codes.is_pairs
    assert codes.sides(2) == ((0, 1, 3), (2,))
    assert codes.distances[0].tolist() == [0, 2, 2, 2]


def test_two_classes_have_one_machine_with_the_second_class_positive():
    for codes in [
        CodeMatrix.rest(2),
        CodeMatrix.pairs(2),
        CodeMatrix.exhaustive(2),
        CodeMatrix.random(2),
        CodeMatrix.bch(2),
    ]:
        assert codes.entries.tolist() == [[-1, 1]]


@pytest.mark.parametrize("k", [3, 4, 5, 8, 12])
def test_exhaustive_codes_have_all_columns(k):
    """Dietterich and Bakiri (1995): 2^(k-1) - 1 columns, rows 2^(k-2) apart."""
    codes = CodeMatrix.exhaustive(k)
    assert len(codes) == 2 ** (k - 1) - 1
    assert len({tuple(row * row[0]) for row in codes.entries.tolist() for row in [np.array(row)]}) == len(codes)
    off = codes.distances[~np.eye(k, dtype=bool)]
    assert set(off.tolist()) == {2.0 ** (k - 2)}


def test_the_exhaustive_code_of_five_classes_is_the_published_one():
    """Dietterich and Bakiri (1995), table 6: row 1 all ones, row 2 eight zeros and seven ones, and so on."""
    rows = (CodeMatrix.exhaustive(5).entries.T > 0).astype(int)
    told = ["".join(map(str, row)) for row in rows.tolist()]
    assert told == ["111111111111111", "000000001111111", "000011110000111", "001100110011001", "010101010101010"]


def test_exhaustive_codes_of_many_classes_are_refused():
    with pytest.raises(UsageError, match="4,095 columns"):
        CodeMatrix.exhaustive(13)


@pytest.mark.parametrize(
    ("k", "kind"), [(5, "dense"), (8, "dense"), (20, "dense"), (6, "sparse"), (10, "sparse"), (20, "sparse")]
)
def test_random_codes_are_of_allweins_size_and_far_apart(k, kind):
    codes = CodeMatrix.random(k, kind=kind, seed=7)
    there = 2 ** (k - 1) - 1 if kind == "dense" else (3**k - 2 ** (k + 1) + 1) // 2
    assert len(codes) == min(default_columns(k, kind), there)
    assert default_columns(k, kind) == round((10 if kind == "dense" else 15) * math.log2(k))
    off = codes.distances[~np.eye(k, dtype=bool)]
    assert off.min() >= 0.25 * len(codes)
    assert codes == CodeMatrix.random(k, kind=kind, seed=7)
    assert kind == "sparse" or (codes.entries != 0).all()
    columns = {tuple(row) for row in codes.entries.tolist()} | {tuple(-row) for row in codes.entries}
    assert len(columns) == 2 * len(codes)  # none repeats another or its opposite


def test_more_draws_find_codes_that_are_no_closer(monkeypatch):
    from hedgerow.models import code_search

    far = CodeMatrix.random(9, 20, seed=3).distances
    monkeypatch.setattr(code_search, "DRAWS", 20)
    one = CodeMatrix.random(9, 20, seed=3).distances
    off = ~np.eye(9, dtype=bool)
    assert far[off].min() >= one[off].min()


def test_a_random_code_with_too_few_columns_says_so():
    with pytest.raises(UsageError, match="at least 4 columns"):
        CodeMatrix.random(9, 3)
    with pytest.raises(UsageError, match="ask for more columns"):
        CodeMatrix.random(64, 6)
    with pytest.raises(UsageError, match="'dense' or 'sparse'"):
        CodeMatrix.random(9, kind="thin")


@pytest.mark.parametrize(
    ("field", "wanted", "dimension", "distance"),
    [(4, 5, 5, 7), (4, 6, 7, 5), (5, 6, 6, 15), (5, 7, 11, 11), (6, 7, 7, 31), (6, 8, 10, 27)],
)
def test_bch_codes_have_their_published_size_and_distance(field, wanted, dimension, distance):
    """Tables of primitive BCH codes: (15, 5, 7), (15, 7, 5), (31, 6, 15), (31, 11, 11), (63, 7, 31), (63, 10, 27)."""
    words = bch_words(field, wanted)
    assert words.dimension == dimension
    picks = np.arange(2**dimension)[:, None] >> np.arange(dimension) & 1
    every = picks @ words.basis & 1
    weights = every.sum(axis=1)
    assert np.sort(weights)[1] == distance  # a linear code's least weight is its least distance


@pytest.mark.parametrize(("k", "bits", "least"), [(8, 31, 15), (26, 63, 31), (100, 127, 63)])
def test_bch_codes_of_many_classes_are_far_apart(k, bits, least):
    codes = CodeMatrix.bch(k)
    assert len(codes) == bits
    assert codes.distances[~np.eye(k, dtype=bool)].min() >= least


def test_few_classes_have_the_exhaustive_code_in_place_of_bch():
    assert CodeMatrix.bch(5) == CodeMatrix.exhaustive(5)


def test_classes_without_rows_have_no_code_and_are_never_answered():
    codes = CodeMatrix.pairs(4, used=[0, 2, 3])
    assert codes.entries.tolist() == [[-1, 0, 1, 0], [-1, 0, 0, 1], [0, 0, -1, 1]]
    assert codes.used.tolist() == [0, 2, 3]
    scores = votes(codes, np.array([[-1.0], [-1.0], [0.5]]))
    assert scores[0, 1] == -np.inf
    assert best(scores).tolist() == [0]
    for decode in [hamming, loss_based]:
        assert best(decode(codes, np.array([[1.0], [1.0], [-1.0]]))).tolist() == [2]
    only = CodeMatrix.rest(3, used=[1])
    assert only == CodeMatrix.pairs(3, used=[1])
    assert best(votes(only, np.ones((1, 2)))).tolist() == [1, 1]
    assert best(largest(only, np.ones((1, 2)))).tolist() == [1, 1]


def test_votes_count_wins_and_part_ties_by_values():
    codes = CodeMatrix.pairs(3)
    # a beats b, c beats a, b beats c: one vote each; c wins by the most
    values = np.array([[-0.2], [0.9], [-0.3]])
    scores = votes(codes, values)
    sums = np.array([0.2 - 0.9, -0.2 + 0.3, 0.9 - 0.3])
    np.testing.assert_allclose(scores[0], 1 + sums / (3 * (np.abs(sums) + 1)))
    assert best(scores).tolist() == [2]
    assert best(votes(codes, np.array([[-0.3], [0.3], [-0.3]]))).tolist() == [0]  # all the same: the first class
    assert best(votes(codes, np.array([[-(0.1 + 0.2)], [0.3], [-0.3]]))).tolist() == [0]  # but for rounding


def test_a_machine_without_an_answer_has_no_vote():
    codes = CodeMatrix.pairs(3)
    values = np.array([[np.nan], [np.nan], [0.1]])
    assert np.floor(votes(codes, values)[0] + 0.5).tolist() == [0, 0, 1]
    assert best(votes(codes, np.full((3, 1), np.nan))).tolist() == [0]
    assert best(hamming(codes, values)).tolist() == [2]
    assert best(loss_based(codes, values)).tolist() == [2]
    rest = CodeMatrix.rest(3)
    assert best(largest(rest, np.array([[np.nan, np.nan], [-5.0, np.nan], [-3.0, np.nan]]))).tolist() == [2, 0]


def test_zero_is_the_positive_side():
    """M205: the positive class where f >= 0, in the machine of two classes too."""
    codes = CodeMatrix.rest(2)
    values = np.array([[0.0, -1.0, 2.0, np.nan]])
    assert decided(codes, values, largest(codes, values)).tolist() == [1, 0, 1, 0]
    np.testing.assert_array_equal(largest(codes, values)[:3], [[0, 0], [1, -1], [-2, 2]])
    assert best(votes(codes, values)).tolist() == [1, 0, 1, 0]


def test_largest_needs_machines_of_one_class_each():
    with pytest.raises(ModelError, match="from the rest"):
        largest(CodeMatrix.pairs(3), np.zeros((3, 1)))
    with pytest.raises(ModelError, match="3 machines need values"):
        votes(CodeMatrix.pairs(3), np.zeros((2, 1)))


def test_the_published_example_of_hamming_and_loss_decoding():
    """Allwein and others (2000), figure 2's kind: Hamming takes the nearest code, the loss what the values say."""
    codes = CodeMatrix.exhaustive(4)
    word = codes.entries[:, 2].astype(float)
    wrong = word.copy()
    wrong[0] *= -1  # the codes are 4 apart: one wrong machine is put right
    assert best(hamming(codes, wrong[:, None])).tolist() == [2]
    assert hamming(codes, wrong[:, None])[0, 2] == -1


def one_by_one(codes, values, loss):
    """The definitions, entry by entry."""
    functions = {
        "hinge": lambda z: max(0.0, 1 - z),
        "exp": lambda z: math.exp(-z),
        "logistic": lambda z: math.log1p(math.exp(-z)),
    }
    out = np.zeros((values.shape[1], codes.n_classes))
    for (machine, code), entry in np.ndenumerate(codes.entries):
        for row, value in enumerate(values[machine].tolist()):
            z = 0.0 if math.isnan(value) else entry * value
            sign = 0 if math.isnan(value) else 1 if value >= 0 else -1
            out[row, code] -= (1 - entry * sign) / 2 if loss == "hamming" else functions[loss](z)
    return out


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_decoding_equals_its_definition(data):
    k = data.draw(st.integers(3, 6))
    codes = data.draw(
        st.sampled_from(
            [CodeMatrix.pairs(k), CodeMatrix.rest(k), CodeMatrix.random(k, 6, "sparse", 3), CodeMatrix.bch(k)]
        )
    )
    number = st.one_of(st.floats(-5, 5), st.just(math.nan))
    values = data.draw(arrays(np.float64, (len(codes), 3), elements=number))
    np.testing.assert_allclose(hamming(codes, values), one_by_one(codes, values, "hamming"))
    for loss in class_codes.LOSSES:
        np.testing.assert_allclose(loss_based(codes, values, loss), one_by_one(codes, values, loss), atol=1e-9)
    for row in range(3):
        said = [(m, 1 if v >= 0 else -1, v) for m, v in enumerate(values[:, row]) if not math.isnan(v)]
        count = [sum(codes.entries[m, c] == sign for m, sign, _ in said) for c in range(k)]
        sums = np.array([sum(codes.entries[m, c] * v for m, _, v in said) for c in range(k)])
        np.testing.assert_allclose(votes(codes, values)[row], count + sums / (3 * (np.abs(sums) + 1)), atol=1e-12)


def test_losses_stay_finite_for_wild_values():
    codes = CodeMatrix.rest(3)
    values = np.array([[1e6], [-1e6], [-2e6]])
    for loss in class_codes.LOSSES:
        scores = loss_based(codes, values, loss)
        assert np.isfinite(scores).all()
        assert best(scores).tolist() == [0]
    with pytest.raises(UsageError, match="one of hinge"):
        loss_based(codes, values, "squared")


def test_blocks_of_rows_change_nothing(monkeypatch):
    random = np.random.default_rng(1)
    codes, values = CodeMatrix.pairs(4), random.normal(size=(6, 50))
    whole = votes(codes, values), loss_based(codes, values), coupled(1 / (1 + np.exp(-values)), 4)
    monkeypatch.setattr(class_codes, "BLOCK", 30)
    parts = votes(codes, values), loss_based(codes, values), coupled(1 / (1 + np.exp(-values)), 4)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


def iterated(r):
    """Wu, Lin and Weng's algorithm 2 for one row; r[i, j] is the probability of i in the pair (i, j)."""
    k = len(r)
    q = np.array(
        [[(r[:, t] ** 2).sum() - r[t, t] ** 2 if s == t else -r[s, t] * r[t, s] for s in range(k)] for t in range(k)]
    )
    p = np.full(k, 1 / k)
    for _ in range(20_000):
        for t in range(k):
            p[t] = (-(q[t] @ p - q[t, t] * p[t]) + p @ q @ p) / q[t, t]
            p /= p.sum()
    return p


@pytest.mark.parametrize("k", [3, 4, 6])
def test_coupling_is_the_fixed_point_of_the_published_iteration(k):
    random = np.random.default_rng(k)
    given = random.uniform(0.05, 0.95, size=(k * (k - 1) // 2, 3))
    found = coupled(given, k)
    first, second = np.triu_indices(k, 1)
    for row in range(3):
        r = np.zeros((k, k))
        r[second, first], r[first, second] = given[:, row], 1 - given[:, row]
        np.testing.assert_allclose(found[row], iterated(r), atol=1e-9)


def test_coupling_gives_back_probabilities_that_the_pairs_came_from():
    p = np.array([[0.5, 0.3, 0.15, 0.05], [0.97, 0.01, 0.01, 0.01]])
    first, second = np.triu_indices(4, 1)
    pairs = (p[:, second] / (p[:, first] + p[:, second])).T
    np.testing.assert_allclose(coupled(pairs, 4), p, atol=1e-9)
    np.testing.assert_allclose(coupled(np.array([[0.3]]), 2), [[0.7, 0.3]])
    assert coupled(np.empty((0, 2)), 1).tolist() == [[1.0], [1.0]]


def test_coupling_of_sure_and_of_silent_pairs():
    sure = coupled(np.array([[0.0], [0.0], [1.0]]), 3)[0]
    np.testing.assert_allclose(sure, [1, 0, 0], atol=1e-6)
    cycle = coupled(np.array([[0.0], [1.0], [0.0]]), 3)[0]
    np.testing.assert_allclose(cycle, [1 / 3] * 3, atol=1e-6)
    np.testing.assert_allclose(coupled(np.full((3, 1), np.nan), 3)[0], [1 / 3] * 3)
    some = coupled(np.array([[np.nan], [0.1], [0.1]]), 3)[0]  # a and b both beat c
    np.testing.assert_allclose(some, [9 / 19, 9 / 19, 1 / 19], atol=1e-9)
    with pytest.raises(ModelError, match="3 pairs"):
        coupled(np.zeros((2, 1)), 3)


def test_swapping_classes_swaps_coupled_probabilities():
    random = np.random.default_rng(5)
    r = random.uniform(size=(3, 20))
    one = coupled(r, 3)
    # order c, b, a: pairs (c, b), (c, a), (b, a)
    other = coupled(1 - r[[2, 1, 0]], 3)
    np.testing.assert_allclose(one, other[:, ::-1], atol=1e-9)


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        (np.zeros((0, 2), dtype=np.int8), "1 to 100,000 machines"),
        (np.array([[1, 2]], dtype=np.int8), "-1, 0 and 1"),
        (np.array([[1.0, -1.0]]), "int8"),
        (np.array([1, -1], dtype=np.int8), "int8"),
        (np.array([[1, 1, -1], [1, 0, 1]], dtype=np.int8), "machine 1 .* both sides"),
        (np.array([[1, 1, -1]], dtype=np.int8), "parts some two"),
        (np.array([[-1, 0]], dtype=np.int8), "single class"),
        (np.zeros((1, 3), dtype=np.int8), "both sides"),
    ],
)
def test_a_matrix_that_is_no_code_says_why(entries, told):
    with pytest.raises(ModelError, match=told):
        CodeMatrix(entries)


def test_parts_come_back_and_are_checked():
    codes = CodeMatrix.random(5, kind="sparse")
    assert CodeMatrix.from_dict(codes.to_dict(), 5) == codes
    assert hash(CodeMatrix.from_dict(codes.to_dict(), 5)) == hash(codes)
    with pytest.raises(ModelError, match="does not fit"):
        CodeMatrix.from_dict(codes.to_dict(), 4)
    with pytest.raises(ModelError, match="0, 1 and 2"):
        CodeMatrix.from_dict({"entries": np.full((1, 2), 3, dtype=np.uint8)}, 2)
    with pytest.raises(ModelError, match="parts"):
        CodeMatrix.from_dict({"codes": codes.entries}, 5)
    with pytest.raises(UsageError, match="ascending"):
        CodeMatrix.pairs(3, used=[2, 1])
    with pytest.raises(UsageError, match="too many"):
        CodeMatrix.pairs(1000)


def test_distances_count_zeros_half():
    assert distances(np.array([[1, -1, 0], [1, 1, -1]], dtype=np.int8)).tolist() == [
        [0, 1, 1.5],
        [1, 0, 1.5],
        [1.5, 1.5, 0],
    ]
