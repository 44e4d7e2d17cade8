"""Numbers as people write them: decimal commas, thousands separators, units, currency signs, negatives in parentheses.

How the numbers of a column are written is decided by all of its values. `1,234` alone may be either 1234 or 1.234, but
a column that also holds `12,5` has a decimal comma, and one with `1,234,567` has thousands separators. `NumberTally`
collects the evidence block by block, so the decision does not depend on where the blocks end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

Counts = NDArray[np.int64]
Locate = Callable[[int], int]  # from the position of a word to the line on which it first occurs

MOST_WORDS = 100  # different values that are not numbers, from which a column is one of words
FIRST = 500  # words that are looked at first: enough to recognize columns of words
CURRENCIES = (
    "USD EUR GBP CHF JPY CNY INR CAD AUD NZD SEK NOK DKK PLN CZK HUF RON BRL MXN ZAR RUB TRY KRW SGD HKD ILS THB"
)
# Words that stand for a missing value in a column of numbers, whatever their case; in a column of words they may be
# values like any other.
_ABSENT_WORDS = """
    - -- --- – — . .. ... * ** *** n.a. n.a n/d nd n.d. na n/a #n/a #na #null! #div/0! #value! #ref! #name? #num!
    nan nat unknown missing null <na> <null> (null) (blank) (empty) \\n k.a. unbekannt inconnu 1.#qnan -1.#ind
"""
_ABSENT_PHRASES = {"not available", "not applicable", "no data", "k. a.", "#n/a n/a", "n. a.", "not known"}
ABSENT = frozenset(_ABSENT_WORDS.split()) | _ABSENT_PHRASES

_SPACES = "[\u00a0\u2007\u2009\u202f]"
_APOSTROPHES = "[\u2018\u2019\u02bc\u00b4]"
_MINUS = "\u2212"
_UNIT = r"[\p{L}\p{Sc}%‰°µ″′\"][\p{L}\p{N}\p{Sc}%‰°µ″′\"/²³^·*. -]{0,15}"
_SPLIT = (
    r"^(?P<open>\()?(?P<sign>[+-])? ?"
    rf"(?P<before>(?:[A-Z]{{1,3}})?\p{{Sc}}|{'|'.join(CURRENCIES.split())}|Rs\.?|Fr\.?|kr\.?|SFr\.?|R)? ?(?P<minus>-)?"
    r"(?P<body>\d(?:[\d.,' ]*\d)?|[.,]\d+)(?:[.,]-|[.,])?(?P<exponent>[eE][+-]?\d+)?"
    rf" ?(?P<after>{_UNIT}?)? ?(?P<behind>-)?(?P<close>\))?$"
)
_DIGIT = re.compile(r"[^\d]{0,8}\d")
_PLURAL = r"\Bs$"


@dataclass(frozen=True, slots=True)
class NumberForm:
    """How the numbers of a column are written, as far as this is not the plain way.

    Parameters
    ----------
    decimal, thousands
        The decimal point, and the separator of thousands: "" for none, a space for any kind of blank, ' for any
        apostrophe.
    before, after
        A currency sign or unit that may stand before or behind each number.
    """

    decimal: str = "."
    thousands: str = ""
    before: str = ""
    after: str = ""

    def __str__(self) -> str:
        """Describe the form for people.

        >>> print(NumberForm(",", ".", after="€"))
        decimal comma, thousands separated by '.', in '€'
        """
        parts = ["decimal comma"] * (self.decimal == ",")
        if self.thousands:
            parts.append(f"thousands separated by {'blanks' if self.thousands == ' ' else repr(self.thousands)}")
        if self.before or self.after:
            parts.append("in percent" if self.after == "%" else f"in {self.before or self.after!r}")
        return ", ".join(parts) or "signs behind numbers or in parentheses"

    def with_decimal(self, decimal: str | None) -> NumberForm:
        """Return the form with another decimal point; what was the separator of thousands changes places with it."""
        if decimal is None or decimal == self.decimal:
            return self
        thousands = self.decimal if self.thousands == decimal else self.thousands
        return NumberForm(decimal, thousands, self.before, self.after)

    def parse(self, words: pa.Array) -> NDArray[np.float64]:
        """Return words, an Arrow array of large strings, as numbers; NaN where a word is missing or no number."""
        import pyarrow.compute as pc

        parts = _split(words)
        body = parts["body"]
        good = pc.match_substring_regex(body, _body(self.decimal, self.thousands))
        for part, own in (("before", self.before), ("after", self.after)):
            unit = pc.replace_substring_regex(pc.utf8_lower(parts[part]), _PLURAL, "")
            good = pc.and_(good, pc.or_(pc.equal(unit, _word("")), pc.equal(unit, _word(_unit_key(own)))))
        if self.thousands:
            body = pc.replace_substring(body, self.thousands, "")
        if self.decimal != ".":
            body = pc.replace_substring(body, self.decimal, ".")
        body = pc.binary_join_element_wise(body, parts["exponent"], _word(""))
        numbers = _read(pc.if_else(pc.fill_null(good, False), body, _word("")))
        return np.where(_is_negative(parts), -numbers, numbers)

    def to_dict(self) -> dict[str, str]:
        """Return the form as plain JSON values, defaults left out."""
        parts = (("decimal", "."), ("thousands", ""), ("before", ""), ("after", ""))
        return {name: getattr(self, name) for name, usual in parts if getattr(self, name) != usual}

    @classmethod
    def from_dict(cls, data: Any) -> NumberForm:
        """Build a form from `to_dict`'s values; a value of the wrong type raises an error."""
        names = {"decimal", "thousands", "before", "after"}
        if (
            not isinstance(data, Mapping)
            or not set(data) <= names
            or not all(isinstance(v, str) for v in data.values())
        ):
            raise DataError(f"the form of numbers must be an object of words named {', '.join(sorted(names))}")
        form = cls(**data)
        if form.decimal not in (".", ",") or form.thousands not in ("", ".", ",", " ", "'"):
            raise DataError(f"numbers cannot have the decimal point {form.decimal!r} and separator {form.thousands!r}")
        return form


PLAIN = NumberForm()
_FORMS = ((".", ""), (",", ""), (".", ","), (",", "."), (".", " "), (",", " "), (".", "'"), (",", "'"))


@dataclass(frozen=True)
class NumberVerdict:
    """How the numbers of a column are written, and what else it holds.

    `missing` are words that stand for missing values, `bad` the number of rows that are neither, and `first` the line
    and word of up to three of them. `doubt` is a sentence if the numbers might also be read in another way.
    """

    form: NumberForm
    missing: tuple[str, ...] = ()
    bad: int = 0
    first: tuple[tuple[int, str], ...] = ()
    doubt: str = ""


@dataclass
class NumberTally:
    """The evidence on how the numbers of a column are written; `alive` until there are too many words."""

    alive: bool = True
    count: int = 0  # rows that are numbers in some form
    whole: int = 0  # rows of digits only
    zeros: int = 0  # rows of digits that begin with 0, or with + as phone numbers do
    fits: Counts = field(default_factory=lambda: np.zeros(len(_FORMS), dtype=np.int64))
    misfits: dict[int, tuple[int, str]] = field(default_factory=dict)  # by form, the first number that is none in it
    units: dict[tuple[str, str], list[Any]] = field(default_factory=dict)  # count, line, word
    words: dict[str, list[int]] = field(default_factory=dict)  # words that are no numbers: count and line
    missing: dict[str, int] = field(default_factory=dict)  # words that stand for missing values
    short: int = 0  # rows of up to three digits only
    long: int = 0  # rows of five digits or more only
    single: dict[str, int] = field(default_factory=lambda: {",": 0, ".": 0})  # such as 1,234
    round: dict[str, int] = field(default_factory=lambda: {",": 0, ".": 0})  # such as 1,230

    def add(self, head: Sequence[str | None], counts: Counts, line: Locate, words: Callable[[], pa.Array]) -> None:
        """Take in different words, with the number of rows of each and a function that finds their lines.

        `head` are the first words, `words` returns all of them. Words without digits are told without Arrow.
        """
        present = [word for word, count in zip(head, counts.tolist(), strict=False) if word is not None and count]
        if len({word for word in present if not _can_be_number(word)} | self.words.keys()) > 2 * MOST_WORDS:
            self.alive = False
        elif len(head) == len(counts) and not any(map(_can_be_number, present)):
            for at, (word, count) in enumerate(zip(head, counts.tolist(), strict=True)):
                if word is not None and count:
                    self._add_word(word, count, at, line)
            self.alive = len(self.words) <= MOST_WORDS
        else:
            self._add(words(), counts, line)

    def _add(self, words: pa.Array, counts: Counts, line: Locate) -> None:
        """Take in some words before the others: they are enough to recognize most columns of words."""
        start = 0
        while self.alive and start < len(words):
            stop = FIRST if not start else len(words)
            self._add_slice(words.slice(start, stop - start), counts[start:stop], start, line)
            start = stop

    def _add_slice(self, words: pa.Array, counts: Counts, start: int, place: Locate) -> None:
        def line(at: int) -> int:
            return place(start + at)

        parts = _split(words)
        body = parts["body"]
        fitting = np.array([_matches(body, _body(*form)) for form in _FORMS])
        is_number = fitting.any(axis=0)
        for at in np.flatnonzero(~is_number & (counts > 0)).tolist():
            self._add_word(words[at].as_py(), int(counts[at]), at, line)
            if len(self.words) > MOST_WORDS:
                self.alive = False
                return
        counts = np.where(is_number, counts, 0)
        self.count += int(counts.sum())
        self.fits += fitting @ counts
        for form in range(len(_FORMS)):
            odd = np.flatnonzero((counts > 0) & ~fitting[form])
            if len(odd) and form not in self.misfits:
                self.misfits[form] = (line(int(odd[0])), words[int(odd[0])].as_py())
        self._add_units(parts, words, counts, line)
        self.whole += int(counts[_matches(body, r"^\d+$")].sum())
        self.zeros += int(counts[_matches(words, r"^\s*(0\d+|\+\d{7,})\s*$")].sum())
        self.short += int(counts[_matches(body, r"^\d{1,3}$")].sum())
        self.long += int(counts[_matches(body, r"^\d{5,}$")].sum())
        for mark in (",", "."):
            self.single[mark] += int(counts[_matches(body, rf"^[1-9]\d{{0,2}}[{mark}]\d{{3}}$")].sum())
            self.round[mark] += int(counts[_matches(body, rf"^[1-9]\d{{0,2}}[{mark}]\d\d0$")].sum())
        self.alive = len(self.words) <= MOST_WORDS and len(self.units) <= MOST_WORDS

    def _add_word(self, word: str, count: int, at: int, line: Locate) -> None:
        if is_absent(word):
            self.missing[word] = self.missing.get(word, 0) + count
        elif word in self.words:
            self.words[word][0] += count
        elif len(self.words) <= MOST_WORDS:
            self.words[word] = [count, line(at)]

    def _add_units(self, parts: dict[str, pa.Array], words: pa.Array, counts: Counts, line: Locate) -> None:
        """Count units; numbers without one fit every unit."""
        import pyarrow.compute as pc

        joined = pc.binary_join_element_wise(parts["before"], parts["after"], _word("\t")).dictionary_encode()
        codes = joined.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        for code, unit in enumerate(joined.dictionary.to_pylist()):
            rows = (codes == code) & (counts > 0)
            before, after = unit.split("\t")
            if rows.any() and unit != "\t":
                same = (key for key in self.units if [*map(_unit_key, key)] == [_unit_key(before), _unit_key(after)])
                key = next(same, (before, after))
                if key not in self.units:
                    at = int(np.flatnonzero(rows)[0])
                    self.units[key] = [0, line(at), words[at].as_py()]
                entry = self.units[key]
                entry[0] += int(counts[rows].sum())

    @property
    def are_codes(self) -> bool:
        """Whether the numbers are rather codes, such as 01234: rows of digits, some with a leading zero."""
        return bool(self.zeros) and self.whole == self.count and not self.units

    @property
    def decimals(self) -> set[str]:
        """The decimal points that the numbers may have: one if the column proves it, none if all are whole."""
        if not self.alive or not self.count:
            return set()
        best = self._best()
        if _FORMS.index((".", "")) in best and not self.single["."] and not self._has_marks():
            return set()
        return {_FORMS[form][0] for form in best}

    def _has_marks(self) -> bool:
        """Whether some number is not a row of digits."""
        return self.misfits.keys() != set() or any(self.single.values())

    def _best(self) -> list[int]:
        return np.flatnonzero(self.fits == self.fits.max()).tolist()

    def verdict(self, decimal: str | None, lean: str | None, delimiter: str | None) -> NumberVerdict | None:
        """Decide how the numbers are written; None if the column has no numbers.

        `decimal` is the decimal point by request, `lean` the one that other columns of the file prove.
        """
        if not self.alive or not self.count:
            return None
        (mark, thousands), doubt = self._marks(decimal, lean, delimiter)
        units = sorted(self.units.items(), key=lambda item: -item[1][0])
        (before, after), rest = (units[0][0], units[1:]) if units else (("", ""), [])
        form = NumberForm(mark, thousands, before, after)
        chosen = _FORMS.index((mark, thousands))
        odd = [(entry[1], word) for word, entry in self.words.items()] + [(entry[1], entry[2]) for _, entry in rest]
        misfits = self.count - int(self.fits[chosen])
        odd += [self.misfits[chosen]] if misfits else []
        bad = sum(entry[0] for entry in self.words.values()) + sum(entry[0] for _, entry in rest) + misfits
        return NumberVerdict(form, tuple(self.missing), bad, tuple(sorted(odd)[:3]), doubt)

    def _marks(self, decimal: str | None, lean: str | None, delimiter: str | None) -> tuple[tuple[str, str], str]:
        """Return the decimal point and the separator of thousands, and a sentence if they are in doubt."""
        if decimal is not None:
            allowed = [form for form, (mark, _) in enumerate(_FORMS) if mark == decimal]
            return _FORMS[max(allowed, key=lambda form: (self.fits[form], -form))], ""
        best = [_FORMS[form] for form in self._best()]
        if (".", "") in best and ((",", ".") not in best or not self.single["."]):
            return (".", ""), ""
        if (".", "") in best:
            return self._ambiguous_point(lean, delimiter)
        if (",", "") in best and (".", ",") in best:
            return self._ambiguous_comma(lean, delimiter)
        return max(best, key=lambda form: form[0] == lean), ""

    def _ambiguous_point(self, lean: str | None, delimiter: str | None) -> tuple[tuple[str, str], str]:
        """1.234 is a decimal number, unless the column or the other columns of the file say otherwise."""
        whole = not self.long and (lean == "," or bool(self.short and self.round["."]))
        if whole:
            return (",", "."), "1.234 is read as 1234; --decimal . (in Python, decimal='.') reads it as a decimal point"
        is_clear = self.long or lean == "." or delimiter != ";"
        doubt = "1.234 has a decimal point; --decimal , (in Python, decimal=',') reads it as 1234"
        return (".", ""), "" if is_clear else doubt

    def _ambiguous_comma(self, lean: str | None, delimiter: str | None) -> tuple[tuple[str, str], str]:
        """1,234 has a decimal comma if digits without separators or other columns say so, or the delimiter is ;."""
        if self.long:
            return (",", ""), ""
        is_whole = bool(self.short and self.round[","])
        if is_whole or lean == ".":
            return (".", ","), ""
        if lean == "," or (lean is None and delimiter == ";"):
            doubt = "1,234 is read as 1.234; --decimal . (in Python, decimal='.') reads it as 1234"
            return (",", ""), "" if lean == "," else doubt
        return (".", ","), "1,234 is read as 1234; --decimal , (in Python, decimal=',') reads it as 1.234"


def prevailing_decimal(proven: Iterable[set[str]]) -> str | None:
    """Return the decimal point that most columns prove; None if none is ahead."""
    certain = [next(iter(marks)) for marks in proven if len(marks) == 1]
    balance = certain.count(",") - certain.count(".")
    return None if not balance else "," if balance > 0 else "."


def _unit_key(unit: str) -> str:
    """Return a unit in lower case and the singular, for comparison."""
    return re.sub(_PLURAL, "", unit.lower())


def _can_be_number(word: str) -> bool:
    return _DIGIT.match(word) is not None


@cache
def _body(decimal: str, thousands: str) -> str:
    """Return the expression of unsigned numbers with these marks; thousands are groups of three, in India also two."""
    mark, whole = re.escape(decimal), r"\d+"
    if thousands:
        whole += rf"|[1-9]\d{{0,2}}(?:{re.escape(thousands)}\d{{3}})+"
    if thousands == ",":
        whole += r"|[1-9]\d?(?:,\d\d)+,\d{3}"
    return rf"^(?:(?:{whole})(?:{mark}\d*)?|{mark}\d+)$"


def _split(words: pa.Array) -> dict[str, pa.Array]:
    """Split words into sign, unit and digits; all parts are null where a word is no number, empty where they lack."""
    import pyarrow.compute as pc

    words = pc.utf8_trim_whitespace(words)
    if not pc.all(pc.string_is_ascii(words)).as_py():
        for marks, plain in ((_SPACES, " "), (_APOSTROPHES, "'"), (_MINUS, "-")):
            words = pc.replace_substring_regex(words, marks, plain)
    parts = pc.extract_regex(words, _SPLIT)
    names = [each.name for each in parts.type]
    return dict(zip(names, parts.flatten(), strict=True))


def _is_negative(parts: dict[str, pa.Array]) -> NDArray[np.bool_]:
    import pyarrow.compute as pc

    signs = [
        pc.equal(parts["sign"], _word("-")),
        *(pc.not_equal(parts[name], _word("")) for name in ("open", "minus", "behind")),
    ]
    negative = np.zeros(len(parts["sign"]), dtype=np.bool_)
    for sign in signs:
        negative |= pc.fill_null(sign, False).to_numpy(zero_copy_only=False)
    return negative


def _word(text: str) -> pa.Scalar:
    import pyarrow as pa

    return pa.scalar(text, pa.large_string())


def _matches(words: pa.Array, pattern: str) -> NDArray[np.bool_]:
    import pyarrow.compute as pc

    found = pc.fill_null(pc.match_substring_regex(words, pattern), False)
    return np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.bool_)


def _read(words: pa.Array) -> NDArray[np.float64]:
    if not len(words):
        return np.empty(0)
    _, offsets, data = words.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[words.offset : words.offset + len(words) + 1]
    content = np.empty(0, dtype=np.uint8) if data is None else np.frombuffer(data, dtype=np.uint8)
    numbers: NDArray[np.float64] = _kernels.read_numbers(content[ends[0] : ends[-1]], ends - ends[0], ord("."))
    return numbers


def is_absent(word: str, missing: Iterable[str] = ()) -> bool:
    """Return whether a word stands for a missing value in a column of numbers."""
    plain = word.strip()
    return plain == "None" or plain.lower() in ABSENT or plain in missing or not plain
