"""Writing files whole or not at all: beside their place first, then renamed into it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


@contextmanager
def aside(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing that takes its place only when all went well; otherwise nothing is left behind.

    A link stays a link. What is there and no ordinary file, such as a pipe or a device, is written to directly.
    """
    final = Path(os.path.realpath(path))
    if final.exists() and not final.is_file():
        with open(final, "wb") as stream:
            yield stream
        return
    part = final.with_name(f".{final.name[:80]}.{os.urandom(4).hex()}.part")
    try:
        with open(part, "xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(part, final)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
    _sync_folder(final.parent)


def _sync_folder(folder: Path) -> None:
    """Make the renaming last through a power cut, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
