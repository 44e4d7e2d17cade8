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
from hedgerow.data.table.row_groups import group_in, group_notes, groups_of, set_aside
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Codes, Rows, Table
from hedgerow.data.table.threads import in_order
from hedgerow.errors import DataError, UsageError
from hedgerow.evaluate import splits
from hedgerow.evaluate.run_split import Progress, suited
from hedgerow.evaluate.splits import Split
from hedgerow.evaluate.validate import tested_on, within_groups
from hedgerow.explain.card import Card, Cards, FoundAgain, RuleTally
from hedgerow.explain.matching import Likeness, ThresholdScale, matched
from hedgerow.learn.base import Learner
from hedgerow.learn.relearn import has_maker, maker_of
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
    ...     print(card.figures.text, card.unseen.covered, card.unseen.right, card.found.same)
    if Own_House = false and Has_Job = false then Class = No 3.0 3.0 3
    otherwise Class = Yes 9.0 7.0 5
    """
    if holdout is not None and folds is not None:
        raise UsageError("choose one of holdout and folds: each is a different way to get unseen rows")
    again = holdout is not None or folds is not None
    if group is not None and not again:
        raise UsageError(f"{group!r} keeps groups of rows together in training or in testing; give holdout or folds")
    asked = _asked(model, data, again, group)
    if holdout is not None:
        return _held_out(asked, holdout, seed)
    return _plain(asked) if folds is None else _folded(asked, folds, seed, threads, progress)


class CardRequest(NamedTuple):
    """Whose rules are asked for, and the rows: every row has a target, and `actual` is its code among the labels."""

    model: Model | None
    learner: Learner | None
    table: Table
    actual: Codes
    notes: tuple[str, ...]
    group: str | None = None
    groups: Rows | None = None  # the number of every row's group

    @property
    def by(self) -> str:
        """By which column rows were kept together, as the method is told."""
        return "" if self.group is None else f" by {self.group}"


def _asked(model: Model | Learner, data: Any, again: bool, group: str | None) -> CardRequest:
    """Return what is needed; `again` tells whether the learner is to learn from the data."""
    learner = model if isinstance(model, Learner) else None
    known = getattr(model, "model_", None) if isinstance(model, Learner) else model
    if known is None:
        assert learner is not None
        if not again:
            raise UsageError(f"{learner.name} has no rules before it is trained; give holdout or folds")
        table = suited(learner, data)
        asked = CardRequest(None, learner, table, np.zeros(0, np.int32), ())
        return _with_known_targets(_with_groups(asked, table, group))
    if not isinstance(known, Model):
        raise UsageError(f"rule cards need a model or a learner, not a {type(known).__name__}")
    known.rule_rows()  # a model without rules is an error that says what to do
    if again and learner is None:
        if not has_maker(known):
            raise UsageError(
                "the model does not record which learner trained it, so it cannot be trained again; leave out holdout "
                "and folds: all rows of the data are then treated as unseen"
            )
        learner = maker_of(known)
    given = data if isinstance(data, Table) else read(data)
    on = tested_on(known, given)
    target = replace(known.schema.target_column, levels=on.labels)
    table = on.table.with_column(target, on.target)
    asked = CardRequest(known, learner, table, np.zeros(0, np.int32), on.notes)
    return _with_known_targets(_with_groups(asked, given, (group or group_in(known.about.notes)) if again else None))


def _with_groups(asked: CardRequest, given: Table, group: str | None) -> CardRequest:
    """Return the same with the groups of the rows, as a column of the given table tells them, if one is named."""
    if group is None:
        return asked
    assert asked.learner is not None
    aside = set_aside(given, group)
    table = asked.table.with_column(aside.schema[group], aside[group])  # for what the learner chooses by folds inside
    return asked._replace(
        learner=within_groups(asked.learner, group), table=table, group=group, groups=groups_of(aside, group)
    )


def _with_known_targets(asked: CardRequest) -> CardRequest:
    """Return the same with the rows that have a target and a weight, and their classes."""
    table, column = asked.table, asked.table.schema.target_column
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
    groups = None if asked.groups is None else asked.groups[rows]
    return asked._replace(table=table if whole else table.take(rows), actual=codes[rows], groups=groups)


def _plain(asked: CardRequest) -> Cards:
    """Return the cards of a model on rows that it was not trained on."""
    assert asked.model is not None
    model, notes = asked.model, asked.notes
    figures = model.rule_rows()
    unseen = _tallies(model, figures, asked.table, asked.actual)
    if model.about.rows == asked.table.n_rows:
        notes = (*notes, _same_rows(asked.table.n_rows))
    cards = map(Card, figures, training_of(figures, model.rule_order), unseen)
    return Cards(
        model, tuple(cards), "data", "the model's rules on these data, which are treated as unseen rows", notes=notes
    )


def _same_rows(rows: int) -> str:
    return (
        f"the data have exactly as many rows as the model was trained on ({rows:,}): if they are the same rows, "
        "nothing here is unseen; use a holdout or folds to train again on a part of them"
    )


def _held_out(asked: CardRequest, share: float, seed: int) -> Cards:
    """Return the cards of the rules that a part of the rows teaches, on the others."""
    if not isinstance(share, int | float) or not 0 < share < 1:
        raise UsageError(f"the share to hold out must lie between 0 and 1, such as 0.3, but is {share}")
    assert asked.learner is not None
    split = next(splits.holdout(asked.actual, 1 - share, 1, seed, asked.groups))
    model = asked.learner.train(asked.table.view(split.train))
    if not model.rule_order:
        raise UsageError(
            f"on the training part {asked.learner.name} trained a model of kind {model.kind!r}, which has no rules"
        )
    figures = model.rule_rows()
    unseen = _on_part(model, figures, asked, split)
    likeness: Sequence[Likeness | None] = [None] * len(figures)
    if asked.model is not None:
        likeness = [kind for kind, _ in matched(figures, asked.model.rule_rows(), ThresholdScale(asked.table))]
    training = training_of(figures, model.rule_order)
    cards = (Card(*parts) for parts in zip(figures, training, unseen, [None] * len(figures), likeness, strict=True))
    apart = "" if asked.group is None else f" (split by {asked.group})"
    method = (
        f"rules trained on {len(split.train):,} rows, metrics on unseen rows from the {len(split.test):,} others{apart}"
    )
    return Cards(model, tuple(cards), "holdout", method, seed, notes=(*asked.notes, *_split_notes(asked)))


def _split_notes(asked: CardRequest, folds: int = 0) -> tuple[str, ...]:
    """Return notes of cutting these rows, or their groups, into folds."""
    if asked.group is not None and asked.groups is not None:
        return group_notes(asked.table, asked.group, asked.groups, np.arange(asked.table.n_rows), folds)
    return splits.fold_notes(asked.actual, folds) if folds else ()


class _Fold(NamedTuple):
    """What a fold says of the model's rules: how each was found, its unseen rows, and those of all other rules."""

    likeness: list[Likeness]
    unseen: list[RuleTally]
    others: RuleTally
    n_others: int
    has_rules: bool


def _folded(asked: CardRequest, folds: int, seed: int, threads: int | None, progress: Progress | None) -> Cards:
    """Return the cards of a model's rules by what the rules of all folds say."""
    assert asked.learner is not None
    k = splits.fold_count(asked.actual, folds, asked.groups)
    model = asked.learner.train(asked.table) if asked.model is None else asked.model
    figures = model.rule_rows()
    spread = ThresholdScale(asked.table)
    made: list[_Fold] = []
    parts = splits.folds(asked.actual, folds, seed, groups=asked.groups)
    for fold in in_order(lambda split: _one_fold(figures, asked, split, spread), parts, threads):
        made.append(fold)
        if progress is not None:
            progress(len(made), k)
    found = [_found([fold.likeness[place] for fold in made]) for place in range(len(figures))]
    unseen = [sum((fold.unseen[place] for fold in made), RuleTally()) for place in range(len(figures))]
    cards = map(Card, figures, training_of(figures, model.rule_order), unseen, found)
    notes = (*asked.notes, *_split_notes(asked, folds), *_fold_notes(model, asked, made))
    others = sum((fold.others for fold in made), RuleTally())
    n_others = sum(fold.n_others for fold in made) / len(made)
    return Cards(model, tuple(cards), "folds", f"{k}-fold cross-validation{asked.by}", seed, others, n_others, notes)


def _one_fold(figures: Sequence[RuleFigures], asked: CardRequest, split: Split, spread: ThresholdScale) -> _Fold:
    assert asked.learner is not None
    model = asked.learner.train(asked.table.view(split.train))
    nothing = [RuleTally()] * len(figures)
    if not model.rule_order:
        return _Fold([Likeness.NONE] * len(figures), nothing, RuleTally(), 0, False)
    own = model.rule_rows()
    tallies = _on_part(model, own, asked, split)
    pairs = matched(figures, own, spread)
    unseen = [RuleTally() if other < 0 else tallies[other] for _, other in pairs]
    left = sorted(set(range(len(own))) - {other for _, other in pairs})
    left = [other for other in left if own[other].label is not None]
    others = _together([tallies[other] for other in left], tallies[0].of)
    return _Fold([kind for kind, _ in pairs], unseen, others, len(left), True)


def _together(tallies: Iterable[RuleTally], of: float) -> RuleTally:
    """Return rules of one model as one rule: the rows are the same for all of them."""
    total = sum(tallies, RuleTally())
    return RuleTally(total.covered, total.right, of)


def _found(kinds: Sequence[Likeness]) -> FoundAgain:
    same, alike, columns = (kinds.count(kind) for kind in (Likeness.SAME, Likeness.ALIKE, Likeness.COLUMNS))
    return FoundAgain(same, alike, columns, len(kinds))


def _fold_notes(model: Model, asked: CardRequest, made: Sequence[_Fold]) -> list[str]:
    notes = []
    without = sum(not fold.has_rules for fold in made)
    if without:
        notes.append(f"in {without} of {len(made)} folds the learner trained a model without rules")
    if asked.model is not None and model.about.rows and model.about.rows != asked.table.n_rows:
        notes.append(
            f"the model was trained on {model.about.rows:,} rows, but these data have {asked.table.n_rows:,} usable "
            "rows: the folds are informative about its rules only if both come from the same source"
        )
    return notes


def _on_part(model: Model, figures: Sequence[RuleFigures], asked: CardRequest, split: Split) -> list[RuleTally]:
    return _tallies(model, figures, asked.table.view(split.test), asked.actual[split.test])


def _tallies(model: Model, figures: Sequence[RuleFigures], table: Table, actual: Codes) -> list[RuleTally]:
    """Return what rows with known classes say of each rule of a model."""
    covers, weights = model.rule_coverage(model.aligned(table)), table.row_weights
    labels = table.schema.target_column.levels
    stated = np.array([-2 if figure.label is None else labels.index(figure.label) for figure in figures])
    hit = covers.shares * weights[covers.rows]
    covered = np.bincount(covers.rules, hit, len(figures))
    right = np.bincount(covers.rules, hit * (stated[covers.rules] == actual[covers.rows]), len(figures))
    right[stated < 0] = np.nan  # what decides nothing is neither right nor wrong
    total = float(weights.sum())
    return [RuleTally(*pair, total) for pair in zip(covered.tolist(), right.tolist(), strict=True)]


def training_of(figures: Sequence[RuleFigures], order: str) -> list[RuleTally]:
    """Return the training figures of rules as tallies; what the default of a set decided is not known."""
    overlap = counts_overlap(order)
    return [
        RuleTally() if overlap and figure.is_default else RuleTally(figure.n, figure.n - figure.errors, figure.total)
        for figure in figures
    ]
