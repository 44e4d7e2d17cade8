"""Unusual values (numbers, words, JSON, bytes), and ways to damage valid ones."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

NUMBERS: tuple[float, ...] = (
    0.0, -0.0, 1.0, -1.0, 0.1, 1 / 3, 2.5, 7.0, 1e-5, 1e5, 1e15, 2.0**53, 1e18, -1e18, 1e30, 1e100, -1e100, 1e150,
    1e154, 1e200, -1e200, 1e300, -1e300, 1.7976931348623157e308, -1.7976931348623157e308, 1e-30, 1e-150, 1e-300,
    2.2250738585072014e-308, 5e-324, -5e-324, 1e-310,
)  # fmt: skip
WORDS: tuple[str, ...] = (
    "a", "b", "yes", "no", "", " ", "?", "NaN", "None", "null", "1", "-1", "1e400", "inf", "=1+1", "@", "#", "%", "{",
    "}", "'", '"', "\\", ",", ";", "\t", "\n", "\r", "\x00", "\x1b[31m", "\x85", "\u2028", "é", "e\u0301", "ß", "İ",
    "茶", "\u202e", "\ufeff", "\U0001f9ea", "<=", "a = b", "if a then b", "otherwise", "x" * 300, "target", "class",
    "__class__",
)  # fmt: skip
JSON_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 255, 2**31, -(2**31), 2**32, 4_000_000_000, 2**53, 2**63, 2**64, 10**30, 0.0,
    -0.0, 0.5, 1.5, 1e-300, 5e-324, 1e18, 1e150, 1e300, 1e308, -1e308, "", "a", "x", "nan", "inf", "-inf", "\ud800",
    "0", "é", [], {}, [0], [[]], [None], [1e308, 1e308], ["a", "a"], {"a": 1}, {"array": "a0"},
    {"array": [0, "float64", [1]]}, "x" * 300,
)  # fmt: skip


def spots(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every position in nested lists and dicts: the container, and its key or index."""
    for key, item in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(item, dict | list):
            yield from spots(item)


def changed_json(random: Random, value: Any, changes: int = 1) -> Any:
    """Return a copy of JSON values with some of them replaced, removed, repeated or slightly changed."""
    value = copy.deepcopy(value)
    for _ in range(changes):
        places = list(spots(value)) if isinstance(value, dict | list) else []
        if not places:
            return random.choice(JSON_VALUES)
        where, key = random.choice(places)
        match random.choice(("replace", "replace", "replace", "remove", "nudge", "swap", "repeat")):
            case "remove":
                del where[key]
            case "nudge" if isinstance(where[key], int | float) and not isinstance(where[key], bool):
                where[key] = random.choice((where[key] + 1, where[key] - 1, -where[key], where[key] * 1e9))
            case "swap":
                other, place = random.choice(places)
                if isinstance(other, list) and not isinstance(place, str) and place >= len(other):
                    continue
                where[key] = copy.deepcopy(other.get(place) if isinstance(other, dict) else other[place])
            case "repeat" if isinstance(where, list):
                where.insert(key, copy.deepcopy(where[key]))
            case _:
                where[key] = copy.deepcopy(random.choice(JSON_VALUES))
    return value


def changed_text(random: Random, text: str, pieces: Iterable[str] = ()) -> str:
    """Return a text after some changes: parts removed, repeated, swapped or replaced by unusual ones."""
    odd = (*WORDS, *(repr(number) for number in NUMBERS), *pieces)
    for _ in range(random.choice((1, 1, 2, 3, 8))):
        start = random.randrange(len(text) + 1)
        stop = min(len(text), start + random.choice((0, 1, 1, 2, 5, 20)))
        match random.choice(("put", "put", "put", "cut", "repeat", "lines", "number")):
            case "put":
                text = text[:start] + random.choice(odd) + text[stop:]
            case "cut":
                text = text[:start] + text[stop:]
            case "repeat":
                text = text[:stop] + text[start:stop] * random.choice((1, 2, 50)) + text[stop:]
            case "lines":
                lines = text.splitlines(keepends=True)
                random.shuffle(lines)
                text = "".join(lines[: random.randint(0, len(lines))])
            case "number":
                digits = [place for place, sign in enumerate(text) if sign.isdigit()]
                if digits:
                    place = random.choice(digits)
                    text = text[:place] + repr(random.choice(NUMBERS)) + text[place + 1 :]
    return text


def changed_bytes(random: Random, data: bytes) -> bytes:
    """Return bytes after some changes: bits flipped, parts removed or repeated, the end truncated."""
    out = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 5))):
        place = random.randrange(len(out) + 1)
        match random.choice(("flip", "flip", "set", "cut", "repeat", "end", "insert")):
            case "flip" if place < len(out):
                out[place] ^= 1 << random.randrange(8)
            case "set" if place < len(out):
                out[place] = random.choice((0, 1, 9, 10, 13, 34, 39, 44, 127, 128, 192, 254, 255))
            case "cut":
                del out[place : place + random.choice((1, 2, 8))]
            case "repeat":
                out[place:place] = out[place : place + random.choice((1, 8, 40))]
            case "end":
                del out[place:]
            case _:
                out[place:place] = bytes(random.randrange(256) for _ in range(random.choice((1, 3))))
    return bytes(out)


def shorter(text: str) -> Iterator[str]:
    """Yield a text with parts left out, large ones first."""
    size = len(text) // 2
    while size:
        for start in range(0, len(text), size):
            yield text[:start] + text[start + size :]
        size //= 2
