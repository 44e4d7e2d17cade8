"""A folder of folders as a source: the class is the name of the folder, each file in it a document."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator, Sequence
from functools import cached_property

from hedgerow.data.formats.documents.documents import Document, DocumentSource
from hedgerow.data.formats.documents.encodings import convert_to_utf8
from hedgerow.data.formats.documents.folder_listing import Listing, format_path, list_texts
from hedgerow.data.table import files
from hedgerow.data.table.source import ReadOptions
from hedgerow.data.table.threads import map_in_order
from hedgerow.errors import DataError

CHUNK = 64  # files that a thread reads at a time
SMALL, LARGE = 1 << 16, 1 << 24  # bytes that are requested at once, first and then


class FolderSource(DocumentSource):
    """Texts in the folders of a folder, as 20 Newsgroups comes: in the order of classes, then of file names."""

    document_noun = "file"

    def __init__(self, path: str | os.PathLike[str], options: ReadOptions) -> None:
        super().__init__(format_path(os.fspath(path)), options)
        self.path = os.fspath(path)

    @cached_property
    def _listing(self) -> Listing:
        listing = list_texts(self.path)
        for note in listing.notes:
            self.note(note)
        return listing

    def classes(self) -> tuple[str, ...] | None:
        """Return the names of the folders that contain files."""
        return self._listing.classes

    def count(self) -> int:
        """Return how many files there are."""
        return len(self._listing.paths)

    def documents(self) -> Iterator[Document]:
        """Yield the files in order; several are read at a time, which helps where the disk is slow to answer."""
        listing = self._listing
        places = range(0, len(listing.paths), CHUNK)
        chunks = (listing.paths[start : start + CHUNK] for start in places)
        codes, skip = iter(listing.codes), len(os.path.join(self.path, ""))
        for texts, paths in map_in_order(self._read_small, chunks):
            for found, path in zip(texts, paths, strict=True):
                text, replaced = convert_to_utf8(content(path), self.encoding) if found is None else found
                yield Document(path[skip:], text, replaced, next(codes))

    def _read_small(self, paths: Sequence[str]) -> tuple[list[tuple[bytes, int] | None], Sequence[str]]:
        """Return the texts of small files; large ones are not read ahead, since they could fill the memory."""
        raw = [content(path, SMALL) for path in paths]
        return [convert_to_utf8(one, self.encoding) if len(one) < SMALL else None for one in raw], paths


def content(path: str, most: int | None = None) -> bytes:
    """Return the bytes of a file, unpacked if it is compressed; if there are `most` or more, just the first of them."""
    try:
        raw = _bytes(path, most)
        is_plain = not files.is_compressed(raw) or len(raw) == most
        return (
            raw
            if is_plain
            else files.decompress(io.BytesIO(raw), raw[:4], format_path(path)).read(-1 if most is None else most)
        )
    except FileNotFoundError:
        raise DataError(
            f"the file {format_path(path)} no longer exists; it was there when the folder was listed"
        ) from None
    except PermissionError:
        raise DataError(
            f"permission to read {format_path(path)} is denied; check its permissions, or move it elsewhere"
        ) from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(
            f"{format_path(path)} is a damaged gzip file ({error}); compress it again, or move it elsewhere"
        ) from None
    except OSError as error:
        raise DataError(f"{format_path(path)} cannot be read: {error.strerror or error}") from None


def _bytes(path: str, most: int | None) -> bytes:
    """Return the bytes of a file with few system calls, which dominate the time for small files."""
    file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        piece = os.read(file, SMALL)
        if len(piece) < SMALL or most == SMALL:
            return piece
        pieces = [piece]
        while piece := os.read(file, LARGE):
            pieces.append(piece)
        return b"".join(pieces)
    finally:
        os.close(file)
