"""The faults of new data that a model can do without, and how much an absent column matters to it."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from hedgerow.data.table.data_faults import DataFaults
from hedgerow.data.table.schema import Kind
from hedgerow.errors import HedgerowError

if TYPE_CHECKING:
    from hedgerow.models.base.model import Model


class ModelColumns:
    """The columns that a model uses."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def names(self) -> Collection[str] | None:
        """Return the columns that the model uses; None if unknown."""
        used = self.model.columns_used()
        return None if used is None else frozenset(used)

    def importance(self, name: str) -> str:
        """Return how much a column matters: its importance, the rules that test it, or of how many it is one."""
        if self.model.rule_order in ("list", "set", "vote"):
            rules = [row.rule for row in self.model.rule_rows() if row.rule.conditions]
            tests = sum(any(one.column == name for one in rule.conditions) for rule in rules)
            return f"in {tests:,} of its {len(rules):,} rule{'s' * (len(rules) != 1)}"
        try:
            return f"its importance is {self.model.importance()[name]:.0%}"
        except (HedgerowError, KeyError):
            used = self.names()
            return "" if used is None else f"one of {len(used):,} that it uses"


def data_faults(model: Model, *, kept: Collection[str] = (), strict: bool = False) -> DataFaults | None:
    """Return a record of the faults of new data for a model; None for one of bags, whose columns are nested."""
    if any(column.kind is Kind.BAG for column in model.schema.columns):
        return None
    return DataFaults(ModelColumns(model), model.schema.target, kept=kept, strict=strict)
