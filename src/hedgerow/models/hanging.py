"""Lists in print: a head, and behind it items with commas, in lines whose items stand below each other."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.data.cells import width

WIDTH = 100  # of a line in the print of a model


def hanging(head: str, items: Sequence[str], most: int = WIDTH) -> list[str]:
    """Return the lines, of at most `most` cells where that can be; they are broken between items only.

    >>> hanging("ham   ", ["lunch 3", "noon 2", "later 1"], 22)
    ['ham   lunch 3, noon 2,', '      later 1']
    """
    lines, line = [], head
    for number, item in enumerate(items):
        piece = item + ("," if number + 1 < len(items) else "")
        if line != head and line.strip() and width(line) + width(piece) > most:
            lines.append(line.rstrip())
            line = " " * width(head)
        line += piece + " "
    return [*lines, line.rstrip()]
