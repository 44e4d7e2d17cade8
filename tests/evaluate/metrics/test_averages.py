"""Balanced accuracy, MCC, F-beta and averages over classes equal scikit-learn's; their slopes are right."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from sklearn import metrics

from hedgerow.errors import DataError, UsageError
from hedgerow.evaluate.metrics import confusion_measures, measures
from tests.evaluate.metrics.test_measures import class_results
from tests.evaluate.toys import decided, results_of


@given(class_results())
@pytest.mark.filterwarnings("ignore")  # scikit-learn's, of classes that only occur among the predictions
def test_balanced_accuracy_equals_scikit_learn(results):
    expected = metrics.balanced_accuracy_score(results.actual, results.decided, sample_weight=results.weight)
    assert measures.balanced_accuracy(results) == pytest.approx(expected)
    assert measures.macro(results, measures.recall(results)) == pytest.approx(expected)


@given(class_results())
def test_matthews_correlation_equals_scikit_learn(results):
    value = measures.mcc(results)
    if len(set(results.actual.tolist())) == 1 or len(set(results.decided.tolist())) == 1:
        assert math.isnan(value)
    else:
        expected = metrics.matthews_corrcoef(results.actual, results.decided, sample_weight=results.weight)
        assert value == pytest.approx(expected, abs=1e-9)
    for code, one in enumerate(measures.class_mcc(results)):
        if not math.isnan(one):
            pair = results.actual == code, results.decided == code
            assert one == pytest.approx(metrics.matthews_corrcoef(*pair, sample_weight=results.weight), abs=1e-9)


@pytest.mark.parametrize("beta", [0, 0.5, 1, 2])
@given(results=class_results())
def test_f_beta_equals_scikit_learn(results, beta):
    found = measures.f_beta(results, beta)
    if beta:
        expected = metrics.fbeta_score(
            results.actual,
            results.decided,
            beta=beta,
            labels=range(len(results.labels)),
            average=None,
            sample_weight=results.weight,
            zero_division=np.nan,
        )
        assert found == pytest.approx(expected, nan_ok=True)
    else:
        assert found == pytest.approx(measures.precision(results), nan_ok=True)
    if beta == 1:
        assert found == pytest.approx(measures.f1(results), nan_ok=True)


@given(class_results())
def test_averages_equal_scikit_learn(results):
    codes = sorted(set(results.actual.tolist()))
    assume(set(codes) <= set(results.decided.tolist()))
    weight = {"sample_weight": results.weight, "labels": codes}
    pair = results.actual, results.decided
    for ours, theirs in ((measures.precision, metrics.precision_score), (measures.f1, metrics.f1_score)):
        assert measures.macro(results, ours(results)) == pytest.approx(theirs(*pair, average="macro", **weight))
        assert measures.average(results, ours(results)) == pytest.approx(theirs(*pair, average="weighted", **weight))


@given(class_results())
def test_micro_averages_equal_scikit_learn(results):
    assert measures.micro(results) == pytest.approx([measures.accuracy(results)] * 3)
    some = results.labels[1:]
    expected = metrics.precision_recall_fscore_support(
        results.actual,
        results.decided,
        labels=range(1, len(results.labels)),
        average="micro",
        sample_weight=results.weight,
        zero_division=np.nan,
    )
    assert measures.micro(results, some) == pytest.approx(expected[:3], nan_ok=True)


def test_a_rare_class_shows_where_accuracy_hides_it_g102():
    """G102: 1 % intrusions, none predicted; G97: one of a hundred found."""
    blind = decided([0] + [1] * 99, [1] * 100, ("intrusion", "normal"))
    assert measures.accuracy(blind) == 0.99
    assert measures.balanced_accuracy(blind) == 0.5
    assert math.isnan(measures.mcc(blind))
    rare = decided([0] * 100 + [1] * 1000, [0] + [1] * 1099, ("yes", "no"))
    assert measures.balanced_accuracy(rare) == pytest.approx((0.01 + 1) / 2)
    assert measures.mcc(rare) == pytest.approx(1000 / math.sqrt(1 * 100 * 1000 * 1099))
    assert measures.f_beta(rare, 2)[0] == pytest.approx(5 / (5 + 4 * 99))
    assert measures.f_beta(rare, 0.5)[0] == pytest.approx(1.25 / (1.25 + 0.25 * 99))


def test_an_undefined_class_makes_its_average_undefined():
    results = decided([0, 1, 1], [1, 1, 1], ("a", "b", "c"))
    assert math.isnan(measures.macro(results, measures.precision(results)))
    assert measures.macro(results, measures.recall(results)) == 0.5
    nothing = results_of([0], [[1.0, 0.0]], ("a", "b"), weight=[0])
    assert math.isnan(measures.macro(nothing, measures.recall(nothing)))
    for measure in (measures.balanced_accuracy, measures.mcc, measures.kappa):
        assert math.isnan(measure(nothing))


TABLE = np.array([[0.2, 0.05, 0.02], [0.03, 0.3, 0.04], [0.01, 0.05, 0.3]])


@pytest.mark.parametrize(
    "measure",
    [
        confusion_measures.kappa,
        confusion_measures.mcc,
        confusion_measures.balanced_accuracy,
        confusion_measures.macro_precision,
        confusion_measures.macro_f,
    ],
)
def test_slopes_are_those_of_small_steps(measure):
    """A step moves weight from one cell to another, so that the shares still add up to 1."""
    slopes = measure(TABLE).cells()
    for cell in np.ndindex(3, 3):
        step = np.zeros((3, 3))
        step[cell] += 1e-6
        step[0, 0] -= 1e-6
        rise = (measure(TABLE + step).value - measure(TABLE - step).value) / 2e-6
        assert slopes[cell] - slopes[0, 0] == pytest.approx(rise, abs=1e-6)


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_slopes_of_f_beta_are_those_of_small_steps(beta):
    pair = confusion_measures.collapse_to_binary(TABLE, 1)
    assert pair == pytest.approx(np.array([[0.3, 0.07], [0.1, 0.53]]))
    slopes = confusion_measures.f_of_first(pair, beta).cells()
    for cell in np.ndindex(2, 2):
        step = np.zeros((2, 2))
        step[cell] += 1e-6
        rise = (
            confusion_measures.f_of_first(pair + step, beta).value
            - confusion_measures.f_of_first(pair - step, beta).value
        ) / 2e-6
        assert slopes[cell] == pytest.approx(rise, abs=1e-6)


def test_mistakes_are_said():
    results = decided([0, 1], [0, 1], ("a", "b"))
    for beta in (-1, math.inf, math.nan, "2", True):
        with pytest.raises(UsageError, match="beta is the weight of recall relative to precision"):
            measures.f_beta(results, beta)
    with pytest.raises(DataError, match="no class 'c'"):
        measures.micro(results, ["a", "c"])
    for measure in (measures.balanced_accuracy, measures.mcc, measures.class_mcc, measures.micro):
        with pytest.raises(UsageError, match="'value' is a number"):
            measure(results_of([1.0], [2.0]))
