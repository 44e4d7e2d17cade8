"""Places: where known levels stand among more of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class LevelPositions:
    """Where known levels stand among `total` levels."""

    known: list[int]
    total: int


def places(old: Sequence[str], new: Sequence[str]) -> LevelPositions:
    """Return where the old levels stand among the new ones."""
    where = {level: code for code, level in enumerate(new)}
    return LevelPositions([where[level] for level in old], len(new))
