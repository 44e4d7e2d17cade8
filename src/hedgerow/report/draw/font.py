"""The width of drawn text, without a font file, so that words in pictures are not cut and do not overlap."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

FAMILY = "Arial, Helvetica, 'Liberation Sans', 'DejaVu Sans', sans-serif"
# Hundredths of the font size for the signs from space to tilde: the wider one of Arial and DejaVu Sans, for a reader's
# machine may have either.
PLAIN = (
    32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84,
    84, 84, 56, 102, 69, 69, 73, 78, 67, 62, 78, 76, 30, 50, 67, 56, 87, 75, 79, 67, 79, 73, 67, 62, 74, 69, 99, 69, 67,
    69, 40, 34, 40, 84, 56, 50, 62, 64, 55, 64, 62, 36, 64, 64, 28, 28, 58, 28, 98, 64, 62, 64, 64, 42, 53, 40, 64, 60,
    82, 60, 60, 53, 64, 34, 64, 84,
)  # fmt: skip
BOLD = (
    35, 46, 53, 84, 70, 101, 88, 31, 46, 46, 53, 84, 38, 42, 38, 37, 70, 70, 70, 70, 70, 70, 70, 70, 70, 70, 40, 40, 84,
    84, 84, 62, 100, 78, 77, 74, 84, 69, 69, 83, 84, 38, 56, 78, 64, 100, 84, 86, 74, 86, 78, 73, 69, 82, 78, 111, 78,
    73, 73, 46, 37, 46, 84, 56, 50, 68, 72, 60, 72, 68, 44, 72, 72, 35, 35, 67, 35, 105, 72, 69, 72, 72, 50, 60, 48, 72,
    66, 93, 65, 66, 59, 72, 37, 72, 84,
)  # fmt: skip
DOTS = "..."


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return the maximum width of a line of text, in units of the font size."""
    return sum(_advance(sign, bold) for sign in text) * size / 100


def fit_text(text: str, size: float, most: float, bold: bool = False) -> str:
    """Return the text, shortened with dots if it is too wide."""
    if text_width(text, size, bold) <= most:
        return text
    room = most - text_width(DOTS, size, bold)
    kept = 0
    for sign in text:
        room -= text_width(sign, size, bold)
        if room < 0:
            break
        kept += 1
    return text[:kept].rstrip() + DOTS


def fold_words(words: Iterable[str], size: float, most: float) -> list[str]:
    """Return words as lines that fit; words that do not fit are shortened."""
    lines = [""]
    for word in words:
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and text_width(longer, size) > most:
            lines.append(fit_text(word, size, most))
        else:
            lines[-1] = fit_text(longer, size, most)
    return lines


@lru_cache(maxsize=4096)
def _advance(sign: str, bold: bool) -> int:
    table = BOLD if bold else PLAIN
    kind = unicodedata.category(sign)
    if kind in ("Mn", "Me", "Cf"):
        return 0
    base = unicodedata.normalize("NFD", sign)[0]  # é is as wide as e
    if " " <= base <= "~":
        return table[ord(base) - 32]
    if unicodedata.east_asian_width(sign) in "WF":
        return 130 if kind == "So" else 105
    letter = 120 if kind in ("Lu", "Lt") else 95
    return letter * 9 // 8 if bold else letter
