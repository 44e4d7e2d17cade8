"""VW's text format, `label [importance [base]] ['tag]|namespace[:scale] feature[:value] ...`: a text a namespace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from hedgerow import _kernels
from hedgerow.data.formats.row_blocks import Blocks, FileSource, check_utf8
from hedgerow.data.formats.sparse_rows import slices
from hedgerow.data.formats.svmlight import FEW, LABEL, format_label
from hedgerow.data.frames.infer import finish_schema
from hedgerow.data.table.delimited import Bytes, line_at, unpack_words
from hedgerow.data.table.schema import IDENTIFIER, Column, Kind, Schema, listing
from hedgerow.data.table.schema_notes import unseen_note
from hedgerow.data.table.source import BATCH_ROWS, ReadOptions
from hedgerow.data.table.table import Numbers, Rows, Table, Text, Values, concatenate
from hedgerow.data.table.threads import n_threads
from hedgerow.data.text.hashed_text import HashedText, Hashing, no_columns
from hedgerow.errors import DataError
from hedgerow.layout.numbers import format_number

TAG, BASE = "tag", "base"
UNNAMED = "features"  # the column of the namespace without a name
MOST_NAMESPACES = 256
MOST_LEVELS = 1 << 20
GLIMPSE_ROWS = 1 << 20  # bytes
HASHED_AT_A_TIME = 1 << 20  # likewise
TAGS = f"{IDENTIFIER}: tags of the rows"
BASES = "initial predictions, which no hedgerow learner uses"
FAULTS = {
    1: "there is no | before the features; write a line as in: 1 | price:0.23 red",
    2: "at most a label, an importance, a base and a tag can stand before the first |, as in: 1 2.0 0.5 'row7| red",
    3: "the importance {word!r}, after the label, must be a number of 0 or more",
    4: "the base {word!r}, the third word, must be a finite number",
    5: "the scale {word!r} of a namespace must be a finite number, as in |prices:0.1",
    6: "the value {word!r} is too large for a number",
    7: f"{{word!r}} is one namespace too many (at most {MOST_NAMESPACES} are allowed); a word directly after a | "
    "names a namespace: put a space after the | if it is a feature",
}


@dataclass(frozen=True, eq=False)
class Lines:
    """The rows of a block, as the kernel found them (see kernels/text/vw_lines.hpp), and their origin."""

    file: str
    data: Bytes
    line: int  # the number of the block's first line
    label: Numbers
    label_begin: Rows
    label_end: Rows
    importance: Numbers
    base: Numbers
    tag_begin: Rows
    tag_end: Rows
    names: tuple[Bytes, Rows]
    first: Rows
    features: list[Any]  # bytes and offsets, or columns
    fault: int
    fault_at: int
    plain: bool = False
    hashing: Hashing | None = None

    @classmethod
    def of(
        cls,
        file: str,
        data: Bytes,
        line: int,
        *,
        plain: bool = False,
        reader: Any = None,
        hashing: Hashing | None = None,
    ) -> Lines:
        """Read a block; the first fault in it raises.

        `plain` lines are svmlight's. A `reader` hashes features by `hashing` as it reads them; without that it passes
        over them.
        """
        check_utf8(data, file, line)
        if reader is None:
            result = _kernels.read_vw(data, MOST_NAMESPACES, plain, n_threads())
        else:
            result = reader(data, MOST_NAMESPACES, plain)
        out = cls(file, data, line, plain=plain, hashing=hashing, **result)
        if out.fault:
            rest = data[out.fault_at : out.fault_at + 200].tobytes().decode("utf-8", "replace")
            out.fail(out.fault_at, FAULTS[out.fault].format(word=re.split(r"[\s|]", rest, maxsplit=1)[0]))
        return out

    def fail(self, byte: int, problem: str) -> NoReturn:
        """Raise an error about a byte of the block."""
        raise DataError(f"{self.file}, line {self.line - 1 + line_at(self.data, byte)}: {problem}")

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.label)

    @cached_property
    def spaces(self) -> dict[str, int]:
        """The names of the namespaces, and their positions in `features`."""
        return {name: place for place, name in enumerate(unpack_words(*self.names))}

    @cached_property
    def labeled_rows(self) -> Rows:
        """The rows that have a label."""
        return np.flatnonzero(self.label_end > self.label_begin)

    @cached_property
    def word_label_rows(self) -> Rows:
        """The rows whose label is not a number."""
        return self.labeled_rows[np.isnan(self.label[self.labeled_rows])]

    def label_words(self, rows: Rows) -> list[str]:
        """Return the labels of some rows as written."""
        return slices(self.data, self.label_begin[rows], self.label_end[rows])

    @cached_property
    def _spell_features(self) -> Lines:
        """The same rows, with features as written."""
        return Lines.of(self.file, self.data, self.line, plain=self.plain)

    @property
    def tags(self) -> Text:
        """The tags; rows without one are missing."""
        borders = np.stack([self.tag_begin, self.tag_end], axis=1).ravel()
        rows = np.arange(self.n_rows, dtype=np.int64) * 2
        return Text(*_kernels.gather_bytes(self.data, borders, rows), self.tag_begin == self.tag_end)

    def texts(self, name: str) -> Text:
        """Return the features of a namespace, empty where a row has none."""
        if self.hashing is not None:
            columns = self.features[self.spaces[name]] if name in self.spaces else no_columns(self.n_rows)
            return HashedText.of_columns(self.hashing, columns, lambda: self._spell_features.texts(name))
        none = np.zeros(self.n_rows, dtype=np.bool_)
        if name not in self.spaces:
            return Text(np.empty(0, dtype=np.uint8), np.zeros(self.n_rows + 1, dtype=np.int64), none)
        data, offsets = self.features[self.spaces[name]]
        return Text(data, offsets, none)


class NewSchema(Exception):  # noqa: N818
    """Rows contain more than the first rows of their file."""


class VwSource(FileSource):
    """A file in VW's text format.

    A row is a line: the label is the target, the importance its weight, the tag an identifier, and every namespace a
    text column of its features. One pass finds the namespaces and the labels.
    """

    plain = False  # whether lines are svmlight's
    hashing: Hashing | None = None
    _first_contents: VwContents | None = None  # statistics so far, if the schema is that of the first rows

    def with_hashing(self, hashing: Hashing) -> VwSource:
        """Return the source with features that are hashed as they are read; its texts are spelled if requested."""
        other = copy(self)  # with the same notes
        other.hashing = hashing
        return other

    def with_glimpsed_schema(self) -> VwSource:
        """Return the source with the schema of its first rows; `batches` raises `NewSchema` if others contain more."""
        other = copy(self)
        other.notes = dict(self.notes)
        other.__dict__["_first_contents"] = VwContents()
        return other

    def find_schema(self) -> Schema:
        """Return a column for every namespace, and the label at the end."""
        if self.options.schema is not None:
            return self.options.schema
        vw_contents = VwContents()
        for lines in self._blocks(
            reader=_kernels.scan_vw, pieces=self._first if self._first_contents else self.open_blocks()
        ):
            vw_contents.add(lines)
            if self._first_contents:
                self._told = vw_contents.to_columns(self.options)
                break
        return self._make_schema(vw_contents)

    @property
    def _first(self) -> Blocks:
        return self.open_blocks_of_size(GLIMPSE_ROWS)

    def batches(self, rows: int = BATCH_ROWS) -> Iterator[Table]:
        """Yield the rows in order."""
        schema = self.schema
        reader = None if self.hashing is None else self.hashing.reader().read_lines
        if self._first_contents:
            self._first_contents = VwContents()
        for lines in self._blocks(reader=reader, pieces=None if reader is None else self._small()):
            self._compare(lines)
            table = self.table(lines, schema)
            yield from [table] if table.n_rows <= rows or reader else table.batches(rows)

    def read(self) -> Table:
        """Return all rows in one table, in one pass."""
        parts = list(self._blocks(pieces=self.open_blocks(whole=True)))
        vw_contents = VwContents()
        for lines in parts:
            vw_contents.add(lines)
        schema = self.options.schema or self._make_schema(vw_contents)
        return concatenate([self.table(lines, schema) for lines in parts])

    def _small(self) -> Blocks | None:
        """Return the text in small blocks, of which one is hashed while the one before is learned."""
        if self.path == "-":
            return None
        return self.open_blocks_of_size(HASHED_AT_A_TIME)

    def _compare(self, lines: Lines) -> None:
        """Raise an error if a block contains more than the first rows did."""
        if self._first_contents:
            self._first_contents.add(lines)
            if self._first_contents.to_columns(self.options) != self._told:
                raise NewSchema

    def _blocks(self, *, reader: Any = None, pieces: Blocks | None = None) -> Iterator[Lines]:
        empty = True
        for data, line in (pieces or self.open_blocks()).rows():
            lines = Lines.of(self.name, data, line, plain=self.plain, reader=reader, hashing=self.hashing)
            if lines.n_rows:
                empty = False
                yield lines
        if empty and self.options.faults is None:
            raise DataError(f"{self.name}: there are no rows; the file needs at least one, as in: 1 | price:0.23 red")

    def _make_schema(self, vw_contents: VwContents) -> Schema:
        for note in vw_contents.notes():
            self.note(note)
        options = self.options
        if not vw_contents.has_label and options.target is None:
            options = replace(options, target="")
        return finish_schema(Schema(tuple(vw_contents.columns(options))), options)

    def table(self, lines: Lines, schema: Schema) -> Table:
        """Return the rows of a block under a schema."""
        names = column_names(lines.spaces)
        extra = [column for column in names if column not in schema]
        if extra and self.options.schema is not None:
            self.note(f"ignored namespaces that the model does not use: {listing(extra)}")
        data = tuple(self._values(column, lines, names, column.name == schema.target) for column in schema.columns)
        weights = lines.importance if (lines.importance != 1).any() else None
        return Table(schema, data, lines.n_rows, weights)

    def _values(self, column: Column, lines: Lines, names: dict[str, str], is_target: bool) -> Values:
        if is_target or column.name == LABEL:
            return self._labels(column, lines)
        if column.kind is Kind.TEXT:
            return lines.tags if column.name == TAG and column.ignored else lines.texts(names.get(column.name, "\n"))
        if column.name == BASE and column.kind is Kind.NUMERIC:
            return lines.base
        if column.ignored:
            return np.full(lines.n_rows, np.nan) if column.kind is Kind.NUMERIC else np.full(lines.n_rows, -1, np.int32)
        raise DataError(
            f"{self.name} is a VW file, whose namespaces are texts, but the model needs the {column.kind} column "
            f"{column.name!r}; give it rows in the format that it was trained on"
        )

    def _labels(self, column: Column, lines: Lines) -> Values:
        if column.kind is Kind.TEXT:  # as they are read for a test, so that classes that a model does not know are told
            words: list[str | None] = [None] * lines.n_rows
            for row, word in zip(lines.labeled_rows.tolist(), lines.label_words(lines.labeled_rows), strict=True):
                words[row] = format_label(word)
            return Text.of(words)
        if column.kind is Kind.NUMERIC:
            if len(lines.word_label_rows):
                word = lines.label_words(lines.word_label_rows[:1])[0]
                lines.fail(
                    int(lines.label_begin[lines.word_label_rows[0]]),
                    f"the label {word!r} is not a finite number; read labels as classes with --nominal {column.name}",
                )
            return lines.label
        codes = np.full(lines.n_rows, -1, dtype=np.int32)
        labels = lines.label[lines.labeled_rows]
        values = distinct(labels)
        which = np.searchsorted(values, labels)
        place = {level: number for number, level in enumerate(column.levels)}
        strange = [text for text in map(format_number, values[~np.isnan(values)].tolist()) if text not in place]
        places = [-1 if np.isnan(value) else place.get(format_number(value), -1) for value in values.tolist()]
        codes[lines.labeled_rows] = np.array(places, dtype=np.int32)[which] if places else -1
        if len(lines.word_label_rows):
            own = lines.label_words(lines.word_label_rows)
            codes[lines.word_label_rows] = [place.get(word, -1) for word in own]
            strange += [word for word in dict.fromkeys(own) if word not in place]
        if strange:
            self.note(unseen_note(column.name, strange))
        return codes


class FeaturesSource(VwSource):
    """An svmlight file whose pairs are not columns but the features of one text, for learners that hash them."""

    plain = True


class VwContents:
    """What a pass has to find: the namespaces, the labels, and whether there are tags and bases."""

    def __init__(self) -> None:
        self.spaces: dict[str, None] = {}
        self.numbers: set[float] = set()
        self.is_whole = True
        self.words: dict[str, None] = {}
        self.has_label = self.has_tag = self.has_base = False
        self.n_rows = 0
        self.lone_tag = ""  # a tag that looks like a label

    def add(self, lines: Lines) -> None:
        """Take in a block."""
        for name, place in lines.spaces.items():
            if name not in self.spaces and len(self.spaces) == MOST_NAMESPACES:
                lines.fail(int(lines.first[place]), FAULTS[7].format(word=name))
            self.spaces[name] = None
        values = lines.label[~np.isnan(lines.label)]
        self.is_whole = self.is_whole and bool((values == np.floor(values)).all())
        if len(self.numbers) < MOST_LEVELS:
            self.numbers.update(distinct(values).tolist())
        if len(lines.word_label_rows):
            words = lines.label_words(lines.word_label_rows)
            self.words.update(dict.fromkeys(words))
            costs = next((word for word in dict.fromkeys(words) if ":" in word), None)
            if costs is not None:
                lines.fail(
                    int(lines.label_begin[lines.word_label_rows[words.index(costs)]]),
                    f"the label {costs!r} holds costs or actions; only plain labels can be read: a number or a word",
                )
        self.has_label |= len(lines.labeled_rows) > 0
        tagged = np.flatnonzero(lines.tag_end > lines.tag_begin)
        if len(tagged) and not self.has_tag:
            first = tagged[:1]
            word = slices(lines.data, lines.tag_begin[first], lines.tag_end[first])[0]
            is_quoted = lines.data[lines.tag_begin[first[0]] - 1] == ord("'") if lines.tag_begin[first[0]] else False
            self.lone_tag = "" if is_quoted else word
        self.has_tag |= len(tagged) > 0
        self.has_base |= bool(lines.base.any())
        self.n_rows += lines.n_rows

    def notes(self) -> Iterator[str]:
        """Yield notes."""
        if not self.has_label:
            touching = f", and {self.lone_tag!r} directly precedes the |, which makes it a tag" if self.lone_tag else ""
            yield f"no row has a label{touching}; put it first, followed by a space"
        if self.has_base:
            yield f"column {BASE!r} is not used in training ({BASES})"

    def to_columns(self, options: ReadOptions) -> tuple[list[Column], list[str]]:
        """Return all that was found."""
        return self.columns(options), list(self.notes())

    def columns(self, options: ReadOptions) -> list[Column]:
        """Return a column for every namespace, tag and base if there are such, and the label."""
        columns = [Column(name, Kind.TEXT, features=True) for name in column_names(self.spaces)]
        if self.has_base:
            columns.append(Column(BASE, Kind.NUMERIC, ignored=BASES))
        if self.has_tag:
            columns.append(Column(TAG, Kind.TEXT, ignored=TAGS))
        kind = options.kinds.get(LABEL) or self.label_kind()
        if not self.has_label:
            return columns
        if kind is Kind.NUMERIC:
            return [*columns, Column(LABEL, Kind.NUMERIC)]
        levels = [*map(format_number, sorted(self.numbers)), *map(format_label, self.words)]
        return [*columns, Column(LABEL, Kind.NOMINAL, levels=tuple(dict.fromkeys(levels)))]

    def label_kind(self) -> Kind:
        """Return the kind of labels: classes if some are words, or if they are a few whole numbers; else numbers."""
        return Kind.NOMINAL if self.words or (self.is_whole and len(self.numbers) <= FEW) else Kind.NUMERIC


def distinct(values: Numbers) -> Numbers:
    """Return different values in ascending order, all that are not numbers as one; np.unique would import numpy.ma."""
    values = np.sort(values)
    keep = np.ones(len(values), dtype=np.bool_)
    keep[1:] = (values[1:] != values[:-1]) & ~np.isnan(values[:-1])
    return values[keep]


def column_names(spaces: dict[str, int] | dict[str, None]) -> dict[str, str]:
    """Return the namespaces by the names of their columns: one that is no other column's."""
    out: dict[str, str] = {}
    for space in spaces:
        name = space or UNNAMED
        while name in (LABEL, TAG, BASE) or (not space and name in spaces):
            name += "_"
        out[name] = space
    return out
