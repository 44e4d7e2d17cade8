"""The form of dates, found from all values of a column: 31.12.2024, 12/31/2024, 31 December 2024, 2024-12-31 14:30.

`DateTally` starts with all forms that the first value may have, and keeps those that every value has. If 03/04/2024 may
still be March or April in the end, the separator and the other columns of the file decide, or nothing does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.dates import FAST, MONTH_NUMBERS, fit_dates, parser
from hedgerow.data.table.number_forms import is_absent

if TYPE_CHECKING:
    import pyarrow as pa

ORDERS = ("dmy", "mdy", "ymd")
_MONTH = "(?P<month>" + "|".join(map(re.escape, sorted(MONTH_NUMBERS, key=len, reverse=True))) + r")\.?"
_DATES = (  # expressions, and the patterns that they mean; {s} is the separator
    (r"\d{4}(?P<s>[-/.])\d{1,2}(?P=s)\d{1,2}", ("yyyy{s}MM{s}dd",)),
    (r"\d{1,2}(?P<s>[-/.]) ?\d{1,2}(?P=s) ?(?P<y>\d{4}|\d\d)", ("dd{s}MM{s}{y}", "MM{s}dd{s}{y}")),
    (r"\d{2}(?P<s>[-/])\d{2}(?P=s)\d{2}", ("yy{s}MM{s}dd",)),
    (rf"\d{{1,2}}(?P<s>[-/ ]|\. ?){_MONTH}(?P<t>[-/ ]|, ?)(?P<y>\d{{4}}|\d\d)", ("d{s}MMM{t}{y}",)),
    (rf"\d\d{_MONTH}(?P<y>\d{{4}}|\d\d)", ("ddMMM{y}",)),
    (rf"{_MONTH}(?P<s>[-/ ])\d{{1,2}}(?P<t>,? |[-/])(?P<y>\d{{4}})", ("MMM{s}d{t}{y}",)),
    (rf"\d{{4}}(?P<s>[-/ ]){_MONTH}(?P=s)\d{{1,2}}", ("yyyy{s}MMM{s}d",)),
    (r"\d{4}(?P<s>[-/])\d\d", ("yyyy{s}MM",)),
    (r"\d\d(?P<s>[-/])\d{4}", ("MM{s}yyyy",)),
    (rf"{_MONTH}(?P<s>[-/ ])(?P<y>\d{{4}})", ("MMM{s}yyyy",)),
    (rf"\d{{4}}(?P<s>[-/ ]){_MONTH}", ("yyyy{s}MMM",)),
)
_DAY = re.compile(r"(?P<day>(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*)(?P<comma>,? )", re.IGNORECASE)
_TIME = re.compile(
    r"(?P<t>T|,? )?\d{1,2}:\d\d(?P<s>:\d\d(?P<f>[.,]\d{1,9})?)?(?P<a> ?[ap]m)?"
    r"(?P<z> ?(?:Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?",
    re.IGNORECASE,
)


def find_patterns(word: str) -> list[str]:
    """Return the patterns that a word may be a date of, as `parser` takes them.

    >>> find_patterns("3/4/2024 14:30")
    ['dd/MM/yyyy HH:mm', 'MM/dd/yyyy HH:mm']
    >>> find_patterns("Dec 31, 2024"), find_patterns("v1.2.3")
    (['MMM d, yyyy'], [])
    """
    word = word.strip()
    if len(word) > 40 or not any(map(str.isdigit, word)):
        return []
    weekday = _DAY.match(word)
    begin = ("EEE" + weekday["comma"]) if weekday else ""
    rest = word[weekday.end() :] if weekday else word
    found = []
    for expression, patterns in _DATES:
        match = re.match(expression, rest, re.IGNORECASE)
        if match is None:
            continue
        time = _time_pattern(rest[match.end() :])
        if time is not None:
            parts = match.groupdict()
            year = "yyyy" if len(parts.get("y") or "yyyy") == 4 else "yy"
            made = [p.format(s=parts.get("s") or "", t=parts.get("t") or "", y=year) for p in patterns]
            found += [begin + pattern + time for pattern in made]
    if not found and not weekday and (time := _time_pattern(rest, alone=True)):
        found.append(time)
    return [pattern for pattern in dict.fromkeys(found) if _fits(word, pattern)]


def _time_pattern(text: str, *, alone: bool = False) -> str | None:
    """Return the pattern of a time of day, "" for none; None if the text is something else."""
    if not text:
        return None if alone else ""
    match = _TIME.fullmatch(text)
    if match is None or bool(match["t"]) == alone or (alone and not match["s"] and not re.match(r"\d\d:", text)):
        return None
    begin = {"T": "'T'", "t": "'t'"}.get(match["t"] or "", match["t"] or "")
    second = "" if not match["s"] else ":ss" + (f"{match['f'][0]}SSS" if match["f"] else "")
    half = "" if not match["a"] else f"{' ' * match['a'].startswith(' ')}a"
    zone = "" if not match["z"] else f"{' ' * match['z'].startswith(' ')}X"
    return f"{begin}{'hh' if half else 'HH'}:mm{second}{half}{zone}"


def _fits(word: str, pattern: str) -> bool:
    try:
        parser(pattern)(word)
    except ValueError:
        return False
    return True


@dataclass
class DateTally:
    """The forms that all dates of a column so far may have; None before the first, and none if there is no form."""

    patterns: list[str] | None = None
    missing: dict[str, None] = field(default_factory=dict)
    first_of_month: set[str] = field(default_factory=set)  # patterns by which all are the first of a month

    @property
    def alive(self) -> bool:
        """Whether the column may consist of dates."""
        return self.patterns is None or bool(self.patterns)

    def add(
        self, head: Sequence[str | None], counts: NDArray[np.int64], words: Callable[[], pa.Array] | None = None
    ) -> None:
        """Take in words with the number of rows of each; `head` are the first of them, `words` returns all."""
        present = [word for word, count in zip(head, counts.tolist(), strict=False) if word is not None and count]
        self._add(present)
        if self.alive and words is not None and len(head) < len(counts):
            rest = words().filter(_mask(counts > 0))
            self._add_many(rest)

    def _add(self, words: Sequence[str]) -> None:
        for word in words:
            if not self.alive:
                return
            if is_absent(word):
                self.missing[word] = None
            elif self.patterns is None:
                self.patterns = find_patterns(word)
                self.first_of_month = {pattern for pattern in self.patterns if _is_first(word, pattern)}
            else:
                self.patterns = [pattern for pattern in self.patterns if _fits(word, pattern)]
                self.first_of_month = {pattern for pattern in self.first_of_month if _is_first(word, pattern)}

    def _add_many(self, words: pa.Array) -> None:
        """Take in many words, which are compared with the patterns as a whole."""
        if self.patterns is None:
            self._add(words.to_pylist())
            return
        fits = {pattern: fit_dates(words, pattern) for pattern in self.patterns}
        odd = np.logical_and.reduce([np.isnan(seconds) for seconds in fits.values()])
        some = np.flatnonzero(odd)[:FAST]
        self._add([word for word in words.take(some).to_pylist() if word is not None])
        self.patterns = [p for p in self.patterns or [] if bool((np.isnan(fits[p]) == odd).all())]
        firsts = {p for p in self.first_of_month if p in self.patterns and _all_first(fits[p][~odd])}
        self.first_of_month = firsts
        if np.count_nonzero(odd) > FAST and not all(map(is_absent, words.filter(_mask(odd)).unique().to_pylist())):
            self.patterns = []

    @property
    def order(self) -> str | None:
        """The order of day and month that the column proves, if any."""
        orders = {_order(pattern) for pattern in self.patterns or []}
        return next(iter(orders)) if len(orders) == 1 and self.patterns and "dd" in self.patterns[0] else None

    def decide(self, wanted: str | None, lean: str | None, decimal: str | None) -> tuple[str | None, str]:
        """Return the pattern, and a sentence if it is not certain.

        `wanted` is the order of day, month and year by request; `lean` is that of other columns, and `decimal` the
        decimal point of the file.
        """
        patterns = self.patterns or []
        if wanted is not None:
            patterns = [pattern for pattern in patterns if _order(pattern) in (wanted, "")] or patterns
        if len(patterns) < 2:
            return next(iter(patterns), None), ""
        if len(self.first_of_month & set(patterns)) == 1:
            return next(iter(self.first_of_month & set(patterns))), ""
        day_first = next((p for p in patterns if _order(p) == "dmy"), patterns[0])
        if lean is not None:
            return next((pattern for pattern in patterns if _order(pattern) == lean), day_first), ""
        if "." in day_first.split(" ")[0] or decimal == ",":
            return day_first, ""
        mark = day_first[2] if len(day_first) > 2 else "/"
        return None, (
            f"dates such as {_EXAMPLE[mark]} may begin with the day or the month, "
            "so they are read as words; --dates dmy or --dates mdy (in Python, dates='dmy') reads them as dates"
        )


_EXAMPLE = {"/": "03/04/2024", "-": "03-04-2024", ".": "03.04.2024"}


def _order(pattern: str) -> str:
    """Return the order of day, month and year of a pattern; "" if the month is a word or there is no day."""
    if "MMM" in pattern or "d" not in pattern:
        return ""
    return "".join(sorted("dmy", key=pattern.replace("mm", "").lower().find))


def _is_first(word: str, pattern: str) -> bool:
    try:
        return _all_first(np.array([parser(pattern)(word)]))
    except ValueError:
        return False


def _all_first(seconds: NDArray[np.float64]) -> bool:
    days = np.floor(seconds / 86400).astype(np.int64).astype("datetime64[D]")
    return bool((days == days.astype("datetime64[M]").astype("datetime64[D]")).all())


def _mask(rows: NDArray[np.bool_]) -> pa.Array:
    from hedgerow.data.table.to_arrow import plain_array

    return plain_array(rows)


def detect_pattern(texts: Sequence[str], order: str | None = None) -> str | None:
    """Return the pattern that all texts are dates of, if there is only one."""
    tally = DateTally()
    tally.add(texts, np.ones(len(texts), dtype=np.int64))
    return None if tally.missing else tally.decide(order, None, None)[0]
