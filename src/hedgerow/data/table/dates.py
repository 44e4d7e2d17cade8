"""Dates as numbers: Java's date patterns (those of ARFF) to and from seconds since 1970 in UTC."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.errors import DataError

ISO = "yyyy-MM-dd'T'HH:mm:ss"
WRITTEN = (  # known on sight
    "yyyy-MM-dd",
    ISO,
    "yyyy-MM-dd HH:mm:ss",
    "yyyy-MM-dd HH:mm",
    "yyyy-MM-dd'T'HH:mm",
    "yyyy-MM-dd HH:mm:ss.SSS",
    "yyyy-MM-dd'T'HH:mm:ss.SSS",
    "yyyy-MM-dd'T'HH:mm:ssX",
)
_SIGHT = re.compile(r"\d{4}-\d\d-\d\d")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August",
          "September", "October", "November", "December")  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
EPOCH = datetime(1970, 1, 1)  # all arithmetic here is in UTC
_PIECE = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|([^A-Za-z'])", re.DOTALL)
_NUMERIC = "yuMdHhkKmsSD"
_USED = _NUMERIC + "aEZXz"


@lru_cache(maxsize=64)
def _pieces(pattern: str) -> tuple[tuple[str, int], ...]:
    """Split a pattern into (letter, count) fields and (literal, 0) pieces."""
    pieces: list[tuple[str, int]] = []
    at = 0
    while at < len(pattern):
        match = _PIECE.match(pattern, at)
        if match is None:
            raise DataError(f"the date format {pattern!r} has an unclosed quote; close it with '")
        quoted, letter, plain = match.groups()
        if letter is not None and letter not in _USED:
            raise DataError(
                f"the date format {pattern!r} uses the unknown letter {letter!r}; use y M d H m s S, as in {ISO}"
            )
        if letter is not None:
            pieces.append((letter, len(match.group())))
        else:
            pieces.append((plain if quoted is None else quoted.replace("''", "'") or "'", 0))
        at = match.end()
    return tuple(pieces)


@lru_cache(maxsize=64)
def parser(pattern: str) -> Callable[[str], float]:
    """Return a function from a date's text to seconds; a text that does not fit raises ValueError."""
    pieces = _pieces(pattern)
    expression, fields = "", []
    for position, (letter, count) in enumerate(pieces):
        if count == 0:
            expression += r"\s+" if letter.isspace() else re.escape(letter)
            continue
        follower = pieces[position + 1] if position + 1 < len(pieces) else ("", 0)
        expression += _field(letter, count, tight=follower[1] > 0 and follower[0] in _NUMERIC)
        fields.append((letter, count))
    matcher = re.compile(rf"\s*{expression}\s*", re.IGNORECASE)

    def parse(text: str) -> float:
        match = matcher.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} does not have the form {pattern}")
        return _seconds(dict(zip(fields, match.groups(), strict=True)))

    return parse


def parse_dates(texts: Sequence[str], pattern: str) -> Numbers:
    """Return dates as seconds: each in the given pattern or, failing that, in a form known on sight.

    A text that is not a date raises ValueError, which names it.
    """
    own, others = parser(pattern), [parser(other) for other in WRITTEN]
    return np.array([_first_fit(text, own, others, pattern) for text in texts], dtype=np.float64)


def _first_fit(text: str, own: Callable[[str], float], others: Sequence[Callable[[str], float]], pattern: str) -> float:
    for parse in (own, *others):
        try:
            return parse(text)
        except ValueError:
            continue
    raise ValueError(f"{text!r} does not have the form {pattern}")


def detect_pattern(texts: Iterable[str]) -> str | None:
    """Return the pattern that all texts are dates of, if it is one of the ISO forms known on sight."""
    texts = list(texts)
    if not texts or not _SIGHT.match(texts[0]):
        return None
    return next((pattern for pattern in WRITTEN if _all_match(texts, pattern)), None)


def nearest_iso_pattern(pattern: str) -> str:
    """Return the pattern if `detect_pattern` knows its dates, else the shortest ISO form that holds as much.

    >>> nearest_iso_pattern("dd/MM/yyyy"), nearest_iso_pattern("HH:mm"), nearest_iso_pattern("yyyy-MM-dd HH:mm")
    ('yyyy-MM-dd', "yyyy-MM-dd'T'HH:mm:ss", 'yyyy-MM-dd HH:mm')
    """
    if pattern in WRITTEN:
        return pattern
    letters = {letter for letter, count in _pieces(pattern) if count}
    if "S" in letters:
        return "yyyy-MM-dd'T'HH:mm:ss.SSS"
    return ISO if letters & set("HhkKmsaZXz") else "yyyy-MM-dd"


def _all_match(texts: list[str], pattern: str) -> bool:
    parse = parser(pattern)
    try:
        for text in texts:
            parse(text)
    except ValueError:
        return False
    return True


def _field(letter: str, count: int, *, tight: bool) -> str:
    """Return the expression of one field; `tight` when digits follow, so that the width decides."""
    if letter == "M" and count > 2:
        return "(" + "|".join(f"{month[:3]}(?:{month[3:]})?" if month[3:] else month for month in MONTHS) + ")"
    if letter == "E":
        return "(" + "|".join(f"{day[:3]}(?:{day[3:]})?" for day in DAYS) + ")"
    if letter == "a":
        return "(am|pm)"
    if letter in "ZXz":
        return r"(Z|UTC|GMT|(?:GMT)?[+-]\d\d(?::?\d\d)?)"
    if letter in "yu":
        return rf"(\d{{{count}}})" if tight or count == 2 else r"(-?\d{1,4})"
    most = {"S": 9, "D": 3}.get(letter, 2)
    return rf"(\d{{{count}}})" if tight else rf"(\d{{1,{most}}})"


def _seconds(result: dict[tuple[str, int], str]) -> float:
    year, month, day, hour, minute, second, milli, zone = 1970, 1, 1, 0, 0, 0, 0, 0
    ordinal: int | None = None
    afternoon: bool | None = None
    for (letter, count), text in result.items():
        if letter in "yu":
            year = int(text) + (0 if count != 2 else 2000 if int(text) < 69 else 1900)
        elif letter == "M":
            month = int(text) if count < 3 else [m[:3].lower() for m in MONTHS].index(text[:3].lower()) + 1
        elif letter == "d":
            day = int(text)
        elif letter == "D":
            ordinal = int(text)
        elif letter in "HkhK":
            hour = 0 if letter == "k" and int(text) == 24 else int(text)
        elif letter == "m":
            minute = int(text)
        elif letter == "s":
            second = int(text)
        elif letter == "S":
            milli = int(text)
        elif letter == "a":
            afternoon = text.lower() == "pm"
        elif letter in "ZXz":
            zone = _zone(text)
    if afternoon is not None:
        hour = hour % 12 + 12 * afternoon
    if hour > 23 or minute > 59 or second > 59 or (ordinal is not None and not 1 <= ordinal <= 366):
        raise ValueError("the time of day is out of range")
    days = date(year, month, day).toordinal() if ordinal is None else date(year, 1, 1).toordinal() + ordinal - 1
    whole = (days - EPOCH.toordinal()) * 86400 + hour * 3600 + minute * 60 + second - zone
    return whole + milli / 1000 if milli else float(whole)


def _zone(text: str) -> int:
    digits = re.sub(r"[^0-9]", "", text)
    if not digits:
        return 0
    seconds = int(digits[:2]) * 3600 + int(digits[2:4] or 0) * 60
    return -seconds if "-" in text else seconds


def format_dates(values: Numbers, pattern: str) -> list[str]:
    """Return each number of seconds as text in the given pattern; NaN gives an empty text."""
    pieces = _pieces(pattern)
    distinct, inverse = np.unique(values, return_inverse=True)
    texts = [_format_date(value, pieces) for value in distinct.tolist()]
    return [texts[position] for position in inverse.tolist()]


def _format_date(value: float, pieces: tuple[tuple[str, int], ...]) -> str:
    if value != value:
        return ""
    try:
        moment = EPOCH + timedelta(milliseconds=round(value * 1000))
    except OverflowError:
        raise DataError(f"{value} seconds is not a date between the years 1 and 9999") from None
    return "".join(letter if count == 0 else _part(moment, letter, count) for letter, count in pieces)


def _part(moment: datetime, letter: str, count: int) -> str:
    if letter in "yu":
        return f"{moment.year % 100:02d}" if count == 2 else f"{moment.year:0{count}d}"
    if letter == "M" and count > 2:
        return MONTHS[moment.month - 1][: 3 if count == 3 else None]
    if letter == "E":
        return DAYS[moment.weekday()][: 3 if count < 4 else None]
    if letter == "a":
        return "PM" if moment.hour >= 12 else "AM"
    if letter in "ZXz":
        return {"Z": "+0000", "X": "Z", "z": "UTC"}[letter]
    number = {
        "M": moment.month,
        "d": moment.day,
        "D": moment.timetuple().tm_yday,
        "H": moment.hour,
        "k": moment.hour or 24,
        "K": moment.hour % 12,
        "h": moment.hour % 12 or 12,
        "m": moment.minute,
        "s": moment.second,
        "S": moment.microsecond // 1000,
    }[letter]
    return f"{number:0{count}d}"
