"""Bars of block characters: a small histogram, and a share as the length of a bar."""

from __future__ import annotations

import math
from collections.abc import Sequence

BLOCKS = "▁▂▃▄▅▆▇█"


def draw_histogram(counts: Sequence[float]) -> str:
    """Return a small histogram; a space is nothing, the lowest block a little."""
    top = max(counts, default=0)
    if not top:
        return ""
    return "".join(" " if not count else BLOCKS[min(int(8 * count / top), 7)] for count in counts)


def draw_bar(share: float, cells: int = 30) -> str:
    """Return a horizontal bar of up to `cells` cells; anything above nothing shows."""
    if math.isnan(share):
        return ""
    eighths = round(min(share, 1.0) * cells * 8)
    whole, rest = divmod(max(eighths, 1) if share > 0 else 0, 8)
    return "█" * whole + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[rest]
