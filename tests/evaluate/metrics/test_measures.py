"""Measures equal scikit-learn's, the worked examples, and the law that weight 2 is two rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from hedgerow.errors import DataError, ModelError, UsageError
from hedgerow.evaluate import validate
from hedgerow.evaluate.metrics import measures, ranking
from hedgerow.evaluate.metrics.measures import average
from tests.evaluate.toys import Majority, decided, first_row_doubled, loan, results_of

LABELS = ("a", "b", "c", "d")


@st.composite
def class_results(draw, classes=None):
    """Random distributions on a coarse grid, so that scores tie and classes are absent."""
    k = classes or draw(st.integers(2, 4))
    n = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    raw = rng.integers(0, 4, (n, k)) + 0.0
    raw[raw.sum(axis=1) == 0] = 1
    weight = draw(st.sampled_from([np.ones(n), rng.integers(1, 4, n) + 0.0, rng.uniform(0.1, 2, n)]))
    actual = rng.integers(0, draw(st.integers(1, k)), n)
    return results_of(actual, raw / raw.sum(axis=1, keepdims=True), LABELS[:k], weight)


@given(class_results())
def test_counts_and_agreement_equal_scikit_learn(results):
    truth, guess, weight = results.actual, results.decided, results.weight
    codes = range(len(results.labels))
    expected = metrics.confusion_matrix(truth, guess, labels=codes, sample_weight=weight)
    assert measures.confusion(results) == pytest.approx(expected)
    assert measures.accuracy(results) == pytest.approx(metrics.accuracy_score(truth, guess, sample_weight=weight))
    assert measures.error(results) == pytest.approx(metrics.zero_one_loss(truth, guess, sample_weight=weight))


@given(class_results())
def test_kappa_equals_scikit_learn(results):
    value = measures.kappa(results)
    one_class = len({*results.actual.tolist(), *results.decided.tolist()}) == 1
    assert np.isnan(value) == one_class
    if not one_class:
        expected = metrics.cohen_kappa_score(results.actual, results.decided, sample_weight=results.weight)
        assert value == pytest.approx(expected, abs=1e-9)


@given(class_results())
def test_class_measures_equal_scikit_learn(results):
    codes = range(len(results.labels))
    expected = metrics.precision_recall_fscore_support(
        results.actual,
        results.decided,
        labels=codes,
        sample_weight=results.weight,
        zero_division=np.nan,
    )
    ours = (measures.precision(results), measures.recall(results), measures.f1(results))
    for mine, theirs in zip(ours, expected, strict=False):
        assert mine == pytest.approx(theirs, nan_ok=True)
    assert measures.class_weights(results) == pytest.approx(expected[3])


@given(class_results())
def test_specificity_and_false_positives_are_the_recall_of_the_others(results):
    for code in range(len(results.labels)):
        other = results.actual != code
        kept = results.decided != code
        expected = metrics.recall_score(other, kept, sample_weight=results.weight, zero_division=np.nan, pos_label=True)
        if not other.any():
            expected = np.nan
        assert measures.specificity(results)[code] == pytest.approx(expected, nan_ok=True)
        assert measures.false_positive_rate(results)[code] == pytest.approx(1 - expected, nan_ok=True)


@given(class_results())
def test_the_area_under_each_curve_equals_scikit_learn(results):
    for code, value in enumerate(ranking.auc(results)):
        positive = results.actual == code
        if positive.all() or not positive.any():
            assert np.isnan(value)
        else:
            scores = results.predicted[:, code]
            expected = metrics.roc_auc_score(positive, scores, sample_weight=results.weight)
            assert value == pytest.approx(expected)


@given(class_results(classes=3))
def test_the_mean_area_equals_scikit_learn(results):
    if len(set(results.actual.tolist())) == 3:
        expected = metrics.roc_auc_score(results.actual, results.predicted, multi_class="ovr", average="weighted")
        plain = results_of(results.actual, results.predicted, results.labels)
        assert ranking.mean_auc(plain) == pytest.approx(expected)


@given(class_results(classes=2))
def test_curves_equal_scikit_learn(results):
    positive = results.actual == 1
    if positive.all() or not positive.any():
        return
    fpr, tpr, cuts = metrics.roc_curve(
        positive, results.predicted[:, 1], sample_weight=results.weight, drop_intermediate=False
    )
    curve = ranking.roc(results, "b")
    assert curve.fpr == pytest.approx(fpr)
    assert curve.tpr == pytest.approx(tpr)
    assert curve.threshold == pytest.approx(cuts)


@given(class_results())
def test_log_loss_and_brier_score_equal_scikit_learn(results):
    codes = range(len(results.labels))
    given_ = {"labels": codes, "sample_weight": results.weight}
    expected = metrics.log_loss(results.actual, results.predicted, **given_)
    assert measures.log_loss(results) == pytest.approx(expected)
    if len(codes) > 2:
        expected = metrics.brier_score_loss(results.actual, results.predicted, **given_)
    else:
        expected = metrics.brier_score_loss(
            results.actual == 1, results.predicted[:, 1], sample_weight=results.weight, pos_label=True
        )
    assert measures.brier(results) == pytest.approx(expected)


@given(class_results())
def test_a_row_of_weight_two_is_two_rows(results):
    heavy, twice = first_row_doubled(results)
    for measure in (measures.accuracy, measures.kappa, measures.log_loss, measures.brier, ranking.mean_auc):
        assert measure(heavy) == pytest.approx(measure(twice), nan_ok=True)
    for measure in (measures.precision, measures.recall, measures.f1, measures.specificity, ranking.auc):
        assert measure(heavy) == pytest.approx(measure(twice), nan_ok=True)


def test_precision_and_recall_of_a_rare_class_g97():
    """G97: TP 1, FN 99, FP 0, TN 1000."""
    actual = [0] * 100 + [1] * 1000
    results = decided(actual, [0] + [1] * 1099, ("yes", "no"))
    assert measures.confusion(results).tolist() == [[1, 99], [0, 1000]]
    assert measures.precision(results)[0] == 1
    assert measures.recall(results)[0] == 0.01
    assert measures.f1(results)[0] == pytest.approx(2 / 101)
    assert measures.accuracy(results) == pytest.approx(0.91)
    assert measures.specificity(results)[0] == 1
    assert measures.false_positive_rate(results)[0] == 0


RANKED = "++--+--+--"
ROC_TABLE = [  # TP, FP, TN, FN, TPR, FPR
    (0, 0, 6, 4, 0, 0),
    (1, 0, 6, 3, 0.25, 0),
    (2, 0, 6, 2, 0.5, 0),
    (2, 1, 5, 2, 0.5, 0.166667),
    (2, 2, 4, 2, 0.5, 0.333333),
    (3, 2, 4, 1, 0.75, 0.333333),
    (3, 3, 3, 1, 0.75, 0.5),
    (3, 4, 2, 1, 0.75, 0.666667),
    (4, 4, 2, 0, 1, 0.666667),
    (4, 5, 1, 0, 1, 0.833333),
    (4, 6, 0, 0, 1, 1),
]


def ranked():
    scores = np.linspace(0.95, 0.05, 10)
    actual = [0 if sign == "+" else 1 for sign in RANKED]
    return results_of(actual, np.stack([scores, 1 - scores], axis=1), ("+", "-"))


def test_the_roc_table_of_a_ranking_g98():
    """G98."""
    curve = ranking.roc(ranked(), "+")
    found = np.stack([curve.tp, curve.fp, curve.tn, curve.fn, curve.tpr, curve.fpr], axis=1)
    assert found == pytest.approx(np.array(ROC_TABLE), abs=1e-6)


def test_the_area_under_that_table_g99():
    """G99: 18 of 24 pairs are in order."""
    assert ranking.auc(ranked()).tolist() == [0.75, 0.75]


def test_predicting_no_intrusions_is_accurate_and_useless_g102():
    """G102: 1 % intrusions, none predicted."""
    results = decided([0] + [1] * 99, [1] * 100, ("intrusion", "normal"))
    assert measures.accuracy(results) == 0.99
    assert measures.recall(results)[0] == 0
    assert np.isnan(measures.precision(results)[0])
    assert np.isnan(average(results, measures.precision(results)))
    assert average(results, measures.recall(results)) == pytest.approx(0.99)


def test_a_class_without_rows_has_no_say_in_the_average():
    results = decided([0, 0, 1], [0, 1, 1], LABELS[:3])
    assert np.isnan(measures.recall(results)[2])
    assert average(results, measures.recall(results)) == pytest.approx(2 / 3)


def test_no_probability_at_all_costs_36_and_not_infinity():
    results = decided([0], [1], ("a", "b"))
    assert measures.log_loss(results) == pytest.approx(52 * np.log(2))


def test_results_refuse_what_they_cannot_measure():
    with pytest.raises(
        ModelError, match=r"hand did not predict a finite number for 1 of 2 rows \(the first is row 1\)"
    ):
        results_of([0, 1], [[0.5, 0.5], [np.nan, 0.5]], ("a", "b"))
    with pytest.raises(ModelError, match="shape"):
        results_of([0, 1], [0.5, 0.5], ("a", "b"))
    with pytest.raises(UsageError, match="'value' is a number"):
        measures.accuracy(results_of([1.0], [2.0]))
    with pytest.raises(DataError, match="no class 'maybe'; its classes are 'yes', 'no'"):
        ranking.roc(decided([0], [0], ("yes", "no")), "maybe")


def test_a_learner_that_only_knows_class_shares_ranks_nothing():
    """Over all folds its rows would look ranked the wrong way round."""
    results = validate.cross_validate(Majority(), loan())
    assert ranking.roc(results, "Yes").area < 0.5
    assert ranking.auc(results).tolist() == [0.5, 0.5]
    assert ranking.auc(validate.leave_one_out(Majority(), loan())).tolist() == [0.5, 0.5]


NEWS = """
994 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
0 976 0 0 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 2 1
7 0 929 1 0 0 0 0 0 0 0 0 0 1 0 2 0 0 0 0 0
0 0 0 905 0 0 1 0 0 0 0 0 0 0 0 0 0 3 0 1 0
4 1 4 27 388 1 0 1 0 5 1 1 2 2 149 7 2 33 0 0 0
3 0 0 0 0 985 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0
0 0 0 0 0 0 993 1 0 0 0 0 0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 1 998 0 0 0 0 0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 0 0 956 0 2 0 0 0 0 0 0 0 0 2 1
0 0 0 0 0 0 0 0 0 981 0 0 5 0 0 1 0 0 0 0 0
0 0 0 0 0 0 0 0 0 0 978 0 1 0 0 0 0 0 2 1 0
1 0 3 36 0 1 2 1 0 5 0 697 4 0 3 3 19 0 0 0 0
0 2 0 0 0 0 0 0 0 0 2 0 966 0 0 0 0 0 2 1 0
"""


def test_g96_newsgroups_by_their_confusion_counts():
    """G96."""
    counts = np.array([line.split() for line in NEWS.split("\n") if line], dtype=float)
    actual, predicted = np.nonzero(counts)
    labels = tuple("abcdefghijklmnopqrstu")
    results = results_of(actual, np.eye(21)[predicted], labels, counts[actual, predicted])
    table = measures.confusion(results)
    assert (table[:13] == counts).all()
    assert table.sum() == 12113
    assert table.trace() == 11746
    recalls = [1, 0.995918, 0.988298, 0.994505, 0.617834, 0.994949, 0.998994]
    recalls += [0.998999, 0.994797, 0.993921, 0.995927, 0.899355, 0.992806]
    assert measures.recall(results)[:13] == pytest.approx(recalls, abs=5e-7)
    assert pytest.approx(0.97562141, abs=5e-9) == (11746 + 6623) / (12113 + 6715)
