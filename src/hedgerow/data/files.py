"""The bytes of a file or of standard input as UTF-8: decompressed, transcoded, whole or block by block."""

from __future__ import annotations

import codecs
import gzip
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import DataError, UsageError

Bytes = NDArray[np.uint8]

BLOCK = 1 << 23
HEAD = 1 << 16  # how much is looked at to tell the line ends
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
MARKS = (  # byte order marks; those of UTF-32 first, since they begin as those of UTF-16 do
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def shown(path: str | os.PathLike[str]) -> str:
    """Return how messages call a path."""
    return "standard input" if os.fspath(path) == "-" else os.fspath(path)


def suffix(path: str | os.PathLike[str]) -> str:
    """Return the extension that tells the format, in small letters: ``.csv`` for ``a.CSV.gz``."""
    suffixes = [part.lower() for part in Path(path).suffixes]
    while suffixes and suffixes[-1] in (".gz", ".zst"):
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def load(path: str | os.PathLike[str], encoding: str = "utf-8") -> Bytes:
    """Return the whole content, without a byte order mark; every line ends in a line feed."""
    with _opened(path) as file:
        if isinstance(file, Path):
            return _joined(_clean(iter([np.fromfile(file, dtype=np.uint8)]), encoding, shown(path)))
        return _joined(_clean(_read(file, BLOCK), encoding, shown(path)))


def blocks(path: str | os.PathLike[str], encoding: str = "utf-8", size: int = BLOCK) -> Iterator[Bytes]:
    """Yield the content as `load` gives it, in pieces of about `size` bytes."""
    with _opened(path) as file:
        if isinstance(file, Path):
            with file.open("rb", buffering=0) as plain:
                yield from _clean(_read(plain, size), encoding, shown(path))
        else:
            yield from _clean(_read(file, size), encoding, shown(path))


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[Path | IO[bytes]]:
    """Give a plain file as a path, anything else as a stream of its decompressed bytes."""
    name = shown(path)
    try:
        if name == "standard input":
            stream: Any = sys.stdin.buffer
            yield unpacked(stream, stream.peek(4)[:4])
            return
        place = Path(path)
        with place.open("rb") as file:
            magic = file.peek(4)[:4]
            if place.is_file() and not is_packed(magic):
                yield place
            else:
                yield unpacked(file, magic)
    except FileNotFoundError:
        raise DataError(f"there is no file {name}; check the path") from None
    except IsADirectoryError:
        raise DataError(f"{name} is a folder; name a file in it") from None
    except PermissionError:
        raise DataError(f"{name} may not be read; check its permissions") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{name} is a damaged gzip file ({error}); fetch or pack it again") from None
    except OSError as error:
        raise DataError(f"{name} cannot be read: {error.strerror or error}") from None


def is_packed(head: bytes) -> bool:
    """Tell whether bytes begin as compressed files do."""
    return head.startswith((_GZIP, _ZSTD))


def unpacked(file: IO[bytes], magic: bytes) -> IO[bytes]:
    """Return the stream of a file's decompressed bytes; `magic` are its first."""
    if magic.startswith(_GZIP):
        return gzip.GzipFile(fileobj=file)  # type: ignore[return-value]
    if magic.startswith(_ZSTD):
        import pyarrow as pa

        stream: Any = pa.input_stream(file, compression="zstd")
        return stream  # type: ignore[no-any-return]
    return file


def _read(file: IO[bytes], size: int) -> Iterator[Bytes]:
    while piece := file.read(size):
        yield np.frombuffer(piece, dtype=np.uint8)


def _joined(pieces: Iterable[Bytes]) -> Bytes:
    found = list(pieces)
    if len(found) == 1:
        return found[0]
    return np.concatenate(found) if found else np.empty(0, dtype=np.uint8)


def _clean(pieces: Iterator[Bytes], encoding: str, name: str) -> Iterator[Bytes]:
    """Turn raw pieces into UTF-8 with line feeds; what plain UTF-8 files hold passes through uncopied."""
    first = next(pieces, None)
    if first is None:
        return
    mark, found = next(((m, e) for m, e in MARKS if first[:4].tobytes().startswith(m)), (b"", ""))
    encoding = _codec(encoding, name)
    if encoding not in ("utf-16", "utf-32"):  # which read the mark themselves
        pieces, encoding = chain([first[len(mark) :]], pieces), found if found and encoding == "utf-8" else encoding
    else:
        pieces = chain([first], pieces)
    if encoding != "utf-8":
        pieces = _transcoded(pieces, encoding, name)
    yield from _with_line_feeds(pieces)


def _codec(encoding: str, name: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise UsageError(f"{name}: there is no encoding {encoding!r}; try utf-8, latin-1 or cp1252") from None


def _transcoded(pieces: Iterator[Bytes], encoding: str, name: str) -> Iterator[Bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    seen = 0
    try:
        for piece in pieces:
            yield np.frombuffer(decoder.decode(piece.tobytes()).encode(), dtype=np.uint8)
            seen += len(piece)
        yield np.frombuffer(decoder.decode(b"", final=True).encode(), dtype=np.uint8)
    except UnicodeError as error:
        where = seen + int(getattr(error, "start", 0)) + 1
        raise DataError(f"{name}: byte {where} is not {encoding}; name another --encoding") from None


def _with_line_feeds(pieces: Iterator[Bytes]) -> Iterator[Bytes]:
    """Turn lone carriage returns into line feeds if the head of the text ends lines by those only."""
    first, size = [], 0
    for piece in pieces:
        first.append(piece)
        size += len(piece)
        if size >= HEAD:
            break
    head = _joined(first)[:HEAD]
    lone = bool((head[:-1] == ord("\r")).any()) and not (head == ord("\n")).any()
    for piece in chain(first, pieces):
        yield np.where(piece == ord("\r"), np.uint8(ord("\n")), piece) if lone else piece
