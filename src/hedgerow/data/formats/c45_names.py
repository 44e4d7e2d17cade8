"""The .names file of C4.5: classes first, then a line for every attribute."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from hedgerow.data.table.schema import Column, Kind, first_repeated
from hedgerow.errors import DataError

CLASS = "class"  # name of the class column, which the format does not define
_COMMENT = re.compile(r"(?<!\\)\|.*")
_PERIOD = re.compile(r"(?<!\\)\.(?=\s|$)")
_COLON = re.compile(r"(?<!\\):")
_COMMA = re.compile(r"(?<!\\),")
_DISCRETE = re.compile(r"discrete(\s+\d+)?$", re.IGNORECASE)


@dataclass(frozen=True)
class Names:
    """What a names file declares: columns in the order of the data, and which one is the class.

    `open_levels` are the nominal columns whose values come from the data (`discrete n`).
    """

    columns: tuple[Column, ...]
    target: str
    open_levels: frozenset[str]


def parse_names(text: str, file: str) -> Names:
    """Read the declarations of a names file."""
    statements = list(_statements(text))
    if not statements:
        raise DataError(f"{file}: the file is empty; the first line of a names file lists the classes")
    number, first = statements[0]
    if _COLON.search(first):
        _fail(file, number, f"{first!r} is not a list of classes; the first line of a names file lists them")
    columns: dict[str, Column] = {}
    opened: set[str] = set()
    for number, statement in statements[1:]:
        column, is_open = _attribute(statement, file, number)
        if column.name in columns:
            _fail(file, number, f"the attribute {column.name!r} is declared twice; give every attribute its own name")
        columns[column.name] = column
        if is_open:
            opened.add(column.name)
    classes = _split_words(first)
    if len(classes) == 1 and classes[0] in columns:  # C5.0 may name one of the attributes as the class
        return Names(tuple(columns.values()), classes[0], frozenset(opened))
    name = CLASS
    while name in columns:
        name += "_"
    columns[name] = Column(name, Kind.NOMINAL, levels=_levels(classes, name, file, statements[0][0]))
    return Names(tuple(columns.values()), name, frozenset(opened))


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield every statement with its line; one ends at a full stop, or where the next line has a colon."""
    number, so_far = 0, ""
    for at, line in enumerate(text.split("\n"), start=1):
        line = _COMMENT.sub("", line).strip()
        if so_far and _COLON.search(line):
            yield number, so_far
            so_far = ""
        while line:
            stop = _PERIOD.search(line)
            number = number if so_far else at
            so_far = f"{so_far} {line if stop is None else line[: stop.start()]}".strip()
            line = "" if stop is None else line[stop.end() :].strip()
            if stop is not None and so_far:
                yield number, so_far
                so_far = ""
    if so_far:
        yield number, so_far


def _attribute(statement: str, file: str, number: int) -> tuple[Column, bool]:
    colon = _COLON.search(statement)
    if colon is None:
        _fail(
            file,
            number,
            f"{statement[:40]!r} is not a declaration; write NAME: continuous, or NAME: value, value",
        )
    name, what = _plain(statement[: colon.start()]), statement[colon.end() :].strip()
    if not name or not what:
        _fail(
            file,
            number,
            f"{statement[:40]!r} lacks a name or a type; write NAME: continuous, or NAME: value, value",
        )
    if what.startswith("="):
        _fail(
            file,
            number,
            f"attribute {name!r} is defined by a formula, which hedgerow does not compute; remove it",
        )
    word = what.lower()
    if word == "continuous":
        return Column(name, Kind.NUMERIC), False
    if word in ("ignore", "label"):
        return Column(name, Kind.TEXT, ignored=f"the names file says {word}"), False
    if _DISCRETE.match(what):
        return Column(name, Kind.NOMINAL), True
    ordered = word.startswith("[ordered]")
    levels = _levels(_split_words(what[len("[ordered]") :] if ordered else what), name, file, number)
    return Column(name, Kind.NOMINAL, levels=levels, ordered=ordered), False


def _split_words(text: str) -> list[str]:
    return [word for word in map(_plain, _COMMA.split(text)) if word]


def _plain(text: str) -> str:
    """Undo escapes and fold runs of blanks, as C4.5 does."""
    return re.sub(r"\\(.)", r"\1", " ".join(text.split()))


def _levels(words: list[str], name: str, file: str, number: int) -> tuple[str, ...]:
    if (twice := first_repeated(words)) is not None:
        _fail(file, number, f"{name!r} lists the value {twice!r} twice; list every value once")
    return tuple(words)


def _fail(file: str, number: int, problem: str) -> NoReturn:
    raise DataError(f"{file}, line {number}: {problem}")
