"""Logistic compared with scikit-learn and statsmodels on real tables: coefficients, likelihood, standard errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgerow import Logistic, Table, read
from hedgerow.data.design.design import Design
from hedgerow.models.linear.linear_classes import LinearClasses

# Sets whose classes no columns separate, so that the likelihood has a maximum without a penalty.
MIXED = ("credit-g.arff", "diabetes.arff", "breast-w.arff", "heart-c.arff")
MANY = ("vehicle.arff", "waveform-5000.arff.gz")
PENALISED = ("diabetes.arff", "credit-g.arff", "iris.arff", "glass.arff", "vehicle.arff", "sonar.arff", "labor.arff")

Find = Callable[[str], Path]


def table_of(find: Find, name: str) -> Table:
    """Return a set, at most 2000 rows of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = read(find(f"uci/{name}"))
    return table.slice(0, 2000) if table.n_rows > 2000 else table


def learned(table: Table, **how: Any) -> LinearClasses:
    """Return the model with all digits."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Logistic(digits=15, tol=1e-13, **how).train(table)
    assert isinstance(model, LinearClasses)
    return model


def matrix_of(model: LinearClasses, table: Table) -> tuple[Any, Any]:
    """Return the places that have a coefficient, centered and scaled, and their deviations; dense."""
    design: Design = model.design
    found = design.matrix(table)
    dense = np.asarray(found.toarray() if hasattr(found, "toarray") else found)
    kept = np.setdiff1d(np.arange(design.width), model.left_out)
    return dense[:, kept], kept


def standard(dense: Any) -> tuple[Any, Any]:
    """Return columns of mean 0 and deviation 1, and the deviations."""
    deviations = dense.std(axis=0)
    return (dense - dense.mean(axis=0)) / deviations, deviations


def likelihood(model: LinearClasses, table: Table) -> float:
    """Return the log-likelihood of the rows."""
    shares = model.scores(table)
    return float(np.log(shares[np.arange(table.n_rows), table.target]).sum())


@pytest.mark.parametrize("name", MIXED)
def test_two_classes_as_statsmodels(shared_data: Find, name: str) -> None:
    """Coefficients, log-likelihood and standard errors without a penalty are those of statsmodels."""
    discrete = pytest.importorskip("statsmodels.discrete.discrete_model")
    table = table_of(shared_data, name)
    model = learned(table, penalty="none")
    dense, kept = matrix_of(model, table)
    scaled, deviations = standard(dense)
    present = np.unique(table.target)
    assert len(present) == 2
    full = np.column_stack([np.ones(len(scaled)), scaled])
    peer = discrete.Logit((table.target == present[1]).astype(float), full).fit(disp=0, maxiter=200, tol=1e-12)
    slopes = np.asarray(model.slopes)[0, kept] * deviations
    np.testing.assert_allclose(slopes, peer.params[1:], rtol=1e-6, atol=1e-6)
    assert model.figures is not None
    assert model.figures.log_likelihood == pytest.approx(peer.llf, rel=1e-8)
    assert model.figures.constant == pytest.approx(peer.llnull, rel=1e-8)
    assert likelihood(model, table) == pytest.approx(peer.llf, rel=1e-8)
    assert model.figures.errors is not None
    errors = model.figures.errors[0, 1:][kept] * deviations
    np.testing.assert_allclose(errors, peer.bse[1:], rtol=1e-5)


@pytest.mark.parametrize("name", MANY)
def test_many_classes_as_statsmodels(shared_data: Find, name: str) -> None:
    """The same of several classes, measured against the first."""
    discrete = pytest.importorskip("statsmodels.discrete.discrete_model")
    table = table_of(shared_data, name)
    model = learned(table, penalty="none")
    dense, kept = matrix_of(model, table)
    scaled, deviations = standard(dense)
    full = np.column_stack([np.ones(len(scaled)), scaled])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = discrete.MNLogit(table.target, full).fit(disp=0, maxiter=200, method="newton", tol=1e-12)
    theirs = np.asarray(peer.params).T
    slopes = np.asarray(model.slopes)[:, kept] * deviations
    np.testing.assert_allclose(slopes, theirs[:, 1:], rtol=1e-5, atol=1e-5)
    assert model.figures is not None
    assert model.figures.errors is not None
    assert model.figures.log_likelihood == pytest.approx(peer.llf, rel=1e-8)
    errors = model.figures.errors[:, 1:][:, kept] * deviations
    np.testing.assert_allclose(errors, np.asarray(peer.bse).reshape(theirs.shape[::-1]).T[:, 1:], rtol=1e-4)


@pytest.mark.parametrize("name", PENALISED)
@pytest.mark.parametrize("strength", [0.1, 1.0, 10.0])
def test_l2_as_scikit_learn(shared_data: Find, name: str, strength: float) -> None:
    """With an l2 penalty on standardised columns, probabilities are those of scikit-learn."""
    linear = pytest.importorskip("sklearn.linear_model")
    table = table_of(shared_data, name)
    model = learned(table, penalty="l2", strength=strength)
    scaled, deviations = standard_places(model, table)
    peer = linear.LogisticRegression(C=1 / strength, tol=1e-10, max_iter=10_000, solver="newton-cg")
    peer.fit(scaled, table.target)
    np.testing.assert_allclose(model.scores(table)[:, peer.classes_], peer.predict_proba(scaled), atol=1e-6)
    slopes = np.asarray(model.slopes)[:, deviations > 0] * deviations[deviations > 0]
    theirs = peer.coef_[:, deviations > 0]
    if len(peer.classes_) > 2 and len(slopes) == len(theirs):
        slopes, theirs = slopes - slopes.mean(axis=0), theirs - theirs.mean(axis=0)
    if len(slopes) == len(theirs):
        np.testing.assert_allclose(slopes, theirs, atol=2e-6)


@pytest.mark.parametrize("name", ["diabetes.arff", "credit-g.arff", "sonar.arff", "iris.arff"])
@pytest.mark.parametrize(("penalty", "share"), [("l1", 1.0), ("elastic", 0.5), ("elastic", 0.1)])
def test_sparse_penalties_as_scikit_learn(shared_data: Find, name: str, penalty: str, share: float) -> None:
    """With l1 and elastic penalties the penalised likelihood is at least that of scikit-learn's saga."""
    linear = pytest.importorskip("sklearn.linear_model")
    table = table_of(shared_data, name)
    model = learned(table, penalty=penalty, strength=2.0, l1_ratio=share)
    scaled, deviations = standard_places(model, table)
    peer = linear.LogisticRegression(C=0.5, l1_ratio=share, tol=1e-8, max_iter=20_000, solver="saga", random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer.fit(scaled, table.target)

    def cost(shares: Any, slopes: Any) -> float:
        row = np.searchsorted(peer.classes_, table.target)
        size = share * np.abs(slopes).sum() + (1 - share) / 2 * np.square(slopes).sum()
        return float(-np.log(shares[np.arange(len(row)), row]).sum() + 2.0 * size)

    ours = cost(model.scores(table)[:, peer.classes_], np.asarray(model.slopes) * deviations)
    theirs = cost(peer.predict_proba(scaled), peer.coef_)
    assert ours <= theirs * (1 + 1e-6) + 1e-6
    if len(peer.classes_) == 2:
        np.testing.assert_allclose(np.asarray(model.slopes)[0] * deviations, peer.coef_[0], atol=1e-3)


def standard_places(model: LinearClasses, table: Table) -> tuple[Any, Any]:
    """Return all places centered and scaled (0 where there is one value), and their deviations."""
    found = model.design.matrix(table)
    dense = np.asarray(found.toarray() if hasattr(found, "toarray") else found)
    deviations = dense.std(axis=0)
    deviations[np.ptp(dense, axis=0) == 0] = 0.0
    return (dense - dense.mean(axis=0)) / np.where(deviations > 0, deviations, 1.0), deviations
