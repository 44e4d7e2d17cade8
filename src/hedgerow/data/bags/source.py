"""Bags of rows from a file: a source of any format whose rows are grouped into bags by a column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hedgerow.data.bags.bags import bag_notes, bags, flat_schema, group_into_bags
from hedgerow.data.frames.match_schema import match_schema
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.source import BATCH_ROWS, Progress, Source, adapt_sources
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError


class BagSource(Source):
    """A source whose rows are instances, grouped into bags by a column; or that has bags already, under another name.

    The rows of a bag may be anywhere, so all rows are read before the first bag is returned.
    """

    def __init__(self, inner: Source, by: str, positive: str | None = None, held: str = "") -> None:
        super().__init__(inner.name, replace(inner.options, bag=by or None, positive=positive))
        self.inner, self.by, self.positive, self.notes = inner, by, positive, inner.notes
        self.holds = held  # the column that contains bags already

    def find_schema(self) -> Schema:
        """Return the declared schema, or that of the bags."""
        if self.options.schema is not None:
            return self.options.schema
        for batch in self.inner.batches(1):
            return bags(batch, self.by).schema  # one row tells it, as it has the levels of all
        raise DataError(f"{self.name} has no rows to put into bags")

    def batches(self, rows: int = BATCH_ROWS) -> Iterator[Table]:
        """Yield the bags in order."""
        yield from self.read().batches(rows)

    def read(self) -> Table:
        """Return all bags in one table."""
        declared = self.options.schema
        table = self.inner.read()
        if declared is None:
            result_table = bags(table, self.by, positive=self.positive)
        else:
            result_table = match_schema(group_into_bags(table, declared, self.by, self.positive), declared).table
        for note in bag_notes(result_table, self.by) if self.by else ():
            self.note(note)
        return result_table

    def reopen(self, **changed: Any) -> Source:
        """Return the same source with some of its options changed; a declared schema is that of the bags."""
        schema = changed.get("schema")
        inside = changed if schema is None else {**changed, "schema": self._inside(schema)}
        other = BagSource(self.inner.reopen(**inside), self.by, self.positive, self.holds)
        other.options = replace(self.options, **changed)
        return other

    def _inside(self, schema: Schema) -> Schema:
        """Return how the source inside is read for a schema of bags."""
        if not self.holds:
            return flat_schema(schema, self.by)
        bags = {one.name: replace(one, name=self.holds, by="") for one in schema.columns if one.kind is Kind.BAG}
        return schema.with_columns(bags)

    def report_progress_to(self, tell: Progress | None) -> None:
        """Call back while the source inside is read."""
        self.inner.report_progress_to(tell)


def wrap_for_bags(source: Source, schema: Schema) -> Source:
    """Return a source whose rows become the bags that a model was learned from, if they are none already."""
    wanted = [column for column in schema.columns if column.kind is Kind.BAG]
    if isinstance(source, BagSource) or len(wanted) != 1 or not wanted[0].by:
        return source
    names = [column.name for column in source.schema.columns if column.kind is Kind.BAG]
    if len(names) > 1 or names == [wanted[0].name]:
        return source
    return BagSource(source, "", held=names[0]) if names else BagSource(source, wanted[0].by)


def bag_names(source: Source, schema: Schema) -> str | None:
    """Return the column that names the bags which a source is put into for a schema, if the schema lacks it."""
    result_source = wrap_for_bags(source, schema)
    return (
        result_source.by
        if isinstance(result_source, BagSource) and result_source.by and result_source.by not in schema
        else None
    )


adapt_sources(wrap_for_bags)
