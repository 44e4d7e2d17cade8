"""Sources of documents: one text per row in the column `text`, and where there are classes the target `class`."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from hedgerow.data.formats.documents.encodings import DecodingFaults, codec, is_like_ascii
from hedgerow.data.formats.documents.folder_listing import format_path
from hedgerow.data.frames.infer import finish_schema
from hedgerow.data.frames.match_schema import match_schema
from hedgerow.data.table import files
from hedgerow.data.table.schema import NAMES, Column, Kind, Schema
from hedgerow.data.table.source import BATCH_ROWS, ReadOptions, Source
from hedgerow.data.table.table import Codes, Table, Text, Values
from hedgerow.errors import DataError, UsageError

TEXT, CLASS = "text", "class"
BATCH_BYTES = 1 << 25  # characters after which a batch ends, regardless of the number of documents
OFTEN = 256  # documents between progress reports


class Document(NamedTuple):
    """A text in UTF-8, its name in messages, how many bytes were replaced in it, and the code of its class."""

    name: str
    text: bytes
    n_replaced: int
    code: int = -1


class DocumentSource(Source):
    """A source that yields documents, one after another.

    Under the schema of a model that knows but one text, the documents are that text whatever it is called there, and
    their classes its target. A declared column that is ignored as `NAMES` is given the names of the documents.
    """

    document_noun: ClassVar[str] = "document"  # as messages call one

    def __init__(self, name: str, options: ReadOptions) -> None:
        super().__init__(name, options)
        self.encoding = codec(options.encoding)

    @abstractmethod
    def classes(self) -> tuple[str, ...] | None:
        """Return the classes in the order of their codes; None if the documents have none."""

    @abstractmethod
    def documents(self) -> Iterator[Document]:
        """Yield the documents in order; there must be at least one."""

    def count(self) -> int | None:
        """Return how many documents there are, if that is known before they are read."""
        return None

    def find_schema(self) -> Schema:
        """Return the declared schema, or that of documents."""
        return self._own_schema() if self.options.schema is None else self.options.schema

    def batches(self, rows: int = BATCH_ROWS) -> Iterator[Table]:
        """Yield the documents in order; memory holds those of a batch."""
        faults, documents, size = DecodingFaults(self.document_noun, self.encoding), list[Document](), 0
        for number, document in enumerate(self.documents(), start=1):
            if self.tell is not None and (number % OFTEN == 0 or number == self.count()):
                self.tell(number, self.count())
            faults.add(document.name, document.text, document.n_replaced)
            documents.append(document)
            size += len(document.text)
            if len(documents) >= rows or size >= BATCH_BYTES:
                yield self._table(documents)
                documents, size = [], 0
        if documents:
            yield self._table(documents)
        for note in faults.notes():
            self.note(note)

    def _own_schema(self) -> Schema:
        classes = self.classes()
        columns = [Column(TEXT, Kind.TEXT)]
        if classes is not None:
            columns.append(Column(CLASS, Kind.NOMINAL, classes))
        schema, options = Schema(tuple(columns), None if classes is None else CLASS), self.options
        for name, kind in options.kinds.items():
            if schema[name].kind is not kind:
                raise UsageError(
                    f"{self.name}: column {name!r} is {schema[name].kind} in this file and cannot be read as {kind}"
                )
        if classes is None and options.target is None:
            options = replace(options, target="")
        return finish_schema(schema, options)

    def _table(self, documents: Sequence[Document]) -> Table:
        """Return documents as rows, under the declared schema if there is one."""
        data: tuple[Values, ...] = (_text(documents),)
        classes = self.classes()
        if classes is not None:
            codes: Codes = np.array([document.code for document in documents], dtype=np.int32)
            data = (*data, codes)
        declared = self.options.schema
        if declared is None:
            return Table(self.schema, data, len(documents))
        columns = [Column(self._name_of_texts(declared), Kind.TEXT)]
        if classes is not None:
            columns.append(Column(self._name_of_classes(declared), Kind.NOMINAL, classes))
        for named in (column for column in declared.columns if column.ignored == NAMES):
            columns.append(named)
            data = (*data, Text.of(format_path(document.name) for document in documents))
        try:
            aligned = match_schema(Table(Schema(tuple(columns)), data, len(documents)), declared, self.options.faults)
        except DataError as problem:
            raise DataError(f"{self.name}: {problem}") from None
        for note in aligned.notes:
            self.note(note)
        return aligned.table

    def _name_of_texts(self, declared: Schema) -> str:
        known = (c for c in declared.columns if c.kind is Kind.TEXT and c.ignored != NAMES)
        texts = [c.name for c in known if c.name != declared.target]
        if TEXT in declared or len(texts) != 1:
            return TEXT
        self.note(f"the texts are used as the model's column {texts[0]!r}")
        return texts[0]

    def _name_of_classes(self, declared: Schema) -> str:
        return CLASS if CLASS in declared or declared.target is None else declared.target


class DocumentsFile(DocumentSource):
    """A source of the documents in one file, plain or compressed, or on standard input. They have no class."""

    kept_properties = frozenset({"_held"})

    def __init__(self, path: str | os.PathLike[str], options: ReadOptions) -> None:
        super().__init__(files.format_path(path), options)
        self.path = os.fspath(path)

    def classes(self) -> None:
        """Return None: there are no classes."""

    @cached_property
    def _held(self) -> bytes:
        """Standard input, which can be read only once."""
        return b"".join(piece.tobytes() for piece in files.blocks(self.path, self._file_encoding, witness=self.witness))

    @property
    def _file_encoding(self) -> str:
        """The encoding to decode before the file is cut into documents; UTF-8 leaves the bytes unchanged."""
        return "utf-8" if is_like_ascii(self.encoding) else self.encoding

    @property
    def document_encoding(self) -> str:
        """The encoding that documents have once the file is cut."""
        return self.encoding if is_like_ascii(self.encoding) else "utf-8"

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes of the file in pieces of some megabytes."""
        if self.path == "-":
            yield self._held
            return
        for piece in files.blocks(self.path, self._file_encoding, witness=self.witness):
            yield piece.tobytes()


def _text(documents: Sequence[Document]) -> Text:
    offsets = np.cumsum([0, *(len(document.text) for document in documents)], dtype=np.int64)
    data = np.frombuffer(b"".join(document.text for document in documents), dtype=np.uint8)
    return Text(data, offsets, np.zeros(len(documents), dtype=np.bool_))
