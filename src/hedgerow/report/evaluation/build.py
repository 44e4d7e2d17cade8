"""The report on a test: everything that is shown, computed once."""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.errors import UsageError
from hedgerow.evaluate.metrics import catalog, intervals, measures
from hedgerow.evaluate.metrics.intervals import Estimate
from hedgerow.evaluate.metrics.measure_table import MAIN_OF_CLASSES, MAIN_OF_NUMBERS
from hedgerow.evaluate.metrics.paired_differences import have_same_rows, select_both_answered
from hedgerow.evaluate.results import Results
from hedgerow.layout.numbers import format_fixed, format_short
from hedgerow.report.about.learners import changed_parameters
from hedgerow.report.evaluation.thresholds import WantedThresholds, thresholds_part
from hedgerow.report.figures import estimate_dict, trained_on_part
from hedgerow.report.schema import (
    AnsweredPart,
    ByClassReport,
    ClassMeasures,
    ConfusedPair,
    EstimateDict,
    EvaluationReport,
    MeasureReport,
    OverFolds,
    SizePart,
    TestedClasses,
    TimePart,
)

Singles = dict[str, tuple[Estimate, ...]]

MOST_CONFUSIONS = 10


def evaluation_report(
    results: Results, baseline: Results | None = None, wanted: WantedThresholds | None = None
) -> EvaluationReport:
    """Return all metrics of a test, with those of a baseline on the same rows if one is given.

    If the model left rows without a prediction, all metrics, including the baseline's, refer to the predicted rows.
    `wanted` names the recall or precision of classes that thresholds are wanted for, and the costs of mistakes.
    """
    if baseline is not None and baseline.labels != results.labels:
        raise UsageError("the baseline and the learner predict different classes; test both on the same table")
    whole, results = results, results.answered
    if baseline is not None and have_same_rows(whole, baseline):
        _, baseline = select_both_answered(whole, baseline)
    report: EvaluationReport = {
        "report": "evaluation",
        "version": 1,
        "target": results.target,
        "labels": list(results.labels),
        "learner": results.learner,
        "parameters": dict(results.parameters),
        "changed": changed_parameters(results.learner, results.parameters),
        "method": results.method,
        "seed": results.seed,
        "weight": float(results.weight.sum()) / max(results.n_runs, 1),
        "runs": results.n_runs,
        "folds": len(results.folds),
        "baseline": None if baseline is None else baseline.learner,
        "trained_on": trained_on_part(results.overlap),
        "verdict": "" if baseline is None else _verdict_text(results, baseline),
        "rows": int(np.count_nonzero(np.bincount(whole.rows))),
        "tests": len(whole),
        "answered": _answered_section(whole),
        "measures": _measures(results, baseline),
        "over_folds": _over_folds(results),
        "time": _times(results),
        "model_size": _sizes(results),
        "silent": results.silent,
        "notes": list(results.notes),
    }
    if not results.has_classes:
        return report
    classes = _classes(results, intervals.class_estimates(results))
    classes["decided_by"], classes["thresholds"] = results.decided_by, thresholds_part(results, wanted)
    if results is not whole:
        classes["confusion"]["unanswered"] = measures.unanswered_weights(whole).tolist()
    return {**report, **classes}


def brief_title(measure: str) -> str:
    """Return the title of a measure in tables."""
    return catalog.ALL[measure].brief or catalog.ALL[measure].title


def _answered_section(results: Results) -> AnsweredPart | None:
    """Return the number of tested rows with a prediction, if not all of them have one."""
    if results.has_answer.all():
        return None
    runs = max(results.n_runs, 1)
    weight, all_weight = (float(part.weight.sum()) / runs for part in (results.answered, results))
    share = intervals.wilson(weight / all_weight if all_weight else math.nan, all_weight)
    return {"weight": weight, "of": all_weight, "share": estimate_dict(share)}


def _measures(results: Results, baseline: Results | None) -> list[MeasureReport]:
    mine = _estimates(results)
    other = {} if baseline is None else _estimates(baseline)
    out = []
    for name, found in mine.items():
        one: MeasureReport = {
            "name": name,
            "title": brief_title(name),
            "value": estimate_dict(found),
            "baseline": None,
            "difference": None,
        }
        if baseline is not None:
            apart = intervals.paired_difference(results, baseline, name) or Estimate(found.value - other[name].value)
            one["baseline"], one["difference"] = estimate_dict(other[name]), estimate_dict(apart)
        out.append(one)
    return out


def _estimates(results: Results) -> dict[str, Estimate]:
    """Return the main measures."""
    main = MAIN_OF_CLASSES if results.has_classes else MAIN_OF_NUMBERS
    return {name: intervals.estimate(results, name) for name in main}


def _verdict_text(results: Results, baseline: Results) -> str:
    """Return a sentence on whether the learner is significantly better than the baseline."""
    name = catalog.main_measure(results.has_classes)
    word = catalog.ALL[name].title
    found = intervals.difference(results, baseline, name)
    if math.isnan(found.low):
        return ""
    base = baseline.learner or "the baseline"
    least, most = sorted((abs(found.low), abs(found.high)))
    draw = format_fixed if results.has_classes else format_short
    between = f"{draw(least, 3)} to {draw(most, 3)}"
    if found.low == found.high == 0 and _have_same_answers(results, baseline):
        return f"The predictions are the same as those of {base} for every row."
    if found.high < 0:
        return f"Better than {base}: the {word} is lower by {between}."
    if found.low > 0:
        return f"Worse than {base}: the {word} is higher by {between}."
    return f"Not significantly different from {base}: the interval of the difference includes 0."


def _have_same_answers(results: Results, other: Results) -> bool:
    if results.has_classes:
        return np.array_equal(results.decided, other.decided)
    return np.array_equal(results.predicted, other.predicted)


def _over_folds(results: Results) -> OverFolds | None:
    if len(results.folds) < 2 or len(results.folds) == len(results):  # leave-one-out: folds are rows
        return None
    name = "accuracy" if results.has_classes else "mae"
    found, mean = intervals.spread(results, catalog.ALL[name].compute), intervals.estimate(results, name, by="folds")
    return {
        "measure": brief_title(name),
        "mean": mean.value,
        "low": mean.low,
        "high": mean.high,
        "standard_deviation": found.standard_deviation,
        "standard_error": mean.standard_error,
        "folds": len(found.values),
    }


def _times(results: Results) -> TimePart:
    train = [fold.train_seconds for fold in results.folds]
    test = [fold.test_seconds for fold in results.folds]
    return {"train_seconds": float(np.mean(train)), "test_seconds": float(np.mean(test))}


def _sizes(results: Results) -> SizePart | None:
    sizes = results.model_sizes
    if not sizes:
        return None
    return {"mean": float(np.mean(sizes)), "min": min(sizes), "max": max(sizes)}


def _classes(results: Results, singles: Singles) -> TestedClasses:
    table = measures.confusion(results)
    weights = measures.class_weights(results) / results.n_runs
    letters = [letter(code) for code in range(len(results.labels))]
    by_class = [
        cast(
            "ByClassReport",
            {"label": label, "letter": letters[code], "weight": float(weights[code]), **_of(singles, code)},
        )
        for code, label in enumerate(results.labels)
    ]
    averages = {name: estimate_dict(intervals.average(results, found)) for name, found in singles.items()}
    return {
        "right": float(table.trace()) / results.n_runs,
        "wrong": float(table.sum() - table.trace()) / results.n_runs,
        "by_class": by_class,
        "average": cast("ClassMeasures", averages),
        "confusion": {"labels": list(results.labels), "letters": letters, "counts": table.tolist()},
        "confusions": _confusions(results, table),
    }


def _of(singles: Singles, code: int) -> dict[str, EstimateDict]:
    return {name: estimate_dict(found[code]) for name, found in singles.items()}


def _confusions(results: Results, table: Numbers) -> list[ConfusedPair]:
    """Return the largest cells off the diagonal, the most frequent first."""
    off = table.copy()
    np.fill_diagonal(off, 0)
    largest = np.argsort(-off, axis=None, kind="stable")[:MOST_CONFUSIONS]
    pairs = [divmod(int(cell), len(off)) for cell in largest if off.flat[cell] > 0]
    return [
        {
            "actual": results.labels[actual],
            "predicted": results.labels[given],
            "weight": float(table[actual, given]),
            "share": float(table[actual, given] / table[actual].sum()),
        }
        for actual, given in pairs
    ]


def letter(code: int) -> str:
    """Return the letter of a class in a confusion matrix: a to z, then aa, ab and so on."""
    head, last = divmod(code, 26)
    return (letter(head - 1) if head else "") + chr(ord("a") + last)
