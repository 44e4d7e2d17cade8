"""Separation: whether the likelihood of classes has a maximum, and if not, which columns separate which classes.

Where a sum of columns separates some rows from another class without error, and puts no row on the wrong side, the
likelihood increases with its coefficients without bound. Then the coefficients diverge as the ridge gets smaller,
and from one ridge to the next every row moves toward its own class or stays; if there is a maximum, they converge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.data.design.blocks import NumberBlock
from hedgerow.data.design.design import Design
from hedgerow.data.table.schema import listing
from hedgerow.data.table.table import Codes, Numbers
from hedgerow.learn.linear.least_squares.solve import NAMED

RIDGES = (1.0, 1e-2, 1e-4, 2e-6, 2e-8)  # on columns with deviation 1; the last one limits what would grow without bound
MOVES = 1.0  # log-odds from one ridge to the next, which is log(100) if classes are separated
STAYS = 1e-3  # share of the largest such move: maximum move of a row in the wrong direction
COUNTS = 0.1  # share of the largest part of such a move: smaller parts are not named
PAIRS = 4  # of classes that are named


@dataclass(frozen=True, eq=False)
class Margins:
    """The changes of functions of rows: for rows of a class (lines), their own relative to another (columns)."""

    low: Numbers  # minimum and maximum over the rows; 0 for a class relative to itself
    high: Numbers
    inside: Numbers  # by class: minimum over its rows and maximum over the others of its function minus the mean
    outside: Numbers

    @classmethod
    def of(cls, values: Numbers, labels: Codes) -> Margins:
        """Return the changes of rows, given one column of values per class."""
        k = values.shape[1]
        low, high = np.full((k, k), np.inf), np.full((k, k), -np.inf)
        inside, outside = np.full(k, np.inf), np.full(k, -np.inf)
        for one in np.unique(labels).tolist():
            own = values[labels == one]
            ahead = own[:, [one]] - own
            low[one], high[one] = ahead.min(axis=0), ahead.max(axis=0)
            even = own - own.mean(axis=1, keepdims=True)
            inside[one] = even[:, one].min()
            others = np.arange(k) != one
            outside[others] = np.maximum(outside[others], even.max(axis=0)[others])
        return cls(low, high, inside, outside)

    def __add__(self, other: Margins) -> Margins:
        return Margins(
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            np.minimum(self.inside, other.inside),
            np.maximum(self.outside, other.outside),
        )

    @property
    def alone(self) -> list[int]:
        """The classes that a linear function separates from all others."""
        return np.flatnonzero(np.isfinite(self.inside) & (self.inside > self.outside)).tolist()

    @property
    def certain(self) -> bool:
        """Whether functions with these values prove that classes are separated."""
        return self.complete or bool(self.alone)

    @property
    def separate(self) -> bool:
        """Whether some rows move away from other classes, and none moves back."""
        return bool(self.high.max() > MOVES and self.low.min() > -STAYS * self.high.max())

    @property
    def complete(self) -> bool:
        """Whether every row is ahead of all other classes."""
        others = ~np.eye(len(self.low), dtype=np.bool_)
        return bool(self.low[others].min() > 0)

    @property
    def completely(self) -> list[tuple[int, int]]:
        """The pairs of classes of which all rows move apart."""
        k = len(self.low)
        apart = (self.low > MOVES) & (self.low.T > MOVES) & np.isfinite(self.low) & np.isfinite(self.low.T)
        return [(a, b) for a in range(k) for b in range(a + 1, k) if apart[a, b]]

    @property
    def partly(self) -> list[tuple[int, int]]:
        """Classes of which some rows, at least, move away from another one."""
        away = self.high > MOVES
        return [(a, b) for a, b in zip(*np.nonzero(away), strict=True) if a != b]


def separating_positions(
    design: Design, deviations: Numbers, away: Numbers, based: bool, alone: Sequence[int] = ()
) -> list[int]:
    """Return the positions that count in a move of slopes (one line per class, on the user's scale), the most first.

    Where some classes are separated from all others, only theirs count.
    """
    slopes = np.vstack([np.zeros(away.shape[1]), away]) if based else away
    slopes = slopes - slopes.mean(axis=0)
    reach = np.ones(design.width)
    for (_, part), start in zip(design.used_blocks, design.starts, strict=False):
        if isinstance(part, NumberBlock):
            reach[start] = 2 * deviations[start]
    sizes = np.abs(slopes[list(alone)] if alone else slopes).max(axis=0) * reach
    order = np.argsort(-sizes, kind="stable")
    return [int(place) for place in order if sizes[place] > COUNTS * sizes.max()]


def separation_note(margins: Margins, names: Sequence[str], design: Design, places: Sequence[int]) -> str:
    """Return the sentence on which classes are distinguished, and by what."""
    by = listing(design.names_of(list(places[:NAMED])), NAMED)
    more = f" and {len(places) - NAMED} more" if len(places) > NAMED else ""
    k, apart = len(names), margins.completely
    if margins.complete or len(apart) == k * (k - 1) // 2:
        who = "the classes are" if k > 2 else f"the classes {names[0]!r} and {names[1]!r} are"
        return f"{who} separated completely by {by}{more}: they are predicted without error"
    alone = margins.alone
    if alone:
        one = len(alone) == 1
        who = f"class{'' if one else 'es'} {listing([names[a] for a in alone], NAMED)} {'is' if one else 'are'}"
        return f"{who} separated completely from all others by {by}{more}"
    if apart:
        pairs = "; ".join(f"{names[a]!r} from {names[b]!r}" for a, b in apart[:PAIRS])
        rest = f"; and {len(apart) - PAIRS} more pairs" if len(apart) > PAIRS else ""
        return f"classes are separated completely ({pairs}{rest}) by {by}{more}"
    some = sorted({a for a, _ in margins.partly})
    others = sorted({b for _, b in margins.partly} - set(some)) or [b for b in range(k) if b not in some]
    if k == 2 and len(some) == 2:
        return f"some rows of both classes are separated by {by}{more}: their class is predicted without error"
    who = f"some rows of class{'' if len(some) == 1 else 'es'} {listing([names[a] for a in some], NAMED)}"
    whom = (
        listing([names[b] for b in others], NAMED)
        if others and (k == 2 or len(others) < k - len(some))
        else "all others"
    )
    return f"{who} are separated from {whom} by {by}{more}: their class is predicted without error"
