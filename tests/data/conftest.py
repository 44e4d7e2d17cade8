"""What the tests of files share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hedgerow.data.formats import row_blocks
from hedgerow.data.table import files


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files be read a few bytes at a time, so that small texts come in many blocks."""

    def few(path: str, encoding: str, size: int = 0, witness: files.ChangeWatch | None = None) -> Iterator[files.Bytes]:
        del size
        return files.blocks(path, encoding, 9, witness)

    monkeypatch.setattr(row_blocks, "blocks", few)
