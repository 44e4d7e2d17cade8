"""How printed models write names, levels and numbers, so that a print can be read back."""

from __future__ import annotations

import math
import re

# Words with a meaning of their own in a printed model. Some wait for their use, so that a list printed today
# still reads the same when they have it.
KEYWORDS = frozenset({"if", "and", "then", "otherwise", "is", "missing", "in", "contains", "not", "or"})

_PLAIN = re.compile(r"[\w.+%$&@-]+")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.?)", re.DOTALL)
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_LONG = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}


def level_text(level: str) -> str:
    """Return a level as it prints: bare when it is a plain word, else quoted."""
    plain = _PLAIN.fullmatch(level) and level.isprintable() and level.lower() not in KEYWORDS
    return level if plain else quoted(level)


def name_text(name: str) -> str:
    """Return a column's name as it prints; quoted also when it looks like the number of an interval."""
    return quoted(name) if number_or_none(name) is not None else level_text(name)


def quoted(word: str) -> str:
    """Return the word in double quotes, on one line whatever it holds."""
    return '"' + "".join(_escaped(letter) for letter in word) + '"'


def unquoted(text: str) -> str:
    """Return the word that `quoted` wrote; an escape it never writes raises ValueError."""
    return _ESCAPE.sub(_unescaped, text[1:-1])


def number_or_none(text: str) -> float | None:
    """Return the number that the text is, or None when it is none or not finite."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _escaped(letter: str) -> str:
    if letter in _SHORT:
        return _SHORT[letter]
    if letter.isprintable():
        return letter
    code = ord(letter)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _unescaped(match: re.Match[str]) -> str:
    escape = match[1]
    if len(escape) > 1:
        return chr(int(escape[1:], 16))
    if escape not in _LONG:
        raise ValueError(f"the escape '\\{escape}' is unknown; write '\\\\' for a backslash")
    return _LONG[escape]
