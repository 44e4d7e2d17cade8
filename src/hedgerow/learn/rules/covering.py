"""Sequential covering: one rule after the other by beam search, the rows it covers removed, as in CN2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table.table import Codes, Rows, Table
from hedgerow.data.table.threads import n_threads
from hedgerow.learn.arrays import column_arrays
from hedgerow.learn.params import choice, flag, integer, real
from hedgerow.learn.rules.covering_work import Beams, CoveringWork, bodies
from hedgerow.learn.rules.user_constraints import (
    RuleConstraints,
    RuleLearner,
    class_codes,
    class_weights,
    count_rule,
    direction,
    kernel_limit,
)
from hedgerow.learn.rules.whole_weights import WholeWeights, total_weight
from hedgerow.models.base.condition import LevelCodes
from hedgerow.models.base.rule import Rule
from hedgerow.models.rules.base import RuleModel
from hedgerow.models.rules.rule_list import RuleList
from hedgerow.models.rules.rule_set import RuleSet


class Covering(RuleLearner):
    """Sequential covering: an ordered rule list; each rule is the best that a beam search finds for the remaining rows.

    A rule starts empty. In each round, each of the `width` best candidates gets every test that can be added: column =
    level, column <= threshold, column > threshold, for all thresholds between its rows' values; a lower and an upper
    one make an interval. The best candidate of all rounds becomes the rule, for the most frequent class it covers, if
    its evaluation exceeds that of the empty rule by more than `threshold`. The rows it covers are removed, and the next
    rule is searched for on the others. The default is the most frequent class of the rows that remain at the end.

    Ties: of equal evaluations (to 1e-12) the heavier coverage, then the first column, level or smaller threshold (<=
    before >). A missing value fails every test.

    With `ordered=False`, rules are learned for each class in turn, against all rows of other classes, and only covered
    rows of the class are removed. Where several rules cover a row, their counts are added.

    References
    ----------
    P. Clark and T. Niblett, The CN2 induction algorithm. Machine Learning 3 (1989). P. Clark and R. Boswell, Rule
    induction with CN2: some recent improvements. European Working Session on Learning (1991).

    Examples
    --------
    >>> from hedgerow import examples
    >>> print(Covering().train(examples.loan()))
    if Own_House = true then Class = Yes (6/0)  # support 40 %, confidence 100 %
    if Has_Job = false then Class = No (6/0)  # support 40 %, confidence 100 %
    otherwise Class = Yes (3/0)  # support 20 %, confidence 100 %
    """

    width: int = integer(5, "number of candidates kept for the next round (beam width k)", low=1, high=10_000)
    evaluation: str = choice("m_estimate", "evaluation measure of rules", "entropy", "laplace", "m_estimate")
    m: float | None = real(
        None,
        "weight of the class frequencies of all rows in the m-estimate; none: the square root of the number of rows",
        low=0,
        high=1e12,
        none=True,
    )
    threshold: float = real(
        0.0, "a rule is accepted only if its evaluation exceeds that of the empty rule by more than this", low=0
    )
    alpha: float | None = real(
        None, "significance level of CN2's likelihood ratio test, which a rule must pass", above=0, high=1, none=True
    )
    min_coverage: float = real(1.0, "minimum weight of the rows that a rule covers", above=0)
    ordered: bool = flag(True, "learn an ordered rule list; otherwise rules for each class, whose counts are added")
    direction: Mapping[str, str] | None = direction()
    trace: bool = flag(False, "print the work: the candidates of every round", in_python=True)

    shows_work: ClassVar[bool] = True

    def learn(self, table: Table) -> RuleModel:
        """Return the rules of a prepared table."""
        work = CoveringWork(table.schema)
        model = self._learn_rules(table, work, self.trace)
        if self.trace:
            print(work)  # set if `trace` is on
        return model

    def _work(self, table: Table) -> CoveringWork:
        """Return the work of learning a prepared table: the candidates of every round of every rule."""
        work = CoveringWork(table.schema)
        self._learn_rules(table, work, True)
        return work

    def _learn_rules(self, table: Table, work: CoveringWork, traced: bool) -> RuleModel:
        limits = RuleConstraints.of(self, table.schema)
        return self._list(table, limits, work, traced) if self.ordered else self._set(table, limits, work, traced)

    def _list(self, table: Table, limits: RuleConstraints, work: CoveringWork, traced: bool) -> RuleList:
        kept, rows = limits.first(table)
        left = table.take(rows)
        labels, totals = class_codes(left), class_weights(left)
        result = self._run_kernel(left, labels, len(totals), limits, traced=traced)
        ticks = WholeWeights.of(left.row_weights)
        work.beams = [Beams(None, result["trace"], result["rules"], ticks.tick)]
        counts = ticks.weights(result["rules"]["counts"]).reshape(-1, len(totals)).tolist()
        rules = [Rule(b, tuple(w)) for b, w in zip(bodies(result["rules"], limits.schema), counts, strict=True)]
        rest = ticks.weights(result["left"])
        decision = int(np.argmax(rest if rest.any() else class_weights(table)))
        default = Rule((), tuple(rest.tolist()), None if self.default is None else decision)
        return RuleList(limits.schema, (*kept, *rules), default)

    def _set(self, table: Table, limits: RuleConstraints, work: CoveringWork, traced: bool) -> RuleSet:
        labels, totals = class_codes(table), class_weights(table)
        codes, every = LevelCodes(limits.schema), np.arange(table.n_rows)
        kept = limits.unordered_kept_rules(table)
        rules = [rule for rule, _ in kept]
        for wanted in np.flatnonzero(totals).tolist():
            left = _drop_covered(labels, wanted, [rows for rule, rows in kept if rule.code == wanted])
            some = table.take(left)
            one = (labels[left] == wanted).astype(np.int32)
            result = self._run_kernel(some, one, 2, limits, wanted=1, k=len(totals), traced=traced)
            work.beams.append(Beams(wanted, result["trace"], result["rules"], WholeWeights.of(some.row_weights).tick))
            for body in bodies(result["rules"], limits.schema):
                rule = Rule(body, (0.0,) * len(totals), wanted)
                rules.append(count_rule(rule, table, rule.rows(table, every, codes)))
        default = Rule((), tuple(totals.tolist()), None if self.default is None else -1)
        return RuleSet(limits.schema, tuple(rules), default, "sum")

    def _run_kernel(
        self,
        table: Table,
        labels: Codes,
        classes: int,
        limits: RuleConstraints,
        *,
        wanted: int = -1,
        k: int | None = None,
        traced: bool,
    ) -> dict[str, Any]:
        """Return what the kernel finds: rules, their trace, and the remaining weight of each class."""
        ticks = WholeWeights.of(table.row_weights)
        options = {
            "value": self.evaluation,
            "width": int(self.width),
            "m": self._m(table),
            "k": float(k or classes),
            "threshold": float(self.threshold),
            "critical": self._critical(labels),
            "least": ticks.of_weight(float(self.min_coverage)),
            "tick": ticks.tick,
            "most_rules": kernel_limit(self.max_rules),
            "most_tests": kernel_limit(self.max_length),
            "wanted": wanted,
            "traced": traced,
        }
        columns, levels = column_arrays(table, table.schema.predictors)
        ways = np.where(limits.allowed, limits.directions, 0).astype(np.uint8)
        return _kernels.learn_covering_rules(columns, levels, ways, labels, classes, ticks.weight, options, n_threads())

    def _m(self, table: Table) -> float:
        """Return the m of the m-estimate."""
        return float(np.sqrt(total_weight(table.row_weights)) if self.m is None else self.m)

    def _critical(self, labels: Codes) -> float:
        """Return what the likelihood ratio of a significant rule reaches; 0 if all rules are good enough."""
        present = len(np.unique(labels))
        if self.alpha is None or present < 2:
            return 0.0
        from scipy.special import chdtri

        return float(chdtri(present - 1, self.alpha))


def _drop_covered(labels: Codes, wanted: int, covered: list[Rows]) -> Rows:
    """Return all rows except those of the learned class that are covered already."""
    left = np.ones(len(labels), dtype=np.bool_)
    for rows in covered:
        left[rows] = False
    return np.flatnonzero(left | (labels != wanted))
