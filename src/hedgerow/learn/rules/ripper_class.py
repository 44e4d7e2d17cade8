"""The rules of one class against all others: grown one after another, then optimized as a whole."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.learn.rules.ripper_description_length import rule_bits
from hedgerow.learn.rules.ripper_prune import best_length, coverage_by_length, prune
from hedgerow.learn.rules.ripper_rows import EMPTY, Positions, RuleBody, RuleRows, RuleSample, remove_rows
from hedgerow.learn.rules.ripper_work import RipperWork

UNLIMITED = -1


@dataclass(frozen=True)
class RipperOptions:
    """How rules are learned; see `Ripper`."""

    prune_folds: int = 3
    min_weight: float = 2.0
    optimizations: int = 2
    stop_bits: float = 64.0
    prune: bool = True
    mdl: bool = True
    every_subset: bool = False
    smoothing: float = 1.0
    max_length: int = UNLIMITED
    max_rules: float = math.inf


@dataclass(frozen=True, eq=False)
class FoundRule:
    """A rule of the class: its conditions, all rows it covers among those that the class learns from, its bits."""

    body: RuleBody
    rows: Positions
    bits: float


@dataclass(frozen=True, eq=False)
class DescribedRules:
    """Rules without those whose deletion shortens the description, and how many bits that takes."""

    rules: list[FoundRule]
    bits: float


class ClassRuleSearch:
    """Learns the rules of a class from some rows of a table.

    Parameters
    ----------
    rows
        The table.
    corpus_size_text
        The rows that are not covered by rules of earlier classes.
    decision
        The code of the class.
    split
        The number of the next split into rows to grow and to prune on; every split is another one.
    """

    def __init__(
        self,
        rows: RuleRows,
        learned_from: Positions,
        decision: int,
        options: RipperOptions,
        split: int,
        work: RipperWork,
    ) -> None:
        self.rows, self.open, self.options, self.split, self.work = rows, learned_from, options, split, work
        self.positive = (rows.classes == decision).astype(np.uint8)
        self.p, self.n = self._covered_weights(EMPTY, learned_from)
        self.false_positives = self.p / (self.p + self.n) if self.p else 0.5

    def learn(self) -> list[FoundRule]:
        """Return the rules in their order; none for a class without rows."""
        if not self.p:
            return []
        rules = self._add_rules([])
        if not self.options.mdl:
            return rules
        rules = self._shorten_description(rules).rules
        for number in range(self.options.optimizations if self.options.prune else 0):
            self.work.passes(number + 1)
            rules = self._shorten_description(self._add_rules(self._optimize_rules(rules))).rules
        return rules

    # -- one rule after the other ---------------------------------------------------------------------------

    def _add_rules(self, rules: list[FoundRule]) -> list[FoundRule]:
        """Return the rules and further ones for the uncovered rows of the class, until a rule is not worth its bits."""
        rules = list(rules)
        left = self._uncovered_rows(rules)
        least = min(self._shorten_description([]).bits, self._bits(rules))
        while len(rules) < self.options.max_rules and self._covered_weights(EMPTY, left)[0] > 0:
            found_rule = self._next(left)
            if found_rule is None:
                break
            bits = self._bits([*rules, found_rule])
            enough = self.options.mdl and bits > least + self.options.stop_bits
            self.work.record_description_length(found_rule.body, bits, least, enough)
            if enough:
                break
            least = min(least, bits)
            rules.append(found_rule)
            left = remove_rows(left, found_rule.rows)
        return rules

    def _next(self, left: Positions) -> FoundRule | None:
        """Return a rule for the remaining rows, or none if the best has an error of one half or more."""
        if self.options.prune:
            grow, check = self._split(left)
            grown = self._grow_rule(grow)
            every_subset, smoothing = self.options.every_subset, self.options.smoothing
            body, forms = prune(self.rows, grown, check, self.positive, every_subset, smoothing)
            self.work.record_pruning(grown, body, forms, smoothing)
        else:
            check = self.rows.full_sample(left)
            body = self._grow_rule(check)
        body = body.tightest()
        accepted = len(body) > 0 and self._is_accurate_enough(body, left, check)
        self.work.record_acceptance(body, accepted)
        return self._make_rule(body) if accepted else None

    def _is_accurate_enough(self, body: RuleBody, left: Positions, check: RuleSample) -> bool:
        """Return whether a rule is accurate enough.

        With description lengths it must be right on more than half of all rows that it covers; without, as in IREP, on
        no less than half of those that it was pruned on.
        """
        if self.options.mdl:
            p, n = self._covered_weights(body, left)
            return p > n
        forms = coverage_by_length(self.rows, body, check, self.positive)
        p, n = float(forms.p[-1]), float(forms.n[-1])
        return p + n > 0 and n <= p

    # -- optimization ---------------------------------------------------------------------------------------

    def _optimize_rules(self, rules: list[FoundRule]) -> list[FoundRule]:
        """Return the rules, each replaced by a fresh or a revised one if that takes fewer bits."""
        rules = list(rules)
        left, least = self.open, self._shorten_description(rules).bits
        for place, old in enumerate(rules):
            others = self._covered_by_any(rules[place + 1 :])
            grow, check = self._split(left)
            undecided = check.select_rows(check.rows[~others[check.rows]])
            tried = [("unchanged", old, least)]
            for name, start in (("replacement", EMPTY), ("revision", old.body)):
                body = self._variant(start, grow, undecided)
                if len(body) and not any(body.is_same(known.body) for _, known, _ in tried):
                    one = self._make_rule(body)
                    tried.append(
                        (name, one, self._shorten_description([*rules[:place], one, *rules[place + 1 :]]).bits)
                    )
            best = old
            for _, one, bits in tried:
                if bits < least - 1e-9:
                    best, least = one, bits
            self.work.record_variants([(name, one.body, bits) for name, one, bits in tried], best.body)
            rules[place] = best
            left = remove_rows(left, best.rows)
        return rules

    def _covered_by_any(self, rules: Sequence[FoundRule]) -> NDArray[np.bool_]:
        """Return for each row of the table whether one of the rules covers it."""
        covered = np.zeros(self.rows.table.n_rows, dtype=np.bool_)
        for rule in rules:
            covered[rule.rows] = True
        return covered

    def _variant(self, start: RuleBody, grow: RuleSample, undecided: RuleSample) -> RuleBody:
        """Return a rule that grows from `start`, pruned so that all rules together err least.

        `undecided` are rows to prune on that no other rule covers: on those it matters what this one does.
        """
        body = start + self._grow_rule(grow.select_rows(self.rows.covered_rows(start, grow.rows)), len(start))
        forms = coverage_by_length(self.rows, body, undecided, self.positive)
        return body.first(best_length(forms.saved_errors())).tightest()

    # -- parts ----------------------------------------------------------------------------------------------

    def _split(self, left: Positions) -> tuple[RuleSample, RuleSample]:
        self.split += 1
        return self.rows.split(left, self.options.prune_folds, self.split)

    def _grow_rule(self, sample: RuleSample, length: int = 0) -> RuleBody:
        """Return conditions of the best gain; those that a rule has already count for its length."""
        longest = self.options.max_length
        more = UNLIMITED if longest == UNLIMITED else max(longest - length, 0)
        body = self.rows.grow(sample, self.positive, self.options.min_weight, more)
        if self.work.is_kept:
            self.work.record_growth(body, coverage_by_length(self.rows, body, sample, self.positive))
        return body

    def _make_rule(self, body: RuleBody) -> FoundRule:
        bits = rule_bits(len(body), self.rows.n_conditions)
        return FoundRule(body, self.rows.covered_rows(body, self.open), bits)

    def _uncovered_rows(self, rules: Sequence[FoundRule]) -> Positions:
        """Return the rows that no rule covers."""
        left = self.open
        for rule in rules:
            left = remove_rows(left, rule.rows)
        return left

    def _covered_weights(self, body: RuleBody, rows: Positions) -> tuple[float, float]:
        """Return the weight of the class and of others that a rule covers of the rows."""
        p, n = self.rows.weights_by_length(body, self.rows.full_sample(rows), self.positive)
        return float(p[-1]), float(n[-1])

    # -- description length ---------------------------------------------------------------------------------

    def _bits(self, rules: Sequence[FoundRule]) -> float:
        """Return the bits of rules and their exceptions."""
        bits, _ = self._kernel_description(rules, shorten=False)
        return bits

    def _shorten_description(self, rules: Sequence[FoundRule]) -> DescribedRules:
        """Return the rules that are kept when each, the last first, is deleted if that saves bits."""
        bits, stays = self._kernel_description(rules, shorten=True)
        return DescribedRules([rule for rule, one in zip(rules, stays.tolist(), strict=True) if one], bits)

    def _kernel_description(self, rules: Sequence[FoundRule], shorten: bool) -> tuple[float, NDArray[np.uint8]]:
        covered, bits = [rule.rows for rule in rules], [rule.bits for rule in rules]
        weights, everything = self.rows.kernel_weights, (self.p, self.n)
        described: tuple[float, NDArray[np.uint8]] = _kernels.describe_rules(
            covered, bits, self.positive, weights, everything, self.false_positives, shorten
        )
        return described
