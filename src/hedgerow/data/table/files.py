"""The bytes of a file or of standard input as UTF-8: decompressed, transcoded, whole or block by block."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import stat
import sys
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table import file_signatures
from hedgerow.errors import DataError, UsageError

Bytes = NDArray[np.uint8]

BLOCK = 1 << 23
ENDS = 1 << 12  # bytes at both ends of a file that are compared
HEAD = 1 << 16  # how much is looked at to tell the line ends
COMPRESSED = (".gz", ".zst", ".bz2", ".xz", ".lzma")
CSV_SUFFIXES = (".csv", ".tsv", ".tab")
_GZIP, _ZSTD, _XZ, _BZIP, _ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\x00", b"BZh", b"PK\x03\x04"
_BZIP_BLOCK = b"\x31\x41\x59\x26\x53\x59"
MARKS = (  # byte order marks; those of UTF-32 first, since they begin as those of UTF-16 do
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def format_path(path: str | os.PathLike[str]) -> str:
    """Return how messages call a path."""
    return "standard input" if os.fspath(path) == "-" else os.fspath(path)


def suffix(path: str | os.PathLike[str]) -> str:
    """Return the extension of the format, in lower case: ``.csv`` for ``a.CSV.gz``."""
    suffixes = [part.lower() for part in Path(path).suffixes]
    while suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    if Path(path).suffix.lower() == ".zip" and Path(path).is_file():
        with suppress(OSError, zipfile.BadZipFile), zipfile.ZipFile(path) as archive:
            members = zip_members(archive)
            return suffix(Path(members[0].filename).name) if len(members) == 1 else ""
    return suffixes[-1] if suffixes else ""


class ChangeWatch:
    """Records the state of files when they are first read, and detects changes.

    Size, time of change and inode are compared, and a checksum of the first and last bytes.
    """

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, ...] | None] = {}

    def check(self, path: str | os.PathLike[str]) -> None:
        """Raise an error if a file has changed since it was first read; only regular files are checked."""
        name = os.fspath(path)
        stamp = _stamp(name)
        if stamp is None and name not in self._seen:
            return  # if it should be a file, the reader says what is wrong with it
        if self._seen.setdefault(name, stamp) != stamp:
            raise DataError(
                f"{format_path(path)} changed while it was being read, so its rows may not belong together; "
                "read it again "
                "when nothing writes to it, or read a copy"
            )


def _stamp(name: str) -> tuple[int, ...] | None:
    """Return the state of an ordinary file, to detect changes; None for pipes and devices."""
    try:
        about = os.stat(name)
        if not stat.S_ISREG(about.st_mode):  # a pipe must not be opened twice
            return None
        with open(name, "rb", buffering=0) as file:
            ends = file.read(ENDS) or b""
            file.seek(max(about.st_size - ENDS, 0))
            ends += file.read(ENDS) or b""
    except OSError:
        return None
    return about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, zlib.crc32(ends)


def load(path: str | os.PathLike[str], encoding: str = "utf-8", witness: ChangeWatch | None = None) -> Bytes:
    """Return the whole content, without a byte order mark; every line ends in a line feed."""
    with _open_decompressed(path) as file:
        if isinstance(file, Path):
            if witness is not None:
                witness.check(path)
            content = np.fromfile(file, dtype=np.uint8)
            if witness is not None:
                witness.check(path)
            return _join_pieces(_clean(iter([content]), encoding, format_path(path)))
        return _join_pieces(_clean(_read(file, BLOCK), encoding, format_path(path)))


def blocks(
    path: str | os.PathLike[str], encoding: str = "utf-8", size: int = BLOCK, witness: ChangeWatch | None = None
) -> Iterator[Bytes]:
    """Yield the content as `load` gives it, in pieces of about `size` bytes; a witness notices if it changes."""
    with _open_decompressed(path) as file:
        if isinstance(file, Path):
            with file.open("rb", buffering=0) as plain:
                yield from _clean(_watch_pieces(_read(plain, size), path, witness), encoding, format_path(path))
        else:
            yield from _clean(_watch_pieces(_read(file, size), path, witness), encoding, format_path(path))


def _watch_pieces(
    pieces: Iterator[Bytes], path: str | os.PathLike[str], witness: ChangeWatch | None
) -> Iterator[Bytes]:
    """Yield pieces of a file as long as it does not change."""
    if witness is None or format_path(path) == "standard input":
        yield from pieces
        return
    witness.check(path)
    for piece in pieces:
        witness.check(path)
        yield piece
    witness.check(path)


@contextmanager
def _open_decompressed(path: str | os.PathLike[str]) -> Iterator[Path | IO[bytes]]:
    """Give a plain file as a path, anything else as a stream of its decompressed bytes."""
    name = format_path(path)
    try:
        if name == "standard input":
            stream: Any = sys.stdin.buffer
            yield decompress(stream, stream.peek(file_signatures.HEAD)[: file_signatures.HEAD], name)
            return
        place = Path(path)
        if place.is_char_device() or place.is_block_device():  # such as /dev/zero, which never ends
            raise DataError(f"{name} is a device, not a file; name a file, or - for standard input")
        with place.open("rb") as file:
            head = file.peek(file_signatures.HEAD)[: file_signatures.HEAD]
            content = decompress(file, head, name)
            yield place if content is file and place.is_file() else content
    except FileNotFoundError:
        raise DataError(f"there is no file {name}; check the path") from None
    except IsADirectoryError:
        raise DataError(f"{name} is a folder; name a file in it") from None
    except PermissionError:
        raise DataError(f"permission to read {name} is denied; check its permissions") from None
    except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
        what = "gzip" if first_bytes(path).startswith(_GZIP) else "compressed"
        raise DataError(f"{name} is a damaged {what} file ({error}); download or compress it again") from None
    except OSError as error:
        raise DataError(f"{name} cannot be read: {error.strerror or error}") from None


def is_compressed(head: bytes) -> bool:
    """Return whether bytes begin as compressed files do."""
    return head.startswith((_GZIP, _ZSTD, _XZ)) or _is_bzip(head)


def _is_bzip(head: bytes) -> bool:
    return head.startswith(_BZIP) and head[4:10] == _BZIP_BLOCK


def first_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the first bytes of an ordinary file; none of anything else, and none if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(file_signatures.HEAD) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else b""
    except OSError:
        return b""


def zip_members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the files in an archive, without those that macOS adds."""
    return [
        member
        for member in archive.infolist()
        if not member.is_dir() and not member.filename.startswith("__MACOSX/") and ".DS_Store" not in member.filename
    ]


def _open_member(file: IO[bytes], name: str) -> IO[bytes]:
    """Return the decompressed bytes of the only file in a zip archive."""
    archive = zipfile.ZipFile(file if file.seekable() else io.BytesIO(file.read()))
    members = zip_members(archive)
    if len(members) != 1:
        names = ", ".join(repr(member.filename) for member in members[:8])
        raise DataError(f"{name} is a zip archive of {len(members)} files ({names}); unpack it and name one of them")
    if members[0].flag_bits & 1:
        raise DataError(f"{name} is a zip archive with a password; unpack it and name the file in it")
    stream = io.BufferedReader(archive.open(members[0]))  # type: ignore[type-var]
    head = stream.peek(file_signatures.HEAD)[: file_signatures.HEAD]
    return decompress(stream, head, f"what {name} holds")


def decompress(file: IO[bytes], head: bytes, name: str) -> IO[bytes]:
    """Return the stream of a file's decompressed bytes; `head` are its first. What is known to be no text raises."""
    if head.startswith(_GZIP):
        plain: Any = gzip.GzipFile(fileobj=file)
        file_signatures.check_text(plain.peek(file_signatures.HEAD)[: file_signatures.HEAD], f"what {name} holds")
        return plain  # type: ignore[no-any-return]
    if head.startswith(_ZSTD):
        import pyarrow as pa

        stream: Any = pa.input_stream(file, compression="zstd")
        return stream  # type: ignore[no-any-return]
    if head.startswith(_XZ) or _is_bzip(head):
        unpacked: Any = (lzma.LZMAFile if head.startswith(_XZ) else bz2.BZ2File)(file)
        file_signatures.check_text(unpacked.peek(file_signatures.HEAD)[: file_signatures.HEAD], f"what {name} holds")
        return unpacked  # type: ignore[no-any-return]
    if head.startswith(_ZIP) and file_signatures.is_plain_zip(head):
        return _open_member(file, name)
    file_signatures.check_text(head, name)
    return file


def _read(file: IO[bytes], size: int) -> Iterator[Bytes]:
    while piece := file.read(size):
        yield np.frombuffer(piece, dtype=np.uint8)


def _join_pieces(pieces: Iterable[Bytes]) -> Bytes:
    pieces_list = list(pieces)
    if len(pieces_list) == 1:
        return pieces_list[0]
    return np.concatenate(pieces_list) if pieces_list else np.empty(0, dtype=np.uint8)


def _clean(pieces: Iterator[Bytes], encoding: str, name: str) -> Iterator[Bytes]:
    """Turn raw pieces into UTF-8 with line feeds; plain UTF-8 is passed on without copying."""
    first = next(pieces, None)
    if first is None:
        return
    mark, text = next(((m, e) for m, e in MARKS if first[:4].tobytes().startswith(m)), (b"", ""))
    encoding = _codec(encoding, name)
    if encoding not in ("utf-16", "utf-32"):  # which read the mark themselves
        pieces, encoding = chain([first[len(mark) :]], pieces), text if text and encoding == "utf-8" else encoding
    else:
        pieces = chain([first], pieces)
    if encoding != "utf-8":
        pieces = _transcode(pieces, encoding, name)
    yield from _normalize_line_ends(pieces)


def _codec(encoding: str, name: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise UsageError(f"{name}: there is no encoding {encoding!r}; try utf-8, latin-1 or cp1252") from None


def _transcode(pieces: Iterator[Bytes], encoding: str, name: str) -> Iterator[Bytes]:
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


def _normalize_line_ends(pieces: Iterator[Bytes]) -> Iterator[Bytes]:
    """Turn lone carriage returns into line feeds if the head of the text ends lines by those only."""
    first, size = [], 0
    for piece in pieces:
        first.append(piece)
        size += len(piece)
        if size >= HEAD:
            break
    head = _join_pieces(first)[:HEAD]
    lone = bool((head[:-1] == ord("\r")).any()) and not (head == ord("\n")).any()
    for piece in chain(first, pieces):
        yield np.where(piece == ord("\r"), np.uint8(ord("\n")), piece) if lone else piece
