"""Cuts: intervals for numeric columns, which then become nominal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

from hedgerow.data.design.discretize import interval_codes, interval_names
from hedgerow.data.table.level_codes import find_column_of_kind
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Numbers, Table
from hedgerow.errors import ModelError
from hedgerow.models.base.checked_parts import expect_parts, numbers_part
from hedgerow.models.base.model import About, TableModel


@dataclass(frozen=True, eq=False)
class Cuts(TableModel):
    """The cut points of every numeric column."""

    cuts: tuple[Numbers | None, ...]  # one a column of the schema; None where a column stays as it is

    kind = "cuts"

    def __str__(self) -> str:
        lines = [
            f"{column.name}: {', '.join(interval_names(cuts))}"
            for column, cuts in zip(self.schema.columns, self.cuts, strict=True)
            if cuts is not None
        ]
        return "\n".join(lines) or "no numeric columns"

    def transform(self, table: Table) -> Table:
        """Return the table with its numeric columns cut into named intervals."""
        changed, data = {}, list(table.data)
        for name, column in self.intervals.items():
            if name in table.schema:
                position, cuts = find_column_of_kind(table, self.schema[name]), self.cuts[self.schema.index(name)]
                assert cuts is not None
                data[position] = interval_codes(table.numbers(position), cuts)
                changed[name] = column
        return replace(table, schema=table.schema.with_columns(changed), data=tuple(data))

    @property
    def intervals(self) -> dict[str, Column]:
        """The columns that are cut, by name, as they become: nominal, with intervals as levels."""
        return {
            column.name: Column(column.name, Kind.NOMINAL, levels=interval_names(cuts), ordered=True)
            for column, cuts in zip(self.schema.columns, self.cuts, strict=True)
            if cuts is not None
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the model's own parts."""
        return {"cuts": list(self.cuts)}

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the model from its parts."""
        expect_parts(parts, "cuts")
        listed = parts["cuts"]
        if not isinstance(listed, list) or len(listed) != len(schema):
            raise ModelError("the cut points need one entry per column")
        for column, cuts in zip(schema.columns, listed, strict=True):
            if cuts is not None:
                array = numbers_part({column.name: cuts}, column.name, None)
                if column.kind is not Kind.NUMERIC or (array[1:] <= array[:-1]).any():
                    raise ModelError(f"column {column.name!r} must be numeric, and its cut points must ascend")
        return cls(schema, tuple(listed), about=about)
