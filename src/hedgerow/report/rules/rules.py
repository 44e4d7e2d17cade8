"""The report on the rules of a model: their statistics, and with rule cards their metrics on unseen rows."""

from __future__ import annotations

from dataclasses import asdict
from typing import cast

from hedgerow.evaluate.metrics.estimates import Estimate
from hedgerow.explain.card import Card, Cards, RuleTally
from hedgerow.explain.cards import training_tallies
from hedgerow.layout.names import format_level
from hedgerow.models.base.condition import conjuncts
from hedgerow.models.base.model import Model
from hedgerow.models.base.rule_figures import READING, RuleFigures, counts_overlap
from hedgerow.models.rules.choice import RuleChoice
from hedgerow.report.about.model_report import model_report
from hedgerow.report.figures import estimate_dict, trained_on_part
from hedgerow.report.schema import (
    CardsPart,
    FoundInFolds,
    OthersReport,
    RuleReport,
    RulesPart,
    RulesReport,
    TallyReport,
)

TOLD = {
    "data": "Training estimates refer to the rows that the model was trained on; unseen estimates refer to the given "
    "data, and are unbiased only if the model was not trained on them.",
    "holdout": "These are not the model's own rules: its learner found them on the training part only. Unseen "
    "estimates refer to the held-out rows. The last column shows whether the model itself has the rule.",
    "folds": "The rules and their training estimates are those of the model. Its learner was trained again without "
    "each fold: unseen estimates are those of the same rule, or a similar one, on the held-out folds. Rules "
    "are similar if only their thresholds differ, by at most a tenth of the rows, or at most half of the "
    "levels of a set.",
}
NOT_UNSEEN = (
    "Training estimates refer to the rows that the model was trained on; the others refer to the given rows, which are "
    "all or in part the same. Give other rows, or use a holdout or folds."
)


def rules_report(made: Model | Cards, choice: RuleChoice | None = None) -> RulesReport:
    """Return a report on the rules of a model, or on their rule cards.

    Examples
    --------
    >>> import hedgerow
    >>> model = hedgerow.C45Rules().train(hedgerow.examples.loan())
    >>> [rule["rule"] for rule in hedgerow.rules_report(model)["rules"]]
    ['if Own_House = false and Has_Job = false then Class = No', 'otherwise Class = Yes']
    """
    model, choice = made.model if isinstance(made, Cards) else made, choice or RuleChoice()
    figures = model.rule_rows()
    choice.check(figures[0].target.levels)
    places = choice.select_rules(figures)
    notes = [*choice.selection_notes(model.rule_order, len(figures) - len(places)), *model.about.notes]
    if isinstance(made, Cards):
        notes += made.notes
    about = {key: value for key, value in model_report(model).items() if key != "text"}
    asked = {"report": "rules", "filters": choice.filters, "sort": choice.sort, "notes": notes}
    return cast("RulesReport", {**about, **rules_part(made, places), **asked})


def rules_part(made: Model | Cards, places: list[int] | None = None) -> RulesPart:
    """Return the part of reports on all or some rules: `rules`, `n_rules`, `order`, `reading` and `cards`."""
    cards = made if isinstance(made, Cards) else None
    model = cards.model if cards is not None else made
    assert isinstance(model, Model)
    figures, order = model.rule_rows(), model.rule_order
    training = training_tallies(figures, order)
    chosen = range(len(figures)) if places is None else places
    rules = [_rule(figures[place], training[place], None if cards is None else cards.cards[place]) for place in chosen]
    return {
        "rules": rules,
        "n_rules": sum(not figure.is_default for figure in figures),
        "has_default": figures[-1].is_default,
        "hidden": len(figures) - len(rules),
        "order": order,
        "reading": READING[order],
        "cards": None if cards is None else _cards_section(cards),
    }


def _rule(figure: RuleFigures, training: RuleTally, card: Card | None) -> RuleReport:
    told: RuleReport = {
        "number": figure.number,
        "default": figure.is_default,
        "rule": figure.text,
        "conditions": conjuncts(figure.rule.conditions),
        "label": figure.label,
        "text": "no decision" if figure.label is None else format_level(figure.label),
        "n": figure.n,
        "errors": figure.errors,
        "support": figure.support,
        "confidence": figure.confidence,
        "lift": figure.lift,
        "length": figure.length,
        "training": tally_section(training),
    }
    if card is not None:
        told["unseen"] = tally_section(card.unseen)
        if card.matches is not None:
            told["found"] = cast("FoundInFolds", asdict(card.matches))
        if card.in_model is not None:
            told["in_model"] = str(card.in_model)
    return told


def tally_section(tally: RuleTally) -> TallyReport:
    """Return the weights of a tally, and its shares as estimates."""
    return {
        "covered": tally.covered,
        "errors": tally.errors,
        "of": tally.total,
        "coverage": estimate_dict(tally.coverage),
        "precision": estimate_dict(tally.precision),
    }


def _cards_section(cards: Cards) -> CardsPart:
    return {
        "way": cards.evaluation,
        "method": cards.method,
        "seed": cards.seed,
        "trained_on": trained_on_part(cards.overlap),
        "told": NOT_UNSEEN if cards.overlap is not None and cards.overlap.is_trained else TOLD[cards.evaluation],
        "others": _others(cards),
        "notes": list(cards.notes),
    }


def _others(cards: Cards) -> OthersReport | None:
    """Return the rules of folds that are not similar to rules of the model."""
    if cards.others is None:
        return None
    others: OthersReport = {**tally_section(cards.others), "rules": cards.n_others}
    if counts_overlap(cards.model.rule_order):  # rows that count for several rules tell less
        others["coverage"] = estimate_dict(Estimate(others["coverage"]["value"]))
        others["precision"] = estimate_dict(Estimate(others["precision"]["value"]))
    return others
