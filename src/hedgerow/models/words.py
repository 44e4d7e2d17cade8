"""How printed models write names, levels and numbers, so that a print can be read back."""

from __future__ import annotations

import math
import re

from hedgerow.data.dates import format_dates
from hedgerow.data.decimals import number_text
from hedgerow.data.quotes import quoted
from hedgerow.data.schema import Kind
from hedgerow.data.table import Table

# Words with a meaning of their own in a printed model. Some wait for their use, so that a list printed today
# still reads the same when they have it.
KEYWORDS = frozenset({"if", "and", "then", "otherwise", "is", "missing", "in", "contains", "not", "or"})

_PLAIN = re.compile(r"[\w.+%$&@-]+")


def level_text(level: str) -> str:
    """Return a level as it prints: bare when it is a plain word, else quoted."""
    plain = _PLAIN.fullmatch(level) and level.isprintable() and level.lower() not in KEYWORDS
    return level if plain else quoted(level)


def name_text(name: str) -> str:
    """Return a column's name as it prints; quoted also when it looks like the number of an interval."""
    return quoted(name) if number_or_none(name) is not None else level_text(name)


def value_text(table: Table, position: int) -> str:
    """Return the value of the only row of a table in a column of levels or numbers, which is not missing."""
    column = table.schema.columns[position]
    if column.kind is Kind.NOMINAL:
        return level_text(column.levels[int(table.codes(position)[0])])
    number = table.numbers(position)
    return number_text(float(number[0])) if column.date is None else format_dates(number, column.date)[0]


def term_text(term: str) -> str:
    """Return a term of texts as it prints: in quotes where it begins or ends with a blank, as runs of characters may.

    >>> term_text("free"), term_text("n ")
    ('free', '"n "')
    """
    return term if term.isprintable() and term == term.strip() and term else quoted(term)


def number_or_none(text: str) -> float | None:
    """Return the number that the text is, or None when it is none or not finite."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
