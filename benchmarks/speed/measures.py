"""All measures and curves of a million predictions, compared with scikit-learn's functions where these exist."""

from __future__ import annotations

from benchmarks.speed.timing import table, timed

ROWS = 1_000_000
MANY = 100_000

# Two classes with distinct scores, so that every curve has a million points and ties do not make anything faster.
TWO = f"""
import numpy as np
rng = np.random.default_rng(1)
score = rng.random({ROWS})
predicted = np.column_stack([1 - score, score])
actual = (rng.random({ROWS}) < score).astype(np.int32)
labels = ("no", "yes")
"""
TWENTY = f"""
import numpy as np
rng = np.random.default_rng(1)
predicted = rng.dirichlet(np.full(20, 0.3), {MANY})
actual = np.minimum((predicted.cumsum(axis=1) < rng.random({MANY})[:, None]).sum(axis=1), 19).astype(np.int32)
labels = tuple("abcdefghijklmnopqrst")
"""
# New results in every run, because they store the sorted order.
OURS = """
from hedgerow.evaluate.metrics import abstaining, calibration, costs, intervals, lift, measures, ranking
from hedgerow.evaluate.results import Fold, Results
n = len(actual)
zeros = np.zeros(n, dtype=np.int32)
def fresh():
    folds = (Fold(0, 0, n, n),)
    return Results("class", labels, np.arange(n), actual, predicted, np.ones(n), zeros, zeros, folds)
"""
EVERYTHING = """
results = fresh()
found = [intervals.estimate(results, name) for name in intervals.CLASS]
found += [intervals.class_estimates(results), measures.confusion(results)]
for label in labels:
    found += [ranking.roc(results, label).area, ranking.precision_recall(results, label).area]
    found += [lift.lift(results, label).gains, lift.profit(results, label, cost=0.5, gain=5).best]
    for by in ("width", "count"):
        one = calibration.calibration(results, label, by=by)
        found += [one.observed, one.expected_error, one.brier]
found += [abstaining.coverage(results).area, calibration.expected_error(results)]
dear = {"yes:no": 5}
found += [costs.cost_estimate(results, dear), costs.total_cost(costs.by_expected_cost(results, dear), dear)]
return found
"""
SAME = """
results = fresh()
found = [measures.confusion(results), measures.accuracy(results), measures.balanced_accuracy(results)]
found += [measures.kappa(results), measures.mcc(results), measures.precision(results), measures.recall(results)]
found += [measures.f1(results), measures.log_loss(results), measures.brier(results)]
found += [ranking.auc(results), ranking.average_precision(results)]
for label in labels:
    found += [ranking.roc(results, label), ranking.precision_recall(results, label)]
    found += [calibration.calibration(results, label, by=by) for by in ("width", "count")]
return found
"""
THEIRS = """
from sklearn import metrics
from sklearn.calibration import calibration_curve
"""
ALL_THEIRS = """
said = predicted.argmax(axis=1)
found = [metrics.confusion_matrix(actual, said), metrics.accuracy_score(actual, said)]
found += [metrics.balanced_accuracy_score(actual, said), metrics.cohen_kappa_score(actual, said)]
found += [metrics.matthews_corrcoef(actual, said), metrics.precision_recall_fscore_support(actual, said)]
found += [metrics.log_loss(actual, predicted), metrics.brier_score_loss(actual, predicted[:, 1])]
for code in (0, 1):
    own, score = actual == code, predicted[:, code]
    found += [metrics.roc_auc_score(own, score), metrics.average_precision_score(own, score)]
    found += [metrics.roc_curve(own, score, drop_intermediate=False), metrics.precision_recall_curve(own, score)]
    found += [calibration_curve(own, score, n_bins=10, strategy=how) for how in ("uniform", "quantile")]
return found
"""
AREAS = "results = fresh()\nreturn ranking.mean_auc(results), ranking.mean_pairwise_auc(results)"
THEIR_AREAS = """
one = metrics.roc_auc_score(actual, predicted, multi_class="ovr", average="weighted")
return one, metrics.roc_auc_score(actual, predicted, multi_class="ovo")
"""


def main() -> None:
    """Time a million predictions of two classes on one core, then areas of twenty classes."""
    print(f"{ROWS:,} predictions of two classes, one thread; all: with intervals, lift, profit, costs, abstaining")
    rows = [
        ("scikit-learn, what it has", timed(TWO + THEIRS, ALL_THEIRS, repeats=3, threads=1)),
        ("hedgerow, the same", timed(TWO + OURS, SAME, repeats=5, threads=1)),
        ("hedgerow, all", timed(TWO + OURS, EVERYTHING, repeats=5, threads=1)),
    ]
    table(rows, against=["scikit-learn, what it has"], ours="hedgerow, the same")
    print(f"hedgerow, all: {dict(rows)['hedgerow, all'].wall:.2f} s (goal: under 1)")
    print(f"\nareas under {MANY:,} predictions of twenty classes, one-vs-rest and pairwise")
    rows = [
        ("scikit-learn", timed(TWENTY + THEIRS, THEIR_AREAS, repeats=2, threads=1)),
        ("hedgerow, with standard errors", timed(TWENTY + OURS, AREAS, repeats=5, threads=1)),
    ]
    table(rows, against=["scikit-learn"], ours="hedgerow, with standard errors")


if __name__ == "__main__":
    main()
