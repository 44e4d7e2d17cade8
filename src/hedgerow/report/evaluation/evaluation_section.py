"""The section on a test: main metrics and those of the baseline, metrics by class, confusion matrix, curves."""

from __future__ import annotations

import math
from collections.abc import Collection

from hedgerow.layout.numbers import (
    format_counted,
    format_digits,
    format_fixed,
    format_seconds,
    format_share,
    format_short,
    format_weight,
)
from hedgerow.report import blocks as b
from hedgerow.report.evaluation.curves_section import curves_blocks
from hedgerow.report.evaluation.thresholds_section import thresholds_blocks
from hedgerow.report.figures import between, figure_of, headline
from hedgerow.report.schema import ClassMeasure, ClassMeasures, CurvesPart, EvaluationReport

LONGEST_LEARNER = 17  # cells of a learner's name above its figures: `linear_regression`
MANY_CLASSES = 6  # from here on the largest confusions are listed too
LONG_TABLE = 12  # classes from which on their figures stand in one table only
WITH_ENDS = 3  # figures of a long table that have intervals in text
MANY_ROWS = 1000  # from here on shares have two decimals
LONGEST_NAME = 28  # cells of a class's name beside its figures
# The figures of a class, each with its interval: key in the report, and title.
OF_CLASS: dict[ClassMeasure, str] = {
    "recall": "recall",
    "precision": "precision",
    "f1": "F1",
    "auc": "AUC",
    "false_positive_rate": "FP rate",
    "specificity": "specificity",
    "mcc": "MCC",
    "average_precision": "avg. precision",
}


def evaluation_section(report: EvaluationReport, curves: CurvesPart | None = None) -> b.Section:
    """Return the section on a test."""
    blocks: list[b.Block] = [_lead(report), measures_table(report)]
    blocks += [b.Paragraph((report["verdict"],))] if report["verdict"] else []
    blocks.append(b.Paragraph(tuple(_over_folds(report)), (_times(report),)))
    if report["labels"]:
        blocks += [_by_class(report), _confusion(report), *_confusions(report)]
        blocks += thresholds_blocks(report.get("thresholds"), unit(report))
    if curves is not None:
        blocks += curves_blocks(curves, len(report["labels"]))
    return b.Section("test", "Test", tuple(blocks))


# -- what was tested ------------------------------------------------------------------------------------------


def _lead(report: EvaluationReport) -> b.Lead:
    seed = "" if report["seed"] is None else f", seed {report['seed']}"
    title = f"{report['learner'] or 'model'} for {report['target']}: {report['method']}{seed}"
    told = [rows_tested(report)]
    told += [answered_text(report)] if report["answered"] is not None else []
    on_average = " on average over all runs" if report["runs"] > 1 else ""
    told += [f"{right_and_wrong(report)}{on_average}"] if report["labels"] else []
    decided = [f"Classes are decided by {report['decided_by']}."] if report.get("decided_by") else []
    return b.Lead(title, (*decided, ": ".join(told)), report["changed"], report["parameters"], headline(report))


def is_weighted(report: EvaluationReport) -> bool:
    """Whether the tested rows have weights, so that weights are counted instead of rows."""
    answered, runs = report["answered"], max(report["runs"], 1)
    weight = report["weight"] if answered is None else answered["of"]
    return not math.isclose(weight * runs, report["tests"], rel_tol=1e-9)


def unit(report: EvaluationReport) -> str:
    """Return what is counted: rows, or their weight."""
    return "weight" if is_weighted(report) else "rows"


def rows_tested(report: EvaluationReport) -> str:
    """Return the number of tested rows and, if they have weights, their total weight."""
    tested = f"{report['rows']} row{'' if report['rows'] == 1 else 's'} tested"
    if not is_weighted(report):
        return tested
    answered = report["answered"]
    return f"{tested}, total weight {format_weight(report['weight'] if answered is None else answered['of'])}"


def right_and_wrong(report: EvaluationReport) -> str:
    """Return the number or weight of correctly and incorrectly classified rows, with their shares."""
    total, weighed = report["right"] + report["wrong"], "weight " * is_weighted(report)
    right, of, wrong = (format_weight(one) for one in (report["right"], report["weight"], report["wrong"]))
    if not total:
        return f"{weighed}{right} of {of} correct, {wrong} incorrect"
    decimals = 1 if total < MANY_ROWS else 2
    share = round(report["right"] / total * 100, decimals)  # the other share is the rest, so that the sum is 100
    shares = [f"({format_fixed(one, decimals)} %)" for one in (share, 100 - share)]
    return f"{weighed}{right} of {of} correct {shares[0]}, {wrong} incorrect {shares[1]}"


def answered_text(report: EvaluationReport) -> str:
    """Return the number of rows with a prediction, to which all metrics refer."""
    found = report["answered"]
    assert found is not None
    share = found["share"]
    ends = between(share, format_share)
    told = "no row" if not found["weight"] else f"{format_share(share['value'])}{f' ({ends})' if ends else ''}"
    weights = f"{format_weight(found['weight'])} of {format_weight(found['of'])}"
    return f"{'weight ' * is_weighted(report)}{weights} predicted, {told}; all metrics refer to the predicted rows"


# -- figures --------------------------------------------------------------------------------------------------


def measures_table(report: EvaluationReport, names: Collection[str] | None = None) -> b.TableBlock:
    """Return the main metrics, or those with some names, beside those of the baseline."""
    draw = format_fixed if report["labels"] else format_digits
    learner, baseline = report["learner"] or "model", report["baseline"]
    columns = [b.TableColumn("", label="measure"), b.TableColumn(learner, "r", "beside", longest=LONGEST_LEARNER)]
    if baseline is not None:
        columns += [
            b.TableColumn(baseline or "baseline", "r", "beside", longest=10),
            b.TableColumn("difference", "r", "beside"),
        ]
    rows = []
    for one in report["measures"]:
        if names is not None and one["name"] not in names:
            continue
        row: list[b.Cell] = [one["title"], figure_of(one["value"], draw)]
        if baseline is not None:
            row += [figure_of(one["baseline"], draw), figure_of(one["difference"], draw, plus=True)]
        rows.append(tuple(row))
    return b.TableBlock(tuple(columns), tuple(rows), label="Main metrics with 95 % intervals", fit="split")


def _over_folds(report: EvaluationReport) -> list[str]:
    over = report["over_folds"]
    if over is None:
        return []
    draw = format_fixed if report["labels"] else format_digits
    mean = figure_of({"value": over["mean"], "low": over["low"], "high": over["high"], "standard_error": 0.0}, draw)
    ends = f" (95 % {mean.low}-{mean.high})" if mean.low else ""
    said = (
        f"Over {over['folds']} folds: {over['measure']} {mean.value}{ends}, standard deviation "
        f"{draw(over['standard_deviation'], 4, False)}, standard error {draw(over['standard_error'], 4, False)} "
        "(corrected for shared training rows)"
    )
    return [said]


def _times(report: EvaluationReport) -> str:
    time, size = report["time"], report["model_size"]
    learned = f"{format_seconds(time['train_seconds'])} to train, " if time["train_seconds"] else ""
    line = f"Time{' per fold' if report['folds'] > 1 else ''}: {learned}{format_seconds(time['test_seconds'])} to test"
    if size is None:
        return line
    ends = f" ({size['min']} to {size['max']})" if size["min"] < size["max"] else ""
    return f"{line}. Model size {format_short(size['mean'])}{ends}"


# -- classes --------------------------------------------------------------------------------------------------


def _by_class(report: EvaluationReport) -> b.TableBlock:
    is_long = len(report["by_class"]) >= LONG_TABLE
    columns = [b.TableColumn(""), b.TableColumn("class", longest=LONGEST_NAME), b.TableColumn(unit(report), "r")]
    for place, title in enumerate(OF_CLASS.values()):
        columns.append(b.TableColumn(title, ends="page" if is_long and place >= WITH_ENDS else "below"))
    rows = tuple(_class_row(one["letter"], one["label"], one["weight"], one) for one in report["by_class"])
    return b.TableBlock(
        tuple(columns),
        rows,
        title="Metrics by class, with 95 % intervals (recall is the TP rate, or sensitivity)",
        fit="keep" if is_long else "split",
        lead=3,
        optional=tuple(range(3, len(columns))) if is_long else (),
        left_out="The JSON report also has {names}",
        total=_class_row("", "weighted mean", report["weight"], report["average"]),
        what="classes",
    )


def _class_row(letter: str, label: str, weight: float, figures: ClassMeasures) -> b.Row:
    return (letter, label, format_weight(weight), *(class_figure(figures, key) for key in OF_CLASS))


def class_figure(figures: ClassMeasures, key: ClassMeasure) -> b.Figure:
    """Return a metric of a class with three digits, and the ends of its interval with two."""
    return figure_of(figures[key], digits=3)


def _confusion(report: EvaluationReport) -> b.Confusion:
    found = report["confusion"]
    summed = f", total of {format_counted(report['runs'], 'run')}" if report["runs"] > 1 else ""
    unanswered = found.get("unanswered")
    return b.Confusion(
        tuple(found["labels"]),
        tuple(found["letters"]),
        tuple(map(tuple, found["counts"])),
        None if unanswered is None else tuple(unanswered),
        "Confusion matrix",
        f"one row per actual class{summed}",
    )


def _confusions(report: EvaluationReport) -> list[b.Block]:
    """Return the most frequent confusions, for large matrices."""
    if len(report["labels"]) < MANY_CLASSES or not report["confusions"]:
        return []
    rows = tuple(
        (one["actual"], one["predicted"], format_weight(one["weight"]), format_share(one["share"]))
        for one in report["confusions"]
    )
    actual, predicted = (b.TableColumn(title, longest=30) for title in ("actual", "predicted"))
    columns = (actual, predicted, b.TableColumn(unit(report), "r"), b.TableColumn("of the class", "r"))
    return [b.TableBlock(columns, rows, title="Most frequent confusions", indent=True)]
