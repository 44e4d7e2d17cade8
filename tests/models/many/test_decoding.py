"""Decoding: how what machines say becomes a class."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hedgerow.errors import ModelError, UsageError
from hedgerow.models.many import decoding
from hedgerow.models.many.class_codes import CodeMatrix
from hedgerow.models.many.coupling import couple_probabilities
from hedgerow.models.many.decoding import best, decode_classes, hamming, largest, loss_based, votes


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
    rest = CodeMatrix.one_vs_rest(3)
    assert best(largest(rest, np.array([[np.nan, np.nan], [-5.0, np.nan], [-3.0, np.nan]]))).tolist() == [2, 0]


def test_zero_is_the_positive_side():
    """M205: the positive class where f >= 0, in the machine of two classes too."""
    codes = CodeMatrix.one_vs_rest(2)
    values = np.array([[0.0, -1.0, 2.0, np.nan]])
    assert decode_classes(codes, values, largest(codes, values)).tolist() == [1, 0, 1, 0]
    np.testing.assert_array_equal(largest(codes, values)[:3], [[0, 0], [1, -1], [-2, 2]])
    assert best(votes(codes, values)).tolist() == [1, 0, 1, 0]


def test_largest_needs_machines_of_one_class_each():
    with pytest.raises(ModelError, match="from the rest"):
        largest(CodeMatrix.pairs(3), np.zeros((3, 1)))
    with pytest.raises(ModelError, match="3 machines need one row of values"):
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
            [CodeMatrix.pairs(k), CodeMatrix.one_vs_rest(k), CodeMatrix.random(k, 6, "sparse", 3), CodeMatrix.bch(k)]
        )
    )
    number = st.one_of(st.floats(-5, 5), st.just(math.nan))
    values = data.draw(arrays(np.float64, (len(codes), 3), elements=number))
    np.testing.assert_allclose(hamming(codes, values), one_by_one(codes, values, "hamming"))
    for loss in decoding.LOSSES:
        np.testing.assert_allclose(loss_based(codes, values, loss), one_by_one(codes, values, loss), atol=1e-9)
    for row in range(3):
        said = [(m, 1 if v >= 0 else -1, v) for m, v in enumerate(values[:, row]) if not math.isnan(v)]
        count = [sum(codes.entries[m, c] == sign for m, sign, _ in said) for c in range(k)]
        sums = np.array([sum(codes.entries[m, c] * v for m, _, v in said) for c in range(k)])
        np.testing.assert_allclose(votes(codes, values)[row], count + sums / (3 * (np.abs(sums) + 1)), atol=1e-12)


def test_losses_stay_finite_for_wild_values():
    codes = CodeMatrix.one_vs_rest(3)
    values = np.array([[1e6], [-1e6], [-2e6]])
    for loss in decoding.LOSSES:
        scores = loss_based(codes, values, loss)
        assert np.isfinite(scores).all()
        assert best(scores).tolist() == [0]
    with pytest.raises(UsageError, match="one of hinge"):
        loss_based(codes, values, "squared")


@pytest.mark.parametrize("make", [CodeMatrix.one_vs_rest, CodeMatrix.pairs, CodeMatrix.exhaustive])
def test_a_small_exponential_loss_is_not_lost_beside_a_large_one(make):
    """Values of 40: e^40 is summed for some classes, and hides nothing of what others lose."""
    codes = make(4)
    agreed = 40.0 * codes.entries[:, 2]
    doubtful = np.where(np.arange(len(codes)) == len(codes) - 1, -2.0 * codes.entries[:, 2], agreed)
    scores = loss_based(codes, np.column_stack([agreed, doubtful]), "exp")
    wanted = [-np.exp(-codes.entries * said[:, None]).sum(axis=0) for said in (agreed, doubtful)]
    np.testing.assert_allclose(scores, wanted, rtol=1e-12)


def test_blocks_of_rows_change_nothing(monkeypatch):
    random = np.random.default_rng(1)
    codes, values = CodeMatrix.pairs(4), random.normal(size=(6, 50))
    whole = votes(codes, values), loss_based(codes, values), couple_probabilities(1 / (1 + np.exp(-values)), 4)
    monkeypatch.setattr(decoding, "BLOCK", 30)
    parts = votes(codes, values), loss_based(codes, values), couple_probabilities(1 / (1 + np.exp(-values)), 4)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)
