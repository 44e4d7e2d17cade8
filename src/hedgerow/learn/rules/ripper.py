"""RIPPER: short rules for one class after the other, the rarest first."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Table
from hedgerow.learn.params import choice, flag, integer, real, seed
from hedgerow.learn.rules.ripper_class import UNLIMITED, ClassRuleSearch, RipperOptions
from hedgerow.learn.rules.ripper_rows import RuleRows, remove_rows
from hedgerow.learn.rules.ripper_work import RipperWork
from hedgerow.learn.rules.user_constraints import RuleConstraints, RuleLearner, direction, kernel_limit
from hedgerow.models.rules.rule_list import Rule, RuleList


class Ripper(RuleLearner):
    """RIPPER: rules for one class after another, the rarest first, pruned on held-out rows and optimized twice.

    The most frequent class has no rules: it is the default, unless `default=None` leaves the remaining rows
    without a prediction. For every other class:

    1. The rows that are left are split: two thirds to grow on, a third to prune on.
    2. A rule grows by the condition of the best gain, p1 (log2 p1/(p1+n1) - log2 p0/(p0+n0)), until it covers no row of
       another class. Numbers are cut at any threshold, both ways.
    3. It loses the final conditions without which (p - n) / (p + n + 2) on the rows to prune on is highest.
    4. The rows that it covers go, and the next rule is learned, until none of the class is left, a rule is wrong on
       half of what it covers, or the description takes `stop_bits` more bits than the shortest one so far.
    5. `optimizations` times, each rule meets a replacement, grown again, and a revision, grown on; the one stays with
       which the description is shortest. What is still uncovered gets rules as before, and rules without which the
       description is shorter go.

    `Ripper(mdl=False, every_class=True, delete="any", smoothing=0)` is plain IREP as textbooks have it; `prune=False`
    leaves out the split.

    References
    ----------
    W. W. Cohen, Fast effective rule induction. ICML (1995). J. Fürnkranz, G. Widmer, Incremental reduced error pruning.
    ICML (1994).

    Examples
    --------
    >>> from hedgerow import examples
    >>> print(Ripper(prune=False).train(examples.loan()))
    if Own_House = false and Has_Job = false then Class = No (6/0)  # support 40 %, confidence 100 %
    otherwise Class = Yes (9/0)  # support 60 %, confidence 100 %
    """

    direction: Mapping[str, str] | None = direction()
    prune_folds: int = integer(3, "number of parts of the rows, one of which is held out for pruning", low=2)
    min_weight: float = real(2.0, "minimum weight of the rows of its class that a growing rule covers", low=0)
    optimizations: int = integer(
        2, "number of optimization rounds, in which each rule is compared with a replacement and a revision", low=0
    )
    stop_bits: float = real(
        64.0, "stop adding rules when the description is this many bits longer than the shortest", low=0
    )
    prune: bool = flag(True, "prune each rule on held-out rows; otherwise grow it on all rows without pruning")
    mdl: bool = flag(
        True, "stop, optimize and clean up by description length; otherwise continue until no rule is accepted"
    )
    delete: str = choice("final", "whether pruning deletes final conditions only, or any of them", "final", "any")
    smoothing: float = real(1.0, "pseudocount for pruning: (p - n) / (p + n + 2 smoothing)", low=0)
    every_class: bool = flag(False, "also learn rules for the most frequent class, and learn each class from all rows")
    random_state: Any = seed()
    trace: bool = flag(False, "print the work: each rule as it grows, is pruned and optimized", in_python=True)

    takes: ClassVar[frozenset[Kind]] = frozenset({Kind.NUMERIC, Kind.NOMINAL, Kind.TEXT})
    shows_work: ClassVar[bool] = True

    def learn(self, table: Table) -> RuleList:
        """Return the rules of a prepared table."""
        work = RipperWork(table.schema, is_kept=bool(self.trace))
        rules = self._rules(table, work)
        if self.trace:
            print(work)  # set if `trace` is on
        return rules

    def _work(self, table: Table) -> RipperWork:
        work = RipperWork(table.schema, is_kept=True)
        self._rules(table, work)
        return work

    def _options(self) -> RipperOptions:
        return RipperOptions(
            prune_folds=int(self.prune_folds),
            min_weight=float(self.min_weight),
            optimizations=int(self.optimizations),
            stop_bits=float(self.stop_bits),
            prune=bool(self.prune),
            mdl=bool(self.mdl),
            every_subset=self.delete == "any",
            smoothing=float(self.smoothing),
            max_length=UNLIMITED if self.max_length is None else kernel_limit(self.max_length),
        )

    def _rules(self, table: Table, work: RipperWork) -> RuleList:
        limits = RuleConstraints.of(self, table.schema)
        kept, free = limits.first(table)
        rows = RuleRows(table, limits, self.random_state, float(self.min_weight))
        work.rows = rows
        left = start = free.astype(np.uint32)
        order = _rarest_first(rows.class_weights(start))
        rules: list[Rule] = []
        split = 0
        for decision in order if self.every_class or self.default is None else order[:-1]:
            most = math.inf if self.max_rules is None else int(self.max_rules) - len(rules)
            options = replace(self._options(), max_rules=most)
            # What earlier rules leave is nearly all of the last class: those rows alone would give no rules for it.
            from_all = self.every_class or decision == order[-1]
            task = ClassRuleSearch(rows, start if from_all else left, decision, options, split, work)
            work.begins(decision, task.p, task.n)
            bodies = [found_rule.body for found_rule in task.learn()]
            work.ends(bodies)
            split = task.split
            for body in bodies:
                covered = rows.covered_rows(body, left)
                rules.append(Rule(rows.conditions(body), rows.class_weights(covered), decision))
                left = remove_rows(left, covered)
        default = Rule((), rows.class_weights(left), None if self.default is None else order[-1])
        return RuleList(table.schema, (*kept, *rules), default)


def _rarest_first(weights: tuple[float, ...]) -> list[int]:
    """Return the classes by their weight, equals in their order."""
    return sorted(range(len(weights)), key=lambda code: weights[code])
