"""Terminal: the width of text, and the capabilities of the terminal."""

from __future__ import annotations

import math
from dataclasses import dataclass

COLUMNS = 100


@dataclass(frozen=True)
class Terminal:
    """Where text is displayed.

    Parameters
    ----------
    columns
        Maximum width of a line.
    folded
        Whether rules are wrapped too; if the output is not a terminal, each rule is one line.
    in_color
        Whether marked words are shown in color.
    """

    columns: int = COLUMNS
    folded: bool = False
    in_color: bool = False

    @property
    def room_of_rules(self) -> float:
        """Maximum width of a line of a rule."""
        return self.columns if self.folded else math.inf

    def narrower(self, indent: str) -> Terminal:
        """Return the terminal with the width reduced by an indent."""
        return Terminal(self.columns - len(indent), self.folded, self.in_color)
