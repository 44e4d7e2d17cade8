"""What new data lack: columns that a model uses, and rows without any value that it knows, with the notes on them."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from hedgerow.data.table.data_faults import DataFaults
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.errors import HedgerowError

if TYPE_CHECKING:
    from hedgerow.models.base.model import Model

PRIOR = "prior"


def unknown_rows_note(schema: Schema, silent: int, rows: int, decider: str = PRIOR) -> str:
    """Return the note on rows of data with this schema that have no known value; `decider` is what decides there.

    >>> from hedgerow.data.table.schema import Column
    >>> unknown_rows_note(Schema((Column("text", Kind.TEXT), Column("class", Kind.NOMINAL)), "class"), 3, 1200)
    '3 of 1,200 texts hold no word that the model knows; the prior decides for them'
    """
    hold = "holds" if silent == 1 else "hold"
    if has_only_texts(schema):
        return f"{silent:,} of {rows:,} texts {hold} no word that the model knows; the {decider} decides for them"
    return f"{silent:,} of {rows:,} rows {hold} nothing that the model knows; the {decider} decides for them"


def unknown_row_note(kinds: Collection[Kind], missing: bool, decider: str = PRIOR) -> str:
    """Return the sentence on one such row; its used columns are of these kinds, and all may be missing."""
    if set(kinds) != {Kind.TEXT}:
        return f"the row holds nothing that the model knows: the {decider} decides"
    if missing:
        return f"the text is missing: the {decider} decides"
    return f"the text holds no word that the model knows: the {decider} decides"


def has_only_texts(schema: Schema) -> bool:
    """Return whether texts are all that there is to learn from, one or more columns of them."""
    used = [column for column in schema.columns if column.name != schema.target and not column.ignored]
    return bool(used) and all(column.kind is Kind.TEXT for column in used)


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
            return "" if used is None else f"1 of the {len(used):,} columns that it uses"


def data_faults(
    model: Model, *, kept: Collection[str] = (), copied: Collection[str] = (), strict: bool = False
) -> DataFaults | None:
    """Return a record of the faults of new data for a model; None for one of bags, whose columns are nested."""
    if any(column.kind is Kind.BAG for column in model.schema.columns):
        return None
    return DataFaults(ModelColumns(model), model.schema.target, kept=kept, copied=copied, strict=strict)
