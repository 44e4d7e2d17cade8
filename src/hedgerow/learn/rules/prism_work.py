"""PrismWork: the steps of PRISM as in a textbook: p/t of every test, round by round."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Codes, Numbers
from hedgerow.layout.numbers import format_measure, format_quantity
from hedgerow.layout.text_table import align_numbers
from hedgerow.learn.rules.coded_columns import EncodedColumns
from hedgerow.models.base.condition import Mask, conjunction
from hedgerow.models.base.rule import format_target_class

Test = tuple[int, int]  # a column and a code of it


@dataclass(frozen=True)
class PrismStep:
    """One more condition of a rule: every candidate test with p and t, and the chosen one."""

    tests: tuple[tuple[Test, float, float], ...]
    chosen_test: Test


@dataclass(frozen=True)
class GrownRule:
    """A rule of a class, its steps, and what it left: the rows, and those of the class among them."""

    decision: int
    steps: tuple[PrismStep, ...]
    p: float
    t: float
    rows_left: float
    class_left: float


def _nothing() -> dict[str, NDArray[np.int64]]:
    names = ("columns", "codes", "decisions", "covered")
    return {"starts": np.zeros(1, dtype=np.int64), **{name: np.empty(0, dtype=np.int64) for name in names}}


@dataclass
class PrismWork:
    """The rules that PRISM found, and the rows for counting them again; its text shows all counts.

    Parameters
    ----------
    taken
        For every class the rows that kept rules cover; empty if no rules are kept.
    found
        The rules as the kernel gives them.
    """

    schema: Schema
    columns: EncodedColumns
    labels: Codes
    weights: Numbers
    kept_rule_rows: NDArray[np.uint8]
    kernel_result: dict[str, NDArray[np.int64]] = field(default_factory=_nothing)

    def __str__(self) -> str:
        blocks = []
        for number, rule in enumerate(self.rules(), start=1):
            blocks += [self._step_text(number, rule, place) for place in range(len(rule.steps))]
            blocks[-1] += "\n" + self._end_text(rule)
        return "\n\n".join(blocks) or "All rows have the same class, or no test is informative: there are no rules."

    def rules(self) -> Iterator[GrownRule]:
        """Yield the rules in the order found, each with the counts that led to it; tests of no row are left out."""
        tests = list(zip(self.kernel_result["columns"].tolist(), self.kernel_result["codes"].tolist(), strict=True))
        left, before = self._covered_mask(0), -1
        decisions = self.kernel_result["decisions"].tolist()
        for decision, (start, stop) in zip(decisions, pairwise(self.kernel_result["starts"].tolist()), strict=True):
            if decision != before:
                left, before = self._covered_mask(decision), decision
            rows, steps = left.copy(), []
            for place in range(start, stop):
                used = {column for column, _ in tests[start:place]}
                steps.append(PrismStep(tuple(self._counts(rows, decision, used)), tests[place]))
                rows &= self.columns.codes[tests[place][0]] == tests[place][1]
            left &= ~rows
            yield GrownRule(decision, tuple(steps), *self._pt(rows, decision), *self._pt(left, decision)[::-1])

    def _covered_mask(self, decision: int) -> Mask:
        return (
            np.ones(len(self.labels), dtype=np.bool_)
            if not len(self.kept_rule_rows)
            else self.kept_rule_rows[decision] == 0
        )

    def _pt(self, rows: Mask, decision: int) -> tuple[float, float]:
        return float(self.weights[rows & (self.labels == decision)].sum()), float(self.weights[rows].sum())

    def _counts(self, rows: Mask, decision: int, used: set[int]) -> Iterator[tuple[Test, float, float]]:
        for column, codes in enumerate(self.columns.codes):
            if column in used:
                continue
            n, known = len(self.columns.conditions[column]), rows & (codes >= 0)
            right = known & (self.labels == decision)
            t = np.bincount(codes[known], self.weights[known], n)
            p = np.bincount(codes[right], self.weights[right], n)
            yield from (((column, code), float(p[code]), float(t[code])) for code in range(n) if t[code] > 0)

    def _decision_text(self, decision: int) -> str:
        return format_target_class(self.schema.target_column, decision)

    def _rule_text(self, tests: list[Test], decision: int, more: str = "") -> str:
        conditions = [one for column, code in tests for one in self.columns.conditions[column][code]]
        return f"If {' and '.join(filter(None, [conjunction(conditions), more]))} then {self._decision_text(decision)}"

    def _step_text(self, number: int, rule: GrownRule, place: int) -> str:
        step = rule.steps[place]
        chosen = [earlier.chosen_test for earlier in rule.steps[:place]]
        rows = [["", "test", "p/t", "share"]]
        for (column, code), p, t in step.tests:
            mark = "*" if (column, code) == step.chosen_test else ""
            text = conjunction(self.columns.conditions[column][code])
            rows.append([mark, text, f"{format_quantity(p)}/{format_quantity(t)}", format_measure(p / t)])
        title = f"Rule {number}, condition {place + 1}: {self._rule_text(chosen, rule.decision, '?')}"
        return "\n".join([title, *align_numbers(rows, left={0, 1})])

    def _end_text(self, rule: GrownRule) -> str:
        text = self._rule_text([step.chosen_test for step in rule.steps], rule.decision)
        perfect = "perfect" if rule.p == rule.t else "no remaining test would improve it"
        of = f"{format_quantity(rule.class_left)} of {format_quantity(rule.rows_left)}"
        left = f"{of} rows left are {self._decision_text(rule.decision)}"
        return f"{text}: {format_quantity(rule.p)}/{format_quantity(rule.t)}, {perfect}; {left}"
