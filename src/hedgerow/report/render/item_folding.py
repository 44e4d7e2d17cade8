"""Item sets and association rules on a narrow terminal: wrapped after commas and before the arrow."""

from __future__ import annotations

import re

from hedgerow.layout.cell_width import count_cells

DEEPER = "  "
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|, | => |[^", =]+|.', re.DOTALL)


def item_pieces(rule: str) -> list[str]:
    """Return the unbreakable pieces of a rule: an item with its comma, the arrow with the next item.

    >>> item_pieces('{"salt, sea", milk} => {bread}')
    ['{"salt, sea",', 'milk}', '=> {bread}']
    """
    pieces = [""]
    for found in _PIECE.findall(rule):
        if found == " => ":
            pieces.append("=> ")
        elif found == ", ":
            pieces[-1] += ","
            pieces.append("")
        else:
            pieces[-1] += found
    return pieces


def fold_items(rule: str, columns: int, start: int) -> list[str]:
    """Return a rule as lines that start at column `start`, wrapped after commas and before the arrow."""
    if start + count_cells(rule) <= columns:
        return [" " * start + rule]
    first, *more = item_pieces(rule)
    lines = [" " * start + first]
    for piece in more:
        if count_cells(lines[-1]) + 1 + count_cells(piece) <= columns:
            lines[-1] += " " + piece
        else:
            lines.append(" " * start + DEEPER + piece)
    return lines
