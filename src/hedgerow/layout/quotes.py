"""Words in double quotes, on one line whatever they hold."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.?)", re.DOTALL)
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_LONG = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}


def quote_text(word: str) -> str:
    """Return the word in double quotes, on one line whatever it holds."""
    return '"' + "".join(_escape_letter(letter) for letter in word) + '"'


def quote_for_shell(word: str) -> str:
    r"""Return the word quoted for a command line; control characters as bash, zsh and ksh accept them.

    >>> quote_for_shell("Straße"), quote_for_shell("Name, Vorname")
    ('Straße', "'Name, Vorname'")
    >>> print(quote_for_shell("red" + chr(27)))
    $'red\u001b'
    """
    if not word.isprintable():
        return "$'" + "".join("\\'" if letter == "'" else _escape_letter(letter) for letter in word) + "'"
    plain = word.replace("_", "").replace("-", "").isalnum()
    return word if plain else "'" + word.replace("'", "'\\''") + "'"


def unquote_text(text: str) -> str:
    """Return the word that `quoted` wrote; an escape it never writes raises ValueError."""
    return _ESCAPE.sub(_unescape_match, text[1:-1])


def _escape_letter(letter: str) -> str:
    if letter in _SHORT:
        return _SHORT[letter]
    if letter.isprintable():
        return letter
    code = ord(letter)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _unescape_match(match: re.Match[str]) -> str:
    escape = match[1]
    if len(escape) > 1:
        return chr(int(escape[1:], 16))
    if escape not in _LONG:
        raise ValueError(f"the escape '\\{escape}' is unknown; write '\\\\' for a backslash")
    return _LONG[escape]
