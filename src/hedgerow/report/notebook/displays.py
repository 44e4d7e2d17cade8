"""What a notebook and `print` show of learners, models, tables, results and comparisons."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from hedgerow.data.table.table import Table
from hedgerow.errors import UsageError
from hedgerow.evaluate.learner_comparison.comparison import Comparison
from hedgerow.evaluate.learning_curve import Curve
from hedgerow.evaluate.results import Results
from hedgerow.explain.card import Cards
from hedgerow.learn.base import Learner
from hedgerow.learn.choosing.selection import Selection
from hedgerow.models.associations.association_rules import AssociationRules
from hedgerow.models.associations.item_sets import ItemSets
from hedgerow.models.base.model import Model
from hedgerow.models.clusters.cluster_model import ClusterModel
from hedgerow.report import blocks as b
from hedgerow.report.about.model_report import model_report
from hedgerow.report.associations.associations import associations_report, item_sets_report
from hedgerow.report.clusters.clusters import clusters_report
from hedgerow.report.comparison.comparison import comparison_report
from hedgerow.report.comparison.curve import curve_report
from hedgerow.report.comparison.model_selection import selection_report
from hedgerow.report.draw.markup import figure
from hedgerow.report.draw.svg import Svg
from hedgerow.report.evaluation.build import evaluation_report
from hedgerow.report.evaluation.curve_charts import CHARTS
from hedgerow.report.evaluation.curves import curves
from hedgerow.report.linear.telling_terms import terms_part
from hedgerow.report.model.model_section import model_blocks, model_lead
from hedgerow.report.notebook.learner_view import learner_view
from hedgerow.report.notebook.table_view import table_view
from hedgerow.report.notebook.view import view
from hedgerow.report.render.html import blocks_html
from hedgerow.report.rules.rules import rules_part, rules_report
from hedgerow.report.schema import AnyReport
from hedgerow.report.trees.tree_svg import tree_svg
from hedgerow.report.whole.document import ReportDocument
from hedgerow.report.whole.sections import parts_of, sections_of
from hedgerow.report.whole.text import render

WIDTH = 900.0  # pixels of a picture of a tree
MOST_NODES, MOST_RULES, MOST_LINES, MOST_TERMS = 60, 30, 40, 12  # of a model in a notebook
CURVES = {True: ("roc", "precision-recall", "calibration"), False: ("numbers",)}  # of classes and of numbers


def display_html(value: Any) -> str:
    """Return an object as the output of a cell."""
    return view(markup_of(value))


def display_text(value: Any) -> str:
    """Return an object as the command line prints its report."""
    return render(report_of(value)).rstrip("\n")


@singledispatch
def report_of(value: Any) -> AnyReport:
    """Return the report on an object."""
    raise UsageError(f"there is no report on a {type(value).__name__}")


@report_of.register
def _(value: Results) -> AnyReport:
    return evaluation_report(value)


@report_of.register
def _(value: Comparison) -> AnyReport:
    return comparison_report(value)


@report_of.register
def _(value: Curve) -> AnyReport:
    return curve_report(value)


@report_of.register
def _(value: Cards) -> AnyReport:
    return rules_report(value)


@report_of.register
def _(value: ItemSets) -> AnyReport:
    return item_sets_report(value, MOST_RULES)


@report_of.register
def _(value: AssociationRules) -> AnyReport:
    return associations_report(value, most=MOST_RULES)


@report_of.register
def _(value: Selection) -> AnyReport:
    return selection_report(value)


@report_of.register
def _(value: ReportDocument) -> AnyReport:
    return value


@singledispatch
def markup_of(value: Any) -> str:
    """Return the markup of an object; unless it has its own kind, that of its report."""
    sections = sections_of(parts_of(report_of(value)))
    return blocks_html(block for section in sections for block in section.blocks)


@markup_of.register
def _(value: Table) -> str:
    return table_view(value)


@markup_of.register
def _(value: Learner) -> str:
    model = getattr(value, "model_", None)
    return learner_view(value, "" if model is None else markup_of(model))


@markup_of.register
def _(value: Results) -> str:
    return markup_of.dispatch(object)(value) + blocks_html(_curves(value))


def _curves(results: Results) -> list[b.Block]:
    """Return the most important curves of a test, folded."""
    drawn = curves(results)
    if results.has_classes and not drawn["classes"]:
        return []
    charts = tuple(b.Chart(CHARTS[name](drawn)) for name in CURVES[results.has_classes])
    return [b.Details("Curves", (b.Charts(charts),))]


@markup_of.register
def _(value: Model) -> str:
    report = model_report(value)
    whole, outline = report["text"], value.outline(MOST_LINES)
    report = {**report, **terms_part(value, MOST_TERMS), "text": outline}
    if value.lists_rules:
        n = len(value.rule_rows())
        report = {**report, **rules_part(value, [*range(min(n - 1, MOST_RULES)), n - 1])}
    elif (drawn := value.drawn_tree(MOST_NODES)) is not None:
        report = {**report, "picture": str(tree_svg(drawn[0], width=WIDTH)), "picture_note": drawn[1]}
    shown: list[b.Block] = [model_lead(report), *model_blocks(report, report["labels"])]
    if outline != whole:
        shown.append(b.Paragraph(("`print` shows the whole model.",), soft=True))
    return blocks_html(shown)


@markup_of.register
def _(value: ClusterModel) -> str:
    sections = sections_of(parts_of(clusters_report(value)))
    return blocks_html(block for section in sections for block in section.blocks)


@markup_of.register
def _(value: Svg) -> str:
    return figure(value, place="wide")


@markup_of.register(ItemSets)
@markup_of.register(AssociationRules)
def _(value: ItemSets | AssociationRules) -> str:
    return markup_of.dispatch(object)(value)
