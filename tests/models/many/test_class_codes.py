"""Class codes: which machines there are."""

import itertools
import math

import numpy as np
import pytest

from hedgerow.errors import ModelError, UsageError
from hedgerow.models.many.class_codes import CodeMatrix, distances
from hedgerow.models.many.code_search import bch_code_words, default_columns
from hedgerow.models.many.decoding import best, hamming, largest, loss_based, votes


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
    assert codes.is_one_vs_rest == (k == 2)


def test_rest_parts_each_class_from_the_others():
    codes = CodeMatrix.one_vs_rest(4)
    assert codes.is_one_vs_rest
    assert not codes.is_pairs
    assert codes.sides(2) == ((0, 1, 3), (2,))
    assert codes.distances[0].tolist() == [0, 2, 2, 2]


def test_two_classes_have_one_machine_with_the_second_class_positive():
    for codes in [
        CodeMatrix.one_vs_rest(2),
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
    from hedgerow.models.many import code_search

    far = CodeMatrix.random(9, 20, seed=3).distances
    monkeypatch.setattr(code_search, "DRAWS", 20)
    one = CodeMatrix.random(9, 20, seed=3).distances
    off = ~np.eye(9, dtype=bool)
    assert far[off].min() >= one[off].min()


def test_a_random_code_with_too_few_columns_says_so():
    with pytest.raises(UsageError, match="at least 4 columns"):
        CodeMatrix.random(9, 3)
    with pytest.raises(UsageError, match="use more columns"):
        CodeMatrix.random(64, 6)
    with pytest.raises(UsageError, match="'dense' or 'sparse'"):
        CodeMatrix.random(9, kind="thin")


@pytest.mark.parametrize(
    ("field", "wanted", "dimension", "distance"),
    [(4, 5, 5, 7), (4, 6, 7, 5), (5, 6, 6, 15), (5, 7, 11, 11), (6, 7, 7, 31), (6, 8, 10, 27)],
)
def test_bch_codes_have_their_published_size_and_distance(field, wanted, dimension, distance):
    """Tables of primitive BCH codes: (15, 5, 7), (15, 7, 5), (31, 6, 15), (31, 11, 11), (63, 7, 31), (63, 10, 27)."""
    words = bch_code_words(field, wanted)
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
    only = CodeMatrix.one_vs_rest(3, used=[1])
    assert only == CodeMatrix.pairs(3, used=[1])
    assert best(votes(only, np.ones((1, 2)))).tolist() == [1, 1]
    assert best(largest(only, np.ones((1, 2)))).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        (np.zeros((0, 2), dtype=np.int8), "1 to 100,000 machines"),
        (np.array([[1, 2]], dtype=np.int8), "-1, 0 and 1"),
        (np.array([[1.0, -1.0]]), "int8"),
        (np.array([1, -1], dtype=np.int8), "int8"),
        (np.array([[1, 1, -1], [1, 0, 1]], dtype=np.int8), "machine 1 .* both sides"),
        (np.array([[1, 1, -1]], dtype=np.int8), "are not separated by any machine"),
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
    with pytest.raises(ModelError, match="does not match"):
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
