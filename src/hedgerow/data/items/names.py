"""How items are written, and read back: `Outlook=Sunny`, `77.5<Humidity<=82.5`, `whole milk`, `"a, b"`.

A word is bare if it can be told from what stands around it, else in double quotes. So a name tells by itself what it
tests, and a text of rules needs nothing beside it.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from hedgerow.data.table.table import Numbers
from hedgerow.layout.numbers import format_number
from hedgerow.layout.quotes import quote_text, unquote_text

_BARE = re.compile(r'(?!#)[^\s{},"=<>:\\]+(?: [^\s{},"=<>:\\]+)*')
_LEVEL = re.compile(r'(?!#)[^\s{},"=<>\\]+(?: [^\s{},"=<>\\]+)*')  # behind a sign; there a colon is a letter
_WORD = r'(?:"(?:[^"\\]|\\.)*"|[^\s{},"=<>:\\]+(?:\s+[^\s{},"=<>:\\]+)*)'
_VALUE = r'(?:"(?:[^"\\]|\\.)*"|[^\s{},"=<>\\]+(?:\s+[^\s{},"=<>\\]+)*)'
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_ITEM = re.compile(
    rf"""(?P<low>{_NUMBER})\s*<\s*(?P<inner>{_WORD})\s*<=\s*(?P<high>{_NUMBER})
       | (?P<column>{_WORD})\s*(?:(?P<sign>[=:])\s*(?P<value>{_VALUE}) | (?P<side><=|>)\s*(?P<bound>{_NUMBER}))
       | (?P<word>{_WORD})""",
    re.VERBOSE | re.DOTALL,
)


class ItemName(NamedTuple):
    """The parts of an item's name: the column and a level, a word in its bag or an interval; or a bare word."""

    column: str
    word: str | None = None  # a level, or a word of a bag
    in_bag: bool = False
    low: float | None = None
    high: float | None = None

    @property
    def is_bare(self) -> bool:
        """Whether the name is one word: that of a basket, or a column's whose value is not zero."""
        return self.word is None and self.low is None and self.high is None

    def __str__(self) -> str:
        if self.word is not None:
            return (bag_item if self.in_bag else level_item)(self.column, self.word)
        return format_bare_item(self.column) if self.is_bare else interval_item(self.column, self.low, self.high)


def format_bare_item(word: str) -> str:
    """Return a word of a basket, or a column's name, as an item."""
    return word if _BARE.fullmatch(word) and word.isprintable() else quote_text(word)


def level_item(column: str, level: str) -> str:
    """Return a column's level as an item."""
    return f"{format_bare_item(column)}={_value(level)}"


def bag_item(column: str, word: str) -> str:
    """Return a word in a bag, in a table with other columns, as an item."""
    return f"{format_bare_item(column)}:{_value(word)}"


def interval_item(column: str, low: float | None, high: float | None) -> str:
    """Return an interval of a column as an item; None is an open end, of which there is at most one."""
    name = format_bare_item(column)
    if low is None and high is not None:
        return f"{name}<={format_number(high)}"
    if low is not None and high is None:
        return f"{name}>{format_number(low)}"
    assert low is not None
    assert high is not None
    return f"{format_number(low)}<{name}<={format_number(high)}"


def interval_items(column: str, cuts: Numbers) -> list[str]:
    """Return the intervals between cuts, of which there is at least one, as items."""
    points = [float(cut) for cut in cuts.tolist()]
    inner = [interval_item(column, low, high) for low, high in pairwise(points)]
    return [interval_item(column, None, points[0]), *inner, interval_item(column, points[-1], None)]


def read_item(text: str, start: int = 0) -> tuple[ItemName, int]:
    """Return the item at a position of a text, and the position after it; ValueError if there is none."""
    match = _ITEM.match(text, start)
    if match is None:
        raise ValueError("expected an item")
    if match["inner"] is not None:
        return ItemName(
            _quote_word(match["inner"]), low=_number(match["low"]), high=_number(match["high"])
        ), match.end()
    if match["bound"] is not None:
        bound = _number(match["bound"])
        column = _quote_word(match["column"])
        item_name = ItemName(column, high=bound) if match["side"] == "<=" else ItemName(column, low=bound)
        return item_name, match.end()
    if match["value"] is not None:
        return ItemName(_quote_word(match["column"]), _quote_word(match["value"]), match["sign"] == ":"), match.end()
    return ItemName(_quote_word(match["word"])), match.end()


def _value(word: str) -> str:
    return word if _LEVEL.fullmatch(word) and word.isprintable() else quote_text(word)


def _quote_word(text: str) -> str:
    return unquote_text(text) if text.startswith('"') else " ".join(text.split())


def _number(text: str) -> float:
    number = float(text) + 0.0  # no negative zero
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"the number {text} is too large")
    return number
