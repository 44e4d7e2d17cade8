"""Which rules to show, and in which order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

from hedgerow.errors import UsageError
from hedgerow.models.base.condition import nearest
from hedgerow.models.base.rule_figures import RuleFigures

SORTS = ("order", "support", "confidence", "lift", "length", "n")
NO_MODEL = {
    "list": "a rule list that is {} is no longer a model: each rule counts only the rows that no earlier rule covers, "
    "so these rules can be read but not used to predict",
    "set": "a rule set without some of its rules is no longer a model: all rules take part in its decisions",
    "vote": "a rule vote that is {} is no longer a model: the first rules that cover a row decide",
    "paths": "a tree without some of its paths is no longer a model: the rows of the other paths would have no "
    "prediction",
}


@dataclass(frozen=True)
class RuleChoice:
    """The choice of rules: by class, confidence, support and length, the best first; None is no limit.

    Sorted by `length` the shortest comes first, by other measures the largest; the default stays last.
    """

    label: str | None = None
    min_confidence: float | None = None
    min_support: float | None = None
    max_length: int | None = None
    sort: str = "order"

    def check(self, classes: Sequence[str]) -> None:
        """Raise an error if the choice does not apply to rules for these classes."""
        if self.label is not None and self.label not in classes:
            raise UsageError(f"there is no class {self.label!r}; {nearest(self.label, classes, 'classes')}")
        for name in ("min_confidence", "min_support"):
            share = getattr(self, name)
            if share is not None and not 0 <= share <= 1:
                word = name.replace("_", "-")
                raise UsageError(f"{word} must be a share from 0 to 1, such as 0.8, but is {share:g}")
        if self.max_length is not None and self.max_length < 0:
            raise UsageError(f"max-length must be a number of conditions from 0 up, but is {self.max_length}")
        if self.sort not in SORTS:
            raise UsageError(f"rules cannot be sorted by {self.sort!r}; {nearest(self.sort, SORTS, 'words')}")

    @property
    def filters(self) -> dict[str, object]:
        """The limits that are requested, by name."""
        parameters = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "sort"}
        return {name: value for name, value in parameters.items() if value is not None}

    def select_rules(self, figures: Sequence[RuleFigures]) -> list[int]:
        """Return the positions of the rules to show, in order."""
        kept = [place for place, figure in enumerate(figures) if self._keeps(figure)]
        return kept if self.sort == "order" else sorted(kept, key=lambda place: self._rank(figures[place]))

    def selection_notes(self, order: str, hidden: int) -> list[str]:
        """Return the sentence that this is not a model: if rules are hidden, or an order that counts is lost."""
        changed = ["filtered"] * bool(hidden) + ["sorted"] * (self.sort != "order" and order in ("list", "vote"))
        return [NO_MODEL[order].format(" and ".join(changed))] if changed else []

    def _keeps(self, figure: RuleFigures) -> bool:
        return (
            (self.label is None or figure.label == self.label)
            and (self.min_confidence is None or figure.confidence >= self.min_confidence)
            and (self.min_support is None or figure.support >= self.min_support)
            and (self.max_length is None or figure.length <= self.max_length)
        )

    def _rank(self, figure: RuleFigures) -> tuple[bool, bool, float]:
        value = float(getattr(figure, self.sort))
        undefined = math.isnan(value)
        return figure.is_default, undefined, 0.0 if undefined else value if self.sort == "length" else -value
