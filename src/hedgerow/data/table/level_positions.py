"""LevelPositions: the positions of known levels in a larger list of levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class LevelPositions:
    """The positions of known levels among `total` levels."""

    known: list[int]
    total: int


def match_positions(old: Sequence[str], new: Sequence[str]) -> LevelPositions:
    """Return the positions of the old levels among the new ones."""
    where = {level: code for code, level in enumerate(new)}
    return LevelPositions([where[level] for level in old], len(new))
