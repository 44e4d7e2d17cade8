"""Gradient ascent on the likelihood, over all rows and row by row: the textbook's numbers, and the same optimum."""

import numpy as np
import pytest

import hedgerow
from hedgerow import Logistic
from hedgerow.data.design.blocks import NumberBlock
from hedgerow.data.design.design import Design
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table
from hedgerow.models.linear.linear_classes import LinearClasses
from tests.reference import mistakes as reference
from tests.textbook import TENNIS_CODES, tennis_codes

PLAY = TENNIS_CODES[:, 4].astype(int)


def tennis():
    return tennis_codes(("N", "P"))


def coefficients(model):
    return np.array([model.intercepts[0], *model.slopes[0]])


def test_the_logistic_curve():
    """G84: w0 = -1.25, w1 = 0.5."""
    schema = Schema((Column("a", Kind.NUMERIC), Column("y", Kind.NOMINAL, ("no", "yes"))), "y")
    design = Design(schema, (NumberBlock(0.0, 1.0), None))
    model = LinearClasses(schema, design, np.array([1], np.int32), np.array([-1.25]), np.array([[0.5]]))
    asked = Table.of({"a": [-5.0, 0.0, 2.5, 5.0, 10.0]})
    expected = [0.022977, 0.222700, 0.5, 0.777300, 0.977023]
    assert np.allclose(model.distribution(asked)[:, 1], expected, atol=5e-7)
    assert model.predict(Table.of({"a": [2.49, 2.51]})).tolist() == ["no", "yes"]


@pytest.mark.parametrize(("solver", "atol"), [("ascent", 2e-6), ("sgd", 2e-2)])
def test_the_optimum_of_the_tennis_rows(solver, atol):
    """G86."""
    model = Logistic(solver=solver, max_iter=20000, digits=9).train(tennis())
    expected = [1.862608, 0.530913, 0.477451, -2.714946, -1.433676]
    assert np.allclose(coefficients(model), expected, atol=atol)
    assert abs(model.figures.log_likelihood - -6.869374) < 2e-5
    assert abs(model.distribution(tennis())[1, 1] - 0.209) < 2e-3
    assert np.count_nonzero(model.decide(tennis()) == PLAY) == 11


def test_the_first_step_from_zero():
    """G87: log-likelihood 14 ln 0.5 = -9.704061; gradient (2, 3, 1, -0.5, 0)."""
    learner = Logistic(solver="ascent", rate=1e-3, max_iter=1, standardize=False, digits=15)
    with pytest.warns(hedgerow.DataWarning, match="ended after 1 pass before"):
        model = learner.fit(tennis()).model_
    assert np.allclose(coefficients(model), 1e-3 * np.array([2, 3, 1, -0.5, 0]), atol=1e-12)
    text = str(learner.show_work(tennis()))
    assert "-9.70406053" in text
    assert "Gradient ascent" in text


def test_a_stochastic_pass_is_the_textbook_rule():
    """M186: every coefficient moves by rate * (y - h) * value, one row after the other."""
    matrix = np.ascontiguousarray(TENNIS_CODES[:, :4])
    expected = reference.class_steps(matrix, PLAY, 2, True, np.ones(14), 0.1, np.zeros((1, 5)))
    learner = Logistic(solver="sgd", rate=0.1, max_iter=1, standardize=False, digits=15)
    with pytest.warns(hedgerow.DataWarning, match="ended after 1 pass before"):
        model = learner.fit(tennis()).model_
    assert np.allclose(coefficients(model), expected[0], rtol=1e-9)


@pytest.mark.parametrize(("solver", "rate"), [("ascent", 5.0), ("sgd", 1e4)])
def test_a_rate_that_diverges_is_said_and_another_suggested(solver, rate):
    with pytest.raises(hedgerow.UsageError, match=r"rate=.* is too large: .*try rate=") as error:
        Logistic(solver=solver, rate=rate, standardize=False).train(tennis())
    better = float(str(error.value).split("try rate=")[1].split(",")[0])
    Logistic(solver=solver, rate=better, standardize=False).train(tennis())


def test_many_classes_and_penalties_reach_the_same_optimum():
    random = np.random.default_rng(4)
    X = random.normal(size=(120, 3))
    said = np.argmax(X @ random.normal(size=(3, 3)) + random.gumbel(size=(120, 3)), axis=1)
    columns = {f"x{i}": X[:, i].tolist() for i in range(3)} | {"y": [f"c{c}" for c in said]}
    table = Table.of(columns, "y")
    for given in ({"penalty": "none"}, {"penalty": "l2", "strength": 3.0}, {"penalty": "l2", "classes": "each"}):
        best = Logistic(**given, digits=9).train(table)
        for solver, atol in (("ascent", 1e-5), ("sgd", 0.03)):
            model = Logistic(**given, solver=solver, max_iter=5000, digits=9).train(table)
            assert np.allclose(model.distribution(table), best.distribution(table), atol=atol)


def test_l1_is_refused():
    with pytest.raises(hedgerow.UsageError, match="does not support the l1 penalty"):
        Logistic(solver="ascent", penalty="l1").train(tennis())


@pytest.mark.filterwarnings("ignore::hedgerow.errors.DataWarning")
def test_texts_stay_sparse():
    texts = ["good day", "bad day", "good good", "awful day", "fine", "bad"] * 3
    labels = ["p", "n", "p", "n", "p", "n"] * 3
    for solver in ("ascent", "sgd"):
        learner = Logistic(solver=solver, max_iter=300).fit(texts, labels)
        assert learner.predict(["good", "bad"]).tolist() == ["p", "n"]
