"""The header of an ARFF file: every declaration from @relation to @data, as columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NoReturn

from hedgerow.data.table.dates import ISO, parser
from hedgerow.data.table.schema import Column, Kind, Schema, first_repeated
from hedgerow.errors import DataError

_BLANKS = " \t\r\n\v\f"  # Unicode has more, but those may be part of a name
_KEYWORD = re.compile(r"@([A-Za-z]+)")
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"", re.DOTALL)
_NAME = re.compile(r"[^\s{}]+", re.ASCII)
_TYPE = re.compile(r"([A-Za-z]+)\s*(\[[^\]]*\])?", re.ASCII)
_LEVEL = re.compile(r"[^,}]+")
_WEIGHT = re.compile(r"\{\s*[-+0-9.eE]+\s*\}", re.ASCII)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_Open = tuple[str, dict[str, Column]]  # the name of a bag, and its columns so far
_LETTERS = {"n": "\n", "t": "\t", "r": "\r"}


def parse_header(lines: Iterable[str], file: str) -> tuple[Column, ...]:
    """Return the declared columns; `lines` is read no further than @data."""
    return _Parser(file, iter(lines)).parse()


def unescape(text: str) -> str:
    """Undo backslash escapes."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda m: chr(int(m[1][1:], 16)) if len(m[1]) > 1 else _LETTERS.get(m[1], m[1]), text)


class _Parser:
    def __init__(self, file: str, lines: Iterator[str]) -> None:
        self.file, self.lines, self.line = file, lines, 0

    def fail(self, problem: str) -> NoReturn:
        raise DataError(f"{self.file}, line {self.line}: {problem}")

    def parse(self) -> tuple[Column, ...]:
        opened: list[_Open] = [("", {})]  # the file, then the bags that are still open
        for text in self.lines:
            self.line += 1
            text = text.strip(_BLANKS + "\ufeff")
            if not text or text.startswith("%"):
                continue
            match = _KEYWORD.match(text)
            keyword = match[1].lower() if match else ""
            rest = text[match.end() :].strip(_BLANKS) if match else ""
            if keyword == "relation":
                if rest:
                    self.word(rest)  # the name is not used, but must be well-formed
            elif keyword == "attribute":
                self.attribute(rest, opened)
            elif keyword == "end":
                self.end(rest, opened)
            elif keyword == "data":
                return self.finish(opened)
            else:
                self.fail(f"{_short(text)} is not a declaration; expected @relation, @attribute or @data")
        raise DataError(f"{self.file}: there is no @data line; an ARFF file has one before its rows")

    def finish(self, opened: list[_Open]) -> tuple[Column, ...]:
        if len(opened) > 1:
            self.fail(
                f"the relational attribute {opened[-1][0]!r} is not closed; write @end {opened[-1][0]} after its "
                "columns"
            )
        columns = opened[0][1]
        if not columns:
            self.fail("no attribute is declared before @data; write a line @attribute NAME TYPE for each column")
        return tuple(columns.values())

    def attribute(self, rest: str, opened: list[_Open]) -> None:
        name, rest = self.word(rest)
        taken = opened[-1][1]
        if name in taken:
            self.fail(f"the attribute {name!r} is declared twice; give every attribute its own name")
        if rest.startswith("{"):
            levels, rest = self.levels(name, rest[1:])
            self.nothing_more(name, rest)
            taken[name] = Column(name, Kind.NOMINAL, levels=levels)
            return
        match = _TYPE.match(rest)
        kind = match[1].lower() if match else ""
        rest = rest[match.end() :].strip(_BLANKS) if match else rest
        if kind in ("numeric", "real", "integer"):
            taken[name] = Column(name, Kind.NUMERIC)
        elif kind == "string":
            taken[name] = Column(name, Kind.TEXT)
        elif kind == "date":
            pattern, rest = self.pattern(name, rest)
            taken[name] = Column(name, Kind.NUMERIC, date=pattern)
        elif kind == "relational":
            opened.append((name, {}))
        else:
            self.fail(
                f"attribute {name!r} has the unknown type {_short(rest if not match else match[0])}; "
                f"use numeric, string, date, relational or a list of values in braces"
            )
        self.nothing_more(name, rest)

    def end(self, rest: str, opened: list[_Open]) -> None:
        name = self.word(rest)[0] if rest else ""
        if len(opened) == 1 or opened[-1][0] != name:
            self.fail(f"@end {name} closes nothing; it belongs after the columns of a relational attribute {name!r}")
        _, columns = opened.pop()
        if not columns:
            self.fail(f"the relational attribute {name!r} has no columns; declare them before @end {name}")
        opened[-1][1][name] = Column(name, Kind.BAG, inner=Schema(tuple(columns.values())))

    def word(self, text: str) -> tuple[str, str]:
        """Return the word that `text` starts with, quoted or not, and the rest."""
        if text[:1] in ("'", '"'):
            match = _QUOTED.match(text)
            if match is None:
                self.fail(f"the quote in {_short(text)} is not closed; close it with {text[0]}")
            word = unescape(match[1] if match[1] is not None else match[2])
        else:
            match = _NAME.match(text)
            if match is None:
                self.fail("a name is missing; write @attribute NAME TYPE")
            word = match[0]
        return word, text[match.end() :].strip(_BLANKS)

    def levels(self, name: str, text: str) -> tuple[tuple[str, ...], str]:
        """Return the values in braces, separated by commas or else by blanks, and the text after them."""
        words: list[str] = []
        n_commas, at, plain = 0, 0, True
        while True:
            while at < len(text) and text[at] in _BLANKS + ",":
                n_commas += text[at] == ","
                at += 1
            if at == len(text):
                self.fail(f"the list of values of attribute {name!r} is not closed; close it with }}")
            if text[at] == "}":
                break
            match = _QUOTED.match(text, at) if text[at] in "'\"" else _LEVEL.match(text, at)
            if match is None:
                self.fail(f"the values of attribute {name!r} contain a quote that is not closed: {_short(text[at:])}")
            if text[at] in "'\"":
                plain = False
                words.append(unescape(match[1] if match[1] is not None else match[2]))
            else:
                words.append(match[0].rstrip(_BLANKS))
            at = match.end()
        if plain and not n_commas and len(words) == 1:
            words = re.split(rf"[{_BLANKS}]+", words[0])
        if (twice := first_repeated(words)) is not None:
            self.fail(f"attribute {name!r} lists the value {twice!r} twice; list every value once")
        return tuple(words), text[at + 1 :].strip(_BLANKS)

    def pattern(self, name: str, rest: str) -> tuple[str, str]:
        if not rest or rest.startswith("%"):
            return ISO, rest
        pattern, rest = self.word(rest)
        try:
            parser(pattern)
        except DataError as problem:
            self.fail(f"attribute {name!r}: {problem}")
        return pattern, rest

    def nothing_more(self, name: str, rest: str) -> None:
        weight = _WEIGHT.match(rest)  # the weight of an attribute, which no learner here uses
        rest = rest[weight.end() :].strip(_BLANKS) if weight else rest
        if rest and not rest.startswith("%"):
            self.fail(f"unexpected text {_short(rest)} after the type of attribute {name!r}; remove it")


def _short(text: str, most: int = 40) -> str:
    return repr(text if len(text) <= most else text[:most] + "...")
