"""Generalising rules: conditions that a rule is expected to err no more without are dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table.table import Rows
from hedgerow.learn.trees.options import EQUAL
from hedgerow.learn.trees.rules_from_tree.row_bits import Bits, RowBits
from hedgerow.models.base.condition import Condition, Mask
from hedgerow.models.trees.text import branch
from hedgerow.models.trees.to_rules import tightest
from hedgerow.models.trees.tree import Tree


@dataclass(frozen=True, slots=True)
class RuleErrorEstimate:
    """The weight that a rule covers, its errors there, and the error rate to expect of it."""

    n: float
    errors: float
    rate: float


@dataclass(frozen=True, slots=True)
class GeneralizationStep:
    """One round of generalizing: the expected error rate of the rule without each condition, and the dropped one."""

    conditions: tuple[Condition, ...]
    before: RuleErrorEstimate
    without: tuple[RuleErrorEstimate, ...]
    dropped_test: int | None


@dataclass(frozen=True, slots=True)
class RulePath:
    """A path of the tree from the root to a leaf that holds rows: all tests passed, and the class of the leaf."""

    conditions: tuple[Condition, ...]
    decision: int


@dataclass(frozen=True, eq=False, slots=True)
class RuleCandidate:
    """A generalized rule: conditions, class, its error estimate, and the rows it covers."""

    conditions: tuple[Condition, ...]
    decision: int
    estimate: RuleErrorEstimate
    bits: Bits


class Estimator:
    """The error rate to expect of a rule: the upper confidence limit that C4.5 prunes by."""

    def __init__(self, confidence: float) -> None:
        self._limit = confidence, NormalDist().inv_cdf(1 - confidence)

    def __call__(self, n: float, errors: float) -> RuleErrorEstimate:
        """Return the estimate for a rule that covers the weight `n`, with errors; covering nothing, it always errs."""
        errors = max(errors, 0.0)
        rate = _kernels.estimate_errors(n, errors, *self._limit) / n if n > EQUAL else 1.0
        return RuleErrorEstimate(n, errors, rate)


def find_paths(tree: Tree) -> list[RulePath]:
    """Return the paths to the leaves that rows have reached, with every test on the way."""
    filled = tree.weights.sum(axis=1) > 0
    return [
        RulePath(tuple(branch(tree.nodes, tree.schema, *step) for step in path), int(tree.decisions[leaf]))
        for leaf, path in tree.nodes.paths()
        if filled[leaf] and path
    ]


def generalize(path: RulePath, rows: RowBits, expect: Estimator) -> list[GeneralizationStep]:
    """Return the rounds of generalizing a path; in the last one no condition was dropped.

    Each round drops the condition without which the smallest error rate is expected, the first of equals, as long as
    that is not above the rate with it. A row comes under the rule by a dropped condition if it fails that one only,
    so the number of conditions that each row fails tells of all of them at once.
    """
    conditions = list(dict.fromkeys(path.conditions))
    wrong = rows.classes != path.decision
    fails = rows.fails(conditions)
    failed = fails.sum(axis=0, dtype=np.int32)
    inside = np.flatnonzero(failed == 0)
    now = expect(*_covered_and_wrong(rows, inside, wrong))
    steps = []
    while True:
        near = np.flatnonzero(failed == 1)
        both = np.stack([rows.weights[near], rows.weights[near] * wrong[near]])
        gained = fails[:, near] @ both.T
        without = tuple(expect(now.n + n, now.errors + errors) for n, errors in gained.tolist())
        at = _least(without)
        if at is None or without[at].rate > now.rate + EQUAL:
            steps.append(GeneralizationStep(tuple(conditions), now, without, None))
            return steps
        steps.append(GeneralizationStep(tuple(conditions), now, without, at))
        failed -= fails[at]
        inside = np.flatnonzero(failed == 0)
        now = expect(*_covered_and_wrong(rows, inside, wrong))
        fails = np.delete(fails, at, axis=0)
        del conditions[at]


def _covered_and_wrong(rows: RowBits, inside: Rows, wrong: Mask) -> tuple[float, float]:
    weights = rows.weights[inside]
    return float(weights.sum()), float(weights[wrong[inside]].sum())


def _least(estimates: Sequence[RuleErrorEstimate]) -> int | None:
    """Return the position of the least rate, the first of equals."""
    best: int | None = None
    for at, estimate in enumerate(estimates):
        if best is None or estimate.rate < estimates[best].rate - EQUAL:
            best = at
    return best


def candidates(paths: Sequence[RulePath], outcomes: Sequence[GeneralizationStep], rows: RowBits) -> list[RuleCandidate]:
    """Return the different rules of generalized paths, by class, then by the error rate to expect.

    Rules that have lost all conditions are left out: that is what the default is for. Several tests of a column become
    the tightest, and of rules for one class that cover the same rows only that of fewest conditions stays.
    """
    result: dict[tuple[int, bytes], tuple[tuple[int, float, float, int], RuleCandidate]] = {}
    for number, (path, last) in enumerate(zip(paths, outcomes, strict=True)):
        if not last.conditions or last.before.n <= EQUAL:
            continue
        conditions = tightest(last.conditions, rows.schema, rows.codes)
        bits = rows.covered_bits(conditions)
        rule_candidate = RuleCandidate(conditions, path.decision, last.before, bits)
        place = (path.decision, round(last.before.rate, 9), -round(last.before.n, 9), number)
        key = path.decision, bits.tobytes()
        if key not in result or len(conditions) < len(result[key][1].conditions):
            result[key] = place, rule_candidate
    return [rule_candidate for _, rule_candidate in sorted(result.values(), key=lambda one: one[0])]
