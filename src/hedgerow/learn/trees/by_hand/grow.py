"""Growing: at every node each column offers a split, and the best one is taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.data.table.table import Table
from hedgerow.learn.trees.by_hand.candidates import candidate
from hedgerow.learn.trees.by_hand.convert import to_number_tree, to_tree
from hedgerow.learn.trees.by_hand.growing import GrowthContext, SplitCandidate, first_best
from hedgerow.learn.trees.by_hand.missing import Surrogate, add_surrogates, surrogates
from hedgerow.learn.trees.by_hand.plain import UNKNOWN, NodePlace, PlainNode, PlainSplit
from hedgerow.learn.trees.by_hand.target import ClassTarget, NodeRows, NumberTarget, Target
from hedgerow.learn.trees.by_hand.work import NodeWork, TreeWork
from hedgerow.learn.trees.options import EQUAL, TreeOptions
from hedgerow.models.trees.tree import NumberTree, Tree

NEAR_AVERAGE = 1e-3  # a gain may be below average by so much


def grow(table: Table, options: TreeOptions, work: TreeWork | None = None) -> Tree:
    """Return the unpruned tree of a table with a nominal target."""
    return to_tree(grow_nodes(table, options, work), table.schema)


def grow_number(table: Table, options: TreeOptions, work: TreeWork | None = None) -> NumberTree:
    """Return the unpruned tree of a table with a numeric target."""
    return to_number_tree(grow_nodes(table, options, work), table.schema)


def grow_nodes(table: Table, options: TreeOptions, work: TreeWork | None = None) -> PlainNode:
    """Return the nodes of the unpruned tree, their weights not rounded."""
    growing = GrowthContext(table, _target(table, options), options)
    whole = NodeRows.of_table(table)
    root = PlainNode(growing.target.summary(whole))
    stack = [NodePlace(root, whole)]
    while stack:
        place = stack.pop()
        choice = _choose(growing, place)
        if work is not None:
            work.add(choice.work(growing, place))
        if choice.split is not None:
            stack.extend(reversed(_branch(growing, place, choice.split)))
    return root


def _target(table: Table, options: TreeOptions) -> Target:
    if options.criterion in ("squared", "absolute"):
        return NumberTarget.of(table, options.criterion == "absolute")
    return ClassTarget.of(table, options.criterion == "gini")


def _branch(growing: GrowthContext, place: NodePlace, split: PlainSplit) -> list[NodePlace]:
    """Give the node its split and children, and return where growing goes on."""
    table = growing.table
    if growing.options.missing == "surrogate":
        split = add_surrogates(table, place.part, split)
    parts = split.parts(table, place.part)
    place.node.split = split
    place.node.children = [PlainNode(growing.target.summary(part)) for part in parts]
    below = zip(place.node.children, parts, split.conditions(table.schema), strict=True)
    return [NodePlace(node, part, (*place.path, way)) for node, part, way in below]


@dataclass(frozen=True, eq=False, slots=True)
class SplitChoice:
    """What was decided at a node, from which offers, and why."""

    candidates: tuple[SplitCandidate, ...] = ()
    average: float | None = None
    eligible: tuple[int, ...] = ()  # positions of the offers that may win
    best: int | None = None
    reason: str = ""

    @property
    def split(self) -> PlainSplit | None:
        """The split that is made; None makes a leaf."""
        return None if self.best is None else self.candidates[self.best].split

    def work(self, growing: GrowthContext, place: NodePlace) -> NodeWork:
        """Return the record of the choice."""
        split, side = self.split, UNKNOWN
        result_surrogates: tuple[Surrogate, ...] = ()
        if split is not None:
            side = split.missing
            if growing.options.missing == "surrogate":
                result_surrogates = surrogates(growing.table, place.part, split)
                side = add_surrogates(growing.table, place.part, split).missing
        return NodeWork(
            path=place.path,
            summary=place.node.summary,
            impurity=growing.target.impurity(place.part),
            criterion=growing.options.criterion,
            candidates=self.candidates,
            average=self.average,
            eligible=self.eligible,
            best=self.best,
            reason=self.reason,
            surrogates=result_surrogates,
            missing=side,
        )


def _choose(growing: GrowthContext, place: NodePlace) -> SplitChoice:
    """Return the best of the columns' offers, or the reason for a leaf."""
    options = growing.options
    stop = _stop(growing, place)
    if stop:
        return SplitChoice(reason=stop)
    offers = tuple(candidate(growing, place.part, column) for column in growing.table.schema.predictors)
    least = options.least_gain * growing.target.scale
    valid = [number for number, offer in enumerate(offers) if not offer.refusal]
    average, passed = None, [number for number in valid if options.zero_gain or offers[number].gain > least]
    if not passed:
        return SplitChoice(offers, reason="no column can be split on")
    if options.average_guard:
        counted = [offers[number].gain for number in valid if growing.is_counted(offers[number].column)]
        if not counted:
            return SplitChoice(offers, reason="only columns with very many levels can be split on")
        average = float(np.mean(counted))
        passed = [number for number in passed if offers[number].gain >= average - NEAR_AVERAGE]
    by_ratio = options.criterion == "gain_ratio"
    scores = [offers[number].ratio if by_ratio else offers[number].gain for number in passed]
    best = passed[first_best(scores, EQUAL * growing.target.scale)]
    if offers[best].gain < options.min_gain - EQUAL:
        return SplitChoice(offers, average, tuple(passed), reason=f"the best gain is below {options.min_gain:g}")
    return SplitChoice(offers, average, tuple(passed), best, _choice_reason(options, scores))


def _choice_reason(options: TreeOptions, scores: Sequence[float]) -> str:
    name = {"gain_ratio": "gain ratio", "gain": "gain"}.get(options.criterion, "decrease")
    best = max(scores)
    ties = sum(score >= best - EQUAL for score in scores)
    if len(scores) == 1:
        return "the only column that may be chosen"
    return f"the largest {name}" + (f", the first of {ties} ties" if ties > 1 else "")


def _stop(growing: GrowthContext, place: NodePlace) -> str:
    """Return why a node is a leaf before any column is looked at; empty if it is not."""
    options, target, part = growing.options, growing.target, place.part
    weight = part.weight
    if not len(part.rows):
        return "no rows"
    agreement = target.agreement(part, options.stop_share)
    if agreement:
        return agreement
    if weight < 2 * options.min_leaf - EQUAL:
        return f"fewer than twice {options.min_leaf:g} rows"
    if weight <= options.stop_rows + EQUAL:
        return f"at most {options.stop_rows:g} rows"
    if options.max_depth is not None and len(place.path) >= options.max_depth:
        return f"depth {options.max_depth}"
    return ""
