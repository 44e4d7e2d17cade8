"""Dates as numbers: Java's date patterns (those of ARFF) to and from seconds since 1970 in UTC."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers
from hedgerow.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

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
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August",
          "September", "October", "November", "December")  # fmt: skip
_OTHER_MONTHS = """
    januar janvier enero janv jänner jan ene | februar février febrero févr fév feb | märz mars marzo mär mrz mar
    | april avril abril avr abr apr | mai mayo may | juni juin junio jun | juli juillet julio juil jul
    | august août agosto ago aug | september septembre septiembre sept sep | oktober octobre octubre okt oct
    | november novembre noviembre nov | dezember décembre diciembre dez déc dic dec
"""  # in German, French and Spanish, and abbreviated
MONTH_NUMBERS = {
    name: number
    for number, (month, others) in enumerate(zip(MONTHS, _OTHER_MONTHS.split("|"), strict=True), start=1)
    for name in (month.lower(), *others.split())
}
_MONTH = "|".join(sorted(MONTH_NUMBERS, key=len, reverse=True))
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
FAST = 500  # number of dates from which they are parsed together
_USUAL = {"y": 1970, "M": 1, "d": 1, "H": 0, "m": 0, "s": 0, "S": 0, "X": 0}  # fields that a pattern has not
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
    expression, fields = _expression(pattern)
    matcher = re.compile(rf"{expression}", re.IGNORECASE)

    def parse(text: str) -> float:
        match = matcher.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} does not have the form {pattern}")
        return _seconds(dict(zip(fields, match.groups(), strict=True)))

    return parse


def _expression(pattern: str) -> tuple[str, list[tuple[str, int]]]:
    """Return the regular expression of a pattern, whose groups are its fields, and the fields."""
    pieces = _pieces(pattern)
    expression, fields = "", []
    for position, (letter, count) in enumerate(pieces):
        if count == 0:
            expression += r"\s+" if letter.isspace() else re.escape(letter)
            continue
        follower = pieces[position + 1] if position + 1 < len(pieces) else ("", 0)
        expression += "(?#)" + _field(letter, count, tight=follower[1] > 0 and follower[0] in _NUMERIC)
        fields.append((letter, count))
    return rf"\s*{expression}\s*", fields


def parse_dates(texts: Sequence[str], pattern: str) -> Numbers:
    """Return dates as seconds: each in the given pattern or, failing that, in a form known on sight.

    A text that is not a date raises ValueError, which names it.
    """
    own, others = parser(pattern), [parser(other) for other in WRITTEN]
    if len(texts) < FAST:
        return np.array([_first_fit(text, own, others, pattern) for text in texts], dtype=np.float64)
    from hedgerow.data.table.to_arrow import to_string_array

    seconds = fit_dates(to_string_array(texts), pattern)
    for row in np.flatnonzero(np.isnan(seconds)).tolist():
        seconds[row] = _first_fit(texts[row], own, others, pattern)
    return seconds


def fit_dates(texts: pa.Array, pattern: str) -> Numbers:
    """Return an Arrow array of texts as seconds; NaN where a text does not have the form of the pattern.

    Fields that are rare in data, such as the number of the day in the year, are left to `parser`.
    """
    import pyarrow.compute as pc

    fields = [(letter, count) for letter, count in _pieces(pattern) if count]
    if not {letter for letter, _ in fields} <= set("yMdHhmsSaXE") or len(set(fields)) < len(fields):
        return _parse_each(texts, pattern)
    expression = _expression(pattern)[0]
    for number in range(len(fields)):
        expression = expression.replace("(?#)(", f"(?P<f{number}>", 1)
    parts = pc.extract_regex(texts, f"(?i)^{expression}$")
    columns = parts.flatten()
    is_date = parts.is_valid().to_numpy(zero_copy_only=False)
    values = {
        letter: _field_numbers(letter, count, column) for (letter, count), column in zip(fields, columns, strict=True)
    }
    return _combine_fields(values, is_date)


def _parse_each(texts: pa.Array, pattern: str) -> Numbers:
    parse = parser(pattern)

    def seconds(text: str | None) -> float:
        try:
            return np.nan if text is None else parse(text)
        except ValueError:
            return np.nan

    return np.array([seconds(text) for text in texts.to_pylist()], dtype=np.float64)


def _field_numbers(letter: str, count: int, texts: pa.Array) -> Numbers:
    """Return the values of a field as numbers, NaN where there is none."""
    words = texts.dictionary_encode()
    numbers = np.array([_field_number(letter, count, text) for text in words.dictionary.to_pylist()] + [np.nan])
    found: Numbers = numbers[words.indices.fill_null(len(numbers) - 1).to_numpy(zero_copy_only=False)]
    return found


def _field_number(letter: str, count: int, text: str) -> float:
    if not text:
        return np.nan
    if letter == "y":
        return int(text) + (0 if count != 2 else 2000 if int(text) < 69 else 1900)
    if letter == "M" and count > 2:
        return MONTH_NUMBERS[text.lower()]
    if letter == "S":
        return int(text) if len(text) <= 3 else int(text) / 10 ** (len(text) - 3)
    if letter in "aXE":
        return float(text.lower() == "pm") if letter == "a" else _zone(text) if letter == "X" else 0
    return int(text)


def _combine_fields(values: dict[str, Numbers], is_date: NDArray[np.bool_]) -> Numbers:
    """Return seconds from the fields of dates; NaN where a field is out of its range."""
    nothing = np.zeros(len(is_date))
    get = {letter: np.nan_to_num(values.get(letter, nothing + usual)) for letter, usual in _USUAL.items()}
    hour = get["H"]
    if "h" in values:
        hour = np.nan_to_num(values["h"])
        hour = hour % 12 + 12 * values["a"] if "a" in values else hour
    good = is_date & (get["M"] >= 1) & (get["M"] <= 12) & (get["d"] >= 1) & (get["y"] >= 1) & (get["y"] <= 9999)
    good &= (hour <= 23) & (get["m"] <= 59) & (get["s"] <= 59)
    months = np.where(good, (get["y"] - 1970) * 12 + get["M"] - 1, 0).astype(np.int64)
    first = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    after = (months + 1).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    good &= get["d"] <= after - first
    seconds = (first + get["d"] - 1) * 86400 + hour * 3600 + get["m"] * 60 + get["s"] - get["X"] + get["S"] / 1000
    return np.where(good, seconds, np.nan)


def _first_fit(text: str, own: Callable[[str], float], others: Sequence[Callable[[str], float]], pattern: str) -> float:
    for parse in (own, *others):
        try:
            return parse(text)
        except ValueError:
            continue
    raise ValueError(f"{text!r} does not have the form {pattern}")


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


def _field(letter: str, count: int, *, tight: bool) -> str:
    """Return the expression of one field; `tight` when digits follow, so that the width decides."""
    if letter == "M" and count > 2:
        return rf"({_MONTH})\.?"
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
    year, month, day, hour, minute, second, zone = 1970, 1, 1, 0, 0, 0, 0
    milli: float = 0
    ordinal: int | None = None
    afternoon: bool | None = None
    for (letter, count), text in result.items():
        if letter in "yu":
            year = int(text) + (0 if count != 2 else 2000 if int(text) < 69 else 1900)
        elif letter == "M":
            month = int(text) if count < 3 else MONTH_NUMBERS[text.lower()]
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
            milli = int(text) if len(text) <= 3 else int(text) / 10 ** (len(text) - 3)  # Java's S are milliseconds
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
