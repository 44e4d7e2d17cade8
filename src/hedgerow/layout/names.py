"""Names as printed models write them, so that a print can be read back: names of columns, levels, terms."""

from __future__ import annotations

import math
import re

from hedgerow.layout.quotes import quote_text

# Words with a meaning of their own in a printed model. Some wait for their use, so that a list printed today
# still reads the same when they have it.
KEYWORDS = frozenset({"if", "and", "then", "otherwise", "is", "missing", "in", "contains", "not", "or"})

_PLAIN = re.compile(r"[\w.+%$&@-]+")


def format_level(level: str) -> str:
    """Return a level as it prints: bare when it is a plain word, else quoted."""
    plain = _PLAIN.fullmatch(level) and level.isprintable() and level.lower() not in KEYWORDS
    return level if plain else quote_text(level)


def format_name(name: str) -> str:
    """Return a column's name as it prints; quoted also when it looks like the number of an interval."""
    return quote_text(name) if parse_number(name) is not None else format_level(name)


def format_term(term: str) -> str:
    """Return a term of texts as it prints: in quotes where it begins or ends with a blank, as runs of characters may.

    >>> format_term("free"), format_term("n ")
    ('free', '"n "')
    """
    return term if term.isprintable() and term == term.strip() and term else quote_text(term)


def parse_number(text: str) -> float | None:
    """Return the number that the text is, or None when it is none or not finite."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
