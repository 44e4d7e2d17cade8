"""Terminal: how wide text may be, and what else the reader's terminal can show."""

from __future__ import annotations

import math
from dataclasses import dataclass

COLUMNS = 100


@dataclass(frozen=True)
class Terminal:
    """Where text is shown.

    Parameters
    ----------
    columns
        How many cells a line may take.
    folded
        Whether rules are broken to fit too; elsewhere than on a terminal a rule is a line, however long.
    in_color
        Whether marked words are shown in color.
    """

    columns: int = COLUMNS
    folded: bool = False
    in_color: bool = False

    @property
    def room_of_rules(self) -> float:
        """How many cells a line of a rule may take."""
        return self.columns if self.folded else math.inf

    def narrower(self, indent: str) -> Terminal:
        """Return what is left of the terminal beside an indent."""
        return Terminal(self.columns - len(indent), self.folded, self.in_color)
