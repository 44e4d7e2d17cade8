"""PRISM: for each class rules that are as accurate as they can be, one column = value after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.design.discretize import METHODS, Discretizer
from hedgerow.data.table.table import Rows, Table
from hedgerow.data.table.threads import n_threads
from hedgerow.learn.params import choice, flag, integer
from hedgerow.learn.rules.coded_columns import EncodedColumns
from hedgerow.learn.rules.prism_work import PrismWork
from hedgerow.learn.rules.user_constraints import RuleConstraints, RuleLearner, class_codes, class_weights, kernel_limit
from hedgerow.learn.rules.whole_weights import WholeWeights
from hedgerow.models.base.rule import Rule
from hedgerow.models.rules.rule_set import RuleSet


class Prism(RuleLearner):
    """PRISM: unordered rules, each refined by the most accurate test until it is perfect for its class.

    For each class, starting from all rows: while rows of the class are left, an empty rule gets the test column = value
    with the largest p/t, again and again, until it is perfect or all columns are used; here t is the weight of the
    remaining rows that it covers and p that of the class among them. Then the covered rows are removed. Ties go to the
    largest p, then to the first column, then to its first level.

    Numeric columns are cut into intervals first, and a rule prints their bounds. A missing value fails every test. A
    rule that cannot be made perfect, as its rows agree in all columns but not in their class, is kept with its errors.
    Where no rule covers a row, or rules of several classes do, the default decides: the most frequent class of all
    rows.

    References
    ----------
    J. Cendrowska, PRISM: an algorithm for inducing modular rules. International Journal of Man-Machine Studies 27
    (1987).

    Examples
    --------
    >>> from hedgerow import examples
    >>> print(Prism().train(examples.loan()))
    If Credit_Rating = fair and Has_Job = false then Class = No (4/0)  # support 26.7 %, confidence 100 %
    If Own_House = false and Has_Job = false then Class = No (6/0)  # support 40 %, confidence 100 %
    If Own_House = true then Class = Yes (6/0)  # support 40 %, confidence 100 %
    If Has_Job = true then Class = Yes (5/0)  # support 33.3 %, confidence 100 %
    Where no rule covers or rules disagree, Class = Yes (15/6)
    """

    discretize: str = choice("frequency", "how numeric columns are discretized", *METHODS)
    bins: int = integer(5, "number of intervals of a numeric column, for equal frequency or width", low=2)
    max_rules: int | None = integer(
        None, "maximum number of rules to learn for each class, not counting those of keep", low=0, none=True
    )
    trace: bool = flag(False, "print the work: p/t of every candidate test", in_python=True)

    shows_work: ClassVar[bool] = True
    poor_score: ClassVar[bool] = True  # rules that disagree leave many rows to the default

    def learn(self, table: Table) -> RuleSet:
        """Return the rules of a prepared table."""
        model, work = self._learn_rules(table)
        if self.trace:
            print(work)  # set if `trace` is on
        return model

    def _work(self, table: Table) -> PrismWork:
        """Return the work of learning a prepared table: p/t of all tests, for every condition of every rule."""
        return self._learn_rules(table)[1]

    def _learn_rules(self, table: Table) -> tuple[RuleSet, PrismWork]:
        limits = RuleConstraints.of(self, table.schema)
        schema, ticks = table.schema, WholeWeights.of(table.row_weights)
        positions = [p for p, free in zip(schema.predictors, limits.allowed, strict=True) if free]
        coded = EncodedColumns.of(table, positions, Discretizer(self.discretize, int(self.bins)))
        labels, totals, kept = class_codes(table), class_weights(table), limits.unordered_kept_rules(table)
        work = PrismWork(schema, coded, labels, table.row_weights, self._rows_of_kept_rules(kept, table))
        if np.count_nonzero(totals) > 1:
            work.kernel_result = self._run_kernel(coded, labels, len(totals), ticks, work.kept_rule_rows)
        default = Rule((), tuple(totals.tolist()), None if self.default is None else -1)
        rules = self._rules(work, ticks.weights(work.kernel_result["covered"]).reshape(-1, len(totals)))
        return RuleSet(schema, (*(rule for rule, _ in kept), *rules), default, "default"), work

    def _run_kernel(
        self,
        coded: EncodedColumns,
        labels: NDArray[np.int32],
        classes: int,
        ticks: WholeWeights,
        taken: NDArray[np.uint8],
    ) -> dict[str, NDArray[np.int64]]:
        options = {
            "rounded": ticks.is_rounded,
            "most_rules": kernel_limit(self.max_rules),
            "most_tests": kernel_limit(self.max_length),
        }
        columns = list(coded.codes)
        return _kernels.learn_prism_rules(
            columns, coded.levels, labels, classes, ticks.weight, taken.reshape(-1), options, n_threads()
        )

    @staticmethod
    def _rows_of_kept_rules(kept: Sequence[tuple[Rule, Rows]], table: Table) -> NDArray[np.uint8]:
        """Return for every class which rows the kept rules of that class cover; nothing if there are none."""
        if not kept:
            return np.empty((0, table.n_rows), dtype=np.uint8)
        taken = np.zeros((len(table.schema.target_column.levels), table.n_rows), dtype=np.uint8)
        for rule, rows in kept:
            taken[rule.code, rows] = 1
        return taken

    @staticmethod
    def _rules(work: PrismWork, covered: NDArray[np.float64]) -> list[Rule]:
        result, conditions = work.kernel_result, work.columns.conditions
        tests = [
            conditions[c][code] for c, code in zip(result["columns"].tolist(), result["codes"].tolist(), strict=True)
        ]
        bodies = [tuple(one for test in tests[a:b] for one in test) for a, b in pairwise(result["starts"].tolist())]
        each = zip(bodies, covered.tolist(), result["decisions"].tolist(), strict=True)
        return [Rule(body, tuple(weights), decision) for body, weights, decision in each]
