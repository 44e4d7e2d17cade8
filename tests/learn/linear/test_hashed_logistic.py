"""Mahout's trainer: slots, steps and print."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.data.design.design import Design
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError, UsageError
from hedgerow.learn.linear.online.hashed_logistic import OPTIONS, DesignSlots, HashedLogistic, MahoutSteps
from hedgerow.learn.linear.online.mahout_slots import intercept_slot, number_slot, word_slots
from hedgerow.models.linear.linear_classes import LinearClasses
from tests.textbook import TENNIS_NAMES, tennis_codes

SLOTS = {"outlook": 3, "temperature": 0, "humidity": 3, "windy": 3}
PRINTED = [-0.627386850, 2.509528194, 0.0, -0.600897574]
H = [
    0.657879, 0.513237, 0.513237, 0.519852, 0.787134, 0.669702, 0.787134, 0.782661, 0.924807, 0.663816, 0.782661,
    0.519852, 0.657879, 0.372513,
]  # fmt: skip


@pytest.fixture
def tennis():
    return tennis_codes(("0", "1"))


@pytest.fixture
def mahout():
    return HashedLogistic(
        features=4, passes=100, rate=50.0, categories=2, predictors=list(TENNIS_NAMES), types="numeric", shuffle=False
    )


def test_g85_slots_are_those_of_the_document():
    """G85: slot 0 temperature, slot 1 intercept, slot 2 empty, slot 3 shared by outlook, humidity and windy."""
    assert intercept_slot(4) == 1
    assert {name: number_slot(name, 4) for name in TENNIS_NAMES} == SLOTS


def test_g85_training_gives_the_printed_vector(tennis, mahout):
    """G85: passes 100, rate 50, features 4 give the vector of document 003, to all of its nine digits."""
    trained = mahout.learn_slots(tennis)
    assert trained.slots.vector(trained.steps.beta[0]) == pytest.approx(PRINTED, abs=5e-10)


def test_g85_the_print_is_that_of_the_document(tennis, mahout):
    """G85: number of features, formula, coefficients, vector."""
    lines = str(mahout.show_work(tennis)).splitlines()
    assert lines[0] == "4"
    assert lines[1] == (
        "play ~ 2.510*Intercept Term + -0.601*outlook + -0.627*temperature + -0.601*humidity + -0.601*windy"
    )
    assert [line.split() for line in lines[2:7]] == [
        ["Intercept", "Term", "2.50953"],
        ["humidity", "-0.60090"],
        ["outlook", "-0.60090"],
        ["temperature", "-0.62739"],
        ["windy", "-0.60090"],
    ]
    assert lines[7].split() == ["-0.627386850", "2.509528194", "0.000000000", "-0.600897574"]
    assert lines[8].startswith("slot 3 is shared by 'outlook', 'humidity', 'windy'")


def test_g85_predictions(tennis, mahout):
    """G85: all 14 values of h, 10 right, log-likelihood -8.498525; record 2 is 0.513237, not the 0.16 of X16."""
    model = mahout.train(tennis)
    assert isinstance(model, LinearClasses)
    h = model.distribution(tennis)[:, 1]
    assert h == pytest.approx(H, abs=5e-7)
    assert h[1] == pytest.approx(0.513237, abs=5e-7)
    assert model.figures.log_likelihood == pytest.approx(-8.498525, abs=5e-7)
    assert np.count_nonzero(model.decide(tennis) == tennis["play"]) == 10
    assert np.flatnonzero(model.decide(tennis) == 0).tolist() == [13]
    assert any("slot 3 is shared" in note for note in model.about.notes)


def test_g85_classify_scalar(tennis, mahout):
    """G85, M315: r = exp(dot), r / (1 + r), after pending regularisation of the row's own slots."""
    trained = mahout.learn_slots(tennis)
    rows = trained.slots.rows(tennis)
    starts, slots, values = rows.indptr, rows.indices.astype(np.int32), rows.data
    for row, expected in enumerate(H):
        own = slice(starts[row], starts[row + 1])
        assert trained.steps.classify_scalar(slots[own], values[own]) == pytest.approx(expected, abs=5e-7)
    steps = MahoutSteps.start(1, 2, 1.0, 0.5, 1.0)
    steps.beta[0] = [1.0, 1.0]
    steps.step = 3
    steps.classify_scalar(np.array([0], dtype=np.int32), np.ones(1))
    assert steps.beta[0, 0] < 1
    assert steps.beta[0, 1] == 1  # not the row's: it owes on
    with pytest.raises(UsageError, match="for two classes, but there are 3"):
        MahoutSteps.start(2, 2, 1.0, 0.0, 1.0).classify_scalar(np.array([0], dtype=np.int32), np.ones(1))


def _twin(rows, labels, slots, told, passes, rate, penalty, decay):
    """Mahout's steps in plain Python."""
    beta = [[0.0] * slots for _ in range(told)]
    settled, seen, step = [0] * slots, [0] * slots, 0

    def pay(which):
        now = rate * decay**step * (step + 10) ** -0.5
        for j in which:
            owed, settled[j] = step - settled[j], step
            least = penalty * now * math.sqrt(20 / (20 + seen[j])) * owed
            for line in beta:
                line[j] = 0.0 if abs(line[j]) <= least else line[j] - math.copysign(least, line[j])

    for _ in range(passes):
        for row, label in zip(rows, labels, strict=True):
            pay(row)
            odds = [math.exp(min(sum(line[j] * v for j, v in row.items()), 700)) for line in beta]
            now = rate * decay**step * (step + 10) ** -0.5
            for c, line in enumerate(beta):
                for j, v in row.items():
                    line[j] += ((label == c + 1) - odds[c] / (1 + sum(odds))) * now * math.sqrt(20 / (20 + seen[j])) * v
            for j in row:
                seen[j] += 1
            step += 1
    step += 1
    pay(range(slots))
    return beta


@given(
    st.lists(
        st.tuples(st.dictionaries(st.integers(0, 4), st.sampled_from([1.0, -0.5, 2.0]), min_size=1), st.integers(0, 2)),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from([0.0, 0.01, 0.3]),
)
def test_the_kernel_steps_as_its_twin(rows, penalty):
    steps = MahoutSteps.start(2, 5, 2.0, penalty, 0.9)
    starts = np.cumsum([0, *(len(row) for row, _ in rows)]).astype(np.int64)
    slots = np.array([j for row, _ in rows for j in sorted(row)], dtype=np.int32)
    values = np.array([row[j] for row, _ in rows for j in sorted(row)])
    labels = np.array([label for _, label in rows], dtype=np.int32)
    for _ in range(3):
        steps.learn(starts, slots, values, labels)
    steps.apply_pending()
    twin = _twin([row for row, _ in rows], labels.tolist(), 5, 2, 3, 2.0, penalty, 0.9)
    assert steps.beta == pytest.approx(np.array(twin), rel=1e-9, abs=1e-12)


def test_words_and_texts_go_to_two_slots_each():
    table = Table.of({"sky": ["sun", "rain", "sun", "rain"], "y": ["a", "b", "a", "b"]}, "y")
    design = Design.learn(table, OPTIONS)
    slots = DesignSlots.of(design, 50)
    assert sorted(slots.used_slots[slots.slot_matrix.tocoo().coords[1]].tolist()) == sorted(
        word_slots("sky", "sun", 50) + word_slots("sky", "rain", 50)
    )
    model = HashedLogistic(features=50).train(table)
    assert model.decide(table).tolist() == [0, 1, 0, 1]


def test_types_make_words_of_numbers_and_numbers_of_words():
    table = Table.of(
        {"a": [1.0, 2.0, 1.0, 2.0], "b": ["3", "4", "3", "4"], "c": [9.0, 9, 9, 8], "y": ["n", "p", "n", "p"]}, "y"
    )
    model = HashedLogistic(predictors=["a", "b"], types=["word", "numeric"]).train(table)
    assert model.design.names == ["a=1", "a=2", "b"]
    assert model.decide(table).tolist() == [0, 1, 0, 1]
    assert "c" not in model.schema


def test_missing_values_have_a_slot():
    table = Table.of({"a": [1.0, None, 0.0, 3.0], "sky": ["s", None, "r", "r"], "y": ["p", "n", "n", "p"]}, "y")
    model = HashedLogistic().train(table)
    assert "a missing" in model.design.names
    assert np.isfinite(model.slopes).all()


def test_many_classes(tennis):
    table = Table.of({"x": [0.0, 1.0, 2.0] * 10, "sky": ["a", "b", "c"] * 10, "y": ["a", "b", "c"] * 10}, "y")
    learner = HashedLogistic(rate=10.0)
    model = learner.train(table)
    assert (model.decide(table) == table["y"]).all()
    assert str(learner.show_work(table)).count(" ~ ") == 2


@pytest.mark.parametrize(
    ("given_", "error", "sentence"),
    [
        ({"categories": 3}, DataError, "has 2 classes .* but categories is 3"),
        ({"predictors": ["outlook", "wind"]}, DataError, "no column 'wind'; did you mean 'windy'"),
        ({"predictors": ["play"]}, UsageError, "is the target, so it cannot also be a predictor"),
        ({"types": ["number"]}, UsageError, "a type is one of numeric, word, text"),
        ({"types": ["word"] * 5}, UsageError, "5 types for 4 predictors"),
        ({"features": 0}, UsageError, "features=0 is not allowed"),
        ({"rate": -1.0}, UsageError, "rate=-1.0 is not allowed"),
    ],
)
def test_bad_input_is_a_sentence(tennis, given_, error, sentence):
    with pytest.raises(error, match=sentence):
        HashedLogistic(**given_).train(tennis)


def test_a_rate_that_is_too_large_is_a_sentence():
    table = Table.of({"a": [1e10, 2e10, 3e10], "y": ["n", "p", "p"]}, "y")
    with pytest.raises(DataError, match=r"diverge to infinity at the rate 1e\+305; choose a smaller one"):
        HashedLogistic(rate=1e305).train(table)


def test_numbers_that_are_too_large_for_its_steps_are_said():
    chance = np.random.default_rng(5)
    income = chance.normal(3000, 900, 200)
    classes = np.where(income + chance.normal(0, 900, 200) > 3000, "yes", "no").tolist()
    (note,) = HashedLogistic().train(Table.of({"income": 1000 * income, "buys": classes}, "buys")).about.notes
    assert "fits worse than the class frequencies alone" in note
    assert "those of 'income' are large" in note
    assert not HashedLogistic().train(Table.of({"income": income / 1000 - 3, "buys": classes}, "buys")).about.notes
