"""Texts that are safe to show: no control character reaches the terminal, and every sign is one it has."""

from __future__ import annotations

import unicodedata

# What stands for signs that a terminal cannot show; each takes one cell too.
ASCII = str.maketrans("▁▂▃▄▅▆▇█▏▎▍▌▋▊▉…²µ–−�≤≥≠·", ".:-=+*%#...####~2u--?<>!.")


def clean_text(text: str) -> str:
    """Return the text with control signs replaced, so that no name or value can steer the terminal.

    >>> clean_text("red" + chr(27) + "[31m")
    'red�[31m'
    """
    if text.isprintable():
        return text
    return "".join(_visible(sign) for sign in text)


def clean_lines(text: str) -> str:
    """Return the text with control signs replaced in all of its lines."""
    return "\n".join(map(clean_text, text.split("\n")))


def fit_encoding(text: str, encoding: str) -> str:
    """Return the text as far as an encoding has its signs: bars of blocks become ASCII, the rest question marks."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(ASCII).encode(encoding, "replace").decode(encoding)
    return text


def _visible(sign: str) -> str:
    kind = unicodedata.category(sign)
    if kind == "Cf":
        return ""
    return "�" if kind in ("Cc", "Cs", "Cn", "Zl", "Zp") else sign
