"""Tokens: the definition of the terms of a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.table import Rows, Text
from hedgerow.errors import DataError, UsageError

UNITS = ("word", "char", "char_in_words")
FEATURES = "features"  # a further unit, of columns that hold such; see below
LONGEST_RUN = 255  # words or characters in a row
LONGEST_WORD = 1 << 30  # letters that kernels count to; no word that they meet is longer
MOST_BITS = 24  # of hashed terms: 16,777,216 columns
KernelSettings = tuple[int, int, int, int, bool, NDArray[np.uint8], Rows]


@dataclass(frozen=True)
class Tokens:
    """How texts are split into terms; every learner of texts has one.

    Parameters
    ----------
    unit
        `word`: runs of letters, digits and underscores; `char`: characters; `char_in_words`: characters of the words
        between spaces, with a space added on both sides (scikit-learn's `char_wb`); `features`: the words between
        spaces, where `red` has the value 1 and `price:0.23` the value 0.23, as in VW; these are always hashed, and not
        changed otherwise.
    ngrams
        The smallest and the largest length of n-grams of words or characters. Words are joined with a space.
    min_length
        Minimum length of a word, in letters.
    lower
        Whether the text is converted to lower case.
    stop_words
        Words that are skipped; `data.text.stop_words` gets them by language or from a file.
    bits
        Terms are hashed to 2 ** bits columns, so no vocabulary is needed; None keeps the terms.
    signed
        Whether half of the hashed terms have a negative sign, so that collisions do not add up.

    Examples
    --------
    >>> Tokens(ngrams=(1, 2), stop_words=frozenset({"the"})).split("Free the money!")
    ['free', 'money', 'free money']
    >>> Tokens("char_in_words", ngrams=(3, 3)).split("Go on")
    [' go', 'go ', ' on', 'on ']
    """

    unit: str = "word"
    ngrams: tuple[int, int] = (1, 1)
    min_length: int = 2
    lower: bool = True
    stop_words: frozenset[str] = frozenset()
    bits: int | None = None
    signed: bool = True

    def __post_init__(self) -> None:
        if self.unit not in (*UNITS, FEATURES):
            raise UsageError(f"unit={self.unit!r} is not allowed: it must be one of {', '.join(UNITS)}")
        low, high = self.ngrams
        if not 1 <= low <= high <= LONGEST_RUN:
            raise UsageError(
                f"ngrams=({low}, {high}) is not allowed: it must be the smallest and the largest length of an n-gram, "
                f"from 1 to {LONGEST_RUN}"
            )
        if self.min_length < 1:
            raise UsageError(f"min_length={self.min_length!r} is not allowed: it must be 1 or more")
        if self.bits is not None and not 1 <= self.bits <= MOST_BITS:
            raise UsageError(f"bits={self.bits!r} is not allowed: it must be 1 to {MOST_BITS}, or None")
        if self.unit == FEATURES and self.bits is None:
            raise UsageError("unit='features' needs hashed terms, since any feature may occur; set bits, as in bits=18")
        if self.unit == FEATURES and self.ngrams != (1, 1):
            raise UsageError("features have no order, so n-grams of them have no meaning; leave out ngrams")
        if self.stop_words and self.unit != "word":
            raise UsageError(f"stop words apply to words, and unit={self.unit!r} has none; leave them out")

    @cached_property
    def kernel_settings(self) -> KernelSettings:
        """The settings as kernels take them."""
        stop = Text.of(sorted(self.stop_words))
        low, high = self.ngrams
        shortest = min(self.min_length, LONGEST_WORD)
        unit = 0 if self.unit == FEATURES else UNITS.index(self.unit)  # features are hashed in a way of their own
        return unit, low, high, shortest, self.lower, stop.data, stop.offsets

    def split(self, text: str) -> list[str]:
        """Return the terms of one text, short ones first, those of one length in their order."""
        if self.unit == FEATURES:
            return [split_feature(word)[0] for word in text.split()]
        column = Text.of([text])
        (data, offsets), _ = _kernels.split_words(column.data, column.offsets, column.missing, *self.kernel_settings)
        texts = [str(word) for word in text_from_kernel(data, offsets)]
        low, high = self.ngrams
        if self.unit != "word" or high == 1:
            return texts
        return [" ".join(texts[i : i + n]) for n in range(low, high + 1) for i in range(len(texts) - n + 1)]

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain JSON values."""
        return {
            "unit": self.unit,
            "ngrams": list(self.ngrams),
            "min_length": self.min_length,
            "lower": self.lower,
            "stop_words": sorted(self.stop_words),
            "bits": self.bits,
            "signed": self.signed,
        }

    @classmethod
    def from_dict(cls, parts: Any) -> Tokens:
        """Build the settings from `to_dict`'s values; anything else raises an error."""
        if not isinstance(parts, Mapping) or set(parts) != set(cls().to_dict()):
            raise DataError("the settings of its terms are incomplete")
        numbers = [*_to_list(parts["ngrams"]), parts["min_length"], *([] if parts["bits"] is None else [parts["bits"]])]
        words = _to_list(parts["stop_words"])
        typed = (
            len(_to_list(parts["ngrams"])) == 2
            and all(type(number) is int for number in numbers)
            and all(type(flag) is bool for flag in (parts["lower"], parts["signed"]))
            and all(type(word) is str for word in (parts["unit"], *words))
        )
        if not typed:
            raise DataError("the settings of its terms hold values of the wrong type")
        low, high = parts["ngrams"]
        return cls(**{**parts, "ngrams": (low, high), "stop_words": frozenset(words)})


def split_feature(word: str) -> tuple[str, float]:
    """Return the name and the value of a feature, split at the first colon if nothing or a number follows.

    >>> split_feature("red"), split_feature("price:.23"), split_feature("x:"), split_feature("12:30:45")
    (('red', 1.0), ('price', 0.23), ('x', 1.0), ('12:30:45', 1.0))
    """
    name, colon, rest = word.partition(":")
    text = Text.of([rest])
    value = float(_kernels.read_numbers(text.data, text.offsets, ord("."))[0]) if rest else 1.0
    return (name, value) if colon and np.isfinite(value) else (word, 1.0)


WORDS = Tokens()  # as scikit-learn's CountVectorizer has them


def text_from_kernel(data: NDArray[np.uint8], offsets: Rows) -> Text:
    """Return words that a kernel gave, none of them missing."""
    return Text(data, offsets, np.zeros(len(offsets) - 1, dtype=np.bool_))


def _to_list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise DataError("the settings of its terms hold values of the wrong type")
    return value
