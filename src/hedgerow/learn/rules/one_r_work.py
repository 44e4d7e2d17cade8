"""OneRWork: the rules that 1R considers, those of every column, with their errors."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.data.table.schema import Schema
from hedgerow.layout.numbers import format_quantity
from hedgerow.layout.text_table import align_numbers
from hedgerow.models.base.condition import conjunction
from hedgerow.models.base.rule import Rule, format_target_class


@dataclass(frozen=True)
class ColumnRules:
    """The rules of one column, without any if the column is not informative, which `skipped` explains."""

    name: str
    rules: tuple[Rule, ...]
    skipped: str = ""

    @property
    def errors(self) -> float:
        """The weight of the rows that the rules predict wrongly."""
        return sum(rule.n - max(rule.weights) for rule in self.rules)

    @property
    def n(self) -> float:
        """The weight of all rows that they cover."""
        return sum(rule.n for rule in self.rules)


@dataclass(frozen=True)
class OneRWork:
    """The rules of all columns; the column with the fewest errors is chosen, of equals the first."""

    schema: Schema
    columns: tuple[ColumnRules, ...]
    chosen: str  # the column; empty if none is informative

    def __str__(self) -> str:
        rows = [["", "column", "rule", "errors", "total errors"]]
        for column in self.columns:
            mark = "*" if column.name == self.chosen else ""
            if not column.rules:
                rows.append([mark, column.name, column.skipped, "", ""])
                continue
            total = f"{format_quantity(column.errors)}/{format_quantity(column.n)}"
            for place, rule in enumerate(column.rules):
                first = place == 0
                rows.append(
                    [mark if first else "", column.name if first else "", *self._rule(rule), total if first else ""]
                )
        head = "The rules of each column: every value predicts its most frequent class; * makes the fewest errors"
        end = "" if self.chosen else "\nNo column is informative: the most frequent class is predicted."
        return "\n".join([head, *align_numbers(rows, left={0, 1, 2})]) + end

    def _rule(self, rule: Rule) -> list[str]:
        decides = format_target_class(self.schema.target_column, rule.code)
        errors = f"{format_quantity(rule.n - max(rule.weights))}/{format_quantity(rule.n)}"
        return [f"{conjunction(rule.conditions)} -> {decides}", errors]
