"""L-BFGS in the span of the rows ends where L-BFGS over all coefficients does."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from hedgerow import Logistic
from hedgerow.errors import DataWarning
from hedgerow.learn.linear.logistic import in_memory
from hedgerow.learn.linear.logistic.lbfgs import lbfgs
from hedgerow.learn.linear.logistic.lbfgs_in_row_span import minimize_in_span
from hedgerow.learn.linear.logistic.likelihood import LogisticProblem, Penalty
from hedgerow.models.base.design_scaling import DesignScaling


def problem_of(seed, based, weighted, centered, rows=60, width=150):
    random = np.random.default_rng(seed)
    classes = 2 if based else 4
    matrix = csr_array(random_array((rows, width), density=0.08, rng=random, format="csr"))
    labels = random.integers(0, classes, rows).astype(np.int32)
    weights = random.uniform(0, 3, rows) if weighted else None
    factors = random.uniform(0.5, 2, width)
    factors[3] = 0.0  # a place that does not move
    l2 = np.where(factors > 0, random.uniform(0.1, 2, width), 0.0)
    frame = DesignScaling(random.normal(size=width) * 0.1 * centered, factors)
    design = SimpleNamespace(matrix=lambda _: matrix, width=width, is_sparse=lambda _: True)
    table = SimpleNamespace(weights=weights, n_rows=rows)
    return LogisticProblem(design, table, labels, classes, based, Penalty(l2, np.zeros(width)), frame)


@pytest.mark.parametrize("based", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("centered", [True, False])
def test_the_end_is_the_same(based, weighted, centered):
    problem = problem_of(1, based, weighted, centered)
    start = np.zeros(problem.shape)
    found = minimize_in_span(problem, start, 1000, 1e-13)
    moving = np.append(problem.frame.factors > 0, True)
    expected = problem.run_solver(lbfgs(start, problem.penalty, moving, 2000, 1e-13, 60.0))
    assert found.converged
    assert found.cost == pytest.approx(expected.cost, rel=1e-8)
    assert found.cost == pytest.approx(problem.answer(found.theta).cost, rel=1e-11)
    assert np.abs(problem.answer(found.theta).gradient).max() < 1e-3
    assert (found.theta[:, 3] == 0).all()


def test_few_passes_are_not_settled():
    problem = problem_of(2, False, False, False)
    found = minimize_in_span(problem, np.zeros(problem.shape), 3, 1e-9)
    assert not found.converged
    assert found.passes == 3


@pytest.mark.parametrize("classes", ["coupled", "each"])
def test_texts_are_learned_as_before(monkeypatch, classes):
    random = np.random.default_rng(5)
    words = [f"w{i}" for i in range(400)]
    labels = ["a", "b", "c"] * 20
    texts = [
        " ".join([*random.choice(words, 12), f"own{label}"] if random.random() < 0.7 else random.choice(words, 12))
        for label in labels
    ]
    plain = Logistic(solver="lbfgs", classes=classes, tol=1e-12).fit(texts, labels).model_
    monkeypatch.setattr(in_memory, "WIDE", 10)
    wide = Logistic(solver="lbfgs", classes=classes, tol=1e-12).fit(texts, labels).model_
    np.testing.assert_allclose(wide.slopes, plain.slopes, atol=2e-4)
    np.testing.assert_allclose(wide.intercepts, plain.intercepts, atol=2e-4)
    assert wide.figures.converged
    with pytest.warns(DataWarning, match="solver='lbfgs' ended after 2 passes"):
        Logistic(solver="lbfgs", classes=classes, max_iter=2).fit(texts, labels)
