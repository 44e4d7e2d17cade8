"""Text columns without headers, quoted lines and signatures of mails: in a table, and in a source of any format."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from hedgerow.data.table.schema import NAMES, Kind, Schema
from hedgerow.data.table.schema_notes import difference, told
from hedgerow.data.table.source import BATCH_ROWS, Progress, Source
from hedgerow.data.table.table import Table, Text, held
from hedgerow.data.text.mail import PARTS, strip_mail


def stripped_text(text: Text, parts: Sequence[str]) -> Text:
    """Return the texts without some parts of mails; a missing text stays missing."""
    if not parts:
        return text
    raw, ends, missing = text.data.tobytes(), text.offsets.tolist(), text.missing.tolist()
    texts = (raw[start:stop].decode("utf-8", "replace") for start, stop in pairwise(ends))
    return Text.of(None if absent else strip_mail(one, parts) for one, absent in zip(texts, missing, strict=True))


def stripped_schema(schema: Schema, parts: Sequence[str]) -> Schema:
    """Return the schema with its text columns, except the target, marked as stripped of these parts too."""
    changed = {
        column.name: replace(column, stripped=_ordered({*column.stripped, *parts}))
        for column in schema.columns
        if column.kind is Kind.TEXT and column.name != schema.target and column.ignored != NAMES
    }
    return schema.with_columns(changed)


def stripped_table(table: Table, parts: Sequence[str]) -> Table:
    """Return the table with its texts stripped, of no part a second time."""
    return _stripped(table, stripped_schema(table.schema, parts))


def unmarked(schema: Schema) -> Schema:
    """Return the schema with no column marked as stripped."""
    marked = [column for column in schema.columns if column.stripped]
    return schema.with_columns({column.name: replace(column, stripped=()) for column in marked}) if marked else schema


class Stripped(Source):
    """A source whose texts are stripped as people ask, whatever a model would have removed."""

    def __init__(self, inner: Source, parts: tuple[str, ...]) -> None:
        super().__init__(inner.name, replace(inner.options, strip=parts))
        self.inner, self.parts, self.notes = inner, parts, inner.notes

    def find_schema(self) -> Schema:
        """Return the declared schema, or the source's own with its texts marked."""
        return self._marked(self.inner.schema)

    def batches(self, rows: int = BATCH_ROWS) -> Iterator[Table]:
        """Yield the rows in order, stripped."""
        schema, emptied = self.schema, 0
        for table in self.inner.batches(rows):
            made = _stripped(table, stripped_schema(table.schema, self.parts))
            emptied += _emptied(table, made)
            yield made.with_schema(schema)
        self._note_emptied(emptied)

    def read(self) -> Table:
        """Return all rows in one table."""
        table = self.inner.read()
        made = _stripped(table, stripped_schema(table.schema, self.parts))
        self._note_emptied(_emptied(table, made))
        return made.with_schema(self._marked(table.schema))

    def reopened(self, **changed: Any) -> Source:
        """Return the same source with some of its options changed; a model's own wish to strip is skipped."""
        schema = changed.get("schema")
        inside = changed if schema is None else {**changed, "schema": unmarked(schema)}
        other = Stripped(self.inner.reopened(**inside), changed.get("strip", self.parts))
        other.options = replace(self.options, **changed)
        if schema is not None:
            other._note_difference(schema)
        return other

    def watched_by(self, tell: Progress | None) -> None:
        """Call back while the source inside is read."""
        self.inner.watched_by(tell)

    def _note_difference(self, schema: Schema) -> None:
        """Tell if a model was learned from texts that were stripped otherwise."""
        for column in schema.columns:
            is_text = column.kind is Kind.TEXT and column.name != schema.target and column.ignored != NAMES
            if is_text and column.stripped != self.parts:
                self.note(difference(column.name, self.parts, column.stripped))

    def _marked(self, schema: Schema) -> Schema:
        declared = self.options.schema
        return stripped_schema(schema, self.parts) if declared is None else declared

    def _note_emptied(self, emptied: int) -> None:
        if emptied:
            texts = "1 text is" if emptied == 1 else f"{emptied:,} texts are"
            self.note(f"{texts} empty {told(self.parts)}")


def _stripped(table: Table, schema: Schema) -> Table:
    """Return the table under a schema that asks for more to be removed."""
    data = list(table.data)
    for position, (has, wanted) in enumerate(zip(table.schema.columns, schema.columns, strict=True)):
        values = held(data[position]) if has.stripped != wanted.stripped else None
        if isinstance(values, Text):
            data[position] = stripped_text(values, [part for part in wanted.stripped if part not in has.stripped])
    return replace(table, schema=schema, data=tuple(data))


def _emptied(before: Table, after: Table) -> int:
    """Return how many texts held something before they were stripped, and nothing since."""
    count = 0
    for old, new in zip(before.data, after.data, strict=True):
        if old is not new and isinstance(new, Text):
            was = held(old)
            assert isinstance(was, Text)
            count += int(((was.offsets[1:] > was.offsets[:-1]) & (new.offsets[1:] == new.offsets[:-1])).sum())
    return count


def _ordered(parts: Collection[str]) -> tuple[str, ...]:
    return tuple(part for part in PARTS if part in parts)
