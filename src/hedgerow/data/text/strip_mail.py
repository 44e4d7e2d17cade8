"""Text columns without headers, quoted lines and signatures of mails: in a table, and in a source of any format."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from hedgerow.data.table.schema import NAMES, Kind, Schema
from hedgerow.data.table.schema_notes import describe_stripped_parts, difference
from hedgerow.data.table.source import BATCH_ROWS, Progress, Source
from hedgerow.data.table.table import Table, Text, gather_values
from hedgerow.data.text.mail import PARTS, strip_mail


def strip_text(text: Text, parts: Sequence[str]) -> Text:
    """Return the texts without some parts of mails; a missing text stays missing."""
    if not parts:
        return text
    raw, ends, missing = text.data.tobytes(), text.offsets.tolist(), text.missing.tolist()
    texts = (raw[start:stop].decode("utf-8", "replace") for start, stop in pairwise(ends))
    return Text.of(None if absent else strip_mail(one, parts) for one, absent in zip(texts, missing, strict=True))


def mark_schema_stripped(schema: Schema, parts: Sequence[str]) -> Schema:
    """Return the schema with its text columns, except the target, marked as stripped of these parts too."""
    changed = {
        column.name: replace(column, stripped=_order_parts({*column.stripped, *parts}))
        for column in schema.columns
        if column.kind is Kind.TEXT and column.name != schema.target and column.ignored != NAMES
    }
    return schema.with_columns(changed)


def strip_table(table: Table, parts: Sequence[str]) -> Table:
    """Return the table with its texts stripped, of no part a second time."""
    return _strip_to_schema(table, mark_schema_stripped(table.schema, parts))


def unmark_stripped(schema: Schema) -> Schema:
    """Return the schema with no column marked as stripped."""
    marked = [column for column in schema.columns if column.stripped]
    return schema.with_columns({column.name: replace(column, stripped=()) for column in marked}) if marked else schema


class StrippedSource(Source):
    """A source whose texts are stripped as people ask, whatever a model would have removed."""

    def __init__(self, inner: Source, parts: tuple[str, ...]) -> None:
        super().__init__(inner.name, replace(inner.options, strip=parts))
        self.inner, self.parts, self.notes = inner, parts, inner.notes

    def find_schema(self) -> Schema:
        """Return the declared schema, or the source's own with its texts marked."""
        return self._mark_schema(self.inner.schema)

    def batches(self, rows: int = BATCH_ROWS) -> Iterator[Table]:
        """Yield the rows in order, stripped."""
        schema, emptied = self.schema, 0
        for table in self.inner.batches(rows):
            result_table = _strip_to_schema(table, mark_schema_stripped(table.schema, self.parts))
            emptied += _count_emptied(table, result_table)
            yield result_table.with_schema(schema)
        self._add_emptied_note(emptied)

    def read(self) -> Table:
        """Return all rows in one table."""
        table = self.inner.read()
        result_table = _strip_to_schema(table, mark_schema_stripped(table.schema, self.parts))
        self._add_emptied_note(_count_emptied(table, result_table))
        return result_table.with_schema(self._mark_schema(table.schema))

    def reopen(self, **changed: Any) -> Source:
        """Return the same source with some of its options changed; a model's own wish to strip is skipped."""
        schema = changed.get("schema")
        inside = changed if schema is None else {**changed, "schema": unmark_stripped(schema)}
        other = StrippedSource(self.inner.reopen(**inside), changed.get("strip", self.parts))
        other.options = replace(self.options, **changed)
        if schema is not None:
            other._note_difference(schema)
        return other

    def report_progress_to(self, tell: Progress | None) -> None:
        """Call back while the source inside is read."""
        self.inner.report_progress_to(tell)

    def _note_difference(self, schema: Schema) -> None:
        """Tell if a model was learned from texts that were stripped otherwise."""
        for column in schema.columns:
            is_text = column.kind is Kind.TEXT and column.name != schema.target and column.ignored != NAMES
            if is_text and column.stripped != self.parts:
                self.note(difference(column.name, self.parts, column.stripped))

    def _mark_schema(self, schema: Schema) -> Schema:
        declared = self.options.schema
        return mark_schema_stripped(schema, self.parts) if declared is None else declared

    def _add_emptied_note(self, emptied: int) -> None:
        if emptied:
            texts = "1 text is" if emptied == 1 else f"{emptied:,} texts are"
            self.note(f"{texts} empty {describe_stripped_parts(self.parts)}")


def _strip_to_schema(table: Table, schema: Schema) -> Table:
    """Return the table under a schema that asks for more to be removed."""
    data = list(table.data)
    for position, (has, wanted) in enumerate(zip(table.schema.columns, schema.columns, strict=True)):
        values = gather_values(data[position]) if has.stripped != wanted.stripped else None
        if isinstance(values, Text):
            data[position] = strip_text(values, [part for part in wanted.stripped if part not in has.stripped])
    return replace(table, schema=schema, data=tuple(data))


def _count_emptied(before: Table, after: Table) -> int:
    """Return how many texts held something before they were stripped, and nothing since."""
    count = 0
    for old, new in zip(before.data, after.data, strict=True):
        if old is not new and isinstance(new, Text):
            was = gather_values(old)
            assert isinstance(was, Text)
            count += int(((was.offsets[1:] > was.offsets[:-1]) & (new.offsets[1:] == new.offsets[:-1])).sum())
    return count


def _order_parts(parts: Collection[str]) -> tuple[str, ...]:
    return tuple(part for part in PARTS if part in parts)
