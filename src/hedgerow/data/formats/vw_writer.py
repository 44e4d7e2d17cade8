"""Rows as lines of VW's text format; formats/vw.py reads them back unchanged."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from hedgerow.data.formats.vw import BASE, TAG, TAGS, UNNAMED
from hedgerow.data.table.schema import Column, Kind, Schema, first_repeated
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError
from hedgerow.layout.numbers import format_number

ODD = re.compile(r"[\s|:]+")
Cell = Callable[[int], str]


def check_vw(schema: Schema) -> None:
    """Raise an error for content that VW's format cannot represent."""
    for column in schema.columns:
        if column.kind is Kind.BAG:
            raise DataError(
                f"column {column.name!r} holds bags, which VW's format cannot represent; write .arff or .parquet"
            )
        if column.name == schema.target and column.kind not in (Kind.NUMERIC, Kind.NOMINAL):
            raise DataError(f"the target {column.name!r} is {column.kind}, which cannot be a label in VW's format")
        for level in column.levels if column.name == schema.target else ():
            if not level or ODD.search(level) or level.startswith("'"):
                raise DataError(
                    f"the class {level!r} cannot be a label in VW's format, since it contains a space, |, : or '; "
                    "rename it first"
                )

    features = [_escape_name(column.name) for column in schema.columns if column.name != schema.target]
    if (twice := first_repeated(features)) is not None:
        raise DataError(
            f"two columns would be called {twice!r}, since spaces, | and : in names become _ in VW's format; rename one"
        )


def vw_losses(schema: Schema) -> list[str]:
    """Return a sentence if names or levels are written otherwise, as VW's format has no place for some characters."""
    words = (
        word for column in schema.columns if column.name != schema.target for word in (column.name, *column.levels)
    )
    changed = next((word for word in words if ODD.search(word)), None)
    return [] if changed is None else [f"spaces, | and : become _ in names and levels, such as {changed!r}"]


def vw_lines(table: Table) -> bytes:
    """Return the rows as lines.

    The target is the label, the weight the importance. Namespaces that were read stand as they were. Another text is a
    namespace of its words; numbers and levels are features `age:20` and `sky=rain` of the namespace without a name.
    What is missing is left out; blanks, | and : of names and levels become _, those of words a blank.
    """
    schema = table.schema
    label = _skip_cell if schema.target is None else _label(table, schema.index(schema.target))
    weights = None if table.weights is None else table.weights.tolist()
    base = _numbers(table, BASE, lambda column: bool(column.ignored))
    tag = _tags(table)
    spaces = _spaces(table)
    lines = []
    for row in range(table.n_rows):
        head = [label(row)]
        own, more = 1.0 if weights is None else weights[row], 0.0 if base is None else base[row]
        if head[0] and (own != 1 or more):
            head += [format_number(own), *([format_number(more)] if more else [])]
        start = " ".join(filter(None, [*head, tag(row)]))
        parts = [f"|{name} {text}" for name, space in spaces if (text := space(row))]
        lines.append(f"{start} {' '.join(parts) or '|'}".lstrip())
    return "".join(f"{line}\n" for line in lines).encode()


def _skip_cell(_: int) -> str:
    return ""


def _label(table: Table, position: int) -> Cell:
    column = table.schema.columns[position]
    if column.kind is Kind.NOMINAL:
        words, codes = (*column.levels, ""), table.codes(position).tolist()
        return lambda row: words[codes[row]]
    values = table.numbers(position).tolist()
    return lambda row: "" if values[row] != values[row] else format_number(values[row])


def _numbers(table: Table, name: str, fits: Callable[[Column], bool]) -> list[float] | None:
    if name not in table.schema or table.schema[name].kind is not Kind.NUMERIC or not fits(table.schema[name]):
        return None
    values: list[float] = np.nan_to_num(table.numbers(table.schema.index(name))).tolist()
    return values


def _tags(table: Table) -> Cell:
    if not _is_tag(table.schema):
        return _skip_cell
    texts = table.texts(table.schema.index(TAG))

    def tag(row: int) -> str:
        word = texts[row]
        if word is not None and ODD.search(str(word)):
            raise DataError(
                f"the tag {str(word)!r} cannot be written in VW's format, since it contains a space, | or :"
            )
        return f"'{word}" if word else ""

    return tag


def _is_tag(schema: Schema) -> bool:
    return TAG in schema and schema[TAG].kind is Kind.TEXT and schema[TAG].ignored == TAGS


def _spaces(table: Table) -> list[tuple[str, Cell]]:
    """Return namespaces: their names, and functions for their features in a row."""
    plain: list[Cell] = []
    out: list[tuple[str, Cell]] = []
    for position, column in enumerate(table.schema.columns):
        ignored = column.ignored and column.name in (TAG, BASE)
        if column.name == table.schema.target or ignored:
            continue
        if column.kind is Kind.TEXT:
            name = "" if column.features and column.name.rstrip("_") == UNNAMED else _escape_name(column.name)
            out.append((name, _texts(table, position)))
        else:
            plain.append(_features(table, position))
    if plain:
        out.insert(0, ("", lambda row: " ".join(filter(None, (cell(row) for cell in plain)))))
    return out


def _texts(table: Table, position: int) -> Cell:
    texts, features = table.texts(position), table.schema.columns[position].features

    def words(row: int) -> str:
        text = texts[row]
        if text is None:
            return ""
        return str(text) if features else ODD.sub(" ", str(text)).strip()

    return words


def _features(table: Table, position: int) -> Cell:
    column = table.schema.columns[position]
    name = _escape_name(column.name)
    if column.kind is Kind.NOMINAL:
        words = (*(f"{name}={_escape_name(level)}" for level in column.levels), "")
        codes = table.codes(position).tolist()
        return lambda row: words[codes[row]]
    values = table.numbers(position).tolist()
    return lambda row: "" if values[row] != values[row] else f"{name}:{format_number(values[row])}"


def _escape_name(name: str) -> str:
    return ODD.sub("_", name)
