"""Probabilities of SVMs: distributions that agree with the predictions and are calibrated."""

import numpy as np
import pytest
from sklearn.metrics import log_loss

from hedgerow import SVM
from hedgerow.errors import DataWarning
from hedgerow.learn.svm.probabilities import held_out_values
from hedgerow.learn.svm.solving import solve_machines
from hedgerow.models.linear.calibrator import IsotonicSteps, Sigmoid, Temperature
from tests.learn.svm.test_svm import noisy, points

HOW = ["auto", "none", "platt", "isotonic"]


def table_of(x, y):
    return points(x, [f"k{i}" for i in y], tuple(f"k{i}" for i in range(int(y.max()) + 1)))


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("classes", ["pairs", "rest"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("n", [2, 4])
def test_distributions_sum_to_one_and_agree_with_the_decision(how, classes, kernel, n):
    x, y = noisy(90, classes=n)
    table = table_of(x, y)
    model = SVM(kernel=kernel, classes=classes, probabilities=how).train(table)
    shares = model.distribution(table)
    assert shares.sum(axis=1) == pytest.approx(np.ones(90))
    assert (shares >= 0).all()
    if how in ("auto", "none"):
        assert np.array_equal(shares.argmax(axis=1), model.decide(table))
    elif n == 2 or classes == "pairs":  # of classes in the midst of others, no line tells the rest
        assert (shares.argmax(axis=1) == model.decide(table)).mean() > 0.75
    plain = SVM(kernel=kernel, classes=classes, probabilities="none").train(table)
    assert np.array_equal(plain.decide(table), model.decide(table)), "probabilities change no decision"


@pytest.mark.parametrize("how", ["auto", "platt", "isotonic"])
@pytest.mark.parametrize("n", [2, 3])
def test_calibrated_probabilities_are_better(how, n):
    x, y = noisy(1200, flips=0.3, classes=n)
    train, test = table_of(x[:400], y[:400]), table_of(x[400:], y[400:])
    honest = log_loss(y[400:], np.clip(SVM(probabilities=how).train(train).distribution(test), 1e-3, 1))
    plain = log_loss(y[400:], SVM(probabilities="none").train(train).distribution(test))
    frequent = log_loss(y[400:], np.tile(np.bincount(y[:400]) / 400, (800, 1)))
    assert honest < frequent
    if n == 2 or how != "isotonic":
        assert honest < plain + 0.02


def test_what_makes_probabilities():
    x, y = noisy(80)
    table = table_of(x, y)
    assert isinstance(SVM().train(table).chances, Temperature)
    assert SVM(probabilities="none").train(table).chances is None
    (one,) = SVM(probabilities="platt").train(table).chances
    assert isinstance(one, Sigmoid)
    assert one.a < 0
    (one,) = SVM(probabilities="isotonic").train(table).chances
    assert isinstance(one, IsotonicSteps)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_held_out_values_are_of_machines_that_did_not_see_the_row(kernel):
    x, y = noisy(50)
    learner = SVM(kernel=kernel, tol=1e-8)
    sample = learner.prepare_points(table_of(x, y)).points
    settings = learner.settings(sample)
    rows, values, weights = held_out_values(sample, settings, solve_machines(sample, settings), 5, 5)
    assert np.array_equal(np.sort(rows), np.arange(50))
    assert np.array_equal(weights, np.ones(50))
    part = sample.parts(5)[2]
    own = solve_machines(sample, settings, sample.weights - part)
    from hedgerow.learn.svm.solving import decision_values

    there = np.flatnonzero(part)
    expected = decision_values(sample, settings, own, there)
    place = [int(np.flatnonzero(rows == row)[0]) for row in there]
    assert values[:, place] == pytest.approx(expected, abs=1e-4), "beginning with another solution changes nothing"


def test_parts_spread_classes_and_copies():
    x, y = noisy(40)
    table = table_of(x, y).with_weights(np.where(np.arange(40) == 7, 5.0, 1.0))
    sample = SVM().prepare_points(table).points
    parts = sample.parts(5)
    assert np.array_equal(parts.sum(axis=0), sample.weights)
    assert np.array_equal(parts[:, sample.rows == 7].ravel(), np.ones(5))
    heavy = np.array([np.bincount(sample.labels, part, 2) for part in parts])
    assert (np.ptp(heavy, axis=0) <= 1).all()
    broken = SVM().prepare_points(table.with_weights(np.full(40, 0.3))).points.parts(5)
    assert (np.count_nonzero(broken, axis=0) == 1).all()


def test_a_class_with_one_row_and_larger_tables():
    x, y = noisy(30)
    y[:] = 0
    y[3] = 1
    model = SVM(class_weight="balanced").train(table_of(x, y))
    assert np.isfinite(model.distribution(table_of(x, y))).all()


def test_one_part_of_a_large_table_is_held_out(monkeypatch):
    from hedgerow.learn.svm import probabilities

    monkeypatch.setattr(probabilities, "ENOUGH", 50)
    monkeypatch.setattr(probabilities, "MANY", 100)
    monkeypatch.setattr(probabilities, "MOST_HELD", 20)
    x, y = noisy(300, classes=3)
    table = table_of(x, y)
    model = SVM().train(table)
    assert isinstance(model.chances, Temperature)
    assert np.array_equal(model.distribution(table).argmax(axis=1), model.decide(table))


@pytest.mark.parametrize("how", ["platt", "isotonic"])
def test_a_machine_that_says_the_same_of_every_row_has_the_share_of_its_class(how):
    """A class amidst the others has w = 0 against the rest: calibrators must not read the solver's last digits."""
    table = amidst()
    with pytest.warns(DataWarning, match="no boundary is better than none for 'k1'"):
        learner = SVM(kernel="linear", classes="rest", probabilities=how).fit(*table_parts(table))
    own = learner.model_.chances[1]
    assert own(np.array([-1.1, -1.0, -0.9, 2.0])) == pytest.approx(np.full(4, 1 / 3), abs=0.02)


def test_sigmoids_never_fall():
    """Folds of noise have sigmoids that fall with f; a level one is then the best of those that do not."""
    random = np.random.default_rng(1)
    for _ in range(5):
        table = table_of(random.normal(size=(30, 2)), random.integers(0, 4, 30))
        assert all(one.a <= 0 for one in SVM(classes="rest", probabilities="platt").train(table).chances)


def amidst():
    """Three classes on a line, of which the one in the middle has rows of the others on both sides."""
    random = np.random.default_rng(2)
    y = np.arange(90) % 3
    return table_of(np.column_stack([3.0 * y, 0 * y]) + random.normal(size=(90, 2)), y)


def table_parts(table):
    x = np.column_stack([table.numbers(i) for i in table.schema.predictors])
    return x, [table.schema.target_column.levels[code] for code in table.target_codes]


def test_probabilities_of_pairs_tell_how_sure_a_decision_is():
    """Votes of pairs are whole numbers: as scores they made P of the decided class all but the same for every row."""
    x, y = noisy(1600, classes=4)
    model = SVM().train(table_of(x[:800], y[:800]))
    fresh = table_of(x[800:], y[800:])
    shares, decided = model.distribution(fresh), model.decide(fresh)
    assert np.array_equal(shares.argmax(axis=1), decided)
    top, right = shares.max(axis=1), decided == y[800:]
    sure = top >= np.median(top)
    assert np.ptp(np.quantile(top, [0.1, 0.9])) > 0.2
    assert right[sure].mean() > right[~sure].mean() + 0.15
    for some in (sure, ~sure):
        assert top[some].mean() == pytest.approx(right[some].mean(), abs=0.08)


@pytest.mark.parametrize(("n", "auto", "platt"), [(800, 5, 5), (1000, 5, 5), (2000, 3, 5), (5000, 1, 5), (5001, 1, 5)])
def test_enough_rows_are_held_out_for_a_temperature(n, auto, platt):
    from hedgerow.learn.svm.probabilities import refits

    x, y = noisy(n)
    sample = SVM().prepare_points(table_of(x, y)).points
    assert [refits(sample, how) for how in ("auto", "platt", "none")] == [auto, platt, 0]
