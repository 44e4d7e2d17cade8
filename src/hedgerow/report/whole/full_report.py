"""The full report: data, model, test and curves in one value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Table
from hedgerow.evaluate.results import MODEL_TESTS, SEPARATE, Results
from hedgerow.explain.card import Cards
from hedgerow.explain.cards import rule_cards
from hedgerow.layout.numbers import format_count
from hedgerow.models.base.model import Model
from hedgerow.report.data.column_notes import UNUSED_ROWS
from hedgerow.report.data.data import describe_report
from hedgerow.report.evaluation.build import evaluation_report
from hedgerow.report.evaluation.curves import curves
from hedgerow.report.evaluation.thresholds import WantedThresholds
from hedgerow.report.model.shown_parts import first_rules, model_part
from hedgerow.report.schema import ComparisonReport, CurveReport, FullReport, PlainComparison, PlainCurve


def full_report(
    model: Model,
    table: Table | None = None,
    results: Results | None = None,
    baseline: Results | None = None,
    *,
    label: str | None = None,
    picture: bool = False,
    learning: CurveReport | PlainCurve | None = None,
    comparison: ComparisonReport | PlainComparison | None = None,
    cards: Cards | None = None,
    wanted: WantedThresholds | None = None,
) -> FullReport:
    """Return the full report on a model: the data, the model, and a test with all curves.

    Parameters
    ----------
    table
        The data to describe, with the columns of the model.
    results, baseline
        A test on these data, of the model or of its learner by cross-validation, and of a baseline on the same rows.
    label
        The class whose curves are shown; by default the rarer one of two, or the largest of more.
    picture
        Whether the report includes an SVG picture of a tree.
    learning
        A "curve" report, or plain values: `x`, and `series` of `name`, `y`, `low`, `high` (see `learning_values`).
    comparison
        A "comparison" report, or plain values: `measure`, `base`, and `learners` of `name`, `value`, `low`, `high`,
        `mark`.
    cards
        The result of `rule_cards` for the model; by default the rule cards on the test rows, for rule models.
    wanted
        The recall or precision of classes that thresholds are wanted for, and the costs of mistakes.

    Examples
    --------
    >>> from hedgerow import OneR, examples, test
    >>> table = examples.loan()
    >>> model = OneR().train(table)
    >>> report = full_report(model, table, test(model, table))
    >>> sorted(key for key in report if key not in ("report", "version"))
    ['curves', 'data', 'evaluation', 'model', 'target', 'warnings']
    """
    cards = _tested(model, table, results) if cards is None else cards
    part = model_part(model, picture)
    if cards is not None:
        part = {**part, **first_rules(cards)}
    made: FullReport = {"report": "full", "version": 1, "target": model.schema.target, "model": part, "warnings": []}
    if table is not None:
        made["data"] = describe_report(with_classes(table, results), by_class=True)
    if results is not None:
        made["evaluation"] = evaluation_report(results, baseline, wanted)
        made["curves"] = curves(results, label)
    if learning is not None:
        made["learning"] = learning
    if comparison is not None:
        made["comparison"] = comparison
    warnings = _warnings(made, model, results)
    if cards is not None and cards.evaluation != "data":
        warnings += [note for note in cards.notes if note not in warnings]
    return {**made, "warnings": warnings}


def with_classes(table: Table, results: Results | None) -> Table:
    """Return the table with the classes of the test, including those that the model does not know."""
    target = table.schema.target
    if results is None or not results.has_classes or target is None:
        return table
    column = table.schema.target_column
    if column.kind is Kind.NOMINAL and column.levels == results.labels:
        return table
    codes = np.full(len(table), -1, dtype=np.int32)
    codes[results.rows] = results.actual
    return table.with_column(replace(column, kind=Kind.NOMINAL, levels=results.labels), codes)


def _tested(model: Model, table: Table | None, results: Results | None) -> Cards | None:
    """Return the cards of the model's rules on the test rows; in cross-validation other models were tested."""
    if table is None or results is None or results.method not in MODEL_TESTS or not model.lists_rules:
        return None
    return rule_cards(model, table)


def _warnings(made: FullReport, model: Model, results: Results | None) -> list[str]:
    """Return the notes on the data, the test and the model, without repetitions."""
    data, evaluation = made.get("data"), made.get("evaluation")
    said = []
    unknown = results is not None and results.method == SEPARATE and results.overlap is None
    if data and results is not None and unknown and model.about.rows == len(results):
        said.append(
            f"the data have exactly as many rows as the model was trained on ({format_count(len(results))}): if they "
            "are the same rows, the estimates are optimistic; --folds 10 tests the learner by cross-validation "
            "instead"
        )
    left_out = [one for one in data["columns"] if one["role"] == "ignored"] if data else []
    said += [f"column {one['name']!r} is not used in training ({one['ignored']})" for one in left_out]
    for part in (data, evaluation, made["model"]):
        said += part["notes"] if part else []
    if evaluation:  # which says the same of the rows it leaves out
        said = [note for note in said if not note.endswith(UNUSED_ROWS)]
    return list(dict.fromkeys(said))
