"""Additional parts of a model's report for pages: terms, rules, a picture of a tree."""

from __future__ import annotations

from hedgerow.explain.card import Cards
from hedgerow.models.base.model import Model
from hedgerow.report.about.model_report import model_report
from hedgerow.report.linear.telling_terms import terms_part
from hedgerow.report.rules.rules import rules_part
from hedgerow.report.schema import ModelReport, PicturePart, RulesPart
from hedgerow.report.trees.tree_svg import tree_svg

MOST_DRAWN = 400  # nodes of a tree: of larger ones the first levels are drawn
MOST_RULES = 200
FEW_CLASSES, MANY_TERMS, FEW_TERMS = 4, 20, 12  # terms of a class on a page, if there are few classes and otherwise
PAGE = 1072.0  # pixels that a picture may take before its tree is drawn in rows


def model_part(model: Model, picture: bool) -> ModelReport:
    """Return the report on a model with additional parts for pages: terms, rules, a picture of a tree."""
    report = model_report(model)
    report = {**report, **terms_part(model, MANY_TERMS if len(report["labels"]) <= FEW_CLASSES else FEW_TERMS)}
    if model.lists_rules:
        report = {**report, **first_rules(model)}
    return {**report, **_picture(model)} if picture else report


def first_rules(made: Model | Cards) -> RulesPart:
    """Return the part on rules; if there are very many, the first ones and the last."""
    n = len((made.model if isinstance(made, Cards) else made).rule_rows())
    return rules_part(made, [*range(min(n - 1, MOST_RULES)), n - 1])


def _picture(model: Model) -> PicturePart:
    """Return a picture of a tree or, if it is too large, of its first levels; nothing for other models."""
    drawn = model.drawn_tree(MOST_DRAWN)
    return {} if drawn is None else {"picture": str(tree_svg(drawn[0], width=PAGE)), "picture_note": drawn[1]}
