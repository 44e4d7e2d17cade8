"""How printed models write names, levels and numbers, so that a print can be read back."""

from __future__ import annotations

import math
import re

from hedgerow.data.quotes import quoted

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


def number_or_none(text: str) -> float | None:
    """Return the number that the text is, or None when it is none or not finite."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
