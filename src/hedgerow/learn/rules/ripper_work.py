"""RipperWork: every step of learning rules class by class, as records, and as a textbook would show them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.data.table.schema import Schema
from hedgerow.layout.numbers import format_measure, format_quantity
from hedgerow.layout.text_table import align_numbers
from hedgerow.models.base.condition import conjunction
from hedgerow.models.base.rule import format_target_class

if TYPE_CHECKING:
    from hedgerow.learn.rules.ripper_prune import CoverageByForm
    from hedgerow.learn.rules.ripper_rows import RuleBody, RuleRows


def gain(p0: float, n0: float, p1: float, n1: float) -> float:
    """Return FOIL's gain of a condition that leaves (p1, n1) of (p0, n0) rows of the class and of others.

    >>> round(gain(9, 6, 6, 0), 6)
    4.421794
    """
    if p1 <= 0:
        return 0.0
    return p1 * (math.log2(p1 / (p1 + n1)) - math.log2(p0 / (p0 + n0)))


@dataclass
class RipperWork:
    """The steps in their order as blocks of text; nothing is recorded unless it `is_kept`."""

    schema: Schema
    is_kept: bool = False
    rows: RuleRows | None = None
    blocks: list[str] = field(default_factory=list)
    _decision: int = 0

    def __str__(self) -> str:
        return "\n\n".join(self.blocks)

    def begins(self, decision: int, p: float, n: float) -> None:
        """Record that a class is next."""
        self._decision = decision
        self._add(
            f"Rules for {self._decision_text()}: {format_quantity(p)} rows of the class, {format_quantity(n)} others"
        )

    def record_growth(self, body: RuleBody, forms: CoverageByForm) -> None:
        """Record a rule as it grew, with what its first 0, 1, 2, ... conditions cover of the rows to grow on."""
        p, n = forms.p.tolist(), forms.n.tolist()
        rows = [["", "of the class", "others", "gain"], ["all rows", format_quantity(p[0]), format_quantity(n[0]), ""]]
        for at, condition in enumerate(self._conditions(body), start=1):
            gained = format_measure(gain(p[at - 1], n[at - 1], p[at], n[at]))
            rows.append(
                [f"and {condition}" if at > 1 else condition, format_quantity(p[at]), format_quantity(n[at]), gained]
            )
        self._add("\n".join(["Growing", *align_numbers(rows, left={0})]))

    def record_pruning(self, grown: RuleBody, body: RuleBody, forms: CoverageByForm, smoothing: float) -> None:
        """Record what each form of a rule covers of the rows to prune on, and what is left of the rule."""
        if not self.is_kept:
            return
        more = f" + {format_quantity(2 * smoothing)}" if smoothing else ""
        rows = [["", "of the class", "others", f"(p - n) / (p + n{more})"]]
        words = self._conditions(grown)
        for at, value in enumerate(forms.purity(smoothing).tolist()):
            if len(forms.p) == len(grown) + 1:
                name = "no condition" if at == 0 else f"and {words[at - 1]}" if at > 1 else words[0]
            else:
                name = " and ".join(w for i, w in enumerate(words) if not at >> i & 1) or "no condition"
            shown = format_measure(value) if np.isfinite(value) else "-"
            rows.append([name, format_quantity(float(forms.p[at])), format_quantity(float(forms.n[at])), shown])
        self._add("\n".join(["Pruning", *align_numbers(rows, left={0}), f"Left: {self._rule(body)}"]))

    def record_acceptance(self, body: RuleBody, is_accepted: bool) -> None:
        """Record whether a rule is accurate enough."""
        if not is_accepted:
            why = "its error is too large" if len(body) else "no conditions are left"
            self._add(f"Not accepted: {self._rule(body)}; {why}")

    def record_description_length(self, body: RuleBody, bits: float, least: float, is_enough: bool) -> None:
        """Record the description length with a rule."""
        fate = "Too long, so this class is finished" if is_enough else "Taken"
        lengths = f"{format_measure(bits)} bits, the shortest so far {format_measure(least)}"
        self._add(f"{fate}: {self._rule(body)}\nDescription: {lengths}")

    def passes(self, number: int) -> None:
        """Record that a pass of optimization begins."""
        self._add(f"Optimization {number} of {self._decision_text()}")

    def record_variants(self, tried: Sequence[tuple[str, RuleBody, float]], best: RuleBody) -> None:
        """Record the variants of a rule and the bits that all rules take with each."""
        rows = [["", "", "bits", "rule"]]
        for name, body, bits in tried:
            rows.append(["*" if body is best else "", name, format_measure(bits), self._rule(body)])
        self._add("\n".join(["Variants of a rule", *align_numbers(rows, left={0, 1, 3})]))

    def ends(self, bodies: Sequence[RuleBody]) -> None:
        """Record the rules of a class at the end."""
        lines = [self._rule(body) for body in bodies] or ["none"]
        self._add("\n".join([f"Final rules for {self._decision_text()}", *lines]))

    def _add(self, block: str) -> None:
        if self.is_kept:
            self.blocks.append(block)

    def _decision_text(self) -> str:
        return format_target_class(self.schema.target_column, self._decision)

    def _conditions(self, body: RuleBody) -> list[str]:
        assert self.rows is not None
        return [str(self.rows.condition(*part)) for part in zip(*body.arrays, strict=True)]

    def _rule(self, body: RuleBody) -> str:
        if not self.is_kept:
            return ""
        assert self.rows is not None
        return f"if {conjunction(self.rows.conditions(body)) or 'anything'} then {self._decision_text()}"
