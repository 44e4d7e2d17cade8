"""Write kernels/core/unicode_tables.hpp: what the tokeniser must know of every character, as this Python knows it.

    python tools/unicode_tables.py > kernels/core/unicode_tables.hpp

Python itself is asked, not a file of the Unicode Consortium, so that words are those of Python's `re` and `str.lower`.
Run it with the oldest Python that hedgerow supports; newer ones know more characters, and change none of these.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

WORD, CASED, IGNORABLE, CLOSES = 1, 2, 4, 8
PAGE = 256
BEHIND = 0x110000
SURROGATES = range(0xD800, 0xE000)  # no characters, and never in UTF-8

HEAD = """\
// Made by tools/unicode_tables.py from Python {python} (Unicode {unicode}); do not edit.
//
// A character's record holds its lower-case letter less itself, and flags. Runs are pairs of a length and a value:
// PAGE_RUNS gives the page of every {page} characters in turn, RECORD_RUNS the records on all pages in turn.
#pragma once

#include <cstdint>

namespace hedgerow::unicode {{

inline constexpr char VERSION[] = "{unicode}";
inline constexpr std::uint32_t PAGE = {page}, PAGES = {pages}, INDEX = {index};
struct Record {{
  std::int32_t lower;
  std::uint8_t flags;
}};
"""


class Record(NamedTuple):
    """What is known of a character: the way to its lower-case letter, and flags."""

    lower: int
    flags: int


def record(code: int) -> Record:
    """Return a character's record.

    The flags are WORD (its lower-case letter is of a word), CLOSES (and what follows that letter is not: U+0130),
    and for the final sigma, as `str.lower` has it, IGNORABLE (passed over when looking for letters beside it) or else
    CASED (a letter beside it).
    """
    if code in SURROGATES:
        return Record(0, 0)
    letter = chr(code)
    lower, *more = letter.lower()
    flags = WORD * is_word(lower)
    if more:
        assert flags
        assert not any(map(is_word, more)), f"U+{code:04X} becomes several letters of a word"
        flags |= CLOSES
    if ("A" + letter + "Σ").lower().endswith("ς"):
        flags |= CASED if (letter + "Σ").lower().endswith("ς") else IGNORABLE
    return Record(ord(lower) - code, flags)


def is_word(letter: str) -> bool:
    r"""Tell whether `\\w` matches the character."""
    return letter.isalnum() or letter == "_"


def runs(values: Sequence[int]) -> list[int]:
    """Return the lengths and values of runs of equal values."""
    return [number for value, run in groupby(values) for number in (len(list(run)), value)]


def array(kind: str, name: str, values: Sequence[int | str]) -> Iterator[str]:
    """Yield the lines of an array."""
    yield f"\ninline constexpr {kind} {name}[] = {{"
    line = "   "
    for value in values:
        if len(line) + len(str(value)) + 2 > 118:
            yield line
            line = "   "
        line += f" {value},"
    yield line
    yield "};"


def main() -> None:
    """Print the header."""
    every = [record(code) for code in range(BEHIND)]
    records = list(dict.fromkeys(every))
    number = {one: at for at, one in enumerate(records)}
    codes = [number[one] for one in every]
    nothing = number[Record(0, 0)]
    while codes[-PAGE:] == [nothing] * PAGE:
        del codes[-PAGE:]
    of_index = [tuple(codes[start : start + PAGE]) for start in range(0, len(codes), PAGE)]
    pages = list(dict.fromkeys(of_index))
    assert max(len(records), len(pages)) <= 256
    version = ".".join(map(str, sys.version_info[:2]))
    sizes = {"page": PAGE, "pages": len(pages), "index": len(of_index)}
    print(HEAD.format(python=version, unicode=unicodedata.unidata_version, **sizes), end="")
    lines = [*array("Record", "RECORDS", [f"{{{one.lower}, {one.flags}}}" for one in records])]
    lines += array("std::uint16_t", "PAGE_RUNS", runs([pages.index(page) for page in of_index]))
    lines += array("std::uint16_t", "RECORD_RUNS", runs([code for page in pages for code in page]))
    print("\n".join([*lines, "", "}  // namespace hedgerow::unicode"]))


if __name__ == "__main__":
    main()
