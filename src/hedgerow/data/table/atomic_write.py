"""Atomic writes: files are written to a temporary name in the same folder, then renamed."""

from __future__ import annotations

import errno
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from hedgerow.errors import DataError

try:
    import fcntl
except ImportError:  # pragma: no cover (Windows)
    fcntl = None  # type: ignore[assignment]

_PART = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{8}\.part", re.DOTALL)
_NAME = 80  # letters of a file's name that the part of it has
OLD, OLD_OTHER = 60, 24 * 3600  # seconds after which parts that nobody writes are removed: of this file, of others
_REMEDIES = {
    errno.ENOSPC: "free some space, or name a file on another disk",
    errno.EDQUOT: "free some space, or name a file on another disk",
    errno.EFBIG: "the system does not allow a larger file; name one on another disk, or raise the limit",
    errno.EACCES: "name a file in a folder that you may write to",
    errno.EROFS: "name a file in a folder that you may write to",
}


def write_error(path: str | os.PathLike[str], problem: OSError | ValueError) -> DataError:
    """Return the error for a file that cannot be written."""
    code = getattr(problem, "errno", None)
    reason = getattr(problem, "strerror", None) or str(problem)
    remedy = f"; {_REMEDIES[code]}" if code in _REMEDIES else ""
    return DataError(f"{os.fspath(path)} cannot be written: {reason}{remedy}")


@contextmanager
def naming(path: str | os.PathLike[str], *parts: Path) -> Iterator[None]:
    """Make errors of the system that name no file, or one of `parts`, errors about the file at `path`."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as problem:
        if problem.filename is not None and Path(problem.filename) not in (Path(path), *parts):
            raise
        raise write_error(path, problem) from None


@contextmanager
def open_atomic(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing that replaces its target only on success; otherwise no file remains.

    A link stays a link. What is there and no ordinary file, such as a pipe or a device, is written to directly. What
    killed processes left behind is removed. If the file cannot be written, a `DataError` names it.
    """
    try:
        final = Path(os.path.realpath(path))
        is_special = final.exists() and not final.is_file()
    except (OSError, ValueError) as problem:  # the latter for a NUL in the name
        raise write_error(path, problem) from None
    if is_special:
        with naming(path, final), open(final, "wb") as stream:
            yield stream
        return
    part = final.with_name(f".{final.name[:_NAME]}.{os.urandom(4).hex()}.part")
    with naming(path, final, part):
        try:
            with open(part, "xb") as stream:
                _hold(stream)
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(part, final)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise
    _sync_folder(final.parent)
    _remove_old_parts(final)


@contextmanager
def open_to_append(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing whose content is added to the end of an existing file, only on success.

    A last line without a line end is ended first, unless the file is compressed.
    """
    final = Path(os.path.realpath(path))
    part = final.with_name(f".{final.name[:_NAME]}.{os.urandom(4).hex()}.part")
    with naming(path, final, part):
        try:
            with open(part, "x+b") as stream:
                _hold(stream)
                yield stream
                stream.flush()
                stream.seek(0)
                _append(stream, final)
        finally:
            with suppress(OSError):
                part.unlink()


def _append(stream: IO[bytes], final: Path) -> None:
    with open(final, "r+b") as whole:
        size = whole.seek(0, os.SEEK_END)
        whole.seek(max(size - 1, 0))
        is_ended = whole.read(1) in (b"", b"\n") or final.suffix.lower() == ".gz"
        try:
            whole.write(b"" if is_ended else b"\n")
            shutil.copyfileobj(stream, whole)
            whole.flush()
            os.fsync(whole.fileno())
        except BaseException:
            whole.truncate(size)
            raise


def _hold(stream: IO[bytes]) -> None:
    """Lock a part for as long as its process writes it; the system unlocks it if the process dies."""
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _remove_old_parts(final: Path) -> None:
    """Remove the parts that killed processes left in the folder of a file: those that are not locked or recent."""
    with suppress(OSError), os.scandir(final.parent) as entries:
        for entry in entries:
            if (match := _PART.fullmatch(entry.name)) is not None:
                least_age = OLD if match["name"] == final.name[:_NAME] else OLD_OTHER
                with suppress(OSError):
                    if entry.is_file(follow_symlinks=False) and _is_abandoned(entry, least_age):
                        os.unlink(entry.path)


def _is_abandoned(entry: os.DirEntry[str], least_age: float) -> bool:
    """Whether a part is old enough and not locked by a process."""
    if time.time() - entry.stat(follow_symlinks=False).st_mtime < (least_age if fcntl is not None else OLD_OTHER):
        return False
    if fcntl is None:
        return True
    with open(entry.path, "rb") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True


def _sync_folder(folder: Path) -> None:
    """Make the renaming last through a power cut, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
