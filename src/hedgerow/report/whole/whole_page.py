"""The full report: data, model, test and curves in one value, for a page to show a colleague."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Table
from hedgerow.evaluate.results import Results
from hedgerow.explain.card import Cards
from hedgerow.explain.cards import rule_cards
from hedgerow.models.base.model import ClassModel, Model
from hedgerow.models.rules.base import RuleModel
from hedgerow.models.trees.tree import NumberTree, Tree
from hedgerow.report.data.data import NOTHING_LEARNED, describe_report
from hedgerow.report.evaluation.build import Report, evaluation_report, model_report
from hedgerow.report.evaluation.curves import curves
from hedgerow.report.linear.telling_terms import terms_part
from hedgerow.report.rules.rules import rules_part
from hedgerow.report.trees.tree_svg import tree_svg
from hedgerow.report.trees.tree_top import top_of

MOST_DRAWN = 400  # nodes of a tree: of larger ones the first levels are drawn
MOST_RULES = 200
FEW_CLASSES, MANY_TERMS, FEW_TERMS = 4, 20, 12  # terms of a class on a page, if there are few classes and otherwise
PAGE = 1072.0  # pixels that a picture may take before its tree is drawn in rows
SEPARATE = "separate test data"


def full_report(
    model: Model,
    table: Table | None = None,
    results: Results | None = None,
    baseline: Results | None = None,
    *,
    label: str | None = None,
    picture: bool = False,
    learning: Report | None = None,
    comparison: Report | None = None,
    cards: Cards | None = None,
) -> Report:
    """Return everything there is to show of a model: the data, the model itself, a test of it with all curves.

    Parameters
    ----------
    table
        The data to describe, which have the model's columns.
    results, baseline
        A test on these data, of the model or of its learner by cross-validation, and of a baseline on the same rows.
    label
        The class whose curves are shown; by default the rarer one of two, the heaviest of many.
    picture
        Whether the report holds a tree drawn as SVG.
    learning
        A "curve" report, or plain values: `x`, and `series` of `name`, `y`, `low`, `high` (see `learning_values`).
    comparison
        A "comparison" report, or plain values: `measure`, `base`, and `learners` of `name`, `value`, `low`, `high`,
        `mark`.
    cards
        What `rule_cards` tells of the model's rules; by default what the test rows tell of a rule model's.

    Examples
    --------
    >>> from hedgerow import OneR, examples, test
    >>> table = examples.loan()
    >>> model = OneR().train(table)
    >>> report = full_report(model, table, test(model, table))
    >>> sorted(key for key in report if key not in ("report", "version"))
    ['curves', 'data', 'evaluation', 'model', 'target', 'warnings']
    """
    made: Report = {"report": "full", "version": 1, "target": model.schema.target, "model": model_part(model, picture)}
    cards = _tested(model, table, results) if cards is None else cards
    if cards is not None:
        made["model"] |= _rules(cards)
    if table is not None:
        made["data"] = describe_report(with_classes(table, results), by_class=True)
    if results is not None:
        made["evaluation"] = evaluation_report(results, baseline)
        made["curves"] = curves(results, label)
    made |= {"learning": learning} if learning is not None else {}
    made |= {"comparison": comparison} if comparison is not None else {}
    warnings = _warnings(made, model, results)
    if cards is not None and cards.way != "data":
        warnings += [note for note in cards.notes if note not in warnings]
    return made | {"warnings": warnings}


def with_classes(table: Table, results: Results | None) -> Table:
    """Return the table with the classes of the test: those that the model does not know are there too."""
    target = table.schema.target
    if results is None or not results.has_classes or target is None:
        return table
    column = table.schema.target_column
    if column.kind is Kind.NOMINAL and column.levels == results.labels:
        return table
    codes = np.full(len(table), -1, dtype=np.int32)
    codes[results.rows] = results.actual
    return table.with_column(replace(column, kind=Kind.NOMINAL, levels=results.labels), codes)


def model_part(model: Model, picture: bool) -> Report:
    """Return the report of a model with what a page shows of it: terms, rules, a tree drawn."""
    report = model_report(model)
    if isinstance(model, ClassModel):
        report |= terms_part(model, MANY_TERMS if len(model.classes) <= FEW_CLASSES else FEW_TERMS)
    if isinstance(model, RuleModel):
        report |= _rules(model)
    if picture and isinstance(model, Tree | NumberTree):
        report |= _picture(model)
    return report


def _picture(model: Tree | NumberTree) -> Report:
    """Return the tree drawn or, if it is too large for that, its first levels."""
    if len(model.nodes) <= MOST_DRAWN:
        return {"picture": str(tree_svg(model, width=PAGE)), "picture_note": ""}
    top = top_of(model)
    note = (
        f"The first {len(top.nodes.layers):,} of {len(model.nodes.layers):,} levels; most leaves drawn here stand for "
        f"trees of their own. The whole tree has {model.size:,} leaves."
    )
    return {"picture": str(tree_svg(top, width=PAGE)), "picture_note": note}


def _rules(made: Model | Cards) -> Report:
    """Return what there is to say of the rules, of very many of the first and the last."""
    n = len((made.model if isinstance(made, Cards) else made).rule_rows())
    return rules_part(made, [*range(min(n - 1, MOST_RULES)), n - 1])


def _tested(model: Model, table: Table | None, results: Results | None) -> Cards | None:
    """Return the cards of the model's rules on the test rows; in cross-validation other models were tested."""
    if table is None or results is None or results.method != SEPARATE or not isinstance(model, RuleModel):
        return None
    return rule_cards(model, table)


def _warnings(made: Report, model: Model, results: Results | None) -> list[str]:
    """Return what people should know, each thing once: of the data, of the test, of the model."""
    data, evaluation = made.get("data"), made.get("evaluation")
    said = []
    if data and results is not None and results.method == SEPARATE and model.about.rows == len(results):
        said.append(
            f"the data have exactly as many rows as the model learned from ({len(results):,}): if they are the same, "
            "the figures flatter the model; --folds 10 tests its learner by cross-validation instead"
        )
    left_out = [one for one in data["columns"] if one["role"] == "ignored"] if data else []
    said += [f"column {one['name']!r} is left out of learning ({one['ignored']})" for one in left_out]
    for part in (data, evaluation, made["model"]):
        said += part["notes"] if part else []
    if evaluation:  # which says the same of the rows it leaves out
        said = [note for note in said if not note.endswith(NOTHING_LEARNED)]
    return list(dict.fromkeys(said))
