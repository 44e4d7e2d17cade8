"""Source: anything that yields tables of one schema in batches, with bounded memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

from hedgerow.data.table.data_faults import DataFaults
from hedgerow.data.table.files import ChangeWatch
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.schema_notes import ignored_column_notes, sentence_column_notes, stripping_note
from hedgerow.data.table.table import Table, concatenate

BATCH_ROWS = 65_536
Progress = Callable[[int, int | None], None]  # how many are read, and of how many if that is known


@dataclass(frozen=True)
class ReadOptions:
    """How to read data: options that override detection and inference.

    Parameters
    ----------
    target
        The column to predict. None takes the last column (or what the file itself says), "" no target.
    kinds
        Kinds that columns must have, by name.
    ignore
        Columns that learners shall leave out.
    keep
        Columns that learners shall use although they look like identifiers.
    missing
        Words that stand for a missing value, besides the usual ones.
    delimiter, header, encoding, decimal, quote
        The layout of delimited text; None detects it, the decimal point for each column. With the quote "" quotes are
        plain characters.
    dates
        The order of day, month and year in dates such as 03/04/2024, if the data leave it open: dmy, mdy or ymd.
    sheet, table
        The sheet of a workbook, by name or number, and the table of a database; None takes the only or largest one.
    strip
        The parts of mails to remove from text columns. None removes what the declared schema asks for, else nothing.
    schema
        A declared schema. Its kinds and levels are taken as they are and nothing is inferred: columns are
        matched by name, columns that it does not name are skipped, and a level that it does not know becomes
        missing and is noted.
    faults
        Where faults of new data are recorded that a model can do without; None makes them errors.
    bag
        The column by which rows are put into bags, so that the table has one row a bag; None leaves rows as they are.
    positive
        The class that a bag has if one of its rows does; None asks all rows of a bag to agree.
    """

    target: str | None = None
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    ignore: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    delimiter: str | None = None
    header: bool | None = None
    encoding: str = "utf-8"
    decimal: str | None = None
    dates: str | None = None
    sheet: str | None = None
    table: str | None = None
    quote: str | None = None
    strip: tuple[str, ...] | None = None
    schema: Schema | None = None
    faults: DataFaults | None = field(default=None, compare=False)
    bag: str | None = None
    positive: str | None = None


def adapt_sources(adapt: Callable[[Source, Schema], Source]) -> None:
    """Register a function that converts a source when it is reopened for a schema, such as one of bags."""
    _ADAPTERS.append(adapt)


class Source(ABC):
    """A source of tables, read batch by batch, any number of times."""

    kept_properties: ClassVar[frozenset[str]] = frozenset()  # what is kept of data that can be read only once

    def __init__(self, name: str, options: ReadOptions) -> None:
        self.name = name
        self.options = options
        self.notes: dict[str, None] = {}
        self.witness = ChangeWatch()  # notices if the data change between or during passes
        self.tell: Progress | None = None  # called while documents are read

    @cached_property
    def schema(self) -> Schema:
        """The schema that all batches share; finding it may take a pass over the data."""
        return self.find_schema()

    @abstractmethod
    def find_schema(self) -> Schema:
        """Determine names, kinds and levels."""

    @abstractmethod
    def batches(self, rows: int = BATCH_ROWS) -> Iterator[Table]:
        """Yield the rows in order, in tables of about `rows` rows that share `schema`."""

    def read(self) -> Table:
        """Return all rows in one table."""
        return concatenate(list(self.batches()))

    def reopen(self, **changed: Any) -> Source:
        """Return the same source with some of its options changed; its schema is determined again."""
        if changed.get("schema") is not None:
            for adapt in _ADAPTERS:
                source = adapt(self, changed["schema"])
                if source is not self:
                    return source.reopen(**changed)
        other = copy(self)
        for name in list(other.__dict__):
            if isinstance(getattr(type(self), name, None), cached_property) and name not in self.kept_properties:
                del other.__dict__[name]
        other.options, other.notes = replace(self.options, **changed), dict(self.notes)
        if changed.get("schema") is not None and "schema" in self.__dict__:
            for note in (
                *ignored_column_notes(self.schema),
                *sentence_column_notes(self.schema),
            ):  # what was inferred is no longer so
                other.notes.pop(note, None)
        for column in () if changed.get("schema") is None else changed["schema"].columns:
            if column.stripped:
                other.note(stripping_note(column.name, column.stripped))
        return other

    def report_progress_to(self, tell: Progress | None) -> None:
        """Call back while documents are read, with the number so far and the total if known."""
        self.tell = tell

    def note(self, sentence: str) -> None:
        """Add a note about these data, once."""
        self.notes[sentence] = None


_ADAPTERS: list[Callable[[Source, Schema], Source]] = []
