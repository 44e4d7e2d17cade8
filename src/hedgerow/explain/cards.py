"""Rule cards: statistics of each rule on training rows and unseen rows, and whether it recurs in other rows.

A rule looks better on the rows that it was chosen by than it is. Figures on unseen rows are honest only if these rows
had no say in the rule, so each way of testing figures rules on rows that they were not learned from:

- data: the model's own rules, on rows that it was not trained on;
- holdout: the rules that the learner finds in a part of the rows, on the others;
- folds: the rules of the model, each by the rules that are the same or alike among those that the learner finds in the
  other folds, on the rows of the fold. What is pooled are figures of these rules, never of the model's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from hedgerow.data.read import read
from hedgerow.data.rows.row_groups import group_column_from_notes, group_notes, ignore_group_column, number_groups
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Codes, Rows, Table
from hedgerow.data.table.threads import map_in_order
from hedgerow.errors import DataError, UsageError
from hedgerow.evaluate import splits
from hedgerow.evaluate.run_split import Progress, to_learner_table
from hedgerow.evaluate.splits import Split
from hedgerow.evaluate.training_overlap import training_overlap
from hedgerow.evaluate.validate import keep_groups_inside, prepare_test
from hedgerow.explain.card import Card, Cards, RuleMatches, RuleTally
from hedgerow.explain.matching import RuleSimilarity, ThresholdScale, match_rules
from hedgerow.learn.base import Learner
from hedgerow.learn.relearn import has_known_learner, recreate_learner
from hedgerow.learn.training_sketch import without_sketches
from hedgerow.models.base.model import Model
from hedgerow.models.base.rule_figures import RuleFigures, counts_overlap


def rule_cards(
    model: Model | Learner,
    data: Any,
    *,
    holdout: float | None = None,
    folds: int | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
    group: str | None = None,
) -> Cards:
    """Return one card per rule: coverage and precision on training rows and on unseen ones, with Wilson intervals.

    Parameters
    ----------
    model
        A model with rules (a rule list, a tree), or a learner of such models.
    data
        A Table with its target, or anything that `read` takes: rows that the model was *not* trained on or, with
        `holdout` or `folds`, its training rows.
    holdout
        Hold out this share of the rows and train on the others: the cards are for the rules found there.
    folds
        Train again without each of this many folds: the cards are for the model's rules, with metrics on
        unseen rows from the same or similar rules of the folds.
    progress
        Called with the folds done and their number.
    group
        A column whose rows stay together, on one side of a holdout and in one fold; by default the one that the model
        was trained with.

    Examples
    --------
    >>> import hedgerow
    >>> table = hedgerow.examples.loan()
    >>> cards = rule_cards(hedgerow.C45Rules().train(table), table, folds=5)
    >>> for card in cards:
    ...     print(card.figures.text, card.unseen.covered, card.unseen.right, card.matches.same)
    if Own_House = false and Has_Job = false then Class = No 3.0 3.0 3
    otherwise Class = Yes 9.0 7.0 5
    """
    if holdout is not None and folds is not None:
        raise UsageError("choose one of holdout and folds: each is a different way to get unseen rows")
    again = holdout is not None or folds is not None
    if group is not None and not again:
        raise UsageError(f"{group!r} keeps groups of rows together in training or in testing; give holdout or folds")
    asked = _make_request(model, data, again, group)
    if holdout is not None:
        return _cards_by_holdout(asked, holdout, seed)
    return _plain(asked) if folds is None else _cards_by_folds(asked, folds, seed, threads, progress)


class CardRequest(NamedTuple):
    """The described model, and the rows: every row has a target, and `actual` is its code among the labels."""

    model: Model | None
    learner: Learner | None
    table: Table
    actual: Codes
    notes: tuple[str, ...]
    group: str | None = None
    groups: Rows | None = None  # the number of every row's group

    @property
    def group_note(self) -> str:
        """By which column rows were kept together, as the method is told."""
        return "" if self.group is None else f" by {self.group}"


def _make_request(model: Model | Learner, data: Any, again: bool, group: str | None) -> CardRequest:
    """Return what is needed; `again` tells whether the learner is to learn from the data."""
    learner = model if isinstance(model, Learner) else None
    known = getattr(model, "model_", None) if isinstance(model, Learner) else model
    if known is None:
        assert learner is not None
        if not again:
            raise UsageError(f"{learner.name} has no rules before it is trained; give holdout or folds")
        table = to_learner_table(learner, data)
        card_request = CardRequest(None, learner, table, np.zeros(0, np.int32), ())
        return _keep_known_targets(_add_groups(card_request, table, group))
    if not isinstance(known, Model):
        raise UsageError(f"rule cards need a model or a learner, not a {type(known).__name__}")
    known.rule_rows()  # a model without rules is an error that says what to do
    if again and learner is None:
        if not has_known_learner(known):
            raise UsageError(
                "the model does not record which learner trained it, so it cannot be trained again; leave out holdout "
                "and folds: all rows of the data are then treated as unseen"
            )
        learner = recreate_learner(known)
    input_table = data if isinstance(data, Table) else read(data)
    on = prepare_test(known, input_table)
    target = replace(known.schema.target_column, levels=on.labels)
    table = on.table.with_column(target, on.target)
    card_request = CardRequest(known, learner, table, np.zeros(0, np.int32), on.notes)
    return _keep_known_targets(
        _add_groups(card_request, input_table, (group or group_column_from_notes(known.about.notes)) if again else None)
    )


def _add_groups(card_request: CardRequest, input_table: Table, group: str | None) -> CardRequest:
    """Return the same with the groups of the rows, as a column of the given table tells them, if one is named."""
    if group is None:
        return card_request
    assert card_request.learner is not None
    aside = ignore_group_column(input_table, group)
    table = card_request.table.with_column(
        aside.schema[group], aside[group]
    )  # for what the learner chooses by folds inside
    return card_request._replace(
        learner=keep_groups_inside(card_request.learner, group),
        table=table,
        group=group,
        groups=number_groups(aside, group),
    )


def _keep_known_targets(card_request: CardRequest) -> CardRequest:
    """Return the same with the rows that have a target and a weight, and their classes."""
    table, column = card_request.table, card_request.table.schema.target_column
    if column.kind is not Kind.NOMINAL:
        raise DataError(f"rules predict a class, but the target {column.name!r} is {column.kind}")
    codes = table.codes(table.schema.index(column.name))
    usable = (codes >= 0) & (table.row_weights > 0)
    if not usable.any():
        raise DataError(
            f"no row has both a weight and a value of the target {column.name!r}: the rules cannot be evaluated"
        )
    rows = np.flatnonzero(usable)
    whole = len(rows) == table.n_rows
    groups = None if card_request.groups is None else card_request.groups[rows]
    return card_request._replace(table=table if whole else table.take(rows), actual=codes[rows], groups=groups)


def _plain(card_request: CardRequest) -> Cards:
    """Return the cards of a model on rows that it was not trained on."""
    assert card_request.model is not None
    model, notes = card_request.model, card_request.notes
    figures = model.rule_rows()
    unseen = _tally_rules(model, figures, card_request.table, card_request.actual)
    overlap = training_overlap(model, card_request.table)
    if overlap is not None:
        notes = (*notes, *overlap.notes)
    elif model.about.rows == card_request.table.n_rows:
        notes = (*notes, _same_rows_note(card_request.table.n_rows))
    cards = map(Card, figures, training_tallies(figures, model.rule_order), unseen)
    is_trained = overlap is not None and overlap.is_trained
    treated = "which are not unseen" if is_trained else "which are treated as unseen rows"
    return Cards(
        model, tuple(cards), "data", f"the model's rules on these data, {treated}", notes=notes, overlap=overlap
    )


def _same_rows_note(rows: int) -> str:
    return (
        f"the data have exactly as many rows as the model was trained on ({rows:,}): if they are the same rows, "
        "nothing here is unseen; use a holdout or folds to train again on a part of them"
    )


def _cards_by_holdout(card_request: CardRequest, share: float, seed: int) -> Cards:
    """Return the cards of the rules that a part of the rows teaches, on the others."""
    if not isinstance(share, int | float) or not 0 < share < 1:
        raise UsageError(f"the share to hold out must lie between 0 and 1, such as 0.3, but is {share}")
    assert card_request.learner is not None
    split = next(splits.holdout(card_request.actual, 1 - share, 1, seed, card_request.groups))
    with without_sketches():
        model = card_request.learner.train(card_request.table.view(split.train))
    if not model.rule_order:
        raise UsageError(
            f"on the training part {card_request.learner.name} trained a model of kind {model.kind!r}, which "
            "has no rules"
        )
    figures = model.rule_rows()
    unseen = _tally_part(model, figures, card_request, split)
    likeness: Sequence[RuleSimilarity | None] = [None] * len(figures)
    if card_request.model is not None:
        likeness = [
            kind for kind, _ in match_rules(figures, card_request.model.rule_rows(), ThresholdScale(card_request.table))
        ]
    training = training_tallies(figures, model.rule_order)
    cards = (Card(*parts) for parts in zip(figures, training, unseen, [None] * len(figures), likeness, strict=True))
    apart = "" if card_request.group is None else f" (split by {card_request.group})"
    method = (
        f"rules trained on {len(split.train):,} rows, metrics on unseen rows from the {len(split.test):,} others{apart}"
    )
    return Cards(model, tuple(cards), "holdout", method, seed, notes=(*card_request.notes, *_split_notes(card_request)))


def _split_notes(card_request: CardRequest, folds: int = 0) -> tuple[str, ...]:
    """Return notes of cutting these rows, or their groups, into folds."""
    if card_request.group is not None and card_request.groups is not None:
        return group_notes(
            card_request.table, card_request.group, card_request.groups, np.arange(card_request.table.n_rows), folds
        )
    return splits.fold_notes(card_request.actual, folds) if folds else ()


class _Fold(NamedTuple):
    """What a fold says of the model's rules: how each was found, its unseen rows, and those of all other rules."""

    similarity: list[RuleSimilarity]
    unseen: list[RuleTally]
    others: RuleTally
    n_others: int
    has_rules: bool


def _cards_by_folds(
    card_request: CardRequest, folds: int, seed: int, threads: int | None, progress: Progress | None
) -> Cards:
    """Return the cards of a model's rules from the rules of all folds."""
    assert card_request.learner is not None
    k = splits.fold_count(card_request.actual, folds, card_request.groups)
    model = card_request.learner.train(card_request.table) if card_request.model is None else card_request.model
    figures = model.rule_rows()
    spread = ThresholdScale(card_request.table)
    entries: list[_Fold] = []
    parts = splits.folds(card_request.actual, folds, seed, groups=card_request.groups)
    for fold in map_in_order(lambda split: _evaluate_fold(figures, card_request, split, spread), parts, threads):
        entries.append(fold)
        if progress is not None:
            progress(len(entries), k)
    rule_matches = [_count_matches([fold.similarity[place] for fold in entries]) for place in range(len(figures))]
    unseen = [sum((fold.unseen[place] for fold in entries), RuleTally()) for place in range(len(figures))]
    cards = map(Card, figures, training_tallies(figures, model.rule_order), unseen, rule_matches)
    notes = (*card_request.notes, *_split_notes(card_request, folds), *_fold_notes(model, card_request, entries))
    others = sum((fold.others for fold in entries), RuleTally())
    n_others = sum(fold.n_others for fold in entries) / len(entries)
    return Cards(
        model,
        tuple(cards),
        "folds",
        f"{k}-fold cross-validation{card_request.group_note}",
        seed,
        others,
        n_others,
        notes,
    )


def _evaluate_fold(
    figures: Sequence[RuleFigures], card_request: CardRequest, split: Split, spread: ThresholdScale
) -> _Fold:
    assert card_request.learner is not None
    with without_sketches():
        model = card_request.learner.train(card_request.table.view(split.train))
    nothing = [RuleTally()] * len(figures)
    if not model.rule_order:
        return _Fold([RuleSimilarity.NONE] * len(figures), nothing, RuleTally(), 0, False)
    own = model.rule_rows()
    tallies = _tally_part(model, own, card_request, split)
    pairs = match_rules(figures, own, spread)
    unseen = [RuleTally() if other < 0 else tallies[other] for _, other in pairs]
    left = sorted(set(range(len(own))) - {other for _, other in pairs})
    left = [other for other in left if own[other].label is not None]
    others = _together([tallies[other] for other in left], tallies[0].total)
    return _Fold([kind for kind, _ in pairs], unseen, others, len(left), True)


def _together(tallies: Iterable[RuleTally], of: float) -> RuleTally:
    """Return rules of one model as one rule: the rows are the same for all of them."""
    total = sum(tallies, RuleTally())
    return RuleTally(total.covered, total.right, of)


def _count_matches(kinds: Sequence[RuleSimilarity]) -> RuleMatches:
    same, alike, columns = (
        kinds.count(kind) for kind in (RuleSimilarity.SAME, RuleSimilarity.ALIKE, RuleSimilarity.COLUMNS)
    )
    return RuleMatches(same, alike, columns, len(kinds))


def _fold_notes(model: Model, card_request: CardRequest, made: Sequence[_Fold]) -> list[str]:
    notes = []
    without = sum(not fold.has_rules for fold in made)
    if without:
        notes.append(f"in {without} of {len(made)} folds the learner trained a model without rules")
    if card_request.model is not None and model.about.rows and model.about.rows != card_request.table.n_rows:
        notes.append(
            f"the model was trained on {model.about.rows:,} rows, but these data have "
            f"{card_request.table.n_rows:,} usable "
            "rows: the folds are informative about its rules only if both come from the same source"
        )
    return notes


def _tally_part(
    model: Model, figures: Sequence[RuleFigures], card_request: CardRequest, split: Split
) -> list[RuleTally]:
    return _tally_rules(model, figures, card_request.table.view(split.test), card_request.actual[split.test])


def _tally_rules(model: Model, figures: Sequence[RuleFigures], table: Table, actual: Codes) -> list[RuleTally]:
    """Return the counts of rows with known classes for each rule of a model."""
    covers, weights = model.rule_coverage(model.align(table)), table.row_weights
    labels = table.schema.target_column.levels
    stated = np.array([-2 if figure.label is None else labels.index(figure.label) for figure in figures])
    hit = covers.shares * weights[covers.rows]
    covered = np.bincount(covers.rules, hit, len(figures))
    right = np.bincount(covers.rules, hit * (stated[covers.rules] == actual[covers.rows]), len(figures))
    right[stated < 0] = np.nan  # what decides nothing is neither right nor wrong
    total = float(weights.sum())
    return [RuleTally(*pair, total) for pair in zip(covered.tolist(), right.tolist(), strict=True)]


def training_tallies(figures: Sequence[RuleFigures], order: str) -> list[RuleTally]:
    """Return the training figures of rules as tallies; what the default of a set decided is not known."""
    overlap = counts_overlap(order)
    return [
        RuleTally() if overlap and figure.is_default else RuleTally(figure.n, figure.n - figure.errors, figure.total)
        for figure in figures
    ]
